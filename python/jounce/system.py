# SPDX-License-Identifier: Apache-2.0
"""Systems: the equations of a model, generated, compiled, and asked again and again with other numbers."""
from __future__ import annotations

import contextlib
import threading
import weakref
from ctypes import POINTER, byref, c_char_p, c_double, c_int64, cast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, Mapping, Optional, Tuple, Union

import numpy as np

from . import _abi, _html
from ._core import (Floats, Guard, Number, Owner, Path, Progress, Quantity, call, choice, chosen, file_name, fill,
                    items, make, names, some, text, word_of)
from ._lib import lib
from .errors import ArgumentError
from .result import Page, Result, page_of

if TYPE_CHECKING:
    from .batch import Batch
    from .function import Function
    from .gradient import Gradient
    from .loads import Loads, LoadsGradient
    from .model import Model
    from .run import Run
    from .sweep import Sweep


@dataclass(frozen=True)
class SystemInfo:
    """Sizes of the equations. dof: degrees of freedom. closure_residual at the initial position [m].
    packed_N: operations of an evaluation that are done N at a time."""

    dof: int
    coordinates: int
    independent: int
    dependent: int
    driven: int
    closure_equations: int
    redundant: int
    states: int
    switches: int
    equations_generated: int
    equations_kept: int
    closure_residual: float
    is_compiled: bool
    packed_2: int
    packed_4: int
    packed_8: int


@dataclass(frozen=True)
class Coordinate:
    """A coordinate: role is "independent", "dependent" or "driven"; value [unit], rate [unit/s]."""

    name: str
    joint: str
    unit: str
    role: str
    value: float
    rate: float


def coordinate(c: Any) -> Coordinate:
    return Coordinate(text(c.name), text(c.joint), text(c.unit), word_of(_abi.jo_role, "JO_", c.role),
                      c.value, c.rate)


class _Gate:
    """Many may use the numbers of a system at once, one may change them when nobody does. Who waits to change them
    comes before others who want to use them."""

    def __init__(self) -> None:
        self._lock = threading.Condition()
        self._users = self._waiting = 0
        self._owner: Optional[int] = None
        self._depth = 0
        self._mine = threading.local()

    @contextlib.contextmanager
    def use(self) -> Iterator[None]:
        me = threading.get_ident()
        with self._lock:
            nested = self._owner == me or getattr(self._mine, "uses", 0) > 0
            while not nested and (self._owner is not None or self._waiting):
                self._lock.wait()
            self._users += 1
        self._mine.uses = getattr(self._mine, "uses", 0) + 1
        try:
            yield
        finally:
            self._mine.uses -= 1
            with self._lock:
                self._users -= 1
                self._lock.notify_all()

    @contextlib.contextmanager
    def change(self) -> Iterator[None]:
        me = threading.get_ident()
        if getattr(self._mine, "uses", 0):
            raise RuntimeError("numbers of a system cannot change while the same thread runs it")
        with self._lock:
            self._waiting += 1
            try:
                while self._owner != me and (self._owner is not None or self._users):
                    self._lock.wait()
            finally:
                self._waiting -= 1
                self._lock.notify_all()
            self._owner, self._depth = me, self._depth + 1
        try:
            yield
        finally:
            with self._lock:
                self._depth -= 1
                if not self._depth:
                    self._owner = None
                self._lock.notify_all()


