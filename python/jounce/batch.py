# SPDX-License-Identifier: Apache-2.0
"""Batches: one system run many times with other numbers, side by side in vector registers or on GPUs."""
from __future__ import annotations

import threading
from ctypes import POINTER, byref, c_char_p, c_int, c_void_p, cast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, Iterable, Mapping, Optional, Tuple, Union

import numpy as np

from . import _abi
from ._checked import fit
from ._core import (Floats, Guard, Owner, Progress, choice, find, items, make, names, pointer, settle, some, text,
                    view, word_of)
from ._lib import lib
from .sweep import _Kept, _Teller

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .model import Model
    from .system import System


@dataclass(frozen=True)
class BatchInfo:
    """What a batch is. `device`: "cpu" or "cuda", what "auto" came to. `lanes`: points side by side; 0: they are run one by
    one, since `why_alone`."""

    device: str
    lanes: int
    why_alone: str


@dataclass(frozen=True)
class Points:
    """What came out of points: copies, NaN where a point failed or is not done.

        points.values          points x objectives
        points.gradient        points x objectives x numbers
        points.outputs         points x outputs, at the end
        points.history         points x times x outputs
        points["comfort"]      values of an objective
        points.of("heave")     the history of an output: points x times
    """

    values: Floats
    gradient: Floats
    outputs: Floats
    history: Floats
    done: NDArray[np.bool_]
    failures: Dict[int, str]  # why, by the number of the point
    alone: int                # points that were not run in lanes
    value_error: float        # single precision: largest difference of the points that were checked, relative; else 0
    gradient_error: float
    batch: "Batch"

    def __getitem__(self, objective: str) -> Floats:
        return self.values[:, find("objective", objective, self.batch.objectives)]

    def of(self, output: str) -> Floats:
        """The history of an output: points x times."""
        return self.history[:, :, find("history", output, self.batch.histories)]

    def __repr__(self) -> str:
        return f"<Points: {int(self.done.sum())} of {len(self.done)} done, {len(self.failures)} failed>"


