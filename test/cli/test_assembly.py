#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Starts that are singular, far away, many turns on, or not a number, through every command."""
import json
import math
import os
import random
import tempfile
import unittest
from pathlib import Path

from program import jounce

BUGGY = "models/buggy/step_descent.yaml"

# Cranks of 0.2 m half a metre apart and a coupler between them. At an angle of zero all lie on one line,
# where a parallelogram may become an antiparallelogram.
PARALLELOGRAM = """
jounce: 1
parameters: {angle: %r}
gravity: [0, 0, 0]
hardpoints: {A: [0, 0, 0], B: [0.2, 0, 0], C: [0.7, 0, 0], D: [0.5, 0, 0]}
bodies:
  crank: {mass: 1, com: [0.1, 0, 0], inertia: [0.01, 0.01, 0.01]}
  coupler: {mass: 1, com: [0.45, 0, 0], inertia: [0.01, 0.02, 0.02]}
  rocker: {mass: 1, com: [0.6, 0, 0], inertia: [0.01, 0.01, 0.01]}
joints:
  crank: {type: revolute, child: crank, at: A, axis: y}
  coupler: {type: revolute, child: coupler, parent: crank, at: B, axis: y}
  rocker: {type: revolute, child: rocker, at: D, axis: y, guess: %r}
closures:
  pin: {type: ball, a: coupler.C, b: rocker.C}
initial:
  crank: {value: angle, rate: -1}
objectives:
  turned: {final: rocker}
simulation: {end: 0.2}
"""

DRIVEN = """
jounce: 1
parameters: {l: 2}
bodies: {b: {mass: 1, com: [0.1, 0, 0], inertia: [1, 1, 1]}}
joints: {j: {type: revolute, child: b, axis: y, drive: asin(l)}}
objectives: {x: {final: b.com.z}}
simulation: {end: 1}
"""

UNIVERSAL = """
jounce: 1
bodies: {b: {mass: 1, com: [0.1, 0.2, -0.3], inertia: [1, 1, 1]}}
joints: {j: {type: universal, child: b, axis: [1, 0, 0], axis2: [1.0e-6, 1, 0]}}
objectives: {x: {final: b.com.x}}
simulation: {end: 1}
"""

# A slider on a slider, whose point lies in a wall: one of the two moves there, the other stays. Which one depends on
# whether the slope is above 0.98020, where the second moves the point 0.7 times as far.
SLIDERS = """
jounce: 1
parameters: {slope: %r}
gravity: [0, 0, 0]
hardpoints: {P: [0.2, 0, 0]}
bodies:
  frame: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}
  a: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}
  b: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}
joints:
  frame: {type: fixed, child: frame}
  a: {type: prismatic, child: a, axis: x}
  b: {type: prismatic, child: b, parent: a, axis: [slope, 1, 0]}
closures:
  wall: {type: point_in_plane, plane: {point: frame.P, normal: x}, point: b.com}
%s
objectives: {side: {final: b.com.y}}
simulation: {end: 0.1}
"""


