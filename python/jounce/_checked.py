# SPDX-License-Identifier: Apache-2.0
"""Integers on their way to C. ctypes cuts off the bits that do not fit: 2**32 + 4 would be 4. Members of structs and
arguments of functions go through here, and an integer that C cannot hold is a ValueError; of an argument ctypes makes an
ArgumentError of it."""
from __future__ import annotations

import ctypes
import operator
from typing import Any, Dict, Tuple


def _limits(kind: Any, is_signed: bool) -> Tuple[int, int]:
    bits = 8 * ctypes.sizeof(kind)
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)


# ctypes has one class for types that are the same on a machine
_LIMITS: Dict[Any, Tuple[int, int]] = {
    **{kind: _limits(kind, False) for kind in (ctypes.c_uint, ctypes.c_uint64, ctypes.c_size_t)},
    **{kind: _limits(kind, True) for kind in (ctypes.c_int, ctypes.c_int64)},
}


def fit(kind: Any, value: Any, what: str) -> Any:
    """The value, where it is no integer or one that fits."""
    if isinstance(value, int):
        low, high = _LIMITS[kind]
        if not low <= value <= high:
            raise ValueError(f"{what} is {value}; it must be from {low} to {high}")
    return value


def whole(kind: Any, value: Any, what: str) -> int:
    """The value of an argument that a member of another name takes, which errors would name."""
    try:
        n = operator.index(value)
    except TypeError:
        raise TypeError(f"{what} is {value!r}; it must be an integer") from None
    return int(fit(kind, n, what))


def argument(kind: Any) -> Any:
    """What stands for a type among those of arguments."""
    if kind not in _LIMITS:
        return kind

    class Checked:
        @classmethod
        def from_param(cls, value: Any) -> Any:
            return kind.from_param(fit(kind, value, "an integer"))

    return Checked


class Structure(ctypes.Structure):
    """A struct whose members are checked when they are set."""

    def __setattr__(self, name: str, value: Any) -> None:
        kind = dict(self._fields_).get(name)
        try:
            super().__setattr__(name, fit(kind, value, name) if kind in _LIMITS else value)
        except TypeError:
            if kind in _LIMITS:
                raise TypeError(f"{name} is {value!r}; it must be an integer") from None
            raise
