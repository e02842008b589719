# SPDX-License-Identifier: Apache-2.0
"""Model exchange: an integrator of the importer's own, with events located by its own steps, and derivatives of a
run by variational equations. Steps are extrapolated midpoint steps (Gragg, Bulirsch and Stoer): of high order, so that
tolerances near rounding cost little, and easily repeated with another length where an event is looked for."""
import math

from importer import DISCARD, Failed

COLUMNS = 8  # 2, 4 ... 16 substeps: order 16


class Exchange:
    """A run by model exchange of an instance in event mode. With `wrt`, value references of numbers, the columns of
    S = dx/dp go along."""

    def __init__(self, it, tolerance=1e-12, wrt=(), S=None, step=1e-3, max_step=0.02):
        self.it, self.tolerance, self.h, self.max_step = it, tolerance, step, max_step
        d = it.fmu.description
        self.nx = len(d.states)
        self.state_refs = it.fmu.references(d.states)
        self.rate_refs = it.fmu.references(d.derivatives)
        self.wrt = list(wrt)
        self.time = int(next(v.reference for v in d.variables if v.causality == "independent"))
        self.t = it.get([self.time])[0]
        self.S = S or [[0.0] * self.nx for _ in self.wrt]
        self.events = []
        self.evaluations = self.discarded = 0
        self.slow = False  # the last secant of a search brought little
        it.update_discrete()
        self.x = it.states()
        it.call("EnterContinuousTimeMode")

    # ---- equations

    def flow(self, t, y):
        """Rates of x and of the columns of S behind it."""
        n = self.nx
        self.evaluations += 1
        self.it.move(t, y[:n])
        out = self.it.rates()
        for k, ref in enumerate(self.wrt):
            column = y[n * (k + 1):n * (k + 2)]
            out += self.it.directional(self.rate_refs, self.state_refs + [ref], column + [1.0])
        return out

    def whole(self):
        return self.x + [s for column in self.S for s in column]

    def midpoint(self, t, y, f0, h, n):
        d = h / n
        before, now = y, [a + d * b for a, b in zip(y, f0)]
        for i in range(1, n):
            f = self.flow(t + i * d, now)
            before, now = now, [a + 2.0 * d * b for a, b in zip(before, f)]
        f = self.flow(t + h, now)
        return [0.5 * (a + b + d * c) for a, b, c in zip(now, before, f)]

    def step(self, t, y, f0, h):
        """(y after h, error relative to the tolerance)"""
        row = []
        for j in range(COLUMNS):
            new = [self.midpoint(t, y, f0, h, 2 * (j + 1))]
            for k in range(1, j + 1):
                r = 1.0 / (((j + 1) / (j + 1 - k))**2 - 1.0)
                new.append([a + r * (a - b) for a, b in zip(new[k - 1], row[k - 1])])
            if j == COLUMNS - 1:
                last = new[j - 1]
            row = new
        scale = [self.tolerance * (1e-3 + max(abs(a), abs(b))) for a, b in zip(y, row[-1])]
        n = self.nx
        worst = 0.0
        for part in range(len(self.wrt) + 1):
            size = max(scale[part * n:(part + 1) * n])
            e = [abs(a - b) / max(s, 1e-3 * size) for a, b, s in zip(row[-1][part * n:(part + 1) * n],
                                                                    last[part * n:(part + 1) * n],
                                                                    scale[part * n:(part + 1) * n])]
            worst = max(worst, max(e, default=0.0))
        return row[-1], worst

    # ---- events

    def signs(self, t, y):
        self.it.move(t, y[:self.nx])
        g = self.it.indicators()
        return g, [v > 0.0 for v in g]

    def locate(self, t, y, f0, h, after, before):
        """The shortest step at whose end an indicator has changed its sign: the bracket closes by secants, whose
        points are moved a little to the side that was not met last, and by bisection where that is slow."""
        low, high, y_high = 0.0, h, after
        g_high, _ = self.signs(t + h, after)
        g_low, _ = self.signs(t, y)
        was_low = False
        while high - low > 2e-16 * max(1.0, abs(t)):
            width = high - low
            middle = self.secant(low, high, g_low, g_high, before) + (0.01 if was_low else -0.01) * width
            if not low < middle < high or self.slow:
                middle = low + 0.5 * width
            if not low < middle < high:
                break
            y_middle, _ = self.step(t, y, f0, middle)
            g, sign = self.signs(t + middle, y_middle)
            was_low = sign == before
            if was_low:
                low, g_low = middle, g
            else:
                high, g_high, y_high = middle, g, y_middle
            self.slow = high - low > 0.5 * width
        self.slow = False
        return high, y_high

    @staticmethod
    def secant(low, high, g_low, g_high, before):
        return min([low + (high - low) * a / (a - b) for a, b, sign in zip(g_low, g_high, before)
                    if (b > 0.0) != sign and a != b], default=high)

    def handle_event(self, before):
        it, n = self.it, self.nx
        it.move(self.t, self.x)
        g, sign = self.signs(self.t, self.x)
        crossed = [i for i in range(len(g)) if sign[i] != before[i]]
        f_before = it.rates()
        slopes = [self.event_slope(crossed, f_before, k) for k in range(len(self.wrt))]
        saved = it.get_state()
        it.call("EnterEventMode")
        jumped = it.update_discrete()
        x_after = it.states()
        it.call("EnterContinuousTimeMode")
        f_after = it.rates()
        for k, dt in enumerate(slopes):
            moved = [s + f * dt for s, f in zip(self.S[k], f_before)]
            if jumped:
                after = it.get_state()
                moved = self.jump_slope(saved, moved, self.wrt[k])
                it.set_state(after)
                it.free_state(after)
            self.S[k] = [m - f * dt for m, f in zip(moved, f_after)]
        it.free_state(saved)
        self.x = x_after
        self.events.append((self.t, [it.fmu.description.indicators[i].name if it.fmu.version == 3 else str(i)
                                     for i in crossed], jumped))

    def event_slope(self, crossed, rates, k):
        """dt_e/dp of the first indicator that crossed: 0 = g_x (S + f t_e') + g_p + g_t t_e'."""
        it = self.it
        g = it.fmu.references([it.fmu.description.indicators[i] for i in crossed])[:1]
        by_p = it.directional(g, self.state_refs + [self.wrt[k]], self.S[k] + [1.0])[0]
        by_t = it.directional(g, self.state_refs + [self.time], rates + [1.0])[0]
        return -by_p / by_t

    def jump_slope(self, saved, direction, ref):
        """Derivative of what an event does to the states, along a change of the states before it and of a number."""
        it, n = self.it, self.nx
        size = max(map(abs, direction)) or 1.0
        value = it.get([ref])[0]
        eps = 1e-6 / max(size, 1.0)
        ends = []
        for sign in (1.0, -1.0):
            it.set_state(saved)
            it.move(self.t, [x + sign * eps * d for x, d in zip(self.x, direction)])
            it.call("EnterEventMode")
            it.set([ref], [value + sign * eps])
            it.update_discrete()
            ends.append(it.states())
        return [(a - b) / (2.0 * eps) for a, b in zip(*ends)]

    # ---- the run

    def try_step(self, y, f0, h):
        """A step that leads where there are no values is too long."""
        try:
            return self.step(self.t, y, f0, h)
        except Failed as failed:
            if failed.status != DISCARD:
                raise
            self.discarded += 1
            return None, math.inf

    def run(self, t_end):
        while self.t < t_end:
            self.go(t_end)
        self.it.move(self.t, self.x)
        return self

    def go(self, t_end):
        y = self.whole()
        _, before = self.signs(self.t, y)
        f0 = self.flow(self.t, y)
        while True:
            h = min(self.h, self.max_step, t_end - self.t)
            after, error = self.try_step(y, f0, h)
            factor = 4.0 if error == 0.0 else min(4.0, max(0.1, 0.8 * error**(-1.0 / (2 * COLUMNS - 1))))
            if error <= 1.0 or (h < 1e-12 and after):
                break
            self.h = h * factor
        if h >= 0.5 * self.h:
            self.h = min(self.max_step, h * factor)
        is_last = h >= t_end - self.t
        t1 = t_end if is_last else self.t + h
        _, sign = self.signs(t1, after)
        is_event = sign != before
        if is_event:
            h, after = self.locate(self.t, y, f0, h, after, before)
            t1 = self.t + h
        n = self.nx
        self.t, self.x = t1, after[:n]
        self.S = [after[n * (k + 1):n * (k + 2)] for k in range(len(self.wrt))]
        self.it.move(self.t, self.x)
        self.it.completed()
        if is_event:
            self.handle_event(before)


def objective_slopes(run, names):
    """d objective / d number for all numbers of a run with derivatives, at its end."""
    it = run.it
    of = [it.fmu.reference(n) for n in names]
    return [it.directional(of, run.state_refs + [ref], run.S[k] + [1.0]) for k, ref in enumerate(run.wrt)]


def initial_slopes(make, refs, relative=1e-3):
    """dx0/dp: where the start follows from a number only differences tell, here of fourth order. make(ref, value)
    returns the states at the start."""
    out = []
    for ref in refs:
        value = make(ref, None)[1]
        h = relative * (abs(value) or 1.0)
        x = {k: make(ref, value + k * h)[0] for k in (-2, -1, 1, 2)}
        out.append([(8.0 * (x[1][i] - x[-1][i]) - (x[2][i] - x[-2][i])) / (12.0 * h) for i in range(len(x[1]))])
    return out


def relative(a, b):
    return abs(a - b) / max(abs(a), abs(b), 1e-300) if a != b else 0.0


def is_finite(values):
    return all(math.isfinite(v) for v in values)
