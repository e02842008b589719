#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Laws of templates: an instance is what one would write out; a mirror image moves as the mirror image, whatever it
is made of; a symmetric car stays in its plane; numbers of instances have paths; what is refused."""
import csv
import json
import os
import random
import tempfile
import unittest
from pathlib import Path

from program import jounce


def run(text, *args, command="run"):
    """Columns of a run."""
    with tempfile.TemporaryDirectory() as folder:
        file, out = Path(folder) / "m.yaml", Path(folder) / "m.csv"
        file.write_text(text)
        jounce(command, str(file), "--interpreter", "--quiet", "-o", str(out), *args)
        rows = list(csv.reader(line for line in out.read_text().splitlines() if not line.startswith("#")))
    numbers = [[float(x) for x in row] for row in rows[2:]]
    return {name: [row[i] for row in numbers] for i, name in enumerate(rows[0])}


def complaint(text, *args):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "m.yaml"
        file.write_text(text)
        done = jounce("check", str(file), *args, code=1)
        return done.stderr.replace(str(file), "m.yaml")


ARM = """
    parameters: {k: 300, c: {value: 4, unit: N s/m}, m: 2}
    hardpoints: {pivot: [0.1, 0.2, 0.3], tip: [0.5, 0.6, 0.2], eye: [0.3, 0.2, 0.9]}
    tables:
      law: {x: [-1, 0, 1], y: [-20, 0, 35]}
    bodies:
      arm: {mass: m, com: [0.35, 0.4, 0.25], inertia: [0.1, 0.2, 0.15, 0.01, 0.02, -0.03], points: {end: [0.6, 0.5, 0.1]}}
    joints:
      arm: {type: revolute, %s child: arm, at: pivot, axis: [0.3, 1, 0.2]}
    forces:
      strut: {between: [%s.eye, arm.tip], stiffness: k, damping: c, free_length: 0.6, force: "0.1*k*rate + law(rate)"}
      hinge: {on: arm, force: "2*angle", torque: 0.5*sin(3*t)}
    signals:
      height: arm.tip.z + hardpoints.tip.z
    sensors:
      z: {value: height, unit: m}
    initial:
      arm: {value: 0.2, rate: -1}
