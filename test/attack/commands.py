# SPDX-License-Identifier: Apache-2.0
"""Command lines: every command, with options that make sense and options that do not."""
from __future__ import annotations

import json
from pathlib import Path

import extremes
import texts
from draw import Draw
from starts import Start

SCHEMA = json.loads((Path(__file__).resolve().parents[2] / "docs/jounce.schema.json").read_text(encoding="utf-8"))
METHODS = SCHEMA["properties"]["simulation"]["properties"]["method"]["enum"]
DRIVERS = ["subcycle", "fixed", "adaptive", "impulsive", "converged"]
NUMBERS = ["--end", "--tol", "--step", "--output-step", "--max-step", "--rate", "--at", "--slope", "--reference",
           "--restitution", "--derivative-tol", "--threshold", "--window", "--workers", "--seed", "--sample"]
OPTIONS: dict[str, list[str]] = {
    "run": ["--end", "--tol", "--step", "--output-step", "--max-step"], "info": [], "check": [], "static": [],
    "modes": ["--at"], "generate": [], "sens": ["--tol", "--step", "--derivative-tol", "--threshold"],
    "report": ["--tol"], "sweep": ["--end", "--tol", "--step", "--workers"],
    "loads": ["--rate", "--tol", "--end", "--slope", "--reference", "--restitution"],
}
WEIGHTS = {"run": 10, "check": 6, "info": 2, "static": 4, "modes": 3, "generate": 1, "sens": 5, "report": 3, "sweep": 4,
           "loads": 4}


def _usual(command: str, start: Start, draw: Draw) -> list[str]:
    """Options as a user would give them."""
    name = draw.one(start.parameters() or ["k"])
    if command == "run":
        out = draw.one(("", "", "out.csv", "out.h5"))
        return (["--method", draw.one(METHODS), "--step", "0.001"] if draw.chance(0.3) else []) + (
            ["-o", out] if out else [])
    if command == "check":
        return ["--syntax-only"] if draw.chance(0.2) else []
    if command == "static":
        return ["--wrt", draw.one(("parameters", name, "all"))] if draw.chance(0.4) else []
    if command == "modes":
        return draw.one(([], ["--at", "static"], ["--at", "0.01"], ["--wrt", name]))
    if command == "generate":
        return ["-o", "generated"]
    if command == "sens":
        return draw.one(([], ["--wrt", name], ["--wrt", name, "--method", "direct"], ["--wrt", name, "--method", "adjoint"],
                         ["--wrt", name, "--events", "frozen"], ["--wrt", name, "-o", "out.csv"]))
    if command == "report":
        return ["-o", "out.html"] + draw.one(([], ["--wrt", name], ["--no-replay"]))
    if command == "sweep":
        low, high = draw.one((("0.5", "2"), ("-1", "1"), ("0", "0"), ("1e-300", "1e300"), ("1", "3")))
        return ["--param", f"{name}={low}:{high}:{draw.one((1, 2, 3))}", "--workers", draw.one("12"),
                "--wrt", draw.one(("none", name))] + draw.one(([], ["-o", "out.csv"], ["-o", "out.h5"]))
    if command == "loads":
        return ["--driver", draw.one(DRIVERS), "--rate", "100"] + draw.one(([], ["-o", "out.csv"]))
    return []


def _hostile(command: str, start: Start, draw: Draw) -> list[str]:
    """An option out of range, of another command, without a value, or a text for a number."""
    pick = draw.weighted({"range": 10, "foreign": 2, "text": 3, "set": 8, "bare": 1, "method": 1})
    value = draw.one(extremes.SETTINGS if draw.chance(0.8) else extremes.ALL)
    if pick == "range" and OPTIONS[command]:
        return [f"{draw.one(OPTIONS[command])}={value}"]
    if pick in ("range", "set"):
        return ["--set", f"{draw.one(start.parameters() or ['k'])}={value}"]
    if pick == "text":
        return [draw.one(("--set", "--wrt", "--method", "--param", "--history", "--elements", "--per")),
                draw.one(texts.ALL)[1]]
    if pick == "bare":
        return [draw.one(NUMBERS)]
    if pick == "method":
        return ["--method", draw.one(METHODS)]
    return [draw.one(NUMBERS), draw.one(extremes.ALL)]


def arguments(command: str, start: Start, draw: Draw, hostile: bool) -> list[str]:
    """Without the file. Always JSON, mostly interpreted: a compiler takes a second."""
    args = _usual(command, start, draw)
    if hostile:
        args += _hostile(command, start, draw)
    # enough for the models as they are; those that are made stiff, or long, end by this limit, each point of a sweep
    steps = "6000" if command == "sweep" else "20000"
    return args + ["--max-steps", steps, "--json"] + ([] if draw.chance(0.02) else ["--interpreter"])


def any_command(draw: Draw) -> str:
    return draw.weighted(WEIGHTS)
