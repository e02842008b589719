#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The words of expressions: functions of the user, tables of two variables, motion as others see it. Values are those of plain Python; derivatives
are those of both methods and of differences; compiled and interpreted runs are the same; what is wrong is told."""
import json
import math
import re
import unittest
from pathlib import Path

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
        self.refused(HEAD + 'sensors: {a: "lew(1, 2)"}\n', "'lew' is not a function; did you mean 'law'?")
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

    FILED = """
jounce: 1
bodies: {b: {mass: 1}}
joints: {b: {type: prismatic, child: b, axis: z}}
tables:
  curve: {file: data.csv, x: speed, y: force}
  map: {file: "folder/map.csv", x: v, y: a, z: torque, interpolation: cubic}
sensors: {c: 'curve(0.5)', m: 'map(1.5, 0.5)'}
objectives: {o: {integral: "curve(t)*map(t, 0.3)"}}
simulation: {end: 0.01}
"""
    CURVE = "# measured\nforce;name;speed\n-3;x;-1\n\n4;y;1\r\n5;z;2\n"
    GRID = 'v,a,"torque"\n2,0,5\n1,0,2\n1,1,3\n2,1,9\n'

    def filed(self, curve=CURVE, grid=GRID, text=FILED):
        Path(self.path("folder")).mkdir(exist_ok=True)
        self.path("data.csv", curve)
        self.path("folder/map.csv", grid)
        return self.path("m.yaml", text)

    def test_from_files(self):
        out = json.loads(jounce("run", self.filed(), "--json", "--interpreter").stdout)["final"]
        self.assertAlmostEqual(out["c"], 0.5 * 7 / 2 + 0.5, delta=1e-14)
        self.assertAlmostEqual(out["m"], 4.75, delta=1e-14)
        done = jounce("sens", self.filed(), "--json", "--interpreter", "--wrt", "tables.map.z[1][0],tables.curve.y[0]")
        self.assertEqual(len(json.loads(done.stdout)["parameters"]), 2)
        out = json.loads(jounce("run", self.filed(), "--json", "--set", "tables.map.z[1][0]=6").stdout)["final"]
        self.assertAlmostEqual(out["m"], 5, delta=1e-14)

    def test_mistakes_of_files(self):
        def told(wanted, **k):
            done = jounce("info", self.filed(**k), code=1)
            self.assertIn(wanted, done.stderr)
        told("data.csv:5: table 'curve': 'x' is no number", curve="\n\nforce,speed\n1,2\nx,3\n")
        told("data.csv:2: table 'curve': '0,5' is no number; write the decimal point as '.'", curve="force;speed\n0,5;3\n")
        told("x: there is no column 'speed' in", curve="force,spede\n1,2\n")
        told("did you mean 'spede'?", curve="force,spede\n1,2\n")
        told("data.csv:2: table 'curve': 3 columns, and 2 in the heading", curve="force,speed\n1,2,3\n")
        told("there are no rows of numbers", curve="force,speed\n")
        told("the file is empty", curve="# nothing\n")
        told("data.csv:3: table 'curve': x[1] = 1 does not come after x[0] = 2", curve="force,speed\n1,2\n2,1\n")
        told("file 'data.txt' is no file beside this one", text=self.FILED.replace("data.csv", "data.txt"))
        told("cannot be used; it needs text", curve="force,speed\n1,\x00\n")
        told("map.csv:5: table 'map': the point (1, 0) is there already, in line 3", grid=self.GRID.replace("2,1,9", "1,0,9"))
        told("2 values of x and 2 of y, but no row for (2, 1)", grid=self.GRID.replace("2,1,9\n", ""))
        told("x needs the name of a column, for there is a 'file'", text=self.FILED.replace("x: speed", "x: [1, 2]"))

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


# A vehicle whose every motion is given, with a wheel on an arm; a bob that is free; another body beside it.
GIVEN = {"x": "3*t + 0.2*sin(2*t)", "y": "0.5*t^2", "z": "0.4 + 0.1*cos(3*t)", "yaw": "0.6 + 0.5*sin(t)",
         "pitch": "0.2*cos(2*t)", "roll": "0.3*sin(3*t)"}
ARM, SPIN, TABLE = "0.25 + 0.4*sin(4*t)", "5*t + 0.3*t^2", "0.7*t"
MOTION = f"""
jounce: 1
name: motion
bodies:
  car: {{mass: 300, inertia: [50, 300, 320], points: {{P: [0.3, -0.2, 0.5]}}, vectors: {{nose: [2, 0.5, 0.1]}}}}
  arm: {{mass: 20, inertia: [0.4, 1.0, 0.6], points: {{Q: [0.1, 0.3, -0.1]}}, frame: {{origin: [1, 1, 1], x: [0, -1, 0], y: [1, 0, 0]}}}}
  wheel: {{mass: 10, inertia: [0.5, 1.0, 0.5], points: {{rim: [0.3, 0, 0]}}}}
  table: {{mass: 5, inertia: [1, 2, 3]}}
  bob: {{mass: 1}}
