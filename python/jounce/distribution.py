# SPDX-License-Identifier: Apache-2.0
"""Distributions of the numbers of a sample: what Sweep takes in place of (from, to)."""
from __future__ import annotations

from dataclasses import dataclass
from math import inf


@dataclass(frozen=True)
class Uniform:
    """Between two ends, which is what (from, to) says, too."""

    low: float
    high: float


@dataclass(frozen=True)
class Normal:
    """By mean and deviation, cut off at the ends."""

    mean: float
    deviation: float
    low: float = -inf
    high: float = inf


@dataclass(frozen=True)
class Lognormal:
    """Likewise; mean and deviation are those of the value, not of its logarithm, before it is cut off."""

    mean: float
    deviation: float
    low: float = -inf
    high: float = inf


__all__ = ["Lognormal", "Normal", "Uniform"]
