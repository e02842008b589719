#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Events that set what their conditions compare back to the limit (docs/theory/integration.md, I16). Where the motion goes
on into the condition they would have to happen again at once: an error. Where it rests there, or leaves, the run goes on."""
import json
import re
import unittest

from case import Case
from program import jounce

# a state s, a body x in free motion, and what an event does
MODEL = """jounce: 1
name: held
parameters: {p: 1}
gravity: [0, 0, 0]
bodies: {m: {mass: 1}}
joints: {x: {type: prismatic, child: m, axis: x}}
states:
  s: {derivative: "DERIVATIVE", initial: INITIAL}
  w: {derivative: 0}
  u: {discrete: true}
  pk: {discrete: true, initial: PEAK}
  on: {discrete: true, initial: 1}
events:
  c: {when: "WHEN", set: {SET}}
forces: {f: {on: x, force: "FORCE"}}
initial: {x: {value: 0, rate: RATE}}
objectives: {s: {final: s}, n: {final: u}, x: {final: x}, v: {final: x.rate}, pk: {final: pk}}
simulation: {end: END}
"""


def model(when, sets, derivative="-1", initial="1", peak="0.1", force="0", rate="0", end="3"):
    values = {"WHEN": when, "SET": sets, "DERIVATIVE": derivative, "INITIAL": initial, "PEAK": peak, "FORCE": force,
              "RATE": rate, "END": end}
    return re.sub("|".join(values), lambda m: values[m.group(0)], MODEL)


# (model, when the event happens)
HELD = {
    "brake": (model("x.rate < 0", "x.rate: 0, u: u + 1", force="2", rate="3"), 1.5),
    "brake, limit of 0.1": (model("x.rate < 0.1", "x.rate: 0.1", force="2", rate="3"), 1.45),
    "clamp": (model("s < 0", "s: 0, u: u + 1"), 1),
    "clamp that sets nothing else": (model("s < 0", "s: 0"), 1),  # located where s is zero exactly: it changes no value
    "clamp, at most": (model("s <= 0", "s: 0"), 1),
    "clamp from below": (model("s > 2", "s: 2", "1.2345"), 1 / 1.2345),
    "clamp, max": (model("s < 0", "s: \"max(0, s)\""), 1),
    "clamp, flat": (model("s^3 < 0", "s: 0"), 1),
    "clamp, slow": (model("s < 0", "s: 0", "-1e-3", "1e-3"), 1),
    "clamp, far off": (model("s < 1e6", "s: 1e6", initial="1e6 + 1"), 1),
    "clamp, small": (model("s < 0", "s: 0", "-1e-6", "1e-6"), 1),
    "turned round": (model("s < 0", "s: -s"), 1),
    "within rounding": (model("s < 0", "s: 1e-14"), 1),
    "by another state": (model("s + w < 0", "w: -s"), 1),
    "by an event that follows": (model("s < 0", "on: 0", initial="1").replace(
        "forces:", "  d: {when: \"on == 0\", set: {s: 0, on: 1}}\nforces:"), 1),
    "peak hold": (model("s > pk", "pk: s", "cos(t)", "0", "0.5"), 0.5235987755982989),
    "peak hold, max": (model("s > pk", "pk: \"max(s, pk)\"", "cos(t)", "0", "0.5"), 0.5235987755982989),
    "peak hold of a coordinate": (model("x > pk", "pk: x", rate="2"), 0.05),
    # at t = 1 another event lifts s above the peak, and it goes on rising
    "peak that is jumped over": (model("s > pk", "pk: s", "1", "-5").replace(
        "forces:", "  d: {when: \"t > 1\", set: {s: 4}}\nforces:"), 1),
    "rest that ends": (model("s < 0", "s: 0, on: 0", "if(t > 2, -1, -on)"), 2),
}

# (model, objectives at the end)
FREE = {
    "counter": (model("s < 0", "u: u + 1"), {"s": -2, "n": 1}),
    "half": (model("s < 0", "s: s/2, u: u + 1"), {"s": -2, "n": 1}),
    "beyond": (model("s < 0", "s: -0.5, u: u + 1"), {"s": -2.5, "n": 1}),
    "to the other side": (model("s < 0", "s: s + 0.25, u: u + 1", initial="0.125"), {"n": 12, "s": 0.125}),
    "once": (model("s < 0 and on == 1", "s: 0, on: 0, u: u + 1"), {"s": -2, "n": 1}),
    "rest by a discrete state": (model("s < 0", "s: 0, on: 0, u: u + 1", "-on"), {"s": 0, "n": 1}),
    "brake with a discrete state": (model("x.rate < 0", "x.rate: 0, on: 0, u: u + 1", force="2*on", rate="3"),
                                    {"x": 2.25, "v": 0, "n": 1}),
    "motion that turns": (model("s < 0", "s: 0, on: -1, u: u + 1", "-on"), {"s": 2, "n": 1}),
    "rest, and back": (model("s < 0", "s: 0, on: 0, u: u + 1", "if(t > 2, 1, -on)"), {"s": 1, "n": 1}),
    "peak where the rate changes sign": (model("x.rate < 0", "pk: x, u: u + 1", force="2", rate="3"),
                                         {"pk": 2.25, "n": 1, "v": -3}),
    "timer": (model("s < 0", "w: 0, u: u + 1"), {"s": -2, "n": 1}),
}


class Held(Case):
    def test_events_that_hold_what_moves_on_are_an_error(self):
        methods = ((), ("--tol", "1e-4"), ("--method", "esdirk5"), ("--method", "rk4", "--step", "0.01"))
        for name, (text, at) in HELD.items():
            path = self.path("m.yaml", text)
            for method in methods:
                with self.subTest(name, method=method):
                    done = jounce("run", path, "--interpreter", *method, code=1)
                    said = re.search(r"the events of 'c, condition' accumulate at t = (\S+) s", done.stderr)
                    self.assertTrue(said, done.stderr)
                    if at is not None:
                        self.assertAlmostEqual(float(said.group(1)), at, delta=1e-3 if name == "clamp, flat" else 1e-6)

    def test_whatever_the_speed(self):
        # crossings at all sorts of instants: whether one is located where the value is zero exactly does not matter
        path = self.path("m.yaml", model("s < 0", "s: 0", "-p", "1", end="12"))
        for i in range(40):
            done = jounce("run", path, "--interpreter", "--set", f"p={0.1 + 0.05 * i:.17g}", code=1)
            self.assertIn("the events of 'c, condition' accumulate", done.stderr)

    def test_others_go_on(self):
        for name, (text, end) in FREE.items():
            with self.subTest(name):
                done = jounce("run", self.path("m.yaml", text), "--interpreter", "--json")
                found = json.loads(done.stdout)["objectives"]
                for k, value in end.items():
                    self.assertAlmostEqual(found[k], value, delta=1e-8, msg=k)

    def test_in_every_command(self):
        path = self.path("m.yaml", model("s < 0", "s: 0, u: u + 1", "-p"))
        for command in (("sens", path, "--wrt", "p", "--method", "direct"), ("sens", path, "--wrt", "p", "--method", "adjoint"),
                        ("sweep", path, "--param", "p=1:1.1:2", "--wrt", "none"),
                        ("sweep", path, "--param", "p=1:1.1:2", "--wrt", "none", "--batch")):
            self.assertIn("the events of 'c, condition' accumulate", jounce(*command, "--interpreter", code=1).stderr)


if __name__ == "__main__":
    unittest.main()
