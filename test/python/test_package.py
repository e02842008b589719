# SPDX-License-Identifier: Apache-2.0
"""The Python package: models, results, derivatives, sweeps, loads and the rest, small models without a compiler."""
import csv
import ctypes
import inspect
import os
import pickle
import subprocess
import sys
import unittest
import warnings
import zipfile

import numpy as np
from case import BOUNCE, CART_POLE, QUARTER_CAR, ROOT, WISHBONE, Case

import jounce
from binary import read_mat, read_netcdf
from jounce import _abi
from jounce._lib import lib

STILL = """
jounce: 1
name: still
gravity: [0, 0, 0]
bodies: {mass: {mass: 1}}
joints: {z: {type: prismatic, child: mass, axis: z}}
simulation: {end: 1}
"""


def car(**settings):
    return jounce.load(QUARTER_CAR, **settings)


class Models(Case):
    def test_units_are_shown_back(self):
        m = jounce.parse(STILL.replace("gravity:", "parameters: {k: 25 N/mm, c: 3}\ngravity:"))
        self.assertEqual((m.parameters["k"].value, m.parameters["k"].unit), (25000.0, "N/m"))
        self.assertEqual((m.shown("k", 30000.0), m.shown("c", 3.0)), ((30.0, "N/mm"), (3.0, "")))

    def test_lists(self):
        m = car(k=17000)
        self.assertEqual((m.name, m.settings, m.path), ("sweep_quarter_car", "k=17000", QUARTER_CAR))
        self.assertEqual(len(m.sha256), 64)
        self.assertEqual((m.info.bodies, m.info.objectives), (2, 2))
        k = m.parameters["k"]
        self.assertEqual((k.value, k.unit, k.description, k.is_computed), (17000.0, "N/m", "spring", False))
        self.assertTrue(m.parameters["k_2"].is_computed)
        self.assertEqual(m.parameters["k_2"].value, 34000.0)
        self.assertEqual([b.name for b in m.bodies], ["wheel", "body"])
        self.assertEqual(m.joints[1].parent, "wheel")
        self.assertEqual(m.closures, ())

    def test_settings_by_path_and_as_expressions(self):
        m = jounce.load(QUARTER_CAR, {"bodies.body.mass": 300}, k="2*c*10")
        self.assertEqual(m.bodies[1].mass, 300.0)
        self.assertEqual(m.parameters["k"].value, 22000.0)

    def test_texts(self):
        with open(QUARTER_CAR, encoding="utf-8") as file:
            m = jounce.parse(file.read(), path=QUARTER_CAR)
        self.assertEqual(m.sha256, car().sha256)

    def test_models_of_other_programs(self):
        taken = jounce.take_over(os.path.join(ROOT, "test/data/import/arm.urdf"))
        self.assertEqual(taken.info.format, "URDF")
        self.assertEqual(len(taken.remarks), taken.info.remarks)
        self.assertTrue(all(r.kind in ("lost", "to_fill", "changed") and r.text for r in taken.remarks))
        m = taken.model()
        self.assertEqual((m.info.bodies, m.info.joints), (taken.info.bodies, taken.info.joints))
        taken.save(self.path("taken.yaml"))
        self.assertEqual(jounce.load(self.path("taken.yaml")).sha256, m.sha256)
        self.assertIn("URDF", taken._repr_html_())
        with self.assertRaises(jounce.JounceError):
            jounce.take_over(QUARTER_CAR)

    def test_generate(self):
        files, operations = car().generate(self.path("c"))
        self.assertGreater(files, 2)
        self.assertGreater(operations, 10)

    def test_listing(self):
        told = car().listing()
        self.assertIn("\nrhs:\n", told)
        self.assertEqual(told, car().listing())

    def test_export_fmu(self):
        path = self.path("car.fmu")
        size = car().export_fmu(path, version=2, vary=["bodies.body.mass"], derivatives=False, sources_only=True)
        self.assertEqual(size, os.path.getsize(path))
        with zipfile.ZipFile(path) as z:
            description = z.read("modelDescription.xml").decode()
        self.assertIn('fmiVersion="2.0"', description)
        self.assertIn('name="bodies.body.mass"', description)
        with self.assertRaises(jounce.JounceError):
            car().export_fmu(path, version=1)


