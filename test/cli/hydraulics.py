# SPDX-License-Identifier: Apache-2.0
"""What tests of hydraulics share: the reference of the damper rig, and cases that write models."""
import csv
import json
import math
import tempfile
import unittest
from pathlib import Path

from program import jounce

RIG = Path("models/damper_rig").resolve()
TOL = "1e-13"


def reference(name):
    with open(RIG / "reference" / name, newline="", encoding="utf-8") as f:
        return list(csv.DictReader(f))


def results(path):
    """Rows of a results file: names, units, numbers."""
    lines = [line for line in Path(path).read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return list(csv.DictReader([lines[0], *lines[2:]]))


def unit_of(x, digits):
    """One unit of the last of the digits printed."""
    return 10.0 ** (math.floor(math.log10(abs(x))) - digits + 1) if x else 0.0


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def model(self, text, name="model.yaml"):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    def ask(self, command, model, *args):
        return json.loads(jounce(command, str(model), "--json", "--quiet", *args).stdout)

    def rows(self, model, *args):
        """Columns of a run by time, and its summary."""
        out = str(self.folder / "out.csv")
        summary = self.ask("run", model, "-o", out, *args)
        return {round(float(r["t"]), 9): {k: float(v) for k, v in r.items()} for r in results(out)}, summary

    def agree(self, value, printed, digits, what):
        x = float(printed)
        self.assertLessEqual(abs(value - x), 1.01 * unit_of(x, digits), f"{what}: {value!r}, {printed}")


def settings(**values):
    return [a for k, v in values.items() for a in ("--set", f"{k}={v}")]
