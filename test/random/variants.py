# SPDX-License-Identifier: Apache-2.0
"""Laws that change the model or the command: sweeps, energy, windows, fixed steps, the interpreter.

A law here takes a `laws.Case`. Costly ones are applied to a share of the models.
"""
from __future__ import annotations

import copy
import csv
import os

from leaves import write
from program import Answer, allowed_by_warnings, gradient, lacks_derivatives, message_class, values, warned

MOST_FIXED_STEPS = 60000


def _close(a: float, b: float, relative: float, floor: float) -> bool:
    return abs(a - b) <= relative*max(abs(a), abs(b)) + floor


def sweep(case) -> None:
    """run --set = sweep = sens at the same numbers."""
    if case.sens is None or case.chance.random() > 0.4 or not case.in_tree:
        return
    n = case.chance.choice(case.in_tree)
    file = write(case.m.tree, named=frozenset([n]))
    path = case.program.save(f"{case.m.seed}_sweep.yaml", file.text)
    low, high = n.value - 0.004*n.size, n.value + 0.004*n.size
    answer = case.program.call("sweep", path, "--param", f"{n.name}={low!r}:{high!r}:3", "--workers", "1",
                               *case.sharp)
    if not case.law("sweep answers", answer.ok, answer.message[:200], answer):
        return
    runs = []
    for point in answer.data["points"]:
        setting = f"{n.name}={point['parameters'][n.name]!r}"
        run = case.program.call("run", path, "--set", setting, *case.sharp)
        runs.append(run)
        same = run.ok == (point["status"] == 0)
        without = run.ok and not same and _is_rejected_by_sens(case, n, path, setting, point)
        case.law("sweep refuses what run refuses", same or without or _passes(case, path, setting, point, run),
                 f"{setting}: sweep {point['status']}, run: {run.message[:120] or 'fine'}", answer)
        if run.ok and same:
            _same_point(case, n, path, setting, point, run, answer)
    _same_doubts(case, path, n.name, f"{low!r}:{high!r}:3", runs)


def _same_doubts(case, path: str, name: str, values_of: str, runs: list[Answer]) -> None:
    """A sweep without derivatives takes the steps of runs: the same bytes of every value, the same doubts."""
    answer = case.program.call("sweep", path, "--param", f"{name}={values_of}", "--wrt", "none", "--workers", "1", *case.sharp)
    if not case.law("sweep answers", answer.ok, answer.message[:200], answer):
        return
    for point, run in zip(answer.data["points"], runs):
        if not case.law("plain sweep refuses what run refuses", run.ok == (point["status"] == 0),
                        f"{point}, run: {run.message[:120] or 'fine'}", answer) or not run.ok:
            continue
        swept = {o: told["value"] for o, told in point["objectives"].items()}
        case.law("plain sweep = run, bit for bit", swept == values(run), f"{swept} and {values(run)}", answer)
        doubted = set(warned(run))
        message = point.get("message", "")
        told = {o for o in swept if f"objective '{o}' came out" in message}
        case.law("plain sweep doubts what run doubts", doubted == told, f"run {sorted(doubted)}, sweep {sorted(told)}: {message}",
                 answer)


def _is_rejected_by_sens(case, n, path: str, setting: str, point: dict) -> bool:
    """A sweep has derivatives, too: a point without them is rejected, where sens reports the same."""
    sens = case.program.call("sens", path, "--set", setting, "--wrt", n.name, "--method", "direct", *case.sharp)
    message = point.get("message", "")
    if "has no derivatives" in message:
        return lacks_derivatives(sens)
    if "derivatives have no correct digits there" in message:
        case.result.features.add("run that passes a singular position, derivatives that do not")
        return not sens.ok and message_class(sens.message) == message_class(message)
    return False


def _passes(case, path: str, setting: str, point: dict, run: Answer) -> bool:
    """Runs near a singular position that lengths miss by the digits of the file pass or end, as their steps fall, and those
    with derivatives take other steps. What a run that ends says, a larger tolerance, leads to the values of the sweep."""
    if run.ok or point["status"] != 0 or "take a larger tolerance" not in run.message:
        return False
    tolerance = float(case.sharp[1]) if case.sharp else case.m.tree["simulation"].get("tolerance", 1e-8)
    for larger in (10*tolerance, 100*tolerance):
        other = case.program.call("run", path, "--set", setting, "--tol", repr(larger))
        if other.ok:
            case.result.features.add("run that ends at a singular position, sweep that passes")
            return all(_is_value_of_run(case, o, swept["value"], other) for o, swept in point["objectives"].items())
    return False


def _is_value_of_run(case, objective: str, swept: float, run: Answer) -> bool:
    """But for what the tolerance of the file allows, or a warning of the run says."""
    value = values(run)[objective]
    return (case.same_value(objective, swept, value)
            or abs(swept - value) <= allowed_by_warnings(run).get(objective, 0.0))


