# SPDX-License-Identifier: Apache-2.0
"""What happens to a model: shapes of time, drives, loads that wake it, extra states."""
from __future__ import annotations

from leaves import Formula
from model import Coordinate, Model

SHAPES = {"sine": 4, "step": 2, "pulse": 2, "half sine": 2, "band": 1, "both": 1, "gauss": 2, "rise": 1}


def shape(m: Model, size: float, at: float, width: float, kind: str = "") -> Formula:
    """A function of time that is zero, or nearly so, before `at` (but for a sine)."""
    kind = kind or m.draw.weighted(SHAPES)
    m.features.add(f"input {kind}")
    a, t0, w = m.number(size), m.number(at, 0.1), m.number(width)
    return {
        "sine": lambda: m.formula("{0}*sin({1}*t)", a, m.draw.uniform(3, 15)),
        "step": lambda: m.formula("if(t < {1}, 0, {0})", a, t0),
        "pulse": lambda: m.formula("if(t < {1}, 0, if(t < {1} + {2}, {0}, 0))", a, t0, w),
        "half sine": lambda: m.formula(
            "if(t < {1}, 0, if(t < {1} + {2}, {0}*sin(pi*(t - {1})/{2}), 0))", a, t0, w),
        "band": lambda: m.formula("if(abs(t - {1} - {2}/2) < {2}/2, {0}, 0)", a, t0, w),
        "both": lambda: m.formula("if(t > {1} and t < {1} + {2}, {0}, 0)", a, t0, w),
        "gauss": lambda: m.formula("{0}*exp(-((t - {1})/({2}/2))^2)", a, t0, w),
        "rise": lambda: m.formula("{0}*(1 + tanh((t - {1})/{2}))/2", a, t0, w),
    }[kind]()


def load(m: Model, c: Coordinate, at: float, width: float, kind: str = "") -> None:
    """A torque on a coordinate that would move it by some per cent."""
    inertia = c.inertia()
    strength = inertia*m.draw.uniform(2, 10)*(1 if c.is_length else 4)
    text = shape(m, float(f"{strength:.4g}"), at, width, kind)
    if m.draw.chance(0.3):
        name = f"input{len(m.tree['signals'])}"
        m.tree["signals"][name] = text
        m.features.add("signal")
        text = name
    m.force({"on": c.name, "torque": text}, "torque on a coordinate", "load")


def jump(m: Model, c: Coordinate, end: float) -> None:
    """A torque on a coordinate by what jumps: whole numbers of time or of the coordinate, and angles past pi."""
    draw, inertia = m.draw, c.inertia()
    size = m.number(float(f"{inertia*draw.uniform(1, 5)*(1 if c.is_length else 4):.4g}"))
    period = m.number(float(f"{end*draw.uniform(0.07, 0.4):.3g}"), 0.1)
    part = m.number(float(f"{draw.uniform(0.003, 0.02) if c.is_length else draw.uniform(0.02, 0.1):.3g}"), 0.1)
    kind = draw.weighted({"saw": 3, "square": 3, "stair": 2, "angle": 2, "chosen": 2})
    m.features.add(f"jump {kind}")
    text = {
        "saw": lambda: m.formula("{0}*(mod(t, {1})/{1} - 0.5)", size, period),
        "square": lambda: m.formula("{0}*(mod(floor(t/{1}), 2) - 0.5)", size, period),
        "stair": lambda: m.formula(f"-0.2*{{0}}*floor({c.name}/{{1}} + 0.3)", size, part),
        "angle": lambda: m.formula("0.3*{0}*atan2(sin(6*t/{1}), cos(6*t/{1}))", size, period),
        "chosen": lambda: m.formula("if(ceil(t/{1}) == 2 or mod(t, {1}) > 0.6*{1}, {0}, -0.5*{0})", size, period),
    }[kind]()
    m.force({"on": c.name, "torque": text}, "torque on a coordinate", "load")


