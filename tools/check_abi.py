#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What programs built with the library rely on: layout of structs, values of enums and constants, signatures.

  check_abi.py [--library libjounce.so]   compare the public headers with tools/abi/libjounce.abi, and the symbols
                                          of the library with the headers
  check_abi.py --update                   write that file and debian/libjounce<N>.symbols anew, where
                                          docs/install.md allows the change

Sizes, offsets and values come from a program that the compiler ($CC, else cc) makes of the headers, so
the description holds for every compiler of one platform: 64 bits, little endian.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TITLE = "# What programs built with libjounce rely on. Written by tools/check_abi.py --update; see docs/install.md.\n"
CC = os.environ.get("CC", "cc").split()


# ---- reading the headers --------------------------------------------------------------------------

def preprocess(include):
    """The text of all public headers, and numbers of their macros."""
    unit = "".join(f"#include <jounce/{path.name}>\n" for path in sorted((include / "jounce").glob("*.h")))
    command = [*CC, "-std=c17", "-E", f"-I{include}", "-x", "c", "-"]
    text = subprocess.run(command, input=unit, capture_output=True, text=True, check=True).stdout
    ours, lines = False, []
    for line in text.splitlines():
        marker = re.match(r'# \d+ "([^"]*)"', line)
        if marker:
            ours = "/jounce/" in marker.group(1)
        elif ours and not line.startswith("#"):
            lines.append(line)
    macros = subprocess.run([*command, "-dM"], input=unit, capture_output=True, text=True, check=True).stdout
    constants = re.findall(r"#define (JO_\w+) (-?\d+u?)$", macros, re.M)
    return " ".join(lines), sorted(name for name, _ in constants if not name.startswith("JO_VERSION"))


def statements(text):
    """Cut at the semicolons outside of braces."""
    depth, begin = 0, 0
    for i, c in enumerate(text):
        depth += (c == "{") - (c == "}")
        if c == ";" and depth == 0:
            yield " ".join(text[begin:i].split())
            begin = i + 1


def split(text, mark=","):
    """Cut at marks outside of brackets."""
    parts, depth, begin = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if c == mark and depth == 0:
            parts.append(text[begin:i].strip())
            begin = i + 1
    return [part for part in [*parts, text[begin:].strip()] if part]


def type_of(declaration):
    """The type of a parameter or member without its name: "int (*f)(void* user)" is "int (*)(void*)"."""
    declaration = re.sub(r"\s*\*\s*", "* ", declaration).replace("* *", "**").replace("* *", "**").strip()
    pointer = re.fullmatch(r"(.*?) ?\(\* ?(\w+)\)\((.*)\)", declaration)
    if pointer:
        return f"{pointer[1]} (*)({', '.join(type_of(p) for p in split(pointer[3]))})"
    array = re.fullmatch(r"(.*?)((?:\[[^\]]*\])+)", declaration)
    if array:
        return type_of(array[1]) + array[2]
    named = re.fullmatch(r"(.*[\s*])(\w+)", declaration)
    words = {"int", "double", "char", "unsigned", "void", "long", "float", "short", "signed"}
    return (named[1] if named and named[2] not in words else declaration).strip()


def name_of(declaration):
    pointer = re.search(r"\(\* ?(\w+)\)", declaration)
    found = pointer or re.search(r"(\w+)\s*(?:\[[^\]]*\]\s*)*$", declaration)
    return found[1]


def members(body):
    """Pairs of name and type: "const char *a, *b" are two."""
    for line in split(body, ";"):
        if ":" in line or "{" in line:
            raise SystemExit(f"abi: a member that this tool cannot read: {line}")
        first, *others = split(line)
        base = re.match(r"((?:const |unsigned |struct |enum )*\w+)", first)[1]
        for declaration in [first, *(f"{base} {other}" for other in others)]:
            yield name_of(declaration), type_of(declaration)


class Headers:
    def __init__(self, include):
        text, self.constants = preprocess(include)
        self.enums, self.structs, self.opaque, self.functions, self.types = {}, {}, [], {}, {}
        for statement in statements(text):
            self.read(statement)

    def read(self, statement):
        statement, is_public = re.subn(r"__attribute__\(\(visibility\(\"default\"\)\)\) ?", "", statement)
        enum = re.fullmatch(r"typedef enum (\w+) \{(.*)\} \1", statement)
        struct = re.fullmatch(r"typedef struct (\w+) \{(.*)\} \1", statement)
        opaque = re.fullmatch(r"typedef struct (\w+) \1", statement)
        function = re.fullmatch(r"(\w[\w\s*]*?)\s*\b(\w+)\((.*)\)", statement)
        if enum:
            self.enums[enum[1]] = [part.split("=")[0].strip() for part in split(enum[2])]
        elif struct:
            self.structs[struct[1]] = list(members(struct[2]))
        elif opaque:
            self.opaque.append(opaque[1])
        elif statement.startswith("typedef "):
            self.types[name_of(statement)] = type_of(statement.removeprefix("typedef "))
        elif function and is_public:
            self.functions[function[2]] = (type_of(function[1] + " x"), [type_of(p) for p in split(function[3])])
        else:
            raise SystemExit(f"abi: a declaration without JO_API, or one that this tool cannot read: {statement}")


