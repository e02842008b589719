#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs whose steps damp a motion to nothing, or make one, agree with runs of other steps and are wrong all the same: none of them
is silent, by any command. Undamped oscillations a cos(w t) have energy w^2 a^2/2 for ever."""
import json
import math
import re
import unittest

from case import Case
from program import jounce

W, A = 30.0, 0.1
OSCILLATOR = """jounce: 1
parameters: {w: 30}
gravity: [0, 0, 0]
bodies: {b: {mass: 1}}
joints: {a: {type: prismatic, child: b, axis: x}}
forces: {s: {on: a, stiffness: w^2}}
initial: {a: 0.1}
objectives: {e: {final: "energy.kinetic + 0.5*w^2*a^2"}, f: {final: a}, r: {rms: a, window: [END - 1, END]}}
simulation: {end: END, SIMULATION}
"""
FIXED = [("rk4", 0.08, 100), ("rk4", 0.06, 100), ("rk4", 0.055, 100), ("rk4", 0.075, 100), ("rk3", 0.03, 100), ("rk3", 0.05, 60),
         ("imex3", 0.05, 100)]
LOOSE = [("imex4", "1e-3", 1000), ("esdirk5", "1e-2", 1000), ("auto", "1e-4", 1000)]


def oscillator(end, simulation):
    return OSCILLATOR.replace("END", str(end)).replace("SIMULATION", simulation)


def true_values(end, w=W):
    mean = 0.5*A*A*(1 + (math.sin(2*w*end) - math.sin(2*w*(end - 1)))/(2*w))
    return {"e": 0.5*w*w*A*A, "f": A*math.cos(w*end), "r": math.sqrt(mean)}


def true_slopes(end):
    h = 1e-4
    high, low = true_values(end, W + h), true_values(end, W - h)
    return {o: (high[o] - low[o])/(2*h) for o in high}


def doubted(message):
    """Objective → how far it may be off, relative."""
    found = {}
    for o, part in re.findall(r"objective '(\w+)' came out as \S+ and may (?:have no true digit|be off by (\S+) %)", message):
        found[o] = max(found.get(o, 0.0), float(part)/100 if part else math.inf)
    return found


class AddingErrors(Case):
    def models(self):
        for method, step, end in FIXED:
            yield end, self.path(f"{method}_{step}.yaml", oscillator(end, f"method: {method}, step: {step}"))
        for method, tolerance, end in LOOSE:
            yield end, self.path(f"{method}.yaml", oscillator(end, f"method: {method}, tolerance: {tolerance}"))

    def test_run_warns_of_every_value(self):
        for end, path in self.models():
            done = jounce("run", path, "--json")
            told = doubted(done.stderr)
            for o, value in json.loads(done.stdout)["objectives"].items():
                off, part = abs(value - true_values(end)[o]), told.get(o, 0.0)
                self.assertTrue(part == math.inf or off <= max(part, 0.011)*abs(value), (path, o, done.stderr))
            self.assertIn("e", told, done.stderr)

    def test_sens_states_errors_that_hold(self):
        for end, path in self.models():
            for method in "direct", "adjoint":
                done = jounce("sens", path, "--wrt", "w", "--method", method, "--json")
                for o, found in json.loads(done.stdout)["objectives"].items():
                    if found["gradient"]["w"] is None:
                        self.assertEqual((o, found["no_derivatives"] != ""), ("r", True), (path, method))
                        continue
                    # references of slopes are differences, good to 1e-6
                    slope = true_slopes(end)[o]
                    self.assertLessEqual(abs(found["value"] - true_values(end)[o]), found["value_error"], (path, method, o))
                    off = abs(found["gradient"]["w"] - slope)
                    self.assertLessEqual(off, found["gradient_error"]["w"] + 1e-6*abs(slope), (path, method, o))

    def test_points_of_sweeps_are_doubted(self):
        path = self.path("m.yaml", oscillator(100, "method: rk4, step: 0.08"))
        for how in (["--wrt", "none"], [], ["--wrt", "none", "--batch"], ["--batch"]):
            done = jounce("sweep", path, "--param", "w=29:30:3", *how, "--json")
            for o in "efr":
                self.assertRegex(done.stderr, f"objective '{o}' is in doubt at 3 of 3 points: .* may have no true digit: errors of the steps add up, and "
                                              "a more accurate run comes to .*; hint: a smaller --step, or an adaptive method")
            for p in json.loads(done.stdout)["points"]:
                self.assertIn("objective 'e' came out as", p["message"])

    def test_motions_that_steps_make_are_errors(self):
        for end, tolerance in (1000, "0.01"), (100, "0.01"):
            path = self.path("m.yaml", oscillator(end, f"tolerance: {tolerance}"))
            for command in (["run"], ["sens", "--wrt", "w"], ["sweep", "--param", "w=29:30:2"],
                            ["sweep", "--param", "w=29:30:2", "--wrt", "none"], ["sweep", "--param", "w=29:30:2", "--wrt", "none", "--batch"]):
                done = jounce(command[0], path, *command[1:], code=1)
                self.assertRegex(done.stderr + done.stdout, "the motion is made by the errors of its steps: its positions become as large as .*, in nominal sizes, and "
                                                            "no larger than 0.1 in a more accurate run .*; hint: a smaller --tol")
                self.assertNotRegex(done.stdout + done.stderr, r"\+-|may be off")

    def test_what_the_equations_do_is_not_doubted(self):
        head = "jounce: 1\nparameters: {p: P}\nbodies: {b: {mass: 1}}\njoints: {a: {type: prismatic, child: b, axis: x}}\n"
        state = head + 'states: {s: {derivative: "RATE", initial: 1}}\nobjectives: {f: {final: s}}\nsimulation: {end: END, HOW}\n'
        spring = head + "forces: {k: {on: a, force: 900*a + p*a.rate}}\ninitial: {a: 0.1}\nobjectives: {f: {final: a}, r: {rms: a}}\nsimulation: {end: END, HOW}\n"
        models = [(state, "RATE", "-3*s", 50, "method: rk4, step: 0.1"), (state, "RATE", "s", 50, "method: rk4, step: 0.01"),
                  (state, "RATE", "s", 50, "tolerance: 1e-4"), (state, "RATE", "1000*(cos(t) - s)", 5, "method: rk4, step: 0.0025"),
                  (state, "RATE", "1000*(cos(t) - s)", 5, "method: rk3, step: 0.0025"), (state, "RATE", "1000*(cos(t) - s)", 5, "method: rk2, step: 0.0019"),
                  (spring, "P", "60", 20, "method: rk4, step: 0.01"), (spring, "P", "10", 20, "method: rk4, step: 0.01"), (spring, "P", "10", 50, "tolerance: 1e-5"),
                  (spring, "P", "-0.5", 20, "method: rk4, step: 0.002"), (spring, "P", "-0.5", 20, "tolerance: 1e-5")]
        for text, key, value, end, how in models:
            path = self.path("m.yaml", text.replace(key, value).replace("P}", "1}").replace("END", str(end)).replace("HOW", how))
            done = jounce("run", path)
            self.assertNotIn("errors of the steps", done.stderr, (value, how))
            if "step" in how:
                self.assertEqual(done.stderr, "", (value, how))


if __name__ == "__main__":
    unittest.main()
