#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Properties of tyres that leave the ground, for every version of property files: one event for lift-off and one for landing,
no force in the air, and derivatives of both methods that are those of runs with other values."""
import json
import math
import shutil
import unittest
from pathlib import Path
from string import Template

from case import Case
from program import jounce

DATA = Path(__file__).resolve().parent.parent / "data/tyres"

# Each with a height at which it carries the corner below, and its radius.
TYRES = {"MagicFormula52_Parameters.tir": (0.384, 0.3912), "Sedan_Pac02Tire.tir": (0.326, 0.344),
         "HMMWV_pacejka.tir": (0.4585, 0.4699), "MagicFormula61_Parameters.tir": (0.375, 0.3936),
         "MagicFormula62_Parameters.tir": (0.378, 0.3936)}

CORNER = """
jounce: 1
name: corner
parameters: {m: 400, unsprung: 30, k: 30000, c: $C, v0: $V, h: 0.08, L: 1, camber: $CAMBER, steer: $STEER, kick: $KICK, z0: $Z}
bodies:
  carriage: {mass: 10}
  body: {mass: m, com: [0, 0, 1]}
  slider: {mass: unsprung}
  knuckle: {mass: 1, inertia: [1, 1, 1, 0, 0, 0]}
  hub: {mass: 1, inertia: [1, 1, 1, 0, 0, 0]}
  wheel: {mass: 10, inertia: [0.6, 1.1, 0.6, 0, 0, 0]}
hardpoints: {top: [0, 0, 1], bottom: [0, 0, 0]}
joints:
  x: {type: prismatic, child: carriage, axis: x}
  z: {type: prismatic, parent: carriage, child: body, axis: z}
  s: {type: prismatic, parent: carriage, child: slider, axis: z}
  knuckle: {type: revolute, parent: slider, child: knuckle, axis: z, drive: steer}
  hub: {type: revolute, parent: knuckle, child: hub, axis: x, drive: camber}
  wheel: {type: revolute, parent: hub, child: wheel, axis: y$DRIVE}
tyres:
  w: {file: $TIR, wheel: wheel$EXTRA}
forces:
  strut: {between: [body.top, slider.bottom], stiffness: k, damping: c, free_length: 1.131}
  kick: {on: s, force: "kick*exp(-((t - 0.1)/0.02)^2)"}
initial: {x: {value: 0, rate: v0}, z: {value: z0}, s: {value: z0}$SPIN}
$ROAD
states: {along: {derivative: w.fx}, across: {derivative: w.fy}}
sensors: {fx: w.fx, fy: w.fy, fz: w.fz, mx: w.mx, my: w.my, mz: w.mz, sx: w.sx, sy: w.sy}
objectives: {far: {final: x}, high: {final: z}, low: {final: s}, along: {final: along}, across: {final: across}}
simulation: {end: $END, output_step: 0.002}
"""
BUMP = 'road: "if(x < 2, 0, if(x < 2 + L, h*(1 - cos(2*pi*(x - 2)/L))/2, 0))"'


def corner(tir, **of):
    height, radius = TYRES[tir]
    value = {"TIR": tir, "C": 2000, "V": 15, "CAMBER": 0, "STEER": 0.02, "KICK": 0, "Z": height, "END": 0.5,
             "ROAD": "", "DRIVE": "", "EXTRA": "", "SPIN": f", wheel: {{value: 0, rate: v0/{0.985*radius}}}"}
    if "up" in of:
        value["Z"] = radius + of.pop("up")
    value.update(of)
    return Template(CORNER).substitute(value), value


# What a wheel goes through, and a parameter of it.
WAYS = {
    "bump": ("h", {"ROAD": BUMP, "V": 10, "C": 1000}),
    "kick": ("kick", {"KICK": -15000, "CAMBER": 0.05}),
    "land": ("z0", {"up": 0.1, "CAMBER": 0.08, "STEER": 0.03, "END": 0.3}),
    "lock": ("z0", {"up": 0.1, "DRIVE": ", drive: 0", "SPIN": "", "END": 0.3}),
    "hops": ("z0", {"up": 0.15, "C": 100, "END": 0.6}),
    "undamped": ("z0", {"up": 0.15, "C": 300, "END": 0.5, "EXTRA": ", coefficients: {VERTICAL_DAMPING: 0}"}),
}

FALLING = """jounce: 1
parameters: {mass: 200}
bodies:
  hub: {mass: mass, inertia: [20, 20, 20]}
  wheel: {mass: 20, inertia: [0.6, 1.1, 0.6]}
joints:
  hub: {type: free, child: hub, drive: {pitch: 0, yaw: 0.02}}
  spin: {type: revolute, parent: hub, child: wheel, axis: y}
