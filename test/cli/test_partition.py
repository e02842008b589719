#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs through dead points of the coordinates that were chosen, in every command that runs models."""
import csv
import json
import math
import os
import tempfile
import unittest
from pathlib import Path

from program import jounce

ROCKER = "models/mechanisms/triple_rocker.yaml"

# A drive pulls the end of a rod away until it lies in line with the arm, which turns in a universal joint: no way leads on.
LOCK = """
jounce: 1
gravity: [0, 0, 0]
hardpoints: {A: [0, 0, 0], B: [0.3, 0, 0], C: [0.5, 0.1, 0.2]}
bodies:
  sled: {mass: 1, com: [0.5, 0.1, 0.2], inertia: [0.1, 0.1, 0.1]}
  arm: {mass: 1, com: [0.2, 0, 0], inertia: [0.01, 0.01, 0.01]}
joints:
  sled: {type: prismatic, child: sled, at: C, axis: x, drive: 0.2*t}
  arm: {type: universal, child: arm, at: A, axis: y, axis2: z}
closures:
  rod: {type: distance, a: arm.B, b: sled.C, length: 0.3}
initial: {arm.a: {rate: 0.1}}
objectives: {x: {final: arm.a}}
simulation: {end: 3}
"""


def swap(path, old, new):
    """The model with another wish: `independent: true` at `new`, not at `old`."""
    text = Path(path).read_text(encoding="utf-8").replace(", independent: true}", "}")
    lines = text.splitlines()
    for i, line in enumerate(lines):
        if line.strip().startswith(new + ": {type"):
            lines[i] = line[:line.rindex("}")] + ", independent: true}"
    return "\n".join(lines) + "\n"


def chain(n, end=3.0, tolerance=1e-8):
    """The benchmark of IFToMM: n + 1 rods that stand upright and n bars between their tips, all of 1 m and 1 kg. They fall, and pass
    positions where all of them lie in one line: there loops may go on as parallelograms or crossed."""
    lines = ["jounce: 1", "gravity: [0, 0, -9.81]", "hardpoints:"]
    lines += [f"  A{i}: [{i}, 0, 0]\n  B{i}: [{i}, 0, 1]" for i in range(n + 1)] + ["bodies:"]
    lines += [f"  rod{i}: {{mass: 1, com: [{i}, 0, 0.5], inertia: [1/12, 1/12, 0.001]}}" for i in range(n + 1)]
    lines += [f"  bar{i}: {{mass: 1, com: [{i + 0.5}, 0, 1], inertia: [0.001, 1/12, 1/12]}}" for i in range(n)]
    lines += ["joints:"] + [f"  a{i}: {{type: revolute, child: rod{i}, at: A{i}, axis: y}}" for i in range(n + 1)]
    lines += [f"  b{i}: {{type: revolute, parent: rod{i}, child: bar{i}, at: B{i}, axis: y}}" for i in range(n)]
    lines += ["closures:"] + [f"  c{i}: {{type: ball, a: bar{i}.B{i + 1}, b: rod{i + 1}.B{i + 1}}}" for i in range(n)]
    lines += ["initial: {a0: {value: 0, rate: 1}}", "sensors: {total_energy: energy.kinetic + energy.potential}",
              "objectives: {turn: {final: a0}}", f"simulation: {{end: {end}, rel_tol: {tolerance}, abs_tol: {tolerance}}}"]
    return "\n".join(lines) + "\n"


