# SPDX-License-Identifier: Apache-2.0
"""Contacts: balls that bounce and come to rest, and conditions that become true at the same instant."""
from __future__ import annotations

from model import Coordinate, Model
from seeds import SPAN, WITH_FORMS, WITH_REFILLS

GRAVITY = 9.81
FORMS = ("sin({}) < 0", "{0}*({0} + 30) < 0", "{}^3 < 0", "{0}*abs({0}) < 0")     # of "{} < 0"


def _ball(m: Model) -> Coordinate:
    draw = m.draw
    body = m.body("ground", [0.3*len(m.bodies), 0.0, 0.0], mass=draw.log(0.2, 5), plain=True)
    z, = m.joint("prismatic", body, axis="z")
    z.held = z.given = True
    m.slides(body)
    m.seen = False
    return z


def _let_fall(m: Model, z: Coordinate, height: float, rate: float = 0.0) -> None:
    m.tree["initial"][z.name] = {"value": m.number(height), "rate": m.number(rate, 1.0)}


def _accumulation(height: float, e: float) -> float:
    """When the bounces of a ball that is let fall accumulate: sqrt(2 h/g) (1 + e)/(1 - e) [s]."""
    return (2*height/GRAVITY)**0.5*(1 + e)/(1 - e)


def _by_restitution(m: Model) -> float:
    """A ball with the event of docs/format.md; returns when its bounces accumulate."""
    draw, z = m.draw, _ball(m)
    height, e = draw.uniform(0.05, 1), draw.uniform(0.2, 0.9)
    _let_fall(m, z, height)
    when = "{} < 0"
    if m.seed % SPAN >= WITH_FORMS and draw.chance(0.5):
        when = draw.one(FORMS)
        m.features.add("condition of another form")
    bounce = {"when": when.format(z.name), "set": {f"{z.name}.rate": m.formula(f"-{{0}}*{z.name}.rate", m.number(e, 0.3))}}
    if draw.chance(0.3):
        count = f"n{len(m.tree['states'])}"
        m.tree["states"][count] = {"discrete": True}
        bounce["set"][count] = f"{count} + 1"
    if draw.chance(0.3):
        m.force({"on": z.name, "damping": m.number(float(f"{m.bodies[z.body.name].mass*draw.uniform(0.05, 0.5):.4g}"))},
                "on a coordinate", "air")
    m.tree.setdefault("events", {})[f"bounce_{z.name}"] = bounce
    m.floors.append(z.name)
    m.features.add("bounces with restitution")
    return _accumulation(height, e)


def _by_spring(m: Model) -> float:
    """A ball on a floor that gives way: it bounces, and rests in the end."""
    draw, z = m.draw, _ball(m)
    mass = m.bodies[z.body.name].mass
    height = draw.uniform(0.02, 0.5)
    _let_fall(m, z, height)
    stiffness = mass*draw.log(1e3, 3e4)
    m.buffers.append((z.name, float(f"{stiffness:.4g}")))
    damping = 2*draw.uniform(0.05, 0.6)*(mass*stiffness)**0.5
    kind = draw.weighted({"if": 3, "stop": 3, "max": 2})
    if kind == "if":
        m.force({"on": z.name, "force": m.formula("if(angle < 0, {0}*angle + {1}*rate, 0)", float(f"{stiffness:.4g}"),
                                                  float(f"{damping:.4g}"))}, "on a coordinate", "floor")
    elif kind == "max":
        m.force({"on": z.name, "force": m.formula("-max(-{0}*angle*(1 - {1}*rate), 0)*if(angle < 0, 1, 0)",
                                                  float(f"{stiffness:.4g}"), draw.uniform(0.1, 0.8))}, "on a coordinate", "floor")
    else:
        m.force({"on": z.name, "bump_stop": {"at": 0.0, "stiffness": m.number(float(f"{stiffness:.4g}"))},
                 "damping": m.number(float(f"{0.02*damping:.4g}"))}, "on a coordinate", "floor")
    m.fastest = max(m.fastest, 3*(stiffness/mass)**0.5)
    m.features.add(f"contact by {kind}")
    return _accumulation(height, 0.6)


