# SPDX-License-Identifier: Apache-2.0
"""Attacks on commands beside those of runs: tyres, roads, imports, starters, kinematics; and on instances,
whose places, turns and images are values of their own."""
from __future__ import annotations

import csv
import glob
import io
import math
import os
import re
import shutil

import extremes
import mutate
import starts
import texts
from attempt import Attempt, Outcome
from draw import Draw
from judge import Judge

TYRES = sorted(glob.glob(f"{starts.ROOT}/test/data/tyres/*.tir"))
IMPORTS = sorted(glob.glob(f"{starts.ROOT}/test/data/import/*"))
KINDS = ("pendulum", "quarter_car", "corner", "car", "study")
# what may be null in an answer: there is none, and a message says why (as of eigenvalues that coincide)
MAY_BE_NULL = re.compile(r"gradient_error|^\.modes\[\d+\]\.derivatives|ackermann|roll_centre|kingpin|caster|scrub"
                         r"|percent_per_percent|\.dt\b|contribution|per_increment")

CORNERS = """jounce: 1
name: corners
parameters: {k_front: 3000, spare: 1}
hardpoints: {A: [0.3, 0, 1.2]}
templates:
  corner:
    ports: {body: , anchor: , world: {default: ground}}
    parameters: {k: 2500, c: 150}
    hardpoints: {pivot: [0.1, 0.2, 0], hub: [0, 0.5, 0], foot: [0.05, 0.4, 0], top: [0.05, 0.3, 0.4]}
    bodies: {arm: {mass: 3, com: [0.07, 0.4, 0], inertia: [0.04, 0.1, 0.06]}}
    joints: {arm: {type: revolute, parent: body, child: arm, at: pivot, axis: [1, 0.1, 0]}}
    forces:
      strut: {between: [body.top, arm.foot], stiffness: k, damping: c, free_length: 0.4}
      tether: {between: [anchor, arm.hub], stiffness: 200, damping: 10, free_length: 0.5}
bodies: {chassis: {mass: 20, com: [0, 0, 0.3], inertia: [1, 1, 1]}}
joints: {z: {type: prismatic, child: chassis, axis: z}}
forces: {hold: {on: z, stiffness: 4000, damping: 200}}
instances:
  l: {template: corner, ports: {body: chassis, anchor: ground.A}, parameters: {k: k_front}, at: [0.3, 0, 30 cm], turn: 0.2}
  r: {mirror: l}
  b: {template: corner, ports: {body: chassis, anchor: ground.A}, at: [-0.3, 0, 0.3], mirror: x, bodies: {arm: {mass: 4}}}
objectives: {o: {integral: l.arm + r.arm}, p: {final: r.arm.hub.z}, zero: {rms: z - z}}
simulation: {end: 0.1}
"""
PATHS = ("instances.l.at.x", "instances.l.at.z", "instances.l.turn", "instances.r.at.y", "instances.b.bodies.arm.mass",
         "hardpoints.l.hub.y", "hardpoints.r.pivot.z", "bodies.r.arm.mass", "joints.l.arm.axis.x", "templates.corner.hardpoints.hub.y",
         "l.k", "r.c", "k_front", "templates.corner.parameters.k", "instances.l.parameters.k", "forces.b.strut.free_length",
         "instances", "instances.l", "instances.x.at.x", "instances.l.at", "instances.l.at.w", "instances.l.mirror",
         "instances.r.mirror", "instances.l.template")
WHEEL = """jounce: 1
name: wheel
parameters: {height: 0.05, speed: 8}
hardpoints: {hub: [0, 0, 0.36]}
bodies:
  trolley:
  frame: {mass: 300, com: [0, 0, 0.6]}
  wheel: {mass: 40, com: [0, 0, 0.36], inertia: [0.5, 0.8, 0.5]}
joints:
  x: {type: prismatic, child: trolley, axis: x}
  z: {type: prismatic, parent: trolley, child: frame, axis: z}
  spin: {type: revolute, parent: frame, child: wheel, at: hub, axis: y}
tyres: {w: {file: tyre.tir, wheel: wheel, centre: wheel.hub, scale: {LMUX: 1}}}
road:
  height: height*exp(-((x - 1)/0.2)^2)
  iso8608: {class: B, length: 50}
  obstacles: {one: {kind: cosine, at: 2, length: 0.5, height: 0.02}}
initial: {x: {value: 0, rate: speed}, spin: {value: 0, rate: speed/0.36}}
objectives: {o: {rms: w.fz}}
simulation: {end: 0.2}
"""
WHEEL_PATHS = ("tyres.w.PKY1", "tyres.w.LKX", "tyres.w.LKY", "tyres.w.LMUX", "tyres.w.scale.LMUX", "tyres.w.VERTICAL_STIFFNESS",
               "tyres.w.FNOMIN", "tyres.w.UNLOADED_RADIUS", "tyres.w.Q_FCX", "height", "speed", "road.obstacles.one.height",
               "road.obstacles.one.length", "road.iso8608.length", "road.iso8608.scale", "tyres.w.friction", "tyres.w.pressure")
