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

    def test_samples(self):
        """Distributions, sequences, correlations, statistics, indices, points side by side: the files of the command."""
        laws = {"k": jounce.Normal(16000, 800, 14000, float("inf")), "c": jounce.Lognormal(1100, 90),
                "step": jounce.Uniform(0.02, 0.05)}
        words = ["--param", "k=normal(16000, 800, 14000, inf)", "--param", "c=lognormal(1100, 90)",
                 "--param", "step=0.02:0.05", "--interpreter", "--statistics"]
        system = jounce.load(QUARTER_CAR).system(list(laws), use=["derivatives"], method="direct", interpreter=True)
        for name, options, more in (
                ("halton", {"seed": 3}, ["--seed", "3"]), ("sobol", {}, []), ("lhs", {}, []), ("random", {}, []),
                ("sobol", {"correlate": {("k", "c"): 0.5}}, ["--correlate", "k,c=0.5"]),
                ("sobol", {"indices": True}, ["--indices"]), ("lhs", {"batch": True}, ["--batch"]),
                ("lhs", {"device": "cpu"}, ["--device", "cpu"])):
            w = system.sweep(laws, sample=6, sampling=name, method="direct", **options)
            self.assertEqual(w.info.design, name)
            found = w.statistics()
            self.same("sample.csv", w.save, "sweep", QUARTER_CAR, *words, "--sample", "6", "--sampling", name,
                      "--method", "direct", *more)
            self.check_statistics(w, found)

    def check_statistics(self, w, found):
        """Those of NumPy, of the points they are taken over."""
        d = len(w.parameters) + 2
        used = np.arange(len(w)) % d < 2 if found["comfort"].first_order else np.full(len(w), True)
        for name, s in found.items():
            y = w[name][used]
            self.assertEqual((s.points, s.least, s.most), (y.size, y.min(), y.max()))
            self.assertAlmostEqual(s.mean, y.mean(), delta=1e-14 * abs(s.mean))
            self.assertAlmostEqual(s.deviation, y.std(ddof=1), delta=1e-12 * s.deviation)
            self.assertEqual(sorted(s.quantiles), [0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99])
            slope = w.gradient[used, w.objectives.index(name)].copy()
            slope[:, 1] *= w.x[used, 1]  # by the logarithm of what is lognormal, (W8)
            slope = (slope ** 2).mean(axis=0)
            self.assertEqual(list(s.mean_square_derivative), list(w.parameters))
            np.testing.assert_allclose(list(s.mean_square_derivative.values()), slope, rtol=1e-13)

    def test_indices(self):
        """Those of the command, and by (W7) of docs/theory/statistics.md from the points."""
        told = json.loads(program("sweep", QUARTER_CAR, "--param", "k=14000:18000", "--param", "c=900:1300", "--sample", "8",
                                  "--sampling", "sobol", "--indices", "--interpreter", "--wrt", "none", "--json"))
        w = jounce.load(QUARTER_CAR).sweep({"k": (14000, 18000), "c": (900, 1300)}, sample=8, sampling="sobol",
                                           indices=True, interpreter=True)
        for name, s in w.statistics().items():
            t = told["statistics"][name]
            self.assertEqual((t["mean"], t["deviation"], t["first_order"], t["total"], t["total_error"]),
                             (s.mean, s.deviation, s.first_order, s.total, s.total_error))
            self.assertEqual((s.mean_square_derivative, s.total_bound), ({}, {}))
            y = w[name].reshape(-1, 4)  # A, B, AB_1, AB_2
            y = y - y[:, :2].mean()
            variance = (y[:, :2] ** 2).mean()
            for i, k in enumerate(w.parameters):
                total = ((y[:, 0] - y[:, 2 + i]) ** 2).mean() / 2 / variance
                jansen = 1 - ((y[:, 1] - y[:, 2 + i]) ** 2).mean() / 2 / variance
                saltelli = (y[:, 1] * (y[:, 2 + i] - y[:, 0])).mean() / variance
                self.assertAlmostEqual(s.total[k], total, delta=1e-12)
                self.assertLess(min(abs(s.first_order[k] - jansen), abs(s.first_order[k] - saltelli)), 1e-12)

    def test_streams(self):
        """Results in the journal alone: the file is the same, byte for byte, and so are points one by one."""
        ranges = {"rod": (-0.2, 1, 6), "k": (15000, 17000, 2)}
        m = jounce.load(QUARTER_CAR)
        w = m.sweep(ranges, wrt=["k"], interpreter=True, journal=self.path("j"), stream=True)
        whole = m.sweep(ranges, wrt=["k"], interpreter=True)
        for i, p in enumerate(w):
            q = whole[i]
            self.assertEqual((p.status, p.message, p.events, p.evaluations), (q.status, q.message, q.events, q.evaluations))
            self.assertTrue(np.array_equal(p.values, whole.values[i], equal_nan=True))
            self.assertTrue(np.array_equal(p.gradient, whole.gradient[i], equal_nan=True))
            self.assertTrue(np.array_equal(p.x, whole.x[i]))
        self.assertEqual(w.failures, whole.failures)
        self.assertGreater(len(w.failures), 0)
        with self.assertRaisesRegex(ValueError, "one by one"):
            w.values
        self.assertIn("points", w._repr_html_())
        self.assertEqual(w.statistics(), whole.statistics())
        w.save(self.path("python.h5"))
        program("sweep", QUARTER_CAR, "--param", "rod=-0.2:1:6", "--param", "k=15000:17000:2", "--wrt", "k", "--interpreter",
                "--stream", "--statistics", "-o", self.path("program.h5"))
        with open(self.path("python.h5"), "rb") as a, open(self.path("program.h5"), "rb") as b:
            self.assertEqual(a.read(), b.read())

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
