#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exported C gives the figures of `jounce run`, for the model's numbers and for others, through events and impulses;
its derivatives are those of its values; a restored vehicle goes on bit by bit."""
import json
import random
import unittest

from case import Case
from program import jounce
from vehicle import Export, Vehicle

STEP = "models/buggy/step_descent.yaml"
QUARTER = "models/damper_rig/quarter_car.yaml"

# a driven slide whose velocity jumps throws a pendulum about; its loop is closed by a rod
HAMMER = """jounce: 1
name: hammer
gravity: [0, 0, -9.81]
parameters:
  m: {value: 2, unit: kg}
  v: {value: 1.5, unit: m/s}
  l: {value: 0.5, unit: m}
  k: {value: 300, unit: N/m}
inputs:
  push: {value: 0, unit: N}
bodies:
  cart: {mass: 3, com: [0, 0, 0], inertia: [1, 1, 1]}
  rod: {mass: m, com: [0, 0, -0.2], inertia: [0.1, 0.1, 0.1], points: {tip: [0, 0, -0.4]}}
  slider: {mass: 1, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1], points: {eye: [0, 0, 0]}}
joints:
  x: {type: prismatic, parent: ground, child: cart, at: [0, 0, 0], axis: [1, 0, 0], drive: "if(t > 0.5, v*(t - 0.5), 0)"}
  a: {type: revolute, parent: cart, child: rod, at: [0, 0, 0], axis: [0, 1, 0]}
  s: {type: prismatic, parent: cart, child: slider, at: [0, 0, -0.8], axis: [1, 0, 0]}
closures:
  link: {type: distance, a: rod.tip, b: slider.eye, length: l}
forces:
  spring: {on: s, stiffness: k, damping: 4}
  hand: {on: s, torque: push}
sensors:
  angle: {value: a, unit: rad}
initial:
  a: {value: 0.1, rate: 0}
objectives:
  swing: {integral: a^2}
simulation: {end: 1.2, method: dopri5, tolerance: 1.0e-10}
"""


def close(a, b, tolerance):
    return abs(a - b) <= tolerance * max(1.0, abs(a), abs(b))


class Exports(Case):
    def export(self, model, *options):
        return Export(self.folder.name, model, *options)

    def run_of(self, model, *options):
        return json.loads(jounce("run", model, "--interpreter", "--json", *options).stdout)

    def compare(self, export, model, tolerance, *settings, **numbers):
        v = Vehicle(export)
        self.addCleanup(v.close)
        v.set(**numbers)
        v.begin()
        reached = v.advance(export.model.t_end)
        run = self.run_of(model, *settings)
        self.assertEqual(reached.events, len(run["events"]))
        values = {**v.outputs(), **v.objectives()}
        wanted = {**run["final"], **run["objectives"]}
        self.assertGreater(len(wanted), 0)
        for name, value in wanted.items():
            self.assertTrue(close(values[name], value, tolerance), (name, values[name], value))

    def check_derivatives(self, v, seed):
        """A tangent is the transposed adjoint, and the difference of values along its direction."""
        draw = random.Random(seed)
        m = v.model
        x, t = v.states(), v.library.jvehicle_time(v.handle)
        dx = [draw.uniform(-1, 1) * max(1e-2, abs(y)) for y in x]
        start = [m.number[i].value for i in range(m.nnumber)]
        dp = [draw.uniform(-1, 1) * max(1e-3, abs(y)) for y in start]
        slope = v.tangent(dx, dp)
        bar = [draw.uniform(-1, 1) / max(1.0, abs(s)) for s in slope]
        back = v.adjoint(bar)
        forward = sum(a * b for a, b in zip(bar, slope))
        backward = sum(a * b for a, b in zip(back, dx + dp))
        self.assertTrue(close(forward, backward, 1e-11), (forward, backward))
        names = v.export.numbers()
        sides = {}
        for h in (2e-6, -2e-6, 1e-6, -1e-6):
            v.set(**{n: p + h * d for n, p, d in zip(names, start, dp)})
            v.move(t, [a + h * b for a, b in zip(x, dx)])
            sides[h] = v.everything()
        for i, s in enumerate(slope):
            d1 = (sides[1e-6][i] - sides[-1e-6][i]) / 2e-6
            d2 = (sides[2e-6][i] - sides[-2e-6][i]) / 4e-6
            better = d1 + (d1 - d2) / 3
            size = max(1.0, abs(sides[1e-6][i]), abs(s))
            self.assertLessEqual(abs(better - s), 1e-6 * size + 4 * abs(d1 - d2), (i, s, better))
        v.set(**dict(zip(names, start)))
        v.move(t, x)

    def test_buggy_through_its_events(self):
        export = self.export(STEP)
        self.compare(export, STEP, 1e-12)
        self.compare(export, STEP, 1e-9, "--set", "k_f=22000", "--set", "m_c=300", k_f=22000, m_c=300)
        v = Vehicle(export)
        self.addCleanup(v.close)
        v.begin()
        v.advance(0.7)
        self.check_derivatives(v, 1)
        snapshot = v.save()
        v.advance(1.4)
        states = v.states()
        v.restore(snapshot)
        v.advance(1.4)
        self.assertEqual(v.states(), states)
        other = Vehicle(export)
        self.addCleanup(other.close)
        other.restore(snapshot)
        other.advance(1.4)
        self.assertEqual(other.states(), states)

    def test_impulses_loops_and_inputs(self):
        model = self.path("hammer.yaml", HAMMER)
        export = self.export(model)
        self.compare(export, model, 1e-13)
        self.compare(export, model, 1e-9, "--set", "v=-2", "--set", "l=0.55", v=-2.0, l=0.55)
        v = Vehicle(export)
        self.addCleanup(v.close)
        v.begin()
        reached = v.advance(1.2, stop=True)
        self.assertTrue(reached.is_event)
        self.assertAlmostEqual(reached.t, 0.5, delta=1e-9)
        self.check_derivatives(v, 2)
        before, x = v.rates(), v.states()
        v.set(l=0.1)  # the slider is further away than that, wherever it is
        with self.assertRaisesRegex(ValueError, "loops cannot be closed"):
            v.move(reached.t, x)
        v.library.jvehicle_forget(v.handle)
        v.set(l=0.5)
        self.assertEqual((v.states(), v.rates()), (x, before))  # as if nothing had been
        v.set(push=10.0)
        v.call("touch")
        self.assertNotEqual(v.rates(), before)
        v.set(m=float("nan"))
        with self.assertRaisesRegex(ValueError, "'m' is nan"):
            v.begin()
        v.library.jvehicle_forget(v.handle)
        v.set(m=-1.0)
        with self.assertRaisesRegex(ValueError, r"hammer.yaml:13: body 'rod': mass is -1; it must be at least 0"):
            v.begin()

    def test_static_start_and_mixed_method(self):
        export = self.export(QUARTER)
        self.compare(export, QUARTER, 1e-12)
        sizes = [export.model.state_nominal[i] for i in range(export.model.nstate)]
        self.assertGreaterEqual(max(sizes), 1e5)  # pressures of the oil
        name = next(n for n in export.numbers() if n.startswith("m"))
        value = 1.07 * next(export.model.number[i].value for i, n in enumerate(export.numbers()) if n == name)
        self.compare(export, QUARTER, 1e-7, "--set", f"{name}={value!r}", **{name: value})


if __name__ == "__main__":
    unittest.main()
