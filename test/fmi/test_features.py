#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exports of what changes at instants and of what is read at run time: generated C and FMUs give the digits of
`jounce run`, and an FMU whose run ends on a condition says so. test_features.py JOUNCE"""
import ctypes
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from importer import DISCARD, Failed, Fmu, instantiate

JOUNCE = os.path.abspath(sys.argv.pop(1))

# couplings, massless links, any attitude, events, samplers, delays, frictions, functions, units, a road from a file
EVERYTHING = """jounce: 1
name: everything
description: One of each, all in one run
parameters:
  speed: {value: 54 km/h, unit: km/h}
  stiffness: 20 N/mm
  kp: 40
  T: 20 ms
  ratio: 2.5
  restitution: 0.7
functions:
  limited: {of: [u, most], value: most*tanh(u/most)}
road: {profile: profile.csv}
hardpoints: {A: [0, 5, 0], B: [0, 5, -0.2], C: [0.5, 5, -0.2], D: [0.5, 5, 0.1]}
bodies:
  slide: {mass: 1}
  sprung: {mass: 300 kg}
  wheel: {mass: 40}
  cart: {mass: 1}
  pinion: {mass: 0.1, inertia: [0.01, 0.01, 0.01]}
  block: {mass: 1}
  handle: {mass: 200 g, inertia: [3.0e-4, 2.0e-4, 1.0e-4]}
  crank: {mass: 1, com: B, inertia: [0.01, 0.01, 0.01]}
  rod: {}
  rocker: {mass: 1, com: C, inertia: [0.02, 0.02, 0.02]}
joints:
  along: {type: prismatic, child: slide, axis: x, drive: speed*t}
  heave: {type: prismatic, parent: slide, child: sprung, axis: z}
  hop: {type: prismatic, parent: slide, child: wheel, axis: z}
  x: {type: prismatic, axis: x, child: cart}
  pinion: {type: revolute, axis: -y, child: pinion}
  rub: {type: prismatic, axis: x, child: block}
  handle: {type: free, child: handle, angles: any}
  crank: {type: revolute, child: crank, at: A, axis: y, independent: true}
  rod: {type: universal, parent: crank, child: rod, at: B, axis: y, axis2: z}
  rocker: {type: revolute, child: rocker, at: D, axis: y}
closures:
  ball: {type: ball, a: rod.C, b: rocker.C}
couplings:
  rack: {gear: [x, pinion], ratio: ratio}
frictions:
  grip: {on: rub, force: 3, static: 5}
states:
  u: {discrete: true, unit: N}
  bounces: {discrete: true}
events:
  bounce: {when: "handle.z < 0", set: {handle.z.rate: -restitution*handle.z.rate, bounces: bounces + 1}}
samplers:
  control: {every: T, delay: 5 ms, set: {u: "kp*(1 - x) - 8*x.rate"}}
delays:
  seen: {of: x, time: 100 ms}
forces:
  strut: {between: [sprung.com, wheel.com], stiffness: stiffness, damping: 1500, free_length: 700 mm}
  actuator: {on: x, force: "-limited(u, 15)"}
  pull: {on: rub, force: "100*(rub - 0.2*t) + 0.1*seen"}
  swing: {on: crank, torque: "-2*sin(3*t)"}
tyres:
  tyre: {wheel: wheel, radius: 0.3, stiffness: 200 N/mm, damping: 50, kappa_c: 0.1, alpha_c: 0.1, mu_x: 0, mu_y: 0}
sensors: {load: tyre.fz, command: u, sticks: grip.sticking, count: bounces, late: seen, yaw: handle.yaw, tooth: rack.force}
objectives:
  ride: {rms: sprung.com.az}
  place: {final: x}
  rubbed: {final: rub}
  spun: {final: handle.pitch + handle.wy}
  swung: {final: crank}
initial:
  heave: 840 mm
  hop: 0.283
  handle.z: {value: 1, rate: 2}
  handle.turn_y: {rate: 12}
  handle.turn_x: {rate: 3}
simulation: {end: 1.21}
"""

# a ball bounces on while a quarter of a car rides, until it has bounced three times
ENDS = """jounce: 1
name: ends
parameters: {speed: 15 m/s, restitution: 0.8}
road: {iso8608: {class: C, seed: 3, length: 200, start: -10}}
bodies:
  slide: {mass: 1}
  wheel: {mass: 300}
  ball: {mass: 1}
