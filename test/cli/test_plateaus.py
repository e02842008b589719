#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Conditions on values that come to their limit and rest there, as max(0, x), clamp(x, 0, 1) and the load of a wheel in the
air: they hold as they are written, by every method, in lanes and in motions, with derivatives."""
import csv
import json
import math
import unittest
from pathlib import Path

from case import Case
from program import jounce

# x = a cos(w t) for 3.5 periods
HEAD = """jounce: 1
name: plateaus
gravity: [0, 0, 0]
parameters: {w: 10, a: 0.9, k: w^2}
bodies: {b: {mass: 1}}
joints: {x: {type: prismatic, axis: x, child: b}}
forces: {s: {on: x, stiffness: k}}
tables: {ramp: {x: [-2, 0, 1], y: [0, 0, 1], extrapolation: hold}}
functions: {over: {of: v, value: "if(v > 0, v, 0)"}}
initial: {x: START}
objectives: {o: {integral: "EXPRESSION"}}
simulation: {end: 2.2, METHOD}
"""
END, W, A = 2.2, 10.0, 0.9  # at a peak of 1 floor(2*x) would only touch 2

EXPRESSIONS = {
    "step(max(0,x))": lambda x: 1,
    "sign(max(0,x))": lambda x: x > 0,
    "floor(max(0,x)*2)": lambda x: math.floor(2*max(0, x)),
    "ceil(min(0,x)*2)": lambda x: math.ceil(2*min(0, x)),
    "mod(max(0,x)*2, 1)": lambda x: 2*max(0, x) - math.floor(2*max(0, x)),
    "if(max(0,x) == 0, 1, 0)": lambda x: x <= 0,
    "if(max(0,x) != 0, 1, 0)": lambda x: x > 0,
    "if(max(0,x) >= 0, 1, 0)": lambda x: 1,
    "if(max(0,x) < 0, 1, 0)": lambda x: 0,
    "if(max(0,x) > 0, 1, 0)": lambda x: x > 0,
    "if(max(0,x) <= 0, 1, 0)": lambda x: x <= 0,
    "if(not max(0,x), 1, 0)": lambda x: x <= 0,
    "if(clamp(2*x,0,1) == 1, 1, 0)": lambda x: x >= 0.5,
    "if(clamp(2*x,0,1) >= 1, 1, 0)": lambda x: x >= 0.5,
    "floor(clamp(2*x,0,1))": lambda x: x >= 0.5,
    "floor(clamp(4*x,-3,2))": lambda x: math.floor(max(-3, min(2, 4*x))),
    "sign(ramp(x))": lambda x: x > 0,
    "step(over(x))": lambda x: 1,
    "sign(x + abs(x))": lambda x: x > 0,
    "step(-floor(max(0,x)*2))": lambda x: x < 0.5,
    "if(max(0,x) <= 0 and x.rate > 0, 1, 0)": None}


def model(expression, start="a", method="method: dopri5"):
    return HEAD.replace("EXPRESSION", expression).replace("START", start).replace("METHOD", method)


def integral(f, sign=1.0):
    n = 100000
    return END/n*math.fsum(float(f(sign*A*math.cos(W*END*(i + 0.5)/n))) for i in range(n))


class Plateaus(Case):
    def value(self, text, *options):
        done = jounce("run", self.path("m.yaml", text), "--json", "--quiet", *options)
        return json.loads(done.stdout)["objectives"]["o"]

    def test_expressions_hold_as_written(self):
        for expression, f in EXPRESSIONS.items():
            for start, sign in ("a", 1.0), ("-a", -1.0):
                if f:
                    self.assertAlmostEqual(self.value(model(expression, start)), integral(f, sign), delta=4e-4, msg=(expression, start))

    def test_methods_and_interpreter(self):
        for expression in "floor(max(0,x)*2)", "if(clamp(2*x,0,1) == 1, 1, 0)":
            known = integral(EXPRESSIONS[expression])
            for method in "method: esdirk5", "method: imex4", "method: rk4, step: 1e-3", "tolerance: 1e-11":
                self.assertAlmostEqual(self.value(model(expression, method=method)), known, delta=4e-4, msg=(expression, method))
            self.assertEqual(self.value(model(expression)), self.value(model(expression), "--interpreter"))

    def test_derivatives_are_those_of_runs(self):
        for expression in EXPRESSIONS:
            path = self.path("m.yaml", model(expression))
            runs = [self.value(model(expression), "--set", f"w={w}", "--tol", "1e-11") for w in (9.999, 10.001)]
            for method in "direct", "adjoint":
                told = json.loads(jounce("sens", path, "--json", "--quiet", "--method", method, "--wrt", "w").stdout)
                self.assertAlmostEqual(told["objectives"]["o"]["gradient"]["w"], (runs[1] - runs[0])/0.002, delta=2e-5, msg=(expression, method))
            self.assertIn("all agree", jounce("sens", path, "--check", "--quiet", "--wrt", "w,a").stdout, expression)

    def test_lanes_are_runs(self):
        for expression in "step(max(0,x))", "sign(max(0,x))", "ceil(min(0,x)*2)", "if(clamp(2*x,0,1) == 1, 1, 0)":
            path = self.path("m.yaml", model(expression))
            rows = []
            for how in (), ("--batch",):
                out = self.path("out.csv", "")
                jounce("sweep", path, "--param", "a=0.6:1.4:9", "--wrt", "none", "--quiet", "-o", out, *how)
                with open(out, encoding="utf-8") as f:
                    rows.append([r[2] for r in csv.reader(line for line in f if not line.startswith("#"))][2:])
            self.assertEqual(len(rows[0]), 9)
            for one, lane in zip(*rows):
                self.assertAlmostEqual(float(one), float(lane), delta=1e-9, msg=expression)

    def test_motion_and_events(self):
        text = model("x").replace("bodies: {b: {mass: 1}}", "bodies: {b: {mass: 1}, c: {mass: 1}}").replace(
            "joints: {", "joints: {y: {type: prismatic, axis: y, child: c}, ").replace(
            "forces: {", "states: {n: {discrete: true}}\nevents: {rest: {when: \"max(0, x) == 0\", set: {n: n + 1}}, "
            "never: {when: \"max(0, x) < 0\", set: {n: n + 100}}}\nforces: {f: {on: y, force: \"-floor(max(0, 2*x))\"}, ").replace(
            "objectives: {", "objectives: {vy: {final: y.rate}, n: {final: n}, ")
        done = json.loads(jounce("run", self.path("m.yaml", text), "--json", "--quiet").stdout)
        self.assertAlmostEqual(done["objectives"]["vy"], integral(EXPRESSIONS["floor(max(0,x)*2)"]), delta=4e-4)
        self.assertEqual(done["objectives"]["n"], 4)  # times that cos(10 t) becomes negative in 2.2 s


HOPPING = """jounce: 1
name: hopping wheel
parameters: {k: 2e5, h: 0.06}
bodies: {car: {mass: 300}, wheel: {mass: 25, inertia: [0.5, 1, 0.5]}}
joints:
  car: {type: free, child: car, drive: {y: 0, yaw: 0, pitch: 0, roll: 0, x: 12*t}}
  hop: {type: prismatic, parent: car, child: wheel, axis: z}
