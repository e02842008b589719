# SPDX-License-Identifier: Apache-2.0
"""Load prediction: force histories of all elements, peaks, cycles, pseudo-damage, events computed again."""
from __future__ import annotations

import functools
from ctypes import POINTER, byref, c_char_p, c_double, c_void_p, cast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Optional, Tuple

import numpy as np

from . import _abi, _html
from ._core import (Floats, Handle, Owner, Path, Quantity, call, choice, file_name, fill, find, items, make,
                    names, settings, some, text, view)
from ._lib import lib
from .table import Table, quantities, records, tables

if TYPE_CHECKING:
    from .model import Model
    from .system import System


@dataclass(frozen=True)
class LoadStatistics:
    """What a run for loads took; times [s], costs in evaluations of the full model."""

    driver: str
    rate: float
    tolerance: float
    is_complete: bool
    t_meaningful: float
    t_start: float
    t_end: float
    t_reached: float
    steps: int
    rejected: int
    stiff_steps: int
    evaluations: float
    worst_step_evaluations: float
    guaranteed_step_evaluations: float
    smallest_step: float
    t_smallest_step: float
    cpu_s: float
    real_time_factor: float
    missed_deadlines: int
    worst_delay: float
    element_cost: float
    directions_cost: float


@dataclass(frozen=True)
class Element:
    """What an element went through: loads [unit], times [s], rainflow cycles and their pseudo-damage."""

    name: str
    unit: str
    peak: float
    t_peak: float
    smooth_peak: float
    smallest: float
    largest: float
    cycles: float
    largest_range: float
    damage: float


@dataclass(frozen=True)
class LoadEvent:
    """A stretch of time [s] in which an element or a coordinate was stiff. doubt: bits JO_DOUBT_... of the C
    interface, reasons not to trust an impulsive event."""

    t0: float
    t1: float
    element: str
    coordinate: str
    position: float
    speed: float
    impulse: float
    peak: float
    t_peak: float
    doubt: int


@dataclass(frozen=True)
class Pose:
    """The vehicle at the end of a run: position [m], angles [deg]."""

    body: str
    x: float
    y: float
    z: float
    yaw_deg: float
    pitch_deg: float
    roll_deg: float