joints:
  car: {{type: free, child: car, drive: {{{", ".join(f"{k}: {v}" for k, v in GIVEN.items())}}}}}
  arm: {{type: revolute, parent: car, child: arm, at: [car.P, arm.origin], axis: [car.x, arm.y], drive: {ARM}}}
  wheel: {{type: revolute, parent: arm, child: wheel, at: [arm.Q, wheel.origin], axis: y, drive: {SPIN}}}
  table: {{type: revolute, child: table, axis: z, drive: {TABLE}}}
  bob: {{type: prismatic, parent: car, child: bob, axis: z}}
gravity: [0, 0, 0]
simulation: {{end: 0.5, output_step: 0.1}}
sensors:
"""


def mul(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def apply(a, v):
    return [sum(a[i][k] * v[k] for k in range(3)) for i in range(3)]


def transposed(a):
    return [list(r) for r in zip(*a)]


def about(axis, q):
    c, s = math.cos(q), math.sin(q)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    r = [[float(k == l) for l in range(3)] for k in range(3)]
    r[i][i], r[i][j], r[j][i], r[j][j] = c, -s, s, c
    return r


def at(text, t):
    return eval(text.replace("^", "**"), {"t": t, "sin": math.sin, "cos": math.cos})  # our own text, above


def frames(t):
    """Where the bodies of MOTION are: origin and axes, as columns."""
    g = {k: at(v, t) for k, v in GIVEN.items()}
    car = mul(mul(about(2, g["yaw"]), about(1, g["pitch"])), about(0, g["roll"]))
    o = [g[k] for k in "xyz"]
    arm = mul(mul(car, about(0, at(ARM, t))), about(2, -math.pi / 2))  # its y is the x of the vehicle
    p = [a + b for a, b in zip(o, apply(car, [0.3, -0.2, 0.5]))]
    q = [a + b for a, b in zip(p, apply(arm, [0.1, 0.3, -0.1]))]
    return {"ground": ([0, 0, 0], about(0, 0)), "car": (o, car), "arm": (p, arm), "wheel": (q, None),
            "table": ([0, 0, 0], about(2, at(TABLE, t)))}


def rate(f, t, n=1):
    """Derivative by time, of eighth order."""
    h = 0.01
    c = [4 / 5, -1 / 5, 4 / 105, -1 / 280]
    g = f if n == 1 else lambda u: rate(f, u)
    return [sum(c[k] * (p - m) for k, (p, m) in enumerate(pairs)) / h
            for pairs in zip(*[list(zip(g(t + k * h), g(t - k * h))) for k in range(1, 5)])]


class Motion(Words):
    POINT = {"car": ("car.P", [0.3, -0.2, 0.5]), "arm": ("arm.Q", [0.1, 0.3, -0.1]), "table": ("table.origin", [0, 0, 0])}

    def points(self):
        """Every point, from everybody, in all axes: name of the quantity and what it must be."""
        for of, (name, r) in self.POINT.items():
            for whom in (None, "ground", "car", "arm", "table"):
                for axes in (None, "ground", "car", "table"):
                    for n, prefix in enumerate(("", "v", "a")):
                        def seen(t, of=of, r=r, whom=whom):
                            f = frames(t)
                            o, m = f[whom or "ground"]
                            p = [a + b for a, b in zip(f[of][0], apply(f[of][1], r))]
                            return apply(transposed(m), [a - b for a, b in zip(p, o)])

                        def wanted(t, n=n, seen=seen, whom=whom, axes=axes):
                            f = frames(t)
                            v = apply(f[whom or "ground"][1], rate(seen, t, n) if n else seen(t))
                            return apply(transposed(f[axes or whom or "ground"][1]), v)
                        yield (name + (f".from.{whom}" if whom else "") + (f".in.{axes}" if axes else "") + "." + prefix,
                               wanted)

    def turns(self):
        """Angular velocities and accelerations, from rotation matrices."""
        for of in ("car", "arm", "table"):
            for whom in (None, "ground", "car", "arm", "table"):
                for axes in (None, "ground", "table"):
                    for n, prefix in enumerate(("w", "dw")):
                        def w(t, of=of, whom=whom):
                            def m(u):
                                f = frames(u)
                                return sum(mul(transposed(f[whom or "ground"][1]), f[of][1]), [])
                            d, r = rate(m, t), m(t)
                            s = mul([d[0:3], d[3:6], d[6:9]], transposed([r[0:3], r[3:6], r[6:9]]))
                            return [s[2][1], s[0][2], s[1][0]]

                        def wanted(t, n=n, w=w, of=of, whom=whom, axes=axes):
                            f = frames(t)
                            v = apply(f[whom or "ground"][1], rate(w, t) if n else w(t))
                            return apply(transposed(f[axes or whom or of][1]), v)
                        yield (of + (f".from.{whom}" if whom else "") + (f".in.{axes}" if axes else "") + "." + prefix,
                               wanted)

    def test_points_and_turns(self):
        cases = [*self.points(), *self.turns()]
        text = MOTION + "".join(f"  s{i}{k}: {name}{k}\n" for i, (name, _) in enumerate(cases) for k in "xyz")
        rows = self.rows(text)
        for row in (1, 4):
            t = rows["t"][row]
            for i, (name, wanted) in enumerate(cases):
                for k, w in zip("xyz", wanted(t)):
                    # what differences lose: 1e-16 by the step, twice for accelerations
                    self.assertAlmostEqual(rows[f"s{i}{k}"][row], w, delta=1e-8 * max(1, abs(w)), msg=f"{name}{k}")

    def test_directions_and_angles(self):
        text = MOTION + """
  n: car.nose.in.table.y
  toe: atan2(-wheel.y.in.table.x, wheel.y.in.table.y)
  camber: asin(wheel.y.in.car.z)
  slip: atan2(car.origin.in.car.vy, car.origin.in.car.vx)
  yaw: car.from.table.yaw
  pitch: car.from.ground.pitch
  roll: arm.from.car.roll
  same: car.yaw - car.from.ground.yaw
