# SPDX-License-Identifier: Apache-2.0
"""What must hold of every call, whatever it was given: exit 0 only with results that are finite,
closed and complete; else one message that says what to change, and exit status 1 or 2. Never a
crash, never more time or memory than stated, nothing left behind."""
from __future__ import annotations

import json
import math
import os
import re
import subprocess
from dataclasses import dataclass

from attempt import SANITIZER_EXIT, Attempt, Limits, Outcome

OPEN = 1e-6         # [m, rad] a loop open by more is not closed
OFF = 0.01          # relative difference to a run with a tolerance of 1e-11
MAX_MESSAGES = 20
# what a message may name: a file or folder in front, an option, a quoted name, a variable, a moment of the run
NAMES_SOMETHING = re.compile(
    r"^\S+: |'[^']*'|(^|\W)--?[a-z]|\.(yaml|csv|h5|hdf5|html|events|journal|svg|so)\b|\$[A-Z]|\bt = |JOUNCE_|/"
    r"|\b(must|needs?|choose|check|change|give|set|raise|use)\b"
    r"|is out of range|before the start|after the end")
REPORT = re.compile(r"AddressSanitizer|LeakSanitizer|ThreadSanitizer|UndefinedBehaviorSanitizer"
                    r"|runtime error: ")
TROUBLE = re.compile(r"out of memory|cannot write the output|interrupted|stopped")

# what a number of this name must be, wherever its value comes from
POSITIVE = re.compile(r"(^|\.)(R|radius|nominal|kappa_c|alpha_c|k_m|(tolerance|rel_tol|abs_tol|max_step|width))$")
NOT_NEGATIVE = re.compile(r"(^|\.)(mu_[xy]|friction_(long|lat)|m|m_[a-z]+|mass|(bump|rebound)_stop\.stiffness)$")


@dataclass
class Fault:
    """A broken property: its class, what was seen, and how to see it again."""
    kind: str
    what: str
    command: str = ""


def messages(done: Outcome) -> list[str]:
    """Lines that are neither notes nor warnings nor parts of the usage."""
    lines = [line for line in done.told().splitlines() if line.strip()]
    if "usage: jounce COMMAND" in done.told():
        lines = lines[:1]
    return [line for line in lines if not line.startswith(("note: ", "warning: "))]


def _not_finite(value) -> bool:
    return value is None or isinstance(value, float) and not math.isfinite(value)


def _bad_numbers(values: dict, where: str) -> list[str]:
    """Names of the values that are no number; of sens and sweep each holds value and gradient."""
    found = []
    for name, value in values.items():
        if isinstance(value, dict):
            found += [f"{where}.{name}"] if "value" in value and _not_finite(value["value"]) else []
        elif _not_finite(value):
            found.append(f"{where}.{name}")
    return found


def _of_points(points: list) -> list[str]:
    """Of a sweep: whatever is not marked as failed must be finite."""
    found = []
    for i, point in enumerate(points):
        if point.get("status", 0) == 0:
            found += _bad_numbers(point.get("objectives", {}), f"points[{i}]")
    return found


def _of_modes(modes: list) -> list[str]:
    return [f"modes[{i}]" for i, mode in enumerate(modes) if _not_finite(mode.get("re"))
            or _not_finite(mode.get("im"))]


def not_finite(data: dict) -> list[str]:
    """What an answer gives as a result though it is none."""
    found = []
    for key in ("objectives", "final", "coordinates", "sensors", "peaks"):
        if isinstance(data.get(key), dict):
            found += _bad_numbers(data[key], key)
    found += _of_points(data["points"]) if isinstance(data.get("points"), list) else []
    found += _of_modes(data["modes"]) if isinstance(data.get("modes"), list) else []
    return found


def open_loops(data: dict) -> list[str]:
    """By the program's own measure, and by sensors `gap_...` that mutants carry."""
    found = []
    if (data.get("closure_residual") or 0) > OPEN:
        found.append(f"closure_residual {data['closure_residual']}")
    for name, value in (data.get("final") or {}).items():
        if name.startswith("gap_") and isinstance(value, float) and abs(value) > OPEN:
            found.append(f"{name} {value}")
    return found


def _read(path: str) -> bytes:
    with open(path, "rb") as f:
        return f.read()


def table_is_whole(path: str) -> bool:
    """A CSV file of results: names, units, rows of as many finite numbers, a newline at the end."""
    data = _read(path)
    rows = [line for line in data.split(b"\n") if line and not line.startswith(b"#")]
    if not data.endswith(b"\n") or len(rows) < 2:
        return False
    return all(row.count(b",") == rows[-1].count(b",") for row in rows[2:])


