#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hostile input against the program: mutants, settings, texts, faults of the system, signals.

    main.py build/jounce --seed 1 --count 2000 --jobs 2          a campaign over all families
    main.py build/jounce --family mutants --count 50000          ... of one
    main.py build/jounce --family mutants --seed 4711 --keep DIR one attack again, its files in DIR
    main.py build/jounce --cases                                 faults that were found once
    main.py build/jounce --quick                                 the bounded part of `make check`

Everything but the moments of signals follows from the seed. Exit status 1 when a fault is found that
known.py does not list.
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
from collections import Counter

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "random"))

import cases  # noqa: E402
import mutants  # noqa: E402
import signals  # noqa: E402
import surface  # noqa: E402
import surroundings  # noqa: E402
from attempt import Attempt, Limits, adopt_orphans  # noqa: E402
from effort import calibrate  # noqa: E402
from judge import Fault, Judge  # noqa: E402
from known import KNOWN, Known, is_of  # noqa: E402
from report import Report, Result  # noqa: E402

# family → attack and its share of a campaign
FAMILIES = {
    "mutants": (mutants.mutant, 50), "settings": (mutants.setting, 20), "texts": (mutants.injection, 10),
    "events": (mutants.reconstruction, 4), "memory": (surroundings.memory, 10), "disk": (surroundings.disk, 3),
    "descriptors": (surroundings.descriptors, 3), "journal": (surroundings.journal_descriptor, 1),
    "system": (surroundings.system, 2), "compilers": (surroundings.compilers, 1), "hanging": (surroundings.hanging, 1),
    "folders": (surroundings.folders, 1), "signals": (signals.signals, 4), "surface": (surface.surface, 20),
}
# of the bounded part: seeds and how many
QUICK = {"mutants": 80, "settings": 50, "texts": 40, "events": 10, "memory": 60, "disk": 10, "descriptors": 10,
         "system": 8, "compilers": 3, "folders": 4, "signals": 10, "surface": 60}
QUICK_CALLS = 100
Task = tuple[str, str, int, str, int, float]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="the jounce to attack")
    parser.add_argument("--seed", type=int, default=1, help="of the first attack")
    parser.add_argument("--count", type=int, default=1, help="attacks, with seeds one after the other")
    parser.add_argument("--family", choices=FAMILIES, help="of attacks; all by their shares unless given")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--calls", type=int, default=250, help="CPU time a call may take, in calls of a reference")
    parser.add_argument("--keep", default="build/attack", help="folder for the files of attacks that find a fault")
    parser.add_argument("--cases", action="store_true", help="known faults, one by one")
    parser.add_argument("--quick", action="store_true", help="the bounded part: cases and some of every family")
    parser.add_argument("--strict", action="store_true", help="known faults count, too")
    return parser.parse_args()


