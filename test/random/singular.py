# SPDX-License-Identifier: Apache-2.0
"""Mechanisms that come near or pass through a singular position: parallelograms, kites, dead centres."""
from __future__ import annotations

import math

import loops
from model import Model


def _pins(m: Model, corners: list[tuple[float, float]]) -> tuple[list[str], list, list]:
    """Hardpoints in a plane that may be askew; their places, and the normal."""
    place, _, _, normal = loops.plane(m, "ground", m.draw.uniform(0.3, 0.6))
    names = [m.hardpoint(place(*c), False) for c in corners]
    return names, [m.places[p] for p in names], normal


def _off(m: Model) -> float:
    """By how much lengths miss the singular mechanism."""
    return m.draw.weighted({0.0: 4, 1e-6: 1, 1e-3: 1, 0.02: 2})


def _four_bar(m: Model, corners: list[tuple[float, float]]) -> None:
    p, at, normal = _pins(m, corners)
    crank = loops.add_rod(m, "ground", at[0], at[1])
    coupler = loops.add_rod(m, crank.name, at[1], at[2])
    rocker = loops.add_rod(m, "ground", at[3], at[2])
    for body, hp in ((crank, p[0]), (coupler, p[1]), (rocker, p[3])):
        m.joint("revolute", body, hp, axis=list(normal))
    loops.add_pin(m, m.draw.one(("point_on_line", "ball")), f"{coupler.name}.{p[2]}", f"{rocker.name}.{p[2]}", normal)


def parallelogram(m: Model) -> None:
    """Opposite bars equal: flat, it may go on as an antiparallelogram."""
    a, phi, off = m.draw.uniform(0.3, 0.9), m.draw.uniform(0.4, 2.5), _off(m)
    crank = (a*math.cos(phi), a*math.sin(phi))
    _four_bar(m, [(0, 0), crank, (crank[0] + 1, crank[1]), (1 + off, 0)])
    m.features.add("parallelogram" if not off else "nearly a parallelogram")


def kite(m: Model) -> None:
    """Adjacent bars equal: it folds."""
    a, phi, off = m.draw.uniform(0.4, 0.8), m.draw.uniform(0.5, 1.2), _off(m)
    tip = (math.cos(phi), math.sin(phi))
    # the mirror image of the base about the diagonal from (1, 0) to the tip of the crank
    d = (tip[0] - 1, tip[1])
    along = (-a*d[0])/(d[0]**2 + d[1]**2)
    foot = (1 + along*d[0], along*d[1])
    corner = (2*foot[0] - (1 - a), 2*foot[1])
    _four_bar(m, [(0, 0), tip, corner, (1 - a + off, 0)])
    m.features.add("kite" if not off else "nearly a kite")


def symmetric_slider(m: Model) -> None:
    """Crank and rod of one length: where the slider passes the crank's pivot the rod may turn alone."""
    phi, off = m.draw.uniform(0.4, 1.3), _off(m)
    p, at, normal = _pins(m, [(0, 0), (math.cos(phi), math.sin(phi)), (2*math.cos(phi) + off, 0)])
    crank = loops.add_rod(m, "ground", at[0], at[1])
    rod = loops.add_rod(m, crank.name, at[1], at[2])
    slider = m.body("ground", at[2], mass=m.draw.uniform(0.5, 4), plain=True)
    along = [b - a for a, b in zip(at[0], at[2])]
    m.joint("revolute", crank, p[0], axis=list(normal))
    m.joint("revolute", rod, p[1], axis=list(normal))
    m.joint("prismatic", slider, p[2], axis=along)
    loops.add_pin(m, m.draw.one(("point_on_line", "ball")), f"{rod.name}.{p[2]}", f"{slider.name}.{p[2]}", normal)
    m.features.add("symmetric slider-crank" if not off else "nearly a symmetric slider-crank")


def dead_centre(m: Model) -> None:
    """A slider-crank that turns on and on; its slider turns back at both dead centres."""
    loops.slider_crank(m, "ground")
    slider = m.coordinates[-1]
    if m.draw.chance(0.5):
        m.tree["joints"][slider.name.partition(".")[0]]["independent"] = True
    m.features.add("dead centres")


def mechanism(m: Model) -> float:
    """One of them, set in motion by its crank so that it comes to its singular position; returns the end of the run."""
    m.draw.weighted({parallelogram: 4, kite: 2, symmetric_slider: 4, dead_centre: 3})(m)
    for c in m.coordinates:
        c.looped = c.held = True
    crank = m.coordinates[0]
    rate = m.draw.signed(2, 10)
    m.tree["initial"][crank.name] = {"value": 0.0, "rate": m.number(rate)}
    crank.given = True
    m.fastest = 100
    return float(f"{m.draw.uniform(0.5, 3)*math.pi/abs(rate):.3g}")