def is_whole(path: str) -> bool:
    """Whether a file of results is complete, by its kind."""
    data = _read(path)
    if path.endswith(".html"):
        return data.rstrip().endswith(b"</html>")
    if path.endswith((".h5", ".hdf5")):  # the end of the file is in its superblock
        return data[:8] == b"\x89HDF\r\n\x1a\n" and len(data) > 800
    if path.endswith(".events"):
        return data.startswith(b"# jounce load events") and data.endswith(b"\n")
    return table_is_whole(path)


def table_has_formula(path: str) -> bool:
    """A cell that a spreadsheet would evaluate."""
    cells = [cell.strip(b'"') for line in _read(path).split(b"\n") if not line.startswith(b"#")
             for cell in line.split(b",")]
    return any(cell[:1] in (b"=", b"@", b"\t", b"\r") or cell[:1] in (b"+", b"-")
               and not re.fullmatch(rb"[-+]?(\d[\d.]*(e[-+]?\d+)?|nan|inf)", cell) for cell in cells)


def _of_failed_points(done: Outcome) -> list[str]:
    """A sweep of which all points fail tells why at each of them."""
    try:
        data = json.loads(done.stdout)
        return list(dict.fromkeys(p["message"] for p in data["points"] if p.get("message")))
    except (ValueError, KeyError, TypeError):
        return []