joints:
  along: {type: prismatic, child: slide, axis: x, drive: speed*t}
  hop: {type: prismatic, parent: slide, child: wheel, axis: z}
  z: {type: prismatic, axis: z, child: ball}
tyres:
  tyre: {wheel: wheel, radius: 0.3, stiffness: 200 N/mm, damping: 500, kappa_c: 0.1, alpha_c: 0.1, mu_x: 0, mu_y: 0}
states: {n: {discrete: true}}
events: {bounce: {when: "z < 0", set: {z.rate: -restitution*z.rate, n: n + 1}}}
sensors: {load: tyre.fz}
objectives:
  height: {mean: z}
  early: {rms: hop, window: [0.1, 0.3]}
initial: {z: 1, hop: 0.29}
simulation: {end: 5, end_when: "n > 2.5"}
"""


def jounce(*args):
    done = subprocess.run([JOUNCE, *map(str, args)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(f"jounce {args}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


class Features(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def model(self, text):
        rows = (f"{i*0.1:.1f},{0.02*math.sin(i*0.3):.6f},{0.01*math.cos(i*0.2):.6f}" for i in range(300))
        (self.folder / "profile.csv").write_text("x,left,right\n" + "\n".join(rows) + "\n", encoding="utf-8")
        path = self.folder / "model.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    def run_of(self, path):
        return json.loads(jounce("run", path, "--json", "--interpreter"))

    def export(self, path, *options):
        out = self.folder / "model.fmu"
        jounce("export", "fmu", path, "-o", out, "--no-derivatives", *options)
        return Fmu(out, self.folder / "fmu")

    def same(self, it, run):
        names = set(it.fmu.description.by_name)
        for name, value in run["objectives"].items():
            self.assertEqual(it.value("objectives." + name), value, name)
        seen = {n: v for n, v in run["final"].items() if n in names}
        self.assertGreater(len(seen), 0)
        for name, value in seen.items():
            self.assertEqual(it.value(name), value, name)

    def test_all_of_them_in_one_run(self):
        path = self.model(EVERYTHING)
        run = self.run_of(path)
        self.assertGreater(len(run["events"]), 200)
        self.assertGreater(run["final"]["count"], 0)
        with instantiate(self.export(path), "cs") as it:
            it.initialize(0.0)
            it.do_step(0.0, 1.21)
            self.same(it, run)
        jounce("generate", path, "-o", self.folder / "c")
        sources = [str(p) for p in sorted((self.folder / "c").rglob("*.c"))]
        subprocess.run(["cc", "-std=gnu17", "-O0", "-ffp-contract=off", "-I", str(self.folder / "c"), *sources, "-o",
                        str(self.folder / "c" / "model"), "-lm"], check=True)
        said = subprocess.run([str(self.folder / "c" / "model")], capture_output=True, text=True, check=True).stdout
        found = dict(line.split()[::2][:2] for line in said.splitlines() if line.split()[1:2] == ["="])
        for name, value in run["objectives"].items():
            self.assertEqual(float(found[name]), value, name)

    def test_a_condition_ends_an_fmu(self):
        path = self.model(ENDS)
        run = self.run_of(path)
        self.assertEqual(run["ended_by"], "end_when")
        self.assertLess(run["t_reached"], 4)
        fmu = self.export(path)
        with instantiate(fmu, "cs") as it:
            it.initialize(0.0)
            reached = it.do_step(0.0, 5.0, may_end=True)
            self.assertTrue(it.ended)
            self.assertEqual(reached[2], run["t_reached"])
            self.same(it, run)

    def test_a_condition_ends_an_fmu_of_version_2(self):
        path = self.model(ENDS)
        run = self.run_of(path)
        with instantiate(self.export(path, "--fmi", "2"), "cs") as it:
            it.initialize(0.0)
            with self.assertRaises(Failed) as failed:
                it.do_step(0.0, 5.0)
            self.assertEqual(failed.exception.status, DISCARD)
            ended, at = ctypes.c_int(), ctypes.c_double()
            it.call("GetBooleanStatus", ctypes.c_int(3), ctypes.byref(ended))  # fmi2Terminated
            it.call("GetRealStatus", ctypes.c_int(2), ctypes.byref(at))  # fmi2LastSuccessfulTime
            self.assertEqual((ended.value, at.value), (1, run["t_reached"]))
            self.same(it, run)


if __name__ == "__main__":
    unittest.main()
