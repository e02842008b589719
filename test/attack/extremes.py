# SPDX-License-Identifier: Apache-2.0
"""Numbers that are none, or hardly: what a value is replaced by."""

HUGE = ["1e308", "-1e308", "1.7976931348623157e308", "1e17", "-1e17", "1e9", "250", "-250", "1e155"]
TINY = ["5e-324", "-5e-324", "1e-300", "2.2250738585072014e-308", "1e-17", "-1e-17", "1e-9"]
PLAIN = ["0", "-0.0", "-1", "1", "2", "-1000"]
NONE = ["nan", ".nan", "-.nan", "inf", ".inf", "-.inf", "1e999", "-1e999", "NaN", "Infinity"]
BROKEN = ["", "1e", "--1", "1,5", "0x10", "1_000", "\u0661", "1 2", "1e5000000000", "0b1", "1/", "+", "."]
SINGULAR = ["1/0", "0/0", "sqrt(-1)", "log(0)", "asin(2)", "1e308*10", "0^-1", "tan(pi/2)", "(-8)^0.5"]

SETTINGS = HUGE + TINY + PLAIN          # out of range, though numbers
ALL = SETTINGS + NONE + BROKEN + SINGULAR
