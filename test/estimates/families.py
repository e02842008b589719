# SPDX-License-Identifier: Apache-2.0
"""The models that error estimates of derivatives are measured on, by family."""
from __future__ import annotations

import os
import sys
from dataclasses import dataclass

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "test", "random"))

import generator  # noqa: E402
from leaves import write  # noqa: E402


@dataclass(frozen=True)
class Case:
    """One model with the parameters to differentiate with respect to, and the tolerances of its runs."""
    name: str
    text: str                               # of the file; relative paths are those of the root
    wrt: tuple[str, ...]
    tolerances: tuple[str, ...] = ("1e-6", "1e-8")
    reference: tuple[str, str] = ("1e-11", "1e-12")


def _file(path: str, wrt: str, *, more: str = "", name: str = "", **keys) -> Case:
    text = f"jounce: 1\nname: {name or path}\ninclude: [{ROOT}/{path}]\n{more}"
    return Case(name or path, text, tuple(wrt.split()), **keys)


VEHICLES = {
    "car": ("models/car/driven.yaml", "m k_f k_r c mu"),
    "starter": ("models/manoeuvres/starter_car.yaml", "mass k_front c_rear grip k_tyre"),
}
MANOEUVRES = ("step_steer", "sine_steer", "circle_speed", "circle_radius", "lane_change_1",
              "lane_change_2", "braking_in_turn")


def _manoeuvres() -> list[Case]:
    found = []
    for name in MANOEUVRES:
        for vehicle, (path, wrt) in VEHICLES.items():
            text = (f"jounce: 1\nname: {name} of the {vehicle}\n"
                    f"include: [{ROOT}/{path}, {ROOT}/models/manoeuvres/{name}.yaml]\n")
            found.append(Case(f"{name}, {vehicle}", text, tuple(wrt.split()), ("1e-7",), ("1e-10", "1e-11")))
    return found


def _sedan() -> list[Case]:
    wrt = "k_front k_rear bodies.chassis.mass K_front grip"
    return [_file(f"models/sedan/{name}.yaml", wrt, tolerances=("1e-6", "1e-7"), reference=("1e-9", "1e-10"))
            for name in ("cornering", "four_poster", "cornering_steady")]


def _stops() -> list[Case]:
    return [
        _file("models/car/launch_and_stop.yaml", "m k_f c mu slope drive brake", tolerances=("1e-6", "1e-8")),
        _file("test/drive/stop.yaml", "bodies.chassis.mass k_front grip cruise final_drive wheel_mass",
              tolerances=("1e-6", "1e-7"), reference=("1e-9", "1e-10")),
    ]


def _lift_off() -> list[Case]:
    return [
        _file("models/attitude/wheelie.yaml", "", tolerances=("1e-6", "1e-8")),
        _file("models/attitude/motorcycle.yaml", "", tolerances=("1e-6", "1e-8")),
        _file("models/attitude/roll_over.yaml", "", tolerances=("1e-7", "1e-9")),
        _file("models/buggy/step_descent.yaml", "k_f c_f k_r c_r m_c", tolerances=("1e-7", "1e-9")),
        _file("models/buggy/double_lane_change.yaml", "k_f c_f k_r c_r m_c", tolerances=("1e-7", "1e-9")),
    ]


def random_case(seed: int) -> Case | None:
    """A random model with up to four of its parameters; None: it has no objective or none of them is known."""
    import random
    m = generator.make(seed)
    written = write(m.tree)
    known = [written.called[n] for n in m.numbers if n in written.called]
    chosen = random.Random(f"{seed} estimates").sample(known, min(len(known), 3))
    if not chosen:
        return None
    return Case(f"random {seed}", written.text, tuple(chosen), ("file",), ("1e-11", "1e-12"))


FAMILIES = {"manoeuvres": _manoeuvres, "sedan": _sedan, "stops": _stops, "lift-off": _lift_off}