"""
        rows = self.rows(text)
        nose = [v / math.sqrt(4.26) for v in (2, 0.5, 0.1)]
        for i, t in enumerate(rows["t"]):
            f, g = frames(t), {k: at(v, t) for k, v in GIVEN.items()}
            in_table = apply(transposed(f["table"][1]), apply(f["car"][1], nose))
            axis = [-r[0] for r in f["arm"][1]]
            to = {k: apply(transposed(f[k][1]), axis) for k in ("car", "table")}
            v = apply(transposed(f["car"][1]), rate(lambda u: frames(u)["car"][0], t))
            for name, wanted in (("n", in_table[1]), ("toe", math.atan2(-to["table"][0], to["table"][1])), ("camber", math.asin(to["car"][2])),
                                 ("slip", math.atan2(v[1], v[0])), ("pitch", g["pitch"]), ("yaw", g["yaw"] - at(TABLE, t)),
                                 ("roll", at(ARM, t)), ("same", 0)):
                self.assertAlmostEqual(rows[name][i], wanted, delta=1e-10, msg=name)

    def test_mirror_images_see_it_mirrored(self):
        """What a template measures is the same number on both sides."""
        inside = ["hub.P.from.body.vy", "hub.P.in.body.ax", "hub.P.from.body.y", "hub.from.body.wx", "hub.in.body.wz",
                  "hub.from.body.dwx", "hub.from.body.yaw", "hub.from.body.roll", "hub.y.x", "hub.y.in.body.y", "hub.tilted.in.body.z",
                  "hub.yaw", "hub.P.from.body.in.ground.vz", "body.origin.from.hub.in.hub.vy", "hub.tilted.y", "hub.wy"]
        text = """
