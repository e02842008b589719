# SPDX-License-Identifier: Apache-2.0
"""Jounce: vehicle dynamics with exact sensitivities.

    import jounce
    model = jounce.load("models/buggy/step_descent.yaml")
    result = model.run()
    result["z1"], result.objectives["psi"]
    gradient = model.gradient(["k_f", "c_f", "m_c"])
    gradient["psi", "k_f"], gradient.error("psi", "k_f")

docs/python.md describes it. Numbers are in SI units unless a name says otherwise.
"""
from __future__ import annotations

from . import _html
from ._core import Quantity
from ._lib import MODELS_PATH as models_path
from ._lib import PATH as library_path
from ._lib import VERSION as __version__
from .analysis import Equilibrium, EquilibriumInfo, Modes, Stability
from .batch import Batch, BatchInfo, Points
from .distribution import Lognormal, Normal, Uniform
from .errors import (ArgumentError, CompilerError, ConvergenceError, Diagnostic, FileError, JounceError,
                     JounceNotice, JounceWarning, LibraryNotFound, LimitError, ModelError, NumericError,
                     OutOfMemoryError, SingularError, Stopped, TextError)
from .function import Function
from .gradient import Check, Gradient, GradientEvent, GradientStatistics, History, Influence
from .imported import Imported, ImportInfo, Remark, take_over
from .kinematics import Curve, Kinematics
from .loads import (Element, ElementGradient, EventAgain, LoadEvent, LoadEvents, Loads, LoadsGradient,
                    LoadStatistics, Pose, Reconstruction, plot_loads)
from .model import Body, Closure, Coupling, Joint, Model, ModelInfo, Parameter, load, parse, write_schema
from .result import Change, Event, Page, Result, Statistics
from .run import Run
from .study import Part, Study, load_study
from .sweep import Sweep, SweepInfo, SweepPoint, SweepStatistic
from .system import Coordinate, System, SystemInfo
from .table import Table
from .tyre import Coefficient, Tyre, TyreFunction, TyreInfo, load_tyre


def show(*, replay: bool) -> None:
    """What notebooks show of a result: with or without its replay, for which the manoeuvre is run again."""
    _html.replay = replay


__all__ = [
    "ArgumentError", "Batch", "BatchInfo", "Body", "Change", "Check", "Closure", "Coefficient", "CompilerError", "ConvergenceError",
    "Coordinate", "Coupling", "Curve", "Diagnostic", "Element", "ElementGradient", "Equilibrium", "EquilibriumInfo", "Event",
    "EventAgain", "FileError", "Function", "Gradient", "GradientEvent", "GradientStatistics", "History",
    "ImportInfo", "Imported", "Influence",
    "Joint", "JounceError", "JounceNotice", "JounceWarning", "Kinematics", "LibraryNotFound", "LimitError",
    "LoadEvent", "LoadEvents", "LoadStatistics", "Loads", "LoadsGradient", "Lognormal", "Model", "ModelError", "ModelInfo", "Modes",
    "Normal", "NumericError", "OutOfMemoryError", "Page", "Parameter", "Part", "Points", "Pose", "Quantity", "Reconstruction", "Remark",
    "Result",
    "Run", "SingularError", "Stability", "Statistics", "Stopped", "Study", "Sweep", "SweepInfo", "SweepPoint", "SweepStatistic", "System",
    "SystemInfo", "Table", "TextError", "Tyre", "TyreFunction", "TyreInfo", "Uniform", "__version__", "library_path", "load", "load_study", "load_tyre", "models_path",
    "parse", "plot_loads", "show", "take_over", "write_schema",
]
