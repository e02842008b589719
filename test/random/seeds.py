# SPDX-License-Identifier: Apache-2.0
"""Seeds whose models broke a law once: they stay the models they were."""

ONCE_BROKEN = (62, 191, 410, 565, 586, 662, 670, 727, 802, 821, 908, 1081, 1393, 1627, 1680, 1762, 1905, 1919, 3094, 3396,
               60222, 60408)
