# SPDX-License-Identifier: Apache-2.0
"""The program under test, called as a user calls it; answers are JSON or a refusal."""
from __future__ import annotations

import json
import math
import os
import re
import signal
import subprocess
from dataclasses import dataclass

from effort import WAITS, allowed_s, calibrate

CALLS = 1000  # CPU time a call may take, in calls of the reference: what takes longer hangs

# a number that moves what nothing holds, or breaks what closes the loops
NO_DERIVATIVE = re.compile("nothing has a derivative with respect to|has no derivatives|only grazes|its derivative with respect to .* though its value is 0:")


@dataclass
class Answer:
    """What one call gave: `data` where it went well, else `message`."""
    command: list[str]
    code: int
    data: dict | None
    message: str
    raw: str = ""

    @property
    def ok(self) -> bool:
        return self.data is not None


class Program:
    """Calls in one folder, as users make them."""

    def __init__(self, path: str, folder: str):
        self.path = os.path.abspath(path)
        self.folder = folder
        self.environment = dict(os.environ)
        self.calls = 0

    def save(self, name: str, text: str) -> str:
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def call(self, command: str, model: str, *options: str) -> Answer:
        args = [self.path, command, model, *options, "--json"]
        self.calls += 1
        most = allowed_s(CALLS, calibrate(self.path))
        try:
            done = subprocess.run(["sh", "-c", f'ulimit -t {most} && exec "$@"', "sh", *args], capture_output=True, text=True,
                                  check=False, cwd=self.folder, env=self.environment, timeout=WAITS*most)
        except subprocess.TimeoutExpired:
            return Answer(args, -1, None, "no answer, and no work for it")
        if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            return Answer(args, -1, None, f"no answer within the CPU time of {CALLS} reference calls")
        data = None
        if done.returncode == 0:
            try:
                data = json.loads(done.stdout)
            except json.JSONDecodeError:
                return Answer(args, 0, None, "exit 0 without JSON", done.stdout)
        return Answer(args, done.returncode, data, done.stderr.strip(), done.stdout)


def values(answer: Answer) -> dict[str, float | None]:
    """Objective → value, of run and of sens."""
    found = {}
    for name, value in answer.data["objectives"].items():
        found[name] = value["value"] if isinstance(value, dict) else value
    return found


def warned(answer: Answer) -> dict[str, float]:
    """Objective → how far its value may be off, of itself, as warnings of a run say."""
    found = {}
    for o, part, more in re.findall(r"objective '(\w+)' came out as \S+ and may (?:have no true digit|be off by (\S+) %( or more)?)",
                                    answer.message):
        found[o] = float(part)/100 if part and not more else math.inf
    return found


def allowed_by_warnings(answer: Answer) -> dict[str, float]:
    """Objective → how far its value may be off, as warnings of a run say; infinite where they give no figure."""
    parts = warned(answer)
    found = {o: part*abs(value) if part < math.inf else part for o, value in values(answer).items() if (part := parts.get(o))}
    for o, change in re.findall(r"objective '(\w+)' came out as [^;]*, change it by about (\S+);", answer.message):
        found[o] = float(change)
    return found


def is_unfollowed(answer: Answer) -> bool:
    """A run with fixed steps that warns of results that may be far off."""
    return "does not follow the motion" in answer.message


def gradient(answer: Answer, key: str = "gradient") -> dict[tuple[str, str], float | None]:
    """(objective, number) → derivative; empty where the answer has none under this key."""
    return {(o, n): g for o, entry in answer.data["objectives"].items()
            for n, g in entry.get(key, {}).items()}


def message_class(message: str) -> str:
    """What a refusal is about, without names and numbers."""
    line = message.splitlines()[-1] if message else "(nothing said)"
    line = re.sub(r"^\S*?\.yaml(:\d+)?: ", "", line)
    line = re.sub(r"\S*\.yaml(:\d+)?", "FILE", line)
    line = re.sub(r"'[^']*'", "'...'", line)
    return re.sub(r"-?\d+(\.\d+)?(e[-+]?\d+)?", "#", line)[:100]


def lacks_derivatives(answer: Answer) -> bool:
    """An answer, or a refusal, that says why there are no derivatives, of all objectives or of some."""
    if not answer.ok:
        return bool(NO_DERIVATIVE.search(answer.message))
    return any("no_derivatives" in told for told in answer.data["objectives"].values())
