# SPDX-License-Identifier: Apache-2.0
"""What must hold for every model: each law has a name, under which it is counted."""
from __future__ import annotations

import math
import random
import re
import resource
from typing import Callable

import generator
import outcomes
import variants
from leaves import Number, Written, write
from model import Model
from program import Answer, Program, gradient, is_unfollowed, lacks_derivatives, message_class, values, warned
from reference import Estimate, derivatives, noise_of
from seeds import EARLIER, family_of
from tally import DERIVATIVES, HARD, VALUES, Derivative, Result

FIRST_INCREMENT = 8e-3          # of the size of a number
NOISE_SPACING = 1e-6            # of the size: of values that the noise is measured with
LOCATED = 1e-13                 # events are so late at most, times max(1, t) [s]
INCREMENTS = (1.0, 0.01)        # of the first: smaller ones where differences do not settle
BETTER = 0.1        # of the error of a reference
CLOSER = (0.3, 0.01, 1e-4)      # of those that settled: a second opinion, and what holds closer to the parameter
ASSUMED = 1e-6                  # relative error of derivatives where none is stated
SHARP = ("--tol", "1e-10")      # then asked of sens, for errors below that
TIGHTEST = ("1e-10", "1e-11", "1e-12")
NOTHING = 1e-13                 # objectives and influences below that are rounding
MANY_STEPS = 2000               # of a run: a tighter one would take too long


class Case:
    """A model under test: its file, the numbers chosen, and what has been computed so far."""

    def __init__(self, m: Model, program: Program, result: Result):
        self.m, self.program, self.result = m, program, result
        self.chance = random.Random(f"{m.seed} laws")
        self.written = write(m.tree)
        self.path = program.save(f"{m.seed}.yaml", self.written.text)
        known = [n for n in m.numbers if n in self.written.called]
        self.written.called.update({n: n.path for n in m.addresses})
        numbers = self.chance.sample(known + m.addresses, min(
            len(known) + len(m.addresses), self.chance.choice((2, 2, 2, 3, 3, 4))))
        self.numbers: list[Number] = list(dict.fromkeys(numbers))
        self.value: dict[str, float] = {}
        self.warned: dict[str, float] = {}  # how far values may be off, of themselves
        self.unfollowed = False             # fixed steps are too long for the motion, as the run warns
        self.value_error: dict[str, float] = {}     # the same as `sens` states it, also of values without derivatives
        self.sens: Answer | None = None
        self.sharp: tuple[str, ...] = ()
        self.tolerance = ""                 # of references, ...
        # ... which resolve the motion: differences of fixed steps would be derivatives of their errors, too
        self.resolved = ("--method", "auto") if "step" in m.tree["simulation"] else ()
        self.noise: dict[str, float] = {}   # of values with it
        self.doubt: dict[str, float] = {}   # of the value of the plain command
        self.sharp_value: dict[str, float] = {}     # at the tightest tolerance, ...
        self.sharp_warned: dict[str, float] = {}    # ... and how far that run warns they may be off, of themselves
        self._sharp: dict[tuple[str, str], float] | None = None
        self._closer: dict[str, float] | None = None

    @property
    def wrt(self) -> str:
        return ",".join(self.written.called[n] for n in self.numbers)

    @property
    def in_tree(self) -> list[Number]:
        """Those that can be written as a parameter or inline."""
        return [n for n in self.numbers if n not in self.m.addresses]

    def sharp_gradient(self) -> dict[tuple[str, str], float]:
        """Derivatives at the tolerance of references; for sizes of errors that differences confirm but cannot resolve."""
        if self._sharp is None:
            resolved = ("--integrator", "auto") if self.resolved else ()
            answer = self.program.call("sens", self.path, "--wrt", self.wrt, "--method", "direct", *resolved, "--tol", self.tolerance)
            self._sharp = gradient(answer) if answer.ok and finite(gradient(answer).values()) else {}
        return self._sharp

    def closer_value(self, objective: str) -> float:
        """The reference of a value once more, with steps of at most a tenth of their mean length."""
        if self._closer is None:
            answer = self.program.call("run", self.path, *self.resolved, "--tol", self.tolerance)
            step = answer.data["t_reached"]/max(answer.data["steps"], 1)/10
            answer = self.program.call("run", self.path, *self.resolved, "--tol", self.tolerance, "--max-step", repr(step))
            self._closer = values(answer) if answer.ok else {}
        return self._closer.get(objective, math.nan)

    def law(self, name: str, holds: bool, what: str = "", answer: Answer | None = None) -> bool:
        command = " ".join(answer.command) if answer else ""
        return self.result.law(name, holds, what, command)

    def scale(self, objective: str, n: Number) -> float:
        """Natural size of a derivative."""
        return abs(self.value[objective])/n.size

    def root_of_nothing(self) -> bool:
        """rms or peak of what never moves: there is no derivative."""
        return any(abs(self.value[o]) < 1e-14 and ("rms" in entry or "peak" in entry)
                   for o, entry in self.m.tree["objectives"].items())

    def is_rounding(self, objective: str, n: Number, *slopes: float) -> bool:
        """Neither the objective nor what the number changes of it is more than what sums leave of terms that cancel."""
        return max(abs(self.value[objective]), *(abs(g)*n.size for g in slopes)) < NOTHING

    def same_value(self, objective: str, a: float, b: float) -> bool:
        """But for what the tolerance of the file allows."""
        return close(a, b, 1e-5, 1e-9 + 2*self.doubt.get(objective, 0.0))

    def stated(self, answer: Answer, objective: str, n: Number, called: str) -> float:
        """Error of a derivative as the answer states it, or as it is assumed where it does not."""
        errors = gradient(answer, "gradient_error")
        told = errors.get((objective, called))
        if told is None and (objective, called) in errors and "those of one side" in answer.message:
            self.result.features.add("one-sided derivative, told")
            return math.inf
        if told is not None:
            self.result.has_stated = True
            # rounding of the sums, which no estimate of the integration knows of; and what is nothing
            # beside the absolute tolerance
            return told + 1e-13*self.scale(objective, n) + 1e-15/n.size
        g = gradient(answer)[objective, called]
        return ASSUMED*abs(g) + 1e-7*self.scale(objective, n) + 1e-15/n.size


