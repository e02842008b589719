# SPDX-License-Identifier: Apache-2.0
"""Exact derivatives of the objectives of a run, each with its estimated error."""
from __future__ import annotations

import functools
import math
from ctypes import POINTER, byref, c_char_p, c_double, cast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Mapping, Optional, Tuple, Union, overload

import numpy as np

from . import _abi, _html
from ._core import (Floats, Guard, Handle, Owner, Path, Progress, Quantity, call, choice, file_name, fill,
                    find, items, make, names, pointer, quantity, some, text, view, word_of)
from ._lib import lib

if TYPE_CHECKING:
    from .system import System

_METHOD = (_abi.jo_sens_method, "JO_SENS_")


@dataclass(frozen=True)
class GradientStatistics:
    """What derivatives took: counts and CPU times [s]. `cpu_total` is the sum of the others; `cpu_dynamics` is 0 where the
    simulation is integrated together with the derivatives."""

    method: str
    is_frozen: bool
    integrator: str
    is_fixed_step: bool
    rel_tol: float
    step: float
    steps: int
    rejected: int
    evaluations: int
    derivative_evaluations: int
    derivative_tol: float
    is_within: bool
    passes: int
    implicit_steps: int
    cpu_dynamics: float
    cpu_sensitivity: float
    cpu_contributions: float
    cpu_errors: float
    cpu_total: float


@dataclass(frozen=True)
class GradientEvent:
    """A condition changed at t [s]. `follows`: caused by the one before, at the same instant. `rate`: of the
    switching function just before; NaN: frozen, or it follows."""

    t: float
    name: str
    on: bool
    follows: bool
    rate: float


@dataclass(frozen=True)
class Influence:
    """How much an objective depends on a number: its change per 1 % of the number, or of its natural size [%].
    `kind`: "matters", "zero_value", "idle", "none" (it has no derivative)."""

    name: str
    kind: str
    value: float
    derivative: float
    percent: float
    size: float
    change: float


@dataclass(frozen=True)
class Check:
    """One derivative three ways; NaN where a method is not prepared or makes no sense."""

    objective: str
    name: str
    direct: float
    adjoint: float
    direct_error: float
    adjoint_error: float
    difference: float
    difference_error: float
    increment: float
    verdict: str = ""           # "agrees", "undecided" (errors are larger than the derivative) or "disagrees"
    methods: float = math.nan   # how far the methods are apart, relative ...
    differences: float = math.nan   # ... and the derivative and the differences


class History:
    """Outputs and their derivatives along a run, arrays without copies.

        history.t           times [s]
        history["z"]        an output
        history.d("z")      its derivatives: times x numbers
        history.d("z", "k_f")
    """

    def __init__(self, handle: Handle, wrt: Tuple[str, ...]) -> None:
        found = items(lib.jo_sens_history_column_at, _abi.jo_quantity, handle)
        self._wrt = wrt
        self._step = 1 + len(wrt)
        columns = [quantity(q) for q in found]
        self.names: Tuple[str, ...] = tuple(q.name for q in columns[1::self._step])
        shape = (lib.jo_sens_history_row_count(handle), len(columns))
        self.table: Floats = view(lib.jo_sens_history_rows(handle), shape, handle)

    @property
    def t(self) -> Floats:
        """Times [s]."""
        return self.table[:, 0]

    def _first(self, name: str) -> int:
        return 1 + self._step * find("history", name, self.names)

    def __getitem__(self, name: str) -> Floats:
        return self.table[:, self._first(name)]

    def d(self, name: str, by: Optional[str] = None) -> Floats:
        """Derivatives of an output by all numbers, or by one."""
        first = self._first(name) + 1
        all_ = self.table[:, first:first + len(self._wrt)]
        return all_ if by is None else all_[:, find("number", by, self._wrt)]


