# SPDX-License-Identifier: Apache-2.0
"""Derivatives of a function known by its values: central differences, extrapolated to zero.

Ridders' scheme: differences at increments halved again and again fill a Neville tableau, and how far
neighbours in it are apart tells the error. Increments that straddle an event order or drown in the
noise of the integration show by a tableau that does not settle; then there is no reference. Neither is
there one at a corner: central differences would settle at the mean of both sides.
"""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Callable

Values = dict[str, float]
LEVELS = 7
SAFETY = 2.0


SAMPLES = 4       # on either side, to measure noise, ...
ORDER = 4         # ... by differences of this order: what is smooth leaves nothing in them
DEVIATIONS = 3.0  # a difference is off by about one standard deviation of the values over its increment
KNOWN = 1e-10     # of a derivative: an extrapolation that settles closer does so by chance, with runs at 1e-12


@dataclass
class Estimate:
    value: float
    error: float
    noisy: bool = False     # the error is that of noise, not of a tableau that does not settle
    corner: bool = False    # the derivatives of both sides differ

    def settled(self, scale: float) -> bool:
        """Good enough to judge by; `scale` is the natural size of the derivative."""
        return not self.corner and (self.noisy or self.error <= 1e-3*abs(self.value) + 1e-6*scale)


def derivatives(f: Callable[[float], Values | None], x: float, first: float, noise: Values,
                enough: Callable[[str, Estimate], bool], centre: Values | None = None) -> dict[str, Estimate]:
    """Of all components of f at x; levels are added until `enough` says so of each component.

    `noise` is how far values of f are from being smooth, `centre` is f(x) where it is known."""
    tableaus: dict[str, list[list[float]]] = {}
    bends: dict[str, list[float]] = {}
    best: dict[str, Estimate] = {}
    h = first
    for _ in range(LEVELS):
        above, below = f(x + h), f(x - h)
        if above is not None and below is not None:
            for name in above:
                difference = (above[name] - below[name])/(2*h)
                doubt = (noise[name] + 1e-15*abs(above[name]))/h
                _extend(tableaus.setdefault(name, []), difference)
                _improve(best, name, tableaus[name], doubt)
                if centre:
                    bends.setdefault(name, []).append((above[name] - 2*centre[name] + below[name])/h)
                    best[name].corner = _is_corner(bends[name], best[name], doubt)
            hopeless = lambda n: noise[n]/h > best[n].error
            if len(next(iter(tableaus.values()))) >= 3 and all(
                    enough(n, e) or hopeless(n) for n, e in best.items()):
                break
        else:
            tableaus.clear()
            bends.clear()
        h /= 2
    for e in best.values():
        e.error = max(e.error, KNOWN*abs(e.value))
    return best


def noise_of(f: Callable[[float], Values | None], x: float, spacing: float, centre: Values) -> Values:
    """How far values of f about x are from being smooth, three standard deviations; nothing where f has no values there.

    Hamming's difference table: values that vary independently by sigma leave sigma sqrt(binomial(2 k, k)) in differences
    of order k, and a smooth function a power k of the spacing. Two runs at different tolerances do not tell the noise: they may
    take the same steps and find events at the same instants by chance."""
    row = [centre if k == 0 else f(x + k*spacing) for k in range(-SAMPLES, SAMPLES + 1)]
    if any(v is None for v in row):
        return {}
    found = {}
    for name in centre:
        left = [v[name] for v in row]
        for _ in range(ORDER):
            left = [b - a for a, b in zip(left, left[1:])]
        square = sum(d*d for d in left)/len(left)/math.comb(2*ORDER, ORDER)
        found[name] = DEVIATIONS*math.sqrt(square)
    return found


def _is_corner(bends: list[float], e: Estimate, doubt: float) -> bool:
    """The difference of both one-sided quotients vanishes with the increment, but at a corner."""
    if len(bends) < 3:
        return False
    last = bends[-1]
    steady = all(abs(b - last) < 0.3*abs(last) for b in bends[-3:])
    return steady and abs(last) > 1e-6*abs(e.value) + 20*doubt


def _extend(rows: list[list[float]], difference: float) -> None:
    row = [difference]
    factor = 1.0
    for left in (rows[-1] if rows else []):
        factor *= 4
        row.append(row[-1] + (row[-1] - left)/(factor - 1))
    rows.append(row)


def _improve(best: dict[str, Estimate], name: str, rows: list[list[float]], doubt: float) -> None:
    """The entry of the last row that differs least from its neighbours."""
    if len(rows) < 2:
        best[name] = Estimate(rows[0][0], math.inf)
        return
    row, before = rows[-1], rows[-2]
    for i in range(1, len(row)):
        spread = SAFETY*max(abs(row[i] - row[i - 1]), abs(row[i] - before[i - 1]))
        if spread + doubt < best[name].error:
            best[name] = Estimate(row[i], spread + doubt, spread < 3*doubt, best[name].corner)