class Start(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def model(self, text):
        path = os.path.join(self.folder.name, "model.yaml")
        Path(path).write_text(text, encoding="utf-8")
        return path

    def parallelogram(self, angle):
        return self.model(PARALLELOGRAM % (angle, angle))

    def test_singular_start_is_refused(self):
        for angle in (0.0, 1e-9):
            path = self.parallelogram(angle)
            for command in (["run", path], ["check", path], ["sens", path, "--wrt", "angle"],
                            ["static", path], ["modes", path]):
                done = jounce(*command, "--interpreter", code=1)
                self.assertIn("singular position", done.stderr, command)
                self.assertIn("pin", done.stderr)

    def test_beside_it_the_loop_stays_closed(self):
        for angle in (0.3, -0.05, 0.011):
            path = self.parallelogram(angle)
            done = json.loads(jounce("run", path, "--interpreter", "--json", "--end", "0.01").stdout)
            self.assertAlmostEqual(done["objectives"]["turned"], angle - 0.01, places=7)

    def test_runs_pass_a_singular_position_and_loads_do_not(self):
        path = self.parallelogram(0.1003)
        for options in ((), ("--method", "esdirk5"), ("--method", "imex4"), ("--method", "rk4", "--step", "0.003")):
            done = json.loads(jounce("run", path, "--interpreter", "--json", *options).stdout)
            self.assertAlmostEqual(done["objectives"]["turned"], -0.0997, places=7)
        for command in (["sens", path, "--wrt", "hardpoints.*"], ["loads", path]):
            done = jounce(*command, "--interpreter", code=1)
            self.assertRegex(done.stderr, "pass(es)? a singular position")
        # the loop keeps its shape: the rocker turns as the crank does
        done = json.loads(jounce("sens", path, "--wrt", "angle", "--interpreter", "--json").stdout)
        self.assertAlmostEqual(done["objectives"]["turned"]["gradient"]["angle"], 1.0, places=6)
        jounce("run", path, "--interpreter", "--end", "0.09")

    def test_whole_turns_are_no_obstacle(self):
        for turns in (1, -3, 159, 100000):
            path = self.model(PARALLELOGRAM % (0.3 + 2*math.pi*turns, 0.3))
            done = json.loads(jounce("run", path, "--interpreter", "--json").stdout)
            self.assertAlmostEqual(done["objectives"]["turned"], 0.1, places=7)

    def test_distance_is_no_obstacle(self):
        # the road is flat far behind and far ahead: the buggy rides there as it does anywhere
        def psi(x):
            done = jounce("run", BUGGY, "--interpreter", "--json", "--end", "1", "--set",
                          f"initial.chassis.x={x}")
            return json.loads(done.stdout)["objectives"]["psi"]

        here = psi(250)
        for x in (3e3, 1e6):
            self.assertAlmostEqual(psi(x), here, delta=1e-6*here)

    def test_a_distant_point_opens_no_loop(self):
        # a ring that cannot turn any more; its redundant equations are judged by their own levers
        text = Path("models/mechanisms/bricard.yaml").read_text(encoding="utf-8")
        self.assertIn("P5: [0, 1, 0]", text)
        path = self.model(text.replace("P5: [0, 1, 0]", "P5: [0, 1e9, 0]"))
        done = jounce("run", path, "--interpreter", code=1)
        self.assertIn("the mechanism is overconstrained and locks", done.stderr)

    def test_axes_a_millionth_off(self):
        # the second axis is put across the first, also by an angle whose cosine is 1 in double precision
        value = [json.loads(jounce("sens", self.model(UNIVERSAL), "--interpreter", "--json", "--tol", "1e-12", "--wrt",
                                   number).stdout)["objectives"]["x"]["value"]
                 for number in ("bodies.b.mass", "joints.j.axis2.x")]
        self.assertAlmostEqual(value[0], value[1], delta=1e-11)

    def test_drives_that_are_not_numbers(self):
        path = self.model(DRIVEN)
        for command in ("run", "check", "static"):
            done = jounce(command, path, "--interpreter", code=1)
            self.assertIn("coordinate 'j': drive is not a number (from l = 2)", done.stderr)
        # one that depends on time is judged where the run begins
        path = self.model(DRIVEN.replace("asin(l)", "asin(l + t)"))
        for command in ("run", "check"):
            done = jounce(command, path, "--interpreter", code=1)
            self.assertIn("drive of 'j' is not finite at t = 0 s", done.stderr)
            self.assertIn("asin(l + t)", done.stderr)


def turned(axis, angle, v):
    """v turned about an axis (Rodrigues)."""
    size = math.sqrt(sum(x * x for x in axis))
    k = [x / size for x in axis]
    c, s, along = math.cos(angle), math.sin(angle), sum(a * b for a, b in zip(k, v))
    cross = [k[1] * v[2] - k[2] * v[1], k[2] * v[0] - k[0] * v[2], k[0] * v[1] - k[1] * v[0]]
    return [v[i] * c + cross[i] * s + k[i] * along * (1 - c) for i in range(3)]


class Chain:
    """Hinges at points[:-1] about axes, all drawn at angles of zero."""

    def __init__(self, points, axes):
        self.points, self.axes = points, axes

    def carried(self, angles, point):
        """Where a point of the last body is at these angles."""
        for at, axis, angle in reversed(list(zip(self.points, self.axes, angles))):
            point = [a + b for a, b in zip(at, turned(axis, angle, [p - a for p, a in zip(point, at)]))]
        return point

    def model(self, pins, guess=None):
        """pins: points of the last body as drawn, and where in the ground each is to be."""
        last = len(self.axes) - 1
        text = ["jounce: 1", "gravity: [0, 0, 0]", "hardpoints:"]
        text += [f"  T{i}: {target}" for i, (_, target) in enumerate(pins)] + ["bodies:"]
        held = ", ".join(f"P{i}: {point}" for i, (point, _) in enumerate(pins))
        for i in range(last + 1):
            text.append(f"  b{i}: {{mass: 1, com: {self.points[i + 1]}, inertia: [0.1, 0.1, 0.1]"
                        + (f", points: {{{held}}}" if i == last else "") + "}")
        text.append("joints:")
        for i in range(last + 1):
            text.append(f"  j{i}: {{type: revolute, parent: {f'b{i - 1}' if i else 'ground'}, child: b{i}, "
                        f"at: {self.points[i]}, axis: {self.axes[i]}, guess: {guess[i] if guess else 0}}}")
        text.append("closures:")
        text += [f"  pin{i}: {{type: ball, a: b{last}.P{i}, b: ground.T{i}}}" for i in range(len(pins))]
        return "\n".join(text + ["simulation: {end: 0.1}", ""])


def straight(lengths):
    points = [[0.0, 0.0, 0.0]]
    for length in lengths:
        points.append([points[-1][0] + length, 0.0, 0.0])
    return points


def robot(seed):
    """Six hinges of any direction, with three points of the last body."""
    g = random.Random(seed)
    points = [[0.0, 0.0, 0.0]]
    for _ in range(6):
        points.append([x + g.uniform(-0.6, 0.6) for x in points[-1]])
    end = points[-1]
    chain = Chain(points, [[g.gauss(0, 1) for _ in range(3)] for _ in range(6)])
    return g, chain, [end, [end[0] + 0.3, end[1], end[2]], [end[0], end[1] + 0.3, end[2]]]


class Far(unittest.TestCase):
    """Positions that exist, and that small steps from the guesses do not lead to."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def assemble(self, text, code=0):
        path = os.path.join(self.folder.name, "model.yaml")
        Path(path).write_text(text, encoding="utf-8")
        done = jounce("info", path, "--interpreter", "--json", code=code)
        return (json.loads(done.stdout) if code == 0 else None), done.stderr

    def test_a_stretched_chain_bends(self):
        for seed in range(8):
            g = random.Random(seed)
            lengths = [g.uniform(0.2, 1) for _ in range(2 + seed % 4)]
            least, most = max(0.0, 2 * max(lengths) - sum(lengths)), sum(lengths)
            chain = Chain(straight(lengths), [[0, 1, 0]] * len(lengths))
            reach = least + g.uniform(0.1, 0.9) * (most - least)
            for x in (reach, -reach):
                found, said = self.assemble(chain.model([(chain.points[-1], [x, 0, 0])]))
                self.assertLess(found["closure_residual"], 1e-10)
                self.assertIn("starts beside them", said)
                angles = [c["value"] for c in found["coordinates"]]
                for got, wanted in zip(chain.carried(angles, chain.points[-1]), (x, 0, 0)):
                    self.assertAlmostEqual(got, wanted, delta=1e-9)

    def test_six_hinges_take_a_pose(self):
        beside = 0
        for seed in range(12):
            g, chain, ends = robot(seed)
            angles = [g.uniform(-3, 3) for _ in range(6)]
            found, said = self.assemble(chain.model([(p, chain.carried(angles, p)) for p in ends]))
            self.assertLess(found["closure_residual"], 1e-10)
            beside += "starts beside them" in said
        self.assertGreater(beside, 2)

    def test_what_is_near_the_guesses_is_found_from_there(self):
        for seed in range(12):
            g, chain, ends = robot(seed)
            angles = [g.uniform(-3, 3) for _ in range(6)]
            guess = [a + g.uniform(-0.02, 0.02) for a in angles]
            found, said = self.assemble(chain.model([(p, chain.carried(angles, p)) for p in ends], guess))
            self.assertNotIn("beside", said)
            for c, angle in zip(found["coordinates"], angles):
                self.assertAlmostEqual(c["value"], angle, delta=1e-6)

    def side(self, slope, initial=""):
        """Where the point comes to lie, d/dslope of it, and what was said."""
        path = os.path.join(self.folder.name, "model.yaml")
        Path(path).write_text(SLIDERS % (slope, initial), encoding="utf-8")
        answer = jounce("sens", path, "--wrt", "slope", "--json")
        found = json.loads(answer.stdout)["objectives"]["side"]
        return found["value"], found["gradient"]["slope"], answer.stderr

    def test_a_tie_of_what_stays_is_reported(self):
        below, above = self.side(0.9801), self.side(0.9803)
        self.assertEqual(below[0], 0)
        self.assertAlmostEqual(above[0], 0.2/0.9803, delta=1e-12)
        self.assertAlmostEqual(above[1], -0.2/0.9803**2, delta=1e-9)
        self.assertIn("keeps 'b' at its initial value", below[2])
        self.assertIn("makes it keep 'a' instead", below[2])
        self.assertIn("'initial: {a: 0}' keeps 'a' in any case", above[2])
        for far in (0.97, 0.99):
            self.assertNotIn("start keeps", self.side(far)[2])

    def test_initial_values_end_a_tie(self):
        for slope in (0.9801, 0.9803):
            value, slope_of, said = self.side(slope, "initial: {a: 0}")
            self.assertAlmostEqual(value, 0.2/slope, delta=1e-12)
            self.assertAlmostEqual(slope_of, -0.2/slope**2, delta=1e-9)
            self.assertNotIn("start keeps", said)

    def test_out_of_reach(self):
        chain = Chain(straight([0.5, 0.3]), [[0, 1, 0]] * 2)
        _, said = self.assemble(chain.model([(chain.points[-1], [0.9, 0, 0])]), code=1)
        self.assertIn("closure 'pin0.1' cannot be met: residual 0.1 after", said)
        self.assertIn("the nearest of the guesses and 32 starts up to 3 rad beside", said)


if __name__ == "__main__":
    unittest.main()
