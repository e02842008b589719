# SPDX-License-Identifier: Apache-2.0
"""Closed loops, consistent by construction: drawn closed in the design position, with freedom left.

Hardpoints of planar loops that a ball or a hinge closes are not differentiated by: their redundant
equations hold in the plane only.
"""
from __future__ import annotations

from draw import Vector, add, cross, norm, scale, sub
from model import Body, Model
import trees


def plane(m: Model, mount: str, size: float):
    """Maps (along u, along v) to a place; and u, v and the normal."""
    u, v, n = m.draw.frame()
    origin = add(m.bodies[mount].com if mount in m.bodies else [0.0, 0.0, 0.0], m.draw.vector(0.2))
    return lambda a, b: add(origin, add(scale(size*a, u), scale(size*b, v))), u, v, n


def add_rod(m: Model, parent: str, a: Vector, b: Vector) -> Body:
    middle = [float(f"{x:.9g}") for x in scale(0.5, add(a, b))]
    return m.body(parent, middle, mass=m.draw.uniform(0.4, 3), plain=True)


def _pin_kind(m: Model) -> str:
    """One of three ways to close a planar loop; the first leaves nothing redundant."""
    kind = m.draw.weighted({"point_on_line": 3, "ball": 1, "revolute": 1})
    if kind != "point_on_line":
        m.features.add("redundant equations")
    return kind


def add_pin(m: Model, kind: str, a: str, b: str, n: Vector) -> None:
    if kind == "point_on_line":
        m.closure(kind, 2, line={"point": a, "direction": list(n)}, point=b)
    elif kind == "ball":
        m.closure(kind, 2, a=a, b=b)
    else:
        m.closure(kind, 2, a=a, b=b, axis_a=list(n), axis_b=list(n))


def four_bar(m: Model, mount: str) -> None:
    draw = m.draw
    pin = _pin_kind(m)
    free = pin == "point_on_line"
    place, _, _, n = plane(m, mount, draw.uniform(0.2, 0.5))
    square = draw.chance(0.3)
    corners = [(0, 0), (0.1, 0.5), (1.1, 0.5), (1, 0)] if square else [
        (0, 0), (draw.uniform(-0.2, 0.3), draw.uniform(0.3, 0.6)),
        (draw.uniform(0.8, 1.1), draw.uniform(0.5, 0.9)), (1, draw.uniform(-0.1, 0.1))]
    m.features.add("parallelogram" if square else "four-bar")
    p = [m.hardpoint(place(*c), free and not square) for c in corners]
    at = [m.places[x] for x in p]
    crank = add_rod(m, mount, at[0], at[1])
    coupler = add_rod(m, crank.name, at[1], at[2])
    rocker = add_rod(m, mount, at[3], at[2])
    for body, hp in ((crank, p[0]), (coupler, p[1]), (rocker, p[3])):
        m.joint("revolute", body, hp, axis=list(n))
    add_pin(m, pin, f"{coupler.name}.{p[2]}", f"{rocker.name}.{p[2]}", n)


def slider_crank(m: Model, mount: str) -> None:
    draw = m.draw
    pin = _pin_kind(m)
    free = pin == "point_on_line"
    m.features.add("slider-crank")
    place, u, _, n = plane(m, mount, draw.uniform(0.2, 0.5))
    p = [m.hardpoint(place(*c), free) for c in
         ((0, 0), (draw.uniform(-0.3, 0.3), draw.uniform(0.3, 0.5)), (draw.uniform(1, 1.4), 0))]
    at = [m.places[x] for x in p]
    crank = add_rod(m, mount, at[0], at[1])
    rod = add_rod(m, crank.name, at[1], at[2])
    slider = m.body(mount, at[2], mass=draw.uniform(0.5, 4), plain=True)
    m.joint("revolute", crank, p[0], axis=list(n))
    m.joint("revolute", rod, p[1], axis=list(n))
    m.joint("prismatic", slider, p[2], axis=list(u))
    add_pin(m, pin, f"{slider.name}.{p[2]}", f"{rod.name}.{p[2]}", n)


def spatial_four_bar(m: Model, mount: str) -> None:
    """Cranks about askew axes and a coupler with a universal or a ball joint."""
    draw = m.draw
    m.features.add("spatial four-bar")
    origin = m.bodies[mount].com if mount in m.bodies else [0.0, 0.0, 0.0]
    jitter = lambda v: add(origin, add(v, draw.vector(0.05)))
    p = [m.hardpoint(jitter(v)) for v in
         ([0, 0, 0], [0, 0, 0.15], [0.4, 0.4, 0.3], [0.4, 0.4, 0])]
    at = [m.places[x] for x in p]
    crank = add_rod(m, mount, at[0], at[1])
    coupler = add_rod(m, crank.name, at[1], at[2])
    rocker = add_rod(m, mount, at[3], at[2])
    m.joint("revolute", crank, p[0], axis=m.vector([1, draw.uniform(-0.2, 0.2), 0.1], 1))
    if draw.chance(0.5):
        m.joint("universal", coupler, p[1], axis=[1.0, 0.1, 0.0], axis2=[0.1, -1.0, 2.0])
    else:
        m.joint("spherical", coupler, p[1])
    m.joint("revolute", rocker, p[3], axis=m.vector([0.1, 1, draw.uniform(-0.2, 0.2)], 1))
    m.closure("ball", 3, a=f"{coupler.name}.{p[2]}", b=f"{rocker.name}.{p[2]}")


