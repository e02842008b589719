# SPDX-License-Identifier: Apache-2.0
"""Faults that were found once: a small model for each, and what must hold.

`refused` in what follows means exit status 1 with a message; it is the right answer to some of them.
"""
from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from typing import Callable

from program import Answer, Program, gradient, values, warned
from reference import derivatives
from variants import columns

TYRES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "tyres")

Check = Callable[[Program, str], str]       # "" or what is wrong


@dataclass
class Fault:
    name: str
    text: str
    check: Check


def refused(answer: Answer) -> bool:
    return answer.code == 1 and bool(answer.message)


def is_refused(program: Program, path: str) -> str:
    answer = program.call("run", path)
    return "" if refused(answer) else f"accepted, {values(answer) if answer.ok else answer.message}"


def adjoint_names_the_direct_method(program: Program, path: str) -> str:
    """Where weights of states at rest overflow, the cause is reported, and the direct method has the derivative: zero."""
    answer = [program.call("sens", path, "--wrt", "bodies.c1.mass", "--method", m) for m in ("direct", "adjoint")]
    if not all(a.ok for a in answer):
        return next(a.message for a in answer if not a.ok)
    told = answer[1].data["objectives"]["o"].get("no_derivatives")
    if gradient(answer[0])["o", "bodies.c1.mass"] != 0.0:
        return "the direct method does not find zero"
    return "" if told is None or "--method direct" in told else told


def does_not_break_down(*options: str) -> Check:
    def check(program: Program, path: str) -> str:
        answer = program.call("run", path, *options)
        return "" if answer.ok or refused(answer) and "singular" not in answer.message else answer.message
    return check


def derivatives_are_those_of_runs(number: str, at: float, increment: float, relative: float = 1e-5) -> Check:
    """Direct and adjoint against extrapolated differences."""
    def values_at(program: Program, path: str, x: float):
        answer = program.call("run", path, "--set", f"{number}={x!r}", "--tol", "1e-11")
        return values(answer) if answer.ok else None

    def check(program: Program, path: str) -> str:
        calm = {o: 0.0 for o in values_at(program, path, at)}
        found = derivatives(lambda x: values_at(program, path, x), at, increment, calm, lambda o, e: False)
        for method in ("direct", "adjoint"):
            answer = program.call("sens", path, "--wrt", number, "--method", method)
            if not answer.ok:
                return answer.message
            for (o, _), g in gradient(answer).items():
                told = gradient(answer, "gradient_error").get((o, number), 0.0)
                if abs(g - found[o].value) > max(relative*abs(found[o].value), told) + found[o].error:
                    return f"{method}: d {o} / d {number} = {g:.8g}, differences {found[o].value:.8g}"
        return ""
    return check


def derivatives_are_of_one_side(number: str, others: str, coordinate: str) -> Check:
    """Of one number and not of the others, with a warning that names what makes it so."""
    def check(program: Program, path: str) -> str:
        for method in ("direct", "adjoint"):
            answer = program.call("sens", path, "--wrt", f"{number},{others}", "--method", method)
            if not answer.ok:
                return answer.message
            for (o, n), error in gradient(answer, "gradient_error").items():
                if (error is None) != (n == number):
                    return f"{method}: d {o} / d {n} has the error {error}"
            if f"nothing holds '{coordinate}'" not in answer.message or f"'{number}'" not in answer.message:
                return f"{method}: {answer.message or 'no warning'}"
        return ""
    return check


def mean_over_the_run(program: Program, path: str) -> str:
    for end in (1.0, 0.5):
        v = values(program.call("run", path, "--end", repr(end)))
        if abs(v["mean"] - v["integral"]/end) > 1e-6*abs(v["mean"]):
            return f"--end {end}: mean {v['mean']:.6g}, integral/T {v['integral']/end:.6g}"
    answer = program.call("run", path, "--end", "0.5", "--set", "last=0.9")
    if not answer.ok:
        return "" if refused(answer) else answer.message
    v = values(answer)
    if abs(v["window"] - v["integral"]/0.5) > 1e-6*abs(v["window"]):
        return f"window up to 0.9 s, --end 0.5: {v['window']:.6g}, mean up to there {v['integral']/0.5:.6g}"
    return ""


