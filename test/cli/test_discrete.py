#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Discrete behaviour: events with resets and samplers against closed solutions; their derivatives by both methods
against differences of whole runs; what is refused."""
import json
import math
import re
import unittest
from pathlib import Path

from case import Case
from program import jounce


def examples(section):
    """Models that a section of docs/format.md shows, by name."""
    text = Path("docs/format.md").read_text(encoding="utf-8")
    part = text.split(f"\n## {section}\n", 1)[1].split("\n## ", 1)[0]
    models = re.findall(r"```yaml\n(jounce: 1\n.*?)```", part, re.S)
    return {re.search(r"^name: (.*)$", m, re.M).group(1): m for m in models}


class Discrete(Case):
    def result(self, text, *options):
        done = jounce("run", self.path("m.yaml", text), "--interpreter", "--json", *options)
        return json.loads(done.stdout)

    def value(self, text, objective, *options):
        return self.result(text, *options)["objectives"][objective]

    def gradient(self, text, *options, command=("--interpreter",)):
        done = jounce("sens", self.path("m.yaml", text), "--json", "--quiet", *command, *options)
        return {k: o["gradient"] for k, o in json.loads(done.stdout)["objectives"].items()}

    def agree(self, text, *options):
        """Direct, adjoint and differences of whole runs."""
        done = jounce("sens", self.path("m.yaml", text), "--check", "--interpreter", "--quiet", *options)
        self.assertIn("all agree", done.stdout)

    def complaint(self, text, code=1, command="check"):
        path = self.path("m.yaml", text)
        return jounce(command, path, code=code).stderr.replace(path, "m.yaml")


BALL = """jounce: 1
name: ball
parameters: {h: 1, e: 0.8, g: 9.81}
gravity: [0, 0, -g]
bodies: {ball: {mass: 1}}
joints: {z: {type: prismatic, axis: z, child: ball}}
states: {n: {discrete: true}}
events:
  bounce: {when: "z < 0", set: {z.rate: -e*z.rate, n: n + 1}}
objectives:
  z_end: {final: z}
  count: {final: n}
initial: {z: h}
simulation: {end: 1.3}
"""


class Events(Discrete):
    def test_a_ball_bounces_as_its_parabolas_say(self):
        h, e, g, t = 1.0, 0.8, 9.81, 1.3
        t1, v = math.sqrt(2 * h / g), math.sqrt(2 * h * g)
        t2 = t1 + 2 * e * v / g
        z = e * e * v * (t - t2) - 0.5 * g * (t - t2)**2
        self.assertAlmostEqual(self.value(BALL, "z_end"), z, delta=1e-11)
        self.assertEqual(self.value(BALL, "count"), 2)
        # by e: z = e^2 v (t - t2) - g/2 (t - t2)^2, dt2/de = 2 v / g
        dt2 = 2 * v / g
        by_e = 2 * e * v * (t - t2) - e * e * v * dt2 + g * (t - t2) * dt2
        self.assertAlmostEqual(self.gradient(BALL, "--wrt", "e")["z_end"]["e"], by_e, delta=1e-9)

    def test_derivatives_agree(self):
        self.agree(BALL)
        for section in "events", "samplers":
            for name, text in examples(section).items():
                with self.subTest(model=name):
                    self.agree(text)

    def test_compiled_is_interpreted(self):
        text = examples("samplers")["sampled position control"]
        for method in "direct", "adjoint":
            a = self.gradient(text, "--method", method)
            b = self.gradient(text, "--method", method, command=())
            for name in a["error"]:
                self.assertAlmostEqual(a["error"][name], b["error"][name], delta=1e-12)

    def test_every_method_of_integration_finds_the_same(self):
        text = examples("events")["gearbox"]
        way = self.value(text, "way")
        for method in "dopri5", "esdirk5", "imex4", "adams", "bdf":
            other = self.value(text, "way", "--method", method)
            self.assertAlmostEqual(other / way, 1.0, delta=2e-6, msg=method)

    def test_a_gearbox_shifts_where_it_shall(self):
        rows = self.rows(examples("events")["gearbox"])
        self.assertEqual(sorted(set(rows["gear_"])), [1.0, 2.0])
        changes = sum(a != b for a, b in zip(rows["gear_"], rows["gear_"][1:]))
        self.assertEqual(changes, 3)

    def test_an_event_of_an_event_happens_at_the_same_instant(self):
        text = BALL.replace("states: {n: {discrete: true}}", "states: {n: {discrete: true}, m: {discrete: true}, "
                            "w: {derivative: 1}}")
        text = text.replace("objectives:", "  second: {when: n == 2, set: {m: m + 10*n, w: w + e}}\nobjectives:\n"
                            "  m_end: {final: m}\n  w_end: {final: w}")
        self.assertEqual(self.value(text, "m_end"), 20)
        self.assertAlmostEqual(self.value(text, "w_end"), 1.3 + 0.8, delta=1e-12)
        self.agree(text)

    def test_a_condition_that_is_true_at_the_start_has_not_become_true(self):
        text = BALL.replace("z < 0\"", "z > 0.5\"")
        self.assertEqual(self.value(text, "count"), 0)

    def test_an_event_takes_all_values_from_before_it(self):
        text = BALL.replace("states: {n: {discrete: true}}",
                            "states: {n: {discrete: true}, a: {discrete: true, initial: 3}, b: {discrete: true, initial: 5}}")
        text = text.replace("n: n + 1}", "n: n + 1, a: b, b: a}").replace("count: {final: n}", "ab: {final: 10*a + b}")
        self.assertEqual(self.value(text, "ab", "--set", "h=1.5", "--end", "0.6"), 53)
        self.assertEqual(self.value(text, "ab"), 35)  # twice

    def test_equilibrium_holds_discrete_states_and_modes_do_not_have_them(self):
        text = """jounce: 1
