#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Junctions without volume: pressures against an independent solution, the damper without its volume, balances, derivatives,
what is refused."""
import math
import unittest

from hydraulics import Case, reference, RIG, settings, unit_of
from program import jounce

# Damper b without the volume in front of its electro-valve.
NO_V3 = """
jounce: 1
name: no_v3
include: {model}
volumes: {{v3: }}
junctions: {{v3: {{}}}}
"""

# One of everything around a junction.
STAR = """
jounce: 1
parameters: {{p1: 3.0e6, p2: 1.0e6, p3: 4.0e5, A: 2.0e-6, Q0: 1.0e-5, i: 0.7, G: 1.0e-11}}
bodies: {{weight: {{mass: 1}}}}
joints: {{z: {{type: prismatic, child: weight, axis: [0, 0, 1]}}}}
tables: {{q: {{x: [-1.0e6, 0, 2.0e5, 4.0e6], y: [-1.0e-6, 0, 1.0e-6, 5.0e-5]}}}}
fluids: {{oil: {{{oil}}}}}
pressures: {{a: {{pressure: p1}}, b: {{pressure: p2 + {moves}}}, c: {{pressure: p3}}}}
junctions: {{tee: {{}}}}
{elements}
sensors: {{p: tee.pressure, inflow: tee.inflow}}
objectives: {{psi: {{integral: (tee.pressure/1.0e6)^2}}}}
simulation: {{end: 1.0e-3, method: dopri5, tolerance: 1.0e-12, output_step: 1.0e-4}}
"""

STAR_ELEMENTS = """
orifices: {o1: {between: [a, tee], area: A}, o2: {between: [tee, b], area: 3.0e-6}}
valves: {v: {between: [tee, c], area: 1.0e-5, opens_at: 1.0e6, full_at: 3.0e6}}
leakages: {l: {between: [c, tee], conductance: G}}
electro_valves: {e: {between: [a, tee], command: i, lag: 0.01, open_area: 4.0e-6, closed_area: 1.0e-6,
                 mid_current: 0.9, current_width: 0.4}}
