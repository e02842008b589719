# SPDX-License-Identifier: Apache-2.0
"""Faults that were found once, each with the smallest input that shows it and what must come of it.

A case is refused (exit 1 or 2 and a message), fine (exit 0 and results), or either; the property of
judge.py holds in any case."""
from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import Callable

import starts
import surroundings
from attempt import Attempt, Limits, Outcome
from judge import Judge, messages
from surroundings import PENDULUM

Check = Callable[[Attempt, Judge, Outcome], None]
REFUSED, FINE, EITHER = "refused", "fine", "either"


@dataclass
class Case:
    item: int                       # of the list of faults this stands for
    name: str
    model: str
    args: list[str]                 # the file goes behind the command
    expect: str = EITHER
    says: str = ""                  # what a message must match
    also: Check | None = None
    limits: Limits = field(default_factory=lambda: Limits(calls=60))
    more: dict = field(default_factory=dict)    # for Attempt.call
    before: Callable[[Attempt], None] | None = None
    interpreter: bool = True
    attack: Callable[[int, Attempt, Judge], None] | None = None     # of a family, instead of a call
    slow: bool = False              # only where all cases are asked for


def _buggy() -> str:
    return f"jounce: 1\ninclude: {starts.ROOT}/models/buggy/step_descent.yaml\nsimulation: {{end: 0.02}}\n"


def with_part(part: str) -> str:
    """The pendulum with a section more, or another value of one."""
    name = part.split(":", 1)[0]
    lines = PENDULUM.splitlines()
    at = next((i for i, line in enumerate(lines) if line.startswith(f"{name}:")), None)
    if at is None:
        return PENDULUM + part + "\n"
    end = next((i for i in range(at + 1, len(lines)) if not lines[i].startswith(" ")), len(lines))
    return "\n".join(lines[:at] + [part] + lines[end:]) + "\n"


FLAT = """jounce: 1
name: flat
bodies:
  left: {mass: 1, com: [0.1, 0, 0], points: {tip: [0.2, 0, 0]}}
  coupler: {mass: 1, com: [0.25, 0, 0], points: {tip: [0.5, 0, 0]}}
  right: {mass: 1, com: [0.1, 0, 0], points: {tip: [0.2, 0, 0]}}
hardpoints: {A: [0, 0, 0], B: [0.5, 0, 0]}
joints:
  left: {type: revolute, child: left, at: [ground.A, left.origin], axis: y, independent: true}
  coupler: {type: revolute, parent: left, child: coupler, at: [left.tip, coupler.origin], axis: y}
  right: {type: revolute, child: right, at: [ground.B, right.origin], axis: y}
closures: {pin: {type: ball, a: coupler.tip, b: right.tip}}
initial: {left: {value: 0, rate: -1}}
sensors: {gap_x: coupler.tip.x - right.tip.x, gap_z: coupler.tip.z - right.tip.z}
simulation: {end: 1}
"""
TYRE = """jounce: 1
name: wheel
parameters: {R: 0.3, mu: 0.8, kappa: 0.1, x1: 1, ks: 1000}
bodies: {wheel: {mass: 10, inertia: [0.4, 0.5, 0.4]}}
joints: {wheel: {type: free, child: wheel}}
tables: {spring: {x: [0, x1, 2], y: [0, 1, 2]}}
forces: {f: {on: wheel.yaw, spring: spring, rebound_stop: {at: 0.1, stiffness: ks}}}
tyres: {w: {wheel: wheel, radius: R, stiffness: 2e5, kappa_c: kappa, alpha_c: 0.1, mu_x: mu, mu_y: mu}}
initial: {wheel.x: {value: 0, rate: 3}, wheel.z: 0.299, "wheel.pitch": {value: 0, rate: 10}}
objectives: {psi: {integral: w.fz^2}}
simulation: {end: 0.05}
"""
DRIVEN = FLAT.replace("axis: y, independent: true", "axis: y, drive: asin(l)").replace(
    "bodies:", "parameters: {l: 2}\nbodies:", 1).replace("initial: {left: {value: 0, rate: -1}}\n", "")
WINDOW = "objectives: {psi: {rms: swing, window: [0.5, 0.5]}}"
NAN = with_part("objectives: {psi: {final: log(swing - 100)}}")