def nothing_is_stepped_over(program: Program, path: str) -> str:
    free = values(program.call("run", path))
    fixed = values(program.call("run", path, "--method", "rk4", "--step", "0.0005"))
    for o, value in free.items():
        if abs(value - fixed[o]) > 1e-4*abs(fixed[o]):
            return f"{o} = {value:.6g}, with small fixed steps {fixed[o]:.6g}"
    return ""


def as_if_nearly(setting: str, name: str) -> Check:
    """Refused, or continuous in a number."""
    def check(program: Program, path: str) -> str:
        answer = program.call("run", path)
        if not answer.ok:
            return "" if refused(answer) else answer.message
        near = program.call("run", path, "--set", setting)
        a, b = answer.data["final"][name], near.data["final"][name]
        return "" if abs(a - b) < 0.1*abs(b) else f"{name} = {a:.6g}, with {setting} {b:.6g}"
    return check


def compiled_is_interpreted(program: Program, path: str) -> str:
    """To the last bit: steps, values and rates at the end."""
    a, b = (program.call("run", path, c) for c in ("--compiler", "--interpreter"))
    if not a.ok or not b.ok:
        return a.message or b.message
    for key in ("objectives", "final", "steps", "closure_residual"):
        if a.data[key] != b.data[key]:
            return f"{key}: {a.data[key]}, interpreter {b.data[key]}"
    return ""


def values_are_within_their_errors(number: str) -> Check:
    """As `sens` states them, against a small tolerance."""
    def check(program: Program, path: str) -> str:
        plain, sharp = (program.call("sens", path, "--wrt", number, "--tol", t) for t in ("1e-8", "1e-11"))
        if not plain.ok or not sharp.ok:
            return plain.message or sharp.message
        for o, value in values(plain).items():
            off, told = abs(value - values(sharp)[o]), plain.data["objectives"][o]["value_error"]
            if off > told:
                return f"{o} is off by {off:.2g}, stated {told:.2g}"
        return ""
    return check


def load_stays_below(most: float) -> Check:
    """At every step, at several tolerances."""
    def check(program: Program, path: str) -> str:
        for tolerance in ("1e-8", "1e-9", "1e-10"):
            out = os.path.join(program.folder, "load.csv")
            answer = program.call("run", path, "--tol", tolerance, "--output-step", "0", "-o", out)
            if not answer.ok:
                return f"--tol {tolerance}: {answer.message}"
            peak = max(columns(out)["tyre0.fz"])
            if peak > most:
                return f"--tol {tolerance}: load of {peak:.3g} N"
        return ""
    return check


def sweep_is_run(number: str, low: float, high: float) -> Check:
    def check(program: Program, path: str) -> str:
        answer = program.call("sweep", path, "--param", f"{number}={low}:{high}:3", "--wrt", "none")
        for point in answer.data["points"] if answer.ok else ():
            x = point["parameters"][number]
            run = program.call("run", path, "--set", f"{number}={x!r}")
            # a run of its own may find the mechanism locked and stand; a sweep refuses that point by name
            if run.ok and point["status"] != 0 and "overconstrained" in point.get("message", ""):
                continue
            if run.ok != (point["status"] == 0):
                return f"{number} = {x}: run {run.message or 'fine'}, sweep {point.get('message', 'fine')}"
            for o, value in values(run).items() if run.ok else ():
                swept = point["objectives"][o]["value"]
                if abs(value - swept) > 1e-6*abs(value):
                    return f"{number} = {x}: {o} = {value:.6g}, sweep {swept:.6g}"
        return "" if answer.ok or refused(answer) else answer.message
    return check


MASS_ON_SPRING = """
jounce: 1
parameters: {c: 20}
bodies: {mass: {mass: 10}}
joints: {z: {type: prismatic, child: mass, axis: z}}
forces:
  spring: {on: z, stiffness: 4000, damping: c, free: 0.01}
  load: {on: z, torque: "if(t < 0.1, 0, 5*sin(20*(t - 0.1)))"}
objectives: {o: {mean: z}}
simulation: {end: 0.4, start_at: static}
"""

