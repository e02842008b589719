# SPDX-License-Identifier: Apache-2.0
"""A model from a seed.

A model belongs to a family, which says what it is made of and how it is excited; within the family
all is left to chance. Families exist for what has gone wrong once: starts at static equilibrium with
and without loops, stiff dampers, systems at rest that are woken, one initial condition for several
freedoms. The first families share all seeds below seeds.FIRST; each later one has a range of its own.
"""
from __future__ import annotations

import attitudes
import boundaries
import clipped as clipping
import contacts
import discrete
import elements
import gearing
import goals
import inputs
import instances
import lifting
import loops
import nested as nesting
import pulses
import resting
import singular
import trees
import vehicles
from draw import Draw
from model import Model
from seeds import EARLIER, ONCE_BROKEN, WITH_DELAYS, family_of

MOST_COORDINATES = 8
MOST_STEPS = 20000      # of a run with fixed steps


def make(seed: int) -> Model:
    m = Model(seed)
    if family_of(seed) != EARLIER:
        m.features.add("family " + family_of(seed))
        RANGES[family_of(seed)](m)
        return m
    family = m.draw.weighted(FAMILIES)
    # newer families have a chance of their own: all other seeds give the models they gave before
    newer = Draw(seed*1000003 + 17)
    if newer.chance(0.2 if seed < WITH_DELAYS else 0.5) and seed not in ONCE_BROKEN:
        family = newer.weighted(NEWER)
    m.features.add("family " + family.__name__.replace("_", " "))
    family(m)
    if seed not in ONCE_BROKEN:
        attitudes.orders(m, Draw(seed*1000003 + 29))
    return m


def _gravity(m: Model) -> None:
    kind = m.draw.weighted({"down": 5, "askew": 2, "none": 2})
    if kind == "askew":
        m.tree["gravity"] = [m.number(x, 1.0) for x in m.draw.vector(5)]
    elif kind == "none":
        m.tree["gravity"] = [0.0, 0.0, 0.0]
    else:
        m.tree["gravity"] = [0.0, 0.0, m.number(-9.81)]


def _end(m: Model, low: float = 0.3, high: float = 2.0) -> float:
    return float(f"{m.draw.log(low, high):.3g}")


def _finish(m: Model, end: float, static: bool) -> None:
    goals.objectives(m, end)
    goals.simulation(m, end, static)


def tree(m: Model) -> None:
    """A tree that is let go, shaken or pushed."""
    end = _end(m)
    _gravity(m)
    trees.grow(m, MOST_COORDINATES, m.draw.count(1, 4))
    inputs.drives(m, end)
    trees.hold(m)
    _extras(m, end)
    goals.start(m)
    _finish(m, end, False)


def loop(m: Model) -> None:
    """A closed loop, perhaps with a limb."""
    end = _end(m)
    _gravity(m)
    loops.add_loop(m)
    if m.draw.chance(0.3) and len(m.coordinates) < 5:
        trees.limb(m, m.draw.one(("revolute", "prismatic")), m.draw.one(list(m.bodies)))
    inputs.drives(m, end)
    trees.hold(m, 0.8)
    _extras(m, end)
    goals.start(m)
    _finish(m, end, False)


def loop_by_one_condition(m: Model) -> None:
    """Several freedoms, loops, and one initial condition, on the length of an element."""
    end = _end(m, 0.3, 1)
    _gravity(m)
    m.draw.one((loops.rod_to_ground, loops.ring))(m, "ground")
    for c in m.coordinates:
        c.looped = True
    trees.hold(m, 0.8)
    for _ in range(6):
        elements.between(m)
        if any("ground." in e for e in m.tree["forces"][m.links[-1]]["between"]):
            break
    if m.freedom() < 1 or not goals.on_quantity(m):
        goals.start(m)
    _finish(m, end, False)


def from_static(m: Model) -> None:
    """A tree or a loop that begins where it rests, then moved by a load."""
    end = _end(m, 0.4, 2)
    m.tree["gravity"] = [0.0, 0.0, m.number(-9.81)]
    if m.draw.chance(0.5):
        loops.add_loop(m)
        inputs.drives(m, end)
    else:
        trees.grow(m, 5, m.draw.count(1, 3))
    trees.hold(m)
    m.wake = end*m.draw.uniform(0, 0.3)
    _woken(m, m.wake, m.draw.uniform(0.05, 0.2))
    elements.scatter(m, m.draw.count(0, 2))
    _finish(m, end, True)


