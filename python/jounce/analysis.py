# SPDX-License-Identifier: Apache-2.0
"""Analyses without a run: static equilibrium and modes."""
from __future__ import annotations

import functools
from ctypes import POINTER, byref, c_char_p, cast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Optional, Tuple

import numpy as np

from . import _html
from ._core import Floats, Owner, Quantity, fill, find, make, names, text
from ._lib import lib
from .table import Table, quantities, tables

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .model import Model


@dataclass(frozen=True)
class EquilibriumInfo:
    """held: directions that forces hold. residual: largest acceleration left [m/s^2, rad/s^2]."""

    dof: int
    held: int
    iterations: int
    residual: float


@dataclass(frozen=True)
class Stability:
    """growth: rate at which a small push grows [1/s], 0 where it is stable. turning: how fast it oscillates meanwhile
    [rad/s]. state: the coordinate that moves most, "" where it is stable."""

    is_unstable: bool
    growth: float
    turning: float
    state: str


class Equilibrium(Owner):
    """The static equilibrium nearest to the initial position. Made by Model.static().

        e.coordinates["heave"].value        [m], [rad]
        e.outputs["spring.force"]
        e.d("spring.force", "k_f")          where Model.static(wrt=[...]) asked for derivatives
        e.tables["outputs"]                 the same as tables
    """

    def __init__(self, model: "Model", wrt: Optional[Iterable[str]] = None) -> None:
        self.model = model
        function, arguments = lib.jo_static_create, ()
        if wrt is not None:
            listed = names(wrt)
            function, arguments = lib.jo_static_differentiate, (listed, len(listed))
        self._held = make(function, lib.jo_static_destroy, model._handle, *arguments, parents=(model._handle,))

    @property
    def info(self) -> EquilibriumInfo:
        """How it was found."""
        return fill(EquilibriumInfo, lib.jo_static_inspect(self._handle))

    @property
    def stability(self) -> Stability:
        """Whether a small push grows."""
        return fill(Stability, lib.jo_static_inspect(self._handle))

    @functools.cached_property
    def tables(self) -> Dict[str, Table]:
        """All of it: equilibrium, coordinates, sensors, outputs, parameters, derivatives."""
        return tables(lib.jo_static_tables(self._handle), self._handle)

    @property
    def coordinates(self) -> Dict[str, Quantity]:
        """Coordinates at rest."""
        return quantities(self.tables["coordinates"])

    @property
    def outputs(self) -> Dict[str, Quantity]:
        """Outputs at rest: sensors of the file first."""
        return quantities(self.tables["outputs"])

    @property
    def sensors(self) -> Dict[str, Quantity]:
        """Sensors of the file at rest."""
        return quantities(self.tables["sensors"])

    @property
    def wrt(self) -> Tuple[Quantity, ...]:
        """Numbers differentiated for."""
        return tuple(quantities(self.tables["parameters"]).values())

    @property
    def output_derivatives(self) -> Floats:
        """Outputs x numbers; NaN where there is none."""
        return np.asarray(self.tables["outputs"])[:, 1:]

    @property
    def coordinate_derivatives(self) -> Floats:
        """Coordinates x numbers; NaN where there is none."""
        first = self.tables["sensors"].rows  # coordinates are outputs after the sensors
        return self.output_derivatives[first:first + self.tables["coordinates"].rows]

    def d(self, name: str, number: str) -> float:
        """Derivative of an output or a coordinate by a number."""
        column = find("number", number, tuple(q.name for q in self.wrt))
        row = find("coordinate or output", name, tuple(self.outputs))
        return float(self.output_derivatives[row, column])

    def __repr__(self) -> str:
        return "<Equilibrium, closed>" if self.closed else f"<Equilibrium {self.model.name}: {self.info.dof} dof>"

    def _repr_html_(self) -> str:
        n = self.info
        facts = [("degrees of freedom", n.dof), ("held", n.held), ("largest acceleration left", f"{n.residual:.2g}")]
        rows = [(c.name, _html.number(c.value), c.unit) for c in self.coordinates.values()]
        more = [(q.name, _html.number(q), q.unit) for q in self.outputs.values()]
        return _html.block(self.model.name, "static equilibrium", _html.facts(facts), _html.row([
            _html.table(("coordinate", "value", "unit"), rows), _html.table(("output", "value", "unit"), more)]))


