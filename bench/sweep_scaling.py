#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Strong scaling of a sweep: the same points by threads, by processes of mpirun and in lanes, taken in turn, the best of
several, as a table for docs/scaling.md. Files of threads and processes must be the same, byte for byte, and those of lanes.

    python3 bench/sweep_scaling.py build/jounce [--points 192] [--rounds 3] [--most 2]

Some two minutes on two idle cores, the first compilation included; 'load' tells whether they were.
"""
import argparse
import json
import os
import resource
import subprocess
import tempfile
import time
from pathlib import Path

MPIRUN = ["mpirun", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none", "-n"]


def read_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--model", default="models/buggy/step_descent.yaml")
    parser.add_argument("--points", type=int, default=192)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--most", type=int, default=2, help="workers or processes")
    return parser.parse_args()


def cases_of(args):
    """Name, command, number of processors, the case that its efficiency is measured against."""
    sweep = [args.program, "sweep", args.model, "--param", "k_f=8000:24000", "--wrt", "k_f,c_f,k_r,c_r,m_c", "--json"]
    counts = range(1, args.most + 1)
    threads = [(f"{n} thread{'s' * (n > 1)}", [*sweep, "--workers", str(n)], n, "1 thread") for n in counts]
    processes = [(f"{n} process{'es' * (n > 1)}", [*MPIRUN, str(n), *sweep, "--workers", "1"], n, "1 thread") for n in counts]
    lanes = [(f"lanes, {n} thread{'s' * (n > 1)}", [*sweep, "--batch", "--workers", str(n)], n, "lanes, 1 thread") for n in counts]
    return threads + processes + lanes


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(command, points, out):
    """Seconds of the points, of the command, of processors; shares of the processes; the file."""
    wall, cpu = time.monotonic(), processor_time()
    done = subprocess.run([*command, "--sample", str(points), "-o", str(out)], capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    found = {"points": told["wall_s"], "all": time.monotonic() - wall, "cpu": processor_time() - cpu,
             "shares": told.get("shares", []), "file": out.read_bytes()}
    out.unlink()
    return found


def measure_all(cases, args):
    best = {}
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.csv"
        for name, command, _, against in cases:
            if name == against:
                measure(command, 8, out)  # what is compiled is there from now on
        for _ in range(args.rounds):
            for name, command, _, _ in cases:
                found = measure(command, args.points, out)
                if name not in best or found["points"] < best[name]["points"]:
                    best[name] = found
    return best


def check_files(cases, best):
    for name, _, _, against in cases:
        assert best[name]["file"] == best[against]["file"], f"files of {name} and of {against} differ"


def print_table(cases, best, args):
    print(f"{args.points} points, best of {args.rounds}; {os.cpu_count()} processors, load {os.getloadavg()[2]:.1f} in the last 15 minutes\n")
    print("| | wall time of the points | efficiency | of the whole command | processor time | points of each rank | idle at the end, of each |")
    print("| --- | ---: | ---: | ---: | ---: | --- | --- |")
    for name, _, n, against in cases:
        b = best[name]
        efficiency = best[against]["points"] / b["points"] / n
        points = ", ".join(str(s["points"]) for s in b["shares"])
        idle = ", ".join(f"{1e3 * s['waited_s']:.0f} ms" for s in b["shares"])
        print(f"| {name} | {b['points']:.2f} s | {efficiency:.2f} | {b['all']:.2f} s | {b['cpu']:.2f} s | {points} | {idle} |")


def main():
    args = read_arguments()
    cases = cases_of(args)
    best = measure_all(cases, args)
    check_files(cases, best)
    print_table(cases, best, args)


if __name__ == "__main__":
    main()
