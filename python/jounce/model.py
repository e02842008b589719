# SPDX-License-Identifier: Apache-2.0
"""Models: read from files, checked, immutable."""
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, Iterable, Mapping, Optional, Tuple

from . import _abi, _html
from ._core import Handle, Owner, Path, call, chosen, file_name, fill, items, make, names, settings, text
from ._lib import lib

if TYPE_CHECKING:
    from .analysis import Equilibrium, Modes
    from .gradient import Gradient
    from .kinematics import Kinematics
    from .loads import Loads
    from .result import Result
    from .sweep import Sweep
    from .system import System


@dataclass(frozen=True)
class Parameter:
    """A named number of the file. `value` is NaN where it cannot be evaluated."""

    name: str
    unit: str
    description: str
    value: float
    is_computed: bool


@dataclass(frozen=True)
class Body:
    """A body and its mass [kg]; 0: massless."""

    name: str
    mass: float


@dataclass(frozen=True)
class Joint:
    """A joint from its parent to its child."""

    name: str
    type: str
    parent: str
    child: str
    ncoordinate: int


@dataclass(frozen=True)
class Closure:
    """What closes a loop between the bodies a and b."""

    name: str
    type: str
    a: str
    b: str
    nequation: int


@dataclass(frozen=True)
class Coupling:
    """Linear relations between coordinates, which are listed with commas between them."""

    name: str
    type: str
    coordinates: str
    nequation: int


@dataclass(frozen=True)
class ModelInfo:
    """How many of each; bodies do not count the ground."""

    parameters: int
    bodies: int
    joints: int
    coordinates: int
    closures: int
    forces: int
    tyres: int
    states: int
    sensors: int
    objectives: int


def load(path: Path, settings: Optional[Mapping[str, Any]] = None, /, **parameters: Any) -> "Model":
    """Load and check a model file with what it includes.

    Parameters by name as keywords, any number of the file by its path in `settings`:

        jounce.load("vehicle.yaml", {"bodies.chassis.mass": 240}, k_f=18000)

    Numbers are in the units of the file; a parameter may also get an expression of others, as text. Raises
    ModelError, TextError, FileError or ArgumentError, which name file, line, subject and cause of every mistake.
    """
    set_ = _settings(settings, parameters)
    return Model(make(lib.jo_model_load, lib.jo_model_destroy, file_name(path), set_, len(set_)))


def parse(text: str, settings: Optional[Mapping[str, Any]] = None, /, *, path: Path = "model.yaml",
          **parameters: Any) -> "Model":
    """The same from a text; `path` names it in messages and is where its includes are looked for."""
    set_, data = _settings(settings, parameters), text.encode()
    return Model(make(lib.jo_model_parse, lib.jo_model_destroy, data, len(data), file_name(path), set_,
                      len(set_)))


def write_schema(path: Path, of: str = "model") -> None:
    """Write the JSON schema of "model" or "study" files, by which editors complete and check their keys."""
    call(lib.jo_schema_write, of.encode(), file_name(path))


_settings = settings