pipes: {pipe: {between: [a, tee], length: 0.2, diameter: 0.01, flow: Q0}}
"""


def orifice(A, dp, Cd=0.7, rho=860.0, dpl=2e4):
    return Cd * A * math.sqrt(2 / rho) * dp / (dp * dp + dpl * dpl) ** 0.25


def softplus(u):
    return u + math.log1p(math.exp(-u)) if u > 0 else math.log1p(math.exp(u))


def valve(A, dp, opens, full, delta=0.05):
    z = (dp - opens) / (full - opens)
    return orifice(A * delta * (softplus(z / delta) - softplus((z - 1) / delta)), dp)


def bisect(f, low, high):
    """The root of a function that falls, to the last bit."""
    while True:
        mid = 0.5 * (low + high)
        if mid in (low, high):
            return mid
        low, high = (mid, high) if f(mid) > 0 else (low, mid)


class Junction(Case):
    def star(self, elements=STAR_ELEMENTS, oil="", moves="0"):
        return self.model(STAR.format(elements=elements, oil=oil, moves=moves))

    def no_v3(self, name, more=""):
        return self.model(NO_V3.format(model=RIG / name) + more)

    def test_pressure_is_that_of_bisection(self):
        model = self.star()
        for p2, i, Q0 in ((1e6, 0.7, 1e-5), (5e6, 1.5, -1e-4), (4e5, 0.0, 5e-4), (3e6, 0.9, 0.0)):
            A_e = 4e-6 - 3e-6 * (1 + math.tanh((i - 0.9) / 0.4)) / 2

            def flows(p):
                return (orifice(2e-6, 3e6 - p), -orifice(3e-6, p - p2), -valve(1e-5, p - 4e5, 1e6, 3e6),
                        1e-11 * (4e5 - p), orifice(A_e, 3e6 - p), Q0)

            want = bisect(lambda p: math.fsum(flows(p)), -1e8, 1e8)
            for how in ("--interpreter", "--quiet"):
                rows, _ = self.rows(model, how, *settings(p2=p2, i=i, Q0=Q0))
                self.assertAlmostEqual(rows[0.0]["p"] / want, 1, delta=2e-15)
                # the sum is what rounding leaves of its largest part
                self.assertLess(abs(rows[0.0]["inflow"]), 1e-14 * max(map(abs, flows(want))))

    def test_orifices_in_series(self):
        text = "orifices: {o1: {between: [a, tee], area: A}, o2: {between: [tee, b], area: 3.0e-6}}"
        model = self.star(text, "transition_pressure: 1")
        for p1, p2 in ((3e6, 1e6), (1e6, 3e6), (2e7, 1e5)):
            rows, _ = self.rows(model, "--interpreter", *settings(p1=p1, p2=p2))
            # turbulent: Q^2 ~ A^2 dp, to the square of laminar pressure over drop
            self.assertAlmostEqual(rows[0.0]["p"] / ((4 * p1 + 9 * p2) / 13), 1, delta=1e-11)
        # no drop, no flow
        rows, _ = self.rows(model, "--interpreter", *settings(p1=1e6, p2=1e6))
        self.assertEqual(rows[0.0]["p"], 1e6)
        # a dead end
        rows, _ = self.rows(self.star("orifices: {o1: {between: [a, tee], area: A}}"), "--interpreter")
        self.assertEqual(rows[0.0]["p"], 3e6)

    def test_steady_curve_does_not_know_the_volume(self):
        model = self.no_v3("twin_tube_steady.yaml")
        for row in reference("steady.csv"):
            for i in ("0.3", "0.6", "0.9", "1.2", "1.5"):
                got = self.ask("static", model, "--interpreter", *settings(v=row["v"], icmd=i))
                # of pressures that are sought to 1e-12 of themselves, some 600 N each
                want = float(row["b" + i])
                self.assertAlmostEqual(got["sensors"]["force"], want, delta=max(1e-9, unit_of(want, 12)))
        for row in reference("steady_pressures.csv"):
            got = self.ask("static", model, *settings(v=row["v"], icmd=row["i"]))["sensors"]
            for p in ("p1", "p2", "p3"):
                self.agree(got[p], row[p], 12, f"{p}, {row['i']} A")

    def test_slope_of_the_steady_curve(self):
        model = self.no_v3("twin_tube_steady.yaml")
        for i, v in (("0.3", 0.3), ("0.9", 0.3), ("1.5", -0.3)):
            check = self.ask("sens", model, "--wrt", "v,icmd,Cd,dpl,Apb,L", "--check", "--tol", "1e-11",
                             *settings(v=v, icmd=i))["check"]["F"]
            for name, c in check.items():
                self.assertTrue(c["agrees"], name)
                self.assertAlmostEqual(c["direct"] / c["adjoint"], 1, delta=1e-13)
                self.assertAlmostEqual(c["direct"] / c["difference"], 1, delta=1e-9)

    def test_it_is_the_limit_of_small_volumes(self):
        end = ("--end", "0.3", "--tol", "1e-11")
        limit, _ = self.rows(self.no_v3("twin_tube.yaml"), *end)
        far = []
        for V3 in ("1e-8", "1e-9"):
            rows, _ = self.rows(RIG / "twin_tube.yaml", *end, *settings(V3=V3))
            far.append({k: rows[0.3][k] - limit[0.3][k] for k in ("force", "p1", "p3", "Q")})
        for key, value in far[0].items():
            # in proportion to the volume: what is left of two of them is of second order
            self.assertAlmostEqual(far[1][key] / value, 0.1, delta=2e-4, msg=key)
            rest = (10 * far[1][key] - value) / 9
            self.assertLess(abs(rest), 1e-8 * abs(limit[0.3][key]), key)

    def test_balances(self):
        rows, summary = self.rows(self.no_v3("twin_tube.yaml"), "--tol", "1e-12", "--end", "2")
        begin, end, sums = rows[0.0], rows[2.0], summary["objectives"]
        grown = sum(end[k] - begin[k] for k in ("oil_energy", "gas_energy", "pipe_energy"))
        W, losses = sums["work"], sum(v for k, v in sums.items() if k.startswith("loss"))
        self.assertAlmostEqual(W, grown + losses, delta=1e-9 * W)
        self.assertAlmostEqual(end["oil"], begin["oil"], delta=1e-12 * begin["oil"])

    def test_kernels_and_methods_agree(self):
        model = self.no_v3("quarter_car.yaml")
        want = self.ask("run", model, "--interpreter", "--tol", "1e-10", "--end", "0.5")
        got = self.ask("run", model, "--tol", "1e-10", "--end", "0.5")
        self.assertEqual(got["final"], want["final"])
        self.assertEqual(got["evaluations"], want["evaluations"])
        got = self.ask("run", model, "--tol", "1e-10", "--end", "0.5", "--method", "esdirk5")
        for key, value in want["objectives"].items():
            self.assertAlmostEqual(got["objectives"][key] / value, 1, delta=1e-8)

    def test_derivatives(self):
        check = self.ask("sens", self.no_v3("quarter_car.yaml", "simulation: {end: 0.5}"), "--wrt",
                         "icmd,Aev0,Apb,L,El,pg0,ks,Cd,dpl,tau_i", "--check", "--tol", "1e-10")["check"]
        for name, c in check["psi"].items():
            self.assertTrue(c["agrees"], name)
            self.assertAlmostEqual(c["direct"], c["adjoint"], delta=1e-11 * abs(c["direct"]), msg=name)

    def test_derivatives_at_a_star(self):
        names = ("p1", "p2", "p3", "A", "Q0", "i", "G", "fluids.oil.transition_pressure", "fluids.oil.density",
                 "valves.v.opens_at", "pipes.pipe.length")
        model = self.star(moves="1.0e6*sin(2000*t)")
        check = self.ask("sens", model, "--wrt", ",".join(names), "--check")["check"]["psi"]
        for name in names:
            self.assertTrue(check[name]["agrees"], name)
            self.assertAlmostEqual(check[name]["direct"] / check[name]["adjoint"], 1, delta=1e-12, msg=name)

    def test_tables_and_expressions(self):
        text = """
