#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes python/jounce/_abi.py: the public headers as ctypes structs, enums and prototypes.

    tools/python_abi.py            write the file
    tools/python_abi.py --check    exit status 1 where it is not what the headers say

Nothing of the interface is written by hand: a new function or member of a struct is there once this was run.
A declaration that is not understood stops it.

C                                   ctypes
handles (opaque structs)            c_void_p
T*, const T* of structs             POINTER(T)
const char*                         c_char_p, bytes in UTF-8; in structs likewise
const char* const*                  POINTER(c_char_p)
double*, int64_t*, ...              POINTER(c_double), ...
void*, const void*                  c_void_p
enums                               c_int; their values are in classes of IntEnum
bool                                c_bool
structs that are returned           restype is the Structure itself: by value
struct members that are functions   CFUNCTYPE(...), 0 stands for NULL
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADERS = ROOT / "include/jounce"
TARGET = ROOT / "python/jounce/_abi.py"

PLAIN = {
    "int": "c_int", "unsigned": "c_uint", "double": "c_double", "size_t": "c_size_t", "bool": "c_bool",
    "int64_t": "c_int64", "uint64_t": "c_uint64", "char": "c_char",
}


def refuse(what):
    sys.exit(f"tools/python_abi.py: this is not understood: {what}")


def read_headers():
    """Text of all headers in an order in which every type comes before its use, without comments."""
    texts = {p.name: p.read_text(encoding="utf-8") for p in sorted(HEADERS.glob("*.h"))}
    order, seen = [], set()

    def visit(name):
        if name in seen:
            return
        seen.add(name)
        for other in re.findall(r'#include "jounce/(\w+\.h)"', texts[name]):
            visit(other)
        order.append(name)

    for name in texts:
        visit(name)
    text = "\n".join(texts[name] for name in order)
    return re.sub(r"//[^\n]*", "", text).replace("\\\n", " ")


def split(text, mark=","):
    """Parts between marks that stand in no brackets or quotation marks."""
    parts, depth, quoted, word = [], 0, False, ""
    for c in text:
        quoted ^= c == '"'
        depth += (not quoted) * ((c == "(") - (c == ")"))
        if c == mark and depth == 0 and not quoted:
            parts.append(word.strip())
            word = ""
        else:
            word += c
    return parts + ([word.strip()] if word.strip() else [])


def lists_of(text):
    """X-macro lists: name -> rows of arguments."""
    found = {}
    for name, body in re.findall(r"#define (JO_\w+_LIST)\(X\)([^\n]*)", text):
        rows, depth, begin = [], 0, None
        for i, c in enumerate(body):
            if c == "(" and depth == 0:
                begin = i + 1
            depth += (c == "(") - (c == ")")
            if c == ")" and depth == 0:
                rows.append(split(body[begin:i]))
        found[name] = rows
    return found


def expand(body, lists):
    """The body of an enum with its X-macros written out."""
    def write(match):
        arguments, pattern, name = match.groups()
        names = [a.strip() for a in arguments.split(",")]
        out = []
        for row in lists[name]:
            if len(row) != len(names):
                refuse(f"a row of {name}: {row}")
            line = pattern
            for k, v in zip(names, row):
                line = re.sub(rf"##{k}\b|\b{k}\b", lambda _, v=v: v, line)
            out.append(line)
        return "\n".join(out)
    return re.sub(r"#define X\(([^)]*)\)([^\n]*)\n\s*(JO_\w+_LIST)\(X\)\n\s*#undef X", write, body)


def enums_of(text, lists):
    for name, body in re.findall(r"typedef enum (\w+) \{(.*?)\} \1;", text, re.S):
        value, items = -1, []
        for item in split(expand(body, lists)):
            match = re.fullmatch(r"(JO_\w+)(?:\s*=\s*(-?\d+))?", item)
            if not match:
                refuse(f"enum {name}: {item}")
            value = int(match[2]) if match[2] else value + 1
            items.append((match[1], value))
        yield name, items


def constants_of(text):
    for name, value in re.findall(r"#define (JO_\w+)\s+(\d+u?|\"[^\"]*\")\s*$", text, re.M):
        yield name, value.rstrip("u")


