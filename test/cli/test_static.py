#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Static equilibrium, modes and runs that begin at rest, with their derivatives, against differences of
the same commands at other values."""
import json
import os
import tempfile
import unittest
from pathlib import Path

from program import jounce

REST = "test/models/sens_static.yaml"
VALUES = {"bz": 0.1, "far": 0.7, "gain": 2, "k": 900, "bodies.arm.mass": 10,
          "closures.rod.length": 0.5, "forces.spring.stiffness": 100, "gravity.z": -9.81}

# A wheel that rolls on a road which is nearly flat: whether that holds it is close to what counts as nothing.
ROLLING = """jounce: 1
gravity: [0, 0, -9.81]
hardpoints: {W: [0, 0, 0.39]}
bodies:
  cart:
  body: {mass: 464, com: [0, 0, 0.6], inertia: [11, 13, 11]}
  wheel: {mass: 41, com: [0, 0, 0.39], inertia: [0.6, 1.1, 0.6]}
joints:
  x: {type: prismatic, child: cart, axis: x}
  z: {type: prismatic, child: body, parent: cart, axis: z}
  spin: {type: revolute, child: wheel, parent: body, at: W, axis: y}
tyres:
  tyre: {wheel: wheel, centre: wheel.W, radius: 0.39, stiffness: 280000, damping: 50, kappa_c: 0.5, alpha_c: 0.1, mu_x: 0.9, mu_y: 0.8}
initial: {x: {value: 0, rate: 6}, spin: {value: 0, rate: 15.4}}
parameters: {bump: 0.496}
road: "0.034*exp(-((x - bump)/0.12)^2)"
simulation: {start_at: static, end: 0.1}
"""


def tutorial(folder, tolerance):
    """The quarter car of docs/format.md, as a file."""
    text = Path("docs/format.md").read_text(encoding="utf-8")
    blocks = [block.split("```")[0] for block in text.split("```yaml\n")[1:]]
    car = next(block for block in blocks if "name: quarter car" in block)
    path = os.path.join(folder, "quarter_car.yaml")
    Path(path).write_text(car.replace("start_at: static", f"start_at: static, tolerance: {tolerance}"),
                          encoding="utf-8")
    return path


def read(*args):
    return json.loads(jounce(*args, "--json").stdout)


def difference(value, name, at, step):
    """Extrapolated central differences of value(name, x), a dict, by x."""
    rows = []
    for level in range(3):
        h = step / 2**level
        up, down = value(name, at + h), value(name, at - h)
        rows.append({key: (up[key] - down[key]) / (2 * h) for key in up})
    first = [{key: (4 * b[key] - a[key]) / 3 for key in a} for a, b in zip(rows, rows[1:])]
    return {key: (16 * first[1][key] - first[0][key]) / 15 for key in first[0]}


def quantities(name, x, path=REST):
    found = read("static", path, "--set", f"{name}={x!r}")
    return {**found["coordinates"], **found["sensors"]}


class Near(unittest.TestCase):
    def near(self, value, expected, allowed, what):
        self.assertLessEqual(abs(value - expected), allowed, (what, value, expected))


class Runs(Near):
    def test_numbers_by_path_move_a_start_at_rest(self):
        with tempfile.TemporaryDirectory() as folder:
            path = tutorial(folder, 1e-12)

            def run(name, x):
                return read("run", path, "--interpreter", "--set", f"{name}={x!r}")["objectives"]

            numbers = {"bodies.arm.mass": 23, "forces.strut.free_length": 0.64, "k": 25000}
            made = read("sens", path, "--interpreter", "--wrt", ",".join(numbers))["objectives"]
            for name, at in numbers.items():
                expected = difference(run, name, at, 4e-3 * at)["discomfort"]
                self.near(made["discomfort"]["gradient"][name], expected, 1e-6 * abs(expected), name)

    def test_all_numbers_and_sweeps_take_the_same_way(self):
        with tempfile.TemporaryDirectory() as folder:
            path = tutorial(folder, 1e-9)
            few = read("sens", path, "--interpreter", "--wrt", "bodies.arm.mass")["objectives"]
            every = read("sens", path, "--interpreter", "--wrt", "all")["objectives"]
            one, same = (x["discomfort"]["gradient"]["bodies.arm.mass"] for x in (few, every))
            stated = sum(x["discomfort"]["gradient_error"]["bodies.arm.mass"] for x in (few, every))
            self.assertLess(stated, 1e-4 * abs(one))  # what derivatives are wanted to at 1e-9
            self.near(same, one, stated, "all")
            csv = os.path.join(folder, "sweep.csv")
            jounce("sweep", path, "--interpreter", "--param", "k=25000:25001:2", "--wrt",
                   "bodies.arm.mass", "-o", csv)
            rows = [line for line in Path(csv).read_text(encoding="utf-8").splitlines()
                    if line and not line.startswith("#")]
            column = rows[0].split(",").index("d discomfort / d bodies.arm.mass")
            self.near(float(rows[2].split(",")[column]), one, 1e-7 * abs(one), "sweep")


class Static(Near):
    def test_derivatives_are_those_of_differences(self):
        made = read("static", REST, "--wrt", ",".join(VALUES))["derivatives"]
        for name, at in VALUES.items():
            expected = difference(quantities, name, at, 4e-3 * abs(at))
            self.assertEqual(set(made), set(expected))
            for key, value in expected.items():
                self.near(made[key][name], value, 1e-8 / abs(at), (key, name))

    def test_selection_is_that_of_sens(self):
        made = read("static", REST, "--wrt", "parameters,gravity.*")["derivatives"]["turn"]
        self.assertEqual(list(made), ["bz", "speed", "far", "gain", "k",
                                      "gravity.x", "gravity.y", "gravity.z"])
        self.assertIsNone(made["gravity.y"])  # pushes the trolley
        why = "'gravity.y': at static equilibrium it pushes 'trolley', which nothing holds; hold it, as by a spring"
        done = jounce("static", REST, "--wrt", "gravity.*")
        self.assertIn(why, done.stderr)
        self.assertNotIn("nan", done.stdout)
        self.assertIn("did you mean", jounce("static", REST, "--wrt", "gravity.zz", code=1).stderr)
        self.assertNotIn("derivatives", read("static", REST))

    def test_a_number_by_name_that_has_no_derivative_is_refused(self):
        for command in (("static", REST), ("modes", REST, "--at", "static"), ("sens", REST)):
            said = jounce(*command, "--wrt", "gravity.y,k", code=1).stderr
            self.assertIn("pushes 'trolley', which nothing holds; hold it, as by a spring, or begin", said, command)
            self.assertIn("(start_at: initial), or leave this parameter out", said, command)

    def test_a_push_that_the_search_overlooks_leaves_derivatives(self):
        # free sliders that k and tilt push by 2e-5 and 1e-4 m/s^2
        text = """jounce: 1