class Judge:
    """Collects the faults of one case."""

    def __init__(self, attempt: Attempt):
        self.attempt = attempt
        self.faults: list[Fault] = []

    def fault(self, kind: str, what: str, done: Outcome | None = None) -> None:
        self.faults.append(Fault(kind, what[:300], done.shell() if done else ""))

    def ending(self, done: Outcome, limits: Limits | None = None) -> bool:
        """How it ended: no crash, no report of a sanitizer, within time and memory. True: well."""
        n = len(self.faults)
        limits = limits or self.attempt.limits
        if done.over_time:
            self.fault("over time", f"{done.cpu_s:.1f} s of CPU time, {done.wall_s:.1f} s; a reference call takes {self.attempt.reference_s:.2f} s", done)
        elif done.signal and done.signal != done.sent:
            self.fault("crash", f"signal {done.signal}: {done.told()[-200:]}", done)
        if REPORT.search(done.told()) or done.code == SANITIZER_EXIT:
            found = REPORT.search(done.told())
            at = found.start() if found else 0
            self.fault("sanitizer", done.told()[at:at + 300], done)
        elif done.code not in (None, 0, 1, 2) and not (done.sent and done.code == 128 + done.sent):
            self.fault("exit status", f"{done.code}: {done.told()[-200:]}", done)
        if not self.attempt.sanitized and done.resident > limits.resident_bytes:
            self.fault("over memory", f"{done.resident >> 20} MB", done)
        if done.orphans:
            self.fault("process left", ", ".join(done.orphans), done)
        return len(self.faults) == n

    def leftovers(self, done: Outcome) -> None:
        """Anything in $TMPDIR or $HOME."""
        left = [os.path.join(room, n) for room in ("tmp", "home") for n in os.listdir(self.attempt.room(room))]
        if left:
            self.fault("left behind", " ".join(sorted(left)[:5]), done)

    def text(self, done: Outcome) -> None:
        """What reaches the terminal."""
        for name, data in (("stderr", done.stderr), ("stdout", done.stdout)):
            if re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", data):
                at = re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", data).start()
                self.fault("control characters", f"{name}: {data[max(at - 40, 0):at + 40]!r}", done)
            try:
                data.decode("utf-8")
            except UnicodeDecodeError as e:
                self.fault("not UTF-8", f"{name}: {data[max(e.start - 40, 0):e.start + 20]!r}", done)

    def failure(self, done: Outcome) -> None:
        """Of a call that did not exit with 0: it says what to change, once."""
        told = messages(done) or _of_failed_points(done)
        if not told:
            self.fault("nothing said", f"exit {done.code}: {done.told()[-200:]!r}", done)
            return
        if len(set(told)) != len(told):
            self.fault("said twice", max(told, key=told.count), done)
        if len(told) > MAX_MESSAGES + 1:
            self.fault("too many messages", f"{len(told)}", done)
        if not any(NAMES_SOMETHING.search(line) or TROUBLE.search(line) for line in told):
            self.fault("names nothing", told[0], done)

    def json(self, done: Outcome) -> dict | None:
        """The one object a call with --json prints, with `error` where it failed."""
        try:
            data = json.loads(done.stdout.decode("utf-8"), parse_constant=lambda name: float(name))
        except (UnicodeDecodeError, json.JSONDecodeError) as e:
            empty = not done.stdout.strip()
            kind = "no JSON" if empty and done.code else "invalid JSON"
            self.fault(kind, f"exit {done.code}: {e}: {done.told()[:150]!r}", done)
            return None
        if not isinstance(data, dict):
            self.fault("invalid JSON", "no object", done)
            return None
        return data

    def success(self, done: Outcome, data: dict) -> None:
        """Exit 0: finite, closed, complete, or it is no success."""
        bad = not_finite(data)
        if bad:
            self.fault("exit 0, not finite", ", ".join(bad[:4]), done)
        gaps = open_loops(data)
        if gaps:
            self.fault("exit 0, not closed", ", ".join(gaps[:4]), done)
        if data.get("complete") is False or data.get("valid") is False:
            self.fault("exit 0, not complete", f"t_reached {data.get('t_reached')}", done)
        if messages(done):
            self.fault("exit 0, with an error", messages(done)[0], done)

    def property(self, done: Outcome, limits: Limits | None = None) -> dict | None:
        """All of it, for a call with --json. The answer of a success."""
        if not self.ending(done, limits):
            return None
        self.leftovers(done)
        self.text(done)
        data = self.json(done)
        if done.code == 0 and data is not None:
            self.success(done, data)
        elif done.code:
            self.failure(done)
        return data if done.code == 0 else None

    def results(self, done: Outcome) -> None:
        """Files of results are there whole where the call went well, and never by half."""
        for name in sorted(os.listdir(self.attempt.folder)):
            path = os.path.join(self.attempt.folder, name)
            if not name.startswith("out") or not os.path.isfile(path):
                continue
            if name.endswith((".csv", ".h5", ".html", ".events")) and not is_whole(path):
                self.fault("half a file", f"{name}, {os.path.getsize(path)} bytes", done)
            elif not name.endswith((".csv", ".h5", ".html", ".events", ".journal")):
                self.fault("left behind", name, done)

    def agreement(self, done: Outcome, data: dict, sharper: Outcome) -> None:
        """A run at a far smaller tolerance says the same, where it says anything."""
        if sharper.code != 0 or sharper.over_time:
            return
        try:
            better = json.loads(sharper.stdout)["objectives"]
        except (UnicodeDecodeError, json.JSONDecodeError, KeyError):
            return
        for name, value in data["objectives"].items():
            other = better.get(name)
            if value is not None and other is not None and abs(value - other) > OFF*max(abs(value), abs(other)) + OFF:
                self.fault("exit 0, not in tolerance", f"{name} {value}, with a tolerance of 1e-11 {other}", done)

    def in_range(self, done: Outcome, name: str, value: str) -> None:
        """A success with a value that cannot be is none."""
        x = float(value)
        if POSITIVE.search(name) and not x > 0 or NOT_NEGATIVE.search(name) and x < 0:
            self.fault("exit 0, out of range", f"{name} = {value}", done)

    def harmless(self, done: Outcome, outputs: list[str], text: str) -> None:
        """A hostile text is a text in whatever was written."""
        found = [os.path.join(folder, n) for folder, _, names in os.walk(self.attempt.folder) for n in names]
        if any(os.path.basename(path) == "PWNED" for path in found):
            self.fault("injection", "a command in a text was run", done)
        for name in outputs:
            path = os.path.join(self.attempt.folder, name)
            if name.endswith(".csv") and os.path.isfile(path) and table_has_formula(path):
                self.fault("injection", f"a formula in {name[:40]!r}", done)
            if name.endswith(".html") and len(text) > 8 and "<" in text and text.encode(
                    "utf-8", "replace") in _read(path):
                self.fault("injection", f"markup in {name[:40]!r}", done)
            if name.endswith("_c") and os.path.isdir(path) and done.code == 0:
                self._compiles(done, path)

    def _compiles(self, done: Outcome, folder: str) -> None:
        sources = [f"equations/{n}" for n in os.listdir(folder + "/equations") if n.endswith(".c")]
        compiled = subprocess.run(["cc", "-fsyntax-only", "-I.", *sources], cwd=folder, check=False, capture_output=True)
        if compiled.returncode:
            self.fault("generated C", compiled.stderr.decode("utf-8", "replace")[:200], done)
