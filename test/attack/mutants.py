# SPDX-License-Identifier: Apache-2.0
"""Families of attacks by what the program is given: mutants of models, settings out of range,
hostile texts. Each takes a seed and leaves its faults with the judge."""
from __future__ import annotations

import functools
import os
import re

import commands
import extremes
import mutate
import starts
import texts
import tree
from attempt import Attempt
from draw import Draw
from judge import Judge


def _save(attempt: Attempt, files: dict[str, str], main: str) -> str:
    for name, text in files.items():
        attempt.save(name, text)
    return main


ADAPTIVE = ("auto", "dopri5", "esdirk5")


def mutant(seed: int, attempt: Attempt, judge: Judge) -> None:
    """A model of the repository, mutated, given to a command with options that may be, too."""
    draw = Draw(seed)
    start = starts.short(draw.one(starts.paths()))
    files, notes = mutate.mutate(start, draw)
    attempt.note = f"{start.name}: {'; '.join(notes)}"
    model = _save(attempt, files, start.main)
    command = commands.any_command(draw)
    arguments = commands.arguments(command, start, draw, draw.chance(0.3))
    done = attempt.call(command, model, *arguments)
    data = judge.property(done)
    judge.results(done)
    if data and command == "run" and draw.chance(0.6) and data.get("method") in ADAPTIVE:
        sharper = attempt.call(command, model, *arguments, "--tol", "1e-11")
        judge.agreement(done, data, sharper)


@functools.cache
def _paths_of(model: str) -> tuple[str, ...]:
    """Paths of all numbers of a model, as `--set` takes them."""
    start = starts.Start(model)
    found = start.parameters()
    for content in start.files.values():
        for path, text in tree.leaves(content):
            if tree.is_number(text) and path[0] not in ("parameters", "jounce", "gravity"):
                joined = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in path)[1:]
                names = ("xx", "yy", "zz", "xy", "xz", "yz") if "inertia" in path else tuple("xyz")
                if "tables" not in path:
                    joined = re.sub(r"\[(\d)\]$", lambda m: "." + names[int(m[1])], joined)
                found.append(re.sub(r"\.value$", "", joined))
    return tuple(dict.fromkeys(found))


SETTING_MODELS = ["models/buggy/step_descent.yaml", "models/tracked/bump.yaml", "models/mechanisms/slider_crank.yaml",
                  "test/models/forces.yaml", "test/models/bouncer.yaml", "test/models/sens_loop.yaml",
                  "test/models/rolling_wheel.yaml", "test/models/sweep_quarter_car.yaml"]


def setting(seed: int, attempt: Attempt, judge: Judge) -> None:
    """`--set` with a number of a model and a value out of range."""
    draw = Draw(seed)
    path = os.path.join(starts.ROOT, draw.one(SETTING_MODELS))
    name, value = draw.one(_paths_of(path)), draw.one(extremes.SETTINGS)
    start = starts.short(path)
    model = _save(attempt, start.texts(), start.main)
    command = draw.weighted({"run": 5, "check": 2, "sens": 1, "static": 1, "sweep": 1})
    attempt.note = f"{start.name} --set {name}={value}"
    more = ["--wrt", draw.one(start.parameters())] if command == "sens" else []
    if command == "sweep" and name in start.parameters():
        args = ["--param", f"{name}={value}:{value}:2", "--workers", "1", "--wrt", "none"]
    elif command == "sweep":
        other = draw.one(start.parameters())
        args = ["--param", f"{other}=1:2:2", "--workers", "1", "--wrt", "none", "--set", f"{name}={value}"]
    else:
        args = [*more, "--set", f"{name}={value}"]
    done = attempt.call(command, model, *args, "--json", "--interpreter")
    data = judge.property(done)
    if data and command == "sweep":
        return
    if data:
        judge.in_range(done, name, value)


PLACES = ["name", "description", "body", "parameter", "sensor", "unit", "note", "file", "output", "set", "wrt", "include",
          "objective"]


