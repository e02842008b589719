#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What comes in and goes out: descriptors, files, compilers, texts of files and command lines."""
import csv
import json
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from program import PROGRAM, jounce

PENDULUM = "models/mechanisms/pendulum.yaml"
BUGGY = "models/buggy/step_descent.yaml"
CAR = "test/models/sweep_quarter_car.yaml"
MODEL = """jounce: 1
name: %s
description: "%s"
bodies: {b: {mass: 1}}
joints: {x: {type: prismatic, child: b, axis: x}}
sensors: {s: {value: x, unit: "%s"}}
simulation: {end: 1}
"""


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def model(self, name="plain", description="", unit="m", file="m.yaml"):
        path = os.path.join(os.fsencode(self.folder), os.fsencode(file))
        Path(os.fsdecode(path)).write_text(MODEL % (name, description, unit), encoding="utf-8")
        return os.fsdecode(path)

    def run_with(self, args, **more):
        environment = {**os.environ, **more.pop("env", {})}
        for name in more.pop("without", ()):
            environment.pop(name, None)
        return subprocess.run([PROGRAM, *args], capture_output=True, text=True, check=False,
                              env=environment, **more)


class Descriptors(Case):
    def close(self, *descriptors):
        def before():
            for fd in descriptors:
                os.close(fd)
        return before

    def test_results_are_the_same_with_any_of_the_standard_files_closed(self):
        wanted = self.folder / "wanted.csv"
        args = ["sweep", CAR, "--interpreter", "--param", "rod=-1:1:3", "--wrt", "none", "-o"]
        jounce(*args, str(wanted))
        for closed in ((0,), (2,), (0, 2), (0, 1, 2)):
            out = self.folder / f"closed{''.join(map(str, closed))}.csv"
            done = subprocess.run([PROGRAM, *args, str(out)], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, preexec_fn=self.close(*closed),
                                  check=False)
            # what cannot be printed is a failure, but costs no results
            self.assertEqual(done.returncode, 1 if 1 in closed else 0)
            self.assertEqual(out.read_bytes(), wanted.read_bytes())

    def test_journal_is_none_of_the_standard_files(self):
        out = self.folder / "out.csv"
        journal = self.folder / "out.csv.journal"
        process = subprocess.Popen(
            [PROGRAM, "sweep", BUGGY, "--interpreter", "--param", "k_f=8000:24000:50", "-o", str(out)],
            stdout=subprocess.DEVNULL, preexec_fn=self.close(0, 2))
        try:
            while process.poll() is None and not journal.exists():
                time.sleep(0.005)
            links = {int(fd): os.readlink(f"/proc/{process.pid}/fd/{fd}")
                     for fd in os.listdir(f"/proc/{process.pid}/fd")}
        finally:
            process.kill()
            process.wait()
        self.assertIn(str(journal), links.values())
        self.assertEqual([links[fd] for fd in range(3)], ["/dev/null"] * 3)

    def test_closed_output_is_a_failure(self):
        done = subprocess.run([PROGRAM, "run", PENDULUM, "--interpreter"], stderr=subprocess.PIPE,
                              preexec_fn=self.close(1), text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write the output", done.stderr)


class Outputs(Case):
    COMMANDS = (["run", PENDULUM, "-o", "%s.csv"], ["run", PENDULUM, "-o", "%s.h5"],
                ["run", PENDULUM, "-o", "%s.mat"], ["run", PENDULUM, "-o", "%s.rsp"],
                ["report", PENDULUM, "-o", "%s.glb"],
                ["sens", PENDULUM, "-o", "%s.csv"], ["report", PENDULUM, "-o", "%s.html"],
                ["sweep", PENDULUM, "--param", "g=9:10:2", "-o", "%s.csv"],
                ["loads", CAR, "-o", "%s.csv"], ["loads", CAR, "-o", "%s.events"],
                ["loads", CAR, "--compare", "all", "--plot", "%s.svg"])

    def refused(self, command, stem, cause):
        # a compiler that must not be started says that the work has not begun
        mark = self.folder / "begun"
        compiler = self.folder / "cc"
        compiler.write_text(f"#!/bin/sh\ntouch {mark}\nexit 1\n")
        compiler.chmod(0o755)
        args = [word % stem if "%s" in word else word for word in command]
        done = self.run_with(args, env={"JOUNCE_CC": str(compiler)})
        self.assertEqual(done.returncode, 1, args)
        self.assertRegex(done.stderr, cause)
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertFalse(mark.exists(), args)

    def test_unwritable_output_is_told_before_the_work(self):
        for command in self.COMMANDS:
            self.refused(command, str(self.folder / "missing" / "out"), "cannot write: No such file")
        self.refused(["benchmark", "buggy", "-o", "%s"], str(self.folder / "missing"), "cannot write")
        self.refused(["generate", PENDULUM, "-o", "%s"], "/dev/null/x", "cannot make folder")

    def test_links_and_read_only_files_are_left_alone(self):
        kept = self.folder / "kept"
        kept.write_text("kept")
        for command in self.COMMANDS:
            suffix = next(word for word in command if "%s" in word)[2:]
            link, fixed = self.folder / ("link" + suffix), self.folder / ("fixed" + suffix)
            link.symlink_to(kept)
            fixed.write_text("fixed")
            fixed.chmod(0o444)
            self.refused(command, str(self.folder / "link"), "it is a link")
            self.refused(command, str(self.folder / "fixed"), "it is read-only")
            self.assertEqual(fixed.read_text(), "fixed")
            link.unlink()
            fixed.unlink()
        self.assertEqual(kept.read_text(), "kept")

    def test_events_beside_the_loads_are_tried_too(self):
        (self.folder / "out.events").symlink_to("nowhere")
        self.refused(["loads", CAR, "-o", "%s.csv"], str(self.folder / "out"), "it is a link")

    def test_benchmark_leaves_links_alone(self):
        (self.folder / "results_dlc.txt").symlink_to("nowhere")
        self.refused(["benchmark", "buggy", "-o", "%s"], str(self.folder), "it is a link")

    def test_generate_overwrites_only_its_own(self):
        for name in ("main.c", "Makefile", "README.md", "equations/kernel.h", "equations/kernel_0.c",
                     "equations/tables.c", "solve/rk.c"):
            target = self.folder / f"for_{name.replace('/', '_')}"
            (target / name).parent.mkdir(parents=True)
            (target / name).write_text("int mine;\n")
            done = jounce("generate", PENDULUM, "-o", str(target), code=1)
            self.assertIn(f"{target}/{name}: is there already and was not generated by jounce",
                          done.stderr)
            self.assertEqual([str(f.relative_to(target)) for f in target.rglob("*") if f.is_file()], [name])
            self.assertEqual((target / name).read_text(), "int mine;\n")
        target = self.folder / "new"
        jounce("generate", PENDULUM, "-o", str(target))
        first = {f: f.read_bytes() for f in target.rglob("*") if f.is_file()}
        jounce("generate", PENDULUM, "-o", str(target))
        self.assertEqual({f: f.read_bytes() for f in target.rglob("*") if f.is_file()}, first)

    def test_generate_that_fails_leaves_no_folder(self):
        jounce("generate", self.model(), "--set", "bodies.b.mass=-1", "-o", str(self.folder / "d"),
               code=1)
        self.assertFalse((self.folder / "d").exists())


COMPILED = {"JOUNCE_CPU": "x86-64"}     # a level without machine code: compiled


class Compilers(Case):
    def setUp(self):
        super().setUp()
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()
        self.pid = self.folder / "pid"
        compiler = self.folder / "cc"
        compiler.write_text(f"#!/bin/sh\nsleep 1000 &\necho $! > {self.pid}.new\n"
                            f"mv {self.pid}.new {self.pid}\nwait\n")
        compiler.chmod(0o755)
        self.env = {**COMPILED, "JOUNCE_CC": str(compiler), "TMPDIR": str(self.temporary)}

    def is_gone(self):
        pid = self.pid.read_text().strip()
        for _ in range(500):
            try:
                if Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
                    return True
            except OSError:
                return True
            time.sleep(0.02)
        return False

    def test_one_that_hangs_is_stopped(self):
        done = self.run_with(["run", PENDULUM], env={**self.env, "JOUNCE_CC_TIMEOUT": "0.5"},
                             timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"was stopped: it was not done after 0\.5 s; hint: set "
                                      r"JOUNCE_CC_TIMEOUT")
        self.assertTrue(self.is_gone())
        self.assertEqual(list(self.temporary.iterdir()), [])

    def test_one_does_not_outlive_the_program_nor_does_its_folder(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL, signal.SIGHUP):
            process = subprocess.Popen([PROGRAM, "run", PENDULUM], env={**os.environ, **self.env},
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while process.poll() is None and not self.pid.exists():
                time.sleep(0.01)
            process.send_signal(number)
            self.assertEqual(process.wait(), -number)
            self.assertTrue(self.is_gone(), number)
            self.pid.unlink()
        # the next run cleans up
        jounce_env = {**COMPILED, "TMPDIR": str(self.temporary)}
        self.assertEqual(self.run_with(["run", PENDULUM], env=jounce_env).returncode, 0)
        self.assertEqual(list(self.temporary.iterdir()), [])

    def test_interpreter_where_nothing_can_be_compiled(self):
        env = {"TMPDIR": "/proc/self/task"}
        done = self.run_with(["run", PENDULUM, "--json"], env={**COMPILED, **env})
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"^note: [^\n]*are interpreted[^\n]*\n$")
        done = self.run_with(["run", PENDULUM, "--compiler"], env=env)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "/proc/self/task: cannot make a temporary folder")


