#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Laws of bushes: six springs on the coordinates of a joint that moves in all six ways; energy; action and
reaction; derivatives; what is refused."""
import json
import os
import re
import tempfile
import unittest
from pathlib import Path

from program import jounce

HEAD = """
jounce: 1
parameters: {k: 900, m: 12, preload: 3}
gravity: %s
hardpoints: {P: [0.4, -0.2, 0.3]}
tables:
  hard: {x: [-0.2, 0, 0.2], y: [-500, 0, 700], interpolation: cubic}
  twist: {x: [-2, 0, 2], y: [-30, 0, 20], interpolation: cubic}
bodies:
  carrier: {mass: 20, com: [0, 0.05, 0], inertia: [1.2, 1.5, 0.9, 0.05, 0.1, -0.1]}
  rider: {mass: m, com: [0.6, -0.1, 0.35], inertia: [0.5, 0.4, 0.6, 0.02, -0.03, 0.05]}
"""

# directions of the bush: x along X, y in the plane of X and Y
X, Y, Z = [0.8, 0.6, 0], [-0.6, 0.8, 0], [0, 0, 1]

BUSH = HEAD + f"""
joints:
  carrier: {{type: free, child: carrier}}
  rider: {{type: free, child: rider}}
bushes:
  u: {{between: [carrier.P, rider.P], axes: {{x: {X}, y: {Y}}}, stiffness: [k, 1500, 600], damping: [10, 20, 5],
      preload: [0, preload, 0], spring: {{z: hard}}, rotational_stiffness: [40, 60, 15],
      rotational_damping: [0.5, 1, 0.2], rotational_preload: [0, 0, 1], rotational_spring: {{z: twist}}}}
initial:
  u.x: {{value: 0.03, rate: 0.2}}
  u.y: {{value: -0.05, rate: 0}}
  u.z: {{value: 0.02, rate: -0.3}}
  u.a: {{value: 0.3, rate: 1}}
  u.b: {{value: -0.4, rate: 0.5}}
  u.c: {{value: 1.2, rate: -2}}
"""

# The same with a joint of each way, one after the other, and a force on each.
NAMES = ("sx", "sy", "sz", "ax", "ay", "az")
SPRINGS = HEAD + """
  b_sx: {}
  b_sy: {}
  b_sz: {}
  b_ax: {}
  b_ay: {}
joints:
  carrier: {type: free, child: carrier}
""" + "".join(
    f"  {n}: {{type: {'prismatic' if n[0] == 's' else 'revolute'}, parent: {p}, child: {c}, at: P, axis: {d}}}\n"
    for n, p, c, d in zip(NAMES, ("carrier", "b_sx", "b_sy", "b_sz", "b_ax", "b_ay"),
                          ("b_sx", "b_sy", "b_sz", "b_ax", "b_ay", "rider"), (X, Y, Z, X, Y, Z))) + """
forces:
  fx: {on: sx, stiffness: k, damping: 10}
  fy: {on: sy, stiffness: 1500, damping: 20, preload: preload}
  fz: {on: sz, stiffness: 600, damping: 5, spring: hard}
  mx: {on: ax, stiffness: 40, damping: 0.5}
  my: {on: ay, stiffness: 60, damping: 1}
  mz: {on: az, stiffness: 15, damping: 0.2, preload: 1, spring: twist}
initial:
  sx: {value: 0.03, rate: 0.2}
  sy: {value: -0.05, rate: 0}
  sz: {value: 0.02, rate: -0.3}
  ax: {value: 0.3, rate: 1}
  ay: {value: -0.4, rate: 0.5}
  az: {value: 1.2, rate: -2}
"""

MOTION = """
  carrier.x: {value: 0.1, rate: 1}
  carrier.y: {value: 0, rate: -0.5}
  carrier.z: {value: 0, rate: 0}
  carrier.pitch: {value: 0.1, rate: 0}
  carrier.yaw: {value: 0.2, rate: 0.7}
  carrier.roll: {value: -0.3, rate: 1.1}
objectives:
  x: {final: rider.com.x}
  y: {final: rider.com.vy}
  w: {final: rider.wz}
  carrier: {final: carrier.com.z}
  %s