def _by_refill(m: Model) -> float:
    """A level that runs empty and is filled again, with less every time, by its own condition or by a clock."""
    draw, n = m.draw, len(m.tree["states"])
    level, share = f"level{n}", f"share{n}"
    height, speed, r = draw.log(0.01, 10), draw.log(0.1, 100), draw.uniform(0.05, 0.9)
    first, speed, r = (float(f"{value:.4g}") for value in (height, speed, r))
    left = m.number(r, 0.1)
    left.named = True
    m.tree["states"][level] = {"derivative": f"-{speed!r}", "initial": first}
    m.tree["states"][share] = {"discrete": True, "initial": 1.0}
    resets = {level: m.formula(f"{first!r}*{{0}}*{share}", left), share: m.formula(f"{{0}}*{share}", left)}
    when = f"{level} < 0"
    if draw.chance(0.4):
        clock = f"clock{n}"
        m.tree["states"][clock] = {"discrete": True, "initial": first/speed}
        resets[clock] = m.formula(f"{clock} + {first/speed!r}*{{0}}*{share}", left)
        when = f"t > {clock}"
    m.tree.setdefault("events", {})[f"refill{n}"] = {"when": when, "set": resets}
    m.tree.setdefault("sensors", {})[f"{level}_"] = level
    m.floors.append(f"{level}_")
    m.features.add("resets of what is compared")
    return first/speed/(1 - r)


def set_clocks(m: Model) -> None:
    """Clocks count from the start of the run, which is known at the end."""
    for name, state in m.tree["states"].items():
        if name.startswith("clock"):
            state["initial"] += m.tree["simulation"].get("start", 0.0)


def bounce(m: Model) -> float:
    """One to three balls, bouncing past their accumulation or not as far; returns the end of the run."""
    draw = m.draw
    m.tree["gravity"] = [0.0, 0.0, m.number(-GRAVITY)]
    kinds = {_by_restitution: 3, _by_spring: 1}
    if m.seed % SPAN >= WITH_REFILLS:
        kinds[_by_refill] = 3
    times = [draw.weighted(kinds)(m) for _ in range(draw.weighted({1: 5, 2: 3, 3: 1}))]
    if not m.bodies:
        _by_spring(m)  # a model has to have a body
    m.jumps = bool(m.floors)
    m.dissipative = True
    share = draw.weighted({0.3: 1, 0.7: 1, 1.2: 2, 3.0: 3})
    if share > 1 and m.floors:
        m.features.add("runs past an accumulation point")
    return float(f"{draw.uniform(0.8, 1.2)*share*draw.one(times):.3g}")


def _alike(m: Model) -> None:
    """Balls that hit the floor at the same instant, one height for all of them."""
    draw = m.draw
    height, e = m.number(draw.uniform(0.1, 1)), m.number(draw.uniform(0.3, 0.9), 0.3)
    height.named = e.named = True
    for _ in range(draw.count(2, 3)):
        z = _ball(m)
        m.tree["initial"][z.name] = {"value": height, "rate": 0.0}
        m.tree.setdefault("events", {})[f"bounce_{z.name}"] = {
            "when": f"{z.name} < 0", "set": {f"{z.name}.rate": m.formula(f"-{{0}}*{z.name}.rate", e)}}
        m.floors.append(z.name)
    m.twins.append((m.coordinates[-1].name, m.coordinates[-2].name))
    m.jumps = m.dissipative = True
    m.features.add("contacts at the same instant")


