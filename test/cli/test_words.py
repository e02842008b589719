#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The words of expressions: functions of the user, tables of two variables. Values are those of plain Python; derivatives
are those of both methods and of differences; compiled and interpreted runs are the same; what is wrong is told."""
import json
import math
import unittest

from case import Case
from program import jounce

HEAD = """
jounce: 1
name: words
parameters: {m: 2, l: 1, k: 3, soft: 0.2, double_k: twice(k), q: "map(0.5, k)"}
functions:
  twice: {of: x, value: 2*x}
  law: {of: [v, c], value: "c*v/(1 + abs(v)/vmax) + twice(0.1*v)"}
  vmax_of: {of: [soft], value: 1 + soft*t, description: the argument hides the parameter}
tables:
  map: {x: [-2, 0.3, 3], y: [-4, 1, 2, 6], z: [[0, 1, 4, 5], [2, 2.5, 3, 7], [1, 8, 9, 12]], interpolation: cubic}
  lin: {x: [-0.4, 0.1, 0.3], y: [-1, 0.2, 2], z: [[0, 1, 4], [2, 2.5, 3], [1, 8, 9]]}
signals: {vmax: vmax_of(soft)}
bodies:
  bob: {mass: m, com: [0, 0, -l], inertia: [0.1, 0.1, 0.1]}
joints:
  swing: {type: revolute, child: bob, axis: y}
initial: {swing: {value: 0.5, rate: 0}}
"""

PENDULUM = HEAD + """
forces:
  f: {on: swing, torque: "-law(swing.rate, k) - 0.3*lin(swing, swing.rate) - 0.1*map(swing, swing.rate)"}
sensors: {a: "map(3*t - 1, 7*t - 3)", b: "lin(2*t - 0.7, 4*t - 2)", c: "sum(t, 1, k) - mean(t, 2)", d: "law(t, 2)"}
objectives: {o: {integral: "swing^2 + 0.1*map(t, swing)"}}
simulation: {end: 2}
"""


def slopes(x, y):
    """Fritsch and Butland, written anew."""
    n = len(x)
    h = [x[i + 1] - x[i] for i in range(n - 1)]
    d = [(y[i + 1] - y[i]) / h[i] for i in range(n - 1)]

    def end(h0, h1, d0, d1):
        s = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1)
        if s * d0 <= 0:
            return 0.0
        return 3 * d0 if d0 * d1 < 0 and abs(s) > abs(3 * d0) else s
    inner = [3 * (h[i] + h[i + 1]) / ((2 * h[i + 1] + h[i]) / d[i] + (h[i + 1] + 2 * h[i]) / d[i + 1])
             if d[i] * d[i + 1] > 0 else 0.0 for i in range(n - 2)]
    return [end(h[0], h[1], d[0], d[1]), *inner, end(h[-1], h[-2], d[-1], d[-2])]


def hermite(x, y, s, at):
    """Value of the cubic table with slopes s, straight beyond its ends."""
    if at <= x[0]:
        return y[0] + s[0] * (at - x[0])
    if at >= x[-1]:
        return y[-1] + s[-1] * (at - x[-1])
    k = max(i for i in range(len(x) - 1) if x[i] <= at)
    h, u = x[k + 1] - x[k], (at - x[k]) / (x[k + 1] - x[k])
    return ((1 + 2 * u) * (1 - u)**2 * y[k] + u * u * (3 - 2 * u) * y[k + 1]
            + h * u * (1 - u)**2 * s[k] - h * u * u * (1 - u) * s[k + 1])


def bicubic(x, y, z, a, b):
    """Along y first, of values and of slopes along x; then along x."""
    columns = list(zip(*z))
    zx = list(zip(*[slopes(x, c) for c in columns]))
    zy = [slopes(y, row) for row in z]
    one = [slopes(y, row) for row in zx]
    other = list(zip(*[slopes(x, c) for c in zip(*zy)]))
    zxy = [[(p + q) / 2 for p, q in zip(r, s)] for r, s in zip(one, other)]
    values = [hermite(y, z[i], zy[i], b) for i in range(len(x))]
    along = [hermite(y, zx[i], zxy[i], b) for i in range(len(x))]
    return hermite(x, values, along, a)


def bilinear(x, y, z, a, b):
    def line(p, v, at):
        k = max([i for i in range(len(p) - 1) if p[i] <= at], default=0)
        return v[k] + (v[k + 1] - v[k]) * (at - p[k]) / (p[k + 1] - p[k])
    return line(x, [line(y, row, b) for row in z], a)


class Words(Case):
    def agree(self, text, *wrt):
        """Direct, adjoint and differences are the same, and as many as asked for."""
        path = self.path("s.yaml", text)
        done = jounce("sens", path, "--check", "--json", "--interpreter", "--tol", "1e-9", "--wrt", ",".join(wrt))
        for o in json.loads(done.stdout)["objectives"].values():
            self.assertEqual(list(o["gradient"]), list(wrt))

    def same_compiled(self, text):
        path = self.path("k.yaml", text)
        one, other = (json.loads(jounce("run", path, "--json", *o).stdout) for o in ((), ("--interpreter",)))
        for k in ("objectives", "events", "steps"):
            self.assertEqual(one[k], other[k])
        return one


class Functions(Words):
    def test_values(self):
        rows = self.rows(PENDULUM)
        for i, t in enumerate(rows["t"]):
            vmax = 1 + 0.2 * t
            self.assertAlmostEqual(rows["c"][i], t + 4 - (t + 2) / 2, delta=1e-14)
            self.assertAlmostEqual(rows["d"][i], 2 * t / (1 + t / vmax) + 0.2 * t, delta=1e-14)
        info = json.loads(jounce("info", self.path("m.yaml", PENDULUM), "--json").stdout)
        values = {p["name"]: p["value"] for p in info["parameters"]}
        self.assertEqual(values["double_k"], 6)

    def test_derivatives(self):
        self.agree(PENDULUM, "k", "soft", "m", "l", "tables.lin.z[1][1]", "tables.map.z[1][0]", "tables.lin.x[2]",
                   "tables.map.y[1]")
        self.same_compiled(PENDULUM)

    def test_in_templates(self):
        text = """
