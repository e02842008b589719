# SPDX-License-Identifier: Apache-2.0
"""What changes at an instant: sampled controllers, hysteresis, impacts, dry friction, runs that end on a condition; and delays."""
from __future__ import annotations

import elements
from model import Model
from seeds import WITH_DELAYS


def add(m: Model, end: float) -> None:
    pool = (sampler, hysteresis, kick, friction, friction)
    if m.seed >= WITH_DELAYS:
        pool += (delay, delay, line_friction, line_friction)
    kinds = m.draw.some(pool, m.draw.count(1, 2))
    for kind in dict.fromkeys(kinds):
        kind(m, end)


def _state(m: Model, entry: dict) -> str:
    name = f"d{len(m.tree['states'])}"
    m.tree["states"][name] = {"discrete": True, **entry}
    return name


def sampler(m: Model, end: float) -> None:
    """A servo that looks every so often, perhaps late."""
    draw, c = m.draw, m.draw.one(m.free())
    omega = 6.283*draw.uniform(0.5, 2)
    stiffness = float(f"{c.inertia()*omega**2:.4g}")
    u = _state(m, {})
    period = float(f"{draw.uniform(0.04, 0.12)/omega*6.283:.3g}")
    entry = {"every": m.number(period),
             "set": {u: m.formula(f"-{{0}}*({c.name} - {{1}}) - {{2}}*{c.name}.rate", stiffness,
                                  m.number(c.design, 0.05), float(f"{0.3*stiffness/omega:.4g}"))}}
    if draw.chance(0.5):
        entry["delay"] = m.number(float(f"{period*draw.uniform(0.1, 0.7):.3g}"))
        m.features.add("sampler with delay")
    if draw.chance(0.3):
        entry["offset"] = m.number(float(f"{period*draw.uniform(0.2, 0.8):.3g}"))
    m.tree.setdefault("samplers", {})[f"look{len(m.tree['states'])}"] = entry
    m.force({"on": c.name, "torque": u}, "torque on a coordinate", "held")
    m.features.add("sampler")


def hysteresis(m: Model, end: float) -> None:
    """A spring that grows stiff beyond one place and soft below another."""
    draw, c = m.draw, m.draw.one(m.free())
    size = 0.02 if c.is_length else 0.08
    stiffness = float(f"{c.inertia()*(6.283*draw.uniform(1, 3))**2:.4g}")
    k = _state(m, {"initial": m.number(1.0)})
    high, low = m.number(float(f"{c.design + size*draw.uniform(0.1, 1):.4g}"), size), \
        m.number(float(f"{c.design - size*draw.uniform(0.1, 1):.4g}"), size)
    m.tree.setdefault("events", {}).update({
        f"hard{k}": {"when": m.formula(f"{c.name} > {{0}}", high), "set": {k: m.number(draw.uniform(1.2, 2))}},
        f"soft{k}": {"when": m.formula(f"{c.name} < {{0}}", low), "set": {k: m.number(draw.uniform(0.5, 0.9))}}})
    m.force({"on": c.name, "force": m.formula(f"{{0}}*{k}*({c.name} - {{1}})", stiffness, m.number(c.design, 0.05))},
            "force on a coordinate", "hyst")
    m.features.add("event with a discrete state")


def kick(m: Model, end: float) -> None:
    """At one time a state jumps, and perhaps the rate of a coordinate that no loop has."""
    draw = m.draw
    z = f"z{len(m.tree['states'])}"
    c = draw.one(m.free())
    m.tree["states"][z] = {"derivative": m.formula(f"{{0}}*({c.name} - {z})", draw.uniform(1, 10)),
                           "initial": m.number(draw.uniform(-0.05, 0.05), 0.05)}
    values = {z: m.formula(f"{{0}}*{z} + {{1}}", draw.uniform(0.3, 0.9), m.number(draw.uniform(-0.05, 0.05), 0.05))}
    if not m.tree["closures"] and not c.looped:
        values[f"{c.name}.rate"] = m.formula(f"{{0}}*{c.name}.rate", draw.uniform(-0.8, 0.8))
        m.features.add("event with a rate")
        m.jumps = True
    m.tree.setdefault("events", {})[f"kick{z}"] = {
        "when": m.formula("t > {0}", float(f"{end*draw.uniform(0.2, 0.7):.3g}")), "set": values}
    m.features.add("event with a state")


def friction(m: Model, end: float) -> None:
    draw, c = m.draw, m.draw.one(m.free())
    force = float(f"{c.inertia()*(1.5 if c.is_length else 8)*draw.log(0.05, 1):.3g}")
    entry = {"on": c.name, "force": m.number(force)}
    if draw.chance(0.4):
        entry["static"] = m.number(float(f"{force*draw.uniform(1.05, 1.6):.3g}"))
    name = f"rub{len(m.tree.setdefault('frictions', {}))}"
    if any(f.get("on") == c.name for f in m.tree["frictions"].values()):
        return
    m.tree["frictions"][name] = entry
    m.powers.append(f"{name}.power")
    m.features.add("friction")


def line_friction(m: Model, end: float) -> None:
    """Along the line of an element between points, so that it has a length."""
    draw = m.draw
    name = elements.between(m)
    if not name:
        return
    ends = m.tree["forces"][name]["between"]
    mass = max(m.bodies[e].carried() for e in (p.split(".")[0] for p in ends) if e in m.bodies)
    force = float(f"{mass*1.5*draw.log(0.05, 1):.3g}")
    entry = {"between": list(ends)}
    if draw.chance(0.5):
        entry["force"] = m.number(force)
        if draw.chance(0.4):
            entry["static"] = m.number(float(f"{force*draw.uniform(1.05, 1.6):.3g}"))
    else:
        entry.update(coefficient=m.number(draw.uniform(0.1, 0.5)), normal=m.number(float(f"{3*force:.3g}")))
    rub = f"rub{len(m.tree.setdefault('frictions', {}))}"
    m.tree["frictions"][rub] = entry
    m.powers.append(f"{rub}.power")
    m.features.add("friction along a line")


def delay(m: Model, end: float) -> None:
    """A weak servo by what a coordinate was some time ago."""
    draw, c = m.draw, m.draw.one(m.free())
    omega = 6.283*draw.uniform(0.5, 2)
    name = f"late{len(m.tree.setdefault('delays', {}))}"
    entry = {"of": draw.one((c.name, f"{c.name} + 0.1*sin(t)")), "time": m.number(float(f"{draw.uniform(0.02, 0.3)/omega:.3g}")),
             "initial": m.number(c.design, 0.05)}
    if draw.chance(0.5):
        entry["order"] = draw.count(1, 12)
    if draw.chance(0.5):
        entry["nominal"] = draw.one((0.05, 0.1, 10.0))
    m.tree["delays"][name] = entry
    m.force({"on": c.name, "torque": m.formula(f"-{{0}}*({name} - {{1}})", float(f"{0.3*c.inertia()*omega**2:.4g}"),
                                               m.number(c.design, 0.05))}, "torque on a coordinate", "tardy")
    m.features.add("delay")


def ending(m: Model, end: float) -> None:
    """A run that ends at a place, or after some samples of time."""
    c = m.draw.one(m.free())
    size = 0.05 if c.is_length else 0.2
    m.tree["simulation"]["end_when"] = m.formula(f"{c.name} > {{0}}", m.number(float(f"{c.design + size:.4g}"), size))
    m.features.add("end on a condition")
