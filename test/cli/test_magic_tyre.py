#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Laws of Magic Formula tyres in models: steady forces are those of 'jounce tyre', slips follow with their
relaxation lengths, a braked body comes to rest on a slope and stays, a driven one leaves it; energy; derivatives."""
import csv
import io
import json
import math
import os
import shutil
import tempfile
import unittest
from pathlib import Path

from case import Case
from program import jounce

DATA = Path(__file__).resolve().parent.parent / "data/tyres"

# A wheel that is guided: speed, height, steering, camber and rotation are given.
RIG = """
jounce: 1
name: rig
parameters: {v: 20, steer: 0.04, camber: 0.03, omega: 44, height: 0.459}
bodies:
  carriage: {mass: 1}
  slider: {mass: 1}
  knuckle: {mass: 1, inertia: [1, 1, 1, 0, 0, 0]}
  hub: {mass: 1, inertia: [1, 1, 1, 0, 0, 0]}
  wheel: {mass: 20, inertia: [1, 2, 1, 0, 0, 0]}
  free: {mass: 1}
joints:
  carriage: {type: prismatic, child: carriage, axis: x, drive: v*t}
  slider: {type: prismatic, parent: carriage, child: slider, axis: z, drive: height}
  knuckle: {type: revolute, parent: slider, child: knuckle, axis: z, drive: steer}
  hub: {type: revolute, parent: knuckle, child: hub, axis: x, drive: camber}
  wheel: {type: revolute, parent: hub, child: wheel, axis: y, drive: omega*t}
  free: {type: prismatic, child: free, axis: z}
tyres:
  w: {file: TIR, wheel: wheel EXTRA}
sensors: {Fx: w.fx, Fy: w.fy, Fz: w.fz, Mx: w.mx, My: w.my, Mz: w.mz, kappa: w.kappa, alpha: w.alpha,
  gamma: w.gamma, vx: w.vx, vy: w.vy, vsx: w.vsx, R_l: w.loaded_radius, R_e: w.rolling_radius,
  sigma: w.sigma_alpha, sy: w.sy}
simulation: {end: END, output_step: 0.01, rel_tol: 1e-10, abs_tol: 1e-12}
"""

# A body on a wheel, along a slope.
BODY = """
jounce: 1
name: body
parameters: {v0: 4, slope: 0.1, mu: 1, m: 400, torque: 400}
bodies:
  carriage: {mass: 0.1}
  body: {mass: m}
  wheel: {mass: 20, inertia: [1, 2, 1, 0, 0, 0]}
joints:
  x: {type: prismatic, child: carriage, axis: x}
  z: {type: prismatic, parent: carriage, child: body, axis: z}
  wheel: {type: revolute, parent: body, child: wheel, axis: y DRIVE}
tyres:
  w: {file: TIR, wheel: wheel, scale: {LMUX: mu}, coefficients: {VERTICAL_DAMPING: 5000}}
