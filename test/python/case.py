# SPDX-License-Identifier: Apache-2.0
"""What tests of the Python package share. Arguments of a test: the program, the shared library."""
import os
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.path.abspath(sys.argv.pop(1))
LIBRARY = os.path.abspath(sys.argv.pop(1))
os.environ["JOUNCE_LIBRARY"] = LIBRARY
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "test/cli")]  # readers of files

QUARTER_CAR = "test/models/sweep_quarter_car.yaml"
BOUNCE = "test/models/sens_bounce.yaml"
CART_POLE = "examples/cart_pole.yaml"
WISHBONE = "test/models/double_wishbone.yaml"


class Case(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)
