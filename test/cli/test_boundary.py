#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Conditions that are at their boundary where a run starts, or where a discrete state jumps onto it: they hold as they are
written, however that is, and everything that starts a run agrees."""
import csv
import json
import unittest
from pathlib import Path

from case import Case
from program import jounce
from vehicle import Export, Vehicle

SLIDE = """jounce: 1
name: slide
parameters: {k: 100, d: 0, kind: 1}
gravity: [0, 0, 0]
bodies: {b: {mass: 1}}
joints: {x: {type: prismatic, axis: x, child: b}}
forces:
  k: {on: x, stiffness: k, damping: 20}
  f: {on: x, torque: F}
signals: {F: "10*(WHAT)"}
sensors: {pull: F}
objectives: {e: {final: x}, s: {integral: x}}
simulation: {start: START, end: END, start_at: static, tolerance: 1e-9}
"""

# a cart that follows one whose place is given
DRIVEN = """jounce: 1
name: driven
gravity: [0, 0, 0]
bodies: {b: {mass: 1}, c: {mass: 1}}
joints:
  x: {type: prismatic, axis: x, child: b}
  y: {type: prismatic, axis: x, child: c, drive: "0.01*(WHAT)"}
forces: {f: {on: x, torque: 100*(y - x) - 20*x.rate}}
sensors: {place: y}
objectives: {e: {final: x}}
simulation: {end: 1, start_at: static, tolerance: 1e-9}
"""

# what each is before the boundary, on it and behind
SPELLED = {
    (0, 0, 1): ["if(u > 0, 1, 0)", "if(u <= 0, 0, 1)", "if(0 < u, 1, 0)", "if(not (u <= 0), 1, 0)",
                "1 - if(0 >= u, 1, 0)", "if(u >= 0 and u != 0, 1, 0)", "if(u < 0 or u == 0, 0, 1)",
                "max(sign(u), 0)", "1 - step(-(u))", "if(-(u) < 0, 1, 0)", "if(4*(u) > 0, 1, 0)"],
    (0, 1, 1): ["if(u >= 0, 1, 0)", "if(u < 0, 0, 1)", "step(u)", "if(not (0 > u), 1, 0)", "if(0 <= u, 1, 0)",
                "if(u > 0 or u == 0, 1, 0)", "1 + min(sign(u), 0)", "if(-(u) <= 0, 1, 0)"],
    (0, 1, 0): ["if(u == 0, 1, 0)", "if(u != 0, 0, 1)", "if(u <= 0 and u >= 0, 1, 0)", "1 - abs(sign(u))",
                "if(not (u > 0 or u < 0), 1, 0)", "step(u)*step(-(u))"],
    (-1, 0, 1): ["sign(u)", "if(u > 0, 1, if(u < 0, -1, 0))", "step(u) - step(-(u))", "if(u == 0, 0, if(u < 0, -1, 1))",
                 "-sign(-(u))"],
    (-1, 1, 1): ["2*step(u) - 1", "if(u < 0, -1, 1)", "if(u >= 0, 1, -1)"],
}


def slide(what, at=0.0, u="t - {at}"):
    text = what.replace("u", "(" + u.format(at=at) + ")") if what else "0"
    return SLIDE.replace("WHAT", text).replace("START", str(at)).replace("END", str(at + 1))


class AtTheStart(Case):
    def run_of(self, text, *options):
        return json.loads(jounce("run", self.path("m.yaml", text), "--json", *options).stdout)

    def static(self, text):
        found = json.loads(jounce("static", self.path("m.yaml", text), "--json").stdout)
        return found["coordinates"]["x"]

    def closed(self, before, behind):
        """x at the end: critically damped, omega = 10, from rest under one force to that under another."""
        from math import exp
        return 0.1*behind + 0.1*(before - behind)*(1 + 10)*exp(-10)

    def test_every_spelling_is_what_it_says(self):
        for at in (0.0, 0.3, -2.5):
            for (_, on, behind), texts in SPELLED.items():
                for what in texts:
                    with self.subTest(what=what, at=at):
                        text = slide(what, at)
                        self.assertAlmostEqual(0.1*on, self.static(text), delta=1e-12)
                        for how in ((), ("--interpreter",)):
                            run = self.run_of(text, *how)
                            self.assertAlmostEqual(self.closed(on, behind), run["objectives"]["e"], delta=1e-8)
                            self.assertAlmostEqual(10*behind, run["final"]["pull"], delta=1e-12)

    def test_outputs_at_the_start_are_those_on_the_boundary(self):
        for (_, on, behind), texts in SPELLED.items():
            for what in texts:
                with self.subTest(what=what):
                    rows = self.rows(slide(what))
                    self.assertEqual(10*on, rows["pull"][0])
                    self.assertEqual(10*behind, rows["pull"][-1])

    def test_derivatives_do_not_know_of_it(self):
        for (_, on, behind), texts in SPELLED.items():
            for what in texts[:3]:
                with self.subTest(what=what):
                    path = self.path("m.yaml", slide(what))
                    done = jounce("sens", path, "--check", "--wrt", "k", "--objective", "s", "--quiet")
                    self.assertIn("all agree", done.stdout)
                    self.assertEqual("", done.stderr)

    def test_one_side_is_reported_where_a_parameter_is_the_boundary(self):
        for (_, on, behind), texts in SPELLED.items():
            for what in texts:
                with self.subTest(what=what):
                    path = self.path("m.yaml", slide(what, u="t - d"))
                    for method in ("direct", "adjoint"):
                        done = jounce("sens", path, "--wrt", "d", "--method", method, "--json")
                        self.assertIn("are those of one side", done.stderr)

    def test_lanes_agree(self):
        for what in ("if(u > 0, 1, 0)", "step(u)", "sign(u)", "if(u == 0, 1, 0)", "if(u <= 0, 1, 0)"):
            with self.subTest(what=what):
                path, values = self.path("m.yaml", slide(what)), []
                for how in ((), ("--batch",)):
                    out = self.path("sweep.csv")
                    jounce("sweep", path, "--param", "k=80:120:3", "--wrt", "none", "-o", out, "--restart", *how)
                    lines = [l for l in Path(out).read_text(encoding="utf-8").splitlines() if l[:1] != "#"]
                    values.append([float(r["e"]) for r in csv.DictReader(lines) if r["e"]])
                self.assertEqual(3, len(values[0]))
                for one, batch in zip(*values):
                    self.assertAlmostEqual(one, batch, delta=1e-8)

    def test_exports_agree(self):
        for i, what in enumerate(("if(u <= 0, 0, 1)", "step(u)", "sign(u)", "if(u == 0, 1, 0)")):
            with self.subTest(what=what):
                path = self.path("m.yaml", slide(what))
                folder = Path(self.path(f"export{i}"))
                folder.mkdir()
                export = Export(str(folder), path)
                v = Vehicle(export)
                self.addCleanup(v.close)
                v.begin()
                on, behind = next(k[1:] for k, texts in SPELLED.items() if what in texts)
                self.assertEqual(10*on, v.outputs()["pull"])
                v.advance(export.model.t_end)
                self.assertAlmostEqual(self.closed(on, behind), v.objectives()["e"], delta=1e-8)

    def test_modes_at_static_are_those_on_the_boundary(self):
        for what, stiff in (("if(t > 0, -30*x, 0)", 100), ("if(t >= 0, -30*x, 0)", 400), ("if(t == 0, -30*x, 0)", 400),
                            ("-30*x*sign(t)", 100)):
            with self.subTest(what=what):
                text = SLIDE.replace("WHAT", what).replace("damping: 20", "damping: 0")
                path = self.path("m.yaml", text.replace("START", "0").replace("END", "1"))
                found = json.loads(jounce("modes", path, "--at", "static", "--json").stdout)["modes"]
                wanted = stiff**0.5/6.283185307179586
                self.assertTrue(any(abs(m["frequency"] - wanted) < 1e-9 for m in found), found)

    def test_a_driven_coordinate_starts_there_and_jumps(self):
        for what, at_rest, end in (("if(t > 0, 1, 0)", 0, 1), ("if(t <= 0, 0, 1)", 0, 1), ("step(t)", 1, 1),
                                   ("if(t < 0, 0, 1)", 1, 1), ("sign(t)", 0, 1), ("if(t == 0, 1, 0)", 1, 0)):
            with self.subTest(what=what):
                path = self.path("m.yaml", DRIVEN.replace("WHAT", what))
                found = json.loads(jounce("static", path, "--json").stdout)["coordinates"]
                self.assertAlmostEqual(0.01*at_rest, found["y"], delta=1e-12)
                self.assertAlmostEqual(0.01*at_rest, found["x"], delta=1e-10)
                run = json.loads(jounce("run", path, "--json").stdout)
                self.assertAlmostEqual(0.01*end, run["final"]["place"], delta=1e-12)
                self.assertAlmostEqual(0.1*self.closed(at_rest, end), run["objectives"]["e"], delta=1e-8)


CONTACT = """jounce: 1
name: contact
parameters: {v: 0, s0: 0}
gravity: [0, 0, -10]
bodies: {b: {mass: 1}}
joints: {z: {type: prismatic, axis: z, child: b}}
forces: {floor: {on: z, force: "WHAT"}}
sensors: {force: "WHAT"}
objectives: {e: {final: z}}
initial: {z: {value: s0, rate: v}}
simulation: {end: 0.4, tolerance: 1e-10}
"""


class OnStates(Case):
    def test_a_contact_that_just_touches(self):
        """Whatever the boundary says, the force is zero there."""
        for v in (-1, 0, 1):
            found = []
            for what in ("if(z < 0, -400*z, 0)", "if(z <= 0, -400*z, 0)", "if(z >= 0, 0, -400*z)", "400*max(-z, 0)",
                         "if(not (z > 0), -400*z, 0)", "200*(abs(z) - z)"):
                # the force of an element is what it takes from the coordinate
                text = CONTACT.replace("WHAT", "-(" + what + ")")
                done = json.loads(jounce("run", self.path("m.yaml", text), "--json", "--set", f"v={v}").stdout)
                found.append((done["objectives"]["e"], len(done["events"])))
            for e, events in found:
                self.assertAlmostEqual(found[0][0], e, delta=1e-9)
                self.assertLessEqual(abs(events - found[0][1]), 1)
                self.assertLess(events, 6)

    def test_a_force_that_jumps_at_the_boundary(self):
        for what, first in (("if(z < 0, 30, 0)", 0), ("if(z <= 0, 30, 0)", 30), ("if(z > 0, 0, 30)", 30),
                            ("if(z >= 0, 0, 30)", 0), ("15*(1 - sign(z))", 15)):
            for v in (-1, 1):
                with self.subTest(what=what, v=v):
                    text = CONTACT.replace("WHAT", "-(" + what + ")")
                    rows = self.rows(text, "--set", f"v={v}", "--set", "simulation.end=0.05")
                    self.assertEqual(-first, rows["force"][0])
                    # behind the start it is the force of the side to which the motion leads
                    wanted = v*0.05 + 0.5*(20 if v < 0 else -10)*0.05**2
                    self.assertAlmostEqual(wanted, rows["z"][-1] if "z" in rows else wanted, delta=1e-9)
                    self.assertEqual(-30 if v < 0 else 0, rows["force"][-1])


COUNTER = """jounce: 1
name: counter
gravity: [0, 0, 0]
bodies: {b: {mass: 1}}
joints: {x: {type: prismatic, axis: x, child: b}}
states: {n: {discrete: true}, late: {discrete: true}}
samplers: {s: {every: 0.3, set: {n: n + 1}}}
events: {reached: {when: "WHAT", set: {late: t}}}
forces: {f: {on: x, force: "-if(WHAT, 1, 0)"}}
objectives: {v: {final: x.rate}, n: {final: n}, late: {final: late}}
simulation: {end: 2}
"""


class OnDiscreteStates(Case):
    def test_every_comparison_holds_as_written(self):
        # n is 1 from 0 on, 2 from 0.3, 3 from 0.6, 4 from 0.9
        for what, v, late in (("n >= 3", 1.4, 0.6), ("n > 2", 1.4, 0.6), ("n > 2.5", 1.4, 0.6), ("not (n < 3)", 1.4, 0.6),
                              ("n == 3", 0.3, 0.6), ("n > 3", 1.1, 0.9), ("max(n, 3) == n", 1.4, 0.6),
                              ("sign(n - 3) >= 0", 1.4, 0.6), ("abs(n - 3) <= 0", 0.3, 0.6), ("n >= 3 and n <= 3", 0.3, 0.6)):
            with self.subTest(what=what):
                text = COUNTER.replace("WHAT", what)
                done = json.loads(jounce("run", self.path("m.yaml", text), "--json").stdout)["objectives"]
                self.assertEqual(7, done["n"])
                self.assertAlmostEqual(v, done["v"], delta=1e-9)
                self.assertAlmostEqual(late, done["late"], delta=1e-9)


LOST = """jounce: 1
name: lost
parameters: {k: 100}
gravity: [0, 0, 0]
bodies: {b: {mass: 1}, c: {mass: 1}}
joints: {x: {type: prismatic, axis: x, child: b}, y: {type: prismatic, axis: y, child: c}}
forces: {s: {on: x, stiffness: k}, f: {on: x, torque: "if(WHAT > -1, 1, 0)"}}
initial: {x: 1}
objectives: {A: {rms: x}, Z: {rms: y}, F: {final: x}, S: {OF: "sqrt(y)"}}
simulation: {end: 5}
"""


class WithoutValues(Case):
    def test_the_time_from_which_on_a_condition_is_no_number(self):
        path = self.path("m.yaml", LOST.replace("WHAT", "sqrt(1 - t)").replace("OF", "final"))
        for method in ("auto", "dopri5", "rk4", "esdirk5", "bdf"):
            done = jounce("run", path, "--method", method, "--step", "0.3", code=1)
            since = float(done.stderr.split("is not a number from t = ")[1].split()[0])
            self.assertAlmostEqual(1.0, since, delta=1e-6)

    def test_adjoints_blame_objectives_with_infinite_slopes_and_no_others(self):
        for kind in ("final", "integral"):
            path = self.path("m.yaml", LOST.replace("WHAT", "0").replace("OF", kind))
            found = [json.loads(jounce("sens", path, "--wrt", "k", "--method", m, "--json").stdout)["objectives"]
                     for m in ("direct", "adjoint")]
            for o in "AZFS":
                direct, adjoint = (f[o]["gradient"]["k"] for f in found)
                self.assertEqual(o in "ZS", adjoint is None)
                self.assertEqual(direct is None, adjoint is None)
                if direct is not None:
                    self.assertAlmostEqual(direct, adjoint, delta=1e-8)


class Coincidences(Case):
    """Events that fall on one another, on the end of the run or of a window: the next value of a parameter decides."""
    PLAIN = """jounce: 1
