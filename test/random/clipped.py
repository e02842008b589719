# SPDX-License-Identifier: Apache-2.0
"""What compares a quantity with the value at which it rests, as floor(max(0, u)) and clamp(u, 0, 1) == 1, along a motion that is
known: integrals of it, and the same integrals in Python."""
from __future__ import annotations

import math
import random
import re

from model import Model

LOOKS = 40000       # along the run
DOUBT = 40.0        # steps from one look to the next: how far integrals of jumps may be off

MEANING = {"mod": lambda a, b: a - b*math.floor(a/b), "IF": lambda c, a, b: a if c else b, "abs": abs, "max": max, "min": min,
           "sin": math.sin, "floor": math.floor, "ceil": math.ceil, "step": lambda v: float(v >= 0), "pi": math.pi,
           "sign": lambda v: (v > 0) - (v < 0), "clamp": lambda v, low, high: min(max(v, low), high)}


def _clipped(chance: random.Random) -> tuple[str, float]:
    """An expression of u that rests for a while, and its value there."""
    p = round(chance.uniform(-0.5, 0.5), 2)
    whole, gain = chance.randrange(-2, 3), round(chance.uniform(1, 4), 2)
    return chance.choice((
        ("max(0, u)", 0.0), ("min(0, u)", 0.0), ("(u + abs(u))", 0.0), (f"if(u > {p}, u - {p}, 0)", 0.0),
        (f"max({p}, u)", p), (f"min(u, {p})", p), (f"clamp(u, {p - 1}, {p})", p), (f"clamp(u, {p}, {p + 1})", p),
        (f"max({whole}, {gain}*u)", whole), (f"min({gain}*u, {whole})", whole), (f"clamp({gain}*u, {whole}, {whole + 1})", whole + 1),
        (f"max(0, u)*min(u, {p})", 0.0), (f"max(0, {gain}*u)^2", 0.0), (f"max(0, floor({gain}*u))", 0.0)))


def expression(chance: random.Random) -> str:
    """What is to be integrated."""
    what, level = _clipped(chance)
    off = what if level == 0 else f"{what} - ({level})"
    kinds = [f"step({off})", f"step(-({off}))", f"sign({off})", f"if({what} == {level}, 1, 0)", f"if({what} != {level}, 1, 0)",
             f"if({what} >= {level}, 1, 0)", f"if({what} <= {level}, 1, 0)", f"if({what} < {level}, 1, 0)",
             f"if({what} > {level}, 1, 0)", f"if(not ({off}), 1, 0)", f"if({off}, 1, 0)",
             f"if({what} >= {level} and u < 0.2, 1, 0)"]
    if level == int(level):
        kinds += [f"floor({what})", f"ceil({what})", f"mod({what}, 1)", f"floor(2*({what}))"]
    return chance.choice(kinds)


def _integral(text: str, u, start: float, end: float) -> float:
    code = compile(text.replace("if(", "IF(").replace("^", "**"), "expression", "eval")
    step = (end - start)/LOOKS
    # pylint: disable-next=eval-used
    return step*math.fsum(eval(code, MEANING, {"u": u(start + (i + 0.5)*step)}) for i in range(LOOKS))


def add(m: Model, end: float) -> None:
    """One integral of something that comes and goes; a coordinate may feel it."""
    draw, name = m.draw, f"clipped{len(m.integrals)}"
    start = m.tree["simulation"].get("start", 0.0)
    middle, phase = float(f"{draw.uniform(-0.4, 0.4):.4g}"), float(f"{draw.uniform(0, 6.28):.4g}")
    rate = float(f"{6.283*draw.uniform(1, 4)/(end - start):.5g}")
    size = m.number(float(f"{draw.uniform(0.5, 1.5):.4g}"), 1.0)
    text = expression(random.Random(draw.count(0, 10**9)))
    u = lambda t: middle + size.value*math.sin(rate*t + phase)  # pylint: disable=unnecessary-lambda-assignment
    if draw.chance(0.5):
        of_time = f"({middle!r} + {{0}}*sin({rate!r}*t + {phase!r}))"
        entry = m.formula(re.sub(r"\bu\b", of_time, text), size)
        m.features.add("clipped motion of time")
    else:
        state = f"wave{len(m.tree['states'])}"
        m.tree["states"][state] = {"derivative": m.formula(f"{{0}}*{rate!r}*cos({rate!r}*t + {phase!r})", size),
                                   "initial": m.formula(f"{middle!r} + {{0}}*{math.sin(rate*start + phase)!r}", size)}
        entry = re.sub(r"\bu\b", state, text)
        m.features.add("clipped motion of a state")
    m.tree["objectives"][name] = {"integral": entry}
    m.integrals[name] = (_integral(text, u, start, end), DOUBT*(end - start)/LOOKS*(1 + 4*(abs(middle) + size.value)))