"""
ARM_END = "simulation: {end: 0.5, output_step: 0.05}\n"


def template(name, text, ports="body"):
    return f"templates:\n  {name}:\n    ports: [{ports}]\n" + text


def flat(text):
    return "".join(line[4:] + "\n" for line in text.splitlines())


def of(name, instance):
    """A column as an instance has it."""
    return name if name == "t" or name.startswith("energy") else f"{instance}.{name}"


class Instances(unittest.TestCase):
    def test_an_instance_is_what_one_would_write_out(self):
        text = "jounce: 1\n" + template("swing", ARM % ("parent: body,", "body"))
        text += "instances:\n  one: {template: swing, ports: {body: ground}}\n" + ARM_END
        made = run(text)
        plain = run("jounce: 1\n" + flat(ARM % ("", "ground")) + ARM_END)
        for name, values in plain.items():
            self.assertEqual(values, made[of(name, "one")], name)

    def test_shifted_and_turned_by_hand(self):
        """A quarter turn and a shift, written out; and gravity, which stays where it is."""
        text = "jounce: 1\n" + template("swing", ARM % ("parent: body,", "body"))
        text += "instances:\n  one: {template: swing, ports: {body: ground}, at: [1, -2, 0.5], turn: pi/2}\n" + ARM_END
        made = run(text)
        plain = ARM % ("", "ground")

        def moved(x, y, z):
            return f"[{-y + 1}, {x - 2}, {z + 0.5}]"
        plain = plain.replace("[0.1, 0.2, 0.3]", moved(0.1, 0.2, 0.3)).replace("[0.5, 0.6, 0.2]", moved(0.5, 0.6, 0.2))
        plain = plain.replace("[0.3, 0.2, 0.9]", moved(0.3, 0.2, 0.9)).replace("[0.3, 1, 0.2]", "[-1, 0.3, 0.2]")
        plain = plain.replace("com: [0.35, 0.4, 0.25]", "com: " + moved(0.35, 0.4, 0.25))
        plain = plain.replace("[0.6, 0.5, 0.1]", moved(0.6, 0.5, 0.1))
        plain = plain.replace("[0.1, 0.2, 0.15, 0.01, 0.02, -0.03]", "[0.2, 0.1, 0.15, -0.01, 0.03, 0.02]")
        plain = plain.replace("hardpoints.tip.z", "0.2")
        told = run("jounce: 1\n" + flat(plain) + ARM_END)
        for name, values in told.items():
            for a, b in zip(values, made[of(name, "one")]):
                self.assertAlmostEqual(a, b, delta=1e-9 * (1 + abs(a)), msg=name)

    def test_numbers_have_paths(self):
        text = "jounce: 1\nparameters: {shared: 250}\n" + template("swing", ARM % ("parent: body,", "body"))
        text += ("instances:\n  a: {template: swing, ports: {body: ground}, parameters: {k: shared}, at: [0, 1, 0]}\n"
                 "  b: {mirror: a}\n  c: {template: swing, ports: {body: ground}, parameters: {k: shared, m: 3}}\n"
                 "objectives:\n  work: {integral: a.z + b.z + c.z}\n") + ARM_END
        wrt = ["shared", "a.c", "b.m", "c.m", "hardpoints.a.tip.y", "hardpoints.b.tip.y", "bodies.b.arm.inertia.xy",
               "bodies.c.arm.com.x", "instances.a.at.y", "tables.b.law.y[2]", "initial.b.arm", "joints.c.arm.axis.x"]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "m.yaml"
            file.write_text(text)
            said = json.loads(jounce("sens", str(file), "--interpreter", "--json", "--quiet",
                                     "--wrt", ",".join(wrt)).stdout)
            sens = said["objectives"]["work"]["gradient"]
            self.assertEqual(set(wrt), set(sens))

            def value(name, x):
                out = json.loads(jounce("run", str(file), "--interpreter", "--json", "--quiet", "--tol", "1e-12",
                                        "--set", f"{name}={x!r}").stdout)
                return out["objectives"]["work"]
            base = {"shared": 250, "a.c": 4, "b.m": 2, "c.m": 3, "hardpoints.a.tip.y": 0.6, "hardpoints.b.tip.y": 0.6,
                    "bodies.b.arm.inertia.xy": 0.01, "bodies.c.arm.com.x": 0.35, "instances.a.at.y": 1,
                    "tables.b.law.y[2]": 35, "initial.b.arm": 0.2, "joints.c.arm.axis.x": 0.3}
            for name in wrt:
                h = 1e-4 * max(abs(base[name]), 0.1)
                slope = (value(name, base[name] + h) - value(name, base[name] - h)) / (2 * h)
                self.assertAlmostEqual(sens[name], slope, delta=1e-5 * (1e-2 + abs(slope)), msg=name)

    def test_initial_conditions_along_the_ground(self):
        text = """jounce: 1
templates:
  p:
    bodies: {a: {mass: 1, inertia: [1, 1, 1], points: {e: [0.1, 0.5, -1]}}}
    joints: {a: {type: prismatic, child: a, axis: [0.1, 1, 0]}}
    initial: {a.e.y: {value: 0.8, rate: 0.3}}
  q:
    bodies: {a: {mass: 1, inertia: [1, 1, 1], points: {e: [0.1, 0.5, -1]}}}
    joints: {a: {type: prismatic, child: a, axis: [0.1, 1, 0]}}
    initial: {2*a.e.y + 0: 1.6}
instances: {l: {template: p}, r: {mirror: l}, s: {template: q, mirror: y}}
sensors: {yl: l.a.e.y, yr: r.a.e.y, vr: r.a.e.vy, ys: s.a.e.y}
gravity: [0, 0, 0]
"""
        got = run(text)
        for name, x in (("yl", 0.8), ("yr", -0.8), ("vr", -0.3), ("ys", -0.8)):
            self.assertAlmostEqual(got[name][0], x, delta=1e-12, msg=name)
        self.assertAlmostEqual(run(text, "--set", "initial.r.a.e.y=0.9")["yr"][0], -0.9, delta=1e-12)

    def test_nested(self):
        """An axle of two corners is the corners; its parameters reach them."""
        text = "jounce: 1\n" + template("swing", ARM % ("parent: body,", "body"))
        text += """  axle:
    ports: {carrier: {default: ground, description: what carries the arms}}
    parameters: {stiff: 280}
    instances:
      left: {template: swing, ports: {body: carrier}, parameters: {k: stiff}, at: [0, 0.1, 0]}
      right: {mirror: left}
    forces:
      bar: {bar: [left.arm, right.arm], stiffness: 3}
    sensors:
      difference: left.arm.end.z - right.arm.end.z
