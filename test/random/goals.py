# SPDX-License-Identifier: Apache-2.0
"""How a model starts, how long it runs, and what is measured."""
from __future__ import annotations

from draw import norm, sub
from model import Model
from seeds import WITH_DELAYS, WITH_WORDS


def start(m: Model) -> None:
    """Initial conditions: on coordinates, and now and then on a quantity instead."""
    room = m.freedom() - sum(c.given for c in m.free())
    if room <= 0:
        return
    if m.draw.chance(0.3) and on_quantity(m):
        # nothing else: the condition must have something left to move
        return
    wanted = [c for c in m.free() if not c.given]
    if not m.tree["closures"] and not m.couplings:
        for c in wanted:
            if m.draw.chance(0.6) or c.design:
                _on_coordinate(m, c)
        return
    # one for the loop, and for what is not part of it as in a tree
    for c in m.draw.some([c for c in wanted if c.looped], 1):
        _on_coordinate(m, c)
    for c in wanted:
        if not c.looped and (c.design or m.draw.chance(0.5)):
            _on_coordinate(m, c)


def _on_coordinate(m: Model, c) -> None:
    size = 0.03 if c.is_length else 0.12
    entry = {"value": m.number(float(f"{c.design + m.draw.uniform(-size, size):.5g}"), size)}
    if m.draw.chance(0.7):
        entry["rate"] = m.number(m.draw.uniform(-5*size, 5*size), 5*size)
    m.tree["initial"][c.name] = entry
    c.given = True
    m.features.add("initial on a coordinate")


def on_quantity(m: Model) -> bool:
    """The length of an element, whose bodies move by as much as it takes."""
    if any(c.design for c in m.free()):
        return False
    for name in m.links:
        ends = [e.split(".") for e in m.tree["forces"][name]["between"]]
        if any(body == "ground" for body, _ in ends):
            places = [m.places[point] for _, point in ends]
            length = norm(sub(*places))
            m.tree["initial"][f"{name}.length"] = {
                "value": m.number(float(f"{length + m.draw.uniform(-0.01, 0.01):.6g}"), 0.05),
                "rate": m.number(m.draw.uniform(-0.1, 0.1), 0.1)}
            m.features.add("initial on a quantity")
            if m.tree["closures"] and m.freedom() > 1:
                m.features.add("one condition for several freedoms of a loop")
            return True
    return False


def _seen(m: Model) -> list[str]:
    """What bodies see of each other, along the axes of a third."""
    draw, found = m.draw, []
    bodies = [b for b in m.bodies if m.bodies[b].mass]
    for b in bodies:
        whom, whose = draw.one([*m.bodies, "ground"]), draw.one([*m.bodies, "ground"])
        of = draw.one((f"{b}.com", b))
        if of == b:
            component = draw.one(("wx", "wy", "dwz"))
        else:
            component = draw.one(("x", "vy", "az"))
        found.append(f"{of}.from.{whom}.in.{whose}.{component}")
        found.append(f"{b}.{draw.one('xyz')}.in.{whose}.{draw.one('xyz')}")
        m.features.add("motion seen from a body")
    return found


def _signals(m: Model) -> list[str]:
    """Expressions that do not rest at zero."""
    found = []
    for c in m.free():
        found += [c.name, f"{c.name}.rate", f"{c.name}.acc"]
        if c.body.mass:
            found.append(f"{c.body.name}.com.{m.draw.one(('vx', 'vz', 'ax', 'az', 'z'))}")
    for name in m.links:
        found += [f"{name}.force", f"{name}.length", f"{name}.power"]
    found += [f"{name}.fz" for name in m.tree["tyres"]] + list(m.tree["states"])
    found += [*m.tree.get("delays", ())]
    found.append("energy.kinetic")
    if m.seed >= WITH_WORDS and m.seen:
        found += _seen(m)
    found += m.couplings
    for name in m.tree["closures"]:
        if m.draw.chance(0.2):
            found.append(f"{name}.force1")
    return found


def objectives(m: Model, end: float) -> None:
    draw = m.draw
    pool = _signals(m)
    for i in range(draw.count(1, 2)):
        signal = draw.one(pool)
        if draw.chance(0.2):
            m.tree["sensors"][f"s{i}"] = signal
            signal = f"s{i}"
            m.features.add("sensor")
        moving = signal not in m.couplings and not any(w in signal for w in ("com.", ".force1", ".in."))
        kind = draw.weighted({"integral": 3, "mean": 2, "final": 2, "rms": 3 if moving else 0,
                              "peak": 2 if moving else 0})
        m.features.add(f"objective {kind}")
        if kind == "integral":
            signal = draw.one(("{}", "({})^2", "({})*t")).format(signal)
        entry = {kind: signal}
        if kind == "peak":
            entry["power"] = m.draw.one((4, 8, 16))
        if kind != "final":
            _dress(m, entry, end)
        m.tree["objectives"][f"o{i}"] = entry


def _dress(m: Model, entry: dict, end: float) -> None:
    """Windows and filters."""
    draw = m.draw
    if draw.chance(0.35):
        first = float(f"{min(m.wake, end*0.5)*draw.uniform(0.5, 0.95) + end*0.05:.3g}")
        last = float(f"{end*draw.uniform(0.85, 0.99):.3g}")
        named = draw.chance(0.6)
        entry["window"] = [m.number(first, 0.1), m.number(last, 0.1)] if named else [first, last]
        m.features.add("window")
    if draw.chance(0.35):
        entry["filter"] = draw.one(("lowpass", "Wk", "Wd"))
        m.features.add(f"filter {entry['filter']}")
        if entry["filter"] == "lowpass":
            entry["frequency"] = m.number(draw.log(1, 30))
    if m.seed >= WITH_DELAYS and draw.chance(0.4):
        entry["nominal"] = draw.log(0.1, 10)
        m.features.add("nominal")


def simulation(m: Model, end: float, static: bool) -> None:
    entry: dict = {"end": end}
    if static:
        entry["start_at"] = "static"
        m.features.add("static start")
    if m.draw.chance(0.3):
        entry["tolerance"] = m.draw.one((1e-7, 1e-9, 1e-10))
    if m.draw.chance(0.15):
        entry["start"] = -m.draw.uniform(0.05, 0.3)*end
        m.features.add("start before zero")
    m.tree["simulation"] = entry
