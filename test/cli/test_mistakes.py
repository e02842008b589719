#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The same mistakes with every command: one exit code, one line, and with --json one object that says it."""
import json
import os
import re
import shutil
import tempfile
import unittest
from pathlib import Path

from program import jounce

CAR = "test/models/sweep_quarter_car.yaml"
BOUNCER = "test/models/bouncer.yaml"

# what a command needs besides a model: options, and a file to write with its ending
COMMANDS = {
    "run": [], "info": [], "check": [], "static": [], "modes": [], "sens": [],
    "generate": ["-o", "{d}/c"], "report": ["-o", "{d}/page.html"],
    "sweep": ["--param", "k=15000:16000:2"], "loads": [],
}
WRITES = {"run", "sens", "report", "sweep", "loads"}  # files with an ending
WRT = {"sens", "static", "modes", "report", "sweep", "loads"}
NUMBER = {"run": "--tol", "sens": "--tol", "report": "--tol", "sweep": "--tol", "loads": "--rate"}
CHOICE = {"run": ["--method"], "sens": ["--method", "--events", "--integrator"],
          "sweep": ["--method", "--events"], "loads": ["--driver"]}


class Mistakes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def call(self, command, *args, code, file=CAR):
        """The command fails with one line, the same with --json, and with one object then."""
        needed = [word.format(d=self.folder) for word in COMMANDS.get(command, [])]
        if "-o" in needed and "-o" in args:  # no option may be given twice
            at = needed.index("-o")
            needed = needed[:at] + needed[at + 2:]
        name = command.split()
        words = ["--interpreter", *([file] if file else []), *needed, *args]
        plain = jounce(*name, *words, code=code)
        self.assertEqual(plain.stdout, "")
        self.assertEqual(len(plain.stderr.splitlines()), 1, plain.stderr)
        with_json = jounce(*name, "--json", *words, code=code)
        self.assertEqual(with_json.stderr, plain.stderr)
        answer = json.loads(with_json.stdout)
        self.assertEqual(answer["error"]["message"], plain.stderr.rstrip("\n"))
        return plain.stderr, answer["error"]

    def test_unknown_option(self):
        for command in COMMANDS:
            said, error = self.call(command, "--no-such-option", code=2)
            self.assertIn("'--no-such-option'", said)
            self.assertEqual(error["hint"], f"see 'jounce {command} --help'")
            # words after a mistake are not read any more: --json counts all the same
            late = json.loads(jounce(command, "--no-such-option", "--json", code=2).stdout)
            self.assertEqual(late["error"], error)
            # nor is a '--' that may belong to an option
            late = json.loads(jounce(command, "--no-such-option", "--", "--json", code=2).stdout)
            self.assertEqual(late["error"], error)

    def test_extra_argument(self):
        for command in COMMANDS:
            self.assertIn("'more'", self.call(command, "more", code=2)[0])

    def test_missing_argument(self):
        for command in COMMANDS:
            self.assertIn("FILE", self.call(command, file=None, code=2)[0])

    def test_missing_value(self):
        for command in COMMANDS:
            self.assertIn("--set", self.call(command, "--set", code=2)[0])
            self.assertIn("--set", self.call(command, "--set", "k", code=2)[0])
        for command, option in NUMBER.items():
            self.assertIn(option, self.call(command, option, code=2)[0])

    def test_flag_with_a_value(self):
        for command in COMMANDS:
            self.assertIn("--quiet", self.call(command, "--quiet=yes", code=2)[0])

    def test_bad_number(self):
        for command, option in NUMBER.items():
            for text in ("small", "1e", "nan", "inf", "1,5", ""):
                self.assertIn(option, self.call(command, option, text, code=2)[0])

    def test_number_out_of_range(self):
        for command, option in NUMBER.items():
            if command != "sweep":  # its points fail one by one
                self.call(command, option, "-1", code=1)

    def test_word_that_is_no_choice(self):
        for command, options in CHOICE.items():
            for option in options:
                said, _ = self.call(command, option, "guess", code=2)
                self.assertRegex(said, rf"{option} needs .* or .*, not 'guess'")
        self.call("loads", "--compare", "guess@200", code=2, file=BOUNCER)

    def test_wrong_ending(self):
        for command in WRITES:
            for name in ("out.xls", "out", ".csv", "csv", "a.csv/b"):
                said, _ = self.call(command, "-o", name, code=2)
                self.assertRegex(said, rf"-o needs a name that ends in .*, not '{re.escape(name)}'")
        self.call("loads", "--compare", "fixed@200", "--plot", "plot.png", code=2)

    def test_missing_file(self):
        for command in COMMANDS:
            said, error = self.call(command, code=1, file="nowhere.yaml")
            self.assertIn("nowhere.yaml", said)
            self.assertEqual(error["file"], "nowhere.yaml")
        said, error = self.call("loads reconstruct", code=1, file="nowhere.events")
        self.assertEqual(error["file"], "nowhere.events")

    def test_unreadable_file(self):
        for command in COMMANDS:
            self.assertIn(self.folder, self.call(command, code=1, file=self.folder)[0])
        if os.geteuid() != 0:
            path = Path(self.folder) / "closed.yaml"
            path.write_text("jounce: 1\n", encoding="utf-8")
            path.chmod(0)
            for command in COMMANDS:
                self.assertIn("closed.yaml", self.call(command, code=1, file=str(path))[0])

    def test_mistake_in_the_file(self):
        path = Path(self.folder) / "bad.yaml"
        path.write_text("jounce: 1\nname: bad\nbodies:\n  rod: {mass: 1, mas: 2}\n"
                        "joints:\n  slide: {type: prismatic, child: rod, axis: z}\n", encoding="utf-8")
        for command in COMMANDS:
            _, error = self.call(command, code=1, file=str(path))
            self.assertEqual((error["file"], error["line"]), (str(path), 4))

    def test_unknown_name_in_set(self):
        for command in COMMANDS:
            self.assertIn("'nothing'", self.call(command, "--set", "nothing=1", code=1)[0])

    def test_unknown_name_in_lists(self):
        for command in WRT:
            self.assertIn("'nothing'", self.call(command, "--wrt", "nothing", code=1)[0])
            self.assertIn("--wrt", self.call(command, "--wrt", "k,,c", code=2)[0])
            self.assertIn("--wrt", self.call(command, "--wrt", "", code=2)[0])
        self.assertIn("'nothing'", self.call("sweep", "--param", "nothing=1:2:2", code=1)[0])
        self.assertIn("'nothing'", self.call("sens", "--per", "nothing=1", code=1)[0])
        for command, args in (("run", []), ("sens", []), ("sweep", ["--param", "k=1:2:2"]),
                              ("report", ["-o", f"{self.folder}/p.html"])):
            self.assertIn("'nothing'", self.call(command, *args, "--objective", "nothing", code=1)[0])
            self.assertIn("--objective", self.call(command, *args, "--objective", "comfort,", code=2)[0])
        self.assertIn("'nothing'", self.call("sens", "--history", "nothing", "-o", f"{self.folder}/h.csv",
                                             code=1)[0])
        self.assertIn("'nothing'", self.call("loads", "--end", "0.1", "--compare", "fixed@200",
                                             "--elements", "nothing", code=1)[0])

    def test_options_that_would_do_nothing(self):
        for command, args, needed in (
                ("sens", ["--history", "heave"], "-o"),
                ("sens", ["--output-step", "0.1"], "--history"), ("sweep", ["--seed", "1"], "--sample"),
                ("sweep", ["--restart"], "-o"), ("loads", ["--plot", "p.svg"], "--compare"),
                ("loads", ["--elements", "spring"], "--compare")):
            self.assertIn(f"{args[0]} needs {needed} ", self.call(command, *args, code=2)[0])

    def test_options_that_exclude_each_other(self):
        for command, args in (
                ("sens", ["--history", "heave", "--vcurve", "k", "-o", "a.csv"]),
                ("sweep", ["--grid", "--sample", "3"]), ("loads", ["-o", "a.csv", "--wrt", "k"]),
                ("loads", ["-o", "a.csv", "--compare", "fixed@200"]),
                ("loads", ["--wrt", "k", "--compare", "fixed@200"])):
            self.assertIn("exclude each other", self.call(command, *args, code=2)[0])

    def test_options_given_twice(self):
        """The last one counted, silently: derivatives with respect to b alone."""
        for command, *args in (("sens", "--wrt", "a", "--wrt", "b"), ("run", "--tol", "1e-6", "--tol=1e-9"),
                               ("run", "-o", "a.csv", "-o", "b.csv")):
            self.assertIn("is given twice; give it once", self.call(command, *args, code=2)[0])
        self.assertIn("with commas between the entries", self.call("sens", "--wrt", "a", "--wrt", "b", code=2)[0])

    def test_benchmark(self):
        for args, code in ((["lorry"], 2), (["buggy", "more"], 2), (["buggy", "--tol", "x"], 2),
                           (["buggy", "--no-such-option"], 2), ([], 2),
                           (["buggy", "--models", "nowhere"], 1), (["buggy", "--set", "nothing=1"], 1)):
            done = jounce("benchmark", *args, "--json", code=code)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertIn(json.loads(done.stdout)["error"]["message"], done.stderr)

    def test_no_command(self):
        for args in (["walk", "--json"], ["--json"]):
            self.assertIn("no command", json.loads(jounce(*args, code=2).stdout)["error"]["message"])


