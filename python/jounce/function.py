# SPDX-License-Identifier: Apache-2.0
"""Objectives as functions of numbers, for optimisers and for automatic differentiation."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, Optional, Tuple, Union

import numpy as np

from ._core import Floats, Quantity, find, numbers
from .errors import ArgumentError, NumericError

if TYPE_CHECKING:
    from .system import System

Value = Union[float, Floats]


class Function:
    """y = f(x): objectives of a run as a function of numbers of its model, with exact derivatives.

        f = system.function("psi", ["k_f", "c_f"])
        f(x)                    a float; of several objectives an array
        f.value_and_grad(x)     the same with its gradient; of several objectives the Jacobian
        f.jac(x)                the gradient alone; free where f(x) was asked just before
        f.x0, f.names           values of the numbers when it was made, and their names

        scipy.optimize.minimize(f, f.x0, jac=f.jac)
        scipy.optimize.minimize(f.value_and_grad, f.x0, jac=True)
        scipy.optimize.minimize(system.function("psi", jac=True), f.x0, jac=True)

    For frameworks that differentiate: fwd() and bwd() are the two halves of a custom reverse rule, jvp() is the
    forward one. An evaluation leaves the numbers of the system as they were. Several threads may call; evaluations
    of one system wait for each other, since each sets its numbers.
    """

    def __init__(self, system: "System", objective: Union[str, Iterable[str]],
                 wrt: Optional[Iterable[str]] = None, *, jac: bool = False, **options: Any) -> None:
        self.system = system
        self.is_scalar = isinstance(objective, str)
        self.objectives: Tuple[str, ...] = (objective,) if isinstance(objective, str) else tuple(objective)
        known = tuple(q.name for q in system.wrt)
        if not known:
            raise ArgumentError("the system has no derivatives: model.system(wrt=[...])")
        chosen = known if wrt is None else (wrt,) if isinstance(wrt, str) else tuple(wrt)
        self._places = [find("number with derivatives", n, known) for n in chosen]
        self.wrt: Tuple[Quantity, ...] = tuple(system.wrt[i] for i in self._places)
        self.names: Tuple[str, ...] = chosen
        self.jac_too = jac
        self._options = {"contributions": False, "quick": True, **options}
        self._last: Optional[Tuple[bytes, int, Floats, Floats]] = None
        for name in self.names:
            system.get(name)  # tells of a number that cannot be set

    @property
    def x0(self) -> Floats:
        """Values of the numbers when the function was made, in the units of the file."""
        return np.array([float(q) for q in self.wrt])

    def _evaluate(self, x: Any) -> Tuple[Floats, Floats]:
        """Values (objectives) and Jacobian (objectives x numbers)."""
        x = numbers(np.atleast_1d(x), len(self.names), "x")
        system = self.system
        with system._gate.change():
            last, key = self._last, x.tobytes()
            if last is not None and last[0] == key and last[1] == system._version:
                return last[2], last[3]
            before, version = np.array([system.get(n) for n in self.names]), system._version
            try:
                system._set(self.names, x)
                with system.gradient(**self._options) as g:
                    rows = [find("objective", o, tuple(g.objectives)) for o in self.objectives]
                    for o in self.objectives:
                        if o in g.reasons:
                            raise NumericError(f"objective '{o}' has no derivatives: {g.reasons[o]}")
                    y, J = g.values[rows], g.matrix[np.ix_(rows, self._places)]
            finally:
                system._set(self.names, before)
                system._version = version
            self._last = (key, version, y, J)
            return y, J

    def __call__(self, x: Any) -> Any:
        y, J = self._evaluate(x)
        value: Value = float(y[0]) if self.is_scalar else y.copy()
        return (value, J[0].copy() if self.is_scalar else J.copy()) if self.jac_too else value

    def value_and_grad(self, x: Any) -> Tuple[Any, Floats]:
        """f(x) with its gradient (numbers), or with the Jacobian (objectives x numbers)."""
        y, J = self._evaluate(x)
        return (float(y[0]), J[0].copy()) if self.is_scalar else (y.copy(), J.copy())

    def jac(self, x: Any) -> Floats:
        """The gradient, or the Jacobian."""
        return self.value_and_grad(x)[1]

    def fwd(self, x: Any) -> Tuple[Any, Floats]:
        """First half of a custom reverse rule: (y, residuals). The residuals are the Jacobian."""
        y, J = self._evaluate(x)
        return (float(y[0]) if self.is_scalar else y.copy()), J.copy()

    def bwd(self, residuals: Floats, ybar: Any) -> Floats:
        """Second half: xbar = ybar J."""
        return np.atleast_1d(np.asarray(ybar, dtype=np.float64)) @ np.asarray(residuals)

    def jvp(self, x: Any, v: Any) -> Tuple[Any, Any]:
        """The forward rule: (y, J v)."""
        y, J = self._evaluate(x)
        dy = J @ numbers(np.atleast_1d(v), len(self.names), "v")
        return (float(y[0]), float(dy[0])) if self.is_scalar else (y.copy(), dy)

    def __repr__(self) -> str:
        return f"<Function {', '.join(self.objectives)} of {', '.join(self.names)}>"