gravity: [0, 0, 0]
parameters: {p: 0.5, q: 0.5, m: 1}
bodies: {b: {mass: m}}
joints: {x: {type: prismatic, child: b, axis: x}}
"""
    SAMPLED = """jounce: 1
gravity: [0, 0, 0]
parameters: {T: 0.25, m: 1}
bodies: {b: {mass: m}}
joints: {x: {type: prismatic, child: b, axis: x}}
states: {u: {discrete: true}, s: {derivative: u}}
samplers: {c: {every: T, set: {u: t}}}
objectives: {f: {final: s + 0*m}}
simulation: {end: 1}
"""

    def sides(self, path, name, value):
        """Slopes before and behind, by differences of runs."""
        h = 1e-6
        f = [json.loads(jounce("run", path, "--json", "--set", f"{name}={value + k*h!r}").stdout)["objectives"]["f"] for k in (-1, 0, 1)]
        return (f[1] - f[0])/h, (f[2] - f[1])/h

    def one_sided(self, text, wrt, said, *options):
        """Whether each parameter is that of one side, by both methods."""
        path, found = self.path("m.yaml", text), None
        for method in ("direct", "adjoint"):
            done = jounce("sens", path, "--wrt", ",".join(wrt), "--method", method, "--json", *options)
            errors = json.loads(done.stdout)["objectives"]["f"]["gradient_error"]
            sides = [errors[name] is None for name in wrt]
            self.assertEqual("those of one side" in done.stderr, any(sides), done.stderr)
            if any(sides):
                self.assertIn(said, done.stderr)
            self.assertIn(found, (None, sides))
            found = sides
        return found

    def test_a_sample_at_the_end(self):
        left, right = self.sides(self.path("m.yaml", self.SAMPLED), "T", 0.25)
        self.assertGreater(abs(left - right), 0.5)
        said = "at 1 s the event 'c, condition' falls on the end of the run, and the least change of 'T' decides whether it happens"
        self.assertEqual(self.one_sided(self.SAMPLED, ("T", "m"), said), [True, False])
        self.assertEqual(self.one_sided(self.SAMPLED.replace("T: 0.25", "T: 0.1"), ("T", "m"), said), [True, False])
        # near the end, not at it
        for T in (0.25 + 1e-9, 0.25 - 1e-9, 0.3):
            self.assertEqual(self.one_sided(self.SAMPLED, ("T", "m"), said, "--set", f"T={T!r}"), [False, False])

    def test_an_event_at_the_end(self):
        text = self.PLAIN + """states: {u: {discrete: true}, s: {derivative: u}}
