#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Memory ends anywhere in the process, other libraries included (test/support/failing_malloc.c, the second
argument): the exit status is 1 and the message says memory, or all is as if nothing had happened.

Two allocations of libfyaml 0.7.12, per file it begins to read, are its own fault: it follows the NULL. That
happens only where memory ends for them and for nothing before."""
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from program import PROGRAM

SHIM = os.path.abspath(sys.argv.pop(1))
CAR = "test/models/sweep_quarter_car.yaml"
TYRE = "test/data/tyres/MagicFormula62_Parameters.tir"
PLACES = int(os.environ.get("JOUNCE_OOM_PLACES", "60"))  # tried of each command

# name: files that are read, arguments
COMMANDS = {
    "check": (1, ["check", CAR]),
    "included files": (2, ["check", "models/buggy/step_descent.yaml", "--syntax-only"]),
    "run": (1, ["run", CAR, "--interpreter", "--end", "0.3", "--json", "-o", "{d}/out.csv"]),
    "manual": (0, ["manual", "--format", "bash", "--json", "-o", "{d}"]),
    "static": (1, ["static", CAR, "--wrt", "k", "--json"]),
    "import": (1, ["import", "test/data/import/walker.xml", "--json", "-o", "{d}/walker.yaml"]),
    "tyre": (0, ["tyre", TYRE, "--json"]),
    "tyre table": (0, ["tyre", TYRE, "--inputs", "test/data/tyres/reference_6x.csv", "--wrt", "kappa,PKY1", "-o",
                       "{d}/forces.csv"]),
    "tyre curves": (0, ["tyre", TYRE, "--json", "-o", "{d}/curves.html"]),
    "tyre of a model": (1, ["check", "models/car/vehicle.yaml", "--syntax-only"]),
    "sweep": (1, ["sweep", CAR, "--interpreter", "--param", "k=15000:16000:2", "-o", "{d}/sweep.csv"]),
}
KNOWN = 2 * 2  # faults per file: alone, and with all that follow


def start(args, **fail):
    env = {k: v for k, v in os.environ.items() if not k.startswith("FAIL_")}
    env |= {"LD_PRELOAD": SHIM, "FAIL_LIBRARIES": "1"} | {f"FAIL_{k}": str(v) for k, v in fail.items()}
    return subprocess.run([PROGRAM, *args], env=env, capture_output=True, text=True, check=False)


def count(args):
    with tempfile.NamedTemporaryFile(mode="r") as told:
        done = start(args, COUNT=told.name)
        return int(told.read()), done


def without_times(text):
    return re.sub(r'"(cpu_\w*s|real_time_factor|wall_s)": [^,\n]*|in [\d.e-]+ s on', "", text)


class Memory(unittest.TestCase):
    def test_memory_ends_anywhere(self):
        tried = 0
        for name, (files_read, command) in COMMANDS.items():
            self.crashes = 0
            with tempfile.TemporaryDirectory() as folder:
                args = [word.format(d=folder) for word in command]
                calls, good = count(args)
                files = {p: p.read_bytes() for p in Path(folder).iterdir()}
                self.assertEqual(good.returncode, 0, good.stderr)
                for at in range(0, calls, 1 + calls // PLACES):
                    for later in ({}, {"ON": 1}):
                        tried += 1
                        done = start(args, AT=at, **later)
                        self.check(f"{name}, allocation {at} of {calls}", done, good)
                        for path in Path(folder).iterdir():
                            if done.returncode == 0:
                                self.assertEqual(path.read_bytes(), files[path], name)
                            path.unlink()
            self.assertLessEqual(self.crashes, KNOWN * files_read, name)
        print(f"{tried} allocation failures", file=sys.stderr)

    def check(self, name, done, good):
        if done.returncode == 0:
            self.assertEqual(without_times(done.stdout), without_times(good.stdout), name)
        elif done.returncode == -signal.SIGSEGV and not done.stderr:
            self.crashes += 1
        else:
            self.assertEqual(done.returncode, 1, f"{name}: {done.stderr}")
            self.assertIn("memory", done.stderr, name)


if __name__ == "__main__":
    unittest.main()
