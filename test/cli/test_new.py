#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""jounce new: starters are listed and written, never over anything, and each of them is a model that works."""
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import unittest
from pathlib import Path

from case import Case
from program import PROGRAM, jounce

MODELS = Path(__file__).resolve().parent.parent.parent / "models"
STARTERS = sorted(p.stem for p in (MODELS / "starters").glob("*.yaml"))


class Starters(Case):
    def test_all_are_listed_with_what_they_are(self):
        self.assertTrue({"pendulum", "quarter_car", "corner", "car", "study"} <= set(STARTERS))
        listed = json.loads(jounce("new", "--json").stdout)["starters"]
        self.assertEqual([s["name"] for s in listed], STARTERS)
        shown = jounce("new").stdout
        for s in listed:
            self.assertGreater(len(s["description"]), 20)
            self.assertRegex(shown, rf"\n  {s['name']} +{re.escape(s['description'])}\n")

    def test_each_is_written_and_works_without_a_word(self):
        for name in STARTERS:
            folder = self.path(name)
            made = json.loads(jounce("new", name, "-o", folder, "--json").stdout)
            file = made["file"]
            self.assertEqual(file, os.path.join(folder, name + ".yaml"))
            # no other place is needed: what it includes lies beside it
            moved = shutil.move(folder, self.path("moved_" + name))
            file = os.path.join(moved, name + ".yaml")
            is_study = "\nstudy: 1" in Path(file).read_text(encoding="utf-8")
            # the manoeuvre of the car begins at 0.5 s; all of it with derivatives takes the interpreter long
            shorter = ["--set", "simulation.end=0.8"] if name == "car" else []
            commands = [["study", file]] if is_study else [["check", file], ["run", file], ["sens", file, *shorter]]
            for command in commands:
                done = jounce(*command, "--interpreter")
                self.assertEqual(done.stderr, "", f"{name}: {command[0]}")

    def test_what_is_written_says_what_to_do_next(self):
        done = jounce("new", "quarter_car", cwd=self.folder.name)
        for command in ("check", "run", "sens", "report"):
            self.assertIn(f"jounce {command} quarter_car.yaml", done.stdout)
        done = jounce("new", "study", cwd=self.folder.name)
        self.assertIn("jounce study study/study.yaml -o", done.stdout)
        self.assertTrue(os.path.exists(self.path("study/quarter_car.yaml")))

    def test_copies_of_the_library_are_the_library(self):
        jounce("new", "car", cwd=self.folder.name)
        self.assertNotIn("../library", Path(self.path("car/car.yaml")).read_text(encoding="utf-8"))
        for name in ("double_wishbone", "multi_link", "rack"):
            text = (MODELS / f"library/{name}.yaml").read_text(encoding="utf-8")
            copy = Path(self.path(f"car/library/{name}.yaml")).read_text(encoding="utf-8")
            self.assertEqual(copy, re.sub(r"\A# yaml-language-server:.*\n", "", text))

    def test_the_corner_is_an_axle_for_kinematics(self):
        jounce("new", "corner", cwd=self.folder.name)
        done = jounce("kinematics", self.path("corner/corner.yaml"), "--interpreter", "--points", "3", "--json")
        self.assertEqual(done.stderr, "")


class Refusals(Case):
    def test_nothing_is_overwritten(self):
        for name, target in (("pendulum", "pendulum.yaml"), ("pendulum", "mine.yaml"), ("car", "car")):
            kept = self.path(target, "mine\n")
            options = [] if target.startswith(name) else ["-o", target]
            done = jounce("new", name, *options, cwd=self.folder.name, code=1)
            self.assertIn(f"{target}: is there already", done.stderr)
            self.assertEqual(Path(kept).read_text(encoding="utf-8"), "mine\n")
        os.mkdir(self.path("folder"))
        jounce("new", "pendulum", "-o", self.path("folder"), code=1)
        self.assertEqual(os.listdir(self.path("folder")), [])
        os.symlink("nowhere", self.path("link.yaml"))
        jounce("new", "pendulum", "-o", self.path("link.yaml"), code=1)
        self.assertFalse(os.path.exists(self.path("nowhere")))

    def test_what_cannot_be_written_leaves_nothing(self):
        """Files may not be as large: of several files the first ones fit."""
        for name, target in (("car", "car"), ("pendulum", "pendulum.yaml")):
            for size in (0, 100, 2000, 5000):
                def limit(size=size):
                    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
                    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
                done = subprocess.run([PROGRAM, "new", name, "-o", target], cwd=self.folder.name, capture_output=True,
                                      text=True, check=False, preexec_fn=limit)
                left = os.listdir(self.folder.name)
                self.assertIn(done.returncode, (0, 1), done)
                self.assertEqual(left, [target] if done.returncode == 0 else [], size)
                if done.returncode:
                    self.assertIn("cannot write: File too large", done.stderr)
                elif os.path.isdir(self.path(target)):
                    shutil.rmtree(self.path(target))
                else:
                    os.remove(self.path(target))

    def test_wrong_use(self):
        for words in (["new", "nothing"], ["new", "../starters/car"], ["new", "car", "-o", "car.yaml"],
                      ["new", "-o", "x.yaml"], ["new", "car", "bus"], ["new", "x" * 5000]):
            done = jounce(*words, cwd=self.folder.name, code=2)
            self.assertIn("jounce new", done.stderr)
        jounce("new", "pendulum", "-o", self.path("no/such/folder.yaml"), code=1)
        self.assertEqual(os.listdir(self.folder.name), [])


if __name__ == "__main__":
    unittest.main()
