#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Numbers that are none: results that are not finite, values out of range, wherever they come from."""
import csv
import io
import json
import tempfile
import unittest
from pathlib import Path

from program import jounce

BALL = """
jounce: 1
parameters: {k: 100, c: 0}
bodies: {mass: {mass: 1}}
joints: {ball: {type: prismatic, parent: ground, child: mass, axis: [0, 0, 1]}}
forces: {s: {on: ball, stiffness: k}}
sensors: {height: SENSOR}
objectives: {psi: {OBJECTIVE}}
simulation: {end: 1}
"""


SPELLED = """
jounce: 1
templates:
  corner:
    ports: [body]
    hardpoints: {hub: [0.3, 0.2, 0]}
    bodies: {arm: {mass: 2, com: [0.25, 0.2, 0.05]}}
    joints: {arm: {type: revolute, parent: body, child: arm, at: [0, 0.2, 0], axis: y}}
  axle:
    ports: [body]
    instances: {l: {template: corner, ports: {body: body}, at: [0, 0.1, 0.25]}}
parameters: {k: 0.25}
bodies: {car: {mass: 5, com: [0, 0, 0.25]}}
joints: {car: {type: prismatic, axis: z, child: car}}
tables: {curve: {x: [0, 0.25, 1], y: [0, 2, 5]}}
forces: {s: {on: car, stiffness: 400, damping: 3}}
instances: {f: {template: axle, ports: {body: car}, at: [0.25, 0, 0.5]}}
objectives:
  o: {final: f.l.arm.hub.x + f.l.arm.hub.y + f.l.arm.hub.z + car + k + curve(k) + 0.25}
simulation: {end: 0.2}
"""

# the same number as users write it
QUARTERS = ("0.25", ".25", "+.25", "+0.25", "25e-2", "25.e-2", "2.5e-1", ".25e0", "025.E-2", "25 cm", "25. cm", ".025e1 m")
TWOS = ("2", "2.", "+2", "2.0", "2e0", "2.e0", ".2e1", "+.2E+1")


