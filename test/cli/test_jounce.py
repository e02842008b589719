#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The program seen from outside: exit codes, messages, JSON, settings, files, determinism."""
import csv
import json
import math
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from program import PROGRAM, jounce

STEP = "models/buggy/step_descent.yaml"
PENDULUM = "models/mechanisms/pendulum.yaml"


def run_json(*args):
    return json.loads(jounce("run", *args, "--json").stdout)


CART = """jounce: 1
name: cart
gravity: [0, 0, 0]
parameters: {to: 3}
bodies: {cart: {mass: 2}}
joints: {x: {type: prismatic, child: cart, axis: x%s}}
objectives: {two: {mean: 2}, late: {mean: t, window: [1, to]}}
simulation: {end: 4}
"""


def choices(command, option):
    """What the help of a command lists for an option."""
    line = next(line for line in jounce(command, "--help").stdout.splitlines() if line.startswith(f"  {option} "))
    return re.split(", | or ", line.split("NAME", 1)[1].strip())


class Methods(unittest.TestCase):
    """One list of integration methods: documents say what the program takes."""

    def test_documents_list_the_methods_of_the_program(self):
        methods, integrators = choices("run", "--method"), choices("sens", "--integrator")
        schema = json.loads(Path("docs/jounce.schema.json").read_text(encoding="utf-8"))
        self.assertEqual(schema["properties"]["simulation"]["properties"]["method"]["enum"], methods)
        for path, row, wanted in (("docs/cli.md", "| `--method M` | `auto`, `dopri5`", methods),
                                  ("docs/cli.md", "`--integrator M`", integrators),
                                  ("docs/format.md", "| `method` |", methods)):
            text = Path(path).read_text(encoding="utf-8")
            line = next(line for line in text.splitlines() if row in line)
            named = [name for name in re.findall("`([a-z0-9]+)`", line.split("|")[2]) if name in methods]
            self.assertEqual(named, wanted, path)

    def test_methods_that_need_a_step_say_so(self):
        for method in choices("run", "--method"):
            text = CART % "" + f"  method: {method}\n"
            with tempfile.NamedTemporaryFile("w", suffix=".yaml") as f:
                f.write(text.replace("simulation: {end: 4}\n", "simulation:\n  end: 4\n"))
                f.flush()
                is_fixed = method.startswith("rk") or method == "imex3"
                done = jounce("check", f.name, code=1 if is_fixed else 0)
                self.assertEqual(f"method {method} needs a 'step'" in done.stderr, is_fixed)


class Guards(unittest.TestCase):
    def write(self, text):
        f = tempfile.NamedTemporaryFile("w", suffix=".yaml")
        self.addCleanup(f.close)
        f.write(text)
        f.flush()
        return f.name

    def test_objectives_have_the_duration_of_the_run(self):
        path = self.write(CART % "")
        for end in ("4", "16"):
            answer = run_json(path, "--end", end, "--interpreter")
            self.assertAlmostEqual(answer["objectives"]["two"], 2, 12)

    def test_windows_are_part_of_the_run_in_every_command(self):
        path = self.write(CART % "")
        wanted = path + r":7: objective 'late': its window \[1, (3|5)\] s reaches outside of the run"
        self.assertRegex(jounce("run", path, "--end", "2", "--interpreter", code=1).stderr, wanted)
        for command in (["run"], ["check"], ["sens"], ["report", "-o", path + ".html"],
                        ["generate", "-o", path + ".d"]):
            more = [] if command[0] in ("check", "generate") else ["--interpreter"]
            done = jounce(command[0], path, *command[1:], "--set", "to=5", *more, code=1)
            self.assertRegex(done.stderr, wanted)
        done = jounce("sweep", path, "--param", "to=3:5:2", "--wrt", "none", "--interpreter")
        self.assertRegex(done.stdout, wanted)

    def test_drives_that_depend_on_the_motion_are_refused(self):
        text = (CART % "").replace("cart: {mass: 2}", "cart: {mass: 2}, b: {mass: 1}")
        path = self.write(text.replace("axis: x}", "axis: x}, s: {type: prismatic, child: b, "
                                       "axis: y, drive: 2*x}"))
        for command in ("check", "run", "static", "info"):
            done = jounce(command, path, code=1)
            self.assertRegex(done.stderr, path + ":6: 's' depends on coordinate 'x'; a driven")

    def test_wheels_that_stand_are_told(self):
        done = jounce("run", STEP, "--set", "speed=0", code=1)
        self.assertRegex(done.stderr, "vehicle.yaml:[0-9]+: tyre 'f[rl].tyre': its wheel stands")
        self.assertEqual(done.stdout, "")