class Types:
    def __init__(self, text, enums):
        self.enums = {name for name, _ in enums}
        self.structs = dict(re.findall(r"typedef struct (\w+) \{(.*?)\} \1;", text, re.S))
        self.handles = set(re.findall(r"typedef struct (\w+) \1;", text)) - self.structs.keys()

    def of(self, text):
        """ctypes of a C type without a name."""
        text = re.sub(r"\s+", " ", text).strip()
        function = re.fullmatch(r"(.+?)\s*\(\*\)\s*\((.*)\)", text)
        if function:
            return self.function(function[1], function[2])
        base = re.sub(r"\bconst\b", "", text).replace(" ", "")
        stars = len(base) - len(base.rstrip("*"))
        base = base.rstrip("*")
        if base == "void":
            return "c_void_p" if stars else "None"
        if base == "char" and stars:
            return "POINTER(" * (stars - 1) + "c_char_p" + ")" * (stars - 1)
        if base in self.handles:
            if not stars:
                refuse(text)
            return "POINTER(" * (stars - 1) + "c_void_p" + ")" * (stars - 1)
        plain = "c_int" if base in self.enums else base if base in self.structs else PLAIN.get(base)
        return "POINTER(" * stars + plain + ")" * stars if plain else refuse(text)

    def function(self, result, inside):
        arguments = [self.of(without_name(a)) for a in split(inside)]
        return f"CFUNCTYPE({', '.join([self.of(result), *arguments])})"


def without_name(text):
    function = re.fullmatch(r"(.+?\(\*)\w*(\).*)", text)
    if function:
        return function[1] + function[2]
    match = re.fullmatch(r"(.*?[\s*])(\w+)", text)
    return match[1] if match and match[2] not in PLAIN else text


def members_of(body):
    """Names and C types of the members of a struct."""
    for line in (part.strip() for part in split(body, ";")):
        if not line:
            continue
        function = re.fullmatch(r"(.+?)\(\*(\w+)\)\s*(\(.*\))", line, re.S)
        if function:
            yield function[2], f"{function[1].strip()} (*) {function[3]}"
            continue
        first, *others = split(line)
        match = re.fullmatch(r"(.*?)(\**)\s*(\w+)", first, re.S)
        base = match[1].strip()
        # "const char *a, *b" and "const char* a": the stars belong to the names where there are several
        yield match[3], base + match[2]
        shared = base.rstrip("*").strip() if others else base
        for other in others:
            stars, name = re.fullmatch(r"(\**)\s*(\w+)", other).groups()
            yield name, shared + stars


def functions_of(text):
    for result, name, inside in re.findall(r"JO_API\s+([\w\s*]+?)\s*\b(jo_\w+)\(([^;]*)\);", text):
        inside = re.sub(r"\s+", " ", inside)
        yield name, result, [] if inside == "void" else split(inside)


def in_order(types):
    """Structs after those they hold by value or point to."""
    done, order = set(), []

    def visit(name):
        if name in done:
            return
        done.add(name)
        for _, kind in members_of(types.structs[name]):
            for other in re.findall(r"jo_\w+", kind):
                if other in types.structs:
                    visit(other)
        order.append(name)

    for name in types.structs:
        visit(name)
    return order


def write(text):
    lists = lists_of(text)
    enums = list(enums_of(text, lists))
    types = Types(text, enums)
    out = ['# SPDX-License-Identifier: Apache-2.0',
           '"""The C interface of Jounce for ctypes. Written by tools/python_abi.py from include/jounce/*.h."""',
           "from ctypes import (CFUNCTYPE, POINTER, c_bool, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint,",
           "                    c_uint64, c_void_p)",
           "from enum import IntEnum", "", "from ._checked import Structure", ""]
    out += [f"{name} = {value}" for name, value in constants_of(text)]
    for name, items in enums:
        out += ["", "", f"class {name}(IntEnum):", *(f"    {k} = {v}" for k, v in items)]
    texts = [f"    {row[1]}: {row[2]}," for row in lists["JO_STATUS_LIST"]]
    out += ["", "", "STATUS_TEXT = {", *texts, "}"]
    for name in in_order(types):
        fields = [f'        ("{k}", {types.of(v)}),' for k, v in members_of(types.structs[name])]
        out += ["", "", f"class {name}(Structure):", "    _fields_ = [", *fields, "    ]"]
    out += ["", "", f"STRUCTS = ({', '.join(in_order(types))})".replace(", ", ",\n           "), "",
            "# name: what it returns, what it takes", "FUNCTIONS = {"]
    for name, result, parameters in functions_of(text):
        arguments = "".join(types.of(without_name(p)) + ", " for p in parameters)
        out.append(f'    "{name}": ({types.of(result)}, ({arguments.strip()})),')
    return "\n".join(out + ["}", ""])


def main():
    text = write(read_headers())
    if "--check" in sys.argv[1:]:
        if not TARGET.exists() or TARGET.read_text(encoding="utf-8") != text:
            print("python/jounce/_abi.py is not what include/jounce/*.h say: run tools/python_abi.py")
            return 1
        return 0
    TARGET.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
