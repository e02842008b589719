#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Who may include whom: fails on an include against the layers, or a knot inside a folder.

The folders of src/ are layers (ARCHITECTURE.md). Inside a layer, whatever its folders, modules, that is a .c file and the
header of the same name, may include each other's headers without cycles. A header without a .c file
is shared inside of the modules that include it and makes no knot of modules.

Headers, with or without a .c file, must not know each other either: a header knows those it includes
and those whose structs it declares without defining them.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# layer -> layers it may include, besides itself, base and include/jounce
LAYERS = {
    "base": [],
    "expr": [],
    "road": [],
    "model": ["road", "expr"],
    "gen": ["model", "expr"],
    "element": ["gen", "model", "expr"],
    "emit": ["expr"],
    "kernel": ["emit", "expr"],
    "solve": ["kernel"],
    "machine": ["solve"],
    "runtime": ["machine", "road", "solve"],
    "plant": ["machine", "solve", "kernel", "emit", "gen", "model", "expr"],
    "sens": ["plant", "machine", "solve", "kernel", "gen", "model", "expr"],
    "batch": ["sens", "plant", "machine", "solve", "kernel", "emit", "gen", "model", "expr"],
    "loads": ["sens", "plant", "machine", "solve", "kernel", "gen", "model", "expr"],
    "sweep": ["batch", "sens", "plant", "machine", "solve", "kernel", "gen", "model", "expr"],
    "axle": ["sens", "plant", "machine", "solve", "kernel", "element", "gen", "model", "expr"],
    "export": ["plant", "road", "runtime", "machine", "solve", "kernel", "emit", "gen", "model", "expr"],
    "scene": ["plant", "machine", "solve", "kernel", "element", "gen", "model", "expr"],
    "import": ["model"],
    "report": ["scene", "axle", "sweep", "batch", "loads", "sens", "plant", "road"],
    "api": ["report", "import", "export", "scene", "axle", "sweep", "batch", "loads", "sens", "plant", "machine", "solve", "kernel", "emit", "element",
            "gen", "model", "expr", "road"],
    "study": ["api", "report", "sweep", "batch", "sens", "plant", "machine", "gen", "model", "expr"],
}
# structs that a header may name although theirs knows it: pointers that it only hands on
OPAQUE = {
    ("emit/encode/code.h", "jemit_listing"),           # what instructions are reported to
    ("emit/encode/target.h", "jemit_registers"),       # what instructions are written with
    ("model/model.h", "jmodel_element_class"),  # what an element is, for those who read and write it
    ("model/model.h", "jmodel_ranges"),         # what checks of other values need
    ("model/read/yaml.h", "jmodel_instance"),        # whose copy a node is
    ("runtime/vehicle.h", "jvehicle"),          # what users hold; inside.h has what its parts share
}
STRUCT = re.compile(r"\bstruct\s+(\w+)\s*([{;*]|\w+\s*;)")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]', re.M)


def includes(path):
    return INCLUDE.findall(path.read_text(encoding="utf-8"))


def check_source(path, errors):
    layer = path.relative_to(ROOT / "src").parts[0]
    if layer not in LAYERS:
        errors.append(f"{path}: layer '{layer}' is not in the table of tools/check_layers.py")
        return
    allowed = {layer, *LAYERS[layer], "base", "jounce"}
    for kind, name in includes(path):
        if kind == "<" and not name.startswith("jounce/"):
            continue
        target = name.split("/")[0]
        if "/" not in name or target not in allowed:
            errors.append(f"{path.relative_to(ROOT)}: {layer} may not include \"{name}\"")
        elif target != "jounce" and not (ROOT / "src" / name).is_file():
            errors.append(f"{path.relative_to(ROOT)}: there is no \"{name}\"")


def check_outside(errors):
    for path in sorted((ROOT / "cli").rglob("*.[ch]")):
        for kind, name in includes(path):
            is_own = kind == '"' and (path.parent / name).is_file()
            if not is_own and (kind == '"' or "/" in name) and not name.startswith(("jounce/", "sys/")):
                errors.append(f"{path.relative_to(ROOT)}: cli may include only <jounce/...>, not \"{name}\"")
    for path in sorted((ROOT / "include").rglob("*.h")):
        for kind, name in includes(path):
            if kind == '"' and not name.startswith("jounce/"):
                errors.append(f"{path.relative_to(ROOT)}: public headers may not include \"{name}\"")


def module_graph(layer):
    """Modules of a layer, in all its folders, and those of the same layer they include."""
    graph = {}
    for path in sorted(layer.rglob("*.[ch]")):
        own = path.relative_to(layer.parent).with_suffix("").as_posix()
        uses = graph.setdefault(own, set())
        if not path.with_suffix(".c").is_file():
            continue
        for _, name in includes(path):
            target = Path(name).with_suffix("").as_posix()
            if target.split("/")[0] == layer.name and target != own:
                uses.add(target)
    return graph


def header_graph():
    """Headers of src/ and the headers they know."""
    texts = {p.relative_to(ROOT / "src").as_posix(): p.read_text(encoding="utf-8")
             for p in sorted((ROOT / "src").rglob("*.h"))}
    home = {}
    for header, text in texts.items():
        for name, mark in STRUCT.findall(text):
            if mark == "{":
                home[name] = header
    graph = {}
    for header, text in texts.items():
        knows = {name for kind, name in INCLUDE.findall(text) if kind == '"' and name in texts}
        for name, mark in STRUCT.findall(text):
            if mark != "{" and home.get(name, header) != header and (header, name) not in OPAQUE:
                knows.add(home[name])
        graph[header] = knows
    return graph


def find_cycle(graph):
    state = {}

    def visit(node, trail):
        state[node] = "open"
        for other in sorted(graph.get(node, ())):
            if state.get(other) == "open":
                return trail[trail.index(other):] + [other] if other in trail else [node, other]
            if other not in state:
                cycle = visit(other, trail + [other])
                if cycle:
                    return cycle
        state[node] = "done"
        return None

    for node in sorted(graph):
        if node not in state:
            cycle = visit(node, [node])
            if cycle:
                return cycle
    return None


def main():
    errors = []
    sources = sorted((ROOT / "src").rglob("*.[ch]"))
    for path in sources:
        check_source(path, errors)
    check_outside(errors)
    for folder in sorted((ROOT / "src").iterdir()):
        if folder.is_dir():
            cycle = find_cycle(module_graph(folder))
            if cycle:
                errors.append(f"src/{folder.name}: modules form a knot: {' -> '.join(cycle)}")
    cycle = find_cycle(header_graph())
    if cycle:
        errors.append(f"src: headers know each other: {' -> '.join(cycle)}")
    for error in errors:
        print(error)
    print(f"layers: {len(sources)} files, {len(errors)} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