def at_rest(m: Model) -> None:
    """Nothing moves for a while; then a step, or a pulse of some hundredths of a second."""
    static = m.draw.chance(0.5)
    m.wake = m.draw.uniform(0.5, 3)
    end = float(f"{m.wake + m.draw.uniform(0.3, 1):.3g}")
    m.tree["gravity"] = [0.0, 0.0, -9.81 if static else 0.0]
    if m.draw.chance(0.3):
        loops.add_loop(m)
        inputs.drives(m, end)
    else:
        trees.grow(m, 4, m.draw.count(1, 2))
    trees.hold(m)
    if m.draw.chance(0.3):
        inputs.stiffen(m, m.draw.one(m.free()), strongly=False)
    if m.draw.chance(0.3):
        inputs.states(m)
        for state in m.tree["states"].values():
            state.pop("initial", None)
    _woken(m, m.wake, m.draw.uniform(0.02, 0.05), rest=True)
    _finish(m, end, static)


def stiff(m: Model) -> None:
    """Eigenvalues far apart: strong dampers, perhaps at rest before they are woken."""
    end = _end(m, 0.2, 0.6)
    m.tree["gravity"] = [0.0, 0.0, m.draw.one((-9.81, 0.0))]
    trees.grow(m, 3, m.draw.count(1, 2))
    strongly = m.draw.chance(0.4)
    if strongly:
        end = float(f"{0.4*end:.3g}")
    trees.hold(m)
    for c in m.draw.some(m.free(), m.draw.count(1, 2)):
        inputs.stiffen(m, c, strongly)
    if m.draw.chance(0.5):
        m.wake = end*m.draw.uniform(0.1, 0.6)
        _woken(m, m.wake, 0.02)
    else:
        goals.start(m)
    if not m.wake and not m.tree["initial"]:
        _woken(m, 0.0, 0.02)
    _finish(m, end, m.draw.chance(0.6) and not m.tree["initial"])


def geared(m: Model) -> None:
    """Coordinates that are coupled, perhaps with a drive among them."""
    end = _end(m)
    _gravity(m)
    gearing.couple(m)
    if m.draw.chance(0.25) and m.freedom() > 1:
        gearing.drive(m, end)
    static = m.draw.chance(0.3)
    _free_end(m, end, static)


def closed_by_joints(m: Model) -> None:
    """Rings that are closed by joints."""
    end = _end(m, 0.2, 0.8)
    _gravity(m)
    gearing.ring(m)
    _free_end(m, end, False)


def driven(m: Model) -> None:
    """Drives by velocities and states, of trees and of what carries a loop."""
    end = _end(m)
    _gravity(m)
    if m.draw.chance(0.4):
        body, coordinates = trees.limb(m, m.draw.one(("prismatic", "revolute")), "ground")
        trees.limb(m, "revolute", body.name)
        before = len(m.coordinates)
        m.draw.one((loops.four_bar, loops.slider_crank, loops.spatial_four_bar))(m, body.name)
        for c in m.coordinates[before:]:
            c.looped = True
        gearing.drive_of(m, coordinates[0], end)
    else:
        trees.grow(m, 5, m.draw.count(2, 3))
        if m.freedom() > 1:
            gearing.drive(m, end)
    _free_end(m, end, m.draw.chance(0.2))


def massless(m: Model) -> None:
    """Rods of loops without mass."""
    end = _end(m, 0.2, 0.8)
    _gravity(m)
    gearing.massless_rods(m)
    _free_end(m, end, False)


def _free_end(m: Model, end: float, static: bool) -> None:
    trees.hold(m)
    _extras(m, end)
    if not static:
        goals.start(m)
    _finish(m, end, static)


def vehicle(m: Model) -> None:
    """Tyres on a road, at speed."""
    end = _end(m, 0.3, 1)
    speed = m.draw.uniform(3, 15)
    m.draw.weighted({vehicles.quarter_car: 3, vehicles.half_car: 1, vehicles.single_track: 2})(m, speed)
    vehicles.road(m, speed, end)
    flat = "single-track model" in m.features
    if flat:
        m.tree.pop("road", None)
    m.fastest = 3000
    _finish(m, end, not flat and m.draw.chance(0.5))


