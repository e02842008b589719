# SPDX-License-Identifier: Apache-2.0
"""A test with a folder of its own for the files it writes."""
import os
import tempfile
import unittest
from pathlib import Path

from program import jounce


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name, text=None):
        path = os.path.join(self.folder.name, name)
        if text is not None:
            Path(path).write_text(text, encoding="utf-8")
        return path

    def rows(self, text, *options):
        """The columns of a run, as lists of numbers."""
        out = self.path("run.csv")
        done = jounce("run", self.path("m.yaml", text), "--interpreter", "-o", out, *options)
        lines = [l for l in Path(out).read_text(encoding="utf-8").splitlines() if l[:1] != "#"]
        names, data = lines[0].split(","), [l.split(",") for l in lines[1:]]
        data = [r for r in data if r[0].replace(".", "").replace("e-", "").isdigit()]
        self.report = done.stdout
        return {n: [float(r[i]) for r in data] for i, n in enumerate(names)}