class Spellings(unittest.TestCase):
    """A number that one place accepts is accepted everywhere, and is the same."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def value(self, text, *options):
        path = Path(self.folder.name) / "model.yaml"
        path.write_text(text)
        return json.loads(jounce("run", str(path), "--json", *options).stdout)["objectives"]["o"]

    def test_in_the_file(self):
        reference = self.value(SPELLED)
        for i in range(SPELLED.count("0.25")):
            parts = SPELLED.split("0.25")
            is_expression = "objectives" in "".join(parts[:i + 1]) or "curve" in parts[i].rsplit("\n", 1)[-1]
            for q in QUARTERS:
                if "m" in q and is_expression:
                    continue
                text = "0.25".join(parts[:i + 1]) + q + "0.25".join(parts[i + 1:])
                with self.subTest(place=parts[i][-30:], q=q):
                    self.assertEqual(reference, self.value(text))

    def test_by_set(self):
        for path in ("k", "instances.f.at.x", "instances.f.l.at.y", "bodies.car.com.z"):
            reference = self.value(SPELLED, "--set", f"{path}=2")
            for v in TWOS:
                with self.subTest(path=path, v=v):
                    self.assertEqual(reference, self.value(SPELLED, "--set", f"{path}={v}"))
        # it matters
        self.assertNotEqual(self.value(SPELLED), self.value(SPELLED, "--set", "instances.f.l.at.y=2."))

    def test_in_tables_of_inputs(self):
        found = set()
        for q in (v for v in QUARTERS if "m" not in v):
            path = Path(self.folder.name) / "in.csv"
            path.write_text(f"Fz,kappa,alpha\n4000.,{q},-.1\n")
            done = jounce("tyre", "test/data/tyres/MagicFormula61_Parameters.tir", "--inputs", str(path)).stdout
            row, = csv.DictReader(io.StringIO(done))
            found.add(tuple(row[k] for k in ("Fx", "Fy", "Mz")))
        self.assertEqual(1, len(found))


class Values(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = str(Path(self.folder.name) / "model.yaml")
        self.out = str(Path(self.folder.name) / "out")

    def tearDown(self):
        self.folder.cleanup()

    def write(self, text):
        Path(self.path).write_text(text)

    def write_ball(self, objective="final: ball", sensor="ball"):
        self.write(BALL.replace("OBJECTIVE", objective).replace("SENSOR", sensor))

    def fails(self, *args, **more):
        """A command on the model that exits 1 with one message that has all of `says`."""
        done = jounce(*args, self.path, "--interpreter", code=1)
        for text in more["says"]:
            self.assertIn(text, done.stderr)
        return done


class Results(Values):
    COMMANDS = (["run"], ["sens", "--wrt", "k"], ["sens", "--wrt", "k", "--method", "adjoint"],
                ["sweep", "--param", "k=50:100:3"])

    def test_objective_that_is_not_finite_is_no_success(self):
        for objective, says in (
                ("final: log(ball - 100)", ("is not a number", "log(-10", "final: log(ball - 100)")),
                ("final: 1/c", ("is infinite", "1 / 0")),
                ("integral: ball, final: 1e308*k", ("is infinite", "* 1e+308")),
                ("integral: log(ball - 1)", ("not finite at t = 0",)),
                ("mean: sqrt(0.5 - t)", ("not finite at t = 0.5",))):
            self.write_ball(objective)
            for command in self.COMMANDS:
                with self.subTest(objective=objective, command=command):
                    done = self.fails(*command, says=("'psi'",) + says)
                    self.assertNotIn("nan", done.stdout)
            with self.subTest(objective=objective, command="report"):
                self.fails("report", "-o", self.out + ".html", says=("'psi'",) + says)
                self.assertFalse(Path(self.out + ".html").exists())

    def test_time_of_the_end_is_told(self):
        self.write_ball("final: log(ball - 100)")
        self.fails("run", "--end", "0.25", says=("t = 0.25 s",))

    def test_json_has_the_error(self):
        self.write_ball("final: log(ball - 100)")
        told = json.loads(jounce("run", self.path, "--json", "--interpreter", code=1).stdout)
        self.assertIsNone(told["objectives"]["psi"])
        self.assertIn("objective 'psi' is not a number", told["error"]["message"])
        done = jounce("sweep", "--param", "k=50:100:3", self.path, "--json", "--interpreter", code=1)
        told = json.loads(done.stdout)
        self.assertEqual(told["failed"], 3)
        for point in told["points"]:
            self.assertIn("objective 'psi' is not a number", point["message"])

    def test_points_of_a_sweep_fail_alone(self):
        self.write_ball("final: sqrt(k - 60)")
        done = jounce("sweep", "--param", "k=50:100:3", self.path, "--json", "--interpreter")
        told = json.loads(done.stdout)
        self.assertEqual([point["status"] < 0 for point in told["points"]], [True, False, False])
        self.assertEqual(told["failed"], 1)
        self.assertIn("1 of 3 points failed; the first, k = 50:", done.stderr)

    def test_derivative_that_is_not_finite_is_no_success(self):
        self.write_ball("final: sqrt(c)")
        jounce("run", self.path, "--interpreter")
        for method in ("direct", "adjoint"):
            done = self.fails("sens", "--wrt", "k,c", "--method", method,
                              says=("objective 'psi'", "derivative with respect to 'c' is infinite"))
            self.assertNotIn("another one's", done.stderr)
        self.fails("sweep", "--param", "c=0:0:1", "--wrt", "c", says=("derivative with respect to 'c'",))

    def test_sensor_that_is_not_finite_is_no_success(self):
        self.write_ball(sensor="sqrt(ball + 0.1)")
        says = ("sensor 'height' is not a number", "sqrt(-0.0")
        self.fails("run", says=says + ("t = 0.16 s",))
        self.fails("run", "-o", self.out + ".csv", says=says)
        self.fails("report", "-o", self.out + ".html", says=says)
        self.fails("loads", says=says)
        self.fails("sens", "--wrt", "k", "--history", "height", "-o", self.out + ".csv",
                   says=("history of", "height", "not a number"))
        jounce("sens", self.path, "--wrt", "k", "--interpreter")  # the sensor is not asked for
        self.write_ball(sensor="log(ball)")
        self.fails("static", says=("sensor 'height' is not a number", "log(-0.0981)"))

    def test_derivative_of_a_sensor_at_rest(self):
        self.write_ball(sensor="sqrt(ball + 0.0981 + c)")
        self.write(Path(self.path).read_text() + "gravity: [0, 0, -9.81]\n")
        jounce("static", self.path, "--wrt", "k", "--set", "c=1")
        self.write_ball(sensor="sqrt(c)")
        self.fails("static", "--wrt", "c", says=("sensor 'height'", "derivative with respect to 'c' is infinite"))

    def test_history_of_an_objective_may_have_gaps(self):
        self.write_ball("final: log(-ball)")
        jounce("run", self.path, "--interpreter", "-o", self.out + ".csv")
        self.assertIn("inf", Path(self.out + ".csv").read_text())

    def test_loads_do_not_ask_for_objectives(self):
        self.write_ball("final: log(ball - 100)")
        jounce("loads", self.path, "--interpreter", "--wrt", "k")

    def test_empty_window_is_no_success(self):
        for window in ("[0.5, 0.5]", "[c, c]", "[0.5, c]"):
            self.write_ball(f"mean: ball, window: {window}")
            for command in self.COMMANDS:
                self.fails(*command, says=("objective 'psi'", "window"))


BUGGY = "models/buggy/step_descent.yaml"
TRACKED = "models/tracked/bump.yaml"
BENCH = """
jounce: 1
parameters:
  m: 1
  ixx: 1
  c: 2
  knee: 1
  k_stop: 1000
  hard: 10
  f_cut: 20
  tilt: 1
  p: 4
  root: sqrt(p)