jounce: 1
bodies: {car: {mass: 100, inertia: [10, 10, 10]}}
joints: {car: {type: prismatic, child: car, axis: x}}
gravity: [0.4, 0, -9]
templates:
  corner:
    ports: [body]
    hardpoints: {h: [0, 0.5, 0]}
    bodies:
      up: {mass: 1, inertia: [1, 2, 3], com: [0.1, 0.4, 0.2]}
      hub: {mass: 1, inertia: [1, 2, 3], com: [0.1, 0.4, 0.2], points: {P: [0.3, 0.2, 0.1]}, vectors: {tilted: [1, 2, 3]}}
    joints:
      up: {type: revolute, parent: body, child: up, at: h, axis: [1, 0.3, 0]}
      hub: {type: revolute, parent: up, child: hub, at: h, axis: [0.1, 0.3, 1]}
    initial: {up: {value: 0.3, rate: 0.5}, hub: {value: -0.4, rate: 1.5}}
    sensors: {SENSORS}
instances:
  l: {template: corner, ports: {body: car}}
  r: {mirror: l}
sensors: {left: l.hub.P.from.car.vy, right: r.hub.P.from.car.vy}
simulation: {end: 0.2}
""".replace("SENSORS", ", ".join(f"s{i}: {e}" for i, e in enumerate(inside)))
        rows = self.rows(text)
        for i, name in enumerate(inside):
            left, right = rows[f"l.s{i}"], rows[f"r.s{i}"]
            self.assertGreater(max(map(abs, left)), 1e-3, name)
            for a, b in zip(left, right):
                self.assertAlmostEqual(a, b, delta=1e-9, msg=name)
        for a, b in zip(rows["left"], rows["right"]):
            self.assertAlmostEqual(a, -b, delta=1e-9)

    def test_derivatives_and_back_ends(self):
        text = """
jounce: 1
parameters: {m: 5, c: 3, l: 0.4, k: 50}
bodies:
  car: {mass: 20, inertia: [2, 3, 4]}
  arm: {mass: m, com: [0.1, l, 0], inertia: [0.3, 0.2, 0.4]}
joints:
  car: {type: free, child: car}
  arm: {type: revolute, parent: car, child: arm, axis: [1, 0.2, 0], at: [0, 0.2, 0]}
forces:
  f: {on: arm, torque: "-k*arm.from.car.roll - c*arm.com.from.car.vz"}
  g: {at: car.com, torque: [0, 0, "20*sin(8*t)"], force: ["-c*car.com.in.car.vx", 0, 0], axes: body}
initial: {arm.com.from.car.z: 0.1, car.yaw: {value: 0.2, rate: 1}, car.x: {value: 0, rate: 4}, car.roll: 0.1}
objectives:
  a: {integral: "arm.com.from.car.az^2 + arm.from.car.dwx^2*0.01"}
  b: {integral: "atan2(car.com.in.car.vy, car.com.in.car.vx)^2 + arm.y.in.car.z"}
