#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Law of stated errors where the equations have a corner between two stages of a step: a braked tyre that comes to rest. At
every tolerance the derivative is no farther from the converged one than is stated, by either method. The same of peaks and means of
signals so small that no step is held to them, against integrals of the solution; and of corners that are rounded over less
than a step, which halved steps may miss as whole ones do."""
import cmath
import json
import math
import re
import statistics
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


PARALLELOGRAMS = """jounce: 1
parameters: {w: W, m: 1}
bodies:
BODIESjoints:
JOINTSclosures:
CLOSURESinitial: {v0: {value: 0, rate: w}}
objectives: {E: {final: energy.kinetic + energy.potential}}
simulation: {end: END, tolerance: TOL}
"""


class SingularPositions(Case):
    """A row of parallelograms that passes its flat positions, where every loop of it is singular. Its energy stays what it is at
    the start, so that dE/dw = J w and dE/dm = E/m. Steps across such positions cannot be halved."""

    @staticmethod
    def model(n, w, end, tol):
        body = "mass: m, com: [{}], inertia: [{}], points: {{tip: [{}]}}"
        up, along = body.format("0, 0, 0.5", "m/12, m/12, 0", "0, 0, 1"), body.format("0.5, 0, 0", "0, m/12, m/12", "1, 0, 0")
        bodies = "".join(f"  v{i}: {{{up}}}\n" for i in range(n + 1)) + "".join(f"  h{i}: {{{along}}}\n" for i in range(n))
        joints = "".join(f"  v{i}: {{type: revolute, child: v{i}, at: [[{i}, 0, 0], v{i}.origin], axis: y}}\n" for i in range(n + 1))
        joints += "".join(f"  h{i}: {{type: revolute, parent: v{i}, child: h{i}, at: [v{i}.tip, h{i}.origin], axis: y}}\n" for i in range(n))
        closures = "".join(f"  c{i}: {{type: ball, a: h{i}.tip, b: v{i + 1}.tip}}\n" for i in range(n))
        text = PARALLELOGRAMS
        for key, value in (("BODIES", bodies), ("JOINTS", joints), ("CLOSURES", closures), ("W", w), ("END", end), ("TOL", tol)):
            text = text.replace(key, str(value))
        return text

    def test_direct_and_adjoint(self):
        for n, w, end, tol in ((3, 1, 10, 1e-8), (1, 1, 4, 1e-6), (4, 1, 10, 1e-8), (2, 0.8, 4, 1e-8), (3, 1.34, 7, 1e-8)):
            inertia = 2 * ((n + 1) / 6 + n / 2)
            energy = inertia * w * w / 2 + 9.81 * ((n + 1) / 2 + n)
            for method in "direct", "adjoint":
                told = json.loads(jounce("sens", self.path("m.yaml", self.model(n, w, end, tol)), "--interpreter", "--wrt", "w,m",
                                         "--method", method, "--json", "--quiet").stdout)["objectives"]["E"]
                for name, true in (("w", inertia * w), ("m", energy)):
                    off, error = abs(told["gradient"][name] - true), told["gradient_error"][name]
                    self.assertLessEqual(off, error, (n, w, tol, method, name))
                    # rounding, which is 1e-14 E/d^3 at d = 0.003 of the position, is all that is off by chance by less
                    self.assertLess(error, 1000 * off + 1e-14 * energy / 0.003**3, (n, w, tol, method, name))


DROP = """jounce: 1
name: drop
parameters: {h: H, vz: DOWN, v: AHEAD, roll: LEAN, om: SPIN}
bodies:
  hub: {mass: 200, inertia: [20, 20, 20]}
  wheel: {mass: 20, inertia: [0.6, 1.1, 0.6]}
joints:
  hub: {type: free, child: hub, drive: {pitch: 0, yaw: 0.02}}
  spin: {type: revolute, parent: hub, child: wheel, axis: y}
