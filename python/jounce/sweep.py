# SPDX-License-Identifier: Apache-2.0
"""Sweeps: objectives and their derivatives over ranges of parameters, on all processors."""
from __future__ import annotations

import threading
from ctypes import byref
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

from . import _abi, _html
from ._core import (Floats, Guard, Handle, Owner, Path, Progress, call, choice, file_name, find, items, make,
                    settle, some, text, view, word_of)
from ._lib import lib

if TYPE_CHECKING:
    from .system import System


@dataclass(frozen=True)
class SweepInfo:
    """How far a sweep is. `resumed`: points that came from the journal. `method`: of derivatives; "auto": none."""

    points: int
    done: int
    failed: int
    resumed: int
    parameters: int
    objectives: int
    wrt: int
    is_sample: bool
    workers: int
    method: str


class Sweep(Owner):
    """Points, and what came out of them: arrays without copies. Made by System.sweep().

        sweep.x                      points x parameters
        sweep.values                 points x objectives; NaN where a point failed or is not done
        sweep.gradient               points x objectives x numbers
        sweep["comfort"]             values of an objective
        sweep.grid("comfort")        the same, an axis per parameter
    """

    def __init__(self, system: "System", ranges: Mapping[str, Any], *, sample: int = 0, seed: int = 0,
                 method: str = "auto", frozen: bool = False, t_end_s: Optional[float] = None,
                 tolerance: Optional[float] = None, step_s: Optional[float] = None, workers: int = 0,
                 journal: Optional[Path] = None, restart: bool = False, start: bool = True,
                 progress: Optional[Progress] = None) -> None:
        opt, self._ranges = lib.jo_sweep_options_default(), (_abi.jo_range * len(ranges))()
        self._shape: List[int] = []
        for r, (name, given) in zip(self._ranges, ranges.items()):
            given = tuple(given)
            if len(given) not in (2, 3):
                raise ValueError(f"{name}: a range is (from, to) or (from, to, how many)")
            r.name, r.to, r.n = name.encode(), given[1], given[2] if len(given) > 2 else 0
            setattr(r, "from", given[0])  # a keyword of Python
            self._shape.append(r.n)
        opt.range, opt.nrange = self._ranges, len(self._ranges)
        opt.nsample, opt.seed, opt.frozen = sample, seed, frozen
        opt.method = choice(_abi.jo_sens_method, "JO_SENS_", method, "method")
        opt.t_end_s, opt.tolerance, opt.step_s = some(t_end_s), some(tolerance), some(step_s)
        opt.workers, opt.restart = workers, restart
        opt.journal = file_name(journal) if journal is not None else None
        self._teller = _Teller()
        callback = dict(opt._fields_)["progress"](self._teller.tell)
        opt.progress = callback
        self._lock = threading.Lock()
        self.system = system
        with system._gate.use():
            self._held = make(lib.jo_sweep_create, lib.jo_sweep_destroy, system._handle, byref(opt),
                              parents=(system._handle, _Kept(callback)))
            system._sweeps.add(self)
        if start:
            self.run(progress)

    def run(self, progress: Optional[Progress] = None) -> "Sweep":
        """Compute the points that are not done. Points that fail do not stop it. Interrupted by Ctrl-C or stopped by
        `progress` it keeps what is done, and goes on when called again."""
        points = self.info.points
        guard = Guard((lambda done: progress(done / max(points, 1))) if progress else None)
        with self._lock, self.system._gate.use():
            handle = self._handle
            context = handle.context
            assert context is not None
            context.clear()
            self._teller.guard = guard
            try:
                with guard:
                    status = lib.jo_sweep_run(handle)
            finally:
                self._teller.guard = None
            settle(status, context)
        return self

    @property
    def info(self) -> SweepInfo:
        """How far it is."""
        s = lib.jo_sweep_inspect(self._handle)
        return SweepInfo(s.points, s.done, s.failed, s.resumed, s.parameters, s.objectives, s.wrt,
                         bool(s.is_sample), s.workers, word_of(_abi.jo_sens_method, "JO_SENS_", s.method))

    @property
    def is_complete(self) -> bool:
        """Whether all points are done; also of a sweep that is closed."""
        if self.closed:
            return True
        s = lib.jo_sweep_inspect(self._handle)
        return bool(s.done == s.points)

    def _names(self, function: Any, count: int) -> Tuple[str, ...]:
        return tuple(text(function(self._handle, i)) for i in range(count))

    @property
    def parameters(self) -> Tuple[str, ...]:
        """Names of the parameters that vary: columns of x."""
        return self._names(lib.jo_sweep_parameter_name, self.info.parameters)

    @property
    def objectives(self) -> Tuple[str, ...]:
        """Names of the objectives."""
        return self._names(lib.jo_sweep_objective_name, self.info.objectives)

    @property
    def wrt(self) -> Tuple[str, ...]:
        """Names of the numbers differentiated for."""
        return self._names(lib.jo_sweep_wrt_name, self.info.wrt)

    # ---- arrays ----------------------------------------------------------------------------------

    @property
    def x(self) -> Floats:
        """Values of the parameters: points x parameters. On a grid the last parameter runs fastest."""
        n = self.info
        return view(lib.jo_sweep_parameters(self._handle), (n.points, n.parameters), self._handle)

    def _rows(self) -> Floats:
        shape = (self.info.points, lib.jo_sweep_column_count(self._handle))
        return view(lib.jo_sweep_rows(self._handle), shape, self._handle)

    def _block(self, which: int) -> Floats:
        n, rows = self.info, self._rows()
        size, wide = n.objectives * n.wrt, rows.strides[0]
        part = rows[:, n.objectives + which * size:n.objectives + (which + 1) * size]
        shape = (n.points, n.objectives, n.wrt)
        made = np.lib.stride_tricks.as_strided(part, shape, (wide, 8 * n.wrt, 8), writeable=False)
        return made

    @property
    def values(self) -> Floats:
        """Objectives: points x objectives."""
        return self._rows()[:, :self.info.objectives]

    @property
    def gradient(self) -> Floats:
        """Derivatives: points x objectives x numbers."""
        return self._block(0)

    @property
    def gradient_errors(self) -> Floats:
        """Their estimated errors, absolute."""
        return self._block(1)

    def __getitem__(self, objective: str) -> Floats:
        return self.values[:, find("objective", objective, self.objectives)]

    def grid(self, objective: str) -> Floats:
        """Values of an objective with an axis per parameter, in the order of the ranges; not of a sample."""
        if self.info.is_sample:
            raise ValueError("points of a sample are on no grid")
        return self[objective].reshape(self._shape)

    def _points(self) -> List[Any]:
        return items(lib.jo_sweep_point_at, _abi.jo_sweep_point, self._handle)

    @property
    def done(self) -> NDArray[np.bool_]:
        """Whether a point is done, by point; failed ones are."""
        return np.array([bool(p.is_done) for p in self._points()])

    @property
    def failures(self) -> Dict[int, str]:
        """Why points failed, by their number."""
        return {i: text(p.message) for i, p in enumerate(self._points()) if p.is_done and p.status < 0}

    @property
    def events(self) -> NDArray[np.int64]:
        """Number of events of each point."""
        return np.array([p.events for p in self._points()])

    def save(self, path: Path) -> None:
        """Write the points that are done, a row each: .csv, .h5 or .hdf5. Once a complete sweep is written its journal
        is removed."""
        call(lib.jo_sweep_save, self._handle, file_name(path))

    # ---- what is shown ---------------------------------------------------------------------------

    def __repr__(self) -> str:
        if self.closed:
            return "<Sweep, closed>"
        n = self.info
        return f"<Sweep {self.system.model.name}: {n.done} of {n.points} points, {n.failed} failed>"

    def _repr_html_(self) -> str:
        n, x = self.info, self.x
        facts = [("points", n.points), ("done", n.done), ("failed", n.failed), ("workers", n.workers)]
        plots, rows = [], []
        for o in self.objectives:
            y = self[o]
            good = np.isfinite(y)
            if not good.any():
                continue
            best = int(np.nanargmin(y))
            at = ", ".join(f"{p} = {_html.number(v)}" for p, v in zip(self.parameters, x[best]))
            rows.append((o, _html.number(np.nanmin(y)), _html.number(np.nanmax(y)), at))
            plots += self._plots(o, x, y, good)
        failed = [(i, m) for i, m in list(self.failures.items())[:20]]
        return _html.block(self.system.model.name, "sweep", _html.facts(facts),
                           _html.table(("objective", "least", "most", "least at"), rows), _html.row(plots[:8]),
                           _html.fold("failures", _html.table(("point", "why"), failed)) if failed else "")

    def _plots(self, objective: str, x: Floats, y: Floats, good: Any) -> List[str]:
        names, is_grid = self.parameters, not self.info.is_sample
        if is_grid and len(names) == 1:
            return [_html.plot(x[good, 0], {objective: y[good]}, names[0], objective)]
        if is_grid and len(names) == 2 and y.size <= 4000:
            axes = [np.linspace(*x[[0, -1], i], num=k) for i, k in enumerate(self._shape)]
            return [_html.surface(*axes, self.grid(objective), *names, objective)]
        return [_html.plot(x[good, i], {objective: y[good]}, name, objective, dots=True)
                for i, name in enumerate(names)]


class _Teller:
    """The library keeps one function for all runs of a sweep: each run lends it a guard. It must not know the sweep,
    which would keep itself alive."""

    guard: Optional[Guard] = None

    def tell(self, user: Any, done: int) -> int:
        return self.guard.tell(user, done) if self.guard is not None else 1


class _Kept(Handle):
    """Something a handle needs that is no handle."""

    __slots__ = ("what",)

    def __init__(self, what: Any) -> None:
        self.what = what


__all__ = ["Sweep", "SweepInfo"]