road: slope*x
"""


class TyreCase(Case):
    def setUp(self):
        super().setUp()
        for path in DATA.glob("*.tir"):
            shutil.copy(path, self.folder.name)


class Rig(TyreCase):
    def rig(self, tir, height, extra="", end=2, *options):
        text = RIG.replace("TIR", tir).replace("EXTRA", extra).replace("END", str(end))
        return self.rows(text, "--set", f"height={height}", "--set", f"omega={20.4 / height}", *options)

    def test_steady_forces_are_those_of_the_formulas(self):
        for tir, height in (("HMMWV_pacejka.tir", 0.4585), ("Sedan_Pac02Tire.tir", 0.326),
                            ("MagicFormula52_Parameters.tir", 0.384),
                            ("MagicFormula61_Parameters.tir", 0.373),
                            ("MagicFormula62_Parameters.tir", 0.376)):
            run = self.rig(tir, height, "", 3)
            last = {k: v[-1] for k, v in run.items()}
            kappa, alpha = -last["vsx"] / last["vx"], math.atan(last["vy"] / last["vx"])
            self.assertAlmostEqual(last["kappa"], kappa, delta=1e-9)
            self.assertAlmostEqual(last["alpha"], alpha, delta=1e-9)
            self.assertAlmostEqual(last["gamma"], 0.03, delta=1e-12)
            cases = self.path("c.csv", "Fz,kappa,alpha,gamma,Vx\n" + ",".join(
                repr(x) for x in (last["Fz"], kappa, alpha, last["gamma"], last["vx"])) + "\n")
            text = jounce("tyre", self.path(tir), "--inputs", cases, "--quiet").stdout
            want = list(csv.DictReader(io.StringIO(text)))[0]
            for name in ("Fx", "Fy", "Mx", "My", "Mz"):
                size = 5000 if name[0] == "F" else 200
                self.assertAlmostEqual(last[name], float(want[name]), delta=1e-7 * size,
                                       msg=f"{tir} {name}")
            # the radius at this load is that of the geometry; of 6.2, whose load loses much to the
            # forces, as far as three rounds get
            cases = self.path("c.csv", "Fz,Fx,Fy,gamma,omega\n" + ",".join(
                repr(x) for x in (last["Fz"], last["Fx"], last["Fy"], 0.03, 20.4 / height)) + "\n")
            text = jounce("tyre", self.path(tir), "--inputs", cases, "--quiet", "--vertical").stdout
            radii = list(csv.DictReader(io.StringIO(text)))[0]
            self.assertAlmostEqual(float(radii["R_l"]), last["R_l"], delta=2e-6 if "62" in tir else 1e-8)
            self.assertAlmostEqual(float(radii["R_e"]), last["R_e"], delta=1e-12)

    def test_other_side_is_the_mirror_image(self):
        names = ("Fx", "Fz", "My"), ("Fy", "Mx", "Mz")
        left = self.rig("HMMWV_pacejka.tir", 0.4585, ", side: left")
        right = self.rig("HMMWV_pacejka.tir", 0.4585, ", side: right", 2, "--set", "steer=-0.04",
                         "--set", "camber=-0.03")
        as_file = self.rig("HMMWV_pacejka.tir", 0.4585)
        for name in names[0]:
            self.assertAlmostEqual(left[name][-1], right[name][-1], delta=1e-9 * abs(left[name][-1]))
        for name in names[1]:
            self.assertAlmostEqual(left[name][-1], -right[name][-1], delta=1e-9 * abs(left[name][-1]))
            self.assertEqual(left[name], as_file[name])

    def test_step_of_slip_angle_has_the_relaxation_length(self):
        for tir, height in (("HMMWV_pacejka.tir", 0.4585), ("MagicFormula61_Parameters.tir", 0.373)):
            # small, where the tyre is linear, and rolling freely; steps of 0.2 m
            small = ("--set", "steer=1e-4", "--set", "camber=0", "--set")
            radius = self.rig(tir, height, "", 1, *small, f"omega={20 / height}")["R_e"][-1]
            run = self.rig(tir, height, "", 1, *small, f"omega={20 / radius}")
            slip, sigma = math.tan(-1e-4), run["sigma"][0]
            for i, s in enumerate(run["sy"][:40]):
                want = slip * (1 - math.exp(-20 * math.cos(1e-4) * 0.01 * i / sigma))
                self.assertAlmostEqual(s / slip, want / slip, delta=1e-4)

    def test_friction_and_coefficients_of_the_model(self):
        base = self.rig("HMMWV_pacejka.tir", 0.4585)
        wet = self.rig("HMMWV_pacejka.tir", 0.4585, ", friction: 0.5")
        same = self.rig("HMMWV_pacejka.tir", 0.4585, ", scale: {LMUX: 0.5, LMUY: v/40}")
        self.assertLess(abs(wet["Fy"][-1]), 0.8 * abs(base["Fy"][-1]))
        self.assertAlmostEqual(wet["Fy"][-1], same["Fy"][-1], delta=1e-9)
        stiff = self.rig("HMMWV_pacejka.tir", 0.4585, ", coefficients: {PKY1: -30, QSY1: 0.02}")
        self.assertAlmostEqual(stiff["My"][-1], 2 * base["My"][-1], delta=1e-9)
        self.assertGreater(stiff["Fy"][-1], 1.05 * base["Fy"][-1])
        also = self.rig("HMMWV_pacejka.tir", 0.4585, "", 2, "--set", "tyres.w.PKY1=-30", "--set",
                        "tyres.w.QSY1=0.02")
        self.assertEqual(stiff["Fy"], also["Fy"])

    def test_combined_slip_of_the_models_choice(self):
        runs = [self.rig("HMMWV_pacejka.tir", 0.4585, f", combined: {how}") for how in
                ("file", "formula", "ellipse")]
        self.assertEqual(runs[0]["Fx"], runs[1]["Fx"])
        self.assertNotAlmostEqual(runs[0]["Fx"][-1], runs[2]["Fx"][-1], delta=1)


class Standstill(TyreCase):
    def text(self, tir, drive, *more):
        return BODY.replace("TIR", tir).replace("DRIVE", drive) + "\n".join(more)

    START = "initial: {x: {value: 0, rate: v0}, z: {value: HEIGHT, rate: slope*v0}}"

    def braked(self, tir, height, tol="1e-8"):
        return self.text(
            tir, ", drive: 0", self.START.replace("HEIGHT", str(height)),
            "sensors: {fx: w.fx, fz: w.fz, speed: x.rate, slip: w.kappa}",
            "objectives: {where: {final: x}}",
            f"simulation: {{end: 6, output_step: 0.01, rel_tol: {tol}, abs_tol: {tol}}}")

    def test_a_braked_body_comes_to_rest_on_a_slope(self):
        for tir, height in (("Sedan_Pac02Tire.tir", 0.33), ("HMMWV_pacejka.tir", 0.459),
                            ("MagicFormula61_Parameters.tir", 0.38),
                            ("MagicFormula62_Parameters.tir", 0.38)):
            run = self.rows(self.braked(tir, height))
            # at rest: what pulls down the slope is what the tyre holds
            self.assertLess(abs(run["speed"][-1]), 1e-6, tir)
            self.assertLess(abs(run["x"][-1] - run["x"][-101]), 1e-6, tir)
            weight = 420 * 9.81
            self.assertAlmostEqual(run["fz"][-1], weight / math.hypot(1, 0.1), delta=1e-3 * weight)
            self.assertAlmostEqual(run["fx"][-1], 0.1 * run["fz"][-1], delta=1e-4 * weight)
            # it stops as friction has it and swings back by what the tyre gives: friction over stiffness, 5 cm
            farthest = max(run["x"])
            self.assertLess(abs(farthest - 16 / (2 * 9.81 * 1.1)), 0.3, tir)
            self.assertLess(farthest - run["x"][-1], 0.08, tir)
            self.assertLess(self.report.count(" s  "), 20, tir)

    def test_derivatives_of_where_it_stops(self):
        for tir, height in (("Sedan_Pac02Tire.tir", 0.33), ("MagicFormula61_Parameters.tir", 0.38)):
            path = self.path("m.yaml", self.braked(tir, height, "1e-11"))
            names = "v0,slope,mu,m,tyres.w.PKX1,tyres.w.PDX1,tyres.w.VERTICAL_STIFFNESS"
            out = json.loads(jounce("sens", path, "--interpreter", "--wrt", names, "--json",
                                    "--quiet").stdout)
            for name in names.split(","):
                value = out["objectives"]["where"]["gradient"][name]
                # differences of runs at a tolerance of 1e-11: 1e-6 of the derivative
                self.assertAlmostEqual(value / self.difference(path, name), 1, delta=1e-6,
                                       msg=f"{tir} {name}")

    def value(self, path, name):
        data = json.loads(jounce("info", path, "--json", "--quiet").stdout)
        for p in data["parameters"]:
            if p["name"] == name:
                return p["value"]
        tir = next(l.split("file: ")[1].split(",")[0] for l in Path(path).read_text(
            encoding="utf-8").splitlines() if "file: " in l)
        data = json.loads(jounce("tyre", self.path(tir), "--json", "--quiet").stdout)
        return data["coefficients"][name.split(".")[-1]]

    def difference(self, path, name):
        x = self.value(path, name)

        def final(value):
            out = json.loads(jounce("run", path, "--interpreter", "--json", "--quiet", "--set",
                                    f"{name}={value!r}").stdout)
            return out["objectives"]["where"]

        def central(h):
            return (final(x * (1 + h)) - final(x * (1 - h))) / (2 * h * x)

        # Richardson
        h = 2e-4
        return (4 * central(h / 2) - central(h)) / 3

    def test_a_body_drives_off_up_a_slope(self):
        text = self.text(
            "HMMWV_pacejka.tir", "", "initial: {z: {value: 0.4587, rate: 0}}",
            "forces: {motor: {on: wheel, torque: drive}}",
            "signals: {drive: torque*(1 - exp(-t))}",
            "states: {work: {derivative: w.power + drive*wheel.rate}}",
            "sensors: {fx: w.fx, fz: w.fz, speed: x.rate, my: w.my, done: work, spin: w.spin}",
            "simulation: {end: 6, output_step: 0.01, rel_tol: 1e-10, abs_tol: 1e-10}")
        for torque, slope in ((600, 0.1), (1500, 0.1), (4000, 0.0)):
            run = self.rows(text, "--set", f"torque={torque}", "--set", f"slope={slope}")
            self.assertGreater(run["speed"][-1], 2.0)
            # energy: what the tyre and the motor put in
            e = [k + p - w for k, p, w in zip(run["energy.kinetic"], run["energy.potential"], run["done"])]
            self.assertLess(max(e) - min(e), 1e-6 * max(run["energy.kinetic"]))
            self.assertLess(self.report.count(" s  "), 30)

    def test_rolling_without_drive_comes_to_rest_on_the_level(self):
        text = self.text("HMMWV_pacejka.tir", "", self.START.replace("HEIGHT", "0.4587"),
                         "sensors: {speed: x.rate, my: w.my}", "simulation: {end: 30, output_step: 0.1}")
        run = self.rows(text, "--set", "slope=0", "--set", "v0=1")
        # rolling resistance is all there is: 1 % of g
        self.assertAlmostEqual(run["speed"][20], 1 - 2 * 0.01 * 9.81, delta=0.03)
        self.assertLess(abs(run["speed"][-1]), 1e-3)

    def test_static_equilibrium_is_without_friction(self):
        text = self.text("MagicFormula62_Parameters.tir", "",
                         "initial: {z: {value: 0.38, rate: 0}}", "sensors: {fx: w.fx, fz: w.fz}")
        out = json.loads(jounce("static", self.path("m.yaml", text), "--json", "--quiet", "--set",
                                "slope=0").stdout)
        self.assertEqual(out["sensors"]["fx"], 0.0)
        self.assertAlmostEqual(out["sensors"]["fz"], 420 * 9.81, delta=1e-6)
        self.assertEqual(out["coordinates"]["x"], 0.0)

    def test_it_lands(self):
        text = self.text("MagicFormula62_Parameters.tir", "",
                         "initial: {x: {value: 0, rate: 10}, z: {value: 0.5, rate: 0}, wheel: {value: 0, rate: 0}}",
                         "sensors: {fx: w.fx, fz: w.fz, speed: x.rate}",
                         "simulation: {end: 3, output_step: 0.01}")
        run = self.rows(text, "--set", "slope=0")
        self.assertEqual(run["fz"][0], 0.0)
        self.assertEqual(run["fx"][0], 0.0)
        self.assertGreater(max(run["fz"]), 2 * 420 * 9.81)
        # spun up
        self.assertGreater(run["speed"][-1], 8.0)


class Car(unittest.TestCase):
    MODEL = "models/car/launch_and_stop.yaml"

    def test_it_drives_off_and_stands_without_chatter(self):
        out = json.loads(jounce("run", self.MODEL, "--json", "--quiet").stdout)
        # the creep is that of the brakes: torque of the slope over their slope, times the radius
        weight = (1350 + 4 * 35) * 9.81
        creep = 0.05 * weight / 4 * 0.33 / (1500 * 20) * 0.33
        self.assertAlmostEqual(out["objectives"]["rest"], -creep, delta=0.1 * creep)
        self.assertGreater(out["objectives"]["where"], 10)
        self.assertLess(len(out["events"]), 10)

    def test_it_stands_across_a_slope(self):
        text = f"""
