#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How test/estimates judges an estimate by references that are themselves off."""
import unittest

from main import Measured, of_references


def _measured(computed: float, estimate: float, references: list[float]) -> Measured:
    exact, doubt = of_references(references)
    return Measured("", "", "file direct", "", computed, estimate, abs(computed - exact), doubt, abs(exact))


class Judge(unittest.TestCase):
    def test_references_that_agree_decide(self):
        small = _measured(1.001, 1e-4, [1.0, 1.0 + 1e-9, 1.0 - 1e-9])
        self.assertTrue(small.too_small)
        self.assertFalse(small.undecided)
        safe = _measured(1.001, 1e-2, [1.0, 1.0 + 1e-9, 1.0 - 1e-9])
        self.assertFalse(safe.too_small or safe.undecided)

    def test_one_reference_that_is_off_decides_nothing(self):
        # random model 813: direct at 1e-11, direct at 1e-12, adjoint at 1e-12
        m = _measured(-0.0012364201400466427, 5.5e-15, [-0.001236420140416616, -0.001237810584333586, -0.001236420140046648])
        self.assertTrue(m.undecided)
        self.assertFalse(m.too_small)

    def test_same_steps_at_both_tolerances_decide_nothing(self):
        # random model 801: one step at either tolerance with the direct method, and the same error
        m = _measured(-0.7157342612363141, 8.3e-14, [-0.7157342612346919, -0.7157342612346919, -0.7157342612363136])
        self.assertTrue(m.undecided)
        self.assertFalse(m.too_small)

    def test_an_error_beyond_the_doubt_is_not_excused(self):
        m = _measured(1.1, 1e-3, [1.0, 1.01, 0.99])
        self.assertTrue(m.too_small)
        self.assertFalse(m.undecided)

    def test_a_large_estimate_is_safe_whatever_the_doubt(self):
        m = _measured(1.0, 1.0, [1.0, 1.1, 0.9])
        self.assertFalse(m.too_small or m.undecided)


if __name__ == "__main__":
    unittest.main()