FOUR_BAR = """
jounce: 1
parameters: {m_crank: 0.5, start_rate: 20, base: 0.45}
hardpoints: {A: [0, 0, 0], B: [0, 0, 0.1], C: [0.24, 0, 0.28], D: [base, 0, 0]}
bodies:
  crank: {mass: m_crank, com: [0, 0, 0.05], inertia: [m_crank*0.1^2/12, m_crank*0.1^2/12, 0]}
  coupler:
    {mass: 1, com: [0.12, 0, 0.19], inertia: {xx: 0.18^2/12, yy: 0.3^2/12, zz: 0.24^2/12, xz: -0.24*0.18/12}}
  rocker:
    {mass: 1, com: [0.345, 0, 0.14], inertia: {xx: 0.28^2/12, yy: 0.35^2/12, zz: 0.21^2/12, xz: 0.21*0.28/12}}
joints:
  crank: {type: revolute, child: crank, at: A, axis: [0, -1, 0], independent: true}
  coupler: {type: revolute, parent: crank, child: coupler, at: B, axis: [0, -1, 0]}
  rocker: {type: revolute, child: rocker, at: D, axis: [0, -1, 0]}
closures: {pin: {type: ball, a: coupler.C, b: rocker.C}}
initial: {crank: {value: 0, rate: start_rate}}
objectives: {psi: {integral: rocker.rate^2}}
simulation: {end: 2}
"""

LOOP_AT_REST = FOUR_BAR.replace(
    "initial: {crank: {value: 0, rate: start_rate}}",
    'forces: {hold: {on: crank, stiffness: 30, damping: 0.5, free: 0.2}, '
    'load: {on: rocker, torque: "if(t < 0.1, 0, 0.5)"}}').replace(
    "simulation: {end: 2}", "simulation: {end: 0.4, start_at: static}").replace(
    "integral: rocker.rate^2", "integral: rocker + coupler.rate")

STRONG_DAMPER = """
jounce: 1
parameters: {k: 8.0e5, c: 4.0e4, at: 0.5}
bodies: {mass: {mass: 1}}
joints: {z: {type: prismatic, child: mass, axis: z}}
forces:
  damper: {on: z, stiffness: k, damping: c}
  load: {on: z, torque: "if(t < at, 0, 1000)"}
objectives: {o: {integral: z}, end: {final: z}}
simulation: {end: 0.7, start_at: static}
"""

MEANS = """
jounce: 1
gravity: [0, 0, 0]
parameters: {last: 0.45}
bodies: {mass: {mass: 1}}
joints: {z: {type: prismatic, child: mass, axis: z}}
forces: {spring: {on: z, stiffness: 30, damping: 1}}
initial: {z: {value: 0.1, rate: 0}}
objectives: {integral: {integral: z}, mean: {mean: z}, window: {mean: z, window: [0, last]}}
simulation: {end: 1}
"""

FOLLOWING_DRIVE = """
jounce: 1
bodies: {a: {mass: 1}, b: {mass: 1}}
joints:
  x: {type: prismatic, child: a, axis: x}
  y: {type: prismatic, child: b, axis: y, drive: 2*x}
forces: {spring: {on: x, stiffness: 100}}
initial: {x: 0.1}
objectives: {o: {integral: b.com.vy^2}}
simulation: {end: 0.5}
"""

PULSE = """
jounce: 1
gravity: [0, 0, 0]
bodies: {mass: {mass: 10}}
joints: {z: {type: prismatic, child: mass, axis: z}}
forces:
  spring: {on: z, stiffness: 4000, damping: 100}
  load: {on: z, torque: "SHAPE"}
objectives: {o: {rms: z}}
simulation: {end: 4}
"""

STANDSTILL = """
jounce: 1
parameters: {v: 0}
hardpoints: {hub: [0, 0, 0.3]}
bodies:
  trolley:
  chassis: {mass: 300, com: [0, 0, 0.6]}
  wheel: {mass: 20, com: [0, 0, 0.3], inertia: [0.5, 0.8, 0.5]}
joints:
  x: {type: prismatic, child: trolley, axis: x}
  z: {type: prismatic, parent: trolley, child: chassis, axis: z}
  spin: {type: revolute, parent: chassis, child: wheel, at: hub, axis: y}
forces: {motor: {on: spin, torque: 30}}
tyres:
  tyre: {wheel: wheel, centre: wheel.hub, radius: 0.31, stiffness: 2.0e5, damping: 500, kappa_c: 0.5,
         alpha_c: 0.2, mu_x: 0.9, mu_y: 0.9}
initial: {x: {value: 0, rate: v}, z: {value: 0, rate: 0}, spin: {value: 0, rate: v/0.31}}
objectives: {o: {rms: chassis.com.az}}
simulation: {end: 0.5}
"""