# Crank and rod of one length: where both stand upright the slider is over the pivot, and might stay there.
SLIDER = """
jounce: 1
gravity: [0, 0, -9.81]
hardpoints: {O: [0, 0, 0], A: [0.6, 0, 0.8], B: [1.2, 0, 0]}
bodies:
  crank: {mass: 1, com: [0.3, 0, 0.4], inertia: [0.05, 1/12, 0.05]}
  rod: {mass: 1, com: [0.9, 0, 0.4], inertia: [0.05, 1/12, 0.05]}
  slider: {mass: 1, com: B}
joints:
  crank: {type: revolute, child: crank, at: O, axis: y}
  rod: {type: revolute, parent: crank, child: rod, at: A, axis: y}
  slide: {type: prismatic, child: slider, at: B, axis: x}
closures: {pin: {type: ball, a: rod.B, b: slider.B}}
initial: {slide: {value: 0, rate: -4}}
sensors: {total_energy: energy.kinetic + energy.potential}
objectives: {x: {final: slide}}
simulation: {end: 3, rel_tol: 1e-9, abs_tol: 1e-9}
"""


def integrate(rate, y, end, steps=30000):
    """Runge and Kutta's method for y' = (y[1], rate(*y))."""
    h = end/steps

    def slope(y):
        return (y[1], rate(*y))

    for _ in range(steps):
        k1 = slope(y)
        k2 = slope((y[0] + h/2*k1[0], y[1] + h/2*k1[1]))
        k3 = slope((y[0] + h/2*k2[0], y[1] + h/2*k2[1]))
        k4 = slope((y[0] + h*k3[0], y[1] + h*k3[1]))
        y = tuple(y[i] + h/6*(k1[i] + 2*k2[i] + 2*k3[i] + k4[i]) for i in range(2))
    return y[0]



class Runs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def file(self, name):
        return os.path.join(self.folder.name, name)

    def model(self, text):
        Path(self.file("model.yaml")).write_text(text, encoding="utf-8")
        return self.file("model.yaml")

    def run_json(self, path, *options):
        return json.loads(jounce("run", path, "--interpreter", "--json", *options).stdout)

    def energy_drift(self, path, *options):
        out = self.file("out.csv")
        jounce("run", path, "--interpreter", "--output-step", "0.01", "-o", out, *options)
        return self.drift(out)

    def drift(self, out):
        """Of the energy in a file of results, relative to its first value."""
        with open(out, encoding="utf-8") as file:
            rows = [r for r in csv.reader(line for line in file if not line.startswith("#"))]
        at = [name.split(" ")[0] for name in rows[0]].index("total_energy")
        energy = [float(r[at]) for r in rows[2 if not r_is_number(rows[1][at]) else 1:]]
        return max(abs(e - energy[0]) for e in energy)/abs(energy[0])