COEFFICIENTS = ("LKX", "LKY", "LMUX", "LMUY", "LFZO", "LCX", "PCX1", "PDX1", "PKX1", "PCY1", "PDY1", "PKY1", "PKY2", "FNOMIN",
                "LONGVL", "UNLOADED_RADIUS", "VERTICAL_STIFFNESS", "VERTICAL_DAMPING", "Q_FCX", "QSY1", "LYKA", "LVMX", "INFLPRES",
                "NOMPRES", "BREFF")


def value(draw: Draw) -> str:
    return draw.one(extremes.SETTINGS if draw.chance(0.6) else extremes.ALL)


def _settings(draw: Draw, names: tuple[str, ...], most: int = 2) -> list[str]:
    return [w for name in draw.some(names, draw.count(0, most)) for w in ("--set", f"{name}={value(draw)}")]


def not_finite(data, at: str = "") -> list[str]:
    """Places in an answer that hold no number where one is meant; an objective that says why it has no derivatives has a value alone."""
    if isinstance(data, dict) and "no_derivatives" in data:
        return not_finite(data.get("value", 0.0), f"{at}.value")  # checks repeat the reason without the value
    if isinstance(data, dict):
        return [p for k, v in data.items() for p in not_finite(v, f"{at}.{k}")]
    if isinstance(data, list):
        return [p for i, v in enumerate(data) for p in not_finite(v, f"{at}[{i}]")]
    bad = data is None or isinstance(data, float) and not math.isfinite(data)
    return [at] if bad and not MAY_BE_NULL.search(at) else []


def _judged(done: Outcome, attempt: Attempt, judge: Judge) -> dict | None:
    """The property of all calls, and no value that is none, in the answer and in tables."""
    data = judge.property(done)
    bad = not_finite(data) if data else []
    if bad:
        judge.fault("exit 0, not finite", ", ".join(bad[:4]), done)
    for path in glob.glob(f"{attempt.folder}/out*.csv") if done.code == 0 else ():
        if _bad_cells(path):
            judge.fault("exit 0, not finite", f"{os.path.basename(path)}: {_bad_cells(path)}", done)
    return data


