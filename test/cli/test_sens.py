#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""jounce sens and jounce benchmark seen from outside."""
import csv
import json
import math
import os
import re
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from program import jounce

STEP = "models/buggy/step_descent.yaml"
BOUNCE = "test/models/sens_bounce.yaml"
FIVE = ["k_f", "c_f", "k_r", "c_r", "m_c"]

# Converged at tolerance 1e-12, direct = adjoint = extrapolated differences; docs: models/buggy.
STD_FROZEN = [2.0492625e-4, 9.3208444e-4, -3.9111976e-5, 7.5215377e-4, 4.0093217e-2]
STD_EXACT = [2.3196391e-4, 9.3237452e-4, -4.2374933e-5, 7.5790954e-4, 3.2378832e-2]
DLC_FROZEN = [3.9610787e-8, -1.2866066e-8, -5.1464160e-8, -4.2628588e-8, 2.5361843e-6]
DLC_EXACT = [3.9610764e-8, -1.2866059e-8, -5.1464411e-8, -4.2628246e-8, 2.5361548e-6]


def sens_json(*args, code=0):
    return json.loads(jounce("sens", *args, "--json", code=code).stdout)


class Near(unittest.TestCase):
    def near(self, value, expected, relative):
        self.assertLessEqual(abs(value - expected), relative * abs(expected), (value, expected))

    def gradient_near(self, gradient, expected, relative):
        self.assertEqual(list(gradient), FIVE)
        for value, wanted in zip(gradient.values(), expected):
            self.near(value, wanted, relative)


class Use(unittest.TestCase):
    def test_wrong_use_is_two_and_one_line(self):
        for args in (["sens"], ["sens", BOUNCE, "--method", "guess"], ["sens", BOUNCE, "--events", "no"],
                     ["sens", BOUNCE, "-o", "x.svg"], ["sens", BOUNCE, "--per", "much"],
                     ["sens", BOUNCE, "--integrator", "bdf"], ["sens", BOUNCE, "--history", "z"],
                     ["sens", BOUNCE, "--history", "z", "--method", "adjoint"],
                     ["benchmark"], ["benchmark", "lorry"]):
            done = jounce(*args, code=2)
            self.assertEqual(done.stdout, "")
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_what_cannot_be_is_one(self):
        for args in (["--wrt", "mass"], ["--tol", "0"], ["--history", "nothing", "-o", "/tmp/none.csv"],
                     ["--per", "nothing=1"]):
            done = jounce("sens", BOUNCE, "--interpreter", *args, code=1)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn("no objectives",
                      jounce("sens", "test/models/disc.yaml", "--interpreter", code=1).stderr)


# A ball that starts just where a stop begins: another start of the stop is felt on one side only.
BRINK = """
jounce: 1
parameters: {gap: 0.1, k: 4000}
gravity: [0, 0, -9.81]
bodies: {ball: {mass: 2}}
joints: {z: {type: prismatic, child: ball, axis: z}}
forces: {stop: {on: z, force: "k*max(gap - length, 0)"}}
objectives: {height: {final: z}}
initial: {z: {value: 0.1, rate: 0}}
simulation: {end: 0.02}
"""

# A stiff slider at rest for three seconds: weights that go backward through its steps run away.
LATE = """
jounce: 1
parameters: {m: 2, k: 2.8e5, c: 8000, f: 7}
gravity: [0, 0, 0]
bodies: {ball: {mass: m}}
joints: {z: {type: prismatic, child: ball, axis: z}}
forces:
  stiff: {on: z, stiffness: k, damping: c}
  load: {on: z, force: "if(t < 2.9, 0, if(t < 2.93, f*sin(pi*(t - 2.9)/0.03), 0))"}
objectives: {dv: {integral: z.acc}, push: {integral: z}}
simulation: {end: 3}
"""


def written(folder, text):
    path = os.path.join(folder, "model.yaml")
    Path(path).write_text(text, encoding="utf-8")
    return path


