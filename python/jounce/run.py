# SPDX-License-Identifier: Apache-2.0
"""Runs that are driven from outside: step by step, with inputs; and the equations themselves."""
from __future__ import annotations

import threading
from ctypes import byref
from typing import TYPE_CHECKING, Any, Dict, Tuple, Union

import numpy as np

from . import _abi
from ._core import (Floats, Guard, Owner, Quantity, by_name, find, items, make, numbers, pointer, quantity,
                    settle)
from ._lib import lib

if TYPE_CHECKING:
    from .system import System


class Run(Owner):
    """A run under way. Made by System.start(); begins at the start of the model.

        run = system.start()
        while run.t < 2.0:
            run.set_input("force", -k * run.outputs()["z"])
            run.advance(run.t + 0.01)

    A run belongs to one thread at a time; calls from several wait for each other. The numbers are those the system
    has when it begins.
    """

    def __init__(self, system: "System", options: Any) -> None:
        self.system = system
        with system._gate.use():
            self._held = make(lib.jo_run_create, lib.jo_run_destroy, system._handle, byref(options),
                              parents=(system._handle,))
        self._lock = threading.RLock()
        self.inputs: Tuple[str, ...] = tuple(
            q.name for q in map(quantity, items(lib.jo_run_input_at, _abi.jo_quantity, self._handle)))
        outputs = [quantity(q) for q in items(lib.jo_run_output_at, _abi.jo_quantity, self._handle)]
        self.output_names: Tuple[str, ...] = tuple(q.name for q in outputs)
        self.output_units: Tuple[str, ...] = tuple(q.unit for q in outputs)
        self._nstate = lib.jo_run_state_count(self._handle)
        self._nswitch = lib.jo_system_inspect(system._handle).switches

    def _call(self, function: Any, *arguments: Any) -> None:
        with self._lock:
            handle = self._handle
            context = handle.context
            assert context is not None
            context.clear()
            with Guard():
                status = function(context, handle, *arguments)
            settle(status, context)

    def advance(self, t_s: float) -> "Run":
        """Go on to time t [s], through all events on the way. Where that is not possible it raises, and the run
        stays at the last state it reached."""
        self._call(lib.jo_run_advance, float(t_s))
        return self

    @property
    def t(self) -> float:
        """Where it is [s]."""
        return float(lib.jo_run_time(self._handle))

    @property
    def state(self) -> Floats:
        """Its state now, a copy: what jo_run_state() points to changes with every step."""
        with self._lock:
            return np.ctypeslib.as_array(lib.jo_run_state(self._handle), (self._nstate,)).copy()

    @property
    def states(self) -> Dict[str, Quantity]:
        """Its state now, by name."""
        return by_name(quantity(q) for q in items(lib.jo_run_state_at, _abi.jo_quantity, self._handle))

    def set_state(self, t_s: float, y: Any) -> "Run":
        """Move to time t [s] and state y: loops are closed, conditions looked at anew."""
        y = numbers(y, self._nstate, "state")
        self._call(lib.jo_run_set_state, float(t_s), pointer(y))
        return self

    def input(self, name: str) -> Quantity:
        """The value of an input now."""
        q = _abi.jo_quantity()
        lib.jo_run_input_at(self._handle, find("input", name, self.inputs), q)
        return quantity(q)

    def set_input(self, name: Union[str, int], value: float) -> "Run":
        """Set an input, by name or number, from now on."""
        i = find("input", name, self.inputs) if isinstance(name, str) else name
        self._call(lib.jo_run_set_input, i, float(value))
        return self

    def output_values(self) -> Floats:
        """Outputs where the run is, in the order of output_names."""
        values = np.empty(len(self.output_names))
        self._call(lib.jo_run_outputs, pointer(values))
        return values

    def outputs(self) -> Dict[str, float]:
        """The same by name."""
        return dict(zip(self.output_names, self.output_values().tolist()))

    def rhs(self, t_s: float, y: Any) -> Floats:
        """ydot = f(t, y) with the conditions and inputs the run has now. The state of the run does not change."""
        y, out = numbers(y, self._nstate, "state"), np.empty(self._nstate)
        self._call(lib.jo_run_rhs, float(t_s), pointer(y), pointer(out))
        return out

    def switches(self, t_s: float, y: Any) -> Floats:
        """Switching functions at (t, y), in the order of System.switches: a condition holds where its is positive."""
        y, out = numbers(y, self._nstate, "state"), np.empty(self._nswitch)
        self._call(lib.jo_run_switches, float(t_s), pointer(y), pointer(out))
        return out

    def __repr__(self) -> str:
        if self.closed:
            return "<Run, closed>"
        return f"<Run {self.system.model.name}: t = {self.t:.6g} s, {self._nstate} states>"
