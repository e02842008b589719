# SPDX-License-Identifier: Apache-2.0
"""Exported C as a shared library, behind what runtime/vehicle.h declares."""
import ctypes
import subprocess
from ctypes import POINTER, byref, c_bool, c_char_p, c_double, c_int, c_size_t, c_void_p
from pathlib import Path

from program import jounce


class Quantity(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("unit", c_char_p), ("description", c_char_p)]


class Number(ctypes.Structure):
    _fields_ = [("quantity", Quantity), ("value", c_double), ("min", c_double), ("max", c_double),
                ("is_input", c_bool)]


class Model(ctypes.Structure):
    """The beginning of jvehicle_model."""
    _fields_ = [("name", c_char_p), ("description", c_char_p), ("token", c_char_p), ("nnumber", c_int),
                ("nstate", c_int), ("nindicator", c_int), ("noutput", c_int), ("nobjective", c_int),
                ("number", POINTER(Number)), ("state", POINTER(Quantity)),
                ("state_nominal", POINTER(c_double)), ("state_rate_of", POINTER(c_int)),
                ("indicator", POINTER(Quantity)), ("output", POINTER(Quantity)), ("objective", POINTER(Quantity)),
                ("nsensor", c_int), ("t_start", c_double), ("t_end", c_double)]


class Reached(ctypes.Structure):
    _fields_ = [("t", c_double), ("is_event", c_bool), ("events", c_int)]


class Seed(ctypes.Structure):
    _fields_ = [(name, POINTER(c_double)) for name in ("states", "numbers", "time")]


class Slope(ctypes.Structure):
    _fields_ = [(name, POINTER(c_double)) for name in ("rates", "indicators", "outputs", "objectives")]


def array(values):
    values = list(values)
    return (c_double * max(1, len(values)))(*values)


class Export:
    """A model as a library; vehicles are made of it."""

    def __init__(self, folder, model, *options):
        jounce("generate", str(model), "-o", f"{folder}/c", *options)
        sources = sorted(str(p) for p in Path(folder, "c").rglob("*.c") if p.name != "main.c")
        library = f"{folder}/model.so"
        subprocess.run(["cc", "-std=gnu17", "-O0", "-ffp-contract=off", "-shared", "-fPIC", f"-I{folder}/c", *sources,
                        "-o", library, "-lm"], check=True)
        self.library = ctypes.CDLL(library)
        self.model = Model.in_dll(self.library, "jvehicle_exported")
        for name in ("create", "numbers"):
            getattr(self.library, "jvehicle_" + name).restype = c_void_p
        self.library.jvehicle_message.restype = c_char_p
        self.library.jvehicle_time.restype = c_double
        self.library.jvehicle_snapshot_size.restype = c_size_t

    def names(self, field, count):
        return [getattr(self.model, field)[i].name.decode() for i in range(getattr(self.model, count))]

    def numbers(self):
        return [self.model.number[i].quantity.name.decode() for i in range(self.model.nnumber)]


class Vehicle:
    def __init__(self, export):
        self.export, self.model, self.library = export, export.model, export.library
        self.handle = c_void_p(self.library.jvehicle_create(byref(self.model)))
        assert self.handle

    def close(self):
        self.library.jvehicle_destroy(self.handle)

    def message(self):
        return self.library.jvehicle_message(self.handle).decode()

    def call(self, name, *arguments):
        status = getattr(self.library, "jvehicle_" + name)(self.handle, *arguments)
        if status < 0:
            raise ValueError(self.message())

    def set(self, **numbers):
        names = self.export.numbers()
        at = ctypes.cast(self.library.jvehicle_numbers(self.handle), POINTER(c_double))
        for name, value in numbers.items():
            at[names.index(name)] = value

    def begin(self, t=None):
        self.call("begin", c_double(self.model.t_start if t is None else t))

    def advance(self, t, stop=False):
        reached = Reached()
        self.call("advance", c_double(t), c_bool(stop), byref(reached))
        return reached

    def values(self, name, n):
        x = array([0.0] * n)
        self.call(name, x)
        return list(x)[:n]

    def states(self):
        x = array([0.0] * self.model.nstate)
        self.library.jvehicle_get_states(self.handle, x)
        return list(x)[:self.model.nstate]

    def move(self, t, x):
        self.call("set", c_double(t), array(x))

    def rates(self):
        return self.values("rates", self.model.nstate)

    def indicators(self):
        return self.values("indicators", self.model.nindicator)

    def outputs(self):
        return dict(zip(self.export.names("output", "noutput"), self.values("outputs", self.model.noutput)))

    def objectives(self):
        return dict(zip(self.export.names("objective", "nobjective"),
                        self.values("objectives", self.model.nobjective)))

    def _slope(self, values=None):
        m = self.model
        sizes = (m.nstate, m.nindicator, m.noutput, m.nobjective)
        arrays = [array(v) for v in values] if values else [array([0.0] * n) for n in sizes]
        return arrays, sizes, Slope(*[ctypes.cast(a, POINTER(c_double)) for a in arrays])

    def tangent(self, dx, dp):
        """Slopes of rates, indicators, outputs and objectives, one after another."""
        x, p = array(dx), array(dp)
        arrays, sizes, slope = self._slope()
        self.call("tangent", byref(Seed(x, p)), byref(slope))
        return [v for a, n in zip(arrays, sizes) for v in list(a)[:n]]

    def adjoint(self, bar):
        m = self.model
        at, parts = 0, []
        for n in (m.nstate, m.nindicator, m.noutput, m.nobjective):
            parts.append(bar[at:at + n])
            at += n
        _keep, _sizes, slope = self._slope(parts)
        x, p = array([0.0] * m.nstate), array([0.0] * m.nnumber)
        self.call("adjoint", byref(slope), byref(Seed(x, p)))
        return list(x)[:m.nstate] + list(p)[:m.nnumber]

    def everything(self):
        m = self.model
        return (self.rates() + self.indicators() + self.values("outputs", m.noutput)
                + self.values("objectives", m.nobjective))

    def save(self):
        snapshot = ctypes.create_string_buffer(self.library.jvehicle_snapshot_size(self.handle))
        self.library.jvehicle_save(self.handle, snapshot)
        return snapshot

    def restore(self, snapshot):
        self.call("restore", snapshot, c_size_t(len(snapshot)))