def tumbling(m: Model) -> None:
    """Bodies that turn any way."""
    end = _end(m, 0.3, 1.5)
    _gravity(m)
    attitudes.tumble(m)
    _finish(m, end, False)


def discretely(m: Model) -> None:
    """A tree or a loop with what changes at an instant: samplers, hysteresis, impacts, friction, an end on a condition."""
    end = _end(m, 0.4, 1.5)
    _gravity(m)
    if m.draw.chance(0.3):
        loops.add_loop(m)
    else:
        trees.grow(m, 4, m.draw.count(1, 3))
    trees.hold(m)
    discrete.add(m, end)
    elements.scatter(m, m.draw.count(0, 1))
    goals.start(m)
    _finish(m, end, False)
    if m.draw.chance(0.25):
        discrete.ending(m, end)


def of_instances(m: Model) -> None:
    """Assemblies by templates, moved and mirrored."""
    end = _end(m, 0.3, 1)
    instances.assemble(m)
    if m.draw.chance(0.5):
        inputs.load(m, m.coordinates[0], float(f"{end*m.draw.uniform(0.1, 0.5):.3g}"), 0.05)
    if m.draw.chance(0.4):
        goals.start(m)
    _finish(m, end, m.draw.chance(0.2) and not m.tree["initial"])


def lifting_off(m: Model) -> None:
    """Tyres that leave the ground."""
    end = _end(m, 0.3, 1)
    static = lifting.lift(m, end)
    _finish(m, end, static)


def bouncing(m: Model) -> None:
    """Balls that bounce, past the accumulation of their bounces or not as far."""
    _finish(m, contacts.bounce(m), False)
    contacts.set_clocks(m)


def simultaneous(m: Model) -> None:
    """Several conditions at the same instant."""
    _finish(m, contacts.coincide(m), False)


def near_singular(m: Model) -> None:
    """Mechanisms that come to a singular position."""
    _gravity(m)
    _finish(m, singular.mechanism(m), False)


def at_stops(m: Model) -> None:
    """Static equilibria that are hard to find."""
    _finish(m, resting.rest(m), True)


def by_fixed_steps(m: Model) -> None:
    """Any of the first families, with a fixed step: well below its time scales, or beyond them."""
    m.draw.weighted({tree: 4, loop: 2, at_rest: 2, stiff: 2, discretely: 2})(m)
    entry = m.tree["simulation"]
    entry["method"] = m.draw.one(("rk2", "rk3", "rk4", "imex3"))
    span = entry["end"] - entry.get("start", 0.0)
    entry["step"] = float(f"{min(m.draw.log(0.02, 30)/m.fastest, span/3):.3g}")
    if span/entry["step"] > MOST_STEPS:
        entry["step"] = float(f"{span/MOST_STEPS:.3g}")
    m.features.add(f"method {entry['method']}")
    # errors of the steps add up over a long run
    longest = entry.get("start", 0.0) + MOST_STEPS*entry["step"]
    if m.draw.chance(0.2) and longest > entry["end"]:
        entry["end"] = float(f"{min(longest, entry['end'] + 20*span):.4g}")
        m.features.add("a long run of fixed steps")


def addressed(m: Model) -> None:
    """Any of the first families, with values under their paths, many with units, some in a file that is included."""
    m.draw.weighted({tree: 3, loop: 2, from_static: 2, vehicle: 3, geared: 2, discretely: 2})(m)
    for n in m.numbers:
        n.named = m.draw.chance(0.1)
    elements.with_units(m, 0.5)
    m.features.add("values by their paths")


