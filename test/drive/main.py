#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The minute's drive of the sedan: how fast it runs without oil, and its derivatives with oil, on waves (oil.yaml says
why), against differences of runs.

    make drive [NUMBERS=20]

Prints a table and exits with 1 where a derivative is off by more than 1e-3 of its size, or the drive does not stop."""
import argparse
import json
import subprocess
import sys

# 20 numbers of all kinds: chassis, springs, bars, dampers, tyres, road, driver, driveline, brakes
NUMBERS = {"bodies.chassis.mass": 1480, "k_front": 38000, "k_rear": 36000, "K_front": 1800, "K_rear": 400, "grip": 1,
           "current": 0.6, "valve_open": 1.25e-5, "piston_bleed": 6e-7, "gas_pressure": 6e5, "seal_friction": 50,
           "wheel_mass": 23, "cruise": 22, "driver.preview": 0.6, "driver.lag": 0.06, "pedals.kp": 0.8,
           "engine.inertia": 0.25, "final_drive": 3.2, "air.drag_coefficient": 0.3, "rough": 1}
OBJECTIVES = ("shake", "aside", "way")


def call(program, *args):
    done = subprocess.run([program, *args, "--json", "--quiet"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"jounce {' '.join(args)}: {done.stderr}")
    return json.loads(done.stdout)


def speed(program):
    ways = {}
    for tol in ("1e-4", "1e-5", "1e-6"):
        best = max((call(program, "run", "models/sedan/drive.yaml", "--tol", tol) for _ in range(3)),
                   key=lambda r: r["real_time_factor"])
        ways[tol] = best
        print(f"without oil, tolerance {tol}: {best['real_time_factor']:.0f} times real time, {best['steps']} steps, "
              f"{best['evaluations']} evaluations, {len(best['events'])} events; ends at {best['final']['v']:.1e} m/s")
    return abs(ways["1e-6"]["final"]["v"]) < 1e-3


def derivatives(program, count, tol):
    numbers = dict(list(NUMBERS.items())[:count])
    model = "test/drive/oil.yaml"
    exact = call(program, "sens", model, "--wrt", ",".join(numbers), "--tol", tol, "--method", "direct",
                 "--derivative-tol", "3e-4")["objectives"]
    good = True
    for name, value in numbers.items():
        best = {}
        # numbers that hardly matter are lost in the tolerance of runs with a small increment: a larger one is tried, too
        for h in (1e-6 * value, 1e-4 * value):
            low, high = (call(program, "run", model, "--tol", tol, "--set", f"{name}={value + k * h!r}")["objectives"]
                         for k in (-1, 1))
            for o in OBJECTIVES:
                quotient = (high[o] - low[o]) / (2 * h)
                size = max(abs(quotient), 1e-3 * abs(low[o] / value))
                off = abs(exact[o]["gradient"][name] - quotient) / size
                best[o] = min(best.get(o, (off, quotient)), (off, quotient))
            if max(off for off, _ in best.values()) < 1e-4:
                break
        for o, (off, quotient) in best.items():
            good = good and off < 1e-3
            print(f"{o:6s} by {name:22s} {exact[o]['gradient'][name]:14.6e}  differences {quotient:14.6e}  "
                  f"off by {off:.1e}", flush=True)
    return good


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--numbers", type=int, default=len(NUMBERS))
    parser.add_argument("--tol", default="1e-7")
    given = parser.parse_args()
    stands = speed(given.program)
    good = derivatives(given.program, given.numbers, given.tol) if given.numbers else True
    sys.exit(0 if stands and good else 1)


if __name__ == "__main__":
    main()
