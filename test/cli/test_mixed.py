#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mixed methods: values are those of the implicit one, fixed steps converge with their order, derivatives are the same
by both methods and by differences of the command with the same steps."""
import json
import unittest

from program import jounce

QUARTER = "models/damper_rig/quarter_car.yaml"
TUBE = "models/damper_rig/twin_tube.yaml"
BUGGY = "models/buggy/step_descent.yaml"
CONTROL = "test/models/library_skyhook.yaml"


def run(path, *args):
    return json.loads(jounce("run", path, "--quiet", "--json", *args).stdout)


def sens(path, *args):
    return json.loads(jounce("sens", path, "--quiet", "--json", *args).stdout)


class Values(unittest.TestCase):
    def test_they_are_those_of_the_benchmark(self):
        # damper.md, section 7 at 0.6 A
        psi = run(QUARTER, "--method", "imex4", "--tol", "1e-10")["objectives"]["psi"]
        self.assertAlmostEqual(psi, 3.27433441332, delta=2e-9)

    def test_fixed_steps_converge(self):
        exact = run(TUBE, "--method", "esdirk5", "--tol", "1e-10")["objectives"]["work"]
        error = [abs(run(TUBE, "--method", "imex3", "--step", h)["objectives"]["work"] - exact)
                 for h in ("5e-4", "2.5e-4", "1.25e-4")]
        self.assertLess(error[0], 1e-4 * exact)
        for coarse, fine in zip(error, error[1:]):
            self.assertAlmostEqual(coarse / fine, 8, delta=0.5)

    def test_steps_are_few_where_the_oil_is_stiff(self):
        mixed = run(TUBE, "--method", "imex4", "--tol", "1e-6")
        explicit = run(TUBE, "--method", "dopri5", "--tol", "1e-6")
        self.assertLess(20 * mixed["steps"], explicit["steps"])

    def test_models_without_such_states_are_taken_explicitly(self):
        psi = run(BUGGY, "--method", "imex4", "--tol", "1e-10")["objectives"]["psi"]
        self.assertAlmostEqual(psi, run(BUGGY, "--tol", "1e-10")["objectives"]["psi"], delta=1e-6)


class Derivatives(unittest.TestCase):
    NUMBERS = ("icmd", "Aev0", "L", "El", "pg0", "ks", "V10")

    def gradient(self, method, *args):
        out = sens(QUARTER, "--wrt", ",".join(self.NUMBERS), "--method", method, *args)
        return out["objectives"]["psi"]["gradient"]

    def test_direct_is_adjoint(self):
        for args in (("--integrator", "imex4", "--tol", "1e-6"), ("--integrator", "imex3", "--step", "1e-3")):
            direct, adjoint = (self.gradient(m, *args) for m in ("direct", "adjoint"))
            for name in self.NUMBERS:
                self.assertAlmostEqual(direct[name] / adjoint[name], 1, delta=1e-9, msg=name)

    def test_they_are_those_of_the_benchmark(self):
        gradient = self.gradient("direct", "--integrator", "imex4", "--tol", "1e-9")
        for name, exact in (("icmd", -1.1393151401), ("Aev0", 111712.46746), ("L", -0.21372518768),
                            ("El", -9.5107522617e-12), ("ks", 0.00022428686821), ("V10", 85.018872279)):
            self.assertAlmostEqual(gradient[name] / exact, 1, delta=1e-5, msg=name)

    def test_they_are_differences_of_the_command(self):
        # fixed steps are the same whatever the numbers are: the discrete derivative, exactly
        step = ("--step", "1e-3")
        gradient = self.gradient("direct", "--integrator", "imex3", *step)
        for name, value in (("Aev0", 1.25e-5), ("ks", 25000.0), ("L", 0.25)):
            psi = []
            for part in (1e-3, -1e-3, 2e-3, -2e-3):
                out = run(QUARTER, "--method", "imex3", *step, "--set", f"{name}={value * (1 + part)!r}")
                psi.append(out["objectives"]["psi"])
            slope = (8 * (psi[0] - psi[1]) - (psi[2] - psi[3])) / (12e-3 * value)
            self.assertAlmostEqual(gradient[name] / slope, 1, delta=1e-7, msg=name)

    def test_control_that_switches_has_derivatives_by_its_gains(self):
        for name, value, step in (("gain", 6, 0.02), ("wheel_gain", 1, 0.02)):
            psi = [run(CONTROL, "--tol", "1e-11", "--set", f"{name}={value + k * step!r}")["objectives"]["sharp"]
                   for k in (-2, -1, 1, 2)]
            slope = (8 * (psi[2] - psi[1]) - (psi[3] - psi[0])) / (12 * step)
            for args in (("--tol", "1e-9"), ("--tol", "1e-9", "--method", "adjoint"),
                         ("--integrator", "imex4", "--tol", "1e-9")):
                out = sens(CONTROL, "--wrt", name, *args)["objectives"]["sharp"]
                self.assertAlmostEqual(out["gradient"][name] / slope, 1, delta=1e-6, msg=f"{name} {args}")


if __name__ == "__main__":
    unittest.main()