def _chain(n: int) -> str:
    """Rods, each with a frame of its own, one hung on the other."""
    bodies = "\n".join(f"  b{i}: {{mass: 1, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.01], points: {{tip: [0, 0, -1]}}}}"
                       for i in range(n))
    joints = "\n".join(
        f"  j{i}: {{type: revolute, " + (f"parent: b{i - 1}, at: [b{i - 1}.tip, b{i}.origin], " if i else "")
        + f"child: b{i}, axis: y, guess: 0.1}}" for i in range(n))
    return f"jounce: 1\nname: chain\nbodies:\n{bodies}\njoints:\n{joints}\nsimulation: {{end: 0.01}}\n"


def _links(section: str, n: int) -> str:
    links = "\n".join(f"  s{i}: s{i - 1} + 1" for i in range(1, n))
    return PENDULUM.replace("sensors:\n", f"sensors:\n  last: s{n - 1}\n") .replace(
        "parameters: {l: 1, k: 3}", "parameters:\n  l: 1\n  k: 3\n" + (
            f"  s0: 1\n{links}" if section == "parameters" else "")) + (
        f"signals:\n  s0: 1\n{links}\n" if section == "signals" else "")


def _brackets() -> str:
    lines = ["signals:", "  s0: swing"] + [f"  s{i}: {'('*190}s{i - 1}{')'*190}" for i in range(1, 60)]
    return PENDULUM.replace("sensors:\n", "sensors:\n  last: s59\n") + "\n".join(lines) + "\n"


def _no_nan_in_page(attempt: Attempt, judge: Judge, done: Outcome) -> None:
    path = os.path.join(attempt.folder, "out.html")
    if os.path.exists(path):
        with open(path, encoding="utf-8", errors="replace") as f:
            if re.search(r'[ ",(]-?nan\b', f.read()):
                judge.fault("not finite in a page", "nan", done)


def _leaves_nothing(attempt: Attempt, judge: Judge, done: Outcome) -> None:
    judge.leftovers(done)


def _foreign_stays(name: str) -> Check:
    def check(attempt: Attempt, judge: Judge, done: Outcome) -> None:
        with open(os.path.join(attempt.folder, name), encoding="utf-8") as f:
            if f.read() != "mine\n":
                judge.fault("overwritten", name, done)
    return check


def _foreign(name: str, mode: int = 0o644) -> Callable[[Attempt], None]:
    def make(attempt: Attempt) -> None:
        os.makedirs(os.path.dirname(os.path.join(attempt.folder, name)) or ".", exist_ok=True)
        os.chmod(attempt.save(name, "mine\n"), mode)
    return make


def _has_errors(attempt: Attempt, judge: Judge, done: Outcome) -> None:
    data = judge.json(done)
    if data is not None and not (data.get("errors") or data.get("error")):
        judge.fault("no error in JSON", str(data)[:120], done)


def _has_warning(attempt: Attempt, judge: Judge, done: Outcome) -> None:
    if done.code == 0 and not done.stderr:
        judge.fault("no remark", "", done)


def _as_text(attempt: Attempt, judge: Judge, done: Outcome) -> None:
    """The same call with its output as text."""
    plain = attempt.call(*[word for word in done.command[1:] if word != "--json"])
    judge.ending(plain)
    judge.text(plain)


def _no_self(attempt: Attempt, judge: Judge, done: Outcome) -> None:
    same = re.search(r"unknown name '([^']*)'; did you mean '\1'", done.told())
    if same:
        judge.fault("message", same.group(), done)


SWEEP = ["sweep", "--param", "k=1:2:2", "--wrt", "none"]
def _templates(levels: int, lowest: str = "t0: {parameters: {p: 1}}") -> str:
    """Templates of ten instances of templates of ten instances ..."""
    text = PENDULUM + f"templates:\n  {lowest}\n"
    for i in range(1, levels + 1):
        text += f"  t{i}: {{instances: {{" + ", ".join(f"i{k}: {{template: t{i - 1}}}" for k in range(10)) + "}}\n"
    return text + f"instances:\n  top: {{template: t{levels}}}\n"


