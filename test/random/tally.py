# SPDX-License-Identifier: Apache-2.0
"""What a campaign found: properties kept and broken, rejections, features, and how true error estimates are."""
from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass, field

DERIVATIVES = "gradient = differences"
VALUES = "value within its stated error"
MANY = 200      # models, for shares to mean something
# broken properties that are no silent error: the program gave no number, or said no to what it could answer
LOUD = frozenset(("runs or says why not", "derivatives are finite", "by name and by path: both answer", "sweep answers",
                  "sweep refuses what run refuses", "interpreted: answers", "static: answers", "energy: runs",
                  "means: finite or says why not", "static finds what a run settles into", "the checker itself"))
# families in which a rejection may be the right answer
HARD = frozenset(("bouncing", "simultaneous", "singular", "fixed"))
QUANTILES = ((0.5, "median"), (0.9, "90 %"), (0.99, "99 %"), (1.0, "max"))


@dataclass
class Broken:
    law: str
    what: str
    command: str


@dataclass
class Derivative:
    """One derivative against its reference."""
    seed: int
    what: str
    error: float        # |gradient - reference|
    stated: float
    doubt: float        # of the reference
    size: float         # |gradient|
    sharp: float | None = None  # |gradient - gradient at a tight tolerance|, where the reference confirms that one

    def is_off(self) -> bool:
        return self.error > self.stated + self.doubt


@dataclass
class Result:
    """Of one model."""
    seed: int
    family: str = ""
    features: set[str] = field(default_factory=set)
    kept: Counter = field(default_factory=Counter)
    broken: list[Broken] = field(default_factory=list)
    refusal: str = ""
    no_derivative: str = ""     # why derivatives were rejected, of the last one that was
    derivatives: list[Derivative] = field(default_factory=list)
    no_reference: int = 0
    corners: int = 0            # of those: derivatives of both sides differ
    has_stated: bool = False
    cpu_s: float = 0.0
    calls: int = 0

    def law(self, name: str, holds: bool, what: str = "", command: str = "") -> bool:
        if holds:
            self.kept[name] += 1
        else:
            self.broken.append(Broken(name, what, command))
        return holds

    def is_silent_error(self) -> bool:
        """Exit 0 and a wrong value."""
        return any(b.law not in LOUD for b in self.broken)

    def written(self) -> str:
        """One line of a journal."""
        return json.dumps({**asdict(self), "features": sorted(self.features), "kept": dict(self.kept)})

    @staticmethod
    def read(line: str) -> "Result":
        data = json.loads(line)
        return Result(**{**data, "features": set(data["features"]), "kept": Counter(data["kept"]),
                         "broken": [Broken(**b) for b in data["broken"]],
                         "derivatives": [Derivative(**d) for d in data["derivatives"]]})


def _quantile(values: list[float], share: float) -> float:
    return values[min(len(values) - 1, int(share*len(values)))] if values else 0.0


def _quantiles(values: list[float]) -> str:
    values = sorted(values)
    return ", ".join(f"{name} {_quantile(values, share):.2g}" for share, name in QUANTILES)


