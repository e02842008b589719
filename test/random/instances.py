# SPDX-License-Identifier: Apache-2.0
"""Assemblies by templates: instances that are moved, turned and mirrored, with values of their own."""
from __future__ import annotations

import trees
from draw import add
from model import Body, Coordinate, Model


def _rounded(v: list[float]) -> list[float]:
    return [float(f"{x:.5g}") for x in v]


class Corner:
    """The template of a left corner, and what is known of it."""

    def __init__(self, m: Model):
        draw = m.draw
        place = lambda v, size=0.05: _rounded(add(v, draw.vector(size)))
        self.points = {"pivot": place([0.1, 0.2, 0]), "hub": place([0, 0.6, 0]), "foot": place([0.05, 0.45, 0.02]),
                       "top": place([0.03, 0.35, 0.4])}
        mass, r2 = draw.log(1, 8), draw.uniform(0.1, 0.2)**2
        self.mass, self.com = mass, place([0.05, 0.4, 0])
        self.inertia = _rounded([mass*r2*draw.uniform(0.8, 1.2) for _ in range(3)]
                                + [mass*r2*draw.uniform(-0.1, 0.1) for _ in range(3)])
        self.axis = _rounded([1, draw.uniform(-0.2, 0.2), draw.uniform(-0.2, 0.2)])
        omega = 6.283*draw.uniform(1.5, 4)
        self.k = float(f"{mass*omega**2:.4g}")
        self.c = float(f"{2*draw.uniform(0.1, 0.5)*mass*omega:.4g}")
        self.length = float(f"{draw.uniform(0.38, 0.42):.4g}")
        self.tether = float(f"{0.5*self.k:.4g}")
        self.preload = float(f"{mass*draw.uniform(-3, 3):.4g}")
        self.springs = [float(f"{self.k*draw.uniform(0.5, 2):.4g}") for _ in range(3)]
        self.has_bush = draw.chance(0.3)
        self.has_force = draw.chance(0.3)
        self.has_loop = draw.chance(0.25)

    def tree(self) -> dict:
        entry = {
            "ports": {"body": None, "anchor": None, "world": {"default": "ground"}},
            "parameters": {"k": self.k, "c": self.c},
            "hardpoints": dict(self.points),
            "bodies": {"arm": {"mass": self.mass, "com": self.com, "inertia": self.inertia}},
            "joints": {"arm": {"type": "revolute", "parent": "body", "child": "arm", "at": "pivot", "axis": self.axis}},
            "forces": {
                "strut": {"between": ["body.top", "arm.foot"], "stiffness": "k", "damping": "c",
                          "free_length": self.length},
                "tether": {"between": ["anchor", "arm.hub"], "stiffness": self.tether, "damping": "0.2*c",
                           "free_length": 0.5}},
            "sensors": {"travel": {"value": "strut.length", "unit": "m"}}}
        if self.has_bush:
            entry["bushes"] = {"seat": {"between": ["world.foot", "arm.foot"], "stiffness": self.springs,
                                        "preload": [self.preload, -self.preload, 0.0]}}
        if self.has_force:
            entry["forces"]["drag"] = {"at": "arm.hub", "force": [0.0, "-0.1*c*arm.hub.vy", self.preload]}
        if self.has_loop:
            self._close(entry)
        return entry

    def _close(self, entry: dict) -> None:
        """An upright on the arm that a rod ties to the body: a loop."""
        entry["hardpoints"].update(head=_rounded(add(self.points["hub"], [0.02, -0.05, 0.3])),
                                   seat=_rounded(add(self.points["pivot"], [0.03, 0.05, 0.32])))
        entry["bodies"]["upright"] = {"mass": 1.5, "com": "head", "inertia": [0.02, 0.02, 0.02]}
        entry["joints"]["upright"] = {"type": "revolute", "parent": "arm", "child": "upright", "at": "hub",
                                      "axis": [1.0, 0.05, -0.03]}
        entry["closures"] = {"rod": {"type": "distance", "a": "body.seat", "b": "upright.head"}}


def _chassis(m: Model) -> Body:
    """It moves up and down, or in the plane across with roll."""
    body = m.body("ground", [0.0, 0.0, 0.4], mass=m.draw.uniform(10, 40), plain=True)
    at = m.hardpoint([0.0, 0.0, 0.4], free=False)
    if m.draw.chance(0.5):
        m.joint("prismatic", body, axis="z")
    else:
        m.joint("planar", body, at, axis="x", axis2="y")
    return body


def _placed(m: Model, name: str, place: list[float]) -> dict:
    """An instance of the template, put somewhere; perhaps turned, mirrored by itself and with values of its own."""
    draw = m.draw
    entry = {"template": "corner", "ports": {"body": "b0", "anchor": f"ground.{m.hardpoint([place[0], 0.0, 0.9])}"},
             "at": m.vector(_rounded(place), 0.3)}
    for x in entry["at"]:
        x.named = draw.chance(0.15)
        x.unit = ("cm", 2) if draw.chance(0.2) else ("", 0)
    m.features.add("instance that is moved")
    if draw.chance(0.5):
        entry["turn"] = m.number(draw.uniform(-0.6, 0.6), 0.5)
        entry["turn"].named = draw.chance(0.15)
        m.features.add("instance that is turned")
    if draw.chance(0.15):
        entry["mirror"] = draw.one("xyz")
        m.features.add("template that is mirrored")
    return entry