class System(Owner):
    """A model prepared for questions. Made by Model.system().

    Numbers are set with set() or by item; runs, derivatives, loads and sweeps from then on have them, and nothing
    is read, generated or compiled again. Threads may share a system: runs go on side by side, and set() waits until
    none is under way.
    """

    def __init__(self, model: "Model", wrt: Optional[Iterable[str]] = None, *, use: Iterable[str] = (),
                 method: str = "auto", variable: Iterable[str] = (), interpreter: bool = False,
                 compiler: bool = False, objectives: Optional[Iterable[str]] = None) -> None:
        use = (use,) if isinstance(use, str) else tuple(use)
        opt = lib.jo_system_options_default()
        listed, changed, wanted = names(wrt), names(variable), names(chosen(objectives, "objectives"))
        opt.use = sum(choice(_abi.jo_use, "JO_USE_", u, "use") for u in set(use))
        opt.wrt, opt.nwrt = cast(listed, POINTER(c_char_p)), len(listed)
        opt.variable, opt.nvariable = cast(changed, POINTER(c_char_p)), len(changed)
        opt.objective, opt.nobjective = cast(wanted, POINTER(c_char_p)), len(wanted)
        opt.method = choice(_abi.jo_sens_method, "JO_SENS_", method, "method")
        opt.interpreter, opt.compiler = interpreter, compiler
        self.model = model
        self._held = make(lib.jo_system_create, lib.jo_system_destroy, model._handle, byref(opt),
                          parents=(model._handle,))
        self._gate = _Gate()
        self._version = 0
        self._sweeps: "weakref.WeakSet[Sweep]" = weakref.WeakSet()

    # ---- numbers ---------------------------------------------------------------------------------

    def set(self, numbers: Optional[Mapping[str, Number]] = None, /, **parameters: Number) -> "System":
        """Set numbers: parameters by name, others by path, in the units of the file. All are set, or none.

            system.set(k_f=18000, c_f=900)
            system.set({"bodies.chassis.mass": 240})    # of a system(variable=["bodies.chassis.mass"])

        Raises ArgumentError where one is unknown, not variable or out of its range. Returns the system.
        """
        both = {**(numbers or {}), **parameters}
        self._set(tuple(both), np.array([float(v) for v in both.values()]))
        return self

    def _set(self, which: Tuple[str, ...], values: Floats) -> None:
        with self._gate.change():
            if any(not s.is_complete for s in self._sweeps):
                raise ArgumentError("a sweep of this system is not complete; hint: finish it with run(), or close it")
            call(lib.jo_system_set, self._handle, names(which), values.ctypes.data_as(POINTER(c_double)),
                 len(which))
            self._version += 1

    def get(self, name: str) -> float:
        """The value of a parameter, or of a variable number by its path, now."""
        out = c_double()
        with self._gate.use():
            call(lib.jo_system_get, self._handle, name.encode(), byref(out))
        return out.value

    def __getitem__(self, name: str) -> float:
        return self.get(name)

    def __setitem__(self, name: str, value: Number) -> None:
        self.set({name: value})

    @property
    def wrt(self) -> Tuple[Quantity, ...]:
        """Numbers that derivatives are taken by, with their values now."""
        with self._gate.use():
            found = items(lib.jo_sens_parameter_at, _abi.jo_sens_parameter, self._handle)
        return tuple(Quantity(p.value, text(p.name), text(p.unit), text(p.description)) for p in found)

    # ---- what it is ------------------------------------------------------------------------------

    @property
    def info(self) -> SystemInfo:
        """Sizes of the equations."""
        return fill(SystemInfo, lib.jo_system_inspect(self._handle))

    @property
    def coordinates(self) -> Tuple[Coordinate, ...]:
        """Coordinates at the initial position of the file."""
        found = items(lib.jo_system_coordinate_at, _abi.jo_coordinate, self._handle)
        return tuple(coordinate(c) for c in found)

    @property
    def switches(self) -> Tuple[str, ...]:
        """Names of the conditions of the model, in the order of Run.switches()."""
        return tuple(text(lib.jo_system_switch_name(self._handle, i)) for i in range(self.info.switches))

    def operations(self, after_elimination: bool = True) -> Dict[str, int]:
        """Operations of the accelerations by kind: as evaluated, or as written before elimination."""
        n = lib.jo_system_operations(self._handle, after_elimination)
        return {k: getattr(n, k) for k, _ in n._fields_}

    def check(self) -> None:
        """Raise where the manoeuvre cannot be run as the model gives it; warn where nothing moves."""
        with self._gate.use():
            call(lib.jo_system_check, self._handle)

    # ---- questions -------------------------------------------------------------------------------

    def run(self, *, t_end_s: Optional[float] = None, method: Optional[str] = None,
            tolerance: Optional[float] = None, step_s: Optional[float] = None,
            output_step_s: Optional[float] = None, max_step_s: Optional[float] = None, max_events: int = 0,
            progress: Optional[Progress] = None) -> Result:
        """Simulate the manoeuvre. What is not given is as the model says.

        t_end_s        end [s]
        method         "auto", "dopri5", "esdirk5", "rk2", "rk3", "rk4", "imex4", "imex3", "adams", "bdf"
        tolerance      relative and absolute, of adaptive methods
        step_s         of fixed-step methods, first step of adaptive ones [s]
        output_step_s  spacing of the rows [s]; 0: a row per step
        max_step_s     of adaptive methods [s]
        max_events     more end the run
        progress       called after every step with 0 ... 1; returning False stops the run (Stopped)

        A run that fails on its way raises, and what was computed is the `result` of the exception.
        """
        opt = _simulate_options(t_end_s, method, tolerance, step_s, output_step_s, max_step_s, max_events)
        with self._gate.use():
            def keep(handle: Any) -> Result:
                return Result(handle, self, self._version, tolerance)

            handle = make(lib.jo_simulate, lib.jo_result_destroy, self._handle, options=opt,
                          guard=Guard(progress), partial=keep)
            return keep(handle)

    def start(self, *, method: Optional[str] = None, tolerance: Optional[float] = None,
              step_s: Optional[float] = None, max_step_s: Optional[float] = None,
              max_events: int = 0) -> "Run":
        """Begin a run that is driven from outside, step by step: see Run. Options as of run()."""
        from .run import Run
        opt = _simulate_options(None, method, tolerance, step_s, None, max_step_s, max_events)
        return Run(self, opt)

    def gradient(self, *, method: str = "auto", frozen: bool = False, contributions: bool = True,
                 integrator: Optional[str] = None, tolerance: Optional[float] = None,
                 step_s: Optional[float] = None, derivative_tol: Optional[float] = None,
                 quick: bool = False, history: Iterable[str] = (), history_step_s: float = 0.0,
                 progress: Optional[Progress] = None) -> "Gradient":
        """Simulate the manoeuvre and differentiate it, exactly and through its events.

        method          "direct", "adjoint", "auto": the cheaper one
        frozen          every switch stays at its nominal time
        contributions   also what each event adds, where the system is prepared for it
        integrator      one whose runs can be differentiated; None: the model's
        tolerance       relative and absolute, of adaptive integrators
        step_s          of fixed-step integrators [s]
        derivative_tol  relative error wanted of derivatives; runs are repeated until it is met
        quick           error estimates from the steps of the run alone, not from a second run with halved steps: a third
                        of the cost, and estimates that are larger by orders of magnitude
        history         outputs whose derivatives are wanted along the run (use=["histories"])
        history_step_s  their spacing [s]; 0: at every step and after every event
        progress        called now and then with the simulated part of the run, 0 ... 1; False stops (Stopped)
        """
        from .gradient import Gradient
        return Gradient(self, method=method, frozen=frozen, contributions=contributions,
                        integrator=integrator, tolerance=tolerance, step_s=step_s,
                        derivative_tol=derivative_tol, quick=quick, history=history,
                        history_step_s=history_step_s,
                        progress=progress)

    def sweep(self, ranges: Mapping[str, Any], *, sample: int = 0, seed: int = 0, sampling: str = "halton",
              correlate: Optional[Mapping[Tuple[str, str], float]] = None, indices: bool = False,
              method: str = "auto", frozen: bool = False, t_end_s: Optional[float] = None,
              tolerance: Optional[float] = None, step_s: Optional[float] = None, workers: int = 0,
              batch: bool = False, device: Optional[str] = None, fused: bool = False, single: bool = False,
              journal: Optional[Path] = None, restart: bool = False, stream: bool = False, start: bool = True,
              progress: Optional[Progress] = None) -> "Sweep":
        """Objectives, and derivatives where the system has them, over ranges of parameters, on all processors.

            system.sweep({"k_f": (8000, 24000, 25)})              # a grid: from, to, how many
            system.sweep({"k_f": (8000, 24000)}, sample=1000)     # points that fill the box evenly
            system.sweep({"k_f": jounce.Normal(16000, 800), "c_f": jounce.Uniform(2000, 12000)}, sample=1024,
                         sampling="sobol")                        # distributions, also Lognormal

        sampling  of the sample: "halton", "sobol", "lhs" or "random"; all follow from `seed`
        correlate correlations of numbers of a sample: {("k_f", "k_r"): 0.6}
        indices   the points that Sobol indices need: for each of the sample as many as numbers and two more;
                  Sweep.statistics() has them
        workers   threads; 0: one per processor. Results do not depend on it
        batch     points side by side, several times as fast: direct derivatives, without their errors
        device    where, side by side: "cpu", "cuda", "auto"; fused: allow fused operations on GPUs; single: in single precision
        journal   a file every finished point is appended to at once, from which a sweep that was killed goes on
        restart   throw away what the journal holds
        stream    results stay in the journal, with 8 bytes a point in memory: points come one by one, or as a file
        start     False: only lay the points out; Sweep.run() computes them
        progress  called several times per second with the part of points done, 0 ... 1; False stops, and
                  Sweep.run() goes on
        """
        from .sweep import Sweep
        return Sweep(self, ranges, sample=sample, seed=seed, sampling=sampling, correlate=correlate, indices=indices,
                     method=method, frozen=frozen, t_end_s=t_end_s, tolerance=tolerance, step_s=step_s,
                     workers=workers, batch=batch, device=device, fused=fused, single=single, journal=journal,
                     restart=restart, stream=stream, start=start, progress=progress)

    def batch(self, parameters: Iterable[str], *, method: Optional[str] = None, t_end_s: Optional[float] = None,
              tolerance: Optional[float] = None, step_s: Optional[float] = None, gradient: Union[bool, str] = False,
              outputs: bool = False, history: Iterable[str] = (), history_step_s: Optional[float] = None,
              roads: "Iterable[Model]" = (), device: str = "cpu", fused: bool = False, single: bool = False,
              lanes: int = 0, workers: int = 0) -> "Batch":
        """Prepare many points side by side: arrays of numbers in, arrays of results out. See Batch.run().

            batch = system.batch(["k_f", "c_f"], method="rk4", step_s=1e-3)
            points = batch.run(np.array([[16000, 900], [18000, 1100]]))

        parameters      numbers that vary, by name or path, as far as set() can set them; initial conditions too
        method          explicit ones run in lanes: "rk2", "rk3", "rk4", "dopri5"; others point by point
        gradient        also derivatives, with respect to the parameters of a system(wrt=...): "direct", "adjoint", or True: as it was prepared
        outputs         also outputs at the end
        history         outputs wanted along the run
        history_step_s  their spacing [s]; None: as the model says
        roads           models whose roads points may have, that differ in tables alone
        device          "cpu", "cuda", or "auto": GPUs where that can be done
        fused           of GPUs: faster, results differ by roundings
        single          of GPUs: slopes in single precision; some points are checked, Points.value_error tells
        lanes           points side by side, 1, 2, 4 or 8; 0: as many as there can be. Results do not depend on it
        workers         threads; 0: one per processor. Results do not depend on it
        """
        from .batch import Batch
        return Batch(self, parameters, method=method, t_end_s=t_end_s, tolerance=tolerance, step_s=step_s,
                     gradient=gradient, outputs=outputs, history=history, history_step_s=history_step_s,
                     roads=roads, device=device, fused=fused, single=single,
                     lanes=lanes, workers=workers)

    def loads(self, *, driver: Optional[str] = None, rate_hz: Optional[float] = None,
              t_end_s: Optional[float] = None, tolerance: Optional[float] = None,
              restitution: Optional[float] = None, realtime: bool = False, slope: Optional[float] = None,
              reference: Optional[float] = None) -> "Loads":
        """Load histories of all elements over the manoeuvre; of a system(use=["loads"]).

        driver       "fixed", "adaptive", "impulsive", "subcycle", "converged"; None: "subcycle"
        rate_hz      steps per second; 500, of adaptive drivers the least, 100
        tolerance    adaptive, impulsive: error of any state in a step; 1e-3
        restitution  impulsive: part of the velocity that comes back; 1
        realtime     pace the run against the clock
        slope        of pseudo-damage: sum of count * (range / reference)^slope; 5
        reference    [N, N m]; 1
        """
        from .loads import Loads
        return Loads(self, driver=driver, rate_hz=rate_hz, t_end_s=t_end_s, tolerance=tolerance,
                     restitution=restitution, realtime=realtime, slope=slope, reference=reference)

    def loads_gradient(self, *, t_end_s: Optional[float] = None, tolerance: Optional[float] = None,
                       slope: Optional[float] = None, reference: Optional[float] = None) -> "LoadsGradient":
        """Derivatives of peak loads and pseudo-damage; of a system(wrt=..., use=["histories"])."""
        from .loads import LoadsGradient
        return LoadsGradient(self, t_end_s=t_end_s, tolerance=tolerance, slope=slope, reference=reference)

    def function(self, objective: Union[str, Iterable[str]], wrt: Optional[Iterable[str]] = None, *,
                 jac: bool = False, **options: Any) -> "Function":
        """Objectives as a function of numbers, with its derivatives, for optimisers: see Function."""
        from .function import Function
        return Function(self, objective, wrt, jac=jac, **options)

    def report(self, path: Path, *, tolerance: Optional[float] = None, replay: bool = True) -> int:
        """Run the manoeuvre and write one HTML page: objectives, derivatives where the system has them, events,
        plots and a replay. Returns its size in bytes."""
        opt, size = lib.jo_report_options_default(), c_int64()
        opt.tolerance, opt.no_replay = some(tolerance), not replay
        with self._gate.use():
            call(lib.jo_report_write, self._handle, byref(opt), file_name(path), byref(size))
        return size.value

    def page(self, *, tolerance: Optional[float] = None, replay: bool = True) -> Page:
        """The same as an object that notebooks show."""
        return page_of(lambda path: self.report(path, tolerance=tolerance, replay=replay))

    # ---- what is shown ---------------------------------------------------------------------------

    def __repr__(self) -> str:
        if self.closed:
            return "<System, closed>"
        n = self.info
        how = "compiled" if n.is_compiled else "interpreted"
        return f"<System {self.model.name}: {n.dof} degrees of freedom, {len(self.wrt)} derivatives, {how}>"

    def _repr_html_(self) -> str:
        n = self.info
        facts = [("degrees of freedom", n.dof), ("coordinates", n.coordinates), ("states", n.states),
                 ("conditions", n.switches), ("operations", self.operations()["total"]),
                 ("evaluation", "compiled" if n.is_compiled else "interpreted")]
        rows = [(p.name, _html.number(p), p.unit, p.description) for p in self.wrt]
        shown = _html.table(("derivatives by", "value", "unit", ""), rows) if rows else ""
        return _html.block(self.model.name, "system", _html.facts(facts), shown)


def _simulate_options(t_end_s: Optional[float], method: Optional[str], tolerance: Optional[float],
                      step_s: Optional[float], output_step_s: Optional[float], max_step_s: Optional[float],
                      max_events: int) -> Any:
    opt = lib.jo_simulate_options_default()
    opt.t_end_s, opt.tolerance, opt.step_s = some(t_end_s), some(tolerance), some(step_s)
    opt.output_step_s, opt.max_step_s = some(output_step_s), some(max_step_s)
    opt.max_events = max_events
    if method is not None:
        opt.method = choice(_abi.jo_method, "JO_METHOD_", method, "method")
    return opt