class Doubt(Near):
    def test_one_sided_derivatives_are_told(self):
        with tempfile.TemporaryDirectory() as folder:
            path = written(folder, BRINK)
            for method in ("direct", "adjoint"):
                done = jounce("sens", path, "--interpreter", "--json", "--wrt", "gap,k", "--method", method)
                made = json.loads(done.stdout)
                error = made["objectives"]["height"]["gradient_error"]
                self.assertIsNone(error["gap"])
                self.assertIsNotNone(error["k"])
                self.assertFalse(made["is_within"])
                self.assertIn("those of one side", done.stderr)
                self.assertIn("'gap'", done.stderr)
            done = jounce("sweep", path, "--interpreter", "--param", "k=4000:5000:2", "--wrt", "gap", "-o",
                          os.path.join(folder, "x.csv"))
            self.assertIn("those of one side", done.stderr)
            page = os.path.join(folder, "x.html")
            jounce("report", path, "--interpreter", "--wrt", "gap", "-o", page)
            self.assertIn('<td class="n faint">one side</td>', Path(page).read_text(encoding="utf-8"))
            beside = written(folder, BRINK.replace("value: 0.1", "value: 0.0999"))
            done = jounce("sens", beside, "--interpreter", "--wrt", "gap")
            self.assertNotIn("one side", done.stderr + done.stdout)

    def test_weights_that_run_away_are_found_again(self):
        with tempfile.TemporaryDirectory() as folder:
            path = written(folder, LATE)
            made = {m: sens_json(path, "--interpreter", "--wrt", "k,f", "--method", m)["objectives"]
                    for m in ("direct", "adjoint")}
            for o in ("dv", "push"):
                for n in ("k", "f"):
                    a, b = (made[m][o]["gradient"][n] for m in made)
                    allowed = sum(made[m][o]["gradient_error"][n] for m in made)
                    self.assertLessEqual(abs(a - b), allowed, (o, n))
            # pulled slowly, c z' + k z = -F: the integral of z is that of -F over k, 2 f 0.03 / (pi k), less
            # what is still to come
            self.near(-made["adjoint"]["push"]["gradient"]["f"], 2*0.03/math.pi/2.8e5, 0.1)

WINDOWED = """
jounce: 1
parameters: {k: 900, edge: 0.6314}
bodies: {mass: {mass: 10}}
joints: {z: {type: prismatic, child: mass, axis: z}}
forces: {spring: {on: z, stiffness: k, damping: 8}}
objectives: {x: {final: z}, early: {mean: z, window: [0, edge]}}
initial: {z: 0.1}
simulation: {end: 1, method: rk3, step: 0.003}
"""
CHAOS = """jounce: 1
parameters: {m: 1}
hardpoints: {O: [0, 0, 0], E: [0, 0, -1]}
bodies:
  upper: {mass: m, com: [0, 0, -0.5], inertia: [0.01, 0.01, 0.01]}
  lower: {mass: 1, com: [0, 0, -1.5], inertia: [0.01, 0.01, 0.01]}
joints:
  upper: {type: revolute, child: upper, at: O, axis: y}
  lower: {type: revolute, parent: upper, child: lower, at: E, axis: y}
initial: {upper: 2.5, lower: 1}
objectives: {x: {final: upper}}
simulation: {end: 25}
"""