parameters: {k: 2000, tilt: 1.0e-5}
bodies: {frame: {mass: 100}, a: {mass: 1}}
joints:
  z: {type: prismatic, axis: z, child: frame}
  a: {type: prismatic, axis: x, parent: frame, child: a}
forces:
  spring: {on: z, stiffness: k, damping: 10}
  push: {on: a, force: 9.81*tilt - 4.0e-5*z}
objectives:
  height: {final: z + 0.1*cos(3*t)}
  way: {final: a}
simulation: {end: 2, start_at: static, tolerance: 1.0e-10}
"""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.yaml")
            Path(path).write_text(text, encoding="utf-8")

            def run(name, x):
                return read("run", path, "--set", f"{name}={x!r}")["objectives"]

            for method in ("direct", "adjoint"):
                made = read("sens", path, "--method", method, "--wrt", "k,tilt")["objectives"]
                for name, at in {"k": 2000, "tilt": 1e-5}.items():
                    for objective, expected in difference(run, name, at, 4e-3 * at).items():
                        found = made[objective]
                        self.near(found["gradient"][name], expected, max(1e-7 * abs(expected), 1e-12 / at), name)
                        self.assertIsNotNone(found["gradient_error"][name])  # of both sides
            # a push by more is no derivative
            self.assertIn("pushes 'a'", jounce("sens", path, "--wrt", "tilt", "--set", "tilt=0", code=1).stderr)

    def test_run_begins_where_static_ends(self):
        with tempfile.TemporaryDirectory() as folder:
            path, out = os.path.join(folder, "m.yaml"), os.path.join(folder, "out.csv")
            Path(path).write_text(ROLLING, encoding="utf-8")
            for bump in ("0.45", "0.494", "0.4955", "0.496", "0.5"):
                options = (path, "--interpreter", "--set", f"bump={bump}")
                static = read("static", *options)["coordinates"]
                jounce("run", *options, "-o", out)
                rows = [line.split(",") for line in Path(out).read_text(encoding="utf-8").splitlines() if line[0] != "#"]
                start = dict(zip(rows[0], rows[2]))
                for name, value in static.items():
                    self.assertAlmostEqual(value, float(start[name]), delta=1e-14, msg=f"bump {bump}: {name}")

    def test_what_is_pushed_and_not_held_is_named(self):
        said = jounce("static", REST, "--set", "gravity.y=0.1", code=1).stderr
        self.assertIn("'trolley' is left with an acceleration of 0.1", said)
        # a push that is not worth mentioning leaves it where it began
        found = read("static", REST, "--set", "gravity.y=0.0005")
        self.assertEqual(found["coordinates"]["trolley"], 0.7**2)

    def test_what_is_held_far_away_may_be_begun_near(self):
        text = """jounce: 1
