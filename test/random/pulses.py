# SPDX-License-Identifier: Apache-2.0
"""Trains of pulses that are short and follow each other fast, at the start of a run and later, with as many as are known."""
from __future__ import annotations

import math

from model import Model

BEHIND = 0.75  # of a period, between the last pulse and the end of a train


def _wave(m: Model, s: str, rate: float, first: float, duty: float) -> str:
    level = math.cos(math.pi*duty)
    text = f"sin({2*math.pi*rate!r}*({s}) + {math.pi/2 - 2*math.pi*first!r})"
    if m.draw.chance(0.3):
        name = f"still{len(m.tree['states'])}"  # zero for ever, which bounds do not know
        m.tree["states"][name] = {"derivative": f"-{name}"}
        m.features.add("pulses by a state")
        return f"{text} > {level!r} + {name}"
    return f"{text} > {level!r}" if m.draw.chance(0.5) else f"exp(20*({text} - 1)) > {math.exp(20*(level - 1))!r}"


def _power(m: Model, s: str, rate: float, first: float, duty: float) -> str:
    n = 2*m.draw.count(10, int(0.5/duty))
    return f"cos({math.pi*rate!r}*({s}) - {math.pi*first!r})^{n} > {math.cos(0.5*math.pi*duty)**n!r}"


def _remainder(m: Model, s: str, rate: float, first: float, duty: float) -> str:
    return f"mod({s} + {(1 - first)/rate!r}, {1/rate!r}) < {duty/rate!r}"


def _stairs(m: Model, s: str, rate: float, first: float, duty: float) -> str:
    return f"mod(floor({2*rate!r}*({s}) + {1 - 2*first!r}), 2) >= 1"


def add(m: Model, end: float) -> None:
    """One train: a discrete state counts its pulses, and a coordinate feels them."""
    draw, name = m.draw, f"pulses{len(m.counts)}"
    start = m.tree["simulation"].get("start", 0.0)
    rate, duty = float(f"{draw.log(1e4, 3e6):.4g}"), float(f"{draw.log(1e-3, 0.05):.3g}")
    n, first = draw.count(3, 40), round(draw.uniform(0.1, 0.45), 3)
    later = draw.chance(0.5)
    at = float(f"{start + (end - start)*draw.uniform(0.05, 0.7):.4g}") if later else start
    if draw.chance(0.15):
        at, n, width = float(f"{start + (end - start)*draw.uniform(0.1, 0.9):.4g}"), 1, float(f"{draw.log(1e-9, 1e-5):.3g}")
        when = draw.one((f"exp(-((t - {at!r})/{width!r})^2) > 0.5", f"abs(t - {at!r}) < {width!r}"))
    else:
        kind = draw.weighted({_wave: 4, _power: 2, _remainder: 3, _stairs: 1})
        over = f"min(t, {at + (n - 1 + first + BEHIND)/rate!r})"  # time stands still before and behind a train
        when = kind(m, f"max({over}, {at!r}) - {at!r}" if later else f"{over} - {at!r}", rate, first, duty)
        m.features.add(f"pulses by{kind.__name__.replace('_', ' ')}")
    m.features.add("pulses later" if later else "pulses at the start")
    m.tree["states"][name] = {"discrete": True}
    m.tree.setdefault("events", {})[f"count_{name}"] = {"when": when, "set": {name: f"{name} + 1"}}
    m.counts[name] = n
    if m.free():
        c = draw.one(m.free())
        size = m.number(float(f"{c.inertia()*draw.uniform(1, 20):.4g}"))
        m.force({"on": c.name, "torque": m.formula(f"if({when}, {{0}}, 0)", size)}, "torque on a coordinate", "load")
