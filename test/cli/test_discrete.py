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

    def test_bounces_that_accumulate_stop_the_run(self):
        text = BALL.replace("end: 1.3", "end: 100")
        methods = (["--tol", "1e-4"], ["--tol", "1e-11"], ["--method", "esdirk5"], ["--method", "rk4", "--step", "0.01"],
                   ["--method", "rk2", "--step", "0.5"])
        for e in (0, 1e-9, 0.01, 0.3, 0.5, 0.7, 0.9):
            end = math.sqrt(2 / 9.81) * (1 + e) / (1 - e)
            for method in methods:
                done = jounce("run", self.path("m.yaml", text), "--interpreter", "--set", f"e={e}", *method, code=1)
                said = re.search(r"events of 'bounce, condition' accumulate at t = (\S+) s", done.stderr)
                self.assertTrue(said, done.stderr)
                self.assertAlmostEqual(float(said.group(1)), end, delta=1e-4)
        for method in ("direct", "adjoint"):
            done = jounce("sens", self.path("m.yaml", text), "--interpreter", "--method", method, code=1)
            self.assertIn("accumulate at t = 4.06", done.stderr)
            self.assertNotIn("z_end =", done.stdout)

    def test_conditions_of_every_form_accumulate(self):
        # those that are true in a region only, which one long step may cross, and those that are flat at zero
        methods = ([], ["--tol", "1e-4"], ["--method", "esdirk5"], ["--method", "rk4", "--step", "0.01"], ["--max-step", "0.01"])
        for form in ("sin(z) < 0", "z*(z + 30) < 0", "z^3 < 0", "z^5 < 0", "z*abs(z) < 0", "max(z, 2*z) < 0"):
            for e in (0.3, 0.8):
                text = BALL.replace("z < 0", form).replace("end: 1.3", "end: 20")
                end = math.sqrt(2 / 9.81) * (1 + e) / (1 - e)
                for method in methods:
                    with self.subTest(form=form, e=e, method=method):
                        done = jounce("run", self.path("m.yaml", text), "--interpreter", "--set", f"e={e}", *method, code=1)
                        said = re.search(r"events of 'bounce, \w+' accumulate at t = (\S+) s", done.stderr)
                        self.assertTrue(said, done.stderr)
                        # flat conditions have no sign where the last bounces are: z^5 none below 4 mm
                        self.assertLess(abs(float(said.group(1)) - end), {"z^3 < 0": 0.25, "z^5 < 0": 1}.get(form, 0.02))

    # resets of what is compared: a state that falls, one that rises to a limit, a clock, late ones, flat conditions
    VALUES = """jounce: 1
parameters: {r: 0.5}
bodies: {b: {mass: 1}}
joints: {z: {type: prismatic, axis: x, child: b}}
states:
  x: {derivative: RATE, initial: BEGIN}
  a: {discrete: true, initial: 1}
  T: {discrete: true, initial: 1}
  n: {discrete: true}
events: {k: {when: "WHEN", set: {SET, a: a*r, n: n + 1}}}
objectives: {x: {final: x}, n: {final: n}}
simulation: {start: START, end: END}
"""

    def values(self, when, resets, rate=-1, begin=1, start=0):
        text = self.VALUES.replace("WHEN", when).replace("SET", resets).replace("RATE", str(rate)).replace("BEGIN", str(begin))
        return text.replace("START", str(start)).replace("END", str(start + 20))

    def test_resets_of_what_is_compared_accumulate(self):
        cases = (("x < 0", "x: a*r"), ("1e-3*x < 0", "x: a*r"), ("x > 5", "x: 5 - a*r", 1, 4), ("t > T", "T: T + a*r"),
                 ("x^3 < 0", "x: a*r"), ("sin(x) < 0", "x: a*r"), ("x < 0", "x: 1000*a*r", -1000, 1000),
                 ("t > T + 1000", "T: T + a*r", -1, 1, 1000), ("x < 0", "x: a*r", -1, 1, 1000))
        methods = ([], ["--tol", "1e-4"], ["--tol", "1e-11"], ["--method", "rk4", "--step", "0.01"], ["--method", "esdirk5"],
                   ["--method", "bdf"])
        for i, case in enumerate(cases):
            path, start = self.path("m.yaml", self.values(*case)), case[4] if len(case) > 4 else 0
            for r in 1e-5, 0.001, 0.03, 0.3, 0.5, 0.7:
                for method in methods if r == 0.5 or i == 0 else methods[:1]:
                    with self.subTest(case=case, r=r, method=method):
                        done = jounce("run", path, "--interpreter", "--set", f"r={r}", *method, code=1)
                        said = re.search(r"events of 'k, condition' accumulate at t = (\S+) s", done.stderr)
                        self.assertTrue(said, done.stderr)
                        # between the last event that is resolved and the instant; flat conditions lose it earlier
                        self.assertAlmostEqual(float(said.group(1)), start + 1 / (1 - r), delta=1e-3 if "^3" in case[0] else 1e-5)

    def test_they_accumulate_in_every_command(self):
        path = self.path("m.yaml", self.values("x < 0", "x: a*r"))
        for command in (("sens", path, "--wrt", "r", "--method", "direct"), ("sens", path, "--wrt", "r", "--method", "adjoint"),
                        ("sweep", path, "--param", "r=0.5:0.6:2", "--wrt", "none"),
                        ("sweep", path, "--param", "r=0.5:0.6:2", "--wrt", "none", "--batch")):
            done = jounce(*command, "--interpreter", code=1)
            self.assertIn("events of 'k, condition' accumulate at t = 2 s", done.stderr)

    def test_resets_that_leave_the_condition_do_not_accumulate(self):
        # nearer to the border that was crossed, behind it and on, and beyond it; to the border: test_held_events.py
        for when, resets, rate, begin, end, n in (("x < 0", "x: x/2", -1, 1, -19, 1),
                                                  ("x > 1", "x: x - 1", 1, 0.5, 0.5, 20), ("x > 1", "x: 3", 1, 0, 22, 1)):
            result = self.result(self.values(when, resets, rate, begin))["objectives"]
            self.assertAlmostEqual(result["x"], end, delta=1e-9, msg=(when, resets))
            self.assertEqual(result["n"], n, (when, resets))

    def test_flat_conditions_that_send_nothing_back_do_not_accumulate(self):
        text = BALL.replace('"z < 0", set: {z.rate: -e*z.rate, n: n + 1}', '"sin(20*t)^3 > 0", set: {n: n + 1}').replace("end: 1.3", "end: 0.4")
        self.assertNotIn("z.rate", text)
        self.assertEqual(self.value(text, "count"), 2)

    def test_frequent_events_are_told_apart_at_late_times(self):
        text = BALL.replace('"z < 0", set: {z.rate: -e*z.rate, n: n + 1}', '"sin(1e6*t) > 0", set: {n: n + 1}').replace(
            "end: 1.3", "start: 1e4, end: 10000.001")
        first, last = (math.floor(1e6*t/(2*math.pi)) for t in (1e4, 10000.001))
        self.assertLessEqual(abs(self.value(text, "count") - (last - first)), 1)

    def test_events_that_undo_each_other_stop_the_run(self):
        # both ends of a rod that falls flat: the impulse at the second one throws the first one down again
        text = """jounce: 1
parameters: {e: 0.99}
bodies: {b: {mass: 1, inertia: [0.1, 0.083, 0.1], points: {l: [-0.5, 0, 0], r: [0.5, 0, 0]}}}
joints: {b: {type: planar, child: b, axis: y, axis2: x}}
events:
  left: {when: b.l.z < 0, set: {b.t.rate: "b.t.rate + (1 + e)*b.l.vz/(1 + 0.25/0.083)", b.a.rate: "b.a.rate - (1 + e)*b.l.vz*0.5/0.083/(1 + 0.25/0.083)"}}
  right: {when: b.r.z < 0, set: {b.t.rate: "b.t.rate + (1 + e)*b.r.vz/(1 + 0.25/0.083)", b.a.rate: "b.a.rate + (1 + e)*b.r.vz*0.5/0.083/(1 + 0.25/0.083)"}}
objectives: {l: {final: b.l.z}}
initial: {b.t: -0.5, b.a: TILT}
simulation: {end: 0.5}
"""
        for e in (0.3, 0.99):
            done = jounce("run", self.path("m.yaml", text.replace("TILT", "0")), "--interpreter", "--set", f"e={e}", code=1)
            self.assertIn("events of 'left, condition' accumulate at t = 0.319275", done.stderr)
        # one after the other is as ever
        self.assertGreater(self.value(text.replace("TILT", "0.3").replace("end: 0.5", "end: 0.35"), "l"), -1e-9)

    def test_multistep_methods_stop_there_too(self):
        text = BALL.replace("end: 1.3", "end: 30")
        for method in ("adams", "bdf"):
            for e in (0, 0.01, 0.02, 0.2, 0.5, 0.8):
                end = math.sqrt(0.6 / 9.81) * (1 + e) / (1 - e)
                for tol in ("1e-3", "1e-4", "1e-8"):
                    done = jounce("run", self.path("m.yaml", text), "--interpreter", "--set", f"e={e}", "--set", "h=0.3", "--method", method, "--tol", tol, code=1)
                    said = re.search(r"events of 'bounce, condition' accumulate at t = (\S+) s .* by this method and tolerance", done.stderr)
                    self.assertTrue(said, done.stderr)
                    # bounces of d seconds are g d^2 / 8 high; those below the tolerance take d e / (1 - e) in all, and the first order d more
                    d = math.sqrt(8 * float(tol) / 9.81)
                    self.assertLess(abs(float(said.group(1)) - end), 10 * d / (1 - e), (method, e, tol))

    def test_frequent_events_that_send_nothing_back_do_not_accumulate(self):
        text = BALL.replace('"z < 0", set: {z.rate: -e*z.rate, n: n + 1}', '"sin(3000*t + 40*t^2) > 0.3", set: {n: n + 1}').replace("end: 1.3", "end: 0.4")
        self.assertNotIn("z.rate", text)
        for method in ((), ("--method", "adams"), ("--method", "bdf"), ("--method", "bdf", "--tol", "1e-4")):
            edges = math.floor((3000 * 0.4 + 40 * 0.16 - math.asin(0.3)) / (2 * math.pi)) + 1
            self.assertEqual(self.value(text, "count", *method), edges, method)

    def test_balls_on_slopes_and_several_of_them(self):
        text = """jounce: 1
bodies: {c: {mass: 0.1}, ball: {mass: 1}, other: {mass: 1}}
joints:
  x: {type: prismatic, axis: x, child: c}
  z: {type: prismatic, axis: z, parent: c, child: ball}
  w: {type: prismatic, axis: z, child: other}
events:
  one: {when: "z < 0.3*x", set: {z.rate: "0.3*x.rate - 0.6*(z.rate - 0.3*x.rate)"}}
  two: {when: "w < 0", set: {w.rate: "-0.9*w.rate"}}
objectives: {z_end: {final: z}}
initial: {z: 1, w: 2, x: {value: 0, rate: 1}}
simulation: {end: 20}
"""
        # the height over the slope falls as a ball with the speed 0.3 does
        v = math.sqrt(0.3 ** 2 + 2 * 9.81)
        end = (v - 0.3) / 9.81 + 2 * v / 9.81 * 0.6 / 0.4
        stderr = self.complaint(text, command="run")
        said = re.search(r"events of 'one, condition' accumulate at t = (\S+) s", stderr)
        self.assertTrue(said, stderr)
        self.assertLess(abs(float(said.group(1)) - end), 0.1)

    def test_a_ball_comes_to_rest_where_its_event_lets_it(self):
        text = examples("events")["ball that comes to rest"]
        for method in ((), ("--tol", "1e-4"), ("--method", "rk4", "--step", "0.01")):
            final = self.result(text, *method)["final"]
            self.assertLess(abs(final["z"]), 1e-9)
            self.assertEqual(final["energy.kinetic"], 0)

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


