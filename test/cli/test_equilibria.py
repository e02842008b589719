#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Static equilibria are found wherever a damped model comes to rest: however a condition is written, on stops, under other
loads and from other starts; those that are unstable are reported."""
import json
import math
import re
import os
import tempfile
import unittest
from pathlib import Path

import case
from program import jounce

MODELS = Path("models").resolve()
CAR = str(MODELS / "starters/car.yaml")
VEHICLES = ["car/driven.yaml", "sedan/sedan.yaml", "starters/car.yaml", "tracked/bump.yaml", "buggy/vehicle.yaml",
            "vehicles/bus/vehicle.yaml", "vehicles/forklift/vehicle.yaml", "vehicles/formula_student/vehicle.yaml",
            "vehicles/six_wheeler/vehicle.yaml", "vehicles/tractor_semitrailer/vehicle.yaml",
            "vehicles/truck/vehicle.yaml", "vehicles/bogie/vehicle.yaml",
            "vehicles/quarter_cars/double_wishbone.yaml", "vehicles/quarter_cars/mcpherson.yaml",
            "vehicles/quarter_cars/twist_beam.yaml"]

PENDULUM = """
jounce: 1
name: rod
bodies:
  rod: {mass: 1, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.1]}
joints:
  hinge: {type: revolute, parent: ground, child: rod, at: [0, 0, 0], axis: [0, -1, 0], guess: GUESS}
forces:
  spring: {on: hinge, torque: "-stiff*hinge - cubic*hinge^3", damping: 0.3}
parameters: {stiff: STIFF, cubic: CUBIC}
initial: {hinge: {rate: RATE}}
sensors: {angle: {value: hinge}}
objectives: {end: {final: hinge}}
simulation: {end: 1, start_at: static}
"""


def settings(pairs):
    return [word for name, value in pairs.items() for word in ("--set", f"{name}={value!r}")]


def find(path, **pairs):
    return json.loads(jounce("static", str(path), "--interpreter", "--quiet", "--json", *settings(pairs)).stdout)


class Case(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = held.name

    def write(self, text, name="m.yaml"):
        path = os.path.join(self.folder, name)
        Path(path).write_text(text, encoding="utf-8")
        return path

    def same(self, one, other, allowed, but=()):
        for name, value in one["coordinates"].items():
            if name not in but:
                self.assertLessEqual(abs(value - other["coordinates"][name]), allowed, name)


class Conditions(Case):
    def test_the_start_decides_them_however_they_are_written(self):
        texts = ["0", "0.8*if(t < 2, 0, 1)", "0.8*if(t > 2, 1, 0)", "0.8*if(t < 2, 0, (t - 2)^3)"]
        found = []
        for i, text in enumerate(texts):
            path = self.write(f'jounce: 1\ninclude: {CAR}\nsignals:\n  rack_travel: "{text}"\n', f"m{i}.yaml")
            found.append(find(path))
            self.assertEqual(found[i]["held"], found[0]["held"], text)
            self.same(found[0], found[i], 1e-10)

    def test_a_run_and_its_derivatives_begin_there(self):
        text = (f'jounce: 1\ninclude: {CAR}\nsignals:\n  rack_travel: "0.004 + 0.1*if(t < 2, 0, (t - 2)^3)"\n'
                "simulation: {end: 0.1}\n")
        path = self.write(text)
        made = json.loads(jounce("sens", path, "--interpreter", "--wrt", "mass", "--quiet", "--json").stdout)
        self.assertIn("gradient", made["objectives"]["offset"])


class Stability(Case):
    def rod(self, guess=0, stiff=-8, cubic=0, rate=0):
        text = PENDULUM
        for name, value in (("GUESS", guess), ("STIFF", stiff), ("CUBIC", cubic), ("RATE", rate)):
            text = text.replace(name, repr(value))
        return self.write(text)

    def test_an_unstable_one_is_reported(self):
        path = self.rod()
        made = jounce("static", path, "--interpreter", "--json")
        found = json.loads(made.stdout)
        self.assertEqual(found["stability"], "unstable")
        self.assertEqual(found["unstable"]["state"], "hinge")
        # I a'' = (8 - m g l) a - 0.3 a'
        inertia, slope = 0.1 + 0.25, 8 - 9.81 * 0.5
        expected = (-0.3 + (0.09 + 4 * inertia * slope)**0.5) / (2 * inertia)
        self.assertAlmostEqual(found["unstable"]["growth"], expected, delta=1e-9 * expected)
        self.assertEqual(made.stderr.count("unstable"), 1)
        self.assertIn("'hinge'", made.stderr)
        self.assertIn("static equilibrium, unstable", jounce("static", path, "--interpreter").stdout)

    def test_a_run_at_rest_warns_and_one_that_moves_does_not(self):
        for command in ("run", "sens"):
            self.assertIn("is unstable", jounce(command, self.rod(), "--interpreter").stderr)
            self.assertNotIn("is unstable", jounce(command, self.rod(rate=0.1), "--interpreter").stderr)

    def test_every_growth_is_reported(self):
        # a pendulum whose spring pushes it away: growth from 0.2 to 300 1/s
        path = self.write("""jounce: 1
