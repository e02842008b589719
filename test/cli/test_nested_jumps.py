#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Conditions made of jumps and corners inside of each other, as abs(mod(x, 1) - 0.5) < 0.1: how often events happen, against
the same expressions evaluated in Python along a motion that is known. Orientations in conditions."""
import json
import math
import random
import unittest

from case import Case
from program import jounce

HEAD = """jounce: 1
name: nested
gravity: [0, 0, 0]
bodies: {b: {mass: 1, inertia: [1, 1, 1]}}
"""
END = 3.1
LOOKS = 12400  # along the motion; a count that differs is looked at 20 times as often

MEANING = {"mod": lambda a, b: a - b*math.floor(a/b), "IF": lambda c, a, b: a if c else b, "abs": abs, "max": max, "min": min,
           "atan2": math.atan2, "sin": math.sin, "cos": math.cos, "floor": math.floor, "ceil": math.ceil}


def value(chance: random.Random, depth: int) -> str:
    """An expression of x."""
    if depth == 0:
        return "x"
    a, b = value(chance, depth - 1), value(chance, depth - 1)
    u, v, w = (round(chance.uniform(0.4, 1.7), 3) for _ in range(3))
    return chance.choice((
        f"mod({a}, {u})", f"abs({a} - {v})", f"max({a}, {u} - {b})", f"min({a}, {v} - 1 + 0.5*({b}))", f"({a} - {v}/2)^2",
        f"if({a} > {u}, {b}, {v} - {a})", f"atan2(sin({a}*{2*u}), cos({a}*{2*v}))", f"({a} - floor({a}*{w}))",
        f"({u}*ceil({a}) - ({a}))", f"sin({4*u}*({a}))"))


def condition(chance: random.Random) -> str:
    text = f"{value(chance, chance.randrange(1, 4))} {chance.choice('<>')} {chance.uniform(-0.6, 0.9):.4f}"
    kind = chance.random()
    if kind < 0.2:
        return f"{text} and {value(chance, 2)} > {chance.uniform(-0.5, 0.7):.4f}"
    return f"{text} or {value(chance, 1)} < {chance.uniform(-0.5, 0.4):.4f}" if kind < 0.35 else text


def count(text: str, x0: float, rate: float, looks: int) -> int:
    """How often it becomes true between looks."""
    code, last, n = compile(text.replace("if(", "IF(").replace("^", "**"), "condition", "eval"), True, 0
    for i in range(looks + 1):
        holds = bool(eval(code, MEANING, {"x": x0 + rate*END*i/looks}))  # pylint: disable=eval-used
        n += holds and not last
        last = holds
    return n


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
            conditions = [condition(chance) for _ in range(events)]
            x0, rate = round(chance.uniform(-1, 1), 4), chance.choice((-1, 1))*round(chance.uniform(0.5, 1.5), 4)
            for c, found in zip(conditions, self.counts(conditions, x0, rate)):
                expected = count(c, x0, rate, LOOKS)
                if found != expected:
                    expected = count(c, x0, rate, 20*LOOKS)
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
        self.assertEqual(self.counts([c], 0.0858, 1.226), [count(c, 0.0858, 1.226, LOOKS)])

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
