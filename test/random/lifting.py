# SPDX-License-Identifier: Apache-2.0
"""Tyres that leave the ground and come back: bumps, steps and drops, with every kind of tyre and property file."""
from __future__ import annotations

import functools
import os
import re

from model import Body, Model

FILES = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "data", "tyres"))
# property file, by what it is; a tyre without one is the linear one
TYRES = {"": 2, "Sedan_Pac02Tire": 2, "HMMWV_pacejka": 1, "MagicFormula52_Parameters": 2, "MagicFormula61_Parameters": 4,
         "MagicFormula61_scaled": 2, "MagicFormula62_Parameters": 4}
KINDS = {"": "linear", "Sedan_Pac02Tire": "PAC2002, ellipse", "HMMWV_pacejka": "PAC2002", "MagicFormula52_Parameters": "MF 5.2",
         "MagicFormula61_Parameters": "MF 6.1", "MagicFormula61_scaled": "MF 6.1", "MagicFormula62_Parameters": "MF 6.2"}
# those that act while a wheel rolls straight or with some slip
TELLING = ("VERTICAL_STIFFNESS", "VERTICAL_DAMPING", "PDX1", "PKX1", "PDY1", "PKY1", "PCX1", "QSY1", "Q_FCX", "Q_FCY", "BREFF")


@functools.cache
def coefficients(name: str) -> dict[str, float]:
    """Of a property file in SI units."""
    with open(f"{FILES}/{name}.tir", encoding="utf-8") as f:
        found = re.findall(r"^(\w+)\s*=\s*([-+.\deE]+)", f.read(), re.M)
    return {key: float(value) for key, value in found if re.search(r"\d", value)}


def _tyre(m: Model, file: str, wheel: Body, hub: str, load: float, radius: float, axis: list[float]) -> str:
    draw = m.draw
    name = f"tyre{len(m.tree['tyres'])}"
    entry = {"wheel": wheel.name, "centre": f"{wheel.name}.{hub}", "axis": list(axis)}
    m.features.add(f"tyre {KINDS[file]}")
    if not file:
        entry.update(radius=m.number(radius), stiffness=m.number(float(f"{load*draw.uniform(40, 80):.4g}")),
                     damping=m.number(draw.uniform(50, 300)), kappa_c=m.number(draw.uniform(0.2, 0.8)),
                     alpha_c=m.number(draw.uniform(0.1, 0.3)), mu_x=m.number(draw.uniform(0.6, 1)),
                     mu_y=m.number(draw.uniform(0.6, 1)), reading=draw.one("AB"))
        if draw.chance(0.4):
            entry["relaxation"] = m.number(draw.uniform(0.1, 0.5))
    else:
        entry["file"] = f"{FILES}/{file}.tir"
        known = [c for c in TELLING if coefficients(file).get(c)]
        for c in draw.some(known, 3):
            m.address(f"tyres.{name}.{c}", coefficients(file)[c])
        if draw.chance(0.4):
            entry["friction"] = m.number(draw.uniform(0.5, 1))
            entry["friction"].named = True
        if draw.chance(0.4):
            entry["scale"] = {draw.one(("LMUX", "LMUY", "LKX", "LKY")): m.number(draw.uniform(0.7, 1.2))}
            next(iter(entry["scale"].values())).named = True
        if draw.chance(0.3):
            entry["side"] = draw.one(("left", "right"))
    m.tree["tyres"][name] = entry
    m.powers.append(f"{name}.power")
    return name


def _wheel(m: Model, carrier: Body, x: float, file: str, load: float, radius: float, speed: float) -> None:
    draw = m.draw
    hub = m.hardpoint([x, 0.0, radius], free=False)
    wheel = m.body(carrier.name, [x, 0.0, radius], mass=draw.uniform(8, 25), plain=True)
    m.slides(wheel)
    m.tree["bodies"][wheel.name]["inertia"] = [draw.uniform(0.4, 0.8), m.number(draw.uniform(0.7, 1.4)), draw.uniform(0.4, 0.8)]
    toe = draw.uniform(-0.1, 0.1) if draw.chance(0.7) else 0.0
    axis = [float(f"{-toe:.4g}"), 1.0, 0.0]
    spin, = m.joint("revolute", wheel, hub, axis=axis)
    spin.held = spin.given = True
    m.tree["initial"][spin.name] = {"value": 0.0, "rate": m.number(float(f"{speed/radius:.5g}"))}
    _tyre(m, file, wheel, hub, load, radius, axis)
    if draw.chance(0.4):
        m.features.add("driving or braking torque")
        m.force({"on": spin.name, "torque": m.formula("{0}*sin({1}*t)", draw.signed(20, 300), draw.uniform(2, 8))},
                "torque on a coordinate", "motor")


