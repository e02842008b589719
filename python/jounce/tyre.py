# SPDX-License-Identifier: Apache-2.0
"""Magic Formula tyres by themselves: property files, forces, radii, derivatives and curves."""
from __future__ import annotations

import threading
from ctypes import POINTER, byref, c_char_p, cast
from dataclasses import dataclass
from typing import Any, Dict, Iterable, Mapping, Optional, Tuple

import numpy as np

from . import _abi, _html
from ._core import Floats, Handle, Owner, Path, call, choice, file_name, fill, items, make, names, settings, settle, text
from ._lib import lib


@dataclass(frozen=True)
class TyreInfo:
    """version: "MF 5.2", "MF 6.1", "MF 6.2". side: "left", "right", "symmetric" or "". given: coefficients in the
    file."""

    version: str
    side: str
    is_ellipse: bool
    given: int


@dataclass(frozen=True)
class Coefficient:
    """A coefficient in SI, and its line in the file; 0: it has none there."""

    name: str
    unit: str
    value: float
    line: int


def load_tyre(path: Path, settings_: Optional[Mapping[str, Any]] = None, /, **coefficients: Any) -> "Tyre":
    """Read a property file (.tir): PAC2002 / MF 5.2, MF 6.1, MF 6.2. Settings give coefficients other values, in SI."""
    set_ = settings(settings_, coefficients)
    return Tyre(make(lib.jo_tyre_load, lib.jo_tyre_destroy, file_name(path), set_, len(set_)))


def _options(combined: str, vertical: bool, wrt: Optional[Iterable[str]]) -> Any:
    opt, listed = lib.jo_tyre_options_default(), names(wrt)
    opt.combined = choice(_abi.jo_tyre_combined, "JO_TYRE_", combined, "combined")
    opt.vertical = vertical
    opt.wrt, opt.nwrt = cast(listed, POINTER(c_char_p)), len(listed)
    return opt


class Tyre(Owner):
    """A tyre. Made by jounce.load_tyre()."""

    def __init__(self, handle: Handle) -> None:
        self._held = handle

    @property
    def info(self) -> TyreInfo:
        """What the file is."""
        return fill(TyreInfo, lib.jo_tyre_inspect(self._handle))

    @property
    def coefficients(self) -> Dict[str, Coefficient]:
        """All coefficients that the formulas know."""
        found = items(lib.jo_tyre_coefficient_at, _abi.jo_tyre_coefficient, self._handle)
        return {text(c.name): fill(Coefficient, c) for c in found}

    def function(self, *, combined: str = "as_file", vertical: bool = False,
                 wrt: Optional[Iterable[str]] = None) -> "TyreFunction":
        """The tyre as a function of its inputs, in SI and ISO axes.

        combined   slip: "as_file", "formula", "ellipse"
        vertical   radii and deflection instead of forces
        wrt        also derivatives with respect to these: names of inputs and coefficients, or "all"
        """
        opt = _options(combined, vertical, wrt)
        return TyreFunction(make(lib.jo_tyre_function_create, lib.jo_tyre_function_destroy, self._handle,
                                 byref(opt), parents=(self._handle,)))

    def table(self, inputs: Path, *, combined: str = "as_file", vertical: bool = False,
              wrt: Optional[Iterable[str]] = None) -> str:
        """A table of inputs (a CSV file, a row of names first) with the outputs behind, as text."""
        opt = _options(combined, vertical, wrt)
        handle = make(lib.jo_tyre_table_create, lib.jo_tyre_table_destroy, self._handle, byref(opt),
                      file_name(inputs))
        return text(lib.jo_tyre_table_text(handle))

    def plot(self, path: Path, *, combined: str = "as_file") -> None:
        """Write the usual curves at several loads, .svg or .html."""
        opt = _options(combined, False, None)
        call(lib.jo_tyre_plot, self._handle, byref(opt), file_name(path))

    def __repr__(self) -> str:
        return "<Tyre, closed>" if self.closed else f"<Tyre {self.info.version}: {self.info.given} coefficients>"

    def _repr_html_(self) -> str:
        f, alpha = self.function(), np.linspace(-0.25, 0.25, 81)
        load = f.defaults["Fz"]
        forces = f(Fz=load, alpha=alpha)
        slip = f(Fz=load, kappa=alpha)
        return _html.block("tyre", self.info.version, _html.row([
            _html.plot(alpha, {"Fy": forces["Fy"]}, "alpha [rad]", "Fy [N]"),
            _html.plot(alpha, {"Fx": slip["Fx"]}, "kappa", "Fx [N]")]))


class TyreFunction(Owner):
    """Forces of a tyre. Made by Tyre.function().

        f(Fz=4000, alpha=np.linspace(-0.1, 0.1, 41))["Fy"]

    Inputs are numbers or arrays, which go together as NumPy's broadcasting has it; one not given has its default.
    """

    def __init__(self, handle: Handle) -> None:
        self._held = handle
        self._lock = threading.Lock()
        count = lib.jo_tyre_output_count(handle)
        self.inputs: Tuple[str, ...] = tuple(
            text(lib.jo_tyre_input_name(handle, i)) for i in range(_abi.JO_TYRE_INPUTS))
        self.outputs: Tuple[str, ...] = tuple(text(lib.jo_tyre_output_name(handle, i)) for i in range(count))
        self.units: Tuple[str, ...] = tuple(text(lib.jo_tyre_output_unit(handle, i)) for i in range(count))
        self.defaults: Dict[str, float] = {
            n: lib.jo_tyre_input_default(handle, i) for i, n in enumerate(self.inputs)}

    def __call__(self, **inputs: Any) -> Dict[str, Floats]:
        for name in inputs.keys() - set(self.inputs):
            raise ValueError(f"a tyre has no input '{name}', only {', '.join(self.inputs)}")
        columns = np.broadcast_arrays(*(np.asarray(inputs.get(n, self.defaults[n]), float) for n in self.inputs))
        shape = columns[0].shape
        rows = np.ascontiguousarray(np.stack([c.ravel() for c in columns], axis=1))
        out = np.empty((len(rows), len(self.outputs)))
        of, to = rows.ctypes.data, out.ctypes.data
        kind, evaluate, handle = POINTER(_abi.c_double), lib.jo_tyre_evaluate, self._handle
        with self._lock:
            lib.jo_context_clear(handle.context)  # of what calls before said
            for i in range(len(rows)):
                status = evaluate(handle, cast(of + i * rows.strides[0], kind), cast(to + i * out.strides[0], kind))
                if status < 0:
                    settle(status, handle.context)
        return {name: out[:, k].reshape(shape) for k, name in enumerate(self.outputs)}

    def __repr__(self) -> str:
        return f"<TyreFunction {', '.join(self.outputs[:6])} of {', '.join(self.inputs)}>"


__all__ = ["Coefficient", "Tyre", "TyreFunction", "TyreInfo", "load_tyre"]