parameters: {k: -20}
bodies: {bob: {mass: 1, com: [0, 0, -1]}}
joints: {a: {type: revolute, axis: y, child: bob}}
forces: {s: {on: a, stiffness: k}}
objectives: {e: {final: a}}
simulation: {end: 0.1, start_at: static}
""")
        for n in range(60):
            growth = 0.2*1.13**n
            made = jounce("run", path, "--interpreter", "--set", f"k={-9.81 - growth**2!r}")
            found = re.search(r"is unstable: a small push grows with a rate of (\S+) 1/s", made.stderr)
            self.assertTrue(found, growth)
            self.assertAlmostEqual(float(found.group(1)), growth, delta=0.01*growth)

    def test_all_commands_state_the_same_rate(self):
        # a pendulum of 1 kg at 1 m that a spring pushes away and a damper holds back: a'' = 0.19 a - 0.1 a'
        slow = self.write("""jounce: 1
parameters: {k: -10}
bodies: {bob: {mass: 1, com: [0, 0, -1]}}
joints: {a: {type: revolute, axis: y, child: bob}}
forces: {s: {on: a, stiffness: k, damping: 0.1}}
objectives: {e: {final: a}}
simulation: {end: 5, start_at: static}
""", "slow.yaml")
        expected = {slow: ((-0.1 + (0.01 + 4*0.19)**0.5)/2, "k=-10:-9:2"), self.flutter(): (1.0, "c=-2:1:2")}
        for path, (rate, values) in expected.items():
            for command in (["run"], ["sens"], ["loads"], ["static"], ["sweep", "--param", values]):
                made = jounce(command[0], path, *command[1:], "--interpreter").stderr
                found = re.search(r"is unstable: a small push grows with a rate of (\S+) 1/s", made)
                self.assertTrue(found, (command, made))
                self.assertAlmostEqual(float(found.group(1)), rate, delta=1e-3*rate)

    def flutter(self, c=-2, method="dopri5"):
        # a mass on a spring whose damper pushes: z'' = -100 z - c z'
        return self.write(f"""jounce: 1
