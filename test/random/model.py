# SPDX-License-Identifier: Apache-2.0
"""A model while it grows: its tree, and what the parts of the generator know of it."""
from __future__ import annotations

from dataclasses import dataclass, field

from draw import Draw, Vector, add
from leaves import Formula, Number

SUFFIXES = {
    "fixed": (), "revolute": ("",), "prismatic": ("",), "cylindrical": ("s", "a"),
    "universal": ("a", "b"), "spherical": ("a", "b", "c"), "planar": ("s", "t", "a"),
    "free": ("x", "y", "z", "yaw", "pitch", "roll"),
}
LENGTHS = {("prismatic", ""), ("cylindrical", "s"), ("planar", "s"), ("planar", "t"),
           ("free", "x"), ("free", "y"), ("free", "z")}


@dataclass
class Body:
    name: str
    parent: str
    mass: float
    com: Vector                     # vehicle coordinates
    children: list["Body"] = field(default_factory=list)

    def carried(self) -> float:
        return self.mass + sum(child.carried() for child in self.children)


@dataclass
class Coordinate:
    name: str
    is_length: bool
    body: Body
    design: float = 0.0             # value in the design position
    driven: bool = False
    held: bool = False
    given: bool = False             # has an initial condition
    looped: bool = False            # part of a loop

    def inertia(self) -> float:
        """Rough: enough to choose a stiffness that gives a frequency."""
        return max(self.body.carried(), 0.3)*(1.0 if self.is_length else 0.06)


