#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every header compiles alone; the public ones as C++ too."""
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FLAGS = ["-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror",
         "-D_POSIX_C_SOURCE=200809L", "-D_XOPEN_SOURCE=700", "-Isrc", "-Iinclude", "-Itest"]


def compile_alone(job):
    header, command = job
    # included from a one-line unit: a header as main file would trigger its own warnings
    unit = f'#include "{header}"\n'
    result = subprocess.run([*command, *FLAGS, "-"], input=unit, cwd=ROOT, text=True,
                            capture_output=True, check=False)
    return header, result.returncode, result.stderr


def main():
    jobs = []
    for folder in ("include", "src", "test"):
        for path in sorted((ROOT / folder).rglob("*.h")):
            if "golden" in path.parts:
                continue
            header = path.relative_to(ROOT / folder).as_posix()
            jobs.append((header, ["cc", "-std=c17", "-x", "c"]))
            if folder == "include":
                jobs.append((header, ["g++", "-std=c++17", "-x", "c++"]))
    errors = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for header, code, text in pool.map(compile_alone, jobs):
            if code != 0:
                print(f"{header} does not compile alone:\n{text}")
                errors += 1
    print(f"headers: {len(jobs)} compilations, {errors} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