class Use(unittest.TestCase):
    def test_help_and_version(self):
        for args in (["--help"], ["run", "--help"], ["info", "-h"], ["check", "--help"]):
            self.assertIn("usage: jounce", jounce(*args).stdout)
        self.assertRegex(jounce("--version").stdout,
                         r"^jounce \d+\.\d+\.\d+\nprocessor [a-z0-9-]+, \d doubles in a vector\n$")

    def test_wrong_use_is_two_and_one_line(self):
        for args in (["run"], ["run", PENDULUM, "other.yaml"], ["run", PENDULUM, "--speed", "3"],
                     ["run", PENDULUM, "--tol"], ["run", PENDULUM, "--tol", "small"],
                     ["run", PENDULUM, "--set", "g"], ["run", PENDULUM, "--set", "=3"],
                     ["run", PENDULUM, "-o", "results.xls"], ["run", PENDULUM, "--json=yes"],
                     ["run", PENDULUM, "--method", "euler"]):
            done = jounce(*args, code=2)
            self.assertEqual(done.stdout, "")
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertIn("jounce run", done.stderr)
        self.assertIn("no command 'walk'", jounce("walk", code=2).stderr)
        jounce(code=2)

    def test_bad_model_is_one_and_says_where(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as f:
            f.write("jounce: 1\nname: bad\nbodies:\n  rod: {mass: -1}\njonts: {}\n")
            f.flush()
            for command in ("run", "info", "check"):
                done = jounce(command, f.name, code=1)
                self.assertEqual(done.stdout, "")
                lines = done.stderr.splitlines()
                self.assertGreaterEqual(len(lines), 2)
                for line in lines:
                    self.assertRegex(line, "^" + f.name + r":\d+: ")
            answer = json.loads(jounce("check", f.name, "--json", "--quiet", code=1).stdout)
            self.assertFalse(answer["valid"])
            self.assertEqual(answer["errors"], lines)
        self.assertIn("nowhere.yaml", jounce("run", "nowhere.yaml", code=1).stderr)

    def test_options_that_cannot_be_are_one(self):
        for args in (["--end", "-1"], ["--tol", "0"], ["--method", "rk4"], ["--set", "no_such=1"]):
            done = jounce("run", PENDULUM, "--interpreter", *args, code=1)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_check(self):
        self.assertIn("valid", jounce("check", STEP).stdout)
        self.assertEqual(jounce("check", STEP, "--quiet").stdout, "")
        self.assertTrue(json.loads(jounce("check", "--syntax-only", "--json", STEP).stdout)["valid"])


class Run(unittest.TestCase):
    def test_step_descent(self):
        answer = run_json(STEP)
        self.assertAlmostEqual(answer["objectives"]["psi"], 16.418234, delta=2e-6)
        self.assertAlmostEqual(answer["final"]["y1"], 0.098e-3, delta=0.5e-6)
        self.assertLess(answer["closure_residual"], 1e-10)
        self.assertTrue(answer["complete"])
        self.assertGreater(answer["steps"], 100)
        self.assertGreater(answer["evaluations"], answer["steps"])
        self.assertGreater(answer["cpu_s"], 0)
        self.assertAlmostEqual(answer["real_time_factor"], 4.5 / answer["cpu_s"], delta=1e-6 * 4.5 /
                               answer["cpu_s"])
        times = [e["t"] for e in answer["events"]]
        self.assertEqual(times, sorted(times))
        for event in answer["events"]:
            self.assertEqual(set(event), {"t", "name", "on"})
            self.assertIsInstance(event["on"], bool)

    def test_interpreter_gives_the_same_run(self):
        compiled, interpreted = run_json(PENDULUM), run_json(PENDULUM, "--interpreter")
        for name, value in compiled["final"].items():
            self.assertAlmostEqual(value, interpreted["final"][name], delta=1e-9)

    def test_set_changes_the_result_wherever_it_stands(self):
        nominal = run_json(PENDULUM)
        after = run_json(PENDULUM, "--set", "g=9.7")
        before = run_json("--set=g=9.7", PENDULUM)
        path = run_json(PENDULUM, "--set", "parameters.g.value=9.7")
        self.assertNotEqual(nominal["final"]["angle"], after["final"]["angle"])
        self.assertEqual(after["final"], before["final"])
        self.assertEqual(after["final"], path["final"])
        self.assertEqual(after["settings"], "g=9.7")
        # the angle depends on g/l alone
        scaled = run_json(PENDULUM, "--set", "g=19.4", "--set", "l=2")
        self.assertAlmostEqual(scaled["final"]["angle"], after["final"]["angle"], delta=1e-7)

    def test_options_reach_the_run(self):
        answer = run_json(PENDULUM, "--end", "1.5", "--method", "rk4", "--step", "0.01")
        self.assertEqual(answer["method"], "rk4")
        self.assertEqual(answer["t_reached"], 1.5)
        # four per step, and one at the start
        self.assertEqual(answer["evaluations"], 4 * answer["steps"] + 1)
        loose, tight = run_json(PENDULUM, "--tol", "1e-6"), run_json(PENDULUM, "--tol", "1e-11")
        self.assertLess(loose["steps"], tight["steps"])
        self.assertAlmostEqual(loose["final"]["angle"], tight["final"]["angle"], delta=1e-3)

    def test_summary_names_what_came_out(self):
        text = jounce("run", STEP).stdout
        for word in ("psi", "16.418", "m^2/s^3", "x1", "events", "evaluations", "times real time"):
            self.assertIn(word, text)
        self.assertNotIn("\033", text)  # not a terminal

    def test_failed_run_keeps_its_rows(self):
        with tempfile.TemporaryDirectory() as folder:
            model, out = os.path.join(folder, "m.yaml"), os.path.join(folder, "m.csv")
            with open(model, "w", encoding="utf-8") as f:
                f.write("jounce: 1\nname: escaping\ngravity: [0, 0, 0]\n"
                        "bodies:\n  cart: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}\n"
                        "joints:\n  slide: {type: prismatic, parent: ground, child: cart, "
                        "at: [0, 0, 0], axis: [1, 0, 0]}\n"
                        "forces:\n  push: {on: slide, torque: slide^3}\n"
                        "initial:\n  slide: {value: 1, rate: 1}\nsimulation: {end: 5}\n")
            done = jounce("run", model, "--interpreter", "--json", "-o", out, code=1)
            self.assertFalse(json.loads(done.stdout)["complete"])
            self.assertNotEqual(done.stderr, "")
            with open(out, encoding="utf-8") as f:
                self.assertGreater(len(f.readlines()), 100)


class Files(unittest.TestCase):
    def test_csv_holds_the_run_and_is_the_same_twice(self):
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in ("a.csv", "b.csv")]
            for path in paths:
                answer = run_json(PENDULUM, "-o", path)
            texts = [Path(path).read_bytes() for path in paths]
            self.assertEqual(texts[0], texts[1])
            lines = texts[0].decode().splitlines()
            self.assertIn("# sha256: " + answer["sha256"], lines)
            rows = list(csv.reader(line for line in lines if not line.startswith("#")))
            names, units, data = rows[0], rows[1], rows[2:]
            self.assertEqual((names[0], units[0]), ("t", "s"))
            self.assertEqual(len(data), 101)
            last = dict(zip(names, map(float, data[-1])))
            self.assertEqual(last["t"], 10)
            self.assertEqual(last["angle"], answer["final"]["angle"])
            self.assertEqual(last["psi"], answer["objectives"]["psi"])

    def test_hdf5_is_the_same_twice(self):
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in ("a.h5", "b.h5")]
            for path in paths:
                done = subprocess.run([PROGRAM, "run", PENDULUM, "-o", path], capture_output=True,
                                      text=True, check=False)
                if "built without HDF5" in done.stderr:
                    self.skipTest("built without HDF5")
                self.assertEqual(done.returncode, 0, done.stderr)
            texts = [Path(path).read_bytes() for path in paths]
            self.assertTrue(texts[0].startswith(b"\x89HDF"))
            self.assertEqual(texts[0], texts[1])

    def test_unwritable_file_is_one(self):
        done = jounce("run", PENDULUM, "-o", "no/such/folder/a.csv", code=1)
        self.assertIn("no/such/folder/a.csv", done.stderr)


