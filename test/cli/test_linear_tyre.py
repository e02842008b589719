#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Laws of the linear tyre with a relaxation length: steady forces are those without it, slips follow over that length,
a braked body comes to rest on a slope and stays, a driven one leaves it; energy; derivatives."""
import json
import math
import os
import subprocess
import unittest
from pathlib import Path

from case import Case
from program import PROGRAM, jounce

# A wheel that is guided: speed, height, steering and rotation are given.
RIG = """
jounce: 1
name: rig
parameters: {v: 20, steer: 0.04, omega: 70, sigma: 0.4}
bodies:
  carriage: {mass: 1}
  slider: {mass: 1}
  knuckle: {mass: 1, inertia: [1, 1, 1, 0, 0, 0]}
  wheel: {mass: 20, inertia: [1, 2, 1, 0, 0, 0]}
  free: {mass: 1}
joints:
  carriage: {type: prismatic, child: carriage, axis: x, drive: v*t}
  slider: {type: prismatic, parent: carriage, child: slider, axis: z, drive: 0.28}
  knuckle: {type: revolute, parent: slider, child: knuckle, axis: z, drive: steer}
  wheel: {type: revolute, parent: knuckle, child: wheel, axis: y, drive: omega*t}
  free: {type: prismatic, child: free, axis: z}
tyres:
  w: {wheel: wheel, radius: 0.3, stiffness: 2e5, kappa_c: 0.1, alpha_c: 0.1, mu_x: 0.9, mu_y: 0.8 EXTRA}
sensors: {fx: w.fx, fy: w.fy, fz: w.fz, kappa: w.kappa, alpha: w.alpha}
simulation: {end: 1, output_step: 0.01, rel_tol: 1e-10, abs_tol: 1e-12}
"""

# A body on a wheel, along a slope.
BODY = """
jounce: 1
name: body
parameters: {v0: 4, slope: 0.1, mu: 0.9, m: 400, torque: 400, kc: 0.1, sigma: 0.3}
bodies:
  carriage: {mass: 0.1}
  body: {mass: m}
  wheel: {mass: 20, inertia: [1, 2, 1, 0, 0, 0]}
joints:
  x: {type: prismatic, child: carriage, axis: x}
  z: {type: prismatic, parent: carriage, child: body, axis: z}
  wheel: {type: revolute, parent: body, child: wheel, axis: y DRIVE}
tyres:
  w: {wheel: wheel, radius: 0.3, stiffness: 2e5, damping: 5000, kappa_c: kc, alpha_c: 0.1, mu_x: mu, mu_y: mu RELAXES}
road: slope*x
"""

BUGGY = """
jounce: 1
name: stop
include: VEHICLE
parameters: {speed: 4, wheel_speed: 13.5, brake: 150, sigma: 0.3, grade: 0.05, kappa_c: 0.1}
templates:
  front: {tyres: {tyre: {relaxation: sigma}}, forces: {brakes: {on: wheel, torque: -brake*tanh(rate/0.05)}}}
  rear: {tyres: {tyre: {relaxation: sigma}}, forces: {brakes: {on: wheel, torque: -brake*tanh(rate/0.05)}}}
