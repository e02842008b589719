# SPDX-License-Identifier: Apache-2.0
"""Families of attacks by what the program finds around it: memory that ends, disks that are full,
descriptors that are closed, limits of the system, compilers and temporary folders that misbehave."""
from __future__ import annotations

import functools
import os
import resource
import signal
import subprocess
import tempfile

import starts
from attempt import Attempt, Limits, Outcome
from draw import Draw
from judge import Judge, is_whole, messages

PENDULUM = """jounce: 1
name: pendulum
parameters: {l: 1, k: 3}
bodies:
  bob: {mass: 2, com: [0, 0, -l]}
joints:
  swing: {type: revolute, child: bob, axis: y}
forces:
  stop: {on: swing, stiffness: k, bump_stop: {at: -0.2, stiffness: 400, exponent: 5}}
initial:
  swing: {value: 0.5, rate: 0}
sensors:
  angle: {value: swing, unit: rad}
objectives:
  psi: {integral: swing^2}
simulation: {end: 1}
"""
WORK = {
    "run": ["run", "-o", "out.csv"], "hdf5": ["run", "-o", "out.h5"], "sens": ["sens", "-o", "out.csv"],
    "sweep": ["sweep", "--param", "k=1:5:6", "--workers", "2", "-o", "out.csv"], "report": ["report", "-o", "out.html"],
    "loads": ["loads", "-o", "out.csv"], "static": ["static", "--wrt", "l"], "modes": ["modes", "--wrt", "l"],
    "check": ["check"], "info": ["info"], "generate": ["generate", "-o", "out_c"],
}


def arguments(work: str, *more: str, compiled: bool = False) -> list[str]:
    command, *options = WORK[work]
    return [command, "model.yaml", *options, *more, "--json"] + ([] if compiled else ["--interpreter"])


@functools.cache
def allocator(sanitized: bool) -> str | None:
    """The failing allocator; none under sanitizers, which have their own."""
    if sanitized:
        return None
    return _preloaded("failing_malloc")


@functools.cache
def _preloaded(name: str) -> str:
    """A library of test/support that stands in for the system, built once per process."""
    path = os.path.join(tempfile.gettempdir(), f"jounce_attack_{name}_{os.getpid()}.so")
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", f"{name}.c")
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", path, source, "-ldl"], check=True)
    return path


_counts: dict[tuple[str, bool, bool], int] = {}


def memory(seed: int, attempt: Attempt, judge: Judge) -> None:
    """The n-th allocation fails, alone or with all that follow: said to be that, exit 1. In a quarter of
    the attacks those of libraries fail, too; not all of them live through that."""
    library = allocator(attempt.sanitized)
    if not library:
        return
    draw = Draw(seed)
    work, compiled, libraries = draw.one(WORK), draw.chance(0.1), draw.chance(0.25)
    attempt.save("model.yaml", PENDULUM)
    args = arguments(work, compiled=compiled)
    environment = {"LD_PRELOAD": library, "FAIL_COUNT": os.path.join(attempt.folder, ".std_count")}
    if libraries:
        environment["FAIL_LIBRARIES"] = "1"
    what = (work, compiled, libraries)
    if what not in _counts:
        attempt.call(*args, environment=environment)
        with open(environment["FAIL_COUNT"], encoding="ascii") as f:
            _counts[what] = int(f.read())
    at = draw.count(0, _counts[what] - 1)
    environment["FAIL_AT"] = str(at)
    if draw.chance(0.5):
        environment["FAIL_ON"] = "1"
    attempt.note = f"{work}: allocation {at} of {_counts[what]} fails" + (
        ", and all after it" if "FAIL_ON" in environment else "") + (", of libraries, too" if libraries else "")
    done = attempt.call(*args, environment=environment)
    if libraries and done.signal or not judge.ending(done):
        return
    if not libraries:  # without memory a folder cannot even be listed
        judge.leftovers(done)
    judge.results(done)
    told = messages(done)
    if done.code and not told:
        judge.fault("nothing said", f"exit {done.code}", done)
    elif done.code and not any("memory" in line for line in told):
        judge.fault("another cause", told[0], done)


