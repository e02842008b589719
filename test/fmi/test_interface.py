#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The interface of FMUs over a mock vehicle: descriptions by the rules, all call sequences of FMI 3.0 and 2.0, wrong
ones refused, states kept and set, derivatives against their transposes and differences. test_interface.py MOCK_FMU"""
import subprocess
import sys
import tempfile
import threading
import unittest
import zipfile
from pathlib import Path

import ctypes as C
import exchange
import rules
from importer import DISCARD, ERROR, Failed, Fmu, Instance2, Instance3, instantiate, references

MOCK = sys.argv.pop(1) if len(sys.argv) > 1 else "build-dev/test/mock_fmu"
SOURCE = Path(__file__).resolve().parent.parent / "runtime" / "mock_vehicle.c"
room = tempfile.TemporaryDirectory()
T = 2.0
# of the mock: a mass falls from 0.5 m, meets a spring, leaves it, is pushed at 0.8 s, and meets it again
EVENTS = [0.319275428407, 0.491889348084, 0.8, 1.187206519378, 1.359547694047]


def make(version, *more, name="mock"):
    path = Path(room.name) / f"{name}{version}.fmu"
    subprocess.run([MOCK, SOURCE, str(version), path, *more], check=True)
    return path


FMU = {v: Fmu(make(v), Path(room.name) / f"fmu{v}") for v in (3, 2)}


class Both(unittest.TestCase):
    def refused(self, status, call, *args, told=""):
        with self.assertRaises(Failed) as caught:
            call(*args)
        self.assertEqual(caught.exception.status, status, str(caught.exception))
        self.assertTrue(caught.exception.said, "nothing was said")
        self.assertIn(told, str(caught.exception))
        return caught.exception

    def step_through(self, it, steps, t=0.0):
        for h in steps:
            _, _, t = it.do_step(t, h)
        return t


class Descriptions(Both):
    def test_rules(self):
        for fmu in FMU.values():
            self.assertEqual(rules.check(fmu.files), [])

    def test_same_bytes(self):
        for v, fmu in FMU.items():
            self.assertEqual(fmu.path.read_bytes(), make(v, name="again").read_bytes())

    def test_library_needs_nothing(self):
        for v, fmu in FMU.items():
            needed = subprocess.run(["readelf", "-d", fmu.binary], capture_output=True, text=True, check=True).stdout
            libraries = [line.split("[")[1].rstrip("]") for line in needed.splitlines() if "NEEDED" in line]
            self.assertLessEqual(set(libraries), {"libc.so.6", "libm.so.6"})
            seen = subprocess.run(["nm", "-D", "--defined-only", fmu.binary], capture_output=True, text=True,
                                  check=True).stdout.split()[2::3]
            self.assertTrue(seen and all(s.startswith(f"fmi{v}") for s in seen), seen)
            self.assertNotIn(room.name.encode(), fmu.binary.read_bytes())

    def test_sources_only(self):
        for v in (3, 2):
            with zipfile.ZipFile(make(v, "sources", name="sources")) as z:
                files = {n: z.read(n) for n in z.namelist()}
            self.assertEqual(rules.check(files), [])
            self.assertFalse([n for n in files if n.startswith("binaries/")])

    def test_sources_have_names_of_their_own(self):
        """Compiled as an importer does that links them: the name of the model is in front of every function."""
        for v, fmu in FMU.items():
            folder = fmu.folder / "sources"
            out = folder / "x.o"
            subprocess.run(["cc", "-std=c17", "-D_XOPEN_SOURCE=700", f"-I{folder}", "-c",
                            folder / f"runtime/fmi{v}.c", "-o", out], check=True)
            seen = subprocess.run(["nm", "--defined-only", "-g", out], capture_output=True, text=True,
                                  check=True).stdout.split()[2::3]
            self.assertTrue(seen and all(s.startswith(f"bouncing_mass_fmi{v}") for s in seen), seen)

    def test_texts_are_escaped(self):
        d = FMU[3].description
        self.assertEqual(d.by_name["stiffness"].get("description"), 'of the spring, by mass & "more" <than> that')
        self.assertIn("spring.'force on it'", d.by_name)
        self.assertIn("states.'integral of z^2'", d.by_name)
        page = FMU[3].files["documentation/index.html"].decode()
        self.assertIn("&lt;than&gt;", page)
        self.assertNotIn("<than>", page)

    def test_units(self):
        units = {u.get("name"): u.find("BaseUnit") for u in FMU[3].description.root.find("UnitDefinitions")}
        self.assertEqual(dict(units["N/m"].attrib), {"kg": "1", "s": "-2"})
        self.assertIsNone(units["furlong/s"])

    def test_velocity_is_the_derivative_of_position(self):
        for fmu in FMU.values():
            d = fmu.description
            self.assertEqual([v.name for v in d.derivatives],
                             ["states.v", "der(states.v)", "der(states.'integral of z^2')"])
            self.assertEqual([v.name for v in d.states], ["states.z", "states.v", "states.'integral of z^2'"])

    def test_rules_are_rules(self):
        """A description that breaks one is found."""
        text = FMU[3].files["modelDescription.xml"].decode()
        breaks = [(' start="400.0"', ""), ('causality="output"', 'causality="input"'), ('unit="m"', 'unit="ell"'),
                  ('instantiationToken="mock-0001"', ""), ('<InitialUnknown valueReference="4"/>', ""),
                  ('derivative="4"', 'derivative="99"'), ('name="height"', 'name="push"'),
                  ('name="height"', 'name="a height"'), ('<EventIndicator valueReference="10"/>',
                                                         '<EventIndicator valueReference="1"/>'),
                  ('variability="tunable"', 'variability="discrete"'), ('initial="calculated"', 'initial="exact"'),
                  ('valueReference="2"', 'valueReference="3"')]
        for old, new in breaks:
            self.assertIn(old, text)
            files = dict(FMU[3].files)
            files["modelDescription.xml"] = text.replace(old, new, 1).encode()
            self.assertTrue(rules.check(files), f"{old} -> {new}")


class Exchange(Both):
    def test_run_with_events(self):
        found = {}
        for v, fmu in FMU.items():
            with instantiate(fmu, "me") as it:
                it.initialize(0.0, T)
                run = exchange.Exchange(it, 1e-12, max_step=0.1).run(T)
                found[v] = it.states() + it.get([fmu.reference(n) for n in ("height", "objectives.effort")])
                for (t, _, jumped), expected in zip(run.events, EVENTS, strict=True):
                    self.assertAlmostEqual(t, expected, delta=2e-12)
                    self.assertEqual(jumped, expected == 0.8)
                it.call("Terminate")
                self.assertEqual(it.value("height"), found[v][3])
        self.assertEqual(found[3], found[2])
        with instantiate(FMU[3], "cs") as it:
            it.initialize()
            it.do_step(0.0, T)
            values = it.get(FMU[3].references(FMU[3].description.states))
            for a, b in zip(values, found[3]):
                self.assertAlmostEqual(a, b, delta=1e-11)

    def test_free_fall_is_exact(self):
        with instantiate(FMU[3], "me") as it:
            it.assign(lift=2.0)
            it.initialize()
            exchange.Exchange(it, 1e-12).run(0.25)
            self.assertAlmostEqual(it.value("height"), 0.5 + 0.5 * (2.0 - 9.81) * 0.25**2, delta=1e-14)

    def test_sensitivities_through_events(self):
        fmu = FMU[3]
        names = ["stiffness", "push", "lift"]

        def effort(values):
            with instantiate(fmu, "cs") as it:
                it.assign(**values)
                it.initialize()
                it.do_step(0.0, T)
                return it.value("objectives.effort")

        with instantiate(fmu, "me") as it:
            it.initialize()
            run = exchange.Exchange(it, 1e-12, wrt=[fmu.reference(n) for n in names], max_step=0.1).run(T)
            slopes = exchange.objective_slopes(run, ["objectives.effort"])
            base = {n: it.value(n) for n in names}
        for name, (slope,) in zip(names, slopes):
            h = 1e-3 * max(base[name], 0.1)
            e = {k: effort({name: base[name] + k * h}) for k in (-2, -1, 1, 2)}
            difference = (8.0 * (e[1] - e[-1]) - (e[2] - e[-2])) / (12.0 * h)
            self.assertLess(exchange.relative(slope, difference), 2e-7, name)

    def test_derivatives(self):
        """Directional derivatives are the transpose of adjoint ones, and limits of differences."""
        fmu = FMU[3]
        d = fmu.description
        unknowns = fmu.references(d.derivatives + d.outputs + d.indicators) + [fmu.reference("v")]
        knowns = fmu.references(d.states) + [fmu.reference(n) for n in ("stiffness", "push", "lift", "time")]
        with instantiate(fmu, "me") as it:
            it.initialize()
            exchange.Exchange(it, 1e-10).run(0.4)  # on the spring
            J = [it.directional(unknowns, knowns, [float(k == i) for k in range(len(knowns))])
                 for i in range(len(knowns))]
            for j in range(len(unknowns)):
                row = it.adjoint(unknowns, knowns, [float(k == j) for k in range(len(unknowns))])
                self.assertEqual(row, [column[j] for column in J])
            # seeds add up, also those of a reference that comes twice
            both = it.directional(unknowns, knowns[:2] + knowns[:1], [1.0, 2.0, 3.0])
            for b, x, y in zip(both, J[0], J[1]):
                self.assertAlmostEqual(b, 4.0 * x + 2.0 * y, delta=1e-12 * (1.0 + abs(b)))
            t, x = it.value("time"), it.states()
            for i in range(3):
                ends = []
                for s in (1.0, -1.0):
                    it.move(t, [a + s * 1e-5 * (k == i) for k, a in enumerate(x)])
                    ends.append(it.get(unknowns))
                for a, b, c in zip(*ends, J[i]):
                    self.assertAlmostEqual((a - b) / 2e-5, c, delta=1e-7 * (1.0 + abs(c)))

    def test_derivatives_are_refused(self):
        fmu = FMU[3]
        height, z, tolerance = (fmu.reference(n) for n in ("height", "states.z", "jounce.tolerance"))
        with instantiate(fmu, "me") as it:
            self.refused(ERROR, it.directional, [height], [z], [1.0], told="instantiated")
            it.call("Reset")
            it.enter_initialization()
            self.refused(DISCARD, it.directional, [height], [z], [1.0], told="start")
            it.call("ExitInitializationMode")
            self.refused(ERROR, it.directional, [height], [tolerance], [1.0], told=str(tolerance))
            it.call("Reset")
            it.initialize()
            self.refused(ERROR, it.adjoint, [tolerance], [z], [1.0], told=str(tolerance))

    def test_frozen_modes(self):
        """In continuous time a sign may change without an event: forces stay those of before."""
        with instantiate(FMU[3], "me") as it:
            it.initialize()
            it.update_discrete()
            it.call("EnterContinuousTimeMode")
            it.move(0.1, [-0.2, 0.0, 0.0])
            self.assertGreater(it.indicators()[0], 0.0)
            self.assertEqual(it.rates()[1], -9.81)
            it.call("EnterEventMode")
            self.assertFalse(it.update_discrete())
            it.call("EnterContinuousTimeMode")
            self.assertAlmostEqual(it.rates()[1], -9.81 + 400.0 * 0.2, delta=1e-12)

    def test_states_one_by_one(self):
        with instantiate(FMU[3], "me") as it:
            it.initialize()
            it.update_discrete()
            it.call("EnterContinuousTimeMode")
            it.set([FMU[3].reference("states.v")], [3.0])
            self.assertEqual(it.states(), [0.5, 3.0, 0.0])
            self.assertEqual(it.rates()[0], 3.0)

    def test_discard_leaves_all_as_it_was(self):
        for fmu in FMU.values():
            with instantiate(fmu, "me") as it:
                it.initialize()
                it.update_discrete()
                it.call("EnterContinuousTimeMode")
                self.refused(DISCARD, it.move, 0.1, [float("nan"), 0.0, 0.0], told="not finite")
                it.move(0.1, [2e6, 0.0, 0.0])
                self.refused(DISCARD, it.rates, told="too high")
                it.move(0.1, [0.4, 0.0, 0.0])
                self.assertEqual(it.rates()[1], -9.81)


class CoSimulation(Both):
    def final(self, it, steps):
        t = self.step_through(it, steps)
        return [t] + it.get(it.fmu.references(it.fmu.description.states))

    def test_one_step_or_many(self):
        for fmu in FMU.values():
            results = []
            for steps in ([T], [0.1] * 20, [0.05, 0.2, 0.001, 0.4, 0.149, 1.2]):
                with instantiate(fmu, "cs") as it:
                    it.initialize(0.0, T)
                    results.append(self.final(it, steps))
            for r in results[1:]:
                for a, b in zip(r, results[0]):
                    self.assertAlmostEqual(a, b, delta=2e-12)

    def test_event_mode_with_early_return(self):
        with instantiate(FMU[3], "cs", event_mode=True, early_return=True) as it:
            it.initialize(0.0, T)
            it.update_discrete()
            it.call("EnterStepMode")
            t, met = 0.0, []
            while t < T:
                event, early, t = it.do_step(t, min(0.3, T - t))
                self.assertEqual(it.value("time"), t)
                if event:
                    met.append(t)
                    self.assertTrue(early)
                    it.call("EnterEventMode")
                    it.update_discrete()
                    it.call("EnterStepMode")
            for a, b in zip(met, EVENTS, strict=True):
                self.assertAlmostEqual(a, b, delta=1e-11)
            self.assertEqual(sum(category == "logEvents" for _, category, _ in it.said), len(EVENTS))
            with instantiate(FMU[3], "cs") as other:
                other.initialize()
                other.do_step(0.0, T)
                self.assertAlmostEqual(other.value("height"), it.value("height"), delta=1e-12)

    def test_without_early_return_steps_are_whole(self):
        for event_mode in (False, True):
            with instantiate(FMU[3], "cs", event_mode=event_mode) as it:
                it.initialize()
                if event_mode:
                    it.update_discrete()
                    it.call("EnterStepMode")
                self.assertEqual(it.do_step(0.0, T), (False, False, T))

    def test_intermediate_update(self):
        fmu = FMU[3]
        height = fmu.reference("height")
        seen = []

        def look(it, t, can_get, finished, can_return):
            self.assertTrue(can_get and finished)
            seen.append((t, it.get([height])[0], can_return))

        with instantiate(fmu, "cs", required=[height], update=look) as it:
            it.initialize()
            it.do_step(0.0, T)
            for (t, h, can_return), expected in zip(seen, EVENTS + [T], strict=True):
                self.assertAlmostEqual(t, expected, delta=1e-11)
                self.assertFalse(can_return)
            self.assertAlmostEqual(seen[0][1], 0.0, delta=1e-11)
            self.assertEqual(seen[-1][1], it.get([height])[0])

    def test_return_asked_for(self):
        for later in (0.0, 0.05):
            with instantiate(FMU[3], "cs", early_return=True, update=lambda it, t, *_: t + later) as it:
                it.initialize()
                event, early, t = it.do_step(0.0, T)
                self.assertFalse(event)
                self.assertTrue(early)
                self.assertAlmostEqual(t, EVENTS[0] + later, delta=1e-11)
                self.assertEqual(it.value("time"), t)

    def test_intermediate_variables_are_those_asked_for(self):
        fmu = FMU[3]
        failures = []

        def look(it, t, *_):
            try:
                it.value("height")
            except Failed as e:
                failures.append(e)

        with instantiate(fmu, "cs", required=[fmu.reference("v")], update=look) as it:
            it.initialize()
            self.refused(ERROR, it.do_step, 0.0, T)
        self.assertIn("intermediate", str(failures[0]))
        with self.assertRaises(Failed):
            Instance3(fmu, "cs", required=[fmu.reference("stiffness")])

    def test_parameters_before_and_between(self):
        for fmu in FMU.values():
            with instantiate(fmu, "cs") as it, instantiate(fmu, "cs") as same:
                it.assign(stiffness=900.0)
                it.enter_initialization()
                it.assign(push=1.0)
                self.assertEqual(it.value("stiffness"), 900.0)
                it.call("ExitInitializationMode")
                same.assign(stiffness=900.0, push=1.0)
                same.initialize()
                self.assertEqual(self.final(it, [T]), self.final(same, [T]))
            with instantiate(fmu, "cs") as it:
                it.initialize()
                it.do_step(0.0, 0.2)
                it.assign(lift=9.81 + 1.0)  # an input: from here on upwards
                z, v = it.get(fmu.references(fmu.description.states))[:2]
                it.do_step(0.2, 0.1)
                self.assertAlmostEqual(it.value("height"), z + 0.1 * v + 0.5 * 0.1**2, delta=1e-13)

    def test_tunable_in_event_mode(self):
        fmu = FMU[3]
        with instantiate(fmu, "me") as it:
            it.initialize()
            it.update_discrete()
            it.call("EnterContinuousTimeMode")
            self.refused(ERROR, it.set, [fmu.reference("stiffness")], [1.0], told="continuous-time")
            it.call("Reset")
            it.initialize()
            exchange.Exchange(it, 1e-10).run(0.4)
            a = it.rates()[1] + 9.81
            it.call("EnterEventMode")
            it.assign(stiffness=800.0)
            it.update_discrete()
            it.call("EnterContinuousTimeMode")
            self.assertAlmostEqual(it.rates()[1] + 9.81, 2.0 * a, delta=1e-12 * abs(a))

    def test_settings(self):
        for fmu in FMU.values():
            method = fmu.reference("jounce.method")
            results = []
            for step in (0.0, 1e-2):
                with instantiate(fmu, "cs") as it:
                    self.assertEqual(it.get_integer(method), 0)
                    it.set([fmu.reference("jounce.step")], [step])
                    it.set_integer(method, 3)
                    it.initialize()
                    results.append(self.final(it, [0.4]))
                    self.assertEqual(it.get_integer(method), 3)
                    self.refused(ERROR, it.set_integer, method, 1)
            self.assertNotEqual(results[0], results[1])
            self.assertAlmostEqual(results[0][1], results[1][1], delta=1e-4)
            with instantiate(fmu, "cs") as it:
                it.set_integer(method, 7)
                self.refused(ERROR, it.initialize, told="no such method ##1")
            with instantiate(fmu, "cs") as it:
                self.refused(DISCARD, it.set, [fmu.reference("jounce.step")], [-1.0])

    def test_rates_of_outputs(self):
        for fmu in FMU.values():
            with instantiate(fmu, "cs") as it:
                it.initialize()
                it.do_step(0.0, 0.4)
                v = it.value("v")
                names = ["height", "v", "spring.'force on it'", "objectives.effort"]
                self.assertEqual(it.output_rates(names), [v, it.rate("states.v"), -400.0 * v, it.value("height")**2])
                self.refused(ERROR, it.output_rates, ["height"], 2, told="order 2")
                it.call("Reset")
                it.initialize()
                self.refused(ERROR, it.output_rates, ["stiffness"], told="no output")

    def test_derivatives_at_communication_points(self):
        for fmu in FMU.values():
            with instantiate(fmu, "cs") as it:
                it.initialize()
                it.do_step(0.0, 0.4)
                z = it.value("height")
                force, stiffness = fmu.reference("spring.'force on it'"), fmu.reference("stiffness")
                self.assertEqual(it.directional([force], [stiffness], [2.0]), [-2.0 * z])


class States(Both):
    def test_go_back(self):
        for fmu in FMU.values():
            with instantiate(fmu, "cs") as it, instantiate(fmu, "cs") as other:
                it.initialize()
                it.do_step(0.0, 0.4)
                saved = it.get_state()
                it.do_step(0.4, 0.7)
                first = it.get(fmu.references(fmu.description.states))
                data = it.serialize(saved)
                it.assign(stiffness=1.0)
                it.set_state(saved)
                self.assertEqual(it.value("stiffness"), 400.0)
                self.assertEqual(it.value("time"), 0.4)
                it.do_step(0.4, 0.7)
                self.assertEqual(it.get(fmu.references(fmu.description.states)), first)
                # bytes go to another instance, which need not have begun
                copy = other.deserialize(data)
                self.assertEqual(other.serialize(copy), data)
                other.set_state(copy)
                other.do_step(0.4, 0.7)
                self.assertEqual(other.get(fmu.references(fmu.description.states)), first)
                it.free_state(saved)
                other.free_state(copy)

    def test_state_of_continuous_time(self):
        with instantiate(FMU[3], "me") as it:
            it.initialize()
            it.update_discrete()
            it.call("EnterContinuousTimeMode")
            it.move(0.1, [0.3, 1.0, 0.0])  # not evaluated yet
            saved = it.get_state()
            it.move(0.2, [0.2, 0.0, 0.0])
            it.rates()
            it.set_state(saved)
            self.assertEqual((it.value("time"), it.states(), it.rates()[0]), (0.1, [0.3, 1.0, 0.0], 1.0))
            it.free_state(saved)

    def test_bytes_of_others_are_refused(self):
        for fmu in FMU.values():
            with instantiate(fmu, "cs") as it, instantiate(fmu, "me") as exchange_:
                it.initialize()
                saved = it.get_state()
                data = it.serialize(saved)
                self.refused(ERROR, it.deserialize, data[:-1], told="no state")
                self.refused(ERROR, it.deserialize, b"x" * len(data), told="no state")
                self.refused(ERROR, it.deserialize, b"", told="no state")
                self.refused(ERROR, exchange_.set_state, saved, told="another kind")
                it.free_state(saved)

    def test_reset(self):
        for fmu in FMU.values():
            for kind in ("cs", "me"):
                results = []
                with instantiate(fmu, kind) as it:
                    for _ in range(2):
                        it.assign(push=0.7)
                        it.initialize()
                        if kind == "cs":
                            it.do_step(0.0, T)
                        else:
                            exchange.Exchange(it, 1e-8, max_step=0.1).run(T)
                        results.append(it.get(fmu.references(fmu.description.states)))
                        it.call("Terminate")
                        it.call("Reset")
                        self.assertEqual(it.value("push"), 0.5)
                self.assertEqual(results[0], results[1])


class Instances(Both):
    def reference_run(self, fmu, **values):
        with instantiate(fmu, "cs") as it:
            it.assign(**values)
            it.initialize()
            self.step_through(it, [0.1] * 20)
            return it.get(fmu.references(fmu.description.states))

    def test_interleaved(self):
        for fmu in FMU.values():
            alone = [self.reference_run(fmu, stiffness=k) for k in (300.0, 500.0)]
            its = [instantiate(fmu, "cs") for _ in range(2)]
            for it, k in zip(its, (300.0, 500.0)):
                it.assign(stiffness=k)
                it.initialize()
            for i in range(20):
                for it in its:
                    it.do_step(0.1 * i, 0.1)
            for it, expected in zip(its, alone):
                for a, b in zip(it.get(fmu.references(fmu.description.states)), expected):
                    self.assertAlmostEqual(a, b, delta=1e-12)
                it.free()

    def test_threads(self):
        fmu = FMU[3]
        stiffness = [300.0 + 50.0 * i for i in range(8)]
        alone = [self.reference_run(fmu, stiffness=k) for k in stiffness]
        found = [None] * len(stiffness)

        def work(i):
            found[i] = self.reference_run(fmu, stiffness=stiffness[i])

        threads = [threading.Thread(target=work, args=(i,)) for i in range(len(stiffness))]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(found, alone)

    def test_wrong_token_and_name(self):
        for fmu in FMU.values():
            for kind in ("me", "cs"):
                with self.assertRaises(Failed) as caught:
                    instantiate(fmu, kind, token="mock-0002")
                self.assertIn("not that of this model", str(caught.exception))
                with self.assertRaises(Failed) as caught:
                    instantiate(fmu, kind, name="  ")
                self.assertIn("no name", str(caught.exception))

    def test_no_logger(self):
        f = FMU[3].library.fmi3InstantiateModelExchange
        f.restype = C.c_void_p
        self.assertFalse(f(b"it", b"wrong", None, C.c_bool(False), C.c_bool(True), None, None))
        handle = f(b"it", b"mock-0001", None, C.c_bool(False), C.c_bool(True), None, None)
        self.assertTrue(handle)
        FMU[3].library.fmi3FreeInstance(C.c_void_p(handle))
        FMU[3].library.fmi3FreeInstance(None)

    def test_versions(self):
        for v, name in ((3, b"3.0"), (2, b"2.0")):
            f = getattr(FMU[v].library, f"fmi{v}GetVersion")
            f.restype = C.c_char_p
            self.assertEqual(f(), name)


class Refused(Both):
    """Wrong orders of calls, and what cannot be done: an error with words, after which the instance is terminated
    but can be reset."""

    def test_orders(self):
        me = [("me", "instantiated", n) for n in ("ExitInitializationMode", "EnterEventMode", "Terminate",
                                                  "EnterContinuousTimeMode")]
        me += [("me", "event mode", n) for n in ("EnterEventMode", "EnterStepMode", "ExitInitializationMode")]
        cs = [("cs", "step mode", n) for n in ("EnterEventMode", "EnterStepMode", "EnterContinuousTimeMode",
                                               "ExitInitializationMode")]
        for kind, mode, name in me + cs:
            with instantiate(FMU[3], kind) as it:
                if mode != "instantiated":
                    it.initialize()
                self.refused(ERROR, it.call, name, told=name)
                self.refused(ERROR, it.enter_initialization, told="terminated")
                it.call("Reset")
                it.initialize()

    def test_arrays_and_steps(self):
        for fmu in FMU.values():
            with instantiate(fmu, "cs") as it:
                it.initialize(0.0, 1.0)
                self.refused(ERROR, it.states, told="co-simulation")
            for t, h, told in ((0.5, 0.1, "vehicle is at 0"), (0.0, 0.0, "positive"), (0.0, -1.0, "positive"),
                               (0.0, 1.5, "announced"), (0.0, float("nan"), "positive")):
                with instantiate(fmu, "cs") as it:
                    it.initialize(0.0, 1.0)
                    self.refused(ERROR, it.do_step, t, h, told=told)
            with instantiate(fmu, "me") as it:
                it.initialize()
                self.refused(ERROR, it.do_step, 0.0, 1.0, told="DoStep")
            with instantiate(fmu, "me") as it:
                it.initialize(0.0, 1.0)
                it.update_discrete()
                it.call("EnterContinuousTimeMode")
                self.refused(ERROR, it.array, "GetEventIndicators", 3, told="3 values")
                self.refused(ERROR, it.call, "SetTime", C.c_double(0.1), told="terminated")
                it.call("Reset")
                it.initialize(0.0, 1.0)
                it.update_discrete()
                it.call("EnterContinuousTimeMode")
                self.refused(ERROR, it.call, "SetTime", C.c_double(2.0), told="announced")

    def test_absurd_times_are_rejected_at_once(self):
        inf, nan = float("inf"), float("nan")
        for fmu in FMU.values():
            for h in (1e300, 1e12, 1e308, inf, nan, -inf, 0.0):
                with instantiate(fmu, "cs") as it:
                    it.initialize()
                    self.refused(ERROR, it.do_step, 0.0, h, told="positive and at most 1e+06 s")
            for start in (1e300, -1e300, inf, nan):
                with instantiate(fmu, "cs") as it:
                    self.refused(ERROR, it.enter_initialization, start, told="span of time")
            for t in (1e300, -1e300, inf, nan):
                with instantiate(fmu, "me") as it:
                    it.initialize()
                    it.update_discrete()
                    it.call("EnterContinuousTimeMode")
                    self.refused(DISCARD, it.call, "SetTime", C.c_double(t), told="it must be finite and within")

    def test_values(self):
        for fmu in FMU.values():
            with instantiate(fmu, "me") as it:
                self.refused(DISCARD, it.value, "height", told="before the initialization")
                self.assertEqual(it.value("stiffness"), 400.0)
                self.refused(DISCARD, it.set, [fmu.reference("lift")], [1e3], told="between -100 and 100")
                self.refused(DISCARD, it.set, [fmu.reference("lift")], [float("inf")], told="not finite")
                self.assertEqual(it.value("lift"), 0.0)
                self.refused(ERROR, it.get, [999], told="999")
                it.call("Reset")
                for name in ("height", "states.z", "time", "indicators.contact", "objectives.effort"):
                    self.refused(ERROR, it.set, [fmu.reference(name)], [0.0])
                    it.call("Reset")
            with instantiate(fmu, "cs") as it:
                it.assign(stiffness=666.0)
                self.refused(ERROR, it.initialize, told="no equilibrium")
                it.call("Reset")
                it.initialize()

    def test_other_types(self):
        one = (REF := references([1]))
        room_ = (C.c_double * 1)()
        for name in ("Float32", "Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32", "Int64", "UInt64", "Boolean",
                     "String"):
            for verb in ("Get", "Set"):
                with Instance3(FMU[3]) as it:
                    self.refused(ERROR, it.call, verb + name, one, C.c_size_t(1), room_, C.c_size_t(1))
                with Instance3(FMU[3]) as it:
                    it.call(verb + name, None, C.c_size_t(0), None, C.c_size_t(0))
        for name in ("Boolean", "String", "Integer"):
            for verb in ("Get", "Set"):
                with Instance2(FMU[2]) as it:
                    self.refused(ERROR, it.call, verb + name, REF, C.c_size_t(1), room_)
        with Instance3(FMU[3]) as it:
            self.refused(ERROR, it.call, "GetFloat64", one, C.c_size_t(1), room_, C.c_size_t(2), told="2 values")
        with Instance3(FMU[3]) as it:
            self.refused(ERROR, it.call, "GetFloat64", None, C.c_size_t(1), None, C.c_size_t(1), told="NULL")

    def test_all_functions_are_there(self):
        with Instance3(FMU[3]) as it:
            for name in ("EnterConfigurationMode", "ExitConfigurationMode", "EvaluateDiscreteStates"):
                self.refused(ERROR, it.call, name, told="does not provide")
            for name in ("GetNumberOfVariableDependencies", "GetVariableDependencies",
                         "GetIntervalDecimal", "GetIntervalFraction", "GetShiftDecimal", "GetShiftFraction",
                         "SetIntervalDecimal", "SetIntervalFraction", "SetShiftDecimal", "SetShiftFraction",
                         "ActivateModelPartition", "GetBinary", "SetBinary", "GetClock", "SetClock",
                         "InstantiateScheduledExecution"):
                self.assertTrue(hasattr(FMU[3].library, "fmi3" + name), name)
        with Instance2(FMU[2]) as it:
            for name in ("CancelStep",):
                self.refused(ERROR, it.call, name, told="does not provide")
            it.call("Reset")
            self.refused(ERROR, it.call, "SetRealInputDerivatives", None, C.c_size_t(0), None, None)
            it.call("Reset")
            self.refused(ERROR, it.call, "GetRealOutputDerivatives", None, C.c_size_t(0), None, None,
                         told="instantiated")
            it.call("Reset")
            last = C.c_double()
            it.initialize()
            it.do_step(0.0, 0.5)
            it.call("GetRealStatus", C.c_int(2), C.byref(last))
            self.assertEqual(last.value, 0.5)
            self.refused(DISCARD, it.call, "GetStringStatus", C.c_int(1), C.byref(C.c_char_p()))

    def test_log_categories(self):
        with instantiate(FMU[3], "cs", event_mode=True, early_return=True, log=False) as it:
            self.refused(ERROR, it.call, "SetDebugLogging", C.c_bool(True), C.c_size_t(1),
                         (C.c_char_p * 1)(b"logAll"), told="logAll")
            it.call("Reset")
            it.initialize()
            it.update_discrete()
            it.call("EnterStepMode")
            it.said.clear()
            it.do_step(0.0, 0.4)
            self.assertEqual(it.said, [])
            it.call("SetDebugLogging", C.c_bool(True), C.c_size_t(1), (C.c_char_p * 1)(b"logEvents"))
            it.do_step(it.value("time"), 0.4)
            self.assertEqual([c for _, c, _ in it.said], ["logEvents"])


if __name__ == "__main__":
    unittest.main()
