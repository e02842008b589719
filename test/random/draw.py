# SPDX-License-Identifier: Apache-2.0
"""Draws: what the generator asks of chance. Everything follows from the seed."""
from __future__ import annotations

import math
import random

Vector = list[float]


class Draw:
    def __init__(self, seed: int):
        self.random = random.Random(seed)

    def uniform(self, low: float, high: float) -> float:
        """Rounded to four figures, so that files can be read."""
        return float(f"{self.random.uniform(low, high):.4g}")

    def log(self, low: float, high: float) -> float:
        return float(f"{math.exp(self.random.uniform(math.log(low), math.log(high))):.4g}")

    def signed(self, low: float, high: float) -> float:
        return self.uniform(low, high)*self.random.choice((-1, 1))

    def count(self, low: int, high: int) -> int:
        return self.random.randint(low, high)

    def chance(self, p: float) -> bool:
        return self.random.random() < p

    def one(self, items):
        return self.random.choice(list(items))

    def some(self, items, n: int) -> list:
        items = list(items)
        return self.random.sample(items, min(n, len(items)))

    def weighted(self, weights: dict):
        return self.random.choices(list(weights), list(weights.values()))[0]

    def vector(self, size: float) -> Vector:
        return [self.uniform(-size, size) for _ in range(3)]

    def direction(self) -> Vector:
        """Along an axis as often as askew."""
        if self.chance(0.5):
            axis = [0.0, 0.0, 0.0]
            axis[self.count(0, 2)] = float(self.one((-1, 1)))
            return axis
        while True:
            v = self.vector(1)
            if 0.3 < norm(v) < 1:
                return v

    def frame(self) -> tuple[Vector, Vector, Vector]:
        """A right-handed orthonormal frame u, v, n; half of them aligned with the axes."""
        if self.chance(0.5):
            return [1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]
        n = unit(self.direction())
        u = unit(cross(n, [0.31, 0.47, 0.83]))
        return u, cross(n, u), n


def add(a: Vector, b: Vector) -> Vector:
    return [x + y for x, y in zip(a, b)]


def sub(a: Vector, b: Vector) -> Vector:
    return [x - y for x, y in zip(a, b)]


def scale(k: float, a: Vector) -> Vector:
    return [k*x for x in a]


def dot(a: Vector, b: Vector) -> float:
    return sum(x*y for x, y in zip(a, b))


def cross(a: Vector, b: Vector) -> Vector:
    return [a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]]


def norm(a: Vector) -> float:
    return math.sqrt(dot(a, a))


def unit(a: Vector) -> Vector:
    return scale(1/norm(a), a)