class Loads(Owner):
    """Loads of all elements of a model. Made by System.loads() and Model.loads().

        loads.t, loads["spring_f"]       histories [N], [N m]: arrays without copies
        loads.elements["spring_f"].peak
    """

    def __init__(self, system: "System", *, driver: Optional[str] = None, rate_hz: Optional[float] = None,
                 t_end_s: Optional[float] = None, tolerance: Optional[float] = None,
                 restitution: Optional[float] = None, realtime: bool = False, slope: Optional[float] = None,
                 reference: Optional[float] = None) -> None:
        opt = lib.jo_loads_options_default()
        if driver is not None:
            opt.driver = choice(_abi.jo_loads_driver, "JO_LOADS_", driver, "driver")
        opt.realtime = realtime
        given = {"rate_hz": rate_hz, "t_end_s": t_end_s, "tolerance": tolerance, "restitution": restitution,
                 "slope": slope, "reference": reference}
        for name, value in given.items():
            if value is not None:
                setattr(opt, name, value)
        self.system = system
        with system._gate.use():
            self._held = make(lib.jo_loads_run, lib.jo_loads_result_destroy, system._handle, byref(opt),
                              parents=(system._handle,), partial=self._keep)

    def _keep(self, handle: Handle) -> "Loads":
        self._held = handle
        return self

    @functools.cached_property
    def elements(self) -> Dict[str, Element]:
        """Elements by name."""
        return {e.name: e for e in records(Element, self.tables["elements"])}

    @functools.cached_property
    def tables(self) -> Dict[str, Table]:
        """All of it: elements, events, history, outputs, hull, ..."""
        return tables(lib.jo_loads_tables(self._handle), self._handle)

    @property
    def table(self) -> Floats:
        """Samples: the time [s], then the loads of all elements."""
        return self.tables["history"].matrix()

    @property
    def t(self) -> Floats:
        """Times of the samples [s]."""
        return self.table[:, 0]

    def __getitem__(self, element: str) -> Floats:
        return self.table[:, 1 + find("element", element, tuple(self.elements))]

    def __iter__(self) -> Iterator[str]:
        return iter(self.elements)

    def __len__(self) -> int:
        return len(self.elements)

    @property
    def statistics(self) -> LoadStatistics:
        """What it took."""
        return fill(LoadStatistics, lib.jo_loads_result_statistics(self._handle))

    @property
    def events(self) -> List[LoadEvent]:
        """Stiff events, in order."""
        return records(LoadEvent, self.tables["events"])

    @property
    def outputs(self) -> Dict[str, Quantity]:
        """Outputs at the end of the run: the sensors of the file first."""
        return quantities(self.tables["outputs"])

    @property
    def pose(self) -> Optional[Pose]:
        """The vehicle at the end; None where the model has no free joint."""
        found = self.tables.get("hull")
        return Pose(*(found[c][0] for c in found.columns)) if found else None

    def cycles(self, element: str, bins: int = 32, counting: str = "rainflow") -> Tuple[float, Floats]:
        """Width of the bins, from 0 to the largest range, and cycles in each; "rainflow" or "range_pair"."""
        width, count = c_double(), np.zeros(bins)
        call(lib.jo_loads_cycles, self._handle, find("element", element, tuple(self.elements)),
             choice(_abi.jo_counting, "JO_", counting, "counting"), bins, byref(width),
             count.ctypes.data_as(POINTER(c_double)))
        return width.value, count

    def save(self, path: Path) -> None:
        """Write the histories (.csv) or the events with their states (.events)."""
        call(lib.jo_loads_save, self._handle, file_name(path))

    def __repr__(self) -> str:
        if self.closed:
            return "<Loads, closed>"
        return f"<Loads {self.system.model.name}: {len(self)} elements, {len(self.t)} samples>"

    def _repr_html_(self) -> str:
        s = self.statistics
        facts = [("driver", s.driver), ("steps", s.steps), ("stiff events", len(self.events)),
                 ("times real time", _html.number(round(s.real_time_factor), 9))]
        ranked = sorted(self.elements.values(), key=lambda e: -abs(e.peak))
        rows = [(e.name, _html.number(e.peak), e.unit, _html.number(e.t_peak), _html.number(e.cycles),
                 _html.number(e.largest_range), _html.number(e.damage)) for e in ranked[:40]]
        plots = [_html.plot(self.t, {e.name: self[e.name]}, "t [s]", f"{e.name} [{e.unit}]")
                 for e in ranked[:4]]
        head = ("element", "peak", "unit", "at [s]", "cycles", "largest range", "damage")
        return _html.block(self.system.model.name, "loads", _html.facts(facts), _html.table(head, rows),
                           _html.row(plots))


def plot_loads(path: Path, element: str, runs: Mapping[str, Loads], *, t0_s: float, t1_s: float,
               title: str = "") -> None:
    """Draw the history of one element in several runs between two times [s], as SVG."""
    handles, labels = [r._handle for r in runs.values()], names(list(runs))
    pointers = (c_void_p * len(handles))(*(h._as_parameter_.value for h in handles))
    plot = _abi.jo_loads_plot(title=title.encode(), element=element.encode(), t0_s=t0_s, t1_s=t1_s,
                              result=cast(pointers, POINTER(c_void_p)), nresult=len(handles))
    plot.label = cast(labels, POINTER(c_char_p))
    call(lib.jo_loads_plot_save, byref(plot), file_name(path))


@dataclass(frozen=True)
class Reconstruction:
    """How events were computed again. mismatch: largest difference of events that were checked, relative."""

    events: int
    integrated: int
    surfaces: int
    refused: int
    nodes: int
    checked: int
    mismatch: float


@dataclass(frozen=True)
class EventAgain:
    """An event as recorded, and its peak as computed again; NaN: it was not."""

    then: LoadEvent
    peak: float
    t_peak: float
    interpolated: bool


