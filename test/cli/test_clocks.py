#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Samples are at start + offset + k every, rounded once: none is lost at the end of a run, and clocks do not become late.
References are exact fractions of the decimals in the file."""
import json
import unittest
from fractions import Fraction

from case import Case
from program import jounce

MODEL = """jounce: 1
name: clock
parameters: {T: PERIOD, d: 0}
gravity: [0, 0, 0]
bodies: {m: {mass: 1}}
joints: {x: {type: prismatic, child: m, axis: x}}
states: {u: {discrete: true}, last: {discrete: true}}
samplers: {c: {every: T, OFFSET DELAY set: {u: u + 1, last: "SEEN"}}}
objectives: {n: {final: u}, last: {final: last}}
simulation: {start: START, end: END, max_events: 1000000}
"""


def model(period, end, start="0", offset="", delay="", seen="t"):
    text = MODEL.replace("PERIOD", period).replace("START", start).replace("END", repr(float(end))).replace("SEEN", seen)
    text = text.replace("OFFSET", f"offset: {offset}," if offset else "")
    return text.replace("DELAY", f"delay: {delay}," if delay else "")


class Clocks(Case):
    def run_of(self, text, *options):
        return json.loads(jounce("run", self.path("m.yaml", text), "--json", "--interpreter", *options).stdout)["objectives"]

    def test_the_sample_at_the_end_is_taken(self):
        # 1/3 of them was lost when periods were added up
        for period in ("0.02", "0.003", "0.7", "0.6", "0.1", "0.3", "0.0123", "1.1"):
            for n in (3, 50, 100, 333):
                with self.subTest(period=period, n=n):
                    end = Fraction(period) * n
                    found = self.run_of(model(period, end))
                    self.assertEqual(found["n"], n + 1)
                    self.assertAlmostEqual(found["last"], float(end), delta=2e-13 * max(1, float(end)))

    def test_with_starts_offsets_and_delays(self):
        for start, offset, delay in (("-7", "", ""), ("100.1", "", ""), ("0", "0.05", ""), ("3.3", "0.1", ""), ("0", "", "0.01"),
                                     ("1.7", "0.03", "0.04")):
            for period, n in (("0.1", 77), ("0.07", 300), ("0.6", 50)):
                for method in ((), ("--method", "rk4", "--step", "0.01"), ("--method", "esdirk5")):
                    end = Fraction(start) + Fraction(offset or 0) + Fraction(delay or 0) + Fraction(period) * n
                    with self.subTest(start=start, offset=offset, delay=delay, period=period, method=method):
                        found = self.run_of(model(period, end, start, offset, delay), *method)
                        # what is found at a sample is in effect after the delay: u counts once for every sample
                        self.assertEqual(found["n"], n + 1)

    def test_clocks_do_not_become_late(self):
        for period in ("0.1", "0.003", "0.7"):
            found = self.run_of(model(period, Fraction(period) * 3000 + Fraction(period) / 2))
            self.assertAlmostEqual(found["last"], float(Fraction(period) * 3000), delta=2e-13 * max(1, 3000 * float(period)))

    def test_a_run_that_ends_before_a_sample_does_not_take_it(self):
        for early in (1e-12, 1e-9, 1e-3):
            found = self.run_of(model("0.1", 7.7 - early))
            self.assertEqual(found["n"], 77)

    def test_derivatives_are_numbers_of_periods(self):
        # inside of the run, and at its end
        for end in (10.03, 10.0):
            path = self.path("m.yaml", model("0.1", end, offset="d"))
            for method in ("direct", "adjoint"):
                done = jounce("sens", path, "--json", "--quiet", "--interpreter", "--wrt", "T,d", "--method", method)
                gradient = json.loads(done.stdout)["objectives"]["last"]["gradient"]
                self.assertAlmostEqual(gradient["T"], 100, delta=1e-6)
                self.assertAlmostEqual(gradient["d"], 1, delta=1e-8)

    def test_derivatives_are_differences_of_runs(self):
        text = model("0.0123", 2.0, seen="(1 + 3*t)^2")
        path = self.path("m.yaml", text)
        h = 1e-6
        ends = [self.run_of(text, "--set", f"T={0.0123 + s * h!r}")["last"] for s in (-1, 1)]
        done = jounce("sens", path, "--json", "--quiet", "--interpreter", "--wrt", "T")
        gradient = json.loads(done.stdout)["objectives"]["last"]["gradient"]["T"]
        self.assertAlmostEqual(gradient / ((ends[1] - ends[0]) / (2 * h)), 1, delta=1e-6)

    def test_many_runs_have_the_samples_of_single_ones(self):
        path = self.path("m.yaml", model("0.6", 60))
        for options in ((), ("--batch",)):
            done = jounce("sweep", path, "--param", "d=0:1:2", "--wrt", "none", "--json", "--interpreter", *options)
            self.assertEqual(done.stdout.count('"n": {"value": 101,'), 2)


if __name__ == "__main__":
    unittest.main()
