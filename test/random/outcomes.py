# SPDX-License-Identifier: Apache-2.0
"""Properties of what a run comes to: tolerance, floors, energies, symmetry, where it settles.

Each takes a `laws.Case`. They hold of a run that ends well; the course up to an error is judged, too."""
from __future__ import annotations

import copy
import os

from leaves import write
from program import Answer, allowed_by_warnings, values
from seeds import EARLIER
from variants import columns

FAR_OFF = 100.0     # times what is allowed, where a run with fixed steps warns
LEAST = 1e-6      # values below are rounding errors of something larger
SHOWS = 2e-3      # of the largest value that an objective has on the way: twice what may change without a warning, (I11)
TIGHTER = "value at a tolerance 1000 times smaller"


def _value_errors_by_mass(case) -> dict[str, float]:
    """Errors of values where derivatives with respect to the parameters chosen are rejected, as lengths are through singular
    positions: masses have derivatives there, too."""
    masses = [case.written.called.get(entry["mass"]) for entry in case.m.tree["bodies"].values()]
    masses = [called for called in masses if called]
    answer = case.program.call("sens", case.path, "--wrt", masses[0]) if masses else None
    told = answer.data["objectives"] if answer and answer.ok else {}
    return {o: entry.get("value_error") or 0.0 for o, entry in told.items()}


def tighter(case) -> None:
    """A run at tolerance t agrees with one at t/1000 within the scale of t.

    Integration multiplies errors of single steps; `value_error` of sens says by how much."""
    tree = case.m.tree["simulation"]
    if not case.sharp_value or "method" in tree:
        return
    tolerance = tree.get("tolerance", 1e-8)
    for o, value in case.value.items():
        stated = case.value_error.get(o, 0.0)
        if o in case.warned:
            stated = max(stated, case.warned[o]*(abs(value) or 1.0))
        allowed = 1e3*tolerance*max(abs(value), 1.0) + stated + 10*case.noise[o]
        if o not in case.value_error and abs(value - case.sharp_value[o]) > allowed:
            allowed += _value_errors_by_mass(case).get(o, 0.0)
        case.law(TIGHTER, abs(value - case.sharp_value[o]) <= allowed,
                 f"{o} = {value:.12g} at {tolerance:g}, {case.sharp_value[o]:.12g} at {case.tolerance}, allowed {allowed:.2g}")


def written(case) -> None:
    """A value given by --set is the same value written into the file, and laid over it by another file."""
    if case.result.family == EARLIER or not case.in_tree or case.chance.random() > 0.5:
        return
    n = case.chance.choice(case.in_tree)
    called = case.written.called[n]
    value = float(f"{n.value + 0.003*n.size:.12g}")
    kept, n.value = n.value, value
    text = write(case.m.tree).text
    n.value = kept
    answers = [case.program.call("run", case.path, "--set", f"{called}={n.text(value) if called != n.name else repr(value)}"),
               case.program.call("run", case.program.save(f"{case.m.seed}_written.yaml", text))]
    laid_over = _laid_over(case, called, value)
    if laid_over:
        answers.append(case.program.call("run", case.program.save(f"{case.m.seed}_over.yaml", laid_over)))
    for other in answers[1:]:
        same = answers[0].ok == other.ok and (not other.ok or all(
            abs(values(other)[o] - v) <= 1e-9*abs(v) + 1e-12 + case.noise.get(o, 0.0) for o, v in values(answers[0]).items()))
        case.law("--set = written into the file", same,
                 f"{called} = {value!r}: {_told(answers[0])}, written: {_told(other)}", other)


def _laid_over(case, called: str, value: float) -> str:
    """A file that includes the model and changes one value of it; not for places in lists."""
    parts = called.split(".")
    if "[" in called or parts[-1] in ("x", "y", "z", "xx", "yy", "zz", "xy", "xz", "yz") or parts[0] == "initial":
        return ""
    if len(parts) == 1:
        parts = ["parameters", called]
    elif parts[0] == "couplings" and parts[2] == "of":
        parts[3:] = [".".join(parts[3:])]       # a coordinate, as 'j0.a', is one key
    text = "".join(f"{p}: {{" for p in parts[:-1])
    return f"jounce: 1\ninclude: {os.path.basename(case.path)}\n{text}{parts[-1]}: {value!r}" + "}"*(len(parts) - 1) + "\n"


def _told(answer: Answer) -> str:
    return str(values(answer)) if answer.ok else answer.message[:150]