forces: {up: {on: hub.roll, torque: TORQUE}}
tyres: {ty: {file: TIR, wheel: wheel}}
objectives: {z: {integral: hub.z}, x: {final: hub.x}, y: {integral: hub.y}, sp: {final: spin.rate}}
initial: {hub.x: {value: 0, rate: v}, hub.z: {value: h, rate: vz}, spin: {rate: om}, hub.roll: {value: roll}}
simulation: {end: END, method: METHOD}
"""


class RoundedCorners(Case):
    """A wheel that falls on the road and bounces. Slips, camber and load pass values where forces have corners, rounded over a
    hundredth of a step: the error there is nearly as large with half the steps, and the difference small by chance."""

    HOLDS, YIELDS = '"500*hub.roll + 30*hub.roll.rate"', '"-3000*hub.roll - 100*hub.roll.rate"'
    SEDAN, MF_62 = "Sedan_Pac02Tire.tir", "MagicFormula62_Parameters.tir"
    DROPS = (  # tyre, height, rates, lean, spin, torque, end, method, derivatives whose errors were told too small
        (MF_62, 0.494412, -0.661959, 23.9582, 0.070792, 92.8305, HOLDS, 0.9, "auto"),               # z by vz, 0.19
        (SEDAN, 0.338239, -2.64388, 18.2917, -0.0794587, 67.3327, HOLDS, 0.9, "auto"),              # sp by h, 0.43
        (SEDAN, 0.536697, -1.82572, 25.1915, -0.0716522, 59.6704, YIELDS, 0.9, "auto"),             # sp by vz, 0.43
        (SEDAN, 0.571761, 0.425512, 22.5025, -0.00336429, 52.896, YIELDS, 0.9, "auto"),             # y by vz, 0.71
        (SEDAN, 0.536697, -1.82572, 25.1915, -0.0716522, 59.6704, YIELDS, 0.9, "imex4"),            # y by om, 0.16
    )

    def derivatives(self, text, *options):
        out = json.loads(jounce("sens", self.path("m.yaml", text), "--wrt", "h,vz,v,om", "--json", "--quiet", *options).stdout)
        return {(o, k): (of["gradient"][k], of["gradient_error"][k]) for o, of in out["objectives"].items() for k in of["gradient"]}

    def test_drops(self):
        for tyre, *values in self.DROPS:
            text = DROP.replace("TIR", str(TYRES / tyre))
            for key, value in zip(("H", "DOWN", "AHEAD", "LEAN", "SPIN", "TORQUE", "END", "METHOD"), values):
                text = re.sub(rf"\b{key}\b", str(value), text)
            true = self.derivatives(text, "--tol", "1e-12", "--integrator", "dopri5", "--quick")
            for method in "direct", "adjoint":
                ratios = []
                for at, (value, error) in self.derivatives(text, "--method", method).items():
                    self.assertLessEqual(abs(value - true[at][0]), error, f"{values} {method} {at}")
                    ratios.append(error / abs(value - true[at][0]))
                self.assertLess(statistics.median(ratios), 30, f"{values} {method}")  # and they say something


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
        for known in ("0.01", "0"):
            self.assertEqual("", self.warnings("o: {peak: x}", "--set", f"a={known}"))
        self.assertIn("m.yaml:10: objective 'o' came out as", self.warnings("o: {peak: x}", "--set", "a=1e-18"))

    def test_none_without_derivatives(self):
        path = self.model(["good: {peak: x}", "o: {peak: x, power: 200}"])
        for method in ("direct", "adjoint"):
            done = jounce("sens", path, "--interpreter", "--method", method, "--set", "a=0.01")
            self.assertIn("m.yaml:11: objective 'o' has no derivatives", done.stderr)
            done = jounce("sens", path, "--interpreter", "--method", method, "--set", "a=0.01", "--objective", "good,o", code=1)
            self.assertIn("m.yaml:11: objective 'o' has no derivatives", done.stderr)

    def test_nominal_of_one(self):
        same = [jounce("run", self.model([f"o: {{peak: x{n}}}", f"r: {{rms: x, filter: Wk{n}}}"]), "--interpreter").stdout
                for n in ("", ", nominal: 1")]
        digits = [[l for l in s.splitlines() if l.startswith("  ")] for s in same]
        self.assertEqual(*digits)
        self.assertEqual(2, len(digits[0]))


FILTERED = """
jounce: 1
name: sine through a low pass
gravity: [0, 0, 0]
parameters: {A: 1, shift: 0, f: 2, fc: 5}
bodies: {cart: {mass: 2}}
joints: {x: {type: prismatic, child: cart, axis: x}}
initial: {x: {value: 1, rate: 2}}
objectives:
  o: {KIND: shift + A*sin(2*pi*f*t), filter: FILTER}
