#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Objectives chosen by name: they have the numbers that they have among all others, to the last bit; and one that has
no derivatives does not take those of the others away."""
import json
import math
import re
import sys
import unittest
from pathlib import Path

from case import Case
from program import jounce

MODEL = """jounce: 1
name: objectives
gravity: [0, 0, 0]
parameters: {k: 200, c: 4, s: 0}
bodies: {cart: {mass: 2}, other: {mass: 1}}
joints: {x: {type: prismatic, child: cart, axis: x}, y: {type: prismatic, child: other, axis: y}}
forces: {spring: {on: x, stiffness: k, damping: c, force: "if(x > 0.02, 3*x, 0)"}, q: {on: y, stiffness: k, damping: c}}
initial: {x: 0.1}
objectives:
  zero: {rms: y}
  good: {rms: x}
  weighted: {rms: x, filter: Wk, window: [0.1, 0.9]}
  high: {peak: x, nominal: 0.1}
  last: {final: x}
simulation: {end: 1}
"""
SHARP = MODEL.replace("  last:", '  hidden: {final: "sqrt(y + s)"}\n  singular: {integral: "sqrt(y + s)"}\n  last:')
# At rest on a stop that a load lifts it from; the stop makes steps short and multiplies what they leave of errors.
STOP = """jounce: 1
bodies: {b: {mass: 2.191}}
joints: {z: {type: prismatic, child: b, axis: z}}
forces:
  strut: {on: z, stiffness: 337.8, damping: 58.75, free: -0.3053, bump_stop: {at: -0.01848, stiffness: 38880, exponent: 113}}
  load: {on: z, torque: 9.095*step(t - 0.516)}
objectives: {acc: {final: z.acc}, at: {final: z}}
simulation: {end: 0.8539, start_at: static}
"""
# At rest on a stop: nothing moves but for errors of steps, which the stop holds short.
REST = """jounce: 1
bodies: {b: {mass: 20.22}}
joints: {z: {type: prismatic, child: b, axis: z}}
forces:
  strut: {on: z, stiffness: 7434, damping: 670.3, free: -0.0583, bump_stop: {at: -0.02501, stiffness: 1399000, exponent: 83.71}}
