# SPDX-License-Identifier: Apache-2.0
"""Sweeps: objectives and their derivatives over ranges of parameters, on all processors."""
from __future__ import annotations

import threading
from ctypes import byref, c_int
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Optional, Tuple, Union, overload

import numpy as np

from . import _abi, _html
from ._checked import whole
from ._core import (Floats, Guard, Handle, Owner, Path, Progress, call, choice, file_name, find, items, make,
                    settle, some, text, view, word_of)
from ._lib import lib
from .distribution import Lognormal, Normal, Uniform

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .system import System


@dataclass(frozen=True)
class SweepInfo:
    """How far a sweep is. `resumed`: points that came from the journal. `method`: of derivatives; "auto": none. `design`:
    "grid", or the name of the sampling. `is_single`: in single precision; then how many points were computed in double precision
    too, and how far off they were."""

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
    design: str
    is_single: bool
    checked: int
    value_error: float
    gradient_error: float


@dataclass(frozen=True)
class SweepPoint:
    """A point, copied. `status` below zero: it failed, `message` says why, and numbers are NaN. It also says which objectives
    of a point that went well have no derivatives, and why; these are NaN."""

    is_done: bool
    status: int
    message: str
    x: Floats  # by parameter
    values: Floats  # by objective
    gradient: Floats  # objectives x numbers
    gradient_errors: Floats
    events: int
    evaluations: int


@dataclass(frozen=True)
class SweepStatistic:
    """What a sweep says of an objective, over the points that succeeded; errors are standard deviations
    (docs/theory/statistics.md). The dictionaries at the end are by parameter, and empty where the design has no such thing:
    Sobol indices need indices=True, mean squares of derivatives (by the logarithm of a lognormal number) and the bounds on
    total indices that follow from them a sample of a system with derivatives."""

    points: int
    mean: float
    mean_error: float
    deviation: float
    deviation_error: float
    least: float
    most: float
    quantiles: Dict[float, float]  # share of all points -> the value they lie below
    rank_error: float
    first_order: Dict[str, float]
    first_order_error: Dict[str, float]
    total: Dict[str, float]
    total_error: Dict[str, float]
    mean_square_derivative: Dict[str, float]
    mean_square_derivative_error: Dict[str, float]
    total_bound: Dict[str, float]
    total_bound_error: Dict[str, float]


