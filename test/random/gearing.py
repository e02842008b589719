# SPDX-License-Identifier: Apache-2.0
"""Couplings between coordinates, joints of every type as closures, drives by velocities and states, and rods
without mass."""
from __future__ import annotations

from draw import add, scale
from leaves import Formula
import loops
import trees
from model import Body, Coordinate, Model


# ---- couplings

def _turns(m: Model, n: int) -> list[Coordinate]:
    """Coordinates that turn, of new bodies; one may stand on the other."""
    made = []
    for _ in range(n):
        parent = m.draw.one(["ground", *m.bodies])
        made += trees.limb(m, "revolute", parent)[1]
    return made


def _add(m: Model, entry: dict, relations: int, coordinates: list[Coordinate]) -> None:
    name = f"k{len(m.tree['couplings'])}"
    single = relations == 1
    if single and "of" not in entry and m.draw.chance(0.3):
        entry["offset"] = m.number(m.draw.uniform(-0.02, 0.02), 0.05)
    m.tree["couplings"][name] = entry
    m.features.add(f"coupling {next(iter(entry))}")
    m.equations += relations
    m.couplings.append(f"{name}.force" if single else f"{name}.force{m.draw.count(1, relations)}")
    for c in coordinates:
        c.looped = True


def gear(m: Model) -> None:
    a, b = _turns(m, 2)
    _add(m, {"gear": [a.name, b.name], "ratio": m.number(m.draw.signed(0.3, 3))}, 1, [a, b])


def rack(m: Model) -> None:
    (pinion,), (slide,) = _turns(m, 1), trees.limb(m, "prismatic", "ground")[1]
    _add(m, {"rack_and_pinion": {"pinion": pinion.name, "rack": slide.name,
                                 "radius": m.number(m.draw.signed(0.05, 0.4))}}, 1, [pinion, slide])


def screw(m: Model) -> None:
    _, (slide, angle) = trees.limb(m, "cylindrical", m.draw.one(["ground", *m.bodies]))
    lead = m.number(m.draw.signed(0.1, 2))
    joint = slide.name.partition(".")[0]
    entry = {"joint": joint, "lead": lead} if m.draw.chance(0.5) else {
        "angle": angle.name, "slide": slide.name, "lead": lead}
    _add(m, {"screw": entry}, 1, [slide, angle])


def differential(m: Model) -> None:
    first, left, right = _turns(m, 3)
    locked = m.draw.chance(0.3)
    entry = {"input": first.name, "outputs": [left.name, right.name], "ratio": m.number(m.draw.signed(0.5, 4))}
    if locked:
        entry["locked"] = True
    _add(m, {"differential": entry}, 2 if locked else 1, [first, left, right])


def belt(m: Model) -> None:
    pulleys = _turns(m, m.draw.count(2, 3))
    radii = [m.number(m.draw.signed(0.1, 0.4), free=False) for _ in pulleys]
    _add(m, {"belt": {"pulleys": [c.name for c in pulleys], "radii": radii}}, len(pulleys) - 1, pulleys)


def linear(m: Model) -> None:
    kind = m.draw.one(("spherical", "universal", "planar"))
    chosen = m.draw.some(trees.limb(m, kind, "ground")[1], 2) + _turns(m, 1)
    of = {c.name: m.number(m.draw.signed(0.3, 2)) for c in chosen}
    _add(m, {"of": of, "equals": m.number(m.draw.uniform(-0.03, 0.03), 0.05)}, 1, chosen)


COUPLINGS = {gear: 3, rack: 3, screw: 3, differential: 3, belt: 2, linear: 3}


def couple(m: Model) -> None:
    m.tree.setdefault("couplings", {})
    for _ in range(m.draw.count(1, 2)):
        if len(m.coordinates) < 6:
            m.draw.weighted(COUPLINGS)(m)


# ---- closures

def ring(m: Model) -> None:
    """Three bodies askew, closed between the second and the third."""
    draw = m.draw
    places = ([0.02, -0.03, 0.01], [0.1, 0.05, 0.4], [0.7, 0.2, 0.5], [0.75, 0.1, 0.05])
    p = [m.hardpoint(add(v, draw.vector(0.06))) for v in places]
    kind, second, third = draw.one((
        ("point_in_plane", "universal", "revolute"), ("point_in_plane", "spherical", "prismatic"),
        ("universal", "spherical", "universal"), ("cylindrical", "spherical", "universal"),
        ("prismatic", "spherical", "planar"), ("fixed", "spherical", "free")))
    left = loops.add_rod(m, "ground", m.places[p[0]], m.places[p[1]])
    middle = loops.add_rod(m, left.name, m.places[p[1]], m.places[p[2]])
    right = loops.add_rod(m, "ground", m.places[p[3]], m.places[p[2]])
    m.joint("revolute", left, p[0], axis=m.vector([0.3, -0.9, 0.2], 1))
    m.joint(second, middle, p[1], **trees.axes(m, second))
    m.joint(third, right, p[3], **trees.axes(m, third))
    a, b, axis = f"{middle.name}.{p[2]}", f"{right.name}.{p[2]}", [0.4, 0.5, -0.7]
    if kind == "point_in_plane":
        m.closure(kind, 1, plane={"point": b, "normal": [0.3, -0.8, 0.5]}, point=a)
    elif kind == "universal":
        m.closure(kind, 4, a=a, b=b, axis_a=axis, axis_b=[0.5, 0.3, 0.5])
    elif kind == "cylindrical":
        m.closure(kind, 4, a=a, b=b, axis_a=axis, axis_b=axis)
    elif kind == "prismatic":
        m.closure(kind, 5, a=a, b=b, axis_a=axis)
    else:
        m.closure(kind, 6, a=a, b=b)
    for c in m.coordinates:
        c.looped = True