class Info(unittest.TestCase):
    def test_buggy(self):
        info = json.loads(jounce("info", STEP, "--json").stdout)
        self.assertEqual(info["dof"], 14)
        self.assertLessEqual(len(info["coordinates"]), 29)
        roles = [c["role"] for c in info["coordinates"]]
        for role in ("independent", "dependent", "driven"):
            self.assertEqual(info[role], [c["name"] for c in info["coordinates"] if c["role"] == role])
            self.assertEqual(len(info[role]), roles.count(role))
        self.assertEqual(len(info["independent"]), info["dof"])
        self.assertEqual(info["closure_equations"], len(info["dependent"]) + len(info["redundant"]))
        self.assertLess(info["equations_kept"], 0.7 * info["equations_generated"])
        before, after = info["operations"]["before"], info["operations"]["after"]
        for counts in (before, after):
            self.assertEqual(sum(v for k, v in counts.items() if k != "total"), counts["total"])
        self.assertLess(after["total"], before["total"])
        self.assertAlmostEqual(sum(b["mass"] for b in info["bodies"]), 212.674, delta=1e-3)
        self.assertEqual({p["name"]: p["value"] for p in info["parameters"]}["k_f"], 16000)

    def test_parameters_are_evaluated_and_set(self):
        info = json.loads(jounce("info", PENDULUM, "--json", "--set", "m=2*3").stdout)
        value = {p["name"]: p["value"] for p in info["parameters"]}
        self.assertEqual(value["m"], 6)
        self.assertAlmostEqual(value["start"], math.pi / 2, delta=1e-15)
        self.assertEqual(info["bodies"][0], {"name": "rod", "mass": 6})

    def test_text(self):
        text = jounce("info", STEP).stdout
        for word in ("18 bodies", "14 independent", "14 degrees of freedom", "redundant",
                     "superfluous", "written", "kept"):
            self.assertIn(word, text)


