#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""jounce loads seen from outside: peaks, events, comparison, files, redesign, sensitivities."""
import csv
import json
import shutil
import tempfile
import unittest
from pathlib import Path

from program import jounce

TRACKED = "models/tracked/bump.yaml"
BOUNCER = "test/models/bouncer.yaml"


def loads(*args):
    return json.loads(jounce("loads", *args, "--json").stdout)


class Use(unittest.TestCase):
    def test_help(self):
        for args in (["loads", "--help"], ["loads", "reconstruct", "--help"]):
            self.assertIn("usage: jounce loads", jounce(*args).stdout)

    def test_wrong_use_is_two(self):
        for args in (["loads"], ["loads", BOUNCER, "-o", "x.txt"], ["loads", "reconstruct"],
                     ["loads", BOUNCER, "--plot", "x.svg"],
                     ["loads", BOUNCER, "--compare", "fixed@fast"],
                     ["loads", BOUNCER, "--driver", "hybrid"]):
            self.assertEqual(len(jounce(*args, code=2).stderr.splitlines()), 1)

    def test_what_cannot_be_is_one(self):
        for args in (["--compare", "fixed@200", "--elements", "nothing"], ["--rate", "0"], ["--slope", "-1"],
                     ["--wrt", "nothing"], ["--end", "-1"]):
            self.assertEqual(jounce("loads", BOUNCER, *args, code=1).stdout, "")


class FixedSteps(unittest.TestCase):
    def test_errors_that_are_not_known_are_not_zero(self):
        with tempfile.TemporaryDirectory() as folder:
            model = Path(folder) / "m.yaml"
            for method, known in (("rk4, step: 0.05", False), ("dopri5", True)):
                model.write_text("jounce: 1\nparameters: {k: 900}\ngravity: [0, 0, 0]\nbodies: {b: {mass: 1}}\n"
                                 "joints: {x: {type: prismatic, axis: x, child: b}}\nforces: {s: {on: x, stiffness: k}}\n"
                                 "initial: {x: 1}\nsimulation: {end: 2, method: " + method + "}\n")
                done = jounce("loads", str(model), "--interpreter", "--wrt", "k")
                self.assertEqual("estimated errors of these figures: at most" in done.stdout, known)
                self.assertEqual("errors of these figures are not known" in done.stdout, not known)
                self.assertEqual("have no error estimates with method rk4" in done.stderr, not known)