orifices: {o1: {between: [a, tee], area: 1.0e-6 + 1.0e-6*tanh(dp/1.0e6)^2}}
table_valves: {s: {between: [tee, b], flow: q}}
"""
        table = ((-1e6, -1e-6), (0, 0), (2e5, 1e-6), (4e6, 5e-5))

        def look(dp):
            for (x0, y0), (x1, y1) in zip(table, table[1:]):
                if dp <= x1:
                    return y0 + (y1 - y0) * (dp - x0) / (x1 - x0)
            return math.nan

        rows, summary = self.rows(self.star(text, moves="1.9e6*sin(2000*t)"), "--interpreter")
        for t, row in rows.items():
            p2 = 1e6 + 1.9e6 * math.sin(2000 * t)
            want = bisect(lambda p: orifice(1e-6 + 1e-6 * math.tanh((3e6 - p) / 1e6) ** 2, 3e6 - p) - look(p - p2),
                          p2, 3e6)
            self.assertAlmostEqual(row["p"] / want, 1, delta=2e-15)
        # corners of the table are events here too, and derivatives go through them
        self.assertGreater(len(summary["events"]), 0)
        check = self.ask("sens", self.star(text, moves="1.9e6*sin(2000*t)"), "--wrt", "p1,p2", "--check",
                         "--interpreter")["check"]["psi"]
        for name, c in check.items():
            self.assertTrue(c["agrees"], name)

    def test_without_a_solution_a_run_is_refused(self):
        text = """
valves: {v: {between: [tee, c], area: 1.0e-5, opens_at: 1.0e6, full_at: 3.0e6}}
pipes: {pipe: {between: [tee, a], length: 0.2, diameter: 0.01, flow: Q0}}
"""
        done = jounce("run", self.star(text), code=1)
        self.assertIn("the solution for 'tee: pressure' has no finite value", done.stderr)

    def test_mistakes(self):
        two = """
orifices: {o1: {between: [a, tee], area: A}, o2: {between: [tee, other], area: A}, o3: {between: [other, b], area: A}}
junctions: {tee: {}, other: {}}
"""
        cases = (
            (two, "orifice 'o2': between: 'tee' and 'other' are both junctions, of which each would need the pressure of "
                  "the other; list one under 'volumes:', with a volume, or put a pipe between"),
            ("pipes: {p: {between: [a, tee], length: 1, diameter: 0.01}}", "junction 'tee': no flow depends on its "
             "pressure; join it to an orifice, a valve or a leakage, or list it under 'volumes:'"),
            ("hardpoints: {P: [0, 0, 1]}\norifices: {o1: {between: [a, tee], area: A}}\n"
             "cylinders: {d: {between: [ground.P, weight.P], bore: 0.03, piston_side: tee}}", "cylinder 'd': piston_side: 'tee' "
             "is a junction, which has no volume"),
            ("orifices: {o1: {between: [a, teee], area: A}}", "did you mean 'tee'?"),
            ("orifices: {o1: {between: [a, tee], area: tee.pressure*1.0e-12}}", "tee"),
        )
        for text, message in cases:
            model = self.star(text)
            if text is two:
                model = self.model(STAR.format(elements=text, oil="", moves="0").replace("junctions: {tee: {}}\n", "", 1))
            done = jounce("check", model, code=1)
            self.assertIn(message, done.stderr)
            self.assertIn("model.yaml:", done.stderr)

    def test_pipes_between_junctions(self):
        text = """
orifices: {o1: {between: [a, tee], area: A}, o2: {between: [other, b], area: A}}
pipes: {pipe: {between: [tee, other], length: 0.2, diameter: 0.01}}
"""
        model = STAR.format(elements=text, oil="", moves="0").replace("{tee: {}}", "{tee: {}, other: {}}")
        rows, _ = self.rows(self.model(model.replace("p: tee.pressure", "p: tee.pressure, q: other.pressure")),
                            "--interpreter")
        # no flow yet
        self.assertEqual((rows[0.0]["p"], rows[0.0]["q"]), (3e6, 1e6))
        self.assertLess(rows[0.001]["p"], 2.9e6)


if __name__ == "__main__":
    unittest.main()