class Sens(Near):
    def test_step_descent(self):
        answer = sens_json(STEP, "--wrt", ",".join(FIVE))
        self.assertLessEqual({"objectives", "events", "cpu_s", "evaluations", "parameters"}, set(answer))
        psi = answer["objectives"]["psi"]
        self.near(psi["value"], 16.418234, 1e-7)
        self.gradient_near(psi["gradient"], STD_EXACT, 1e-6)
        self.gradient_near(psi["gradient_frozen"], STD_FROZEN, 1e-6)
        self.assertEqual([p["name"] for p in answer["parameters"]], FIVE)
        self.assertEqual(answer["parameters"][0], {"name": "k_f", "value": 16000, "unit": "N/m",
                                                   "description": answer["parameters"][0]["description"]})
        self.assertEqual([r["parameter"] for r in psi["ranking"]], ["c_f", "c_r", "k_f", "m_c", "k_r"])
        self.near(psi["ranking"][0]["percent_per_percent"], 9.3237452e-4 * 1e4 / 16.418234, 1e-5)
        # every event tells what it adds; together they are exact less frozen
        for name in FIVE:
            total = sum(e["contribution"]["psi"][name] for e in answer["events"])
            self.assertAlmostEqual(total, psi["gradient"][name] - psi["gradient_frozen"][name],
                                   delta=1e-9 * abs(psi["gradient"][name]))
        for event in answer["events"]:
            self.assertLessEqual({"t", "name", "on", "rate", "dt"}, set(event))
        self.assertGreater(answer["cpu_s"], 0)
        self.assertGreater(answer["evaluations"], 1000)

    def test_times_add_up(self):
        # direct: the simulation is integrated together with the derivatives, and no part of its own
        parts = ("dynamics", "sensitivity", "errors", "contributions")
        for method, quick in (("auto", False), ("auto", True), ("adjoint", False)):
            with self.subTest(method=method, quick=quick):
                args = [STEP, "--wrt", "k_f,m_c", "--tol", "1e-6", "--method", method] + quick*["--quick"]
                answer = sens_json(*args)
                cpu = {p: answer[f"cpu_{p}_s"] for p in parts}
                self.assertAlmostEqual(sum(cpu.values()), answer["cpu_s"], delta=1e-12)
                self.assertEqual(answer["method"], "direct" if method == "auto" else method)
                self.assertEqual(cpu["dynamics"] > 0, method == "adjoint")
                self.assertEqual(cpu["errors"] > 0, not quick)
                self.assertEqual(cpu["contributions"] > 0, method == "auto")  # which needs both methods
                self.assertGreater(min(cpu["sensitivity"], answer["cpu_equations_s"]), 0)
                self.assertGreaterEqual(answer["cpu_command_s"], answer["cpu_s"] + answer["cpu_equations_s"])
                line = next(x for x in jounce("sens", *args).stdout.splitlines() if x.startswith("CPU time "))
                total, *figures = [float(x) for x in re.findall(r" (\d+\.\d\d)\b", line)]
                self.assertEqual("simulation" in line, method == "adjoint")
                self.assertEqual("error estimates" in line, not quick)
                self.assertGreaterEqual(len(figures), 4)
                self.assertAlmostEqual(sum(figures), total, delta=0.005*(len(figures) + 1) + 1e-9)  # as printed

    def test_events_that_add_nothing(self):
        # steering begins and ends at fixed times: no parameter moves these events, so that no adjoint pass is needed
        answer = sens_json("models/sedan/cornering.yaml", "--wrt", "k_front,k_rear", "--objective", "turn")
        psi = answer["objectives"]["turn"]
        self.assertNotEqual(psi["gradient"]["k_rear"], 0)
        self.assertEqual(psi["gradient_frozen"], psi["gradient"])
        self.assertEqual(len(answer["events"]), 2)
        for event in answer["events"]:
            self.assertEqual(event["contribution"]["turn"], {"k_front": 0, "k_rear": 0})
        self.assertEqual(answer["cpu_contributions_s"], 0)

    def test_all_numbers_by_the_adjoint(self):
        answer = sens_json(STEP, "--wrt", "all", "--method", "adjoint")
        gradient = answer["objectives"]["psi"]["gradient"]
        self.assertGreater(len(gradient), 300)
        self.assertEqual(len(gradient), len(answer["parameters"]))
        self.assertEqual(answer["method"], "adjoint")
        for name, wanted in zip(FIVE, STD_EXACT):
            self.near(gradient[name], wanted, 1e-6)
        idle = [r for r in answer["objectives"]["psi"]["ranking"] if r["influence"] == "idle"]
        self.assertIn("bodies.rl.wheel.inertia.zz", [r["parameter"] for r in idle])
        for row in idle:
            self.assertLess(abs(row["percent_per_percent"]), 1e-4)

    def test_methods_and_frozen_events(self):
        answers = [sens_json(BOUNCE, "--interpreter", "--method", m, "--events", "frozen")
                   for m in ("direct", "adjoint")]
        for name, objective in answers[0]["objectives"].items():
            for parameter, value in objective["gradient"].items():
                other = answers[1]["objectives"][name]["gradient"][parameter]
                self.assertAlmostEqual(value, other, delta=1e-10 * (1 + abs(value)))
        exact = sens_json(BOUNCE, "--interpreter")["objectives"]["final"]["gradient"]
        self.assertGreater(abs(exact["h"] - answers[0]["objectives"]["final"]["gradient"]["h"]), 0.05)

    def test_text_ranks_and_names_what_does_not_matter(self):
        text = jounce("sens", STEP, "--wrt", "k_f,m_c,bodies.rl.wheel.inertia.zz", "--per", "m_c=2").stdout
        for word in ("psi = 16.418", "% per 1 %", "by events", "per increment", "1 do not matter",
                     "bodies.rl.wheel.inertia.zz", "fl.tyre", "CPU time", "exact"):
            self.assertIn(word, text)
        self.assertLess(text.index("k_f"), text.index("m_c"))

    def test_check_agrees(self):
        done = jounce("sens", BOUNCE, "--interpreter", "--check", "--wrt", "k,c,h,v0,bodies.mass.com.z")
        self.assertIn("all agree", done.stdout)
        check = sens_json(BOUNCE, "--interpreter", "--check", "--wrt", "h,z0")["check"]
        for rows in check.values():
            for row in rows.values():
                self.assertTrue(row["agrees"])
                scale = 1e-3 + abs(row["direct"])
                self.assertAlmostEqual(row["direct"], row["adjoint"], delta=1e-9 * scale)
                self.assertAlmostEqual(row["direct"], row["difference"], delta=1e-7 * scale)

    def test_check_of_fixed_steps_is_of_the_motion(self):
        """The edge of a window cuts a fixed step, and so changes the errors of another objective, not its motion."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.yaml")
            Path(path).write_text(WINDOWED, encoding="utf-8")
            done = json.loads(jounce("sens", path, "--interpreter", "--check", "--wrt", "edge,k", "--json").stdout)
            row = done["check"]["x"]
            self.assertEqual(row["edge"]["direct"], 0.0)
            self.assertLess(abs(row["edge"]["difference"]), 1e-8)
            self.assertTrue(all(row[name]["agrees"] for name in row))
            # what is printed for k is off by the errors of the steps, and says so
            self.assertGreater(abs(row["k"]["direct"] - row["k"]["difference"]), 1e-7*abs(row["k"]["direct"]))

    def test_check_does_not_decide_by_errors_beyond_the_derivative(self):
        """A double pendulum that turns over and over: errors grow to more than any derivative of it."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.yaml")
            Path(path).write_text(CHAOS, encoding="utf-8")
            options = (path, "--interpreter", "--check", "--tol", "1e-6", "--derivative-tol", "1e6")
            done = jounce("sens", *options, code=1)
            self.assertIn("NOT DECIDED", done.stdout)
            self.assertIn("\nsome are not decided\n", done.stdout)
            self.assertNotIn("agree", done.stdout)
            self.assertIn("the check decides nothing about some derivatives", done.stderr)
            row = json.loads(jounce("sens", *options, "--json", code=1).stdout)["check"]["x"]["m"]
            self.assertGreater(row["direct_error"], abs(row["direct"]))
            self.assertIs(row["agrees"], False)
            self.assertIs(row["decided"], False)
            short = Path(path).read_text(encoding="utf-8").replace("end: 25", "end: 1")
            Path(path).write_text(short, encoding="utf-8")
            row = json.loads(jounce("sens", *options, "--json").stdout)["check"]["x"]["m"]
            self.assertIs(row["decided"], True)

    def test_vcurve_as_table_and_picture(self):
        with tempfile.TemporaryDirectory() as folder:
            svg, table = os.path.join(folder, "v.svg"), os.path.join(folder, "v.csv")
            text = jounce("sens", BOUNCE, "--interpreter", "--vcurve", "k", "--objective", "energy", "-o",
                          svg).stdout
            self.assertIn("d energy / d k", text)
            root = ElementTree.parse(svg).getroot()
            self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
            lines = root.findall("{http://www.w3.org/2000/svg}polyline")
            self.assertEqual(len(lines), 2)
            answer = sens_json(BOUNCE, "--interpreter", "--vcurve", "k", "-o", table)
            points = answer["vcurve"]["points"]
            self.assertEqual(len(points), 23)
            self.assertLess(min(p["central_error"] for p in points), 1e-6)
            with open(table, encoding="utf-8") as f:
                rows = list(csv.reader(line for line in f if not line.startswith("#")))
            self.assertEqual(len(rows), 24)
            self.assertEqual(float(rows[1][3]), points[0]["forward_error"])

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out.csv")
            jounce("sens", BOUNCE, "--interpreter", "-o", out)
            first = Path(out).read_bytes()
            with open(out, encoding="utf-8") as f:
                rows = list(csv.DictReader(line for line in f if not line.startswith("#")))
            answer = sens_json(BOUNCE, "--interpreter", "-o", out)
            self.assertEqual(Path(out).read_bytes(), first)
            self.assertEqual(len(rows), 4 * 7)
            for row in rows:
                gradient = answer["objectives"][row["objective"]]["gradient"]
                self.assertEqual(float(row["derivative"]), gradient[row["parameter"]])
            jounce("sens", BOUNCE, "--interpreter", "--wrt", "z0,k", "--history", "z,energy.kinetic",
                   "--output-step", "0.1", "-o", out)
            with open(out, encoding="utf-8") as f:
                rows = list(csv.reader(line for line in f if not line.startswith("#")))
            self.assertEqual(rows[0][:4], ["t", "z", "d z / d z0", "d z / d k"])
            self.assertEqual(len(rows), 2 + 8)
            self.assertAlmostEqual(float(rows[-1][2]), answer["objectives"]["final"]["gradient"]["z0"],
                                   delta=1e-9)

    def test_estimates_are_the_same_with_a_history(self):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "history.csv")
            options = (BOUNCE, "--interpreter", "--wrt", "z0,k", "--method", "direct", "--tol", "1e-7")
            plain = sens_json(*options)["objectives"]
            along = sens_json(*options, "--history", "z", "-o", out)["objectives"]
            quick = sens_json(*options, "--quick")["objectives"]
            for name, o in plain.items():
                self.assertEqual(o["gradient_error"], along[name]["gradient_error"], name)
                self.assertEqual(o["value_error"], along[name]["value_error"], name)
                self.assertEqual(o["gradient"], quick[name]["gradient"], name)
                self.assertNotEqual(o["gradient_error"], quick[name]["gradient_error"], name)