simulation: {end: 0.8}
"""
        self.agree(text, "m", "c", "l", "k")
        self.same_compiled(text)

    def test_mistakes(self):
        def told(expression, wanted):
            done = jounce("info", self.path("bad.yaml", MOTION + f"  s: {expression}\n"), code=1)
            self.assertIn(wanted, done.stderr)
        told("car.P.in.cra.vx", "'car.P.in.cra.vx': there is no body 'cra'")
        told("car.P.from.cra.vx", "'car.P.from.cra.vx': there is no body or point 'cra'")
        told("car.P.in.arm.vq", "'car.P.in.arm.vq': there is no component 'vq'")
        told("car.nose.from.arm.x", "a direction is not from anything; leave '.from.' out")
        told("car.from.arm.Q.wx", "bodies turn, not points; write '.from.body'")
        told("car.from.arm.in.table.yaw", "angles are not along axes; leave '.in.' out")
        done = jounce("info", self.path("bad.yaml", MOTION + "  s: 1\ninitial: {car.P.from.table.vx: 1}\n"), code=1)
        self.assertIn("'car.P.from.table.vx' is a velocity", done.stderr)


CAR = """
jounce: 1
name: car
parameters: {k: K, c: 1.5 kN s/m, v: {value: 36 km/h, unit: m/s}, tilt: 3 deg, plain: 7}
hardpoints: {pivot: [400 mm, 0, 30 cm], top: [50 mm, 0, 0.8], foot: [50 mm, 0, 0.3], hub: [0, 0, 12 in]}
bodies:
  car: {mass: 0.3 t}
  arm: {mass: 23, com: [70 mm, 0, 0.3], inertia: [0.4, 1.0, 6000 kg cm^2]}
joints:
  car: {type: prismatic, child: car, axis: z}
  arm: {type: revolute, parent: car, child: arm, at: pivot, axis: y}
forces:
  strut: {between: [car.top, arm.foot], stiffness: k, damping: c, free_length: 640 mm}
  tyre: {between: [arm.hub, ground.origin], stiffness: 200 N/mm, free_length: 0.316}
  hinge: {on: arm, stiffness: 2 N m/deg, free: tilt}
