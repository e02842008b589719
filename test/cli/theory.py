# SPDX-License-Identifier: Apache-2.0
"""Textbook vehicle dynamics in plain Python, to hold models against: small linear algebra, eigenvalues, vehicles in a
plane. Nothing here knows the program."""
import cmath


def solve(A, b):
    """x of A x = b, by elimination with pivots."""
    n = len(A)
    M = [list(row) + [x] for row, x in zip(A, b)]
    for i in range(n):
        p = max(range(i, n), key=lambda k: abs(M[k][i]))
        M[i], M[p] = M[p], M[i]
        for k in range(i + 1, n):
            f = M[k][i] / M[i][i]
            M[k] = [u - f * v for u, v in zip(M[k], M[i])]
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (M[i][n] - sum(M[i][j] * x[j] for j in range(i + 1, n))) / M[i][i]
    return x


def det(A):
    M, d = [list(row) for row in A], 1.0
    for i in range(len(M)):
        p = max(range(i, len(M)), key=lambda k: abs(M[k][i]))
        if M[p][i] == 0:
            return 0.0
        if p != i:
            M[i], M[p], d = M[p], M[i], -d
        d *= M[i][i]
        for k in range(i + 1, len(M)):
            f = M[k][i] / M[i][i]
            M[k] = [u - f * v for u, v in zip(M[k], M[i])]
    return d


def root(f, low, high, tolerance=1e-12):
    """Where f changes its sign, by bisection."""
    begin = f(low)
    while high - low > tolerance * abs(high):
        middle = (low + high) / 2
        low, high = (middle, high) if f(middle) * begin > 0 else (low, middle)
    return (low + high) / 2


def product(A, B):
    return [[sum(a * b for a, b in zip(row, column)) for column in zip(*B)] for row in A]


def eigenvalues(A):
    """All of a small matrix: characteristic polynomial after Faddeev and LeVerrier, its roots after Durand and Kerner."""
    n = len(A)
    size = max(sum(abs(x) for x in row) for row in A)
    A = [[x / size for x in row] for row in A]
    c, M = [1.0], [[0.0] * n for _ in range(n)]
    for k in range(1, n + 1):
        M = [[x + (c[-1] if i == j else 0) for j, x in enumerate(row)] for i, row in enumerate(product(A, M))]
        c.append(-sum(product(A, M)[i][i] for i in range(n)) / k)
    roots = [(0.4 + 0.9j) ** i for i in range(n)]
    for _ in range(500):
        for i, z in enumerate(roots):
            value, divisor = 0, 1
            for x in c:
                value = value * z + x
            for k, other in enumerate(roots):
                divisor *= z - other if k != i else 1
            roots[i] = z - value / divisor
    return [size * z for z in roots]


def of_second_order(M, C, K):
    """Eigenvalues of M q'' + C q' + K q = 0."""
    n = len(M)
    columns = [solve(M, [-K[i][j] for i in range(n)]) for j in range(n)]
    columns += [solve(M, [-C[i][j] for i in range(n)]) for j in range(n)]
    top = [[1.0 if j == n + i else 0.0 for j in range(2 * n)] for i in range(n)]
    return eigenvalues(top + [[columns[j][i] for j in range(2 * n)] for i in range(n)])


def frequencies(M, K):
    """Undamped ones [Hz], rising: with masses M and stiffnesses K."""
    n = len(M)
    columns = [solve(M, [K[i][j] for i in range(n)]) for j in range(n)]
    return sorted(abs(cmath.sqrt(z)) / (2 * cmath.pi)
                  for z in eigenvalues([[columns[j][i] for j in range(n)] for i in range(n)]))


def single_track(V, axles, masses):
    """Equations of a steady turn with small angles: A [v, r] = b of a vehicle with axles (x, cornering stiffness, steering
    angle) and masses (m, x); v is the velocity to the left at x = 0, r the yaw rate."""
    A, b = [[0.0, 0.0], [0.0, 0.0]], [0.0, 0.0]
    for x, C, angle in axles:
        for row, arm in ((0, 1), (1, x)):
            A[row][0] -= arm * C / V
            A[row][1] -= arm * C * x / V
            b[row] -= arm * C * angle
    for m, x in masses:
        A[0][1] -= m * V
        A[1][1] -= m * V * x
    return A, b