name: held
parameters: {k: 100}
bodies: {b: {mass: 1}}
joints: {z: {type: prismatic, axis: z, child: b}}
states: {on: {discrete: true, initial: 1}}
events: {far: {when: "z > 0.5", set: {on: 0}}}
forces: {spring: {on: z, force: on*k*z}}
simulation: {end: 0.1, start_at: static}
sensors: {on_: on}
"""
        state = json.loads(jounce("static", self.path("m.yaml", text), "--interpreter", "--json").stdout)
        self.assertIn("-0.0981", json.dumps(state))
        modes = json.loads(jounce("modes", self.path("m.yaml", text), "--interpreter", "--json").stdout)
        self.assertEqual(len(modes["modes"]), 1)

    def test_instances_have_events_of_their_own(self):
        text = """jounce: 1
name: two balls
templates:
  ball:
    parameters: {h: 1, e: 0.8}
    bodies: {ball: {mass: 1}}
    joints: {z: {type: prismatic, axis: z, child: ball}}
    states: {n: {discrete: true}, u: {discrete: true}}
    events:
      bounce: {when: "z < 0", set: {z.rate: -e*z.rate, n: n + 1}}
    samplers:
      look: {every: 0.1, set: {u: z}}
    sensors: {count: n, seen: u}
    initial: {z: h}
instances:
  a: {template: ball}
  b: {template: ball, mirror: y, parameters: {h: 2}}
objectives: {sum: {final: a.z + b.z + a.u}}
simulation: {end: 1.37}
"""
        end = self.result(text)["final"]
        self.assertEqual((end["a.count"], end["b.count"]), (2, 1))
        self.agree(text, "--wrt", "a.h,b.h,a.e,b.e")

    def test_frozen_derivatives_keep_what_resets_do(self):
        frozen = self.gradient(BALL, "--events", "frozen")["z_end"]
        exact = self.gradient(BALL)["z_end"]
        self.assertNotAlmostEqual(frozen["h"], exact["h"], places=2)
        # velocity after the bounces: e^2 v; with times as they are, z = ... + e^2 v (t - t2) + e v (t2 - t1)
        self.assertTrue(math.isfinite(frozen["e"]) and frozen["e"] != 0)


class Samplers(Discrete):
    def test_a_sampled_integrator_is_its_difference_equation(self):
        # x' = u, u = -k x at samples, which act d later:  x_{n+1} = x_n - k d x_{n-1} - k (T - d) x_n
        text = """jounce: 1
name: loop
parameters: {T: 0.1, d: 0.03, k: 4}
bodies: {b: {mass: 1}}
joints: {q: {type: prismatic, axis: x, child: b}}
states: {x: {initial: 1, derivative: u}, u: {discrete: true}}
samplers: {s: {every: T, delay: d, set: {u: -k*x}}}
objectives: {x_end: {final: x}}
simulation: {end: 1.0000001}
"""
        T, d, k = 0.1, 0.03, 4.0
        x, old = 1.0, 0.0
        for _ in range(10):
            x, old = x - k * d * old - k * (T - d) * x, x
        self.assertAlmostEqual(self.value(text, "x_end"), x, delta=2e-7)
        self.agree(text.replace("1.0000001", "1.01"))

    def test_two_samplers_of_one_period_keep_their_order(self):
        text = """jounce: 1
name: two
bodies: {b: {mass: 1}}
joints: {q: {type: prismatic, axis: x, child: b}}
states: {u: {discrete: true}, v: {discrete: true}}
samplers:
  first: {every: 0.1, set: {u: u + 1}}
  second: {every: 0.1, set: {v: u}}
