#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One path, one meaning: for every value of a model that derivatives can be taken with respect to, the derivative is
that of whole commands `run --set path=value`, `sweep --param path=...` has the values of these runs, and `--check`
finds the same differences."""
import json
import sys

from case import Case
from program import jounce

SWING = """
templates:
  swing:
    ports: [body]
    parameters: {k: 300, c: {value: 4, unit: N s/m}, m: 2 kg}
    hardpoints: {pivot: [0.1, 0.2, 30 cm], tip: [0.5, 0.6, 0.2], eye: [0.3, 0.2, 0.9]}
    tables:
      law: {x: [-1, 0, 1], y: [-20, 0, 35]}
    functions:
      hard: {of: [x, more], value: more*x + 0.1*x^3}
    bodies:
      arm: {mass: m, com: [0.35, 0.4, 0.25], inertia: [0.1, 0.2, 0.15, 0.01, 0.02, -0.03], points: {end: [0.6, 0.5, 0.1]}}
    joints:
      arm: {type: revolute, parent: body, child: arm, at: pivot, axis: [0.3, 1, 0.2]}
    forces:
      strut: {between: [body.eye, arm.tip], stiffness: k, damping: c, free_length: 0.6, force: "hard(rate, 0.1*k) + law(rate)"}
      hinge: {on: arm, force: 2*angle + level, torque: 0.5*sin(3*t)}
    states:
      level: {initial: 0.3, derivative: arm.tip.z - level}
    sensors:
      z: {value: arm.tip.z + hardpoints.tip.z, unit: m}
    initial:
      arm: {value: 0.2, rate: -1}
"""
AXLE = """  axle:
    ports: {carrier: {default: ground}}
    parameters: {stiff: 280}
    instances:
      right: {mirror: left}
      left: {template: swing, ports: {body: carrier}, parameters: {k: stiff}, at: [0, 0.1, 2*margin], turn: 3 deg}
    forces:
      bar: {bar: [left.arm, right.arm], stiffness: 3}
"""
# an image before what it is an image of, an image of an image, an image with values of its own, nested ones moved twice
INSTANCES = """parameters: {margin: 0.05, tilt: 2 deg}
instances:
  b: {mirror: a}
  a: {template: swing, ports: {body: ground}, parameters: {k: 250, m: 2.5}, at: [0.1, 1, 0.2], turn: 5 deg}
  c: {mirror: b, about: x, parameters: {m: 3}, hardpoints: {tip: [0.45, 0.6, 0.25]}}
  d: {template: swing, ports: {body: ground}, mirror: y, at: [0.2, 0, margin], turn: tilt}
  front: {template: axle, at: [1, 0, 0.3], turn: 0.2}
objectives:
  work: {integral: a.z + b.z^2 + c.z^3 + d.z + front.left.z + 2*front.right.z}
  last: {final: a.arm.end.y - 2*b.arm.end.y + c.arm.end.x + d.arm.end.x + front.left.arm.end.x + front.right.arm.end.y}
simulation: {end: 0.1, output_step: 0.1}
"""


class Paths(Case):
    def setUp(self):
        super().setUp()
        self.path("parts.yaml", "jounce: 1\n" + SWING + AXLE)
        self.file = self.path("m.yaml", "jounce: 1\ninclude: parts.yaml\n" + INSTANCES)

    def sens(self, wrt, *args, code=0):
        out = jounce("sens", self.file, "--interpreter", "--json", "--quiet", "--wrt", wrt, *args, code=code)
        return json.loads(out.stdout)

    def value(self, name, x):
        out = jounce("run", self.file, "--interpreter", "--json", "--quiet", "--tol", "1e-12", "--set", f"{name}={x!r}")
        return json.loads(out.stdout)["objectives"]

    def swept(self, name, low, high):
        out = jounce("sweep", self.file, "--interpreter", "--json", "--quiet", "--tol", "1e-12",
                     "--param", f"{name}={low!r}:{high!r}:2")
        return json.loads(out.stdout)["points"]

    def test_derivatives_are_those_of_settings(self):
        """Every path; central differences of fourth order of whole commands."""
        said = self.sens("all", "--tol", "1e-10")
        numbers = {p["name"]: p["value"] for p in said["parameters"]}
        self.assertIn("instances.a.at.z", numbers)
        self.assertIn("instances.front.left.turn", numbers)
        self.assertGreater(len(numbers), 150)
        moved = [n for n in numbers if n.startswith("instances.")]
        tried = moved + [n for n in numbers if n not in moved][::7]
        for name in tried:
            h = 2e-3 * max(abs(numbers[name]), 0.1)
            at = [self.value(name, numbers[name] + i * h) for i in (-2, -1, 1, 2)]
            for o in ("work", "last"):
                a, b, c, d = (v[o] for v in at)
                slope = (a - 8 * b + 8 * c - d) / (12 * h)
                got = said["objectives"][o]["gradient"][name]
                self.assertAlmostEqual(got, slope, delta=2e-7 * (1 + abs(slope)), msg=f"{o} by {name}")

    def test_sweeps_have_the_values_of_settings(self):
        """Sweeps vary parameters; other values are rejected."""
        for name, low, high in (("margin", 0.0, 0.1), ("tilt", 0.0, 0.2), ("a.m", 2.0, 3.0), ("b.c", 3.0, 5.0),
                                ("front.stiff", 250.0, 300.0)):
            for x, point in zip((low, high), self.swept(name, low, high)):
                for o, v in self.value(name, x).items():
                    got = point["objectives"][o]["value"]
                    self.assertAlmostEqual(got, v, delta=1e-9 * (1 + abs(v)), msg=f"{o} at {name} = {x}")
        said = jounce("sweep", self.file, "--param", "instances.a.at.z=0:1:2", code=1).stderr
        self.assertIn("only parameters can", said)

    def test_check_agrees(self):
        for name, row in self.sens("instances.*", "--check")["check"]["work"].items():
            self.assertTrue(row["agrees"], name)

    def test_templates_have_no_derivatives(self):
        for name in ("templates.swing.hardpoints.tip.y", "instances.a.parameters.k"):
            self.assertNotEqual(self.value(name, 0.61), self.value(name, 0.62))
            said = jounce("sens", self.file, "--wrt", name, code=1).stderr
            self.assertIn(f"'{name}' is what instances are made of", said)

    def test_an_image_has_no_place_of_its_own(self):
        for name, own in (("b", "a"), ("c", "a"), ("front.right", "front.left")):
            for key in ("at.z", "turn"):
                for said in (jounce("run", self.file, "--set", f"instances.{name}.{key}=0.1", code=1).stderr,
                             jounce("sens", self.file, "--wrt", f"instances.{name}.{key}", code=1).stderr):
                    self.assertIn(f"'{name}' is the mirror image of '{own}'", said)
                    self.assertIn(f"'instances.{own}.{key}', which moves both", said)


if __name__ == "__main__":
    import unittest
    unittest.main(argv=sys.argv)
