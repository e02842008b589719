#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random models against laws, through the command line of the program.

    main.py build/jounce --seed 1 --count 5000 --jobs 2       a campaign
    main.py build/jounce --seed 4711 --keep DIR               one model again, its files in DIR
    main.py build/jounce --cases                              the table of known faults
    main.py build/jounce --once-broken                        models that found a fault once

Everything follows from the seed. Exit status 1 when a law is broken (of stated errors of
derivatives one in a thousand may be).
"""
from __future__ import annotations

import argparse
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import traceback

import cases
import laws
from program import Program
from seeds import ONCE_BROKEN
from tally import Result, Tally

# What each of them found: errors that cancel in the estimate (908, 60222, 60408), starts on the brink of a switch
# (62, 565), weights that overflow (586, 727), repeats for the sake of growth that is real (191, 662) or of
# rounding (410, 802, 821), loops that pass a singular position (670, 1081, 1627, 1680, 1762, 1919: by other
# coordinates or equations now; 1393 locks), derivatives that follow
# from the end of the motion alone (1905, 3094), axes a millionth off (3396).
def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="the jounce to test")
    parser.add_argument("--seed", type=int, default=1, help="of the first model")
    parser.add_argument("--count", type=int, default=1, help="models, with seeds one after the other")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", default="build/random", help="folder for models that break a law")
    parser.add_argument("--cases", action="store_true", help="known faults instead of random models")
    parser.add_argument("--once-broken", action="store_true", help="seeds that broke a law once")
    return parser.parse_args()


def _ignore_interrupts() -> None:
    """Ctrl-C ends the campaign with a summary; the workers go with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _check(task: tuple[str, int, str, bool]) -> Result:
    """One model in a folder of its own, kept where it breaks a law or is asked for."""
    path, seed, keep, always = task
    with tempfile.TemporaryDirectory(prefix="jounce_random_") as folder:
        try:
            result = laws.check(seed, Program(path, folder))
        except Exception:  # one model must not end a campaign
            result = Result(seed)
            result.law("the checker itself", False, traceback.format_exc())
        if result.broken or always:
            os.makedirs(keep, exist_ok=True)
            for name in os.listdir(folder):
                if name.endswith(".yaml"):
                    shutil.copy(os.path.join(folder, name), keep)
            for broken in result.broken:
                broken.command = broken.command.replace(folder, keep)
    return result


def _tell(result: Result, program: str, keep: str) -> None:
    for broken in result.broken:
        print(f"seed {result.seed}: {broken.law}: {broken.what}\n    {broken.command}")
    if result.broken:
        print(f"    again: python3 test/random/main.py {program} --seed {result.seed} --keep {keep}",
              flush=True)


def _tell_all(result: Result) -> None:
    for d in result.derivatives:
        print(f"{d.what}: |derivative| {d.size:.6g}, off by {d.error:.2g}, stated {d.stated:.2g}, "
              f"reference known to {d.doubt:.1g}")


def main() -> int:
    o = _options()
    if o.cases:
        return cases.run(o.program)
    single = o.count == 1 and not o.once_broken
    seeds = ONCE_BROKEN if o.once_broken else range(o.seed, o.seed + o.count)
    tasks = [(o.program, seed, o.keep, single) for seed in seeds]
    tally = Tally()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    with multiprocessing.Pool(o.jobs, _ignore_interrupts) as pool:
        try:
            for result in pool.imap(_check, tasks):
                _tell(result, o.program, o.keep)
                tally.add(result)
        except KeyboardInterrupt:
            for number in (signal.SIGINT, signal.SIGTERM):  # one is enough
                signal.signal(number, signal.SIG_IGN)
            print("interrupted; up to here:", flush=True)
    if single and tally.results:
        _tell_all(tally.results[0])
    print(tally.summary())
    for wrong in tally.verdict():
        print(f"WRONG: {wrong}")
    return 1 if tally.verdict() else 0


if __name__ == "__main__":
    sys.exit(main())