jounce: 1
name: across
include: {os.path.abspath("models/car/vehicle.yaml")}
parameters: {{slope: 0.1, brake: 1500}}
signals: {{pedal: 1}}
road: slope*y
initial: {{chassis.roll: {{value: atan(slope), rate: 0}}}}
objectives: {{y: {{final: chassis.y}}, vy: {{final: chassis.y.rate}}, yaw: {{final: chassis.yaw.rate}}}}
simulation: {{end: 8, output_step: 0.01}}
"""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "across.yaml")
            Path(path).write_text(text, encoding="utf-8")
            out = json.loads(jounce("run", path, "--interpreter", "--json", "--quiet").stdout)
        self.assertLess(abs(out["objectives"]["vy"]), 1e-6)
        self.assertLess(abs(out["objectives"]["yaw"]), 1e-6)
        # it gives by weight across over the stiffness of four tyres, and no more
        self.assertLess(abs(out["objectives"]["y"]), 0.01)

    def test_static(self):
        out = json.loads(jounce("static", "models/car/vehicle.yaml", "--json", "--quiet").stdout)
        self.assertEqual(out["held"], 7)

    def test_derivatives_are_differences(self):
        wrt = {"drive": 500.0, "tyres.rl.PKX1": 22.303}
        out = json.loads(jounce("sens", self.MODEL, "--wrt", ",".join(wrt), "--tol", "1e-10", "--json",
                                "--quiet").stdout)
        for name, value in wrt.items():
            h = 1e-3 * value
            ends = [json.loads(jounce("run", self.MODEL, "--tol", "1e-11", "--json", "--quiet", "--set",
                                      f"{name}={value + d!r}").stdout)["objectives"]["where"]
                    for d in (h, -h)]
            # of second order, and the stated error of the derivative is 1e-6
            got = out["objectives"]["where"]["gradient"][name]
            self.assertAlmostEqual(got / ((ends[0] - ends[1]) / (2 * h)), 1, delta=1e-5, msg=name)


class Mistakes(TyreCase):
    def refused(self, extra, *parts):
        text = RIG.replace("TIR", "HMMWV_pacejka.tir").replace("EXTRA", extra).replace("END", "1")
        done = jounce("check", self.path("m.yaml", text), code=1)
        for part in parts:
            self.assertIn(part, done.stderr)
        self.assertIn("m.yaml:", done.stderr)
        self.assertIn("tyre 'w'", done.stderr)

    def test_what_is_refused(self):
        self.refused(", sides: left", "unknown key 'sides'; did you mean 'side'?")
        self.refused(", side: up", "left or right")
        self.refused(", scale: {LMUZ: 1}", "unknown scale factor 'LMUZ'; did you mean 'LMUX'?")
        self.refused(", scale: {PKY1: 1}", "unknown scale factor 'PKY1'")
        self.refused(", coefficients: {PKY11: 1}", "unknown coefficient 'PKY11'; did you mean 'PKY1'?")
        self.refused(", coefficients: {LMUX: 1}, scale: {LMUX: 1}", "LMUX is given twice")
        self.refused(", pressure: 200000", "MF 5.2 have none")
        self.refused(", friction: 0", "friction")
        self.refused(", scale: {LMUY: -1}", "LMUY")
        self.refused(", coefficients: {FNOMIN: w.fz}", "FNOMIN")
        self.refused(", radius: 0.3", "unknown key 'radius'")

    def test_forces_that_point_the_wrong_way(self):
        """Whoever gives the coefficient: the file, the model, --set, a parameter, a point of a sweep."""
        tir = (DATA / "MagicFormula61_Parameters.tir").read_text(encoding="utf-8")
        lines = tir.splitlines()
        line = next(i for i, l in enumerate(lines) if l.startswith("PKX1 "))
        plain = RIG.replace("END", "0.01") + "objectives: {fx: {final: w.fx}}\n"
        for value, code, said in (("-20", 1, "longitudinal slip stiffness at the nominal load (from PKX1, PPX1, PPX2) is -20"),
                                  ("20", 0, "the longitudinal slip stiffness (PKX1, PKX2) changes its sign at a load of 1.174e+04 N")):
            self.path("set.tir", "\n".join(lines[:line] + [f"PKX1 = {value}"] + lines[line + 1:]))
            in_file = plain.replace("TIR", "set.tir").replace("EXTRA", "")
            in_model = plain.replace("TIR", "MagicFormula61_Parameters.tir")
            by_parameter = in_model.replace("EXTRA", ", coefficients: {PKX1: k}").replace("{v: 20,", "{v: 20, k: 50,")
            for text, options in ((in_file, ()), (in_model.replace("EXTRA", f", coefficients: {{PKX1: {value}}}"), ()),
                                  (in_model.replace("EXTRA", ""), ("--set", f"tyres.w.PKX1={value}")),
                                  (by_parameter, ("--set", f"k={value}"))):
                path = self.path("m.yaml", text)
                for command in (("check",), ("run",), ("sens", "--wrt", "v")):
                    self.assertIn(said, jounce(command[0], path, *command[1:], *options, code=code).stderr)
            for batch in ((), ("--batch",)):
                done = jounce("sweep", self.path("m.yaml", by_parameter), "--param", f"k={value}:60:3", "--wrt", "none", *batch)
                self.assertIn(said, done.stderr)
                self.assertIn(f"from k = {value}", done.stderr)
        # silent where all is well, also with a pressure that changes
        for extra in ("", ", pressure: 200000 + 1000*t", ", coefficients: {PKX1: 50.3}"):
            self.assertNotIn("stiffness", jounce("check", self.path("m.yaml", in_model.replace("EXTRA", extra))).stderr)

    def test_forces_that_drive_what_slides(self):
        """A shape factor above 2, whoever gives it."""
        said = "the longitudinal force points along the sliding velocity"
        plain = RIG.replace("END", "0.01") + "objectives: {fx: {final: w.fx}}\n"
        for name in ("MagicFormula52_Parameters.tir", "MagicFormula61_Parameters.tir", "MagicFormula62_Parameters.tir"):
            in_model = plain.replace("TIR", name)
            by_parameter = in_model.replace("EXTRA", ", scale: {LCX: k}").replace("{v: 20,", "{v: 20, k: 1,")
            for text, options in ((in_model.replace("EXTRA", ", coefficients: {PCX1: 3}"), ()),
                                  (in_model.replace("EXTRA", ""), ("--set", "tyres.w.PCX1=3")),
                                  (by_parameter, ("--set", "k=1.9"))):
                path = self.path("m.yaml", text)
                for command in (("check",), ("run",), ("sens", "--wrt", "v")):
                    self.assertEqual(jounce(command[0], path, *command[1:], *options).stderr.count(said), 1)
            for batch in ((), ("--batch",)):
                done = jounce("sweep", self.path("m.yaml", by_parameter), "--param", "k=1:2:3", "--wrt", "none", *batch)
                self.assertEqual(done.stderr.count(said), 1)
                self.assertRegex(done.stderr, "from k = [12]")
            for extra in ("", ", friction: 1 + 0.1*sin(t)", ", scale: {LCX: 1.2}"):
                self.assertNotIn("sliding velocity", jounce("check", self.path("m.yaml", in_model.replace("EXTRA", extra))).stderr)
            # friction that is not known before the run
            text = in_model.replace("EXTRA", ", friction: 1 + 0.1*sin(t), coefficients: {PCX1: 3}")
            self.assertIn(said, jounce("check", self.path("m.yaml", text)).stderr)

    def test_pressure_that_turns_a_force_round(self):
        plain = RIG.replace("END", "0.01").replace("TIR", "MagicFormula62_Parameters.tir")
        said = "cornering stiffness at the nominal load"
        for pressure, code in (("780000", 1), ("260000", 0), ("780000*v/20", 1), ("260000*v/20", 0)):
            text = plain.replace("EXTRA", f", pressure: {pressure}, coefficients: {{PPY1: -0.9}}")
            done = jounce("check", self.path("m.yaml", text), code=code)
            self.assertEqual(said in done.stderr, code == 1, done.stderr)
        # at any pressure
        text = plain.replace("EXTRA", ", pressure: 260000 + 10*t, coefficients: {PKY1: -20}")
        self.assertIn(said, jounce("check", self.path("m.yaml", text), code=1).stderr)

    def test_files(self):
        text = RIG.replace("EXTRA", "").replace("END", "1")
        done = jounce("check", self.path("m.yaml", text.replace("TIR", "none.tir")), code=1)
        self.assertIn("'none.tir' is no file beside this one", done.stderr)
        self.path("bad.tir", (DATA / "HMMWV_pacejka.tir").read_text(encoding="utf-8").replace(
            "= 0.0012297", "= oops"))
        done = jounce("check", self.path("m.yaml", text.replace("TIR", "bad.tir")), code=1)
        self.assertIn("bad.tir:", done.stderr)
        self.assertIn("PHX1 is 'oops'", done.stderr)
        self.assertIn("'bad.tir' cannot be used", done.stderr)

    def test_the_file_is_part_of_the_model(self):
        text = RIG.replace("EXTRA", "").replace("END", "1").replace("TIR", "HMMWV_pacejka.tir")
        path = self.path("m.yaml", text)
        first = json.loads(jounce("info", path, "--json").stdout)["sha256"]
        with open(self.path("HMMWV_pacejka.tir"), "a", encoding="utf-8") as f:
            f.write("\n$ changed\n")
        self.assertNotEqual(json.loads(jounce("info", path, "--json").stdout)["sha256"], first)


if __name__ == "__main__":
    unittest.main()