tables: {curve: {x: [0, knee, 2], y: [0, 1, 3]}}
signals: {damping: 2 * c}
bodies:
  mass: {mass: m - 0.5, inertia: [ixx, 1, 1], vectors: {up: [0, 0, tilt]}}
joints: {ball: {type: prismatic, parent: ground, child: mass, axis: [0, 0, tilt]}}
forces:
  spring: {on: ball, spring: curve, damping: damping, bump_stop: {at: -0.1, stiffness: k_stop, exponent: hard}}
objectives: {psi: {rms: ball.acc, filter: lowpass, frequency: 2 * f_cut}}
simulation: {end: 0.2}
"""
# a setting, and what is said about it
OUT_OF_RANGE = (
    ("m", 0.25, "body 'mass': mass is -0.25 (from m = 0.25); it must be at least 0"),
    ("ixx", -1, "body 'mass': the inertia tensor is not positive semidefinite (from ixx = -1)"),
    ("c", -1, "force 'spring': damping is -2; it must be at least 0"),
    ("knee", 2.5, "table 'curve': x[2] = 2 does not come after x[1] = 2.5 (from knee = 2.5)"),
    ("knee", 0, "table 'curve': x[1] = 0 does not come after x[0] = 0 (from knee = 0)"),
    ("k_stop", -1000, "bump_stop: stiffness is -1000 (from k_stop = -1000); it must be at least 0"),
    ("hard", 0, "bump_stop: exponent is 0 (from hard = 0); it must be more than 0"),
    ("f_cut", 0, "objective 'psi': frequency is 0 (from f_cut = 0); it must be more than 0"),
    ("tilt", 0, "vector 'up' has length zero (from tilt = 0)"),
    ("p", -4, "parameter 'root': value is not a number (from p = -4); it must be finite"),
)


class Ranges(Values):
    def test_settings_out_of_range_are_refused_by_every_command(self):
        self.write(BENCH)
        for command in ("check", "run", "sens", "static", "modes", "info"):
            jounce(command, self.path, "--interpreter")
        for name, value, message in OUT_OF_RANGE:
            for command in ("check", "run", "sens", "loads", "static", "modes", "info"):
                with self.subTest(name=name, value=value, command=command):
                    self.fails(command, "--set", f"{name}={value}", says=(message,))

    def test_points_of_a_sweep_out_of_range_fail(self):
        self.write(BENCH)
        good = {"m": 1, "ixx": 1, "c": 2, "knee": 1, "k_stop": 1000, "hard": 10, "f_cut": 20,
                "tilt": 1, "p": 4}
        for name, value, message in OUT_OF_RANGE:
            with self.subTest(name=name, value=value):
                done = jounce("sweep", "--param", f"{name}={good[name]}:{value}:2", self.path, "--json",
                              "--interpreter")
                told = json.loads(done.stdout)
                self.assertEqual(told["failed"], 1)
                self.assertEqual(told["points"][0]["status"], 0)
                self.assertIn(message, told["points"][1]["message"])

    def test_tyres_and_soils(self):
        for model, name, value, message in (
                (BUGGY, "R", -1, "radius is -1 (from R = -1); it must be more than 0"),
                (BUGGY, "R", 0, "radius is 0"),
                (BUGGY, "mu_x", -1, "mu_x is -1"),
                (BUGGY, "kappa_c", -1, "kappa_c is -1"),
                (BUGGY, "alpha_c", 0, "alpha_c is 0"),
                (BUGGY, "k_m", -1, "stiffness is -1"),
                (BUGGY, "tyres.fl.tyre.radius", -1, "--set: instance 'fl' (template 'front'): tyre 'fl.tyre': radius is -1;"),
                (TRACKED, "n_soil", -1, "exponent is -1 (from n_soil = -1); it must be at least 0"),
                (TRACKED, "bump_exponent", -1, "exponent is -1 (from bump_exponent = -1)")):
            with self.subTest(name=name, value=value):
                done = jounce("run", model, "--interpreter", "--set", f"{name}={value}", code=1)
                self.assertIn(message, done.stderr)

    def test_values_that_change_with_time_are_left_alone(self):
        self.write(BENCH.replace("damping: damping", "damping: c - t"))
        jounce("run", self.path, "--interpreter")

    def test_long_chain_of_parameters(self):
        chain = "".join(f"  q{i}: q{i - 1} + 1\n" for i in range(1, 4000))
        text = BENCH.replace("  p: 4\n", "  p: 4\n  q0: 0\n" + chain)
        self.write(text.replace("mass: m - 0.5", "mass: 3998.5 - q3999"))
        done = jounce("check", "--syntax-only", self.path, code=1)
        self.assertIn("mass is -0.5 (from q3999 = 3999); it must be at least 0", done.stderr)


NAMES = """
jounce: 1
parameters: {p: PARAMETER}
tables: {tab: {x: [0, 1], y: [0, 1]}}
states: {z: {derivative: -z}}
signals: {sig: a + 2, unused: SIGNAL}
road: ROAD
bodies: {mass: {mass: 1, points: {P: [0, 0, LENGTH]}}, more: {mass: 1}}
joints:
  a: {type: prismatic, parent: ground, child: mass, axis: [0, 0, 1]}
  b: {type: prismatic, parent: mass, child: more, axis: [0, 0, 1], drive: DRIVE}