class Sweep(Owner):
    """Points, and what came out of them: arrays without copies. Made by System.sweep().

        sweep.x                      points x parameters
        sweep.values                 points x objectives; NaN where a point failed or is not done
        sweep.gradient               points x objectives x numbers
        sweep["comfort"]             values of an objective
        sweep.grid("comfort")        the same, an axis per parameter
        sweep.statistics()           mean, deviation, quantiles, indices of every objective
        sweep[7], iter(sweep)        points one by one, the only way to them with stream=True
    """

    def __init__(self, system: "System", ranges: Mapping[str, Any], *, sample: int = 0, seed: int = 0,
                 sampling: str = "halton", correlate: Optional[Mapping[Tuple[str, str], float]] = None,
                 indices: bool = False, method: str = "auto", frozen: bool = False, t_end_s: Optional[float] = None,
                 tolerance: Optional[float] = None, step_s: Optional[float] = None, workers: int = 0,
                 batch: bool = False, device: Optional[str] = None, fused: bool = False, single: bool = False,
                 journal: Optional[Path] = None, restart: bool = False, stream: bool = False, start: bool = True,
                 progress: Optional[Progress] = None) -> None:
        sample = whole(c_int, sample, "sample")
        if sample < 0:
            raise ValueError(f"sample is {sample}; it must be a number of points, or 0 for a grid")
        for word, is_given in (("sampling", sampling != "halton"), ("correlate", correlate), ("indices", indices)):
            if is_given and not sample:
                raise ValueError(f"{word}: a grid has none; hint: give sample=")
        if (fused or single) and device is None:
            raise ValueError("fused, single: of a device; hint: give device=")
        opt, self._ranges = lib.jo_sweep_options_default(), _ranges(ranges, sample > 0)
        self._correlations = _correlations(correlate or {})
        self._shape: List[int] = [r.n for r in self._ranges]
        opt.range, opt.nrange = self._ranges, len(self._ranges)
        opt.correlation, opt.ncorrelation = self._correlations, len(self._correlations)
        opt.nsample, opt.seed, opt.frozen = sample, seed, frozen
        opt.sampling = choice(_abi.jo_sampling, "JO_SAMPLING_", sampling, "sampling")
        opt.batch = batch or device is not None
        opt.device = choice(_abi.jo_batch_device, "JO_BATCH_", device or "cpu", "device")
        opt.indices, opt.fused, opt.single, opt.stream = indices, fused, single, stream
        # there are no others side by side
        opt.method = choice(_abi.jo_sens_method, "JO_SENS_",
                            "direct" if opt.batch and method == "auto" else method, "method")
        opt.t_end_s, opt.tolerance, opt.step_s = some(t_end_s), some(tolerance), some(step_s)
        opt.workers, opt.restart = workers, restart
        opt.journal = file_name(journal) if journal is not None else None
        self._teller = _Teller()
        callback = dict(opt._fields_)["progress"](self._teller.tell)
        opt.progress = callback
        self._lock = threading.Lock()
        self._stream = bool(stream)
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
                         bool(s.is_sample), s.workers, word_of(_abi.jo_sens_method, "JO_SENS_", s.method),
                         word_of(_abi.jo_sampling, "JO_SAMPLING_", s.sampling) if s.is_sample else "grid",
                         bool(s.is_single), s.checked, s.value_error, s.gradient_error)

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
        self._refuse_stream()
        return view(lib.jo_sweep_parameters(self._handle), (n.points, n.parameters), self._handle)

    def _refuse_stream(self) -> None:
        if self._stream:
            raise ValueError("results stay in the journal (stream=True); hint: save() them, or take points one by one")

    def _rows(self) -> Floats:
        shape = (self.info.points, lib.jo_sweep_column_count(self._handle))
        self._refuse_stream()
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

    @overload
    def __getitem__(self, which: str) -> Floats: ...

    @overload
    def __getitem__(self, which: int) -> SweepPoint: ...

    def __getitem__(self, which: Union[str, int]) -> Union[Floats, SweepPoint]:
        if isinstance(which, str):
            return self.values[:, find("objective", which, self.objectives)]
        n = self.info
        return _point(self._point_at(which + n.points if which < 0 else which), n)

    def __len__(self) -> int:
        return self.info.points

    def __iter__(self) -> Iterator[SweepPoint]:
        n = self.info
        return (_point(self._point_at(i), n) for i in range(n.points))

    def grid(self, objective: str) -> Floats:
        """Values of an objective with an axis per parameter, in the order of the ranges; not of a sample."""
        if self.info.is_sample:
            raise ValueError("points of a sample are on no grid")
        return self[objective].reshape(self._shape)

    def _point_at(self, i: int) -> Any:
        """The struct; of a stream its pointers are good until the next one."""
        one = _abi.jo_sweep_point()
        if lib.jo_sweep_point_at(self._handle, i, byref(one)) < 0:
            raise IndexError(f"there is no point {i}")
        return one

    def _points(self) -> Iterator[Any]:
        return (self._point_at(i) for i in range(self.info.points))

    @property
    def done(self) -> NDArray[np.bool_]:
        """Whether a point is done, by point; failed ones are."""
        return np.array([bool(p.is_done) for p in self._points()], dtype=bool)

    @property
    def failures(self) -> Dict[int, str]:
        """Why points failed, by their number."""
        return {i: text(p.message) for i, p in enumerate(self._points()) if p.is_done and p.status < 0}

    @property
    def events(self) -> NDArray[np.int64]:
        """Number of events of each point."""
        return np.array([p.events for p in self._points()], dtype=np.int64)

    def statistics(self) -> Dict[str, SweepStatistic]:
        """Statistics of every objective, of a sweep that is complete. Files saved from then on have them, too."""
        with self._lock:
            handle = self._handle
            context = handle.context
            assert context is not None
            context.clear()
            settle(lib.jo_sweep_statistics(handle), context)
        names = self.parameters
        return {o: _statistic(s, names)
                for o, s in zip(self.objectives, items(lib.jo_sweep_statistic_at, _abi.jo_statistic, handle))}

    def save(self, path: Path) -> None:
        """Write the points that are done, a row each (docs/formats.md). Once a complete sweep is written its journal
        is removed."""
        call(lib.jo_sweep_save, self._handle, file_name(path))

    # ---- what is shown ---------------------------------------------------------------------------

    def __repr__(self) -> str:
        if self.closed:
            return "<Sweep, closed>"
        n = self.info
        return f"<Sweep {self.system.model.name}: {n.done} of {n.points} points, {n.failed} failed>"

    def _repr_html_(self) -> str:
        n = self.info
        facts = [("points", n.points), ("done", n.done), ("failed", n.failed), ("workers", n.workers)]
        if self._stream:
            return _html.block(self.system.model.name, "sweep", _html.facts(facts))
        x, plots, rows = self.x, [], []
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