ONE_CONDITION = """
jounce: 1
hardpoints: {hinge: [-0.2, -0.2, 0.4], anchor: [0.14, 0.2, -0.16], tip: [-0.23, -0.21, 0.59]}
bodies: {arm: {mass: 12, com: [-0.15, -0.32, 0.44], inertia: [0.27, 0.27, 0.21]}}
joints:
  j: {type: universal, child: arm, at: hinge, axis: [0.93, -0.13, 0.25], axis2: [-0.065, -0.232, 0.12]}
forces:
  hold_a: {on: j.a, damping: 20, stiffness: 700}
  hold_b: {on: j.b, damping: 17, stiffness: 630}
  strut: {between: [ground.anchor, arm.tip], stiffness: 100, free_length: 0.9}
initial: {strut.length: {value: 0.94, rate: 0}}
objectives: {o: {integral: j.b}}
simulation: {end: 0.5}
"""

THREE_CRANKS = """
jounce: 1
parameters: {top: 0.3}
hardpoints: {A1: [0, 0, 0], A2: [0.4, 0, 0], A3: [0.8, 0, 0], B1: [0.1, 0, 0.3], B2: [0.5, 0, 0.3],
             B3: [0.9, 0, top]}
bodies:
  c1: {mass: 1, com: [0.05, 0, 0.15], inertia: [0.01, 0.01, 0.01]}
  c2: {mass: 1, com: [0.45, 0, 0.15], inertia: [0.01, 0.01, 0.01]}
  c3: {mass: 1, com: [0.85, 0, 0.15], inertia: [0.01, 0.01, 0.01]}
  beam: {mass: 2, com: [0.5, 0, 0.3], inertia: [0.01, 0.1, 0.1]}
joints:
  c1: {type: revolute, child: c1, at: A1, axis: y}
  c2: {type: revolute, child: c2, at: A2, axis: y}
  c3: {type: revolute, child: c3, at: A3, axis: y}
  beam: {type: revolute, parent: c1, child: beam, at: B1, axis: y}
closures:
  p2: {type: point_on_line, line: {point: c2.B2, direction: c2.y}, point: beam.B2}
  p3: {type: point_on_line, line: {point: c3.B3, direction: c3.y}, point: beam.B3}
forces: {hold: {on: c1, stiffness: 20, damping: 2}}
objectives: {o: {integral: c1.rate^2}}
simulation: {end: 0.3}
"""

# equal corners whose loops are projected in packs of 8 lanes, out of which 1 0 7 6 are taken
TWO_CORNERS = """
jounce: 1
hardpoints: {P0: [0, 0, 0.4], P1: [0.48808, 0, 0.9]}
bodies: {b0: {mass: 17.42, com: [0, 0, 0.4], inertia: [0.1402, 0.161, 0.1707]}}
joints: {j0: {type: planar, child: b0, at: P0, axis: x, axis2: y}}
forces:
  hold0: {on: j0.s, damping: 152.4, stiffness: 2751}
  hold1: {on: j0.t, damping: 433, stiffness: 16140}
  hold2: {on: j0.a, damping: 15.02, stiffness: 181.3}
  load: {on: j0.s, torque: 146.3}
objectives: {o0: {mean: b0.com.az}}
simulation: {end: 0.3}
templates:
  corner:
    ports: {body: , anchor: }
    hardpoints: {pivot: [0.11188, 0.19391, -0.038], hub: [-0.04745, 0.63825, 0.005024], foot: [0.042067, 0.49133, 0.0545],
                 top: [0.07851, 0.39816, 0.41422], head: [-0.02745, 0.58825, 0.30502], seat: [0.14188, 0.24391, 0.282]}
    bodies:
      arm: {mass: 2.301, com: [0.00562, 0.37774, 0.01678], inertia: [0.038593, 0.03623, 0.041624]}
      upright: {mass: 1.5, com: head, inertia: [0.02, 0.02, 0.02]}
    joints:
      arm: {type: revolute, parent: body, child: arm, at: pivot, axis: [1, -0.03679, 0.05913]}
      upright: {type: revolute, parent: arm, child: upright, at: hub, axis: [1, 0.05, -0.03]}
    forces:
      strut: {between: [body.top, arm.foot], stiffness: 254.8, damping: 18.11, free_length: 0.4111}
      tether: {between: [anchor, arm.hub], stiffness: 127.4, damping: 3.6, free_length: 0.5}
    closures: {rod: {type: distance, a: body.seat, b: upright.head}}
instances:
  l0: {template: corner, ports: {body: b0, anchor: ground.P1}, at: [0.48808, -0.02221, 0.35925], turn: 0.06665, mirror: z}
  r0: {mirror: l0}
"""