road: grade*ALONG
objectives: {v: {final: sqrt(chassis.com.vx^2 + chassis.com.vy^2)}, x: {final: chassis.com.x}}
simulation: {end: 6, output_step: 0.1, rel_tol: 1e-6, abs_tol: 1e-6, method: auto}
"""


class Rig(Case):
    def test_steady_forces_are_those_without_relaxation(self):
        for reading in "AB":
            for steer, omega in ((0.04, 70), (-0.02, 73), (0.3, 60), (0.0, 100)):
                options = ("--set", f"steer={steer}", "--set", f"omega={omega}")
                plain = self.rows(RIG.replace("EXTRA", f", reading: {reading}"), *options)
                run = self.rows(RIG.replace("EXTRA", f", reading: {reading}, relaxation: sigma"), *options)
                for name in ("fx", "fy", "fz", "kappa", "alpha"):
                    self.assertAlmostEqual(run[name][-1], plain[name][-1], delta=1e-9 * 4000,
                                           msg=f"{reading} {steer} {omega} {name}")

    def test_slips_follow_over_the_length(self):
        run = self.rows(RIG.replace("EXTRA", ", relaxation: sigma"), "--set", "steer=1e-4", "--set",
                        f"omega={20 / 0.28!r}")
        slip = 1e-4
        for i, a in enumerate(run["alpha"][:40]):
            # small, where the length is the whole of it: its part is 1 - 1e-6
            want = slip * (1 - math.exp(-20 * 0.01 * i / 0.4))
            self.assertAlmostEqual(a / slip, want / slip, delta=1e-5)

    def test_forces_at_crawl(self):
        # between standstill and low speed slips end where they do at speed
        for v in (3.0, 10.0):
            text = RIG.replace("EXTRA", ", relaxation: sigma").replace("end: 1", "end: 5")
            run = self.rows(text, "--set", f"v={v}", "--set", f"omega={v * 1.02 / 0.28}")
            self.assertAlmostEqual(run["fx"][-1], 0.9 * 4000 * (1.02 / math.cos(0.04) - 1) / 0.1,
                                   delta=1e-8 * 4000)


class Brush(Case):
    """Both directions share the friction; slopes at zero slip are three times those of the linear law."""

    @staticmethod
    def law(kappa, alpha):
        x, y = kappa / 0.1, math.tan(alpha) / math.tan(0.1)
        rho = math.hypot(x, y)
        part = 3 - 3 * rho + rho * rho if rho < 1 else 1 / rho
        return x * part, y * part

    def test_forces_are_those_of_the_law(self):
        pure = {}
        for steer, slip in ((0.0, 1.0), (0.02, 1.0), (0.02, 1.03), (-0.05, 0.97), (0.0, 1.05), (0.09, 1.09), (0.3, 0.7), (0.0, 1.5)):
            run = self.rows(RIG.replace("EXTRA", ", law: brush"), "--set", f"steer={steer}", "--set", f"omega={20 * slip / 0.28!r}")
            x, y = self.law(run["kappa"][-1], run["alpha"][-1])
            self.assertAlmostEqual(run["fx"][-1], 0.9 * run["fz"][-1] * x, delta=1e-8, msg=(steer, slip))
            self.assertAlmostEqual(run["fy"][-1], 0.8 * run["fz"][-1] * y, delta=1e-8, msg=(steer, slip))
            self.assertLess((run["fx"][-1] / 0.9)**2 + (run["fy"][-1] / 0.8)**2, run["fz"][-1]**2 * (1 + 1e-12))
            pure[steer, slip] = run["fy"][-1]
        self.assertEqual(pure[0.0, 1.0], 0)
        self.assertLess(pure[0.02, 1.03], pure[0.02, 1.0])  # what drives takes from what steers

    def test_derivatives_through_sliding(self):
        text = RIG.replace("EXTRA", ", law: brush").replace("drive: steer", 'drive: "steer*t"').replace("steer: 0.04", "steer: 0.3") + \
            "objectives: {x: {integral: w.fx, nominal: 4000}, y: {integral: w.fy, nominal: 4000}}\n"
        for more in "", ", relaxation: sigma":
            path = self.path("m.yaml", text.replace("law: brush", "law: brush" + more))
            wrt = "v,steer,omega,tyres.w.kappa_c,tyres.w.alpha_c,tyres.w.mu_x,tyres.w.mu_y"
            self.assertIn("all agree", jounce("sens", path, "--check", "--wrt", wrt, "--tol", "1e-9").stdout)

    def test_a_braked_body_comes_to_rest_on_a_slope(self):
        text = Standstill().text(", drive: 0", Standstill.START, "sensors: {fx: w.fx, fz: w.fz, speed: x.rate}",
                                 "simulation: {end: 6, output_step: 0.01}", relaxes=", law: brush, relaxation: sigma")
        run = self.rows(text)
        self.assertLess(abs(run["speed"][-1]), 1e-6)
        self.assertAlmostEqual(run["fx"][-1], 0.1 * run["fz"][-1], delta=1e-6 * 4000)

    def test_unknown_laws_are_rejected(self):
        path = self.path("m.yaml", RIG.replace("EXTRA", ", law: magic"))
        self.assertIn("law is 'magic'; it must be linear or brush", jounce("check", path, code=1).stderr)


class Standstill(Case):
    START = "initial: {x: {value: 0, rate: v0}, z: {value: 0.285, rate: slope*v0}}"

    def text(self, drive, *more, relaxes=", relaxation: sigma"):
        return BODY.replace("DRIVE", drive).replace("RELAXES", relaxes) + "\n".join(more)

    def braked(self, tol="1e-8", **more):
        return self.text(", drive: 0", self.START, "sensors: {fx: w.fx, fz: w.fz, speed: x.rate, slip: w.kappa}",
                         "objectives: {where: {final: x}}",
                         f"simulation: {{end: 6, output_step: 0.01, rel_tol: {tol}, abs_tol: {tol}}}", **more)

    def test_a_braked_body_comes_to_rest_on_a_slope(self):
        run = self.rows(self.braked())
        weight = 420.1 * 9.81
        self.assertLess(abs(run["speed"][-1]), 1e-6)
        self.assertLess(abs(run["x"][-1] - run["x"][-101]), 1e-6)
        self.assertAlmostEqual(run["fx"][-1], 0.1 * run["fz"][-1], delta=1e-6 * weight)
        self.assertAlmostEqual(run["fz"][-1], (weight - 0.1 * 9.81) / math.hypot(1, 0.1), delta=1e-3 * weight)
        # at rest the patch is a spring: the slip is what the load asks for
        self.assertAlmostEqual(run["slip"][-1], 0.1 * 0.1 / 0.9, delta=1e-6)
        # it slides as friction has it, and swings back by what the tyre gives: up to sigma kc = 3 cm where forces bend,
        # and a little more
        self.assertLess(abs(max(run["x"]) - 16 / (2 * 9.81 * (0.9 + 0.1))), 0.05)
        self.assertLess(max(run["x"]) - run["x"][-1], 0.045)
        # locked, and held
        self.assertLess(self.report.count(" s  "), 5)

    def test_without_relaxation_the_run_ends_there(self):
        done = jounce("run", self.path("m.yaml", self.braked(relaxes="")), "--interpreter", code=1)
        self.assertIn("its wheel stands on the ground at t = 0.4", done.stderr)
        self.assertIn("no force at standstill: start with a speed, or end the run before it stops; a tyre "
                      "with 'relaxation' holds", done.stderr)

    def test_derivatives_of_where_it_stops(self):
        path = self.path("m.yaml", self.braked("1e-11"))
        names = ("v0", "slope", "mu", "m", "kc", "sigma", "tyres.w.low_speed", "tyres.w.damping_time",
                 "tyres.w.stiffness")
        out = json.loads(jounce("sens", path, "--interpreter", "--wrt", ",".join(names), "--check", "--json",
                                "--quiet").stdout)
        for name in names:
            p = out["check"]["where"][name]
            self.assertTrue(p["agrees"], name)
            # both walk the same steps; differences of runs at 1e-12
            self.assertAlmostEqual(p["direct"] / p["adjoint"], 1, delta=1e-12, msg=name)
            self.assertAlmostEqual(p["direct"] / p["difference"], 1, delta=1e-8, msg=name)

    def test_a_body_drives_off_up_a_slope(self):
        text = self.text(
            "", "initial: {z: {value: 0.28, rate: 0}}", "forces: {motor: {on: wheel, torque: drive}}",
            "signals: {drive: torque*(1 - exp(-t))}",
            "states: {work: {derivative: w.power + drive*wheel.rate}}",
            "sensors: {fx: w.fx, speed: x.rate, done: work}",
            "simulation: {end: 6, output_step: 0.01, rel_tol: 1e-10, abs_tol: 1e-10}")
        # the second spins its wheel
        for torque, slope in ((400, 0.1), (3000, 0.0)):
            run = self.rows(text, "--set", f"torque={torque}", "--set", f"slope={slope}")
            self.assertGreater(run["speed"][-1], 2.0)
            e = [k + p - w for k, p, w in zip(run["energy.kinetic"], run["energy.potential"], run["done"])]
            self.assertLess(max(e) - min(e), 1e-6 * max(run["energy.kinetic"]))
            self.assertLess(self.report.count(" s  "), 20)

    def test_static_equilibrium_is_without_friction(self):
        text = self.text("", "initial: {z: {value: 0.28, rate: 0}}", "sensors: {fx: w.fx, fz: w.fz}")
        out = json.loads(jounce("static", self.path("m.yaml", text), "--json", "--quiet", "--set",
                                "slope=0").stdout)
        self.assertEqual(out["sensors"]["fx"], 0.0)
        self.assertAlmostEqual(out["sensors"]["fz"], 420 * 9.81, delta=1e-6)

    def test_it_lands_at_rest(self):
        text = self.text("", "initial: {z: {value: 0.5, rate: 0}}",
                         "sensors: {fx: w.fx, fz: w.fz, speed: x.rate}", "simulation: {end: 3, output_step: 0.01}")
        run = self.rows(text, "--set", "slope=0")
        self.assertEqual(run["fz"][0], 0.0)
        self.assertEqual(run["speed"][-1], 0.0)
        self.assertAlmostEqual(run["fz"][-1], 420 * 9.81, delta=1)


class Buggy(Case):
    def stop(self, along, *initial):
        vehicle = os.path.abspath("models/buggy/vehicle.yaml")
        text = BUGGY.replace("VEHICLE", vehicle).replace("ALONG", along) + "\n".join(initial)
        done = jounce("run", self.path("b.yaml", text), "--interpreter", "--json", "--quiet", "--set",
                      "c_m=1000")
        return json.loads(done.stdout)

    def test_it_brakes_and_stands_on_a_slope(self):
        out = self.stop("x", "initial: {chassis.pitch: {value: -atan(grade)}}")
        # brakes creep: torque of the slope over their slope, times the radius
        weight = sum(out["final"][f"load_{k}"] for k in ("fr", "fl", "rr", "rl"))
        creep = 0.05 * weight / 4 * 0.3 / (150 / 0.05) * 0.3
        self.assertAlmostEqual(out["objectives"]["v"], creep, delta=0.2 * creep)
        self.assertLess(len(out["events"]), 60)

    def test_it_stands_across_a_slope(self):
        out = self.stop("y", "initial: {chassis.roll: {value: atan(grade)}}")
        self.assertLess(out["objectives"]["v"], 1e-3)


# A car of two wheels on an axle; of what differs there are several.
AXLE = """
jounce: 1
parameters: {height: 0.3}
bodies:
  car: {mass: 100, inertia: [9, 9, 9]}
  l: {mass: 10, LEFT inertia: [0.5, 1, 0.5]}
  r: {mass: 10, com: [1, -0.7, height], inertia: [0.5, 1, 0.5]}
