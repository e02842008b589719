# SPDX-License-Identifier: Apache-2.0
"""Conditions that are exactly at their boundary where a run starts, or where a discrete state jumps onto it."""
from __future__ import annotations

from model import Model

# What a function of u is where u < 0, u = 0 and u > 0, and ways to write it.
SPELLED = {
    (0, 0, 1): ("if({u} > 0, 1, 0)", "if({u} <= 0, 0, 1)", "if(not ({u} <= 0), 1, 0)", "1 - if(0 >= {u}, 1, 0)",
                "if({u} >= 0 and {u} != 0, 1, 0)", "max(sign({u}), 0)", "1 - step(-{u})", "if(3*{u} > 0, 1, 0)"),
    (0, 1, 1): ("if({u} >= 0, 1, 0)", "if({u} < 0, 0, 1)", "step({u})", "if(not (0 > {u}), 1, 0)",
                "if({u} > 0 or {u} == 0, 1, 0)", "1 + min(sign({u}), 0)", "if(-{u} <= 0, 1, 0)"),
    (-1, 0, 1): ("sign({u})", "if({u} > 0, 1, if({u} < 0, -1, 0))", "step({u}) - step(-{u})",
                 "if({u} == 0, 0, if({u} < 0, -1, 1))", "-sign(-{u})"),
    (0, 1, 0): ("if({u} == 0, 1, 0)", "if({u} != 0, 0, 1)", "if({u} <= 0 and {u} >= 0, 1, 0)", "1 - abs(sign({u}))",
                "step({u})*step(-{u})"),
}


def _load(m: Model, u: str, kinds: tuple, size: float, what: str) -> None:
    """A force by such a function, and other ways to write it."""
    draw, c = m.draw, m.draw.one(m.free())
    ways = list(SPELLED[draw.one(kinds)])
    size = float(f"{c.inertia()*size:.4g}")
    texts = [way.format(u=f"({u})") for way in (ways.pop(int(draw.uniform(0, len(ways)))) for _ in range(3))]
    name = m.force({"on": c.name, "torque": m.formula("{0}*(" + texts[0] + ")", size)}, "torque on a coordinate", "load")
    m.same += [(name, f"{size!r}*({text})") for text in texts[1:]]
    m.features.add(f"boundary of {what}")


def _by_time(m: Model) -> None:
    start = m.tree["simulation"].get("start", 0.0)
    _load(m, f"t - {start!r}" if start >= 0 else f"t + {-start!r}", tuple(SPELLED), m.draw.uniform(2, 20), "time at the start")


def _by_state(m: Model) -> None:
    """Pushed away from the boundary on both sides, so that nothing chatters."""
    z = f"z{len(m.tree['states'])}"
    c = m.draw.one(m.free())
    m.tree["states"][z] = {"derivative": m.formula(f"{{0}} - {c.name}.rate", m.draw.uniform(-2, 2))}
    _load(m, z, ((0, 0, 1), (0, 1, 1), (-1, 0, 1)), m.draw.uniform(2, 10), "a state at the start")


def _by_counter(m: Model, end: float) -> None:
    z = f"n{len(m.tree['states'])}"
    m.tree["states"][z] = {"discrete": True}
    m.tree.setdefault("samplers", {})[f"count_{z}"] = {"every": float(f"{end*m.draw.uniform(0.1, 0.2):.3g}"), "set": {z: f"{z} + 1"}}
    _load(m, f"{z} - {m.draw.count(0, 3)}", tuple(SPELLED), m.draw.uniform(2, 10), "a discrete state")


def begin(m: Model, end: float) -> None:
    m.draw.weighted({lambda: _by_time(m): 3, lambda: _by_state(m): 2, lambda: _by_counter(m, end): 2})()
    if m.draw.chance(0.3):
        _by_time(m)