# braked on a bump up to loads at which K_x of the file changes its sign, below its FZMAX
STIFFNESS_CHANGES_SIGN = f"""
jounce: 1
gravity: [0, 0, -9.81]
hardpoints: {{P0: [0, 0, 0.393581]}}
bodies:
  b0:
  b1: {{mass: 449, com: [0, 0, 0.6], inertia: [3.701, 3.733, 3.296]}}
  b2: {{mass: 24.74, com: P0, inertia: [0.3609, 0.2669, 0.3838]}}
  b3: {{mass: 9.927, com: P0, inertia: [0.6161, 0.8978, 0.6325]}}
joints:
  j0: {{type: prismatic, child: b0, axis: x}}
  j1: {{type: prismatic, child: b1, parent: b0, axis: z}}
  j2: {{type: prismatic, child: b2, parent: b1, axis: z}}
  j3: {{type: revolute, child: b3, parent: b2, at: P0, axis: [0.06143, 1, 0]}}
forces: {{strut0: {{on: j2, stiffness: 105500, damping: 4623}}}}
tyres:
  tyre0: {{wheel: b3, centre: b3.P0, axis: [0.06143, 1, 0], file: "{TYRES}/MagicFormula61_scaled.tir", friction: 0.6888, side: left}}
initial: {{j0: {{value: 0, rate: 29.78}}, j3: {{value: 0, rate: 75.664}}}}
objectives: {{o0: {{integral: j1.rate^2}}}}
simulation: {{end: 0.25, start_at: static}}
road: 0.2309*exp(-((x - 5.78)/0.3889)^2)
"""

ENDED_BY_ITS_STEPS = """jounce: 1
bodies: {b: {mass: 1, inertia: [0.1, 0.1, 0.1]}}
joints: {x: {type: prismatic, child: b, axis: x}}
forces: {hold: {on: x, stiffness: 400, damping: 40}}
gravity: [0, 0, 0]
objectives: {o: {integral: "x^2"}}
initial: {x: {value: 0.1, rate: -2}}
simulation: {end: 2, method: rk3, step: 0.2, end_when: "x < -0.05"}
"""

FILTER_AT_REST = """jounce: 1
gravity: [0, 0, -9.81]
hardpoints: {A1: [0, 0, 0], A2: [1, 0, 0], B1: [0.2, 0, 0.3], B2: [1.2, 0, 0.3]}
bodies:
  c1: {mass: 2, com: [0.1, 0, 0.15], inertia: [0.05, 0.05, 0.05]}
  beam: {mass: 2, com: [0.7, 0, 0.3], inertia: [0.01, 0.1, 0.1]}
  c2: {mass: 2, com: [1.1, 0, 0.15], inertia: [0.05, 0.05, 0.05]}
joints:
  c1: {type: revolute, child: c1, at: A1, axis: y}
  beam: {type: revolute, parent: c1, child: beam, at: B1, axis: y}
  c2: {type: revolute, child: c2, at: A2, axis: y}
closures: {p: {type: point_on_line, line: {point: beam.B2, direction: [0, 1, 0]}, point: c2.B2}}
objectives: {o: {integral: 0, filter: Wd}, v: {final: c1}}
initial: {c1: {rate: 4}}
simulation: {end: 3, tolerance: 1e-7}
"""

