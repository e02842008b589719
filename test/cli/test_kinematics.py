#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Suspension kinematics of a public car against figures found by another program, derivatives against differences
of the command, and what is refused. Figures: travel in mm, angles in degrees, the left wheel."""
import json
import tempfile
import unittest
from pathlib import Path

from program import jounce

WISHBONE = "test/models/double_wishbone.yaml"
MULTI_LINK = "test/models/multi_link.yaml"
SEDAN = "models/sedan/sedan.yaml"

# travel, toe, camber, W y, contact y, W x, spring, d spring / d travel
BUMP = [
    (-80, 4.2076, 1.1026, -19.739, -26.072, -0.252, 552.988, -0.5206),
    (-60, 2.8664, 0.9174, -12.338, -17.615, -0.027, 542.593, -0.5191),
    (-40, 1.7393, 0.6669, -6.665, -10.504, 0.096, 532.218, -0.5185),
    (-20, 0.7914, 0.3597, -2.583, -4.654, 0.107, 521.848, -0.5186),
    (0, 0, 0, 0, 0, 0, 511.468, -0.5194),
    (20, -0.6494, -0.4111, 1.141, 3.509, -0.231, 501.070, -0.5205),
    (40, -1.1650, -0.8755, 0.871, 5.912, -0.589, 490.644, -0.5221),
    (60, -1.5494, -1.3974, -0.804, 7.241, -1.076, 480.184, -0.5239),
    (80, -1.8007, -1.9841, -3.902, 7.517, -1.695, 469.686, -0.5259)]
# travel, toe, camber, W y, contact y, W x, spring, d spring / d travel, d damper / d travel
REAR = [
    (-80, -0.2003, 1.6346, 2.797, -6.616, 8.844, 334.131, -0.6568, -0.6863),
    (-60, -0.1426, 1.3665, 3.449, -4.421, 6.236, 321.096, -0.6466, -0.6832),
    (-40, -0.0920, 1.0067, 3.188, -2.610, 3.892, 308.270, -0.6358, -0.6802),
    (-20, -0.0454, 0.5526, 2.035, -1.148, 1.812, 295.667, -0.6244, -0.6771),
    (0, 0, 0, 0, 0, 0, 283.302, -0.6120, -0.6738),
    (20, 0.0470, -0.6564, -2.910, 0.870, -1.542, 271.195, -0.5985, -0.6705),
    (40, 0.0981, -1.4234, -6.696, 1.501, -2.810, 259.368, -0.5839, -0.6669),
    (60, 0.1560, -2.3090, -11.365, 1.931, -3.797, 247.849, -0.5678, -0.6632),
    (80, 0.2232, -3.3228, -16.928, 2.199, -4.495, 236.667, -0.5501, -0.6594)]
STEER = [34.4766, 25.3860, 16.7833, 8.3838, 0, -8.5123, -17.2784, -26.4190, -36.0617]
STEER_CAMBER = [4.7840, 3.2531, 1.9648, 0.8838, 0, -0.6806, -1.1389, -1.3440, -1.2516]


def kinematics(path, *args):
    return json.loads(jounce("kinematics", str(path), "--json", *args).stdout)


class Figures(unittest.TestCase):
    def close(self, got, expected, digits):
        for a, b in zip(got, expected, strict=True):
            self.assertAlmostEqual(a, b, delta=0.51 * 10**-digits)

    def test_bump(self):
        k = kinematics(WISHBONE, "--axle", "front", "--points", "9")
        c = k["curves"]
        column = list(zip(*BUMP))
        self.close([1e3 * x for x in k["travel"]], column[0], 6)
        self.close(c["toe"], column[1], 4)
        self.close(c["camber"], column[2], 4)
        for name, i in (("wheel_y", 3), ("contact_y", 4), ("wheel_x", 5), ("spring_l_length", 6)):
            self.close([1e3 * x for x in c[name]], column[i], 3)
        self.close(c["spring_l_ratio"], column[7], 4)
        self.close([c["roll_centre_height"][4]], [0.1625], 4)
        self.close([c["kingpin_inclination"][4], c["caster"][4]], [10.008, 5.377], 3)
        self.close([1e3 * c["scrub_radius"][4], 1e3 * c["caster_trail"][4]], [5.0, 12.2], 1)

    def test_wheels_on_the_rig_do_not_stand_on_the_road(self):
        done = jounce("kinematics", "models/sedan/sedan.yaml", "--axle", "front")
        self.assertEqual(done.stderr, "")
        self.assertNotIn("-0.00000 ", done.stdout)

    def test_bump_of_a_multi_link_axle(self):
        c = kinematics(MULTI_LINK, "--points", "9")["curves"]
        column = list(zip(*REAR))
        self.close(c["toe"], column[1], 4)
        self.close(c["camber"], column[2], 4)
        for name, i in (("wheel_y", 3), ("contact_y", 4), ("wheel_x", 5), ("spring_l_length", 6)):
            self.close([1e3 * x for x in c[name]], column[i], 3)
        self.close(c["spring_l_ratio"], column[7], 4)
        self.close(c["damper_l_ratio"], column[8], 4)
        self.close([c["roll_centre_height"][4]], [0.0401], 4)

    def test_instances_of_a_library_are_the_same_axles(self):
        for axle, path in (("front", WISHBONE), ("rear", MULTI_LINK)):
            car = kinematics("models/sedan/chrono_c.yaml", "--axle", axle)["curves"]
            alone = kinematics(path)["curves"]
            for name in ("toe", "camber", "wheel_x", "wheel_y", "contact_y", "roll_centre_height"):
                self.close(car[name], alone[name], 8)  # loops are closed to 1e-12

    def test_a_wheel_brings_its_radius(self):
        # of a property file, or said again in the axle: the same contact, which is not the centre
        sedan = Path("models/sedan/sedan.yaml").resolve()
        with tempfile.TemporaryDirectory() as folder:
            said = Path(folder, "said.yaml")
            said.write_text(f"jounce: 1\ninclude: {sedan}\naxles: {{front: {{left: {{radius: 0.344}}}}}}\n",
                            encoding="utf-8")
            given, own = (kinematics(p, "--axle", "front", "--points", "3")["curves"]
                          for p in (said, sedan))
        self.close(given["contact_y"], own["contact_y"], 12)
        self.assertGreater(abs(own["contact_y"][2] - own["wheel_y"][2]), 1e-3)

    def test_wheel_force_and_rate_follow_from_the_spring(self):
        # N = -F ds/dz, and its slope; the damping of the springs does not count
        for path, k, free in ((WISHBONE, 73574.10163, 0.613305), (MULTI_LINK, 167062, 0.339)):
            c = kinematics(path, "--from", "-0.041", "--to", "0.041", "--points", "83")["curves"]
            force = [-k * (free - length) * r
                     for length, r in zip(c["spring_l_length"], c["spring_l_ratio"])]
            for a, b in zip(c["wheel_force"], force):
                self.assertAlmostEqual(a, b, delta=1e-9 * abs(force[0]))
            for i in range(2, 81):
                slope = (8 * (force[i + 1] - force[i - 1]) - (force[i + 2] - force[i - 2])) / 12e-3
                self.assertAlmostEqual(c["wheel_rate"][i], slope, delta=1e-7 * slope)

    def test_slopes_at_the_design_position(self):
        c = kinematics(WISHBONE, "--from", "-1e-4", "--to", "1e-4", "--points", "2")["curves"]
        self.assertAlmostEqual((c["toe"][1] - c["toe"][0]) / 2e-4, -35.93, delta=0.006)
        self.assertAlmostEqual((c["camber"][1] - c["camber"][0]) / 2e-4, -19.27, delta=0.006)

    def test_steering(self):
        c = kinematics(WISHBONE, "--motion", "steer", "--points", "9")["curves"]
        self.close(c["steer"], STEER, 4)
        self.close(c["camber"], STEER_CAMBER, 4)

    def test_steering_goes_as_far_as_the_links_do(self):
        # lengths of four rods and of the tie rod, height of the wheel: six equations, solved by another program
        k = kinematics(SEDAN, "--axle", "front", "--motion", "steer", "--from", "0", "--to", "0.08", "--points", "2")
        self.close([k["curves"]["steer"][-1]], [37.54891950], 8)

    def test_the_right_wheel_is_the_mirror_image(self):
        left, right = (kinematics(WISHBONE, "--side", s)["curves"] for s in ("left", "right"))
        for name in ("toe", "camber", "wheel_x", "caster", "kingpin_inclination", "scrub_radius"):
            self.close(left[name], right[name], 12)
        self.close(left["contact_y"], [-y for y in right["contact_y"]], 12)
        steer = kinematics(WISHBONE, "--motion", "steer")["curves"]["steer"]
        other = kinematics(WISHBONE, "--motion", "steer", "--side", "right")["curves"]["steer"]
        self.close(steer, [-x for x in reversed(other)], 10)


class Derivatives(unittest.TestCase):
    NUMBERS = {"hardpoints.UU_l.y": 0.695, "hardpoints.W_l.z": -0.1199, "hardpoints.TU_l.x": -0.15,
               "hardpoints.LU_l.x": 0, "hardpoints.ST_l.z": 0.23, "axles.front.left.radius": 0.33}

    def test_derivatives_are_those_of_the_command(self):
        for motion in ("bump", "roll", "steer"):
            args = ("--motion", motion, "--points", "3")
            found = kinematics(WISHBONE, *args, "--wrt", ",".join(self.NUMBERS))
            for name, value in self.NUMBERS.items():
                h = 1e-4
                at = [kinematics(WISHBONE, *args, "--set", f"{name}={value + k * h!r}")["curves"]
                      for k in (-2, -1, 1, 2)]
                for curve, rows in found["derivatives"].items():
                    for i, exact in enumerate(rows[name]):
                        f = [a[curve][i] for a in at]
                        quotient = (8 * (f[2] - f[1]) - (f[3] - f[0])) / (12 * h)
                        # quotients are rounded by that of the values, some 50 ulps, over the increment
                        noise = 1e-14 * abs(f[1]) / h
                        self.assertAlmostEqual(exact, quotient,
                                               delta=1e-8 * max(1, abs(quotient)) + noise,
                                               msg=f"{motion} {curve} {name}")


LIBRARY = Path("models/library").resolve()

# The left front corner of the sedan: rigid, and with bushes.
CORNER = f"""jounce: 1
include: [{LIBRARY}/four_link_front.yaml%s]
bodies: {{car: {{mass: 1000, inertia: [500, 1000, 1000]}}}}
joints: {{car: {{type: free, child: car}}}}
instances:
  l: {{template: four_link_front, ports: {{body: car, rack: car}}}}