simulation: {end: 4}
"""


def low_passed(kind, f=2.0, fc=5.0, end=4.0, n=8000):
    """A sine through a Butterworth filter at rest, in closed form, and its mean or root mean square by the rule of Simpson."""
    w, pole = 2 * math.pi * fc, complex(-1, 1) * math.sqrt(2) * math.pi * fc
    s = complex(0, 2 * math.pi * f)
    H = w * w / (s * s + math.sqrt(2) * w * s + w * w)
    # y = Im(H exp(s t)) + Re(c exp(pole t)), y = y' = 0 at the start
    re = -H.imag
    c = complex(re, ((H * s).imag + re * pole.real) / pole.imag)
    y = [(H * cmath.exp(s * t)).imag + (c * cmath.exp(pole * t)).real for t in (i * end / n for i in range(n + 1))]
    if kind == "rms":
        y = [x * x for x in y]
    mean = (y[0] + y[-1] + 4 * sum(y[1:-1:2]) + 2 * sum(y[2:-1:2])) / (3 * n)
    return math.sqrt(mean) if kind == "rms" else mean


class FilteredSignals(Case):
    """Filters have states of the size of their signal, whatever their frequency: at loose tolerances values are right, or a
    warning says how far they may be off."""

    def model(self, kind, extra="", filter="lowpass, frequency: fc"):
        return self.path("m.yaml", FILTERED.replace("KIND", kind).replace("FILTER", filter + extra))

    def run_of(self, path, *options):
        done = jounce("run", path, "--interpreter", "--json", *options)
        return json.loads(done.stdout)["objectives"]["o"], done.stderr

    def judge(self, off, said, case):
        """How far off a value may be: by what was said, else by less than 1 %."""
        if "no true digit" in said or "or more" in said:
            return
        told = re.search(r"may be off by ([0-9.e+]+) %", said)
        self.assertLess(off, float(told.group(1)) / 100 if told else 0.01, case)
        self.quiet += not told

    def test_closed_form(self):
        self.quiet = 0
        for kind, fc in (("rms", 0.5), ("rms", 5.0), ("rms", 50.0), ("mean", 5.0)):
            value, size = low_passed(kind, fc=fc), low_passed("rms", fc=fc)
            for A, tol, method in ((1, 1e-4, "auto"), (0.1, 1e-4, "auto"), (0.01, 1e-4, "auto"), (1e-3, 1e-4, "auto"), (1e-3, 1e-6, "auto"),
                                   (1e-6, 1e-4, "auto"), (0.01, 1e-4, "bdf"), (1e-3, 1e-5, "esdirk5")):
                if fc < 1 and A < 1 and tol > 1e-6:
                    continue  # so little passes that the run is refused
                case = ["--set", f"A={A}", "--set", f"fc={fc}", "--tol", str(tol), "--method", method]
                found, said = self.run_of(self.model(kind), *case)
                self.judge(abs(found / A - value) / size, said, f"{kind} {case}: {said}")
                found, said = self.run_of(self.model(kind, f", nominal: {A}"), *case)
                self.judge(abs(found / A - value) / size, said, f"{kind} {case} nominal: {said}")
                if fc > 1:  # else a sixteenth passes, and nominal is too large
                    self.assertLess(abs(found / A - value), 50 * tol, f"{kind} {case} nominal")
                    self.assertEqual("", said)
        self.assertGreater(self.quiet, 30)

    def test_stated(self):
        for A, tol in ((1e-2, "1e-4"), (1e-4, "1e-6")):
            for method in ("direct", "adjoint"):
                done = jounce("sens", self.model("rms"), "--interpreter", "--wrt", "A,fc", "--tol", tol, "--method", method, "--json",
                              "--quiet", "--set", f"A={A}")
                found = json.loads(done.stdout)["objectives"]["o"]
                value = low_passed("rms")
                true = {"A": value, "fc": A * (low_passed("rms", fc=5.001) - low_passed("rms", fc=4.999)) / 0.002}
                self.assertLess(abs(found["value"] - A * value), found["value_error"])
                for by, slope in true.items():
                    self.assertLess(abs(found["gradient"][by] - slope), found["gradient_error"][by], f"{A} {tol} {method} {by}")

    def test_words(self):
        small = ["--set", "A=0.01", "--tol", "1e-4"]
        self.assertIn("m.yaml:10: objective 'o' came out as 0.00", self.run_of(self.model("rms"), *small)[1])
        self.assertRegex(self.run_of(self.model("rms"), *small)[1], r"off by [0-9.]+ %: .* hint: 'nominal: 0.0069'")
        window = self.model("rms", ", window: [3, 4]", "Wk")
        hidden = self.run_of(window, "--set", "shift=9.81", "--set", "A=1e-3", "--tol", "1e-4")[1]
        self.assertRegex(hidden, "of a signal that is much larger, is too little for the tolerance; hint: a smaller --tol")
        for quiet in (["--set", "A=0"], ["--method", "rk4", "--step", "0.01", "--set", "A=1e-5"]):
            self.assertEqual("", self.run_of(self.model("mean"), "--tol", "1e-4", *quiet)[1])


if __name__ == "__main__":
    unittest.main()