def _suspended(m: Model, frame: Body, x: float, file: str, mass: float, radius: float, speed: float) -> None:
    """A wheel on a carrier that slides in the body, on a strut; stops near its ends."""
    draw = m.draw
    carrier = m.body(frame.name, [x, 0.0, radius], mass=draw.uniform(10, 30), plain=True)
    travel, = m.joint("prismatic", carrier, axis="z")
    travel.held = True
    if frame.parent == "b0":
        m.slides(carrier)
    omega = 6.283*draw.uniform(1, 2.5)
    entry = {"on": travel.name, "stiffness": m.number(float(f"{mass*omega**2:.4g}")),
             "damping": m.number(float(f"{2*draw.uniform(0.1, 0.5)*mass*omega:.4g}"))}
    if draw.chance(0.5):
        entry["free"] = m.number(float(f"{-mass*9.81/(mass*omega**2):.4g}"), 0.1)
    if draw.chance(0.4):
        entry["rebound_stop"] = {"at": m.number(draw.uniform(0.05, 0.15), 0.1),
                                 "stiffness": m.number(float(f"{mass*omega**2*8:.4g}"))}
    m.force(entry, "on a coordinate", "strut")
    _wheel(m, carrier, x, file, (mass + 40)*9.81, radius, speed)


def _road(m: Model, speed: float, end: float) -> None:
    """Something that throws a wheel up, or lets it fall."""
    draw = m.draw
    where = float(f"{speed*end*draw.uniform(0.15, 0.4):.3g}")
    shape = draw.weighted({"bump": 5, "step down": 2, "step up": 1, "ramp": 3, "cosine": 2})
    m.features.add(f"road {shape}")
    height = draw.log(0.02, 0.3)
    if shape == "cosine":
        m.tree["road"] = {"obstacles": {"one": {
            "kind": "cosine", "at": m.number(where), "length": m.number(draw.uniform(0.3, 1.5)), "height": m.number(height)}}}
        return
    text = {"bump": ("{0}*exp(-((x - {1})/{2})^2)", height, where, draw.log(0.05, 0.5)),
            "step down": ("if(x < {0}, 0, -{1})", where, height),
            "step up": ("if(x < {0}, 0, {1})", where, 0.3*height),
            "ramp": ("if(x < {0}, 0, if(x < {0} + {2}, {1}*(x - {0})/{2}, 0))", where, height, draw.uniform(0.5, 2))}[shape]
    m.tree["road"] = m.formula(text[0], *text[1:])


def lift(m: Model, end: float) -> bool:
    """A wheel that is dropped, a quarter car or a half car; whether it may begin at static equilibrium."""
    draw = m.draw
    file = draw.weighted(TYRES)
    c = coefficients(file) if file else {}
    load, radius = c.get("FNOMIN", draw.uniform(2500, 5000)), c.get("UNLOADED_RADIUS", draw.uniform(0.28, 0.34))
    mass = float(f"{load*draw.uniform(0.4, 1.1)/9.81:.4g}")
    speed = draw.uniform(4, 30)
    trolley = m.massless("ground", [0.0, 0.0, 0.6])
    x, = m.joint("prismatic", trolley, axis="x")
    x.held = x.given = True
    m.tree["initial"][x.name] = {"value": 0.0, "rate": m.number(speed)}
    kind = draw.weighted({"quarter car": 6, "half car": 2, "dropped": 3})
    m.features.add(f"lift-off, {kind}")
    m.seen = False
    m.fastest = 3000
    if kind == "half car":
        return _half_car(m, trolley, file, mass, radius, speed, end)
    chassis = m.body(trolley.name, [0.0, 0.0, 0.6], mass=mass, plain=True)
    m.slides(chassis)
    z, = m.joint("prismatic", chassis, axis="z")
    z.held = z.given = True
    _suspended(m, chassis, 0.0, file, mass, radius, speed)
    if kind == "dropped":
        m.tree["initial"][z.name] = {"value": m.number(draw.uniform(0.01, 0.15), 0.1),
                                     "rate": m.number(draw.uniform(-1, 0.5), 1.0)}
        return False
    _road(m, speed, end)
    return draw.chance(0.6)


def _half_car(m: Model, trolley: Body, file: str, mass: float, radius: float, speed: float, end: float) -> bool:
    lift_, pitch_at = m.massless(trolley.name, [0.0, 0.0, 0.6]), m.hardpoint([0.0, 0.0, 0.6], False)
    z, = m.joint("prismatic", lift_, axis="z")
    chassis = m.body(lift_.name, [m.draw.uniform(-0.2, 0.2), 0.0, 0.6], mass=2*mass, plain=True)
    m.tree["bodies"][chassis.name]["inertia"] = [m.number(2*mass*k) for k in (0.2, 0.8, 0.9)]
    pitch, = m.joint("revolute", chassis, pitch_at, axis="y")
    z.held = z.given = pitch.held = pitch.given = True
    for at in (1.2, -1.2):
        _suspended(m, chassis, at, file, mass, radius, speed)
    _road(m, speed, end)
    return m.draw.chance(0.7)
