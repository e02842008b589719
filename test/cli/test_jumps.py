#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Expressions that jump: floor, ceil, mod, angles and discrete states against closed solutions, by every way to run them;
derivatives through the jumps; conditions that change sign through a pole or a jump are refused."""
import csv
import json
import math
import unittest
from pathlib import Path

from case import Case
from program import jounce

# a mass that moves as it is told, from 2.6 at a rate of -1
HEAD = """jounce: 1
name: jumps
gravity: [0, 0, 0]
parameters: {x0: 2.6, one: 1}
bodies: {b: {mass: 1}}
joints: {x: {type: prismatic, axis: x, child: b}}
initial: {x: {value: x0, rate: -1}}
"""

# what is 1 or 0, where x > edge and elsewhere: how long it is 1 from 2.5 at a rate of -1 over 4 s
LASTING = {"floor(x) < 0": 1.5, "floor(x) <= 0": 2.5, "floor(x) > 0": 1.5, "floor(x) >= 0": 2.5, "floor(x) == 0": 1,
           "floor(x) != 0": 3, "floor(x) < 1": 2.5, "ceil(x) > 0": 2.5, "ceil(x) < 1": 1.5, "ceil(x) == -1": 0.5,
           "mod(floor(x), 2) == 0": 2, "mod(x, 1) < 0.5": 2, "mod(x, -2) > -1": 2, "floor(t) >= 2": 2,
           "mod(floor(t), 2) == 0": 2, "floor(t/2) == 1": 2, "floor(x)*floor(x) == 1": 2,
           "abs(floor(x)) > 1": 1, "max(floor(x), 0) > 0": 1.5, "step(x) >= 1": 2.5,
           "atan2(x, -1) > 3": math.tan(math.pi - 3), "atan2(x, -1) < 0": 1.5, "floor(floor(x)/2) == 0": 2}

# when each of them becomes true
TIMES = {"floor(x) < 0": [2.5], "floor(x) == 0": [1.5], "floor(x) != 0": [2.5], "mod(floor(x), 2) == 0": [1.5, 3.5],
         "ceil(x) < 1": [2.5], "mod(x, 2) > 1.5": [0.5, 2.5], "floor(t) == 3": [3]}


def head(x0):
    return HEAD.replace("2.6", str(x0))


class Jumps(Case):
    def run_of(self, text, *options, code=0):
        done = jounce("run", self.path("m.yaml", text), "--json", "--quiet", *options, code=code)
        return json.loads(done.stdout)

    def gradient(self, text, method, *options):
        done = jounce("sens", self.path("m.yaml", text), "--json", "--quiet", "--method", method, *options)
        return {k: o["gradient"] for k, o in json.loads(done.stdout)["objectives"].items()}

    def agree(self, text, *options):
        """Direct, adjoint and differences of whole runs."""
        done = jounce("sens", self.path("m.yaml", text), "--check", "--quiet", *options)
        self.assertIn("all agree", done.stdout)

    def complaint(self, text, *command):
        path = self.path("m.yaml", text)
        return jounce(*command, path, code=1).stderr.replace(path, "m.yaml")

    def test_events_name_the_expression_of_their_floor(self):
        text = head(0.5) + 'sensors: {s: "ceil(2*t)"}\nforces: {f: {on: x, force: "0*floor(x) + 0*mod(t, 0.7)"}}\n' \
               'simulation: {end: 1}\n'
        names = {e["name"] for e in self.run_of(text)["events"]}
        self.assertEqual(names, {"floor in ceil(2*t) (line 8)"})
        text = text.replace("0*floor", "floor").replace("0*mod", "mod")
        names = {e["name"] for e in self.run_of(text)["events"]}
        f = "floor in floor(x) + mod(t, 0.7) (line 9)"
        self.assertEqual(names, {f, f + " 2", "floor in ceil(2*t) (line 8)"})

    def test_events_name_the_expression_that_no_element_has(self):
        # of drives, of signals behind them, and of what only an objective looks at; others are of their element
        text = """jounce: 1
bodies: {a: {mass: 1}, b: {mass: 1}}
signals: {way: "0.8*max(0, t - 0.2)^3"}
joints:
  a: {type: prismatic, axis: x, child: a, drive: "DRIVE"}
  b: {type: prismatic, axis: x, parent: a, child: b}
