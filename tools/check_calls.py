#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the library must not do: print, exit, jump, allocate past the context, read errno anywhere."""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# pattern, why, files where it is allowed all the same
RULES = [
    (r"\b(exit|_exit|_Exit|quick_exit|abort|atexit)\s*\(", "the library never ends the process", []),
    (r"\b(printf|vprintf|puts|putchar|perror)\s*\(", "the library never prints", []),
    (r"\b(stdout|stderr)\b", "the library never prints", []),
    (r"\b(setjmp|longjmp|sigsetjmp|siglongjmp)\s*\(", "errors are statuses", []),
    (r"\b(malloc|calloc|realloc|free|strdup|strndup|aligned_alloc|posix_memalign)\s*\(",
     "memory comes from the context", ["src/base/err.c", "src/runtime/fmi"]),
    (r"\b(sprintf|vsprintf|gets|strtok|atof|atoi)\s*\(", "unsafe or locale-dependent", []),
    (r"\b(v?snprintf|v?fprintf|v?dprintf|v?s?scanf|fscanf|strtof|strtold|strfmon)\s*\(",
     "numbers as the host's locale writes them; use base/text/format.h, base/text/text.h", ["src/base/text/format.c"]),
    (r"\bstrtod\s*\(", "numbers as the host's locale reads them; use base/text/text.h",
     ["src/base/text/text.c"]),
    (r"\b(is(alnum|alpha|digit|space|print|punct|upper|lower)|to(upper|lower)|str(coll|n?casecmp))\s*\(",
     "letters as the host's locale knows them", []),
    (r"\b(system|popen)\s*\(", "no shell", []),
    (r"\b(rand|srand|setlocale)\s*\(", "hidden global state", []),
    (r"\berrno\b", "errno is read in base/ only", ["src/base/"]),
]

NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


def blank(match):
    """Comments and literals become blanks; lines stay where they are."""
    return "".join(c if c == "\n" else " " for c in match.group())


def main():
    errors = 0
    paths = sorted((ROOT / "src").rglob("*.[ch]"))
    for path in paths:
        name = path.relative_to(ROOT).as_posix()
        code = NOISE.sub(blank, path.read_text(encoding="utf-8"))
        for pattern, why, allowed in RULES:
            if any(name.startswith(prefix) for prefix in allowed):
                continue
            for match in re.finditer(pattern, code):
                line = code.count("\n", 0, match.start()) + 1
                print(f"{name}:{line}: '{match.group().rstrip(' (')}': {why}")
                errors += 1
    print(f"calls: {len(paths)} files, {errors} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