jounce: 1
parameters: {c0: 4}
functions: {outer: {of: x, value: c0*x}}
templates:
  corner:
    parameters: {c: 3}
    functions:
      law: {of: [v, arm], value: "c*v*arm + hub.h.y + outer(v)"}
    hardpoints: {h: [0, 0.5, 0]}
    bodies: {hub: {mass: 1, inertia: [1, 1, 1]}}
    joints: {arm: {type: revolute, child: hub, axis: x}}
    signals: {s: "law(2, 10)"}
instances:
  l: {template: corner}
  r: {mirror: l, parameters: {c: 5}}
sensors: {ls: l.s, rs: r.s, direct: "r.law(1, 1)", y: r.hub.h.y}
simulation: {end: 0.01}
gravity: [0, 0, 0]
"""
        rows = self.rows(text)
        self.assertEqual([rows[n][0] for n in ("ls", "rs", "direct", "y")], [60 + 0.5 + 8, 100 + 0.5 + 8, 9.5, -0.5])

    def refused(self, text, *wanted):
        done = jounce("info", self.path("bad.yaml", text), code=1)
        for w in wanted:
            self.assertIn(w, done.stderr)

    def test_mistakes(self):
        self.refused(HEAD + "sensors: {a: law(1)}\n", "law takes 2 arguments, got 1")
        self.refused(HEAD + "sensors: {a: map(1)}\n", "map takes 2 arguments, got 1")
        self.refused(HEAD + 'sensors: {a: "lew(1, 2)"}\n', "'lew' is not a function; a product needs '*'")
        self.refused(HEAD + "sensors: {a: law}\n", "'law' is a function; write it with its arguments")
        self.refused(HEAD.replace("value: 2*x", "value: 2*law(x, x)"),
                     "function 'twice': calls itself: twice -> law -> twice; functions cannot be recursive")
        self.refused(HEAD.replace("value: 2*x", "value: 2*xx + law(1, 1)*0").replace("law: {of: [v, c]", "law: {of: [v, k, v]"),
                     "argument 'v' is given twice")
        self.refused(HEAD.replace("value: 2*x", "value: 2*xy"), "function 'twice' (line 6): column 3: unknown name 'xy'")
        self.refused(HEAD.replace("value: 2*x", "value: 2*t*x"),
                     "parameter 'double_k': value: function 'twice' (line 6): column 3: 't' is the time; only parameters")
        self.refused(HEAD.replace("of: x", "of: []"), "of needs the names of 1 ... 16 arguments, got 0")
        self.refused(HEAD.replace("twice:", "sqrt:"), "every expression has a function of this name")
        self.refused(HEAD.replace("twice:", "lin:"), "there is a table of this name already")
        self.refused(HEAD.replace("z: [[0, 1, 4], [2, 2.5, 3], [1, 8, 9]]", "z: [[0, 1, 4], [2, 2.5, 3]]"),
                     "z has 2 rows and x 3 numbers; z has a row for every x")
        self.refused(HEAD.replace("[2, 2.5, 3], [1, 8, 9]", "[2, 2.5], [1, 8, 9]"),
                     "z[1] has 2 numbers and y 3; rows of z have a number for every y")
        self.refused(HEAD.replace("[-1, 0.2, 2]", "[-1, 2, 0.2]"), "table 'lin'", "increas")
        self.refused(HEAD + "forces: {g: {on: swing, spring: lin}}\n", "spring: table 'lin' is one of two variables")

    def test_calls_that_grow_without_end_are_refused(self):
        grow = "".join(f"  f{i}: {{of: x, value: f{i-1}(x) + f{i-1}(x + {i})}}\n" for i in range(1, 40))
        text = HEAD.replace("functions:\n", "functions:\n  f0: {of: x, value: x}\n" + grow)
        self.refused(text + "sensors: {a: f39(t)}\n", "more than 200000 calls of functions")
        deep = "".join(f"  f{i}: {{of: x, value: f{i-1}(x)}}\n" for i in range(1, 70))
        text = HEAD.replace("functions:\n", "functions:\n  f0: {of: x, value: x}\n" + deep)
        self.refused(text, "functions call each other more than 64 deep")


class Maps(Words):
    X, Y, Z = [-2, 0.3, 3], [-4, 1, 2, 6], [[0, 1, 4, 5], [2, 2.5, 3, 7], [1, 8, 9, 12]]
    LX, LY, LZ = [-0.4, 0.1, 0.3], [-1, 0.2, 2], [[0, 1, 4], [2, 2.5, 3], [1, 8, 9]]

    def test_values(self):
        rows = self.rows(PENDULUM)
        for i, t in enumerate(rows["t"]):
            self.assertAlmostEqual(rows["a"][i], bicubic(self.X, self.Y, self.Z, 3 * t - 1, 7 * t - 3), delta=1e-12)
            self.assertAlmostEqual(rows["b"][i], bilinear(self.LX, self.LY, self.LZ, 2 * t - 0.7, 4 * t - 2), delta=1e-12)

    def test_cost_does_not_grow_with_the_table(self):
        """More than 32 points in a direction are found by search: the same operations, however many."""
        totals = []
        for n in (40, 80):
            x = [0.1 * i for i in range(n)]
            z = [[math.sin(a) * math.cos(2 * b) for b in x] for a in x]
            text = HEAD + f"tables: {{big: {{x: {x}, y: {x}, z: {z}}}}}\nforces: {{f: {{on: swing, torque: 'big(swing, t)'}}}}\n"
            text = text.replace("map(0.5, k)", "1").replace("tables:\n  map", "states: {}\nTABLES\n  map", 1)
            text = text[:text.index("TABLES")] + text[text.index("signals: {vmax"):]
            info = json.loads(jounce("info", self.path("m.yaml", text), "--json", "--interpreter").stdout)
            totals.append(info["operations"])
        self.assertEqual(totals[0], totals[1])


if __name__ == "__main__":
    unittest.main()
