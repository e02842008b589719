#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files of results in all formats, read back by readers of their own: the numbers of the CSV file."""
import csv
import json
import math
import unittest
from pathlib import Path

from binary import read_mat, read_rpc
from case import Case
from program import jounce

PENDULUM = "models/mechanisms/pendulum.yaml"
BOUNCER = "test/models/bouncer.yaml"
HOSTILE = """
jounce: 1
name: "näme \\"quoted\\", 🚗 and more"
description: "two\\nlines; # = é"
gravity: [0, 0, -9.81]
bodies: {rod: {mass: 1, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0]}}
joints: {hinge: {type: revolute, parent: ground, child: rod, at: [0, 0, 0], axis: [0, -1, 0]}}
initial: {hinge: {value: 1, rate: 0}}
sensors:
  end: {value: hinge, unit: "°, \\"deg\\" 🚗", description: "a, b\\n\\"c\\""}
  LONG: {value: hinge.rate, unit: rad/s}
objectives: {psi: {integral: hinge.rate^2, unit: "m²"}}
simulation: {end: 0.5, method: rk4, step: 0.01, output_step: 0.1}
""".replace("LONG", "l" * 60)


def table(path):
    with open(path, encoding="utf-8", newline="") as f:
        rows = list(csv.reader(line for line in f if not line.startswith("#")))
    return rows[0], rows[1], [[float(x) for x in row] for row in rows[2:]]


class Formats(Case):
    def written(self, ending, *args):
        path = self.path("out" + ending)
        jounce(*args, "--interpreter", "--quiet", "-o", path)
        return Path(path).read_bytes()

    def columns(self, *args):
        self.written(".csv", *args)
        names, units, rows = table(self.path("out.csv"))
        return names, units, [list(c) for c in zip(*rows)]

    def same(self, a, b):
        self.assertEqual(len(a), len(b))
        for x, y in zip(a, b):
            self.assertTrue(x == y or (math.isnan(x) and math.isnan(y)), (x, y))

    def history(self, *args):
        names, units, columns = self.columns(*args)
        mat = read_mat(self.written(".mat", *args))
        self.assertEqual(mat["t"][0], (len(columns[0]), 1))
        self.same(mat["t"][1], columns[0])
        self.assertEqual(mat["columns"]["field"], list(mat["history"]))
        self.assertEqual(mat["columns"]["name"], names[1:])
        self.assertEqual(mat["columns"]["unit"], units[1:])
        for (size, values), column in zip(mat["history"].values(), columns[1:]):
            self.assertEqual(size, (len(column), 1))
            self.same(values, column)
        # 16 bits: half of 1/32767 of the largest value, and the even step
        head, channels = read_rpc(self.written(".rsp", *args))
        self.assertEqual([head[f"DESC.CHAN_{k + 1}"] for k in range(len(channels))], names[1:])
        first, step = columns[0][0], float(head["DELTA_T"])
        for samples, column in zip(channels, columns[1:]):
            largest = max(map(abs, column))
            for t, value in zip(columns[0], column):
                k = round((t - first) / step)
                self.assertAlmostEqual(first + k * step, t, delta=1e-3 * step)
                self.assertAlmostEqual(samples[k], value, delta=1.0001 * largest / 65534)
            self.assertEqual(len(set(samples[int(head["JOUNCE.POINTS"]) - 1:])), 1)
        return mat

    def test_run(self):
        mat = self.history("run", PENDULUM, "--end", "1")
        self.assertEqual(mat["notes"]["model"], "pendulum")
        self.assertEqual(len(mat["notes"]["sha256"]), 64)
        self.assertEqual(mat["objectives"]["name"], ["psi"])
        self.assertEqual(mat["objectives"]["value"][1], mat["history"]["psi"][1][-1:])

    def test_loads(self):
        mat = self.history("loads", BOUNCER, "--rate", "200")
        self.assertEqual(mat["notes"]["driver"], "subcycle")

    def test_history_of_derivatives(self):
        self.history("sens", PENDULUM, "--wrt", "m,l", "--history", "angle", "--output-step", "0.5")

    def test_gradient_is_a_matrix(self):
        mat = read_mat(self.written(".mat", "sens", PENDULUM))
        self.written(".csv", "sens", PENDULUM)
        with open(self.path("out.csv"), encoding="utf-8", newline="") as f:
            rows = list(csv.DictReader(line for line in f if not line.startswith("#")))
        self.assertEqual(mat["gradient"][0], (1, len(rows)))
        for row in rows:
            k = mat["parameters"]["name"].index(row["parameter"])
            for name, column in (("gradient", "derivative"), ("gradient_error", "derivative_error"),
                                 ("gradient_frozen", "derivative_frozen")):
                self.same([mat[name][1][k]], [float(row[column])])
            self.assertAlmostEqual(mat["percent_per_percent"][1][k], float(row["percent_per_percent"]), 13)
            self.assertEqual(mat["parameters"]["value"][1][k], float(row["value"]))
            self.assertEqual(mat["parameters"]["unit"][k], row["unit"])

    def test_sweep(self):
        args = ("sweep", PENDULUM, "--param", "l=1:2:3", "--wrt", "m,l")
        names, units, columns = self.columns(*args)
        mat = read_mat(self.written(".mat", *args))
        self.assertEqual(mat["columns"]["name"], names)
        self.assertEqual(mat["columns"]["unit"], units)
        for (_, values), column in zip(mat["table"].values(), columns):
            self.same(values, column)
        # points x objectives x numbers, the first running fastest
        self.assertEqual(mat["gradient"][0], (3, 1, 2))
        self.same(mat["gradient"][1], columns[names.index("d psi / d m")] + columns[names.index("d psi / d l")])

    def test_names_that_try_to_break_files(self):
        model = self.path("hostile.yaml", HOSTILE)
        mat = self.history("run", model)
        self.assertEqual(mat["notes"]["model"], 'näme "quoted", 🚗 and more')
        self.assertEqual(mat["notes"]["description"], "two\nlines; # = é")
        self.assertEqual(mat["columns"]["unit"][0], '°, "deg" 🚗')
        self.assertEqual(mat["columns"]["description"][0], 'a, b\n"c"')
        self.assertEqual(list(mat["history"])[:2], ["end_", "l" * 60])
        self.assertEqual(mat["columns"]["name"][1], "l" * 60)
        for ending in (".mat", ".rsp"):
            self.assertEqual(self.written(ending, "run", model), self.written(ending, "run", model))

    def test_even_step_is_said_to_be_missed(self):
        done = jounce("run", PENDULUM, "--end", "1.03", "--interpreter", "-o", self.path("a.rsp"))
        self.assertIn("1.03 s, is no multiple of the step of 0.1 s", done.stderr)
        done = jounce("run", PENDULUM, "--end", "1", "--output-step", "0", "--interpreter", "-o",
                      self.path("a.rsp"))
        self.assertRegex(done.stderr, "not evenly spaced: interpolated at .* s, which takes at most")

    def test_sens_takes_each_format_where_it_fits(self):
        for args in (["-o", "a.rsp"], ["--vcurve", "m", "-o", "a.mat"], ["-o", "a.svg"]):
            self.assertIn("needs a name that ends in one of", jounce("sens", PENDULUM, *args, code=2).stderr)