def _at_one_time(m: Model) -> None:
    """Switches in several expressions, an event and a sampler, all at one time."""
    draw = m.draw
    at = m.number(draw.uniform(0.1, 0.3), 0.1)
    for _ in range(draw.count(2, 3)):
        z = _ball(m)
        mass = m.bodies[z.body.name].mass
        m.force({"on": z.name, "stiffness": m.number(float(f"{mass*draw.uniform(100, 400):.4g}")),
                 "damping": m.number(float(f"{mass*draw.uniform(1, 5):.4g}"))}, "on a coordinate", "hold")
        text = draw.one(("if(t < {0}, 0, {1})", "if(t > {0}, {1}, 0)", "if(t < {0}, 0, {1}*(t - {0}))",
                         "{1}*step(t - {0})"))
        m.force({"on": z.name, "torque": m.formula(text, at, float(f"{mass*draw.uniform(2, 20):.4g}"))},
                "torque on a coordinate", "load")
    if draw.chance(0.6):
        m.tree["states"]["d"] = {"discrete": True}
        m.tree.setdefault("events", {})["on"] = {"when": m.formula("t > {0}", at), "set": {"d": m.number(draw.uniform(1, 5))}}
        rate = f"{m.coordinates[0].name}.rate"
        m.tree["events"]["follows"] = {"when": "d > 0.5", "set": {rate: f"0.5*{rate}"}}
        m.force({"on": m.coordinates[-1].name, "torque": "d"}, "torque on a coordinate", "held")
        m.jumps = True
        m.features.add("event that makes another's condition true")
    m.features.add("switches at the same instant")


def _clocks(m: Model) -> None:
    """Samplers of one period, whose instants coincide, and one of twice that period."""
    draw = m.draw
    period = m.number(draw.uniform(0.02, 0.06))
    period.named = True
    for i in range(draw.count(2, 3)):
        z = _ball(m)
        mass = m.bodies[z.body.name].mass
        _let_fall(m, z, draw.uniform(0.02, 0.1), 0.0)
        u = f"u{i}"
        m.tree["states"][u] = {"discrete": True}
        every = m.formula("2*{0}", period) if i == 1 else m.formula("{0}", period)
        m.tree.setdefault("samplers", {})[f"look{i}"] = {
            "every": every, "set": {u: m.formula(f"-{{0}}*{z.name} - {{1}}*{z.name}.rate", float(f"{40*mass:.4g}"),
                                                 float(f"{4*mass:.4g}"))}}
        m.force({"on": z.name, "torque": u}, "torque on a coordinate", "held")
    m.features.add("samplers at the same instants")


def _struck(m: Model) -> None:
    """Two balls above each other: the upper one hits the lower one just when that hits the floor, or about then."""
    draw = m.draw
    low, high = _ball(m), _ball(m)
    height = draw.uniform(0.1, 0.5)
    together = draw.chance(0.5)
    _let_fall(m, low, height)
    _let_fall(m, high, height if together else height*draw.uniform(1.05, 1.5))
    e = m.number(draw.uniform(0.4, 0.9), 0.3)
    a, b = (m.bodies[c.body.name].mass for c in (low, high))
    total = a + b
    impulse = f"(1 + {{0}})*({high.name}.rate - {low.name}.rate)/{total!r}"
    m.tree.setdefault("events", {}).update(
        floor={"when": f"{low.name} < 0", "set": {f"{low.name}.rate": m.formula(f"-{{0}}*{low.name}.rate", e)}},
        strike={"when": f"{high.name} < {low.name} - 0.001" if together else f"{high.name} < {low.name}",
                "set": {f"{low.name}.rate": m.formula(f"{low.name}.rate + {b!r}*" + impulse, e),
                        f"{high.name}.rate": m.formula(f"{high.name}.rate - {a!r}*" + impulse, e)}})
    m.floors.append(low.name)
    m.jumps = m.dissipative = True
    m.features.add("impacts one upon the other")


def coincide(m: Model) -> float:
    """Conditions at the same instant, of one kind or of two; returns the end of the run."""
    draw = m.draw
    m.tree["gravity"] = [0.0, 0.0, m.number(-GRAVITY)]
    kind = draw.weighted({_alike: 3, _at_one_time: 4, _clocks: 2, _struck: 3})
    kind(m)
    return draw.uniform(0.4, 0.9)
