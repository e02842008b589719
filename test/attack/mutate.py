# SPDX-License-Identifier: Apache-2.0
"""Mutations of model files: of the tree, of the text, and of everything at once."""
from __future__ import annotations

import copy
import re

import extremes
import texts
import tree
from draw import Draw
from starts import Start

Files = dict[str, str]


def _numbers(content: dict) -> list[tuple]:
    return [path for path, text in tree.leaves(content) if tree.is_number(text) and path != ("jounce",)]


def _words(content: dict) -> list[tuple]:
    return [path for path, text in tree.leaves(content) if text and not tree.is_number(text)]


def _any(content: dict) -> list[tuple]:
    return [path for path, _ in tree.nodes(content)]


# each changes a tree in place and gives its name; an IndexError says there was nothing to change

def extreme(content: dict, draw: Draw) -> str:
    path = draw.one(_numbers(content))
    value = draw.one(extremes.SETTINGS if draw.chance(0.7) else extremes.ALL)
    tree.put(content, path, value)
    return f"{path} = {value}"


def scaled(content: dict, draw: Draw) -> str:
    path = draw.one(_numbers(content))
    factor = draw.one((-1, 1))*10.0**draw.count(-12, 12)
    value = f"{float(tree.get(content, path))*factor:.17g}"
    tree.put(content, path, value)
    return f"{path} = {value}"


def by_parameter(content: dict, draw: Draw) -> str:
    """The same nonsense, one name away from where it is used."""
    path = draw.one([p for p in _numbers(content) if p[0] != "parameters"])
    value = draw.one(extremes.SETTINGS)
    content.setdefault("parameters", {})["attack"] = value
    tree.put(content, path, "attack")
    return f"{path} = attack = {value}"


def hostile_name(content: dict, draw: Draw) -> str:
    """A key is renamed, or a text, unit or description replaced."""
    _, text = draw.one(texts.ALL)
    path = draw.one(_any(content))
    owner = tree.get(content, path[:-1])
    if isinstance(owner, dict) and draw.chance(0.6):
        owner[text] = owner.pop(path[-1])
        return f"{path} named {text[:40]!r}"
    path = draw.one(_words(content))
    tree.put(content, path, text)
    return f"{path} = {text[:40]!r}"


def deleted(content: dict, draw: Draw) -> str:
    path = draw.one(_any(content))
    tree.drop(content, path)
    return f"{path} deleted"


def emptied(content: dict, draw: Draw) -> str:
    path = draw.one(_any(content))
    tree.put(content, path, None)
    return f"{path} emptied"


def copied(content: dict, draw: Draw) -> str:
    """One thing in the place of another."""
    here, there = draw.one(_any(content)), draw.one(_any(content))
    tree.put(content, here, copy.deepcopy(tree.get(content, there)))
    return f"{here} = {there}"


def swapped(content: dict, draw: Draw) -> str:
    """References to bodies, points, coordinates and names change places."""
    here, there = draw.one(_words(content)), draw.one(_words(content))
    a, b = tree.get(content, here), tree.get(content, there)
    tree.put(content, here, b)
    tree.put(content, there, a)
    return f"{here} <-> {there}"


def same_point(content: dict, draw: Draw) -> str:
    """Two points become one: elements without length, loops that are singular."""
    vectors = [p for p, v in tree.nodes(content) if isinstance(v, list) and len(v) == 3
               and all(tree.is_number(x) for x in v)]
    here, there = draw.one(vectors), draw.one(vectors)
    tree.put(content, here, list(tree.get(content, there)))
    return f"{here} = {there}"


def flattened(content: dict, draw: Draw) -> str:
    """All points in one plane, or on one line."""
    axes = draw.some((0, 1, 2), draw.count(1, 2))
    value = draw.one(("0", "0.1"))
    for path, vector in list(tree.nodes(content)):
        if isinstance(vector, list) and len(vector) == 3 and path[0] in ("hardpoints", "bodies"):
            for axis in axes:
                vector[axis] = value
    return f"coordinates {axes} = {value}"


def cycle(content: dict, draw: Draw) -> str:
    section = draw.one(("parameters", "signals", "sensors"))
    entries = content.setdefault(section, {})
    n = draw.count(1, 5)
    for i in range(n):
        entries[f"loop{i}"] = f"loop{(i + 1) % n} + 1"
    return f"cycle of {n} {section}"


def chain(content: dict, draw: Draw) -> str:
    section = draw.one(("parameters", "signals"))
    n = int(10**draw.uniform(1, 3.7))
    entries = content.setdefault(section, {})
    entries["link0"] = "1"
    for i in range(1, n):
        entries[f"link{i}"] = f"link{i - 1} + 1"
    content.setdefault("sensors", {})["end_of_chain"] = f"link{n - 1}"
    return f"chain of {n} {section}"


def joint_cycle(content: dict, draw: Draw) -> str:
    joints = [j for j in content.get("joints", {}).values() if isinstance(j, dict) and "child" in j]
    joint, other = draw.one(joints), draw.one(joints)
    joint["parent"] = other["child"]
    return f"parent of {joint['child']} = {other['child']}"


def nested_text(content: dict, draw: Draw) -> str:
    """Deep brackets, towers of powers, long sums."""
    path = draw.one(_numbers(content))
    n = int(10**draw.uniform(1, 4))
    text = str(tree.get(content, path))
    tree.put(content, path, draw.one((
        "("*n + text + ")"*n, "-"*n + text, "2^"*min(n, 2000) + text, " + ".join([text]*n),
        "if(t<1,"*n + text + ",0)"*n, "sin("*n + text + ")"*n, "not "*n + "true")))
    return f"{path} nested {n}"