forces: {s: {on: b, force: "-100*b - abs(b - 0.001)"}}
objectives: {f: {integral: "if(t^2 > 0.5, b, 0)"}}
simulation: {end: 1}
"""
        for drive, written in (("way", "0.8*max(0, t - 0.2)^3 (line 3), limit"),
                               ("max(0, t - 0.3)^3", "max(0, t - 0.3)^3 (line 5), limit"),
                               ("way + 0.1*min(t - 0.7, 0)^3", "0.8*max(0, t - 0.2)^3 (line 3), limit")):
            names = {e["name"] for e in self.run_of(text.replace("DRIVE", drive))["events"]}
            self.assertIn(written, names)
            self.assertIn("if(t^2 > 0.5, b, 0) (line 8), condition", names)
            for name in names:
                self.assertRegex(name, r"^s: force, sign$|\(line \d\), (limit|condition)$")

    def test_what_ends_a_run_is_named(self):
        text = head(0.5) + 'forces: {f: {on: x, force: "-x"}}\nsimulation: {end: 9, end_when: "max(x, t^2) > 0.3 and floor(3*t) > 2"}\n'
        for _ in range(3):
            names = {e["name"] for e in self.run_of(text)["events"]}
            for name in names:
                self.assertRegex(name, r"^end_when, (condition|limit)( \d)?$|^floor in max\(x, t\^2\) > 0.3 and floor\(3\*t\) > 2 \(line 9\)$")

    # ---- values

    def test_conditions_of_what_jumps_last_as_long_as_they_should(self):
        names = list(LASTING)
        goals = "".join(f"  i{i}: {{integral: \"if({c}, 1, 0)\"}}\n" for i, c in enumerate(names))
        text = f"{head(2.5)}objectives:\n{goals}simulation: {{end: 4}}\n"
        for options in ((), ("--interpreter",), ("--method", "rk4", "--step", "0.05"), ("--method", "esdirk5")):
            got = self.run_of(text, *options)["objectives"]
            for i, c in enumerate(names):
                with self.subTest(condition=c, options=options):
                    self.assertAlmostEqual(got[f"i{i}"], LASTING[c], delta=1e-9)

    def test_conditions_of_what_jumps_make_events(self):
        for c, times in TIMES.items():
            text = (f"{head(2.5)}states: {{n: {{discrete: true}}, at: {{discrete: true}}}}\n"
                    f"events: {{e: {{when: \"{c}\", set: {{n: n + 1, at: at + t}}}}}}\n"
                    "objectives: {n: {final: n}, at: {final: at}}\nsimulation: {end: 4}\n")
            with self.subTest(condition=c):
                got = self.run_of(text)["objectives"]
                self.assertEqual(got["n"], len(times))
                self.assertAlmostEqual(got["at"], sum(times), delta=1e-11)

    def test_whole_numbers_at_the_start_and_at_rest(self):
        """Where x is a whole number itself, floor and ceil are that number."""
        for x0 in (-2, -1, 0, 1, 2, 3):
            text = (f"{head(x0)}objectives: {{f: {{integral: floor(x)}}, c: {{integral: ceil(x)}}}}\n"
                    "simulation: {end: 1}\n").replace("rate: -1", "rate: 0")
            for value in self.run_of(text)["objectives"].values():
                self.assertAlmostEqual(value, x0, delta=1e-14)

    def test_a_clock_much_faster_than_the_steps(self):
        text = (f"{head(1)}objectives: {{a: {{integral: \"mod(floor(400*t), 2)\"}}}}\nsimulation: {{end: 2}}\n")
        self.assertAlmostEqual(self.run_of(text)["objectives"]["a"], 1.0, delta=1e-9)

    def test_a_ball_bounces_whatever_says_that_it_is_below(self):
        text = """jounce: 1
