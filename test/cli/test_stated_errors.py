#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Law of stated errors where the equations have a corner between two stages of a step: a braked tyre that comes to rest. At
every tolerance the derivative is no farther from the converged one than is stated, by either method. The same of peaks and means of
signals so small that no step is held to them, against integrals of the solution."""
import json
import math
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

OSCILLATOR = """
jounce: 1
name: small oscillation
parameters: {k: 100, c: 1, a: 1}
bodies: {b: {mass: 1}}
joints: {x: {type: prismatic, child: b, axis: x}}
forces: {spring: {on: x, force: k*x + c*x.rate}}
initial: {x: a}
objectives:
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


def power_mean(power, k=100.0, c=1.0, end=5.0, n=20000):
    """(int |x|^power dt / T)^(1/power) of x'' + c x' + k x = 0 from x = 1 at rest, by the rule of Simpson."""
    decay, w = c / 2, math.sqrt(k - c * c / 4)
    x = [abs(math.exp(-decay * t) * (math.cos(w * t) + decay / w * math.sin(w * t)))**power
         for t in (i * end / n for i in range(n + 1))]
    return ((x[0] + x[-1] + 4 * sum(x[1:-1:2]) + 2 * sum(x[2:-1:2])) / (3 * n))**(1 / power)


class SmallSignals(Case):
    def model(self, objectives, tail=""):
        return self.path("m.yaml", OSCILLATOR + "".join(f"  {o}\n" for o in objectives) +
                         f"simulation: {{end: 5, method: dopri5}}\n{tail}")

    def compare(self, powers, a, tol, nominal, most):
        """Value and derivatives by both methods; further off than stated, or than `most`, they are not."""
        names = {f"n{n}": n for n in powers}
        extra = f", nominal: {a}" if nominal else ""
        path = self.model([f"{o}: {{rms: x{extra}}}" if n == 2 else f"{o}: {{peak: x, power: {n}{extra}}}"
                           for o, n in names.items()])
        for method in ("direct", "adjoint"):
            done = jounce("sens", path, "--interpreter", "--tol", tol, "--method", method, "--json", "--quiet", "--set", f"a={a}")
            for o, found in json.loads(done.stdout)["objectives"].items():
                n = names[o]
                true = {"value": a * power_mean(n), "a": power_mean(n),
                        "k": a * (power_mean(n, k=100.01) - power_mean(n, k=99.99)) / 0.02,
                        "c": a * (power_mean(n, c=1.0001) - power_mean(n, c=0.9999)) / 0.0002}
                size = {"value": true["value"], "a": true["a"], "k": true["value"] / 100, "c": true["value"]}
                for by, value in dict(found["gradient"], value=found["value"]).items():
                    stated = found["value_error"] if by == "value" else found["gradient_error"][by]
                    off = abs(value - true[by])
                    self.assertLessEqual(off, stated + 1e-8 * size[by], f"{a} {tol} {method} {o} {by}")
                    self.assertLess(off, most * size[by], f"{a} {tol} {method} {o} {by}")

    def test_unheld(self):
        for a, tol in ((1e-2, "1e-4"), (1e-2, "1e-6"), (1e-4, "1e-6")):
            self.compare((2, 16), a, tol, False, 1)

    def test_nominal(self):
        for a in (1e-2, 1e-6):
            self.compare((2, 16, 200), a, "1e-8", True, 2e-5)

    def warnings(self, objective, *options):
        done = jounce("run", self.model([objective]), "--interpreter", *options)
        return done.stderr

    def test_lost(self):
        hidden = "o: {peak: x, power: 200}"
        self.assertIn("m.yaml:10: objective 'o' came out as 0 and may have no true digit", self.warnings(hidden, "--set", "a=0.01"))
        self.assertIn("m.yaml:10: objective 'o' came out as 0", self.warnings("o: {rms: x}", "--set", "a=1e-6", "--tol", "1e-5"))
        self.assertIn("'nominal: 0.0096', the size", self.warnings(hidden.replace("200", "150"), "--set", "a=0.01"))
        self.assertEqual("", self.warnings("o: {peak: x, power: 200, nominal: 0.01}", "--set", "a=0.01"))
        self.assertEqual("", self.warnings("o: {peak: x, power: 200, nominal: 0.01}", "--set", "a=0"))
        for small in ("0.01", "1e-18", "0"):
            self.assertEqual("", self.warnings("o: {peak: x}", "--set", f"a={small}"))

    def test_none_without_derivatives(self):
        path = self.model(["good: {peak: x}", "o: {peak: x, power: 200}"])
        for method in ("direct", "adjoint"):
            done = jounce("sens", path, "--interpreter", "--method", method, "--set", "a=0.01", code=1)
            self.assertIn("m.yaml:11: objective 'o' has no derivatives", done.stderr)

    def test_nominal_of_one(self):
        same = [jounce("run", self.model([f"o: {{peak: x{n}}}", f"r: {{rms: x, filter: Wk{n}}}"]), "--interpreter").stdout
                for n in ("", ", nominal: 1")]
        digits = [[l for l in s.splitlines() if l.startswith("  ")] for s in same]
        self.assertEqual(*digits)
        self.assertEqual(2, len(digits[0]))


if __name__ == "__main__":
    unittest.main()
