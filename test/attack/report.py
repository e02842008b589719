# SPDX-License-Identifier: Apache-2.0
"""What a campaign found, in few lines: counts per family and class, with seeds to see it again."""
from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from judge import Fault
from known import Known, excuse

SEEDS = 8


@dataclass
class Result:
    """Of one case."""
    family: str
    seed: int
    note: str
    faults: list[Fault]
    calls: int = 0
    codes: Counter = field(default_factory=Counter)
    cpu_s: float = 0.0


class Report:
    def __init__(self, known: list[Known]):
        self.known = known
        self.results: list[Result] = []

    def add(self, result: Result) -> list[Fault]:
        """The faults that nothing excuses."""
        self.results.append(result)
        return [f for f in result.faults if not excuse(self.known, result.family, result.note, f)]

    def failed(self) -> bool:
        return any(not excuse(self.known, r.family, r.note, f) for r in self.results for f in r.faults)

    def summary(self) -> str:
        lines = ["family            cases  calls  CPU s  with a fault"]
        for family in dict.fromkeys(r.family for r in self.results):
            own = [r for r in self.results if r.family == family]
            lines.append(f"  {family:15s} {len(own):6d} {sum(r.calls for r in own):6d} "
                         f"{sum(r.cpu_s for r in own):6.0f}  {sum(bool(r.faults) for r in own)}")
        return "\n".join(lines + self._classes())

    def _classes(self) -> list[str]:
        seeds: dict[tuple[str, str, str], list[int]] = defaultdict(list)
        for r in self.results:
            for f in r.faults:
                row = excuse(self.known, r.family, r.note, f)
                seeds[f"known, item {row.item}" if row else "NEW", f.kind, r.family].append(r.seed)
        if not seeds:
            return ["no faults"]
        lines = ["faults:              class                  family           count  seeds"]
        for (what, kind, family), found in sorted(seeds.items()):
            shown = " ".join(map(str, dict.fromkeys(found[:SEEDS]))) + (" ..." if len(found) > SEEDS else "")
            lines.append(f"  {what:18s} {kind:22s} {family:15s} {len(found):6d}  {shown}")
        return lines