simulation: {end: 0.8, tolerance: 1.0e-11}
"""


class Bush(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def model(self, text):
        path = os.path.join(self.folder.name, "model.yaml")
        Path(path).write_text(text, encoding="utf-8")
        return path

    def answer(self, command, text, *args):
        return json.loads(jounce(command, self.model(text), "--interpreter", "--json", *args).stdout)

    def test_is_six_springs(self):
        gravity = "[0.3, 0, -9.81]"
        work = "load: {integral: '%s'}"
        bush = self.answer("run", BUSH % gravity + MOTION % (work % "u.fz + 2*u.mz"))
        springs = self.answer("run", SPRINGS % gravity + MOTION % (work % "fz.force + 2*mz.force"))
        for name, value in springs["objectives"].items():
            self.assertAlmostEqual(bush["objectives"][name], value, delta=2e-8, msg=name)
        for k, name in enumerate(("fx", "fy", "fz", "mx", "my", "mz")):
            a, b = bush["final"][f"u.{name}"], springs["final"][f"{name}.force"]
            self.assertAlmostEqual(a, b, delta=1e-6*(1 + abs(b)), msg=name)

    def test_its_power_is_what_energy_changes_by(self):
        # and nothing from outside: momentum stays
        text = BUSH % "[0, 0, 0]" + MOTION % ("work: {integral: u.power}\n"
                                              "  energy: {final: energy.kinetic}\n"
                                              "  p: {final: 20*carrier.com.vx + m*rider.com.vx}")
        now = self.answer("run", text)["objectives"]
        start = self.answer("run", text, "--end", "1e-9")["objectives"]
        self.assertAlmostEqual(now["energy"] - start["energy"], now["work"], delta=1e-8*now["energy"])
        self.assertAlmostEqual(now["p"], start["p"], delta=1e-8*abs(now["p"]))

    def test_has_a_potential(self):
        # without dampers, tables and preload: elastic energy and kinetic energy together stay
        text = re.sub(r"(rotational_)?(damping|preload): \[[^]]*\],?|(rotational_)?spring: \{[^}]*\},?", "",
                      BUSH % "[0, 0, 0]").replace("15],\n", "15]\n").replace(",\n      }", "}")
        potential = "(k*u.x^2 + 1500*u.y^2 + 600*u.z^2 + 40*u.a^2 + 60*u.b^2 + 15*u.c^2)/2"
        text += MOTION % f"energy: {{final: 'energy.kinetic + {potential}'}}"
        now = self.answer("run", text)["objectives"]["energy"]
        start = self.answer("run", text, "--end", "1e-9")["objectives"]["energy"]
        self.assertAlmostEqual(now, start, delta=1e-8*start)

    def test_derivatives(self):
        text = BUSH % "[0, 0, -9.81]" + MOTION % "f: {mean: u.fz}"
        numbers = "k,preload,bushes.u.damping.y,bushes.u.axes.x.y,bushes.u.rotational_stiffness.z,hardpoints.P.x"
        done = self.answer("sens", text, "--wrt", numbers, "--method", "direct", "--check")
        back = self.answer("sens", text, "--wrt", numbers, "--method", "adjoint")
        for name, o in done["objectives"].items():
            for number, value in o["gradient"].items():
                self.assertTrue(done["check"][name][number]["agrees"], (name, number))
                other = back["objectives"][name]
                allowed = o["gradient_error"][number] + other["gradient_error"][number]
                self.assertAlmostEqual(value, other["gradient"][number], delta=allowed, msg=number)

    def test_relaxation_is_a_state_of_the_file(self):
        # the same branch written down by hand: a state, and a force beside the bush on a slide
        slide = """
jounce: 1
parameters: {s: 5000, T: 0.02}
gravity: [0, 0, 0]
bodies: {b: {mass: 2, com: [0, 0, 0], inertia: [1, 1, 1]}}
joints: {j: {type: prismatic, child: b, axis: z}}
initial: {j: {value: 0.01, rate: 0.3}}
%s
objectives: {x: {final: j}, f: {rms: j.acc}}
simulation: {end: 0.5, tolerance: 1.0e-10}
"""
        bush = slide % ("bushes: {u: {between: [ground.origin, b.origin], stiffness: [0, 0, 8000], "
                        "relaxation: {stiffness: [0, 0, s], time: [1, 1, T]}}}")
        states = slide % ("states: {r: {derivative: (j - r)/T, initial: j, nominal: 1.0e-3}}\n"
                          "forces: {k: {on: j, stiffness: 8000}, m: {on: j, force: s*(angle - r)}}")
        numbers = ("--wrt", "s,T", "--method", "direct")
        a, b = self.answer("sens", bush, *numbers), self.answer("sens", states, *numbers)
        for name, o in b["objectives"].items():
            self.assertAlmostEqual(a["objectives"][name]["value"], o["value"], delta=1e-7*abs(o["value"]))
            for number, d in o["gradient"].items():
                self.assertAlmostEqual(a["objectives"][name]["gradient"][number], d, delta=1e-5*abs(d))
        said = jounce("check", self.model(bush.replace("time: [1, 1, T]", "time: [1, 1, 0]")), "--interpreter",
                      code=1).stderr
        self.assertIn("bush 'u': relaxation: time is 0; it must be more than 0", said)

    def test_loads_tell_six_components(self):
        text = BUSH % "[0, 0, -9.81]" + MOTION % ""
        done = self.answer("loads", text)
        self.assertEqual(list(done["peaks"]), [f"u.{c}" for c in ("fx", "fy", "fz", "mx", "my", "mz")])

    def test_mistakes(self):
        def said(old, new):
            self.assertIn(old, BUSH)
            text = BUSH.replace(old, new) % "[0, 0, 0]" + MOTION % ""
            return jounce("check", self.model(text), "--interpreter", code=1).stderr

        self.assertIn("bush 'u': between: both ends are on body 'carrier'", said("rider.P]", "carrier.P]"))
        self.assertIn("bush 'u': damping is -1; it must be at least 0", said("damping: [10,", "damping: [-1,"))
        self.assertIn("bush 'u': axes", said(f"y: {Y}", f"y: {X}"))
        self.assertIn("unknown key 'stifness'; did you mean 'stiffness'?",
                      said(" stiffness: [k,", " stifness: [k,"))


if __name__ == "__main__":
    unittest.main()