class Benchmark(Near):
    def test_buggy(self):
        with tempfile.TemporaryDirectory() as folder:
            answer = json.loads(jounce("benchmark", "buggy", "--json", "-o", folder).stdout)
            self.assertEqual(set(answer), {"std", "dlc"})
            std, dlc = answer["std"], answer["dlc"]
            self.near(std["psi"], 16.418234, 1e-7)
            self.near(dlc["psi"], 5.659532e-4, 1e-6)
            self.gradient_near(std["gradient_frozen"], STD_FROZEN, 1e-6)
            self.gradient_near(std["gradient_exact"], STD_EXACT, 1e-6)
            self.gradient_near(dlc["gradient_frozen"], DLC_FROZEN, 1e-6)
            self.gradient_near(dlc["gradient_exact"], DLC_EXACT, 1e-6)
            self.assertAlmostEqual(std["error"], 0.0902, delta=5e-5)
            self.assertAlmostEqual(dlc["error"], 0.2108, delta=5e-5)
            self.assertEqual((std["tolerance"], dlc["tolerance"]), (0.15, 0.30))
            for m in (std, dlc):
                # the measure is the documents' own sum
                weights = [1e4, 1e4, 1e4, 1e4, 1e2] if m is std else [1e8, 1e8, 1e8, 1e8, 1e6]
                total = sum(k * abs(m["gradient_frozen"][p] - m["reference"][p])
                            for k, p in zip(weights, FIVE))
                self.assertAlmostEqual(m["error"], total, delta=1e-12)
                self.assertTrue(m["pass"])
                self.assertGreater(m["cpu_s"]["dynamics"], 0)
                self.assertGreater(m["cpu_s"]["sensitivity"], 0)
                self.assertAlmostEqual(m["cpu_s"]["dynamics"] + m["cpu_s"]["sensitivity"], m["cpu_s"]["total"], delta=1e-12)
                self.assertLess(m["quick"]["deviation"], 1e-3)
            lines = Path(folder, "results.txt").read_text(encoding="utf-8").splitlines()
            self.assertEqual(len(lines), 2)
            for line, m, name in zip(lines, (std, dlc), ("results_std.txt", "results_dlc.txt")):
                numbers = [float(x) for x in line.split()]
                self.near(numbers[0], m["psi"], 1e-8)
                self.gradient_near(dict(zip(FIVE, numbers[1:])), m["gradient_frozen"].values(), 1e-8)
                self.assertEqual(Path(folder, name).read_text(encoding="utf-8"), line + "\n")

    def test_text_and_other_folders(self):
        with tempfile.TemporaryDirectory() as folder:
            text = jounce("benchmark", "buggy", "-o", folder).stdout
            for word in ("published", "events frozen", "exact", "0.0902  pass", "0.2108  pass", "CPU time",
                         "2.4 % above"):
                self.assertIn(word, text)
            done = jounce("benchmark", "buggy", "--models", folder, "-o", folder, code=1)
            self.assertIn("step_descent.yaml", done.stderr)
            jounce("benchmark", "buggy", "-o", os.path.join(folder, "nowhere"), code=1)


if __name__ == "__main__":
    unittest.main()
