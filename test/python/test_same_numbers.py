# SPDX-License-Identifier: Apache-2.0
"""Numbers from Python are those of the program, bit by bit, and so are files."""
import json
import subprocess
import unittest

import numpy as np
from case import PROGRAM, QUARTER_CAR, WISHBONE, Case

import jounce


def program(*arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=True)
    return done.stdout


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class SameNumbers(Case):
    def same(self, name, save, *arguments):
        """A file written by the program is a file written by Python."""
        program(*arguments, "-o", self.path("program_" + name))
        save(self.path("python_" + name))
        self.assertEqual(read(self.path("program_" + name)), read(self.path("python_" + name)))

    def test_runs(self):
        r = jounce.load(QUARTER_CAR, k=15000.5).run()
        self.same("run.csv", r.save, "run", QUARTER_CAR, "--set", "k=15000.5")
        told = json.loads(program("run", QUARTER_CAR, "--set", "k=15000.5", "--json"))
        self.assertEqual(told["objectives"], dict(r.objectives))
        self.assertEqual(told["final"], {k: float(v) for k, v in r.outputs.items()})
        self.assertEqual([(e["t"], e["name"], e["on"]) for e in told["events"]],
                         [(e.t, e.name, e.on) for e in r.events])
        self.assertEqual(told["steps"], r.statistics.steps)

    def test_derivatives(self):
        told = json.loads(program("sens", QUARTER_CAR, "--wrt", "k,c", "--json"))
        g = jounce.load(QUARTER_CAR).gradient(["k", "c"])
        self.same("sens.csv", g.save, "sens", QUARTER_CAR, "--wrt", "k,c")
        for name, o in told["objectives"].items():
            self.assertEqual((o["value"], o["unit"]), (g.objectives[name], g.objectives[name].unit))
            self.assertEqual(o["gradient"], dict(zip(g.names, g[name])))
            self.assertEqual(list(o["gradient_error"].values()), list(g.errors[g._objective(name)]))
            self.assertEqual(list(o["gradient_frozen"].values()), list(g.frozen[g._objective(name)]))
        self.assertEqual(list(told["objectives"]), list(g.objectives))

    def test_derivatives_by_a_method(self):
        for method in ("direct", "adjoint"):
            g = jounce.load(QUARTER_CAR).gradient(["k", "c"], method=method, interpreter=True)
            self.assertEqual(g.method, method)
            self.same(f"{method}.csv", g.save, "sens", QUARTER_CAR, "--wrt", "k,c", "--method", method, "--interpreter")

    def test_derivatives_along_the_run(self):
        g = jounce.load(QUARTER_CAR).gradient(["k"], history=["heave"], interpreter=True)
        self.same("history.csv", g.save_history, "sens", QUARTER_CAR, "--wrt", "k", "--history", "heave",
                  "--interpreter")

    def test_sweeps(self):
        s = jounce.load(QUARTER_CAR).sweep({"k": (15000, 17000, 3), "c": (900, 1300, 2)}, wrt=["k", "c"],
                                           interpreter=True)
        self.same("sweep.csv", s.save, "sweep", QUARTER_CAR, "--param", "k=15000:17000:3", "--param", "c=900:1300:2",
                  "--wrt", "k,c", "--interpreter")
        lines = [line.split(",") for line in read(self.path("python_sweep.csv")).splitlines() if line[0] != "#"]
        column = lines[0].index("comfort")
        told = np.array([float(row[column]) for row in lines[1:] if row[0].replace(".", "").isdigit()])
        self.assertTrue(np.array_equal(told, s["comfort"]))

    def test_loads(self):
        loads = jounce.load(QUARTER_CAR).loads(rate_hz=250, interpreter=True)
        self.same("loads.csv", loads.save, "loads", QUARTER_CAR, "--rate", "250", "--interpreter")

    def test_rest_and_modes(self):
        told = json.loads(program("static", QUARTER_CAR, "--wrt", "k", "--json"))
        e = jounce.load(QUARTER_CAR).static(["k"])
        self.assertEqual(told["coordinates"], {n: c.value for n, c in e.coordinates.items()})
        self.assertEqual(told["derivatives"]["heave"]["k"], e.d("heave", "k"))
        told = json.loads(program("modes", QUARTER_CAR, "--at", "static", "--json"))
        m = jounce.load(QUARTER_CAR).modes("static")
        self.assertEqual([complex(x["re"], x["im"]) for x in told["modes"]], list(m.eigenvalues))

    def test_kinematics(self):
        k = jounce.load(WISHBONE).kinematics(motion="bump", n=3)
        self.same("k.csv", k.save, "kinematics", WISHBONE, "--motion", "bump", "--points", "3")

    def test_reports(self):
        s = jounce.load(QUARTER_CAR).system(interpreter=True)
        self.same("report.html", s.report, "report", QUARTER_CAR, "--interpreter")


if __name__ == "__main__":
    unittest.main()