name: ball
gravity: [0, 0, -9.81]
bodies: {ball: {mass: 1}}
joints: {z: {type: prismatic, axis: z, child: ball}}
states: {n: {discrete: true}}
events: {bounce: {when: "%s", set: {z.rate: -0.8*z.rate, n: n + 1}}}
objectives: {z: {final: z}, n: {final: n}}
initial: {z: 1}
simulation: {end: %g}
"""
        plain = self.run_of(text % ("z < 0", 3))["objectives"]
        self.assertGreater(plain["n"], 5)
        for c in ("floor(z) < 0", "ceil(-z) > 0", "mod(z, 10) > 5", "floor(z/3) == -1"):
            with self.subTest(condition=c):
                got = self.run_of(text % (c, 3))["objectives"]
                self.assertEqual(got["n"], plain["n"])
                self.assertAlmostEqual(got["z"], plain["z"], delta=1e-7)
                said = self.complaint(text % (c, 10), "run")
                self.assertIn("accumulate at t = 4.0637", said)

    def test_what_compares_discrete_states_holds_where_they_are_equal(self):
        text = (f"{head(0)}states: {{n: {{discrete: true}}, at: {{discrete: true}}, below: {{discrete: true}}}}\n"
                "events:\n  tick: {when: \"sin(2*pi*t) > 0.5\", set: {n: n + 1}}\n"
                "  third: {when: \"n >= 3\", set: {at: t}}\n  not_below: {when: \"not (n < 3)\", set: {below: t}}\n"
                "objectives: {at: {final: at}, below: {final: below}, i: {integral: \"if(n >= 3, 1, 0)\"}}\n"
                "simulation: {end: 6}\n")
        got = self.run_of(text)["objectives"]
        third = 2 + 1/12
        for name, wanted in (("at", third), ("below", third), ("i", 6 - third)):
            self.assertAlmostEqual(got[name], wanted, delta=1e-9)

    # ---- derivatives

    def test_derivatives_through_jumps(self):
        text = (f"{HEAD}objectives:\n  v: {{integral: floor(x)}}\n  c: {{integral: ceil(x)}}\n"
                "  m: {integral: \"mod(x, one)\"}\nsimulation: {end: 4}\n")
        # floor(2.6) - floor(-1.4); x returns to the same part of a period
        for method in ("direct", "adjoint"):
            got = self.gradient(text, method, "--wrt", "x0")
            for name, wanted in (("v", 4), ("c", 4), ("m", 0)):
                self.assertAlmostEqual(got[name]["x0"], wanted, delta=1e-9)
        # integral of a - b floor(a/b): of -floor(x/b) and of its jumps
        self.agree(text.replace("one: 1", "one: 0.9"), "--wrt", "one")

    def test_derivatives_of_a_motion_that_a_floor_drives(self):
        self.agree(f"{HEAD}forces: {{f: {{on: x, torque: 0.1*floor(x)}}}}\nobjectives: {{e: {{final: x}}}}\n"
                   "simulation: {end: 3}\n", "--wrt", "x0")
        text = (f"{HEAD}forces: {{f: {{on: x, torque: \"mod(t, period)\"}}}}\nobjectives: {{v: {{final: x.rate}}}}\n"
                "simulation: {end: 1}\n").replace("one: 1", "period: 0.3")
        # v = integral of t - T floor(t/T): T d/dT = T^2 (1 + 2 + 3) of the jumps less that of the rest
        for method in ("direct", "adjoint"):
            self.assertAlmostEqual(self.gradient(text, method, "--wrt", "period")["v"]["period"], 0.6, delta=1e-9)

    def test_derivatives_past_the_jump_of_an_angle(self):
        text = """jounce: 1
name: angle
parameters: {w: 1}
bodies: {b: {mass: 1}}
joints: {x: {type: prismatic, axis: x, child: b}}
gravity: [0, 0, 0]
states: {a: {initial: 0, derivative: w}}
objectives:
  i: {integral: "atan2(sin(a), cos(a))"}
  j: {integral: "if(atan2(sin(a), cos(a)) > 1, 1, 0)"}
