# SPDX-License-Identifier: Apache-2.0
"""What calls may take. CPU time is counted in calls of a reference, taken on the same machine with the same program: a
slow or busy machine and a sanitizer are no faults, a call without end is one."""
from __future__ import annotations

import functools
import math
import os
import resource
import subprocess

REFERENCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "models", "buggy", "step_descent.yaml")
WAITS = 20  # wall time over CPU time that a call may take at most, and then it waits for something that does not come


@functools.cache
def calibrate(program: str) -> float:
    """Seconds of CPU time that the reference call takes: the least of some."""
    least = math.inf
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([program, "run", REFERENCE, "--interpreter", "--json"], stdout=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        least = min(least, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return least


def allowed_s(calls: int, reference_s: float) -> int:
    """CPU time of so many calls, in whole seconds as the system counts them."""
    return math.ceil(calls*reference_s)