def ring(m: Model, mount: str) -> None:
    """Three bodies askew, closed between the second and the third by a closure of any type."""
    draw = m.draw
    m.features.add("askew ring")
    origin = m.bodies[mount].com if mount in m.bodies else [0.0, 0.0, 0.0]
    places = ([0.02, -0.03, 0.01], [0.1, 0.05, 0.4], [0.7, 0.2, 0.5], [0.75, 0.1, 0.05])
    p = [m.hardpoint(add(origin, add(v, draw.vector(0.06)))) for v in places]
    at = [m.places[x] for x in p]
    kind, second, third = draw.one((
        ("ball", "spherical", "revolute"), ("ball", "universal", "revolute"),
        ("point_on_line", "universal", "revolute"), ("revolute", "spherical", "universal"),
        ("distance", "universal", "revolute"), ("distance", "spherical", "prismatic"),
        ("parallel", "spherical", "universal"), ("perpendicular", "universal", "revolute"),
        ("perpendicular", "cylindrical", "universal")))
    left = add_rod(m, mount, at[0], at[1])
    middle = add_rod(m, left.name, at[1], at[2])
    right = add_rod(m, mount, at[3], at[2])
    m.joint("revolute", left, p[0], axis=m.vector([0.3, -0.9, 0.2], 1))
    m.joint(second, middle, p[1], **trees.axes(m, second))
    m.joint(third, right, p[3], **trees.axes(m, third))
    _close(m, kind, middle.name, right.name, p[2])


def _close(m: Model, kind: str, a: str, b: str, hp: str) -> None:
    v = m.draw.vector(1)
    if kind == "ball":
        m.closure(kind, 3, a=f"{a}.{hp}", b=f"{b}.{hp}")
    elif kind == "revolute":
        m.closure(kind, 5, a=f"{a}.{hp}", b=f"{b}.{hp}", axis_a=[0.4, 0.5, -0.7], axis_b=[0.4, 0.5, -0.7])
    elif kind == "point_on_line":
        m.closure(kind, 2, line={"point": f"{b}.{hp}", "direction": [0.3, -0.8, 0.5]}, point=f"{a}.{hp}")
    elif kind == "distance":
        tie(m, a, b)
    elif kind == "parallel":
        m.tree["bodies"][a]["vectors"] = {"v": v}
        m.tree["bodies"][b]["vectors"] = {"v": v}
        m.closure(kind, 2, a=f"{a}.v", b=f"{b}.v")
    else:
        w = cross(v, [0.31, -0.42, 0.77])
        m.tree["bodies"][a]["vectors"] = {"v": v}
        m.tree["bodies"][b]["vectors"] = {"v": w}
        m.closure(kind, 1, a=f"{a}.v", b=f"{b}.v")


def tie(m: Model, a: str, b: str) -> None:
    """A massless rod between two bodies; its length is that of the design or given."""
    first, at_a = m.near(a)
    second, at_b = m.near(b)
    while norm(sub(at_a, at_b)) < 0.15:
        second, at_b = m.near(b, 0.4)
    keys = {"a": first, "b": second}
    if m.draw.chance(0.5):
        keys["length"] = m.number(float(f"{norm(sub(at_a, at_b)):.6g}"))
    m.closure("distance", 1, **keys)


def rod_to_ground(m: Model, mount: str) -> None:
    """A limb tied to the ground by a rod."""
    m.features.add("distance rod")
    body, _ = trees.limb(m, m.draw.one(("spherical", "universal", "planar", "cylindrical")), mount)
    tie(m, body.name, "ground")


def wishbone(m: Model, mount: str) -> None:
    """A corner of a car: two arms, an upright between them, a tie rod."""
    draw = m.draw
    m.features.add("wishbone corner")
    origin = m.bodies[mount].com if mount in m.bodies else [0.0, 0.0, 0.0]
    jitter = lambda v: add(origin, add(v, draw.vector(0.02)))
    pl, pu, bl, bu, tm, tw = (m.hardpoint(jitter(v)) for v in (
        [0, 0.3, 0.2], [0, 0.35, 0.5], [0.0, 0.7, 0.2], [-0.02, 0.65, 0.5],
        [-0.12, 0.3, 0.28], [-0.12, 0.68, 0.28]))
    lower = add_rod(m, mount, m.places[pl], m.places[bl])
    upright = add_rod(m, lower.name, m.places[bl], m.places[bu])
    upper = add_rod(m, mount, m.places[pu], m.places[bu])
    m.joint("revolute", lower, pl, axis=m.vector([1, draw.uniform(-0.1, 0.1), 0], 1))
    m.joint("spherical", upright, bl)
    m.joint("revolute", upper, pu, axis=m.vector([1, 0, draw.uniform(-0.1, 0.1)], 1))
    m.closure("ball", 3, a=f"{upright.name}.{bu}", b=f"{upper.name}.{bu}")
    m.closure("distance", 1, a=f"{mount}.{tm}", b=f"{upright.name}.{tw}")


TEMPLATES = {four_bar: 4, slider_crank: 4, spatial_four_bar: 2, ring: 5, rod_to_ground: 3, wishbone: 2}


def add_loop(m: Model) -> None:
    """A loop on the ground, on a body that moves, or on one that is driven."""
    draw = m.draw
    mount = "ground"
    if draw.chance(0.4):
        body, coordinates = trees.limb(m, draw.one(("prismatic", "revolute")), "ground")
        mount = body.name
        if draw.chance(0.3):
            m.features.add("loop on a driven body")
            coordinates[0].driven = True
    before = len(m.coordinates)
    draw.weighted(TEMPLATES)(m, mount)
    for c in m.coordinates[before:]:
        c.looped = True