def _changes(m: Model, name: str, entry: dict, corner: Corner) -> None:
    """Parameters and sections of its own, each with its path."""
    draw = m.draw
    if draw.chance(0.5):
        value = float(f"{corner.k*draw.uniform(0.7, 1.4):.4g}")
        if draw.chance(0.5):
            entry["parameters"] = {"k": m.number(value)}
            entry["parameters"]["k"].named = True
        else:
            entry["parameters"] = {"k": value}
            m.address(f"{name}.k", value)
            m.address(f"instances.{name}.parameters.k", value)
        m.features.add("instance with a parameter of its own")
    if draw.chance(0.3):
        mass = float(f"{corner.mass*draw.uniform(0.7, 1.4):.4g}")
        entry["bodies"] = {"arm": {"mass": mass}}
        m.address(f"instances.{name}.bodies.arm.mass", mass)
        m.address(f"bodies.{name}.arm.mass", mass)
        m.features.add("instance with a section of its own")


def _addresses(m: Model, name: str, corner: Corner, own: dict) -> None:
    """Paths of values inside of an instance, and of the template."""
    draw = m.draw
    for point in draw.some(corner.points, 2):
        i = draw.count(0, 2)
        m.address(f"hardpoints.{name}.{point}.{'xyz'[i]}", corner.points[point][i], 0.3)
    if "bodies" not in own:
        m.address(f"bodies.{name}.arm.mass", corner.mass)
    i = draw.count(0, 2)
    m.address(f"bodies.{name}.arm.com.{'xyz'[i]}", corner.com[i], 0.3)
    i = draw.count(0, 5)
    m.address(f"bodies.{name}.arm.inertia.{('xx', 'yy', 'zz', 'xy', 'xz', 'yz')[i]}", corner.inertia[i], corner.inertia[0])
    m.address(f"forces.{name}.strut.free_length", corner.length)
    m.address(f"forces.{name}.tether.stiffness", corner.tether)
    i = draw.count(1, 2)
    m.address(f"joints.{name}.arm.axis.{'xyz'[i]}", corner.axis[i], 1.0)
    m.address(f"{name}.c", corner.c)
    if corner.has_bush:
        m.address(f"bushes.{name}.seat.preload.x", corner.preload, abs(corner.preload) + 1)
        m.address(f"bushes.{name}.seat.stiffness.y", corner.springs[1])


def _of_template(m: Model, corner: Corner) -> None:
    m.address("templates.corner.hardpoints.hub.y", corner.points["hub"][1], 0.3)
    m.address("templates.corner.bodies.arm.mass", corner.mass)
    m.address("templates.corner.parameters.c", corner.c)


def _register(m: Model, name: str, corner: Corner) -> None:
    """Its coordinate and the power of its forces."""
    m.coordinates.append(Coordinate(f"{name}.arm", False, Body(f"{name}.arm", "b0", corner.mass, corner.com)))
    m.powers += [f"{name}.strut.power", f"{name}.tether.power"] + [f"{name}.seat.power"]*corner.has_bush \
        + [f"{name}.drag.power"]*corner.has_force


def assemble(m: Model) -> None:
    """A body with one to three pairs of corners, each an instance and its mirror image."""
    draw = m.draw
    corner = Corner(m)
    _chassis(m)
    m.tree["templates"] = {"corner": corner.tree()}
    m.tree["instances"] = made = {}
    pairs = draw.weighted({1: 4, 2: 1})
    for i in range(pairs):
        left, right = f"l{i}", f"r{i}"
        place = add([0.5*(1 - i), 0.0, 0.4], draw.vector(0.05))
        made[left] = _placed(m, left, place)
        _changes(m, left, made[left], corner)
        _addresses(m, left, corner, made[left])
        _register(m, left, corner)
        if draw.chance(0.85):
            _mirrored(m, left, right, made, corner)
    _of_template(m, corner)
    if corner.has_loop:
        m.features.add("loop inside of a template")
    trees.hold(m)


def _mirrored(m: Model, left: str, right: str, made: dict, corner: Corner) -> None:
    made[right] = {"mirror": left}
    m.features.add("mirror image of an instance")
    # a place of its image is that of the instance: the most telling of all paths
    for x in made[left]["at"] + [made[left].get("turn")]:
        if x is not None and m.draw.chance(0.5):
            m.numbers += [x]*8
    if m.draw.chance(0.2):
        made[right]["about"] = m.draw.one("xyz")
        m.features.add("mirror image about another plane")
    if m.draw.chance(0.3):
        _changes(m, right, made[right], corner)
    _addresses(m, right, corner, made[right] if "bodies" in made[right] else made[left])
    if "bodies" in made[left] and "bodies" not in made[right]:
        m.address(f"bodies.{right}.arm.mass", made[left]["bodies"]["arm"]["mass"])
    _register(m, right, corner)
    if made[right] == {"mirror": left} and len(m.coordinates) == 3:
        m.twins.append((f"{left}.arm", f"{right}.arm"))
