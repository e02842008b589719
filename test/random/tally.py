# SPDX-License-Identifier: Apache-2.0
"""What a campaign found: laws kept and broken, refusals, features, and how true stated errors are."""
from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

DERIVATIVES = "gradient = differences"
VALUES = "value within its stated error"
MANY = 200      # models, for shares to mean something


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


@dataclass
class Result:
    """Of one model."""
    seed: int
    features: set[str] = field(default_factory=set)
    kept: Counter = field(default_factory=Counter)
    broken: list[Broken] = field(default_factory=list)
    refusal: str = ""
    derivatives: list[Derivative] = field(default_factory=list)
    no_reference: int = 0
    has_stated: bool = False
    seconds: float = 0.0
    calls: int = 0

    def law(self, name: str, holds: bool, what: str = "", command: str = "") -> bool:
        if holds:
            self.kept[name] += 1
        else:
            self.broken.append(Broken(name, what, command))
        return holds


def _quantile(values: list[float], share: float) -> float:
    return values[min(len(values) - 1, int(share*len(values)))] if values else 0.0


class Tally:
    def __init__(self):
        self.results: list[Result] = []

    def add(self, result: Result) -> None:
        self.results.append(result)

    def failed(self) -> int:
        return sum(bool(r.broken) for r in self.results)

    def verdict(self) -> list[str]:
        """What is not as it must be. Of stated errors one in a thousand may be too small."""
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
            wrong.append("laws are broken")
        if n >= MANY and sum(bool(r.refusal) for r in self.results) > 0.15*n:
            wrong.append("too many models are refused: they say little")
        if n >= MANY and sum(r.no_reference for r in self.results) > 0.03*judged:
            wrong.append("too many derivatives have no reference")
        return wrong

    def summary(self, features: bool = True) -> str:
        n = max(len(self.results), 1)
        lines = [f"{n} models, {sum(r.seconds for r in self.results)/n:.2f} s and "
                 f"{sum(r.calls for r in self.results)/n:.0f} calls each; {self.failed()} broke a law"]
        lines += self._refusals() + self._laws() + self._errors()
        if features:
            counts = Counter(f for r in self.results for f in r.features)
            lines.append("features (share of models):")
            lines += [f"  {100*k/n:5.1f} %  {f}" for f, k in sorted(counts.items())]
        return "\n".join(lines)

    def _refusals(self) -> list[str]:
        classes = Counter(r.refusal for r in self.results if r.refusal)
        share = 100*sum(classes.values())/max(len(self.results), 1)
        return [f"refused: {sum(classes.values())} ({share:.1f} %)"] + [
            f"  {k:5d}  {c}" for c, k in classes.most_common()]

    def _laws(self) -> list[str]:
        kept, broken = Counter(), Counter()
        for r in self.results:
            kept.update(r.kept)
            broken.update(b.law for b in r.broken)
        lines = ["laws:                              kept  broken  seeds"]
        for law in sorted(set(kept) | set(broken)):
            seeds = sorted({r.seed for r in self.results for b in r.broken if b.law == law})
            shown = " ".join(map(str, seeds[:12])) + (" ..." if len(seeds) > 12 else "")
            lines.append(f"  {law:30s} {kept[law]:6d}  {broken[law]:6d}  {shown}")
        return lines

    def _errors(self) -> list[str]:
        """True over stated error, where the reference is sharp enough to tell."""
        judged = [d for r in self.results for d in r.derivatives]
        without = sum(r.no_reference for r in self.results)
        total = len(judged) + without
        if not total:
            return []
        told = [d for d in judged if d.doubt < d.stated/2]
        ratios = sorted(d.error/d.stated for d in told)
        above = [d for d in judged if d.error > d.stated + d.doubt]
        stated = any(r.has_stated for r in self.results)
        widths = sorted(d.stated/d.size for d in judged if d.size > 0)
        return [
            f"derivatives: {total}, {without} ({100*without/total:.1f} %) without a reference; "
            f"{len(told)} references sharper than half of the {'stated' if stated else 'assumed'} error",
            f"  above their {'stated' if stated else 'assumed'} error: {len(above)} of {len(judged)} "
            f"({1000*len(above)/max(len(judged), 1):.2f} in 1000; must be below 1)",
            f"  true/stated error: median {_quantile(ratios, 0.5):.2g}, 99 % {_quantile(ratios, 0.99):.2g}, "
            f"99.9 % {_quantile(ratios, 0.999):.2g}, largest {_quantile(ratios, 1):.2g}",
            f"  stated error/derivative: median {_quantile(widths, 0.5):.1g}, "
            f"90 % {_quantile(widths, 0.9):.1g}, 99 % {_quantile(widths, 0.99):.1g}",
        ]
