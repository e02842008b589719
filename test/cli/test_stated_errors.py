#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Law of stated errors where the equations have a corner between two stages of a step: a braked tyre that comes to rest. At
every tolerance the derivative is no farther from the converged one than is stated, by either method."""
import json
import unittest
from pathlib import Path

from case import Case
from program import jounce
from test_linear_tyre import BODY as LINEAR
from test_magic_tyre import BODY as MAGIC

TYRES = Path(__file__).resolve().parent.parent / "data/tyres"
TAIL = """
initial: {x: {value: 0, rate: v0}, z: {value: HEIGHT, rate: slope*v0}}
objectives: {where: {final: x}}
simulation: {end: 6, rel_tol: TOL, abs_tol: TOL, method: METHOD}
"""


class StatedErrors(Case):
    def derivatives(self, body, tol, method, by):
        text = body.replace("TOL", tol).replace("METHOD", by)
        out = json.loads(jounce("sens", self.path("m.yaml", text), "--interpreter", "--wrt", self.wrt, "--method",
                                method, "--json", "--quiet").stdout)["objectives"]["where"]
        return out["gradient"], out["gradient_error"]

    def check(self, body, height):
        body = body.replace("DRIVE", ", drive: 0") + TAIL.replace("HEIGHT", height)
        true, _ = self.derivatives(body, "1e-12", "direct", "auto")
        cases = [(tol, "auto") for tol in ("1e-6", "1e-7", "1e-8", "1e-9", "1e-10")]
        for tol, by in cases + [("1e-8", "imex4"), ("1e-8", "esdirk5")]:
            for method in ("direct", "adjoint"):
                gradient, error = self.derivatives(body, tol, method, by)
                for name, value in gradient.items():
                    self.assertLessEqual(abs(value - true[name]), error[name], f"{tol} {by} {method} {name}")
                    if tol in ("1e-8", "1e-9", "1e-10"):  # and they still say something
                        self.assertLess(error[name], 1e-2 * abs(value), f"{tol} {by} {method} {name}")

    def test_linear_tyre(self):
        self.wrt = "v0,slope,mu,m,kc,sigma"
        self.check(LINEAR.replace("RELAXES", ", relaxation: sigma"), "0.285")

    def test_magic_formula(self):
        self.wrt = "v0,slope,mu,m"
        self.check(MAGIC.replace("TIR", str(TYRES / "Sedan_Pac02Tire.tir")), "0.33")


if __name__ == "__main__":
    unittest.main()