class Model:
    def __init__(self, seed: int):
        self.draw = Draw(seed)
        self.seed = seed
        self.tree: dict = {"jounce": 1, "name": f"random_{seed}"}
        for key in ("gravity", "hardpoints", "bodies", "joints", "closures", "tables", "forces", "tyres",
                    "road", "states", "signals", "sensors", "objectives", "initial", "simulation"):
            self.tree[key] = {}
        self.tree["gravity"] = [0.0, 0.0, -9.81]
        del self.tree["road"]
        self.features: set[str] = set()
        self.numbers: list[Number] = []     # those to differentiate by
        self.addresses: list[Number] = []   # more of them, known by a path that the tree does not show
        self.bodies: dict[str, Body] = {}
        self.coordinates: list[Coordinate] = []
        self.places: dict[str, Vector] = {}  # of hardpoints
        self.equations = 0                  # independent ones of closures
        self.couplings: list[str] = []      # their forces
        self.links: list[str] = []          # elements between points, for lengths
        self.wake = 0.0                     # when the input comes
        self.fastest = 50.0                 # rough largest eigenvalue [1/s]
        self.jumps = False                  # momentum or position jumps
        self.powers: list[str] = []         # terms of the power of all forces
        self.seen = True                    # objectives may be of motion seen from other bodies
        self.floors: list[str] = []         # quantities that never fall below zero
        self.twins: list[tuple[str, str]] = []  # outputs that are equal by symmetry
        self.dissipative = False            # the energy never grows
        self.buffers: list[tuple[str, float]] = []  # floors that give way: coordinate and stiffness below zero
        self.same: list[tuple[str, str]] = [] # a force, and its torque written in another way
        self.counts: dict[str, int] = {}     # discrete states that count events, and how many there are
        self.integrals: dict[str, tuple[float, float]] = {}  # objectives whose value is known, and how well
        self._count = 0

    # numbers

    def number(self, value: float, size: float = 0.0, free: bool = True) -> Number:
        self._count += 1
        n = Number(f"p{self._count}", float(value), size or abs(value) or 1.0,
                   named=self.draw.chance(0.4))
        if free:
            self.numbers.append(n)
        return n

    def vector(self, v: Vector, size: float, free: bool = True) -> list:
        return [self.number(x, max(size, abs(x)), free) for x in v]

    def address(self, path: str, value: float, size: float = 0.0) -> None:
        """A value that is written elsewhere in the file, or not at all, and known by `path`."""
        self.addresses.append(Number(path, float(value), size or abs(value) or 1.0, path=path))

    def formula(self, text: str, *values: float) -> Formula:
        """An expression; its numbers may be differentiated by."""
        return Formula(text, [v if isinstance(v, Number) else self.number(v) for v in values])

    # parts

    def hardpoint(self, place: Vector, free: bool = True) -> str:
        name = f"P{len(self.places)}"
        self.places[name] = [float(f"{x:.12g}") for x in place]
        self.tree["hardpoints"][name] = self.vector(self.places[name], 0.3, free)
        return name

    def body(self, parent: str, com: Vector, mass: float = 0.0, plain: bool = False) -> Body:
        """A body with inertia; some of them have a frame of their own."""
        draw = self.draw
        name = f"b{len(self.bodies)}"
        mass = mass or draw.log(0.5, 20)
        r2 = draw.uniform(0.08, 0.2)**2
        inertia = [mass*r2*draw.uniform(0.8, 1.2) for _ in range(3)]
        inertia += [mass*r2*draw.uniform(-0.1, 0.1) for _ in range(3)]
        entry = {"mass": self.number(mass), "com": self.vector(com, 0.3),
                 "inertia": [self.number(float(f"{x:.4g}"), mass*r2) for x in inertia]}
        if not plain and draw.chance(0.25):
            self.features.add("frame of its own")
            entry["frame"] = {"origin": list(com), "x": [0.9, 0.3, -0.2], "y": [-0.2, 0.8, 0.4]}
            entry["com"] = self.vector(draw.vector(0.05), 0.1)
        self.tree["bodies"][name] = entry
        return self._known(Body(name, parent, mass, com))

    def slides(self, body: Body) -> None:
        """It does not turn, and what it carries does not either: of its values the mass alone matters."""
        entry = self.tree["bodies"][body.name]
        idle = {id(n) for n in (*entry["com"], *entry["inertia"])}
        self.numbers = [n for n in self.numbers if id(n) not in idle]

    def massless(self, parent: str, place: Vector) -> Body:
        name = f"b{len(self.bodies)}"
        self.tree["bodies"][name] = None
        return self._known(Body(name, parent, 0.0, place))

    def _known(self, body: Body) -> Body:
        self.bodies[body.name] = body
        if body.parent in self.bodies:
            self.bodies[body.parent].children.append(body)
        return body

    def joint(self, kind: str, body: Body, at: str = "", **keys) -> list[Coordinate]:
        name = f"j{len(self.tree['joints'])}"
        entry = {"type": kind, "child": body.name}
        if body.parent != "ground":
            entry["parent"] = body.parent
        if kind == "free":
            entry["at"] = f"{body.name}.{at}"
        elif at:
            entry["at"] = at
        entry.update(keys)
        self.tree["joints"][name] = entry
        self.features.add(f"joint {kind}")
        made = []
        for i, suffix in enumerate(SUFFIXES[kind]):
            design = self.places[at][i] if kind == "free" and i < 3 else 0.0
            made.append(Coordinate(f"{name}.{suffix}" if suffix else name,
                                   (kind, suffix) in LENGTHS, body, design))
        self.coordinates += made
        return made

    def closure(self, kind: str, equations: int, **keys) -> str:
        name = f"c{len(self.tree['closures'])}"
        self.tree["closures"][name] = {"type": kind, **keys}
        self.features.add(f"closure {kind}")
        self.equations += equations
        return name

    def force(self, entry: dict, kind: str, prefix: str = "f") -> str:
        name = f"{prefix}{len(self.tree['forces'])}"
        self.tree["forces"][name] = entry
        self.features.add(f"force {kind}")
        self.powers.append(f"{name}.power")
        return name

    # questions

    def free(self) -> list[Coordinate]:
        return [c for c in self.coordinates if not c.driven]

    def freedom(self) -> int:
        return len(self.free()) - self.equations

    def near(self, body: str, size: float = 0.2) -> tuple[str, Vector]:
        """A new point fixed to the body, `body.hardpoint`, and its place."""
        centre = self.bodies[body].com if body in self.bodies else [0.0, 0.0, 0.0]
        name = self.hardpoint(add(centre, self.draw.vector(size)))
        return f"{body}.{name}", self.places[name]
