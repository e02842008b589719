# SPDX-License-Identifier: Apache-2.0
"""Studies: a file names a model and what is to be found out about it."""
from __future__ import annotations

import os
import tempfile
from ctypes import byref
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union

from . import _abi, _html
from ._core import (Floats, Guard, Handle, Owner, Path, Progress, call, file_name, items, make, settings, text,
                    view)
from ._lib import lib
from .model import Model
from .result import Page, page_of


@dataclass(frozen=True)
class Column:
    """A column of a table: numbers, an array without a copy, or texts."""

    name: str
    unit: str
    values: Union[Floats, Tuple[str, ...]]


@dataclass(frozen=True)
class Table:
    """A table of a part, with its columns by name."""

    title: str
    columns: Dict[str, Column]

    def __getitem__(self, name: str) -> Union[Floats, Tuple[str, ...]]:
        return self.columns[name].values

    def _repr_html_(self) -> str:
        head = [f"{c.name} [{c.unit}]" if c.unit else c.name for c in self.columns.values()]
        cells = [[v if isinstance(v, str) else _html.number(v) for v in c.values] for c in self.columns.values()]
        return f"<p>{_html.escape(self.title)}</p>" + _html.table(head, list(zip(*cells)))


@dataclass(frozen=True)
class Part:
    """A part of a study: what came out are tables, and figures as SVG."""

    kind: str
    title: str
    text: str
    tables: Tuple[Table, ...]
    figures: Tuple[str, ...]


def load_study(path: Path, settings_: Optional[Mapping[str, Any]] = None, /, **parameters: Any) -> "Study":
    """Read a study file and the model it names; settings come after what the study sets."""
    set_ = settings(settings_, parameters)
    return Study(make(lib.jo_study_load, lib.jo_study_destroy, file_name(path), set_, len(set_)))


class Study(Owner):
    """A study. Made by jounce.load_study(); run() goes through its parts.

        study = jounce.load_study("study.yaml").run()
        study.parts[0].tables[0]["psi"]
        study.save("study.html")
    """

    def __init__(self, handle: Handle) -> None:
        self._held = handle
        self._is_run = False

    @property
    def name(self) -> str:
        """Its name; that of the model where it has none."""
        return text(lib.jo_study_name(self._handle))

    @property
    def model(self) -> Model:
        """The model it is about."""
        borrowed = _abi.c_void_p(lib.jo_study_model(self._handle))
        return Model(Handle(borrowed, None, None, (self._handle,)))

    def run(self, *, interpreter: bool = False, compiler: bool = False,
            progress: Optional[Progress] = None) -> "Study":
        """Prepare the systems the parts need, each once, and go through the parts. A study can be run again.
        progress: called again and again with 0 ... 1; False stops (Stopped)."""
        opt = lib.jo_study_options_default()
        opt.interpreter, opt.compiler = interpreter, compiler
        self._is_run = False
        call(lib.jo_study_run, self._handle, options=opt, guard=Guard(progress))
        self._is_run = True
        return self

    def _table(self, part: int, i: int, title: str) -> Table:
        t = _abi.jo_study_table()
        lib.jo_study_table_at(self._handle, part, i, byref(t))
        columns = {}
        for c in items(lib.jo_study_column_at, _abi.jo_study_column, self._handle, part, i):
            values: Any = tuple(text(c.text[r]) for r in range(t.rows)) if not c.value else \
                view(c.value, (t.rows,), self._handle)
            columns[text(c.name)] = Column(text(c.name), text(c.unit), values)
        return Table(text(t.title) or title, columns)

    def _figure(self, part: int, i: int) -> str:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "figure.svg")
            call(lib.jo_study_figure_save, self._handle, part, i, file_name(path))
            with open(path, encoding="utf-8") as file:
                return file.read()

    @property
    def parts(self) -> List[Part]:
        """Its parts with what came out of them; without tables and figures before it is run."""
        out = []
        for k, p in enumerate(items(lib.jo_study_part_at, _abi.jo_study_part, self._handle)):
            tables = tuple(self._table(k, i, text(p.title)) for i in range(p.tables))
            figures = tuple(self._figure(k, i) for i in range(p.figures))
            out.append(Part(text(p.kind), text(p.title), text(p.text), tables, figures))
        return out

    def save(self, path: Path) -> None:
        """Write all of it as one page."""
        call(lib.jo_study_save, self._handle, file_name(path))

    def page(self) -> Page:
        """The same as an object that notebooks show."""
        return page_of(self.save)

    def __repr__(self) -> str:
        return "<Study, closed>" if self.closed else f"<Study {self.name}>"

    def _repr_html_(self) -> str:
        return self.page()._repr_html_() if self._is_run else _html.block(self.name, "study, not run yet")


__all__ = ["Column", "Part", "Study", "Table", "load_study"]
