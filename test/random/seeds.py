# SPDX-License-Identifier: Apache-2.0
"""Which seeds give which models.

A seed gives the same model as long as the generator stays as it is. So that it may grow, newer
features have seeds of their own: single features begin at a seed, whole families have a range.
"""

# Models that broke a property once stay what they were.
ONCE_BROKEN = (62, 191, 410, 565, 586, 662, 670, 727, 802, 821, 908, 1081, 1393, 1627, 1680, 1762, 1905,
               1919, 3094, 3396, 60222, 60408, 320130, 320170, 330147, 391247, 1300072, 1300102, 1300110, 1300161,
               1300171, 1364393, 1408181, 1591149, 1591177, 1440018, 1464075, 1464099, 1508162, 1600007, 1600016, 1600038, 1608155, 1608237, 1620055, 1620097, 1620112,
               1630003, 1630058, 1694019, 1720003, 1764062)

# Features that models have from a seed on.
WITH_BUSHES = 100000
WITH_WORDS = 200000     # functions, tables of two variables, units, motion seen from other bodies
WITH_DELAYS = 300000    # with friction along lines, and nominal sizes of objectives

# Families with a range of seeds each: the first has FIRST ... FIRST + SPAN - 1, and so on.
FIRST, SPAN = 1000000, 100000
WITH_FORMS = 70000      # counted from the first of a family: conditions of contacts in other forms
WITH_REFILLS = 90000    # the same: states and clocks that are reset to less and less
FAMILIES = ("instances", "lifting", "bouncing", "simultaneous", "singular", "resting", "fixed", "addressed", "prescribed",
            "boundaries", "jumping", "pulsing", "nested", "clipped")
EARLIER = "earlier"     # all seeds below FIRST


def family_of(seed: int) -> str:
    """Name of the range that a seed belongs to."""
    place = (seed - FIRST)//SPAN
    return FAMILIES[place] if 0 <= place < len(FAMILIES) else EARLIER


def seeds_of(family: str, first: int, count: int) -> range:
    """`count` seeds of a family from its `first` on; those of the earlier families have all features."""
    base = WITH_DELAYS if family == EARLIER else FIRST + SPAN*FAMILIES.index(family)
    return range(base + first, base + first + count)
