#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Constants of src/base/elementary_text.h: polynomials close to the best ones, and pi and log 2 in parts.

Every function is a power series with rational coefficients; a polynomial of the degree asked for is fitted so
that its error alternates between equal values at the extrema of a Chebyshev polynomial, which is the best one
but for a percent or so. Arithmetic is decimal with 90 digits. Prints C.
"""
from decimal import Decimal, getcontext
from fractions import Fraction
from math import factorial
import struct

getcontext().prec = 90


def series(coefficient):
    """z -> sum of coefficient(j) z^j."""
    table = [coefficient(j) for j in range(140)]
    table = [Decimal(c.numerator) / Decimal(c.denominator) for c in table]

    def value(z):
        total = Decimal(0)
        for c in reversed(table):
            total = total * z + c
        return total
    return value


def cosine(x):
    total, term, k = Decimal(0), Decimal(1), 0
    while abs(term) > Decimal(10) ** -88:
        total += term
        k += 2
        term = -term * x * x / (k * (k - 1))
    return total


def solve(rows):
    """Gauss with pivots; rows have their right side at the end."""
    n = len(rows)
    for k in range(n):
        p = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[p] = rows[p], rows[k]
        for i in range(n):
            if i != k:
                f = rows[i][k] / rows[k][k]
                rows[i] = [a - f * b for a, b in zip(rows[i], rows[k])]
    return [rows[i][n] / rows[i][i] for i in range(n)]


def fit(function, low, high, count):
    """`count` coefficients and the error, alternating at count + 1 points."""
    points = [(low + high) / 2 + (high - low) / 2 * cosine(PI * i / count) for i in range(count + 1)]
    rows = [[x ** j for j in range(count)] + [Decimal((-1) ** i), function(x)] for i, x in enumerate(points)]
    answer = solve(rows)
    return answer[:count], answer[count]


def arctangent_inverse(n):
    """atan(1/n)"""
    total, term, k = Decimal(0), Decimal(1) / n, 1
    while abs(term) > Decimal(10) ** -88:
        total += term / k
        term = -term / (n * n)
        k += 2
    return total


def parts(value, bits, count):
    """`count` doubles of at most `bits` bits, the last one with all it can have."""
    out = []
    for i in range(count):
        x = float(value)
        if i < count - 1:
            raw = struct.unpack("<q", struct.pack("<d", x))[0] & -(1 << (53 - bits))
            x = struct.unpack("<d", struct.pack("<q", raw))[0]
        out.append(x)
        value -= Decimal(x)
    return out


def c(x):
    return float(x).hex().replace("0x1.0000000000000p", "0x1p")


def put(name, values, note=""):
    print(f"// {name}{note}")
    print("   " + ", ".join(c(v) for v in values))


PI = Decimal(0)
PI = 16 * arctangent_inverse(5) - 4 * arctangent_inverse(239)
# log 2 = 2 atanh(1/3)
LOG2 = 2 * sum(Decimal(1) / ((2 * k + 1) * Decimal(3) ** (2 * k + 1)) for k in range(95))
ROOT2 = Decimal(2).sqrt()


def asin_coefficient(j):
    """asin(x) = sum (2j)! / (4^j (j!)^2 (2j + 1)) x^(2j+1)"""
    return Fraction(factorial(2 * j), 4 ** j * factorial(j) ** 2 * (2 * j + 1))


def main():
    quarter = (PI / 4 * Decimal("1.0000001")) ** 2
    fits = [
        # (sin x - x)/x^3 of z = x^2
        ("SIN", lambda j: Fraction((-1) ** (j + 1), factorial(2 * j + 3)), Decimal(0), quarter, 6),
        # (cos x - 1 + x^2/2)/x^4
        ("COS", lambda j: Fraction((-1) ** j, factorial(2 * j + 4)), Decimal(0), quarter, 6),
        # (atan x - x)/x^3
        ("ATAN", lambda j: Fraction((-1) ** (j + 1), 2 * j + 3), Decimal(0),
         ((ROOT2 - 1) * Decimal("1.0001")) ** 2, 11),
        # (asin x - x)/x^3
        ("ASIN", lambda j: asin_coefficient(j + 1), Decimal(0), Decimal("0.2501"), 13),
        # (exp x - 1 - x)/x^2
        ("EXP", lambda j: Fraction(1, factorial(j + 2)), -LOG2 / 2 * Decimal("1.0001"),
         LOG2 / 2 * Decimal("1.0001"), 11),
        # (log((1 + s)/(1 - s)) - 2 s)/s^3
        ("LOG", lambda j: Fraction(2, 2 * j + 3), Decimal(0), ((3 - 2 * ROOT2) * Decimal("1.0001")) ** 2, 7),
        # (log((1 + s)/(1 - s)) - 2 s - 2/3 s^3)/s^5
        ("POW", lambda j: Fraction(2, 2 * j + 5), Decimal(0), ((3 - 2 * ROOT2) * Decimal("1.0001")) ** 2, 8),
    ]
    for name, coefficient, low, high, count in fits:
        values, error = fit(series(coefficient), low, high, count)
        put(name, values, f", error {float(abs(error)):.1e}")
    put("pi/2 in three parts", parts(PI / 2, 33, 3))
    put("2/pi", [2 / PI])
    put("pi/2, pi, pi/4 in two parts", parts(PI / 2, 53, 2) + parts(PI, 53, 2) + parts(PI / 4, 53, 2))
    put("log 2 in two parts, 1/log 2", parts(LOG2, 40, 2) + [1 / LOG2])
    put("2/3 in two parts", parts(Decimal(2) / 3, 53, 2))
    # 2/pi with 1216 bits, from pi by integers
    bits = 1216
    one = 1 << (bits + 64)

    def arc(n):
        total, term, k, sign = 0, one // n, 1, 1
        while term:
            total += sign * (term // k)
            term //= n * n
            k += 2
            sign = -sign
        return total
    pi = 16 * arc(5) - 4 * arc(239)
    two_over_pi = (2 * one << bits) // pi
    print("// 2/pi in words of 32 bits")
    words = [(two_over_pi >> (bits - 32 * (i + 1))) & 0xFFFFFFFF for i in range(bits // 32)]
    for i in range(0, len(words), 8):
        print("   " + ", ".join(f"0x{w:08x}u" for w in words[i:i + 8]) + ",")


if __name__ == "__main__":
    main()