def _same_point(case, n, path: str, setting: str, point: dict, run: Answer, answer: Answer) -> None:
    sens = case.program.call("sens", path, "--set", setting, "--wrt", n.name, "--method", "direct",
                             *case.sharp)
    if not case.law("derivatives are finite", sens.ok, sens.message[:200], sens):
        return
    for o, swept in point["objectives"].items():
        case.law("value of sweep = value of run", _is_value_of_run(case, o, swept["value"], run),
                 f"{setting}: {o}: {swept['value']:.12g} and {values(run)[o]:.12g}", answer)
        a, b = swept["gradient"][n.name], gradient(sens)[o, n.name]
        if a is None or b is None:
            case.law("sweep lacks derivatives where sens does", a is None and b is None, f"{setting}: {o}: {a} and {b}", answer)
            continue
        # each within its own estimate: those of sweeps are quick ones, of steps that are less accurate
        stated, told = case.stated(sens, o, n, n.name), swept.get("gradient_error", {}).get(n.name)
        allowed = stated + max(stated, told or 0.0)
        case.law("derivative of sweep = of sens", abs(a - b) <= allowed,
                 f"{setting}: d {o} / d {n.name}: {a:.12g} and {b:.12g}, allowed {allowed:.2g}", answer)


def energy(case) -> None:
    """Kinetic and potential energy change by the work of the forces."""
    m = case.m
    if m.jumps or not m.powers or case.chance.random() > 0.5 or "method" in m.tree["simulation"]:
        return
    tree = copy.copy(m.tree)
    # columns of objectives are those of a run that ends there
    power = " + ".join(m.powers)
    tree["objectives"] = {"balance": {"integral": power, "final": "-energy.kinetic - energy.potential"},
                          "work": {"integral": power}}
    path = case.program.save(f"{m.seed}_energy.yaml", write(tree).text)
    out = os.path.join(case.program.folder, f"{m.seed}_energy.csv")
    answer = case.program.call("run", path, "--tol", "1e-10", "-o", out)
    if not case.law("energy: runs", answer.ok, answer.message[:200], answer):
        return
    found = columns(out)
    os.remove(out)
    span = {name: max(c) - min(c) for name, c in found.items()}
    turnover = max(span["energy.kinetic"], span["energy.potential"], span["work"])
    case.law("energy balance", span["balance"] <= 1e-6*turnover + 1e-9,
             f"off by {span['balance']:.3g} J of {turnover:.3g} J", answer)


def columns(path: str) -> dict[str, list[float]]:
    with open(path, encoding="utf-8") as f:
        rows = list(csv.reader(line for line in f if not line.startswith("#")))
    return {name: [float(row[i]) for row in rows[2:]] for i, name in enumerate(rows[0])}


def means(case) -> None:
    """mean, rms and peak are integrals over the length of the run, also when --end says another."""
    m = case.m
    if case.chance.random() > 0.5:
        return
    signal = next(iter(m.tree["objectives"].values()))
    x = next(str(signal[k]) for k in ("integral", "mean", "rms", "peak", "final") if k in signal)
    end = m.tree["simulation"]["end"]
    start = m.tree["simulation"].get("start", 0.0)
    tree = copy.copy(m.tree)
    tree["objectives"] = {
        "i1": {"integral": x}, "mean": {"mean": x}, "i2": {"integral": f"({x})^2"}, "rms": {"rms": x},
        "i4": {"integral": f"({x})^4"}, "peak": {"peak": x, "power": 4}}
    path = case.program.save(f"{m.seed}_means.yaml", write(tree).text)
    for last in (end, round(0.6*end, 4)):
        answer = case.program.call("run", path, "--end", repr(last))
        if not answer.ok:
            # fourth powers can be too much; that is for the program to say
            case.law("means: finite or says why not", bool(answer.message), "nothing said", answer)
            return
        v = values(answer)
        if not case.law("means: finite or says why not", None not in v.values(), f"not finite: {v}", answer):
            return
        # a condition of the model (end_when) may end the run before
        length = answer.data["t_reached"] - start
        for name, told, wanted in (("mean", v["mean"], v["i1"]/length), ("rms", v["rms"]**2, max(0.0, v["i2"]/length)),
                                   ("peak", v["peak"]**4, max(0.0, v["i4"]/length))):
            case.law("mean, rms, peak = integrals / T", _close(told, wanted, 1e-6, 1e-15),
                     f"--end {last}: {name} {told:.10g}, of integrals {wanted:.10g}", answer)
    _window_beyond(case, x, [start, 0.95*end], v["i1"]/length, last)