# ---- structs of the library ------------------------------------------------------------------------

def _ranges(given: Mapping[str, Any], is_sample: bool) -> Any:
    made = (_abi.jo_range * len(given))()
    for r, (name, law) in zip(made, given.items()):
        r.name = name.encode()
        if isinstance(law, (Uniform, Normal, Lognormal)):
            if not is_sample:
                raise ValueError(f"{name}: a distribution needs sample=")
            r.law = choice(_abi.jo_law, "JO_LAW_", type(law).__name__.lower(), "distribution")
            setattr(r, "from", law.low)  # a keyword of Python
            r.to = law.high
            if not isinstance(law, Uniform):
                r.mean, r.deviation = law.mean, law.deviation
            continue
        ends = tuple(law)
        if len(ends) not in (2, 3):
            raise ValueError(f"{name}: a range is (from, to), (from, to, how many) or a distribution")
        setattr(r, "from", ends[0])
        r.to, r.n = ends[1], ends[2] if len(ends) > 2 else 0
    return made


def _correlations(given: Mapping[Tuple[str, str], float]) -> Any:
    made = (_abi.jo_correlation * len(given))()
    for c, ((first, second), value) in zip(made, given.items()):
        c.first, c.second, c.value = first.encode(), second.encode(), value
    return made


def _copy(numbers: Any, *shape: int) -> Floats:
    count = int(np.prod(shape))
    made: Floats = np.array(numbers[:count] if count else [], dtype=np.float64).reshape(shape)
    return made


def _point(p: Any, n: SweepInfo) -> SweepPoint:
    return SweepPoint(bool(p.is_done), p.status, text(p.message), _copy(p.parameter, n.parameters),
                      _copy(p.value, n.objectives), _copy(p.gradient, n.objectives, n.wrt),
                      _copy(p.gradient_error, n.objectives, n.wrt), p.events, p.evaluations)


def _statistic(s: Any, names: Tuple[str, ...]) -> SweepStatistic:
    def by_name(numbers: Any) -> Dict[str, float]:
        return dict(zip(names, numbers[:len(names)])) if numbers else {}

    return SweepStatistic(s.points, s.mean, s.mean_error, s.deviation, s.deviation_error, s.least, s.most,
                          dict(zip(s.share[:s.quantiles], s.quantile[:s.quantiles])), s.rank_error,
                          by_name(s.first), by_name(s.first_error), by_name(s.total), by_name(s.total_error),
                          by_name(s.slope), by_name(s.slope_error), by_name(s.bound), by_name(s.bound_error))


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


__all__ = ["Sweep", "SweepInfo", "SweepPoint", "SweepStatistic"]