# at p = 0 the drive jumps along the hinge, which does not feel it
DRIVE_ACROSS = """
jounce: 1
parameters: {p: 0}
bodies: {slide: {mass: 3}, arm: {mass: 1, com: [0, 0, -0.2], inertia: [0.01, 0.01, 0.01]}}
joints:
  slide: {type: prismatic, child: slide, axis: [p, 1, 0], drive: {velocity: "0.1 + if(t < 0.3, 0, 0.05)", from: 0}}
  arm: {type: revolute, child: arm, parent: slide, axis: y}
objectives: {o: {integral: arm}}
simulation: {end: 1, tolerance: 1e-9}
"""

# a wheel in balance: with a centre of mass above its axis it turns over, and with one below it hangs
BALANCED = """
jounce: 1
parameters: {height: 0, m: 20, k: 20000}
bodies: {carrier: {mass: 10}, wheel: {mass: m, com: [0, 0, height], inertia: [0.3, 0.5, 0.3]}}
joints:
  z: {type: prismatic, child: carrier, axis: z}
  spin: {type: revolute, child: wheel, parent: carrier, axis: y}
forces: {spring: {on: z, stiffness: k, damping: 200}}
initial: {spin: {rate: 30}}
objectives: {o: {integral: z}}
simulation: {end: 0.5, start_at: static}
"""

# off a step: until its switch is off, too, the tyre would pull with 50 kN, and the acceleration to the power of 8 is 10^14 times
# that of the motion
OFF_A_STEP = """
jounce: 1
parameters: {k: 21000, kappa: 0.2, height: 0.19}
hardpoints: {hub: [0, 0, 0.3]}
bodies:
  trolley: {mass: 300}
  carrier: {mass: 30, com: hub}
  wheel: {mass: 8, com: hub, inertia: [0.5, 0.8, 0.5]}
joints:
  x: {type: prismatic, child: trolley, axis: x}
  z: {type: prismatic, child: carrier, parent: trolley, axis: z}
  spin: {type: revolute, child: wheel, parent: carrier, at: hub, axis: y}
forces: {strut: {on: z, stiffness: k, damping: 600, free: -0.15}}
tyres:
  tyre: {wheel: wheel, centre: wheel.hub, radius: 0.3, stiffness: 270000, damping: 100, kappa_c: kappa, alpha_c: 0.15, mu_x: 0.9, mu_y: 0.9, reading: B}
sensors: {a: trolley.com.ax}
objectives: {o: {peak: a, power: 8}}
initial: {x: {rate: 8.5}, spin: {rate: 29}}
simulation: {end: 0.2}
road: "if(x < 1, 0, -height)"
"""

# over a short bump, which loads the tyre with 20 times its nominal load
LARGE_LOAD = f"""
jounce: 1
gravity: [0, 0, -9.81]
hardpoints: {{P0: [0, 0, 0.393581]}}
bodies:
  b0:
  b1: {{mass: 745.4, com: [0, 0, 0.6], inertia: [33.02, 25.58, 24.8, 0.1579, 2.147, -1.069]}}
  b2: {{mass: 20.1, com: P0, inertia: [0.5135, 0.654, 0.4879, 0.01617, 0.03901, -0.01908]}}
  b3: {{mass: 21.03, com: P0, inertia: [0.4173, 0.8492, 0.5263]}}
joints:
  j0: {{type: prismatic, child: b0, axis: x}}
  j1: {{type: prismatic, child: b1, parent: b0, axis: z}}
  j2: {{type: prismatic, child: b2, parent: b1, axis: z}}
  j3: {{type: revolute, child: b3, parent: b2, at: P0, axis: y}}
forces:
  strut0: {{on: j2, stiffness: 87360, damping: 2752, rebound_stop: {{at: 0.1025, stiffness: 698900}}}}
  motor1: {{on: j3, torque: "-251.3*sin(4.13*t)"}}
tyres:
  tyre0: {{wheel: b3, centre: b3.P0, axis: y, file: "{TYRES}/MagicFormula61_Parameters.tir", friction: 0.8772, side: left}}
objectives:
  o0: {{mean: j1.rate, nominal: 9.362}}
  o1: {{integral: j2.rate, window: [0.0279, 0.523]}}
initial: {{j0: {{value: 0, rate: 17.23}}, j3: {{value: 0, rate: 43.778}}}}
simulation: {{end: 0.557}}
road: 0.1306*exp(-((x - 2.03)/0.05043)^2)
"""