# ---- the description -------------------------------------------------------------------------------

def measure(headers, include):
    """Sizes, offsets and values as the compiler has them."""
    ask = []
    for name in [value for values in headers.enums.values() for value in values] + headers.constants:
        ask.append((name, f"(long)({name})"))
    for name, fields in headers.structs.items():
        ask += [(name, f"(long)sizeof({name})"), (f"{name} align", f"(long)_Alignof({name})")]
        for field, _ in fields:
            ask.append((f"{name}.{field}", f"(long)offsetof({name}, {field})"))
            ask.append((f"{name}.{field} size", f"(long)sizeof((({name}*)0)->{field})"))
    unit = "#include <stdio.h>\n"
    unit += "".join(f"#include <jounce/{path.name}>\n" for path in sorted((include / "jounce").glob("*.h")))
    unit += "int main(void) {\n" + "".join(f'  printf("%ld\\n", {what});\n' for _, what in ask) + "}\n"
    with tempfile.TemporaryDirectory() as room:
        probe = f"{room}/probe"
        subprocess.run([*CC, "-std=c17", "-O0", f"-I{include}", "-x", "c", "-", "-o", probe], input=unit, text=True,
                       check=True)
        numbers = subprocess.run([probe], capture_output=True, text=True, check=True).stdout.split()
    return dict(zip((key for key, _ in ask), numbers))


def describe(headers, include):
    """Text by subject, such as "struct jo_setting"; the order is that of the file."""
    number = measure(headers, include)
    subjects = {}
    for name, values in sorted(headers.enums.items()):
        subjects[f"enum {name}"] = [f"{value} = {number[value]}" for value in values]
    for name in headers.constants:
        subjects[f"constant {name}"] = [number[name]]
    for name in sorted(set(headers.opaque) - set(headers.structs)):
        subjects[f"handle {name}"] = []
    for name, target in sorted(headers.types.items()):
        subjects[f"type {name}"] = [target]
    for name, fields in sorted(headers.structs.items()):
        subjects[f"struct {name}"] = [f"size {number[name]}, alignment {number[f'{name} align']}"] + [
            f"{number[f'{name}.{field}']}: {kind} {field}, {number[f'{name}.{field} size']} bytes" for field, kind in fields]
    for name, (result, parameters) in sorted(headers.functions.items()):
        subjects[f"function {name}"] = [f"{result} ({', '.join(parameters)})"]
    return subjects


def write(version, subjects):
    text = TITLE + f"version {version}\n"
    for name, lines in subjects.items():
        text += f"\n{name}\n" + "".join(f"  {line}\n" for line in lines)
    return text


def parse(text):
    version = re.search(r"^version (\S+)$", text, re.M)[1]
    blocks = [block.splitlines() for block in text.split("\n\n")[1:]]
    return version, {block[0]: [line.strip() for line in block[1:]] for block in blocks}


def compare(old, new):
    """Sentences about what is new, and about what programs would not survive."""
    added = [f"{name} is new" for name in new if name not in old]
    broken = [f"{name} is gone" for name in old if name not in new]
    for name in old:
        if name not in new or old[name] == new[name]:
            continue
        lost = [line for line in old[name] if line not in new[name]]
        more = [line for line in new[name] if line not in old[name]]
        if name.startswith("enum ") and not lost:
            added.append(f"{name} has more: {', '.join(more)}")
        elif sorted(old[name]) != sorted(new[name]):
            broken.append(f"{name} was {'; '.join(lost) or 'less'}, and is {'; '.join(more) or 'without that'}")
    return added, broken


# ---- versions, symbols, the library ----------------------------------------------------------------

def header_version(include):
    text = (include / "jounce/base.h").read_text(encoding="utf-8")
    numbers = [re.search(rf"#define JO_VERSION_{part} +(\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH")]
    told = re.search(r'#define JO_VERSION_STRING +"([\d.]+)"', text)[1]
    return ".".join(numbers), told


def is_released(root, version):
    return f"\n## [{version}]" in (root / "CHANGELOG.md").read_text(encoding="utf-8")


