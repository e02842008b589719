# SPDX-License-Identifier: Apache-2.0
"""Leaves of a model tree, and the tree as YAML.

A model is nested dicts and lists. Where the file has a number that may be differentiated stands a
`Number`. It is written either inline, and then known by its path, or as a parameter, and then known
by its name: the same tree gives both files. A `Formula` is an expression with numbers in it; these
are always parameters.
"""
from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal

INERTIA = ("xx", "yy", "zz", "xy", "xz", "yz")
VECTOR = ("x", "y", "z")


@dataclass(eq=False)
class Number:
    """A number of the file: increments of differences are fractions of `size`."""
    name: str
    value: float
    size: float
    named: bool = False
    path: str = ""
    unit: tuple[str, int] = ("", 0)     # ("mm", 3): how an inline number is written

    def inline(self):
        return self.text(self.value) if self.unit[0] else float(self.value)

    def text(self, value: float) -> str:
        """A value as the file has it and `--set` takes it: with the unit, where there is one."""
        unit, decimal = self.unit
        return f"{Decimal(repr(value)).scaleb(decimal):f} {unit}" if unit else repr(value)


@dataclass(eq=False)
class Formula:
    """Text with `{0}`, `{1}` ... where the numbers stand."""
    text: str
    numbers: list[Number] = field(default_factory=list)

    def written(self) -> str:
        return self.text.format(*(n.name for n in self.numbers))


@dataclass
class Written:
    """A model file, and how each of its numbers is called in it."""
    text: str
    called: dict[Number, str]
    places: dict[Number, list[str]]     # all it is called: a number that is written inline may be in several places


def write(tree: dict, inline: frozenset = frozenset(), named: frozenset = frozenset()) -> Written:
    """The file of `tree`; numbers in `inline` and `named` are written so, the others as they wish."""
    writer = _Writer(inline, named)
    sections = {key: writer.value(value, [key]) for key, value in tree.items()}
    lines = [f"jounce: {sections.pop('jounce')}"]
    if writer.parameters:
        lines.append("parameters:")
        lines += [f"  {n.name}: {n.value!r}" for n in writer.parameters.values()]
    for key, value in sections.items():
        lines += _section(key, value)
    return Written("\n".join(lines) + "\n", writer.called, writer.places)


def _section(key: str, value) -> list[str]:
    if not isinstance(value, dict):
        return [f"{key}: {_flow(value)}"]
    if not value:
        return []
    return [f"{key}:"] + [f"  {k}: {_flow(v)}" for k, v in value.items()]


def _flow(value) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {_flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_flow(v) for v in value) + "]"
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and not value.replace("_", "").replace(".", "").isalnum():
        return '"' + value + '"'
    return value if isinstance(value, str) else repr(value)


class _Writer:
    def __init__(self, inline: frozenset, named: frozenset):
        self.inline, self.named = inline, named
        self.parameters: dict[str, Number] = {}
        self.called: dict[Number, str] = {}
        self.places: dict[Number, list[str]] = {}

    def value(self, node, at: list[str]):
        if isinstance(node, dict):
            return {k: self.value(v, at + [k]) for k, v in node.items()}
        if isinstance(node, list):
            return [self.value(v, at + [_index(at, i)]) for i, v in enumerate(node)]
        if isinstance(node, Number):
            return self.number(node, at)
        if isinstance(node, Formula):
            for n in node.numbers:
                self.parameter(n)
            return node.written()
        return node

    def number(self, n: Number, at: list[str]):
        if n in self.named or (n.named and n not in self.inline) or n.name in self.parameters:
            return self.parameter(n)
        self.called[n] = _path(at)
        self.places.setdefault(n, []).append(self.called[n])
        return n.inline()

    def parameter(self, n: Number) -> str:
        if n.name not in self.parameters:
            self.places.setdefault(n, []).append(n.name)
        self.parameters[n.name] = n
        self.called[n] = n.name
        return n.name


def _index(at: list[str], i: int) -> str:
    if at[-1] == "inertia":
        return INERTIA[i]
    if at[0] == "tables" or at[-1] == "window":
        return f"[{i}]"
    return VECTOR[i]


def _path(at: list[str]) -> str:
    kept = [part for part in at if part != "value" and not (at[0] == "tyres" and part == "scale")]
    return ".".join(kept).replace(".[", "[")