class Errors(Case):
    def test_every_mistake_is_told_with_its_place(self):
        with self.assertRaises(jounce.ModelError) as caught:
            jounce.parse(STILL.replace("mass: 1}", "mass: -1}") + "wrong: 3\n", path="still.yaml")
        e = caught.exception
        self.assertIsInstance(e, ValueError)
        self.assertEqual((e.file, e.status), ("still.yaml", -3))
        errors = [d.text for d in e.diagnostics if d.severity == "error"]
        self.assertEqual(len(errors), 2)
        self.assertEqual(str(e), "\n".join(errors))
        self.assertEqual(e.line, int(e.message.split(":")[1]))

    def test_kinds(self):
        with self.assertRaises(jounce.FileError) as caught:
            jounce.load("no/such.yaml")
        self.assertEqual((caught.exception.file, caught.exception.line), ("no/such.yaml", None))
        with self.assertRaises(jounce.TextError):
            jounce.LoadEvents(QUARTER_CAR)
        s = car().system(interpreter=True)
        with self.assertRaisesRegex(jounce.ArgumentError, "'kk'"):
            s.set(kk=1)
        with self.assertRaises(jounce.JounceError):
            s.gradient()
        with self.assertRaisesRegex(ValueError, "there is no 'euler'"):
            s.run(method="euler")
        with self.assertRaisesRegex(KeyError, "no column 'z'"):
            _ = s.run()["z"]
        self.assertEqual(pickle.loads(pickle.dumps(s.run().objectives))["comfort"].unit, "m/s^2")

    def test_a_compiler_makes_the_code_where_asked(self):
        # a compiler that cannot be found is an error only where one is asked for
        before = os.environ.get("JOUNCE_CC")
        os.environ["JOUNCE_CC"] = "no_such_compiler"
        try:
            for ask in (lambda: car().system(compiler=True), lambda: car().run(compiler=True),
                        lambda: car().gradient(["k"], compiler=True), lambda: car().loads(compiler=True),
                        lambda: car().sweep({"k": (15000, 17000, 2)}, compiler=True)):
                with self.assertRaisesRegex(jounce.JounceError, "no_such_compiler"):
                    ask()
            interpreted = car().run(interpreter=True)
        finally:
            del os.environ["JOUNCE_CC"]
            if before is not None:
                os.environ["JOUNCE_CC"] = before
        compiled = car().run(compiler=True)
        self.assertTrue(np.array_equal(compiled["heave"], interpreted["heave"]))

    def test_a_run_that_fails_keeps_what_it_has(self):
        with self.assertRaises(jounce.JounceError) as caught:
            car().run(interpreter=True, max_events=1)
        r = caught.exception.result
        self.assertFalse(r.statistics.is_complete)
        self.assertGreater(len(r.t), 10)
        self.assertIn("ended early", r._repr_html_())

    def test_warnings_stand_where_the_caller_stands(self):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            car().gradient(["at"], interpreter=True, quick=True)  # estimated larger than wanted
        mine = [w for w in told if issubclass(w.category, jounce.JounceWarning)]
        self.assertTrue(mine)
        self.assertTrue(all(w.filename == __file__ for w in mine), [w.filename for w in mine])

    def test_closed_objects_say_so(self):
        with car() as m:
            with m.system(interpreter=True) as s:
                r = s.run()
            self.assertTrue(s.closed)
            with self.assertRaisesRegex(ValueError, "System is closed"):
                s.run()
        with self.assertRaisesRegex(ValueError, "Model is closed"):
            _ = m.name
        self.assertEqual(len(r.t), 151)


class Results(Case):
    def test_arrays_are_the_memory_of_the_result(self):
        r = car().run(interpreter=True, output_step_s=1.5e-4)
        a = r["heave"]
        self.assertEqual(a.shape, (10001,))
        self.assertTrue(np.shares_memory(a, r["heave"]))
        self.assertTrue(np.shares_memory(a, r.table))
        self.assertEqual(a.ctypes.data, r.table.ctypes.data + 8 * r.names.index("heave"))
        self.assertFalse(a.flags.writeable)
        with self.assertRaises(ValueError):
            a[0] = 1.0
        with self.assertRaises(ValueError):
            a.flags.writeable = True

    def test_what_there_is(self):
        r = car().run(interpreter=True)
        self.assertEqual(r.objectives["comfort"], r["comfort"][-1])
        self.assertEqual(r.outputs["heave"], r["heave"][-1])
        self.assertEqual(r.outputs["heave"].unit, "m")
        self.assertEqual(list(r.states), ["hop", "heave"])
        self.assertEqual((r.t[0], r.t[-1]), (0.0, 1.5))
        self.assertEqual(list(dict(r)), list(r.names))
        self.assertEqual([e.on for e in r.events], [False, False, True])
        self.assertTrue(r.statistics.is_complete)
        self.assertEqual(r.statistics.method, "dopri5")

    def test_files_hold_the_same(self):
        r = car().run(interpreter=True)
        r.save(self.path("out.csv"))
        with open(self.path("out.csv"), encoding="utf-8") as file:
            rows = [row for row in csv.reader(line for line in file if line[0] != "#")]
        self.assertEqual(tuple(rows[0]), r.names)
        numbers = np.array([[float(c) for c in row] for row in rows[2:]])
        self.assertTrue(np.array_equal(numbers, r.table))

    def test_numbers_are_set_and_read(self):
        s = car().system(variable=["bodies.body.mass"], interpreter=True)
        before = s.run().objectives
        s.set({"bodies.body.mass": 260}, k=15000)
        self.assertEqual((s["k"], s.get("bodies.body.mass")), (15000.0, 260.0))
        self.assertNotEqual(s.run().objectives, before)
        s["k"] = 16000
        s["bodies.body.mass"] = 250
        self.assertAlmostEqual(s.run().objectives["comfort"], before["comfort"], places=6)

    def test_a_replay_is_of_the_numbers_of_the_run(self):
        s = car().system(interpreter=True)
        r = s.run()
        self.assertIn("<html", r.replay().html)
        r.replay().save(self.path("page.html"))
        s.set(k=15000)
        with self.assertRaisesRegex(ValueError, "set since"):
            r.replay()
        self.assertIn("no replay", r._repr_html_())


