#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Couplings as users meet them: the example of the documentation, templates and mirror images, rest, modes, loads,
derivatives, exports, and what is said of them."""
import json
import math
import os
import tempfile
import unittest
from pathlib import Path

from program import jounce


def read(*args, code=0):
    return json.loads(jounce(*args, "--json", code=code).stdout)


def example(name):
    """A block of docs/format.md that has this name."""
    text = Path("docs/format.md").read_text(encoding="utf-8")
    blocks = [block.split("```")[0] for block in text.split("```yaml\n")[1:]]
    return next(block for block in blocks if f"name: {name}\n" in block)


# a rack between two racks' worth of steering arms, the right one a mirror image
STEERING = """
jounce: 1
name: steering
parameters: {arm: 0.12, radius: 0.02, k: 3000}
templates:
  knuckle:
    ports: [rack]
    parameters: {side: 1}
    bodies: {upright: {mass: 8, com: [0, 0.75, 0.3], inertia: [0.2, 0.1, 0.2]}}
    joints: {turn: {type: revolute, child: upright, at: [0, 0.7, 0.3], axis: z}}
    couplings: {track_rod: {of: {turn: arm, rack: -side}}}
    forces: {align: {on: turn, stiffness: 40}}
    sensors: {angle: turn, force: track_rod.force}
bodies: {rack: {mass: 3}, wheel: {mass: 2, inertia: [0.03, 0.03, 0.03]}}
joints:
  rack: {type: prismatic, child: rack, axis: y}
  wheel: {type: revolute, child: wheel, axis: x}
couplings: {box: {rack_and_pinion: {pinion: wheel, rack: rack, radius: radius}}}
instances:
  l: {template: knuckle, ports: {rack: rack}}
  r: {mirror: l, parameters: {side: -1}}