# an event that sets what its condition compares back to the limit, under a force that goes on
BRAKE = """
jounce: 1
gravity: [0, 0, 0]
bodies: {car: {mass: 1200}}
joints: {x: {type: prismatic, axis: x, child: car}}
events: {stop: {when: x.rate < 0, set: {x.rate: 0}}}
forces: {brakes: {on: x, force: 9417.6}}
initial: {x: {value: 0, rate: 20}}
objectives: {o: {final: x}}
simulation: {end: 10}
"""

# a pole that is located exactly
POLE = BRAKE.replace("x.rate < 0, set: {x.rate: 0}", '"1/abs(x) > 10", set: {n: n + 1}').replace(
    "force: 9417.6", "force: 0*x").replace("value: 0, rate: 20", "value: 1, rate: -1").replace("events:", "states: {n: {discrete: true}}\nevents:")


ADDING = """jounce: 1
name: undamped
parameters: {w: 30}
gravity: [0, 0, 0]
bodies: {b: {mass: 1}}
joints: {a: {type: prismatic, child: b, axis: x}}
forces: {s: {on: a, stiffness: w^2}}
initial: {a: 0.1}
objectives: {e: {final: "energy.kinetic + 0.5*w^2*a^2"}}
simulation: {end: END, SIMULATION}
"""


def adding(end: str, simulation: str) -> str:
    return ADDING.replace("END", end).replace("SIMULATION", simulation)


def energy_is_kept_or_doubted(program: Program, path: str) -> str:
    """w^2 a^2/2 = 4.5 J for ever: `run` warns of another value, and `sens` states an error that is as large."""
    answer = program.call("run", path)
    if answer.ok and abs(values(answer)["e"] - 4.5) > 0.045 and not warned(answer).get("e"):
        return f"{values(answer)['e']:.3g} J without a warning"
    answer = program.call("sens", path, "--wrt", "w")
    found = answer.data["objectives"]["e"] if answer.ok else None
    if found and abs(found["value"] - 4.5) > found["value_error"]:
        return f"{found['value']:.3g} J +- {found['value_error']:.2g}"
    return ""


def drive_along(velocity: str) -> str:
    return DRIVE_ACROSS.replace("[p, 1, 0]", "x").replace("0.1 + if(t < 0.3, 0, 0.05)", velocity)


