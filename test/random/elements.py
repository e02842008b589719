# SPDX-License-Identifier: Apache-2.0
"""Force elements of every kind, with tables and stops, sized to what they act on."""
from __future__ import annotations

from draw import norm, sub
from leaves import Number
from model import Coordinate, Model
from seeds import WITH_BUSHES, WITH_WORDS


def _stiffness(m: Model, inertia: float) -> float:
    omega = 6.283*m.draw.uniform(1, 5)
    return float(f"{inertia*omega**2:.4g}")


def _damping(m: Model, stiffness: float) -> float:
    """Of an oscillator of some hertz."""
    return float(f"{stiffness*m.draw.uniform(0.005, 0.06):.4g}")


def _table(m: Model, width: float, height: float, centre: float = 0.0) -> str:
    """A rising curve, nearly through (centre, 0); no corner stands just where a model may rest."""
    draw = m.draw
    name = f"curve{len(m.tree['tables'])}"
    x = [-width, -0.4*width, 0.09*width, 0.4*width, width]
    y = [-height*draw.uniform(0.7, 1.3), -0.4*height*draw.uniform(0.6, 1.4), 0.09*height,
         0.4*height*draw.uniform(0.6, 1.4), height*draw.uniform(0.7, 1.3)]
    entry = {"x": [float(f"{centre + v:.6g}") for v in x],
             "y": [m.number(float(f"{v:.4g}"), height) for v in y]}
    if draw.chance(0.6):
        entry["interpolation"] = "cubic"
        m.features.add("table cubic")
    else:
        m.features.add("table linear")
    if draw.chance(0.3):
        entry["extrapolation"] = "hold"
    m.tree["tables"][name] = entry
    return name


def _stops(m: Model, entry: dict, stiffness: float, middle: float, reach: float, key: str) -> None:
    """Beside the middle, so that some are met and some are not."""
    for side, sign in (("bump_stop", -1), ("rebound_stop", 1)):
        if not m.draw.chance(0.6):
            continue
        stop = {key: m.number(float(f"{middle + sign*reach*m.draw.uniform(0.3, 1.5):.5g}"), reach),
                "stiffness": m.number(float(f"{stiffness*m.draw.uniform(1, 5):.4g}"))}
        m.features.add(side)
        if m.draw.chance(0.4):
            stop["exponent"] = m.number(m.draw.uniform(5, 30))
            stop["stiffness"].value *= 0.05
            m.features.add("stop with exponent")
        entry[side] = stop


def _laws(m: Model, entry: dict, inertia: float, design: float, key: str, reach: float) -> None:
    """Some of what an element between points or on a coordinate may have."""
    draw = m.draw
    stiffness = _stiffness(m, inertia)
    free = "free_length" if key == "length" else "free"
    laws = draw.some(("spring", "damping", "preload", "spring table", "damper table", "stops",
                      "expression"), draw.count(1, 3))
    if "spring" in laws:
        entry["stiffness"] = m.number(stiffness)
        entry[free] = m.number(float(f"{design + draw.uniform(-0.3, 0.3)*reach:.5g}"), reach)
    if "damping" in laws or "spring" in laws or laws == ["stops"]:
        entry["damping"] = m.number(_damping(m, stiffness))
    if "preload" in laws:
        entry["preload"] = m.number(float(f"{stiffness*reach*draw.uniform(-0.3, 0.3):.4g}"), stiffness*reach)
    if "spring table" in laws:
        entry["spring"] = _table(m, 2*reach, stiffness*reach, design)
    if "damper table" in laws:
        entry["damper"] = _table(m, 10*reach, stiffness*reach*0.5)
    if "stops" in laws:
        _stops(m, entry, stiffness, design, reach, key)
    if "expression" in laws:
        x = "length" if key == "length" else "angle"
        entry["force"] = m.formula(
            draw.one(("{0}*(%s - {1})^3 + {2}*rate", "{0}*tanh(3*(%s - {1})) + {2}*rate/(1 + abs(rate))",
                      "{0}*max(%s - {1}, 0) + {2}*rate")) % x,
            stiffness, m.number(float(f"{design + draw.uniform(-0.1, 0.1)*reach:.5g}"), reach),
            _damping(m, stiffness))
    for law in laws:
        m.features.add(f"element with {law}")