class Analysis(unittest.TestCase):
    def test_static_wheels_carry_the_weight(self):
        found = json.loads(jounce("static", STEP, "--json").stdout)
        loads = sum(found["sensors"][f"load_{w}"] for w in ("fr", "fl", "rr", "rl"))
        self.assertAlmostEqual(loads / (212.674 * 9.81), 1, delta=1e-5)
        self.assertEqual((found["dof"], found["held"]), (14, 7))
        self.assertLess(found["residual"], 1e-8)
        self.assertIn("static equilibrium", jounce("static", STEP).stdout)

    def test_static_failure_names_what_moves(self):
        stone = ("jounce: 1\nname: stone\nbodies:\n  stone: {mass: 1, inertia: [1, 1, 1]}\n"
                 "joints:\n  fall: {type: prismatic, parent: ground, child: stone, at: [0, 0, 0],"
                 " axis: [0, 0, 1]}\nsimulation: {end: 1}\n")
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as f:
            f.write(stone)
            f.flush()
            self.assertIn("'fall'", jounce("static", f.name, code=1).stderr)

    def test_modes_of_a_pendulum(self):
        # a rod swings about its end with sqrt(3 g / 2 l), whatever its mass
        info = json.loads(jounce("info", PENDULUM, "--json").stdout)
        value = {p["name"]: p["value"] for p in info["parameters"]}
        found = json.loads(jounce("modes", PENDULUM, "--at", "static", "--json").stdout)
        self.assertEqual(len(found["modes"]), 1)
        mode = found["modes"][0]
        expected = math.sqrt(1.5 * value["g"] / value["l"])
        self.assertAlmostEqual(mode["im"] / expected, 1, delta=1e-6)
        self.assertAlmostEqual(mode["frequency"] * 2 * math.pi, mode["im"], delta=1e-12)
        self.assertEqual(list(mode["shape"].values()), [[1, 0]])

    def test_modes_along_a_run(self):
        largest = []
        for at in ([], ["--at", "0"], ["--at", "0.5"], ["--at", "static"]):
            modes = json.loads(jounce("modes", STEP, "--json", *at).stdout)["modes"]
            largest.append(max(math.hypot(m["re"], m["im"]) for m in modes))
            count = sum(2 if m["im"] else 1 for m in modes)
            self.assertEqual(count, 28)
        self.assertEqual(largest[0], largest[1])
        self.assertAlmostEqual(largest[0], 362, delta=5)
        self.assertIn("damping", jounce("modes", STEP).stdout)
        jounce("modes", STEP, "--at", "noon", code=2)
        jounce("modes", STEP, "--at", "-1", code=1)

    def test_generated_code_drives_without_jounce(self):
        with tempfile.TemporaryDirectory() as d:
            made = json.loads(jounce("generate", STEP, "-o", d + "/c", "--json").stdout)
            self.assertEqual(made["files"], len([f for f in Path(d, "c").rglob("*") if f.is_file()]))
            subprocess.run(["make", "-s", "-j2", "-C", d + "/c", "CFLAGS=-O0"], check=True,
                           stdout=subprocess.DEVNULL)
            text = subprocess.run([d + "/c/model"], check=True, capture_output=True, text=True).stdout
        psi = next(float(x.split()[2]) for x in text.splitlines() if x.startswith("psi = "))
        run = json.loads(jounce("run", STEP, "--json").stdout)
        self.assertAlmostEqual(psi / run["objectives"]["psi"], 1, delta=1e-13)  # events and all
        jounce("generate", STEP, code=2)
        self.assertIn("/proc/x", jounce("generate", PENDULUM, "-o", "/proc/x", code=1).stderr)

    def test_report_is_one_page(self):
        with tempfile.TemporaryDirectory() as d:
            pages = []
            for name in ("a.html", "b.html"):
                made = json.loads(jounce("report", PENDULUM, "-o", f"{d}/{name}", "--json",
                                         "--interpreter").stdout)
                pages.append(Path(d, name).read_bytes())
                self.assertEqual(made["bytes"], len(pages[-1]))
            self.assertEqual(pages[0], pages[1])
            self.assertIn(made["sha256"], pages[0].decode())
            self.assertIn("<canvas", pages[0].decode())
            jounce("report", PENDULUM, "-o", f"{d}/c.html", "--no-replay", "--interpreter")
            self.assertNotIn("<canvas", Path(d, "c.html").read_text(encoding="utf-8"))
            jounce("report", PENDULUM, "-o", f"{d}/d.html", "--wrt", "nothing", code=1)
            self.assertFalse(Path(d, "d.html").exists())
        jounce("report", PENDULUM, code=2)
        jounce("report", PENDULUM, "-o", "page.pdf", code=2)

    def test_report_draws_in_a_browser(self):
        chromium = shutil.which("chromium")
        if not chromium:
            self.skipTest("no chromium")
        with tempfile.TemporaryDirectory() as d:
            jounce("report", STEP, "-o", d + "/page.html")
            seen = subprocess.run(
                [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
                 "--no-first-run", "--disable-background-networking",
                 "--disable-component-update", "--disable-sync", "--user-data-dir=" + d + "/profile",
                 "--virtual-time-budget=2000", "--dump-dom", f"file://{d}/page.html#t=2.1"],
                capture_output=True, text=True, check=True, timeout=120).stdout
            # the script ran to its end: it writes the clock after everything is drawn
            self.assertIn('<span id="clock">2.10 s</span>', seen)


if __name__ == "__main__":
    unittest.main()
