#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every source, test, example and benchmark in the tree is in a CMake list: nothing is left unbuilt."""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def words(path):
    return set(re.findall(r"[\w./]+", (ROOT / path).read_text(encoding="utf-8")))


def main():
    errors = []
    sources, tests = words("src/CMakeLists.txt"), words("test/CMakeLists.txt")
    for path in sorted((ROOT / "src").rglob("*.c")):
        if path.relative_to(ROOT / "src").as_posix() not in sources:
            errors.append(path)
    for path in sorted((ROOT / "test").glob("*/test_*.c")):
        if f"{path.parent.name}.{path.stem.removeprefix('test_')}" not in tests:
            errors.append(path)
    listed = words("cli/CMakeLists.txt")
    errors += [path for path in sorted((ROOT / "cli").glob("*.c")) if path.name not in listed]
    for folder in ("examples", "bench"):
        listed = words(f"{folder}/CMakeLists.txt")
        errors += [path for path in sorted((ROOT / folder).glob("*.c"))
                   if path.stem not in listed and path.name not in listed]
    for path in errors:
        print(f"{path.relative_to(ROOT)} is in no CMakeLists.txt")
    print(f"lists: {len(errors)} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