initial: {car: {value: 1 cm, rate: 10 cm/s}, arm: {value: 0.5 deg, rate: 3 rpm}}
sensors: {z: car, a: arm}
objectives: {o: {integral: "car.com.az^2", window: [10 ms, 200 ms]}}
simulation: {end: 300 ms, output_step: 10 ms}
"""
SI = (("0.3 t", "300"), ("1.5 kN s/m", "1500"), ("36 km/h", "10"), ("3 deg", repr(3 * (math.pi / 180))), ("400 mm", "0.4"),
      ("30 cm", "0.3"), ("[50 mm", "[0.05"), ("[50 mm", "[0.05"), ("12 in", "0.3048"), ("70 mm", "0.07"), ("6000 kg cm^2", "0.6"), ("640 mm", "0.64"),
      ("200 N/mm", "2e5"), ("2 N m/deg", repr(2 / (math.pi / 180))), ("1 cm", "0.01"), ("10 cm/s", "0.1"), ("0.5 deg", repr(0.5 * (math.pi / 180))),
      ("3 rpm", repr(3 * (math.pi / 30))), ("10 ms, 200 ms", "0.01, 0.2"), ("300 ms", "0.3"), ("10 ms", "0.01"))


class Units(Words):
    def text(self, k="25 N/mm"):
        return CAR.replace("K,", k + ",", 1)

    def test_runs_are_those_of_si_numbers(self):
        plain = self.text("25000")
        for unit, number in SI:
            self.assertIn(unit, plain)
            plain = plain.replace(unit, number, 1)
        with_units, without = self.rows(self.text()), self.rows(plain)
        self.assertEqual(with_units, without)

    def test_shown_back(self):
        info = jounce("info", self.path("m.yaml", self.text())).stdout
        rows = {l.split()[0]: l.split()[1:] for l in info.splitlines() if l.startswith("  ")}
        wanted = {"k": ["25", "N/mm"], "c": ["1.5", "kN", "s/m"], "v": ["10", "m/s"], "tilt": ["3", "deg"], "plain": ["7"]}
        self.assertEqual({k: rows[k] for k in wanted}, wanted)
        data = json.loads(jounce("info", self.path("m.yaml", self.text()), "--json").stdout)
        k = next(p for p in data["parameters"] if p["name"] == "k")
        self.assertEqual((k["value"], k["unit"], k["shown"], k["shown_unit"]), (25000, "N/m", 25, "N/mm"))
        done = jounce("sens", self.path("m.yaml", self.text()), "--wrt", "k,hardpoints.pivot.x", "--interpreter").stdout
        row = next(l.split() for l in done.splitlines() if l.split()[:1] == ["k"])
        self.assertEqual(row[1:3], ["25", "N/mm"])
        exact = json.loads(jounce("sens", self.path("m.yaml", self.text()), "--wrt", "k", "--interpreter", "--json").stdout)
        self.assertAlmostEqual(float(row[3]), 1000 * exact["objectives"]["o"]["gradient"]["k"], delta=1e-6 * abs(float(row[3])))

    def test_settings(self):
        def final(*options):
            return json.loads(jounce("run", self.path("m.yaml", self.text()), "--interpreter", "--json", *options).stdout)["final"]
        self.assertEqual(final("--set", "k=30 N/mm"), final("--set", "k=30000"))
        self.assertEqual(final("--set", "gravity.z=-1 gn"), final("--set", "gravity.z=-9.80665"))
        self.assertEqual(final("--set", "hardpoints.hub.z=1 ft"), final("--set", "hardpoints.hub.z=0.3048"))
        self.assertEqual(final("--set", "simulation.end=0.2 s"), final("--set", "simulation.end=0.2"))

    def test_mistakes(self):
        def told(setting, wanted):
            done = jounce("run", self.path("m.yaml", self.text()), "--set", setting, code=1)
            self.assertIn(wanted, done.stderr)
        told("k=30 N", "force 'strut': stiffness is 'k', 30 N; expected a unit as N/m")
        told("k=30 Nm", "unknown unit 'Nm'; write 'N m'")
        told("k=30 Newton", "unknown unit 'Newton'")
        told("forces.strut.free_length=64 kg", "force 'strut': free length is 64 kg; expected a unit as m")
        told("forces.hinge.stiffness=2 N m", "force 'hinge': stiffness is 2 N m; expected a unit as (N m)/rad (angles count: rad, deg, rpm)")
        told("simulation.end=2 m", "simulation: end is 2 m; expected a unit as s")
        told("simulation.max_steps=1 m", "max_steps is 1 m; expected a plain number")
        told("bodies.car.mass=300 l", "body 'car': mass is 300 l; expected a unit as kg")
        told("bodies.arm.inertia.zz=1 kg m", "expected a unit as kg m^2")
        told("hardpoints.hub.z=1 deg", "hardpoint 'hub': it.z is 1 deg; expected a unit as m")
        told("v=3 deg", "parameter 'v': the value is in deg, which is no 'm/s'")
        told("initial.arm=3 mm", "initial 'arm': value is 3 mm; expected a unit as rad")
        told("initial.arm.rate=10 Hz", "expected a unit as rad/s (angles count: rad, deg, rpm)")
        told("gravity.z=-1 Hz", "expected a unit as m/s^2")
        told("k=2 k", "unknown unit 'k'")
        told("k=2*3 N", "an operator is missing before it")
        done = jounce("info", self.path("m.yaml", self.text("{value: 25, unit: N/mm}")))
        self.assertIn("parameter 'k': the value is taken as 25 in SI units; write 'value: 25 N/mm' to give it in N/mm", done.stderr)

    def test_in_templates(self):
        text = """
