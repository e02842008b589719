#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""jounce sweep seen from outside: files, kills, Ctrl-C, other sweeps' journals, wrong use."""
import csv
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = os.path.abspath(sys.argv.pop(1))
CAR = "test/models/sweep_quarter_car.yaml"
BUGGY = "models/buggy/step_descent.yaml"


def sweep(*args, code=0):
    done = subprocess.run([PROGRAM, "sweep", *args], capture_output=True, text=True, check=False)
    if done.returncode != code:
        raise AssertionError(f"jounce sweep {' '.join(args)}: exit {done.returncode}, expected "
                             f"{code}\n{done.stderr}")
    return done


def run(*args, code=0):
    done = subprocess.run([PROGRAM, "run", *args, "--json", "--quiet"], capture_output=True, text=True, check=False)
    if done.returncode != code:
        raise AssertionError(f"jounce run {' '.join(args)}: exit {done.returncode}, expected {code}\n{done.stderr}")
    return json.loads(done.stdout)["objectives"] if code == 0 else {}


def read_csv(path):
    rows = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    table = list(csv.reader(rows))
    return table[0], table[1], [[float(x) for x in row] for row in table[2:]]


class Sweep(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.out = Path(self.folder.name) / "out.csv"
        self.journal = Path(self.folder.name) / "out.csv.journal"

    def tearDown(self):
        self.folder.cleanup()

    @staticmethod
    def scale(row, name, derivative):
        """What errors are measured by: the derivative, or 1 % of objective over number."""
        value = row[3 if "comfort" in name else 4]
        return max(abs(derivative), 0.01 * abs(value) / row[0 if name.endswith(" k") else 1])

    def test_rough_derivatives_are_told(self):
        for wrt, told in (("bodies.body.mass", True), ("c", False)):
            done = sweep(CAR, "--interpreter", "--param", "k=8000:24000:2", "--wrt", wrt, "-o",
                         str(self.out))
            self.assertEqual("derivatives may be off by more than" in done.stderr, told, done.stderr)

    def test_lost_values_are_told_once(self):
        model = Path(self.folder.name) / "small.yaml"
        model.write_text("jounce: 1\nname: small\nparameters: {k: 100, a: 1}\nbodies: {b: {mass: 1}}\n"
                         "joints: {x: {type: prismatic, child: b, axis: x}}\nforces: {spring: {on: x, force: k*x}}\n"
                         "initial: {x: a}\nobjectives:\n  top: {peak: x, power: 200}\n  slow: {mean: x^2, filter: lowpass, frequency: 5}\n"
                         "  fine: {final: x}\nsimulation: {end: 2, tolerance: 1.0e-5}\n")
        done = sweep(str(model), "--interpreter", "--param", "a=0.0001:1:4", "--wrt", "none")
        told = done.stderr.splitlines()
        self.assertEqual(len(told), 3, done.stderr)
        self.assertIn("small.yaml:9: objective 'top' is in doubt at 1 of 4 points: the worst came out as 0 and may have no true digit", told[0])
        self.assertIn("small.yaml:10: objective 'slow' is in doubt at 1 of 4 points", told[1])
        # 1e-4 cos(20) = 4.08e-5: the run has 3.94e-5
        self.assertRegex(told[2], "small.yaml:11: objective 'fine' is in doubt at 1 of 4 points: .* a more accurate run comes to 4.08e-05")
        self.assertEqual(sweep(str(model), "--interpreter", "--param", "a=0.9:1:2", "--wrt", "none").stderr, "")

    def test_units(self):
        outs = [self.out, Path(self.folder.name) / "other.csv"]
        for out, ends in zip(outs, ("8000:24000:3", "8 N/mm:24 kN/m:3")):
            sweep(CAR, "--interpreter", "--wrt", "none", "--param", f"k={ends}", "-o", str(out))
        self.assertEqual(*(out.read_bytes() for out in outs))
        for ends, said in (("8 N/mmm:9:2", "--param k=8 N/mmm: --set: parameter 'k': value: unknown unit 'mmm'"),
                           ("8:9 kg:2", "--param k=9 kg: ")):
            done = sweep(CAR, "--interpreter", "--param", f"k={ends}", code=1)
            self.assertEqual(len(done.stderr.splitlines()), 1)
            self.assertIn(said, done.stderr)
        # a value that the model cannot have is a point that fails, with a unit and without
        for ends in ("0:16000:3", "0 N/mm:16 N/mm:3"):
            told = json.loads(sweep(CAR, "--interpreter", "--wrt", "none", "--param", f"k={ends}", "--json").stdout)
            self.assertEqual([p["status"] < 0 for p in told["points"]], [True, False, False])
        # nor has an end to be cut off at, or a deviation, to be such a value
        sweep(CAR, "--interpreter", "--wrt", "none", "--sample", "2", "--param", "k=normal(16 N/mm, 1 N/mm, 0 N/mm, inf)")
        self.assertIn("only parameters can", sweep(CAR, "--interpreter", "--param", "bodies.body.mass=1 kg:2 kg:2", code=1).stderr)

    def test_what_cannot_be_done_is_told(self):
        point = [CAR, "--interpreter", "--param", "k=15000:16000:2"]
        for args, code, said in ((["--stream", "-o", str(self.out)], 2, "--stream needs -o FILE.h5"),
                                 (["--sample", "1000000000"], 2, "1 to 100000000"), (["--workers", "0"], 2, "1 or more"),
                                 (["--batch", "--set", "simulation.method=esdirk5"], 0,
                                  "one by one, not side by side: lanes have explicit methods only")):
            self.assertIn(said, sweep(*point, *args, code=code).stderr)
        done = sweep(CAR, "--interpreter", "--param", "k=lognormal(16000, 1e300)", "--sample", "2", code=1)
        self.assertIn("too large for a lognormal distribution", done.stderr)

    LANES = """jounce: 1
parameters: {w: 1}
bodies: {b: {mass: 1}}
joints: {x: {type: prismatic, child: b, axis: x}}
forces: {s: {on: x, stiffness: STIFFNESS, damping: 2}, f: {on: x, force: "FORCE"}}
initial: {x: {value: 0.01, rate: 0.3}}
objectives: {x_end: {final: x}, work: {integral: x.rate^2}}
simulation: {end: 0.5, method: METHOD, step: 1e-3}
"""

    def test_lanes_stop_where_runs_do(self):
        """Unstable fixed steps, conditions without a value and conditions faster than steps, among points that have none of them."""
        cases = (("w", "0", "w=1e3:6e7:4", [False, True, True, True], ("rk2", "rk3", "rk4")),
                 ("100", "if(sqrt(w - t) > 0.3, 1, 2)", "w=0.2:1:3", [True, False, False], ("rk4", "dopri5")),
                 ("100", "if(sin(1e4*w*t + 1) > 0, 1, -1)", "w=0.001:1:3", [False] * 3, ("rk4", "dopri5")),
                 ("100", "if(sin(1e20*w*t) > 0, 1, -1)", "w=1e-19:1:3", [False, True, True], ("rk4", "dopri5")))
        model = Path(self.folder.name) / "lanes.yaml"
        for stiffness, force, grid, fails, methods in cases:
            for method in methods:
                model.write_text(self.LANES.replace("STIFFNESS", stiffness).replace("FORCE", force).replace("METHOD", method))
                points = json.loads(sweep(str(model), "--interpreter", "--param", grid, "--wrt", "none", "--batch", "--json").stdout)["points"]
                self.assertEqual([p["status"] < 0 for p in points], fails, (force, method))
                for p in points:
                    alone = run(str(model), "--set", f"w={p['parameters']['w']!r}", "--interpreter", code=1 if p["status"] < 0 else 0)
                    for name, value in alone.items():
                        # events are within 1e-13 s of each other; adaptive steps within a few tolerances
                        self.assertAlmostEqual(p["objectives"][name]["value"], value, delta=1e-6 * abs(value), msg=(force, method, p))

    OSCILLATOR = """jounce: 1
parameters: {k: 900, c: 0}
gravity: [0, 0, 0]
bodies: {b: {mass: 1}}
joints: {x: {type: prismatic, axis: x, child: b}}
forces: {s: {on: x, stiffness: k, damping: c}}
initial: {x: 1}
objectives: {x: {final: x}, r: {rms: x}}
simulation: {end: 10, method: METHOD, step: STEP}
"""

    def oscillator(self, method="rk4", step="0.05"):
        path = Path(self.folder.name) / "oscillator.yaml"
        path.write_text(self.OSCILLATOR.replace("METHOD", method).replace("STEP", step))
        return str(path)

    def test_values_of_steps_that_are_too_long_are_told(self):
        """30 rad/s in steps of 0.05 s: x was 5e-6 and r 0.150, of 0.02 and 0.707, and nothing was said."""
        points = ["--interpreter", "--param", "k=899:901:2"]
        for how in (["--wrt", "none"], [], ["--method", "adjoint"], ["--wrt", "none", "--batch"], ["--batch"]):
            done = sweep(self.oscillator(), *points, *how, "--json")
            told = [line for line in done.stderr.splitlines() if "objective" in line]
            self.assertEqual(len(told), 2, done.stderr)
            for name, line in zip("xr", told):
                self.assertRegex(line, f"oscillator.yaml:8: objective '{name}' is in doubt at 2 of 2 points: the worst came out as .* and may have no "
                                       "true digit: it changes to about .* with steps shorter than 0.05 s; hint: a smaller --step, or an adaptive method")
            self.assertNotIn("--tol", done.stderr)
            for p in json.loads(done.stdout)["points"]:
                self.assertRegex(p["message"], "objective 'r' came out as 0.1[45].* and may have no true digit: with shorter steps it is about 0.62")
        sweep(self.oscillator(), *points, "--wrt", "none", "-o", str(self.out))
        self.assertIn("  in doubt\n", sweep(self.oscillator(), *points, "--wrt", "none").stdout)
        self.assertNotIn("lack derivatives", sweep(self.oscillator(), *points).stdout)
        self.assertIn("# row 1: objective 'x' came out as", self.out.read_text())
        for method, step in (("rk4", "0.001"), ("dopri5", "0.05"), ("auto", "0.05")):
            for how in ([], ["--batch"]):
                self.assertNotIn("doubt", sweep(self.oscillator(method, step), *points, "--wrt", "none", *how).stderr)

    def test_points_are_doubted_as_runs_are(self):
        for k in "100", "400", "900":
            for step in "0.002", "0.005", "0.01", "0.02":
                model = self.oscillator(step=step)
                alone = subprocess.run([PROGRAM, "run", model, "--interpreter", "--set", f"k={k}"], capture_output=True, text=True, check=True)
                points = json.loads(sweep(model, "--interpreter", "--wrt", "none", "--param", f"k={k}:{int(k) + 1}:2", "--json").stdout)["points"]
                for name in "xr":
                    told = f"objective '{name}'"
                    self.assertEqual(told in alone.stderr, told in points[0].get("message", ""), (k, step, alone.stderr))

    def test_a_sample_of_points_side_by_side_is_checked(self):
        points = ["--interpreter", "--param", "k=100:900:1000", "--wrt", "none", "--batch"]
        done = sweep(self.oscillator(step="0.02"), *points, "--workers", "2")
        self.assertNotIn("one by one", done.stderr)
        self.assertRegex(done.stderr, "objective 'x' is in doubt at [5-8] of 8 points that were checked, of 1000: ")
        self.assertEqual(sweep(self.oscillator(step="0.02"), *points, "--workers", "1").stderr, done.stderr)

    def test_motions_that_are_not_followed_are_told(self):
        """|h lambda| = 2: stable, and far from exp(-2)."""
        text = self.OSCILLATOR.replace("c: 0", "c: 100").replace("METHOD", "rk4").replace("STEP", "0.04").replace("end: 10", "end: 3").replace(", r: {rms: x}", "")
        path = Path(self.folder.name) / "slow.yaml"
        path.write_text(text)
        for how in ([], ["--batch"]):
            told = sweep(str(path), "--interpreter", "--wrt", "none", "--param", "k=2500:2600:3", *how).stderr
            self.assertRegex(told, r"rk4 with steps of 0.04 s does not follow the motion at 3 of 3 points: 'x.*hint: --step below \S+ s, or an adaptive method")

    def test_unstable_equilibria_are_told(self):
        """A pendulum upside down on a damped spring, stable from k = m g l on: 1.1 s^2 + s + k - m g l = 0 has a root of 1.69 at k = 5."""
        path = Path(self.folder.name) / "upside_down.yaml"
        path.write_text("jounce: 1\nparameters: {k: 200}\nbodies: {b: {mass: 1, com: [0, 0, 1], inertia: [0.1, 0.1, 0.1]}}\n"
                        "joints: {y: {type: revolute, axis: y, child: b}}\nforces: {s: {on: y, stiffness: k, damping: 1}}\n"
                        "objectives: {y: {final: y}}\nsimulation: {end: 1, start_at: static}\n")
        for how in (["--wrt", "none"], [], ["--wrt", "none", "--batch"]):
            told = sweep(str(path), "--interpreter", "--param", "k=5:15:3", *how).stderr
            self.assertRegex(told, "the static equilibrium is unstable at 1 of 3 points: a small push grows with a rate of up to 1.69 1/s, most in 'y'")
            self.assertNotIn("unstable", sweep(str(path), "--interpreter", "--param", "k=10:15:3", *how).stderr)

    def test_hints_are_keys_of_files_where_a_command_has_no_option(self):
        page = Path(self.folder.name) / "page.html"
        told = subprocess.run([PROGRAM, "report", self.oscillator(), "--interpreter", "--wrt", "k", "-o", str(page)], capture_output=True, text=True,
                              check=True).stderr
        self.assertIn("hint: a smaller 'simulation.step', or an adaptive method", told)
        self.assertNotIn("--step", told)
        study = Path(self.folder.name) / "study.yaml"
        study.write_text("study: 1\nmodel: oscillator.yaml\nparts:\n  - range: {parameter: k, from: 899, to: 901, points: 2, objectives: [x]}\n")
        told = subprocess.run([PROGRAM, "study", str(study), "--interpreter"], capture_output=True, text=True, check=True).stderr
        self.assertIn("hint: a smaller 'simulation.step'", told)
        self.assertNotIn("--step", told)

    def test_hints_are_options_of_the_command(self):
        told = sweep(CAR, "--interpreter", "--param", "at=0:0.5:2", "--param", "rod=-1:1:2").stderr
        self.assertIn("points failed; the first, at = 0, rod = -1: ", told)
        self.assertIn("may be off by more than", told)
        self.assertNotIn("--derivative-tol", told)

    def test_few_points(self):
        """What there is not is no number: of one point a deviation, of points that all failed anything."""
        one = sweep(CAR, "--interpreter", "--param", "k=15000:16000", "--sample", "1", "--statistics").stdout
        self.assertIn("  deviation -\n", one)
        none = sweep(CAR, "--interpreter", "--param", "rod=-2:-1", "--sample", "2", "--statistics", code=1).stdout
        self.assertIn("comfort, 0 points", none)
        self.assertNotIn("nan", one + none)

    def test_distributions(self):
        outs = [Path(self.folder.name) / f"{i}.csv" for i in range(3)]
        laws = (["--param", "k=normal(16000, 800)", "--param", "c=lognormal(1100, 100, 900, inf)"],
                ["--param", "k=normal(16 N/mm, 0.8 N/mm)", "--param", "c=lognormal(1100, 0.1 kN s/m, 900, inf)"])
        for out, law, workers in zip(outs, (*laws, laws[0]), ("1", "1", "2")):
            sweep(CAR, "--interpreter", "--wrt", "none", *law, "--correlate", "k,c=0.8", "--sample", "64",
                  "--sampling", "sobol", "--seed", "3", "--workers", workers, "-o", str(out))
        self.assertEqual(outs[0].read_bytes(), outs[1].read_bytes())
        self.assertEqual(outs[0].read_bytes(), outs[2].read_bytes())
        self.assertIn("# design: sobol", outs[0].read_text())
        self.assertIn("k: normal(16000, 800) in [-inf, inf]; c: lognormal(1100, 100) in [900, inf]; correlation k,c:",
                      outs[0].read_text())
        rows = read_csv(outs[0])[2]
        mean = [sum(row[i] for row in rows) / 64 for i in (0, 1)]
        self.assertAlmostEqual(mean[0], 16000, delta=20)
        self.assertTrue(all(row[1] >= 900 for row in rows))
        spread = [sum((row[i] - mean[i]) ** 2 for row in rows) for i in (0, 1)]
        both = sum((row[0] - mean[0]) * (row[1] - mean[1]) for row in rows)
        self.assertAlmostEqual(both / (spread[0] * spread[1]) ** 0.5, 0.8, delta=0.05)

    def test_statistics(self):
        args = [CAR, "--interpreter", "--param", "k=normal(16000, 1600)", "--param", "c=1000:1200", "--param", "k_t=150000:170000",
                "--sampling", "sobol", "--end", "0.6"]
        answer = json.loads(sweep(*args, "--sample", "64", "--indices", "--wrt", "k,c", "--json", "-o", str(self.out)).stdout)
        self.assertEqual(answer["done"], 64 * 5)
        names, _, rows = read_csv(self.out)
        told = self.out.read_text()
        for name in ("comfort", "travel"):
            found = answer["statistics"][name]
            pairs = [row[names.index(name)] for i, row in enumerate(rows) if i % 5 < 2]
            mean = sum(pairs) / 128
            self.assertAlmostEqual(found["mean"] / mean, 1, delta=1e-13)
            self.assertAlmostEqual(found["deviation"] ** 2, sum((y - mean) ** 2 for y in pairs) / 127, delta=1e-12 * mean ** 2)
            self.assertEqual(found["least"], min(pairs))
            self.assertIn(f"# statistic mean of {name}: ", told)
            self.assertIn(f"# statistic total index of {name} by k: ", told)
            # the spring is nearly all of it; derivatives bound the others from above
            self.assertGreater(found["total"]["k"], 0.8)
            self.assertLess(found["total"]["k_t"], 0.1)
            self.assertGreater(found["total_bound"]["c"] * 1.1, found["total"]["c"])
            self.assertIsNone(found["total_bound"]["k_t"])
        text = sweep(*args, "--sample", "16", "--statistics").stdout
        self.assertIn("total index below", text)
        self.assertNotIn("first order", text)
        self.assertIn("--indices", sweep(*args, "--sample", "4", "--indices", "--correlate", "k,c=0.5", code=2).stderr)
        self.assertIn("--sample", sweep(CAR, "--param", "k=1:2:2", "--indices", code=2).stderr)

    def test_wrong_distributions(self):
        for code, said, *args in (
                (2, "a distribution needs --sample", "--param", "k=normal(1, 2)"),
                (2, "--param needs NAME=FROM:TO with --sample, or", "--param", "k=normal(1)", "--sample", "4"),
                (2, "--param needs", "--param", "k=gamma(1, 2)", "--sample", "4"),
                (2, "--param needs", "--param", "k=uniform(1, 2, 3, 4)", "--sample", "4"),
                (2, "--param needs", "--param", "k=uniform(1, inf)", "--sample", "4"),
                (2, "--sampling", "--param", "k=1:2", "--sample", "4", "--sampling", "sobolev"),
                (2, "--correlate needs NAME,NAME=R", "--param", "k=1:2", "--sample", "4", "--correlate", "k=1"),
                (1, "deviation finite and positive", "--param", "k=normal(1, -2)", "--sample", "4"),
                (1, "the second must be larger", "--param", "k=normal(1, 2, 3, 3)", "--sample", "4"),
                (1, "'c' does not vary", "--param", "k=1:2", "--sample", "4", "--correlate", "k,c=0.5"),
                (1, "not positive definite", "--param", "k=1:2", "--param", "c=1:2", "--param", "k_t=1:2", "--sample", "4",
                 "--correlate", "k,c=0.9", "--correlate", "c,k_t=0.9", "--correlate", "k,k_t=-0.9")):
            told = sweep(CAR, "--interpreter", "--wrt", "none", *args, code=code).stderr
            self.assertIn(said, told)

    def test_table(self):
        sweep(CAR, "--interpreter", "--param", "k=8000:24000:5", "--param", "c=500:1500:3",
              "--wrt", "k,c,bodies.body.mass", "-o", str(self.out))
        names, units, rows = read_csv(self.out)
        gradient = [f"d {psi} / d {p}" for psi in ("comfort", "travel")
                    for p in ("k", "c", "bodies.body.mass")]
        self.assertEqual(names, ["k", "c", "status", "comfort", "travel", *gradient,
                                 *(f"error of {g}" for g in gradient), "events", "evaluations"])
        for row in rows:
            for name, derivative, error in zip(gradient, row[5:11], row[11:17]):
                self.assertGreater(error, 0, name)
                # the car rests before the step, and only its mass moves it then: that one is rough
                if not name.endswith("mass"):
                    self.assertLess(error, 1e-3 * self.scale(row, name, derivative), name)
        self.assertEqual(units[:6], ["N/m", "N s/m", "", "m/s^2", "m", "(m/s^2)/(N/m)"])
        self.assertEqual([row[:3] for row in rows],
                         [[k, c, 0] for k in (8000, 12000, 16000, 20000, 24000)
                          for c in (500, 1000, 1500)])
        self.assertFalse(self.journal.exists())

    def test_json_is_the_file(self):
        args = [CAR, "--interpreter", "--param", "step=0.02:0.1", "--param", "at=0.1:0.3",
                "--sample", "7", "--seed", "5"]
        answer = json.loads(sweep(*args, "-o", str(self.out), "--json").stdout)
        names, _, rows = read_csv(self.out)
        self.assertEqual(answer["design"], "halton")
        self.assertEqual((answer["done"], answer["failed"], answer["complete"]), (7, 0, True))
        for point, row in zip(answer["points"], rows, strict=True):
            row = dict(zip(names, row))
            for name in ("step", "at"):
                self.assertEqual(point["parameters"][name], row[name])
                for objective in ("comfort", "travel"):
                    found = point["objectives"][objective]
                    self.assertEqual(found["value"], row[objective])
                    self.assertEqual(found["gradient"][name], row[f"d {objective} / d {name}"])

    def test_derivatives_belong_to_the_values(self):
        # neighbours on a fine grid: the mean slope between two points is the derivative in the middle
        sweep(CAR, "--interpreter", "--param", "k=15999:16001:3", "--tol", "1e-11",
              "-o", str(self.out))
        names, _, rows = read_csv(self.out)
        for objective in ("comfort", "travel"):
            value = [row[names.index(objective)] for row in rows]
            slope = rows[1][names.index(f"d {objective} / d k")]
            self.assertAlmostEqual((value[2] - value[0]) / 2 / slope, 1, delta=1e-5)

    def test_failed_points(self):
        args = [CAR, "--interpreter", "--param", "rod=-1:1:3", "--wrt", "none"]
        done = sweep(*args, "-o", str(self.out))
        self.assertIn("2 of 3 points failed", done.stderr)
        _, _, rows = read_csv(self.out)
        self.assertEqual([row[1] < 0 for row in rows], [True, True, False])
        self.assertIn("# row 0: ", self.out.read_text())
        sweep(CAR, "--interpreter", "--param", "rod=-2:-1:2", "--quiet", code=1)

    def test_kill_and_go_on(self):
        args = [BUGGY, "--param", "k_f=8000:24000:16", "--wrt", "k_f,c_f,k_r,c_r,m_c", "-o"]
        whole = Path(self.folder.name) / "whole.csv"
        sweep(*args, str(whole), "--workers", "2")
        rounds, finished = 0, False
        while not finished:
            before = self.journal.stat().st_size if self.journal.exists() else 0
            process = subprocess.Popen([PROGRAM, "sweep", *args, str(self.out)],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            # killed once it has got on with its work
            while process.poll() is None:
                size = self.journal.stat().st_size if self.journal.exists() else 0
                if size > before + 300:
                    process.kill()
                time.sleep(0.002)
            # one that is killed between its output and the end goes on, too
            finished = process.wait() == 0
            rounds += 1
            self.assertLess(rounds, 40)
        self.assertGreater(rounds, 1)
        self.assertEqual(self.out.read_bytes(), whole.read_bytes())
        self.assertFalse(self.journal.exists())

    def test_interrupt_leaves_a_journal_and_says_so(self):
        args = [BUGGY, "--param", "k_f=8000:24000:40", "-o", str(self.out), "--workers", "1"]
        process = subprocess.Popen([PROGRAM, "sweep", *args], text=True, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        while process.poll() is None and not (self.journal.exists()
                                              and self.journal.stat().st_size > 200):
            time.sleep(0.002)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
        self.assertEqual(process.returncode, 1)
        self.assertIn("goes on from " + str(self.journal), errors)
        self.assertTrue(self.journal.exists())
        self.assertFalse(self.out.exists())
        # another sweep leaves it alone, unless it is told not to
        other = [BUGGY, "--param", "k_f=8000:24000:2", "-o", str(self.out)]
        self.assertIn(str(self.journal), sweep(*other, code=1).stderr)
        self.assertIn("are done", sweep(*args).stderr)
        self.assertEqual(len(read_csv(self.out)[2]), 40)

    def test_restart(self):
        self.journal.write_bytes(b"")
        args = [CAR, "--interpreter", "--param", "k=8000:24000:2", "-o", str(self.out)]
        sweep(*args, "--restart")
        self.assertFalse(self.journal.exists())
        self.journal.write_text("not a journal")
        sweep(*args, "--restart", code=1)
        self.assertEqual(self.journal.read_text(), "not a journal")

    def test_hdf5_holds_the_same(self):
        out = Path(self.folder.name) / "out.h5"
        args = [CAR, "--interpreter", "--param", "k=8000:24000:3", "-o"]
        sweep(*args, str(out), "--workers", "1")
        first = out.read_bytes()
        self.assertEqual(first[:8], b"\x89HDF\r\n\x1a\n")
        sweep(*args, str(out), "--workers", "3")
        self.assertEqual(out.read_bytes(), first)

    def test_wrong_use_is_two_and_one_line(self):
        k = ["--param", "k=1:2:3"]
        for args in ([], ["--param", "k"], ["--param", "k=1:2"], ["--param", "k=1:2:0"],
                     ["--param", "k=1:2:3:4"], ["--param", "=1:2:3"], ["--param", "k=1:b:3"], ["--param", "k=1+1:2:3"], ["--param", "k=1 N/m:2 N/m"],
                     [*k, "--sample", "3"], ["--param", "k=1:2", "--sample", "0"],
                     ["--param", "k=1:2", "--sample", "3", "--grid"], [*k, "--method", "magic"],
                     [*k, "--events", "none"], [*k, "--wrt", "a,,b"], [*k, "--workers", "0"],
                     [*k, "-o", "out.xls"], [*k, "--seed", "0.5"], [*k, "--single"]):
            done = sweep(CAR, *args, code=2)
            self.assertEqual(done.stdout, "")
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for args in (["--param", "kk=1:2:3"], [*k, "--wrt", "x"], ["--param", "k_2=1:2:3"],
                     [*k, "--device", "cpu", "--single"]):
            self.assertEqual(len(sweep(CAR, *args, code=1).stderr.splitlines()), 1)


if __name__ == "__main__":
    unittest.main()
