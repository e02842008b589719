#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Starts that are singular, far away, many turns on, or not a number, through every command."""
import json
import math
import os
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

    def test_runs_alone_pass_a_singular_position(self):
        path = self.parallelogram(0.1003)
        for options in ((), ("--method", "esdirk5"), ("--method", "imex4"), ("--method", "rk4", "--step", "0.003")):
            done = json.loads(jounce("run", path, "--interpreter", "--json", *options).stdout)
            self.assertAlmostEqual(done["objectives"]["turned"], -0.0997, places=7)
        for command in (["sens", path, "--wrt", "angle"], ["loads", path]):
            done = jounce(*command, "--interpreter", code=1)
            self.assertRegex(done.stderr, "pass(es)? a singular position")
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


if __name__ == "__main__":
    unittest.main()