parameters: {{c: {c}}}
bodies: {{b: {{mass: 1}}}}
joints: {{z: {{type: prismatic, axis: z, child: b}}}}
forces: {{s: {{on: z, stiffness: 100}}, d: {{on: z, torque: "-c*z.rate"}}}}
objectives: {{p: {{final: z}}}}
simulation: {{end: 2, start_at: static, method: {method}}}
""", "flutter.yaml")

    def test_oscillations_that_grow_are_reported(self):
        self.assertNotIn("unstable", jounce("run", self.flutter(0)).stderr)
        self.assertNotIn("unstable", jounce("run", self.flutter(2)).stderr)
        self.assertIn("rate of 1 1/s", jounce("run", self.flutter()).stderr)

    def test_points_of_sweeps_are_judged_each(self):
        for options in ([], ["--batch"], ["--method", "adjoint"]):
            made = jounce("sweep", self.flutter(2), "--param", "c=-2:2:5", "--json", *options)
            self.assertIn("the static equilibrium is unstable at 2 of 5 points", made.stderr)
            said = [p.get("message", "") for p in json.loads(made.stdout)["points"]]
            self.assertEqual(["rate of 1 1/s" in said[0], "rate of 0.5 1/s" in said[1], *said[2:]],
                             [True, True, "", "", ""], options)

    def test_a_stable_one_is_silent(self):
        made = jounce("static", self.rod(stiff=1), "--interpreter", "--json")
        self.assertEqual(json.loads(made.stdout)["stability"], "stable")
        self.assertEqual(made.stderr, "")

    def test_the_descent_leaves_what_is_unstable(self):
        # a = 0 is unstable; the stable ones are at the roots of 8 a - 20 a^3 = m g l sin a
        for guess in (0.05, 0.3, 1.5):
            found = [find(self.rod(side * guess, cubic=20)) for side in (1, -1)]
            for one, side in zip(found, (1, -1)):
                self.assertEqual(one["stability"], "stable", guess)
                self.assertGreater(side * one["coordinates"]["hinge"], 0.3)
            self.assertAlmostEqual(found[0]["coordinates"]["hinge"], -found[1]["coordinates"]["hinge"], delta=1e-10)

    def test_a_pendulum_hangs_wherever_it_is_let_go(self):
        for start in (0.5, 2.0, 3.0, 3.1, -3.1):
            found = find(MODELS / "mechanisms/pendulum.yaml", start=start)
            self.assertAlmostEqual(found["coordinates"]["hinge"], 0, delta=1e-9)
            self.assertEqual(found["stability"], "stable")


class Stops(Case):
    def settles(self, **pairs):
        """Where a damped run from the initial position comes to rest, without friction, and what is found."""
        text = (f'jounce: 1\ninclude: {CAR}\nparameters: {{speed: 0, c_front: 20000, c_rear: 20000, grip: 1.0e-6}}\n'
                'signals:\n  rack_travel: "0"\nsimulation: {end: 12, output_step: 12, start_at: initial, tolerance: 1.0e-7}\n'
                'sensors:\n  z: {value: chassis.z, unit: m}\n  pitch: {value: chassis.pitch, unit: rad}\n'
                '  length: {value: fl.spring.length, unit: m}\n')
        path, csv = self.write(text), os.path.join(self.folder, "out.csv")
        jounce("run", path, "--interpreter", "--quiet", "-o", csv, *settings(pairs))
        lines = [line for line in Path(csv).read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
        names = [name.split("[")[0].strip().strip('"') for name in lines[0].split(",")]
        return dict(zip(names, map(float, lines[-1].split(",")))), find(path, **pairs)["sensors"]

    def test_it_is_where_a_damped_run_settles(self):
        for pairs in ({"fl.spring_free": 0.5633, "fr.spring_free": 0.5633}, {"mass": 4000.0}):
            run, found = self.settles(**pairs)
            self.assertLess(found["length"], 0.4714)  # on the bump stops
            for name in ("z", "pitch", "length"):
                self.assertAlmostEqual(found[name], run[name], delta=1e-5)

    def test_starts_deep_in_steep_stops(self):
        """Rates at the start are up to 1e20 there: they say nothing of what is rest."""
        text = """jounce: 1
parameters: {z0: 0, ks: 1000, ex: 200}
bodies: {a: {mass: 300}}
joints: {z: {type: prismatic, child: a, axis: z}}
forces: {c: {on: z, LAW}}
objectives: {zf: {final: z}}
initial: {z: z0}
simulation: {end: 0.1, start_at: static}
"""
        laws = {"stiffness: 20000, damping: 1000, bump_stop: {at: -0.08, stiffness: ks, exponent: ex}": (-0.1, -0.2, -0.21, -0.22, -0.3, -0.5),
                'damping: 1000, force: "-10*exp(-z/0.01)"': (-0.1, -0.2, -0.5),
                'damping: 1000, force: "-1e6*((0.501/(0.501 + z))^20 - 1)"': (-0.1, -0.4, -0.5)}
        for law, starts in laws.items():
            path = self.write(text.replace("LAW", law))
            known = find(path)["coordinates"]["z"]
            moved = [find(path, ks=ks)["coordinates"]["z"] for ks in (999.9, 1000.1)]
            for z0 in starts:
                self.assertAlmostEqual(find(path, z0=z0)["coordinates"]["z"], known, delta=1e-9, msg=(law, z0))
                run = json.loads(jounce("run", path, "--set", f"z0={z0}", "--json", "--quiet").stdout)
                self.assertAlmostEqual(run["objectives"]["zf"], known, delta=1e-9, msg=(law, z0))
            if "ks" in law:
                made = jounce("static", path, "--set", "z0=-0.3", "--wrt", "ks", "--quiet", "--json")
                self.assertAlmostEqual(json.loads(made.stdout)["derivatives"]["z"]["ks"], (moved[1] - moved[0])/0.2, delta=1e-10)

    def test_derivatives_are_those_of_the_equilibrium_on_the_stops(self):
        def at(mass):
            return find(CAR, mass=mass)["coordinates"]
        made = json.loads(jounce("static", CAR, "--interpreter", "--quiet", "--json", "--set", "mass=4000",
                                 "--wrt", "mass").stdout)["derivatives"]
        up, down = at(4000.05), at(3999.95)
        for name in ("chassis.z", "chassis.pitch", "fl.lower", "rr.upper"):
            expected = (up[name] - down[name]) / 0.1
            self.assertAlmostEqual(made[name]["mass"], expected, delta=1e-6 * abs(expected) + 1e-13)

    def test_a_failure_says_what_was_tried(self):
        made = jounce("static", CAR, "--interpreter", "--set", "mass=6000", code=1)
        self.assertIn("tried: descent", made.stderr)
        self.assertIn("is left with an acceleration", made.stderr)


class Vehicles(Case):
    def test_rest_is_found_under_other_loads(self):
        for name in VEHICLES:
            for gravity in (-3.0, -20.0):
                with self.subTest(name=name, gravity=gravity):
                    found = find(MODELS / name, **{"gravity.z": gravity})
                    self.assertLess(found["residual"], 1e-6)
                    self.assertEqual(found["stability"], "stable")

    def test_it_does_not_depend_on_where_the_search_begins(self):
        found = [find(CAR, **{"joints.chassis.guess.z": z}) for z in (0.221, 0.1, 0.8)]
        self.same(found[0], found[1], 1e-9)
        self.same(found[0], found[2], 1e-9)


class Indifferent(case.Case):
    """m = 1, l = 1, I = 1.01: a spring of -k and gravity, k theta - 9.81 sin(theta); forces of powers of x."""
    PENDULUM = """jounce: 1