def with_trailer(V, axles, masses, hitch, trailer_axles, trailer_masses):
    """The same of [v, r, articulation, hitch force] of a vehicle that pulls a trailer; places of the trailer are distances
    behind the hitch."""
    A, b = single_track(V, axles, masses)
    A = [row + [0.0, force] for row, force in zip(A, (1.0, hitch))] + [[0.0] * 4, [0.0] * 4]
    b += [0.0, 0.0]
    for d, C in trailer_axles:
        for row, arm in ((2, 1), (3, d)):
            A[row][0] -= arm * C / V
            A[row][1] -= arm * C * (hitch - d) / V
            A[row][2] += arm * C
    for m, d in trailer_masses:
        A[2][1] -= m * V
        A[3][1] -= m * V * d
    A[2][3] -= 1
    return A, b


def joined(*parts):
    """Mass, x, z and the moments xx, zz, xz about the common centre of rigid parts (m, x, z, xx, zz, xz)."""
    m = sum(p[0] for p in parts)
    x, z = (sum(p[0] * p[k] for p in parts) / m for k in (1, 2))
    xx = sum(p[3] + p[0] * (p[2] - z) ** 2 for p in parts)
    zz = sum(p[4] + p[0] * (p[1] - x) ** 2 for p in parts)
    return m, x, z, xx, zz, sum(p[5] - p[0] * (p[1] - x) * (p[2] - z) for p in parts)


def whipple(w, c, tilt, rear, body, bar, front):
    """Matrices M, C1, K0, K2 of lean and steer of a bicycle whose knife-edged wheels roll without slip:
    M q'' + v C1 q' + (g K0 + v^2 K2) q = 0. Meijaard, Papadopoulos, Ruina, Schwab: Linearized dynamics equations for the
    balance and steer of a bicycle, Proc. R. Soc. A 463 (2007), appendix A. Wheels are (radius, m, xx, yy), bodies
    (m, x, z, xx, zz, xz) with z up; the source has z down."""
    rR, mR, Rxx, Ryy = rear
    rF, mF, Fxx, Fyy = front
    mB, xB, zB, Bxx, Bzz, Bxz = body[0], body[1], -body[2], body[3], body[4], -body[5]
    mH, xH, zH, Hxx, Hzz, Hxz = bar[0], bar[1], -bar[2], bar[3], bar[4], -bar[5]
    sin, cos = cmath.sin(tilt).real, cmath.cos(tilt).real
    mT = mR + mB + mH + mF
    xT = (xB * mB + xH * mH + w * mF) / mT
    zT = (-rR * mR + zB * mB + zH * mH - rF * mF) / mT
    Txx = Rxx + Bxx + Hxx + Fxx + mR * rR ** 2 + mB * zB ** 2 + mH * zH ** 2 + mF * rF ** 2
    Txz = Bxz + Hxz - mB * xB * zB - mH * xH * zH + mF * w * rF
    Tzz = Rxx + Bzz + Hzz + Fxx + mB * xB ** 2 + mH * xH ** 2 + mF * w ** 2
    mA = mH + mF
    xA, zA = (xH * mH + w * mF) / mA, (zH * mH - rF * mF) / mA
    Axx = Hxx + Fxx + mH * (zH - zA) ** 2 + mF * (rF + zA) ** 2
    Axz = Hxz - mH * (xH - xA) * (zH - zA) + mF * (w - xA) * (rF + zA)
    Azz = Hzz + Fxx + mH * (xH - xA) ** 2 + mF * (w - xA) ** 2
    u = (xA - w - c) * cos - zA * sin
    All = mA * u ** 2 + Axx * sin ** 2 + 2 * Axz * sin * cos + Azz * cos ** 2
    Alx = -mA * u * zA + Axx * sin + Axz * cos
    Alz = mA * u * xA + Axz * sin + Azz * cos
    mu, SR, SF = c / w * cos, Ryy / rR, Fyy / rF
    ST, SA = SR + SF, mA * u + mu * mT * xT
    M = [[Txx, Alx + mu * Txz], [Alx + mu * Txz, All + 2 * mu * Alz + mu ** 2 * Tzz]]
    K0 = [[mT * zT, -SA], [-SA, -SA * sin]]
    K2 = [[0, (ST - mT * zT) / w * cos], [0, (SA + SF * sin) / w * cos]]
    C1 = [[0, mu * ST + SF * cos + Txz / w * cos - mu * mT * zT], [-(mu * ST + SF * cos), Alz / w * cos + mu * (SA + Tzz / w * cos)]]
    return M, C1, K0, K2


