#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How sharp and how safe error estimates of values and derivatives are: the distribution of estimated over true errors.

    main.py build/jounce                                          every family
    main.py build/jounce --family random --seed 1 --count 500     random models of test/random
    main.py build/jounce --case "circle_speed, car" --list        one model, every derivative
    main.py build/jounce --verify 0.1                             references of one derivative in ten against differences

The true error is the distance of a value or derivative from its reference. There are three references, at tolerances that are
smaller by orders of magnitude: two tolerances with the direct method, and the smaller one with the adjoint method. The
methods take different steps; two tolerances may take the same few steps, for example from an equilibrium, and then agree
on the same error. The reference is the median of the three, and its doubt is how far they are apart. An estimate that lies
within twice the doubt of the true error is undecided: the references do not tell whether it is too small. Undecided
ones are counted, and are not part of the distribution. Differences of `run --set` verify references (--verify).

Exit status 1 when a limit is exceeded (--median, --percentile, --undecided), or one in a thousand of the decided
estimates, or more, is too small.
"""
from __future__ import annotations

import argparse
import collections
import json
import math
import multiprocessing
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass

import families
from families import Case

sys.path.insert(0, os.path.join(families.ROOT, "test", "random"))
import reference  # noqa: E402

TIMEOUT_S = 600
ROUNDING = 1e-13        # of a derivative, or of objective over parameter: not an error of the integration
IDLE = 1e-9             # of objective over parameter: nothing but rounding
DOUBTS = 2.0            # so many times the doubt a reference may be off
MEDIAN, PERCENTILE_99, TOO_SMALL, UNDECIDED = 30.0, 1000.0, 1e-3, 0.1


@dataclass
class Measured:
    """One value or derivative: its error and what was estimated."""
    family: str
    case: str
    setting: str            # tolerance and method
    what: str
    value: float            # computed
    estimate: float
    error: float
    doubt: float            # of the reference
    scale: float            # what the error is small or large by

    @property
    def ratio(self) -> float:
        return self.estimate/max(self.error, self.doubt, ROUNDING*abs(self.value))

    @property
    def too_small(self) -> bool:
        return self.error > self.estimate + DOUBTS*self.doubt + ROUNDING*self.scale

    @property
    def undecided(self) -> bool:
        """A reference that is off by as much as it may be would turn the judgement."""
        return not self.too_small and self.error + DOUBTS*self.doubt > self.estimate + ROUNDING*self.scale \
            and self.doubt > 0.0

    @property
    def alarms(self) -> bool:
        """The estimate is a twentieth of the derivative, or more, though the error is a tenth of that at most."""
        return self.estimate > 0.05*abs(self.value) and max(self.error, self.doubt) < 0.005*abs(self.value)


def _call(program: str, *args: str) -> dict | None:
    try:
        done = subprocess.run([program, *args, "--json"], capture_output=True, text=True, check=False, timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode != 0:
        return None
    return json.loads(done.stdout)


def _sens(program: str, path: str, case: Case, tolerance: str, method: str) -> dict | None:
    options = [] if tolerance == "file" else ["--tol", tolerance]
    if case.wrt:
        options += ["--wrt", ",".join(case.wrt)]
    return _call(program, "sens", path, "--method", method, *options)


def _table(answer: dict, suffix: str = "") -> dict[tuple[str, str], float]:
    """(objective, parameter) → derivative, (objective, "") → value; with the suffix "_error" their estimates."""
    found = {(o, n): x for o, entry in answer["objectives"].items() for n, x in entry.get("gradient" + suffix, {}).items()}
    found |= {(o, ""): entry.get("value" + suffix) for o, entry in answer["objectives"].items()}
    return {at: x for at, x in found.items() if x is not None}


def _references(program: str, path: str, case: Case) -> dict[tuple[str, str], tuple[float, float]]:
    """Values and derivatives, and how well they are known."""
    coarse, fine = case.reference
    tables = []
    for tolerance, method in ((coarse, "direct"), (fine, "direct"), (fine, "adjoint")):
        answer = _sens(program, path, case, tolerance, method)
        if answer is None:
            return {}
        tables.append(_table(answer))
    return {at: of_references([table[at] for table in tables]) for at in tables[0] if all(at in table for table in tables)}


def of_references(found: list[float]) -> tuple[float, float]:
    """The median of three references, and how far they are apart."""
    least, median, most = sorted(found)
    return median, most - least


def measure(task: tuple[str, str, Case, tuple[str, ...]]) -> list[Measured]:
    """All values and derivatives of a case, with each of its tolerances, by these methods."""
    program, family, case, methods = task
    found = []
    with tempfile.TemporaryDirectory(prefix="jounce_estimates_") as folder:
        path = os.path.join(folder, "model.yaml")
        with open(path, "w", encoding="utf-8") as f:
            f.write(case.text)
        known = None
        for tolerance in case.tolerances:
            for method in methods:
                answer = _sens(program, path, case, tolerance, method)
                if answer is None:
                    continue
                known = known if known is not None else _references(program, path, case)
                found += _compare(family, case, f"{tolerance} {method}", answer, known)
    return found


def _compare(family: str, case: Case, setting: str, answer: dict, known: dict) -> list[Measured]:
    computed, estimates = _table(answer), _table(answer, "_error")
    sizes = {p["name"]: abs(p["value"]) or 1.0 for p in answer["parameters"]}
    found = []
    for at, (exact, doubt) in known.items():
        if at not in computed or at not in estimates or not math.isfinite(estimates[at]):
            continue
        objective = answer["objectives"][at[0]]["value"]
        scale = max(abs(exact), abs(objective)/sizes.get(at[1], 1.0))
        if abs(exact) <= IDLE*scale:
            continue
        what = f"d {at[0]} / d {at[1]}" if at[1] else at[0]
        found.append(Measured(family, case.name, setting, what, computed[at], estimates[at],
                              abs(computed[at] - exact), doubt, scale))
    return found


# ---- verification of references ------------------------------------------------------------------------


def verify(program: str, case: Case, share: float) -> tuple[int, int]:
    """How many references agree with differences of runs, and how many do not; those undecided are neither."""
    import random
    agree = differ = 0
    chance = random.Random(case.name)
    with tempfile.TemporaryDirectory(prefix="jounce_estimates_") as folder:
        path = os.path.join(folder, "model.yaml")
        with open(path, "w", encoding="utf-8") as f:
            f.write(case.text)
        known = _references(program, path, case)
        info = _call(program, "sens", path, "--wrt", ",".join(case.wrt)) if known and case.wrt else None
        middle = _run(program, path, case, None, 0.0)
        coarse = _run(program, path, case, None, 0.0, 0)
        if info is None or middle is None or coarse is None:
            return 0, 0
        noise = {o: abs(middle[o] - coarse[o]) + 1e-15*abs(middle[o]) for o in middle}
        for n in case.wrt:
            if chance.random() >= share or n not in info.get("values", {}):
                continue
            x = info["values"][n]
            size = abs(x) or 1.0
            est = reference.derivatives(lambda v, n=n: _run(program, path, case, n, v), x, 8e-3*size, noise,
                                        lambda o, e: e.error <= 1e-6*abs(e.value))
            for o, e in est.items():
                if (o, n) not in known or not e.settled(abs(middle[o])/size):
                    continue
                exact, doubt = known[o, n]
                good = abs(exact - e.value) <= e.error + doubt + 1e-6*abs(exact) + 1e-9*abs(middle[o])/size
                agree += good
                differ += not good
                if not good:
                    print(f"REFERENCE: {case.name}: d {o} / d {n} = {exact:.9g}, differences {e.value:.9g} +- {e.error:.1g}")
    return agree, differ


def _run(program: str, path: str, case: Case, name: str | None, x: float, which: int = 1) -> dict | None:
    options = ["--tol", case.reference[which]] + (["--set", f"{name}={x!r}"] if name else [])
    answer = _call(program, "run", path, *options)
    if answer is None or any(v is None for v in answer["objectives"].values()):
        return None
    return answer["objectives"]


# ---- the distribution ----------------------------------------------------------------------------------


def _quantile(sorted_ratios: list[float], part: float) -> float:
    return sorted_ratios[min(len(sorted_ratios) - 1, int(part*len(sorted_ratios)))]


def table(found: list[Measured], most_median: float, most_99: float, most_undecided: float) -> bool:
    """Prints one line per family and method; whether all of them together are within the limits."""
    groups = collections.defaultdict(list)
    for m in found:
        groups[m.family, m.setting.split()[-1]].append(m)
        groups["all", ""].append(m)
    print(f"{'family':12} {'method':8} {'decided':>7} {'median':>9} {'90 %':>9} {'99 %':>9} {'most':>9} "
          f"{'too small':>9} {'undecided':>9} {'false alarms':>12}")
    good = True
    for (family, method), members in groups.items():
        decided = [m for m in members if not m.undecided]
        ratios = sorted(m.ratio for m in decided) or [math.nan]
        small, undecided = sum(m.too_small for m in decided), len(members) - len(decided)
        median, high = _quantile(ratios, 0.5), _quantile(ratios, 0.99)
        print(f"{family:12} {method:8} {len(decided):7} {median:9.3g} {_quantile(ratios, 0.9):9.3g} {high:9.3g} "
              f"{ratios[-1]:9.3g} {small:9} {undecided:9} {sum(m.alarms for m in decided):12}")
        if family == "all":
            good = median < most_median and high < most_99 and small < TOO_SMALL*len(decided) \
                and undecided <= most_undecided*len(members)
    return good


def _tasks(o: argparse.Namespace) -> list[tuple[str, str, Case, tuple[str, ...]]]:
    tasks = []
    methods = (o.method,) if o.method else ("direct", "adjoint")
    for family, make in families.FAMILIES.items():
        if o.family in ("all", family):
            tasks += [(o.program, family, case, methods) for case in make() if o.case in case.name]
    if o.family in ("all", "random"):
        cases = (families.random_case(seed) for seed in range(o.seed, o.seed + o.count))
        tasks += [(o.program, "random", case, methods) for case in cases if case and o.case in case.name]
    return tasks


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("--family", default="all", choices=["all", "random", *families.FAMILIES])
    parser.add_argument("--case", default="", help="only models whose name contains this")
    parser.add_argument("--seed", type=int, default=1, help="of the first random model")
    parser.add_argument("--count", type=int, default=100, help="random models")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--method", choices=["direct", "adjoint"], help="both by default")
    parser.add_argument("--list", action="store_true", help="every value and derivative, not only the distribution")
    parser.add_argument("--save", help="file for every value and derivative, JSON")
    parser.add_argument("--median", type=float, default=MEDIAN, help="most that the median may be")
    parser.add_argument("--percentile", type=float, default=PERCENTILE_99, help="most that the 99th percentile may be")
    parser.add_argument("--undecided", type=float, default=UNDECIDED, help="most that the part of those undecided may be")
    parser.add_argument("--alarms", type=int, default=sys.maxsize, help="most false alarms")
    parser.add_argument("--verify", type=float, default=0.0, help="part of the references to compare with differences")
    o = parser.parse_args()
    tasks, found = _tasks(o), []
    with multiprocessing.Pool(o.jobs) as pool:
        for (_, _, case, _), measured in zip(tasks, pool.imap(measure, tasks)):
            found += measured
            for m in measured:
                if m.too_small or m.undecided or o.list:
                    print(f"{m.case}, {m.setting}: {m.what} = {m.value:.6g}, estimated {m.estimate:.2g}, true {m.error:.2g}, "
                          f"reference known to {m.doubt:.1g}: ratio {m.ratio:.3g}{' TOO SMALL' if m.too_small else ' UNDECIDED' if m.undecided else ''}", flush=True)
            if not measured:
                print(f"{case.name}: nothing measured", flush=True)
    if o.save:
        with open(o.save, "w", encoding="utf-8") as f:
            json.dump([m.__dict__ for m in found], f)
    good = bool(found) and table(found, o.median, o.percentile, o.undecided) and sum(m.alarms for m in found) <= o.alarms
    if o.verify > 0.0:
        counts = [verify(o.program, case, o.verify) for _, _, case, _ in tasks]
        print(f"references: {sum(a for a, _ in counts)} agree with differences, {sum(d for _, d in counts)} do not")
        good = good and not any(d for _, d in counts)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