def _prepare_worker() -> None:
    """Ctrl-C ends the campaign with a summary; the workers go with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    adopt_orphans()


class _Counting(Attempt):
    """With a count of how calls ended, for the summary."""
    codes: Counter
    cpu_s: float

    def call(self, *args, **options):
        done = super().call(*args, **options)
        self.codes[done.code if done.code is not None else -done.signal] += 1
        self.cpu_s += done.cpu_s
        return done


def _attack(task: Task) -> Result:
    """One attack in a folder of its own, kept where it finds a fault."""
    family, program, seed, keep, calls, reference_s = task
    with tempfile.TemporaryDirectory(prefix="jounce_attack_") as folder:
        attempt = _Counting(program, folder, Limits(calls=calls), reference_s)
        attempt.codes, attempt.cpu_s = Counter(), 0.0
        judge = Judge(attempt)
        try:
            if family.startswith("case"):
                cases.run(cases.CASES[seed], attempt, judge)
            else:
                FAMILIES[family][0](seed, attempt, judge)
        except Exception:  # one attack must not end a campaign
            judge.fault("the checker itself", traceback.format_exc()[-290:])
        if judge.faults:
            _keep(judge.faults, folder, os.path.join(keep, f"{family.replace(' ', '_')}_{seed}"))
    return Result(family, seed, attempt.note, judge.faults, attempt.calls, attempt.codes, attempt.cpu_s)


def _keep(faults: list[Fault], folder: str, to: str) -> None:
    shutil.rmtree(to, ignore_errors=True)
    try:
        shutil.copytree(folder, to, symlinks=True, ignore=shutil.ignore_patterns("tmp", "home", "other*"))
    except (OSError, shutil.Error):
        pass  # names that cannot be copied; the seed makes them again
    for fault in faults:
        fault.command = f"cd {to} && {fault.command}" if fault.command else ""


def _mix(o: argparse.Namespace) -> list[Task]:
    """Families by their shares, evenly mixed; within a family seeds follow each other."""
    if o.family:
        return [(o.family, o.program, seed, o.keep, o.calls, o.reference_s) for seed in range(o.seed, o.seed + o.count)]
    if o.quick:
        return [(family, o.program, seed, o.keep, o.calls, o.reference_s) for family, n in QUICK.items()
                for seed in range(o.seed, o.seed + n)]
    total = sum(share for _, share in FAMILIES.values())
    return [(family, o.program, seed, o.keep, o.calls, o.reference_s) for family, (_, share) in FAMILIES.items()
            for seed in range(o.seed, o.seed + max(1, round(o.count*share/total)))]


def _case_tasks(o: argparse.Namespace) -> list[Task]:
    """All of them where that is asked for, else those that tell whether known faults are still there."""
    wanted = {row.item for row in KNOWN} if o.count > 1 and not o.family else set()
    return [(f"case of item {case.item}", o.program, i, o.keep, o.calls, o.reference_s) for i, case in enumerate(cases.CASES)
            if o.cases or not case.slow and (o.quick or case.item in wanted)]


def _tell(result: Result, faults: list[Fault], program: str) -> None:
    for fault in faults:
        print(f"{result.family} {result.seed}: {fault.kind}: {fault.what}\n    {result.note}\n    {fault.command}",
              flush=True)
    if faults and not result.family.startswith("case"):
        print(f"    again: python3 test/attack/main.py {program} --family {result.family} --seed {result.seed}", flush=True)


def _still_known(found: list[Result], o: argparse.Namespace) -> list[Known]:
    """Rows of which a case still fails, or that have none; the others are told and excuse nothing."""
    if o.strict:
        return []
    items = {case.item for case in cases.CASES}
    # what another item excuses says nothing of this one
    failing = {r.family for r in found for f in r.faults if not any(
        is_of(row, f"{r.note}\n{f.what}\n{f.command}", f) for row in KNOWN if r.family != f"case of item {row.item}")}
    stale = [row for row in KNOWN if found and row.item in items and f"case of item {row.item}" not in failing]
    for row in stale:
        print(f"MENDED: all cases of item {row.item} pass; remove its row '{row.kind}' from test/attack/known.py")
    return [row for row in KNOWN if row not in stale]


def main() -> int:
    o = _options()
    o.calls = min(o.calls, QUICK_CALLS) if o.quick else o.calls
    o.reference_s = calibrate(o.program)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    report = Report([])
    with multiprocessing.Pool(o.jobs, _prepare_worker) as pool:
        try:
            first = list(pool.imap(_attack, _case_tasks(o)))
            report.known = _still_known(first, o)
            for result in first:
                _tell(result, report.add(result), o.program)
            for result in pool.imap(_attack, [] if o.cases else _mix(o), chunksize=4 if o.count > 100 else 1):
                _tell(result, report.add(result), o.program)
                if o.count == 1 and o.family:
                    print(result.note, dict(result.codes))
        except KeyboardInterrupt:
            for number in (signal.SIGINT, signal.SIGTERM):  # one is enough
                signal.signal(number, signal.SIG_IGN)
            print("interrupted; up to here:", flush=True)
    print(f"a reference call takes {o.reference_s:.2f} s of CPU time; calls may take {o.calls} times that")
    print(report.summary())
    return 1 if report.failed() else 0


if __name__ == "__main__":
    sys.exit(main())