class Model(Owner):
    """A checked model. Made by jounce.load() and jounce.parse(); does not change any more.

    A model is prepared for questions as a System, which can be asked again and again with other numbers. The
    methods run(), gradient(), sweep() and loads() prepare one where needed and keep it for the next call.
    """

    def __init__(self, handle: Handle) -> None:
        self._held = handle
        self._systems: "Dict[Any, System]" = {}

    def close(self) -> None:
        self._systems.clear()
        super().close()

    @property
    def name(self) -> str:
        """What the file calls itself."""
        return text(lib.jo_model_name(self._handle))

    @property
    def description(self) -> str:
        """What the file says about itself."""
        return text(lib.jo_model_description(self._handle))

    @property
    def path(self) -> str:
        """The file it was read from."""
        return text(lib.jo_model_path(self._handle))

    @property
    def sha256(self) -> str:
        """Hash of all text read; settings are not part of it."""
        return text(lib.jo_model_sha256(self._handle))

    @property
    def settings(self) -> str:
        """The settings it was loaded with, "name=value, name=value"."""
        return text(lib.jo_model_settings(self._handle))

    @property
    def info(self) -> ModelInfo:
        """How many bodies, joints, coordinates and so on."""
        return fill(ModelInfo, lib.jo_model_inspect(self._handle))

    @property
    def parameters(self) -> Dict[str, Parameter]:
        """Parameters of the file by name."""
        found = items(lib.jo_model_parameter_at, _abi.jo_parameter, self._handle)
        return {text(p.name): fill(Parameter, p) for p in found}

    def shown(self, name: str, value: float) -> Tuple[float, str]:
        """A value of a parameter, or of a number by its path, in the unit that the file gives it in, and that unit; "" where it gives none."""
        unit = text(lib.jo_model_unit(self._handle, name.encode()))
        return lib.jo_model_shown(self._handle, name.encode(), value), unit

    @property
    def bodies(self) -> Tuple[Body, ...]:
        """Bodies, without the ground."""
        return tuple(fill(Body, b) for b in items(lib.jo_model_body_at, _abi.jo_body, self._handle))

    @property
    def joints(self) -> Tuple[Joint, ...]:
        """Joints of the tree."""
        return tuple(fill(Joint, j) for j in items(lib.jo_model_joint_at, _abi.jo_joint, self._handle))

    @property
    def closures(self) -> Tuple[Closure, ...]:
        """What closes its loops."""
        return tuple(fill(Closure, c) for c in items(lib.jo_model_closure_at, _abi.jo_closure, self._handle))

    @property
    def couplings(self) -> Tuple[Coupling, ...]:
        """Linear relations between its coordinates."""
        return tuple(fill(Coupling, c) for c in items(lib.jo_model_coupling_at, _abi.jo_coupling, self._handle))

    # ---- questions -------------------------------------------------------------------------------

    def system(self, wrt: Optional[Iterable[str]] = None, *, use: Iterable[str] = (), method: str = "auto",
               variable: Iterable[str] = (), interpreter: bool = False, compiler: bool = False,
               objectives: Optional[Iterable[str]] = None) -> "System":
        """Generate the equations, assemble, differentiate and compile: see System.

        wrt          derivatives with respect to these: parameters by name, other numbers by path, "hardpoints.*", "parameters",
                     "all". None: no derivatives
        use          what it shall answer: "runs", "derivatives", "histories", "checks", "loads",
                     "contributions"; nothing: runs, and derivatives with contributions where wrt is given
        method       of derivatives, to prepare: "auto", "direct", "adjoint"
        variable     numbers that set() shall be able to change, named likewise; parameters and inputs always can be
        interpreter  evaluate without compiling: starts at once, runs slower, needs no compiler
        compiler     have a C compiler make the code, for comparison: starts later, and the same numbers
        objectives   to compute, in this order; None: all of the model. Those that are named must have derivatives
        """
        from .system import System
        return System(self, wrt, use=use, method=method, variable=variable, interpreter=interpreter,
                      compiler=compiler, objectives=objectives)

    def _system(self, wrt: Optional[Iterable[str]], use: Iterable[str], interpreter: bool, compiler: bool,
                method: str = "auto", objectives: Optional[Iterable[str]] = None) -> "System":
        """A system that nobody else sees, so that its numbers stay those of the model."""
        wrt = (wrt,) if isinstance(wrt, str) else tuple(wrt or ())
        picked = chosen(objectives, "objectives")
        key = (wrt, tuple(use), interpreter, compiler, method, picked)
        if key not in self._systems:
            self._systems[key] = self.system(wrt, use=use, interpreter=interpreter, compiler=compiler,
                                             method=method, objectives=picked or None)
        return self._systems[key]

    def run(self, *, interpreter: bool = False, compiler: bool = False, objectives: Optional[Iterable[str]] = None,
            **options: Any) -> "Result":
        """Simulate the manoeuvre; `objectives`: those to compute, None: all; options are those of System.run()."""
        return self._system(None, (), interpreter, compiler, objectives=objectives).run(**options)

    def gradient(self, wrt: Iterable[str] = ("parameters",), *, interpreter: bool = False,
                 compiler: bool = False, method: str = "auto", history: Iterable[str] = (),
                 objectives: Optional[Iterable[str]] = None, **options: Any) -> "Gradient":
        """Exact derivatives of all objectives, or of those that are named; options are those of System.gradient().
        Contributions of events come along where the method is left open, as of `jounce sens`."""
        use = ("contributions", "histories") if history else ("contributions",)
        prepared = "direct" if history and method == "auto" else method
        system = self._system(wrt, use, interpreter, compiler, prepared, objectives)
        return system.gradient(method=method, history=history, **options)

    def sweep(self, ranges: Mapping[str, Any], *, wrt: Optional[Iterable[str]] = None,
              interpreter: bool = False, compiler: bool = False, objectives: Optional[Iterable[str]] = None,
              **options: Any) -> "Sweep":
        """Objectives, all or those that are named, and derivatives with respect to `wrt`, over ranges of parameters; options are
        those of System.sweep()."""
        use = ("derivatives",) if wrt else ()
        method = options.get("method", "auto")
        if method == "auto" and (options.get("batch") or options.get("device")):
            method = "direct"  # there are no others side by side
        return self._system(wrt, use, interpreter, compiler, method, objectives).sweep(ranges, **options)

    def loads(self, *, interpreter: bool = False, compiler: bool = False, **options: Any) -> "Loads":
        """Load histories of all elements; options are those of System.loads()."""
        return self._system(None, ("loads",), interpreter, compiler).loads(**options)

    def static(self, wrt: Optional[Iterable[str]] = None) -> "Equilibrium":
        """The static equilibrium nearest to the initial position, with derivatives with respect to `wrt`."""
        from .analysis import Equilibrium
        return Equilibrium(self, wrt)

    def modes(self, at: "str | float" = "start", wrt: Optional[Iterable[str]] = None) -> "Modes":
        """Eigenvalues and mode shapes about the initial state ("start"), the static equilibrium ("static") or the
        motion at a time [s]; with derivatives with respect to `wrt`, not about the motion at a time."""
        from .analysis import Modes
        return Modes(self, at, wrt)

    def kinematics(self, axle: Optional[str] = None, motion: str = "bump", **options: Any) -> "Kinematics":
        """Curves of an axle over bump, roll, steer or loads of its wheels: see Kinematics."""
        from .kinematics import Kinematics
        return Kinematics(self, axle, motion, **options)

    def kinematics_sheet(self, path: Path, axle: Optional[str] = None, **options: Any) -> None:
        """Write the sheet of an axle as one HTML page; options are those of Kinematics."""
        from .kinematics import write_sheet
        write_sheet(self, path, axle, **options)

    def generate(self, folder: Path) -> Tuple[int, int]:
        """Write the equations as stand-alone C into a folder: number of files, operations of one evaluation."""
        out = _abi.jo_generated()
        call(lib.jo_generate, self._handle, file_name(folder), out)
        return out.files, out.operations

    def listing(self) -> str:
        """The machine code that runs of the model execute, as text: instructions with their bytes and operations."""
        handle = make(lib.jo_export_assembly, lib.jo_listing_destroy, self._handle)
        return text(lib.jo_listing_text(handle))

    def export_fmu(self, path: Path, version: int = 3, vary: Optional[Iterable[str]] = None, derivatives: bool = True,
                   sources_only: bool = False) -> int:
        """Write the model as an FMU of FMI 3.0 or 2.0; numbers of `vary` can be set besides parameters and inputs. Returns
        its size in bytes."""
        words = names(vary)
        opt = _abi.jo_fmu_options(version=version, sources_only=sources_only, no_derivatives=not derivatives, vary=words,
                                  nvary=len(words))
        out = _abi.jo_fmu()
        call(lib.jo_export_fmu, self._handle, opt, file_name(path), out)
        return out.bytes

    # ---- what is shown ---------------------------------------------------------------------------

    def __repr__(self) -> str:
        if self.closed:
            return "<Model, closed>"
        n = self.info
        return f"<Model {self.name}: {n.bodies} bodies, {n.coordinates} coordinates, {n.objectives} objectives>"

    def _repr_html_(self) -> str:
        n = self.info
        counts = [(k, getattr(n, k)) for k in n.__dataclass_fields__ if getattr(n, k)]
        rows = [(p.name, _html.number(p.value), p.unit, p.description) for p in self.parameters.values()]
        return _html.block(self.name, self.description, _html.facts(counts),
                           _html.table(("parameter", "value", "unit", ""), rows))


__all__ = ["Body", "Closure", "Joint", "Model", "ModelInfo", "Parameter", "load", "parse"]
