#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Frequency responses of studies: a mass on a spring against its formula, the dampers of the rig against the reference to
the digits printed, derivatives against formulas and against differences of the same command."""
import cmath
import csv
import json
import math
import tempfile
import unittest
from pathlib import Path

from program import jounce

RIG = Path("models/damper_rig").resolve()

MASS = """jounce: 1
parameters:
  m: {value: 2, unit: kg}
  k: {value: 800, unit: N/m}
  c: {value: 5, unit: N s/m}
  push: {value: 0, unit: N}
  lift: {value: 0, unit: m}
gravity: [0, 0, 0]
bodies:
  base: {mass: 1}
  b: {mass: m}
joints:
  foot: {type: prismatic, child: base, axis: [0, 0, 1], drive: lift}
  z: {type: prismatic, child: b, axis: [0, 0, 1]}
forces:
  f: {on: z, torque: push - k*(z - foot) - c*(z.rate - foot.rate)}
sensors:
  height: {value: z, unit: m}
  away: {value: z - foot, unit: m}
simulation: {end: 1}
"""


def columns(table):
    return {c["name"]: c["values"] for c in table["columns"]}


def reference(name):
    with open(RIG / "reference" / name, newline="", encoding="utf-8") as f:
        return list(csv.DictReader(f))


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def study(self, model, part, *args, code=0):
        path = self.folder / "study.yaml"
        path.write_text(f"study: 1\nmodel: {model}\nparts:\n  - {part}\n", encoding="utf-8")
        done = jounce("study", str(path), "--json", "--interpreter", *args, code=code)
        return done if code else [columns(t) for t in json.loads(done.stdout)["parts"][0]["tables"]]

    def mass(self):
        path = self.folder / "mass.yaml"
        path.write_text(MASS, encoding="utf-8")
        return path

    def close(self, a, b, tolerance):
        self.assertLessEqual(abs(a - b), tolerance * abs(b), f"{a} {b}")


class Formula(Case):
    HZ = [0.5, 3, 3.2, 20]

    def test_a_force_on_a_mass(self):
        got = self.study(self.mass(), f"response: {{input: push, sensors: height, frequencies: {self.HZ}, "
                                      "wrt: [k, m, c]}")[0]
        self.assertEqual(got["frequency"], self.HZ)
        for i, hz in enumerate(self.HZ):
            s = 2j * math.pi * hz
            h = 1 / (2 * s * s + 5 * s + 800)
            self.close(complex(got["real part"][i], got["imaginary part"][i]), h, 1e-13)
            self.close(got["magnitude"][i], abs(h), 1e-13)
            self.close(got["phase"][i], math.degrees(cmath.phase(h)), 1e-12)
            for name, value, slope in (("k", 800, -h * h), ("m", 2, -s * s * h * h), ("c", 5, -s * h * h)):
                d = complex(got[f"d real part / d {name}"][i], got[f"d imaginary part / d {name}"][i])
                self.close(d, slope, 1e-12)
                self.close(got[f"magnitude per 1 % of {name}"][i], (slope / h).real * value, 1e-11)
                self.close(got[f"phase per 1 % of {name}"][i],
                           math.degrees((slope / h).imag) * value / 100, 1e-11)

    def test_a_moved_foot_brings_its_rates(self):
        """Of two outputs, with other values of a number."""
        tables = self.study(self.mass(), f"response: {{input: foot, sensors: [height, away], frequencies: {self.HZ}, "
                                         "wrt: c, for: {c: [5, 30]}}")
        for c, got in zip((5, 30), tables):
            for i, hz in enumerate(self.HZ):
                s = 2j * math.pi * hz
                below = 2 * s * s + c * s + 800
                h = (c * s + 800) / below
                slope = s / below - s * (c * s + 800) / below ** 2
                for name, value in (("height", h), ("away", h - 1)):
                    at = f"{name} / foot, "
                    self.close(complex(got[at + "real part"][i], got[at + "imaginary part"][i]), value, 1e-12)
                    d = complex(got[at + "d real part / d c"][i], got[at + "d imaginary part / d c"][i])
                    self.close(d, slope, 1e-11)

    def test_frequencies_are_spread_evenly(self):
        got = self.study(self.mass(), "response: {input: push, sensors: height, from: 0.1, to: 10, points: 5}")[0]
        for a, b in zip(got["frequency"], (0.1, 10 ** -0.5, 1, 10 ** 0.5, 10)):
            self.close(a, b, 1e-14)
        # no jump by 360 degrees where the phase goes on
        self.assertTrue(all(-181 < x < 0 for x in got["phase"]))

    def test_mistakes(self):
        model = self.mass()
        for part, told in (
                ("{input: foott, sensors: height, from: 1, to: 2}", "named 'foott'; did you mean 'foot'?"),
                ("{input: z, sensors: height, from: 1, to: 2}", "coordinate 'z' is not driven"),
                ("{input: lift, sensors: height, from: 1, to: 2}", "'lift' drives coordinate 'foot'"),
                ("{input: push, sensors: heigt, from: 1, to: 2}", "did you mean 'height'?"),
                ("{input: push, sensors: height, from: 2, to: 1}", "0 < from < to"),
                ("{input: push, sensors: height, frequencies: [-1]}", "-1 Hz is less than 0"),
                ("{input: push, sensors: height, frequencies: [1], points: 3}", "points beside frequencies"),
                ("{sensors: height}", "'input' is missing")):
            said = self.study(model, f"response: {part}", code=1).stderr
            self.assertIn("study.yaml:4: response: ", said)
            self.assertIn(told, said)


class Rig(Case):
    """models/damper_rig against its reference; the seal, which the reference leaves out, is added."""

    def agree(self, value, printed, digits, size=None):
        """To one unit of the last of the digits printed, of the larger part."""
        x = float(printed)
        unit = 10.0 ** (math.floor(math.log10(abs(size or x))) - digits + 1)
        self.assertLessEqual(abs(value - x), 1.01 * unit, f"{value!r} {printed}")

    def test_about_rest(self):
        seen = 0
        rows = reference("about_rest.csv")
        for damper, model, seal in (("a", "mono_tube", 4020), ("b", "twin_tube", 5020)):
            mine = [r for r in rows if r["damper"] == damper]
            currents = sorted({r["i"] for r in mine})
            runs = f", for: {{icmd: [{', '.join(currents)}]}}" if damper == "b" else ""
            tables = self.study(RIG / f"{model}.yaml", "{set: {X: 0}, response: {input: x, sensors: damper.force, "
                                                       f"frequencies: [1, 10, 100]{runs}}}}}")
            for current, got in zip(currents, tables):
                for r in (r for r in mine if r["i"] == current):
                    i, w = got["frequency"].index(float(r["Hz"])), 2 * math.pi * float(r["Hz"])
                    self.agree(got["real part"][i], r["Re"], 11, float(r["Im"]))
                    self.agree(got["imaginary part"][i] - w * seal, r["Im"], 11)
                    seen += 1
        self.assertEqual(seen, 12)

    def test_about_steady_motion(self):
        seen = 0
        for v0 in ("0.3", "-0.3"):
            tables = self.study(RIG / "twin_tube_steady.yaml",
                                f"{{set: {{v: {v0}}}, response: {{input: x, sensors: damper.force, "
                                "frequencies: [30, 300], for: {icmd: [0.3, 0.9, 1.5]}}}")
            for current, got in zip(("0.3", "0.9", "1.5"), tables):
                for r in reference("about_motion.csv"):
                    if r["v0"] != v0 or r["i"] != current or r["Hz"] == "0":
                        continue
                    i, s = got["frequency"].index(float(r["Hz"])), 2j * math.pi * float(r["Hz"])
                    z = complex(got["real part"][i], got["imaginary part"][i]) / s
                    z -= 20 + 50 / 0.01 / math.cosh(float(v0) / 0.01) ** 2
                    size = max(abs(float(r["Re"])), abs(float(r["Im"])))
                    self.agree(z.real, r["Re"], 10, size)
                    self.agree(z.imag, r["Im"], 10, size)
                    seen += 1
        self.assertEqual(seen, 12)

    def test_derivatives_are_those_of_differences(self):
        """Of the same command at other values; the steady state moves along. Central differences of 1e-5 are off by
        1e-7 or less and the rounding of their values."""
        names = {"Aev0": 1.25e-5, "L": 0.25, "popr": 4e6, "El": 1.6e9, "pg0": 6e5, "Apc": 6e-5}
        part = ("{set: {v: 1}, response: {input: x, sensors: damper.force, frequencies: [3, 30, 300], "
                f"wrt: [{', '.join(names)}]}}}}")
        model = RIG / "twin_tube_steady.yaml"
        exact = self.study(model, part)[0]

        def at(*args):
            got = self.study(model, part, *args)[0]
            return [complex(a, b) for a, b in zip(got["real part"], got["imaginary part"])]

        for name, value in names.items():
            h = 1e-5 * value
            more, less = (at("--set", f"{name}={value + s * h!r}") for s in (1, -1))
            size = max(abs(a - b) for a, b in zip(more, less)) / (2 * h)
            for i in range(3):
                d = complex(exact[f"d real part / d {name}"][i], exact[f"d imaginary part / d {name}"][i])
                self.assertLessEqual(abs(d - (more[i] - less[i]) / (2 * h)), 1e-6 * size, name)

    def test_a_start_that_moves_on_is_told(self):
        path = self.folder / "study.yaml"
        path.write_text(f"study: 1\nmodel: {RIG / 'twin_tube.yaml'}\nparts:\n"
                        "  - response: {input: x, sensors: damper.force, frequencies: [10]}\n", encoding="utf-8")
        self.assertIn("is no equilibrium", jounce("study", str(path), "--interpreter").stderr)


if __name__ == "__main__":
    unittest.main()
