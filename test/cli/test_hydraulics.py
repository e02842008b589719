#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hydraulics: laws of the elements, two dampers and a quarter car against models/damper_rig/reference, balances of
oil and energy, derivatives, and what is refused. Values are compared to the digits printed in the reference: one unit
of the last is allowed."""
import math
import unittest

from hydraulics import Case, reference, results, RIG, settings, TOL
from program import jounce

# ---- single values: a test bench of given pressures ------------------------------------------------

BENCH = """
jounce: 1
bodies: {{b: {{mass: 1}}}}
joints: {{z: {{type: prismatic, child: b, axis: [0, 0, 1], drive: 0}}}}
fluids: {{oil: {{}}}}
pressures:
  low: {{pressure: 101325}}
  high: {{pressure: 101325 + {dp}}}
volumes: {{v: {{volume: 1.0e-3, pressure: 101325 + {dp}}}}}
{elements}
sensors:
{sensors}
simulation: {{end: 1.0e-9, method: rk4, step: 1.0e-9}}
"""


class Single(Case):
    def bench(self, dp, elements, **sensors):
        text = BENCH.format(dp=repr(dp), elements=elements,
                            sensors="".join(f"  s_{k}: {v}\n" for k, v in sensors.items()))
        rows, _ = self.rows(self.model(text), "--interpreter")
        return {k: rows[0.0][f"s_{k}"] for k in sensors}

    def test_oil(self):
        for p, K, s, eta in ((1e5, "29250287.89746", "1.000044767205", "-1325.029541186"),
                             (6e5, "530335167.6246", "0.9966105173128", "497446.607848"),
                             (8e6, "1572530677.563", "0.9912155650296", "7850413.828215")):
            got = self.bench(p - 101325, "orifices: {o: {between: [v, low], area: 1.0e-6}}", K="v.modulus",
                             s="860*1.0e-3/v.mass", eta="o.loss/o.flow")
            self.agree(got["K"], K, 13, p)
            self.agree(got["s"], s, 13, p)
            self.agree(got["eta"], eta, 13, p)

    def test_orifice(self):
        for dp, Q in ((-1e4, "-2.257466483796e-06"), (2e4, "4.014406166988e-06"), (5e6, "7.548263931366e-05")):
            got = self.bench(dp, "orifices: {o: {between: [high, low], area: 1.0e-6}}", Q="o.flow")
            self.agree(got["Q"], Q, 13, dp)

    def test_valve(self):
        valve = "valves: {o: {between: [high, low], area: 1.2e-5, opens_at: 4.0e6, full_at: 9.0e6}}"
        for dp, A in ((3.5e6, "7.615680645841e-08"), (5e6, "2.41088988923e-06"), (9e6, "1.15841116929e-05")):
            self.agree(self.bench(dp, valve, A="o.area")["A"], A, 13, dp)
        self.agree(self.bench(5e6, valve, Q="o.flow")["Q"], "0.0001819803319337", 13, "flow")

    def test_valves_far_from_their_stops_do_not_overflow(self):
        check = "valves: {o: {between: [high, low], area: 6.0e-5, opens_at: 1.0e4, full_at: 1.0e4 + 1}}"
        self.assertAlmostEqual(self.bench(9e6, check, A="o.area")["A"], 6e-5, delta=1e-12)
        self.assertLess(abs(self.bench(-1e5, check, A="o.area")["A"]), 1e-12)

    def test_opening_is_that_of_mathematics(self):
        def sp(u):
            return u + math.log1p(math.exp(-u)) if u > 0 else math.log1p(math.exp(u))

        valve = "valves: {o: {between: [high, low], area: 1, opens_at: 1.0e5, full_at: 3.0e5}}"
        for dp in (2e3, 5e4, 9.9e4, 1e5, 1.0001e5, 2e5, 2.9e5, 3e5, 3.1e5, 5e5):
            z = (dp - 1e5) / 2e5
            S = 0.05 * (sp(z / 0.05) - sp((z - 1) / 0.05))
            self.assertAlmostEqual(self.bench(dp, valve, A="o.area")["A"], S, delta=1e-14)

    def test_electro_valve(self):
        for i, A in ((0.3, "1.178533913958e-05"), (0.9, "7e-06"), (1.5, "2.214660860415e-06")):
            valve = (f"electro_valves: {{o: {{between: [high, low], command: {i}, lag: 0.008, open_area: 1.25e-5, "
                     "closed_area: 1.5e-6, mid_current: 0.9, current_width: 0.45}}")
            self.agree(self.bench(1e6, valve, A="o.area")["A"], A, 13, i)

    def test_pipe(self):
        for Q, loss in ((1e-7, "1.890874155218"), (6e-4, "111050.7341438")):
            pipe = ("pipes: {o: {between: [high, low], length: 0.25, diameter: 0.009, friction: 0.04, "
                    f"minor_loss: 1.5, transition_flow: 1.0e-6, flow: {Q}}}}}")
            got = self.bench(1e6, pipe, R="o.friction", I="o.inertance")
            self.agree(got["R"], loss, 13, Q)
            self.agree(got["I"], "3379586.445902", 13, "inertance")

    def test_tables_and_expressions_are_the_laws_they_hold(self):
        """A table through points of a line, and an electro-valve by expression."""
        tables = "tables: {a: {x: [-1.0e7, 1.0e7], y: [1.0e-6, 3.0e-6]}, q: {x: [-1, 1], y: [-2.0e-12, 2.0e-12]}}\n"
        elements = tables + """
