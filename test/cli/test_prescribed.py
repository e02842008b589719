#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models without degrees of freedom: every joint is driven or follows from loops. All commands give right numbers."""
import csv
import json
import math
import os
import subprocess
import unittest
from pathlib import Path

from case import Case
from program import jounce

FOUR_BAR = Path("models/mechanisms/four_bar.yaml").resolve()

# A crank that is driven: a rocker that follows, a lag behind its rate, a filtered integral, an event.
LOOP = f"""
jounce: 1
name: driven crank
include: {FOUR_BAR}
parameters: {{w: 5, lag: 0.1}}
joints: {{crank: {{drive: w*t + 0.3*sin(3*t), independent: }}}}
initial: {{crank: }}
states: {{late: {{derivative: (rocker.rate - late)/lag, initial: 0.2}}}}
objectives:
  x: {{final: coupler.C.x}}
  z: {{final: late}}
  square: {{integral: rocker.rate^2, filter: lowpass, frequency: 5}}
  half: {{integral: "if(rocker.rate > 0, rocker.rate, 0)"}}
simulation: {{end: 1, method: METHOD, tolerance: 1.0e-10}}
"""

# The same without anything but the loop: neither degrees of freedom nor states, quadratures are all there is.
BARE = f"""
jounce: 1
name: driven crank
include: {FOUR_BAR}
parameters: {{w: 5}}
joints: {{crank: {{drive: w*t, independent: }}}}
initial: {{crank: }}
simulation: {{end: 1, method: METHOD}}
"""

# Crank and rod of lengths l and lr, the slider on x: s = l cos(a) + sqrt(lr^2 - l^2 sin(a)^2)
SLIDER = """
jounce: 1
name: slider
parameters: {l: 0.5, w: 8, lr: 0.6}
bodies:
  crank: {mass: 1, com: [l/2, 0, 0], inertia: [0, 0.02, 0.02], points: {tip: [l, 0, 0]}}
  rod: {mass: 1, com: [lr/2, 0, 0], inertia: [0, 0.03, 0.03], points: {tip: [lr, 0, 0]}}
  slider: {mass: 0.7}
joints:
  crank: {type: revolute, child: crank, at: [[0, 0, 0], crank.origin], axis: [-y, -crank.y], drive: 0.6 + w*t}
  rod: {type: revolute, parent: crank, child: rod, at: [crank.tip, rod.origin], axis: [-crank.y, -rod.y], guess: -1.2}
  s: {type: prismatic, child: slider, at: [[0, 0, 0], slider.origin], axis: [x, slider.x], guess: 0.8}
closures:
  pin: {type: point_on_line, line: {point: slider.origin, direction: slider.y}, point: rod.tip}
objectives: {x: {final: s}, v: {final: s.rate}, q: {integral: s.rate^2}}
simulation: {end: 1, method: METHOD, tolerance: 1.0e-10}
"""

# A tree in which two states, an oscillator, drive a joint: z = cos(r t)/10 + w/r sin(r t), r^2 = k
TREE = """
jounce: 1
name: tree
gravity: [0, 0, -9.81]
parameters: {w: 5, k: 3}
bodies:
  a: {mass: 2, com: [0.4, 0, 0], inertia: [0.1, 0.1, 0.1], points: {tip: [0.8, 0, 0]}}
  b: {mass: 2, com: [0.4, 0, 0], inertia: [0.1, 0.1, 0.1]}
joints:
  one: {type: revolute, child: a, axis: y, drive: z}
  two: {type: revolute, parent: a, child: b, at: [a.tip, b.origin], axis: y, drive: sin(w*t)}
states: {z: {derivative: v, initial: 0.1}, v: {derivative: -k*z, initial: w}}
objectives: {x: {final: one}, y: {final: two}, e: {integral: energy.kinetic}}
simulation: {end: 1, method: METHOD, tolerance: 1.0e-10}
"""

# Not a single state.
NOTHING = """
jounce: 1
name: nothing
parameters: {w: 5}
bodies: {b: {mass: 1}}
joints: {j: {type: prismatic, axis: z, child: b, drive: sin(w*t)}}
objectives: {x: {final: j}}
simulation: {end: 1, method: METHOD}
"""

