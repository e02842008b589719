#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains of short pulses of time: every pulse is an event, by every method and way to run them, or the run ends with an error."""
import csv
import json
import math
import unittest
from pathlib import Path

from case import Case
from program import jounce
from vehicle import Export, Vehicle

TRAIN = """jounce: 1
name: train
gravity: [0, 0, 0]
parameters: {w: %r, F: 1}
bodies: {b: {mass: 1}}
joints: {x: {type: prismatic, axis: x, child: b}}
states: {n: {discrete: true}, on: {derivative: "if(%s, 1, 0)"}}
events: {pulse: {when: "%s", set: {n: n + 1}}}
forces: {f: {on: x, force: "%s"}}
objectives: {n: {final: n}, on: {final: on}}
simulation: {start: %r, end: %r, max_events: 1000000%s}
"""


def train(when, w, start, end, force="0.1*x", more=""):
    return TRAIN % (w, when, when, force, start, end, more)


def tops(w, phase, level, start, end):
    """How often sin(w t + phase) > level becomes true."""
    a = math.asin(level)
    return math.floor((w*end + phase - a)/(2*math.pi)) - math.floor((w*start + phase - a)/(2*math.pi))


class Pulses(Case):
    def objectives(self, text, *options):
        return json.loads(jounce("run", self.path("m.yaml", text), "--json", "--quiet", *options).stdout)["objectives"]

    def complaint(self, text):
        path = self.path("m.yaml", text)
        return jounce("run", path, code=1).stderr.replace(path, "m.yaml")

    def has(self, method):
        """Whether the program was built with CVODE."""
        done = jounce("run", self.path("m.yaml", train("t > 1", 1, 0, 2, more=f", method: {method}")), code=None)
        return done.returncode == 0 or "was made without" not in done.stderr

    def check(self, when, w, start, end, pulses, **more):
        for force in ("0", "if(%s, 1, 0)" % when, "100*x + x.rate"):
            with self.subTest(when=when, w=w, force=force, start=start):
                self.assertEqual(self.objectives(train(when, w, start, end, force, **more))["n"], pulses)

    def test_at_the_start_and_later(self):
        for w in (2.1e5, 8.14129e5, 3.25236e6, 1.180578e7):
            for start in (0, 1.18):
                end = start + 60.3*2*math.pi/w
                for level in (0.995, 0.9995, 0.99998):
                    self.check(f"sin(w*t) > {level!r}", w, start, end, tops(w, 0, level, start, end))
                self.check("0.9999 < sin(w*t + 4.07)", w, start, end, tops(w, 4.07, 0.9999, start, end))

    def test_powers_and_bells(self):
        w = 1.38981221e6
        for start in (0, 3.52):
            end = start + 50.2*2*math.pi/w
            for n in (40, 292, 942):
                a = math.acos(0.5**(1/n))
                pulses = math.floor((w*end + a)/math.pi) - math.floor((w*start + a)/math.pi)
                self.check(f"cos(w*t)^{n} > 0.5", w, start, end, pulses)
            level = 1 + math.log(0.99)/30
            self.check("exp(30*(sin(w*t + 2) - 1)) > 0.99", w, start, end, tops(w, 2, level, start, end))
        # one pulse in a long time, far shorter than the shortest one that looks are sure to meet
        self.check("exp(-((t - 1)/1e-7)^2) > 0.5", 1, 0, 2, 1)
        self.check("abs(t - 1) < 1e-8", 1, 0, 2, 1)

    def test_remainders(self):
        for period, share in ((1.3e-5, 1e-3), (2.9e-6, 0.02), (7e-7, 0.01)):
            for start in (0, 0.7):
                end = start + 80.3*period
                pulses = math.floor((end + 0.4*period)/period) - math.floor((start + 0.4*period)/period)
                self.check(f"mod(t + {0.4*period!r}, {period!r}) < {share*period!r}", 1, start, end, pulses)

    def test_with_states_in_them(self):
        w = 1.98954252e6
        end = 60.3*2*math.pi/w
        for when, pulses in (("sin(w*t) > 0.999 + x", tops(w, 0, 0.999, 0, end)),
                             ("sin(w*t + x) > 0.9999", tops(w, 0, 0.9999, 0, end)),
                             ("(1 + x)^2*sin(w*t + 1) > 0.9995 + x.rate", tops(w, 1, 0.9995, 0, end))):
            for force in ("0", "100*x"):
                with self.subTest(when=when, force=force):
                    self.assertEqual(self.objectives(train(when, w, 0, end, force))["n"], pulses)

    def test_by_every_method(self):
        w, level = 8e5, 0.9995
        end = 40.3*2*math.pi/w
        for method in ("dopri5", "esdirk5", "adams", "bdf", "imex4", "rk2", "rk4", "imex3"):
            step = ", step: 1e-5" if method in ("rk2", "rk4", "imex3") else ""
            with self.subTest(method=method):
                if method in ("adams", "bdf") and not self.has(method):
                    continue
                got = self.objectives(train(f"sin(w*t) > {level}", w, 0, end, more=f", method: {method}{step}"))
                self.assertEqual(got["n"], tops(w, 0, level, 0, end))
                self.assertAlmostEqual(got["on"]*w, 41*2*math.acos(level), delta=1e-4)

    def test_what_touches_its_limit_has_no_event(self):
        for when in ("t*t - 2*t + 1 < 0", "sin(6.283185307179586*t) > 1", "sin(w*t) + 0.001*sin(t) > 1.0011",
                     "sin(w*t)*sin(1.1*w*t) > 1.001"):
            self.check(when, 6e6, 0, 1.5, 0)

    def test_what_cannot_be_decided_is_an_error(self):
        text = self.complaint(train("sin(w*t)^2 + cos(w*t)^2 > 1", 6.283, 0, 2))
        self.assertIn("integration: cannot decide when 'pulse", text)
        self.assertIn("write the condition with fewer terms", text)

    def test_points_side_by_side_are_those_of_single_runs(self):
        model = self.path("m.yaml", """jounce: 1
name: train
gravity: [0, 0, 0]
parameters: {w: 6.283185307179586e5, F: 1000}
bodies: {b: {mass: 1}}
joints: {x: {type: prismatic, axis: x, child: b}}
forces: {f: {on: x, force: "if(sin(w*t) > 0.99999, F, 0)"}}
objectives: {v: {final: x.rate}}
simulation: {end: 0.002, method: dopri5}
""")
        out = self.path("s.csv")
        on = 200*2*math.acos(0.99999)/6.283185307179586e5
        for varied, values in (("F", (1, 500, 1000)), ("w", (6e5, 6.1e5, 6.2e5))):
            for options in ((), ("--batch",)):
                jounce("sweep", model, "--param", f"{varied}={values[0]}:{values[-1]}:3", "--wrt", "none", "-o", out, *options)
                lines = [l for l in Path(out).read_text(encoding="utf-8").splitlines() if l[:1] not in "#,"]
                for row in csv.DictReader(lines):
                    with self.subTest(varied=varied, options=options, value=row[varied]):
                        single = json.loads(jounce("run", model, "--json", "--quiet", "--set", f"{varied}={row[varied]}").stdout)
                        self.assertEqual(float(row["v"]), single["objectives"]["v"])
                        if varied == "F":
                            self.assertAlmostEqual(float(row["v"])/(-on*float(row["F"])), 1, delta=1e-6)

    def test_exported_code_has_every_pulse(self):
        w, level = 8.14129124e5, 0.99985
        end = 60.3*2*math.pi/w
        model = self.path("m.yaml", train(f"sin(w*t) > {level}", w, 0, end))
        export = Export(self.folder.name, model)
        v = Vehicle(export)
        self.addCleanup(v.close)
        v.begin()
        v.advance(end)
        self.assertEqual(v.objectives()["n"], tops(w, 0, level, 0, end))


if __name__ == "__main__":
    unittest.main()
