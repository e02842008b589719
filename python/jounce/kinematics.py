# SPDX-License-Identifier: Apache-2.0
"""Suspension kinematics and compliance of an axle, with exact derivatives."""
from __future__ import annotations

import functools
from ctypes import POINTER, byref, c_char_p, cast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, Optional, Tuple

import numpy as np

from . import _abi, _html
from ._core import Floats, Owner, Path, call, choice, file_name, find, make, names
from ._lib import lib
from .table import Table, quantities, tables

if TYPE_CHECKING:
    from .model import Model


@dataclass(frozen=True)
class Curve:
    """A curve over the positions; changes are against the design position.

    value                  by position [unit]
    derivative             positions x numbers; None: none asked for
    compliance             slope over the load where there is none; NaN: over travel
    compliance_derivative  by number; None: none
    """

    name: str
    unit: str
    description: str
    value: Floats
    derivative: Optional[Floats]
    compliance: float
    compliance_derivative: Optional[Floats]


def _options(axle: Optional[str], motion: str, side: str, between: Optional[Tuple[float, float]],
             n: Optional[int], wrt: Optional[Iterable[str]], opposed: bool, hold_height: bool) -> Any:
    opt, listed = lib.jo_kinematics_options_default(), names(wrt)
    opt.axle = axle.encode() if axle is not None else None
    opt.motion = choice(_abi.jo_kinematics_motion, "JO_", motion, "motion")
    opt.side = choice(_abi.jo_side, "JO_", side, "side")
    if between is None and motion not in ("bump", "roll", "steer"):
        between = (-100.0, 100.0) if motion == "aligning" else (-2000.0, 2000.0)
    if between is not None:
        opt.from_m, opt.to_m = between
    if n is not None:
        opt.n = n
    opt.wrt, opt.nwrt = cast(listed, POINTER(c_char_p)), len(listed)
    opt.opposed, opt.hold_height = opposed, hold_height
    return opt


class Kinematics(Owner):
    """Curves of an axle, the vehicle held at its design position. Made by Model.kinematics().

    axle         one of the file's; None: the only one
    motion       "bump", "roll", "steer"; loads of the wheels: "lateral", "braking", "traction", "aligning"
    side         the wheel looked at: "left", "right"
    between      from, to: of the wheel centre or the rack [m], 0.08 up and down; loads, 2000 [N] or 100 [N m] each way
    n            positions, evenly from one to the other; 17
    wrt          numbers to differentiate for
    opposed      loads: the right wheel is loaded the other way
    hold_height  loads: wheel centres stay at their height

        k = model.kinematics("front", "bump", wrt=["hardpoints.*"])
        k.travel, k["toe"].value, k["toe"].derivative
    """

    def __init__(self, model: "Model", axle: Optional[str] = None, motion: str = "bump", *, side: str = "left",
                 between: Optional[Tuple[float, float]] = None, n: Optional[int] = None,
                 wrt: Optional[Iterable[str]] = None, opposed: bool = False, hold_height: bool = False) -> None:
        opt = _options(axle, motion, side, between, n, wrt, opposed, hold_height)
        self.model, self.motion = model, motion
        self._held = make(lib.jo_kinematics_create, lib.jo_kinematics_destroy, model._handle, byref(opt),
                          parents=(model._handle,))

    @functools.cached_property
    def tables(self) -> Dict[str, Table]:
        """All of it: kinematics, units, curves, derivatives, compliances, ..."""
        return tables(lib.jo_kinematics_tables(self._handle), self._handle)

    @property
    def axle(self) -> str:
        """Name of the axle."""
        return str(self.tables["kinematics"]["axle"][0])

    @property
    def is_elastic(self) -> bool:
        """Whether bushes give way."""
        return bool(self.tables["kinematics"].get("elastic", [False])[0])

    @property
    def travel(self) -> Floats:
        """Positions [m], or loads [N], [N m]."""
        curves = self.tables["curves"]
        return np.asarray(curves[curves.columns[0]])

    @property
    def wrt(self) -> Tuple[str, ...]:
        """Numbers differentiated for."""
        return tuple(quantities(self.tables["parameters"]))

    @functools.cached_property
    def curves(self) -> Dict[str, Curve]:
        """Curves by name."""
        t, units, out, m = self.tables, self.tables["units"], {}, len(self.wrt)
        slopes = np.asarray(t["derivatives"]) if m else None
        given = [np.asarray(t[k]["value"]) if k in t else None for k in ("compliances", "compliance_derivatives")]
        for i, (name, unit, words) in enumerate(zip(units["curve"], units["unit"], units["description"])):
            part = slice(i * m, (i + 1) * m)
            out[str(name)] = Curve(
                str(name), str(unit), str(words), np.asarray(t["curves"][str(name)]),
                None if slopes is None else slopes[:, part],
                float("nan") if given[0] is None else float(given[0][i]), None if given[1] is None else given[1][part])
        return out

    def __getitem__(self, name: str) -> Curve:
        find("curve", name, tuple(self.curves))
        return self.curves[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.curves)

    def __len__(self) -> int:
        return len(self.curves)

    def save(self, path: Path) -> None:
        """Write a row per position, in the format the name ends in."""
        self.tables["positions"].save(path)

    def __repr__(self) -> str:
        return f"<Kinematics {self.model.name}: {self.axle}, {self.motion}, {len(self)} curves>"

    def _repr_html_(self) -> str:
        unit = {"bump": "m", "roll": "m", "steer": "m", "aligning": "N m"}.get(self.motion, "N")
        plots = [_html.plot(self.travel, {c.name: c.value}, f"{self.motion} [{unit}]", f"{c.name} [{c.unit}]")
                 for c in self.curves.values()]
        return _html.block(self.model.name, f"kinematics of {self.axle}: {self.motion}", _html.row(plots[:12]))


def write_sheet(model: "Model", path: Path, axle: Optional[str] = None, motion: str = "bump", *,
                side: str = "left", between: Optional[Tuple[float, float]] = None, n: Optional[int] = None,
                hold_height: bool = False) -> None:
    """Write the sheet of an axle, HTML: bump, roll, steering where there is a rack, and loads."""
    opt = _options(axle, motion, side, between, n, None, False, hold_height)
    call(lib.jo_kinematics_sheet, model._handle, byref(opt), file_name(path))


__all__ = ["Curve", "Kinematics", "write_sheet"]
