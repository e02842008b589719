# SPDX-License-Identifier: Apache-2.0
"""The program under test: the first argument of a test script."""
import os
import subprocess
import sys

PROGRAM = os.path.abspath(sys.argv.pop(1))


def jounce(*args, code=0, cwd=None):
    done = subprocess.run([PROGRAM, *args], capture_output=True, text=True, check=False, cwd=cwd)
    if code is not None and done.returncode != code:
        raise AssertionError(f"jounce {' '.join(args)}: exit {done.returncode}, expected {code}\n"
                             f"{done.stderr}")
    return done