class Tally:
    def __init__(self):
        self.results: list[Result] = []

    def add(self, result: Result) -> None:
        self.results.append(result)

    def failed(self) -> int:
        return sum(bool(r.broken) for r in self.results)

    def verdict(self) -> list[str]:
        """What is not as it must be. Of error estimates one in a thousand may be too small."""
        n = len(self.results)
        off = Counter(b.law for r in self.results for b in r.broken)
        judged = sum(len(r.derivatives) for r in self.results)
        values = off[VALUES] + sum(r.kept[VALUES] for r in self.results)
        wrong = []
        if off[DERIVATIVES] > judged//1000:
            wrong.append(f"{off[DERIVATIVES]} of {judged} derivatives are off")
        if off[VALUES] > values//1000:
            wrong.append(f"{off[VALUES]} of {values} values are off")
        if set(off) - {DERIVATIVES, VALUES}:
            wrong.append("properties are broken")
        if n >= MANY and sum(bool(r.refusal) for r in self.results if r.family not in HARD) > 0.15*n:
            wrong.append("too many models are rejected: they say little")
        if n >= MANY and sum(r.no_reference - r.corners for r in self.results) > 0.03*judged:
            wrong.append("too many derivatives have no reference")
        return wrong

    def summary(self, features: bool = True) -> str:
        n = max(len(self.results), 1)
        lines = [f"{n} models, {sum(r.cpu_s for r in self.results)/n:.2f} s of CPU time and "
                 f"{sum(r.calls for r in self.results)/n:.0f} calls each; {self.failed()} broke a property"]
        lines += self._families() + self._rejections() + self._laws() + self._errors()
        if features:
            counts = Counter(f for r in self.results for f in r.features)
            lines.append("features (models, share):")
            lines += [f"  {k:6d} {100*k/n:5.1f} %  {f}" for f, k in sorted(counts.items())]
        return "\n".join(lines)

    def _families(self) -> list[str]:
        """Per family: how models ended, and how their derivatives were judged."""
        lines = ["family        models  rejected  broken  silent errors  derivatives  off  no reference  at corners  CPU s each"]
        for name, own in self._by_family():
            d = [x for r in own for x in r.derivatives]
            lines.append(
                f"  {name:12s} {len(own):5d} {sum(bool(r.refusal) for r in own):9d} "
                f"{sum(bool(r.broken) for r in own):7d} "
                f"{sum(r.is_silent_error() for r in own):14d} {len(d):12d} {sum(x.is_off() for x in d):4d} "
                f"{sum(r.no_reference for r in own):13d} {sum(r.corners for r in own):11d} {sum(r.cpu_s for r in own)/len(own):11.2f}")
        return lines

    def _by_family(self) -> list[tuple[str, list[Result]]]:
        names = dict.fromkeys(r.family for r in self.results)
        return [(name, [r for r in self.results if r.family == name]) for name in names]

    def _rejections(self) -> list[str]:
        lines = []
        for what, key in (("models", "refusal"), ("derivatives of models", "no_derivative")):
            classes = Counter((getattr(r, key), r.family) for r in self.results if getattr(r, key))
            share = 100*sum(classes.values())/max(len(self.results), 1)
            lines.append(f"{what} rejected: {sum(classes.values())} ({share:.1f} %)")
            lines += [f"  {k:5d}  {family:12s} {c}" for (c, family), k in classes.most_common()]
        return lines

    def _laws(self) -> list[str]:
        kept, broken = Counter(), Counter()
        for r in self.results:
            kept.update(r.kept)
            broken.update(b.law for b in r.broken)
        lines = ["properties:                              kept  broken  seeds"]
        for law in sorted(set(kept) | set(broken)):
            seeds = sorted({r.seed for r in self.results for b in r.broken if b.law == law})
            shown = " ".join(map(str, seeds[:12])) + (" ..." if len(seeds) > 12 else "")
            lines.append(f"  {law:36s} {kept[law]:6d}  {broken[law]:6d}  {shown}")
        return lines

    def _errors(self) -> list[str]:
        """Error estimates of derivatives beside true errors."""
        judged = [d for r in self.results for d in r.derivatives]
        without = sum(r.no_reference for r in self.results)
        if not judged and not without:
            return []
        above = [d for d in judged if d.is_off()]
        lines = [f"derivatives: {len(judged)} with a reference, {without} without; "
                 f"true error above the estimate: {len(above)} ({1000*len(above)/max(len(judged), 1):.2f} in 1000)"]
        lines.append("  estimated/true error; the true one by differences, where these resolve it, and by derivatives at a")
        lines.append("  tight tolerance that differences confirm:")
        for name, own in [("all", self.results), *self._by_family()]:
            lines += _ratios(name, [d for r in own for d in r.derivatives])
        widths = [d.stated/d.size for d in judged if d.size > 0]
        lines.append(f"  estimated error/derivative: {_quantiles(widths)}; above 1: {sum(w > 1 for w in widths)} of {len(widths)}")
        return lines


def _ratios(name: str, judged: list[Derivative]) -> list[str]:
    resolved = [d.stated/d.error for d in judged if d.error > 0 and d.doubt < d.error/2]
    # errors below the rounding of derivatives say nothing of estimates
    sharp = [d.stated/d.sharp for d in judged if d.sharp is not None and d.sharp > 1e-13*d.size]
    return [f"    {name:12s} {len(ratios):6d} {what:20s} {_quantiles(ratios)}, below 1: {sum(x < 1 for x in ratios)}"
            for what, ratios in (("by differences", resolved), ("at a tight tolerance", sharp)) if ratios]
