# SPDX-License-Identifier: Apache-2.0
"""Wheels on tyres, rolling: a quarter car, a half car, a single-track model that steers."""
from __future__ import annotations

from model import Body, Coordinate, Model


def _strut(m: Model, c: Coordinate, mass: float) -> None:
    omega = 6.283*m.draw.uniform(1, 2.5)
    c.held = True
    m.force({"on": c.name, "stiffness": m.number(float(f"{mass*omega**2:.4g}")),
             "damping": m.number(float(f"{2*m.draw.uniform(0.2, 0.5)*mass*omega:.4g}"))},
            "on a coordinate", "strut")


def _wheel(m: Model, carrier: Body, place: list[float], load: float, speed: float, radius: float) -> None:
    """A wheel that turns about y on `carrier`, with its tyre and the spin it rolls with."""
    draw = m.draw
    hub = m.hardpoint(place, free=False)
    wheel = m.body(carrier.name, place, mass=draw.uniform(8, 25), plain=True)
    across = draw.uniform(0.25, 0.6)
    m.tree["bodies"][wheel.name]["inertia"] = [
        m.number(float(f"{across*k:.4g}")) for k in (1, draw.uniform(1.2, 1.9), 1)]
    spin, = m.joint("revolute", wheel, hub, axis="y")
    spin.held = spin.given = True
    m.tree["initial"][spin.name] = {"value": 0.0, "rate": m.number(float(f"{speed/radius:.5g}"))}
    name = f"tyre{len(m.tree['tyres'])}"
    m.tree["tyres"][name] = {
        "wheel": wheel.name, "centre": f"{wheel.name}.{hub}", "radius": m.number(radius),
        "stiffness": m.number(float(f"{load*draw.uniform(40, 80):.4g}")),
        "damping": m.number(draw.uniform(50, 300)), "kappa_c": m.number(draw.uniform(0.2, 0.8)),
        "alpha_c": m.number(draw.uniform(0.1, 0.3)), "mu_x": m.number(draw.uniform(0.6, 1)),
        "mu_y": m.number(draw.uniform(0.6, 1)), "reading": draw.one("AB")}
    m.powers.append(f"{name}.power")
    m.features.add("tyre")
    if draw.chance(0.4):
        m.features.add("driving or braking torque")
        m.force({"on": spin.name, "torque": m.formula(
            "{0}*sin({1}*t)", draw.signed(5, 40), draw.uniform(2, 8))}, "torque on a coordinate", "motor")


def road(m: Model, speed: float, end: float) -> None:
    where = speed*end*m.draw.uniform(0.2, 0.6)
    shape = m.draw.one(("flat", "waves", "step", "bump", "ramp"))
    m.features.add(f"road {shape}")
    text = {
        "flat": None,
        "waves": ("{0}*sin({1}*x)", m.draw.uniform(0.003, 0.01), m.draw.uniform(1, 6)),
        "step": ("if(x < {0}, 0, {1})", where, m.draw.signed(0.005, 0.015)),
        "bump": ("{0}*exp(-((x - {1})/{2})^2)", m.draw.uniform(0.005, 0.02), where, m.draw.uniform(0.2, 0.5)),
        "ramp": ("clamp({0}*(x - {1}), 0, {2})", m.draw.uniform(0.02, 0.06), where,
                 m.draw.uniform(0.01, 0.03)),
    }[shape]
    if text:
        m.tree["road"] = m.formula(text[0], *text[1:])
    if m.draw.chance(0.5):
        _road_of_parts(m, where)


def _road_of_parts(m: Model, where: float) -> None:
    """Data, sines and obstacles beside the expression, and tyres that roll over them."""
    draw = m.draw
    parts = {"height": m.tree["road"]} if "road" in m.tree else {}
    for kind in draw.some(("iso8608", "sines", "obstacles"), draw.count(1, 3)):
        m.features.add(f"road {kind}")
        if kind == "iso8608":
            parts[kind] = {"class": draw.one("AB"), "seed": draw.count(1, 999), "length": 60, "ramp": 2,
                           "tracks": draw.one((1, 2)), "start": m.number(draw.uniform(1.3, 1.8)),
                           "scale": m.number(draw.uniform(0.5, 1.5))}
        elif kind == "sines":
            parts[kind] = {"wave": {"amplitude": m.number(draw.uniform(0.002, 0.005)),
                                    "wavelength": m.number(draw.uniform(1.5, 6)), "phase": m.number(draw.uniform(0, 3))}}
        else:
            shape = draw.one(("kerb", "plank", "pothole", "cosine", "half_round"))
            entry = {"kind": shape, "at": m.number(float(f"{where:.4g}")), "height": m.number(draw.uniform(0.005, 0.01))}
            if shape != "kerb":
                entry["length"] = m.number(draw.uniform(0.3, 1))
            if shape in ("kerb", "plank", "pothole") and draw.chance(0.6):
                entry["edge"] = m.number(draw.uniform(0.05, 0.15))
            parts[kind] = {"one": entry}
    m.tree["road"] = parts
    if draw.chance(0.3):
        m.features.add("tyre with a patch")
        for tyre in m.tree["tyres"].values():
            tyre["contact"] = "patch"