"""
        axle = run(text + "instances:\n  front: {template: axle, parameters: {stiff: 310}, at: [1, 0, 0]}\n" + ARM_END)
        both = run(text + """instances:
  left: {template: swing, ports: {body: ground}, parameters: {k: 310}, at: [1, 0.1, 0]}
  right: {mirror: left}
""" + ARM_END)
        for name in ("left.arm", "right.arm", "left.strut.force", "left.z"):
            for a, b in zip(both[name], axle["front." + name]):
                self.assertAlmostEqual(a, b, delta=1e-12 * (1 + abs(a)), msg=name)
        self.assertLess(max(map(abs, axle["front.difference"])), 1e-14)

    def test_changes_of_one_instance(self):
        text = "jounce: 1\n" + template("swing", ARM % ("parent: body,", "body"))
        text += """instances:
  a:
    template: swing
    ports: {body: ground}
    hardpoints: {tip: [0.5, 0.7, 0.2]}
    bodies: {arm: {mass: 2*m}}
    forces: {hinge: }
    parameters: {k: 100}
""" + ARM_END
        plain = flat(ARM % ("", "ground")).replace("tip: [0.5, 0.6", "tip: [0.5, 0.7").replace("mass: m", "mass: 2*m")
        plain = plain.replace("k: 300", "k: 100")
        plain = "".join(x + "\n" for x in plain.splitlines() if "hinge" not in x)
        told, made = run("jounce: 1\n" + plain + ARM_END), run(text)
        for name, values in told.items():
            self.assertEqual(values, made[of(name, "a")], name)


# ---- mirror images ---------------------------------------------------------------------------------

JOINTS = {
    "revolute": (["%s"], "axis: {d}"),
    "prismatic": (["%s"], "axis: {d}"),
    "cylindrical": (["%s.s", "%s.a"], "axis: {d}"),
    "universal": (["%s.a", "%s.b"], "axis: {d}, axis2: {e}"),
    "spherical": (["%s.a", "%s.b", "%s.c"], ""),
    "planar": (["%s.s", "%s.t", "%s.a"], "axis: {d}, axis2: {e}"),
    "pin_slot": (["%s.s", "%s.a"], "axis: {d}, axis2: {e}"),
    "free": (["%s.x", "%s.y", "%s.z", "%s.yaw", "%s.pitch", "%s.roll"], ""),
}


class Draw:
    """A mechanism of three bodies: one on a joint of the given type, one on that, and one that may close a loop."""

    def __init__(self, seed, first):
        self.r = random.Random(seed)
        self.first = first
        self.initial = []

    def vector(self, size=1.0):
        return [round(self.r.uniform(-size, size), 3) for _ in range(3)]

    def direction(self):
        while True:
            v = self.vector()
            if sum(x * x for x in v) > 0.2:
                return v

    def across(self, d):
        v = self.direction()
        c = [v[1] * d[2] - v[2] * d[1], v[2] * d[0] - v[0] * d[2], v[0] * d[1] - v[1] * d[0]]
        return c if sum(x * x for x in c) > 0.05 else self.across(d)

    def body(self, name):
        frame = ""
        if self.r.random() < 0.5:
            x = self.direction()
            axes = self.r.choice([("x", "y"), ("z", "x"), ("y", "z")])
            frame = f", frame: {{origin: {self.vector()}, {axes[0]}: {x}, {axes[1]}: {self.across(x)}}}"
        inertia = [round(self.r.uniform(0.8, 1.2), 3) for _ in range(3)]
        inertia += [round(self.r.uniform(-0.1, 0.1), 3) for _ in range(3)]
        return (f"      {name}: {{mass: {self.r.uniform(1, 3):.3f}, com: {self.vector(0.4)}, inertia: {inertia}{frame}, "
                f"points: {{own: {self.vector()}}}, vectors: {{v: {self.direction()}}}}}\n")

    def joint(self, name, parent, kind, moves=True):
        names, keys = JOINTS[kind]
        d = self.direction()
        keys = keys.format(d=d, e=self.across(d))
        at = f"at: {name}_at, " if kind != "free" else f"at: {name}.{name}_at, "
        for i, q in enumerate(names if moves else []):
            place = "x y z".split()[i] if kind == "free" and i < 3 else None
            value = "" if place else f"value: {self.r.uniform(-0.3, 0.3):.3f}, "
            self.initial.append(f"      {q % name}: {{{value}rate: {self.r.uniform(-1, 1):.3f}}}\n")
        return f"      {name}: {{type: {kind}, parent: {parent}, child: {name}, {at}{keys}}}\n"

    def closure(self):
        d = self.direction()
        return self.r.choice([
            f"distance, a: A.own, b: C.Q, length: {self.r.uniform(0.8, 1.2):.3f}",
            f"distance, a: base.P, b: C.own, length: {self.r.uniform(0.8, 1.2):.3f}",
            "ball, a: B.C_at, b: C.C_at",
            f"point_on_line, line: {{point: B.C_at, direction: {d}}}, point: C.C_at",
            "point_on_line, line: {from: B.C_at, to: B.Q}, point: C.C_at",
            "parallel, a: {from: B.C_at, to: B.Q}, b: {from: C.C_at, to: C.Q}",
            "perpendicular, a: B.v, b: C.v",
            f"revolute, a: B.C_at, b: C.C_at, axis_a: {d}, axis_b: {d}"])

    def text(self):
        r = self.r
        bodies = "".join(self.body(n) for n in "ABC")
        loop = r.random() < 0.6
        second = r.choice(list(JOINTS))
        joints = self.joint("A", "base", self.first)
        joints += self.joint("B", "A", second, moves=not loop)
        joints += self.joint("C", r.choice(["base", "B"]) if not loop else "base", "free" if loop else "revolute",
                             moves=not loop)
        closure = f"    closures:\n      loop: {{type: {self.closure()}}}\n" if loop else ""
        coordinate = JOINTS[self.first][0][-1] % "A"
        d = self.direction()
        return f"""
    hardpoints: {{P: {self.vector()}, Q: {self.vector()}, A_at: {self.vector()}, B_at: {self.vector()}, C_at: {self.vector()}}}
    tables:
      hard: {{x: [-1, 0, 1], y: [-30, 0, 70], interpolation: cubic}}
    bodies:
{bodies}    joints:
{joints}{closure}    forces:
      line: {{between: [base.P, B.own], stiffness: 40, free_length: 0.5, damping: 2}}
      on: {{on: {coordinate}, stiffness: 3, force: "hard(0.3*angle) + 0.2*rate", torque: 0.7}}
      push: {{at: B.Q, force: [1, "2 - 0.5*B.Q.vy", 3], torque: [0.3, 0.2, "-0.1*B.wz - 0.2"]}}
      pull: {{at: C.own, force: [1, "2*sin(t)", -1], torque: [0.1, -0.2, 0.3], axes: body}}
    bushes:
      soft: {{between: [base.Q, A.Q], axes: {{x: {d}, z: {self.across(d)}}}, stiffness: [20, 30, 40], damping: [1, 2, 3],
             preload: [3, 5, -4], spring: {{x: hard, y: hard, z: hard}}, rotational_stiffness: [3, 4, 5],
             rotational_preload: [0.5, 0.3, -0.2], rotational_spring: {{x: hard, y: hard, z: hard}},
             relaxation: {{stiffness: [10, 20, 30], time: [0.1, 0.2, 0.3]}}}}
      plain: {{between: [A.P, C.P], stiffness: [5, 6, 7], preload: [1, 2, 3], rotational_damping: [0.1, 0.2, 0.3]}}
    states:
      lag: {{derivative: "C.own.vx - lag", initial: 0}}
    initial:
{"".join(self.initial)}"""


IMAGES = [("{template: half, mirror: %s}", "{template: half}", ""),
          ("{mirror: a, about: %s}", "{template: half, at: [0.3, -0.2, 0.1], turn: 0.4}", "at"),
          ("{mirror: a, about: %s}", "{template: half}", ""),
          ("{mirror: a, about: %s}", "{template: half, mirror: x, at: [0.3, 0, 0]}", "at")]


class Mirror(unittest.TestCase):
    SEEDS = range(int(os.environ.get("JOUNCE_MIRROR_SEEDS", "6")))

    def test_mirror_images_move_as_mirror_images(self):
        """Every coordinate, force and state of the image is that of what it is an image of, every place its mirror
        image; gravity lies in the plane. Chains of all joints, loops, all kinds of elements."""
        compared = 0
        for first in JOINTS:
            for seed in self.SEEDS:
                with self.subTest(first=first, seed=seed):
                    compared += self.check(first, seed)
        self.assertGreater(compared, 0.7 * len(JOINTS) * len(self.SEEDS))

    def check(self, first, seed):
        text = Draw(f"{first} {seed}", first).text()
        axis = "xyz"[seed % 3]
        gravity = [0 if k == axis else g for k, g in zip("xyz", (1.0, -2.0, -9.81))]
        image, original, _ = IMAGES[seed % len(IMAGES)]
        sensors = "".join(f"  {n}_{b}_{p}_{k}: {n}.{b}.{p}.{k}\n" for n in "ab" for b in "ABC" for p in ("own", "Q", "com")
                          for k in ("x", "y", "z", "vx", "vy", "vz", "ax", "ay", "az"))
        whole = f"""jounce: 1
