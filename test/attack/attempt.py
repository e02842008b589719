# SPDX-License-Identifier: Apache-2.0
"""One call of the program with everything around it watched: how it ended, what it said, the time
and memory it took, and the processes and folders it left behind."""
from __future__ import annotations

import ctypes
import os
import resource
import shlex
import signal
import subprocess
import time
from dataclasses import dataclass, field
from typing import Callable

from effort import WAITS, allowed_s

Moment = float | Callable[[], bool]
GIGABYTE = 1 << 30
SANITIZER_EXIT = 99     # of reports that do not abort
MAX_OUTPUT = 64 << 20   # bytes read of standard output
_PR_SET_CHILD_SUBREAPER = 36


@dataclass
class Limits:
    """What a call may take: more is a fault. CPU time is counted in calls of a reference, see effort.py."""
    calls: int = 250
    address_bytes: int = 3*GIGABYTE
    resident_bytes: int = GIGABYTE
    more: dict[int, int] = field(default_factory=dict)  # resource.RLIMIT_... → value


@dataclass
class Outcome:
    """What came of a call."""
    command: list[str]
    code: int | None            # exit status; None: ended by a signal
    signal: int = 0
    stdout: bytes = b""
    stderr: bytes = b""
    wall_s: float = 0.0
    cpu_s: float = 0.0
    resident: int = 0           # bytes, at most
    over_time: bool = False
    orphans: list[str] = field(default_factory=list)
    sent: int = 0               # signal that the attack itself sent

    def told(self) -> str:
        return self.stderr.decode("utf-8", "replace")

    def shell(self) -> str:
        return " ".join(shlex.quote(word) for word in self.command).encode("utf-8", "replace").decode()


