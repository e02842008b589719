# SPDX-License-Identifier: Apache-2.0
"""Results of runs: time histories as arrays without copies, objectives, events."""
from __future__ import annotations

import functools
import os
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Optional, Tuple

from . import _html
from ._core import Floats, Handle, Owner, Path, Quantity, call, file_name, fill, find
from ._lib import lib
from .errors import JounceError
from .table import Table, quantities, records, tables

if TYPE_CHECKING:
    from .system import System


@dataclass(frozen=True)
class Event:
    """A condition of the model changed at t [s]: it became true where `on`, else false."""

    t: float
    name: str
    on: bool


@dataclass(frozen=True)
class Change:
    """From t [s] on other coordinates of the model were independent: "crank, rocker"."""

    t: float
    independent: str


@dataclass(frozen=True)
class Statistics:
    """What a run took: counts, times [s], the largest closure residual [m], and what was used."""

    steps: int
    rejected: int
    evaluations: int
    projections: int
    is_complete: bool
    t_start: float
    t_end: float
    t_reached: float
    closure_residual: float
    cpu_s: float
    real_time_factor: float
    method: str
    is_fixed_step: bool
    rel_tol: float
    abs_tol: float
    step: float
    output_step: float


class Page:
    """A page of HTML that needs no network and no other file. Notebooks show it; save() writes it."""

    def __init__(self, html: str, height: int = 780) -> None:
        self.html = html
        self.height = height

    def save(self, path: Path) -> None:
        """Write the page, whole or not at all."""
        data = self.html.encode()
        call(lib.jo_output_write, file_name(path), data, len(data))

    def _repr_html_(self) -> str:
        return _html.frame(self.html, self.height)

    def __repr__(self) -> str:
        return f"<Page of {len(self.html.encode()) / 1000:.0f} kB>"


def page_of(write: Callable[[str], Any]) -> Page:
    """The page that a function writes to a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "page.html")
        write(path)
        with open(path, encoding="utf-8") as file:
            return Page(file.read())


class Result(Owner):
    """What came out of a run. Histories are arrays that look into the memory of the result, without a copy and
    read-only; they keep it alive.

        result.t                    times of the rows [s]
        result["z"]                 history of a sensor, coordinate, element force, energy or objective
        result.objectives["psi"]    a float with .unit and .description
    """

    def __init__(self, handle: Handle, system: "System", version: int, tolerance: Optional[float]) -> None:
        self._held = handle
        self._system = system
        self._version = version
        self._tolerance = tolerance

    @functools.cached_property
    def tables(self) -> Dict[str, Table]:
        """All of it: objectives, final, sensors, events, history, statistics, ..."""
        return tables(lib.jo_result_tables(self._handle), self._handle)

    @functools.cached_property
    def columns(self) -> Tuple[Quantity, ...]:
        """Columns of the table: time, outputs, objectives as if the run ended there; values are those at the end."""
        t, last = self.tables["history"], self.tables
        values = (last["end"]["t_reached"][0], *last["final"]["value"], *last["objectives"]["value"])
        return tuple(Quantity(v, n, u, d)
                     for v, n, u, d in zip(values, t.columns, t.column_units, t.column_descriptions))

    @property
    def names(self) -> Tuple[str, ...]:
        """Names of the columns."""
        return self.tables["history"].columns

    @functools.cached_property
    def _places(self) -> Dict[str, int]:
        places: Dict[str, int] = {}
        for i, name in enumerate(self.names):
            places.setdefault(name, i)
        return places

    @property
    def table(self) -> Floats:
        """All numbers: rows x columns."""
        return self.tables["history"].matrix()

    @property
    def t(self) -> Floats:
        """Times of the rows [s]."""
        return self.table[:, 0]

    def __getitem__(self, name: str) -> Floats:
        place = self._places.get(name)
        return self.table[:, find("column", name, self.names) if place is None else place]

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def keys(self) -> Tuple[str, ...]:
        """Names of the columns, so that dict(result) and pandas.DataFrame(dict(result)) work."""
        return self.names

    @property
    def objectives(self) -> Dict[str, Quantity]:
        """Objectives of the run."""
        return quantities(self.tables["objectives"])

    @property
    def outputs(self) -> Dict[str, Quantity]:
        """Sensors, coordinates, element forces, wheel loads and energies at the end of the run."""
        return quantities(self.tables["final"])

    @property
    def sensors(self) -> Tuple[str, ...]:
        """Names of the sensors of the file."""
        return self.names[1:1 + self.tables["sensors"].rows]

    @property
    def states(self) -> Dict[str, Floats]:
        """Histories of the coordinates of the model, [m] and [rad]."""
        return {c.name: self[c.name] for c in self._system.coordinates if c.name in self}

    @property
    def events(self) -> List[Event]:
        """Changes of conditions, in order."""
        return records(Event, self.tables["events"])

    @property
    def changes(self) -> List[Change]:
        """Changes of the partition into independent and dependent coordinates, in order; most runs have none."""
        return records(Change, self.tables.get("partition_changes"))

    @property
    def statistics(self) -> Statistics:
        """What the run took."""
        return fill(Statistics, lib.jo_result_statistics(self._handle))

    def save(self, path: Path) -> None:
        """Write the histories, in the format the name ends in."""
        call(lib.jo_result_save, self._handle, file_name(path))

    def replay(self) -> Page:
        """The report of this manoeuvre with its replay, as a page that notebooks show.

        The manoeuvre is run again as the model gives it, with the tolerance of this run; the numbers of the system
        must still be those of it.
        """
        if self._system._version != self._version:
            raise ValueError("numbers of the system were set since this run: run it again")
        return self._system.page(tolerance=self._tolerance)

    # ---- what is shown ---------------------------------------------------------------------------

    def __repr__(self) -> str:
        if self.closed:
            return "<Result, closed>"
        s = self.statistics
        end = f"to t = {s.t_reached:.6g} s" + ("" if s.is_complete else ", not complete")
        return f"<Result {self._system.model.name}: {len(self.t)} rows x {len(self)} columns {end}>"

    def _repr_html_(self) -> str:
        s = self.statistics
        facts = [("method", s.method), ("steps", s.steps), ("rows", len(self.t)), ("events", len(self.events)),
                 ("times real time", _html.number(round(s.real_time_factor), 9))]
        if not s.is_complete:
            facts.append(("ended early at [s]", _html.number(s.t_reached)))
        rows = [(q.name, _html.number(q), q.unit, q.description) for q in self.objectives.values()]
        # what the author of the model named comes first
        shown = (self.sensors or self.names[1:])[:6]
        units = {c.name: c.unit for c in self.columns}
        plots = [_html.plot(self.t, {name: self[name]}, "t [s]", f"{name} [{units[name]}]") for name in shown]
        events = [(_html.number(e.t), e.name, "on" if e.on else "off") for e in self.events]
        return _html.block(
            self._system.model.name, self._system.model.description, _html.facts(facts),
            _html.table(("objective", "value", "unit", ""), rows), _html.row(plots),
            _html.fold(f"{len(events)} events", _html.table(("t [s]", "condition", ""), events)) if events else "",
            self._replay_html())

    def _replay_html(self) -> str:
        if not _html.replay:
            return ""
        try:
            return _html.fold("replay", self.replay()._repr_html_())
        except (JounceError, ValueError, OSError) as error:
            return _html.fold("no replay", _html.escape(str(error)))


__all__ = ["Event", "Page", "Result", "Statistics", "page_of"]
