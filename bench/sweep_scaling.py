#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Strong scaling of a sweep: the same points by threads and by processes of mpirun, taken in turn, the best of several.

    python3 bench/sweep_scaling.py build/jounce [--points 96] [--rounds 5] [--most 2]
"""
import argparse
import re
import subprocess
import tempfile
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("--model", default="models/buggy/step_descent.yaml")
parser.add_argument("--points", type=int, default=96)
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--most", type=int, default=2, help="workers or processes")
args = parser.parse_args()

sweep = [args.program, "sweep", args.model, "--param", "k_f=8000:24000", "--sample", str(args.points),
         "--wrt", "k_f,c_f,k_r,c_r,m_c"]
cases = {}
for n in range(1, args.most + 1):
    cases[f"{n} thread{'s' * (n > 1)}"] = [*sweep, "--workers", str(n)]
    cases[f"{n} process{'es' * (n > 1)}"] = ["mpirun", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none", "-n", str(n),
                                           *sweep, "--workers", "1"]
best, files = {}, {}
with tempfile.TemporaryDirectory() as folder:
    for turn in range(args.rounds):
        for name, command in cases.items():
            out = Path(folder) / "out.csv"
            told = subprocess.run([*command, "-o", str(out)], capture_output=True, text=True, check=True).stdout
            seconds = float(re.search(r"points in ([\d.e+-]+) s", told)[1])
            best[name] = min(best.get(name, 1e9), seconds)
            files[name] = out.read_bytes()
            out.unlink()
assert len(set(files.values())) == 1, "files differ"
for name, seconds in best.items():
    print(f"{name:12} {seconds:8.3f} s  {args.points / seconds:8.1f} points/s  {best['1 thread'] / seconds:5.2f} times")