class Batch(Owner):
    """A system prepared for points. Made by System.batch(); run() computes them. Numbers that do not vary are those that the
    system had when the batch was made.

        batch.parameters       columns of what run() takes
        batch.times            of histories [s]
    """

    def __init__(self, system: "System", parameters: Iterable[str], *, method: Optional[str] = None,
                 t_end_s: Optional[float] = None, tolerance: Optional[float] = None,
                 step_s: Optional[float] = None, gradient: Union[bool, str] = False, outputs: bool = False,
                 history: Iterable[str] = (), history_step_s: Optional[float] = None,
                 roads: "Iterable[Model]" = (), device: str = "cpu", fused: bool = False, single: bool = False,
                 lanes: int = 0, workers: int = 0) -> None:
        opt, listed, wanted = lib.jo_batch_options_default(), names(parameters), names(history)
        opt.parameter, opt.nparameter = cast(listed, POINTER(c_char_p)), len(listed)
        opt.history, opt.nhistory = cast(wanted, POINTER(c_char_p)), len(wanted)
        opt.t_end_s, opt.tolerance, opt.step_s = some(t_end_s), some(tolerance), some(step_s)
        opt.history_step_s, opt.gradient, opt.outputs = some(history_step_s), bool(gradient), outputs
        if isinstance(gradient, str):
            opt.gradient_method = choice(_abi.jo_sens_method, "JO_SENS_", gradient, "gradient")
        opt.device = choice(_abi.jo_batch_device, "JO_BATCH_", device, "device")
        opt.fused, opt.single, opt.lanes, opt.workers = fused, single, lanes, workers
        if method is not None:
            opt.method = choice(_abi.jo_method, "JO_METHOD_", method, "method")
        others = tuple(m._handle for m in roads)
        listed_roads = (c_void_p * len(others))(*[h._as_parameter_ for h in others])
        opt.road, opt.nroad = cast(listed_roads, POINTER(c_void_p)), len(others)
        self._teller = _Teller()
        callback = dict(opt._fields_)["progress"](self._teller.tell)
        opt.progress = callback
        self._lock = threading.Lock()
        self.system = system
        with system._gate.use():
            self._held = make(lib.jo_batch_create, lib.jo_batch_destroy, system._handle, byref(opt),
                              parents=(system._handle, _Kept(callback)) + others)
        n = lib.jo_batch_inspect(self._handle)
        self.info = BatchInfo(word_of(_abi.jo_batch_device, "JO_BATCH_", n.device), n.lanes, text(n.why_alone))
        self.parameters: Tuple[str, ...] = self._names(lib.jo_batch_parameter_name, n.parameters)
        self.objectives: Tuple[str, ...] = self._names(lib.jo_batch_objective_name, n.objectives)
        self.wrt: Tuple[str, ...] = self._names(lib.jo_batch_wrt_name, n.wrt)
        self.outputs: Tuple[str, ...] = self._names(lib.jo_batch_output_name, n.outputs)
        self.histories: Tuple[str, ...] = self._names(lib.jo_batch_history_name, n.histories)
        self.times: Floats = view(lib.jo_batch_times(self._handle), (n.times,), self._handle)

    def _names(self, function: Any, count: int) -> Tuple[str, ...]:
        return tuple(text(function(self._handle, i)) for i in range(count))

    def _table(self, x: Union[Mapping[str, Any], Any]) -> Floats:
        if isinstance(x, Mapping):
            if set(x) != set(self.parameters):
                raise ValueError(f"values are needed of {', '.join(self.parameters)}, not of {', '.join(x)}")
            x = np.stack(np.broadcast_arrays(*[np.atleast_1d(x[p]) for p in self.parameters]), axis=-1)
        table: Floats = np.ascontiguousarray(x, dtype=np.float64)
        if table.ndim != 2 or table.shape[1] != len(self.parameters):
            raise ValueError(f"x: points x {len(self.parameters)} parameters are needed, not shape {table.shape}")
        return table

    def run(self, x: Union[Mapping[str, Any], Any], *, road: Optional[Any] = None,
            progress: Optional[Progress] = None) -> Points:
        """Compute points: an array, points x parameters, or values by name, which are broadcast.

        road      of each point, its place among `roads`, -1: that of the system
        progress  called several times per second with the part of points done, 0 ... 1; False stops, and points that were
                  not begun are not done
        """
        table = self._table(x)
        n = len(table)
        on: Optional[NDArray[np.int32]] = None
        if road is not None:
            wanted = np.asarray(road)
            if wanted.dtype.kind not in "iu":
                raise TypeError(f"road: places in the list of roads are integers, not {wanted.dtype}")
            for extreme in (wanted.min(initial=0), wanted.max(initial=0)):
                fit(c_int, int(extreme), "road")
            on = np.ascontiguousarray(np.broadcast_to(wanted.astype(np.int32), (n,)))
        guard = Guard((lambda done: progress(done / max(n, 1))) if progress else None)
        with self._lock, self.system._gate.use():
            context = self._handle.context
            assert context is not None
            context.clear()
            self._teller.guard = guard
            try:
                with guard:
                    if on is None:
                        status = lib.jo_batch_run(self._handle, n, pointer(table))
                    else:
                        status = lib.jo_batch_run_on(self._handle, n, pointer(table),
                                                     on.ctypes.data_as(POINTER(c_int)))
            finally:
                self._teller.guard = None
            settle(status, context)
            return self._points(n)

    def _copy(self, function: Any, *shape: int) -> Floats:
        return np.array(view(function(self._handle), shape, self._handle))

    def _points(self, n: int) -> Points:
        s, objectives, failures = lib.jo_batch_inspect(self._handle), len(self.objectives), {}
        done = np.ones(n, dtype=np.bool_)
        if s.failed or s.done < n:
            for i, p in enumerate(items(lib.jo_batch_point_at, _abi.jo_batch_point, self._handle)):
                done[i] = bool(p.is_done)
                if p.status < 0:
                    failures[i] = text(p.message)
        return Points(self._copy(lib.jo_batch_values, n, objectives),
                      self._copy(lib.jo_batch_gradients, n, objectives, len(self.wrt)),
                      self._copy(lib.jo_batch_outputs, n, len(self.outputs)),
                      self._copy(lib.jo_batch_histories, n, len(self.times), len(self.histories)),
                      done, failures, s.alone, s.value_error, s.gradient_error, self)

    def __repr__(self) -> str:
        if self.closed:
            return "<Batch, closed>"
        how = f"{self.info.lanes} side by side" if self.info.lanes else "one by one"
        return f"<Batch {self.system.model.name}: {', '.join(self.parameters)}; {self.info.device}, {how}>"


__all__ = ["Batch", "BatchInfo", "Points"]