def check(seed: int, program: Program) -> Result:
    """All laws on the model of this seed."""
    began = _cpu_s()
    m = generator.make(seed)
    result = Result(seed, family_of(seed), m.features)
    case = Case(m, program, result)
    calls = program.calls
    if _runs(case):
        _noise(case)
        for law in LAWS:
            law(case)
        if case.root_of_nothing():
            m.features.add("root of nothing")
    result.cpu_s = _cpu_s() - began
    result.calls = program.calls - calls
    return result


def _cpu_s() -> float:
    """Of this process and of the calls it made."""
    return sum(u.ru_utime + u.ru_stime for u in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


def finite(numbers) -> bool:
    return all(x is not None and math.isfinite(x) for x in numbers)


def close(a: float, b: float, relative: float, floor: float = 1e-12) -> bool:
    return abs(a - b) <= relative*max(abs(a), abs(b)) + floor


# the laws

def _runs(case: Case) -> bool:
    """Goes well with finite numbers, or says why not."""
    answer = case.program.call("run", case.path)
    if not answer.ok:
        case.result.refusal = message_class(answer.message)
        case.law("runs or says why not", answer.code == 1 and bool(answer.message),
                 f"exit {answer.code}: {answer.message[:200]}", answer)
        outcomes.missed(case, answer)
        if case.result.family in HARD:
            outcomes.course(case)
        return False
    case.value = values(answer)
    case.warned = warned(answer)
    case.unfollowed = is_unfollowed(answer)
    if case.unfollowed:
        case.result.features.add("steps too long for the motion, and said so")
    if answer.data.get("partition_changes"):
        case.result.features.add("partition changes")
    return case.law("runs or says why not", finite(case.value.values()) and answer.data["complete"],
                    f"not finite: {case.value}", answer)


def _direct_and_adjoint(case: Case) -> None:
    if case.root_of_nothing():
        return
    direct = case.program.call("sens", case.path, "--wrt", case.wrt, "--method", "direct")
    if not direct.ok and case.result.family != EARLIER:
        direct = _those_that_are_answered(case, direct)
    if direct.ok and not gradient(direct, "gradient_error"):
        case.sharp = SHARP
        direct = case.program.call("sens", case.path, "--wrt", case.wrt, "--method", "direct", *SHARP)
    adjoint = case.program.call("sens", case.path, "--wrt", case.wrt, "--method", "adjoint", *case.sharp)
    if direct.ok:
        case.value_error = {o: told.get("value_error") or 0.0 for o, told in direct.data["objectives"].items()}
    if lacks_derivatives(direct) or (not direct.ok and _is_rejected(case, direct)) or _is_root_of_nothing(case, direct, adjoint) or \
            _has_overflown(direct, adjoint):
        case.m.features.add("no derivative, and said so")
        case.result.no_derivative = message_class(direct.message or adjoint.message)
        return
    for answer in (direct, adjoint):
        well = answer.ok and finite(gradient(answer).values())
        if not case.law("derivatives are finite", well, answer.message[:200] or "not finite", answer):
            return
    case.sens = direct
    _values_within(case, direct)
    _values_within(case, adjoint)
    for o, told in direct.data["objectives"].items():
        case.doubt[o] = max(case.doubt.get(o, 0.0), told.get("value_error") or 0.0)
    a, b = gradient(direct), gradient(adjoint)
    for n in case.numbers:
        called = case.written.called[n]
        for o in case.value:
            allowed = case.stated(direct, o, n, called) + case.stated(adjoint, o, n, called)
            if case.is_rounding(o, n, a[o, called], b[o, called]):
                continue
            case.law("direct = adjoint", abs(a[o, called] - b[o, called]) <= allowed,
                     f"d {o} / d {called}: {a[o, called]:.12g} and {b[o, called]:.12g}, "
                     f"allowed {allowed:.2g}", direct)
    for o, value in values(direct).items():
        case.law("value of sens = value of run", case.same_value(o, value, case.value[o]),
                 f"{o}: {value:.12g} and {case.value[o]:.12g}", direct)


def _is_root_of_nothing(case: Case, direct: Answer, other: Answer) -> bool:
    """Another computation of the same objective (the adjoint method, which may take other steps, or the other spelling of a
    parameter, which rounds differently) found a root of exactly zero and reported that it has no derivative there. That is a
    valid answer where the value that the direct method found is zero within its error, or is rounding."""
    if not direct.ok or not lacks_derivatives(other):
        return False
    lacking = [o for o, told in other.data["objectives"].items() if "no_derivatives" in told] if other.ok else \
        re.findall(r"objective '(\w+)' has no derivatives", other.message)
    return bool(lacking) and all(
        {"rms", "peak"} & set(case.m.tree["objectives"][o]) and
        abs(direct.data["objectives"][o]["value"]) <= (direct.data["objectives"][o].get("value_error") or 0.0) + NOTHING for o in lacking)


def _has_overflown(direct: Answer, adjoint: Answer) -> bool:
    """Weights of states at rest overflowed going back, and the message names the method that answers: the direct one."""
    if not direct.ok or not adjoint.ok:
        return direct.ok and "its weights overflow" in adjoint.message and "--method direct" in adjoint.message
    why = [told["no_derivatives"] for told in adjoint.data["objectives"].values() if "no_derivatives" in told]
    return bool(why) and all("its weights overflow" in text for text in why)


def _is_rejected(case: Case, answer: Answer) -> bool:
    """Of later families: what the program says is hard may be rejected, and is counted."""
    return case.result.family != EARLIER and answer.code == 1 and bool(answer.message)


def _those_that_are_answered(case: Case, rejected: Answer) -> Answer:
    """One parameter may be the cause: the others are kept."""
    kept = []
    for n in case.numbers if len(case.numbers) > 1 else ():
        answer = case.program.call("sens", case.path, "--wrt", case.written.called[n], "--method", "direct")
        if answer.ok:
            kept.append(n)
        else:
            case.result.no_derivative = message_class(answer.message)
    if not kept:
        return rejected
    case.numbers = kept
    return case.program.call("sens", case.path, "--wrt", case.wrt, "--method", "direct")


def _values_within(case: Case, answer: Answer) -> None:
    """Objectives are within the errors that are stated of them."""
    for o, told in answer.data["objectives"].items():
        if o not in case.sharp_value or told.get("value_error") is None:
            continue
        doubt = case.sharp_warned.get(o, 0.0)
        if math.isinf(doubt):
            # a run that warns of its own value is no reference: from an equilibrium, two tolerances take the same step
            case.result.features.add("value without a reference, which its run warns of")
            continue
        off = abs(told["value"] - case.sharp_value[o])
        # the reference is off by its tolerance itself, and may gain little from one tolerance to the next
        own = max(10*case.noise[o], float(case.tolerance)*max(abs(told["value"]), 1.0), doubt*abs(case.sharp_value[o]))
        allowed = told["value_error"] + own + NOTHING
        if off > allowed and abs(told["value"] - case.closer_value(o)) <= allowed:
            # two tolerances may share an error where stability limits the steps
            case.result.features.add("value whose reference changes with shorter steps")
            continue
        case.law(VALUES, off <= allowed,
                 f"{o} = {told['value']:.12g}, at a small tolerance {case.sharp_value[o]:.12g}, stated "
                 f"{told['value_error']:.2g}", answer)


def _noise(case: Case) -> None:
    """The tightest tolerance that works, and how much values change from the next one to it."""
    before: dict[str, float] = {}
    for tolerance in TIGHTEST:
        answer = case.program.call("run", case.path, *case.resolved, "--tol", tolerance)
        if not answer.ok or not finite(values(answer).values()):
            break
        now = values(answer)
        if before:
            case.tolerance = tolerance
            # of all tolerances alike, events are late, and by how much is a function of the parameters; what that does to an
            # objective is about what it gains in that time
            t = answer.data["t_reached"]
            late = LOCATED*max(1.0, t)/t if answer.data["events"] and t > 0 else 0.0
            case.noise = {o: abs(now[o] - before[o]) + late*abs(now[o]) for o in now}
            case.doubt = {o: abs(now[o] - case.value[o]) for o in now}
            case.sharp_value, case.sharp_warned = now, warned(answer)
            if answer.data["steps"] > MANY_STEPS:
                break
        before = now


def _runner(case: Case, called: str) -> Callable[[float], dict | None]:
    """Objectives with the number set, by the plain command."""
    def f(x: float) -> dict | None:
        answer = case.program.call("run", case.path, "--set", f"{called}={x!r}", *case.resolved, "--tol", case.tolerance)
        if not answer.ok or not finite(values(answer).values()):
            return None
        return values(answer)
    return f


def _differences(case: Case) -> None:
    """Derivatives are those of the values."""
    if case.sens is None:
        return
    if not case.tolerance:
        case.result.no_reference += len(gradient(case.sens))
        return
    for n in case.numbers:
        _differences_by(case, n)


def _differences_by(case: Case, n: Number) -> None:
    called = case.written.called[n]
    g = {o: gradient(case.sens)[o, called] for o in case.value}
    stated = {o: case.stated(case.sens, o, n, called) for o in case.value}
    if all(math.isinf(x) for x in stated.values()):
        return

    def enough(o: str, e: Estimate) -> bool:
        return e.error <= 0.1*stated[o] or abs(g[o] - e.value) > 1e3*(stated[o] + e.error)

    f = _runner(case, called)
    measured = noise_of(f, n.value, NOISE_SPACING*n.size, case.sharp_value)
    noise = {o: max(x, measured.get(o, 0.0)) for o, x in case.noise.items()}
    for share in INCREMENTS:
        first = share*FIRST_INCREMENT*n.size
        found = derivatives(f, n.value, first, noise, enough, case.sharp_value)
        if all(o in found and found[o].settled(case.scale(o, n)) for o in case.value):
            break
    off = [o for o in found if _off(g[o], stated[o], found[o])]
    # a second opinion where it matters: a tableau may settle by chance, or on the derivative of where events have another
    # order. Closer increments must say that the derivative is off, too.
    closer = [derivatives(f, n.value, share*first, noise, enough, case.sharp_value) for share in CLOSER] if off else []
    for o in case.value:
        settled = o in found and found[o].settled(case.scale(o, n))
        if settled and o in off:
            found[o] = _closest(found[o], [e[o] for e in closer if o in e and e[o].settled(case.scale(o, n))])
        others = [e[o] for e in closer if o in e and _agree(found[o], e[o]) and e[o] is not found[o]]
        confirmed = o in off and not _off(g[o], stated[o], found[o]) or any(_off(g[o], stated[o], e) for e in others)
        if settled and (o not in off or confirmed):
            _judge(case, o, n, found[o], stated[o])
        else:
            case.result.no_reference += 1
            case.result.corners += o in found and found[o].corner


def _closest(reference: Estimate, closer: list[Estimate]) -> Estimate:
    """A derivative is what differences come to: those of closer increments hold where they contradict, or are known much better."""
    for e in closer:
        if not _agree(reference, e) or e.error < BETTER*reference.error:
            reference = e
    return reference


def _off(g: float, stated: float, e: Estimate) -> bool:
    return abs(g - e.value) > stated + e.error


def _agree(a: Estimate, b: Estimate) -> bool:
    return abs(a.value - b.value) <= 2*(a.error + b.error) + 1e-9*abs(a.value)


def _judge(case: Case, o: str, n: Number, reference: Estimate, stated: float) -> None:
    called = case.written.called[n]
    g = gradient(case.sens)[o, called]
    if math.isinf(stated) or case.is_rounding(o, n, reference.value):
        return
    sharp = case.sharp_gradient().get((o, called))
    confirmed = sharp is not None and abs(sharp - reference.value) <= 2*reference.error
    case.result.derivatives.append(Derivative(
        case.m.seed, f"d {o} / d {called}", abs(g - reference.value), max(stated, 1e-300), reference.error,
        abs(g), abs(g - sharp) if confirmed else None))
    case.law(DERIVATIVES, not _off(g, stated, reference),
             f"d {o} / d {called} = {g:.10g}, differences say {reference.value:.10g} "
             f"+- {reference.error:.1g}; stated error {stated:.1g}", case.sens)


def _by_name_and_by_path(case: Case) -> None:
    """The same number inline and as a parameter; one that is written in several places is moved in all of them."""
    if case.sens is None:
        return
    for n in case.in_tree[:2 if "static start" in case.m.features else 1]:
        found = []
        for keys in ({"inline": frozenset([n])}, {"named": frozenset([n])}):
            file = write(case.m.tree, **keys)
            paths = file.places[n]
            path = case.program.save(f"{case.m.seed}_other.yaml", file.text)
            answer = case.program.call("sens", path, "--wrt", ",".join(paths), "--method", "direct", *case.sharp)
            if not answer.ok and "is what instances are made of" in answer.message:
                case.result.no_derivative = message_class(answer.message)
                return
            if _is_root_of_nothing(case, case.sens, answer):
                case.m.features.add("no derivative, and said so")
                return
            if not case.law("by name and by path: both answer", answer.ok, answer.message[:200], answer):
                return
            found.append((paths, answer))
        _same_derivatives(case, n, found)


def _same_derivatives(case: Case, n: Number, found: list[tuple[list[str], Answer]]) -> None:
    (inline, a), (named, b) = found
    if inline == named:
        return
    for o in case.value:
        x, y = (sum(gradient(answer)[o, path] for path in paths) for paths, answer in found)
        allowed = 1e-8*max(abs(x), abs(y)) + 1e-9*case.scale(o, n) + 1e-15/n.size
        if case.result.has_stated:
            allowed += sum(case.stated(answer, o, n, path) for paths, answer in found for path in paths)
        case.law("by name = by path", abs(x - y) <= allowed,
                 f"d {o} / d {' + '.join(inline)}: {x:.12g}, as a parameter {y:.12g}", a)


LAWS = (_direct_and_adjoint, _differences, _by_name_and_by_path, variants.sweep, variants.energy,
        variants.means, variants.static, variants.fixed_steps, variants.twice, variants.interpreted,
        outcomes.tighter, outcomes.written, outcomes.course, outcomes.twins, outcomes.settles, outcomes.same_meaning,
        outcomes.diverged, outcomes.integrals, outcomes.counts)
