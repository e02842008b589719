#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random models against properties, through the command line of the program.

    main.py build/jounce --seed 1 --count 5000 --jobs 2       a campaign on the first families
    main.py build/jounce --families all --count 5000 --jobs 16 --journal DIR/journal
                                                              a campaign on all families, evenly; the same
                                                              command again goes on where it was stopped
    main.py build/jounce --families lifting,bouncing --seed 100 --count 50
                                                              the 100th model of these families and on
    main.py build/jounce --seed 4711 --keep DIR               one model again, its files in DIR
    main.py build/jounce --cases                              the table of known faults
    main.py build/jounce --once-broken                        models that found a fault once

Everything follows from the seed; seeds.py says which seeds belong to which family. Exit status 1 when
a property is broken (of error estimates of derivatives one in a thousand may be).
"""
from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import threading
import traceback

import cases
import laws
from effort import calibrate
from program import Program
from seeds import EARLIER, FAMILIES, ONCE_BROKEN, family_of, seeds_of
from tally import Result, Tally

# What each of them found: errors that cancel in the estimate (908, 60222, 60408), starts on the brink of a switch
# (62, 565), weights that overflow (586, 727), repeats for the sake of growth that is real (191, 662) or of
# rounding (410, 802, 821), loops that pass a singular position (670, 1081, 1627, 1680, 1762, 1919: by other
# coordinates or equations now; 1393 locks; 1440018: slopes were taken too near to one), derivatives that follow
# from the end of the motion alone (1905, 3094), axes a millionth off (3396).
def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="the jounce to test")
    parser.add_argument("--seed", type=int, default=1, help="of the first model; with --families counted from the first of each")
    parser.add_argument("--count", type=int, default=1, help="models, with seeds one after the other")
    parser.add_argument("--families", help=f"by name, with commas between, or all: {', '.join((EARLIER, *FAMILIES))}")
    parser.add_argument("--journal", help="file of results, a line a model: what is in it is not computed again")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", default="build/random", help="folder for models that break a property")
    parser.add_argument("--cases", action="store_true", help="known faults instead of random models")
    parser.add_argument("--once-broken", action="store_true", help="seeds that broke a property once")
    return parser.parse_args()


def _ignore_interrupts() -> None:
    """Ctrl-C ends the campaign with a summary; the workers go with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _check(task: tuple[str, int, str, bool]) -> Result:
    """One model in a folder of its own, kept where it breaks a property or is asked for."""
    path, seed, keep, always = task
    with tempfile.TemporaryDirectory(prefix="jounce_random_") as folder:
        try:
            result = laws.check(seed, Program(path, folder))
        except Exception:  # one model must not end a campaign
            result = Result(seed, family_of(seed))
            result.law("the checker itself", False, traceback.format_exc())
        if result.broken or always:
            os.makedirs(keep, exist_ok=True)
            for name in os.listdir(folder):
                if name.endswith(".yaml"):
                    shutil.copy(os.path.join(folder, name), keep)
            for broken in result.broken:
                broken.command = broken.command.replace(folder, keep)
    return result


def _seeds(o: argparse.Namespace) -> list[int]:
    """Seeds of the models wanted; families by turns, so that a campaign that is stopped has seen all."""
    if o.once_broken:
        return list(ONCE_BROKEN)
    if not o.families:
        return list(range(o.seed, o.seed + o.count))
    names = (EARLIER, *FAMILIES) if o.families == "all" else tuple(o.families.split(","))
    unknown = [name for name in names if name not in (EARLIER, *FAMILIES)]
    if unknown:
        sys.exit(f"no family '{unknown[0]}'; there are {', '.join((EARLIER, *FAMILIES))}")
    each = -(-o.count//len(names))
    return [s for turn in zip(*(seeds_of(name, o.seed, each) for name in names)) for s in turn][:o.count]


def _resume(path: str | None, tally: Tally, wanted: set[int]) -> set[int]:
    """Seeds whose results the journal has; a line that was cut off counts as none."""
    done = set()
    if path and os.path.exists(path):
        with open(path, encoding="utf-8") as f:
            for line in f:
                if line.endswith("\n") and json.loads(line)["seed"] in wanted - done:
                    tally.add(Result.read(line))
                    done.add(tally.results[-1].seed)
    return done


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
    single = o.count == 1 and not o.once_broken and not o.journal
    seeds = _seeds(o)
    tally = Tally()
    done = _resume(o.journal, tally, set(seeds))
    tasks = [(o.program, seed, o.keep, single) for seed in seeds if seed not in done]
    interrupted = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):  # an exception could leave the pool's locks in a wrong state
        signal.signal(number, lambda *_: interrupted.set())
    calibrate(os.path.abspath(o.program))  # once, for all workers
    with (multiprocessing.Pool(o.jobs, _ignore_interrupts) as pool,
          open(o.journal or os.devnull, "a", encoding="utf-8") as journal):
        for result in pool.imap_unordered(_check, tasks) if o.journal else pool.imap(_check, tasks):
            _tell(result, o.program, o.keep)
            tally.add(result)
            journal.write(result.written() + "\n")
            journal.flush()
            if interrupted.is_set():
                print("interrupted; up to here:", flush=True)
                break
    if single and tally.results:
        _tell_all(tally.results[0])
    print(tally.summary())
    for wrong in tally.verdict():
        print(f"WRONG: {wrong}")
    return 1 if tally.verdict() else 0


if __name__ == "__main__":
    sys.exit(main())