jounce: 1
templates:
  corner:
    parameters: {k: 20 N/mm}
    hardpoints: {h: [0, 500 mm, 0]}
    bodies: {hub: {mass: 2, com: [0, 500 mm, 10 cm], inertia: [1, 1, 1]}}
    joints: {arm: {type: revolute, child: hub, axis: x, at: h}}
    forces: {f: {on: arm, stiffness: 30 N m/rad, preload: 1 N m}}
    sensors: {s: hub.com.y, q: k}
instances:
  l: {template: corner, at: [1 m, 0, 0], turn: 90 deg}
  r: {template: corner, mirror: y, parameters: {k: 5 kN/m}}
simulation: {end: 10 ms}
"""
        rows = self.rows(text)
        self.assertAlmostEqual(rows["l.s"][0], 0, delta=1e-15)
        self.assertEqual([rows["r.s"][0], rows["l.q"][0], rows["r.q"][0]], [0.5, 20e3, 5e3])
        done = jounce("info", self.path("t.yaml", text.replace("500 mm", "500 ms", 1)), code=1)
        self.assertIn("is 500 ms; expected a unit as m", done.stderr)


RIG = """
jounce: 1
hardpoints: {C: [0.3, 0.2, 0.1], H: [0.1, 0, 0]}
bodies:
  a: {mass: 2, com: @com, inertia: [0.1, 0.2, 0.25], frame: {origin: [0.5, 0.1, 0], x: @x, y: [0, 0, 1]}, vectors: {v: [0.1, 1, 0.3], minus: [-0.1, -1, -0.3]}}
  b: {mass: 1, com: C, inertia: [0.1, 0.2, 0.25]}
joints:
  a: {type: revolute, child: a, axis: @a, at: [H, a.origin]}
  b: {type: revolute, parent: a, child: b, axis: @b, at: [a.origin, b.H]}
initial: {a: 0.4, b: 0.3}
sensors: {x: a.com.x, y: a.com.y, z: a.com.z}
simulation: {end: 0.3}
"""


class Places(Words):
    def arm(self, com="[0, -0.1, 0.2]", a="[0, -1, 0]", b="[0, 0.1, 0]", x="[0, -1, 0]"):
        text = RIG
        for key, value in {"@com": com, "@a": a, "@b": b, "@x": x}.items():
            text = text.replace(key, value)
        return self.rows(text)

    def same(self, one, other):
        self.assertEqual(one.keys(), other.keys())
        for name, column in one.items():
            for a, b in zip(column, other[name]):
                self.assertAlmostEqual(a, b, delta=1e-12 * max(1, abs(a)), msg=name)

    def test_centre_of_mass_at_a_hardpoint(self):
        # frame: x = -y, y = z, z = x cross y = -x of the vehicle; the hardpoint is at (-0.2, 0.1, 0.1) from its origin
        self.same(self.arm("C"), self.arm("[-0.1, 0.1, 0.2]"))

    def test_axes_with_a_sign(self):
        self.assertEqual(self.arm(a="-y"), self.arm())
        self.assertEqual(self.arm(b="-x"), self.arm(b="[-1, 0, 0]"))
        self.same(self.arm(x="-y"), self.arm())
        self.same(self.arm(b="[-a.v, -z]"), self.arm(b="[a.minus, [0, 0, -2]]"))

    def test_in_mirror_images(self):
        text = """
jounce: 1
templates:
  corner:
    hardpoints: {h: [0, 0.5, 0], c: [0.1, 0.7, 0.2]}
    bodies: {hub: {mass: 2, com: c, inertia: [0.1, 0.2, 0.2]}}
    joints: {arm: {type: revolute, child: hub, axis: -x, at: h}}
    sensors: {y: hub.com.y, z: hub.com.z}