events: {c: {when: "t > 2*p", set: {u: 5}}}
objectives: {f: {final: s}}
simulation: {end: 1}
"""
        left, right = self.sides(self.path("m.yaml", text), "p", 0.5)
        self.assertGreater(abs(left - right), 5)
        self.assertEqual(self.one_sided(text, ("p", "m"), "at 1 s the event 'c, condition' falls on the end"), [True, False])
        self.assertEqual(self.one_sided(text, ("p", "m"), "", "--set", "p=0.49999999"), [False, False])
        self.assertEqual(self.one_sided(text, ("m",), ""), [False])

    def test_an_event_at_the_end_of_a_window(self):
        text = self.PLAIN + """states: {u: {discrete: true}}
events: {c: {when: "t > p", set: {u: 1}}}
objectives: {f: {integral: u + 0*m, window: [0.2, 0.5]}}
simulation: {end: 1}
"""
        left, right = self.sides(self.path("m.yaml", text), "p", 0.5)
        self.assertGreater(abs(left - right), 0.5)
        self.assertEqual(self.one_sided(text, ("p", "m"), "at 0.5 s"), [True, False])
        self.assertEqual(self.one_sided(text, ("p", "m"), "", "--set", "p=0.4999999"), [False, False])

    def test_two_events_at_one_instant(self):
        text = self.PLAIN + """states: {a: {discrete: true, initial: 1}}
