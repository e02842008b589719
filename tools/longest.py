#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The ten longest files and functions of src/ and cli/: something to talk about, never a failure."""
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OPENING = re.compile(r"^[A-Za-z_].*?\b(\w+)\(")


def functions(lines):
    """(length, name) of each function: from its first line to the brace in column one."""
    start, name = 0, None
    for i, line in enumerate(lines):
        match = OPENING.match(line)
        if match and not line.rstrip().endswith(";"):
            start, name = i, match.group(1)
        elif line.startswith("}") and name:
            yield i - start + 1, name
            name = None


def main():
    file_rows, function_rows = [], []
    for folder in ("src", "cli"):
        for path in (ROOT / folder).rglob("*.c"):
            lines = path.read_text(encoding="utf-8").splitlines()
            where = path.relative_to(ROOT).as_posix()
            file_rows.append((len(lines), where))
            function_rows += [(n, f"{where}: {name}") for n, name in functions(lines)]
    for title, rows in (("longest files", file_rows), ("longest functions", function_rows)):
        print(title)
        for n, what in sorted(rows, key=lambda row: (-row[0], row[1]))[:10]:
            print(f"  {n:5d}  {what}")


if __name__ == "__main__":
    main()