class Changes(Runs):
    def test_energy_through_a_hundred_dead_points(self):
        done = self.run_json(ROCKER, "--end", "13", "--tol", "1e-12")
        self.assertGreater(len(done["partition_changes"]), 100)
        self.assertLess(self.energy_drift(ROCKER, "--end", "13", "--tol", "1e-12"), 1e-8)

    def test_derivatives_with_everything_that_changes_at_instants(self):
        """Frictions that reverse at the dead points, a sampled torque and an event, until a condition ends the run."""
        text = Path(ROCKER).read_text(encoding="utf-8").replace("\nsensors:\n", """
frictions: {hold: {on: crank, force: 0.02, static: 0.03}, rub: {on: rocker, force: 0.02}}
states: {u: {discrete: true}, n: {discrete: true}}
samplers: {c: {every: 0.013, set: {u: "-0.02*rocker.rate"}}}
events: {pass: {when: "rocker > 0", set: {n: n + 1}}}
forces: {act: {on: rocker, torque: "-u - 0.001*n"}}

sensors:
""", 1).replace("end: 2,", 'end: 2, end_when: "n > 0.5 and crank < -0.5",').replace(
            "  end_height:", "  early: {rms: crank.rate, window: [0.05, 0.25]}\n  end_height:")
        path = self.model(text)
        done = self.run_json(path)
        self.assertEqual(done["ended_by"], "end_when")
        self.assertGreater(len(done["partition_changes"]), 2)
        self.assertTrue(any(e["name"].startswith("hold") for e in done["events"]))
        said = jounce("sens", path, "--interpreter", "--check", "--wrt", "a,m_rocker,start_rate").stdout
        self.assertIn("all agree", said)

    def test_a_bad_wish_gives_the_same_motion(self):
        for name, old, new in (("four_bar", "crank", "rocker"), ("slider_crank", "crank", "slider")):
            good = f"models/mechanisms/{name}.yaml"
            bad = self.model(swap(good, old, new))
            self.assertLess(self.energy_drift(bad, "--end", "5", "--tol", "1e-12"), 1e-8)
            a, b = (self.run_json(p, "--tol", "1e-12") for p in (good, bad))
            self.assertNotIn("partition_changes", a)
            self.assertEqual([c["independent"] for c in b["partition_changes"]], [old])
            # rows and names have the order of the file
            self.assertEqual(list(a["final"]), list(b["final"]))
            for key, value in a["final"].items():
                self.assertAlmostEqual(b["final"][key], value, delta=2e-8*(1 + abs(value)), msg=key)

    def test_both_cranks_go_round(self):
        # a drag link: frame the shortest; with the coupler as wish it has dead points, with a crank it has none
        text = Path(ROCKER).read_text(encoding="utf-8")
        text = text.replace("coupler, at: B, axis: [0, -1, 0]}", "coupler, at: B, axis: [0, -1, 0], independent: true}")
        for old, new in (("a: {value: 0.3", "a: {value: 0.4"), ("c: {value: 0.32", "c: {value: 0.42"),
                         ("d: {value: 0.5", "d: {value: 0.15"), ("rate: {value: 12", "rate: {value: 20")):
            text = text.replace(old, new)
        path = self.model(text)
        done = self.run_json(path, "--end", "4", "--tol", "1e-12")
        self.assertGreater(abs(done["final"]["crank"]), 20)
        self.assertGreater(len(done["partition_changes"]), 0)
        self.assertLess(self.energy_drift(path, "--end", "4", "--tol", "1e-12"), 1e-8)

    def test_every_method_comes_through(self):
        exact = self.run_json(ROCKER, "--end", "0.6", "--tol", "1e-12")["objectives"]["swing"]
        for options in (("auto",), ("esdirk5",), ("imex4",), ("rk4", "--step", "2e-4")):
            done = self.run_json(ROCKER, "--end", "0.6", "--method", *options)
            self.assertGreater(len(done["partition_changes"]), 2)
            self.assertAlmostEqual(done["objectives"]["swing"], exact, delta=1e-5*exact)

    def test_text_tells_when(self):
        text = jounce("run", ROCKER, "--interpreter", "--end", "0.3").stdout
        self.assertIn("3 changes of the partition, independent from then on", text)
        self.assertNotIn("partition", jounce("run", "models/mechanisms/four_bar.yaml", "--interpreter").stdout)

    def test_derivatives_are_those_of_differences(self):
        given = ("--interpreter", "--wrt", "a,c,m_coupler,start_rate", "--json", "--set", "simulation.end=0.9")
        done = json.loads(jounce("sens", ROCKER, *given, "--check", "--tol", "1e-11").stdout)
        implicit = json.loads(jounce("sens", ROCKER, *given, "--integrator", "esdirk5", "--method", "adjoint").stdout)
        for objective, rows in done["check"].items():
            other = implicit["objectives"][objective]["gradient"]
            for name, row in rows.items():
                size = abs(row["difference"])
                self.assertIs(row["agrees"], True, name)
                self.assertLess(abs(row["direct"] - row["adjoint"]), 1e-7*size, name)
                self.assertLess(abs(row["direct"] - row["difference"]), 1e-6*size, name)
                self.assertLess(abs(other[name] - row["difference"]), 1e-6*size, name)

    def test_compiled_is_interpreted(self):
        a = json.loads(jounce("run", ROCKER, "--json", "--end", "0.3").stdout)
        b = self.run_json(ROCKER, "--end", "0.3")
        self.assertEqual(len(a["partition_changes"]), len(b["partition_changes"]))
        self.assertAlmostEqual(a["objectives"]["swing"], b["objectives"]["swing"], delta=1e-8)

    def test_histories_go_on(self):
        out = self.file("h.csv")
        jounce("sens", ROCKER, "--interpreter", "--wrt", "start_rate", "--history", "total_energy", "-o", out,
               "--output-step", "0", "--tol", "1e-11")
        rows = [line.split(",") for line in Path(out).read_text(encoding="utf-8").splitlines()]
        rows = [r for r in rows if r_is_number(r[0])]
        # d energy / d rate at the start, where the kinetic energy is quadratic in it, and ever after
        expected = float(rows[0][2])
        self.assertGreater(expected, 0.1)
        for row in rows:
            self.assertAlmostEqual(float(row[2]), expected, delta=1e-6*expected)

    def test_threads_of_a_sweep_do_not_show(self):
        files = []
        for workers in ("1", "2"):
            files.append(self.file(f"sweep{workers}.csv"))
            jounce("sweep", ROCKER, "--interpreter", "--param", "a=0.29:0.31:3", "--workers", workers, "-o", files[-1],
                   "--wrt", "a", "--end", "0.4")
        first, second = (Path(f).read_bytes() for f in files)
        self.assertEqual(first, second)

    def test_joints_of_any_attitude_in_a_loop(self):
        # hinges, or free bodies that closures hinge: the same motion, counted anew at every half turn
        text = Path("models/mechanisms/spatial_four_bar.yaml").read_text(encoding="utf-8")
        text = text[:text.index("sensors:")] + "objectives: {psi: {integral: rocker.wy^2}}\nsimulation: {end: 0.7, tolerance: 1e-9}\n"
        text = text.replace(", independent: true", "").replace("/12, 0]", "/12, 1e-5]").replace("xx: m_c", "xx: 0.001 + m_c").replace(
            "yy: m_c", "yy: 0.001 + m_c").replace("zz: m_c", "zz: 0.001 + m_c")
        text = text.replace("universal, parent: crank, child: coupler, at: B, axis: [1, 0, 0], axis2: [0, -1, 2]",
                            "spherical, parent: crank, child: coupler, at: B, angles: any")
        hinged = self.run_json(self.model(text), "--quiet")
        for name, point, axis in (("crank", "A", "[1, 0, 0]"), ("rocker", "D", "[0, 1, 0]")):
            text = text.replace(f"{{type: revolute, parent: ground, child: {name}, at: {point}, axis: {axis}}}",
                                f"{{type: free, child: {name}, angles: any}}")
            text = text.replace("closures:\n", f"closures:\n  h{name}: {{type: revolute, a: {name}.{point}, b: ground.{point}, "
                                f"axis_a: {axis}, axis_b: {axis}}}\n")
        text = text.replace("  crank: {value: 0, rate: start_rate}", "  crank.turn_x: {rate: start_rate}")
        free = self.run_json(self.model(text), "--quiet")
        self.assertEqual([len(r["partition_changes"]) for r in (hinged, free)], [1, 1])
        self.assertLess(abs(free["objectives"]["psi"]/hinged["objectives"]["psi"] - 1), 1e-7)

    def test_a_rough_road_beside_dead_points(self):
        text = Path(ROCKER).read_text(encoding="utf-8")
        for key, more in (("parameters", "  rough: 1\n"),
                          ("bodies", "  cart: {mass: 0.1}\n  body: {mass: 40}\n  wheel: {mass: 8, inertia: [0.2, 0.4, 0.2]}\n"),
                          ("joints", "  x: {type: prismatic, child: cart, axis: x}\n  z: {type: prismatic, parent: cart, child: body, "
                                     "axis: z}\n  wheel: {type: revolute, parent: body, child: wheel, axis: y}\n"),
                          ("initial", "  x: {value: 0, rate: 10}\n  z: 0.295\n  wheel: {rate: 33}\n")):
            text = text.replace(f"{key}:\n", f"{key}:\n{more}", 1)
        text = text[:text.index("simulation:")] + (
            "tyres:\n  w: {wheel: wheel, radius: 0.3, stiffness: 5e4, damping: 800, kappa_c: 0.1, alpha_c: 0.1, mu_x: 0.9, mu_y: 0.9}\n"
            "road: {iso8608: {class: B, seed: 3, length: 100, scale: rough}}\nforces: {pull: {on: crank, torque: 0.2*(z - 0.29)}}\n"
            "simulation: {end: 0.5, tolerance: 1e-9}\n")
        path = self.model(text)
        rough = self.run_json(path)
        self.assertGreater(len(rough["partition_changes"]), 2)
        still = self.run_json(path, "--set", "rough=1e-9")
        self.assertNotEqual(rough["objectives"], still["objectives"])
        self.assertIn("all agree", jounce("sens", path, "--interpreter", "--wrt", "rough,m_coupler", "--check").stdout)

    def test_what_locks_is_told(self):
        path = self.model(LOCK)
        for command in (["run", path], ["run", path, "--method", "rk4", "--step", "1e-3"], ["sens", path, "--wrt", "all"]):
            done = jounce(*command, "--interpreter", code=1)
            self.assertRegex(done.stderr, "singular position")

    def test_loads_keep_their_partition(self):
        bad = self.model(swap("models/mechanisms/slider_crank.yaml", "crank", "slider")
                         + "forces:\n  hold: {on: slider, damping: 0.1}\n")
        done = jounce("loads", bad, "--interpreter", code=1)
        self.assertIn("singular position of the coordinates that were chosen", done.stderr)