objectives: {both: {final: 100*u + v}}
simulation: {end: 0.55}
"""
        self.assertEqual(self.value(text, "both"), 606)


class Ends(Discrete):
    def setUp(self):
        super().setUp()
        self.stop = examples("simulation")["stop"]

    def test_a_car_stops_where_it_shall(self):
        # without drag: v0^2 / (2 mu g), after v0 / (mu g)
        found = self.result(self.stop, "--set", "drag=0")
        v0, mu, g = 20.0, 0.8, 9.81
        self.assertAlmostEqual(found["objectives"]["way"], v0**2 / (2 * mu * g), delta=1e-9)
        self.assertAlmostEqual(found["objectives"]["time"], v0 / (mu * g), delta=1e-9)
        self.assertAlmostEqual(found["objectives"]["mean_speed"], v0 / 2, delta=1e-9)
        self.assertEqual(found["ended_by"], "end_when")
        self.assertAlmostEqual(found["t_reached"], v0 / (mu * g), delta=1e-9)
        by = self.gradient(self.stop, "--set", "drag=0", "--wrt", "v0,mu")
        self.assertAlmostEqual(by["way"]["v0"], v0 / (mu * g), delta=1e-9)
        self.assertAlmostEqual(by["way"]["mu"], -v0**2 / (2 * mu**2 * g), delta=1e-8)
        self.assertAlmostEqual(by["time"]["mu"], -v0 / (mu**2 * g), delta=1e-9)

    def test_derivatives_agree(self):
        self.agree(self.stop)

    def test_the_last_row_is_the_end(self):
        rows = self.rows(self.stop)
        self.assertAlmostEqual(rows["t"][-1], self.result(self.stop)["t_reached"], delta=1e-12)
        self.assertAlmostEqual(rows["x"][-1], self.value(self.stop, "way"), delta=1e-12)

    def test_a_condition_that_does_not_come_true_leaves_the_end(self):
        found = self.result(self.stop, "--end", "1")
        self.assertEqual(found["t_reached"], 1)
        self.assertNotIn("ended_by", found)
        self.agree(self.stop.replace("end: 60", "end: 1"))

    def test_sweeps_have_it(self):
        out = self.path("s.csv")
        jounce("sweep", self.path("m.yaml", self.stop), "--interpreter", "--quiet", "--param", "v0=10:20:3", "-o", out)
        text = Path(out).read_text(encoding="utf-8")
        self.assertIn(repr(self.value(self.stop, "way"))[:9], text)

    def test_modes_behind_the_end_are_refused(self):
        done = jounce("modes", self.path("m.yaml", self.stop), "--interpreter", "--at", "10", code=1)
        self.assertIn("behind the end of the run", done.stderr)


class Refused(Discrete):
    def test_what_is_wrong_is_said(self):
        cases = [
            (("z.rate: -e*z.rate", "z: 1"), "m.yaml:9: event 'bounce': set: 'z' is a coordinate, which does not jump"),
            (("n: n + 1", "m: n + 1"), "event 'bounce': set: there is no state 'm'"),
            (("z < 0", "zz < 0"), "unknown name 'zz'"),
            (("z < 0", "e < 0"), "depends on neither time nor state"),
            (("when: \"z < 0\"", "when: 3"), "when is 3; it must be a condition"),
            (("when: \"z < 0\", ", ""), "'when' is missing"),
            ((", set: {z.rate: -e*z.rate, n: n + 1}", ""), "'set' is missing"),
            (("{discrete: true}", "{discrete: true, derivative: 1}"), "has no 'derivative'"),
            (("events:", "samplers: {s: {every: 0, set: {n: 1}}}\nevents:"), "every is 0; it must be"),
            (("events:", "samplers: {s: {every: 0.1, delay: 0.2, set: {n: 1}}}\nevents:"), "delay and every"),
            (("events:", "samplers: {s: {every: -g, set: {n: 1}}}\nevents:"), "every is -9.81"),
        ]
        for (old, new), message in cases:
            with self.subTest(new=new):
                self.assertIn(message, self.complaint(BALL.replace(old, new)))

    def test_events_without_end_are_said(self):
        text = BALL.replace("n: n + 1}}", "n: n + 1}}\n  a: {when: n == 1, set: {n: 2}}\n  b: {when: n == 2, set: {n: 1}}")
        message = self.complaint(text, command="run")
        self.assertIn("events follow each other without end at t = 0.4515", message)

    def test_load_runs_refuse(self):
        self.assertIn("load runs have no events, and the model has 'bounce'", self.complaint(BALL, command="loads"))


if __name__ == "__main__":
    unittest.main()