table_valves:
  by_area: {between: [high, low], area: a}
  by_flow: {between: [high, low], flow: q}
orifices:
  same: {between: [high, low], area: 2.0e-6 + 1.0e-13*dp}
leakages:
  leak: {between: [high, low], conductance: 2.0e-12}
electro_valves:
  e: {between: [high, low], command: 0.5, lag: 0.01, area: a(current*4.0e6)}
  m: {between: [high, low], command: 0.5, lag: 0.01, current: 0.25, flow: current*q(dp)}
"""
        got = self.bench(2e6, elements, a="by_area.flow", b="same.flow", c="by_flow.flow", d="leak.flow",
                         e="e.flow", f="m.flow", A="by_area.area")
        self.assertAlmostEqual(got["A"], 2.2e-6, delta=1e-18)
        self.assertAlmostEqual(got["a"], got["b"], delta=1e-13 * got["a"])
        self.assertAlmostEqual(got["a"], got["e"], delta=1e-13 * got["a"])
        self.assertAlmostEqual(got["c"], got["d"], delta=1e-13 * got["c"])
        self.assertAlmostEqual(got["f"], 0.25 * got["c"], delta=1e-13 * got["c"])


class RightHandSides(Case):
    def test_mono_tube(self):
        rows, _ = self.rows(self.model(f"""
jounce: 1
include: {RIG}/mono_tube.yaml
joints: {{x: {{drive: 0.02 + 0.3*t}}}}
volumes: {{v1: {{pressure: 3.1e6}}}}
accumulators: {{v2: {{pressure: 2.55e6}}}}
sensors: {{d1: v1.rate, d2: v2.rate}}
"""), "--interpreter", "--end", "1e-9")
        for name, printed, digits in (("d1", "2384217236.0958", 14), ("d2", "-10194889.598042", 14),
                                      ("force", "675.07276820922", 14)):
            self.agree(rows[0.0][name], printed, digits, name)

    def test_twin_tube(self):
        rows, _ = self.rows(self.model(f"""
