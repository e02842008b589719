# SPDX-License-Identifier: Apache-2.0
"""Models of other programs, taken over as model files."""
from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any, Tuple

from . import _abi, _html
from ._core import Handle, Owner, Path, call, file_name, fill, items, make, text, word_of
from ._lib import lib
from .model import Model, parse


@dataclass(frozen=True)
class Remark:
    """Something that is not as it was. kind: "lost", "to_fill", "changed"; line: of the file that was read."""

    kind: str
    line: int
    text: str


@dataclass(frozen=True)
class ImportInfo:
    """format: "ROBOTRAN", "URDF", "MJCF", and how much there is of what."""

    format: str
    bodies: int
    joints: int
    closures: int
    remarks: int


def take_over(path: Path) -> "Imported":
    """Read a model of ROBOTRAN (.mbs), URDF or MuJoCo (MJCF). docs/import.md says what is taken over."""
    return Imported(path, make(lib.jo_import, lib.jo_imported_destroy, file_name(path)))


class Imported(Owner):
    """A model of another program. Made by jounce.take_over()."""

    def __init__(self, path: Path, handle: Handle) -> None:
        self._held = handle
        self._path = FilePath(path)

    @property
    def info(self) -> ImportInfo:
        """What was read."""
        return fill(ImportInfo, lib.jo_imported_inspect(self._handle))

    @property
    def text(self) -> str:
        """The model file."""
        return text(lib.jo_imported_text(self._handle))

    @property
    def remarks(self) -> Tuple[Remark, ...]:
        """What was not taken over, has to be filled in, or became something else."""
        found = items(lib.jo_imported_remark_at, _abi.jo_import_remark, self._handle)
        return tuple(Remark(word_of(_abi.jo_import_kind, "JO_IMPORT_", r.kind), r.line, text(r.text)) for r in found)

    def model(self, **settings: Any) -> Model:
        """The model itself."""
        return parse(self.text, path=self._path.with_suffix(".yaml"), **settings)

    def save(self, path: Path) -> None:
        """Write the model file, whole or not at all."""
        data = self.text.encode("utf-8")
        call(lib.jo_output_write, file_name(path), data, len(data))

    def __repr__(self) -> str:
        if self.closed:
            return "<Imported, closed>"
        n = self.info
        return f"<Imported from {n.format}: {n.bodies} bodies, {n.joints} joints, {n.remarks} remarks>"

    def _repr_html_(self) -> str:
        rows = [(r.kind.replace("_", " "), r.line, r.text) for r in self.remarks]
        return _html.block(self._path.name, self.info.format, _html.table(("", "line", "remark"), rows))


__all__ = ["ImportInfo", "Imported", "Remark", "take_over"]