axles:
  front: {{left: {{centre: l.wheel.W, axis: y, radius: 0.344, springs: [l.spring]}}}}
simulation: {{end: 1}}
"""
RIGID, ELASTIC = CORNER % "", CORNER % f", {LIBRARY}/four_link_front_bushes.yaml"

# Its equilibria under loads, found by minimising the energy of bushes and spring in another program: exponential map of
# the upright, two angles of each rod, length of the tie rod as a constraint. [deg], [m]
LOADS = {
    "lateral": (2000, {"toe": 0.112418233524, "camber": -0.175464454001, "wheel_x": 2.34341484718e-05,
                       "wheel_y": 0.000488986505892, "wheel_z": 0.00652193102315, "contact_x": 2.53188785424e-05,
                       "contact_y": 0.0012699095098}),
    "braking": (-2000, {"toe": 0.118749374045, "camber": -0.0329425050305, "wheel_x": -0.000737397624082,
                        "wheel_y": -0.000318345176371, "wheel_z": -0.00573830473693,
                        "contact_x": -0.000737169961235, "contact_y": -0.000393111113171}),
    "traction": (2000, {"toe": 0.0349268288711, "camber": -0.0465381171402, "wheel_x": 0.000489080396619,
                        "wheel_y": 2.7741032282e-05, "wheel_z": 0.000610098215326, "contact_x": 0.000489068463923,
                        "contact_y": 3.46025876636e-05}),
    "aligning": (100, {"toe": 0.0173282438263, "camber": -0.0403057595813, "wheel_x": 2.96226216288e-06,
                       "wheel_y": -3.31045865908e-05, "wheel_z": 0.000168124980691, "contact_x": 2.85319056279e-06,
                       "contact_y": -6.36616344878e-05})}

# An arm across the car on two bushes, 0.2 m before and behind its wheel.
ARM = """jounce: 1
parameters: {kx: 8.0e5, ky: 5.0e6, kz: 3.0e6, L: 0.4, a: 0.2, r: 0.3}
hardpoints: {F: [a, 0, 0], B: [-a, 0, 0], W: [0, L, 0]}
bodies:
  car: {mass: 1000, inertia: [500, 1000, 1000]}
  arm: {mass: 20, com: [0, 0.3, 0], inertia: [1, 1, 1]}