def between(m: Model) -> str | None:
    """An element between points of two bodies, or of one and the ground."""
    ends = m.draw.some(["ground", *(b for b in m.bodies if m.bodies[b].mass)], 2)
    if len(ends) < 2:
        return None
    first, at_a = m.near(ends[0])
    second, at_b = m.near(ends[1])
    for _ in range(20):
        if norm(sub(at_a, at_b)) > 0.25:
            break
        second, at_b = m.near(ends[1], 0.5)
    lengths = norm(sub(at_a, at_b))
    mass = max(m.bodies[e].carried() for e in ends if e in m.bodies)
    entry = {"between": [first, second]}
    _laws(m, entry, mass, float(f"{lengths:.5g}"), "length", min(0.1, 0.3*lengths))
    name = m.force(entry, "between points")
    m.links.append(name)
    return name


def on_coordinate(m: Model) -> str | None:
    c = _any_coordinate(m)
    if not c:
        return None
    entry = {"on": c.name}
    _laws(m, entry, c.inertia(), c.design, "at", 0.05 if c.is_length else 0.2)
    return m.force(entry, "on a coordinate")


def _any_coordinate(m: Model) -> Coordinate | None:
    return m.draw.one(m.free()) if m.free() else None


def bar(m: Model) -> str | None:
    for kind in (True, False):
        alike = [c for c in m.free() if c.is_length == kind]
        if len(alike) > 1:
            a, b = m.draw.some(alike, 2)
            k = _stiffness(m, min(a.inertia(), b.inertia()))
            entry = {"bar": [a.name, b.name], "stiffness": m.number(k)}
            if m.draw.chance(0.5):
                entry["damping"] = m.number(_damping(m, k))
            return m.force(entry, "bar")
    return None


def at_point(m: Model) -> str | None:
    massive = [b for b in m.bodies if m.bodies[b].mass]
    if not massive:
        return None
    body = m.draw.one(massive)
    size = m.bodies[body].mass*2
    point, _ = m.near(body)
    vector = lambda s: [m.number(m.draw.uniform(-s, s), s) for _ in range(3)]
    entry = {"at": point, "force": vector(size)}
    if m.draw.chance(0.5):
        entry["torque"] = vector(size*0.05)
        m.features.add("torque at a point")
    if m.draw.chance(0.5):
        entry["axes"] = "body"
        m.features.add("force in body axes")
    return m.force(entry, "at a point")


def bush(m: Model) -> str | None:
    """Between two bodies, or one and the ground, with some of its laws."""
    ends = m.draw.some(["ground", *(b for b in m.bodies if m.bodies[b].mass)], 2)
    if len(ends) < 2:
        return None
    draw = m.draw
    first, _ = m.near(ends[0])
    second, _ = m.near(ends[1])
    mass = max(m.bodies[e].carried() for e in ends if e in m.bodies)
    entry = {"between": [first, second]}
    if draw.chance(0.5):
        entry["axes"] = {"x": [m.number(x, 1.0) for x in (0.8, 0.5, -0.2)],
                         "z": [m.number(x, 1.0) for x in (0.1, -0.3, 0.9)]}
        m.features.add("bush with axes")
    for prefix, inertia, reach in (("", mass, 0.05), ("rotational_", 0.02*mass, 0.3)):
        if prefix and draw.chance(0.3):
            continue
        k = [_stiffness(m, inertia) for _ in range(3)]
        entry[prefix + "stiffness"] = [m.number(x) for x in k]
        entry[prefix + "damping"] = [m.number(_damping(m, x)) for x in k]
        if draw.chance(0.3):
            entry[prefix + "preload"] = [m.number(0.2*reach*x, reach*x) for x in k]
        if draw.chance(0.3):
            entry[prefix + "spring"] = {draw.one("xyz"): _table(m, 20*reach, 10*k[0]*reach)}
    name = f"bush{len(m.tree.setdefault('bushes', {}))}"
    m.tree["bushes"][name] = entry
    m.features.add("bush")
    m.powers.append(f"{name}.power")
    return name


