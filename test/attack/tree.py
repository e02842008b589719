# SPDX-License-Identifier: Apache-2.0
"""Model files as trees, for mutants: the part of YAML that models use, read and written.

A map is a dict, a list a list, a scalar a str as it stands in the file (None: empty)."""
from __future__ import annotations

import re
from typing import Iterator

Tree = dict | list | str | None
PLAIN = re.compile(r"[A-Za-z0-9_.+][A-Za-z0-9_.+*/^()\- ]*(?<! )|-[0-9.][0-9.e+\-]*")


class _Flow:
    """`{...}`, `[...]` and scalars within one text."""

    def __init__(self, text: str):
        self.text, self.at = text, 0

    def _blank(self) -> None:
        while self.at < len(self.text) and self.text[self.at] in " \n\t":
            self.at += 1

    def _quoted(self) -> str:
        quote, self.at, found = self.text[self.at], self.at + 1, ""
        while self.text[self.at] != quote:
            if self.text[self.at] == "\\" and quote == '"':
                self.at += 1
            found += self.text[self.at]
            self.at += 1
        self.at += 1
        return found

    def value(self, stop: str) -> Tree:
        self._blank()
        first = self.text[self.at:self.at + 1]
        if first in ("{", "["):
            return self._collection("}" if first == "{" else "]")
        if first in ("'", '"'):
            return self._quoted()
        begin, depth = self.at, 0
        while self.at < len(self.text) and (depth or self.text[self.at] not in stop):
            self.at += 1
        return self.text[begin:self.at].strip() or None

    def _collection(self, close: str) -> Tree:
        items: dict | list = {} if close == "}" else []
        self.at += 1
        self._blank()
        while self.text[self.at] != close:
            if isinstance(items, dict):
                key = self.value(":")
                self._blank()
                self.at += 1
                items[key] = self.value(",}")
            else:
                items.append(self.value(",]"))
            self._blank()
            self.at += self.text[self.at] == ","
            self._blank()
        self.at += 1
        return items


def _lines(text: str) -> list[tuple[int, str]]:
    """Indentation and content, comments gone, flow collections over several lines joined."""
    found: list[tuple[int, str]] = []
    depth = 0
    for line in text.splitlines():
        line = re.sub(r"(^|\s)#(?=([^\"]*\"[^\"]*\")*[^\"]*$).*", "", line).rstrip()
        if not line.strip():
            continue
        indent = len(line) - len(line.lstrip())
        goes_on = bool(found) and indent > found[-1][0] and not found[-1][1].endswith(":")
        if depth > 0 or goes_on:
            found[-1] = (found[-1][0], found[-1][1] + " " + line.strip())
        else:
            found.append((indent, line.strip()))
        bare = re.sub(r"\"[^\"]*\"", "", line)
        depth += sum(bare.count(c) for c in "{[") - sum(bare.count(c) for c in "}]")
    return found


def _block(lines: list[tuple[int, str]], at: int, indent: int) -> tuple[dict, int]:
    items: dict = {}
    while at < len(lines) and lines[at][0] == indent:
        key, _, rest = lines[at][1].partition(":")
        at += 1
        if rest.strip().startswith(">-"):
            items[key.strip()] = rest.strip()[2:].strip()
        elif rest.strip():
            items[key.strip()] = _Flow(rest).value("")
        elif at < len(lines) and lines[at][0] > indent:
            if lines[at][1][0] in "{[" or not re.search(r":( |$)", lines[at][1]):
                items[key.strip()] = _Flow(lines[at][1]).value("")
                at += 1
            else:
                items[key.strip()], at = _block(lines, at, lines[at][0])
        else:
            items[key.strip()] = None
    return items, at


def read(text: str) -> dict:
    lines = _lines(text)
    tree, at = _block(lines, 0, 0)
    if at != len(lines):
        raise ValueError(f"cannot read {lines[at]}")
    return tree


def scalar(text: str | None) -> str:
    if text is None:
        return ""
    if PLAIN.fullmatch(text):
        return text
    # control characters as escapes: they are not YAML as they are, and must be harmless as they are not
    quoted = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return '"' + re.sub(r"[\x00-\x1f\x7f-\x9f]", lambda m: f"\\x{ord(m[0]):02x}", quoted) + '"'


def _inline(tree: Tree) -> str:
    if isinstance(tree, dict):
        return "{" + ", ".join(f"{scalar(k)}: {_inline(v)}" for k, v in tree.items()) + "}"
    if isinstance(tree, list):
        return "[" + ", ".join(_inline(v) for v in tree) + "]"
    return scalar(tree)


def write(tree: dict) -> str:
    """Sections and their entries on lines of their own, so that messages can name one."""
    lines = []
    for key, value in tree.items():
        if isinstance(value, dict) and value:
            lines.append(f"{scalar(key)}:")
            lines += [f"  {scalar(k)}: {_inline(v)}" for k, v in value.items()]
        else:
            lines.append(f"{scalar(key)}: {_inline(value)}")
    return "\n".join(lines) + "\n"


def leaves(tree: Tree, path: tuple = ()) -> Iterator[tuple[tuple, str | None]]:
    """Path and text of every scalar."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            yield from leaves(value, path + (key,))
    elif isinstance(tree, list):
        for i, value in enumerate(tree):
            yield from leaves(value, path + (i,))
    else:
        yield path, tree


def nodes(tree: Tree, path: tuple = ()) -> Iterator[tuple[tuple, Tree]]:
    """Path and value of everything, the root left out."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in items:
        yield path + (key,), value
        yield from nodes(value, path + (key,))


def get(tree: Tree, path: tuple) -> Tree:
    for key in path:
        tree = tree[key]
    return tree


def put(tree: Tree, path: tuple, value: Tree) -> None:
    get(tree, path[:-1])[path[-1]] = value


def drop(tree: Tree, path: tuple) -> None:
    del get(tree, path[:-1])[path[-1]]


def is_number(text: Tree) -> bool:
    return isinstance(text, str) and re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", text) is not None