gravity: {gravity}
templates:
  half:
    ports: {{base: {{default: ground}}}}{text}
instances:
  a: {original}
  b: {image % axis}
sensors:
{sensors}simulation: {{end: 0.2, output_step: 0.02, method: rk4, step: 0.002}}
"""
        try:
            got = run(whole)
        except AssertionError as error:  # a random mechanism may be impossible; its image is not to blame
            if any(w in str(error) for w in ("singular", "cannot be assembled", "redundant", "not be closed", "contradict",
                                             "conditions", "loops")):
                return False
            raise
        compared = 0
        for name, values in got.items():
            if name.startswith("a."):
                twin = got["b." + name[2:]]
                sign = 1
            elif name.startswith("a_"):
                twin = got["b_" + name[2:]]
                sign = -1 if name[-1] == axis else 1
            else:
                continue
            size = 1 + max(map(abs, values))
            for x, y in zip(values, twin):
                self.assertAlmostEqual(x, sign * y, delta=1e-10 * size, msg=f"{name}\n{whole}")
            compared += 1
        self.assertGreater(compared, 90)
        return True


# A car of four double wishbones, whose upper arms are held by bushes, on wheels that roll over a bump.
CAR = """jounce: 1
parameters: {k_front: 40000}
templates:
  corner:
    ports: [body]
    parameters: {k: 45000, c: {value: 3000, unit: N s/m}}
    hardpoints: {UF: [-0.1, 0.47, 0.105], UB: [-0.25, 0.51, 0.11], UU: [-0.04, 0.695, 0.105], LF: [0.2, 0.42, -0.27],
                 LB: [-0.2, 0.47, -0.265], LU: [0, 0.77, -0.32], TC: [-0.2, 0.42, -0.12], TU: [-0.15, 0.77, -0.12],
                 W: [0, 0.7979, -0.1199], SA: [-0.04, 0.52, 0.23], SB: [0, 0.62, -0.27]}
    bodies:
      lower: {mass: 1.6, com: [0.0048, 0.6112, -0.2932], inertia: [0.0151, 0.0207, 0.0355, 0.001, 0.0005, 0.0007]}
      upright: {mass: 3, com: [-0.02, 0.747, -0.11], inertia: [0.05, 0.06, 0.05, 0.01, -0.02, 0.003]}
      wheel: {mass: 25, com: [0, 0.7979, -0.1199], inertia: [0.6, 1.1, 0.6]}
      upper: {mass: 1.1, com: [-0.1083, 0.5972, 0.1063], inertia: [0.00591, 0.0039, 0.00769, 0.001, 0.0002, 0.0003]}
    joints:
      lower: {type: revolute, parent: body, child: lower, at: LF, axis: {from: LB, to: LF}}
      upper: {type: spherical, parent: upright, child: upper, at: UU}
      upright: {type: spherical, parent: lower, child: upright, at: LU}
      wheel: {type: revolute, parent: upright, child: wheel, at: W, axis: y}
    closures:
      tie: {type: distance, a: body.TC, b: upright.TU}
    bushes:
      front: {between: [body.UF, upper.UF], axes: {x: [0.2, 1, 0], z: [0, 0.1, 1]}, stiffness: [2e6, 4e5, 1e6],
              damping: [900, 300, 500], preload: [100, 50, 30], rotational_stiffness: [5, 6, 7], rotational_preload: [1, 2, 3]}
      back: {between: [body.UB, upper.UB], stiffness: [4e5, 2e6, 1e6], damping: [300, 900, 500], spring: {y: hard},
             relaxation: {stiffness: [1e5, 2e5, 3e5], time: [0.01, 0.02, 0.03]}}
    tables:
      hard: {x: [-0.01, 0, 0.01], y: [-2000, 0, 3000], interpolation: cubic}
    forces:
      spring: {between: [body.SA, lower.SB], stiffness: k, damping: c, free_length: 0.68}
    tyres:
      tyre: {wheel: wheel, centre: wheel.W, axis: y, radius: 0.344, stiffness: 2.8e5, damping: 500, kappa_c: 0.1,
             alpha_c: 0.1, mu_x: 0.9, mu_y: 0.9}
    initial:
      wheel: {value: 0, rate: 30}
