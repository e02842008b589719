#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Conditions made of jumps and corners inside of each other, as abs(mod(x, 1) - 0.5) < 0.1: how often events happen, against
the same expressions evaluated in Python along a motion that is known. Orientations in conditions."""
import json
import math
import os
import random
import re
import sys
import unittest

from case import Case
from program import jounce

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "random"))
from nested import condition, count  # noqa: E402

HEAD = """jounce: 1
name: nested
gravity: [0, 0, 0]
bodies: {b: {mass: 1, inertia: [1, 1, 1]}}
"""
END = 3.1


class NestedJumps(Case):
    def run_of(self, text, *options):
        return json.loads(jounce("run", self.path("m.yaml", text), "--json", "--quiet", *options).stdout)

    def counts(self, conditions, x0, rate, *options):
        n = range(len(conditions))
        text = HEAD + "joints: {x: {type: prismatic, axis: x, child: b}}\n" \
            + "states: {" + ", ".join(f"n{i}: {{discrete: true}}" for i in n) + "}\nevents:\n" \
            + "".join(f'  e{i}: {{when: "{c}", set: {{n{i}: n{i} + 1}}}}\n' for i, c in enumerate(conditions)) \
            + "objectives: {" + ", ".join(f"n{i}: {{final: n{i}}}" for i in n) + "}\n" \
            + f"initial: {{x: {{value: {x0!r}, rate: {rate!r}}}}}\nsimulation: {{end: {END}}}\n"
        found = self.run_of(text, *options)["objectives"]
        return [found[f"n{i}"] for i in n]

    def test_events_happen_as_often_as_their_conditions_become_true(self):
        for seed, events in [(s, 1) for s in range(60)] + [(1000 + s, 6) for s in range(10)]:
            chance = random.Random(seed)
            conditions = [re.sub(r"\bu\b", "x", condition(chance)) for _ in range(events)]
            x0, rate = round(chance.uniform(-1, 1), 4), chance.choice((-1, 1))*round(chance.uniform(0.5, 1.5), 4)
            for c, found in zip(conditions, self.counts(conditions, x0, rate)):
                expected = count(re.sub(r"\bx\b", "u", c), x0, x0 + rate*END)
                with self.subTest(seed=seed, condition=c, x0=x0, rate=rate):
                    self.assertEqual(found, expected)

    def test_corners_that_are_only_touched_make_nothing_happen(self):
        for c in ("abs(x) < 0", "abs(sin(5*x)) < 0", "ceil(abs(x)) < 1 and abs(x) > 1e-6", "mod(abs(x), 1) > 0.999",
                  "max(x, -x) < 0"):
            with self.subTest(condition=c):
                expected = 1 if "mod" in c else 0  # near -1
                self.assertEqual(self.counts([c], -1.5, 1.0, "--end", "2.4"), [expected])

    def test_pulses_within_an_instant_do_not_shorten_steps(self):
        # two jumps meet where x is 1.082: the flips that rounding makes there were taken for a pulse, and a run took 1e9 steps
        u = "abs(x - 1.082)"
        c = f"(1.054*ceil({u}) - {u} - floor(1.054*ceil({u}) - {u}*1.346)) > 0.5006"
        self.assertEqual(self.counts([c], 0.0858, 1.226), [count(c.replace("x", "u"), 0.0858, 0.0858 + 1.226*END)])

    def test_runs_end_at_headings_and_not_where_angles_wrap(self):
        for when in ("abs(atan2(sin(a), cos(a))) < 0.1", "abs(mod(a + pi, 2*pi) - pi) < 0.1", "abs(b.yaw) < 0.1",
                     "b.yaw > -0.1 and b.yaw < 0.1", "b.x.x > cos(0.1)"):
            text = HEAD + "joints: {a: {type: revolute, axis: z, child: b}}\nobjectives: {T: {final: t}}\n" \
                f'initial: {{a: {{value: 1, rate: 1}}}}\nsimulation: {{end: 20, end_when: "{when}"}}\n'
            with self.subTest(when=when):
                end = 2*math.pi - 1.1
                self.assertAlmostEqual(self.run_of(text)["objectives"]["T"], end, delta=1e-9)
                for method in ("direct", "adjoint"):
                    path = self.path("m.yaml", text)
                    done = jounce("sens", path, "--wrt", "initial.a.rate", "--method", method, "--json", "--quiet")
                    d = json.loads(done.stdout)["objectives"]["T"]["gradient"]["initial.a.rate"]
                    self.assertAlmostEqual(d, -end, delta=1e-7)

    def test_events_may_compare_orientations_alone(self):
        for axis, angle in zip("xyz", ("roll", "pitch", "yaw")):
            text = HEAD + f"joints: {{a: {{type: revolute, axis: {axis}, child: b}}}}\nstates: {{n: {{discrete: true}}}}\n" \
                f'events: {{e: {{when: "b.{angle} > 1.2", set: {{n: n + 1, a.rate: 0}}}}}}\nobjectives: {{a: {{final: a}}}}\n' \
                "initial: {a: {value: 1, rate: 1}}\nsimulation: {end: 0.5}\n"
            with self.subTest(angle=angle):
                self.assertAlmostEqual(self.run_of(text)["objectives"]["a"], 1.2, delta=1e-9)

    def test_conditions_that_nothing_moves_are_rejected(self):
        text = HEAD + "parameters: {p: 1}\njoints: {a: {type: revolute, axis: z, child: b}}\n" \
            'simulation: {end: 1, end_when: "p > 2"}\n'
        self.assertIn("never becomes true", jounce("run", self.path("m.yaml", text), code=1).stderr)


if __name__ == "__main__":
    unittest.main()
