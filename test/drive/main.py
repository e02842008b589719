#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The minute's drive of the sedan: how fast it runs without oil, and its derivatives with oil, on waves (oil.yaml says
why), against differences of runs.

    make drive [NUMBERS=20]

Two tables: the minute (oil.yaml), and at a smaller tolerance its stop alone (stop.yaml).

A difference of runs is no derivative where events change places within its increment, or where rounding is as large
as what it divides; the stop makes the first happen at increments of 1e-7 of a number, the second at 1e-9. So runs are
made with several increments, and a quotient is what two neighbours agree upon. Its doubt is their distance, and
half of what the slopes to either side differ by: a kink, a step taken otherwise and rounding all show there. Which
quotient is taken follows from the doubts alone. Each derivative then

    agrees      off by 1e-3 of its size at most
    as stated   off by more, not more than the error that it states
    OFF         off by more than that
    undecided   no two quotients have a doubt below 1e-3: nothing is said of it

Prints the tables and exits with 1 where a derivative is OFF, more than one in ten is undecided, or the drive does not
stop."""
import argparse
import collections
import concurrent.futures
import json
import os
import subprocess
import sys

# 20 numbers of all kinds: chassis, springs, bars, dampers, tyres, road, driver, driveline, brakes
NUMBERS = {"bodies.chassis.mass": 1480, "k_front": 38000, "k_rear": 36000, "K_front": 1800, "K_rear": 400, "grip": 1,
           "current": 0.6, "valve_open": 1.25e-5, "piston_bleed": 6e-7, "gas_pressure": 6e5, "seal_friction": 50,
           "wheel_mass": 23, "cruise": 22, "driver.preview": 0.6, "driver.lag": 0.06, "pedals.kp": 0.8,
           "engine.inertia": 0.25, "final_drive": 3.2, "air.drag_coefficient": 0.3, "rough": 1}
# what is differentiated, and at which tolerance
Case = collections.namedtuple("Case", "model tol objectives")
CASES = {"minute": Case("test/drive/oil.yaml", "1e-7", ("ride", "went", "aside", "shake", "way")),
         "stop": Case("test/drive/stop.yaml", "1e-8", ("shake", "way"))}
WANTED = 1e-3     # part of its size by which a derivative may be off
LARGEST = 1e-3    # largest increment to begin with, part of the number
MOVED = 1e-4      # way that the end of the stop may move by with it [m]
VERDICTS = ("agrees", "as stated", "undecided", "OFF")
MORE = 1          # how often other increments are tried
MOST_UNDECIDED = 0.1

Quotient = collections.namedtuple("Quotient", "value bend events")  # bend: half the difference of slopes to either side


def call(program, *args):
    done = subprocess.run([program, *args, "--json", "--quiet"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"jounce {' '.join(args)}: {done.stderr}")
    return json.loads(done.stdout)


def speed(program):
    ways = {}
    for tol in ("1e-4", "1e-5", "1e-6"):
        best = max((call(program, "run", "models/sedan/drive.yaml", "--tol", tol) for _ in range(3)),
                   key=lambda r: r["real_time_factor"])
        ways[tol] = best
        print(f"without oil, tolerance {tol}: {best['real_time_factor']:.0f} times real time, {best['steps']} steps, "
              f"{best['evaluations']} evaluations, {len(best['events'])} events; ends at {best['final']['v']:.1e} m/s",
              flush=True)
    return abs(ways["1e-6"]["final"]["v"]) < 1e-3


class Differences:
    """Quotients of one number, by increments."""

    def __init__(self, drive, name, value, first):
        self.drive, self.name, self.value, self.first = drive, name, value, first
        self.pairs, self.quotients = {}, {}
        self.ask(0)
        self.ask(-1)

    def ask(self, power):
        """Runs with 10**power times the first increment."""
        if power not in self.pairs:
            h = self.first * 10.0 ** power
            self.pairs[power] = [(x, self.drive.start(self.name, x)) for x in (self.value - h, self.value + h)]

    def collect(self):
        middle = self.drive.middle.result()
        for power, ((x0, low), (x1, high)) in self.pairs.items():
            low, high = low.result(), high.result()
            same = signature(low) == signature(middle) == signature(high)
            for o in self.drive.case.objectives:
                a, b, c = (r["objectives"][o] for r in (low, middle, high))
                self.quotients[o, power] = Quotient((c - a) / (x1 - x0), abs(c - 2 * b + a) / (x1 - x0), same)

    def size(self, o, value):
        return max(abs(value), 1e-3 * abs(self.drive.middle.result()["objectives"][o] / self.value))

    def best(self, o):
        """The pair of neighbours with the least doubt: (doubt by size, quotient)."""
        powers = sorted(p for name, p in self.quotients if name == o)
        found = []
        for p in powers:
            if p + 1 in powers:
                a, b = self.quotients[o, p], self.quotients[o, p + 1]
                chosen = min(a, b, key=lambda q: q.bend)
                found.append(((abs(a.value - b.value) + chosen.bend) / self.size(o, chosen.value), chosen))
        return min(found, key=lambda f: f[0])

    def extend(self):
        """Larger increments where rounding decides, smaller ones where the motion does; whether there are any."""
        before = len(self.pairs)
        least, most = min(self.pairs), max(self.pairs)
        for o in self.drive.case.objectives:
            if self.best(o)[0] > WANTED:
                rounds = self.quotients[o, least].bend > self.quotients[o, least + 1].bend
                self.ask(most + 1 if rounds else least - 1)
        return len(self.pairs) > before


def signature(run):
    return [(e["name"], e["on"]) for e in run["events"]]


class Drive:
    """Runs of one case, some at a time."""

    def __init__(self, program, case, jobs):
        self.program, self.case = program, case
        self.pool = concurrent.futures.ThreadPoolExecutor(jobs)
        self.middle = self.pool.submit(call, program, "run", case.model, "--tol", case.tol)

    def start(self, name, x):
        return self.pool.submit(call, self.program, "run", self.case.model, "--tol", self.case.tol, "--set",
                                f"{name}={x!r}")

    def derivatives(self, numbers):
        return call(self.program, "sens", self.case.model, "--wrt", ",".join(numbers), "--tol", self.case.tol,
                    "--method", "direct")


def verdict(derivative, stated, quotient, doubt, size):
    off = abs(derivative - quotient.value)
    if doubt > WANTED:
        return "undecided"
    if off <= WANTED * size:
        return "agrees"
    return "as stated" if stated is not None and off <= stated else "OFF"


def judge(exact, name, differences, counts):
    for o in differences.drive.case.objectives:
        derivative, stated = exact[o]["gradient"][name], exact[o]["gradient_error"][name]
        doubt, quotient = differences.best(o)
        size = differences.size(o, quotient.value)
        found = verdict(derivative, stated, quotient, doubt, size)
        counts[o][found] += 1
        off = abs(derivative - quotient.value) / size
        print(f"{o:5s} by {name:20s} {derivative:13.6e} stated {(stated or 0) / size:7.1e}  differences "
              f"{quotient.value:13.6e} doubt {doubt:7.1e}  off by {off:7.1e}  {found}"
              f"{'' if quotient.events else ', events change places'}", flush=True)


def begin(drive, exact, name, value):
    moves = abs(exact["way"]["gradient"][name])
    return Differences(drive, name, value, min(LARGEST * abs(value), MOVED / max(moves, 1e-300)))


def settle(differences):
    differences.collect()
    for _ in range(MORE):
        if not differences.extend():
            return
        differences.collect()


def derivatives(program, case, numbers, jobs):
    drive = Drive(program, case, jobs)
    result = drive.derivatives(numbers)
    exact = result["objectives"]
    print(f"{case.model}, tolerance {case.tol}, derivatives by {len(numbers)} numbers: {result['steps']} steps, "
          f"{result['cpu_s']:.0f} s", flush=True)
    counts = {o: collections.Counter() for o in case.objectives}
    begun = []
    for k, name in enumerate(numbers):
        # the next one is begun before this one is waited for
        for ahead in list(numbers)[len(begun):k + 2]:
            begun.append(begin(drive, exact, ahead, numbers[ahead]))
        settle(begun[k])
        judge(exact, name, begun[k], counts)
    for o in case.objectives:
        print(f"{o:5s}: " + ", ".join(f"{counts[o][v]} {v}" for v in VERDICTS))
    total = sum(counts.values(), collections.Counter())
    print(f"{sum(total.values())} values: " + ", ".join(f"{total[v]} {v}" for v in VERDICTS), flush=True)
    return total["OFF"] == 0 and total["undecided"] <= MOST_UNDECIDED * sum(total.values())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--numbers", type=int, default=len(NUMBERS))
    parser.add_argument("--case", choices=CASES, action="append", help="of the derivatives; all by default")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    numbers = dict(list(NUMBERS.items())[:given.numbers])
    try:
        good = [speed(given.program)]
        for name in (given.case or CASES) if numbers else ():
            good.append(derivatives(given.program, CASES[name], numbers, given.jobs))
    except RuntimeError as error:
        sys.exit(str(error))
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