class Failures(unittest.TestCase):
    """A run that fails on its way, a file that cannot be written: results and the error in one object."""

    def test_success_has_no_error(self):
        for args in (["run", CAR, "--end", "0.1"], ["info", CAR], ["check", CAR], ["static", CAR]):
            self.assertNotIn("error", json.loads(jounce(*args, "--json", "--interpreter").stdout))

    def test_failed_run(self):
        done = jounce("run", CAR, "--set", "rod=-1", "--interpreter", "--json", code=1)
        self.assertIn(json.loads(done.stdout)["error"]["message"], done.stderr)

    def test_failed_sweep(self):
        done = jounce("sweep", CAR, "--param", "rod=-2:-1:2", "--interpreter", "--json", code=1)
        answer = json.loads(done.stdout)
        self.assertEqual(answer["failed"], 2)
        self.assertIn(answer["error"]["message"], done.stderr)

    def test_file_that_cannot_be_written(self):
        for command, name in (("run", "a.csv"), ("sens", "a.csv"), ("loads", "a.csv"),
                              ("report", "a.html"), ("generate", "c"), ("sweep", "a.csv")):
            needed = COMMANDS[command] if command == "sweep" else []
            done = jounce(command, CAR, *needed, "--interpreter", "--json", "-o", f"/proc/none/{name}",
                          code=1)
            error = json.loads(done.stdout)["error"]
            self.assertIn(error["message"], done.stderr)
            self.assertIn("/proc/none", error["file"])

    def test_inertia_that_is_missing(self):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        path = os.path.join(folder, "spin.yaml")
        Path(path).write_text("""jounce: 1
name: spin
parameters: {k: 1, J: 0}
bodies:
  frame: {mass: 3, inertia: [1, 1, 1]}
  wheel: {mass: 2, inertia: [J, J, J]}
joints:
  slide: {type: prismatic, child: frame, axis: x}
  spin: {type: revolute, parent: frame, child: wheel, axis: z}
forces: {push: {on: spin, torque: k, stiffness: 3}}
objectives: {x: {final: spin}, y: {final: k}}
simulation: {end: 0.1}
""", encoding="utf-8")
        for command in (["run"], ["check"], ["static"], ["modes"], ["loads"], ["sens", "--wrt", "k"],
                        ["run", "--method", "esdirk5"], ["run", "--method", "bdf"],
                        ["sweep", "--param", "k=1:2:2"], ["sweep", "--param", "k=1:2:2", "--batch"]):
            said = jounce(command[0], path, *command[1:], code=1).stderr
            self.assertIn(f"{path}:6: body 'wheel' has mass but no inertia", said, command)
            self.assertIn("'spin'", said)
            jounce(command[0], path, *command[1:], "--set", "J=0.1")
        # without a torque, too, and where a value of a sweep makes it so
        still = Path(path).read_text(encoding="utf-8").replace("{on: spin, torque: k, stiffness: 3}", "{on: slide, force: k}")
        Path(path).write_text(still, encoding="utf-8")
        for command in (["run"], ["check"], ["loads"], ["sens", "--wrt", "k"], ["sweep", "--param", "k=1:2:2"]):
            said = jounce(command[0], path, *command[1:], code=1).stderr
            self.assertIn(f"{path}:6: body 'wheel' has mass but no inertia", said, command)
            jounce(command[0], path, *command[1:], "--set", "J=0.1")
        Path(path).write_text(still.replace("J: 0}", "J: 1}"), encoding="utf-8")
        for batch in ([], ["--batch"]):
            said = jounce("sweep", path, "--param", "J=0:1:3", *batch, code=None).stderr
            self.assertIn("1 of 3 points failed; the first, J = 0: ", said)
            self.assertIn("body 'wheel' has mass but no inertia", said)
        # a centre of mass off the axis has an inertia about it
        Path(path).write_text(still.replace("mass: 2,", "mass: 2, com: [0.1, 0, 0],"), encoding="utf-8")
        jounce("run", path)


if __name__ == "__main__":
    unittest.main()