class Texts(Case):
    ESCAPES = ("\\e[31m", "\\x1b]0;x\\a", "\\b", "\\r", "\\x7f", "\\u009b", "\\u202e", "\\u2066",
               "\\N", "\\L")

    def test_files_cannot_speak_to_the_terminal(self):
        for escape in self.ESCAPES:
            for where in ("name", "description", "unit"):
                text = {"name": "a", "description": "a", "unit": "a"}
                text[where] = f"a{escape}b"
                if where == "name":
                    text[where] = f'"a{escape}b"'
                path = self.model(**text)
                done = jounce("run", path, "--interpreter", code=1)
                self.assertRegex(done.stderr, r"m\.yaml:\d+: .*(control character|more than one line)")
                self.assertEqual(done.stdout, "")

    def test_names_and_units_are_one_line(self):
        for text in ({"name": '"a\\nb"'}, {"unit": "a\\tb"}):
            self.assertIn("is more than one line",
                          jounce("check", self.model(**text), code=1).stderr)
        jounce("check", self.model(description="a\\nb"))

    def test_line_ends_of_other_systems_are_line_ends(self):
        path = Path(self.model())
        for style in ("|\n  a\n  b\n", ">\n  a\n  b\n", "'a\n  b'\n", '"a\n  b"\n', "a\n  b\n"):
            text = (MODEL % ("plain", "", "m")).replace('""\n', style)
            for end in ("\n", "\r\n", "\r"):
                path.write_bytes(text.replace("\n", end).encode())
                jounce("check", str(path))

    def test_settings_in_event_files_are_read_back_as_they_were(self):
        events = self.folder / "out.events"
        setting = ["--set", "c=max(2,-2)*750"]
        first = json.loads(jounce("loads", CAR, "--interpreter", "-o", str(events), *setting,
                                  "--json").stdout)
        self.assertIn("c=max(2,-2)*750", first["settings"])
        again = json.loads(jounce("loads", "reconstruct", str(events), "--interpreter",
                                  "--json").stdout)
        self.assertIn("c=max(2,-2)*750", again["settings"])

    def test_event_files_cannot_either(self):
        events = self.folder / "out.events"
        jounce("loads", CAR, "--interpreter", "-o", str(events))
        text = events.read_bytes()
        for bad in (b"\x1b[31m", b"\xff"):
            events.write_bytes(text.replace(b"# driver: ", b"# driver: " + bad))
            done = jounce("loads", "reconstruct", str(events), "--interpreter", code=1)
            self.assertRegex(done.stderr, r"out\.events: (a control character|not UTF-8)")

    def test_command_line_cannot_speak_to_the_terminal(self):
        for word in ("\x1b[31m", "\x07", "a\x9b31m", "\u202eb"):
            done = jounce("run", word, code=2)
            self.assertIn("a control character in '", done.stderr)
            for character in "\x1b\x07\x9b\u202e":
                self.assertNotIn(character, done.stderr)

    def test_messages_of_compilers_cannot_either(self):
        compiler = self.folder / "cc"
        compiler.write_text("#!/bin/sh\nprintf 'x\\033[31mred\\007'\nexit 1\n")
        compiler.chmod(0o755)
        done = self.run_with(["run", PENDULUM], env={**COMPILED, "JOUNCE_CC": str(compiler)})
        self.assertEqual(done.returncode, 1)
        self.assertIn("x\\x1b[31mred\\x07", done.stderr)

    def cells(self, path):
        with open(path, encoding="utf-8", newline="") as f:
            return [cell for row in csv.reader(f) for cell in row]

    def test_units_are_no_formulas(self):
        for unit in ("=1+1", "+1", "-1+2", "@SUM(1)", '=HYPERLINK(\\"a\\",\\"b\\")'):
            out = self.folder / "out.csv"
            jounce("run", self.model(unit=unit, description="x,=1+1"), "--interpreter", "-o", str(out))
            cells = self.cells(out)
            self.assertIn("'" + unit.replace("\\", ""), cells)
            for cell in cells:
                if cell[:1] in tuple("=+-@"):
                    float(cell)
        jounce("run", self.model(unit="-"), "--interpreter", "-o", str(out))
        self.assertIn("-", self.cells(out))

    def test_json_is_utf8_whatever_the_name_of_the_file(self):
        path = self.model(file=b"m\xff\xc3.yaml")
        for command in (["check"], ["report", "-o", str(self.folder / os.fsdecode(b"r\xff.html"))],
                        ["run", "--interpreter"]):
            done = subprocess.run([PROGRAM, command[0], path, *command[1:], "--json"],
                                  capture_output=True, check=True)
            json.loads(done.stdout.decode("utf-8"))
        done = subprocess.run([PROGRAM, "check", path + "x", "--json"], capture_output=True,
                              check=False)
        self.assertIn("\ufffd", json.loads(done.stdout.decode("utf-8"))["file"])

    def test_standstill_is_named_as_the_cause(self):
        for command in (["run"], ["sens", "--wrt", "k_f"], ["loads"]):
            for speed in ("0", "1e-300"):
                done = jounce(command[0], BUGGY, *command[1:], "--set", f"speed={speed}",
                              "--interpreter", code=1)
                self.assertIn("this tyre law has no force at standstill: start with a speed",
                              done.stderr)


if __name__ == "__main__":
    unittest.main()
