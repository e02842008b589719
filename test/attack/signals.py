# SPDX-License-Identifier: Apache-2.0
"""The family of signals: a program ended at a random moment loses nothing and leaves nothing by half."""
from __future__ import annotations

import os
import shutil
import signal

from attempt import Attempt
from draw import Draw
from judge import Judge, is_whole
from surroundings import PENDULUM, arguments, same_bytes

ENDINGS = [signal.SIGINT, signal.SIGTERM, signal.SIGKILL, signal.SIGHUP]
LONG = PENDULUM.replace("end: 1", "end: 20")
OLD = b"old\n"


def signals(seed: int, attempt: Attempt, judge: Judge) -> None:
    """run, sweep, loads and report: the file is the old one or whole; a sweep goes on to the same bytes."""
    draw = Draw(seed)
    work = draw.weighted({"run": 2, "hdf5": 1, "sweep": 4, "loads": 2, "report": 2})
    number = draw.one(ENDINGS)
    attempt.save("model.yaml", LONG if work != "sweep" else PENDULUM)
    more = ["--param", "l=1:2:5"] if work == "sweep" else []
    args = arguments(work, *more)
    target = args[args.index("-o") + 1]
    path = os.path.join(attempt.folder, target)
    whole = attempt.call(*args)
    if not judge.property(whole):
        return
    shutil.copy(path, os.path.join(attempt.folder, "reference"))
    kept = draw.chance(0.5)
    attempt.save(target, OLD) if kept else os.remove(path)
    if kept and work == "sweep":
        kept = False
        os.remove(path)
    after = draw.uniform(0.001, 1.05*whole.wall_s)
    attempt.note = f"{work}: signal {number} after {after:.4f} of {whole.wall_s:.4f} s"
    done = attempt.call(*args, kill=(after, number))
    if not judge.ending(done):
        return
    if number != signal.SIGKILL:
        judge.leftovers(done)
    _check_file(judge, done, attempt, path, kept)
    again = attempt.call(*args)  # after any ending the same command gives the same bytes
    if judge.property(again):
        same_bytes(judge, again, attempt, "reference", target)
        if os.path.exists(path + ".journal"):
            judge.fault("left behind", f"{target}.journal after a whole sweep", again)


def _check_file(judge: Judge, done, attempt: Attempt, path: str, kept: bool) -> None:
    """Old, absent, or whole; what an interrupted run wrote is a whole file, too."""
    name = os.path.basename(path)
    if not os.path.exists(path):
        if kept:
            judge.fault("results lost", f"{name} was there before", done)
        return
    with open(path, "rb") as f:
        data = f.read()
    if not (kept and data == OLD) and not is_whole(path):
        judge.fault("half a file", f"{name}, {len(data)} bytes", done)