class Runs(Case):
    def test_a_pole_is_balanced(self):
        # examples/balance.c
        run = jounce.load(CART_POLE).system(interpreter=True).start()
        self.assertEqual(run.inputs, ("push",))
        gain, before = np.array([2.0, 4.0, 45.0, 9.0]), None
        for i in range(601):
            out = run.outputs()
            x = np.array([out["cart"], out["pole"]])
            speed = (x - (x if before is None else before)) / 0.01
            run.set_input("push", gain @ [x[0], speed[0], x[1], speed[1]]).advance((i + 1) * 0.01)
            before = x
        self.assertLess(abs(x[1]), 2e-3)
        self.assertEqual(run.t, 6.01)
        self.assertEqual(run.input("push"), gain @ [x[0], speed[0], x[1], speed[1]])

    def test_equations_for_an_integrator_of_ones_own(self):
        s = car().system(interpreter=True)
        run, end, n = s.start(), 0.1, 2000
        y, h = run.state, end / n
        for i in range(n):
            k = run.rhs(i * h, y)
            y = y + 0.5 * h * (k + run.rhs((i + 1) * h, y + h * k))
        run.advance(end)
        self.assertLess(np.abs(y - run.state).max(), 1e-7)
        self.assertEqual(len(run.switches(end, y)), len(s.switches))
        run.set_state(0.05, y)
        self.assertEqual(run.t, 0.05)
        self.assertEqual(run.states["hop"], y[0])
        with self.assertRaisesRegex(ValueError, "6 numbers"):
            run.rhs(0.0, [1.0])