events: {e1: {when: "t > p", set: {a: a+1}}, e2: {when: "t > q", set: {a: a*10}}}
objectives: {f: {integral: a + 0*m}}
simulation: {end: 1}
"""
        for name in ("p", "q"):
            left, right = self.sides(self.path("m.yaml", text), name, 0.5)
            self.assertGreater(abs(left - right), 5)
        said = "at 0.5 s the event 'e1, condition' falls on 'e2, condition', and the least change of 'p' decides which comes first"
        self.assertEqual(self.one_sided(text, ("p", "q", "m"), said), [True, True, False])
        # both are moved together
        self.assertEqual(self.one_sided(text.replace("t > q", "t > p"), ("p", "m"), said), [False, False])
        done = jounce("sweep", self.path("m.yaml", text), "--param", "q=0.4:0.6:3", "--wrt", "p,q")
        self.assertIn("2 of 6 derivatives are those of one side", done.stderr)

    def test_the_order_may_not_matter(self):
        """Two forces that begin at one instant add up; their product does not."""
        for what, sides in (("step(t - p) + step(t - q)", False), ("step(t - p)*step(t - q)", True)):
            text = self.PLAIN + f"""forces: {{f: {{on: x, torque: "{what}"}}}}
objectives: {{f: {{final: x}}}}
simulation: {{end: 1}}
"""
            left, right = self.sides(self.path("m.yaml", text), "p", 0.5)
            self.assertEqual(abs(left - right) > 0.1, sides)
            self.assertEqual(self.one_sided(text, ("p", "q", "m"), "at 0.5 s"), [sides, sides, False])


if __name__ == "__main__":
    unittest.main()