forces: {s: {between: [mass.P, ground.origin], stiffness: 100, free_length: 0.1}}
objectives: {psi: {peak: a, power: 8}}
initial: {a: INITIAL}
"""


class Check(Values):
    def write_names(self, **texts):
        defaults = {"PARAMETER": "1", "SIGNAL": "1", "ROAD": "0", "LENGTH": "1", "DRIVE": "0",
                    "INITIAL": "0"}
        text = NAMES
        for name, value in (defaults | texts).items():
            text = text.replace(name, value)
        self.write(text)

    def test_good_model(self):
        self.write_names()
        self.assertEqual(jounce("check", self.path).stderr, "")

    def test_unknown_names_in_what_nothing_uses(self):
        for where, value in (("SIGNAL", "nothing * 2"), ("SIGNAL", "mass.Q.x"), ("ROAD", "nothing")):
            self.write_names(**{where: value})
            with self.subTest(where=where, value=value):
                name = value.split(" ")[0]
                for command in ("check", "run", "sens"):
                    self.fails(command, says=(f"unknown name '{name}'",))

    def test_known_name_that_may_not_stand_there(self):
        """It is told what it is, and never suggested instead of itself."""
        rule = "only parameters may stand here"
        for where, name, says in (
                ("PARAMETER", "a", "'a' is a coordinate; " + rule),
                ("PARAMETER", "a.rate", "'a.rate' is a value of a coordinate; " + rule),
                ("PARAMETER", "t", "'t' is the time; " + rule),
                ("PARAMETER", "z", "'z' is a state; " + rule),
                ("PARAMETER", "sig", "'sig' is a signal; " + rule),
                ("PARAMETER", "tab", "'tab' is a table; write it with its argument"),
                ("PARAMETER", "mass", "'mass' is a body; " + rule),
                ("PARAMETER", "psi", "'psi' is an objective; " + rule),
                ("INITIAL", "b", "'b' is a coordinate; " + rule),
                ("SIGNAL", "tab", "'tab' is a table"),
                ("SIGNAL", "s", "'s' is an element; add what of it"),
                ("SIGNAL", "psi", "'psi' is an objective"),
                ("DRIVE", "a", "'b' depends on coordinate 'a'")):
            self.write_names(**{where: name})
            with self.subTest(where=where, name=name):
                done = self.fails("check", says=(says,))
                self.assertNotIn("did you mean", done.stderr)

    def test_names_where_a_plain_number_is_needed(self):
        self.write_names()
        for name in ("p", "a", "t"):
            self.fails("check", "--set", f"objectives.psi.power={name}",
                       says=(f"'{name}' is a name of the model; a plain number must stand here",))

    def test_misspelt_name_is_still_told(self):
        self.write_names(SIGNAL="sgi + a")
        done = self.fails("check", says=("unknown name 'sgi'",))
        self.write_names(SIGNAL="Sig + a")
        done = self.fails("check", says=("unknown name 'Sig'; did you mean 'sig'?",))
        self.assertEqual(len(done.stderr.splitlines()), 1)

    def test_element_of_length_zero(self):
        self.write_names(LENGTH="0")
        for command in (["check"], ["run"], ["sens"], ["loads"], ["static"], ["modes"], ["modes", "--at", "static"],
                        ["modes", "--at", "0.01"]):
            self.fails(*command, says=("force 's'", "'mass.P' and 'ground.origin'",
                                       "at the same place at t = 0 s"))
        self.write(Path(self.path).read_text() + "simulation: {start_at: static}\n")
        self.fails("run", says=("force 's'", "at the same place at t = 0 s"))

    def test_equations_without_value_at_the_start(self):
        self.write_ball()
        text = Path(self.path).read_text()
        self.write(text.replace("stiffness: k", "force: log(angle - 1)"))
        self.fails("check", says=("'ball.rate'", "t = 0 s: log(-1) has no finite value"))

    def test_nothing_moves_by_itself(self):
        self.write_ball()
        self.write(Path(self.path).read_text().replace("axis: [0, 0, 1]", "axis: [0, 0, 1], drive: t"))
        done = jounce("check", self.path)
        self.assertIn("nothing moves by itself: 1 coordinates, of which 1 are driven", done.stderr)
        told = json.loads(jounce("check", self.path, "--json").stdout)
        self.assertTrue(told["valid"])
        self.assertEqual(len(told["warnings"]), 1)


if __name__ == "__main__":
    unittest.main()
