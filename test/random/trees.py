# SPDX-License-Identifier: Apache-2.0
"""Open trees: bodies one on the other by joints of every type, askew as chance has it."""
from __future__ import annotations

from draw import add, cross, norm
from model import SUFFIXES, Body, Coordinate, Model

TYPES = {"revolute": 4, "prismatic": 4, "cylindrical": 2, "universal": 2, "spherical": 2,
         "planar": 2, "free": 1, "fixed": 1}


def grow(m: Model, room: int, bodies: int) -> None:
    """Up to `bodies` more bodies with up to `room` coordinates."""
    for _ in range(bodies):
        left = room - len(m.coordinates)
        allowed = {k: w for k, w in TYPES.items() if len(SUFFIXES[k]) <= left}
        if not m.coordinates:
            allowed.pop("fixed", None)
        if allowed:
            limb(m, m.draw.weighted(allowed), m.draw.one(["ground", *m.bodies]))


def limb(m: Model, kind: str, parent: str) -> tuple[Body, list[Coordinate]]:
    """A body on `parent` by a joint of this kind."""
    draw = m.draw
    start = m.bodies[parent].com if parent in m.bodies else [0.0, 0.0, 0.0]
    at = m.hardpoint(add(start, draw.vector(0.4)))
    body = m.body(parent, add(m.places[at], draw.vector(0.15)))
    return body, m.joint(kind, body, at, **axes(m, kind))


def axes(m: Model, kind: str) -> dict:
    """Directions the type needs; the second one across the first."""
    if kind in ("fixed", "spherical", "free"):
        return {}
    first = m.draw.direction()
    keys = {"axis": m.vector(first, 1.0)}
    if kind in ("universal", "planar"):
        second = cross(first, m.draw.vector(1))
        while norm(second) < 0.2:
            second = cross(first, m.draw.vector(1))
        keys["axis2"] = m.vector([float(f"{x:.6g}") for x in second], 1.0, free=kind == "universal")
    return keys


def hold(m: Model, share: float = 1.0) -> None:
    """Springs and dampers on the coordinates, so that energies stay low and motions die out."""
    for c in m.free():
        if c.held:
            continue
        c.held = True
        inertia = c.inertia()
        omega = 6.283*m.draw.uniform(1.5, 5)
        entry = {"on": c.name, "damping": m.number(float(f"{2*m.draw.uniform(0.1, 0.6)*omega*inertia:.4g}"))}
        if m.draw.chance(share):
            entry["stiffness"] = m.number(float(f"{inertia*omega**2:.4g}"))
            if c.design:
                entry["free"] = m.number(c.design, 0.2)
        m.force(entry, "on a coordinate", "hold")