class Tracked(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.found = loads(TRACKED, "--rate", "500", "--interpreter")

    def test_every_arm_is_within_one_percent(self):
        converged = {1: 144.912, 4: 239.053, 5: 653.084, 6: 199.677, 10: 306.102}  # [kN m]
        for arm, peak in converged.items():
            value = self.found["peaks"][f"arm_{arm}.moment"]["value"]
            self.assertAlmostEqual(-1e-3 * value, peak, delta=0.01 * peak)
        self.assertAlmostEqual(self.found["peaks"]["arm_1.moment"]["time"], 14.758, delta=1e-3)

    def test_hull(self):
        hull = self.found["hull"]
        for name, value, off in (("x", 136.333241, 0.02), ("y", -24.693436, 0.02),
                                 ("z", 0.847471, 0.02), ("yaw", -5.762748, 0.1)):
            self.assertAlmostEqual(hull[name], value, delta=off)

    def test_cost(self):
        self.assertLess(self.found["evaluations"], 1.3 * 30000)
        self.assertLessEqual(self.found["worst_step_evaluations"],
                             self.found["guaranteed_step_evaluations"])
        self.assertGreater(self.found["real_time_factor"], 0)

    def test_events_tell_where_they_began(self):
        impact = [e for e in self.found["events"]
                  if e["element"] == "arm_1.moment" and e["peak"] < -140e3]
        self.assertEqual(len(impact), 1)
        self.assertEqual(impact[0]["coordinate"], "arm_1.arm")
        self.assertGreater(impact[0]["speed"], 5)
        self.assertLess(impact[0]["impulse"], -100)

    def test_run_that_breaks_down_keeps_its_loads(self):
        done = jounce("loads", TRACKED, "--driver", "fixed", "--rate", "200", "--json",
                      "--interpreter", code=1)
        run = json.loads(done.stdout)
        self.assertFalse(run["complete"])
        self.assertAlmostEqual(1e-3 * run["peaks"]["arm_1.moment"]["value"], -125.6, delta=0.1)
        self.assertIn("not finite", done.stderr)


class Bouncer(unittest.TestCase):
    def test_comparison(self):
        answer = loads(BOUNCER, "--compare", "fixed@1000,adaptive,subcycle@200", "--end", "20")
        runs = {r["run"]: r for r in answer["runs"]}
        self.assertEqual(list(runs), ["converged", "fixed@1000", "adaptive", "subcycle@200"])
        self.assertLess(abs(runs["subcycle@200"]["errors"]["stop"]), 0.01)
        self.assertAlmostEqual(runs["fixed@1000"]["evaluations_over_fixed"], 1)

    def test_plot(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "p.svg"
            jounce("loads", BOUNCER, "--compare", "fixed@500", "--plot", str(path), "--end", "5")
            text = path.read_text()
            self.assertTrue(text.startswith("<svg") and "fixed@500" in text)

    def test_files_and_redesign(self):
        with tempfile.TemporaryDirectory() as folder:
            path, events = Path(folder) / "b.csv", Path(folder) / "b.events"
            run = loads(BOUNCER, "--rate", "200", "-o", str(path), "--set", "m_mass=19")
            lines = path.read_text().splitlines()
            rows = [r for r in csv.reader(lines) if r and not r[0].startswith("#")]
            self.assertEqual(rows[0], ["t", "stop", "motor"])
            again = json.loads(jounce("loads", "reconstruct", str(events), "--json").stdout)
            self.assertEqual(again["settings"], "m_mass=19")
            self.assertEqual(len(again["events"]), len(run["events"]))
            for e in again["events"]:
                if abs(e["then"]) > 1000:
                    self.assertAlmostEqual(e["peak"] / e["then"], 1, delta=0.01)
            softer = json.loads(jounce("loads", "reconstruct", str(events), "--set", "hardness=40",
                                       "--json").stdout)
            surface = json.loads(jounce("loads", "reconstruct", str(events), "--set",
                                        "hardness=40", "--surface", "--json").stdout)
            self.assertEqual(surface["surfaces"], 1)
            self.assertLess(surface["mismatch"], 0.05)
            peak = max(abs(e["peak"]) for e in softer["events"])
            self.assertLess(peak, 0.9 * max(abs(e["then"]) for e in softer["events"]))
            self.assertAlmostEqual(max(abs(e["peak"]) for e in surface["events"]) / peak, 1,
                                   delta=0.05)

    def test_events_find_their_model_from_anywhere(self):
        with tempfile.TemporaryDirectory() as folder:
            project, elsewhere = Path(folder) / "project", Path(folder) / "elsewhere"
            for path in (project / "models", project / "runs", elsewhere):
                path.mkdir(parents=True)
            model = project / "models" / "b.yaml"
            shutil.copy(BOUNCER, model)
            jounce("loads", "models/b.yaml", "--end", "5", "-o", "runs/b.events", "--quiet", cwd=project)
            self.assertIn("# model: ../models/b.yaml\n", (project / "runs/b.events").read_text())
            again = ["loads", "reconstruct", "--quiet", "--json"]
            first = jounce(*again, "runs/b.events", cwd=project)
            self.assertEqual(jounce(*again, str(project / "runs/b.events"), cwd=elsewhere).stdout,
                             first.stdout)
            self.assertEqual(jounce(*again, "b.events", cwd=project / "runs").stdout, first.stdout)
            # the whole project moves
            moved = project.rename(Path(folder) / "moved")
            self.assertEqual(jounce(*again, str(moved / "runs/b.events")).stdout, first.stdout)
            # both are gathered in one folder
            shutil.copy(moved / "models/b.yaml", elsewhere)
            shutil.copy(moved / "runs/b.events", elsewhere)
            self.assertEqual(jounce(*again, str(elsewhere / "b.events")).stdout, first.stdout)
            # the model changes, and goes
            with open(elsewhere / "b.yaml", "a", encoding="utf-8") as f:
                f.write("# later\n")
            said = jounce(*again[:2], str(elsewhere / "b.events")).stderr
            self.assertRegex(said, "warning: .*b.events: the model file .*b.yaml has changed since")
            (elsewhere / "b.yaml").unlink()
            done = jounce(*again, str(elsewhere / "b.events"), code=1)
            self.assertRegex(done.stderr, "b.events: the model of the events is gone: .*models/b.yaml")
            self.assertIn("beside the events", json.loads(done.stdout)["error"]["hint"])

    def test_events_of_another_model_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "b.events"
            jounce("loads", BOUNCER, "--end", "5", "-o", str(path), "--quiet")
            path.write_text(path.read_text().replace(",slide.rate", ",slide.speed"))
            self.assertIn("states", jounce("loads", "reconstruct", str(path), code=1).stderr)

    def test_same_run_same_bytes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = [Path(folder) / f"{k}.csv" for k in "ab"]
            for p in path:
                jounce("loads", BOUNCER, "--end", "5", "-o", str(p))
            self.assertEqual(path[0].read_bytes(), path[1].read_bytes())

    def test_sensitivities_follow_differences(self):
        end = ["--end", "3"]
        s = loads(BOUNCER, "--wrt", "hardness,m_mass", *end)["elements"]["stop"]
        for name, value in (("hardness", 60.0), ("m_mass", 20.0)):
            h = 1e-4 * value
            up, down = (loads(BOUNCER, "--wrt", "hardness", *end, "--set", f"{name}={x}",
                              "--tol", "1e-11")["elements"]["stop"] for x in (value + h, value - h))
            for key in ("peak", "damage"):
                self.assertAlmostEqual(s["d_" + key][name] * 2 * h / (up[key] - down[key]), 1,
                                       delta=0.01)


if __name__ == "__main__":
    unittest.main()