def _window_beyond(case, x: str, window: list[float], mean: float, last: float) -> None:
    """A window that reaches beyond the run is refused or cut, not filled with nothing."""
    tree = copy.copy(case.m.tree)
    tree["objectives"] = {"cut": {"mean": x, "window": window}}
    path = case.program.save(f"{case.m.seed}_window.yaml", write(tree).text)
    answer = case.program.call("run", path, "--end", repr(last))
    holds = bool(answer.message) if not answer.ok else _close(values(answer)["cut"], mean, 1e-5, 1e-12)
    case.law("window beyond the run", holds,
             f"--end {last}: {answer.ok and values(answer)['cut']}, mean up to there {mean:.10g}", answer)


def static(case) -> None:
    """A run from static equilibrium begins where the command static says."""
    m = case.m
    if "static start" not in m.features:
        return
    told = case.program.call("static", case.path)
    end = m.tree["simulation"].get("start", 0.0) + 1e-9
    tree = copy.copy(m.tree)
    tree["objectives"] = {"o": {"final": "t"}}  # windows would reach beyond the run
    path = case.program.save(f"{m.seed}_static.yaml", write(tree).text)
    out = os.path.join(case.program.folder, f"{m.seed}_static.csv")
    run = case.program.call("run", path, "--end", repr(end), "-o", out)
    if not case.law("static: answers", told.ok and run.ok, told.message[:200] or run.message[:200], told):
        return
    # the first row: wheels turn by 1e-7 rad within the nanosecond of the run
    first = {name: column[0] for name, column in columns(out).items()}
    os.remove(out)
    for c, value in told.data["coordinates"].items():
        case.law("run begins at equilibrium", _close(value, first[c], 1e-6, 1e-7),
                 f"{c}: {value:.10g}, run {first[c]:.10g}", told)


def fixed_steps(case) -> None:
    """What adaptive steps give, small fixed ones give too: nothing is stepped over.

    Values may be as rough as `sens` states that they are. Lengths of steps that are all too long for a short turn, as near a
    singular position, or for switches that follow one another within microseconds, may agree by chance: finer ones decide."""
    m = case.m
    always = "family at rest" in m.features
    if not always and case.chance.random() > 0.3 or "method" in m.tree["simulation"]:
        return
    end = m.tree["simulation"]["end"]
    step = min(1e-3, 1/m.fastest, end/200)
    if 1.5*end/step > MOST_FIXED_STEPS:
        return
    answers = [case.program.call("run", case.path, "--method", "rk4", "--step", repr(h)) for h in (step, step/2)]
    if not all(a.ok for a in answers):
        return
    for o, value in case.value.items():
        off = _off_fixed(case, o, value, *answers)
        if off is None:
            continue
        for part in (4, 16):
            if off is not None and off > 0:
                finer = case.program.call("run", case.path, "--method", "rk4", "--step", repr(step/part))
                off = _off_fixed(case, o, value, answers[1], finer) if finer.ok else None
        case.law("adaptive = fixed steps", off is None or off <= 0,
                 f"{o}: {value:.10g}, with steps of {step/2:.2g} s {values(answers[1])[o]:.10g}", answers[1])


def _off_fixed(case, o: str, value: float, coarse: Answer, fine: Answer) -> float | None:
    """By how much more than allowed a value is off that of fixed steps; None: these do not agree."""
    a, b = values(coarse)[o], values(fine)[o]
    if a is None or b is None or abs(b - a) > 1e-3*abs(b):
        return None
    return abs(value - b) - (3e-4*abs(b) + 3*abs(b - a) + case.doubt.get(o, 0.0) + 1e-8)


def twice(case) -> None:
    """The same command, the same bytes, but for clocks."""
    if case.sens is None or case.chance.random() > 0.1:
        return
    again = case.program.call("sens", case.path, "--wrt", case.wrt, "--method", "direct", *case.sharp)
    lines = [[line for line in a.raw.splitlines() if '"cpu_' not in line] for a in (case.sens, again)]
    case.law("same command, same bytes", lines[0] == lines[1], "differs", again)


def interpreted(case) -> None:
    """The interpreter gives what machine code gives, to the last bit."""
    if case.sens is None or case.m.seed % 10:
        return
    answer = case.program.call("sens", case.path, "--wrt", case.wrt, "--method", "direct", *case.sharp, "--interpreter")
    if not case.law("interpreted: answers", answer.ok, answer.message[:200], answer):
        return
    a, b = gradient(case.sens), gradient(answer)
    for at, x in values(case.sens).items():
        case.law("machine code = interpreter", x == values(answer)[at], f"{at}: {x!r}, interpreter {values(answer)[at]!r}", answer)
    for (o, called), x in a.items():
        case.law("machine code = interpreter", x == b[o, called], f"d {o} / d {called}: {x!r}, interpreter {b[o, called]!r}", answer)
