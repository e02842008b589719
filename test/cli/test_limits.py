#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nothing without limit: time, memory and stack of what models and options ask for."""
import resource
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

    def bounded(self, *args, stack=None, memory=2 << 30, seconds=60):
        """Exit code and messages, or a failed test when it takes more than that."""
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
            if stack:
                resource.setrlimit(resource.RLIMIT_STACK, (stack, stack))
        done = subprocess.run([PROGRAM, *args], capture_output=True, text=True, check=False,
                              timeout=seconds, preexec_fn=limit)
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
                                    memory=1 << 30, seconds=30)
        self.assertEqual(code, 0, err)
        self.assertLess(page.stat().st_size, 1 << 20)
        for mark in ('="nan', '="-nan', '="inf', '="-inf', "nan,", ",nan", "inf,", ",inf"):
            self.assertNotIn(mark, page.read_text())


if __name__ == "__main__":
    unittest.main()
