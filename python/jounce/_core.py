# SPDX-License-Identifier: Apache-2.0
"""Calls of the library: contexts, errors, interrupts, lifetimes, arrays without copies.

Every call has a context of its own, so that any thread may call at any time. What a call makes keeps the
context it was made with, and what it was made from, until it is destroyed itself.
"""
from __future__ import annotations

import dataclasses
import os
import signal
import sys
import threading
import warnings
import weakref
from ctypes import POINTER, Array, byref, c_char_p, c_double, c_void_p, cast
from enum import IntEnum
from typing import (TYPE_CHECKING, Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Type,
                    TypeVar, Union)

import numpy as np

from . import _abi
from ._lib import lib
from .errors import Diagnostic, JounceNotice, JounceWarning, Stopped, error_of

Path = Union[str, "os.PathLike[str]"]
Number = Union[int, float]
Progress = Callable[[float], Any]
T = TypeVar("T")
if TYPE_CHECKING:
    from numpy.typing import NDArray  # NumPy 1.21; at run time 1.19 is enough

    Floats = NDArray[np.float64]
else:
    Floats = np.ndarray

_HERE = os.path.dirname(os.path.abspath(__file__))
_SEVERITY = ("notice", "warning", "error")


# ---- contexts ------------------------------------------------------------------------------------

class Context:
    """A jo_context. Whoever makes one closes it, or gives it to a Handle."""

    __slots__ = ("_as_parameter_",)

    def __init__(self) -> None:
        made = c_void_p()
        status = lib.jo_context_create(None, byref(made))
        if status < 0:
            raise error_of(status, "")
        self._as_parameter_ = made
        lib.jo_context_set_caller(made, _abi.jo_caller.JO_CALLER_PYTHON)

    def close(self) -> None:
        lib.jo_context_destroy(self._as_parameter_)
        self._as_parameter_ = c_void_p()

    def clear(self) -> None:
        lib.jo_context_clear(self)

    def diagnostics(self) -> Tuple[Diagnostic, ...]:
        count = lib.jo_context_diagnostic_count(self)
        if not count:
            return ()
        said, severity = [], _abi.c_int()
        for i in range(count):
            words = text(lib.jo_context_diagnostic(self, i, byref(severity)))
            said.append(Diagnostic(_SEVERITY[severity.value], words))
        return tuple(said)


def _warn(said: Iterable[Diagnostic]) -> None:
    """Tell warnings and notices as if the caller of this package had given them."""
    frame, level = sys._getframe(0), 1
    while frame.f_back and os.path.dirname(os.path.abspath(frame.f_code.co_filename)) == _HERE:
        frame, level = frame.f_back, level + 1
    for d in said:
        if d.severity != "error":
            kind = JounceWarning if d.severity == "warning" else JounceNotice
            warnings.warn(d.text, kind, stacklevel=level)


def settle(status: int, context: Context, result: Any = None, stopped: bool = False) -> None:
    """Raise what went wrong, warn of the rest."""
    said = context.diagnostics()
    if status < 0:
        message = text(lib.jo_context_message(context))
        error = error_of(status, message, said, result)
        if stopped:
            error = Stopped(error.message, status, said, result)
        raise error
    if said:
        _warn(said)


# ---- interrupts ----------------------------------------------------------------------------------

class Guard:
    """Holds an interrupt back until a call has returned and what it made has an owner.

    In the main thread, what the handler of Ctrl-C raises while a call runs is only noted. Calls that tell their
    progress stop then, and it is raised once the guard is left. Exceptions of a progress function take the same way.
    """

    def __init__(self, progress: Optional[Callable[..., Any]] = None) -> None:
        self._progress = progress
        self._before: Any = None
        self._error: Optional[BaseException] = None
        self.stopped = False

    def __enter__(self) -> "Guard":
        if threading.current_thread() is threading.main_thread():
            before = signal.getsignal(signal.SIGINT)
            if callable(before):
                self._before = before
                try:
                    signal.signal(signal.SIGINT, self._note)
                except ValueError:  # an interpreter inside another one has no signals
                    self._before = None
        return self

    def _note(self, number: int, frame: Any) -> None:
        try:
            self._before(number, frame)
        except BaseException as error:
            self._error = error

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
        if self._error is not None:
            raise self._error

    @property
    def is_needed(self) -> bool:
        """Whether anybody could stop the call: without, it runs without coming back to Python."""
        return self._progress is not None or self._before is not None

    def tell(self, _user: Any, done: Any) -> int:
        """The progress function of the C interface: zero stops."""
        try:
            if self._error is not None:
                return 0
            if self._progress is not None and self._progress(done) is False:
                self.stopped = True
                return 0
        except BaseException as error:  # told by __exit__: C cannot carry it
            self._error = error
            return 0
        return 1


