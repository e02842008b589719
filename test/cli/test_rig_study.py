#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The study of the damper rig: what it shows is the reference of the rig to the digits printed, and its derivatives are those
of differences of plain commands."""
import csv
import json
import math
import tempfile
import unittest
from pathlib import Path

from program import jounce

RIG = Path("models/damper_rig").resolve()
NUMBERS = {"Aev0": 1.25e-5, "L": 0.25, "popr": 4e6, "El": 1.6e9, "pg0": 6e5}
CURRENTS = ["0.3", "0.6", "0.9", "1.2", "1.5"]


def reference(name):
    with open(RIG / "reference" / name, newline="", encoding="utf-8") as f:
        return list(csv.DictReader(f))


def read_csv(path):
    with open(path, encoding="utf-8", newline="") as f:
        rows = list(csv.reader(line for line in f if not line.startswith("#")))
    return {name: [float(r[i]) for r in rows[2:]] for i, name in enumerate(rows[0])}


def nearest(values, x):
    i = min(range(len(values)), key=lambda i: abs(values[i] - x))
    assert abs(values[i] - x) < 1e-9 * max(1.0, abs(x)), (values[i], x)
    return i


class RigStudy(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        done = jounce("study", str(RIG / "rig_study.yaml"), "--json")
        cls.said = done.stderr
        cls.parts = json.loads(done.stdout)["parts"]

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def tables(self, part):
        return [{c["name"]: c["values"] for c in t["columns"]} for t in self.parts[part]["tables"]]

    def agree(self, value, printed, digits, size=None):
        x = float(printed)
        unit = 10.0 ** (math.floor(math.log10(abs(size or x))) - digits + 1)
        self.assertLessEqual(abs(value - x), 1.01 * unit, f"{value!r} {printed}")

    def near(self, got, expected, tolerance, what):
        """To this part of the largest."""
        self.assertEqual(len(got), len(expected))
        size = max(map(abs, expected))
        worst = max(abs(a - b) for a, b in zip(got, expected))
        self.assertLessEqual(worst, tolerance * size, what)

    def test_nothing_is_warned_of(self):
        self.assertNotIn("warning", self.said)

    def test_steady_forces(self):
        for current, got in zip(CURRENTS, self.tables(1)):
            for row in reference("steady.csv"):
                self.agree(got["F"][nearest(got["v"], float(row["v"]))], row["b" + current], 12)

    def test_steady_slopes(self):
        """Damping coefficients are the responses at 0 Hz and what the seal adds."""
        seen = 0
        for row in reference("about_motion.csv"):
            if row["Hz"] != "0":
                continue
            got, v0 = self.tables(1)[CURRENTS.index(row["i"])], float(row["v0"])
            slope = got["d F / d v"][nearest(got["v"], v0)]
            self.agree(slope - 20 - 50 / 0.01 / math.cosh(v0 / 0.01) ** 2, row["Re"], 10)
            seen += 1
        self.assertEqual(seen, 6)

    def test_dynamic_stiffness(self):
        seen = 0
        for row in reference("about_rest.csv"):
            if row["damper"] != "b":
                continue
            got = self.tables(2)[["0.3", "0.9", "1.5"].index(row["i"])]
            i = nearest(got["frequency"], float(row["Hz"]))
            self.agree(got["real part"][i], row["Re"], 11, float(row["Im"]))
            self.agree(got["imaginary part"][i], row["Im"], 11)
            seen += 1
        self.assertEqual(seen, 9)

    def test_loops(self):
        """Forces of the strokes of the reference that are in the second period; the run has a tolerance of 1e-9."""
        for part, name in ((0, "c3.csv"), (4, "c4.csv")):
            got, seen = self.tables(part)[2], 0
            for row in reference(name):
                t = float(row["t"])
                if not got["t"][0] - 1e-9 <= t <= got["t"][-1] + 1e-9:
                    continue
                self.assertAlmostEqual(got["force"][nearest(got["t"], t)], float(row["F"]), delta=2e-4)
                seen += 1
            self.assertGreaterEqual(seen, 2)
        self.near(self.tables(0)[0]["displacement"],
                  [0.05 * math.sin(3 * math.pi * t) for t in self.tables(0)[0]["t"]], 1e-12, "displacement")

    def plain(self, part, current, *args):
        more = ("--set", "X=0.005", "--set", "fr=12", "--output-step", repr(1 / 6000)) if part == 4 else (
            "--output-step", repr(1 / 900))
        out = self.folder / "out.csv"
        jounce("run", str(RIG / "twin_tube_cycle.yaml"), "--tol", "1e-12", "--quiet", "--set", f"icmd={current}",
               *more, *args, "-o", str(out))
        rows = read_csv(out)
        got = self.tables(part)[CURRENTS.index(current)]
        first = nearest(rows["t"], got["t"][0])
        return rows["force"][first:first + len(got["t"])]

    def test_derivatives_of_loops(self):
        """Of the force at the same instant. Truncation of differences of 1e-4, and rounding of runs to 1e-12, are below
        what a tolerance of 1e-9 leaves of the derivatives: 1e-4 of the largest."""
        for part, current in ((0, "1.5"), (4, "0.9")):
            got = self.tables(part)[CURRENTS.index(current)]
            for name, value in NUMBERS.items():
                h = 1e-4 * value
                more, less = (self.plain(part, current, "--set", f"{name}={value + s * h!r}") for s in (1, -1))
                slope = [(a - b) / (2 * h) for a, b in zip(more, less)]
                self.near(got[f"d force / d {name}"], slope, 1e-4, f"part {part}, {current} A: {name}")
                percent = [0.01 * value * d for d in got[f"d force / d {name}"]]
                self.near(got[f"force per 1 % of {name}"], percent, 1e-14, name)

    def test_derivatives_of_steady_forces(self):
        got = self.tables(1)[3]
        for name, value in NUMBERS.items():
            h, force = 1e-5 * value, []
            for sign in (1, -1):
                out = self.folder / "s.csv"
                jounce("sweep", str(RIG / "twin_tube_steady.yaml"), "--param", "v=-1.5:1.5:121", "--wrt", "none",
                       "--set", "icmd=1.2", "--set", f"{name}={value + sign * h!r}", "--quiet", "-o", str(out))
                force.append(read_csv(out)["F"])
            slope = [(a - b) / (2 * h) for a, b in zip(*force)]
            self.near(got[f"d F / d {name}"], slope, 1e-6, name)
            self.near(got[f"F per 1 % of {name}"], [0.01 * value * d for d in got[f"d F / d {name}"]], 1e-14, name)


if __name__ == "__main__":
    unittest.main()
