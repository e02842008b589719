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