def quarter_car(m: Model, speed: float) -> None:
    draw = m.draw
    mass, radius = draw.uniform(150, 400), draw.uniform(0.28, 0.34)
    trolley = m.massless("ground", [0.0, 0.0, 0.6])
    x, = m.joint("prismatic", trolley, axis="x")
    chassis = m.body(trolley.name, [0.0, 0.0, 0.6], mass=mass, plain=True)
    z, = m.joint("prismatic", chassis, axis="z")
    carrier = m.body(chassis.name, [0.0, 0.0, radius], mass=draw.uniform(10, 25), plain=True)
    travel, = m.joint("prismatic", carrier, axis="z")
    x.held = z.held = x.given = True
    _strut(m, travel, mass)
    m.tree["initial"][x.name] = {"value": 0.0, "rate": m.number(speed)}
    _wheel(m, carrier, [0.0, 0.0, radius], (mass + 40)*9.81, speed, radius)
    m.features.add("quarter car")


def half_car(m: Model, speed: float) -> None:
    draw = m.draw
    mass, radius = draw.uniform(300, 800), draw.uniform(0.28, 0.34)
    trolley = m.massless("ground", [0.0, 0.0, 0.6])
    x, = m.joint("prismatic", trolley, axis="x")
    lift = m.massless(trolley.name, [0.0, 0.0, 0.6])
    z, = m.joint("prismatic", lift, axis="z")
    chassis = m.body(lift.name, [draw.uniform(-0.2, 0.2), 0.0, 0.6], mass=mass, plain=True)
    m.tree["bodies"][chassis.name]["inertia"] = [m.number(mass*k) for k in (0.2, 0.8, 0.9)]
    pitch, = m.joint("revolute", chassis, m.hardpoint([0.0, 0.0, 0.6], False), axis="y")
    x.held = z.held = pitch.held = x.given = True
    m.tree["initial"][x.name] = {"value": 0.0, "rate": m.number(speed)}
    for place in (1.2, -1.2):
        carrier = m.body(chassis.name, [place, 0.0, radius], mass=draw.uniform(10, 25), plain=True)
        travel, = m.joint("prismatic", carrier, axis="z")
        _strut(m, travel, mass/2)
        _wheel(m, carrier, [place, 0.0, radius], (mass/2 + 40)*9.81, speed, radius)
    m.features.add("half car")


def single_track(m: Model, speed: float) -> None:
    """Slides in the plane with its wheels pressed down, and steers."""
    draw = m.draw
    mass, radius = draw.uniform(300, 800), draw.uniform(0.28, 0.34)
    chassis = m.body("ground", [0.0, 0.0, 0.5], mass=mass, plain=True)
    m.tree["bodies"][chassis.name]["inertia"] = [m.number(mass*k) for k in (0.2, 0.8, 0.9)]
    s, t, a = m.joint("planar", chassis, m.hardpoint([0.0, 0.0, 0.5], False), axis="z", axis2="x")
    s.held = t.held = a.held = s.given = t.given = a.given = True
    m.tree["initial"][s.name] = {"value": 0.0, "rate": m.number(speed)}
    m.tree["initial"][t.name] = {"value": 0.0, "rate": m.number(draw.uniform(-0.1, 0.1), 0.1)}
    pressed = radius - 0.02
    fork = m.massless(chassis.name, [1.2, 0.0, pressed])
    steer, = m.joint("revolute", fork, m.hardpoint([1.2, 0.0, pressed], False), axis="z")
    steer.driven = True
    joint = m.tree["joints"][steer.name]
    joint["drive"] = m.formula("{0}*sin({1}*t)", draw.uniform(0.01, 0.05), draw.uniform(2, 6))
    m.powers.append(f"{steer.name}.drive_force*{steer.name}.rate")
    _wheel(m, fork, [1.2, 0.0, pressed], mass*5, speed, radius)
    _wheel(m, chassis, [-1.2, 0.0, pressed], mass*5, speed, radius)
    m.features.add("single-track model")
