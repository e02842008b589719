#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""jounce import: frames, masses and accelerations of what was taken over, against what this file computes from the
sources by itself; what is told; what is refused."""
import json
import math
import os
import random
import re
import unittest
import xml.etree.ElementTree as ET
from pathlib import Path

from case import Case
from program import jounce

DATA = Path(__file__).resolve().parent.parent / "data/import"
CLOSE = 1e-12  # of metres and accelerations near 1: a few dozen operations of a chain

# ---- rotations and places, as lists


def mul(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def apply(a, x):
    return [sum(a[i][k] * x[k] for k in range(3)) for i in range(3)]


def transpose(a):
    return [[a[j][i] for j in range(3)] for i in range(3)]


def add(x, y):
    return [a + b for a, b in zip(x, y)]


ONE = [[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0]]


def turn(axis, angle):
    """By quaternion, unlike the program."""
    n = math.sqrt(sum(x * x for x in axis))
    w, s = math.cos(angle / 2), math.sin(angle / 2) / n
    return of_quaternion([w, *(s * x for x in axis)])


def of_quaternion(q):
    n = math.sqrt(sum(x * x for x in q))
    w, x, y, z = (v / n for v in q)
    return [[w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z]]


X, Y, Z = [1, 0, 0], [0, 1, 0], [0, 0, 1]


def numbers(text):
    return [float(x) for x in text.split()]


def compose(outer, inner):
    return mul(outer[0], inner[0]), add(outer[1], apply(outer[0], inner[1]))


# ---- frames of the sources


def urdf_frames(path, q):
    root = ET.parse(path).getroot()

    def origin(node):
        o = node.find("origin")
        roll, pitch, yaw = numbers(o.get("rpy", "0 0 0")) if o is not None else (0, 0, 0)
        place = numbers(o.get("xyz", "0 0 0")) if o is not None else [0, 0, 0]
        return mul(turn(Z, yaw), mul(turn(Y, pitch), turn(X, roll))), place

    frames = {"base-link": (ONE, [0, 0, 0])}
    joints = root.findall("joint")
    while len(frames) < len(root.findall("link")):
        for j in joints:
            parent, child = j.find("parent").get("link"), j.find("child").get("link")
            if parent not in frames or child in frames:
                continue
            axis = numbers(j.find("axis").get("xyz")) if j.find("axis") is not None else X
            value = q.get(j.get("name"), 0.0)
            length = math.sqrt(sum(a * a for a in axis))
            moved = {"fixed": (ONE, [0, 0, 0]), "prismatic": (ONE, [a / length * value for a in axis])}
            frames[child] = compose(compose(frames[parent], origin(j)),
                                    moved.get(j.get("type"), (turn(axis, value), [0, 0, 0])))
    return frames


def mjcf_place(node):
    """compiler eulerseq zYx in degrees: z and x turn along, Y is fixed."""
    place, r = numbers(node.get("pos", "0 0 0")), ONE
    if node.get("quat"):
        r = of_quaternion(numbers(node.get("quat")))
    elif node.get("axisangle"):
        v = numbers(node.get("axisangle"))
        r = turn(v[:3], math.radians(v[3]))
    elif node.get("euler"):
        a, b, c = (math.radians(v) for v in numbers(node.get("euler")))
        r = mul(mul(turn(Y, b), turn(Z, a)), turn(X, c))
    elif node.get("xyaxes"):
        v = numbers(node.get("xyaxes"))
        x, y = v[:3], v[3:]
        x = [a / math.sqrt(sum(b * b for b in x)) for a in x]
        along = sum(a * b for a, b in zip(x, y))
        y = [b - along * a for a, b in zip(x, y)]
        y = [a / math.sqrt(sum(b * b for b in y)) for a in y]
        z = [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]
        r = transpose([x, y, z])
    elif node.get("zaxis"):
        v = numbers(node.get("zaxis"))
        n = math.sqrt(sum(a * a for a in v))
        r = turn([-v[1], v[0], 0], math.acos(v[2] / n))
    return r, place


def mjcf_frames(path, q):
    """The joints of walker.xml, whose axes and places are written out where they are not given in the file."""
    axes = {"hip_y": Y, "knee": Y}
    frames, design = {}, {}

    def visit(node, now, then, name):
        for c in node:
            if c.tag == "frame":
                visit(c, compose(now, mjcf_place(c)), compose(then, mjcf_place(c)), name)
            if c.tag != "body":
                continue
            at, drawn = compose(now, mjcf_place(c)), compose(then, mjcf_place(c))
            for j in c:
                if j.tag == "freejoint":
                    r = mul(turn(Z, q["yaw"]), mul(turn(Y, q["pitch"]), turn(X, q["roll"])))
                    at = mul(r, drawn[0]), [q["x"], q["y"], q["z"]]
                if j.tag != "joint":
                    continue
                axis = numbers(j.get("axis", "0 0 1"))
                axis, pos = axes.get(j.get("name"), axis), numbers(j.get("pos", "0 0 0"))
                if j.get("type") == "slide":
                    n = math.sqrt(sum(a * a for a in axis))
                    at = compose(at, (ONE, [a / n * q[j.get("name")] for a in axis]))
                    continue
                if j.get("type") == "ball":  # about the axes of the drawing, x, then y, then z
                    r = mul(turn(X, q["a"]), mul(turn(Y, q["b"]), turn(Z, q["c"])))
                    r = mul(transpose(drawn[0]), mul(r, drawn[0]))
                else:
                    r = turn(axis, q[j.get("name")])
                at = compose(at, (r, add(pos, [-v for v in apply(r, pos)])))
            frames[c.get("name")], design[c.get("name")] = at, drawn
            visit(c, at, drawn, c.get("name"))

    start = (ONE, [0.0, 0, 0])
    visit(ET.parse(path).getroot().find("worldbody"), start, start, None)
    return frames


def robotran_frames(path, q):
    root = ET.parse(path).getroot()

    def place(node):
        c = node.find("coordinates")
        return [float(c.findtext(k, "0")) for k in "xyz"]

    frames, points = {"base": (ONE, [0.0, 0, 0])}, {"base": {"origin": [0, 0, 0]}}
    for p in root.findall("base/point"):
        points["base"][p.findtext("pointname")] = place(p)
    for b in root.findall("bodytree/body"):
        name = b.findtext("bodyname")
        points[name] = {"origin": [0, 0, 0]}
        for p in b.findall("point"):
            points[name][p.findtext("pointname")] = place(p)
        parent, point = b.findtext("parent/bodyname"), b.findtext("parent/pointname")
        at = compose(frames[parent], (ONE, points[parent][point]))
        for j in b.findall("joint"):
            axis, value = (X, Y, Z)[int(j.findtext("type")[1]) - 1], q[j.findtext("jointname")]
            is_turn = j.findtext("type")[0] == "R"
            at = compose(at, (turn(axis, value), [0, 0, 0]) if is_turn else (ONE, [a * value for a in axis]))
        frames[name] = at
    return frames


# ---- what the program makes of them


class Import(Case):
    def take(self, name, text=None):
        """Import a file of the data, or a text; the model file is checked."""
        source = self.path(name, text) if text is not None else str(DATA / name)
        self.model = self.path("model.yaml")
        self.told = json.loads(jounce("import", source, "-o", self.model, "--json").stdout)
        done = json.loads(jounce("check", self.model, "--json").stdout)
        self.assertEqual(done["errors"], [])
        self.text = Path(self.model).read_text(encoding="utf-8")
        return self.text

    def values(self, state, wanted, more=""):
        """Expressions at a state: coordinates to (value, rate)."""
        lines = ["jounce: 1", "include: model.yaml", "initial:"]
        lines += [f"  {k}: {{value: {v!r}, rate: {r!r}}}" for k, (v, r) in state.items()]
        lines += ["sensors:"] + [f"  s{i}: \"{e}\"" for i, e in enumerate(wanted)] + [more]
        lines += ["simulation: {end: 1.0e-6, output_step: 1.0e-6, method: rk4, step: 1.0e-6}"]
        self.path("state.yaml", "\n".join(lines))
        out = self.path("state.csv")
        jounce("run", self.path("state.yaml"), "--interpreter", "--quiet", "-o", out)
        rows = [r for r in Path(out).read_text(encoding="utf-8").splitlines() if r[:1] != "#"]
        names, first = rows[0].split(","), rows[1].split(",")
        if not re.match(r"[-\d]", first[0]):
            first = rows[2].split(",")
        return [float(first[names.index(f"s{i}")]) for i in range(len(wanted))]

    def compare_frames(self, frames, state, rename=lambda s: re.sub(r"\W", "_", s), more=""):
        """Origin and the ends of two unit vectors of each body, so that turns are seen."""
        bodies = [(rename(n), f) for n, f in frames.items()]
        wanted = [f"{b}.{p}.{k}" for b, _ in bodies for p in ("origin", "tx", "ty") for k in "xyz"]
        points = "bodies:\n" + "".join(f"  {b}: {{points: {{tx: [1, 0, 0], ty: [0, 1, 0]}}}}\n"
                                       for b, _ in bodies)
        got = iter(self.values({k: (v, 0.0) for k, v in state.items()}, wanted, points + more))
        for name, (r, p) in bodies:
            for x in ([0, 0, 0], X, Y):
                for want in add(p, apply(r, x)):
                    self.assertAlmostEqual(next(got), want, delta=CLOSE, msg=name)

    def block(self, body):
        """mass, com and inertia of a body as written."""
        block = re.search(rf"\n  {body}:.*\n((?:    .*\n)+)", self.text).group(1)
        entry = {k: json.loads(v) for k, v in re.findall(r"^    (mass|com|inertia): (.*)$", block, re.M)}
        return entry["mass"], entry["com"], (entry["inertia"] + [0, 0, 0])[:6]


class Frames(Import):
    def test_urdf_links_are_where_rpy_and_axes_put_them(self):
        self.take("arm.urdf")
        rng = random.Random(1)
        for q in ({}, {k: rng.uniform(-1, 1) for k in ("shoulder", "elbow", "grip")}):
            frames = urdf_frames(DATA / "arm.urdf", q)
            frames["t_"] = frames.pop("t")
            self.compare_frames(frames, q)

    def test_mjcf_bodies_are_where_their_joints_put_them(self):
        self.take("walker.xml")
        rng = random.Random(2)
        for size in (0.0, 1.0):
            q = {k: size * rng.uniform(-1, 1) for k in
                 ("x", "y", "z", "yaw", "pitch", "roll", "hip_x", "hip_y", "knee", "reach", "a", "b", "c")}
            state = {("trunk." + k if i < 6 else "shoulder." + k if len(k) == 1 else k): v
                     for i, (k, v) in enumerate(q.items())}
            self.compare_frames(mjcf_frames(DATA / "walker.xml", q), state)

    def test_robotran_bodies_are_where_their_joints_put_them(self):
        self.take("buggy.mbs")
        rng = random.Random(3)
        names = {"T1_slides": "cart.x", "T2_slides": "cart.y", "T3_cart": "cart.z", "R3_cart": "cart.yaw",
                 "R2_cart": "cart.pitch", "R1_cart": "cart.roll"}
        joints = [j.findtext("jointname") for j in ET.parse(DATA / "buggy.mbs").getroot().iter("joint")]
        q = {j: rng.uniform(-1, 1) for j in joints}
        q["R2_wheel"] = 0.5  # driven: what the file says
        frames = robotran_frames(DATA / "buggy.mbs", q)
        del frames["base"], frames["slides"]
        state = {names.get(j, j): v for j, v in q.items() if j != "R2_wheel"}
        self.compare_frames(frames, state, more="closures: {tie: }\n")

    def test_a_free_body_begins_where_it_is_drawn(self):
        self.take("walker.xml")
        wanted = [f"trunk.origin.{k}" for k in "xyz"]
        for got, want in zip(self.values({"knee": (0.0, 0.0)}, wanted), (0.1, -0.2, 1.2)):
            self.assertAlmostEqual(got, want, delta=CLOSE)


class Loops(Import):
    def run_to_the_end(self, wanted, more=""):
        sensors = "".join(f"  s{i}: \"{e}\"\n" for i, e in enumerate(wanted))
        self.path("run.yaml", f"jounce: 1\ninclude: model.yaml\nsensors:\n{sensors}{more}"
                              "simulation: {end: 0.3, tolerance: 1.0e-9}\n")
        out = self.path("run.csv")
        jounce("run", self.path("run.yaml"), "--interpreter", "--quiet", "-o", out)
        rows = [r.split(",") for r in Path(out).read_text(encoding="utf-8").splitlines() if r[:1] != "#"]
        return [float(rows[-1][rows[0].index(f"s{i}")]) for i in range(len(wanted))]

    def compare(self, pairs):
        got = self.run_to_the_end([e for pair in pairs for e in pair])
        for pair, a, b in zip(pairs, got[::2], got[1::2]):
            self.assertAlmostEqual(a, b, delta=1e-8, msg=pair)  # tolerance of the run

    def test_connect_and_weld_of_mjcf_stay_closed_while_it_moves(self):
        self.take("loops.xml")
        places = [(f"coupler.{a}.{k}", f"{b}.{k}") for a, b in (("pin_a", "rocker.tip"), ("glue_a", "plate.glue_b"))
                  for k in "xyz"] + [(f"plate.pole.{k}", f"flag.hem.{k}") for k in "xyz"]
        self.compare(places)
        turned = self.run_to_the_end(["coupler.wx", "coupler.wy", "coupler.wz", "plate.wx", "plate.wy", "plate.wz",
                                      "crank"])
        r = of_quaternion([0.8, 0.2, 0.5, 0.1])
        for a, b in zip(turned[:3], apply(r, turned[3:6])):  # the plate's axes as drawn
            self.assertAlmostEqual(a, b, delta=1e-7)
        self.assertGreater(abs(turned[6]), 0.05)
        # the axes of both sites are the same ones: e of the plate's frame is r e of the flag's
        r = mul(turn([1, 2, 3], 0.8), transpose(turn([0, 1, 1], -0.3)))
        got = self.run_to_the_end([f"{b}.{p}.{k} - {b}.origin.{k}" for b, p in
                                   (("plate", "px"), ("plate", "py"), ("flag", "px"), ("flag", "py")) for k in "xyz"],
                                  "bodies:\n" + "".join(f"  {b}: {{points: {{px: {x}, py: {y}}}}}\n" for b, x, y in (
                                      ("plate", X, Y), ("flag", apply(transpose(r), X),
                                                        apply(transpose(r), Y)))))
        for a, b in zip(got[:6], got[6:]):
            self.assertAlmostEqual(a, b, delta=1e-8)

    def test_ball_and_solid_cuts_of_robotran_stay_closed_while_it_moves(self):
        self.take("loops.mbs")
        self.compare([(f"coupler.end.{k}", f"rocker.tip.{k}") for k in "xz"]
                     + [(f"coupler.middle.{k}", f"plate.origin.{k}") for k in "xz"]
                     + [("R2_crank + R2_coupler", "R2_plate"), ("R2_crank", "R2_rocker")])

    def test_a_rod_keeps_its_length(self):
        self.take("buggy.mbs")
        d = " + ".join(f"(rocker.tip.{k} - arm.end.{k})^2" for k in "xyz")
        self.compare([(f"sqrt({d})", "0.2")])


# ---- two links in a plane, with each format's own words

M1, M2, A1, L1, A2, I1, I2, G = 2.0, 1.3, 0.3, 0.7, 0.25, 0.05, 0.03, 9.81

URDF = f"""<robot name="two"><link name="base"/>
<link name="one"><inertial><origin xyz="0 0 -{A1}"/><mass value="{M1}"/><inertia ixx="{I1}" iyy="{I1}" izz="0.01"/></inertial></link>
<link name="two"><inertial><origin xyz="0 {A2} 0"/><mass value="{M2}"/><inertia ixx="{I2}" iyy="0.01" izz="{I2}"/></inertial></link>
<joint name="q1" type="continuous"><parent link="base"/><child link="one"/><origin rpy="0 0 1.5707963267948966"/><axis xyz="1 0 0"/></joint>
<joint name="q2" type="continuous"><parent link="one"/><child link="two"/><origin xyz="0 0 -{L1}" rpy="-1.5707963267948966 0 0"/><axis xyz="1 0 0"/></joint>
</robot>"""

MJCF = f"""<mujoco><compiler angle="radian"/><worldbody>
<body name="one" euler="0 0 1.5707963267948966"><joint name="q1" axis="2 0 0"/>
<inertial pos="0 0 -{A1}" mass="{M1}" diaginertia="{I1} {I1} 0.01"/>
<body name="two" pos="0 0 -{L1}" euler="-1.5707963267948966 0 0"><joint name="q2" axis="1 0 0"/>
<inertial pos="0 {A2} 0" mass="{M2}" fullinertia="{I2} 0.01 {I2} 0 0 0"/></body></body></worldbody></mujoco>"""


def mbs_body(name, parent, point, joint, mass, com, inertia, points=""):
    return (f"<body><bodyname>{name}</bodyname><parent><bodyname>{parent}</bodyname><pointname>{point}</pointname>"
            f"</parent><joint><jointname>{joint}</jointname><type>R2</type><nature>independent</nature></joint>"
            f"<mass>{mass}</mass><com><coordinates><z>{com}</z></coordinates></com>"
            f"<inertia><Ixx>0.1</Ixx><Iyy>{inertia}</Iyy><Izz>0.1</Izz></inertia>{points}</body>")


MBS = ("<mbsDescR7><base><gravity><coordinates><z>-9.81</z></coordinates></gravity></base><bodytree>"
       + mbs_body("one", "base", "origin", "q1", M1, -A1, I1,
                  f"<point><pointname>P</pointname><coordinates><z>-{L1}</z></coordinates></point>")
       + mbs_body("two", "one", "P", "q2", M2, -A2, I2) + "</bodytree></mbsDescR7>")


def two_links(q1, q2, v1, v2):
    """Accelerations of a double pendulum with relative angles, by Lagrange."""
    c, s = math.cos(q2), math.sin(q2)
    m11 = I1 + I2 + M1 * A1**2 + M2 * (L1**2 + A2**2 + 2 * L1 * A2 * c)
    m12, m22 = I2 + M2 * (A2**2 + L1 * A2 * c), I2 + M2 * A2**2
    h = M2 * L1 * A2 * s
    f1 = h * (2 * v1 * v2 + v2**2) - (M1 * A1 + M2 * L1) * G * math.sin(q1) - M2 * A2 * G * math.sin(q1 + q2)
    f2 = -h * v1**2 - M2 * A2 * G * math.sin(q1 + q2)
    det = m11 * m22 - m12**2
    return (m22 * f1 - m12 * f2) / det, (m11 * f2 - m12 * f1) / det


class Dynamics(Import):
    def test_two_links_accelerate_as_lagrange_says_in_every_format(self):
        rng = random.Random(4)
        for name, text in (("two.urdf", URDF), ("two.xml", MJCF), ("two.mbs", MBS)):
            self.take(name, text)
            q1, q2, v1, v2 = (rng.uniform(-2, 2) for _ in range(4))
            got = self.values({"q1": (q1, v1), "q2": (q2, v2)}, ["q1.acc", "q2.acc"])
            for a, b in zip(got, two_links(q1, q2, v1, v2)):
                self.assertAlmostEqual(a, b, delta=1e-11, msg=name)  # of some 30 rad/s^2

    def test_springs_dampers_and_actuators_of_mjcf_pull_as_they_did(self):
        self.take("one.xml", """<mujoco><option gravity="0 0 0"/><worldbody><body name="b">
          <joint name="q" axis="0 1 0" stiffness="7" springref="30" ref="10" damping="0.4"/>
          <inertial pos="0 0 0" mass="1" diaginertia="0.1 0.2 0.1"/></body></worldbody>
          <actuator><position name="servo" joint="q" kp="5" kv="0.6" gear="3"/><motor name="m" joint="q" gear="-2"/>
          <velocity name="v" joint="q" kv="1.5"/></actuator></mujoco>""")
        q, rate, servo, motor, speed = 0.7, -1.1, 0.3, 0.2, 0.9
        inputs = f"inputs: {{servo_ctrl: {servo}, m_ctrl: {motor}, v_ctrl: {speed}}}\n"
        got, = self.values({"q": (q, rate)}, ["q.acc"], inputs)
        angle = q + math.radians(10)  # of the source, whose zero is elsewhere
        torque = -7 * (angle - math.radians(30)) - 0.4 * rate - 2 * motor + 1.5 * (speed - rate)
        torque += 3 * (5 * (servo - 3 * angle) - 0.6 * 3 * rate)
        self.assertAlmostEqual(got, torque / 0.2, delta=1e-11)

    def test_damping_of_urdf_brakes(self):
        self.take("one.urdf", """<robot name="one"><link name="world"/><link name="b"><inertial><mass value="1"/>
          <inertia ixx="0.3" iyy="0.3" izz="0.3"/></inertial></link><joint name="q" type="continuous">
          <parent link="world"/><child link="b"/><axis xyz="0 0 1"/><dynamics damping="0.6"/></joint></robot>""")
        got, = self.values({"q": (0.0, 2.0)}, ["q.acc"])
        self.assertAlmostEqual(got, -0.6 * 2.0 / 0.3, delta=CLOSE)


def solid(radius, half, density):
    """Mass and moments of a solid of revolution about z, by slices (Simpson, smooth pieces)."""
    mass = along = across = 0.0
    n = 2000
    for i in range(n + 1):
        z = -half + 2 * half * i / n
        w = density * 2 * half / n / 3 * (1 if i in (0, n) else 4 if i % 2 else 2)
        r = radius(z)
        mass += w * math.pi * r**2
        along += w * math.pi * r**4 / 2
        across += w * (math.pi * r**4 / 4 + math.pi * r**2 * z * z)
    return mass, across, along


class Masses(Import):
    def test_geoms_weigh_what_their_slices_weigh(self):
        r, h = 0.3, 0.5
        shapes = {
            f'type="cylinder" size="{r} {h}"': solid(lambda z: r, h, 1000),
            f'type="sphere" size="{r}"': solid(lambda z: math.sqrt(max(r * r - z * z, 0)), r, 1000),
            f'type="capsule" size="{r} {h}"':
                solid(lambda z: math.sqrt(max(r * r - max(abs(z) - h, 0)**2, 0)), r + h, 1000),
            f'type="ellipsoid" size="{r} {r} {h}"':
                solid(lambda z: r * math.sqrt(max(1 - (z / h)**2, 0)), h, 1000)}
        for shape, (mass, across, along) in shapes.items():
            self.take("g.xml", f'<mujoco><worldbody><body name="b"><freejoint/><geom {shape}/></body></worldbody></mujoco>')
            got, com, inertia = self.block("b")
            self.assertAlmostEqual(got / mass, 1, delta=1e-6, msg=shape)  # the slices' own error
            for a, b in zip(inertia, (across, across, along, 0, 0, 0)):
                self.assertAlmostEqual(a, b, delta=1e-6 * mass, msg=shape)
            self.assertEqual(com, [0, 0, 0])

    def test_geoms_of_a_body_add_up_as_points_do(self):
        # boxes, by the masses of their corners: 8 points of an eighth have moments three times those of the box
        self.take("walker.xml")
        mass, com, inertia = self.block("trunk")
        box = 800 * 8 * 0.2 * 0.1 * 0.05
        r, p = turn(Y, math.radians(15)), [0.01, 0.02, 0]
        points = [(1.5, [0.2, 0, 0.1])]
        for sx in (-1, 1):
            for sy in (-1, 1):
                for sz in (-1, 1):
                    corner = [s * v / math.sqrt(3) for s, v in zip((sx, sy, sz), (0.2, 0.1, 0.05))]
                    points.append((box / 8, add(p, apply(r, corner))))
        total = sum(m for m, _ in points)
        centre = [sum(m * x[i] for m, x in points) / total for i in range(3)]
        self.assertAlmostEqual(mass, total, delta=CLOSE)
        for a, b in zip(com, centre):
            self.assertAlmostEqual(a, b, delta=CLOSE)
        ball = 0.4 * 1.5 * 0.08**2

        def moment(i, j):
            return sum(m * ((i == j) * sum((x[k] - centre[k])**2 for k in range(3))
                            - (x[i] - centre[i]) * (x[j] - centre[j])) for m, x in points) + ball * (i == j)

        for got, (i, j) in zip(inertia, ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))):
            self.assertAlmostEqual(got, moment(i, j), delta=CLOSE)

    def test_inertia_is_turned_into_the_axes_of_the_body(self):
        self.take("arm.urdf")
        _, com, got = self.block("upper")
        r = mul(turn(Z, 0.5), mul(turn(Y, -0.2), turn(X, 0.3)))
        tensor = [[0.04, 0.003, -0.002], [0.003, 0.05, 0.001], [-0.002, 0.001, 0.02]]
        want = mul(mul(r, tensor), transpose(r))
        for a, (i, j) in zip(got, ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))):
            self.assertAlmostEqual(a, want[i][j], delta=1e-15)
        self.assertEqual(com, [0.02, -0.01, 0.2])

    def test_what_moves_without_mass_is_fixed_and_told(self):
        text = self.take("arm.urdf")
        self.assertIn("pan: {type: fixed", text)
        self.assertTrue(any("joint pan" in r["text"] for r in self.told["changed"]))

    def test_a_point_on_the_axis_does_not_turn_and_massless_inertia_does_not_slide(self):
        head = "<mujoco><compiler angle='radian'/><worldbody>"
        body = head + "<body name='b' euler='.3 .2 .1'><joint name='j' type='{}' axis='1 2 3'/>{}</body></worldbody></mujoco>"
        light = "<inertial pos='0 0 0' mass='0' diaginertia='1 1 1'/>"
        point = "<inertial pos='{}' mass='2' diaginertia='0 0 0'/>"
        for kind, inertial, moves in (("hinge", point.format("2 4 6"), False), ("hinge", point.format("2 4 6.1"), True),
                                      ("slide", point.format("2 4 6"), True), ("slide", light, False),
                                      ("hinge", light, True)):
            text = self.take("m.xml", body.format(kind, inertial))
            self.assertEqual("j: {type: fixed" not in text, moves, kind + inertial)
            self.assertEqual(self.told["changed"] == [], moves)

    def test_what_is_held_without_mass_gets_a_little_and_is_told(self):
        text = (DATA / "loops.mbs").read_text(encoding="utf-8")
        text = text.replace("<mass>0.5</mass>", "<mass>0</mass>")
        self.take("light.mbs", text.replace("<Ixx>0.01</Ixx><Iyy>0.01</Iyy><Izz>0.01</Izz>", ""))
        self.assertTrue(any("body plate lacks mass" in r["text"] for r in self.told["to_fill_in"]))


class Told(Import):
    def texts(self, kind):
        return "\n".join(r["text"] for r in self.told[kind])

    def test_nothing_is_dropped_in_silence(self):
        wanted = {
            "arm.urdf": ("friction 0.1 of joint shoulder", "limits of joint elbow: lower -2, upper 2", "mimic",
                         "<link/visual>, and 1 more", "<link/collision>", "<material>"),
            "walker.xml": ("armature 0.01 of joint knee", "limits of joint hip_x", "timestep of <option>",
                           "friction of <default/geom>", "<worldbody/light>", "<keyframe>", "<actuator/muscle>",
                           "ctrlrange of <actuator/motor>"),
            "loops.xml": ("'loop_1', which is not active",),
            "buggy.mbs": ("Om of sensor 'S1'", "state 'slip' of the user's model 'tyre'")}
        for name, texts in wanted.items():
            self.take(name)
            for text in texts:
                self.assertIn(text, self.texts("not_taken_over"), name)

    def without_wholes(self, path):
        """Without what is told as a whole, whatever is in it."""
        tree = ET.parse(path)
        for parent in list(tree.getroot().iter()):
            for node in list(parent):
                if node.get("active") == "false" or node.findtext("type") == "state":
                    parent.remove(node)
        return tree

    def test_every_word_of_a_source_is_read_or_told(self):
        """A new attribute, an element anywhere: each must show up in the list."""
        for name in ("arm.urdf", "walker.xml", "loops.xml", "buggy.mbs", "loops.mbs"):
            tree = self.without_wholes(DATA / name)
            for i, node in enumerate(list(tree.getroot().iter())):
                if len(node) or i % 7 == 0:
                    node.set(f"odd{i}", "1")
                if len(node):
                    ET.SubElement(node, f"strange{i}")
            self.take("odd" + name[name.rindex("."):], ET.tostring(tree.getroot(), encoding="unicode"))
            told = self.texts("not_taken_over")
            skipped = ("visual", "collision", "material", "keyframe", "color", "geometry", "light", "inertial")
            for i, node in enumerate(list(self.without_wholes(DATA / name).getroot().iter())):
                is_told = node.tag in skipped or node.tag in told
                if (len(node) or i % 7 == 0) and not is_told:
                    self.assertIn(f"odd{i}", told, f"{name} {node.tag}")
                if len(node) and not is_told:
                    self.assertIn(f"strange{i}", told, f"{name} {node.tag}")

    def test_laws_become_places_to_fill_in(self):
        text = self.take("buggy.mbs")
        for name in ("ground_", "cart_roll_actuator", "R2_wheel_drive", "spring", "rope"):
            self.assertIn(name, self.texts("to_fill_in"))
            self.assertRegex(text, rf"\n  {name}: .*# to fill in")
        self.assertIn("parameters:\n  tyre_k: 150000\n  tyre_mu_1: 0.9\n", text)

    def test_six_joints_are_a_free_joint_where_their_order_allows(self):
        self.assertIn("cart: {type: free, parent: ground, child: cart}", self.take("buggy.mbs"))
        other = (DATA / "buggy.mbs").read_text(encoding="utf-8").replace("<type>R3</type>", "<type>RX</type>")
        other = other.replace("<type>R1</type><nature>independent</nature><actuated/>",
                              "<type>R3</type><nature>independent</nature><actuated/>")
        text = self.take("other.mbs", other.replace("<type>RX</type>", "<type>R1</type>"))
        self.assertNotIn("type: free", text)
        self.assertIn("T2_slides: {type: prismatic, parent: ground, child: T2_slides", text)

    def test_names_that_are_none_here_are_made_so_and_told(self):
        text = self.take("walker.xml")
        self.assertIn("\n  left_thigh:\n", text)
        self.assertIn("'left thigh' is left_thigh", self.texts("changed"))
        names = ["ground", "t", "1st", "Größe", "a" * 100, "energy", "NULL", "x", "a-b", "a b"]
        links = "".join(f'<link name="{n}"><inertial><mass value="1"/></inertial></link>' for n in names)
        self.take("names.urdf", f'<robot name="n">{links}</robot>')
        self.assertEqual(self.told["bodies"], len(names))
        for name in names[:8]:
            self.assertIn(f"'{name[:60]}", self.texts("changed"))

    def test_the_list_stands_on_top_of_the_file_and_is_printed(self):
        text = self.take("buggy.mbs")
        shown = jounce("import", str(DATA / "buggy.mbs")).stdout
        for kind in ("not_taken_over", "to_fill_in", "changed"):
            self.assertTrue(self.told[kind])
            for r in self.told[kind]:
                self.assertIn(f"#   line {r['line']}: {r['text']}\n", text)
                self.assertIn(f"  line {r['line']}: {r['text']}\n", shown)

    def test_same_file_same_bytes_from_anywhere(self):
        for name in ("arm.urdf", "walker.xml", "buggy.mbs"):
            first = self.take(name)
            copy = self.path(name, (DATA / name).read_text(encoding="utf-8"))
            out = self.path("again.yaml")
            jounce("import", os.path.basename(copy), "-o", out, "--quiet", cwd=os.path.dirname(copy))
            self.assertEqual(Path(out).read_text(encoding="utf-8"), first)

    def test_a_model_taken_over_runs_and_has_derivatives(self):
        self.take("arm.urdf")
        done = jounce("sens", self.model, "--interpreter", "--wrt", "bodies.fore.mass", "--json",
                      "--set", "simulation.end=0.1", code=1)
        self.assertIn("objective", done.stderr)  # that is the user's to say
        self.path("m.yaml", "jounce: 1\ninclude: model.yaml\nobjectives: {high: {final: fore.com.z}}\n"
                            "simulation: {end: 0.1}\n")
        done = json.loads(jounce("sens", self.path("m.yaml"), "--interpreter", "--wrt", "bodies.fore.mass",
                                 "--json").stdout)
        self.assertIn("objectives", done)


class Refused(Import):
    def refuse(self, name, text, *words):
        done = jounce("import", self.path(name, text), "-o", self.path("no.yaml"), code=1)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertFalse(os.path.exists(self.path("no.yaml")))
        self.assertLess(len(done.stderr), 600)

    def test_what_is_no_xml_or_no_model(self):
        self.refuse("a.urdf", "", "a.urdf:1:", "not XML")
        self.refuse("a.urdf", "<robot><link", "a.urdf:1:", "not XML")
        self.refuse("a.urdf", "<robot>\n<link name='a'>\n</robot>", "a.urdf:3:", "mismatched tag")
        self.refuse("a.urdf", "<html/>", "a.urdf:1:", "<html>", "URDF (robot)")
        self.refuse("a.urdf", "<robot name='x'/>", "no body")
        self.refuse("a.mbs", "<mbsDescR7/>", "no body")
        self.refuse("a.xml", "<mujoco/>", "no body")
        whole = (DATA / "walker.xml").read_text(encoding="utf-8")
        for cut in range(200, len(whole) - 12, 431):
            self.refuse("cut.xml", whole[:cut], "cut.xml:", "not XML")

    def test_entities_depth_and_size(self):
        bomb = "<!DOCTYPE robot [<!ENTITY a 'aaaa'>" + "".join(
            f"<!ENTITY a{i} '&a{i - 1 if i else ''};&a{i - 1 if i else ''};'>" for i in range(40)) + "]>"
        self.refuse("bomb.urdf", bomb + "<robot name='&a39;'/>", "bomb.urdf:1:", "DOCTYPE")
        outside = "<!DOCTYPE robot [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><robot name='x'>&e;</robot>"
        self.refuse("file.urdf", outside, "DOCTYPE")
        self.refuse("deep.xml", "<mujoco>\n" + "<a>" * 100000, "deep.xml:2:", "256 levels")
        self.refuse("long.xml", "<mujoco>" + "<a/>" * 400001 + "</mujoco>", "400000")
        self.refuse("big.xml", "<mujoco>" + " " * (17 << 20) + "</mujoco>", "big.xml")

    def test_many_equal_names_take_no_search(self):
        links = "".join(f"<link name='{'a' * 60}{i}'/>" for i in range(4000))
        jounce("import", self.path("names.urdf", f"<robot name='r'>{links}</robot>"), "--quiet")

    def test_trees_that_are_none(self):
        def link(*names):
            return "".join(f"<link name='{n}'/>\n" for n in names)

        def joint(name, parent, child, more="<axis xyz='1 0 0'/>"):
            return f"<joint name='{name}' type='revolute'><parent link='{parent}'/><child link='{child}'/>{more}</joint>\n"

        robot = "<robot name='r'>\n{}</robot>".format
        self.refuse("a.urdf", robot(link("a", "b") + joint("j", "a", "c")), "a.urdf:4:", "no link 'c'")
        self.refuse("a.urdf", robot(link("a", "b", "c") + joint("j", "b", "c") + joint("k", "c", "b")),
                    "a.urdf:3:", "circle")
        self.refuse("a.urdf", robot(link("a", "b", "c") + joint("j", "a", "c") + joint("k", "b", "c")),
                    "a.urdf:6:", "already")
        self.refuse("a.urdf", robot(link("a", "a")), "a.urdf:3:", "second link")
        self.refuse("a.urdf", robot(link("a", "b") + joint("j", "a", "b", "<axis xyz='0 0 0'/>")), "no length")
        self.refuse("a.urdf", robot("<xacro:macro name='x'/>\n" + link("a")), "xacro first")
        whole = (DATA / "buggy.mbs").read_text(encoding="utf-8")
        self.refuse("a.mbs", whole.replace("<bodyname>arm</bodyname><pointname>end</pointname></parent>",
                                           "<bodyname>leg</bodyname><pointname>end</pointname></parent>"),
                    "a.mbs:57:", "no body 'leg'")
        self.refuse("a.mbs", whole.replace("<parent><bodyname>cart</bodyname><pointname>pivot 1",
                                           "<parent><bodyname>wheel</bodyname><pointname>pivot 1"),
                    "circle")
        self.refuse("a.mbs", whole.replace("<pointname>tip</pointname></endpoint1>", "<pointname>no</pointname></endpoint1>"),
                    "no point 'no'", "rocker")
        self.refuse("a.mbs", whole.replace("<type>R2</type>", "<type>R4</type>"), "R4")
        self.refuse("a.mbs", whole.replace("<length>0.2</length>", "<length>-1</length>"), "length above 0")

    def test_numbers_that_are_none(self):
        for bad in ("nan", "inf", "1e999", "0x10", "1,5", "", "1 2 3 4", "1 2", "1 2 x"):
            self.refuse("a.xml", f"<mujoco><worldbody>\n<body pos='{bad}'/></worldbody></mujoco>", "a.xml:2:", "pos")
        self.refuse("a.xml", "<mujoco><worldbody><body quat='0 0 0 0'/></worldbody></mujoco>", "orientation")
        self.refuse("a.xml", "<mujoco><compiler eulerseq='abc'/></mujoco>", "eulerseq")
        self.refuse("a.xml", "<mujoco><worldbody><body><geom size='-1'/></body></worldbody></mujoco>", "negative")
        self.refuse("a.xml", "<mujoco><worldbody><body childclass='no'/></worldbody></mujoco>", "class 'no'")
        self.refuse("a.xml", "<mujoco>\n<include file='b.xml'/></mujoco>", "a.xml:2:", "include")
        self.refuse("a.xml", "<mujoco><worldbody><body name='a'><geom size='1'/></body></worldbody>"
                             "<equality><connect body1='b'/></equality></mujoco>", "no body 'b'")

    def test_texts_of_the_file_do_nothing_to_the_terminal(self):
        text = "<robot name='r'><link name='a&#x9b;31m&#x202e;'/><link name='a&#10;b: c'/></robot>"
        self.take("odd.urdf", text)
        for shown in (self.text, jounce("import", self.path("odd.urdf")).stdout):
            self.assertNotIn("\x9b", shown)
            self.assertNotIn("\u202e", shown)

    def test_what_is_no_model_is_not_written(self):
        text = ("<robot name='r'><link name='base'/><link name='arm'><inertial><mass value='1'/>"
                "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
                "<joint name='j' type='revolute'><parent link='base'/><child link='arm'/><axis xyz='0 1 0'/>"
                "<dynamics damping='-1'/></joint></robot>")
        path, out = self.path("damped.urdf", text), self.path("out.yaml")
        for before in (None, "mine\n"):
            if before:
                Path(out).write_text(before, encoding="utf-8")
            done = jounce("import", path, "-o", out, code=1)
            self.assertIn("damping is -1; it must be at least 0", done.stderr)
            self.assertIn("out.yaml is not written", done.stderr)
            self.assertEqual(Path(out).read_text(encoding="utf-8") if os.path.exists(out) else None, before)

    def test_without_an_output_nothing_is_written(self):
        before = sorted(os.listdir(self.folder.name))
        jounce("import", str(DATA / "arm.urdf"), cwd=self.folder.name)
        self.assertEqual(sorted(os.listdir(self.folder.name)), before)
        jounce("import", self.path("none.urdf"), code=1)
        jounce("import", str(DATA / "arm.urdf"), "-o", self.path("a.txt"), code=2)


if __name__ == "__main__":
    unittest.main()