TIMER = """jounce: 1
name: timer
parameters: {begin: 1, lasts: 0.3}
bodies: {cart: {mass: 1}}
joints: {x: {type: prismatic, axis: x, child: cart}}
states:
  busy: {discrete: true}
  since: {discrete: true, initial: -1}
  ended: {discrete: true}
events:
  start: {when: t > begin, set: {busy: 1, since: t}}
  stop: {when: "busy == 1 and t > since + lasts", set: {busy: 0, ended: t}}
forces: {push: {on: x, force: -busy}}
objectives: {end: {final: ended}, way: {final: x}}
simulation: {end: 2}
"""


class Timers(Discrete):
    """A comparison that was true before a reset moved it does not count: `t > since + lasts` was, with the old `since`."""

    def test_a_time_begins_where_it_is_set(self):
        found = self.result(TIMER)["objectives"]
        self.assertAlmostEqual(found["end"], 1.3, delta=1e-12)
        self.assertAlmostEqual(found["way"], 0.3**2 / 2 + 0.3 * 0.7, delta=1e-9)
        self.agree(TIMER, "--wrt", "begin,lasts")


CLOCKS = """jounce: 1
name: clocks
parameters: {T: 0.03749}
bodies: {cart: {mass: 1}}
joints: {x: {type: prismatic, axis: x, child: cart}}
initial: {x: 0.1}
states: {n: {discrete: true}, m: {discrete: true}, u: {discrete: true}}
samplers:
  often: {every: T, set: {n: n + 1}}
  seldom: {every: 2*T, set: {m: m + 1, u: -5*x - x.rate}}
forces: {held: {on: x, torque: u}}
objectives: {n: {final: n}, m: {final: m}, way: {final: x}}
simulation: {end: 0.8}
"""


