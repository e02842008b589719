#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Events whose conditions hold for micro- to milliseconds of a motion that takes long steps are found (docs/theory/integration.md,
"Conditions of states"). References: the body moves at a constant speed."""
import json
import math
import random
import unittest

from case import Case
from program import jounce

MODEL = """jounce: 1
name: spike
parameters: {w: 1e-3, c: 1, v: 1}
gravity: [0, 0, 0]
bodies: {m: {mass: 1}}
joints: {x: {type: prismatic, child: m, axis: x}}
states: {u: {discrete: true}, at: {discrete: true}}
events: {e: {when: "WHEN", set: {u: u + 1, at: t}}}
initial: {x: {value: 0, rate: v}}
objectives: {n: {final: u}, at: {final: at}}
simulation: {end: 4}
"""

# and half of the width, in w
FORMS = {
    "exp(-((x - c)/w)^2) > 0.5": math.sqrt(math.log(2)),
    "1/((x - c)^2 + w^2) > 0.5/w^2": 1,
    "w^2/((x - c)^2 + w^2) > 0.5": 1,
    "-log(((x - c)/w)^2 + 1e-3) > 2": math.sqrt(math.exp(-2) - 1e-3),
    "1/(1 + ((x - c)/w)^4) > 0.5": 1,
    "exp(-abs(x - c)/w) > 0.5": math.log(2),
    "1 - tanh((x - c)/w)^2 > 0.5": math.atanh(math.sqrt(0.5)),
    "1/cosh((x - c)/w) > 0.5": math.acosh(2),
    "(x - c)^2 < w^2": 1,
    "abs(x - c) < w": 1,
}


class Spikes(Case):
    def test_short_conditions_of_a_motion_are_found(self):
        draw = random.Random(1)
        for when, half in FORMS.items():
            path = self.path("m.yaml", MODEL.replace("WHEN", when))
            for i in range(6):
                w, c, v = 10 ** draw.uniform(-6, -2.5), draw.uniform(0.3, 1.5), draw.uniform(0.5, 3)
                method = ((), ("--method", "dopri5"), ("--method", "esdirk5"))[i % 3]
                with self.subTest(when=when, w=w, c=c, v=v, method=method):
                    done = jounce("run", path, "--json", "--interpreter", "--set", f"w={w!r}", "--set", f"c={c!r}", "--set", f"v={v!r}", *method)
                    found = json.loads(done.stdout)["objectives"]
                    self.assertEqual(found["n"], 1)
                    # times are located to 1e-13 s, and slopes of 1/w magnify rounding of the condition
                    self.assertAlmostEqual(found["at"], (c - half * w) / v, delta=1e-9)

    def test_what_hardly_misses_does_not_happen(self):
        for when in ("exp(-((x - c)/w)^2) > 1.001", "1/((x - c)^2 + w^2) > 1.001/w^2", "(x - c)^2 < -1e-3*w^2"):
            done = jounce("run", self.path("m.yaml", MODEL.replace("WHEN", when)), "--json", "--interpreter")
            self.assertEqual(json.loads(done.stdout)["objectives"]["n"], 0)


if __name__ == "__main__":
    unittest.main()
