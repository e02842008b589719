#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every equation a comment in src/ names is in docs/theory.

A number in brackets such as (D5), or both ends of a range (D5)-(D8), counts as a name. Where the file
says which note it follows (docs/theory/NAME.md), the equation must stand there; in a note it stands
at the beginning of a line of formulas. Notes that are named must exist.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAME = re.compile(r"\(([A-Z][0-9]{1,2})\)")
RANGE = re.compile(r"\(([A-Z])([0-9]{1,2})\)-\(\1([0-9]{1,2})\)")
NOTE = re.compile(r"docs/theory/(\w+\.md)")
COMMENT = re.compile(r"//.*")


def equations_of(note):
    """Numbers at the beginning of indented lines."""
    text = note.read_text(encoding="utf-8")
    return {m for line in text.splitlines() if line.startswith("    ") for m in NAME.findall(line)}


def named_in(comments):
    found = set(NAME.findall(comments))
    for letter, first, last in RANGE.findall(comments):
        found |= {f"{letter}{k}" for k in range(int(first), int(last) + 1)}
    return found


def main():
    notes = {path.name: equations_of(path) for path in (ROOT / "docs/theory").glob("*.md")}
    everywhere = set().union(*notes.values())
    errors, count = [], 0
    for path in sorted([*(ROOT / "src").rglob("*.[ch]"), *(ROOT / "include").rglob("*.h")]):
        text = path.read_text(encoding="utf-8")
        comments = "\n".join(COMMENT.findall(text))
        where = path.relative_to(ROOT)
        own = set(NOTE.findall(text))
        errors += [f"{where}: there is no docs/theory/{note}" for note in own - notes.keys()]
        known = set().union(*(notes.get(note, set()) for note in own)) if own else everywhere
        for name in sorted(named_in(comments)):
            count += 1
            if name not in known:
                errors.append(f"{where}: no equation ({name}) in {', '.join(sorted(own)) or 'any note'}")
    print("\n".join(errors) if errors else f"equations: {count} names, 0 errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