def course(case) -> None:
    """All the way: floors hold, energy is kept or only lost; also up to where a run stops with an error."""
    m = case.m
    singular = case.result.family == "singular"
    if not m.floors and not singular and not m.dissipative:
        return
    tree = copy.copy(m.tree)
    tree["objectives"] = {"o": {"final": "t"}}
    path = case.program.save(f"{m.seed}_course.yaml", write(tree).text)
    out = os.path.join(case.program.folder, f"{m.seed}_course.csv")
    answer = case.program.call("run", path, "-o", out)
    if not os.path.exists(out):
        return
    found = columns(out)
    os.remove(out)
    for name in m.floors:
        lowest = min(found[name])
        case.law("stays above the floor", lowest >= -1e-6, f"{name} falls to {lowest:.6g}", answer)
    energy = [k + p for k, p in zip(found["energy.kinetic"], found["energy.potential"])]
    for name, stiffness in m.buffers:
        energy = [e + 0.5*stiffness*min(z, 0.0)**2 for e, z in zip(energy, found[name])]
    if singular and not m.tree["forces"]:
        turnover = max(max(found["energy.kinetic"]), max(energy) - min(energy), 1e-3)
        off = max(abs(e - energy[0]) for e in energy)
        # rows are interpolated between steps: energies are as accurate as the tolerance has rates; (R17) has what rounding adds
        allowed = max(1e3*m.tree["simulation"].get("tolerance", 1e-8), 1e-7)
        case.law("energy is kept", off <= allowed*turnover, f"off by {off:.3g} J of {turnover:.3g} J", answer)
    elif m.dissipative:
        gained = max(b - a for a, b in zip(_lowest_so_far(energy), energy))
        case.law("energy does not grow", gained <= 1e-6*max(abs(e) for e in energy) + 1e-9, f"gains {gained:.3g} J", answer)


def _lowest_so_far(energy: list[float]) -> list[float]:
    found = [energy[0]]
    for e in energy[1:]:
        found.append(min(found[-1], e))
    return found


def twins(case) -> None:
    """What is symmetric stays so, once what acts on one side alone is left out."""
    if not case.m.twins:
        return
    sides = {name for pair in case.m.twins for name in pair}
    tree = copy.copy(case.m.tree)
    if case.result.family == "instances":
        tree["forces"] = {k: f for k, f in tree["forces"].items() if f.get("on") not in sides}
        tree["initial"] = {k: v for k, v in tree["initial"].items() if k not in sides}
        tree["objectives"] = {"o": {"final": "t"}}
    answer = case.program.call("run", case.program.save(f"{case.m.seed}_twins.yaml", write(tree).text))
    for a, b in case.m.twins if answer.ok else ():
        x, y = answer.data["final"][a], answer.data["final"][b]
        case.law("mirror images move alike", abs(x - y) <= 1e-7*max(abs(x), abs(y), 1.0), f"{a} {x:.10g}, {b} {y:.10g}", answer)


def settles(case) -> None:
    """A static equilibrium is stable, or reported as unstable."""
    if case.result.family != "resting":
        return
    modes = case.program.call("modes", case.path, "--at", "static")
    static = case.program.call("static", case.path)
    if not (modes.ok and static.ok):
        return
    growing = max((mode["re"] for mode in modes.data["modes"]), default=0.0)
    case.law("equilibrium is stable", growing <= 1e-6 or "unstable" in static.message + static.raw,
             f"an eigenvalue of {growing:.4g} 1/s", static)


def missed(case, rejected: Answer) -> None:
    """Static equilibrium is found where a long run comes to rest."""
    m = case.m
    if case.result.family != "resting" or "equilibrium" not in rejected.message:
        return
    tree = copy.deepcopy(m.tree)
    tree["simulation"] = {"end": 20.0}
    tree["objectives"] = {"o": {"final": "energy.kinetic"}}
    for name, entry in m.tree["forces"].items():
        if name.startswith("load"):
            tree["forces"].pop(name)
    path = case.program.save(f"{m.seed}_settled.yaml", write(tree).text)
    answer = case.program.call("run", path)
    if answer.ok and values(answer)["o"] is not None:
        case.law("static finds what a run settles into", values(answer)["o"] > 1e-9,
                 f"a run of 20 s comes to rest; static: {rejected.message[:150]}", rejected)