def prescribed(m: Model) -> None:
    """Nothing moves by itself: every joint is driven or follows from a loop. States that listen are all that is integrated."""
    end = _end(m)
    by_time = inputs.drive if m.draw.chance(0.7) else gearing.drive_of
    _gravity(m)
    if m.draw.chance(0.6):
        m.draw.one((loops.four_bar, loops.slider_crank))(m, "ground")
        by_time(m, m.coordinates[0], end)
        for c in m.coordinates:
            c.looped = c.held = True
    else:
        trees.grow(m, 3, m.draw.count(1, 2))
        for c in m.coordinates:
            by_time(m, c, end)
    if m.draw.chance(0.4):
        c = m.draw.one(m.coordinates)
        m.tree["states"]["late"] = {"derivative": m.formula(f"({c.name} - late)/{{0}}", m.draw.log(0.02, 0.2)),
                                    "initial": m.number(m.draw.uniform(-0.05, 0.05), 0.05)}
    elements.scatter(m, m.draw.count(0, 2))
    _finish(m, end, False)
    if m.draw.chance(0.4):
        m.tree["simulation"]["method"] = "esdirk5"


def at_boundaries(m: Model) -> None:
    """A tree whose loads have conditions that are at their boundary at the start."""
    end = _end(m, 0.3, 1)
    _gravity(m)
    trees.grow(m, 4, m.draw.count(1, 2))
    trees.hold(m)
    static = m.draw.chance(0.5)
    if not static:
        goals.start(m)
    _finish(m, end, static)
    boundaries.begin(m, end)


def jumping(m: Model) -> None:
    """Any of the first families, moved by what jumps: floors, remainders, angles past pi."""
    m.draw.weighted({tree: 4, loop: 2, from_static: 2, discretely: 1})(m)
    entry = m.tree["simulation"]
    span = entry["end"] - entry.get("start", 0.0)
    for _ in range(m.draw.count(1, 2)):
        if m.free():
            inputs.jump(m, m.draw.one(m.free()), span)


def pulsing(m: Model) -> None:
    """Any of the first families with trains of short pulses."""
    m.draw.weighted({tree: 4, loop: 2, at_rest: 1, discretely: 1})(m)
    m.tree["simulation"].pop("end_when", None)
    for _ in range(m.draw.count(1, 2)):
        pulses.add(m, m.tree["simulation"]["end"])


def nested(m: Model) -> None:
    """Any of the first families with conditions of jumps and corners inside of each other."""
    m.draw.weighted({tree: 4, loop: 2, at_rest: 1, discretely: 1})(m)
    m.tree["simulation"].pop("end_when", None)  # what is known is known to the end
    for _ in range(m.draw.count(1, 3)):
        nesting.add(m, m.tree["simulation"]["end"])


def clipped(m: Model) -> None:
    """Any of the first families with integrals of what rests at the limits of conditions."""
    m.draw.weighted({tree: 4, loop: 2, at_rest: 1, discretely: 1})(m)
    m.tree["simulation"].pop("end_when", None)
    for _ in range(m.draw.count(1, 3)):
        clipping.add(m, m.tree["simulation"]["end"])


def _woken(m: Model, at: float, width: float, rest: bool = False) -> None:
    calm = {"step": 2, "pulse": 2, "half sine": 2, "band": 1, "both": 1, "gauss": 6 if rest else 2, "rise": 1}
    if m.free():
        inputs.load(m, m.draw.one(m.free()), float(f"{at:.3g}"), float(f"{width:.3g}"),
                    m.draw.weighted(calm))


def _extras(m: Model, end: float) -> None:
    elements.scatter(m, m.draw.count(0, 3))
    if m.draw.chance(0.3):
        inputs.states(m)
    if m.free() and m.draw.chance(0.5):
        inputs.load(m, m.draw.one(m.free()), float(f"{end*m.draw.uniform(0.1, 0.5):.3g}"),
                    float(f"{m.draw.uniform(0.02, 0.2):.3g}"))
    if m.free() and m.draw.chance(0.15):
        inputs.stiffen(m, m.draw.one(m.free()), strongly=False)


FAMILIES = {tree: 25, loop: 25, loop_by_one_condition: 6, from_static: 16, at_rest: 14, stiff: 8, vehicle: 10}
NEWER = {geared: 4, closed_by_joints: 3, driven: 4, massless: 3, discretely: 4, tumbling: 4}
# those with a range of seeds each
RANGES = {"instances": of_instances, "lifting": lifting_off, "bouncing": bouncing, "simultaneous": simultaneous,
          "singular": near_singular, "resting": at_stops, "fixed": by_fixed_steps, "addressed": addressed,
          "prescribed": prescribed, "boundaries": at_boundaries, "jumping": jumping, "pulsing": pulsing, "nested": nested,
          "clipped": clipped}