objectives: {acc: {rms: z.acc}, most: {peak: z.acc, power: 4}, mean: {mean: z.acc}}
"""
# Stable steps of a seventh of the period: the motion is late.
LATE = """jounce: 1
gravity: [0, 0, 0]
parameters: {c: 5}
bodies: {b: {mass: 1}}
joints: {x: {type: prismatic, child: b, axis: x}}
forces: {spring: {on: x, stiffness: 400, damping: c}}
initial: {x: 0.1}
objectives: {last: {final: x}, size: {rms: x}}
simulation: {end: 0.7, method: METHOD, step: STEP}
"""
CHOICES = ("good", "last,weighted", "weighted,high,good")


class Objectives(Case):
    def ask(self, command, text, *options, code=0):
        done = jounce(command, self.path("m.yaml", text), "--interpreter", "--json", *options, code=code)
        self.said = done.stderr
        return json.loads(done.stdout) if code == 0 else None

    def test_values_do_not_depend_on_the_choice(self):
        every = self.ask("run", SHARP)["objectives"]
        for choice in CHOICES:
            some = self.ask("run", SHARP, "--objective", choice)["objectives"]
            self.assertEqual(choice.split(","), list(some))
            self.assertEqual({o: every[o] for o in some}, some)

    def test_a_choice_names_each_once(self):
        for command, *more in (("run",), ("sens",), ("sweep", "--param", "k=100:200:2")):
            self.ask(command, SHARP, *more, "--objective", "good,last,good", code=1)
            self.assertIn("objective 'good' is given twice", self.said)

    def test_derivatives_do_not_depend_on_the_choice(self):
        every = self.ask("sens", MODEL, "--method", "direct", "--wrt", "k,c,s")["objectives"]
        for choice in CHOICES:
            some = self.ask("sens", MODEL, "--method", "direct", "--wrt", "k,c,s", "--objective", choice)["objectives"]
            self.assertEqual(choice.split(","), list(some))
            self.assertEqual({o: every[o] for o in some}, some)

    def test_value_that_the_tolerance_does_not_determine_is_reported(self):
        values = {}
        for tol in ("1e-8", "1e-12"):
            values[tol] = self.ask("run", STOP, "--tol", tol)["objectives"]
            said = re.findall(r"objective '(\w+)' came out as (\S+) and may be off by (\S+) %", self.said)
            # the position has all digits that the tolerance promises
            self.assertEqual(["acc"] if tol == "1e-8" else [], [o for o, _, _ in said])
            told = float(said[0][2])/100*abs(values[tol]["acc"]) if said else told
        off = abs(values["1e-8"]["acc"] - values["1e-12"]["acc"])
        self.assertGreater(off, 0.1*abs(values["1e-12"]["acc"]))
        self.assertLess(off, told)
        self.assertLess(told, 10*off)

    def test_point_of_a_sweep_keeps_the_derivatives_that_there_are(self):
        for more in ([], ["--batch"], ["--method", "adjoint"]):
            out = str(Path(self.path("m.yaml", MODEL)).parent / "out.csv")
            got = self.ask("sweep", MODEL, "--param", "k=100:200:3", "--wrt", "k,c", "-o", out, *more)
            self.assertEqual(0, got["failed"], more)
            for point in got["points"]:
                sens = self.ask("sens", MODEL, "--set", f"k={point['parameters']['k']!r}", "--wrt", "k,c")["objectives"]
                self.assertIn("objective 'zero' has no derivatives, others have", point["message"])
                for o, told in point["objectives"].items():
                    for p, slope in told["gradient"].items():
                        if o == "zero":
                            self.assertIsNone(slope)
                        else:
                            expected = sens[o]["gradient"][p]
                            self.assertAlmostEqual(slope, expected, delta=1e-5*abs(expected) + 1e-9)
            self.assertIn("has no derivatives, others have", Path(out).read_text(encoding="utf-8"))
        shown = jounce("sweep", self.path("m.yaml", MODEL), "--param", "k=100:200:3", "--wrt", "k,c", "--interpreter").stdout
        self.assertEqual((3, 1), (shown.count("derivatives missing"), shown.count("has no derivatives, others have")))
        # one that is asked for by name must have them
        self.ask("sweep", MODEL, "--param", "k=100:200:3", "--objective", "zero,good", code=1)

    def test_rms_and_peak_of_errors_of_the_states_are_reported(self):
        model = REST + "simulation: {end: 0.5, start_at: static}\n"
        for tol in ("1e-4", "1e-8"):
            self.ask("run", model, "--tol", tol)
            said = re.findall(r"objective '(\w+)' came out as \S+ and may have no true digit: errors of the states", self.said)
            self.assertEqual(["acc", "most"], said)
        # a motion of which they are no part
        self.ask("run", REST + "initial: {z: {value: -0.01, rate: 0}}\nsimulation: {end: 0.5}\n")
        self.assertEqual("", self.said)

    def test_values_that_fixed_steps_do_not_resolve_are_reported(self):
        rate = math.sqrt(400 - 2.5**2)
        true = 0.1*math.exp(-2.5*0.7)*(math.cos(0.7*rate) + 2.5/rate*math.sin(0.7*rate))
        for method, step in (("rk2", 0.045), ("rk3", 0.045), ("rk4", 0.09), ("rk2", 0.01)):
            value = self.ask("run", LATE.replace("METHOD", method).replace("STEP", str(step)))["objectives"]["last"]
            self.assertGreater(abs(value - true), 0.03*abs(true))
            found = re.search(r"objective 'last' came out as \S+ and may (?:have no true digit|be off by (\S+) %): it changes to", self.said)
            self.assertIsNotNone(found, f"{method} {step}: {self.said}")
            if found[1]:
                self.assertLessEqual(abs(value - true), 0.01*float(found[1])*abs(value), f"{method} {step}")

    def test_values_that_fixed_steps_resolve_are_not(self):
        for method, step in (("rk2", 0.0005), ("rk3", 0.002), ("rk4", 0.005)):
            self.ask("run", LATE.replace("METHOD", method).replace("STEP", str(step)))
            self.assertEqual(self.said, "", method)
        # a final value that is zero but for rounding
        self.ask("run", MODEL.replace("{end: 1}", "{end: 1, method: rk4, step: 0.002}").replace(
            "zero: {rms: y}", "zero: {final: y}"))
        self.assertNotIn("changes to", self.said)

    def test_vibration_dose_value(self):
        """It is the mean of the fourth power times T^(1/4), and so are its derivatives."""
        path = self.path("m.yaml", MODEL.replace("  last:", "  dose: {vdv: x.acc, nominal: 3}\n  mean: {peak: x.acc, power: 4, nominal: 3}\n"
                                                 "  part: {vdv: x.acc, filter: Wk, window: [0.1, 0.9]}\n"
                                                 "  half: {peak: x.acc, power: 4, filter: Wk, window: [0.1, 0.9]}\n  last:"))
        for method in ("direct", "adjoint"):
            o = json.loads(jounce("sens", path, "--wrt", "k,c", "--method", method, "--objective", "dose,mean,part,half",
                                  "--json").stdout)["objectives"]
            for dose, mean, T in (("dose", "mean", 1.0), ("part", "half", 0.8)):
                self.assertAlmostEqual(o[dose]["value"]/(o[mean]["value"]*T**0.25), 1, 14)
                for k in "kc":
                    self.assertAlmostEqual(o[dose]["gradient"][k]/(o[mean]["gradient"][k]*T**0.25), 1, 12)

    def test_sweeps(self):
        for more in ([], ["--batch"]):
            every = self.ask("sweep", SHARP, "--param", "k=100:200:3", "--wrt", "none", *more)["points"]
            some = self.ask("sweep", SHARP, "--param", "k=100:200:3", "--objective", "last,good", *more)["points"]
            for a, b in zip(every, some):
                self.assertEqual(["last", "good"], list(b["objectives"]))
                for o, got in b["objectives"].items():
                    self.assertEqual(a["objectives"][o]["value"], got["value"])
                    self.assertNotEqual(0, got["gradient"]["k"])

    def test_journals_know_the_choice(self):
        out, journal = self.path("s.csv"), Path(self.path("s.csv.journal"))
        options = ("--param", "k=100:200:3", "-o", out)
        self.ask("sweep", MODEL, *options, "--objective", "last")
        first = Path(out).read_text(encoding="utf-8")
        self.assertIn("last", first)
        self.assertNotIn("weighted", first)
        self.assertFalse(journal.exists())
        self.ask("sweep", MODEL, *options, "--objective", "good")
        self.assertNotIn("last", Path(out).read_text(encoding="utf-8"))

    def test_report(self):
        page = self.path("p.html")
        jounce("report", self.path("m.yaml", MODEL), "--interpreter", "--wrt", "k", "-o", page, "--objective", "good")
        text = Path(page).read_text(encoding="utf-8")
        self.assertIn("d good / d parameter", text)
        self.assertNotIn("weighted", text)
        jounce("report", self.path("m.yaml", MODEL), "--interpreter", "--wrt", "k", "-o", page)
        self.assertIn("its derivative with respect to &#39;k&#39; is not a number", Path(page).read_text(encoding="utf-8").replace("'", "&#39;"))

    def test_one_without_derivatives_leaves_the_others(self):
        for text, none in ((MODEL, {"zero"}), (SHARP, {"zero", "hidden", "singular"})):
            for method in ("direct", "adjoint", "auto"):
                got = self.ask("sens", text, "--method", method, "--wrt", "k,c,s")["objectives"]
                for o, row in got.items():
                    self.assertEqual(o in none, "no_derivatives" in row, f"{method} {o}")
                    for by in "kc":
                        self.assertEqual(o in none, row["gradient"][by] is None, f"{method} {o} by {by}")
                for o in none:
                    self.assertIn(f"objective '{o}' has no derivatives, others have", self.said)

    def test_back_along_a_run_slopes_of_others_do_not_matter(self):
        """Without a weight an infinite slope is not met on the way back, beside others or left out."""
        direct = self.ask("sens", SHARP, "--method", "direct", "--objective", "good,last", "--wrt", "k,c")["objectives"]
        for choice in ((), ("--objective", "good,last")):
            back = self.ask("sens", SHARP, "--method", "adjoint", *choice, "--wrt", "k,c")["objectives"]
            for o, row in direct.items():
                for by, x in row["gradient"].items():
                    allowed = row["gradient_error"][by] + back[o]["gradient_error"][by]
                    self.assertLessEqual(abs(x - back[o]["gradient"][by]), allowed, f"{o} by {by}")

    def test_what_is_named_must_have_derivatives(self):
        for choice in ("zero", "good,zero"):
            self.ask("sens", MODEL, "--objective", choice, code=1)
            self.assertIn("m.yaml:10: objective 'zero' has no derivatives: its derivative with respect to", self.said)
        alone = MODEL[:MODEL.index("  good:")] + "simulation: {end: 1}\n"
        self.ask("sens", alone, code=1)

    def test_check_leaves_them_out(self):
        got = self.ask("sens", MODEL, "--check", "--wrt", "k,c")
        self.assertEqual(["no_derivatives"], list(got["check"]["zero"]))
        for by in "kc":
            self.assertTrue(got["check"]["good"][by]["agrees"])
        table = self.path("t.csv")
        self.ask("sens", MODEL, "--wrt", "k", "-o", table)
        row = [l for l in Path(table).read_text(encoding="utf-8").splitlines() if l.startswith("zero,")]
        self.assertEqual(["zero,k,,no derivative,200,nan,nan,nan,nan"], row)


class Ended(Case):
    """x = 1 + v t ends the run at -1/v, before its end at 3 s."""
    TEXT = """jounce: 1