simulation: {end: 5}
"""
        # i = 25 w/2 - 2 pi (5 - pi/w), j = (pi - 1)/w
        got = self.run_of(text)["objectives"]
        self.assertAlmostEqual(got["i"], 12.5 - 2*math.pi*(5 - math.pi), delta=1e-7)
        self.assertAlmostEqual(got["j"], math.pi - 1, delta=1e-9)
        for method in ("direct", "adjoint"):
            gradient = self.gradient(text, method)
            self.assertAlmostEqual(gradient["i"]["w"], 12.5 - 2*math.pi**2, delta=1e-6)
            self.assertAlmostEqual(gradient["j"]["w"], 1 - math.pi, delta=1e-9)

    def test_consequences_have_the_time_of_their_own_cause(self):
        """Two floors jump at the same instants, one of them with w: what follows from the other does not move with it."""
        text = (f"{head(0.25)}objectives:\n  l: {{mean: \"abs(mod(x, 2) - 1)\"}}\n  f: {{integral: floor(x/one)}}\n"
                "simulation: {end: 4.5}\n").replace("rate: -1", "rate: 1")
        for method in ("direct", "adjoint"):
            got = self.gradient(text, method, "--wrt", "one,x0")
            self.assertAlmostEqual(got["l"]["one"], 0, delta=1e-12)
            # |mod(x0 + 4.5, 2) - 1| - |mod(x0, 2) - 1| over 4.5
            self.assertAlmostEqual(got["l"]["x0"], (0.25 - 0.75)/4.5, delta=1e-9)
            self.assertAlmostEqual(got["f"]["one"], -(1 + 2 + 3 + 4), delta=1e-9)
        out = self.path("s.csv")
        jounce("sweep", self.path("m.yaml", text), "--param", "one=1:1:1", "--batch", "--quiet", "-o", out)
        self.assertAlmostEqual(float(self.table(out)[0]["d l / d one"]), 0, delta=1e-12)

    # ---- lanes

    @staticmethod
    def table(path):
        lines = [l for l in Path(path).read_text(encoding="utf-8").splitlines() if l[:1] != "#"]
        return [row for row in csv.DictReader(lines) if row["status"]]

    def test_lanes_jump_as_single_runs_do(self):
        text = (f"{HEAD}forces: {{f: {{on: x, torque: 0.1*floor(x)}}}}\nobjectives:\n  e: {{final: x}}\n"
                "  m: {integral: \"mod(x, one)*atan2(x, -1)\"}\nsimulation: {end: 3}\n")
        tables = []
        for options in ((), ("--batch",)):
            out = self.path(f"s{len(options)}.csv")
            jounce("sweep", self.path("m.yaml", text), "--param", "x0=0.4:2.7:12", "--quiet", "-o", out, *options)
            tables.append(self.table(out))
        self.assertEqual(len(tables[1]), 12)
        names = [n for n in ("e", "m", "d e / d x0", "d m / d x0") if n in tables[1][0]]
        self.assertEqual(len(names), 4, tables[1][0])
        for single, lane in zip(*tables):
            for name in names:
                self.assertAlmostEqual(float(lane[name]), float(single[name]), delta=1e-6)

    # ---- what is refused

    def test_conditions_that_pass_a_pole_are_refused(self):
        for c in ("tan(3*x) > 5", "1/(x - 1.3) < 0", "1/sin(x - 1) > 0"):
            text = f"{HEAD}objectives: {{i: {{integral: \"if({c}, 1, 0)\"}}}}\nsimulation: {{end: 2}}\n"
            with self.subTest(condition=c):
                for options in ((), ("--method", "rk4", "--step", "0.02"), ("--method", "bdf")):
                    said = jounce("run", self.path("m.yaml", text), *options, code=1).stderr
                    self.assertIn("does not pass its limit at t = ", said)
                    self.assertIn("a pole", said)
                said = jounce("sweep", self.path("m.yaml", text), "--param", "x0=2.5:2.7:3", "--batch", code=1).stderr
                self.assertIn("does not pass its limit at t = ", said)

    def test_steep_conditions_are_no_poles(self):
        for c in ("tanh(1000000*(x - 1.3)) > 0", "x^3 > 0", "x - 1e6 > -1e6", "1/x^2 > 4",
                  "exp(-20*x) > 1"):
            text = f"{HEAD}objectives: {{i: {{integral: \"if({c}, 1, 0)\"}}}}\nsimulation: {{end: 2.5}}\n"
            with self.subTest(condition=c):
                self.run_of(text)

    def test_mod_by_zero_is_refused(self):
        text = f"{HEAD}forces: {{f: {{on: x, torque: \"mod(t, 0)\"}}}}\nsimulation: {{end: 1}}\n"
        self.assertIn("m.yaml:8: force 'f': torque: column 1: the expression is not finite", self.complaint(text, "check"))


if __name__ == "__main__":
    unittest.main()
