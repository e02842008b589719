#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""FMUs of models against the program itself: runs by co-simulation and by model exchange give the figures of
`jounce run`, derivatives those of `jounce sens`. test_models.py JOUNCE [--long]: the second for large models too
(make fmi-check)."""
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

import exchange
import rules
from importer import ERROR, Failed, Fmu, instantiate

JOUNCE = os.path.abspath(sys.argv.pop(1))
LONG = "--long" in sys.argv
if LONG:
    sys.argv.remove("--long")
HERE = Path(__file__).resolve().parent
MODELS = HERE.parent.parent / "models"
room = tempfile.TemporaryDirectory()


def jounce(*args, code=0):
    done = subprocess.run([JOUNCE, *map(str, args)], capture_output=True, text=True, check=False)
    if done.returncode != code:
        raise AssertionError(f"jounce {args}: exit {done.returncode}, expected {code}\n{done.stderr}")
    return done


def export(model, *options):
    path = Path(room.name) / f"{model.stem}{len(os.listdir(room.name))}.fmu"
    jounce("export", "fmu", model, "-o", path, *options)
    return Fmu(path, path.with_suffix(""))


def figures(model, *options):
    return json.loads(jounce("run", model, "--json", *options).stdout)


class Model(unittest.TestCase):
    """What every model is put through."""

    def near(self, a, b, tolerance, what, size=0.0):
        if not abs(a - b) <= tolerance * max(abs(a), abs(b), size):
            self.fail(f"{what}: {a!r} is not {b!r}, off by {exchange.relative(a, b):.1e}")

    def span(self, fmu):
        e = fmu.description.root.find("DefaultExperiment")
        return float(e.get("startTime")), float(e.get("stopTime"))

    def objectives(self, fmu):
        return [v.name for v in fmu.description.outputs if v.name.startswith("objectives.")]

    def check_description(self, fmu):
        self.assertEqual(rules.check(fmu.files), [])

    def check_step(self, fmu, model, tolerance=1e-12, **settings):
        """One step from start to end does what a run does: the same method, the same steps."""
        t0, t1 = self.span(fmu)
        run = figures(model)
        with instantiate(fmu, "cs") as it:
            it.initialize(t0)
            it.do_step(t0, t1 - t0)
            for name, value in run["objectives"].items():
                self.near(it.value("objectives." + name), value, tolerance, name)
            sensors = [v.name for v in fmu.description.outputs if not v.name.startswith("objectives.")]
            for name in sensors:
                if name in run["final"]:
                    self.near(it.value(name), run["final"][name], tolerance, name, 1e-6)
            self.assertGreaterEqual(len(set(sensors) & set(run["final"])), min(1, len(sensors)))
        return run

    def check_exchange(self, fmu, model, tolerance, near, max_step=0.02):
        """A run by the importer's integrator against one of the program at a small tolerance."""
        t0, t1 = self.span(fmu)
        run = figures(model, "--tol", "1e-12")
        with instantiate(fmu, "me") as it:
            it.initialize(t0)
            made = exchange.Exchange(it, tolerance, max_step=max_step).run(t1)
            for name, value in run["objectives"].items():
                self.near(it.value("objectives." + name), value, near, name)
        return made

    def check_slopes(self, fmu, t, points=2, directions=3):
        """Directional and adjoint derivatives at states of a run: transposes of each other, and limits of
        differences."""
        d = fmu.description
        numbers = [int(v.reference) for v in d.variables
                   if v.causality == "input" or (v.causality == "parameter" and v.variability == "tunable")]
        knowns = fmu.references(d.states) + numbers + [fmu.reference("time")]
        rng = random.Random(7)
        with instantiate(fmu, "me") as it, instantiate(fmu, "cs") as runner:
            t0, _ = self.span(fmu)
            runner.initialize(t0)
            it.initialize(t0)
            it.update_discrete()
            it.call("EnterContinuousTimeMode")
            now = t0
            for k in range(points):
                runner.do_step(now, (t - t0) / points)
                now += (t - t0) / points
                x = runner.get(fmu.references(d.states))
                it.move(now, x)
                it.call("EnterEventMode")
                it.update_discrete()
                x = it.states()  # modes that change all at once may come with impulses
                it.call("EnterContinuousTimeMode")
                # an rms whose window has not begun is 0, and has no slope there
                values = it.get(fmu.references(d.outputs))
                outputs = [v for v, x in zip(d.outputs, values) if x != 0.0 or "objectives." not in v.name]
                unknowns = fmu.references(d.derivatives + outputs + d.indicators)
                for _ in range(directions):
                    seed = [rng.gauss(0, 1) for _ in knowns]
                    weight = [rng.gauss(0, 1) for _ in unknowns]
                    forward = it.directional(unknowns, knowns, seed)
                    back = it.adjoint(unknowns, knowns, weight)
                    a = math.fsum(w * f for w, f in zip(weight, forward))
                    b = math.fsum(s * g for s, g in zip(seed, back))
                    size = math.fsum(abs(w * f) for w, f in zip(weight, forward))
                    self.near(a, b, 1e-11, "transpose", size)
                self.check_differences(it, fmu, now, x, unknowns, rng)

    def check_differences(self, it, fmu, t, x, unknowns, rng):
        """By a direction of the states, and by time alone."""
        states = fmu.references(fmu.description.states)
        # what a few last digits of the states are worth
        rounding = [0.0] * len(unknowns)
        for ref, value in zip(states, x):
            slopes = it.directional(unknowns, [ref], [5e-15 * (abs(value) + 1e-3)])
            rounding = [r + abs(s) for r, s in zip(rounding, slopes)]
        for along_time in (False, True):
            seed = [0.0 if along_time else rng.gauss(0, 1) * (1e-3 + abs(a)) for a in x]
            rate = 1.0 if along_time else 0.0
            exact = it.directional(unknowns, states + [fmu.reference("time")], seed + [rate])
            values = {}
            for s in (-2, -1, 1, 2):
                it.move(t + s * 1e-5 * rate, [a + s * 1e-5 * b for a, b in zip(x, seed)])
                values[s] = it.get(unknowns)
            it.move(t, x)
            for i, e in enumerate(exact):
                d = (8.0 * (values[1][i] - values[-1][i]) - (values[2][i] - values[-2][i])) / 12e-5
                noise = (rounding[i] + 1e-14 * abs(values[1][i]) + 1e-14) / 1e-5
                if not abs(d - e) <= 2e-6 * abs(e) + noise:
                    self.fail(f"{fmu.description.by_reference[unknowns[i]].name}: {e!r} is not {d!r}")

    def begin_with_slopes(self, fmu, it, names):
        """The instance in event mode at its start, value references of numbers, and dx0/dp."""
        t0, _ = self.span(fmu)
        refs = [fmu.reference(n) for n in names]

        def start(ref, value):
            it.call("Reset")
            old = it.get([ref])[0]
            if value is not None:
                it.set([ref], [value])
            it.enter_initialization(t0)
            return it.states(), old

        S = exchange.initial_slopes(start, refs)
        it.call("Reset")
        it.initialize(t0)
        return refs, S

    def check_sensitivities(self, fmu, model, names, tolerance, near, max_step=0.02):
        """Variational equations by directional derivatives, with the jumps of events, against `jounce sens`."""
        _, t1 = self.span(fmu)
        sens = json.loads(jounce("sens", model, "--wrt", ",".join(names), "--tol", "1e-11", "--json").stdout)
        with instantiate(fmu, "me") as it:
            refs, S = self.begin_with_slopes(fmu, it, names)
            run = exchange.Exchange(it, tolerance, wrt=refs, S=S, max_step=max_step).run(t1)
            objectives = self.objectives(fmu)
            found = exchange.objective_slopes(run, objectives)
        for name, row in zip(names, found):
            for objective, value in zip(objectives, row):
                expected = sens["objectives"][objective[len("objectives."):]]["gradient"][name]
                self.near(value, expected, near, f"d {objective} / d {name}")

    def check_history(self, fmu, model, names, outputs, t, tolerance, near):
        """The same of outputs at a time of the manoeuvre, against `jounce sens --history`: of models that are too stiff
        for explicit steps to go all the way."""
        out = Path(room.name) / "history.csv"
        jounce("sens", model, "--wrt", ",".join(names), "--method", "direct", "--tol", "1e-10", "--history",
               ",".join(outputs), "-o", out)
        rows = [line.split(",") for line in out.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
        row = next(r for r in rows[2:] if float(r[0]) >= t)
        expected = dict(zip(rows[0], map(float, row)))
        with instantiate(fmu, "me") as it:
            refs, S = self.begin_with_slopes(fmu, it, names)
            run = exchange.Exchange(it, tolerance, wrt=refs, S=S, step=1e-5).run(expected["t"])
            found = exchange.objective_slopes(run, outputs)
            values = it.get([fmu.reference(o) for o in outputs])
        for o, value in zip(outputs, values):
            self.near(value, expected[o], near, o)
        for name, slopes in zip(names, found):
            for o, value in zip(outputs, slopes):
                self.assertNotEqual(value, 0.0)
                number = float(fmu.description.by_name[name].get("start"))
                self.near(value, expected[f"d {o} / d {name}"], near, f"d {o} / d {name}", 1e-3 * abs(expected[o] / number))


class Crank(Model):
    model = HERE / "crank.yaml"

    @classmethod
    def setUpClass(cls):
        cls.fmu = {v: export(cls.model, "--fmi", str(v)) for v in (3, 2)}

    def test_descriptions(self):
        for fmu in self.fmu.values():
            self.check_description(fmu)
        d = self.fmu[3].description
        self.assertEqual(d.interface("CoSimulation").get("modelIdentifier"), "crank_stop")
        self.assertEqual(d.by_name["torque"].causality, "input")
        self.assertEqual(d.root.get("description"), "Slider and crank with a stop, a load and an input <torque>")

    def test_rates_are_rates(self):
        """A state that is said to be the derivative of another one is."""
        fmu = self.fmu[3]
        with instantiate(fmu, "me") as it:
            it.initialize()
            self.assertEqual(it.rates(), it.get(fmu.references(fmu.description.derivatives)))

    def test_step(self):
        for fmu in self.fmu.values():
            self.check_step(fmu, self.model)

    def test_exchange(self):
        for fmu in self.fmu.values():
            run = self.check_exchange(fmu, self.model, 1e-12, 1e-10, max_step=0.01)
            self.assertEqual(len(run.events), 10)

    def test_slopes(self):
        self.check_slopes(self.fmu[3], 0.6)

    def test_sensitivities(self):
        self.check_sensitivities(self.fmu[3], self.model, ["k_stop", "rate", "t_load"], 1e-11, 1e-7, max_step=0.01)

    def test_tolerance_of_the_importer(self):
        fmu = self.fmu[3]
        exact = figures(self.model, "--tol", "1e-12")["objectives"]["effort"]
        off = []
        for tolerance in (1e-5, 1e-7, 1e-9, 1e-11):
            with instantiate(fmu, "cs") as it:
                it.initialize(0.0, 1.0, tolerance)
                it.do_step(0.0, 1.0)
                off.append(exchange.relative(it.value("objectives.effort"), exact))
        self.assertEqual(off, sorted(off, reverse=True))
        self.assertLess(off[-1], 1e-9)

    def test_fixed_steps(self):
        """rk4 of a given step: as the program does it."""
        run = figures(self.model, "--method", "rk4", "--step", "0.001")
        for fmu in self.fmu.values():
            with instantiate(fmu, "cs") as it:
                it.set_integer(fmu.reference("jounce.method"), 3)
                it.assign(**{"jounce.step": 1e-3})
                it.initialize()
                it.do_step(0.0, 1.0)
                self.near(it.value("objectives.effort"), run["objectives"]["effort"], 1e-12, "rk4")
            # what needs a Jacobian is exported with models that use it
            with instantiate(fmu, "cs") as it:
                it.set_integer(fmu.reference("jounce.method"), 7)
                with self.assertRaises(Failed) as caught:
                    it.initialize()
                self.assertEqual(caught.exception.status, ERROR)

    def test_input_between_steps(self):
        """A torque held over each step, against model exchange with the same."""
        fmu = self.fmu[3]
        values = [0.3, -0.2, 0.5, 0.0]
        with instantiate(fmu, "cs") as it, instantiate(fmu, "me") as other:
            it.initialize(0.0, 1.0, 1e-11)
            other.initialize()
            run = exchange.Exchange(other, 1e-11, max_step=0.01)
            for i, u in enumerate(values):
                it.assign(torque=u)
                it.do_step(0.25 * i, 0.25)
                other.call("EnterEventMode")
                other.assign(torque=u)
                other.update_discrete()
                other.call("EnterContinuousTimeMode")
                run.run(0.25 * (i + 1))
                self.near(it.value("slider_position"), other.value("slider_position"), 1e-7, f"step {i}")

    def test_rates_of_outputs(self):
        """By differences of short steps on both sides of a communication point."""
        fmu = self.fmu[3]
        names = [v.name for v in fmu.description.outputs]
        values, h = {}, 1e-4
        for s in (-2, -1, 0, 1, 2):
            with instantiate(fmu, "cs") as it:
                it.initialize(0.0, 1.0, 1e-12)
                it.do_step(0.0, 0.4 + s * h)
                values[s] = [it.value(n) for n in names]
                if s == 0:
                    rates = it.output_rates(names)
        for i, name in enumerate(names):
            d = (8.0 * (values[1][i] - values[-1][i]) - (values[2][i] - values[-2][i])) / (12.0 * h)
            self.near(rates[i], d, 1e-7, name, 1.0)

    def test_parameters(self):
        run = figures(self.model, "--set", "k_stop=1200", "--set", "rate=8")
        fmu = self.fmu[3]
        with instantiate(fmu, "cs") as it:
            it.assign(k_stop=1200.0, rate=8.0)
            it.initialize()
            it.do_step(0.0, 1.0)
            self.near(it.value("objectives.effort"), run["objectives"]["effort"], 1e-10, "effort")

    def test_event_mode_states_and_threads(self):
        fmu = self.fmu[3]

        def run(found, i):
            with instantiate(fmu, "cs", event_mode=True, early_return=True) as it:
                it.assign(k_stop=900.0 + 10.0 * i)
                it.initialize()
                it.update_discrete()
                it.call("EnterStepMode")
                t, events = 0.0, 0
                while t < 1.0:
                    event, _, t = it.do_step(t, 1.0 - t)
                    if event:
                        events += 1
                        it.call("EnterEventMode")
                        it.update_discrete()
                        it.call("EnterStepMode")
                found[i] = (events, it.value("objectives.effort"))

        one, all_ = [None] * 4, [None] * 4
        for i in range(4):
            run(one, i)
        threads = [threading.Thread(target=run, args=(all_, i)) for i in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(one, all_)
        self.assertEqual(one[0][0], 10)
        # in the middle, there and back again
        with instantiate(fmu, "cs") as it, instantiate(fmu, "cs") as other:
            it.initialize()
            it.do_step(0.0, 0.33)
            saved = it.get_state()
            it.do_step(0.33, 0.67)
            first = it.value("objectives.effort")
            it.set_state(saved)
            it.do_step(0.33, 0.67)
            self.assertEqual(it.value("objectives.effort"), first)
            copy = other.deserialize(it.serialize(saved))
            other.set_state(copy)
            other.do_step(0.33, 0.67)
            self.assertEqual(other.value("objectives.effort"), first)
            it.free_state(saved)
            other.free_state(copy)

    def test_source_builds_anew(self):
        """What buildDescription.xml says is enough to make the library, and it gives the same digits."""
        import xml.etree.ElementTree as ET
        fmu = self.fmu[3]
        folder = fmu.folder / "sources"
        c = ET.fromstring(fmu.files["sources/buildDescription.xml"])
        files = [folder / f.get("name") for f in c.iter("SourceFile")]
        defines = [f"-D{p.get('name')}={p.get('value')}" for p in c.iter("PreprocessorDefinition")]
        options = next(c.iter("SourceFileSet")).get("compilerOptions").split()
        library = fmu.folder / "again.so"
        subprocess.run(["cc", "-std=c17", "-O0", "-shared", "-fPIC", *options, *defines, f"-I{folder}",
                        "-DFMI3_OVERRIDE_FUNCTION_PREFIX", *files, "-lm", "-o", library], check=True)
        import ctypes
        with instantiate(fmu, "cs") as it:
            it.initialize()
            it.do_step(0.0, 1.0)
            expected = it.value("objectives.effort")
        kept, fmu.library = fmu.library, ctypes.CDLL(str(library))
        try:
            with instantiate(fmu, "cs") as it:
                it.initialize()
                it.do_step(0.0, 1.0)
                self.assertEqual(it.value("objectives.effort"), expected)
        finally:
            fmu.library = kept


class Command(unittest.TestCase):
    def test_mistakes(self):
        model = HERE / "crank.yaml"
        out = Path(room.name) / "x.fmu"
        self.assertIn("fmu", jounce("export", "elf", model, "-o", out, code=2).stderr)
        self.assertIn(".fmu", jounce("export", "fmu", model, "-o", Path(room.name) / "x.zip", code=2).stderr)
        self.assertIn("-o", jounce("export", "fmu", model, code=2).stderr)
        self.assertIn("--fmi", jounce("export", "fmu", model, "-o", out, "--fmi", "1", code=2).stderr)
        jounce("export", "fmu", HERE / "none.yaml", "-o", out, code=1)
        self.assertIn("nowhere", jounce("export", "fmu", model, "-o", out, "--vary", "nowhere", code=1).stderr)
        self.assertFalse(out.exists())

    def test_hostile_texts(self):
        """Whatever stands in descriptions, units and the name of a model is a text in the FMU, too."""
        sys.path.append(str(HERE.parent / "attack"))
        import texts
        some = [t for _, t in texts.ALL if t.strip() and t.isprintable() and t.isascii() and len(t) < 200]
        some += ["H\u00f6he \u2192 \u00b5m \U0001f697"]
        self.assertGreater(len(some), 100)
        model = {"jounce": 1, "name": some[-1], "description": some[0], "bodies": {"mass": {"mass": 1}},
                 "joints": {"z": {"type": "prismatic", "child": "mass", "axis": "z"}},
                 "parameters": {f"p{i}": {"value": i, "unit": t[:30].strip(), "description": t}
                                for i, t in enumerate(some)},
                 "objectives": {"sum": {"final": " + ".join(f"p{i}*z" for i in range(len(some)))}},
                 "simulation": {"end": 1}}
        path = Path(room.name) / "hostile.yaml"
        path.write_text(json.dumps(model))
        for version in ("3", "2"):
            out = Path(room.name) / f"hostile{version}.fmu"
            jounce("export", "fmu", path, "-o", out, "--sources-only", "--fmi", version)
            fmu = Fmu(out, out.with_suffix(""))
            self.assertEqual(rules.check(fmu.files), [])
            d = fmu.description
            self.assertEqual(d.root.get("modelName"), some[-1])
            for i, t in enumerate(some):
                v = d.by_name[f"p{i}"]
                self.assertEqual(v.get("unit"), t[:30].strip())
                if version == "3":
                    self.assertEqual(v.get("description"), t)
            page = fmu.files["documentation/index.html"].decode()
            self.assertNotIn("<script", page)
            self.assertNotIn("<img", page)
            folder = fmu.folder / "sources"
            subprocess.run(["cc", "-std=c17", "-fsyntax-only", "-D_XOPEN_SOURCE=700", f"-I{folder}",
                            folder / "equations/tables.c", folder / f"runtime/fmi{version}.c"], check=True)

    def test_options(self):
        out = Path(room.name) / "y.fmu"
        told = json.loads(jounce("export", "fmu", HERE / "crank.yaml", "-o", out, "--sources-only", "--no-derivatives",
                                 "--vary", "hardpoints.B.*", "--json").stdout)
        self.assertEqual((told["parameters"], told["inputs"], told["outputs"], told["states"]), (8, 1, 5, 4))
        self.assertEqual(told["bytes"], out.stat().st_size)
        fmu = Fmu(out, out.with_suffix(""))
        self.assertEqual(rules.check(fmu.files), [])
        self.assertIn("hardpoints.B", " ".join(fmu.description.by_name))
        self.assertEqual(fmu.description.interface("ModelExchange").get("providesDirectionalDerivatives"), "false")
        first = out.read_bytes()
        jounce("export", "fmu", HERE / "crank.yaml", "-o", out, "--sources-only", "--no-derivatives", "--vary",
               "hardpoints.B.*")
        self.assertEqual(first, out.read_bytes())


@unittest.skipUnless(LONG, "large models: make fmi-check")
class Large(Model):
    def test_buggy(self):
        model = MODELS / "buggy/step_descent.yaml"
        fmu = export(model)
        self.check_description(fmu)
        self.check_step(fmu, model)
        self.check_exchange(fmu, model, 1e-11, 1e-10)
        self.check_slopes(fmu, 2.1)
        self.check_sensitivities(fmu, model, ["k_f", "R", "speed"], 1e-10, 1e-6)
        old = export(model, "--fmi", "2")
        self.check_description(old)
        self.check_step(old, model)

    def test_lane_change(self):
        model = MODELS / "buggy/double_lane_change.yaml"
        fmu = export(model, "--no-derivatives")
        self.check_step(fmu, model)
        self.check_exchange(fmu, model, 1e-11, 1e-10)

    def test_any_attitude(self):
        model = MODELS / "attitude/wheelie.yaml"
        fmu = export(model)
        self.check_description(fmu)
        self.check_step(fmu, model, 1e-9)
        self.check_exchange(fmu, model, 1e-10, 1e-8)
        self.check_sensitivities(fmu, model, ["m", "I", "speed"], 1e-9, 1e-5)

    def test_car(self):
        model = MODELS / "car/launch_and_stop.yaml"
        fmu = export(model, "--no-derivatives")
        self.check_step(fmu, model)
        self.check_exchange(fmu, model, 1e-9, 1e-9)

    def test_tracked(self):
        model = MODELS / "tracked/bump.yaml"
        fmu = export(model)
        self.check_description(fmu)
        self.check_step(fmu, model)
        self.check_slopes(fmu, 1.0)
        self.check_history(fmu, model, ["m_hull"], ["z"], 1.0, 1e-9, 1e-5)

    def test_sedan(self):
        # at times when what they are about has begun: margins have a corner before
        for name, t in (("four_poster", 0.5), ("cornering", 3.0), ("four_poster_skyhook", 0.5)):
            model = MODELS / f"sedan/{name}.yaml"
            fmu = export(model)
            self.check_description(fmu)
            self.check_step(fmu, model)
            self.check_slopes(fmu, t, points=1)
            if name == "four_poster":
                self.check_history(fmu, model, ["current", "k_front"], ["load_fl", "body_roll"], 0.02, 1e-8, 1e-4)


if __name__ == "__main__":
    unittest.main()