CASES: list[Case] = [
    Case(1, "flat parallelogram", FLAT, ["run"]),
    Case(2, "objective not a number, run", NAN, ["run"], REFUSED, "psi"),
    Case(2, "objective not a number, sens", NAN, ["sens"], REFUSED, "psi"),
    Case(2, "objective not a number, sweep", NAN, SWEEP, REFUSED),
    Case(2, "objective not a number, report", NAN, ["report", "-o", "out.html"], REFUSED, "psi"),
    Case(2, "window without length", with_part(WINDOW), ["run"], REFUSED, "psi"),
    Case(2, "window without length, check", with_part(WINDOW), ["check"], REFUSED, "psi"),
    *[Case(3, f"{what}, {command[0]}", TYRE, [*command, "--set", what], REFUSED, "|".join(names))
      for what, names in (("R=-1", ["radius", "R"]), ("R=0", ["radius", "R"]), ("mu=-1", ["mu"]), ("kappa=-1", ["kappa"]),
                          ("x1=3", ["x1", "table"]), ("ks=-1000", ["stiffness", "ks"]))
      for command in (["run"], ["check"], ["sens", "--wrt", "mu"])],
    Case(3, "points of a sweep out of range", TYRE, ["sweep", "--param", "R=-2:-1:2", "--wrt", "none"], REFUSED),
    Case(4, "unused signal of an unknown name", with_part("signals: {s: no_such_name}"), ["check"], REFUSED, "no_such_name"),
    Case(4, "spring without length", with_part("forces: {f: {between: [ground.origin, bob.origin], stiffness: 1, "
                                               "free_length: 1}}"), ["check"], REFUSED, "f"),
    Case(4, "nothing can move", PENDULUM.replace("axis: y", "axis: y, drive: t").replace("on: swing", "on: swing")
         .replace("initial:\n  swing: {value: 0.5, rate: 0}\n", ""), ["check"], also=_has_warning),
    Case(4, "a known name where it may not be", PENDULUM.replace("mass: 2", "mass: angle"), ["check"], REFUSED, also=_no_self),
    Case(4, "an error and exit 0", PENDULUM.replace("l: 1, k: 3", "l: 1, k: 3, m: 1e10*l"),
         ["check", "--syntax-only", "--set", "l=1e308"], REFUSED),
    Case(5, "far from its guess", _buggy(), ["run", "--set", "initial.chassis.x=250"], FINE),
    Case(5, "many turns", PENDULUM, ["run", "--set", "initial.swing=1000"], FINE),
    *[Case(6, f"driven by what is no number, {command}", DRIVEN, [command], REFUSED, also=_has_errors) for command in ("run", "check")],
    Case(6, "driven by what is no number, without a loop", with_part(
        "joints: {swing: {type: revolute, child: bob, axis: y, drive: asin(2*l)}}").replace(
            "initial:\n  swing: {value: 0.5, rate: 0}\n", ""), ["check"], REFUSED, also=_has_errors),
    Case(6, "a matrix that is not finite", _buggy(), ["modes", "--set", "speed=5e-324"]),
    Case(6, "masses of 1e308", PENDULUM, ["run", "--set", "bodies.bob.mass=1e308", "--set", "l=1e10"], REFUSED, also=_has_errors),
    Case(7, "no home", PENDULUM, ["run", "--compiler"], FINE, interpreter=False, also=_leaves_nothing,
         more={"environment": {"HOME": None}}),
    Case(7, "standstill", _buggy(), ["run", "--set", "speed=0", "--set", "wheel_speed=0"], REFUSED,
         "stand|slip|does not roll|wheel"),
    Case(8, "a curve of a few ulps", with_part("sensors: {s: 1 + 2.3e-16*swing}"), ["report", "-o", "out.html"], FINE, also=_no_nan_in_page),
    Case(8, "constants of 1e17", with_part("sensors: {s: 1e17, u: 1e17 + swing}"), ["report", "-o", "out.html"], FINE, also=_no_nan_in_page),
    Case(8, "constants of 1e308", with_part("sensors: {s: 1e308*swing, u: -1e308}"), ["report", "-o", "out.html"], also=_no_nan_in_page),
    Case(9, "steps of 1e-300", PENDULUM, ["run", "--method", "rk4", "--step", "1e-300"], REFUSED),
    Case(9, "tolerance of 1e-50", PENDULUM, ["run", "--tol", "1e-50"], REFUSED),
    Case(9, "tolerance of 1e-50, sens", PENDULUM, ["sens", "--tol", "1e-50"], REFUSED),
    Case(9, "rate of 1e12", PENDULUM, ["loads", "--rate", "1e12"], REFUSED),
    Case(9, "rows of 1e-12 s", PENDULUM, ["run", "--output-step", "1e-12", "-o", "out.csv"], REFUSED),
    Case(9, "a stiff model", PENDULUM, ["run", "--method", "dopri5", "--set", "k=1e14"], EITHER),
    Case(9, "1000 bodies in a chain", _chain(1000), ["check"], FINE, limits=Limits(calls=600), slow=True),
    Case(10, "60 signals of 190 brackets", _brackets(), ["run"]),
    Case(10, "10000 signals in a chain", _links("signals", 10000), ["run"]),
    Case(10, "10000 parameters in a chain", _links("parameters", 10000), ["run"]),
    Case(10, "templates that use each other", _templates(3, "t0: {instances: {i: {template: t3}}}"), ["check"], REFUSED, "uses itself"),
    Case(10, "templates 12 deep", _templates(12), ["check"], REFUSED, "deep"),
    Case(10, "a million instances", _templates(6), ["check"], REFUSED, "more than 2000 instances"),
    Case(10, "15000 instances", _templates(0) + "".join(f"  i{i}: {{template: t0}}\n" for i in range(15000)), ["check"],
         REFUSED, "more than 2000 instances"),
    Case(10, "instances of 5000 numbers", _templates(0, "t0: {tables: {a: {x: [" + "1, " * 5000 + "1]}}}")
         + "".join(f"  i{i}: {{template: t0}}\n" for i in range(600)), ["check"], REFUSED, "more than 400000 entries"),
    Case(11, "a compiler that hangs", PENDULUM, [], attack=surroundings.hanging),
    Case(12, "compiled with umask 0", PENDULUM, ["run", "--compiler"], FINE, interpreter=False, also=_leaves_nothing,
         more={"prepare": lambda: os.umask(0) and None}),
    Case(7, "a full disk", PENDULUM, [], attack=surroundings.full_disk),
    Case(13, "a sweep without descriptor 2", PENDULUM, [], attack=surroundings.journal_descriptor),
    Case(14, "a foreign Makefile", PENDULUM, ["generate", "-o", "out_c"], REFUSED, "Makefile",
         before=_foreign("out_c/Makefile"), also=_foreign_stays("out_c/Makefile")),
    Case(14, "a read-only file", PENDULUM, ["run", "-o", "out.csv"], REFUSED, "out.csv",
         before=_foreign("out.csv", 0o444), also=_foreign_stays("out.csv")),
    Case(14, "a folder that is not there", PENDULUM, ["run", "--end", "1e6", "-o", "none/out.csv"], REFUSED, "none/out.csv"),  # the run itself would not end in time
    Case(14, "escape sequences in a unit", PENDULUM.replace("unit: rad", 'unit: "\\x1b[2J"'), ["run"], also=_as_text),
    Case(14, "escape sequences in a file name", PENDULUM, ["run", "-o", "./\x1b[2J/out.csv"], also=_as_text),
    Case(14, "a formula as unit", PENDULUM.replace("unit: rad", 'unit: "=1+1"'), ["run", "-o", "out.csv"],
         also=lambda a, j, d: j.harmless(d, ["out.csv"], "")),
    Case(15, "JSON of an early failure", "nonsense", ["run"], REFUSED, also=_has_errors),
    Case(15, "JSON of a missing file", PENDULUM, ["run", "--set", "nothing=1"], REFUSED, also=_has_errors),
    Case(15, "JSON of a wrong option", PENDULUM, ["run", "--no-such-option"], REFUSED, also=_has_errors),
    Case(16, "no memory at the start of sens", PENDULUM, [], attack=lambda _, a, j: surroundings.starving(2, a, j)),
    Case(16, "history without a file", PENDULUM, ["sens", "--history", "angle"], REFUSED, "-o"),
]


def run(case: Case, attempt: Attempt, judge: Judge) -> None:
    if case.attack:
        case.attack(1, attempt, judge)
        return
    attempt.note = case.name
    attempt.save("model.yaml", case.model)
    if not case.interpreter:
        surroundings.by_compiler(attempt)
    if case.before:
        case.before(attempt)
    args = [case.args[0], "model.yaml", *case.args[1:], "--json"] + (["--interpreter"] if case.interpreter else [])
    done = attempt.call(*args, limits=case.limits, **case.more)
    judge.property(done, case.limits)
    if judge.faults and any(f.kind in ("over time", "crash") for f in judge.faults):
        return
    if case.expect == REFUSED and done.code == 0:
        judge.fault("exit 0 on nonsense", done.told()[-100:], done)
    elif case.expect == FINE and done.code:
        judge.fault("refused", done.told()[-200:], done)
    if case.says and done.code and not any(re.search(case.says, line) for line in messages(done)):
        judge.fault("says something else", (messages(done) or [""])[0], done)
    if case.also:
        case.also(attempt, judge, done)