def _with_text(place: str, text: str) -> tuple[dict, str, list[str]]:
    """A pendulum with the text in one place; the file's name; options."""
    content: dict = {
        "jounce": "1", "name": "attack", "parameters": {"l": {"value": "1", "unit": "m", "description": "length"}},
        "bodies": {"bob": {"mass": "2", "com": ["0", "0", "-l"]}},
        "joints": {"swing": {"type": "revolute", "child": "bob", "axis": "y"}}, "initial": {"swing": "0.5"},
        "sensors": {"angle": {"value": "swing", "unit": "rad"}}, "objectives": {"psi": {"integral": "swing^2"}},
        "simulation": {"end": "0.1"}}
    name, options = "model.yaml", []
    if place in ("name", "description", "include"):
        content[place] = text
    elif place == "body":
        content["bodies"] = {text: content["bodies"]["bob"]}
        content["joints"]["swing"]["child"] = text
    elif place == "parameter":
        content["parameters"] = {text: "1"}
    elif place == "sensor":
        content["sensors"] = {text: "swing"}
    elif place == "objective":
        content["objectives"] = {text: {"integral": "swing^2", "unit": text}}
    elif place == "unit":
        content["sensors"]["angle"]["unit"] = content["parameters"]["l"]["unit"] = text
    elif place == "note":
        content["parameters"]["l"]["description"] = text
    elif place == "file":
        name = file_name(text) + ".yaml"
    elif place == "set":
        options = ["--set", text if "=" in text else f"{text}=1"]
    elif place == "wrt":
        options = ["--wrt", text]
    return content, name, options


def file_name(text: str) -> str:
    """The text as a file name that stays where it is."""
    return re.sub(r"[/\0]", "_", text)[:60].strip(".") or "x"


def _outputs(folder: str) -> list[str]:
    known = {"home", "tmp"}
    return [n for n in os.listdir(folder) if n not in known and not n.startswith(".std")]


def injection(seed: int, attempt: Attempt, judge: Judge) -> None:
    """A hostile text in one place, through one command: seeds go through all texts in turn."""
    kind, text = texts.ALL[seed % len(texts.ALL)]
    draw = Draw(seed)
    place = draw.one(PLACES)
    attempt.note = f"{kind} text {text[:60]!r} as {place}"
    content, name, options = _with_text(place, text)
    attempt.save(name, tree.write(content))
    out = file_name(text) if place == "output" else "out"
    command, args = draw.one((
        ("run", ["-o", f"./{out}.csv"]), ("report", ["-o", f"./{out}.html"]), ("check", []), ("info", []),
        ("sens", ["-o", f"./{out}.csv"]), ("generate", ["-o", f"./{out}_c"]), ("run", ["-o", f"./{out}.h5"])))
    if place == "wrt" and command not in ("sens", "report"):
        command, args = "sens", []
    compiled = draw.chance(0.1) and not attempt.sanitized
    done = attempt.call(command, f"./{name}", *args, *options, "--json", *([] if compiled else ["--interpreter"]))
    judge.property(done)
    plain = attempt.call(command, f"./{name}", *args, *options, "--interpreter")
    if judge.ending(plain):
        judge.text(plain)
    judge.harmless(done, _outputs(attempt.folder), text)


def reconstruction(seed: int, attempt: Attempt, judge: Judge) -> None:
    """Events of a run of loads, mutated, read back."""
    draw = Draw(seed)
    start = starts.Start(os.path.join(starts.ROOT, "test/models/bouncer.yaml"))
    model = _save(attempt, start.texts(), start.main)
    made = attempt.call("loads", model, "--end", "1", "--rate", "200", "-o", "out.events", "--interpreter", "--json")
    if not judge.property(made):
        return
    with open(os.path.join(attempt.folder, "out.events"), encoding="utf-8") as f:
        text = f.read()
    changed, note = mutate.text(text, draw)
    if draw.chance(0.5):
        numbers = list(re.finditer(r"(?<![\w.])-?\d[\d.e+-]*", text))
        at = draw.one(numbers)
        value = draw.one(extremes.ALL)
        changed, note = text[:at.start()] + value + text[at.end():], f"{at.group()} = {value}"
    attempt.note = f"events: {note}"
    attempt.save("out.events", changed)
    done = attempt.call("loads", "reconstruct", "out.events", "--interpreter", "--json",
                        *(["--surface"] if draw.chance(0.3) else []))
    judge.property(done)
