#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nothing without limit: time, memory and stack of what models and options ask for."""
import json
import subprocess
import tempfile
import unittest
from pathlib import Path

from program import PROGRAM, jounce

PENDULUM = """jounce: 1
name: deep
parameters: {%(parameters)s}
bodies: {rod: {mass: 1, com: [0.1, 0, 0]}}
joints: {hinge: {type: revolute, child: rod, axis: y}}
signals:
%(signals)s
sensors: {out: %(out)s}
forces:
  push: {on: hinge, torque: 0}
%(forces)s
simulation: {end: 0.1}
"""


def lines(template, n):
    return "\n".join("  " + template.replace("I", str(i)).replace("NEXT", str(i + 1))
                     for i in range(n))


def model(parameters="k: 1", signals="  none: 0*t", forces="", out="t"):
    return PENDULUM % {"parameters": parameters, "signals": signals, "forces": forces, "out": out}


class Limits(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, text, name="model.yaml"):
        path = self.folder / name
        path.write_text(text)
        return str(path)

    def bounded(self, *args, stack=None, memory=2 << 30):
        """Exit code and messages, or a failed test when it takes more than that. A shell sets the limits: between fork and exec,
        where threads of this process may hold locks, nothing of Python is run."""
        limits = f"ulimit -v {memory >> 10} && " + (f"ulimit -s {stack >> 10} && " if stack else "") + 'exec "$@"'
        done = subprocess.run(["sh", "-c", limits, "sh", PROGRAM, *args], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr


class Nesting(Limits):
    """Chains of names end with a result or a message, never with the stack."""

    def expect_valid(self, text, *command):
        path = self.write(text)
        for stack in (8 << 20, 1 << 20):
            code, out, err = self.bounded(*(command or ("check",)), path, stack=stack)
            self.assertEqual((code, err), (0, ""), out)

    def test_signals_of_signals(self):
        self.expect_valid(model(signals=lines("sI: sNEXT + 1", 10000) + "\n  s10000: t", out="s0"))
        self.expect_valid(model(signals=lines("sI: sin(sNEXT)", 10000) + "\n  s10000: t", out="s0"))

    def test_parentheses_in_signals_of_signals(self):
        deep = lines("sI: " + 190 * "(" + "sNEXT + 1" + 190 * ")", 60)
        self.expect_valid(model(signals=deep + "\n  s60: t", out="s0"))

    def test_parameters_of_parameters(self):
        chain = ", ".join(f"p{i}: p{i + 1} + 1" for i in range(10000)) + ", p10000: 1"
        self.expect_valid(model(parameters=chain, out="p0*t"))

    def test_the_value_at_the_end_of_a_chain(self):
        signals = lines("sI: sNEXT + 1", 500) + "\n  s500: 3"
        done = jounce("run", self.write(model(signals=signals, out="s0")), "--interpreter",
                      "-o", str(self.folder / "out.csv"))
        self.assertEqual(done.returncode, 0)
        last = (self.folder / "out.csv").read_text().strip().splitlines()[-1].split(",")
        self.assertEqual(float(last[1]), 503.0)

    def test_a_long_cycle_of_signals_is_told(self):
        text = model(signals=lines("sI: sNEXT + 1", 5000) + "\n  s5000: s3", out="s0")
        code, _, err = self.bounded("check", self.write(text), stack=1 << 20)
        self.assertEqual(code, 1)
        self.assertRegex(err, r"'s\d+' is defined by itself")

    def test_elements_of_elements_have_a_limit(self):
        forces = lines('fI: {on: hinge, torque: "0.5*fNEXT.force + 0*rate"}', 3000)
        text = model(forces=forces + '\n  f3000: {on: hinge, torque: "1 + rate"}')
        code, _, err = self.bounded("check", self.write(text), stack=1 << 20)
        self.assertEqual(code, 1)
        self.assertRegex(err, r"model.yaml:\d+: 'f\d+': elements and names that need each other are "
                              r"nested deeper than 600 levels")

    def test_elements_keep_their_own_names(self):
        # four elements deep: each has 'rate' and 'angle' of its own
        forces = lines('fI: {on: hinge, torque: "0.5*fNEXT.force + 0*rate + angle"}', 6)
        text = model(forces=forces + '\n  f6: {on: hinge, torque: "1"}')
        self.expect_valid(text)


class Axes(Limits):
    """Reports of curves that span nothing, or everything."""

    def test_reports_end_for_every_range(self):
        values = ("9.81 + 1e-15*t", "1e17", "1e17 + 100*t", "1e300*(t - 0.05)", "1e-310*t",
                  "-1e17 - 16*t", "0*t", "1.5e308 + t")
        sensors = ", ".join(f'v{i}: "{v}"' for i, v in enumerate(values))
        text = model().replace("{out: t}", "{" + sensors + "}")
        page = self.folder / "page.html"
        code, _, err = self.bounded("report", self.write(text), "-o", str(page), "--interpreter",
                                    memory=1 << 30)
        self.assertEqual(code, 0, err)
        self.assertLess(page.stat().st_size, 1 << 20)
        for mark in ('="nan', '="-nan', '="inf', '="-inf', "nan,", ",nan", "inf,", ",inf"):
            self.assertNotIn(mark, page.read_text())


BUGGY = "models/buggy/step_descent.yaml"
SWING = "models/mechanisms/pendulum.yaml"


class Work(Limits):
    """Steps and memory: refused before the run where they are known, else when they are used up."""

    def swing(self, entry):
        """The pendulum with one more entry in its simulation block."""
        text = Path(SWING).read_text()
        assert "simulation: {" in text
        return self.write(text.replace("simulation: {", "simulation: {" + entry + ", "))

    def swing_by(self, method):
        """The pendulum with this method."""
        return self.write(Path(SWING).read_text().replace("method: dopri5", "method: " + method))

    def expect(self, wanted, *args, code=1):
        got, _, err = self.bounded(*args, "--interpreter", memory=1 << 30)
        self.assertEqual(got, code, err)
        self.assertRegex(err, wanted)

    def test_numbers_of_options_are_held_to_the_rules_of_files(self):
        page = str(self.folder / "page.html")
        for command in (["run", SWING], ["sens", SWING], ["report", SWING, "-o", page],
                        ["sweep", SWING, "--param", "m=1:2:2"], ["loads", BUGGY], ["loads", BUGGY, "--wrt", "all"]):
            for tolerance in ("1e-50", "1"):
                self.expect(f"(?m)^tolerance is {tolerance}; it must be between 1e-15 and 0.1$",
                            *command, "--tol", tolerance)
        for command in (["run", SWING], ["sweep", SWING, "--param", "m=1:2:2"], ["loads", BUGGY],
                        ["loads", BUGGY, "--wrt", "all"]):
            self.expect("(?m)^end time -1 s: must be finite and after the start, 0 s$", *command, "--end", "-1")
        self.expect("step is 1e-300; it must be between 1e-12 and 1e6",
                    "run", SWING, "--method", "rk4", "--step", "1e-300")
        self.expect("step is 1e-300; it must be between 1e-12 and 1e6",
                    "sens", SWING, "--integrator", "rk4", "--step", "1e-300")
        self.expect("output_step is -1; it must be", "run", SWING, "--output-step", "-1")
        self.expect("max_step is 1e-20; it must be", "run", SWING, "--max-step", "1e-20")
        self.expect("restitution 2 is out of range", "loads", BUGGY, "--driver", "impulsive", "--restitution", "2")
        path = self.swing_by("rk4, step: 0.01")
        for command in (["run"], ["sens"], ["sweep", "--param", "m=1:2:2"], ["sweep", "--param", "m=1:2:2", "--batch"]):
            self.expect("^step 0 s: method rk4 needs a step of more than 0", *command, path, "--step", "0")
        path = self.swing_by("bdf")
        for command in (["sens"], ["sweep", "--param", "m=1:2:2"]):
            self.expect("^method bdf: derivatives need auto", *command, path)
        path = self.swing("rel_tol: 1e-50")
        self.expect("rel_tol is 1e-50; it must be between 1e-15 and 0.1", "check", path)

    def test_fixed_steps_are_counted_before_the_first(self):
        wanted = (r"from t = 0 to 10 there are 1e\+08 steps of 1e-07 s, more than the limit of 10000000; "
                  r"take longer steps, or raise simulation.max_steps \(--max-steps\)")
        self.expect(wanted, "run", SWING, "--method", "rk4", "--step", "1e-7")
        self.expect(wanted, "sens", SWING, "--integrator", "rk4", "--step", "1e-7")
        # once, not for every point
        self.expect("^integration: " + wanted, "sweep", self.swing_by("rk4, step: 0.01"), "--step", "1e-7",
                    "--param", "m=1:2:2")
        self.expect(r"4.5e\+12 steps of 1e-12 s, more than the limit", "loads", BUGGY,
                    "--rate", "1e12")

    def test_runs_end_with_their_steps_and_say_where(self):
        wanted = (r"stopped at t = 0\.\d+ of 10 after 20 steps \(0 more were rejected\), the limit; raise "
                  r"simulation.max_steps \(--max-steps\)")
        page = str(self.folder / "page.html")
        for command in (["run", SWING], ["sens", SWING], ["report", SWING, "-o", page],
                        ["run", SWING, "--method", "bdf"], ["modes", SWING, "--at", "10"]):
            self.expect(wanted, *command, "--max-steps", "20")
        self.expect(wanted, "run", SWING, "--set", "simulation.max_steps=20")
        self.expect(r"stopped at t = \d.\d+ of 4.5 after 3000 steps, the limit", "loads", BUGGY, "--driver",
                    "adaptive", "--tol", "1e-9", "--max-steps", "3000")
        done = jounce("sweep", SWING, "--param", "m=1:2:2", "--max-steps", "20", "--interpreter",
                      code=1)
        self.assertRegex(done.stdout, wanted)
        self.expect("max_events is 0; it must be between 1 and 1e9", "run", SWING, "--set", "simulation.max_events=0")
        jounce("run", SWING, "--set", "simulation.max_events=1e6", "--interpreter")
        self.expect("max_steps is 0; it must be between 1 and 1e15", "run", SWING, "--max-steps", "0")

    def test_a_raised_limit_is_enough(self):
        path = self.swing("max_steps: 20")
        self.expect("after 20 steps", "run", path)
        jounce("run", path, "--max-steps", "1e5", "--interpreter")
        jounce("run", path, "--set", "simulation.max_steps=100000", "--interpreter")

    def test_rows_are_refused_by_their_size(self):
        self.expect(r"1e\+10 rows of 8 columns would take 6.4e\+05 MB, more than the limit of 1000 MB; "
                    r"ask for less, or raise simulation.max_memory \(--max-memory\)",
                    "run", SWING, "--output-step", "1e-9")
        self.expect("rows of 8 columns would take", "run", SWING, "--end", "1e300")
        self.expect("1e.06 rows of 8 columns would take 64 MB, more than the limit of 50 MB",
                    "run", SWING, "--output-step", "1e-5", "--max-memory", "50")
        self.expect("rows of results take more than the limit of 1 MB at t = [0-9.]+ s",
                    "run", SWING, "--output-step", "0", "--max-step", "1e-4", "--max-memory", "1")

    def test_records_histories_samples_and_points_have_a_size(self):
        short = self.swing("max_step: 0.0002")
        self.expect("the recorded steps take more than the limit of 1 MB at t = [0-9.]+ s",
                    "sens", short, "--max-memory", "1")
        self.expect("rows of the history take more than the limit of 1 MB at t = [0-9.]+ s",
                    "sens", SWING, "--history", "angle", "--output-step", "1e-5", "-o",
                    str(self.folder / "h.csv"), "--max-memory", "1")
        self.expect(r"2.5e\+09 points would take .* MB, more than the limit of 1000 MB", "sweep", SWING,
                    "--param", "m=1:2:50000", "--param", "l=1:2:50000")
        self.expect(r"histories of 8 elements at 4.5e\+06 times would take 324 MB", "loads", BUGGY,
                    "--rate", "1e6", "--max-memory", "100")


def chain(n, closures=""):
    """Bodies b0 ... hanging on each other by hinges."""
    bodies = [f"  b{i}: {{mass: 1, com: [0, 0, {-0.1 * i - 0.05:.2f}], inertia: [1e-3, 1e-3, 1e-4]}}"
              for i in range(n)]
    joints = [f"  j{i}: {{type: revolute, child: b{i}, axis: y, at: [0, 0, {-0.1 * i:.1f}]"
              + (f", parent: b{i - 1}}}" if i else "}") for i in range(n)]
    return "\n".join(["jounce: 1", "name: chain", "bodies:", *bodies, "joints:", *joints, closures,
                      "simulation: {end: 0.1}", ""])


class Chains(Limits):
    """Cost of a tree grows with its length; what cannot is refused."""

    def test_a_thousand_bodies_are_checked(self):
        code, out, err = self.bounded("check", self.write(chain(1000)), memory=400 << 20,
                                      stack=1 << 20)
        self.assertEqual((code, err), (0, ""))
        self.assertIn("valid, 1000 degrees of freedom", out)

    def test_operations_grow_with_the_number_of_bodies(self):
        count = []
        for n in (100, 200, 400):
            done = jounce("info", self.write(chain(n)), "--json", "--interpreter")
            count.append(json.loads(done.stdout)["operations"]["after"]["total"])
        # a few numbers of the file happen to be equal after rounding
        self.assertAlmostEqual((count[2] - count[1]) / (count[1] - count[0]), 2, 2)

    def test_equations_without_end_are_refused(self):
        loop = "hardpoints: {E: [5, 0, 9]}\nclosures: {c: {type: distance, a: ground.E, b: b399.com}}"
        code, _, err = self.bounded("check", self.write(chain(400, loop)), "--max-memory", "100",
                                    memory=1 << 30)
        self.assertEqual(code, 1)
        self.assertRegex(err, r"the equations have more than 1000000 terms, the limit; .*model.yaml has 400 "
                              r"bodies and 1 closures, .* raise simulation.max_memory \(--max-memory\)")


if __name__ == "__main__":
    unittest.main()