jounce: 1
include: {RIG}/twin_tube.yaml
parameters: {{icmd: 1.2, i0: 0.85}}
joints: {{x: {{drive: 0.01 + 0.4*t}}}}
volumes: {{v1: {{pressure: 5.2e6}}, v2: {{pressure: 5.6e5}}, v3: {{pressure: 5.0e6}}}}
accumulators: {{r: {{pressure: 6.3e5}}}}
pipes: {{tube: {{flow: 2.0e-4}}}}
sensors: {{d1: v1.rate, d2: v2.rate, d3: v3.rate, d4: r.rate, d5: tube.rate, d6: ev.rate}}
"""), "--interpreter", "--end", "1e-9")
        for name, printed in (("d1", "-2209168415.4303"), ("d2", "1237165132.457"), ("d3", "-20563898328.848"),
                              ("d4", "-465130.35337266"), ("d5", "0.05479277361857"), ("d6", "43.75"),
                              ("force", "2842.7715810127")):
            self.agree(rows[0.0][name], printed, 14, name)


# ---- dampers -----------------------------------------------------------------------------------------


class Steady(Case):
    def test_force_over_velocity(self):
        for row in reference("steady.csv"):
            v = row["v"]
            got = self.ask("static", RIG / "mono_tube_steady.yaml", "--interpreter", *settings(v=v))
            self.agree(got["sensors"]["force"], row["a"], 12, f"a, {v} m/s")
            for i in ("0.3", "0.6", "0.9", "1.2", "1.5"):
                got = self.ask("static", RIG / "twin_tube_steady.yaml", "--interpreter", *settings(v=v, icmd=i))
                self.agree(got["sensors"]["force"], row["b" + i], 12, f"b, {i} A, {v} m/s")

    def test_pressures(self):
        for row in reference("steady_pressures.csv"):
            got = self.ask("static", RIG / "twin_tube_steady.yaml", "--interpreter",
                           *settings(v=row["v"], icmd=row["i"]))["sensors"]
            for p in ("p1", "p2", "p3"):
                self.agree(got[p], row[p], 12, f"{p}, {row['i']} A")

    def test_slope_of_the_curve(self):
        """Derivatives of the steady force are the response at 0 Hz and what the seal adds."""
        for row in reference("about_motion.csv"):
            if row["Hz"] != "0":
                continue
            v0 = float(row["v0"])
            got = self.ask("sens", RIG / "twin_tube_steady.yaml", "--interpreter", "--wrt", "v",
                           *settings(v=row["v0"], icmd=row["i"]))
            slope = got["objectives"]["F"]["gradient"]["v"]
            seal = 20 + 50 / 0.01 / math.cosh(v0 / 0.01) ** 2
            self.assertAlmostEqual(slope - seal, float(row["Re"]), delta=1e-9 * float(row["Re"]))

    def test_sweep_is_the_static_search(self):
        got = jounce("sweep", str(RIG / "twin_tube_steady.yaml"), "--param", "icmd=0.3:1.5:5", "--param",
                     "v=-1:1:3", "-o", str(self.folder / "s.csv"), "--quiet", "--wrt", "none")
        self.assertEqual(got.returncode, 0)
        steady = {r["v"]: r for r in reference("steady.csv")}
        seen = 0
        for r in results(self.folder / "s.csv"):
            v = f"{float(r['v']):g}"
            if v in steady:
                self.agree(float(r["F"]), steady[v][f"b{float(r['icmd']):g}"], 12, r)
                seen += 1
        self.assertEqual(seen, 10)


CYCLES = {"c1": ("mono_tube", 1.5, 0.05, 2, {}), "c2": ("mono_tube", 12, 0.005, 0.25, {}),
          "c3": ("twin_tube", 1.5, 0.05, 2, {"icmd": 0.9}), "c4": ("twin_tube", 12, 0.005, 0.25, {"icmd": 0.9}),
          "c5": ("twin_tube", 1.5, 0.05, 2, {"icmd": 1.2, "i0": 0.3})}


class Cycles(Case):
    def run_cycle(self, name, *args):
        model, fr, X, end, more = CYCLES[name]
        return self.rows(RIG / f"{model}.yaml", "--end", str(end), "--output-step", "0.01", "--tol", TOL, *args,
                         *settings(fr=fr, X=X, **more))

    def test_states(self):
        for name in CYCLES:
            rows, _ = self.run_cycle(name)
            for row in reference(f"{name}.csv"):
                got = rows[round(float(row["t"]), 9)]
                for key, printed in row.items():
                    if key != "t":
                        self.agree(got["force" if key == "F" else key], printed, 10, f"{name}, {row['t']} s, {key}")

    def test_balances(self):
        for row in reference("balances.csv"):
            rows, summary = self.run_cycle(row["case"].lower())
            begin, end, sums = rows[0.0], rows[round(float(row["t"]), 9)], summary["objectives"]
            grown = {k: end.get(k, 0.0) - begin.get(k, 0.0) for k in ("oil_energy", "gas_energy", "pipe_energy")}
            W, losses = sums["work"], sum(v for k, v in sums.items() if k.startswith("loss"))
            # one stroke after another: dx is zero; what is left is the error of integration
            self.assertAlmostEqual(W, sum(grown.values()) + losses, delta=1e-9 * W)
            self.assertAlmostEqual(end["oil"], begin["oil"], delta=1e-12 * begin["oil"])
            self.agree(end["oil"], row["oil"], 12, "oil")
            # printed to 11 digits, small differences of large energies to 1e-8 J
            for key, value in (("W", W), ("D_piston", sums["loss_piston"]), ("D_seal", sums["loss_seal"])):
                self.agree(value, row[key], 11, key)
            for key, value in (("dU_oil", "oil_energy"), ("dU_gas", "gas_energy"), ("dE_kin", "pipe_energy")):
                self.assertAlmostEqual(grown[value], float(row[key]), delta=1e-8)
            for key in ("base", "valve", "pipe"):
                if row["D_" + key]:
                    self.agree(sums["loss_" + key], row["D_" + key], 11, key)

    def test_methods_agree(self):
        """Explicit, implicit and multistep methods on the stiff cycle."""
        want, _ = self.run_cycle("c4", "--interpreter")
        for method in ("esdirk5", "bdf"):
            got, _ = self.run_cycle("c4", "--interpreter", "--method", method)
            for key in ("force", "p1", "p2", "p3", "pr", "Q"):
                self.assertAlmostEqual(got[0.25][key], want[0.25][key], delta=1e-9 * abs(want[0.25][key]))


class QuarterCar(Case):
    def test_states(self):
        rows, summary = self.rows(RIG / "quarter_car.yaml", "--output-step", "0.02", "--tol", TOL)
        for row in reference("quarter_car.csv"):
            got = rows[round(float(row["t"]), 9)]
            for key, printed in row.items():
                key = {"us": "body_speed", "uw": "wheel_speed"}.get(key, key)
                if key != "t":
                    self.agree(got[key], printed, 10, f"{row['t']} s, {key}")
        self.agree(summary["objectives"]["psi"], reference("quarter_car_current.csv")[1]["psi"], 12, "psi")

    def test_objective_over_current(self):
        for row in reference("quarter_car_current.csv"):
            got = self.ask("sens", RIG / "quarter_car.yaml", "--wrt", "icmd", "--tol", "1e-12",
                           *settings(icmd=row["icmd"]))["objectives"]["psi"]
            self.agree(got["value"], row["psi"], 12, row)
            d = float(row["derivative"])
            self.assertAlmostEqual(got["gradient"]["icmd"], d, delta=1e-9 * abs(d))

    def test_gradient(self):
        rows = reference("quarter_car_gradient.csv")
        for method in ("direct", "adjoint"):
            got = self.ask("sens", RIG / "quarter_car.yaml", "--wrt", ",".join(r["parameter"] for r in rows),
                           "--method", method, "--tol", "1e-12")["objectives"]["psi"]["gradient"]
            for row in rows:
                d = float(row["derivative"])
                self.assertAlmostEqual(got[row["parameter"]], d, delta=1e-9 * abs(d), msg=f"{method}, {row}")

    def test_differences_of_runs(self):
        """Direct and adjoint against central differences of plain runs, twice extrapolated."""
        names = {"icmd": 0.6, "L": 0.25, "Apb": 6e-7, "El": 1.6e9, "pg0": 6e5, "V10": 8e-5}

        def psi(name, value):
            return self.ask("run", RIG / "quarter_car.yaml", "--tol", TOL,
                            *settings(**{name: repr(value)}))["objectives"]["psi"]

        direct, adjoint = (self.ask("sens", RIG / "quarter_car.yaml", "--wrt", ",".join(names), "--method", method,
                                    "--tol", "1e-11")["objectives"]["psi"]["gradient"]
                           for method in ("direct", "adjoint"))
        for name, value in names.items():
            s = [(psi(name, value * (1 + h)) - psi(name, value * (1 - h))) / (2 * h * value) for h in (0.01, 0.02, 0.04)]
            s = [(4 * s[0] - s[1]) / 3, (4 * s[1] - s[2]) / 3]
            slope = (16 * s[0] - s[1]) / 15
            self.assertAlmostEqual(direct[name], adjoint[name], delta=1e-9 * abs(slope), msg=name)
            # errors of 1e-13 in psi, divided by the change of psi: 1e-9 for the weakest
            self.assertAlmostEqual(adjoint[name], slope, delta=1e-8 * abs(slope), msg=name)


# ---- other models --------------------------------------------------------------------------------

STRUT = """
jounce: 1
parameters: {m: 250}
fluids: {oil: {}}
hardpoints: {A: [0, 0, 0], B: [0.4, 0.1, 0.05], C: [0.35, 0, 0.5], P: [0.4, 0, 0]}
bodies:
  arm: {mass: m, com: [0.4, 0, 0], inertia: [1, 20, 20]}