class Gradients(Case):
    def test_values_errors_and_events(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", jounce.JounceWarning)
            g = car().gradient(["k", "c", "at"], interpreter=True)
        self.assertEqual((g.names, list(g.objectives), g.method), (("k", "c", "at"), ["comfort", "travel"], "direct"))
        self.assertEqual(g.matrix.shape, (2, 3))
        self.assertEqual(g["comfort", "c"], g["comfort"][1])
        self.assertEqual(g["travel", "at"], g.matrix[1, 2])
        self.assertTrue((g.errors[:, :2] < 1e-3 * np.abs(g.matrix[:, :2])).all())
        self.assertEqual(g.error("travel", "c"), g.errors[1, 1])
        self.assertEqual(g.values[0], g.objectives["comfort"])
        self.assertTrue((g.value_errors >= 0).all())
        self.assertEqual(len(g.events), 3)
        self.assertEqual(g.shifts.shape, (3, 3))
        # the step comes when it comes
        self.assertEqual(list(g.shifts[0]), [0.0, 0.0, 1.0])
        rest = g.contributions.sum(axis=0) + g.frozen - g.matrix
        self.assertLess(np.abs(rest / g.matrix).max(), 1e-9)

    def test_both_methods_agree(self):
        s = car().system(["k", "c"], interpreter=True)
        a, b = s.gradient(method="direct"), s.gradient(method="adjoint")
        self.assertEqual((a.method, b.method), ("direct", "adjoint"))
        self.assertTrue(np.allclose(a.matrix, b.matrix, rtol=1e-9))

    def test_objectives_by_name(self):
        text = """jounce: 1
gravity: [0, 0, 0]
parameters: {k: 200, c: 4}
bodies: {cart: {mass: 2}, other: {mass: 1}}
joints: {x: {type: prismatic, child: cart, axis: x}, y: {type: prismatic, child: other, axis: y}}
forces: {spring: {on: x, stiffness: k, damping: c}}
initial: {x: 0.1}
objectives: {zero: {rms: y}, good: {rms: x}, last: {final: x}}
simulation: {end: 1}
"""
        model = jounce.parse(text)
        with self.assertWarnsRegex(jounce.JounceWarning, "'zero' has no derivatives, others have"):
            every = model.gradient(interpreter=True)
        self.assertEqual(list(every.reasons), ["zero"])
        self.assertTrue(np.isnan(every["zero"]).all() and np.isfinite(every["good"]).all())
        some = model.gradient(interpreter=True, objectives=["last", "good"])
        self.assertEqual((list(some.objectives), some.reasons), (["last", "good"], {}))
        self.assertTrue(np.array_equal(some["good"], every["good"]))
        self.assertEqual(list(model.run(interpreter=True, objectives="last").objectives), ["last"])
        swept = model.sweep({"k": (100, 200, 2)}, interpreter=True, objectives=["good"], wrt=["k"])
        self.assertEqual(swept.objectives, ("good",))
        with self.assertRaisesRegex(jounce.ArgumentError, "did you mean 'good'"):
            model.run(interpreter=True, objectives=["god"])
        for ask in (model.run, model.gradient, model.system, lambda **o: model.sweep({"k": (100, 200, 2)}, **o)):
            with self.assertRaisesRegex(ValueError, "objectives is empty; name some, or leave it out for all"):
                ask(interpreter=True, objectives=[])
            with self.assertRaisesRegex(jounce.ArgumentError, "objective 'good' is given twice"):
                ask(interpreter=True, objectives=["good", "last", "good"])
        with self.assertRaisesRegex(jounce.NumericError, "'zero' has no derivatives"):
            model.gradient(interpreter=True, objectives=["zero"])
        with self.assertRaisesRegex(jounce.NumericError, "'zero' has no derivatives"), self.assertWarns(jounce.JounceWarning):
            model.system(wrt=["k"], interpreter=True).function("zero")(200.0)

    def test_histories(self):
        # free fall before the bounce: dz/dz0 = 1, dz/dv0 = t
        g = jounce.load(BOUNCE).gradient(["z0", "v0"], history=["z"], history_step_s=0.05, interpreter=True,
                                         tolerance=1e-9)
        h, fall = g.history, g.history.t < 0.26
        self.assertEqual((h.names, h.table.shape), (("z",), (15, 4)))
        self.assertTrue(np.allclose(h.d("z", "z0")[fall], 1.0))
        self.assertTrue(np.allclose(h.d("z")[fall, 1], h.t[fall]))
        self.assertEqual(h.d("z")[-1, 0], g["final", "z0"])
        g.save_history(self.path("h.csv"))
        with self.assertRaisesRegex(ValueError, "no history"):
            _ = jounce.load(BOUNCE).gradient(["z0"], interpreter=True).history

    def test_ranking_checks_and_files(self):
        s = car().system(["k", "c"], use=["checks"], interpreter=True)
        g = s.gradient()
        best = g.rank("comfort", {"k": 100.0})[0]
        self.assertEqual((best.name, best.kind), ("k", "matters"))
        self.assertEqual(best.change, 100.0 * g["comfort", "k"])
        seen = []
        for c in g.check(seen.append):
            self.assertLess(abs(c.difference - c.direct), 1e-4 * abs(c.direct))
            self.assertEqual(c.verdict, "agrees")
            self.assertLess(c.methods, 1e-9)
        self.assertTrue(seen)
        curve, exact = g.vcurve("comfort", "k", 5)
        self.assertEqual(len(curve["central_error"]), 5)
        self.assertAlmostEqual(exact, g["comfort", "k"])
        g.save(self.path("g.csv"))


class Functions(Case):
    def setUp(self):
        super().setUp()
        self.system = car().system(["k", "c"], interpreter=True)

    def test_a_function_and_its_gradient(self):
        f = self.system.function("comfort")
        x = np.array([15000.0, 1200.0])
        value, gradient = f.value_and_grad(x)
        self.assertEqual(f(x), value)
        self.assertIsInstance(f(x), float)
        self.assertTrue(np.array_equal(f.jac(x), gradient))
        self.system.set(k=15000, c=1200)
        g = self.system.gradient()
        self.assertEqual((value, gradient[1]), (g.values[0], g["comfort", "c"]))
        pair = self.system.function("comfort", jac=True)(x)
        self.assertEqual(pair[0], value)
        self.assertTrue(np.array_equal(pair[1], gradient))

    def test_numbers_of_the_system_stay(self):
        f = self.system.function("comfort", ["c"])
        self.assertEqual(list(f.x0), [1100.0])
        a = f(900.0)
        self.assertEqual(self.system["c"], 1100.0)
        self.system.set(k=15000)  # what it does not vary counts
        self.assertNotEqual(f(900.0), a)
        with self.assertRaises(jounce.ModelError):
            self.system.function("comfort")([15000.0, np.nan])
        self.assertEqual((self.system["k"], self.system["c"]), (15000.0, 1100.0))
        with self.assertRaisesRegex(KeyError, "k_t"):
            self.system.function("comfort", ["k_t"])

    def test_rules_for_automatic_differentiation(self):
        f = self.system.function(["comfort", "travel"])
        y, kept = f.fwd(f.x0)
        self.assertEqual(y.shape, (2,))
        J = f.jac(f.x0)
        for ybar in ([1.0, 0.0], [0.3, -2.0]):
            self.assertTrue(np.array_equal(f.bwd(kept, ybar), np.asarray(ybar) @ J))
        v = [10.0, 1.0]
        self.assertTrue(np.array_equal(f.jvp(f.x0, v)[1], J @ v))
        # <ybar, J v> = <ybar J, v>
        self.assertAlmostEqual(np.dot([0.3, -2.0], f.jvp(f.x0, v)[1]), np.dot(f.bwd(kept, [0.3, -2.0]), v), places=15)
        step = np.array([1.0, 0.0])
        slope = (f(f.x0 + step) - f(f.x0 - step)) / 2
        self.assertTrue(np.allclose(slope, J[:, 0], rtol=1e-3))

    def test_scipy_takes_it(self):
        try:
            from scipy.optimize import minimize
        except ImportError:
            self.skipTest("scipy is not installed (Debian: python3-scipy)")
        f = self.system.function("comfort")
        low, high = 0.8 * f.x0, 1.2 * f.x0
        scaled = lambda u: (lambda v, g: (v, g * f.x0))(*f.value_and_grad(u * f.x0))  # noqa: E731
        done = minimize(scaled, np.ones(2), jac=True, method="L-BFGS-B", bounds=[(0.8, 1.2)] * 2)
        self.assertTrue(done.success)
        self.assertLess(done.fun, f(f.x0))
        self.assertTrue(((done.x * f.x0 >= low - 1e-9) & (done.x * f.x0 <= high + 1e-9)).all())
        both = self.system.function("comfort", jac=True)
        self.assertLess(minimize(both, f.x0, jac=True, options={"maxiter": 1}).fun, f(f.x0) + 1e-12)
        self.assertLess(minimize(f, f.x0, jac=f.jac, options={"maxiter": 1}).fun, f(f.x0) + 1e-12)


class Sweeps(Case):
    RANGES = {"k": (15000, 17000, 3), "c": (1000, 1200, 2)}

    def test_arrays_are_those_of_the_points(self):
        s = car().system(["c"], interpreter=True)
        w = s.sweep(self.RANGES)
        self.assertEqual((w.parameters, w.objectives, w.wrt), (("k", "c"), ("comfort", "travel"), ("c",)))
        self.assertEqual((w.x.shape, w.values.shape, w.gradient.shape), ((6, 2), (6, 2), (6, 2, 1)))
        self.assertEqual(list(w.x[1]), [15000.0, 1200.0])
        self.assertTrue(np.array_equal(w.grid("travel")[2], w["travel"][4:]))
        self.assertTrue(np.shares_memory(w.grid("travel"), w.values))
        self.assertFalse(w.gradient.flags.writeable)
        s.set(k=17000, c=1200)
        g = s.gradient(method=w.info.method, quick=True)
        self.assertEqual((w.values[5, 1], w.gradient[5, 1, 0]), (g.values[1], g["travel", "c"]))
        self.assertEqual(w.gradient_errors[5, 1, 0], g.error("travel", "c"))
        self.assertTrue(w.done.all())
        self.assertEqual((w.info.failed, w.failures), (0, {}))

    def test_workers_make_no_difference(self):
        m = car()
        a = m.sweep(self.RANGES, workers=1, interpreter=True)
        b = m.sweep(self.RANGES, workers=3, interpreter=True)
        self.assertTrue(np.array_equal(a.values, b.values))

    def test_points_that_fail_are_told(self):
        w = car().sweep({"rod": (-1, 1, 3)}, interpreter=True)
        self.assertEqual(sorted(w.failures), [0, 1])
        self.assertTrue(np.isnan(w["comfort"][:2]).all() and np.isfinite(w["comfort"][2]))
        self.assertIn("failures", w._repr_html_())

    def test_a_stopped_sweep_goes_on_from_its_journal(self):
        journal, ranges = self.path("j"), {"k": (15000, 17000, 40)}
        s = car().system(interpreter=True)
        w = s.sweep(ranges, journal=journal, workers=1, start=False)
        self.assertFalse(w.is_complete)
        with self.assertRaisesRegex(jounce.ArgumentError, "not complete"):
            s.set(k=1)
        w.run(lambda done: False)
        part = w.info.done
        w.close()
        s.set(k=16000)
        again = s.sweep(ranges, journal=journal)
        self.assertTrue(again.is_complete)
        self.assertEqual(again.info.resumed, part)
        self.assertTrue(np.array_equal(again.values, s.sweep(ranges).values))

    def test_samples(self):
        w = car().sweep({"k": (15000, 17000)}, sample=5, seed=3, interpreter=True)
        self.assertEqual(w.x.shape, (5, 1))
        with self.assertRaisesRegex(ValueError, "no grid"):
            w.grid("comfort")
        self.assertTrue(np.array_equal(w[-1].x, w.x[4]))
        with self.assertRaises(IndexError):
            w[5]

    def test_errors_name_what_the_caller_wrote(self):
        for sample, kind, words in ((2.5, TypeError, "sample is 2.5; it must be an integer"),
                                    ("3", TypeError, "sample is '3'; it must be an integer"),
                                    (10**12, ValueError, "^sample is 1000000000000; it must be from"),
                                    (-1, ValueError, "sample is -1; it must be a number of points")):
            with self.assertRaisesRegex(kind, words):
                car().sweep({"k": (15000, 17000)}, sample=sample, interpreter=True)
        with self.assertRaisesRegex(TypeError, "workers is 1.5; it must be an integer"):
            car().sweep({"k": (15000, 17000)}, sample=2, workers=1.5, interpreter=True)

    def test_samples_that_cannot_be(self):
        s = car().system(interpreter=True)
        normal, box = jounce.Normal(16000, 500), {"k": (15000, 17000), "c": (900, 1300)}
        for kind, words, ranges, options in (
                (ValueError, "needs sample", {"k": normal}, {}),
                (ValueError, "correlate: a grid has none", {"k": (1, 2, 2)}, {"correlate": {("k", "c"): 0.5}}),
                (ValueError, "indices: a grid has none", {"k": (1, 2, 2)}, {"indices": True}),
                (ValueError, "sampling: a grid has none", {"k": (1, 2, 2)}, {"sampling": "sobol"}),
                (ValueError, "give device", box, {"sample": 2, "fused": True}),
                (ValueError, "sampling: there is no 'grid'", box, {"sample": 2, "sampling": "grid"}),
                (ValueError, "device: there is no 'tpu'", box, {"sample": 2, "device": "tpu"}),
                (jounce.JounceError, "between -1 and 1", box, {"sample": 2, "correlate": {("k", "c"): 1.0}}),
                (jounce.JounceError, "deviation", {"k": jounce.Normal(16000, -1)}, {"sample": 2}),
                (jounce.JounceError, "journal", box, {"sample": 2, "stream": True}),
                (jounce.JounceError, "correlat", box, {"sample": 2, "indices": True, "correlate": {("k", "c"): 0.5}})):
            with self.subTest(options=options), self.assertRaisesRegex(kind, words):
                s.sweep(ranges, **options)


class Integers(Case):
    """ctypes cuts off bits that do not fit: 2**32 + 4 would be 4."""

    def test_every_integer_of_every_struct_is_checked(self):
        limits = {ctypes.c_int: (-2**31, 2**31 - 1), ctypes.c_uint: (0, 2**32 - 1), ctypes.c_int64: (-2**63, 2**63 - 1),
                  ctypes.c_uint64: (0, 2**64 - 1), ctypes.c_size_t: (0, 2**64 - 1)}
        checked = 0
        for struct in _abi.STRUCTS:
            for name, kind in struct._fields_:
                if kind not in limits:
                    continue
                low, high = limits[kind]
                s = struct()
                for value in (low, high):
                    setattr(s, name, value)
                    self.assertEqual(getattr(s, name), value)
                for value in (low - 1, high + 1, 2**64 + 4):
                    with self.assertRaisesRegex(ValueError, f"{name} is {value}; it must be from {low} to {high}"):
                        setattr(s, name, value)
                checked += 1
        self.assertGreater(checked, 100)

    def test_arguments(self):
        s = car().system(interpreter=True)
        for sample in (2**32 + 4, -2**31 - 1):
            with self.assertRaisesRegex(ValueError, str(sample)):
                s.sweep({"k": (15e3, 17e3)}, sample=sample)
        with self.assertRaisesRegex(ValueError, "seed is -1"):
            s.sweep({"k": (15e3, 17e3)}, sample=4, seed=-1)
        with self.assertRaisesRegex(ctypes.ArgumentError, "an integer is 4294967300"):
            lib.jo_road_spectrum(2**32 + 4, 0.1, None, None)
        b = s.batch(["k"])
        with self.assertRaisesRegex(ValueError, "road is 4294967296"):
            b.run([[16e3]], road=np.array([2**32]))
        with self.assertRaisesRegex(TypeError, "integers"):
            b.run([[16e3]], road=[0.5])


class Batches(Case):
    OPTIONS = {"method": "rk4", "step_s": 2e-3}

    def test_points_are_runs(self):
        s = car().system(["k", "c"], method="direct", variable=["initial.heave.rate"], interpreter=True)
        b = s.batch(["k", "initial.heave.rate"], gradient=True, outputs=True, history=["heave", "hop"],
                    history_step_s=0.01, **self.OPTIONS)
        self.assertEqual((b.parameters, b.objectives), (("k", "initial.heave.rate"), ("comfort", "travel")))
        self.assertEqual((b.wrt, b.histories), (("k", "c"), ("heave", "hop")))
        x = np.array([[15000, 0.0], [16000, 0.2], [17000, -0.1]])
        p = b.run(x)
        self.assertEqual((p.values.shape, p.gradient.shape, p.outputs.shape), ((3, 2), (3, 2, 2), (3, len(b.outputs))))
        for i, (k, rate) in enumerate(x):
            s.set({"k": k, "initial.heave.rate": rate})
            r, g = s.run(output_step_s=0.01, **self.OPTIONS), s.gradient(integrator="rk4", step_s=2e-3)
            self.assertTrue(np.array_equal(r.t, b.times))
            self.assertTrue(np.allclose(p.of("hop")[i], r["hop"], rtol=0, atol=1e-13))
            self.assertAlmostEqual(p["travel"][i], r.objectives["travel"], delta=1e-12)
            self.assertTrue(np.allclose(p.gradient[i], g.matrix, rtol=1e-9, atol=0))
            last = b.outputs.index("heave")
            self.assertEqual(p.outputs[i, last], p.history[i, -1, 0])

    def test_both_methods_agree(self):
        s = car().system(["k", "c"], use=["derivatives", "checks"], interpreter=True)
        x = [[15000.0], [17000.0]]
        direct, adjoint = (s.batch(["k"], gradient=g, **self.OPTIONS).run(x) for g in ("direct", "adjoint"))
        self.assertTrue(np.allclose(direct.gradient, adjoint.gradient, rtol=1e-9, atol=0))
        self.assertTrue(np.array_equal(direct.values, adjoint.values))
        self.assertEqual((direct.value_error, direct.gradient_error), (0.0, 0.0))

    def test_points_do_not_depend_on_the_others(self):
        s = car().system(interpreter=True)
        x = np.column_stack([np.linspace(14000, 18000, 11), np.linspace(900, 1300, 11)])
        one = s.batch(["k", "c"], lanes=1, workers=1, **self.OPTIONS).run(x)
        two = s.batch(["k", "c"], lanes=4, workers=2, **self.OPTIONS)
        self.assertTrue(np.array_equal(two.run(x).values, one.values))
        self.assertTrue(np.array_equal(two.run(x[::-1]).values, one.values[::-1]))
        named = two.run({"c": x[:, 1], "k": x[:, 0]})
        self.assertTrue(np.array_equal(named.values, one.values))
        self.assertEqual((two.info.device, two.info.lanes, two.info.why_alone), ("cpu", 4, ""))
        self.assertEqual((named.gradient.shape, named.history.shape), ((11, 2, 0), (11, 0, 0)))

    def test_failures_and_mistakes_are_told(self):
        s = car().system(interpreter=True)
        b = s.batch(["rod"], **self.OPTIONS)
        p = b.run([[1.0], [-1.0]])
        self.assertEqual(list(p.failures), [1])
        self.assertTrue(p.done.all() and np.isnan(p.values[1]).all() and np.isfinite(p.values[0]).all())
        self.assertIn("1 failed", repr(p))
        with self.assertRaisesRegex(ValueError, "x 1 parameters"):
            b.run([1.0])
        with self.assertRaisesRegex(ValueError, "needed of rod"):
            b.run({"k": [1.0]})
        with self.assertRaisesRegex(jounce.ArgumentError, "when the system is made"):
            s.batch(["bodies.body.mass"])
        with self.assertRaisesRegex(jounce.ArgumentError, "the batch has 0"):
            b.run([[1.0]], road=0)
        self.assertEqual(len(b.run(np.empty((0, 1))).values), 0)
        b.close()
        self.assertEqual(repr(b), "<Batch, closed>")

    def test_stopped_by_progress(self):
        s = car().system(interpreter=True)
        b = s.batch(["k"], method="rk4", step_s=1e-5, lanes=1, workers=1)
        p = b.run(np.linspace(15000, 17000, 40)[:, None], progress=lambda part: False)
        self.assertFalse(p.done.all())
        self.assertTrue(np.isnan(p.values[~p.done]).all())

    def test_roads(self):
        text = """
jounce: 1
name: rolling
bodies: {slide: {mass: 1}, hub: {mass: 250}, wheel: {mass: 10, inertia: [0.5, 1, 0.5]}}
joints:
  x: {type: prismatic, child: slide, axis: x}
  z: {type: prismatic, parent: slide, child: hub, axis: z}
  spin: {type: revolute, parent: hub, child: wheel, axis: y}
parameters: {speed: 5}
tyres:
  tyre: {wheel: wheel, radius: 0.3, stiffness: 2.0e5, damping: 2000, kappa_c: 0.1, alpha_c: 0.1, mu_x: 0.9, mu_y: 0.9}
road: {iso8608: {class: E, seed: 1, length: 30, ramp: 1}}
initial: {x: {value: 2, rate: speed}, z: {value: 0.287, rate: 0}, spin: {value: 0, rate: speed/0.287}}
objectives: {ride: {rms: z.acc, unit: m/s^2}}
simulation: {end: 0.2}
"""
        models = [jounce.parse(text.replace("seed: 1", f"seed: {i}")) for i in (1, 2, 3)]
        x = np.linspace(4, 6, 5)[:, None]
        alone = [m.system(interpreter=True).batch(["speed"], **self.OPTIONS).run(x).values for m in models]
        b = models[0].system(interpreter=True).batch(["speed"], roads=models[1:], **self.OPTIONS)
        road = np.array([0, 1, -1, 1, 0])
        values = b.run(x, road=road).values
        for i, r in enumerate(road):
            self.assertEqual(values[i, 0], alone[r + 1][i, 0])
        self.assertEqual(len({a[0, 0] for a in alone}), 3)


class Others(Case):
    def test_loads(self):
        m = car()
        loads = m.loads(rate_hz=500, interpreter=True)
        self.assertEqual(list(loads), ["spring", "tyre", "carried"])
        self.assertEqual(loads.table.shape[1], 4)
        spring = loads.elements["spring"]
        # histories hold samples, peaks what is between them too
        self.assertGreaterEqual(abs(spring.peak) * (1 + 1e-12), np.abs(loads["spring"]).max())
        width, count = loads.cycles("spring", 8)
        self.assertAlmostEqual(width * 8, spring.largest_range)
        self.assertAlmostEqual(count.sum(), spring.cycles)
        self.assertEqual(loads.statistics.driver, "subcycle")
        self.assertEqual(loads.outputs["heave"].unit, "m")
        self.assertIsNone(loads.pose)
        loads.save(self.path("l.csv"))
        jounce.plot_loads(self.path("l.svg"), "spring", {"a": loads, "b": m.loads(driver="fixed", interpreter=True)},
                          t0_s=0.1, t1_s=0.5)

    def test_events_of_loads_are_computed_again(self):
        loads = jounce.load("test/models/bouncer.yaml").loads(driver="impulsive", rate_hz=200, interpreter=True)
        self.assertTrue(loads.events)
        loads.save(self.path("x.events"))
        again = jounce.LoadEvents(self.path("x.events"), interpreter=True)
        self.assertEqual(again.reconstruct().events, len(again))
        self.assertEqual(again.model.name, "bouncer")
        self.assertTrue(all(e.peak > 0 or e.peak < 0 for e in again.events))

    def test_derivatives_of_loads(self):
        s = car().system(["k", "c"], use=["histories"], interpreter=True)
        g = s.loads_gradient(tolerance=1e-8)
        self.assertEqual(g.names, ("k", "c"))
        self.assertEqual(g["spring"].dpeak.shape, (2,))
        self.assertTrue(np.isfinite(g["spring"].dpeak).all())
        self.assertFalse(g["spring"].dpeak.flags.writeable)

    def test_static_and_modes(self):
        m = car()
        e = m.static(["k", "k_t"])
        # 250 kg on the spring
        self.assertAlmostEqual(e.coordinates["heave"].value, -250 * 9.81 / 16000)
        self.assertAlmostEqual(e.d("heave", "k"), 250 * 9.81 / 16000**2)
        self.assertEqual(e.coordinate_derivatives.shape, (2, 2))
        self.assertAlmostEqual(e.outputs["spring.force"], 250 * 9.81)
        self.assertLess(e.info.residual, 1e-6)
        self.assertFalse(e.stability.is_unstable)

    def test_tables_of_results(self):
        e = car().static(["k", "k_t"])
        t = e.tables["derivatives"]
        self.assertEqual(t.columns, ("quantity", "parameter", "value", "unit"))
        self.assertEqual((t.rows, len(t), t["quantity"][0]), (2 * (2 + len(e.sensors)), 4, "hop"))
        self.assertEqual(t["value"][t["quantity"].index("heave") + 0], e.d("heave", "k"))
        self.assertFalse(t["value"].flags.writeable)
        self.assertEqual(np.asarray(t).shape, (t.rows, 1))
        self.assertEqual(np.asarray(e.tables["outputs"]).shape, (len(e.outputs), 3))
        self.assertEqual(t.notes["model"], "sweep_quarter_car")
        self.assertIn("heave", str(e.tables["coordinates"]))
        self.assertIn("<table", e.tables["coordinates"]._repr_html_())
        self.assertRaisesRegex(KeyError, "no column 'values'; there are quantity, parameter", lambda: t["values"])
        t.save(self.path("slopes.csv"))
        with open(self.path("slopes.csv"), encoding="utf-8") as file:
            self.assertEqual([x for x in file if x[0] != "#"][:2], ["quantity,parameter,unit,value\n", ",,,\n"])
        # columns look into the memory of the result, which lives as long
        values, expected = t["value"], list(t["value"])
        e.close()
        del e, t
        self.assertEqual(list(values), expected)

    def test_tables_with_texts_in_binary_files(self):
        t = car().static(["k"]).tables["derivatives"]
        texts = {"quantity", "parameter", "unit"}
        for ending in (".mat", ".nc"):
            t.save(self.path("slopes" + ending))
        with open(self.path("slopes.mat"), "rb") as file:
            mat = read_mat(file.read())
        self.assertEqual(set(mat["table"]), set(t.columns))
        self.assertEqual(mat["table"]["value"][1], list(t["value"]))
        with open(self.path("slopes.nc"), "rb") as file:
            notes, sizes, found = read_netcdf(file.read())
        self.assertEqual((notes["model"], sizes["row"]), ("sweep_quarter_car", t.rows))
        self.assertEqual(found["value"][2], list(t["value"]))
        for name in texts:
            self.assertEqual(mat["table"][name], list(t[name]))
            self.assertEqual(found[name][2], list(t[name]))

    def test_modes(self):
        m = car()
        modes = m.modes("static", wrt=["k"])
        self.assertEqual((len(modes), modes.shapes.shape), (2, (2, 2)))
        self.assertAlmostEqual(modes.frequencies[0], abs(modes.eigenvalues[0].imag) / (2 * np.pi))
        self.assertEqual(modes.coordinates, ("hop", "heave"))
        self.assertGreater(modes.frequency_derivatives[0, 0], 0)
        self.assertEqual(m.modes(0.1).t, 0.1)

    def test_kinematics(self):
        m = jounce.load(WISHBONE)
        k = m.kinematics(motion="bump", between=(-0.02, 0.02), n=3, wrt=["hardpoints.UF_l.z"])
        self.assertTrue(np.allclose(k.travel, np.linspace(-0.02, 0.02, 3)))
        toe = next(iter(k.curves.values()))
        self.assertEqual((toe.value.shape, toe.derivative.shape), ((3,), (3, 1)))
        k.save(self.path("k.csv"))

    def test_tyres(self):
        tyre = jounce.load_tyre("test/data/tyres/Sedan_Pac02Tire.tir")
        self.assertEqual(tyre.info.version, "MF 5.2")
        self.assertGreater(len(tyre.coefficients), 100)
        f = tyre.function(wrt=["alpha"])
        alpha = np.linspace(-0.1, 0.1, 11)
        out = f(Fz=np.array([[2000.0], [4000.0]]), alpha=alpha)
        self.assertEqual(out["Fy"].shape, (2, 11))
        self.assertTrue((np.abs(out["Fy"][1]) >= np.abs(out["Fy"][0]) - 200).all())
        one = f(Fz=4000.0, alpha=alpha[3])
        self.assertEqual(one["Fy"], out["Fy"][1, 3])
        for value in (float("nan"), float("inf"), -float("inf")):
            with self.assertRaisesRegex(jounce.JounceError, "Fz is .*; it must be finite"):
                f(Fz=value)
        with self.assertRaisesRegex(jounce.JounceError, "not finite at Fz = 1e.300"):
            f(Fz=1e300)
        with self.assertRaisesRegex(jounce.JounceError, "LKX is set to -1; it must be positive"):
            jounce.load_tyre("test/data/tyres/Sedan_Pac02Tire.tir", LKX=-1)
        with self.assertRaisesRegex(ValueError, "no input 'speed'"):
            f(speed=3)
        with open(self.path("c.csv"), "w", encoding="utf-8") as file:
            file.write("Fz,alpha\n4000,0.1\n")
        self.assertIn("Fy", tyre.table(self.path("c.csv")))
        tyre.plot(self.path("t.svg"))

    def test_studies(self):
        with open(self.path("s.yaml"), "w", encoding="utf-8") as file:
            file.write(f"study: 1\nname: small\nmodel: {os.path.abspath(BOUNCE)}\nparts:\n"
                       "  - {title: numbers, values: {objectives: all, for: {h: [0.1, 0.2]}}}\n"
                       "  - {histories: {sensors: [z], wrt: [h], output_step: 0.1}}\n")
        study = jounce.load_study(self.path("s.yaml"))
        self.assertEqual(study.model.name, "sens_bounce")
        seen = []
        study.run(interpreter=True, progress=seen.append)
        self.assertTrue(seen)
        values, histories = study.parts
        self.assertEqual((values.title, values.kind), ("numbers", "values"))
        table = values.tables[0]
        self.assertTrue(any(isinstance(c, np.ndarray) for c in table.values()))
        self.assertIn("<table", table._repr_html_())
        self.assertIn("<svg", histories.figures[0])
        self.assertIn("<iframe", study._repr_html_())
        study.save(self.path("s.html"))
        with self.assertRaises(jounce.Stopped):
            study.run(interpreter=True, progress=lambda fraction: False)


class Words(Case):
    def test_everything_public_is_described_and_typed(self):
        bare = []
        for name in jounce.__all__:
            thing = getattr(jounce, name)
            if not callable(thing):
                continue
            members = {name: thing}
            if inspect.isclass(thing):
                members.update({f"{name}.{k}": v for k, v in vars(thing).items() if not k.startswith("_")})
            for where, member in members.items():
                member = getattr(member, "fget", None) or getattr(member, "func", None) or member
                if callable(member) and not inspect.getdoc(member):
                    bare.append(f"{where}: no docstring")
                if inspect.isfunction(member) and "return" not in member.__annotations__:
                    bare.append(f"{where}: no type of what it returns")
        self.assertEqual(bare, [])

    def test_nobody_needs_a_compiler(self):
        self.assertEqual(self.without_compiler({}), "")
        # nor where there is no machine code for the processor
        self.assertRegex(self.without_compiler({"JOUNCE_CPU": "x86-64"}), "no-such-compiler.*interpreted")

    def without_compiler(self, more):
        code = ("import warnings, jounce\nwarnings.simplefilter('error', jounce.JounceNotice)\n"
                f"try:\n  jounce.load('{QUARTER_CAR}').run()\n"
                "except jounce.JounceNotice as e: print(e)\n")
        done = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True, check=True,
                              env={**os.environ, "PYTHONPATH": str(ROOT / "python"), "JOUNCE_CC": "no-such-compiler",
                                   **more})
        return done.stdout


if __name__ == "__main__":
    unittest.main()