bodies:
  chassis: {mass: 1500, com: [0, 0, 0.2], inertia: [222, 944, 1053, 0, 3, 0]}
joints:
  chassis: {type: free, child: chassis}
instances:
  fl: {template: corner, ports: {body: chassis}, parameters: {k: k_front}, at: [1.388, 0, 0.25]}
  fr: {mirror: fl}
  rl: {template: corner, ports: {body: chassis}, at: [-1.388, 0, 0.25]}
  rr: {mirror: rl}
road: 0.03*exp(-((x - 4)/0.4)^2)
initial:
  chassis.x: {value: 0, rate: 10}
  chassis.z: {value: 0.2, rate: 0}
sensors: {y: chassis.com.y, wl: fl.wheel.W.y, wr: fr.wheel.W.y}
simulation: {end: 0.7, output_step: 0.02}
"""


class Car(unittest.TestCase):
    def test_a_symmetric_car_stays_in_its_plane(self):
        """Loops, bushes and tyres over a bump. What leaves the plane is the order of additions alone."""
        got = run(CAR)
        for name in ("y", "chassis.y", "chassis.yaw", "chassis.roll"):
            self.assertLess(max(map(abs, got[name])), 1e-15, name)
        self.assertLess(max(abs(a + b) for a, b in zip(got["wl"], got["wr"])), 1e-15)
        self.assertGreater(max(got["fl.tyre.fz"]), 1.2 * min(got["fl.tyre.fz"]))
        for name in ("spring.force", "tyre.fz", "wheel", "lower", "front.fy", "front.mx", "back.fy", "upright.a"):
            for a, b in zip(got["fl." + name], got["fr." + name]):
                # the rounding of a place, times the stiffness of a bush
                self.assertAlmostEqual(a, b, delta=1e-9, msg=name)

    def test_a_car_with_a_push_goes_to_the_other_side(self):
        """Pushed to the left and to the right, the car moves as mirror images."""
        push = "forces:\n  wind: {at: chassis.com, force: [0, \"%s*if(t < 0.2, 4000, 0)\", 0], torque: [0, 0, \"%s*900\"]}\n"
        left, right = (run(CAR + push % (sign, sign), "--end", "0.3") for sign in ("1", "-1"))
        self.assertGreater(max(left["chassis.y"]), 1e-3)
        for name, sign in (("chassis.y", -1), ("chassis.z", 1), ("chassis.yaw", -1), ("chassis.roll", -1)):
            for a, b in zip(left[name], right[name]):
                self.assertAlmostEqual(a, sign * b, delta=1e-9, msg=name)
        for a, b in zip(left["fl.tyre.fz"], right["fr.tyre.fz"]):
            self.assertAlmostEqual(a, b, delta=1e-5 * (1 + abs(a)))


SOIL = """jounce: 1
templates:
  half:
    hardpoints: {C: [0, 0.5, 0.3]}
    bodies:
      hull: {mass: 300, com: [0.1, 0.05, 0.3], inertia: [30, 40, 50, 2, 1, 3]}
      arm: {mass: 20, com: [0.1, 0.5, 0.3], inertia: [1, 2, 3]}
    joints:
      hull: {type: free, child: hull}
      arm: {type: revolute, parent: hull, child: arm, at: [0.3, 0.4, 0.4], axis: [0, 1, 0.2]}
    forces:
      spring: {on: arm, stiffness: 2e4, damping: 500}
    soils:
      s: {wheel: arm, track: hull, centre: arm.C, lateral: hull.y, radius: 0.3, length: 0.3, width: 0.2, k_c: 2e4,
          k_phi: 4e5, exponent: 0.9, shear: 2, friction_long: 0.6, friction_lat: 0.4, track_speed: 2}
    initial:
      hull.x: {value: 0.3, rate: 1}
      hull.y: {value: 2, rate: 0.5}
      hull.yaw: {value: 0.3, rate: 0.2}
      hull.roll: {value: 0.1, rate: 0.1}