def hook(options: Any, guard: Guard, member: str = "progress") -> None:
    """Let a struct of options call a guard."""
    if guard.is_needed and member in dict(options._fields_):
        kind = dict(options._fields_)[member]
        setattr(options, member, kind(guard.tell))


# ---- lifetimes -----------------------------------------------------------------------------------

def _release(destroy: Any, pointer: c_void_p, context: Optional[Context], _parents: Any) -> None:
    if destroy is not None:
        destroy(pointer)
    if context is not None:
        context.close()


class Handle:
    """An object of the library. It is destroyed when the last one who needs it is gone: the Python object it
    stands behind, objects made from it, arrays that look into its memory."""

    __slots__ = ("_as_parameter_", "context", "__weakref__")

    def __init__(self, pointer: c_void_p, destroy: Any, context: Optional[Context],
                 parents: Tuple["Handle", ...] = ()) -> None:
        self._as_parameter_ = pointer
        self.context = context
        # parents are let go after the child is destroyed. At the end of the process nothing is destroyed: threads
        # that are still at work may use it
        weakref.finalize(self, _release, destroy, pointer, context, parents).atexit = False


class Owner:
    """A Python object in front of a Handle: close() and `with` let go of it early."""

    _held: Optional[Handle] = None

    @property
    def _handle(self) -> Handle:
        if self._held is None:
            raise ValueError(f"this {type(self).__name__} is closed")
        return self._held

    def close(self) -> None:
        """Let go of the memory of the library, as far as nothing else needs it. Also at the end of `with`."""
        self._held = None
        self.__dict__.pop("tables", None)  # they look into it

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self._held is None

    def __enter__(self: T) -> T:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def call(function: Any, *arguments: Any, guard: Optional[Guard] = None, options: Any = None) -> None:
    """A call that only does something: function(context, ...). `options` as in make()."""
    context = Context()
    try:
        if guard is None:
            status = function(context, *arguments)
        else:
            with guard:
                if options is not None:
                    hook(options, guard)
                    arguments += (byref(options),)
                status = function(context, *arguments)
        settle(status, context, stopped=guard is not None and guard.stopped)
    finally:
        context.close()


def make(function: Any, destroy: Any, *arguments: Any, parents: Tuple[Handle, ...] = (),
         guard: Optional[Guard] = None, options: Any = None,
         partial: Optional[Callable[[Handle], Any]] = None) -> Handle:
    """A call that makes something: function(context, ..., out).

    `options`, where given, is the last argument before it and calls the guard. `partial` makes what an error
    carries along of a run that failed on its way.
    """
    context: Optional[Context] = None
    handle: Optional[Handle] = None
    guard, out = guard or Guard(), c_void_p()
    try:
        with guard:
            if options is not None:
                hook(options, guard)
                arguments += (byref(options),)
            context = Context()
            status = function(context, *arguments, byref(out))
            if out:
                handle = Handle(out, destroy, context, parents)
        result = partial(handle) if status < 0 and handle and partial else None
        settle(status, context, result, guard.stopped)
    finally:
        if handle is None and context is not None:
            context.close()
    assert handle is not None
    context.clear()
    return handle


# ---- texts, lists, structs -------------------------------------------------------------------------

def text(words: Optional[bytes]) -> str:
    return words.decode("utf-8", "replace") if words else ""


def file_name(path: Path) -> bytes:
    return os.fsencode(os.fspath(path))


def names(words: Optional[Iterable[str]]) -> "Array[c_char_p]":
    """const char* const*; a single name counts as a list of one."""
    if words is None:
        words = ()
    if isinstance(words, str):
        words = [w.strip() for w in words.split(",")]
    encoded = [w.encode() for w in words]
    return (c_char_p * len(encoded))(*encoded)


def chosen(words: Optional[Iterable[str]], what: str) -> "Tuple[str, ...]":
    """Names of some, as of objectives; None: all of them, which an empty list is not."""
    if words is None:
        return ()
    made = tuple(w.strip() for w in words.split(",")) if isinstance(words, str) else tuple(words)
    if not made:
        raise ValueError(f"{what} is empty; name some, or leave it out for all of them")
    return made


def as_number(value: Any) -> str:
    """A value as the library reads it: numbers with all their digits, expressions as they are."""
    if isinstance(value, str):
        return value
    words = repr(float(value))
    return words[:-2] if words.endswith(".0") else words