bodies: {a: {mass: 1}}
joints: {a: {type: prismatic, axis: z, child: a}}
forces: {stop: {on: a, bump_stop: {at: -1000, stiffness: 1.0e+5}, damping: 10}}
initial: {a: HEIGHT}
simulation: {end: 1}
"""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.yaml")
            Path(path).write_text(text.replace("HEIGHT", "0"), encoding="utf-8")
            said = jounce("static", path, code=1).stderr
            self.assertIn("'a' is left with an acceleration of 9.81; nothing holds it near where the search begins", said)
            self.assertIn("begin where something does (initial, guess)", said)
            Path(path).write_text(text.replace("HEIGHT", "-1000"), encoding="utf-8")
            self.assertAlmostEqual(read("static", path)["coordinates"]["a"], -1000 - 9.81e-5, delta=1e-9)

    def test_a_drive_that_accelerates_is_named(self):
        text = """jounce: 1
bodies: {a: {mass: 1}, b: {mass: 1}}
joints:
  a: {type: prismatic, axis: x, child: a, drive: 2*t^2 + t}
  b: {type: prismatic, axis: x, parent: a, child: b}
simulation: {end: 1, start_at: static}
"""
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as f:
            f.write(text)
            f.flush()
            said = jounce("run", f.name, "--interpreter", code=1).stderr
            self.assertIn("'b' is left with an acceleration of 4", said)
            self.assertIn("'a' is driven with an acceleration of 4 at t = 0 s", said)

    def test_what_has_no_slope_at_rest_is_named(self):
        text = """
jounce: 1
parameters: {c: 10}
bodies: {b: {mass: 2}}
joints: {z: {type: prismatic, child: b, axis: z}}
forces:
  s: {on: z, stiffness: 1000}
  drag: {on: z, force: "-c*hypot(b.com.vx, b.com.vz)"}
