#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two programs, the same outputs: every command over every model of models/, compared byte by byte.

main.py BEFORE AFTER [--jobs N] [--only TEXT] [--keep DIR]

Compared are exit status, both streams and every file written, without what states times. A command
that fails must fail alike. Commands that take longer than a minute with both programs are listed as not compared."""
import argparse
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SECONDS = 60

# what each command is given besides the file; {o} is a folder of its own
COMMANDS = {
    "run": ["run", "-o", "{o}/run.csv"],
    "run as JSON": ["run", "--json"],
    "run, HDF5": ["run", "-o", "{o}/run.h5", "--output-step", "0.01"],
    "run, fixed steps": ["run", "--method", "rk4", "--step", "1e-4", "--end", "0.05"],
    "run, esdirk5": ["run", "--method", "esdirk5", "--end", "0.2"],
    "sens, direct": ["sens", "--method", "direct", "--wrt", "{two}"],
    "sens, adjoint": ["sens", "--method", "adjoint", "--wrt", "{two}", "--json"],
    "sens, quick": ["sens", "--quick", "--wrt", "{two}", "-o", "{o}/sens.csv"],
    "sens, checked": ["sens", "--check", "--wrt", "{one}"],
    "sweep": ["sweep", "--param", "{range}", "--end", "0.2", "-o", "{o}/sweep.csv"],
    "sweep in lanes": ["sweep", "--param", "{range}", "--end", "0.2", "--batch", "-o", "{o}/sweep.csv", "--json"],
    "loads": ["loads", "-o", "{o}/loads.csv"],
    "loads as JSON": ["loads", "--json", "--driver", "fixed"],
    "info": ["info"],
    "info as JSON": ["info", "--json"],
    "check": ["check"],
    "static": ["static", "--wrt", "{two}"],
    "static as JSON": ["static", "--json"],
    "modes": ["modes", "--at", "static", "--wrt", "{one}"],
    "modes as JSON": ["modes", "--json"],
    "generate": ["generate", "-o", "{o}/generated"],
    "report": ["report", "-o", "{o}/report.html"],
    "replay": ["report", "-o", "{o}/replay.glb"],
    "study": ["study", "-o", "{o}/study.html"],
    "study as JSON": ["study", "--json"],
    "kinematics": ["kinematics", "-o", "{o}/kinematics.csv"],
    "kinematics, front": ["kinematics", "--axle", "front", "-o", "{o}/front.html"],
    "kinematics, rear, loaded": ["kinematics", "--axle", "rear", "--motion", "lateral", "--json"],
    "road": ["road", "-o", "{o}/road.html"],
    "FMU": ["export", "fmu", "--sources-only", "-o", "{o}/model.fmu"],
    "tyre": ["tyre"],
    "tyre, page": ["tyre", "-o", "{o}/tyre.html"],
}
TYRE = ("tyre", "tyre, page")
TIMED = re.compile(rb"(?i).*\bCPU\b.*\n?|points in .*|\"[a-z_]{0,24}(?:cpu|wall|per_s|realtime|real_time)[a-z_]{0,24}\": [^,}\n]*,?")


def parameters(program, file):
    """Names and values of two parameters of a model, as `info` lists them."""
    done = subprocess.run([program, "info", file, "--json"], cwd=ROOT, capture_output=True, text=True, check=False)
    listed = json.loads(done.stdout)["parameters"] if done.returncode == 0 else []
    return [(p["name"], float(p["value"])) for p in listed][:2]


def filled(words, file, values, folder):
    """The command line, or None where the model has no parameters and the command wants some."""
    names = [name for name, _ in values]
    low = values[0][1] if values else 0.0
    fields = {"o": folder, "one": names[0] if names else "", "two": ",".join(names),
              "range": f"{names[0]}={low!r}:{1.01 * low + 1e-6!r}:3" if names else ""}
    if not names and any("{one}" in w or "{two}" in w or "{range}" in w for w in words):
        return None
    split = 2 if words[0] == "export" else 1
    words = [word.format(**fields) for word in words]
    return words[:split] + [str(file)] + words[split:]


def outcome(program, words, folder):
    """Status, streams and files of one command: a dictionary of bytes; None when it takes too long."""
    os.makedirs(folder, exist_ok=True)
    environment = dict(os.environ, LC_ALL="C", COLUMNS="100")
    try:
        done = subprocess.run([program, *words], cwd=ROOT, capture_output=True, timeout=SECONDS, env=environment,
                              check=False)
    except subprocess.TimeoutExpired:
        return None
    found = {"exit status": str(done.returncode).encode(), "output": TIMED.sub(b"", done.stdout),
             "errors": TIMED.sub(b"", done.stderr)}
    for path in sorted(Path(folder).rglob("*")):
        if path.is_file():
            found[str(path.relative_to(folder))] = TIMED.sub(b"", path.read_bytes())
    return found


def clean(result, what, scratch):
    """One output without the name of the folder it was made in; None where there is none."""
    return result[what].replace(scratch.encode(), b"") if what in result else None


def compared(programs, name, words, file, values, keep):
    """Whether the command was run, and what differs between both programs; None when neither ends in time."""
    results = []
    with tempfile.TemporaryDirectory() as scratch:
        # one folder for both, one after the other: its name may stand in outputs
        folder = os.path.join(scratch, "o")
        line = filled(words, file, values, folder)
        if line is None:
            return False, []
        for program in programs:
            shutil.rmtree(folder, ignore_errors=True)
            results.append(outcome(program, line, folder))
    if None in results:
        return True, None if results == [None, None] else [f"{name} {file}: one program took too long"]
    before, after = results
    differ = [what for what in sorted({*before, *after}) if clean(before, what, scratch) != clean(after, what, scratch)]
    if differ and keep:
        store(Path(keep) / re.sub(r"\W+", "_", f"{name} {file}"), results, differ)
    return True, [f"{name}: jounce {' '.join(map(str, line))}: {', '.join(differ)}"] if differ else []


def store(folder, results, differ):
    """Keep what differs, to look at it."""
    for which, result in zip(("before", "after"), results):
        for what in differ:
            path = folder / which / what.replace("/", "_")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(result.get(what, b"(none)"))


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("before")
    options.add_argument("after")
    options.add_argument("--jobs", type=int, default=os.cpu_count())
    options.add_argument("--only", default="")
    options.add_argument("--keep")
    given = options.parse_args()
    programs = [os.path.abspath(given.before), os.path.abspath(given.after)]
    files = [f.relative_to(ROOT) for f in sorted((ROOT / "models").rglob("*")) if f.suffix in (".yaml", ".tir")]
    work = []
    for file in files:
        values = parameters(programs[0], file) if file.suffix == ".yaml" else []
        work += [(name, words, file, values) for name, words in COMMANDS.items()
                 if (name in TYRE) == (file.suffix == ".tir") and given.only in f"{name} {file}"]
    count, slow, differing = 0, [], []
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        runs = [(f"{name} {file}", pool.submit(compared, programs, name, words, file, values, given.keep))
                for name, words, file, values in work]
        for what, run in runs:
            ran, differ = run.result()
            count += ran
            if differ is None:
                slow.append(what)
            for line in differ or []:
                differing.append(line)
                print(f"differs  {line}", flush=True)
    for what in slow:
        print(f"not compared, over {SECONDS} s with both: {what}")
    print(f"{count} commands, {len(differing)} differ, {len(slow)} not compared")
    return 1 if differing or not count else 0


if __name__ == "__main__":
    sys.exit(main())