tyres: {ty: {%s, wheel: wheel}}
initial: {hub.x: {value: 0, rate: 1}, hub.z: {value: 20}, hub.roll: {value: 0, rate: %g}}
objectives: {z: {integral: hub.z}}
simulation: {end: 0.9}
"""


class LiftOff(Case):
    def setUp(self):
        super().setUp()
        for path in DATA.glob("*.tir"):
            shutil.copy(path, self.folder.name)

    def values(self, path, name, x):
        out = jounce("run", path, "--interpreter", "--json", "--quiet", "--tol", "1e-11", "--set", f"{name}={x!r}")
        return json.loads(out.stdout)["objectives"]

    def differences(self, path, name, x):
        """Extrapolated central differences of runs, and how far two of them are apart."""
        def central(h):
            more, less = self.values(path, name, x + h), self.values(path, name, x - h)
            return {o: (more[o] - less[o])/(2*h) for o in more}

        h = 2e-4*abs(x)
        wide, middle, narrow = central(2*h), central(h), central(h/2)
        best = {o: (4*narrow[o] - middle[o])/3 for o in wide}
        return best, {o: abs(best[o] - (4*middle[o] - wide[o])/3) for o in wide}

    def check(self, tir, way):
        name, of = WAYS[way]
        text, value = corner(tir, **of)
        path = self.path("m.yaml", text)
        at = {"h": 0.08, "kick": value["KICK"], "z0": value["Z"]}[name]
        want, doubt = self.differences(path, name, at)
        found = {}
        for method in ("direct", "adjoint"):
            out = jounce("sens", path, "--interpreter", "--wrt", name, "--method", method, "--tol", "1e-10",
                         "--json", "--quiet")
            found[method] = json.loads(out.stdout)["objectives"]
            for o, d in found[method].items():
                got, error = d["gradient"][name], d["gradient_error"][name]
                size = max(abs(want[o]), 1e-6)
                at_issue = f"{tir} {way} {method} d {o} / d {name}: {got} +- {error}, differences {want[o]} +- {doubt[o]}"
                # within the error estimate or 1e-4, which is what 1e-10 resolves; the differences are good to
                # `doubt`. An estimate as large as the derivative would say nothing.
                self.assertLess(abs(got - want[o]), max(error, 1e-4*size) + 3*doubt[o] + 1e-9, at_issue)
                self.assertLess(abs(got - want[o]), 0.1*size + 3*doubt[o] + 1e-9, at_issue)
                self.assertLess(error, 0.3*size + 1e-6, at_issue)
        for o, d in found["direct"].items():
            a, b = d["gradient"][name], found["adjoint"][o]["gradient"][name]
            self.assertLess(abs(a - b), 1e-9*abs(a) + 1e-11, f"{tir} {way} {o}")

    def test_derivatives(self):
        for tir in TYRES:
            for way in WAYS:
                with self.subTest(tir=tir, way=way):
                    self.check(tir, way)

    def test_one_event_each(self):
        for tir in TYRES:
            text, _ = corner(tir, **WAYS["hops"][1])
            out = json.loads(jounce("run", self.path("m.yaml", text), "--interpreter", "--json", "--quiet").stdout)
            contact = [e for e in out["events"] if e["name"] == "w: contact > 0"]
            self.assertGreater(len(contact), 2, tir)
            for i, e in enumerate(contact):
                self.assertEqual(bool(e["on"]), i % 2 == 0, tir)
                near = [o["name"] for o in out["events"] if abs(o["t"] - e["t"]) < 1e-6]
                self.assertEqual(near, [e["name"]], tir)

    def test_nothing_in_the_air(self):
        for tir in TYRES:
            text, _ = corner(tir, **WAYS["kick"][1])
            run = self.rows(text)
            air = [i for i, fz in enumerate(run["fz"]) if fz == 0]
            self.assertGreater(len(air), 3, tir)
            for i in air:
                self.assertEqual([run[k][i] for k in ("fx", "fy", "mx", "my", "mz")], [0]*5, tir)
            # what is left of the slip decays in 0.05 s
            for i, k in zip(air[:10], air[1:11]):
                if k != i + 1:
                    break
                decay = math.exp(-(run["t"][k] - run["t"][i])/0.05)
                self.assertAlmostEqual(run["sy"][k], run["sy"][i]*decay, delta=1e-7)

    def test_a_leaning_wheel_high_up_touches_nothing(self):
        for tir in TYRES:
            text, _ = corner(tir, up=10, CAMBER=0.6, END=0.2)
            run = self.rows(text)
            self.assertEqual(max(run["fz"]), 0, tir)
            self.assertNotIn("contact", self.report, tir)

    def test_a_wheel_that_falls_flat_is_named(self):
        # in the air, turned by 3 rad/s, and by 40
        linear = "radius: 0.3, stiffness: 2e5, kappa_c: 0.1, alpha_c: 0.1, mu_x: 1, mu_y: 1"
        for tyre in ["file: HMMWV_pacejka.tir", linear]:
            for rate in (3, 40):
                path = self.path("m.yaml", FALLING % (tyre, rate))
                for command in (("run",), ("sens", "--wrt", "mass"), ("sens", "--method", "adjoint")):
                    said = jounce(*command, path, "--interpreter", "--quiet", code=1).stderr
                    self.assertRegex(said, r"m\.yaml:9: tyre 'ty': its wheel falls flat in the step after t = [.\d]+ s, where it leans by")
                    self.assertIn("end_when", said)
                    self.assertNotIn("compares", said)
                # before that it goes
                jounce("run", path, "--interpreter", "--quiet", "--end", f"{1.2/rate}")


if __name__ == "__main__":
    unittest.main()
