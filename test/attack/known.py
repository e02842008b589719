# SPDX-License-Identifier: Apache-2.0
"""Faults that are known and not mended yet: told, counted, and no failure.

A row names the item of the list of faults it belongs to, the class it excuses, and how it shows. Cases
of cases.py that belong to an item with a row may fail; where all of them pass the row excuses nothing
any more, and the suite says to remove it. Campaigns of one family take the rows as they are. Empty is how this table should be."""
from __future__ import annotations

import re
from dataclasses import dataclass

from judge import Fault


@dataclass(frozen=True)
class Known:
    item: int
    kind: str               # expression for the class of the fault
    shows: str = ""         # expression for the note, the text or the command of it


KNOWN: list[Known] = []


def is_of(row: Known, shown: str, fault: Fault) -> bool:
    return re.fullmatch(row.kind, fault.kind) is not None and re.search(row.shows, shown) is not None


def excuse(known: list[Known], family: str, note: str, fault: Fault) -> Known | None:
    """The row that excuses a fault."""
    shown = "\n".join((note, fault.what, fault.command))
    for row in known:
        if family == f"case of item {row.item}":
            return row
        if is_of(row, shown, fault):
            return row
    return None
