# SPDX-License-Identifier: Apache-2.0
"""What can go wrong: exceptions and warnings, with the words of the library."""
from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Optional, Tuple, Type

from . import _abi

_PLACE = re.compile(r"^(?P<file>[^\n:]+):(?P<line>\d+): ")
_FILE = re.compile(r"^(?P<file>[^\n:]*[^\n: ]\.[A-Za-z0-9]+): ")
_HINT = re.compile(r"; hint: (?P<hint>.*)$", re.S)


@dataclass(frozen=True)
class Diagnostic:
    """One sentence of the library: severity is "notice", "warning" or "error"."""

    severity: str
    text: str


class JounceError(Exception):
    """The library could not do what was asked.

    status       number of the C interface, below zero
    message      the first error, one sentence
    file, line   where it is in the user's files, if the message says so; else None
    hint         what to do about it, if the message says so; else None
    diagnostics  everything that was said, in order: a model with five mistakes has five errors
    result       what had been computed by a run that failed on its way; else None
    """

    status: int = 0

    def __init__(self, message: str, status: Optional[int] = None,
                 diagnostics: Tuple[Diagnostic, ...] = (), result: Any = None) -> None:
        super().__init__(message)
        self.message = message
        self.status = type(self).status if status is None else status
        self.diagnostics = diagnostics
        self.result = result
        place = _PLACE.match(message) or _FILE.match(message)
        self.file: Optional[str] = place["file"] if place else None
        self.line: Optional[int] = int(place["line"]) if place and "line" in place.groupdict() else None
        hint = _HINT.search(message)
        self.hint: Optional[str] = hint["hint"] if hint else None

    def __str__(self) -> str:
        errors = [d.text for d in self.diagnostics if d.severity == "error"]
        return "\n".join(errors) if len(errors) > 1 else self.message


class OutOfMemoryError(JounceError, MemoryError):
    """Out of memory."""

    status = _abi.jo_status.JO_ERR_MEMORY.value


class ArgumentError(JounceError, ValueError):
    """An argument is not valid: a name the model does not have, a number out of its range."""

    status = _abi.jo_status.JO_ERR_ARGUMENT.value


class ModelError(JounceError, ValueError):
    """The model is not valid."""

    status = _abi.jo_status.JO_ERR_MODEL.value


class SingularError(JounceError, ArithmeticError):
    """A matrix is singular to working precision."""

    status = _abi.jo_status.JO_ERR_SINGULAR.value


class TextError(JounceError, ValueError):
    """A text cannot be read: it is no YAML, no expression, no property file."""

    status = _abi.jo_status.JO_ERR_SYNTAX.value


class FileError(JounceError):
    """A file cannot be read or written."""

    status = _abi.jo_status.JO_ERR_FILE.value


class CompilerError(JounceError):
    """Generated code cannot be compiled or loaded."""

    status = _abi.jo_status.JO_ERR_COMPILER.value


class ConvergenceError(JounceError, ArithmeticError):
    """An iteration does not converge."""

    status = _abi.jo_status.JO_ERR_CONVERGENCE.value


class NumericError(JounceError, ArithmeticError):
    """A computed value is not finite."""

    status = _abi.jo_status.JO_ERR_NUMERIC.value


class LimitError(JounceError):
    """A size or a step count exceeds its limit."""

    status = _abi.jo_status.JO_ERR_LIMIT.value


class Stopped(LimitError):
    """A progress function asked to stop."""


class JounceWarning(UserWarning):
    """The library warns: numbers are there, and something about them should be known."""


class JounceNotice(JounceWarning):
    """The library tells, for example that there is no compiler and equations are interpreted."""


class LibraryNotFound(ImportError):
    """libjounce is not there, or is of another version than this package."""


_BY_STATUS: "dict[int, Type[JounceError]]" = {
    c.status: c for c in (OutOfMemoryError, ArgumentError, ModelError, SingularError, TextError, FileError,
                          CompilerError, ConvergenceError, NumericError, LimitError)
}


def error_of(status: int, message: str, diagnostics: Tuple[Diagnostic, ...] = (),
             result: Any = None) -> JounceError:
    """The exception of a status."""
    kind = _BY_STATUS.get(status, JounceError)
    text = message or _abi.STATUS_TEXT.get(status, f"status {status}")
    return kind(text, status, diagnostics, result)