gravity: [0, 0, 0]
bodies: {m: {mass: 1}}
joints: {x: {type: prismatic, child: m, axis: x}}
parameters: {v: -1}
initial: {x: {value: 1, rate: v}}
objectives: {r: {rms: x.rate, window: [1.5, 2]}, m: {mean: x, window: [1.5, 2]}, whole: {mean: x}}
simulation: {end: 3, end_when: x < 0}
"""

    def test_a_window_that_is_not_reached_is_an_error(self):
        path = self.path("m.yaml", self.TEXT)
        for v, at in ((-1, "1 s"), (-0.8, "1.25 s"), (-1 / 1.5, "1.5 s")):
            for command in (("run",), ("sens", "--wrt", "v"), ("sens", "--wrt", "v", "--method", "direct"),
                            ("sens", "--wrt", "v", "--method", "adjoint")):
                done = jounce(command[0], path, *command[1:], "--set", f"v={v}", code=1)
                self.assertIn(f"m.yaml:7: objective 'r': the run ends by its condition (end_when) at {at}, before its window", done.stderr)
        # one that is not asked for does not matter
        self.assertEqual(jounce("sens", path, "--wrt", "v", "--objective", "whole").stderr, "")

    def test_a_window_that_is_cut_is_a_warning(self):
        path = self.path("m.yaml", self.TEXT)
        for v in (-0.6, -0.55):
            missing = 2 + 1 / v
            for command in (("run",), ("sens", "--wrt", "v"), ("sens", "--wrt", "v", "--method", "adjoint")):
                done = jounce(command[0], path, *command[1:], "--set", f"v={v}")
                self.assertIn(f"inside of its window, the last {missing:.6g} s of which are missing", done.stderr)
                self.assertEqual(done.stderr.count("end_when"), 2)
            value = json.loads(jounce("run", path, "--set", f"v={v}", "--json").stdout)["objectives"]["m"]
            self.assertAlmostEqual(value, (1 + 1.5 * v) / 2, places=9)
        for v in (-0.5, -0.4):
            self.assertEqual(jounce("run", path, "--set", f"v={v}").stderr, "")
        done = jounce("sweep", path, "--param", "v=-1:-0.4:4", "--wrt", "none", code=None)
        self.assertIn("2 of 4 points failed", done.stderr)
        self.assertIn("at 1 of 2 points, and its value is of what is there: the last 0.333333 s are missing", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