def drive(m: Model, c: Coordinate, end: float) -> None:
    """The coordinate as a function of time: smooth, with a kink, or with a jump."""
    draw = m.draw
    c.driven = c.held = c.given = True
    size = draw.uniform(0.01, 0.04) if c.is_length else draw.uniform(0.05, 0.2)
    t0 = m.number(float(f"{end*draw.uniform(0.2, 0.6):.3g}"), 0.1)
    kind = draw.weighted({"smooth": 4, "kink": 3, "jump": 1})
    m.features.add(f"drive {kind}")
    text = {
        "smooth": lambda: m.formula("{0}*sin({1}*t)", size, draw.uniform(3, 12)),
        "kink": lambda: m.formula("if(t < {0}, 0, {1}*(t - {0}))", t0, m.number(size*3)),
        "jump": lambda: m.formula("if(t < {0}, 0, {1} + {2}*(t - {0}))", t0, m.number(size/4),
                                  m.number(size)),
    }[kind]()
    m.jumps |= kind != "smooth"
    joint, _, suffix = c.name.partition(".")
    entry = m.tree["joints"][joint]
    if suffix:
        entry.setdefault("drive", {})[suffix] = text
    else:
        entry["drive"] = text
    m.powers.append(f"{c.name}.drive_force*{c.name}.rate")


def drives(m: Model, end: float) -> None:
    """Bodies that carry a loop and are to be driven, and sometimes another coordinate."""
    for c in m.coordinates:
        joint = m.tree["joints"][c.name.partition(".")[0]]
        if c.driven and "drive" not in joint:
            drive(m, c, end)
    trees_only = not m.tree["closures"] and not m.tree["tyres"]
    if trees_only and m.freedom() > 1 and m.draw.chance(0.25):
        drive(m, m.draw.one(m.free()), end)


def states(m: Model) -> None:
    """Lags, controllers, oil under pressure: states that act and states that only listen."""
    draw = m.draw
    if not m.free():
        return
    kind = draw.weighted({"lag": 2, "controller": 2, "oil": 2})
    c = draw.one(m.free())
    name = f"z{len(m.tree['states'])}"
    m.features.add(f"state {kind}")
    inertia, omega = c.inertia(), 6.283*draw.uniform(1, 4)
    stiffness = float(f"{inertia*omega**2:.4g}")
    if kind == "lag":
        m.tree["states"][name] = {"derivative": m.formula(f"({c.name} - {name})/{{0}}", draw.log(0.005, 0.2)),
                                  "initial": m.number(draw.uniform(-0.05, 0.05), 0.05)}
    elif kind == "controller":
        m.tree["states"][name] = {"derivative": m.formula(f"{c.name} - {{0}} - {{1}}*{name}",
                                                          m.number(c.design, 0.05), draw.uniform(0.2, 3))}
        m.force({"on": c.name, "torque": m.formula(f"-{{0}}*{name} - {{1}}*{c.name}.rate", stiffness,
                                                   float(f"{0.3*stiffness/omega:.4g}"))},
                "torque on a coordinate", "servo")
    else:
        area = 1e-3 if c.is_length else 1e-4
        m.tree["states"][name] = {
            "derivative": m.formula(f"{{0}}*{c.name}.rate - {name}/{{1}}", float(f"{stiffness/area:.4g}"),
                                    draw.uniform(0.05, 0.5)),
            "initial": m.number(float(f"{stiffness/area*0.003:.4g}"))}
        m.force({"on": c.name, "torque": m.formula(f"-{{0}}*{name}", area)},
                "torque on a coordinate", "oil")


def stiffen(m: Model, c: Coordinate, strongly: bool) -> None:
    """A strong damper with a spring: one fast and one slow eigenvalue."""
    inertia = c.inertia()
    fast = m.draw.log(1e4, 5e4) if strongly else m.draw.log(800, 6e3)
    slow = m.draw.uniform(5, 60)
    damping = float(f"{inertia*fast:.4g}")
    m.force({"on": c.name, "damping": m.number(damping),
             "stiffness": m.number(float(f"{damping*slow:.4g}")),
             **({"free": m.number(c.design, 0.05)} if c.design else {})}, "on a coordinate", "stiff")
    m.fastest = max(m.fastest, fast*3)
    m.features.add("stiff" if strongly else "somewhat stiff")