FAULTS = (
    Fault("a: static start, number by name", MASS_ON_SPRING, derivatives_are_those_of_runs("c", 20, 0.2)),
    Fault("a: static start, number by path", MASS_ON_SPRING,
          derivatives_are_those_of_runs("forces.spring.stiffness", 4000, 20)),
    Fault("a: static start, another by path", MASS_ON_SPRING,
          derivatives_are_those_of_runs("bodies.mass.mass", 10, 0.05)),
    Fault("b: static start with loops", LOOP_AT_REST, derivatives_are_those_of_runs("m_crank", 0.5, 0.005)),
    Fault("b: static start with loops, hardpoint", LOOP_AT_REST,
          derivatives_are_those_of_runs("base", 0.45, 0.002)),
    Fault("c: strong damper at rest, stiffness", STRONG_DAMPER, derivatives_are_those_of_runs("k", 8e5, 4e3)),
    Fault("c: strong damper at rest, damping", STRONG_DAMPER, derivatives_are_those_of_runs("c", 4e4, 2e2)),
    Fault("c: strong damper let go", STRONG_DAMPER.replace(", start_at: static", ""),
          derivatives_are_those_of_runs("c", 4e4, 2e2)),
    Fault("d: means and windows with --end", MEANS, mean_over_the_run),
    Fault("e: drive that follows a coordinate", FOLLOWING_DRIVE, is_refused),
    Fault("f: pulse after a rest, abs", PULSE.replace("SHAPE", "if(abs(t - 3) < 0.01, 400, 0)"),
          nothing_is_stepped_over),
    Fault("f: pulse after a rest, if in if",
          PULSE.replace("SHAPE", "if(t < 3, 0, if(t < 3.02, 400, 0))"), nothing_is_stepped_over),
    Fault("f: pulse after a rest, smooth", PULSE.replace("SHAPE", "400*exp(-((t - 3)/0.01)^2)"),
          nothing_is_stepped_over),
    Fault("f: pulse after a rest, half sine",
          PULSE.replace("SHAPE", "400*max(0, sin(50*pi*t))*step(t - 3)*step(3.02 - t)"),
          nothing_is_stepped_over),
    Fault("g: tyre at a standstill", STANDSTILL, as_if_nearly("v=0.001", "x")),
    Fault("h: one condition, two freedoms", ONE_CONDITION,
          derivatives_are_those_of_runs("hardpoints.tip.x", -0.23, 0.002)),
    Fault("i: redundancy that depends on a number", THREE_CRANKS, sweep_is_run("top", 0.3, 0.36)),
    Fault("j: rough tolerance, failed projection", FOUR_BAR, does_not_break_down("--tol", "0.1")),
    Fault("k: packs of 8 lanes compiled by gcc", TWO_CORNERS, compiled_is_interpreted),
    Fault("l: load of a tyre whose slip stiffness changes its sign", STIFFNESS_CHANGES_SIGN, load_stays_below(1e5)),
    Fault("m: run that its fixed steps end", ENDED_BY_ITS_STEPS, is_refused),
    Fault("n: filter at rest, steps that leap over a singular position", FILTER_AT_REST, adjoint_names_the_direct_method),
    Fault("o: drive that jumps and moves nothing", DRIVE_ACROSS, derivatives_are_those_of_runs("p", 0, 0.05)),
    Fault("o: drive that jumps by zero", drive_along("0.1 + if(t < 0.3, 0, p)"),
          derivatives_are_those_of_runs("p", 0, 0.05)),
    Fault("o: drive that jumps by zero, and others at once",
          drive_along("0.1 + if(t < 0.3, p, 0) + if(t > 0.3, 0.2*(t - 0.3), 0)"),
          derivatives_are_those_of_runs("p", 0, 0.05)),
    Fault("p: static start of a wheel in balance", BALANCED, derivatives_are_of_one_side("height", "m,k", "spin")),
    Fault("r: tyre off a step, peak of an acceleration", OFF_A_STEP, derivatives_are_those_of_runs("k", 21000, 20)),
    Fault("t: event that holds what moves on", BRAKE, is_refused),
    Fault("t: pole beside a located event", POLE, is_refused),
    Fault("s: load of a tyre that jumped within 1e-9 s", LARGE_LOAD, values_are_within_their_errors("bodies.b3.mass")),
    Fault("u: fixed steps that damp, rk4", adding("100", "method: rk4, step: 0.08"), energy_is_kept_or_doubted),
    Fault("u: fixed steps that damp slowly, rk4", adding("100", "method: rk4, step: 0.055"), energy_is_kept_or_doubted),
    Fault("u: fixed steps that damp, rk3", adding("60", "method: rk3, step: 0.05"), energy_is_kept_or_doubted),
    Fault("u: fixed steps that damp, imex3", adding("100", "method: imex3, step: 0.05"), energy_is_kept_or_doubted),
    Fault("u: tolerance that damps, imex4", adding("1000", "method: imex4, tolerance: 1.0e-3"), energy_is_kept_or_doubted),
    Fault("u: tolerance that damps, auto", adding("1000", "tolerance: 1.0e-4"), energy_is_kept_or_doubted),
    Fault("u: tolerance that makes the motion", adding("1000", "tolerance: 0.01"), is_refused),
)


def run(path: str) -> int:
    """All of them; exit status 1 when one does not hold."""
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="jounce_random_") as folder:
        program = Program(path, folder)
        for i, fault in enumerate(FAULTS):
            said = fault.check(program, program.save(f"case{i}.yaml", fault.text))
            wrong += bool(said)
            print(f"{'WRONG' if said else 'fine '}  {fault.name}" + (f": {said}" if said else ""), flush=True)
    print(f"{wrong} of {len(FAULTS)} known faults are there")
    return 1 if wrong else 0