joints:
  car: {type: free, child: car}
  l: {type: revolute, parent: car, child: l, at: [1, 0.7, height], axis: y}
  r: {type: revolute, parent: car, child: r, at: [1, -0.7, height], axis: y}
tyres:
  left: {wheel: l, CENTRE radius: 0.3, stiffness: 1e5, kappa_c: 0.1, alpha_c: 0.1, mu_x: 1, mu_y: 1}
  right: {wheel: r, centre: [1, -0.7, height], radius: 0.3, stiffness: 1e5, kappa_c: 0.1, alpha_c: 0.1, mu_x: 1, mu_y: 1}
initial: {car.z: 0, car.x: {value: 0, rate: 5}}
objectives: {z: {final: car.z}}
simulation: {end: 0.001}
"""
CENTRE = "centre: [1, 0.7, height],"

# Two wheels that are `TRACK` apart, with bodies that have frames of their own.
CYCLE = """
jounce: 1
bodies:
  frame: {mass: 100, inertia: [9, 9, 9]}
  a: {mass: 10, frame: {origin: [0, 0, 0.3]}, inertia: [0.5, 1, 0.5]}
  b: {mass: 10, frame: {origin: [1, TRACK, 0.3]}, inertia: [0.5, 1, 0.5]}
joints:
  frame: {type: free, child: frame}
  a: {type: revolute, parent: frame, child: a, at: [0, 0, 0.3], axis: y}
  b: {type: revolute, parent: frame, child: b, at: [1, TRACK, 0.3], axis: y}
