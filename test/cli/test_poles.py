#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Conditions with poles (docs/theory/integration.md, I13) are errors wherever the located instant happens to lie beside the pole;
those that only become steep or large are not."""
import json
import unittest

from case import Case
from program import jounce

MODEL = """jounce: 1
name: pole
parameters: {v: -1}
gravity: [0, 0, 0]
bodies: {m: {mass: 1}}
joints: {x: {type: prismatic, child: m, axis: x}}
states: {u: {discrete: true}}
events: {c: {when: "WHEN", set: {u: u + 1}}}
initial: {x: {value: 1, rate: v}}
objectives: {n: {final: u}}
simulation: {end: 2.2}
"""
RATES = (-1, -1.2345, -0.7, -2, -0.5, -0.9, -1.1, -3)


class Poles(Case):
    def test_limits_and_speeds_do_not_matter(self):
        # every third of these was accepted, with an event too many
        for limit in (0.5, 1.5, 2, 5, 10, 20, 50, 70, 100):
            for when in ("1/abs(x) > L", "1/x > L", "1/(x*abs(x)) > L", "1/x^3 > L"):
                path = self.path("m.yaml", MODEL.replace("WHEN", when.replace("L", str(limit))))
                for v in RATES if when[2] == "a" else RATES[:2]:
                    with self.subTest(when=when, limit=limit, v=v):
                        done = jounce("run", path, "--interpreter", "--set", f"v={v}", code=1)
                        self.assertIn("through a pole", done.stderr)

    def test_methods_do_not_matter(self):
        path = self.path("m.yaml", MODEL.replace("WHEN", "1/abs(x) > 10"))
        for method in (("--method", "esdirk5"), ("--method", "rk4", "--step", "0.01"), ("--tol", "1e-4"), ("--tol", "1e-11")):
            for v in RATES:
                done = jounce("run", path, "--interpreter", "--set", f"v={v}", *method, code=1)
                self.assertIn("through a pole", done.stderr)

    def test_steep_and_large_conditions_are_found(self):
        for when in ("1/x^2 > 10", "abs(x) < 0.1", "x/(x^2 + 1e-4) < -1", "1e9*x < 0", "tanh(x/1e-6) < 0", "1/(x + 1.00001) > 4"):
            path = self.path("m.yaml", MODEL.replace("WHEN", when))
            for v in RATES[:4]:
                with self.subTest(when=when, v=v):
                    done = jounce("run", path, "--interpreter", "--json", "--set", f"v={v}", "--end", f"{-1.9 / v:.17g}")
                    n = json.loads(done.stdout)["objectives"]["n"]
                    self.assertEqual(n, 1)


if __name__ == "__main__":
    unittest.main()