def starving(seed: int, attempt: Attempt, judge: Judge) -> None:
    """Every one of the first allocations of a command fails: memory is named each time."""
    library = allocator(attempt.sanitized)
    work = list(WORK)[seed % len(WORK)]
    attempt.save("model.yaml", PENDULUM)
    for at in range(12) if library else ():
        attempt.note = f"{work}: allocation {at} fails, and all after it"
        done = attempt.call(*arguments(work), environment={
            "LD_PRELOAD": library, "FAIL_AT": str(at), "FAIL_ON": "1"})
        if judge.ending(done) and not any("memory" in line for line in messages(done)):
            judge.fault("another cause", f"exit {done.code}: {done.told()!r}", done)
            return


def _small_files(draw: Draw) -> tuple[str, Limits]:
    size = draw.one((0, 1, 100, 1000, 4096, 20000))
    return f"files of at most {size} bytes", Limits(more={resource.RLIMIT_FSIZE: size})


def _signal_large_files() -> None:
    """A signal with the write that fails, as programs of a shell get it; Python ignores it, and so would its children."""
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)


def disk(seed: int, attempt: Attempt, judge: Judge) -> None:
    """No room for results: said, exit 1, what was there stays as it was."""
    draw = Draw(seed)
    work = draw.one(("run", "hdf5", "sens", "sweep", "report", "loads", "generate"))
    attempt.save("model.yaml", PENDULUM)
    args = arguments(work)
    old = b"old\n"
    target = args[args.index("-o") + 1]
    kept = draw.chance(0.5) and work != "generate"
    if kept:
        attempt.save(target, old)
    if draw.chance(0.3):
        attempt.note = f"{work} with a full standard output"
        done = attempt.call(*args, stdout="/dev/full")
        if judge.ending(done) and done.code == 0:
            judge.fault("exit 0, output lost", "standard output is full", done)
        return
    name, limits = _small_files(draw)
    compiled = draw.chance(0.3)
    args = arguments(work, compiled=compiled)
    attempt.note = f"{work}, {name}" + (", compiled" if compiled else "")
    limits.calls = attempt.limits.calls
    done = attempt.call(*args, limits=limits, prepare=_signal_large_files)
    path = os.path.join(attempt.folder, target)
    if not judge.ending(done):
        return
    judge.leftovers(done)
    # standard output is a file, too: the results may be whole and the answer not
    if done.code and os.path.isfile(path) and not kept and not is_whole(path):
        judge.fault("half a file", f"{target} after a failure, {os.path.getsize(path)} bytes", done)
    if done.code and kept:
        with open(path, "rb") as f:
            if f.read() != old and not is_whole(path):
                judge.fault("half a file", f"{target} was there and is another", done)


def descriptors(seed: int, attempt: Attempt, judge: Judge) -> None:
    """Standard descriptors closed: results are what they are, and no file gets a message."""
    draw = Draw(seed)
    work = draw.one(("run", "sweep", "report", "loads", "check", "hdf5"))
    closed = draw.some((0, 1, 2), draw.count(1, 3))
    attempt.save("model.yaml", PENDULUM)
    more = ["--set", "l=-1e999"] if draw.chance(0.2) else []
    args = arguments(work, *more)
    target = args[args.index("-o") + 1] if "-o" in args else ""
    attempt.note = f"{work} without descriptors {closed}"

    def close() -> None:
        for number in closed:
            os.close(number)
    done = attempt.call(*args, prepare=close)
    if not judge.ending(done):
        return
    judge.leftovers(done)
    if 1 in closed and done.code == 0:
        return  # nobody wanted to know
    path = os.path.join(attempt.folder, target) if target else ""
    if done.code == 0 and path and not os.path.exists(path):
        judge.fault("exit 0, output lost", target, done)
    judge.results(done)