# ---- drives

def _set_drive(m: Model, c: Coordinate, entry: dict) -> None:
    c.driven = c.held = c.given = True
    joint, _, suffix = c.name.partition(".")
    at = m.tree["joints"][joint]
    if suffix:
        at.setdefault("drive", {})[suffix] = entry
    else:
        at["drive"] = entry
    m.powers.append(f"{c.name}.drive_force*{c.name}.rate")


def _velocity(m: Model, c: Coordinate, end: float, size: float) -> None:
    """A rate of time, of where something stands, of a state; with a jump now and then."""
    others = [q for q in m.free() if q is not c]
    text, numbers = "{0}*cos({1}*t)", [m.number(size*6), m.number(m.draw.uniform(3, 10))]
    if others and m.draw.chance(0.5):
        m.features.add("velocity of positions")
        text += f" + {{2}}*({m.draw.one(others).name} - {{3}})"
        numbers += [m.number(m.draw.uniform(-0.5, 0.5), 0.5), m.number(0.0, 0.1)]
    if m.draw.chance(0.3):
        m.features.add("driven velocity that jumps")
        m.jumps = True
        n = len(numbers)
        text += f" + if(t < {{{n}}}, 0, {{{n + 1}}})"
        numbers += [m.number(float(f"{end*m.draw.uniform(0.2, 0.6):.3g}"), 0.1), m.number(size)]
    start = m.number(float(f"{c.design + m.draw.uniform(-size, size):.5g}"), size)
    _set_drive(m, c, {"velocity": Formula(text, numbers), "from": start})
    m.features.add("drive velocity")


def _position(m: Model, c: Coordinate, size: float) -> None:
    """Two states in a row: the second follows time, and perhaps a velocity."""
    n = len(m.tree["states"])
    x, v = f"x{n}", f"v{n}"
    lag = m.number(m.draw.uniform(0.05, 0.3))
    others = [q for q in m.free() if q is not c]
    follows = f" + {{3}}*{m.draw.one(others).name}.rate" if others and m.draw.chance(0.5) else ""
    m.tree["states"][x] = {"derivative": v, "initial": m.number(m.draw.uniform(-size, size), size), "hold": True}
    m.tree["states"][v] = {"derivative": m.formula(
        f"({{1}}*sin({{2}}*t){follows} - {x})/{{0}}^2 - 2*{v}/{{0}}", lag, m.number(size),
        m.number(m.draw.uniform(3, 10)), m.number(size)), "hold": True}
    design = f"{{1}} + {{0}}*{x}" if c.design else f"{{0}}*{x}"
    numbers = [m.number(m.draw.signed(0.5, 1.5))] + ([m.number(c.design, 0.1)] if c.design else [])
    _set_drive(m, c, {"position": Formula(design, numbers)})
    m.features.add("drive by states")


def drive(m: Model, end: float) -> None:
    drive_of(m, m.draw.one(m.free()), end)


def drive_of(m: Model, c: Coordinate, end: float) -> None:
    size = m.draw.uniform(0.01, 0.03) if c.is_length else m.draw.uniform(0.05, 0.15)
    if m.draw.chance(0.5):
        _velocity(m, c, end, size)
    else:
        _position(m, c, size)


# ---- rods without mass

def _light(m: Model, parent: str, a: str, b: str) -> Body:
    return m.massless(parent, scale(0.5, add(m.places[a], m.places[b])))


def massless_rods(m: Model) -> None:
    """A lever with mass on the ground, and a second one, joined by rods without."""
    draw = m.draw
    jitter = lambda v: m.hardpoint(add(v, draw.vector(0.04)))
    if draw.chance(0.5):
        m.features.add("massless coupler")
        p = [jitter(v) for v in ([0, 0, 0], [0, 0, 0.25], [0.4, 0.3, 0.35], [0.4, 0.4, 0])]
        crank = loops.add_rod(m, "ground", m.places[p[0]], m.places[p[1]])
        coupler = _light(m, crank.name, p[1], p[2])
        rocker = loops.add_rod(m, "ground", m.places[p[3]], m.places[p[2]])
        m.joint("revolute", crank, p[0], axis=m.vector([1, draw.uniform(-0.2, 0.2), 0.1], 1))
        m.joint("universal", coupler, p[1], axis=[1.0, 0.1, 0.0], axis2=[0.1, -1.0, 2.0])
        m.joint("revolute", rocker, p[3], axis=m.vector([0.1, 1, draw.uniform(-0.2, 0.2)], 1))
        m.closure("ball", 3, a=f"{coupler.name}.{p[2]}", b=f"{rocker.name}.{p[2]}")
    else:
        m.features.add("massless rods of an upright")
        body, _ = trees.limb(m, "free", "ground")
        for _ in range(draw.count(1, 4)):
            b, at = m.near(body.name, 0.3)
            b = b.partition(".")[2]
            a = m.hardpoint(add(at, [draw.uniform(-0.1, 0.1), 0.5, draw.uniform(-0.1, 0.1)]))
            rod = _light(m, "ground", a, b)
            m.joint("universal", rod, a, axis=[1.0, 0.05, 0.1], axis2=[0.05, 0.1, 1.0])
            m.closure("ball", 3, a=f"{rod.name}.{b}", b=f"{body.name}.{b}")
    for c in m.coordinates:
        c.looped = True