class Gradient(Owner):
    """Values and derivatives of all objectives of a run. Made by System.gradient() and Model.gradient().

        g.values, g.value_errors     by objective, the latter estimated
        g.matrix, g.errors           objectives x numbers; errors are estimated, absolute. Arrays without copies
        g["psi"]                     a row of the matrix
        g["psi", "k_f"]              one derivative
    """

    def __init__(self, system: "System", *, method: str = "auto", frozen: bool = False,
                 contributions: bool = True, integrator: Optional[str] = None,
                 tolerance: Optional[float] = None, step_s: Optional[float] = None,
                 derivative_tol: Optional[float] = None, quick: bool = False, history: Iterable[str] = (),
                 history_step_s: float = 0.0, progress: Optional[Progress] = None) -> None:
        opt = lib.jo_sens_options_default()
        listed = names(history)
        opt.method = choice(*_METHOD, method, "method")
        opt.frozen, opt.contributions, opt.quick = frozen, contributions, quick
        opt.tolerance, opt.step_s, opt.derivative_tol = some(tolerance), some(step_s), some(derivative_tol)
        opt.history, opt.nhistory = cast(listed, POINTER(c_char_p)), len(listed)
        opt.history_step_s = history_step_s
        if integrator is not None:
            opt.integrator = choice(_abi.jo_method, "JO_METHOD_", integrator, "integrator")
        self.system = system
        with system._gate.use():
            self.wrt: Tuple[Quantity, ...] = system.wrt
            self._held = make(lib.jo_sens_run, lib.jo_sens_result_destroy, system._handle, options=opt,
                              guard=Guard(progress), parents=(system._handle,))
        self._has_history = len(listed) > 0

    @functools.cached_property
    def names(self) -> Tuple[str, ...]:
        """Names of the numbers: columns of the matrix."""
        return tuple(q.name for q in self.wrt)

    @functools.cached_property
    def objectives(self) -> Dict[str, Quantity]:
        """Objectives by name: rows of the matrix."""
        found = items(lib.jo_sens_objective_at, _abi.jo_quantity, self._handle)
        return {q.name: q for q in map(quantity, found)}

    @functools.cached_property
    def reasons(self) -> Dict[str, str]:
        """Objectives without derivatives, which are NaN, or without some of them, and why."""
        found = {o: lib.jo_sens_objective_reason(self._handle, i) for i, o in enumerate(self.objectives)}
        return {o: text(reason) for o, reason in found.items() if reason}

    @property
    def values(self) -> Floats:
        """Values of the objectives."""
        return np.array([float(q) for q in self.objectives.values()])

    @property
    def value_errors(self) -> Floats:
        """Estimated errors of the objectives by the integration, absolute."""
        return np.array([lib.jo_sens_objective_error(self._handle, o) for o in range(len(self.objectives))])

    @property
    def _shape(self) -> Tuple[int, int]:
        return len(self.objectives), len(self.wrt)

    @property
    def matrix(self) -> Floats:
        """d objective / d number: objectives x numbers, in their units; NaN where there is none."""
        return view(lib.jo_sens_gradient(self._handle), self._shape, self._handle)

    @property
    def errors(self) -> Floats:
        """Estimated errors of the matrix, absolute: what the steps taken make of it."""
        return view(lib.jo_sens_gradient_error(self._handle), self._shape, self._handle)

    def _objective(self, name: str) -> int:
        return find("objective", name, tuple(self.objectives))

    def _number(self, name: str) -> int:
        return find("number", name, self.names)

    @overload
    def __getitem__(self, key: str) -> Floats: ...

    @overload
    def __getitem__(self, key: Tuple[str, str]) -> float: ...

    def __getitem__(self, key: Union[str, Tuple[str, str]]) -> Union[Floats, float]:
        if isinstance(key, str):
            return self.matrix[self._objective(key)]
        return float(self.matrix[self._objective(key[0]), self._number(key[1])])

    def error(self, objective: str, number: str) -> float:
        """Estimated error of one derivative, absolute."""
        return float(self.errors[self._objective(objective), self._number(number)])

    @property
    def method(self) -> str:
        """The method used: "direct" or "adjoint"."""
        return self.statistics.method

    @property
    def statistics(self) -> GradientStatistics:
        """What it took."""
        s = lib.jo_sens_result_statistics(self._handle)
        return fill(GradientStatistics, s, method=word_of(*_METHOD, s.method))

    # ---- events ----------------------------------------------------------------------------------

    @property
    def frozen(self) -> Floats:
        """Derivatives with every switch at its nominal time; NaN where contributions were not computed."""
        n, m = self._shape
        return np.array([[lib.jo_sens_derivative_frozen(self._handle, o, k) for k in range(m)]
                         for o in range(n)]).reshape(n, m)

    @property
    def events(self) -> List[GradientEvent]:
        """Changes of conditions, in order."""
        return [fill(GradientEvent, e) for e in items(lib.jo_sens_event_at, _abi.jo_sens_event, self._handle)]

    @property
    def shifts(self) -> Floats:
        """d time / d number of the events: events x numbers; NaN unless the direct method was used."""
        n, m = lib.jo_sens_event_count(self._handle), len(self.wrt)
        return np.array([[lib.jo_sens_event_shift(self._handle, e, k) for k in range(m)]
                         for e in range(n)]).reshape(n, m)

    @property
    def contributions(self) -> Floats:
        """What the motion of each event adds: events x objectives x numbers. Added up over the events it is
        matrix - frozen. NaN where it was not computed."""
        n, (o, m) = lib.jo_sens_event_count(self._handle), self._shape
        return np.array([lib.jo_sens_event_contribution(self._handle, e, i, k)
                         for e in range(n) for i in range(o) for k in range(m)]).reshape(n, o, m)

    # ---- more ------------------------------------------------------------------------------------

    @property
    def history(self) -> History:
        """Outputs asked for with their derivatives along the run."""
        if not self._has_history:
            raise ValueError("no history was asked for: gradient(history=[...])")
        return History(self._handle, self.names)

    def rank(self, objective: str, increments: Optional[Mapping[str, float]] = None,
             threshold: float = 1e-3) -> List[Influence]:
        """Numbers by their influence on an objective, most influential first.

        increments   of numbers, to tell the change of the objective they make
        threshold    what changes the objective less does not matter [% per 1 %]
        """
        steps = np.full(len(self.wrt), np.nan)
        for name, value in (increments or {}).items():
            steps[self._number(name)] = value
        rows = (_abi.jo_sens_row * len(self.wrt))()
        call(lib.jo_sens_rank, self._handle, self._objective(objective), pointer(steps), threshold, rows)
        return [Influence(self.names[r.parameter], word_of(_abi.jo_influence, "JO_", r.influence), r.value,
                          r.derivative, r.percent, r.size, r.change) for r in rows]

    def check(self, progress: Optional[Progress] = None) -> List[Check]:
        """Every derivative by the other method and by differences of whole runs; use=["checks"] of the system."""
        n, m = self._shape
        rows, guard = (_abi.jo_sens_check_row * (n * m))(), Guard(progress)
        kind = _abi.FUNCTIONS["jo_sens_check"][1][2]
        with self.system._gate.use():
            call(lib.jo_sens_check, self._handle, kind(guard.tell), None, rows, guard=guard)
        judged = (_abi.jo_sens_agreement * (n * m))()
        call(lib.jo_sens_judge, self._handle, rows, judged, None)
        keys = [(o, k) for o in self.objectives for k in self.names]
        return [Check(o, k, *(getattr(r, f) for f, _ in r._fields_),
                      word_of(_abi.jo_verdict, "JO_", a.verdict), a.methods, a.differences)
                for (o, k), r, a in zip(keys, rows, judged)]

    def vcurve(self, objective: str, number: str, n: int = 23) -> "Tuple[Dict[str, Floats], float]":
        """Error of forward and central differences with increments from 1e-1 to 1e-12 of the number: arrays
        "relative", "forward", "central", "forward_error", "central_error", and the derivative."""
        points, exact = (_abi.jo_sens_vcurve_point * n)(), c_double()
        with self.system._gate.use():
            call(lib.jo_sens_vcurve, self.system._handle, None, self._objective(objective),
                 self._number(number), n, points, byref(exact))
        return {f: np.array([getattr(p, f) for p in points]) for f, _ in points[0]._fields_}, exact.value

    def save(self, path: Path) -> None:
        """Write the derivatives as CSV."""
        call(lib.jo_sens_save, self._handle, file_name(path))

    def save_history(self, path: Path) -> None:
        """Write the histories as CSV."""
        call(lib.jo_sens_history_save, self._handle, file_name(path))

    # ---- what is shown ---------------------------------------------------------------------------

    def __repr__(self) -> str:
        if self.closed:
            return "<Gradient, closed>"
        n, m = self._shape
        return f"<Gradient {self.system.model.name}: {n} objectives by {m} numbers, {self.method}>"

    def _repr_html_(self) -> str:
        parts: List[Any] = []
        for o, q in self.objectives.items():
            ranked = [r for r in self.rank(o) if r.kind != "none"][:30]
            rows = [(r.name, _html.number(r.value), _html.number(r.derivative),
                     "± " + _html.number(self.error(o, r.name), 2), _html.number(r.percent, 3)) for r in ranked]
            head = ("number", "value", f"d {o} / d number", "error", "% per %")
            bars = _html.bars([r.name for r in ranked[:12]], [r.percent for r in ranked[:12]],
                              f"change of {o} per 1 % of a number [%]")
            parts += [f"<p><b>{_html.escape(o)}</b> = {_html.number(q, 10)} {_html.escape(q.unit)}</p>",
                      _html.row([_html.table(head, rows), bars])]
        s = self.statistics
        facts = [("method", s.method), ("integrator", s.integrator), ("events", len(self.events)),
                 ("runs", s.passes)]
        return _html.block(self.system.model.name, "derivatives", _html.facts(facts), *parts)