joints:
  arm: {type: revolute, parent: ground, child: arm, at: A, axis: [0, 1, 0]}
volumes: {ram: {volume: 6.0e-4, pressure: 4.0e6}}
accumulators: {ball: {volume: 9.0e-4, gas_volume: 3.0e-4, gas_pressure: 4.0e6}}
orifices: {bleed: {between: [ram, ball], area: 4.0e-6}}
cylinders:
  strut: {between: [arm.B, ground.C], bore: 0.035, piston_side: ram}
objectives:
  work: {integral: strut.force*strut.rate}
  loss: {integral: bleed.loss}
  turn: {integral: arm^2}
sensors:
  oil: {value: ram.mass + ball.mass}
  stored: {value: ram.energy + ball.energy + ball.gas_energy}
  ambient: {value: 101325*pi*0.035^2/4*strut.stroke}
  mechanical: {value: energy.kinetic + energy.potential}
simulation: {end: 1.5, method: auto, tolerance: 1.0e-11, output_step: 0.05}
"""


class Strut(Case):
    """A hydropneumatic strut, one side open to the air, on an arm in space."""

    def test_balances(self):
        rows, summary = self.rows(self.model(STRUT))
        begin, end, sums = rows[0.0], rows[1.5], summary["objectives"]
        self.assertGreater(sums["loss"], 1.0)
        grown = {k: end[k] - begin[k] for k in ("stored", "ambient", "mechanical")}
        # the open side pushes with the air: its work is that of the ambient pressure on the piston
        self.assertAlmostEqual(sums["work"], grown["stored"] + grown["ambient"] + sums["loss"], delta=1e-7)
        self.assertAlmostEqual(grown["mechanical"], -sums["work"], delta=1e-7)
        self.assertAlmostEqual(end["oil"], begin["oil"], delta=1e-9 * begin["oil"])

    def test_derivatives_by_numbers_given_by_path(self):
        names = ["m", "volumes.ram.volume", "volumes.ram.pressure", "accumulators.ball.gas_volume",
                 "fluids.oil.modulus", "orifices.bleed.area", "cylinders.strut.bore", "hardpoints.B.x",
                 "accumulators.ball.exponent", "fluids.oil.gas_exponent"]
        model = self.model(STRUT)
        ways = [self.ask("sens", model, "--interpreter", "--wrt", ",".join(names), "--method", method)
                ["objectives"]["turn"]["gradient"] for method in ("direct", "adjoint")]
        for name in names:
            self.assertNotEqual(ways[0][name], 0.0)
            self.assertAlmostEqual(ways[0][name], ways[1][name], delta=1e-8 * abs(ways[0][name]), msg=name)

    def test_static_start_keeps_pressures(self):
        text = STRUT.replace("sensors:\n", "sensors:\n  p: ram.pressure\n  f: strut.force\n")
        got = self.ask("static", self.model(text), "--interpreter")["sensors"]
        self.assertEqual(got["p"], 4e6)
        self.assertAlmostEqual(got["f"], -(4e6 - 101325) * math.pi * 0.035**2 / 4, delta=1e-6)

    def test_peak_load_is_that_of_the_run(self):
        """Load drivers are explicit: the oil wants 100000 steps per second."""
        rows, _ = self.rows(RIG / "quarter_car.yaml", "--output-step", "1e-4", "--end", "0.3")
        got = self.ask("loads", RIG / "quarter_car.yaml", "--rate", "100000", "--end", "0.3")["peaks"]["damper"]
        peak = max((r["damper_force"] for r in rows.values()), key=abs)
        self.assertAlmostEqual(got["value"], peak, delta=1e-4 * abs(peak))


# Pulling a closed volume: nothing but the gas in the oil holds the pressure up.
CAVITY = """
jounce: 1
fluids: {oil: {}}
hardpoints: {A: [0, 0, 0], B: [0, 0, 0.5]}
bodies: {b: {mass: 1}}
joints: {x: {type: prismatic, child: b, at: B, axis: [0, 0, 1], drive: 0.05*sin(20*t)}}
volumes: {v: {volume: 1.0e-4, pressure: 2.0e5}}
cylinders: {c: {between: [ground.A, b.B], bore: 0.036, piston_side: v}}
sensors: {p: v.pressure, mass: v.mass}
simulation: {end: 0.2, method: auto, tolerance: 1.0e-11, output_step: 0.002}
"""


class Cavitation(Case):
    def test_pressure_stays_above_zero(self):
        rows, _ = self.rows(self.model(CAVITY), "--interpreter")
        self.assertLess(min(r["p"] for r in rows.values()), 2e3)
        self.assertGreater(min(r["p"] for r in rows.values()), 0.0)
        # errors are measured against 1e5 Pa, the pressure is less than a hundredth of that
        for r in rows.values():
            self.assertAlmostEqual(r["mass"], rows[0.0]["mass"], delta=1e-8 * r["mass"])


    def test_volumes_that_are_used_up_end_the_run(self):
        text = CAVITY.replace("0.05*sin(20*t)", "0.1 - 0.5*t")
        rows = self.folder / "out.csv"
        done = jounce("run", self.model(text), "--interpreter", "-o", str(rows), "--end", "1", code=1)
        self.assertIn("integration:", done.stderr)
        last = results(rows)[-1]
        self.assertGreater(float(last["p"]), 1e8)
        self.assertLess(float(last["t"]), 0.4)
        done = jounce("check", self.model(text.replace("0.1 - 0.5*t", "0.1*t - 0.2")), code=1)
        self.assertIn("the rate of change of 'v.pressure' has no finite value", done.stderr)


# ---- mistakes ------------------------------------------------------------------------------------

GOOD = """
jounce: 1
parameters: {area: 1.0e-6}
fluids: {oil: {}}
tables: {q: {x: [-1, 1], y: [-1, 1]}}
hardpoints: {A: [0, 0, 0], B: [0, 0, 0.5]}
bodies: {b: {mass: 1}}
joints: {x: {type: prismatic, child: b, at: B, axis: [0, 0, 1]}}
volumes: {v1: {volume: 1.0e-4, pressure: 2.0e5}, v2: {volume: 1.0e-4, pressure: 2.0e5}}
accumulators: {r: {volume: 3.0e-4, gas_volume: 1.0e-4, gas_pressure: 2.0e5}}
orifices: {o: {between: [v1, v2], area: area}}
valves: {c: {between: [v1, r], area: 1.0e-5, opens_at: 1.0e4, full_at: 1.0e5}}
table_valves: {s: {between: [v1, r], flow: q}}
electro_valves: {e: {between: [v1, r], command: 1, lag: 0.01, area: 1.0e-6}}
pipes: {p: {between: [v1, r], length: 0.2, diameter: 0.01}}
leakages: {l: {between: [v1, r], conductance: 1.0e-12}}
cylinders: {d: {between: [ground.A, b.B], bore: 0.03, rod: 0.01, rod_side: v1, piston_side: v2}}
"""

MISTAKES = (
    ("[v1, v2], area: area", "[v1, v9], area: area", "orifice 'o': between: there is no volume, accumulator, "
     "pressure or junction 'v9'; did you mean 'v1'?"),
    ("[v1, v2], area: area", "[v1, v1], area: area", "orifice 'o': between: both ends are 'v1'"),
    ("[v1, v2], area: area", "[v1], area: area", "orifice 'o': between needs 2 volumes, got 1"),
    ("area: area", "area: -area", "orifice 'o': area is -1e-06 (from area = 1e-06); it must be at least 0"),
    ("area: area", "areas: area", "orifice 'o': unknown key 'areas'; did you mean 'area'?"),
    ("full_at: 1.0e5", "full_at: 1.0e4", "valve 'c': opens_at and full_at are 10000 and 10000; the first must be less "
     "than the second"),
    ("rod: 0.01", "rod: 0.04", "cylinder 'd': rod and bore are 0.04 and 0.03; the first must be less than the second"),
    ("rod_side: v1, piston_side: v2", "rod_side: v1, piston_side: v1", "the same volume"),
    (", rod_side: v1, piston_side: v2", "", "cylinder 'd': it holds no oil; give 'rod_side', 'piston_side' or both"),
    ("volume: 1.0e-4, pressure: 2.0e5}, v2", "volume: 0, pressure: 2.0e5}, v2", "volume 'v1': volume is 0; it must be "
     "more than 0"),
    ("volume: 1.0e-4, pressure: 2.0e5}, v2", "volume: 1.0e-4}, v2", "'pressure' is missing"),
    ("gas_volume: 1.0e-4", "gas_volume: 3.0e-4", "gas_volume and volume are 0.0003 and 0.0003"),
    ("fluids: {oil: {}}", "fluids: {oil: {gas_exponent: 1}}", "fluid 'oil': gas_exponent is 1; it must be more than 1"),
    ("fluids: {oil: {}}", "", "volume 'v1': the model has no fluid; list the oil under 'fluids:'"),
    ("fluids: {oil: {}}", "fluids: {oil: {}, water: {}}", "the model has 2 fluids; say which, as 'fluid: oil'"),
    ("pressure: 2.0e5}, v2", "pressure: 2.0e5, fluid: oill}, v2", "there is no fluid 'oill'; did you mean 'oil'?"),
    ("flow: q", "flow: q, area: q", "it needs 'area' or 'flow', a table over the pressure drop, not both"),
    ("flow: q", "flow: qq", "flow: there is no table 'qq'"),
    ("area: 1.0e-6}}\npipes", "}}\npipes", "give one law"),
    ("lag: 0.01", "lag: 0", "electro-valve 'e': lag is 0; it must be more than 0"),
    ("length: 0.2", "length: -1", "pipe 'p': length is -1; it must be more than 0"),
    ("conductance: 1.0e-12", "conductance: -1", "leakage 'l': conductance is -1; it must be at least 0"),
    ("area: area", "area: v1.mass", "'v1.mass' is made of what all elements give"),
)


class Mistakes(Case):
    def test_the_model_is_good(self):
        jounce("check", self.model(GOOD))

    def test_are_told(self):
        for old, new, message in MISTAKES:
            self.assertIn(old, GOOD)
            done = jounce("check", self.model(GOOD.replace(old, new, 1)), code=1)
            self.assertIn(message, done.stderr)
            self.assertIn("model.yaml:", done.stderr)

    def test_oils_do_not_mix(self):
        text = GOOD.replace("{oil: {}}", "{oil: {}, water: {}}").replace("pressure: 2.0e5}", "pressure: 2.0e5, fluid: oil}")
        text = text.replace("gas_pressure: 2.0e5, fluid: oil}", "gas_pressure: 2.0e5, fluid: water}")
        done = jounce("check", self.model(text), code=1)
        self.assertIn("'v1' holds 'oil' and 'r' holds 'water'; oils do not mix", done.stderr)

    def test_several_in_one_run(self):
        text = GOOD.replace("lag: 0.01", "lag: 0").replace("length: 0.2", "length: -1").replace("rod: 0.01", "rod: 1")
        done = jounce("check", self.model(text), code=1)
        for word in ("lag is 0", "length is -1", "rod and bore"):
            self.assertIn(word, done.stderr)


if __name__ == "__main__":
    unittest.main()