tyres:
  ta: {wheel: a, radius: 0.3, stiffness: 1e5, kappa_c: 0.1, alpha_c: 0.1, mu_x: 1, mu_y: 1MORE}
  tb: {wheel: b, radius: 0.3, stiffness: 1e5, kappa_c: 0.1, alpha_c: 0.1, mu_x: 1, mu_y: 1MORE}
"""


HUB = """
jounce: 1
hardpoints: {at: CENTRE}
bodies:
  car: {mass: 300, inertia: [50, 100, 120], com: [0, 0, 0.5]}
  hub: {mass: 5, com: [0, 0.7, 0.3], inertia: [0.1, 0.1, 0.1]}
  wheel: {mass: 20, com: [0, 0.7, 0.3], inertia: [0.5, 0.9, 0.5]}
joints:
  car: {type: free, child: car}
  spin: {type: revolute, parent: car, child: hub, at: [0, 0.7, 0.3], axis: y}
  weld: {type: fixed, parent: hub, child: wheel}
tyres: {w: {wheel: wheel, centre: wheel.at, axis: AXIS, radius: 0.3, stiffness: 2e5, kappa_c: 0.1, alpha_c: 0.1, mu_x: 1, mu_y: 1}}
simulation: {end: 0.1}
"""


class Geometry(Case):
    def said(self, text, *command):
        return jounce(*(command or ("check",)), self.path("m.yaml", text)).stderr

    def test_no_alarm_about_the_models(self):
        found = sorted(Path("models").rglob("*.yaml"))
        self.assertGreater(len(found), 50)
        for path in found:
            said = subprocess.run([PROGRAM, "check", str(path)], capture_output=True, text=True, check=False).stderr
            for words in ("off the axis", "degrees off", "in one track", "no body has", "at the start it is deflected"):
                self.assertNotIn(words, said, path)

    def test_a_bicycle_on_tyres_of_upright_wheels(self):
        text = Path("models/vehicles/bicycle/vehicle.yaml").read_text(encoding="utf-8")
        said = self.said(text.replace(", relaxation: 0.1", ""))
        self.assertEqual(said.count("all wheels are in one track"), 2)
        self.assertIn("'relaxation'", said)

    def test_one_track_is_seen_in_any_frame(self):
        for track, more, expected in (("0", "", 2), ("1.5", "", 0), ("0", ", relaxation: 0.1", 0)):
            said = self.said(CYCLE.replace("TRACK", track).replace("MORE", more))
            self.assertEqual(said.count("all wheels are in one track"), expected, said)
            self.assertNotIn("off the axis", said)

    def test_what_leans_a_wheel_is_seen_in_any_joints(self):
        # the position, and which way it turns; what is driven does not turn it
        chains = {"roll: {type: revolute, parent: pitch, child: frame, axis: x}": 2,
                  "roll: {type: cylindrical, parent: pitch, child: frame, axis: x}": 2,
                  "roll: {type: spherical, parent: pitch, child: frame, axis: x}": 2,
                  "roll: {type: revolute, parent: pitch, child: frame, axis: x, drive: 0.01*t}": 0,
                  "roll: {type: revolute, parent: pitch, child: frame, axis: y}": 0,
                  "roll: {type: prismatic, parent: pitch, child: frame, axis: x}": 0}
        for roll, expected in chains.items():
            text = CYCLE.replace("TRACK", "0").replace("MORE", "")
            text = text.replace("bodies:\n", "bodies:\n  px: {mass: 1}\n  pz: {mass: 1}\n  yaw: {mass: 1, inertia: [1, 1, 1]}\n  pitch: {mass: 1, inertia: [1, 1, 1]}\n")
            text = text.replace("  frame: {type: free, child: frame}\n", f"""  px: {{type: prismatic, child: px, axis: x}}
  pz: {{type: prismatic, parent: px, child: pz, axis: z}}
  yaw: {{type: revolute, parent: pz, child: yaw, axis: z}}
  pitch: {{type: revolute, parent: yaw, child: pitch, axis: y}}
  {roll}