def _complex(table: Table) -> NDArray[np.complex128]:
    return np.asarray(table["re"]) + 1j * np.asarray(table["im"])


class Modes(Owner):
    """Eigenvalues and mode shapes about a state, conditions held as they are there. Made by Model.modes().

        m.eigenvalues               [1/s], complex; of a conjugate pair the one with positive imaginary part
        m.frequencies, m.damping    [Hz], ratio
        m.shapes                    modes x coordinates, complex; the largest part of a mode is 1
    """

    def __init__(self, model: "Model", at: Any = "start", wrt: Optional[Iterable[str]] = None) -> None:
        opt, listed = lib.jo_modes_options_default(), names(wrt)
        if at == "static":
            opt.at_static = 1
        elif isinstance(at, str) and at != "start":
            raise ValueError(f"at: \"start\", \"static\" or a time, not '{at}'")
        elif not isinstance(at, str):
            opt.at_s = float(at)
        opt.name, opt.nname = cast(listed, POINTER(c_char_p)), len(listed)
        self.model = model
        self._held = make(lib.jo_modes_create, lib.jo_modes_destroy, model._handle, byref(opt),
                          parents=(model._handle,))

    @functools.cached_property
    def tables(self) -> Dict[str, Table]:
        """All of it: linearisation, modes, shape, parameters, derivatives."""
        return tables(lib.jo_modes_tables(self._handle), self._handle)

    @property
    def t(self) -> float:
        """Time of the state [s]."""
        return float(self.tables["linearisation"]["t"][0])

    @property
    def eigenvalues(self) -> NDArray[np.complex128]:
        """Eigenvalues [1/s]."""
        return _complex(self.tables["modes"])

    @property
    def frequencies(self) -> Floats:
        """Frequencies [Hz]."""
        return np.asarray(self.tables["modes"]["frequency"])

    @property
    def damping(self) -> Floats:
        """Damping ratios."""
        return np.asarray(self.tables["modes"]["damping"])

    @property
    def rigid(self) -> NDArray[np.bool_]:
        """Whether an eigenvalue is zero but for rounding: a free motion."""
        return np.asarray(self.tables["modes"]["rigid"]) != 0

    @property
    def coordinates(self) -> Tuple[str, ...]:
        """Names of the coordinates: columns of the shapes."""
        names_ = self.tables["shape"]["coordinate"]
        return tuple(str(n) for n in names_[:len(names_) // (len(self) or 1)])

    @property
    def shapes(self) -> NDArray[np.complex128]:
        """Mode shapes: modes x coordinates."""
        return _complex(self.tables["shape"]).reshape(len(self), -1)

    @property
    def wrt(self) -> Tuple[Quantity, ...]:
        """Numbers differentiated for."""
        return tuple(quantities(self.tables["parameters"]).values())

    def _derivatives(self, of: Callable[[Table], Any]) -> Any:
        n = self.tables["parameters"].rows
        return of(self.tables["derivatives"]).reshape(-1, n) if n else np.empty((len(self), 0))

    @property
    def eigenvalue_derivatives(self) -> NDArray[np.complex128]:
        """Modes x numbers; NaN where there is none, as of a repeated eigenvalue. The state moves with the number."""
        return self._derivatives(_complex)

    @property
    def frequency_derivatives(self) -> Floats:
        """Modes x numbers [Hz by the unit of the number]."""
        return self._derivatives(lambda t: np.asarray(t["frequency"]))

    @property
    def damping_derivatives(self) -> Floats:
        """Modes x numbers."""
        return self._derivatives(lambda t: np.asarray(t["damping"]))

    def __len__(self) -> int:
        return self.tables["modes"].rows

    def __repr__(self) -> str:
        return f"<Modes {self.model.name}: {len(self)} modes>"

    def _repr_html_(self) -> str:
        t = self.tables["modes"]
        cells = zip(t["rigid"], *(map(_html.number, t[k]) for k in ("frequency", "damping", "re", "im")), t["largest"])
        rows = [("free" if rigid else f, *rest) for rigid, f, *rest in cells]
        head = ("frequency [Hz]", "damping", "re [1/s]", "im [1/s]", "largest parts")
        return _html.block(self.model.name, f"modes at t = {self.t:.6g} s", _html.table(head, rows))