tyres:
  ty: {wheel: wheel, radius: 0.31, stiffness: k, damping: 100, kappa_c: 0.1, alpha_c: 0.1, mu_x: 1, mu_y: 1, relaxation: 0.3}
forces: {s: {on: hop, stiffness: 2e4, damping: 600}}
road: "if(x < 5, 0, if(x < 6, h*sin(pi*(x-5))^2, 0))"
objectives: {air: {integral: "AIR"}, z: {final: car.z}}
initial: {car.z: 0.45, hop: -0.14}
simulation: {end: 1.2}
"""


class Airborne(Case):
    """Time in the air, by several conditions that mean the same."""

    def test_time_in_the_air(self):
        found = []
        for way in "if(ty.fz <= 0, 1, 0)", "if(ty.fz == 0, 1, 0)", "1 - sign(ty.fz)", "if(ty.fz < 1e-6, 1, 0)", "step(-ty.fz)":
            path = self.path("m.yaml", HOPPING.replace("AIR", way))
            air = []
            for method in "direct", "adjoint":
                told = json.loads(jounce("sens", path, "--json", "--quiet", "--method", method, "--wrt", "h", "--objective", "air").stdout)
                air.append((told["objectives"]["air"]["value"], told["objectives"]["air"]["gradient"]["h"]))
            self.assertAlmostEqual(air[0][1], air[1][1], delta=1e-6)
            runs = [json.loads(jounce("run", path, "--json", "--quiet", "--tol", "1e-11", "--set", f"h={h}").stdout)["objectives"]["air"]
                    for h in (0.05999, 0.06001)]
            self.assertAlmostEqual(air[0][1], (runs[1] - runs[0])/2e-5, delta=1e-3)
            found.append(air[0])
        for value, slope in found:
            self.assertAlmostEqual(value, 0.1846690, delta=1e-6)
            self.assertAlmostEqual(slope, found[0][1], delta=1e-5)


if __name__ == "__main__":
    unittest.main()