""")
            if "spherical" in roll:
                text = text.replace(", axis: x}\n  a:", "}\n  a:")
            said = self.said(text)
            self.assertEqual(said.count("all wheels are in one track"), expected, (roll, said))

    def test_a_wheel_off_its_axis(self):
        plain = AXLE.replace("LEFT", "com: [1, 0.7, height],")
        # by default the origin of the body, which is that of the vehicle here: at ground level
        said = self.said(plain.replace("CENTRE", ""))
        self.assertIn("m.yaml:13: tyre 'left': its centre is 1.044 m off the axis of joint 'l'", said)
        self.assertEqual(said.count("warning"), 1)
        self.assertNotIn("'right'", said)
        # anywhere on the axis it is fine
        for y in ("0.7", "0.9"):
            said = self.said(plain.replace("CENTRE", f"centre: [1, {y}, height],"))
            self.assertEqual(said, "")
        # the body has a frame, and the centre is given in that of the vehicle
        said = self.said(AXLE.replace("LEFT", "frame: {origin: [1, 0.7, 0.25]},").replace("CENTRE", ""))
        self.assertIn("tyre 'left': its centre is 0.05 m off the axis of joint 'l'", said)

    def test_a_tyre_askew_to_its_joint(self):
        plain = AXLE.replace("LEFT", "com: [1, 0.7, height],").replace("CENTRE", CENTRE)
        joint = next(line for line in plain.splitlines() if line.strip().startswith("l: {type: revolute"))
        self.assertIn("axis: y", joint)
        for axis, off in (("[0.3, 1, 0]", "16.7 degrees"), ("[0, 1, -0.01]", "0.573 degrees"), ("x", "90 degrees"), ("[0, -1, 0.001]", ""),
                          ("[0, -1, 0]", "")):
            text = plain.replace(joint, joint.replace("axis: y", f"axis: {axis}"))
            for command in (("check",), ("run",), ("sens", "--wrt", "height")):
                said = self.said(text, *command)
                self.assertEqual(said.count("m.yaml:13: tyre 'left': its axis is"), 1 if off else 0, said)
                self.assertIn(f"its axis is {off} off that of joint 'l'" if off else "", said)
                self.assertNotIn("tyre 'right'", said)

    def test_a_wheel_that_is_fixed_to_its_hub(self):
        """Wheel and hub are two bodies: the joint that it spins in is that of the hub."""
        for centre, axis, words in (("[0, 0.7, 0.3]", "y", ()), ("[0.1, 0.7, 0.3]", "y", ("0.1 m off the axis of joint 'spin'",)),
                                    ("[0, 0.7, 0.3]", "[0.3, 1, 0]", ("16.7 degrees off that of joint 'spin'",))):
            said = self.said(HUB.replace("CENTRE", centre).replace("AXIS", axis))
            self.assertEqual(said.count("warning"), len(words), said)
            for word in words:
                self.assertIn(word, said)

    def test_a_wheel_below_the_ground_at_the_start(self):
        text = AXLE.replace("LEFT", "com: [1, 0.7, height],").replace("CENTRE", CENTRE)
        deep = text.replace("car.z: 0", "car.z: -0.4")
        for command in (("check",), ("run",), ("sens", "--wrt", "height"), ("modes",)):
            said = self.said(deep, *command)
            for line, wheel in ((13, "left"), (14, "right")):
                start = f"m.yaml:{line}: tyre '{wheel}': at the start it is deflected by 0.4 m of its radius of 0.3 m"
                self.assertEqual(said.count(start), 1, said)
            self.assertIn("0.1 m below the road", said)
            self.assertIn("(initial)", said)
        # as much as a tyre gives way, and where it comes to rest at the start
        self.assertEqual(self.said(text.replace("car.z: 0", "car.z: -0.08")), "")


class Mistakes(Case):
    def refused(self, extra, *parts):
        done = jounce("check", self.path("m.yaml", RIG.replace("EXTRA", extra)), code=1)
        for part in ("m.yaml:", "tyre 'w'", *parts):
            self.assertIn(part, done.stderr)

    def test_what_is_refused(self):
        self.refused(", relaxation: 0", "relaxation")
        self.refused(", relaxation: 0.3, low_speed: 0", "low_speed")
        self.refused(", relaxation: 0.3, damping_time: -1", "damping_time")
        self.refused(", low_speed: 1", "low_speed: it is of a tyre with 'relaxation'")
        self.refused(", damping_time: 0.1", "damping_time: it is of a tyre with 'relaxation'")
        self.refused(", relaxatoin: 0.3", "unknown key 'relaxatoin'; did you mean 'relaxation'?")


if __name__ == "__main__":
    unittest.main()