def symbols_path(root, version):
    return root / f"debian/libjounce{version.split('.', maxsplit=1)[0]}.symbols"


def read_symbols(path):
    """Symbol and the version it came with."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return dict(re.findall(r"^ (\w+)@Base (\S+)$", text, re.M))


def write_symbols(path, version, functions):
    known, major = read_symbols(path), version.split(".", maxsplit=1)[0]
    lines = [f" {name}@Base {known.get(name, version)}\n" for name in sorted(functions)]
    head = f"libjounce.so.{major} libjounce{major} #MINVER#\n* Build-Depends-Package: libjounce-dev\n"
    path.write_text(head + "".join(lines), encoding="utf-8")


def check_versions(root, include, functions):
    """Every place that has the version, or the names of functions."""
    version, told = header_version(include)
    errors = [] if version == told else [f"base.h: JO_VERSION_STRING is {told}, the numbers are {version}"]
    package = re.match(r"jounce \(([\d.]+)", (root / "debian/changelog").read_text(encoding="utf-8"))[1]
    if package != version:
        errors.append(f"debian/changelog has version {package}, base.h {version}")
    symbols = symbols_path(root, version)
    if f"Package: {symbols.stem}\n" not in (root / "debian/control").read_text(encoding="utf-8"):
        errors.append(f"debian/control has no package {symbols.stem}: it is named after the major version")
    if set(read_symbols(symbols)) != set(functions):
        errors.append(f"debian/{symbols.name} does not have the functions of the headers")
    return errors


def check_library(path, version, functions):
    """It exports what the headers declare, and nothing else, under the right name."""
    errors = []
    text = subprocess.run(["nm", "-D", "--defined-only", path], capture_output=True, text=True, check=True).stdout
    seen = {line.split()[2].split("@")[0] for line in text.splitlines() if line.split()[1] != "A"}
    errors += [f"{path}: {name} is seen, but no header declares it" for name in sorted(seen - set(functions))]
    errors += [f"{path}: {name} is declared, but not there" for name in sorted(set(functions) - seen)]
    text = subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True).stdout
    name = re.search(r"SONAME.*\[(.*)\]", text)[1]
    wanted = f"libjounce.so.{version.split('.', maxsplit=1)[0]}"
    return errors + ([f"{path}: its SONAME is {name}, not {wanted}"] if name != wanted else [])


# ---- the verdict -----------------------------------------------------------------------------------

def is_older(a, b):
    return [int(x) for x in a.split(".")] < [int(x) for x in b.split(".")]


def what_stands_against(root, old_version, version, added, broken):
    """Why the description may not be written anew; None: nothing."""
    if not is_released(root, old_version) or not (added or broken):
        return None
    old_major, major = (int(v.split(".", maxsplit=1)[0]) for v in (old_version, version))
    if broken and major <= old_major:
        return (f"programs built with {old_version} would break. Leave what is there as it is and add a function or a struct"
                f" beside it; or raise JO_VERSION_MAJOR, which is the SONAME, and rename libjounce{old_major} in debian/")
    if added and not is_older(old_version, version):
        return f"{old_version} is released: raise JO_VERSION_MINOR for what is new"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", help="the shared library to look into")
    parser.add_argument("--update", action="store_true", help="write the description and the symbols anew")
    parser.add_argument("--root", type=Path, default=ROOT, help="the source, where it is another one")
    arguments = parser.parse_args()
    root, include = arguments.root, arguments.root / "include"
    file = root / "tools/abi/libjounce.abi"
    version, _ = header_version(include)
    headers = Headers(include)
    new = describe(headers, include)
    old_version, old = parse(file.read_text(encoding="utf-8")) if file.exists() else (version, {})
    added, broken = compare(old, new) if file.exists() else ([], [])
    for sentence in [*broken, *added]:
        print(f"abi: {sentence}")
    against = what_stands_against(root, old_version, version, added, broken)
    if against:
        print(f"abi: {against}")
    if arguments.update and not against:
        file.parent.mkdir(exist_ok=True)
        file.write_text(write(version, new), encoding="utf-8")
        write_symbols(symbols_path(root, version), version, headers.functions)
        added = broken = []
    elif added or broken:
        print("abi: where this is meant, write the description anew: python3 tools/check_abi.py --update")
    errors = check_versions(root, include, headers.functions)
    if arguments.library:
        errors += check_library(arguments.library, version, headers.functions)
    for error in errors:
        print(f"abi: {error}")
    count = len(errors) + len(added) + len(broken)
    print(f"abi: {len(headers.functions)} functions, {len(headers.structs)} structs, {len(headers.enums)} enums, "
          f"{count} errors")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