instances:
  a: {template: half}
  b: {mirror: a}
simulation: {end: 0.5}
"""


class Contact(unittest.TestCase):
    def test_soil(self):
        got = run(SOIL)
        self.assertGreater(max(got["a.s.fz"]), 100)
        for name in [n for n in got if n.startswith("a.")]:
            for a, b in zip(got[name], got["b." + name[2:]]):
                self.assertAlmostEqual(a, b, delta=1e-9 * (1 + abs(a)), msg=name)


# ---- mistakes ----------------------------------------------------------------------------------------

BASE = """jounce: 1
bodies: {car: {mass: 1}}
joints: {car: {type: prismatic, child: car, axis: z}}
templates:
  arm:
    ports: [body]
    parameters: {k: 1}
    bodies: {a: {mass: 1, com: [0, 0, -1]}}
    joints: {a: {type: revolute, parent: body, child: a, axis: y}}
    forces: {f: {on: a, stiffness: k}}
"""
GOOD = "template: arm, ports: {body: car}"
MISTAKES = [
    ("{u: {template: arn, ports: {body: car}}}", ":11: instance 'u': there is no template 'arn'; did you mean 'arm'?"),
    ("{u: {template: arm}}", ":11: instance 'u': port 'body' is missing; the template asks for it (m.yaml:6)"),
    ("{u: {template: arm, ports: {body: car, bod: car}}}",
     ":11: instance 'u': template 'arm' has no port 'bod'; did you mean 'body'?"),
    ("{u: {template: arm, ports: {body: carr}}}",
     ":9: instance 'u' (template 'arm'): joint 'u.a': parent: there is no body 'carr'; did you mean 'car'?"),
    ("{u: {%s, parameters: {kk: 2}}}" % GOOD,
     ":11: instance 'u': template 'arm' has no parameter 'kk'; did you mean 'k'?"),
    ("{u: {%s, parameters: {k: kk}}}" % GOOD,
     ":11: instance 'u' (template 'arm'): parameter 'u.k': value: column 1: unknown name 'kk'"),
    ("{car: {%s}}" % GOOD, ":11: instance 'car': the name is taken by something under 'bodies' (line 2)"),
    ("{u: {%s, joints: {a: {axes: y}}}}" % GOOD,
     ":11: instance 'u' (template 'arm'): joint 'u.a': unknown key 'axes'; did you mean 'axis'?"),
    ("{u: {mirror: v}, v: {mirror: u}}", ":11: instance 'u': it is a mirror image of itself"),
    ("{u: {mirror: w}}", ":11: instance 'u': mirror: there is no instance 'w'"),
    ("{u: {%s}, v: {mirror: u, about: q}}" % GOOD, "about must be x, y or z"),
    ("{u: {%s}, v: {mirror: u, at: [1, 0, 0]}}" % GOOD, "a mirror image has its place"),
    ("{u: {%s, about: y}}" % GOOD, "'about' goes with 'mirror: instance'"),
    ("{u: {%s, at: [1, 2]}}" % GOOD, ":11: instance 'u': at needs 3 numbers, got 2"),
    ("{u: {%s, roads: 1}}" % GOOD, ":11: instance 'u': unknown key 'roads'"),
    ("{u: {%s, mas: 1}}" % GOOD, ":11: instance 'u': unknown key 'mas'"),
    ("[1]", ":11: instances: it needs a map, got a list"),
    ("{2x: {}}", ":11: instance '2x': not a name; use letters, digits and '_', a letter first"),
    ("{ground: {}}", ":11: instance 'ground': the name is reserved; choose another"),
]


class Mistakes(unittest.TestCase):
    def test_each_is_told_with_its_line(self):
        for text, expected in MISTAKES:
            with self.subTest(text=text):
                self.assertIn(expected, complaint(BASE + f"instances: {text}\n"))

    def test_recursion_and_limits(self):
        self.assertIn("template 'rec' uses itself",
                      complaint(BASE + "  rec:\n    instances: {r: {template: rec}}\ninstances: {u: {template: rec}}\n"))
        grown = BASE + "  l0:\n    parameters: {p: 1}\n"
        for i in range(1, 10):
            grown += f"  l{i}:\n    instances: {{" + ", ".join(f"i{k}: {{template: l{i - 1}}}" for k in range(10)) + "}\n"
        self.assertIn("more than 8 deep", complaint(grown + "instances: {u: {template: l9}}\n"))
        self.assertIn("more than 2000 instances", complaint(grown + "instances: {u: {template: l6}}\n"))
        many = ", ".join(f"p{i}: 1" for i in range(1000))
        big = BASE + "  big:\n    parameters: {" + many + "}\ninstances: {"
        self.assertIn("more than 20000 entries under 'parameters'",
                      complaint(big + ", ".join(f"i{k}: {{template: big}}" for k in range(600)) + "}\n"))
        long = BASE + "  big:\n    tables: {t1: {x: [%s]}}\ninstances: {" % ", ".join("1" for _ in range(5000))
        self.assertIn("more than 400000 entries",
                      complaint(long + ", ".join(f"i{k}: {{template: big}}" for k in range(600)) + "}\n"))

    def test_a_port_without_use_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "m.yaml"
            file.write_text(BASE + "  lazy:\n    ports: [two]\n    parameters: {q: 1}\n"
                            "instances: {u: {template: lazy, ports: {two: car}}}\n")
            self.assertIn(":12: template 'lazy': port 'two' is not used", jounce("check", str(file)).stderr)

    def test_words_are_no_names(self):
        """Only what readers take for names is looked up: `B` is a reading of tyres though a hardpoint has the name."""
        text = CAR.replace("mu_y: 0.9}", "mu_y: 0.9, reading: B}").replace("hardpoints: {UF", "hardpoints: {B: [0, 0, 0], UF")
        self.assertIn("fl.tyre.fz", run(text, "--end", "0.02"))

    def test_own_names_of_laws(self):
        """`rate` in the law of a force is that of the force, whatever else has the name."""
        text = BASE.replace("{k: 1}", "{k: 1, rate: 7}").replace("stiffness: k", "force: rate") + "instances: {u: {%s}}\n"
        end = "initial: {u.a: {value: 0, rate: 2}}\nsimulation: {end: 0.1}\n"
        self.assertEqual(run(text % GOOD + end)["u.f.force"][0], -2)
        text = text.replace("force: rate", "damping: rate")
        self.assertEqual(run(text % GOOD + end)["u.f.force"][0], -14)

    def test_every_file_of_the_library_runs(self):
        files = sorted(Path("models/library").glob("*.yaml"))
        self.assertGreater(len(files), 8)
        for file in files:
            with self.subTest(file=file.name):
                jounce("run", f"test/models/library_{file.stem}.yaml", "--interpreter", "--quiet")
        jounce("run", "test/models/library_loose_rack.yaml", "--interpreter", "--quiet")


class Sedan(unittest.TestCase):
    """The car of models/sedan against what was derived of it apart from this program."""

    # travel [mm]: double wishbone: W y, W x, spring; multi-link: W y, W x, spring, all in mm
    TABLE = {-80: (-19.739, -0.252, 552.988, 2.797, 8.844, 334.131),
             -40: (-6.665, 0.096, 532.218, 3.188, 3.892, 308.270),
             0: (0, 0, 511.468, 0, 0, 283.302),
             40: (0.871, -0.589, 490.644, -6.696, -2.810, 259.368),
             80: (-3.902, -1.695, 469.686, -16.928, -4.495, 236.667)}

    def test_kinematics(self):
        library = Path("models/library").resolve()
        text = f"""jounce: 1