def adopt_orphans() -> None:
    """Processes that lose their parent become children of this one, where they can be seen."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _children() -> list[int]:
    with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as f:
        return [int(word) for word in f.read().split()]


_DYING = 60.0  # seconds that a process which was killed may take to be gone, on a machine that does other things
_LEAST_WALL_S = 600.0


def _are_alive(pids: set[int]) -> bool:
    for pid in pids:
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
                if not f.read().rsplit(") ", 1)[1].startswith("Z"):
                    return True
        except (OSError, IndexError):
            continue
    return False


def _end_orphans(before: set[int]) -> list[str]:
    """Names of the processes left behind; they are ended."""
    names = []
    deadline = time.monotonic() + _DYING
    while _are_alive(set(_children()) - before) and time.monotonic() < deadline:
        time.sleep(0.01)
    for pid in set(_children()) - before:
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
                name, state = f.read().split("(", 1)[1].rsplit(") ", 1)
            if not state.startswith("Z"):
                names.append(name)
                os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        except (OSError, IndexError, ValueError):
            continue
    return names


def text_bytes(text: str) -> bytes:
    """UTF-8; U+DC80 ... U+DCFF stand for bytes, other lone surrogates for their bad encoding."""
    return b"".join(bytes([ord(c) - 0xdc00]) if 0xdc80 <= ord(c) <= 0xdcff else c.encode("utf-8", "surrogatepass")
                    for c in text) if any(0xd800 <= ord(c) < 0xe000 for c in text) else text.encode("utf-8")


def is_sanitized(program: str) -> bool:
    with open(program, "rb") as f:
        return b"__asan_init" in f.read()


class Attempt:
    """Calls in one folder. `HOME` and temporary files live in it, too."""

    def __init__(self, program: str, folder: str, limits: Limits | None = None, reference_s: float = 1.0):
        """`reference_s`: what calibrate() gave."""
        self.path = os.path.abspath(program)
        self.folder = folder
        self.limits = limits or Limits()
        self.reference_s = reference_s
        self.sanitized = is_sanitized(self.path)
        self.calls = 0
        self.note = ""          # what the attack is, for the report
        self.environment = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": self.room("home"),
            "TMPDIR": self.room("tmp"),
            "ASAN_OPTIONS": f"exitcode={SANITIZER_EXIT}:allocator_may_return_null=1:detect_leaks=1",
            "UBSAN_OPTIONS": f"halt_on_error=1:print_stacktrace=1:exitcode={SANITIZER_EXIT}",
            **{name: os.environ[name] for name in ("JOUNCE_CPU",) if name in os.environ},
        }

    def room(self, name: str) -> str:
        path = os.path.join(self.folder, name)
        os.makedirs(path, mode=0o700, exist_ok=True)
        return path

    def save(self, name: str, data: str | bytes) -> str:
        path = os.path.join(self.folder, name)
        with open(path, "wb") as f:
            f.write(text_bytes(data) if isinstance(data, str) else data)
        return path

    def allowed_s(self, limits: Limits) -> int:
        """CPU time that a call may take, in whole seconds as the system counts them."""
        return allowed_s(limits.calls, self.reference_s)

    def _set_limits(self, limits: Limits, prepare: Callable[[], None] | None) -> None:
        """In the child, before the program takes over."""
        for number in (signal.SIGINT, signal.SIGTERM):  # workers of a campaign ignore them
            signal.signal(number, signal.SIG_DFL)
        soft = {resource.RLIMIT_CPU: self.allowed_s(limits), resource.RLIMIT_CORE: 0}
        if not self.sanitized:  # sanitizers map terabytes
            soft[resource.RLIMIT_AS] = limits.address_bytes
        for which, value in {**soft, **limits.more}.items():
            hard = resource.getrlimit(which)[1]
            resource.setrlimit(which, (value, hard if which == resource.RLIMIT_CPU else value))
        if prepare:
            prepare()

    def call(self, *args: str, environment: dict[str, str | None] | None = None,
             limits: Limits | None = None, prepare: Callable[[], None] | None = None,
             kill: tuple[Moment, int] | None = None, stdout: str | None = None) -> Outcome:
        """`environment` on top of the usual one (None: unset); `kill`: when (seconds, or a question asked again and again), and a signal;
        `stdout`: a path to write to instead; `prepare` is run in the child."""
        limits = limits or self.limits
        merged = {**self.environment, **(environment or {})}
        env = {k: v for k, v in merged.items() if v is not None}
        out_path, err_path = (os.path.join(self.folder, n) for n in (".stdout", ".stderr"))
        self.calls += 1
        before = set(_children())
        with open(stdout or out_path, "wb") as out, open(err_path, "wb") as err:
            start = time.monotonic()
            child = subprocess.Popen(  # waited for below, with its resources
                [self.path, *(text_bytes(word.replace("\0", "")) for word in args)], stdin=subprocess.DEVNULL, stdout=out, stderr=err, cwd=self.folder,
                env=env, preexec_fn=lambda: self._set_limits(limits, prepare))
            done = self._wait(child, start, limits, kill)
        done.orphans = _end_orphans(before)
        if not stdout:
            with open(out_path, "rb") as f:
                done.stdout = f.read(MAX_OUTPUT)
        with open(err_path, "rb") as f:
            done.stderr = f.read(1 << 20)
        return done

    def _wait(self, child: subprocess.Popen, start: float, limits: Limits,
              kill: tuple[Moment, int] | None) -> Outcome:
        pause, sent, over = 0.0005, 0, False
        while True:
            pid, status, used = os.wait4(child.pid, os.WNOHANG)
            if pid:
                break
            passed = time.monotonic() - start
            if kill and not sent and (kill[0]() if callable(kill[0]) else passed >= kill[0]):
                sent = kill[1]
                os.kill(child.pid, sent)
            if passed > max(WAITS*self.allowed_s(limits), _LEAST_WALL_S) and not over:
                over = True
                os.kill(child.pid, signal.SIGKILL)
            until = 0 if kill and not sent and callable(kill[0]) else kill[0] - passed if kill and not sent else pause
            time.sleep(max(min(pause, until), 0.0002))
            pause = min(1.3*pause, 0.01)
        child.returncode = status
        code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else None
        number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        over = over or number == signal.SIGXCPU
        return Outcome([os.fsdecode(word) for word in child.args], code, number, wall_s=time.monotonic() - start,
                       cpu_s=used.ru_utime + used.ru_stime, resident=used.ru_maxrss*1024,
                       over_time=over, sent=sent)
