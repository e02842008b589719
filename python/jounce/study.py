# SPDX-License-Identifier: Apache-2.0
"""Studies: a file names a model and what is to be found out about it."""
from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from typing import Any, List, Mapping, Optional, Tuple

from . import _abi, _html
from ._core import Guard, Handle, Owner, Path, Progress, call, file_name, items, make, settings, text
from ._lib import lib
from .model import Model
from .result import Page, page_of
from .table import Table, tables


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
            found = tables(lib.jo_study_tables(self._handle, k), self._handle) if p.tables else {}
            figures = tuple(self._figure(k, i) for i in range(p.figures))
            out.append(Part(text(p.kind), text(p.title), text(p.text), tuple(found.values()), figures))
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


__all__ = ["Part", "Study", "load_study"]