def r_is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


class Singular(Runs):
    def test_chains_of_parallelograms_pass_flat_positions(self):
        for n in (1, 2, 3, 40):
            # one degree of freedom: (rods/3 + bars) a'' = g (rods/2 + bars) sin a
            factor = 9.81*((n + 1)/2 + n)/((n + 1)/3 + n)
            expected = integrate(lambda a, _: factor*math.sin(a), (0.0, 1.0), 3.0)
            self.assertGreater(expected, 2*math.pi)
            for tolerance, close in ((1e-6, 1e-3), (1e-8, 1e-5), (1e-10, 3e-6)):
                with self.subTest(n=n, tolerance=tolerance):
                    path = self.model(chain(n, tolerance=tolerance))
                    self.assertAlmostEqual(self.run_json(path)["objectives"]["turn"], expected, delta=close)
                    self.assertLess(self.energy_drift(path), 200*tolerance)

    def test_rows_before_a_stop_are_right(self):
        # at the last digits the position is not passed: all that is printed holds to it
        for n in (2, 5):
            path = self.model(chain(n, tolerance=1e-12))
            out = self.file("out.csv")
            jounce("run", path, "--interpreter", "-o", out, code=1)
            with open(out, encoding="utf-8") as file:
                rows = list(csv.reader(line for line in file if not line.startswith("#")))
            at = rows[0].index("total_energy")
            energy = [float(r[at]) for r in rows[1:] if r_is_number(r[at])]
            self.assertGreater(len(energy), 50)
            self.assertLess(max(abs(e/energy[0] - 1) for e in energy), 1e-10)

    def test_symmetric_slider_crank(self):
        # C(a) a'' + C'(a) a'^2/2 = -g cos a, a the angle of crank and rod over the slide: x = 2 cos a
        def rate(a, w):
            sine, cosine = math.sin(a), math.cos(a)
            inertia = 1/3 + 1/12 + 2.25*sine**2 + 0.25*cosine**2 + 4*sine**2
            return -(9.81*cosine + 6*sine*cosine*w**2)/inertia

        angle = math.acos(0.6)
        expected = 2*math.cos(integrate(rate, (angle, 4/(2*math.sin(angle))), 3.0)) - 1.2
        done = self.run_json(self.model(SLIDER))
        self.assertAlmostEqual(done["objectives"]["x"], expected, delta=1e-5)
        self.assertLess(self.energy_drift(self.file("model.yaml")), 1e-6)

    def slider(self, off, tolerance):
        return self.model(SLIDER.replace("B: [1.2, 0, 0]", f"B: [{1.2 + off!r}, 0, 0]").replace("1e-9", f"{tolerance!r}"))

    def test_lengths_of_twelve_digits(self):
        # lengths that miss each other by rounding of the file: the motion of equal ones, or a stop while rows are right
        right = self.run_json(self.model(SLIDER))["objectives"]["x"]
        passed = 0
        for off in (1e-12, -1e-12, 3e-11):
            for tolerance in (1e-6, 1e-8, 1e-10, 1e-12):
                with self.subTest(off=off, tolerance=tolerance):
                    out = self.file("out.csv")
                    done = jounce("run", self.slider(off, tolerance), "--interpreter", "--json", "-o", out, code=None)
                    self.assertLess(self.drift(out), 200*tolerance)
                    if done.returncode == 0:
                        passed += 1
                        self.assertLess(abs(json.loads(done.stdout)["objectives"]["x"] - right), 1e3*tolerance)
                    else:
                        self.assertRegex(done.stderr, "at t = .*|from t = .*")
                        self.assertRegex(done.stderr, r"within [0-9.e-]+ of a singular position .*closure equation 'pin")
        self.assertGreater(passed, 1)

    def test_lengths_that_pass_as_documented(self):
        # docs/format.md: less than 1e-5 tolerances of the size of the mechanism
        for tolerance in (1e-6, 1e-7, 1e-8, 1e-9):
            right = self.run_json(self.slider(0.0, tolerance))["objectives"]["x"]
            for off in (0.9e-5, -0.9e-5):
                with self.subTest(off=off, tolerance=tolerance):
                    x = self.run_json(self.slider(off*tolerance, tolerance))["objectives"]["x"]
                    self.assertLess(abs(x - right), 1e3*tolerance)

    def test_nearly_equal_lengths_are_not_equal(self):
        # the crank does not pass: crank and rod turn on together. No step may lead across, however long it would be
        for off in (1e-6, 1e-3, -1e-3):
            found = []
            for tolerance in (1e-4, 1e-6, 1e-8):
                with self.subTest(off=off, tolerance=tolerance):
                    path = self.slider(off, tolerance)
                    found.append(self.run_json(path, "--end", "0.8")["objectives"]["x"])
                    self.assertLess(self.energy_drift(path, "--end", "0.8"), 1e3*tolerance)
            for x, tolerance in zip(found, (1e-4, 1e-6)):
                self.assertLess(abs(x - found[-1]), 3e3*tolerance)

    def test_derivatives_close_to_singular_positions_are_rejected(self):
        for off in (1e-12, 1e-6):
            said = jounce("sens", self.slider(off, 1e-9), "--interpreter", "--wrt", "bodies.rod.mass,hardpoints.B.x", code=1).stderr
            self.assertRegex(said, "singular position.* derivatives")
        path = self.slider(1e-2, 1e-9)
        self.assertIn("all agree", jounce("sens", path, "--interpreter", "--check", "--wrt", "bodies.rod.mass,bodies.crank.mass").stdout)

    def test_derivatives_are_carried_across(self):
        # by the mass of the bar; no slope of a run that is differentiated is taken where it has few digits
        def turn(rate, mass):
            factor = 9.81*(1 + mass)/(2/3 + mass)
            return integrate(lambda a, _: factor*math.sin(a), (0.0, rate), 1.5, 6000)

        step = 1e-3
        for k in range(12):
            rate = 1 + 0.05*k
            expected = (8*(turn(rate, 1 + step) - turn(rate, 1 - step)) - turn(rate, 1 + 2*step) + turn(rate, 1 - 2*step))/(12*step)
            path = self.model(chain(1, end=1.5).replace("rate: 1}", f"rate: {rate}}}"))
            for method in ("direct", "adjoint"):
                with self.subTest(rate=rate, method=method):
                    done = jounce("sens", path, "--interpreter", "--json", "--wrt", "bodies.bar0.mass", "--method", method)
                    told = json.loads(done.stdout)["objectives"]["turn"]
                    off = abs(told["gradient"]["bodies.bar0.mass"] - expected)
                    stated = told["gradient_error"]["bodies.bar0.mass"]
                    self.assertLess(off, stated + 1e-9*abs(expected))
                    self.assertLess(stated, 1e-2*abs(expected))

    def test_rows_keep_energy_close_to_singular_positions(self):
        # lengths with so many digits: rates are off by what is cut off over the square of the distance
        for tolerance, miss in ((1e-8, 2.3e-13), (1e-8, 1e-12), (1e-10, 0.0)):
            path = self.model(f"""jounce: 1
bodies:
  a: {{mass: 1, com: [0.25, 0, 0.25], inertia: [0.1, 0.1, 0.1]}}
  b: {{mass: 1, com: [1, 0, 0.5], inertia: [0.1, 0.1, 0.1]}}
  c: {{mass: 1, com: [1.75, 0, 0.25], inertia: [0.1, 0.1, 0.1]}}
hardpoints: {{A: [0, 0, 0], B: [0.5, 0, 0.5], C: [{2 + miss!r}, 0, 0.5], D: [1.5, 0, 0]}}
joints:
  j0: {{type: revolute, child: a, at: A, axis: y}}
  j1: {{type: revolute, child: b, parent: a, at: B, axis: y}}
  j2: {{type: revolute, child: c, at: D, axis: y}}
closures:
  c0: {{type: point_on_line, line: {{point: b.C, direction: [0, 1, 0]}}, point: c.C}}
initial: {{j0: {{value: 0, rate: 9}}}}
simulation: {{end: 0.4}}
""")
            out = self.file("rows.csv")
            jounce("run", path, "--interpreter", "--tol", repr(tolerance), "--output-step", "1e-5", "-o", out)
            rows = [r.split(",") for r in Path(out).read_text(encoding="utf-8").splitlines() if r_is_number(r.split(",")[0])]
            energy = [float(r[4]) + float(r[5]) for r in rows]
            with self.subTest(tolerance=tolerance, miss=miss):
                self.assertGreater(len(energy), 40000)
                self.assertLess(max(abs(e - energy[0]) for e in energy), 1e2*tolerance*energy[0])

    def test_derivatives_are_rejected(self):
        for text in (chain(1), chain(2), SLIDER):
            said = jounce("sens", self.model(text), "--interpreter", "--wrt", "all", code=1).stderr
            self.assertIn("passes a singular position, where its motion has no derivatives", said)
            # up to there they are as ever
        before = jounce("sens", self.model(chain(1, end=0.6)), "--interpreter", "--check", "--wrt",
                        "bodies.rod0.mass,bodies.bar0.mass").stdout
        self.assertIn("all agree", before)

    def test_sweeps_pass(self):
        # lanes leave such points to runs of their own, which do as `run` does
        for n in (1, 2):
            path = self.model(chain(n).replace("bodies:", "parameters: {g: 9.81}\nbodies:").replace("-9.81]", "-g]"))
            for batch in ((), ("--batch",)):
                out = self.file(f"s{n}{len(batch)}.csv")
                jounce("sweep", path, "--interpreter", "--param", "g=9.81:9.91:3", "--wrt", "none", "-o", out, *batch)
                rows = [r.split(",") for r in Path(out).read_text(encoding="utf-8").splitlines()]
                rows = [r for r in rows if r_is_number(r[0])]
                turns = [self.run_json(path, "--set", f"g={g}")["objectives"]["turn"] for g in (9.81, 9.86, 9.91)]
                self.assertEqual(len(rows), 3)
                for row, turn in zip(rows, turns):
                    self.assertLess(min(abs(float(x) - turn) for x in row if r_is_number(x)), 1e-9)


if __name__ == "__main__":
    unittest.main()