def settings(first: Optional[Mapping[str, Any]], more: Mapping[str, Any]) -> "Array[_abi.jo_setting]":
    both: Dict[str, Any] = {**(first or {}), **more}
    made = (_abi.jo_setting * len(both))()
    for s, (name, value) in zip(made, both.items()):
        s.name, s.value = name.encode(), as_number(value).encode()
    return made


def choice(kind: Type[IntEnum], prefix: str, word: str, what: str) -> int:
    """The value of an enum by the end of its name, in lower case."""
    known = {e.name[len(prefix):].lower(): e.value for e in kind if e.name.startswith(prefix)}
    if word not in known:
        raise ValueError(f"{what}: there is no '{word}', only {', '.join(known)}")
    return known[word]


def word_of(kind: Type[IntEnum], prefix: str, value: int) -> str:
    return kind(value).name[len(prefix):].lower()


def some(value: Optional[float]) -> float:
    """None: NaN, which leaves a number to the model."""
    return float("nan") if value is None else float(value)


def fill(kind: Type[T], struct: Any, **given: Any) -> T:
    """A dataclass from a struct with members of the same names, but for what is given."""
    values = dict(given)
    for field in dataclasses.fields(kind):  # type: ignore[arg-type]
        if field.name in given:
            continue
        value = getattr(struct, field.name)
        if isinstance(value, bytes) or field.type == "str":
            value = text(value)
        elif field.type == "bool":
            value = bool(value)
        values[field.name] = value
    return kind(**values)


def items(at: Any, struct: Type[Any], *where: Any) -> List[Any]:
    """All structs that a function jo_..._at() has."""
    found: List[Any] = []
    while True:
        one = struct()
        if at(*where, len(found), byref(one)) < 0:
            return found
        found.append(one)


class Quantity(float):
    """A number with its name, unit and description."""

    name: str
    unit: str
    description: str

    def __new__(cls, value: float, name: str = "", unit: str = "", description: str = "") -> "Quantity":
        made = super().__new__(cls, value)
        made.name, made.unit, made.description = name, unit, description
        return made

    @property
    def value(self) -> float:
        """The number alone."""
        return float(self)

    def __getnewargs__(self) -> Tuple[float, str, str, str]:  # type: ignore[override]
        return float(self), self.name, self.unit, self.description

    def __repr__(self) -> str:
        return f"{float(self)!r} {self.unit}".rstrip()

    __str__ = __repr__


def quantity(struct: Any) -> Quantity:
    return Quantity(struct.value, text(struct.name), text(struct.unit), text(struct.description))


def by_name(quantities: Iterable[Quantity]) -> Dict[str, Quantity]:
    return {q.name: q for q in quantities}


def find(what: str, name: str, known: Sequence[str]) -> int:
    """Index of a name; KeyError with what there is."""
    try:
        return list(known).index(name)
    except ValueError:
        shown = ", ".join(known[:12]) + (f" and {len(known) - 12} more" if len(known) > 12 else "")
        raise KeyError(f"no {what} '{name}'; there are {shown}") from None


# ---- arrays ----------------------------------------------------------------------------------------

class _Memory:
    """Memory of the library, for NumPy: read-only, and alive as long as an array looks at it."""

    __slots__ = ("__array_interface__", "_owner")

    def __init__(self, address: int, shape: Tuple[int, ...], owner: Handle,
                 strides: Optional[Tuple[int, ...]]) -> None:
        self._owner = owner
        self.__array_interface__ = {
            "version": 3, "shape": shape, "typestr": "<f8" if sys.byteorder == "little" else ">f8",
            "data": (address, True), "strides": strides,
        }


def view(pointer: Any, shape: Tuple[int, ...], owner: Handle,
         strides: Optional[Tuple[int, ...]] = None) -> Floats:
    """Numbers of the library as an array, without a copy."""
    address = cast(pointer, c_void_p).value if pointer else None
    if address is None or 0 in shape:
        empty: Floats = np.empty(shape if 0 in shape else (0,) + shape[1:])
        empty.flags.writeable = False
        return empty
    return np.asarray(_Memory(address, shape, owner, strides))


def numbers(values: Any, count: int, what: str) -> Floats:
    """An array to be read by the library."""
    array = np.ascontiguousarray(values, dtype=np.float64)
    if array.shape != (count,):
        raise ValueError(f"{what}: {count} numbers are needed, not an array of shape {array.shape}")
    return array


def pointer(array: Floats) -> Any:
    return array.ctypes.data_as(POINTER(c_double))
