# SPDX-License-Identifier: Apache-2.0
"""Starts at static equilibrium that are hard to find: on stops, behind switches, beside unstable ones."""
from __future__ import annotations

from model import Model

GRAVITY = 9.81


def _on_stops(m: Model) -> None:
    """Masses whose springs are too short or too weak: they rest on stops."""
    draw = m.draw
    parent = "ground"
    for i in range(draw.count(1, 3)):
        body = m.body(parent, [0.0, 0.0, 0.2*i], mass=draw.log(1, 30), plain=True)
        z, = m.joint("prismatic", body, axis="z")
        z.held = True
        m.slides(body)
        mass = body.mass*(3 if i == 0 else 1)
        omega = 6.283*draw.uniform(1, 3)
        gap = draw.uniform(0.005, 0.05)
        sag = mass*GRAVITY/(mass*omega**2)*draw.uniform(0.5, 4)
        stop = {"at": m.number(float(f"{-gap:.4g}"), 0.05), "stiffness": m.number(float(f"{mass*omega**2*draw.log(3, 300):.4g}"))}
        if draw.chance(0.3):
            stop["exponent"] = m.number(draw.uniform(20, 120))
        m.force({"on": z.name, "stiffness": m.number(float(f"{mass*omega**2:.4g}")),
                 "damping": m.number(float(f"{2*draw.uniform(0.3, 0.9)*mass*omega:.4g}")),
                 "free": m.number(float(f"{draw.uniform(-1, 1)*sag:.4g}"), 0.1), "bump_stop": stop}, "on a coordinate", "strut")
        m.fastest = 3000
        parent = body.name
    m.features.add("static start on stops")


def _arm_on_stop(m: Model) -> None:
    """A trailing arm under load, held by a strut with stops between points."""
    draw = m.draw
    pivot = m.hardpoint([0.0, 0.0, 0.3])
    arm = m.body("ground", [-0.3, 0.0, 0.3], mass=draw.uniform(5, 60), plain=True)
    a, = m.joint("revolute", arm, pivot, axis="y")
    a.held = True
    top, foot = m.hardpoint([-0.25, 0.0, 0.8]), m.hardpoint([-0.25, 0.0, 0.3])
    k = arm.mass*(6.283*draw.uniform(1, 3))**2
    m.force({"between": [f"ground.{top}", f"{arm.name}.{foot}"], "stiffness": m.number(float(f"{k:.4g}")),
             "damping": m.number(float(f"{k*draw.uniform(0.03, 0.1):.4g}")),
             "free_length": m.number(float(f"{0.5 - draw.uniform(-0.08, 0.08):.4g}"), 0.1),
             "rebound_stop": {"length": m.number(float(f"{0.5 + draw.uniform(0.005, 0.06):.4g}"), 0.05),
                              "stiffness": m.number(float(f"{k*draw.log(3, 100):.4g}"))},
             "bump_stop": {"length": m.number(float(f"{0.5 - draw.uniform(0.01, 0.1):.4g}"), 0.05),
                           "stiffness": m.number(float(f"{k*draw.log(3, 100):.4g}"))}}, "between points", "strut")
    m.fastest = 1000
    m.features.add("static start on stops")


def _beside_unstable(m: Model) -> None:
    """A pendulum upright at its start, with springs that hold it or do not."""
    draw = m.draw
    body = m.body("ground", [0.0, 0.0, draw.one((-0.3, 0.3))], mass=draw.uniform(0.5, 5), plain=True)
    a, = m.joint("revolute", body, m.hardpoint([0.0, 0.0, 0.0]), axis="y")
    a.held = True
    weight = body.mass*GRAVITY*0.3
    m.force({"on": a.name, "stiffness": m.number(float(f"{weight*draw.uniform(-0.9, 3):.4g}"), weight),
             "damping": m.number(float(f"{weight*draw.uniform(0.1, 0.4):.4g}")),
             "free": m.number(draw.one((0.0, 0.01, 0.2)), 0.1)}, "on a coordinate", "spring")
    m.features.add("equilibrium that may be unstable")


def _on_floor(m: Model) -> None:
    """Masses that rest on a floor that gives way, let go in the air or in the floor."""
    draw = m.draw
    for _ in range(draw.count(1, 2)):
        body = m.body("ground", [0.0, 0.0, 0.0], mass=draw.log(0.5, 20), plain=True)
        z, = m.joint("prismatic", body, axis="z")
        z.held = True
        m.slides(body)
        m.tree["joints"][z.name]["guess"] = draw.one((0.2, 0.01, -0.01))
        k = body.mass*draw.log(1e3, 1e5)
        m.force({"on": z.name, "force": m.formula("if(angle < 0, {0}*angle + {1}*rate, 0)", float(f"{k:.4g}"),
                                                  float(f"{(k*body.mass)**0.5*draw.uniform(0.3, 1.5):.4g}"))},
                "on a coordinate", "floor")
    m.fastest = 1000
    m.features.add("static start on a floor")


def _switched(m: Model, end: float) -> None:
    """An input that is zero at the start, written in one of several ways that mean the same there."""
    draw, c = m.draw, m.draw.one(m.free())
    at = float(f"{end*draw.uniform(0.3, 0.7):.3g}")
    size = float(f"{c.inertia()*draw.uniform(2, 20):.4g}")
    ways = [f"if(t < {at!r}, 0, 1)", f"if(t > {at!r}, 1, 0)", f"if(t < {at!r}, 0, (t - {at!r})^3)",
            f"if(t > {at!r}, (t - {at!r})^3, 0)", f"step(t - {at!r})"]
    kind = draw.one(ways)
    name = m.force({"on": c.name, "torque": m.formula("{0}*" + kind, size)}, "torque on a coordinate", "load")
    other = {w: v for w, v in zip(ways, (1, 0, 3, 2, 1))}[kind]
    m.same.append((name, f"{size!r}*{ways[other]}"))
    m.wake = at
    m.features.add("input behind a switch")


def rest(m: Model) -> float:
    """A static start; returns the end of the run."""
    draw = m.draw
    m.tree["gravity"] = [0.0, 0.0, m.number(-GRAVITY)]
    m.seen = False
    draw.weighted({_on_stops: 4, _arm_on_stop: 3, _beside_unstable: 2, _on_floor: 2})(m)
    end = draw.uniform(0.3, 1)
    if draw.chance(0.6):
        _switched(m, end)
    return end