def whipple_eigenvalues(v, g, *bicycle):
    M, C1, K0, K2 = whipple(*bicycle)
    return of_second_order(M, [[v * x for x in row] for row in C1],
                           [[g * a + v * v * b for a, b in zip(*rows)] for rows in zip(K0, K2)])


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def less(a, b):
    return [x - y for x, y in zip(a, b)]


def across(e):
    """Two directions at right angles to e."""
    first = cross(e, [1, 0, 0] if abs(e[0]) < abs(e[2]) else [0, 0, 1])
    return first, cross(e, first)


class Linkage:
    """A wheel carrier that five equations leave one motion: points of it and of parts that hang on it, over the rise of W.
    `rows(p)` gives five (point, direction): the carrier does not move along the direction at the point. `arms` are
    (point of the carrier, axis from, axis to, points that turn with it); `rockers` (rod's end, its other end on the rocker,
    axis from, axis to, points). The motion is integrated from the drawing on, so nothing is linear here."""

    def __init__(self, points, rows, carried, arms=(), rockers=()):
        self.points, self.rows, self.carried, self.arms, self.rockers = points, rows, carried, arms, rockers

    def twist(self, p):
        rows = [direction + cross(at, direction) for at, direction in self.rows(p)]
        return solve(rows + [[0, 0, 1] + cross(p["W"], [0, 0, 1])], [0] * 5 + [1])

    def turning(self, p):
        """Angular velocities of the carrier and of arms, these by their balls."""
        v, spins = self.velocities(p), {"carrier": self.twist(p)[3:]}
        for ball, begin, end, _ in self.arms:
            axis = less(p[end], p[begin])
            way = cross(axis, less(p[ball], p[begin]))
            spins[ball] = [x * dot(v[ball], way) / dot(way, way) for x in axis]
        return spins

    def velocities(self, p):
        twist = self.twist(p)
        v = {name: [a + b for a, b in zip(twist[:3], cross(twist[3:], p[name]))] for name in self.carried}
        for ball, begin, end, names in self.arms:
            axis = less(p[end], p[begin])
            way = cross(axis, less(p[ball], p[begin]))
            rate = dot(v[ball], way) / dot(way, way)
            v.update({n: [rate * x for x in cross(axis, less(p[n], p[begin]))] for n in names})
        for rod, other, begin, end, names in self.rockers:
            axis, along = less(p[end], p[begin]), less(p[rod], p[other])
            rate = dot(v[rod], along) / dot(cross(axis, less(p[other], p[begin])), along)
            v.update({n: [rate * x for x in cross(axis, less(p[n], p[begin]))] for n in [other, *names]})
        return v

    def at(self, rise, steps=20):
        """Points with the wheel centre that much higher than drawn; by Runge and Kutta."""
        p, h = {n: list(x) for n, x in self.points.items()}, rise / steps

        def moved(by, v):
            return {n: [x + by * y for x, y in zip(p[n], v[n])] if n in v else p[n] for n in p}

        for _ in range(steps if rise else 0):
            k1 = self.velocities(p)
            k2 = self.velocities(moved(h / 2, k1))
            k3 = self.velocities(moved(h / 2, k2))
            k4 = self.velocities(moved(h, k3))
            p = moved(h / 6, {n: [a + 2 * b + 2 * c + d for a, b, c, d in zip(k1[n], k2[n], k3[n], k4[n])] for n in k1})
        return p


def distance(a, b):
    return dot(less(a, b), less(a, b)) ** 0.5


def rods(*pairs):
    """Rows of rods, each by its end on the body and that on the carrier."""
    return lambda p: [(p[b], less(p[a], p[b])) for a, b in pairs]