def same_meaning(case) -> None:
    """An input written in another way that means the same gives the same values."""
    for force, text in case.m.same:
        tree = copy.deepcopy(case.m.tree)
        tree["forces"][force]["torque"] = text
        path = case.program.save(f"{case.m.seed}_same.yaml", write(tree).text)
        answer = case.program.call("run", path)
        allowed = allowed_by_warnings(answer) if answer.ok else {}
        same = answer.ok and all(case.same_value(o, v, case.value[o]) or abs(v - case.value[o]) <= allowed.get(o, 0.0)
                                 for o, v in values(answer).items())
        case.law("meaning does not depend on the writing", same, f"{text}: {_told(answer)}; as it is {case.value}", answer)
        _same_rest(case, text, path)


def _same_rest(case, text: str, path: str) -> None:
    """The same of static equilibrium, which is that of the start."""
    if case.result.family != "boundaries" or case.m.tree["simulation"].get("start_at") != "static":
        return
    found = [case.program.call("static", p) for p in (case.path, path)]
    if not case.law("static answers", all(a.ok for a in found), f"{text}: {found[1].message[:200]}", found[1]):
        return
    a, b = (answer.data["coordinates"] for answer in found)
    case.law("rest does not depend on the writing", all(abs(x - b[c]) <= 1e-9*(1 + abs(x)) for c, x in a.items()),
             f"{text}: {b}; as it is {a}", found[1])


def _late_size(case, found: dict[str, list[float]], o: str) -> float:
    """Of a value that is read at the end: the largest in the last quarter of the run. One at the end may pass through zero."""
    if "final" not in case.m.tree["objectives"][o]:
        return 0.0
    since = 0.75*found["t"][-1] + 0.25*found["t"][0]
    return max(abs(v) for t, v in zip(found["t"], found[o]) if t >= since)


def diverged(case) -> None:
    """A fixed step far beyond the stability limit is no result, and has no error estimate.

    Stable steps that are long for a motion may be late: a value at the end may be off by the size of the motion there. Where a
    run warns that results may be far off they may, but not by orders of magnitude."""
    entry = case.m.tree["simulation"]
    if "step" not in entry:
        return
    out = os.path.join(case.program.folder, f"{case.m.seed}_adaptive.csv")
    adaptive = case.program.call("run", case.path, "--method", "auto", "--tol", "1e-10", "-o", out)
    if not adaptive.ok:
        return
    rows = columns(out)
    for o, true in values(adaptive).items():
        v = case.value[o]
        late = _late_size(case, rows, o)
        allowed = (max(10*abs(true), late) + 1.0)*(FAR_OFF if case.unfollowed else 1.0)
        case.law("fixed steps do not diverge silently", abs(v - true) <= allowed,
                 f"{o} = {v:.6g} with steps of {entry['step']:g} s by {entry['method']}, adaptive {true:.6g}", adaptive)
        late = max(abs(v), abs(true), late)
        known = case.unfollowed or case.warned.get(o, 0.0) > 0.0 or late < LEAST
        allowed = max(0.1*late, SHOWS*max(map(abs, rows[o])))
        case.law("fixed steps do not damp silently", known or late - abs(v) <= 0.1*late or abs(v - true) <= allowed,
                 f"{o} = {v:.6g} with steps of {entry['step']:g} s by {entry['method']}, adaptive {true:.6g}", adaptive)
        told = (case.sens.data["objectives"][o].get("value_error") if case.sens else None)
        if told is not None and case.sens.data["objectives"][o]["value"] == v:
            case.law("error estimate of fixed steps", abs(v - true) <= told + 0.1*abs(true) + 1e-6,
                     f"{o} = {v:.6g} +- {told:.2g}, adaptive {true:.6g}", case.sens)
    os.remove(out)


def integrals(case) -> None:
    """Objectives whose value is known have it."""
    for o, (known, doubt) in case.m.integrals.items():
        case.law("integral of what rests at limits", abs(case.value[o] - known) <= doubt, f"{o} = {case.value[o]:.9g}, known {known:.9g} +- {doubt:.1g}")


def counts(case) -> None:
    """Events whose number is known happen as often."""
    if not case.m.counts:
        return
    tree = copy.copy(case.m.tree)
    tree["objectives"] = {f"of_{name}": {"final": name} for name in case.m.counts}
    answer = case.program.call("run", case.program.save(f"{case.m.seed}_counts.yaml", write(tree).text))
    for name, n in case.m.counts.items() if answer.ok and answer.data["complete"] else ():
        found = values(answer)[f"of_{name}"]
        case.law("every event happens", found == n, f"{name}: {found:g} of {n}", answer)