include: [{library}/double_wishbone.yaml, {library}/multi_link.yaml]
parameters: {{z: 0}}
instances:
  f: {{template: double_wishbone, ports: {{body: ground, rack: ground}}}}
  r: {{template: multi_link, ports: {{body: ground}}}}
initial: {{f.upright.W.z: z - 0.1199, r.upright.W.z: z}}
sensors: {{fy: f.upright.W.y - 0.7979, fx: f.upright.W.x, fs: f.spring.length,
          ry: r.upright.W.y - 0.8, rx: r.upright.W.x, rs: r.spring.length}}
simulation: {{end: 1e-4}}
"""
        for travel, expected in self.TABLE.items():
            got = run(text, "--set", f"z={travel / 1000}")
            for name, x in zip(("fy", "fx", "fs", "ry", "rx", "rs"), expected):
                self.assertAlmostEqual(1000 * got[name][0], x, delta=6e-4, msg=f"{name} at {travel}")

    def test_statics(self):
        said = json.loads(jounce("static", "test/models/sedan_static.yaml", "--interpreter", "--json", "--quiet").stdout)
        at = {**said["coordinates"], **said["sensors"]}
        for name, x, delta in (("load_fl", 4029.9, 0.06), ("load_rl", 4202.2, 0.06), ("spring_fl", 0.51510, 6e-6),
                               ("spring_rl", 0.30282, 6e-6), ("chassis.z", 0.22102, 6e-6),
                               ("chassis.pitch", 0.597 * 3.14159265 / 180, 1e-5), ("travel_f", -0.0070, 6e-6),
                               ("travel_r", -0.0314, 5e-5)):
            self.assertAlmostEqual(at[name], x, delta=delta, msg=name)

    def test_mass(self):
        self.assertIn("1678.3 kg", jounce("info", "models/sedan/chrono_c.yaml").stdout)


if __name__ == "__main__":
    unittest.main()
