# SPDX-License-Identifier: Apache-2.0
"""Where mutants begin: the models of the repository, made short, with sensors on their loops."""
from __future__ import annotations

import glob
import os

import tree
from tree import Tree

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
SHORT_S = {"buggy": 0.05, "tracked": 0.05, "sens_loop": 1, "sens_step": 1}  # the others are small
DEFAULT_S = 0.3


class Start:
    """A model and all files it includes, as trees; the first is the model itself."""

    def __init__(self, path: str):
        self.name = os.path.relpath(path, ROOT)
        self.files: dict[str, dict] = {}
        self._collect(path)
        self.main = next(iter(self.files))

    def _collect(self, path: str) -> None:
        with open(path, encoding="utf-8") as f:
            content = tree.read(f.read())
        self.files[os.path.basename(path)] = content
        inner = content.get("include")
        if isinstance(inner, str):
            content["include"] = os.path.basename(inner)
            self._collect(os.path.join(os.path.dirname(path), inner))

    def section(self, name: str) -> dict[str, Tree]:
        """Entries of a section over all files, those of the model itself first."""
        found: dict[str, Tree] = {}
        for content in self.files.values():
            if isinstance(content.get(name), dict):
                found.update({k: v for k, v in content[name].items() if k not in found})
        return found

    def parameters(self) -> list[str]:
        """Those that are plain numbers."""
        return [name for name, p in self.section("parameters").items()
                if tree.is_number(p.get("value") if isinstance(p, dict) else p)]

    def shorten(self) -> None:
        seconds = next((s for word, s in SHORT_S.items() if any(word in n for n in (
            self.name, *self.files))), DEFAULT_S)
        simulation = self.section("simulation")
        start = float(simulation.get("start", 0))
        own = self.files[self.main].setdefault("simulation", {})
        own["end"] = f"{start + min(seconds, float(simulation.get('end', start + 1)) - start):.12g}"

    def watch_loops(self) -> None:
        """Sensors that see a loop open, whatever the program says of it."""
        sensors = self.files[self.main].setdefault("sensors", {})
        for name, closure in self.section("closures").items():
            ends = [closure.get(k) for k in "ab"] if isinstance(closure, dict) else []
            if closure and closure.get("type") in ("ball", "revolute") and all(
                    isinstance(e, str) and "." in e for e in ends):
                for axis in "xyz":
                    sensors[f"gap_{name}_{axis}"] = f"{ends[0]}.{axis} - {ends[1]}.{axis}"

    def complete(self) -> None:
        """Something to vary and something to ask for, so that every command has work."""
        own = self.files[self.main]
        if not self.parameters():
            own.setdefault("parameters", {})["spare"] = "1"
        if not self.section("objectives"):
            joint = next(iter(self.section("joints")))
            body = self.section("joints")[joint]["child"]
            own["objectives"] = {"reach": {"integral": f"{body}.com.vz^2"}}

    def texts(self) -> dict[str, str]:
        return {name: tree.write(content) for name, content in self.files.items()}


def is_whole(path: str) -> bool:
    """Has it bodies and joints that carry them, its own or included? Parts, libraries of templates and studies have not."""
    start = Start(path)
    joints = start.section("joints").values()
    return bool(start.section("bodies")) and all(isinstance(j, dict) and "child" in j for j in joints) and bool(joints)


def paths() -> list[str]:
    """All models that stand on their own."""
    found = sorted(glob.glob(f"{ROOT}/models/*/*.yaml") + glob.glob(f"{ROOT}/test/models/*.yaml"))
    # the search for equilibrium of a tree of 65 joints takes 10 s, the equations of a car with oil several: too long
    # for thousands of calls
    return [p for p in found if "/sedan/" not in p and is_whole(p)
            and not p.endswith(("buggy/vehicle.yaml", "_base.yaml", "/long_tree.yaml"))]


def short(path: str) -> Start:
    start = Start(path)
    start.shorten()
    start.watch_loops()
    start.complete()
    return start