def nested_tree(content: dict, draw: Draw) -> str:
    path = draw.one(_any(content))
    n = int(10**draw.uniform(1, 3.5))
    tree.put(content, path, "@NEST@")
    content["description"] = "nest"
    return f"{path} nested {n} @{n}"


def huge_list(content: dict, draw: Draw) -> str:
    lists = [p for p, v in tree.nodes(content) if isinstance(v, list)]
    path = draw.one(lists)
    n = int(10**draw.uniform(1, 4.7))
    tree.put(content, path, [str(i) for i in range(n)])
    return f"{path} of {n}"


def wrong_type(content: dict, draw: Draw) -> str:
    path = draw.one(_any(content))
    value = draw.one((["1", "2"], {"a": "1"}, "text", "1", "true", [], {}, [[]], {"value": "1"}, None, [None]))
    tree.put(content, path, copy.deepcopy(value))
    return f"{path} = {value}"


def unit(content: dict, draw: Draw) -> str:
    entries = [e for s in ("parameters", "sensors", "objectives", "states")
               for e in (content.get(s) or {}).values() if isinstance(e, dict)]
    value = draw.one((draw.one(texts.ALL)[1], "km/h", "deg", "1", "lbf", ""))
    draw.one(entries)["unit"] = value
    return f"unit {value[:40]!r}"


def objective(content: dict, draw: Draw) -> str:
    """Objectives that are no number, windows without length, filters that cannot be."""
    entry = draw.one(({"final": "log(t - 100)"}, {"final": "0/(t - t)"}, {"mean": "sqrt(-1 - t)"},
                      {"rms": "1", "window": ["0.01", "0.01"]}, {"mean": "t", "window": ["0", "0"]},
                      {"peak": "1e300*t", "power": "200"}, {"integral": "exp(1e5*t)"}, {"final": "1/t", "integral": "1/t"},
                      {"rms": "t", "filter": "lowpass", "frequency": "1e12"}, {"rms": "t", "filter": "Wk",
                       "window": ["0.02", "0.01"]}, {"peak": "0"}, {"final": "1e308*10"}))
    content.setdefault("objectives", {})["attack"] = dict(entry)
    return f"objective {entry}"


def unused(content: dict, draw: Draw) -> str:
    """What nothing uses is checked all the same."""
    section, entry = draw.one((("signals", "no_such_name + 1"), ("signals", "psi"), ("signals", "a.b.c.d"),
                               ("parameters", "t"), ("parameters", "1 + unknown"), ("sensors", "energy.none")))
    content.setdefault(section, {})["unused"] = entry
    return f"{section} {entry}"


# shares; most mutants should live long enough to be run
TREE = {extreme: 16, scaled: 18, by_parameter: 12, hostile_name: 3, deleted: 4, emptied: 1, copied: 2, swapped: 3,
        same_point: 6, flattened: 4, cycle: 1, chain: 1, joint_cycle: 1, nested_text: 2, nested_tree: 1, huge_list: 1,
        wrong_type: 2, unit: 3, objective: 5, unused: 2}


def text(whole: str, draw: Draw, name: str = "model.yaml") -> tuple[str, str]:
    """A mutation of the text of a file, and its name."""
    lines = whole.splitlines(keepends=True)
    i, at = draw.count(0, len(lines) - 1), draw.count(0, len(whole))
    made = {
        "line deleted": "".join(lines[:i] + lines[i + 1:]),
        "line twice": "".join(lines[:i + 1] + lines[i:]),
        "section twice": whole + "".join(lines[i:i + 3]),
        "indented": "".join(lines[:i] + [" "*draw.count(1, 5) + lines[i]] + lines[i + 1:]),
        "cut off": whole[:at],
        "inserted": whole[:at] + draw.one(texts.ALL)[1] + whole[at:],
        "tab": whole[:at] + "\t" + whole[at:],
        "carriage returns": whole.replace("\n", "\r\n"),
        "byte order mark": "\ufeff" + whole,
        "bytes": whole[:at] + "".join(draw.one("\udcff\udc80\x00\x1b{}[]:,#&*!|>'\"%@`-") for _ in range(3)) + whole[at:],
        "digits": re.sub(r"\d", lambda m: draw.one("0123456789.e-"), whole, count=draw.count(1, 5)),
        "upper case": whole.upper(),
        "empty": "",
        "includes itself": f"include: [{name}]\n" + whole,
    }
    kind = draw.one(made)
    return made[kind], kind


def _write(content: dict, notes: list[str]) -> str:
    text = tree.write(content)
    for note in notes:
        if "@" in note and '"@NEST@"' in text:
            n = int(note.rsplit("@", 1)[1])
            text = text.replace('"@NEST@"', "["*n + "]"*n if n % 2 else "{a: "*n + "}"*n, 1)
    return text


def mutate(start: Start, draw: Draw) -> tuple[Files, list[str]]:
    """Files of a mutant with one to three mutations, and what they are."""
    notes: list[str] = []
    for _ in range(draw.weighted({1: 6, 2: 2, 3: 1})):
        content = start.files[draw.weighted({name: len(list(tree.leaves(c))) for name, c in start.files.items()})]
        change = draw.weighted(TREE)
        try:
            notes.append(f"{change.__name__}: {change(content, draw)}")
        except (IndexError, KeyError, AttributeError, TypeError):
            notes.append(f"{change.__name__}: nothing to change")
    files = {name: _write(content, notes) for name, content in start.files.items()}
    if draw.chance(0.1):
        name = draw.one(files)
        files[name], note = text(files[name], draw, name)
        notes.append(f"text: {note}")
    return files, notes