joints:
  car: {type: free, child: car}
  arm: {type: free, parent: car, child: arm}
bushes:
  front: {between: [car.F, arm.F], stiffness: [kx, ky, kz]}
  back: {between: [car.B, arm.B], stiffness: [kx, ky, kz]}
axles:
  rear: {left: {centre: arm.W, axis: y, radius: r}}
simulation: {end: 1}
"""


class Compliance(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def model(self, text):
        path = self.folder / "model.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    def near(self, got, expected, part, what):
        self.assertAlmostEqual(got, expected, delta=part * abs(expected) + 1e-18, msg=what)

    def test_an_arm_on_two_bushes(self):
        kx, ky, kz, L, a, r = 8e5, 5e6, 3e6, 0.4, 0.2, 0.3
        deg = 180 / 3.141592653589793
        # wheel held at its height by N at its centre: N = -r/L of a side force, which the bushes feel
        lean = r / (2 * kz * L**2)
        turn = 1 / (2 * ky * a**2)
        expected = {
            "lateral": {"toe": 0, "camber": -deg * lean, "wheel_y": 1 / (2 * ky), "wheel_z": 0,
                        "contact_y": 1 / (2 * ky) + r * lean},
            "braking": {"toe": deg * L * turn, "camber": 0, "wheel_x": 1 / (2 * kx) + L**2 * turn},
            "traction": {"toe": deg * L * turn, "wheel_x": 1 / (2 * kx) + L**2 * turn},
            "aligning": {"toe": -deg * turn, "steer": deg * turn, "wheel_x": -L * turn, "camber": 0}}
        slope = {"braking": ("wheel_x", "ky", -L**2 * turn / ky), "lateral": ("camber", "kz", deg * lean / kz),
                 "aligning": ("toe", "a", 2 * deg * turn / a)}
        for motion, values in expected.items():
            found = kinematics(self.model(ARM), "--motion", motion, "--height", "held", "--points", "1", "--from", "0",
                               "--wrt", "ky,kz,a")
            self.assertTrue(found["elastic"])
            for name, x in values.items():
                self.assertAlmostEqual(found["compliances"][name], x, delta=1e-11 * abs(x) + 1e-18, msg=(motion, name))
            if motion in slope:
                curve, number, x = slope[motion]
                self.near(found["compliance_derivatives"][curve][number], x, 1e-8, motion)
        # free, it turns about the line of its bushes
        said = jounce("kinematics", str(self.model(ARM)), "--motion", "lateral", code=1).stderr
        self.assertIn("nothing holds", said)

    def test_loads_at_the_corner_of_a_sedan(self):
        path = self.model(ELASTIC)
        for motion, (load, values) in LOADS.items():
            c = kinematics(path, "--motion", motion, "--points", "2", "--from", "0", "--to", str(load))["curves"]
            for name, x in values.items():
                self.near(c[name][1], x, 1e-9, (motion, name))
        c = kinematics(path, "--points", "1", "--from", "0")["curves"]
        self.near(c["toe"][0], 0.03831462880740, 1e-10, "toe")
        self.near(c["wheel_force"][0], 2827.7575381749, 1e-12, "force that holds the wheel")

    def test_stiff_bushes_are_ball_joints(self):
        args = ("--points", "3", "--from", "-0.04", "--to", "0.06")
        rigid = kinematics(self.model(RIGID), *args)["curves"]
        path = self.model(ELASTIC)
        found = [kinematics(path, *args, "--set", "l.twist=0", "--set", f"l.factor={f}")["curves"]
                 for f in (100, 1000)]
        self.assertEqual(list(rigid), list(found[0]))
        for name, values in rigid.items():
            for x, soft, hard in zip(values, *(f[name] for f in found)):
                if abs(soft - x) > 1e-9 * max(1, abs(x)):
                    self.assertAlmostEqual((soft - x) / (hard - x), 10, delta=0.1, msg=name)

    def test_rigid_links_give_way_by_springs_alone(self):
        path = self.model(RIGID)
        free, held = (kinematics(path, "--motion", "lateral", "--points", "1", "--height", h)
                      for h in ("free", "held"))
        self.assertFalse(free["elastic"])
        # a side force lifts the wheel by the slope of its contact, against the wheel rate
        bump = kinematics(path, "--points", "3", "--from", "-1e-4", "--to", "1e-4")["curves"]
        slope = (bump["contact_y"][2] - bump["contact_y"][0]) / 2e-4
        self.near(free["compliances"]["wheel_z"], slope / bump["wheel_rate"][1], 1e-6, "jacking")
        for name, x in held["compliances"].items():
            self.assertLess(abs(x), 1e-15, name)
        said = jounce("kinematics", str(path), "--motion", "lateral", "--points", "1").stdout
        self.assertIn("links are rigid", said)

    def test_opposed_loads_are_mirror_images(self):
        args = ("--axle", "front", "--motion", "braking", "--points", "1", "--opposed")
        sedan = Path("models/sedan/sedan_bushes.yaml")
        left, right = (kinematics(sedan, *args, "--from", "1500", "--side", s)["curves"] for s in ("left", "right"))
        other = kinematics(sedan, *args, "--from", "-1500", "--side", "right")["curves"]
        self.near(left["toe"][0], other["toe"][0], 1e-9, "toe")
        self.assertNotAlmostEqual(left["toe"][0], right["toe"][0], 4)

    def test_derivatives_are_those_of_the_command(self):
        path = self.model(ELASTIC)
        numbers = {"hardpoints.l.A3.y": (0.38, 1e-4), "hardpoints.l.W.z": (0, 1e-4), "l.strut_radial": (5e6, 1e4),
                   "l.spring_rate": (32000, 32)}
        for args in (("--motion", "bump", "--from", "0.03"), ("--motion", "lateral", "--from", "1200"),
                     ("--motion", "aligning", "--from", "80", "--height", "held")):
            args += ("--points", "1")
            found = kinematics(path, *args, "--wrt", ",".join(numbers))
            for number, (value, h) in numbers.items():
                at = [kinematics(path, *args, "--set", f"{number}={value + k * h!r}") for k in (-2, -1, 1, 2)]
                pairs = [(c, rows[number][0], [a["curves"][c][0] for a in at],
                          57.3 if found["units"][c] == "deg" else 1)
                         for c, rows in found["derivatives"].items()]
                pairs += [(c, d[number], [a["compliances"][c] for a in at],
                           57.3e-3 if found["units"][c] == "deg" else 1e-3)
                          for c, d in found.get("compliance_derivatives", {}).items()]
                for curve, exact, f, least in pairs:
                    quotient = (8 * (f[2] - f[1]) - (f[3] - f[0])) / (12 * h)
                    # rounding of the values, of radians and metres, 50 ulps, over the increment; the derivative of the rate
                    # is a difference, too
                    noise = (1e-12 if curve == "wheel_rate" else 1e-14) * max(abs(f[1]), least) / h
                    self.assertAlmostEqual(exact, quotient, delta=1e-8 * abs(quotient) + noise,
                                           msg=f"{args} {curve} {number}")

    def test_the_sheet_of_an_axle(self):
        page = self.folder / "sheet.html"
        jounce("kinematics", str(self.model(ELASTIC)), "--points", "3", "-o", str(page), "--quiet")
        text = page.read_text(encoding="utf-8")
        for word in ("Bump steer", "Roll centre", "Wheel rate", "Toe by lateral force", "wheel x"):
            self.assertIn(word, text)
        self.assertNotIn("Ackermann", text)  # it has no rack
        table = self.folder / "table.csv"
        jounce("kinematics", str(self.model(ELASTIC)), "--motion", "aligning", "-o", str(table), "--quiet")
        names, units = [line for line in table.read_text(encoding="utf-8").splitlines() if line[0] != "#"][:2]
        self.assertTrue(names.startswith("load,toe,") and units.startswith("N m,deg,"), (names, units))

    def test_what_is_refused(self):
        path = str(self.model(RIGID))
        self.assertIn("are for loads", jounce("kinematics", path, "--opposed", code=2).stderr)
        said = jounce("kinematics", path, "--points", "100000", "--wrt", "all", "--set", "simulation.max_memory=50",
                      code=1).stderr
        self.assertRegex(said, "100000 positions of [0-9]+ curves with derivatives with respect to [0-9]+ parameters would take .* MB, "
                               "more than the limit of 50 MB")


class Refusals(unittest.TestCase):
    def refused(self, text, *args, code=1, change=lambda t: t):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "model.yaml")
            path.write_text(change(Path(WISHBONE).read_text(encoding="utf-8")), encoding="utf-8")
            self.assertIn(text, jounce("kinematics", str(path), *args, code=code).stderr)

    def test_mistakes_are_told(self):
        self.refused("no axle is named 'rear'", "--axle", "rear")
        self.refused("--points needs", "--points", "0", code=2)
        self.refused("no force, tyre or other element is named 'spring_x'; did you mean 'spring_l'",
                     change=lambda t: t.replace("springs: [spring_l]", "springs: [spring_x]"))
        self.refused("radius is missing", change=lambda t: t.replace("radius: 0.33, ", "", 1))
        self.refused("kingpin needs 2 points", change=lambda t: t.replace("upright_l.LU_l, ", "", 1))
        self.refused("unknown key 'rak'", change=lambda t: t.replace("rack: rack\n", "rak: rack\n"))
        self.refused("does not steer", "--motion", "steer",
                     change=lambda t: t.replace("    rack: rack\n", ""))
        self.refused("the model has no axles",
                     change=lambda t: t[:t.index("axles:")] + t[t.index("simulation:"):])

    def test_positions_out_of_reach_are_refused(self):
        self.refused("a travel of -2 m cannot be reached", "--from", "-2", "--to", "2", "--points", "2")


if __name__ == "__main__":
    unittest.main()