class SameInstant(Discrete):
    """Conditions that become true together, but for rounding: the reset of the first one takes nothing from the others."""

    def test_a_clock_strikes_with_one_of_half_its_period(self):
        for period in (0.03, 0.0329, 0.03749, 0.041, 0.0617):
            found = self.result(CLOCKS, "--set", f"T={period}")["objectives"]
            samples = math.floor(0.8 / period) + 1
            self.assertEqual((found["n"], found["m"]), (samples, (samples + 1) // 2), period)
        self.agree(CLOCKS, "--wrt", "T", "--objective", "way")


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


SLIDE = """jounce: 1
name: slide
parameters: {v0: 3, mu: 0.3, g: 9.81, m: 2, angle: 0}
gravity: [g*sin(angle), 0, -g*cos(angle)]
hardpoints: {wall: [-1, 0, 0], centre: [0, 0, 0]}
bodies: {block: {mass: m}}
joints: {x: {type: prismatic, axis: x, child: block, at: centre}}
frictions: {rub: {%s, coefficient: mu, normal: m*g*cos(angle)}}
initial: {x: {value: 0, rate: v0}}
objectives: {way: {final: x}, lost: {integral: rub.power}}
sensors: {sticks: rub.sticking, force_: rub.force}
simulation: {end: 2}
"""

TWO = """jounce: 1
name: two blocks
parameters: {m1: 2, m2: 1, mu1: 0.2, mu2: 0.5, g: 9.81, a: 30, w: 3}
gravity: [0, 0, -g]
bodies: {low: {mass: m1}, high: {mass: m2}}
joints:
  low: {type: prismatic, axis: x, child: low}
  high: {type: prismatic, parent: low, axis: x, child: high}
frictions:
  floor: {on: low, coefficient: mu1, normal: (m1 + m2)*g}
  top: {on: high, coefficient: mu2, normal: m2*g, static_coefficient: 0.6}
forces: {pull: {on: low, force: -a*sin(w*t)}}
sensors: {sf: floor.sticking, st: top.sticking, ff: floor.force, ft: top.force, energy: energy.kinetic}
objectives: {e: {final: low}, f: {final: high}, lost: {integral: floor.power + top.power}, work: {integral: a*sin(w*t)*low.rate}}
simulation: {end: 4}
"""


class Friction(Discrete):
    def test_a_block_slides_as_far_as_it_shall(self):
        v0, mu, g, m = 3.0, 0.3, 9.81, 2.0
        for where in "on: x", "between: [ground.wall, block.centre]":
            text = SLIDE % where
            found = self.result(text)
            self.assertAlmostEqual(found["objectives"]["way"], v0**2 / (2 * mu * g), delta=1e-9)
            self.assertAlmostEqual(found["objectives"]["lost"], -0.5 * m * v0**2, delta=1e-8)
            self.assertEqual(found["final"]["sticks"], 1)
            by = self.gradient(text)["way"]
            self.assertAlmostEqual(by["v0"], v0 / (mu * g), delta=1e-9)
            self.assertAlmostEqual(by["mu"], -v0**2 / (2 * mu**2 * g), delta=1e-8)
            self.assertAlmostEqual(by["m"], 0, delta=1e-10)
        self.agree(SLIDE % "on: x")

    def test_an_incline_holds_up_to_its_angle(self):
        text = SLIDE % "on: x"
        g, mu = 9.81, 0.3
        steep, flat = math.atan(mu) + 0.01, math.atan(mu) - 0.01
        still = self.result(text, "--set", "v0=0", "--set", f"angle={flat}")
        self.assertEqual(still["objectives"]["way"], 0)
        self.assertAlmostEqual(still["final"]["force_"], -2 * g * math.sin(flat), delta=1e-12)
        moves = self.value(text, "way", "--set", "v0=0", "--set", f"angle={steep}")
        self.assertAlmostEqual(moves, 2 * g * (math.sin(steep) - mu * math.cos(steep)), delta=1e-9)

    def test_uphill_it_turns_back_or_stays(self):
        # upward with v0: decelerates by g (sin + mu cos), slides back by g (sin - mu cos)
        text = (SLIDE % "on: x").replace("v0: 3", "v0: -3").replace("angle: 0}", "angle: 0.5}")
        g, mu, a, v0, end = 9.81, 0.3, 0.5, 3.0, 2.0
        up, down = g * (math.sin(a) + mu * math.cos(a)), g * (math.sin(a) - mu * math.cos(a))
        turn = v0 / up
        way = -v0**2 / (2 * up) + 0.5 * down * (end - turn)**2
        self.assertAlmostEqual(self.value(text, "way"), way, delta=1e-9)
        self.agree(text)

    def test_stick_slip_has_the_period_of_the_textbook(self):
        m, k, v, slip, stick = 1.0, 100.0, 0.2, 3.0, 5.0
        w, d = math.sqrt(k / m), stick - slip
        period = 2 * d / (k * v) + (2 * math.pi - 2 * math.atan(d / (v * math.sqrt(k * m)))) / w
        text = examples("frictions")["stick-slip"]
        slips = [e["t"] for e in self.result(text)["events"] if "slips back" in e["name"] and e["on"]]
        self.assertAlmostEqual(slips[0], stick / (k * v), delta=1e-8)
        for a, b in zip(slips[1:], slips[2:]):
            self.assertAlmostEqual(b - a, period, delta=1e-7)
        self.agree(text, "--tol", "1e-10")

    def test_two_blocks_on_each_other(self):
        found = self.result(TWO)
        o = found["objectives"]
        self.assertAlmostEqual(o["work"] + o["lost"], found["final"]["energy.kinetic"], delta=1e-6)
        rows = self.rows(TWO)
        for t, sf, st, ff, ft in zip(*(rows[k] for k in ("t", "sf", "st", "ff", "ft"))):
            self.assertLessEqual(abs(ff), 0.2 * 3 * 9.81 + 1e-9, t)
            self.assertLessEqual(abs(ft), (0.6 if st else 0.5) * 9.81 + 1e-9, t)
        self.assertIn(1, rows["sf"])
        self.assertIn(1, rows["st"])
        self.agree(TWO)

    def test_what_sticks_together_moves_as_one(self):
        # both on ice, the upper one held by friction: (m1 + m2) a = F
        text = TWO.replace("mu1: 0.2", "mu1: 0").replace("-a*sin(w*t)", "-6").replace("end: 4", "end: 1")
        self.assertAlmostEqual(self.value(text, "e"), 0.5 * 6 / 3, delta=1e-9)
        self.assertAlmostEqual(self.value(text, "f"), 0, delta=1e-12)

    def test_a_static_start_is_held(self):
        """A block on a spring and a slope, which 3 N hold where the spring has between -1 and 5 N."""
        text = """jounce: 1
parameters: {F: 3}
gravity: [2, 0, -9.81]
bodies: {b: {mass: 1}}
joints: {x: {type: prismatic, axis: x, child: b}}
forces: {s: {on: x, stiffness: 100}}
frictions: {f: {on: x, force: F}}
objectives: {e: {final: x}}
initial: {x: 0.04}
simulation: {end: 1, start_at: static}
"""
        self.assertEqual(self.value(text, "e"), 0.04)
        said = self.complaint(text.replace("x: 0.04", "x: 0.06"), command="run")
        self.assertIn("a friction sticks at the start and cannot hold the model where it is", said)

    def test_an_impact_lets_what_sticks_slip(self):
        text = (SLIDE % "on: x").replace("v0: 3", "v0: 0").replace(
            "objectives:", "events: {kick: {when: t > 0.5, set: {x.rate: 2}}}\nobjectives:")
        self.assertAlmostEqual(self.value(text, "way"), 4 / (2 * 0.3 * 9.81), delta=1e-9)
        self.agree(text, "--wrt", "mu,g")

    def test_joints_of_a_mechanism_rub(self):
        # the rocker turns back with the crank going on; at the end all joints stop together, and stay
        base = Path("models/mechanisms/four_bar.yaml").resolve()
        text = f"""jounce: 1
include: [{base}]
parameters: {{F1: 0.8, F2: 0.5}}
frictions:
  fa: {{on: crank, force: F1}}
  fb: {{on: rocker, force: F2, static: 0.6}}
sensors: {{stopped: fa.sticking + fb.sticking}}
objectives:
  end: {{final: crank}}
  lost: {{integral: fa.power + fb.power}}
"""
        found = self.result(text)
        self.assertEqual(found["final"]["stopped"], 2)
        first = self.result(text, "--end", "1e-9")["final"]["total_energy"]
        self.assertAlmostEqual(found["final"]["total_energy"] - first, found["objectives"]["lost"],
                               delta=1e-7)  # the first nanosecond takes 2e-8
        self.agree(text, "--wrt", "F1,F2,m_crank,start_rate")

    def test_it_may_begin_at_a_dead_point(self):
        text = """jounce: 1
name: slider crank
hardpoints: {A: [0, 0, 0], B: [0.1, 0, 0], C: [0.4, 0, 0]}
bodies:
  crank: {mass: 1, com: [0.05, 0, 0], inertia: [0.01, 0.01, 0.01]}
  rod: {mass: 0.3, com: [0.25, 0, 0], inertia: [0.001, 0.002, 0.002]}
  piston: {mass: 0.5, com: [0.4, 0, 0], inertia: [0.001, 0.001, 0.001]}
joints:
  crank: {type: revolute, axis: y, child: crank, at: A}
  rod: {type: revolute, axis: y, parent: crank, child: rod, at: B}
  piston: {type: prismatic, axis: x, child: piston, at: C}
closures: {pin: {type: ball, a: rod.C, b: piston.C}}
gravity: [0, 0, 0]
frictions: {ring: {on: piston, force: 4}}
initial: {crank: {value: 0, rate: 20}}
objectives: {lost: {integral: ring.power}, kinetic: {final: energy.kinetic}}
simulation: {end: 0.1}
"""
        found, first = self.result(text)["objectives"], self.result(text, "--end", "1e-9")["objectives"]
        self.assertAlmostEqual(found["kinetic"] - first["kinetic"], found["lost"], delta=1e-7)
        self.assertLess(found["lost"], -0.1)

    def test_a_wheel_is_braked_to_rest(self):
        text = """jounce: 1
name: brake
parameters: {torque: 5, I: 0.4, w0: 20}
bodies: {wheel: {mass: 1, inertia: [I, I, I]}}
joints: {a: {type: revolute, axis: y, child: wheel}}
frictions: {brake: {on: a, force: "torque*min(t, 1)"}}
initial: {a: {value: 0, rate: w0}}
objectives: {turned: {final: a}, time: {integral: 1 - brake.sticking}}
simulation: {end: 4}
"""
        # I w0 = torque (t - 1/2) for t > 1
        self.assertAlmostEqual(self.value(text, "time"), 0.4 * 20 / 5 + 0.5, delta=1e-8)
        self.agree(text)

    def test_what_is_refused(self):
        text = SLIDE % "on: x"
        for old, new, message in (
                ("coefficient: mu, ", "", "give 'force', or 'coefficient' and 'normal'"),
                ("coefficient: mu, normal: m*g*cos(angle)", "force: -1", "force is -1"),
                ("coefficient: mu, normal: m*g*cos(angle)", "force: 5, static: 4", "it must be at least 'force', 5"),
                ("normal: m*g*cos(angle)", "normal: rub.force", "'rub'"),
                ("on: x", "on: y", "y")):
            self.assertIn(message, self.complaint(text.replace(old, new)))


class Delays(Discrete):
    def test_a_sine_comes_out_late(self):
        # errors of the page on theory, at w T = 2: order 6 1.4e-5, order 8 4.7e-8
        for order, least, most in ((6, 1e-6, 2e-5), (8, 1e-9, 1e-7)):
            text = f"""jounce: 1
name: late
parameters: {{T: 0.1, w: 20}}
bodies: {{b: {{mass: 1}}}}
joints: {{x: {{type: prismatic, axis: x, child: b}}}}
delays: {{late: {{of: sin(w*t), time: T, order: {order}}}}}
sensors: {{off: late - sin(w*(t - T))}}
objectives: {{end: {{final: late}}}}
simulation: {{end: 1.03, tolerance: 1e-11}}
"""
            # at ends of runs: rows between steps have the error of the interpolation
            worst = max(abs(self.result(text, "--end", str(t))["final"]["off"]) for t in (0.93, 0.97, 1.01, 1.05))
            self.assertLess(worst, most)
            self.assertGreater(worst, least)
            # d sin(w (t - T)) / dT
            by = self.gradient(text)["end"]
            self.assertAlmostEqual(by["T"], -20 * math.cos(20 * (1.03 - 0.1)), delta=20 * 4 * most)
        self.agree(text)

    def test_the_example_and_its_derivatives(self):
        self.agree(examples("delays")["late hand"])

    def test_what_is_refused(self):
        text = examples("delays")["late hand"]
        for old, new, message in (("time: reaction, initial", "time: 0, initial", "delay 'seen': time is 0"),
                                  ("order: 6", "order: 60", "order is 60; it must be a whole number between 1 and 24"),
                                  ("of: a.rate, ", "", "'of' is missing")):
            self.assertIn(message, self.complaint(text.replace(old, new)))


class Unresolved(Discrete):
    """What cannot be resolved in time, or has no value, is reported."""
    MODEL = """jounce: 1
bodies: {b: {mass: 1}}
joints: {x: {type: prismatic, axis: z, child: b}}
states: {n: {discrete: true}}
MORE
objectives: {n_end: {final: n}WINDOW}
simulation: {end: 2SETTINGS}
"""

    def model(self, more="", window="", settings=""):
        return self.MODEL.replace("MORE", more).replace("WINDOW", window).replace("SETTINGS", settings)

    def test_conditions_that_are_not_a_number(self):
        for when in "sqrt(1 - t) < -1", "log(x + 1) > 5":
            stderr = self.complaint(self.model(f'events: {{e: {{when: "{when}", set: {{n: n + 1}}}}}}'), command="run")
            self.assertRegex(stderr, "what 'e, condition' compares is not a number (at|from) t = ")
        force = 'forces: {f: {on: x, force: "if(sqrt(t - 1) > 0.5, 1, 0)"}}'
        self.assertIn("compares is not a number at t = 0 s", self.complaint(self.model(force), command="run"))

    def test_conditions_faster_than_steps_are_found(self):
        # rising edges of sin(w t + phase) > level; whole periods lie between the looks of the third
        for w, phase, level, end, settings in ((1e6, 0, 0, 1e-3, ""), (1e3, 0.5, 0, 1, ""), (200 * math.pi, 1, 0.5, 10, ""),
                                               (200, 0.2, 0.99, 3, ""), (1e4, 2, 0.9, 0.1, ", method: bdf"),
                                               (6000 * math.pi, 1, 0, 0.1, ", method: rk4, step: 1e-3")):
            text = self.model(f'events: {{e: {{when: "sin({w!r}*t + {phase}) > {level}", set: {{n: n + 1}}}}}}', settings=settings)
            found = self.result(text.replace("end: 2", f"end: {end}"))["objectives"]["n_end"]
            edges = [math.floor((x - math.asin(level)) / (2 * math.pi)) for x in (phase, w * end + phase)]
            self.assertEqual(found, edges[1] - edges[0] + (phase == 0), (w, level))

    def test_no_event_of_a_fast_condition_is_lost(self):
        # rising edges by counting: of sines at all rates, of states, chirps, two frequencies and pulses
        two = "sin(7.3e5*t + 3.38) + 0.5*sin(9.06e4*t)"
        cases = [(f"sin({w!r}*{x} + {phase}) > {level}", 3000 * math.pi / w, lambda t, w=w, phase=phase: math.sin(w*t + phase) - level, w)
                 for w in (130, 4.1e3, 7e4, 7e5, 1e6, 1.3e6, 3e6, 1e7) for x, phase, level in (("t", 0.5, 0), ("x", 1.9, 0.87))]
        cases += [("cos(1e6*t) < 0", 0.01, lambda t: -math.cos(1e6*t), 1e6),
                  ("sin(1e7*t^2) > 0.2", 0.02, lambda t: math.sin(1e7*t*t) - 0.2, 4e5),
                  ("mod(t, 1e-6) > 5e-7", 0.002, lambda t: math.fmod(t, 1e-6) - 5e-7, 6e6),
                  ("mod(t, 3e-5) > 2e-5", 0.01, lambda t: math.fmod(t, 3e-5) - 2e-5, 2e5),
                  (two + " > 0.6", 0.005, lambda t: math.sin(7.3e5*t + 3.38) + 0.5*math.sin(9.06e4*t) - 0.6, 7.3e5),
                  ("sin(3e6*t)*sin(2e5*t) > 0.3", 0.002, lambda t: math.sin(3e6*t)*math.sin(2e5*t) - 0.3, 3e6),
                  ("exp(4*(sin(4.68e5*t + 4.47) - 1)) > 0.5", 0.01, lambda t: math.exp(4*(math.sin(4.68e5*t + 4.47) - 1)) - 0.5, 4.68e5)]
        for i, (when, end, value, w) in enumerate(cases):
            n = int(end * w * 20)
            signs = [value(end * j / n) > 0 for j in range(n + 1)]
            edges = sum(b and not a for a, b in zip(signs, signs[1:]))
            settings = ", max_events: 1e6" + ("", ", method: esdirk5", f", method: rk4, step: {end / 7!r}")[i % 3]
            text = self.model(f'events: {{e: {{when: "{when}", set: {{n: n + 1}}}}}}', settings=settings)
            text = text.replace("end: 2", f"end: {end!r}").replace("bodies:", "gravity: [0, 0, 0]\ninitial: {x: {value: 0, rate: 1}}\nbodies:")
            found = self.result(text)["objectives"]["n_end"]
            self.assertLessEqual(abs(found - edges), 1, (when, settings, found, edges))

    def test_forces_switched_fast_have_their_mean(self):
        text = self.model('forces: {f: {on: x, force: "if(sin(w*t) > 0, -1, 0)"}}', settings=", max_events: 1e6").replace(
            "bodies:", "parameters: {w: 1e6}\ngravity: [0, 0, 0]\nbodies:").replace("n_end: {final: n}", "v: {final: x.rate}").replace("end: 2", "end: 0.1")
        path = self.path("m.yaml", text)
        alone = self.value(text, "v")
        self.assertAlmostEqual(alone, 0.05, delta=2e-6)
        points = json.loads(jounce("sweep", path, "--interpreter", "--param", "w=1e6:2e6:2", "--wrt", "none", "--batch", "--json").stdout)["points"]
        self.assertAlmostEqual(points[0]["objectives"]["v"]["value"], alone, delta=1e-9)

    def test_conditions_too_fast_to_be_followed_are_rejected(self):
        for when, message in (("sin(1e6*t) > 0", r"'e, condition' chatters or there are too many events: .* raise simulation.max_events"),
                              ("sin(1e20*t) > 0", "what 'e, condition' compares changes faster than can be followed")):
            stderr = self.complaint(self.model(f'events: {{e: {{when: "{when}", set: {{n: n + 1}}}}}}'), command="run")
            self.assertRegex(stderr, message)

    def test_periods_windows_and_tolerances(self):
        for every in "1e-15", "1e-300", "1e-10":
            stderr = self.complaint(self.model(f"samplers: {{s: {{every: {every}, set: {{n: n + 1}}}}}}"))
            self.assertIn(f"every is {every}; it must be at least 1e-9", stderr)
        stderr = self.complaint(self.model(window=", r: {rms: x, window: [1, 1.0000000000000002]}"), command="run")
        self.assertIn("its window [1, 1.0000000000000002] s is 2.2e-16 s long, too short", stderr)
        self.assertIn("abs_tol is 1000; it must be", self.complaint(self.model(settings=", abs_tol: 1000")))
        done = jounce("run", self.path("m.yaml", self.model(settings=", abs_tol: 1e-3")), "--interpreter")
        self.assertIn("tolerance 1e-08 (absolute 0.001):", done.stdout)


class FixedSteps(Discrete):
    SPRING = """jounce: 1
parameters: {k: 900}
bodies: {b: {mass: 1, inertia: [1, 1, 1]}}
joints: {a: {type: revolute, axis: z, child: b}}
forces: {s: {on: a, force: k*a}}
objectives: {a_end: {final: a}}
initial: {a: 0.1}
simulation: {end: END}
"""

    def test_steps_beyond_stability_are_rejected(self):
        for end, step in ((100, 0.5), (1, 1), (1, 0.5), (3, 1)):
            path = self.path("m.yaml", self.SPRING.replace("END", str(end)))
            for command in (("run", path, "--method", "rk4"), ("sens", path, "--integrator", "rk4")):
                done = jounce(*command, "--step", str(step), "--interpreter", code=1)
                self.assertRegex(done.stderr, rf"rk4 with steps of {step} s is unstable .* is about {30 * step:.2g}, .* take steps below")

    def test_errors_cover_the_truth_where_events_cut_steps(self):
        for period in 0.013, 0.0171, 0.02:
            text = self.SPRING.replace("END", "1") + f"states: {{n: {{discrete: true}}}}\nsamplers: {{s: {{every: {period}, set: {{n: n + 1}}}}}}\n"
            path, truth = self.path("m.yaml", text), (0.1 * math.cos(30), -0.1 * math.sin(30) / 60)
            for method in "rk2", "rk3", "rk4":
                done = jounce("sens", path, "--integrator", method, "--step", "0.03", "--json", "--interpreter", "--quiet")
                a = json.loads(done.stdout)["objectives"]["a_end"]
                self.assertLess(abs(a["value"] - truth[0]), a["value_error"], (method, period))
                self.assertLess(abs(a["gradient"]["k"] - truth[1]), a["gradient_error"]["k"], (method, period))

    CUT = """jounce: 1
parameters: {first: 0.0045}
bodies: {mass: {mass: 1}}
joints: {z: {type: prismatic, child: mass, axis: z}}
forces: {damper: {on: z, stiffness: 100, damping: 634}}
states: {n: {discrete: true}}
samplers: {count: {every: 0.006, offset: first, set: {n: n + 1}}}
initial: {z: {value: 0.1, rate: 1}}
objectives: {z_end: {final: z}}
simulation: {end: 0.3}
"""

    def test_events_that_cut_steps_hide_no_instability(self):
        # each step of 6 ms has an event: |h lambda| of its parts is 2.9 and 1.0, of a limit of 2; with 3 ms it is 1.9 twice
        path, fixed = self.path("m.yaml", self.CUT), ("--method", "rk2", "--step", "0.006")
        done = jounce("run", path, "--interpreter", *fixed, code=1)
        self.assertRegex(done.stderr, "rk2 with steps of 0.006 s is unstable .* take steps below 1.6e-03 s")
        truth, found = self.value(self.CUT, "z_end"), self.value(self.CUT, "z_end", "--set", "first=0.003", *fixed)
        self.assertAlmostEqual(found, truth, delta=1e-6)

    UNRESOLVED = {
        "a pulse at the end of a run that was at rest": """
forces: {s: {on: x, stiffness: 1100, damping: 50}, load: {on: x, force: "if(t > 2.14 and t < 2.1848, 4, 0)"}}
objectives: {value: {final: x.acc}}
simulation: {end: 2.54, method: rk3, step: 0.272}
""",
        "a filter whose phases hide how fast it is": """
forces: {s: {on: x, stiffness: 900, damping: 3}}
initial: {x: 0.1}
objectives: {value: {rms: x.acc, filter: Wd}}
simulation: {end: 1, method: rk4, step: 0.00445}
""",
        "stages of one step that spoil a quadrature": """
forces: {s: {on: x, stiffness: 320, damping: 20}, stop: {on: x, force: "if(x > 0.03, 2444*(x - 0.03), 0)"}}
initial: {x: {value: 0.02, rate: -0.1}}
objectives: {value: {peak: energy.kinetic, power: 4, nominal: 0.4}}
simulation: {end: 0.4, method: rk3, step: 0.132}
"""}

    def test_steps_that_make_the_motion_themselves_are_rejected(self):
        for what, text in self.UNRESOLVED.items():
            with self.subTest(what):
                text = "jounce: 1\nbodies: {a: {mass: 1}}\njoints: {x: {type: prismatic, child: a, axis: x}}" + text
                path = self.path("m.yaml", text)
                for command in "run", "sens":
                    wrt = ("--wrt", "forces.s.stiffness") if command == "sens" else ()
                    done = jounce(command, path, "--interpreter", *wrt, code=1)
                    self.assertRegex(done.stderr, r"with steps of \S+ s does not resolve the motion at t = .* take steps below")
                # the step that is named will do
                step = re.search(r"take steps below (\S+) s", done.stderr)[1]
                value, truth = self.value(text, "value", "--step", step), self.value(text, "value", "--method", "auto")
                self.assertAlmostEqual(value, truth, delta=0.01 * abs(truth) + 1e-3)

    def test_motions_that_are_not_followed_are_warned_of(self):
        # |h lambda| = 2: stable, and far from exp(-2)
        text = """jounce: 1
bodies: {a: {mass: 1}}
joints: {x: {type: prismatic, child: a, axis: x}}
forces: {s: {on: x, stiffness: 2500, damping: 100}}
initial: {x: 0.1}
objectives: {value: {final: x}}
simulation: {end: 3, method: rk4, step: STEP}
"""
        warning = r"warning: \S+: rk4 with steps of 0.04 s does not follow the motion: 'x.*hint: --step below"
        self.assertRegex(jounce("run", self.path("m.yaml", text.replace("STEP", "0.04")), "--interpreter").stderr, warning)
        self.assertEqual(jounce("run", self.path("m.yaml", text.replace("STEP", "0.01")), "--interpreter").stderr, "")
        # x_end was 4e-129 +- 5.2e-13, of an amplitude of 0.007
        text = text.replace("stiffness: 2500, damping: 100", "stiffness: 6.67e6, damping: 2").replace("end: 3", "end: 0.5")
        done = jounce("sens", self.path("m.yaml", text.replace("STEP", "1e-3")), "--wrt", "forces.s.stiffness", "--interpreter", code=1)
        self.assertIn("does not follow the motion ('x.rate' changes by as much as its own size where steps are halved), so that errors", done.stderr)

    def test_errors_of_derivatives_cover_the_truth(self):
        path = self.path("m.yaml", self.SPRING.replace("END", "1"))
        truth = -0.1 * math.sin(30) / 60
        for method in "rk2", "rk3", "rk4":
            for steps in 40, 80, 160:
                done = jounce("sens", path, "--integrator", method, "--step", repr(1 / steps), "--json", "--interpreter",
                              "--quiet")
                a = json.loads(done.stdout)["objectives"]["a_end"]
                self.assertLess(abs(a["gradient"]["k"] - truth), a["gradient_error"]["k"])


class Periodic(Case):
    """Steps that are multiples of the period of a torque or a road see it at the same places in every step."""
    TEXT = """jounce: 1
name: shaken
parameters: {F: 2000, f: 50}
gravity: [0, 0, 0]
bodies: {a: {mass: 100}}
joints: {x: {type: prismatic, child: a, axis: x}}
forces: {s: {on: x, stiffness: 20000, damping: 200}, f: {on: x, torque: "F*sin(2*pi*f*t)"}}
objectives: {r: {rms: x.acc}}
simulation: {end: 2}
"""

    def test_is_not_zero_silently(self):
        path = self.path("m.yaml", self.TEXT)
        true = 14.17385
        for method in "rk2", "rk3", "rk4":
            for step in "0.02", "0.04", "0.08":
                fixed = method, "--step", step
                done = jounce("run", path, "--json", "--method", *fixed)
                value = json.loads(done.stdout)["objectives"]["r"]
                self.assertLess(abs(value), 1e-6)
                self.assertRegex(done.stderr, "objective 'r' came out as|may be far off", fixed)
                done = jounce("sens", path, "--json", "--wrt", "F", "--integrator", *fixed, code=None)
                if done.returncode == 1:  # the other steps are too long as well
                    self.assertRegex(done.stderr, "steps of .* (unstable|does not resolve)", fixed)
                    continue
                told = json.loads(done.stdout)["objectives"]["r"]
                self.assertGreater(told["value_error"], 0.5*true, fixed)
                self.assertGreater(told["gradient_error"]["F"], 0.5*true/2000, fixed)


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
