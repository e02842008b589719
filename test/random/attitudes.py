# SPDX-License-Identifier: Apache-2.0
"""Orders of angles, and bodies that take any attitude: turned far and spinning."""
from __future__ import annotations

import elements
import trees
from draw import Draw, add
from model import Model

ORDERS = ("xyz", "xzy", "yxz", "yzx", "zxy", "zyx")
TWICE = ("xyx", "xzx", "yxy", "yzy", "zxz", "zyz")


def orders(m: Model, draw: Draw) -> None:
    """Other orders of angles for some joints that have them; motions stay near the design position."""
    for joint in m.tree["joints"].values():
        if joint["type"] in ("free", "spherical") and "angles" not in joint and draw.chance(0.3):
            joint["angles"] = draw.one(ORDERS)
            m.features.add("order of angles")


def _turned(m: Model, coordinates: list) -> None:
    """The last three coordinates of a joint are angles of any size. Nothing may act on them."""
    angles = coordinates[-3:]
    most = m.draw.one((1.0, 3.0, 12.0))
    rates = [m.draw.uniform(-most, most) for _ in range(3)]
    for c, size, rate in zip(angles, (3.0, 1.2, 3.0), rates):
        m.tree["initial"][c.name] = {"value": m.number(float(f"{m.draw.uniform(-size, size):.5g}"), 1.0),
                                     "rate": m.number(float(f"{rate:.5g}"), most)}
        m.coordinates.remove(c)
    m.features.add("any attitude")


def _limb(m: Model, kind: str, parent: str) -> str:
    start = m.bodies[parent].com if parent in m.bodies else [0.0, 0.0, 0.0]
    at = m.hardpoint(add(start, m.draw.vector(0.4)))
    body = m.body(parent, add(m.places[at], m.draw.vector(0.15)))
    angles = m.draw.weighted({"any": 5, "twice": 1})
    if angles == "any":
        _turned(m, m.joint(kind, body, at, angles="any"))
        return body.name
    # about one axis twice: away from where it locks, and not for long
    made = m.joint(kind, body, at, angles=m.draw.one(TWICE))
    name = made[0].name.partition(".")[0]
    del m.coordinates[-3:]
    m.tree["initial"][f"{name}.b"] = {"value": m.number(float(f"{m.draw.uniform(0.8, 2.2):.5g}"), 1.0), "rate": 0.0}
    m.tree["initial"][f"{name}.a"] = {"value": 0.0, "rate": m.number(m.draw.uniform(-1, 1), 1.0)}
    m.features.add("angles about one axis twice")
    return body.name


def tumble(m: Model) -> None:
    """One or two bodies of any attitude, perhaps with an ordinary limb, tied by springs between points."""
    first = _limb(m, m.draw.one(("free", "spherical")), "ground")
    if m.draw.chance(0.4):
        _limb(m, "spherical", first)
    if m.draw.chance(0.4):
        trees.limb(m, m.draw.one(("revolute", "prismatic")), m.draw.one(list(m.bodies)))
    trees.hold(m)
    for _ in range(m.draw.count(0, 2)):
        elements.between(m)
