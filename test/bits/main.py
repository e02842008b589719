#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The same bits whatever computes them: runs and derivatives of the buggy's manoeuvres, interpreted, as machine code and compiled by
gcc and clang for several processors, compared byte by byte; derivatives go through lanes of several widths.
main.py JOUNCE [--long]: the second with all combinations (make bits).
main.py JOUNCE --like OTHER: JOUNCE, interpreted and as machine code, against the program of another processor."""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

JOUNCE = os.path.abspath(sys.argv[1])
LONG = "--long" in sys.argv
LIKE = os.path.abspath(sys.argv[sys.argv.index("--like") + 1]) if "--like" in sys.argv else None
MODELS = Path(__file__).resolve().parent.parent.parent / "models"
NAMES = ["k_f", "c_f", "k_r", "c_r", "m_c"]

# levels of JOUNCE_CPU; those that this processor does not have are rejected and left out
LEVELS = ["x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64"]


def levels():
    """What JOUNCE_CPU may be here."""
    def has(level):
        return subprocess.run([JOUNCE, "--version"], env=dict(os.environ, JOUNCE_CPU=level), capture_output=True,
                              check=False).returncode == 0
    return ["native"] + [level for level in LEVELS if has(level)]


def compilers():
    """name -> variables of the environment; None: interpreted; none at all: the other program"""
    found = {"interpreter": None}
    there = levels()
    lowest = there[1] if len(there) > 1 else "native"
    found.update({f"machine code {level}": {"JOUNCE_CPU": level} for level in there})
    if LIKE:
        return {"the other program": {}, "machine code": {"JOUNCE_CPU": "native"}, "interpreter": None}
    few = {"gcc": there[:1] + there[2:-1], "clang": [lowest]}
    for compiler in few:
        if not shutil.which(compiler):
            print(f"{compiler} is not installed: left out")
            continue
        for level in there if LONG else few[compiler]:
            found[f"{compiler} {level}"] = {"JOUNCE_CC": compiler, "JOUNCE_CPU": level}
    return found


def result(room, command, model, options, compiler):
    """What the program writes to its file, without what names the compiler."""
    out = room / "out.csv"
    env = dict(os.environ)
    env.update(compiler or {})
    program = LIKE if compiler == {} else JOUNCE
    how = [] if compiler == {} else ["--interpreter"] if not compiler else ["--compiler"] if "JOUNCE_CC" in compiler else []
    done = subprocess.run([program, command, str(model), "-o", str(out), *options, *how], env=env,
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"jounce {command} {model.name} with {compiler}: exit {done.returncode}\n{done.stderr}")
    lines = out.read_bytes().splitlines(keepends=True)
    out.unlink()
    return b"".join(line for line in lines if not line.startswith(b"# kernels:"))


def first_difference(a, b):
    for i, (x, y) in enumerate(zip(a.splitlines(), b.splitlines())):
        if x != y:
            return f"line {i + 1}:\n  {x[:300]!r}\n  {y[:300]!r}"
    return "one is longer"


def short_step(room):
    """The beginning of the step descent, for derivatives."""
    text = (MODELS / "buggy/step_descent.yaml").read_text(encoding="utf-8")
    text = text.replace("include: vehicle.yaml", f"include: {MODELS}/buggy/vehicle.yaml")
    text = text.replace("end: 4.5", "end: 0.3").replace("tolerance: 1.0e-9", "tolerance: 1.0e-6")
    path = room / "short.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def jobs(room):
    step, lane = MODELS / "buggy/step_descent.yaml", MODELS / "buggy/double_lane_change.yaml"
    if not LONG:
        yield "run", step, []
        yield "run", lane, ["--end", "1"]
        yield "sens", short_step(room), ["--wrt", ",".join(NAMES), "--method", "direct"]
    if LIKE:
        yield "sens", step, ["--wrt", ",".join(NAMES), "--method", "direct"]
        yield "sens", step, ["--wrt", ",".join(NAMES), "--method", "adjoint"]
    if LONG:
        yield "run", step, []
        yield "run", lane, []
        yield "sens", step, ["--wrt", ",".join(NAMES), "--method", "direct"]
        yield "sens", step, ["--wrt", NAMES[0], "--method", "direct"]
        yield "sens", step, ["--wrt", ",".join(NAMES[:2]), "--method", "direct"]
        yield "sens", lane, ["--wrt", ",".join(NAMES), "--method", "direct"]
        yield "sens", step, ["--wrt", ",".join(NAMES), "--method", "adjoint"]
        yield "sens", lane, ["--wrt", ",".join(NAMES), "--method", "adjoint"]
        for name in ("sedan/cornering.yaml", "tracked/bump.yaml"):
            if (MODELS / name).exists():
                yield "run", MODELS / name, ["--end", "1"]


def main():
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        room = Path(folder)
        found = compilers()
        for command, model, options in jobs(room):
            reference = None
            # derivatives take the interpreter minutes where the processor is emulated
            within = {name: by for name, by in found.items() if not LIKE or by is not None or command == "run"}
            for name, compiler in within.items():
                text = result(room, command, model, options, compiler)
                if reference is None:
                    reference = text
                elif text != reference:
                    wrong += 1
                    print(f"{command} {model.name} {' '.join(options)}: {name} differs from {next(iter(found))}, "
                          f"{first_difference(reference, text)}")
            print(f"{command} {model.name} {' '.join(options)}: {len(reference)} bytes by {', '.join(within)}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
