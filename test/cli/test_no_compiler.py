#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The main commands where there is no compiler: results without a note, and no file but theirs."""
import os
import tempfile
import unittest
from pathlib import Path
import subprocess

from program import PROGRAM

MODELS = Path(__file__).resolve().parent.parent.parent / "models"
BUGGY = str(MODELS / "buggy/step_descent.yaml")
COMMANDS = (
    ("run", BUGGY),
    ("sens", BUGGY, "--wrt", "k_f,c_f", "--method", "direct"),
    ("sens", BUGGY, "--wrt", "all"),
    ("report", BUGGY, "--wrt", "k_f", "-o", "report.html"),
    ("sweep", BUGGY, "--param", "k_f=8000:24000:3", "--wrt", "k_f"),
    ("sweep", BUGGY, "--param", "k_f=8000:24000:9", "--batch"),
    ("loads", str(MODELS / "tracked/bump.yaml"), "--driver", "subcycle", "--rate", "500"),
    ("static", BUGGY),
    ("modes", BUGGY, "--at", "static"),
    ("info", BUGGY),
    ("kinematics", str(MODELS / "sedan/sedan.yaml"), "--axle", "front"),
    ("sens", str(MODELS / "sedan/cornering.yaml"), "--wrt", "k_front"),
)


class NoCompiler(unittest.TestCase):
    def test_commands_need_none_and_keep_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            empty = Path(folder, "bin")
            empty.mkdir()
            env = {"PATH": str(empty), "HOME": folder, "TMPDIR": folder}
            if "JOUNCE_CPU" in os.environ:
                env["JOUNCE_CPU"] = os.environ["JOUNCE_CPU"]
            for command in COMMANDS:
                done = subprocess.run([PROGRAM, *command], cwd=folder, env=env, capture_output=True, text=True,
                                      check=False)
                self.assertEqual(done.returncode, 0, f"{command}: {done.stderr}")
                self.assertNotIn("compiler", done.stderr)
                self.assertNotIn("interpreted", done.stderr)
            self.assertEqual(sorted(os.listdir(folder)), ["bin", "report.html"])


if __name__ == "__main__":
    unittest.main()