forces: {hands: {on: wheel, torque: 5}, centre: {on: rack, stiffness: k, damping: 400}}
objectives: {turned: {final: wheel}}
"""


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def file(self, text, name="model.yaml"):
        path = os.path.join(self.folder.name, name)
        Path(path).write_text(text, encoding="utf-8")
        return path


class Couplings(Case):
    def test_example(self):
        path = self.file(example("axle"))
        final = read("run", path, "--interpreter", "--tol", "1e-10")["final"]

        # 0.02 s'' = 100 + f    0.8 l'' = -i f/2    0.8 r'' = -i f/2 - 2 r'    s = i (l + r)/2
        i, left, right, rate_l, rate_r = 3.9, 0.0, 0.0, 0.0, 0.0

        def slopes(y):
            # with l'' + r'' = (-i f - 2 r')/0.8 and s'' = i (l'' + r'')/2
            f = (-0.02 * i / 2 * 2 * y[3] / 0.8 - 100) / (1 + 0.02 * i * i / 1.6)
            return [y[2], y[3], -i * f / 2 / 0.8, (-i * f / 2 - 2 * y[3]) / 0.8], f

        y, h = [left, right, rate_l, rate_r], 1e-3
        for _ in range(1000):
            k1 = slopes(y)[0]
            k2 = slopes([a + h / 2 * b for a, b in zip(y, k1)])[0]
            k3 = slopes([a + h / 2 * b for a, b in zip(y, k2)])[0]
            k4 = slopes([a + h * b for a, b in zip(y, k3)])[0]
            y = [a + h / 6 * (b + 2 * c + 2 * d + e) for a, b, c, d, e in zip(y, k1, k2, k3, k4)]
        self.assertAlmostEqual(final["left"], y[0], delta=1e-7 * abs(y[0]))
        self.assertAlmostEqual(final["right"], y[1], delta=1e-7 * abs(y[1]))
        self.assertAlmostEqual(final["shaft"], i / 2 * (y[0] + y[1]), delta=1e-7 * abs(y[0]))
        self.assertAlmostEqual(final["torque"], -i / 2 * slopes(y)[1], delta=1e-6)

    def test_rest_of_a_steering_with_a_mirror_image(self):
        # virtual work: 5 N m on the wheel against rack and both knuckles. Mirror images turn alike when the values are
        # equal, so the right one follows the rack with the other sign.
        path = self.file(STEERING)
        found = read("static", path, "--interpreter")["coordinates"]
        rack = 5 / 0.02 / (3000 + 2 * 40 / 0.12**2)
        self.assertAlmostEqual(found["rack"], rack, delta=1e-9)
        self.assertAlmostEqual(found["wheel"], rack / 0.02, delta=1e-8)
        self.assertAlmostEqual(found["l.turn"], rack / 0.12, delta=1e-9)
        self.assertAlmostEqual(found["r.turn"], -rack / 0.12, delta=1e-9)
        slope = read("static", path, "--wrt", "radius", "--interpreter")["derivatives"]
        self.assertTrue(slope)

    def test_modes(self):
        path = self.file(STEERING)
        mode = [m for m in read("modes", path, "--interpreter", "--set", "forces.centre.damping=0")["modes"] if m["frequency"] > 0][0]
        # all masses and springs at the rack
        knuckle = 0.2 + 8 * 0.05**2
        mass = 3 + 0.03 / 0.02**2 + 2 * knuckle / 0.12**2
        stiff = 3000 + 2 * 40 / 0.12**2
        self.assertAlmostEqual((2 * math.pi * mode["frequency"])**2 * mass / stiff, 1, delta=1e-9)

    def test_what_is_shown(self):
        path = self.file(STEERING)
        shown = {c["name"]: c for c in read("info", path, "--interpreter")["couplings"]}
        self.assertEqual(shown["box"], {"name": "box", "type": "rack_and_pinion", "coordinates": "rack, wheel", "equations": 1})
        self.assertEqual(shown["r.track_rod"]["coordinates"], "r.turn, rack")
        final = read("run", path, "--interpreter")["final"]
        self.assertAlmostEqual(final["l.force"], final["l.track_rod.force"], delta=0.0)
        self.assertIn("box.force", final)
        self.assertIn("0 closures, 3 couplings: 3 equations, 0 redundant", jounce("info", path, "--interpreter").stdout)

    def test_redundant_relations_are_told(self):
        again = STEERING.replace("couplings: {box:", "couplings: {again: {of: {rack: 50, wheel: -1}}, box:")
        found = read("info", self.file(again), "--interpreter")
        self.assertEqual(found["redundant"], ["box.1"])
        # a relation that contradicts the others cannot be met
        other = again.replace("wheel: -1}", "wheel: -1}, equals: 1")
        said = jounce("run", self.file(other), "--interpreter", code=1).stderr
        self.assertRegex(said, "coupling '(again|box).1' cannot be met")
        self.assertIn("check ratios and offsets", said)

    def test_kernel_is_interpreter_and_exports(self):
        path = self.file(STEERING)
        compiled, interpreted = read("run", path)["final"], read("run", path, "--interpreter")["final"]
        for key, value in interpreted.items():
            self.assertAlmostEqual(compiled[key], value, delta=1e-9 * (1 + abs(value)))
        jounce("generate", path, "-o", os.path.join(self.folder.name, "c"))
        self.assertIn("centre", json.dumps(read("loads", path, "--interpreter")))


class Drives(Case):
    """What `drive:` takes beside functions of time."""

    def test_example(self):
        path = self.file(example("steered"))
        final = read("run", path, "--interpreter", "--tol", "1e-11")["final"]
        # 0.2 behind two equal lags of 0.1 s
        angle = 0.2 * (1 - 11 * math.exp(-10))
        self.assertAlmostEqual(final["rack"], 0.05 * angle, delta=1e-11)
        said = jounce("run", path, "--set", "joints.rack.drive.position=wheel", "--interpreter", code=1).stderr
        self.assertIn("'wheel' is an input", said)
        self.assertIn("let a state follow it", said)

    def test_exports_and_templates(self):
        text = """
jounce: 1
name: twins
parameters: {w: 0.4}
templates:
  arm:
    parameters: {start: 0.1}
    bodies: {rod: {mass: 2, com: [0, 0.5, -0.2], inertia: [0.1, 0.1, 0.1]}, end: {mass: 1, com: [0, 0.5, -0.4]}}
    joints:
      turn: {type: revolute, child: rod, at: [0, 0.5, 0], axis: x, drive: {velocity: w - turn, from: start}}
      hang: {type: revolute, parent: rod, child: end, at: [0, 0.5, -0.3], axis: x}
    sensors: {force: turn.drive_force}
instances:
  l: {template: arm}
  r: {mirror: l}
objectives: {end: {final: l.hang}}
"""
        path = self.file(text)
        final = read("run", path, "--interpreter", "--tol", "1e-10")["final"]
        self.assertAlmostEqual(final["l.turn"], 0.4 - 0.3 * math.exp(-1), delta=1e-8)
        for key in ("turn", "hang", "force"):
            self.assertAlmostEqual(final[f"l.{key}"], final[f"r.{key}"], delta=1e-9)
        jounce("export", "fmu", path, "-o", os.path.join(self.folder.name, "model.fmu"))
        said = jounce("sens", path, "--wrt", "w,l.start", "--check", "--interpreter", "--tol", "1e-10").stdout
        self.assertIn("all agree", said)



if __name__ == "__main__":
    unittest.main()