def journal_descriptor(seed: int, attempt: Attempt, judge: Judge) -> None:
    """A sweep that has something to say while descriptor 2 is closed, killed, and resumed: nothing is lost."""
    draw = Draw(seed)
    with open(os.path.join(starts.ROOT, "test/models/sens_ambiguous.yaml"), encoding="utf-8") as f:
        attempt.save("model.yaml", f.read())
    args = ["sweep", "model.yaml", "--param", "reach=0.6:0.62:60", "--workers", "1", "--wrt", "none", "--interpreter",
            "--json"]
    attempt.note = "sweep without descriptor 2"
    attempt.call(*args, "-o", "whole.csv")
    journal = os.path.join(attempt.folder, "out.csv.journal")

    def has_points(least: int = draw.count(1000, 1500)) -> bool:
        return os.path.exists(journal) and os.path.getsize(journal) > least
    attempt.call(*args, "-o", "out.csv", prepare=lambda: os.close(2), kill=(has_points, 9))
    size = os.path.getsize(journal) if os.path.exists(journal) else 0
    again = attempt.call(*args, "-o", "out.csv")
    data = judge.property(again)
    if data is None:
        return
    same_bytes(judge, again, attempt, "whole.csv", "out.csv")
    if size > 1000 and data["resumed"] == 0:
        judge.fault("results lost", f"a journal of {size} bytes, and nothing resumed", again)


def same_bytes(judge: Judge, done: Outcome, attempt: Attempt, *names: str) -> None:
    contents = []
    for name in names:
        path = os.path.join(attempt.folder, name)
        if not os.path.exists(path):
            judge.fault("results lost", f"{name} is missing: {done.told()[-150:]}", done)
            return
        with open(path, "rb") as f:
            contents.append(f.read())
    if len(set(contents)) != 1:
        judge.fault("other results", " and ".join(names) + " differ", done)


SYSTEM = {
    "stack of 256 kB": {resource.RLIMIT_STACK: 256 << 10},
    "4 open files": {resource.RLIMIT_NOFILE: 4},
    "8 open files": {resource.RLIMIT_NOFILE: 8},
    "64 MB of addresses": {resource.RLIMIT_AS: 64 << 20},
    "24 MB of addresses": {resource.RLIMIT_AS: 24 << 20},
    "no new processes": {resource.RLIMIT_NPROC: 0},
    "one second": {resource.RLIMIT_CPU: 1},
}


def system(seed: int, attempt: Attempt, judge: Judge) -> None:
    """Little stack, few files, few addresses: a result or a reason, never a crash."""
    draw = Draw(seed)
    work, name = draw.one(WORK), draw.one(SYSTEM)
    if attempt.sanitized and "addresses" in name or "stack" in name and attempt.sanitized:
        return
    attempt.save("model.yaml", PENDULUM)
    attempt.note = f"{work}, {name}"
    limits = Limits(more=SYSTEM[name])
    done = attempt.call(*arguments(work, compiled=draw.chance(0.3)), limits=limits)
    if done.code == 127 or b"error while loading shared libraries" in done.stderr:
        return  # the system could not even start it
    if done.signal == signal.SIGXCPU and name == "one second":
        return judge.results(done)  # slow machines end it
    judge.property(done)
    judge.results(done)


COMPILERS = {
    "missing": None, "fails": "exit 1", "says much": "seq 100000 >&2; exit 1",
    "garbage": 'while [ $# -gt 0 ]; do [ "$1" = -o ] && head -c 5000 /dev/urandom > "$2"; shift; done; exit 0',
    "empty": 'while [ $# -gt 0 ]; do [ "$1" = -o ] && : > "$2"; shift; done; exit 0',
    "nothing": "exit 0", "crashes": "kill -SEGV $$", "kills itself": "kill -KILL $$",
    "other library": 'cc -shared -o /dev/null -x c /dev/null; while [ $# -gt 0 ]; do [ "$1" = -o ] && '
                     'echo "int x;" | cc -shared -fPIC -x c - -o "$2"; shift; done; exit 0',
    "is a folder": "FOLDER", "not executable": "MODE",
}


def by_compiler(attempt: Attempt) -> None:
    """Equations are compiled where there is no machine code for the processor: the level below SSE4.2."""
    attempt.environment["JOUNCE_CPU"] = "x86-64"


def compilers(seed: int, attempt: Attempt, judge: Judge) -> None:
    """A compiler that is missing, fails, or writes nonsense: the interpreter, or a reason."""
    by_compiler(attempt)
    draw = Draw(seed)
    name = draw.one(COMPILERS)
    attempt.save("model.yaml", PENDULUM)
    path = os.path.join(attempt.folder, "cc_attack")
    script = COMPILERS[name]
    if script == "FOLDER":
        os.mkdir(path)
    elif script:
        attempt.save("cc_attack", f"#!/bin/sh\n{script}\n")
        os.chmod(path, 0o644 if script == "MODE" else 0o755)
    attempt.note = f"a compiler that {name}"
    reference = attempt.call("run", "model.yaml", "--json", "--interpreter")
    done = attempt.call("run", "model.yaml", "--json", environment={"JOUNCE_CC": path})
    data = judge.property(done)
    known = judge.json(reference)
    if data and known and not _agree(data["objectives"], known["objectives"]):
        judge.fault("other results", f"{data['objectives']} instead of {known['objectives']}", done)


