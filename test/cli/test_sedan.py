#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The sedan with semi-active dampers: mirror images stay mirror images, bars and valves do what they are for, and
derivatives of both studies are those of the plain command."""
import csv
import json
import tempfile
import unittest
from pathlib import Path

from program import jounce

MODELS = Path("models/sedan").resolve()


class Sedan(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def short(self, name, end, objectives):
        """The model of a study, cut short, with objectives that look at its end or at all of it."""
        path = self.folder / "model.yaml"
        path.write_text(f"jounce: 1\ninclude: {MODELS / name}\n{objectives}"
                        f"simulation: {{end: {end}, start_at: static, tolerance: 1.0e-9}}\n",
                        encoding="utf-8")
        return path

    def value(self, path, name, *args):
        found = json.loads(jounce("run", str(path), "--json", "--quiet", *args).stdout)
        return found["objectives"][name]

    def test_straight_on_nothing_goes_aside(self):
        out = self.folder / "out.csv"
        jounce("run", str(MODELS / "sedan.yaml"), "--end", "1", "--quiet", "--interpreter", "-o", str(out))
        lines = out.read_text(encoding="utf-8").splitlines()
        rows = list(csv.reader(line for line in lines if not line.startswith("#")))
        for name in ("chassis.y", "chassis.yaw", "chassis.roll"):
            column = next(i for i, c in enumerate(rows[0]) if c.split(" ")[0] == name)
            values = [abs(float(r[column])) for r in rows[1:] if r[column].strip("-+.e0123456789") == ""]
            self.assertGreater(len(values), 50)
            self.assertLess(max(values), 1e-13, name)

    def check_derivatives(self, path, objective, numbers, tolerance, wrt=None):
        ways = [json.loads(jounce("sens", str(path), "--json", "--quiet", "--method", m, "--wrt",
                                  wrt or ",".join(numbers)).stdout)["objectives"] for m in ("direct", "adjoint")]
        direct, adjoint = (w[objective]["gradient"] for w in ways)
        for name, (value, step) in numbers.items():
            f = [self.value(path, objective, "--set", f"{name}={value + k * step!r}", "--tol", "1e-11")
                 for k in (-2, -1, 1, 2)]
            quotient = (8 * (f[2] - f[1]) - (f[3] - f[0])) / (12 * step)
            scale = max(abs(quotient), 1e-3 * abs(f[1] / value))
            self.assertAlmostEqual(direct[name], quotient, delta=tolerance * scale, msg=name)
            self.assertAlmostEqual(adjoint[name], quotient, delta=tolerance * scale, msg=name)

    def on_the_posts(self):
        """All its objectives at the beginning of the shaking; the last are of the speeds of two dampers."""
        whole = "window: [0, 0.3]"
        return self.short("four_poster.yaml", 0.3,
                          f"objectives:\n  rms: {{rms: chassis.driver.az, {whole}}}\n"
                          f"  comfort: {{rms: chassis.driver.az, {whole}}}\n"
                          f"  power_fl: {{mean: damper_fl.damper.rate^2, {whole}}}\n"
                          f"  power_rl: {{mean: damper_rl.damper.rate^2, {whole}}}\n")

    def test_derivatives_on_the_four_poster(self):
        self.check_derivatives(self.on_the_posts(), "rms",
                               {"current": (0.6, 0.005), "K_front": (1800, 12.5),
                                "pipe_length": (0.25, 0.00125)}, 1e-7)

    # of both tests in the corner, so that they share what the compiler makes
    CORNER = "hardpoints.fl.TU.z,tyres.tyre_fl.tyre.PKY1,K_front,K_rear"

    def test_derivatives_in_the_corner(self):
        """Slip angles pass zero on the way, where the friction ellipse of the tyres has its corner."""
        self.check_derivatives(self.short("cornering.yaml", 1.15, ""), "turn",
                               {"hardpoints.fl.TU.z": (-0.05, 5e-4), "tyres.tyre_fl.tyre.PKY1": (-21.92, 0.2)}, 1e-7,
                               self.CORNER)

    def test_more_current_is_more_damping(self):
        path = self.on_the_posts()
        low, high = (self.value(path, "power_fl", "--set", f"current={i}") for i in (0.3, 1.5))
        self.assertLess(high, low)

    def controlled(self, **numbers):
        sets = [a for k, v in numbers.items() for a in ("--set", f"{k}={v}")]
        return json.loads(jounce("run", str(MODELS / "four_poster_skyhook.yaml"), "--json", "--quiet", "--tol",
                                 "1e-4", *sets).stdout)["objectives"]

    def test_hooks_do_what_they_are_for(self):
        """Near the mode of the body the skyhook is as good as hard dampers, between the modes as good as soft ones;
        near wheel hop the groundhook holds the wheel better than soft dampers, but not better than hard ones."""
        soft, hard, sky = (self.controlled(law=i) for i in (1, 3, 4))
        self.assertLess(sky["rms"], 0.5 * soft["rms"])
        self.assertLess(sky["rms"], hard["rms"])
        soft, hard, sky = (self.controlled(law=i, frequency=3) for i in (1, 3, 4))
        self.assertLess(sky["rms"], 1.02 * soft["rms"])
        self.assertLess(sky["rms"], 0.75 * hard["rms"])
        soft, hard, ground = (self.controlled(law=i, frequency=14) for i in (1, 3, 5))
        self.assertLess(ground["load_f"], 0.92 * soft["load_f"])
        self.assertLess(ground["rms"], 0.85 * hard["rms"])
        self.assertLess(hard["load_f"], ground["load_f"])

    def test_derivatives_by_gains(self):
        path = self.short("four_poster_skyhook.yaml", 0.4,
                          "parameters: {frequency: 5}\nobjectives:\n  rms: {window: [0, 0.4]}\n"
                          "  load_f:\n  load_r:\n")
        self.check_derivatives(path, "rms", {"ground_gain": (10, 0.0625)}, 1e-7)

    def test_understeer_gradient(self):
        """Stiffer front bar: more of it, rear bar: less. Its slope by derivatives is that between two corners."""
        path = self.short("cornering_steady.yaml", 4, "")
        found = json.loads(jounce("sens", str(path), "--json", "--quiet", "--tol", "1e-7", "--wrt",
                                  "K_front,K_rear,steer").stdout)["objectives"]
        understeer, push = found["understeer"], found["push"]
        self.assertAlmostEqual(understeer["value"], 2.869e-3, delta=2e-6)
        self.assertGreater(understeer["gradient"]["K_front"], 0)
        self.assertLess(understeer["gradient"]["K_rear"], 0)
        self.assertLess(found["roll_gradient"]["gradient"]["K_front"], 0)
        self.assertLess(found["roll_gradient"]["gradient"]["K_rear"], 0)
        low, high = (self.value(path, "push", "--set", f"steer={s}") for s in (0.0079, 0.0081))
        self.assertAlmostEqual(2e-4 / (high - low), 1 / push["gradient"]["steer"], delta=1e-3 / push["gradient"]["steer"])
        self.assertGreater(7.7114 / push["gradient"]["steer"] - 2.84 / 400, understeer["value"])

    def test_bars_decide_between_understeer_and_oversteer(self):
        path = self.short("cornering.yaml", 2.5, "")
        found = json.loads(jounce("sens", str(path), "--json", "--quiet", "--method", "direct", "--wrt", self.CORNER).stdout)
        turn = found["objectives"]["turn"]
        self.assertGreater(turn["value"], 0)
        self.assertLess(turn["gradient"]["K_front"], 0)
        self.assertGreater(turn["gradient"]["K_rear"], 0)

    def test_stiff_bushes_are_ball_joints(self):
        # links without weight; what is left of each number is off by one over the stiffness
        light = "{parameters: {link_mass: 1.0e-9, link_inertia: 0.1}}"
        path = self.folder / "stiff.yaml"
        path.write_text(f"jounce: 1\ninclude: {MODELS / 'sedan_bushes.yaml'}\n"
                        f"instances: {{fl: {light}, rl: {light}}}\n", encoding="utf-8")

        def static(path, *args):
            found = json.loads(jounce("static", str(path), "--interpreter", "--json", "--quiet", *args).stdout)
            return {**found["coordinates"], **found["sensors"]}

        rigid = static(MODELS / "sedan.yaml")
        soft, hard = (static(path, "--set", "bush_twist=0", "--set", f"bush_stiffness={f}") for f in (4, 8))
        for name in ("chassis.z", "chassis.pitch", "fl.upright.yaw", "fl.upright.roll", "rl.upright.yaw",
                     "rl.upright.roll", "rr.upright.z", "load_fl", "load_rl"):
            off = [soft[name] - rigid[name], hard[name] - rigid[name]]
            self.assertGreater(abs(off[0]), 1e-5, name)
            self.assertAlmostEqual(off[0] / off[1], 2, delta=0.01, msg=name)
            # the next order: a part of 2e-4 of the first
            self.assertAlmostEqual(2 * hard[name] - soft[name], rigid[name], delta=1e-3 * abs(off[0]), msg=name)

    def test_with_bushes_it_runs(self):
        for name, end in (("four_poster", 0.05), ("cornering", 1.5)):
            path = self.short(f"{name}_bushes.yaml", end, "objectives: {%s}\n" % (
                "rms: , comfort: , power_fl: , power_rl: , low: {final: chassis.z}" if name == "four_poster"
                else "low: {final: chassis.wz}"))
            jounce("run", str(path), "--json", "--quiet", "--interpreter", "--tol", "1e-6")


if __name__ == "__main__":
    unittest.main()