parameters: {k: -5, th: 0}
bodies: {bob: {mass: 1, com: [0, 0, -1], inertia: [0.01, 0.01, 0.01]}}
joints: {a: {type: revolute, child: bob, axis: y}}
forces: {s: {on: a, stiffness: k}}
initial: {a: th}
"""
    POWER = """jounce: 1
gravity: [0, 0, 0]
bodies: {m: {mass: 1}}
joints: {x: {type: prismatic, child: m, axis: x}}
forces: {s: {on: x, force: "FORCE"}}
"""

    def verdict(self, text, *options):
        done = jounce("static", self.path("m.yaml", text), "--json", *options)
        return json.loads(done.stdout), done.stderr

    def test_slow_growth_is_reported(self):
        for k in (-9.8101, -9.81001, -9.81 - 1e-7, -9.815):
            found, said = self.verdict(self.PENDULUM, "--set", f"k={k!r}")
            growth = math.sqrt((-k - 9.81)/1.01)
            self.assertEqual(found["stability"], "unstable")
            self.assertAlmostEqual(found["unstable"]["growth"], growth, delta=1e-6*growth + 1e-9)
            self.assertIn(f"with a rate of {growth:.3g} 1/s", said)
            self.assertEqual("slowly" in said, growth < 0.01)
        for k in (-9.80999, -9.8, -5, 0, 10):
            found, said = self.verdict(self.PENDULUM, "--set", f"k={k}")
            self.assertEqual((found["stability"], said), ("stable", ""))

    def test_forces_nearby_decide_where_first_order_does_not(self):
        # 9.81 (theta - sin(theta)) leads away
        for th in (0, 0.1):
            found, said = self.verdict(self.PENDULUM, "--set", "k=-9.81", "--set", f"th={th}")
            self.assertEqual((found["stability"], found["unstable"]["state"]), ("unstable", "a"))
            self.assertIn("vanish to first order, and beside it they lead away", said)
        # a force of the file acts against the coordinate
        for force, verdict in (("-100*x^3", "unstable"), ("100*x^3", "stable"), ("x^2", "unstable"), ("-x^2", "unstable"),
                               ("100*max(x, 0)^3", "undecided"), ("1e-9*x^3", "undecided")):
            self.assertEqual(self.verdict(self.POWER.replace("FORCE", force))[0]["stability"], verdict, force)
        found, said = self.verdict(self.POWER.replace("FORCE", "1e-9*x^3"))
        self.assertEqual((found["undecided"], said), ("x", ""))
        text = jounce("static", self.path("m.yaml", self.POWER.replace("FORCE", "1e-9*x^3"))).stdout
        self.assertIn("undecided whether stable or unstable (indifferent)", text)


if __name__ == "__main__":
    unittest.main()