class Rainflow(Case):
    def cells(self, *args):
        path = self.path("cycles.csv")
        jounce("loads", BOUNCER, "--interpreter", "--quiet", "--rainflow", path, *args)
        with open(path, encoding="utf-8", newline="") as f:
            return list(csv.DictReader(line for line in f if not line.startswith("#")))

    def test_matrices_hold_all_cycles(self):
        found = json.loads(jounce("loads", BOUNCER, "--interpreter", "--json").stdout)["damage"]
        cells = self.cells("--classes", "1000")
        for element, wanted in found.items():
            for matrix in ("from-to", "range-mean"):
                mine = [{k: float(c[k]) for k in ("row", "column", "count", "row_class", "column_class")}
                        for c in cells if (c["element"], c["matrix"]) == (element, matrix)]
                self.assertEqual(sum(c["count"] for c in mine), wanted["cycles"])
                self.assertTrue(all(1 <= c[k] <= 1000 for c in mine for k in ("row_class", "column_class")))
                ranges = [abs(c["row"] - c["column"]) if matrix == "from-to" else c["row"] for c in mine]
                damage = sum(c["count"] * r ** 5 for c, r in zip(mine, ranges))
                # a range is known to a class, 1/1000 of the largest; its fifth power to five times as much
                self.assertAlmostEqual(damage / wanted["damage"], 1, delta=5e-3)

    def test_classes_are_refused(self):
        for n in ("0", "1001", "2.5"):
            done = jounce("loads", BOUNCER, "--rainflow", "a.csv", "--classes", n, code=2)
            self.assertIn("--classes needs a whole number", done.stderr)
        self.assertIn("--rainflow", jounce("loads", BOUNCER, "--classes", "5", code=2).stderr)


class Units(Case):
    TIR = "test/data/tyres/MagicFormula61_Parameters.tir"

    def test_inputs_with_and_without_a_row_of_units(self):
        plain = self.path("plain.csv", "Fz,kappa,alpha\n4000,0.1,0.02\n3000,0,0.1\n")
        units = self.path("units.csv", "Fz,kappa,alpha\nN,-,rad\n4000,0.1,0.02\n3000,0,0.1\n")
        a = jounce("tyre", self.TIR, "--inputs", plain).stdout.splitlines()
        b = jounce("tyre", self.TIR, "--inputs", units).stdout.splitlines()
        self.assertEqual(a, b[:1] + b[2:])
        self.assertTrue(b[1].startswith("N,-,rad,N,N,N m,"))
        other = self.path("other.csv", "Fz,kappa,alpha\nkN,-,rad\n4,0.1,0.02\n")
        self.assertIn(":2: Fz is in 'kN'; it must be in 'N'",
                      jounce("tyre", self.TIR, "--inputs", other, code=1).stderr)


if __name__ == "__main__":
    unittest.main()
