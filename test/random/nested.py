# SPDX-License-Identifier: Apache-2.0
"""Conditions made of jumps and corners inside of each other, as abs(mod(u, 1) - 0.5) < 0.1, and how often they become true along
a motion that is known: the same expressions evaluated in Python."""
from __future__ import annotations

import math
import random
import re

from model import Model

LOOKS = 3000, 45000  # along the motion; the counts of both agree, or nobody knows

MEANING = {"mod": lambda a, b: a - b*math.floor(a/b), "IF": lambda c, a, b: a if c else b, "abs": abs, "max": max, "min": min,
           "atan2": math.atan2, "sin": math.sin, "cos": math.cos, "floor": math.floor, "ceil": math.ceil}


def _value(chance: random.Random, depth: int) -> str:
    """An expression of u."""
    if depth == 0:
        return "u"
    a, b = _value(chance, depth - 1), _value(chance, depth - 1)
    p, q, r = (round(chance.uniform(0.4, 1.7), 3) for _ in range(3))
    return chance.choice((
        f"mod({a}, {p})", f"abs({a} - {q})", f"max({a}, {p} - {b})", f"min({a}, {q} - 1 + 0.5*({b}))", f"({a} - {q}/2)^2",
        f"if({a} > {p}, {b}, {q} - {a})", f"atan2(sin({a}*{2*p}), cos({a}*{2*q}))", f"({a} - floor({a}*{r}))",
        f"({p}*ceil({a}) - ({a}))", f"sin({4*p}*({a}))"))


def condition(chance: random.Random) -> str:
    """A condition of u."""
    text = f"{_value(chance, chance.randrange(1, 4))} {chance.choice('<>')} {chance.uniform(-0.6, 0.9):.4f}"
    kind = chance.random()
    if kind < 0.2:
        return f"{text} and {_value(chance, 2)} > {chance.uniform(-0.5, 0.7):.4f}"
    return f"{text} or {_value(chance, 1)} < {chance.uniform(-0.5, 0.4):.4f}" if kind < 0.35 else text


def _count(text: str, u0: float, u1: float, looks: int) -> int:
    code, last, n = compile(text.replace("if(", "IF(").replace("^", "**"), "condition", "eval"), True, 0
    for i in range(looks + 1):
        holds = bool(eval(code, MEANING, {"u": u0 + (u1 - u0)*i/looks}))  # pylint: disable=eval-used
        n += holds and not last
        last = holds
    return n


def count(text: str, u0: float, u1: float) -> int | None:
    """How often it becomes true while u goes from u0 to u1; None: that is hard to tell."""
    n, fine = (_count(text, u0, u1, looks) for looks in LOOKS)
    return n if n == fine else None


def add(m: Model, end: float) -> None:
    """One condition of something that goes evenly: a discrete state counts, and a coordinate feels it."""
    draw, name = m.draw, f"nested{len(m.counts)}"
    start = m.tree["simulation"].get("start", 0.0)
    rate, u0 = float(f"{draw.log(1, 6)/(end - start):.5g}"), float(f"{draw.uniform(-1, 1):.4f}")
    chance = random.Random(draw.count(0, 10**9))
    n = when = None
    while n is None:
        when = condition(chance)
        n = count(when, u0, u0 + rate*(end - start))
    if draw.chance(0.5):
        u = f"({u0!r} + {rate!r}*(t - {start!r}))"
        m.features.add("nested conditions of time")
    else:
        u = f"even{len(m.tree['states'])}"
        m.tree["states"][u] = {"derivative": rate, "initial": u0}
        m.features.add("nested conditions of a state")
    when = re.sub(r"\bu\b", u, when)
    m.tree["states"][name] = {"discrete": True}
    m.tree.setdefault("events", {})[f"count_{name}"] = {"when": when, "set": {name: f"{name} + 1"}}
    m.counts[name] = n
    if m.free() and draw.chance(0.5):
        c = draw.one(m.free())
        size = m.number(float(f"{c.inertia()*draw.uniform(1, 20):.4g}"))
        m.force({"on": c.name, "torque": m.formula(f"if({when}, {{0}}, 0)", size)}, "torque on a coordinate", "load")