instances: {l: {template: corner, at: [0, 0, 1]}, r: {mirror: l}}
simulation: {end: 0.2}
"""
        rows = self.rows(text)
        self.assertEqual((rows["l.y"][0], rows["l.z"][0]), (0.7, 1.2))
        self.same({"y": rows["l.y"], "z": rows["l.z"], "a": rows["l.arm"]}, {"y": rows["r.y"], "z": rows["r.z"], "a": rows["r.arm"]})

    def test_planar_models_need_one_moment(self):
        text = """
jounce: 1
bodies:
  a: {mass: 2, com: [0, 0, -1], inertia: [0, 0.2, 0]}
  b: {mass: 1, com: [0, 0, -1.5], inertia: {yy: 0.1}}
joints:
  x: {type: prismatic, child: a, axis: x}
  b: {type: revolute, parent: a, child: b, axis: AXIS, at: [0, 0, -1]}
simulation: {end: 0.1}
"""
        for axis, warns in (("y", 0), ("-y", 0), ("[0, 2, 0]", 0)):
            done = jounce("info", self.path("p.yaml", text.replace("AXIS", axis)))
            self.assertEqual(done.stderr.count("no body has that"), warns, axis)
        turns = text.replace("type: prismatic, child: a, axis: x", "type: revolute, child: a, axis: z")
        for axis, warns in (("z", 0), ("y", 1), ("-z", 0)):
            done = jounce("info", self.path("p.yaml", turns.replace("AXIS", axis)))
            self.assertEqual(done.stderr.count("no body has that"), warns, axis)

    def test_mistakes(self):
        def told(wanted, **places):
            with self.assertRaises(AssertionError) as caught:
                self.arm(**places)
            self.assertIn(wanted, str(caught.exception))
        told("com needs [x, y, z] or a hardpoint; there is no hardpoint 'CC'; did you mean 'C'?", com="CC")
        told("axis: body 'a' has no vector 'w'", b="[-a.w, z]")
        told("needs a direction: x, y, z, [x, y, z], body.vector or {from: P, to: Q}", a="-w")


# What the examples of docs/format.md stand in.
AROUND = """
jounce: 1
name: around
hardpoints: {top: [0.05, 0, 0.8], foot: [0.05, 0.6, 0.3]}
bodies:
  car: {mass: 300, com: [0, 0, 0.5], inertia: [50, 300, 320]}
  arm: {mass: 20, com: [0, 0.5, 0.3], inertia: [1, 1, 1]}
  wheel: {mass: 20, com: [0, 0.8, 0.3], inertia: [0.5, 1, 0.5]}
joints:
  car: {type: free, child: car}
  arm: {type: revolute, parent: car, child: arm, at: [0, 0.2, 0.3], axis: x}
  wheel: {type: revolute, parent: arm, child: wheel, at: [0, 0.8, 0.3], axis: y}
initial: {car.x: {value: 0, rate: 10}}
simulation: {end: 0.1}
"""


class Documentation(Words):
    def test_examples_run(self):
        text = Path("docs/format.md").read_text(encoding="utf-8")
        blocks = re.findall(r"```yaml\n(.*?)```", text, re.S)
        marks = {"torque: {x:": 'torque(250, 0.3)', "damper_law:": 'damper_law(2, 3)', "slip_angle:": "closing_speed",
                 "k: {value: 25 N/mm": "k"}
        self.path("around.yaml", AROUND)
        for mark, use in marks.items():
            found = [b for b in blocks if mark in b]
            self.assertEqual(len(found), 1, mark)
            example = self.path("example.yaml", "jounce: 1\ninclude: around.yaml\n" + found[0])
            use = self.path("use.yaml", f"jounce: 1\ninclude: example.yaml\nsensors: {{use: '{use}'}}\n")
            done = jounce("run", use, "--interpreter", "--json")
            self.assertEqual(done.stderr, "", mark)
            self.assertIn("use", json.loads(done.stdout)["final"])


if __name__ == "__main__":
    unittest.main()