def _bad_cells(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as f:
        rows = list(csv.reader(io.StringIO("".join(line for line in f if not line.startswith("#")))))
    for i, row in enumerate(rows):
        for cell in row:
            if cell.strip().lower() in ("nan", "-nan", "inf", "-inf"):
                return f"row {i}: {cell}"
    return ""


# the commands

def tyre(draw: Draw, attempt: Attempt, judge: Judge) -> None:
    """A property file, mutated or not, with settings, inputs and options out of range."""
    with open(draw.one(TYRES), "rb") as f:
        data = f.read()
    attempt.save("tyre.tir", _mutated(data, draw) if draw.chance(0.5) else data)
    args = _settings(draw, COEFFICIENTS)
    if draw.chance(0.6):
        attempt.save("cases.csv", _cases(draw))
        args += ["--inputs", "cases.csv"]
        args += draw.one(([], ["--vertical"], ["--wrt", draw.one(("kappa", "all", "PKY1", "LKX", "x"))]))
        args += ["-o", "out.csv"] if draw.chance(0.5) else []
    elif draw.chance(0.3):
        args += ["-o", draw.one(("out.svg", "out.html", "out.csv", "no/out.svg"))]
    if draw.chance(0.2):
        args += ["--combined", draw.one(("file", "formula", "ellipse", "x", ""))]
    _judged(attempt.call("tyre", "tyre.tir", *args, "--json"), attempt, judge)


def _mutated(data: bytes, draw: Draw) -> bytes:
    """Bytes of a property file: another value, no vertical section, a byte order mark, zeros, an end too early."""
    kind = draw.weighted({"value": 6, "line": 3, "bom": 1, "zero": 1, "cut": 2, "text": 2})
    lines = data.split(b"\n")
    if kind == "value":
        at = draw.one([i for i, line in enumerate(lines) if re.match(rb"\w+\s*=", line)])
        lines[at] = re.sub(rb"=.*", f"= {value(draw)}".encode("utf-8", "replace"), lines[at])
        return b"\n".join(lines)
    if kind == "line":
        del lines[draw.count(0, len(lines) - 1)]
        return b"\n".join(lines)
    if kind == "bom":
        return b"\xef\xbb\xbf" + data
    if kind == "zero":
        at = draw.count(0, len(data))
        return data[:at] + b"\0" + data[at:]
    if kind == "cut":
        return data[:draw.count(0, len(data))]
    return mutate.text(data.decode("utf-8", "replace"), draw)[0].encode("utf-8", "replace")


def _cases(draw: Draw) -> str:
    """Rows of inputs with values that cannot be, texts and formulas among them."""
    names = draw.some(("Fz", "kappa", "alpha", "gamma", "Vx", "p", "omega", "note"), draw.count(1, 6))
    cell = lambda: draw.weighted({draw.one(("4000", "0.1", "-0.05", "10")): 6, value(draw): 3, draw.one(texts.CSV): 1})
    rows = [",".join(names)] + [",".join(cell() for _ in names) for _ in range(draw.count(0, 3))]
    return "\n".join(rows) + draw.one(("\n", "", "\n\n"))


def road(draw: Draw, attempt: Attempt, judge: Judge) -> None:
    attempt.save("wheel.yaml", WHEEL)
    shutil.copy(TYRES[0], os.path.join(attempt.folder, "tyre.tir"))
    args = _settings(draw, WHEEL_PATHS)
    for option in draw.some(("--from", "--to", "--step", "--left", "--right"), draw.count(0, 2)):
        args.append(f"{option}={value(draw)}")
    args += ["-o", draw.one(("out.csv", "out.svg", "out.html"))] if draw.chance(0.4) else []
    _judged(attempt.call("road", "wheel.yaml", *args, "--json"), attempt, judge)


def importing(draw: Draw, attempt: Attempt, judge: Judge) -> None:
    """A file of another program, mutated; what was written is whole and can be read."""
    path = draw.one(IMPORTS)
    with open(path, encoding="utf-8") as f:
        text = f.read()
    if draw.chance(0.8):
        text = _another_number(text, draw) if draw.chance(0.5) else mutate.text(text, draw)[0]
    name = "in" + os.path.splitext(path)[1]
    attempt.save(name, text)
    out = draw.one(("out.yaml", "", "no/out.yaml", "out.txt", draw.one(texts.PATHS)))
    if out.startswith("/") or ".." in out:
        out = "out.yaml"
    done = attempt.call("import", name, *(["-o", out] if out else []), "--json")
    data = _judged(done, attempt, judge)
    written = os.path.join(attempt.folder, "out.yaml")
    if os.path.exists(written):
        if not data or not _read(written).endswith(b"\n"):
            judge.fault("half a file", f"out.yaml, exit {done.code}", done)
        judge.property(attempt.call("check", "out.yaml", "--syntax-only", "--json"))


def _another_number(text: str, draw: Draw) -> str:
    at = draw.one(list(re.finditer(r"(?<![\w.])-?\d[\d.]*(e[-+]?\d+)?", text)))
    return text[:at.start()] + value(draw) + text[at.end():]


def _read(path: str) -> bytes:
    with open(path, "rb") as f:
        return f.read()


def starter(draw: Draw, attempt: Attempt, judge: Judge) -> None:
    """A starter to any place: nothing is overwritten, and nothing is left where it fails."""
    kind = draw.one(KINDS) if draw.chance(0.8) else draw.one([t for _, t in texts.ALL])
    place = draw.one(("", "here", "here.yaml", "no/where", "wheel.yaml", "folder", draw.one([t for _, t in texts.ALL])))
    place = re.sub(r"^[/~]+|\.\.", "_", place.replace("\0", ""))
    attempt.save("wheel.yaml", WHEEL)
    os.makedirs(os.path.join(attempt.folder, "folder"), exist_ok=True)
    before = _tree(attempt.folder)
    done = attempt.call("new", *([kind] if kind or draw.chance(0.5) else []), *(["-o", place] if place else []), "--json")
    _judged(done, attempt, judge)
    after = _tree(attempt.folder)
    if any(after.get(path) != text for path, text in before.items()):
        judge.fault("overwritten", f"{kind!r} to {place!r}", done)
    if done.code and set(after) - set(before):
        judge.fault("left behind", f"{sorted(set(after) - set(before))[:3]}", done)


def _tree(folder: str) -> dict[str, bytes]:
    found = {}
    for at, folders, names in os.walk(folder):
        folders[:] = [f for f in folders if not (at == folder and f in ("home", "tmp"))]
        found.update({os.path.join(at, f): b"" for f in folders})
        found.update({os.path.join(at, n): _read(os.path.join(at, n)) for n in names
                      if not n.startswith(".std") and os.path.isfile(os.path.join(at, n))})
    return found


def placed(draw: Draw, attempt: Attempt, judge: Judge) -> None:
    """Instances with places, turns and values out of range, through the commands that have them."""
    attempt.save("corners.yaml", CORNERS)
    command = draw.one(("run", "static", "modes", "sens", "sweep", "check", "info", "report"))
    path = draw.one(PATHS)
    args = _settings(draw, PATHS)
    if command in ("static", "modes", "sens"):
        args += ["--wrt", draw.one((path, f"{path},k_front", "parameters", "all", "instances.*", "instances.l.*", "", ","))]
    if command == "sens":
        args += draw.one(([], ["--method", "direct"], ["--method", "adjoint"], ["--events", "frozen"], ["--check"]))
    if command == "sweep":
        name = draw.one((path, "k_front", "spare"))
        args += ["--param", f"{name}={value(draw)}:{value(draw)}:{draw.one((1, 2, 3))}", "--workers", "1"]
    if command == "report":
        args += ["-o", "out.html"]
    if draw.chance(0.4):
        args += ["--objective", draw.one(("o", "p", "o,p", "zero", "o,o", "x", "", ",", "o,", draw.one(texts.YAML)))]
    args += ["--max-steps", "4000"]
    _judged(attempt.call(command, "corners.yaml", *args, "--json", "--interpreter"), attempt, judge)


def rolling(draw: Draw, attempt: Attempt, judge: Judge) -> None:
    """A wheel over a bump by a property file, with coefficients and road out of range."""
    attempt.save("wheel.yaml", WHEEL)
    shutil.copy(draw.one(TYRES), os.path.join(attempt.folder, "tyre.tir"))
    command = draw.one(("run", "static", "modes", "sens", "check"))
    args = _settings(draw, WHEEL_PATHS, 3)
    args += ["--wrt", draw.one(WHEEL_PATHS)] if command in ("static", "modes", "sens") else []
    args += ["--max-steps", "4000"]
    _judged(attempt.call(command, "wheel.yaml", *args, "--json", "--interpreter"), attempt, judge)


def kinematics(draw: Draw, attempt: Attempt, judge: Judge) -> None:
    args = [f"{option}={value(draw)}" for option in draw.some(("--from", "--to", "--points"), draw.count(0, 2))]
    args += ["--motion", draw.one(("bump", "roll", "steer", "lateral", "braking", "traction", "aligning", "x", ""))]
    args += draw.one(([], [], ["--axle", draw.one(("front", "rear", "", "x"))], ["--side", draw.one(("left", "right", "x"))],
                      ["--opposed"], ["--height", draw.one(("free", "held", "x"))]))
    args += ["--wrt", draw.one(("hardpoints.*", "parameters", "x", ""))] if draw.chance(0.2) else []
    args += ["-o", draw.one(("out.csv", "out.html"))] if draw.chance(0.2) else []
    model = draw.one(("models/starters/corner.yaml", "test/models/double_wishbone.yaml"))
    _judged(attempt.call("kinematics", os.path.join(starts.ROOT, model), *args, "--json", "--interpreter"), attempt, judge)


COMMANDS = {tyre: 5, road: 3, importing: 3, starter: 2, placed: 6, rolling: 3, kinematics: 2}


def surface(seed: int, attempt: Attempt, judge: Judge) -> None:
    """One of them by its share."""
    draw = Draw(seed)
    attack = draw.weighted(COMMANDS)
    attempt.note = f"surface, {attack.__name__}"
    attack(draw, attempt, judge)