MODELS = {"loop": (LOOP, ["w", "lag"]), "bare": (BARE, ["w"]), "slider": (SLIDER, ["w", "l", "lr"]),
          "tree": (TREE, ["w", "k"]), "nothing": (NOTHING, ["w"])}
METHODS = {"auto": "", "dopri5": "", "esdirk5": "", "rk4": ", step: 0.002", "imex4": ", step: 0.002"}


class Prescribed(Case):
    def file(self, name, method="auto"):
        return self.path(f"{name}_{method}.yaml", MODELS[name][0].replace("METHOD", method + METHODS[method]))

    def values(self, path, *options):
        return json.loads(jounce("run", path, "--json", "--quiet", *options).stdout)["objectives"]

    def derivatives(self, path, names, *options):
        made = json.loads(jounce("sens", path, "--wrt", ",".join(names), "--json", "--quiet", *options).stdout)
        return {(o, p): r["gradient"][p] for o, r in made["objectives"].items() for p in names}

    def differences(self, path, name, value):
        """Extrapolated central differences of runs."""
        h = 1e-3*value
        near = {k: self.values(path, "--set", f"{name}={value + k*h!r}") for k in (-2, -1, 1, 2)}
        return {o: (8*(near[1][o] - near[-1][o]) - near[2][o] + near[-2][o])/(12*h) for o in near[1]}

    def test_all_methods_agree(self):
        for name in MODELS:
            expected = self.values(self.file(name))
            for method in METHODS:
                self.same(expected, self.values(self.file(name, method)), (name, method))
            for method in ("bdf", "adams"):
                self.same(expected, self.values(self.file(name), "--method", method, "--tol", "1e-10"), (name, method))

    def same(self, expected, found, what):
        for o, value in expected.items():
            self.assertAlmostEqual(found[o], value, delta=2e-7*max(1, abs(value)), msg=(what, o))

    def test_derivatives_are_those_of_runs(self):
        given = {"w": {"slider": 8.0}, "lag": 0.1, "l": 0.5, "lr": 0.6, "k": 3.0}
        for name, (_, names) in MODELS.items():
            expected = {}
            for p in names:
                value = given[p].get(name, 5.0) if p == "w" else given[p]
                expected.update({(o, p): d for o, d in self.differences(self.file(name), p, value).items()})
            for method in METHODS:
                for way in ("direct", "adjoint"):
                    found = self.derivatives(self.file(name, method), names, "--method", way)
                    for key, value in expected.items():
                        self.assertAlmostEqual(found[key], value, delta=2e-6*max(1, abs(value)),
                                               msg=(name, method, way, key))

    def test_kinematics_are_known(self):
        l, lr, w, a = 0.5, 0.6, 8.0, 0.6 + 8.0
        root = math.sqrt(lr**2 - (l*math.sin(a))**2)
        turn = -l*math.sin(a) - l*l*math.sin(a)*math.cos(a)/root  # ds/da
        for method in ("auto", "esdirk5"):
            found = self.values(self.file("slider", method))
            self.assertAlmostEqual(found["x"], l*math.cos(a) + root, delta=1e-12)
            self.assertAlmostEqual(found["v"], w*turn, delta=1e-11)
            for way in ("direct", "adjoint"):
                d = self.derivatives(self.file("slider", method), ["w", "l", "lr"], "--method", way)
                self.assertAlmostEqual(d["x", "w"], turn, delta=1e-11)
                self.assertAlmostEqual(d["x", "lr"], lr/root, delta=1e-11)
                self.assertAlmostEqual(d["x", "l"], math.cos(a) - l*math.sin(a)**2/root, delta=1e-11)
            d = self.derivatives(self.file("nothing", method), ["w"])
            self.assertAlmostEqual(d["x", "w"], math.cos(5), delta=1e-12)

    def test_sweeps_and_lanes(self):
        for name, (_, names) in MODELS.items():
            for method in ("auto", "dopri5", "rk4"):
                path, p = self.file(name, method), names[0]
                single = []
                for options in ([], ["--batch"], ["--method", "adjoint"]):
                    out = self.path("sweep.csv")
                    jounce("sweep", path, "--param", f"{p}=4:5:3", "--wrt", p, "-o", out, "--restart", "--quiet",
                           *options)
                    with open(out, encoding="utf-8") as f:
                        rows = list(csv.reader(l for l in f if l[0] != "#"))
                    head = rows[0]
                    keep = [i for i, h in enumerate(head) if "error" not in h and h not in ("events", "evaluations")]
                    data = [[float(r[i]) for i in keep] for r in rows[-3:]]
                    single = single or data
                    for one, other in zip(single, data):
                        for x, y in zip(one, other):
                            self.assertAlmostEqual(x, y, delta=1e-6*max(1, abs(x)), msg=(name, method, options))

    def test_checks_loads_and_rest(self):
        for name, (_, names) in MODELS.items():
            path = self.file(name)
            jounce("sens", path, "--wrt", ",".join(names), "--check", "--quiet")
            jounce("loads", path, "--wrt", names[0], "--quiet")
            self.assertIn("0 of 0 degrees of freedom", jounce("static", path).stdout)
            self.assertIn("nothing moves by itself", jounce("check", path).stderr)

    def test_modes_say_that_there_are_none(self):
        for name in MODELS:
            made = jounce("modes", self.file(name))
            has_states = name in ("loop", "tree")
            self.assertEqual("nothing moves by itself" in made.stdout, not has_states, name)
            self.assertEqual(len(json.loads(jounce("modes", self.file(name), "--json").stdout)["modes"]),
                             {"loop": 1, "tree": 1}.get(name, 0))

    def test_a_dead_point_names_what_is_possible(self):
        path = self.path("equal.yaml", SLIDER.replace("METHOD", "auto").replace("lr: 0.6}", "lr: 0.5}"))
        for command in ("run", "sens"):
            said = jounce(command, path, code=1).stderr
            self.assertIn("nothing but drives moves them: drive another coordinate", said)
            self.assertNotIn("independent: true", said)

    def test_a_drive_without_a_rate_is_named(self):
        text = """jounce: 1
bodies: {a: {mass: 1}, b: {mass: 1}}
joints:
  a: {type: prismatic, axis: x, child: a, drive: "DRIVE"}
  b: {type: prismatic, axis: x, parent: a, child: b}
forces: {s: {on: b, stiffness: 100}}
parameters: {k: 1}
objectives: {f: {final: b}}
simulation: {end: 3}
"""
        for drive in ("k*if(t >= 2, (t-2)^0.5, 0)", "k*if(t < 2, 0, log(t-2))"):
            path = self.path("m.yaml", text.replace("DRIVE", drive))
            for command in (("run", path), ("sens", path), ("modes", path, "--at", "3")):
                said = jounce(*command, "--interpreter", code=1).stderr
                self.assertRegex(said, r"m\.yaml:4: drive of 'a' is not finite at t = 2 s \(value [-\w.]+, rate [-\w]+, acceleration")
                self.assertIn(drive, said)
                self.assertNotIn("b.rate", said)

    def test_runs_may_be_as_short_as_numbers_are(self):
        for end in ("5e-324", "1e-322", "1e-310"):
            for method in ("auto", "esdirk5", "dopri5"):
                jounce("run", self.file("bare"), "--end", end, "--method", method)

    def test_exports_run(self):
        for name in ("bare", "nothing", "tree"):
            folder = self.path(name)
            jounce("generate", self.file(name), "-o", folder, "--quiet")
            subprocess.run(["make", "-s"], cwd=folder, check=True, capture_output=True)
            expected = self.values(self.file(name))
            for arguments in ([], ["esdirk5", "1e-10"]):
                made = subprocess.run([os.path.join(folder, "model"), *arguments], check=True, capture_output=True,
                                      text=True).stdout
                found = dict(l.split(" = ") for l in made.splitlines() if " = " in l)
                for o, value in expected.items():
                    self.assertAlmostEqual(float(found[o].split()[0]), value, delta=1e-8*max(1, abs(value)))
            jounce("export", "fmu", self.file(name), "-o", self.path(f"{name}.fmu"), "--quiet")


if __name__ == "__main__":
    unittest.main()