def worded(m: Model) -> str | None:
    """A law by a function of the model, or by a table of two variables, of what bodies see of each other."""
    c = _any_coordinate(m)
    if not c:
        return None
    draw = m.draw
    reach = 0.05 if c.is_length else 0.2
    k = _stiffness(m, c.inertia())
    d = _damping(m, k)
    x, v = f"({c.name} - {c.design!r})", f"{c.name}.rate"
    if draw.chance(0.5):
        functions = m.tree.setdefault("functions", {})
        name = f"law{len(functions)}"
        functions[name] = {"of": ["x", "v", "k"],
                           "value": m.formula("k*x/(1 + abs(x)/{0}) + {1}*v", reach*draw.uniform(1, 5), d)}
        value = m.formula(f"-{name}({x}, {v}, {{0}})", k)
        m.features.add("function of the model")
    else:
        name = f"map{len(m.tree['tables'])}"
        at, rates = [-2*reach, -0.37*reach, 0.61*reach, 2*reach], [-10*reach, 0.13*reach, 10*reach]
        z = [[m.number(float(f"{(k*p + d*q)*draw.uniform(0.8, 1.2):.5g}"), k*reach) for q in rates] for p in at]
        m.tree["tables"][name] = {"x": at, "y": rates, "z": z}
        if draw.chance(0.5):
            m.tree["tables"][name]["interpolation"] = "cubic"
        if draw.chance(0.3):
            m.tree["tables"][name]["extrapolation"] = "hold"
        value = f"-{name}({x}, {v})"
        m.features.add("table of two variables")
    entry = {"on": c.name, "torque": value}
    return m.force(entry, "on a coordinate")


def _with_units(m: Model) -> None:
    """Some masses and points as people write them."""
    for b in m.tree["bodies"].values():
        if b and m.draw.chance(0.3):
            b["mass"].unit = ("g", 3)
            m.features.add("unit of a mass")
    for point in m.tree["hardpoints"].values():
        for x in point:
            if m.draw.chance(0.2):
                x.unit = ("mm", 3)
                m.features.add("unit of a point")


def with_units(m: Model, share: float) -> None:
    """Masses, points and elements between points, each value with a unit by chance."""
    for b in m.tree["bodies"].values():
        for key, unit in (("mass", ("g", 3)), ("com", ("mm", 3))):
            _in_unit(m, (b or {}).get(key), unit, share)
    for point in m.tree["hardpoints"].values():
        _in_unit(m, point, ("cm", 2), share)
    for entry in m.tree["forces"].values():
        if "between" in entry:
            _in_unit(m, entry.get("stiffness"), ("N/mm", -3), share)
            _in_unit(m, entry.get("damping"), ("kN s/m", -3), share)
            _in_unit(m, entry.get("free_length"), ("mm", 3), share)


def _in_unit(m: Model, value, unit: tuple[str, int], share: float) -> None:
    for n in value if isinstance(value, list) else [value]:
        if isinstance(n, Number) and m.draw.chance(share):
            n.unit = unit
            m.features.add(f"unit {unit[0]}")


def scatter(m: Model, count: int) -> None:
    kinds = {between: 4, on_coordinate: 3, bar: 1, at_point: 2}
    if m.seed >= WITH_BUSHES:
        kinds[bush] = 3
    if m.seed >= WITH_WORDS:
        kinds[worded] = 4
        _with_units(m)
    for _ in range(count):
        m.draw.weighted(kinds)(m)
