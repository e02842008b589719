# SPDX-License-Identifier: Apache-2.0
"""Finds libjounce and gives its functions their types."""
from __future__ import annotations

import ctypes
import ctypes.util
import os
from pathlib import Path
from typing import Iterator, List, Optional, Tuple

from . import _abi, _checked
from .errors import LibraryNotFound

VERSION: str = _abi.JO_VERSION_STRING
_NAME = f"libjounce.so.{VERSION.split('.', maxsplit=1)[0]}"


def _places() -> Iterator[Tuple[str, str]]:
    """Where it may be, and how that is told: beside this file, JOUNCE_LIBRARY, where the system looks."""
    yield str(Path(__file__).resolve().parent / _NAME), "in the package"
    named = os.environ.get("JOUNCE_LIBRARY")
    if named:
        yield named, "named by JOUNCE_LIBRARY"
        return
    yield _NAME, "where the system looks for libraries"
    found = ctypes.util.find_library("jounce")
    if found and found != _NAME:
        yield found, "where the system looks for libraries"


def _find_models() -> Optional[str]:
    """The models that came with the package, or those of the repository it is in."""
    here = Path(__file__).resolve().parent
    for folder in (here / "models", here.parent.parent / "models"):
        if (folder / "buggy/step_descent.yaml").exists():
            return str(folder)
    return None


MODELS_PATH: Optional[str] = _find_models()


def _open() -> Tuple[ctypes.CDLL, str]:
    tried: List[str] = []
    for path, how in _places():
        if os.path.isabs(path) and not os.path.exists(path):
            tried.append(f"  {path} ({how}): there is no such file")
            continue
        try:
            return ctypes.CDLL(path), path
        except OSError as error:
            tried.append(f"  {path} ({how}): {error}")
    raise LibraryNotFound("libjounce was not found. Tried were\n" + "\n".join(tried) +
                          "\nhint: install Jounce (make install), or let JOUNCE_LIBRARY name libjounce.so")


def _bind(library: ctypes.CDLL, path: str) -> None:
    library.jo_version.restype = ctypes.c_char_p
    version = library.jo_version().decode()
    if version != VERSION:
        raise LibraryNotFound(f"{path} is Jounce {version}, this package is for {VERSION}")
    for name, (result, arguments) in _abi.FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise LibraryNotFound(f"{path} has no {name}(): it is older than this package") from None
        function.restype = result
        function.argtypes = [_checked.argument(kind) for kind in arguments]


# CDLL, not PyDLL: the interpreter lock is released during every call
lib, PATH = _open()
_bind(lib, PATH)