def _agree(a: dict, b: dict) -> bool:
    return all(abs(a[k] - b[k]) <= 1e-6*abs(b[k]) + 1e-12 for k in b)


def hanging(seed: int, attempt: Attempt, judge: Judge) -> None:
    """A compiler that hangs, while the program is ended: no process and no folder is left."""
    by_compiler(attempt)
    draw = Draw(seed)
    attempt.save("model.yaml", PENDULUM)
    path = attempt.save("cc_attack", "#!/bin/sh\n: > started\nexec sleep 1000\n")
    os.chmod(path, 0o755)
    number = draw.one((1, 2, 9, 15))
    attempt.note = f"a compiler that hangs, then signal {number}"
    done = attempt.call("run", "model.yaml", "--json", environment={"JOUNCE_CC": path}, kill=(lambda: os.path.exists(os.path.join(attempt.folder, "started")), number))
    if judge.ending(done):
        judge.leftovers(done)


FOLDERS = ["read-only", "missing", "a file", "a link", "open to all", "full of others", "relative"]


def _prepare_folder(name: str, attempt: Attempt) -> str:
    """What $TMPDIR is."""
    folder = os.path.join(attempt.folder, "work")
    if name == "a file":
        return attempt.save("a_file", b"x")
    if name == "missing":
        return folder
    os.mkdir(folder, 0o700)
    if name == "a link":
        os.symlink(folder, folder + "_link")
        return folder + "_link"
    if name in ("read-only", "open to all"):
        os.chmod(folder, 0o500 if name == "read-only" else 0o777)
    if name == "full of others":
        for i in range(2000):
            attempt.save(f"work/jounce-work-{i}", b"x")
    return "work" if name == "relative" else folder


def folders(seed: int, attempt: Attempt, judge: Judge) -> None:
    """A folder of temporary files that cannot be written, or holds what it should not: compiled or interpreted, with the same results."""
    by_compiler(attempt)
    name = Draw(seed).one(FOLDERS)
    attempt.save("model.yaml", PENDULUM)
    attempt.note = f"temporary folder: {name}"
    known = judge.json(attempt.call("run", "model.yaml", "--json"))
    folder = _prepare_folder(name, attempt)
    before = os.listdir(folder) if os.path.isdir(folder) else []
    done = attempt.call("run", "model.yaml", "--json", environment={"TMPDIR": folder})
    data = judge.property(done)
    if done.code:
        judge.fault("no fallback", f"{name}: {done.told()[-200:]}", done)
    if data and known and not _agree(data["objectives"], known["objectives"]):
        judge.fault("other results", f"{data['objectives']} instead of {known['objectives']}", done)
    if os.path.isdir(folder):
        os.chmod(folder, 0o700)
        if sorted(os.listdir(folder)) != sorted(before):
            judge.fault("left behind", f"{name}: {sorted(set(os.listdir(folder)) ^ set(before))[:5]}", done)


def full_disk(seed: int, attempt: Attempt, judge: Judge) -> None:
    """A full disk of temporary files: interpreted, with a note."""
    by_compiler(attempt)
    if attempt.sanitized:
        return
    attempt.save("model.yaml", PENDULUM)
    known = judge.json(attempt.call("run", "model.yaml", "--json", "--interpreter"))
    attempt.note = "no room for temporary files"
    done = attempt.call("run", "model.yaml", "--json", environment={
        "LD_PRELOAD": _preloaded("full_disk"), "FULL_DISK": attempt.folder})
    data = judge.property(done)
    if done.code or "interpreted" not in done.told():
        judge.fault("no fallback", f"exit {done.code}: {done.told()[-200:]!r}", done)
    if data and known and data["objectives"] != known["objectives"]:
        judge.fault("other results", f"{data['objectives']} instead of {known['objectives']}", done)
