#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write the reference tables of models/mechanisms, without any multibody formalism.

pendulum         Jacobi elliptic functions
double_pendulum  the two textbook equations of motion, integrated
spinning_top     steady precession, closed form
the loops        every position is a closed form of one coordinate q; then T = J(q) q'^2 / 2 and
                 J q'' + J' q'^2 / 2 + V' = 0 is one scalar equation, integrated. Derivatives with
                 respect to q are exact (truncated Taylor series).

Integrations are fourth-order Runge-Kutta, extrapolated from two step sizes; the estimated error is
printed and far below the digits written.
"""
import math
import os
import sys

G = 9.81
HERE = os.path.dirname(os.path.abspath(__file__))


class Jet:
    """Value, first and second derivative with respect to q."""

    def __init__(self, v, d=0.0, dd=0.0):
        self.v, self.d, self.dd = v, d, dd

    def chain(self, f, df, ddf):
        return Jet(f, df * self.d, df * self.dd + ddf * self.d * self.d)

    def __add__(self, o):
        o = jet(o)
        return Jet(self.v + o.v, self.d + o.d, self.dd + o.dd)

    def __mul__(self, o):
        o = jet(o)
        return Jet(self.v * o.v, self.d * o.v + self.v * o.d,
                   self.dd * o.v + 2 * self.d * o.d + self.v * o.dd)

    def __neg__(self):
        return self * -1.0

    def __sub__(self, o):
        return self + -jet(o)

    def __rsub__(self, o):
        return jet(o) - self

    __radd__, __rmul__ = __add__, __mul__


def jet(x):
    return x if isinstance(x, Jet) else Jet(x)


def sin(x):
    return x.chain(math.sin(x.v), math.cos(x.v), -math.sin(x.v))


def cos(x):
    return x.chain(math.cos(x.v), -math.sin(x.v), -math.cos(x.v))


def sqrt(x):
    r = math.sqrt(x.v)
    return x.chain(r, 0.5 / r, -0.25 / (r * x.v))


def asin(x):
    c = math.sqrt(1 - x.v * x.v)
    return x.chain(math.asin(x.v), 1 / c, x.v / c**3)


def acos(x):
    return math.pi / 2 - asin(x)


def atan2(y, x):
    """Angle of (x, y): derivative (x y' - y x') / r2."""
    y, x = jet(y), jet(x)
    r2 = x.v * x.v + y.v * y.v
    n = x.v * y.d - y.v * x.d
    dn = x.v * y.dd - y.v * x.dd
    dr2 = 2 * (x.v * x.d + y.v * y.d)
    return Jet(math.atan2(y.v, x.v), n / r2, (dn - n * dr2 / r2) / r2)


def rod(m, a, b):
    """Uniform slender rod between points a and b: inertia J, dJ/dq, dV/dq, V."""
    J = dJ = 0.0
    for p, r in zip(a, b):
        p, r = jet(p), jet(r)
        J += m / 3 * (p.d * p.d + p.d * r.d + r.d * r.d)
        dJ += m / 3 * (2 * p.d * p.dd + p.dd * r.d + p.d * r.dd + 2 * r.d * r.dd)
    return J, dJ, m * G * (jet(a[2]).d + jet(b[2]).d) / 2, m * G * (jet(a[2]).v + jet(b[2]).v) / 2


def mass(m, a):
    return rod(m, a, a)


def integrate(f, y, times, h):
    """Values of y at times, steps of at most h."""
    out, t = [list(y)], times[0]
    for t1 in times[1:]:
        n = max(1, math.ceil((t1 - t) / h - 1e-9))
        s = (t1 - t) / n
        for _ in range(n):
            k1 = f(y)
            k2 = f([a + s / 2 * b for a, b in zip(y, k1)])
            k3 = f([a + s / 2 * b for a, b in zip(y, k2)])
            k4 = f([a + s * b for a, b in zip(y, k3)])
            y = [a + s / 6 * (b + 2 * c + 2 * d + e)
                 for a, b, c, d, e in zip(y, k1, k2, k3, k4)]
        out.append(list(y))
        t = t1
    return out


def solve(name, f, y, times, h):
    rough, fine = integrate(f, y, times, h), integrate(f, y, times, h / 2)
    error = max(abs(a - b) / 15 for r, s in zip(rough, fine) for a, b in zip(r, s))
    print(f"{name}: estimated error before extrapolation {error:.1e}")
    return [[b + (b - a) / 15 for a, b in zip(r, s)] for r, s in zip(rough, fine)]


def write(name, header, rows):
    with open(os.path.join(HERE, name + ".csv"), "w", encoding="ascii") as out:
        out.write(",".join(header) + "\n")
        for row in rows:
            out.write(",".join(f"{round(x, 12) + 0.0:.10g}" for x in row) + "\n")


def grid(end, step):
    return [round(i * step, 12) for i in range(round(end / step) + 1)]


def agm_sn_cn_dn(u, k):
    """Jacobi elliptic functions by descending Landen (arithmetic-geometric mean)."""
    a, c, b = [1.0], [k], math.sqrt(1 - k * k)
    for _ in range(6):  # quadratic convergence
        a0 = a[-1]
        a.append((a0 + b) / 2)
        c.append((a0 - b) / 2)
        b = math.sqrt(a0 * b)
    n = len(a) - 1
    phi = 2**n * a[n] * u
    for i in range(n, 0, -1):
        phi = (phi + math.asin(c[i] / a[i] * math.sin(phi))) / 2
    sn = math.sin(phi)
    return sn, math.cos(phi), math.sqrt(1 - (k * sn)**2), math.pi / (2 * a[n])


def pendulum():
    m, length, start = 1.0, 1.0, math.pi / 2
    w = math.sqrt(m * G * length / 2 / (m * length**2 / 3))
    k = math.sin(start / 2)
    rows = []
    for t in grid(10, 0.1):
        sn, cn, dn, K = agm_sn_cn_dn(w * t, k)
        # sin(angle/2) = k cd(w t), and the derivative of cd is -(1 - k^2) sn/dn^2
        half = math.asin(k * cn / dn)
        rows.append((t, 2 * half, -2 * k * w * (1 - k * k) * sn / dn**2 / math.cos(half)))
    print(f"pendulum: period {4 * K / w:.12g} s")
    write("pendulum", ("t", "angle", "angle_rate"), rows)


def double_pendulum():
    A, B, C = 1 / 3 + 1, 1 / 3, 1 / 2  # two rods of 1 kg and 1 m

    def f(y):
        th1, th2, w1, w2 = y
        c, s = math.cos(th1 - th2), math.sin(th1 - th2)
        r1 = -C * s * w2 * w2 - 1.5 * G * math.sin(th1)
        r2 = C * s * w1 * w1 - 0.5 * G * math.sin(th2)
        det = A * B - (C * c)**2
        return [w1, w2, (B * r1 - C * c * r2) / det, (A * r2 - C * c * r1) / det]

    times = grid(5, 0.1)
    y = solve("double_pendulum", f, [math.pi / 2, math.pi / 2, 0, 0], times, 2e-4)
    write("double_pendulum", ("t", "upper_angle", "lower_angle", "upper_rate", "lower_rate"),
          [(t, a, b - a, p, q - p) for t, (a, b, p, q) in zip(times, y)])


def spinning_top():
    l, tilt, rate = 0.1, math.pi / 6, 5.0
    m, r = 0.5, 0.05
    C, A = m * r * r / 2, m * r * r / 4 + m * l * l
    spin = (m * G * l + A * math.cos(tilt) * rate**2) / (C * rate)
    print(f"spinning_top: spin about its own axis {spin:.12g} rad/s")
    write("spinning_top", ("t", "com_x", "com_y", "com_z", "spin_rate"),
          [(t, l * math.sin(tilt) * math.sin(rate * t), -l * math.sin(tilt) * math.cos(rate * t),
            l * math.cos(tilt), spin) for t in grid(2, 0.02)])


def loop(name, parts, rate, times, h, header, row, q0=0.0):
    """One-degree-of-freedom loop; parts(q) gives the rods, row(q) the columns (value, d/dq)."""

    def f(y):
        q, qd = y
        total = [sum(x) for x in zip(*parts(Jet(q, 1.0)))]
        return [qd, -(total[1] * qd * qd / 2 + total[2]) / total[0]]

    y = solve(name, f, [q0, rate], times, h)
    energy = []
    rows = []
    for t, (q, qd) in zip(times, y):
        total = [sum(x) for x in zip(*parts(Jet(q, 1.0)))]
        energy.append(total[0] * qd * qd / 2 + total[3])
        rows.append([t] + row(Jet(q, 1.0), qd))
    print(f"{name}: energy {energy[0]:.12g} J, drift {max(energy) - min(energy):.1e} J")
    write(name, header, rows)


def four_bar():
    a, b, c, d = 0.1, 0.3, 0.35, 0.45

    def angles(q):
        """Angles of crank, coupler and rocker from the x axis; the loop stays open upwards."""
        th = q + math.pi / 2
        bx, bz = a * cos(th), a * sin(th)
        x, z = d - bx, -bz  # from B to D
        r = sqrt(x * x + z * z)
        inv = r.chain(1 / r.v, -1 / r.v**2, 2 / r.v**3)
        coupler = atan2(z, x) + acos((r * r + b * b - c * c) * inv * (0.5 / b))
        cx, cz = bx + b * cos(coupler), bz + b * sin(coupler)
        return th, coupler, atan2(cz, cx - d), (bx, 0.0, bz), (cx, 0.0, cz)

    start = angles(Jet(0.0))

    def parts(q):
        _, _, _, B, C = angles(q)
        return [rod(0.5, (0, 0, 0), B), rod(1.0, B, C), rod(1.0, C, (d, 0, 0))]

    def row(q, qd):
        th, co, ro, _, C = angles(q)
        rel = co - th - (start[1].v - start[0].v)
        rock = ro - start[2].v
        return [q.v, rel.v, rock.v, qd, rel.d * qd, rock.d * qd, C[0].v, C[2].v]

    loop("four_bar", parts, 20.0, grid(2, 0.02), 1e-4,
         ("t", "crank_angle", "coupler_angle", "rocker_angle", "crank_rate", "coupler_rate",
          "rocker_rate", "x_c", "z_c"), row)


def solve_linear(A, b):
    """A x = b by elimination with row pivots."""
    n = len(b)
    A = [list(row) + [x] for row, x in zip(A, b)]
    for k in range(n):
        p = max(range(k, n), key=lambda i: abs(A[i][k]))
        A[k], A[p] = A[p], A[k]
        for i in range(k + 1, n):
            f = A[i][k] / A[k][k]
            for j in range(k, n + 1):
                A[i][j] -= f * A[k][j]
    x = [0.0] * n
    for k in reversed(range(n)):
        x[k] = (A[k][n] - sum(A[k][j] * x[j] for j in range(k + 1, n))) / A[k][k]
    return x


def triple_rocker():
    """Both pins in the plane as unknowns, lengths by multipliers: no angle is singled out."""
    a, b, c, d = 0.3, 0.35, 0.32, 0.5
    m = (0.5, 0.8, 0.6)
    mass = ((m[0] + m[1]) / 3, m[1] / 6, (m[1] + m[2]) / 3)  # of B, between, of C
    pull = (-G * (m[0] + m[1]) / 2, -G * (m[1] + m[2]) / 2)

    def rows(bx, bz, cx, cz):
        """Gradients of half the squared lengths."""
        x, z = cx - bx, cz - bz
        return [[bx, bz, 0.0, 0.0], [-x, -z, x, z], [0.0, 0.0, cx - d, cz]]

    def f(y):
        q, v = y[:4], y[4:]
        J = rows(*q)
        K = [[mass[0], 0, mass[1], 0], [0, mass[0], 0, mass[1]],
             [mass[1], 0, mass[2], 0], [0, mass[1], 0, mass[2]]]
        A = [K[i] + [J[k][i] for k in range(3)] for i in range(4)] + [J[k] + [0.0] * 3 for k in range(3)]
        rate = [v[0]**2 + v[1]**2, (v[2] - v[0])**2 + (v[3] - v[1])**2, v[2]**2 + v[3]**2]
        return list(v) + solve_linear(A, [0.0, pull[0], 0.0, pull[1]] + [-r for r in rate])[:4]

    def angles(q):
        bx, bz, cx, cz = q
        return math.atan2(bz, bx), math.atan2(cz - bz, cx - bx), math.atan2(cz, cx - d)

    # the crank stands upright, the pin above the line from B to D
    x, z = d, -a
    r = math.hypot(x, z)
    along = (r * r + b * b - c * c) / (2 * r)
    across = math.sqrt(b * b - along * along)
    start = [0.0, a, (along * x - across * z) / r, a + (along * z + across * x) / r]
    J = rows(*start)
    v = [-12.0 * a, 0.0]
    v += solve_linear([J[1][2:], J[2][2:]], [-J[1][0] * v[0] - J[1][1] * v[1], 0.0])
    times = grid(2, 0.02)
    y = solve("triple_rocker", f, start + v, times, 2e-5)
    out, before = [], angles(start)
    for t, s in zip(times, y):
        now = [p + math.remainder(n - p, 2 * math.pi) for n, p in zip(angles(s[:4]), before)]
        before = now
        bx, bz, cx, cz, ux, uz, wx, wz = s
        crank = (bx * uz - bz * ux) / (a * a)
        rocker = ((cx - d) * wz - cz * wx) / (c * c)
        out.append([t, now[0] - math.pi / 2, now[1] - now[0] + math.pi / 2, now[2] - math.pi / 2, crank, rocker])
    write("triple_rocker", ("t", "crank_angle", "coupler_angle", "rocker_angle", "crank_rate", "rocker_rate"), out)


def slider_crank():
    a, b = 0.1, 0.26

    def points(q):
        th = q + math.pi / 2
        bx, bz = a * cos(th), a * sin(th)
        return (bx, 0.0, bz), bx + sqrt(b * b - bz * bz)

    def parts(q):
        B, x = points(q)
        return [rod(0.5, (0, 0, 0), B), rod(0.5, B, (x, 0, 0)), mass(1.0, (x, 0, 0))]

    def row(q, qd):
        _, x = points(q)
        return [q.v, x.v - 0.24, qd, x.d * qd]

    loop("slider_crank", parts, 15.0, grid(2, 0.02), 1e-4,
         ("t", "crank_angle", "slider_position", "crank_rate", "slider_rate"), row)


def spatial_four_bar():
    def points(q):
        by, bz = -0.1 * sin(q), 0.1 * cos(q)
        # |C - B| = 0.6 with C = D + 0.3 (sin psi, 0, cos psi): P sin psi + Q cos psi = S
        P, Q = Jet(0.4), -bz
        S = (0.36 - 0.09 - (0.16 + (0.4 - by) * (0.4 - by) + bz * bz)) * (1 / 0.6)
        r2 = P * P + Q * Q
        inv = r2.chain(r2.v**-0.5, -0.5 * r2.v**-1.5, 0.75 * r2.v**-2.5)
        psi = atan2(P, Q) - acos(S * inv)
        return (0.0, by, bz), (0.4 + 0.3 * sin(psi), 0.4, 0.3 * cos(psi)), psi

    def parts(q):
        B, C, _ = points(q)
        return [rod(0.5, (0, 0, 0), B), rod(1.0, B, C), rod(1.0, C, (0.4, 0.4, 0))]

    def row(q, qd):
        _, C, psi = points(q)
        return [q.v, psi.v, qd, psi.d * qd, C[0].v, C[2].v]

    loop("spatial_four_bar", parts, 20.0, grid(2, 0.02), 1e-4,
         ("t", "crank_angle", "rocker_angle", "crank_rate", "rocker_rate", "x_c", "z_c"), row)


def bricard():
    # Threefold symmetry: the angles alternate, even ones phi, odd ones theta, and the loop closes
    # when cos(theta/2) cos(phi/2) = cos(60 deg). That is a right-angled spherical triangle with
    # hypotenuse 60 deg, which its angle u parametrises without a singular point.
    c60, s60 = 0.5, math.sqrt(3) / 2
    u0 = math.asin(math.sqrt(0.5) / s60)

    def points(u):
        theta = 2 * asin(s60 * sin(u))
        phi = 2 * atan2(s60 * cos(u), c60)
        turn = (phi - math.pi / 2, theta - math.pi / 2)
        link = ((1, 0, 0), (0, 0, -1), (0, 1, 0), (-1, 0, 0), (0, 0, 1))
        axis = (2, 1, 0, 2, 1)  # hinge at the beginning of each link: z y x z y
        # from the last link inwards: put a link before the chain, then turn all of it by its hinge
        chain = []
        for i in reversed(range(5)):
            chain = [tuple(jet(x) for x in link[i])] + [
                tuple(c + l for c, l in zip(pt, link[i])) for pt in chain]
            chain = [rotate(axis[i], turn[i % 2], pt) for pt in chain]
        return [(jet(0.0),) * 3] + chain, turn

    def rotate(axis, angle, p):
        c, s = cos(angle), sin(angle)
        i, j = (axis + 1) % 3, (axis + 2) % 3
        out = list(p)
        out[i] = c * p[i] - s * p[j]
        out[j] = s * p[i] + c * p[j]
        return tuple(out)

    def parts(u):
        p, _ = points(u)
        return [rod(1.0, p[i], p[i + 1]) for i in range(5)]

    def row(u, ud):
        p, turn = points(u)
        miss = max(abs(p[5][i].v - x) for i, x in enumerate((0, 1, 0)))
        if miss > 1e-12:
            sys.exit(f"bricard: the loop is open by {miss:.1e} m")
        return [turn[0].v, turn[1].v, turn[0].d * ud, turn[1].d * ud] + [x.v for x in p[3]]

    loop("bricard", parts, 0.0, grid(10, 0.1), 2e-3,
         ("t", "hinge0_angle", "hinge1_angle", "hinge0_rate", "hinge1_rate", "x_3", "y_3", "z_3"),
         row, u0)


if __name__ == "__main__":
    pendulum()
    double_pendulum()
    spinning_top()
    four_bar()
    triple_rocker()
    slider_crank()
    spatial_four_bar()
    bricard()