objectives: {e: {final: z}}
simulation: {end: 1, start_at: static}
"""
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as f:
            f.write(text)
            f.flush()
            done = jounce("sens", f.name, code=1)
            self.assertIn("the rate of 'z.rate' has no derivative with respect to 'z' there; hint: roots and hypot", done.stderr)
            f.seek(0)
            f.write(text.replace("hypot(b.com.vx, b.com.vz)", "sqrt(b.com.vz^2+1e-6)    "))
            f.flush()
            jounce("sens", f.name)

    def test_text_names_units(self):
        said = jounce("static", REST, "--wrt", "k").stdout
        self.assertIn("derivatives, but for zeros", said)
        self.assertRegex(said, r"weight +k +2\.42\d+e-05 m")  # m g / k^2


def modes_at(*place):
    def values(name, x):
        found = read("modes", REST, *place, "--set", f"{name}={x!r}")["modes"]
        return {(i, key): mode[key] for i, mode in enumerate(found)
                for key in ("re", "im", "frequency", "damping")}
    return values


class Modes(Near):
    def check(self, *place):
        made = read("modes", REST, *place, "--wrt", ",".join([*VALUES, "speed"]))["modes"]
        self.assertEqual(len(made), 6)
        checked = 0
        for name, at in [*VALUES.items(), ("speed", 0.3)]:
            expected = difference(modes_at(*place), name, at, 4e-3 * abs(at))
            for (i, key), value in expected.items():
                slope = made[i]["derivatives"][name][key]
                if slope is None:
                    self.assertTrue(made[i]["rigid"])
                    continue
                checked += 1
                scale = abs(made[i]["re"]) + abs(made[i]["im"])
                self.near(slope, value, 1e-7 * scale / abs(at), (i, key, name))
        self.assertGreaterEqual(checked, 4 * 4 * 9)

    def test_about_the_start(self):
        self.check()

    def test_about_static_equilibrium(self):
        self.check("--at", "static")

    def test_slow_growth_beside_fast_modes_is_no_free_motion(self):
        # stiff tyres without relaxation have eigenvalues of millions beside those of the weave
        text = Path("models/vehicles/bicycle/vehicle.yaml").read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.yaml")
            Path(path).write_text(text.replace(", relaxation: 0.1", ""), encoding="utf-8")
            found = read("modes", path, "--set", "speed=1")["modes"]
        self.assertGreater(max(abs(m["re"]) for m in found), 1e6)
        self.assertEqual(len([m for m in found if not m["rigid"] and 4 < m["re"] < 4.5 and m["im"] > 1]), 1)
        free = [abs(m["re"]) + abs(m["im"]) for m in found if m["rigid"]]
        self.assertGreaterEqual(len(free), 5)
        self.assertLess(max(free), 1e-2)

    def test_units_do_not_decide_what_is_zero(self):
        # decays of 2 and 3 1/s, of which one is measured in large units and drives the other
        text = ("jounce: 1\nbodies: {a: {mass: 1}}\njoints: {a: {type: prismatic, child: a, axis: x}}\n"
                "states: {p: {derivative: -2*p, initial: 1e12}, q: {derivative: \"1e-9*p - 3*q\", initial: 1}, "
                "r: {derivative: \"1e9*q - 100*r\", initial: 0}, s: {derivative: \"r - 100*s\", initial: 0}}\n"
                "forces: {f: {on: a, stiffness: 1e8}}\n")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.yaml")
            Path(path).write_text(text, encoding="utf-8")
            found = read("modes", path)["modes"]
        self.assertEqual([m["rigid"] for m in found], [False] * 5)
        for rate in (-2, -3, -100):
            self.assertTrue(any(abs(m["re"] - rate) < 1e-5 for m in found), rate)

    def test_repeated_eigenvalues_have_none(self):
        text = ("jounce: 1\nname: twins\nparameters: {k: 100, m: 2}\n"
                "bodies: {a: {mass: m}, b: {mass: m}, c: {mass: 3}}\n"
                "joints: {a: {type: prismatic, child: a, axis: x}, b: {type: prismatic, child: b, "
                "axis: y}, c: {type: prismatic, child: c, axis: y}}\n"
                "forces: {fa: {on: a, stiffness: k}, fb: {on: b, stiffness: k}, "
                "fc: {on: c, stiffness: k}}\n")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "twins.yaml")
            Path(path).write_text(text, encoding="utf-8")
            done = jounce("modes", path, "--wrt", "k")
            self.assertIn("2 modes have the eigenvalue of another one", done.stderr)
            self.assertEqual(sum(line.split()[2:] == ["-"] * 4 for line in done.stdout.splitlines()), 2)
            modes = read("modes", path, "--wrt", "k")["modes"]
            single = [m for m in modes if m["derivatives"]["k"]["im"] is not None]
            self.assertEqual(len(single), 1)
            # omega = sqrt(k / m)
            self.near(single[0]["derivatives"]["k"]["im"], 0.5 / (300**0.5), 1e-12, "omega")

    def test_not_about_a_motion(self):
        said = jounce("modes", REST, "--at", "0.1", "--wrt", "k", code=1).stderr
        self.assertIn("not about the motion at 0.1 s", said)


if __name__ == "__main__":
    unittest.main()