class LoadEvents(Owner):
    """Events that Loads.save("x.events") wrote, to be computed again, with other numbers of the model too."""

    def __init__(self, path: Path, settings_: Optional[Mapping[str, Any]] = None, *, interpreter: bool = False,
                 compiler: bool = False, **parameters: Any) -> None:
        set_, opt = settings(settings_, parameters), lib.jo_system_options_default()
        opt.interpreter, opt.compiler = interpreter, compiler
        self._held = make(lib.jo_load_events_open, lib.jo_load_events_destroy, file_name(path), set_,
                          len(set_), byref(opt))

    @property
    def model(self) -> "Model":
        """The model of the events, with its settings."""
        from .model import Model
        borrowed = c_void_p(lib.jo_load_events_model(self._handle))
        return Model(Handle(borrowed, None, None, (self._handle,)))

    def reconstruct(self, *, window_s: Optional[float] = None, surface: bool = False) -> Reconstruction:
        """Compute the peaks of all events without running the vehicle. window_s: longest time integrated, 0.1 [s];
        surface: interpolate where there are many events of an element."""
        opt, out = lib.jo_reconstruct_options_default(), _abi.jo_reconstruction()
        opt.window_s, opt.surface = some(window_s), surface
        call(lib.jo_load_events_reconstruct, self._handle, byref(opt), byref(out))
        return fill(Reconstruction, out)

    @property
    def events(self) -> List[EventAgain]:
        """The events."""
        found = items(lib.jo_load_events_at, _abi.jo_load_event_again, self._handle)
        return [EventAgain(fill(LoadEvent, e.then), e.peak, e.t_peak, bool(e.interpolated)) for e in found]

    def __len__(self) -> int:
        return int(lib.jo_load_events_count(self._handle))


@dataclass(frozen=True)
class ElementGradient:
    """Peak and pseudo-damage of an element with their derivatives with respect to the parameters of the system, and estimated
    errors of these, absolute: arrays without copies."""

    name: str
    unit: str
    peak: float
    t_peak: float
    damage: float
    dpeak: Floats
    ddamage: Floats
    dpeak_error: Floats
    ddamage_error: Floats


class LoadsGradient(Owner):
    """Derivatives of peak loads and pseudo-damage along a converged run. Made by System.loads_gradient().

        g["spring_f"].dpeak      by the numbers g.names
    """

    def __init__(self, system: "System", *, t_end_s: Optional[float] = None,
                 tolerance: Optional[float] = None, slope: Optional[float] = None,
                 reference: Optional[float] = None) -> None:
        opt = lib.jo_loads_sens_options_default()
        opt.t_end_s, opt.tolerance = some(t_end_s), some(tolerance)
        if slope is not None:
            opt.slope = slope
        if reference is not None:
            opt.reference = reference
        self.system = system
        with system._gate.use():
            self.names: Tuple[str, ...] = tuple(q.name for q in system.wrt)
            self._held = make(lib.jo_loads_sens_run, lib.jo_loads_sens_destroy, system._handle, byref(opt),
                              parents=(system._handle,))

    @functools.cached_property
    def elements(self) -> Dict[str, ElementGradient]:
        """Elements by name."""
        n, out = (len(self.names),), {}
        for e in items(lib.jo_loads_sens_at, _abi.jo_loads_gradient, self._handle):
            arrays = [view(p, n, self._handle) for p in (e.dpeak, e.ddamage, e.dpeak_error, e.ddamage_error)]
            out[text(e.name)] = ElementGradient(text(e.name), text(e.unit), e.peak, e.t_peak, e.damage,
                                                *arrays)
        return out

    def __getitem__(self, element: str) -> ElementGradient:
        find("element", element, tuple(self.elements))
        return self.elements[element]

    def __iter__(self) -> Iterator[str]:
        return iter(self.elements)

    def __repr__(self) -> str:
        return f"<LoadsGradient of {len(self.elements)} elements by {len(self.names)} numbers>"

    def _repr_html_(self) -> str:
        head = ("element", "peak", "unit", *(f"d peak / d {n}" for n in self.names[:8]))
        rows = [(e.name, _html.number(e.peak), e.unit, *map(_html.number, e.dpeak[:8]))
                for e in self.elements.values()]
        return _html.block(self.system.model.name, "derivatives of peak loads", _html.table(head, rows))


__all__ = ["Element", "ElementGradient", "EventAgain", "LoadEvent", "LoadEvents", "LoadStatistics", "Loads",
           "LoadsGradient", "Pose", "Reconstruction", "plot_loads"]
