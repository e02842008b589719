# SPDX-License-Identifier: Apache-2.0
"""A small importer of FMUs, for tests: unpacks one, loads its library and calls it as the standards say. Nothing but
the standard library of Python is needed."""
import ctypes as C
import os
import zipfile
from pathlib import Path

import rules

OK, WARNING, DISCARD, ERROR, FATAL = range(5)
STATUS = ("ok", "warning", "discard", "error", "fatal")
REFERENCE = C.c_uint32


class Failed(Exception):
    def __init__(self, function, status, said):
        super().__init__(f"{function}: {STATUS[status]}: {'; '.join(said)}")
        self.status = status
        self.said = said


def doubles(values):
    return (C.c_double * len(values))(*values)


def references(values):
    return (REFERENCE * len(values))(*values)


class Fmu:
    """The archive, its description and its library."""

    def __init__(self, path, folder):
        self.path = Path(path)
        self.folder = Path(folder)
        with zipfile.ZipFile(path) as z:
            assert z.testzip() is None
            for info in z.infolist():
                assert info.compress_type in (0, 8) and info.extract_version <= 20 and info.flag_bits == 0, info
            z.extractall(folder)
            self.files = {n: z.read(n) for n in z.namelist()}
        self.description = rules.Description(self.files["modelDescription.xml"])
        self.version = self.description.version
        binary = [n for n in self.files if n.startswith("binaries/")]
        self.binary = self.folder / binary[0] if binary else None
        self.library = C.CDLL(str(self.binary), mode=os.RTLD_NOW) if binary else None

    def reference(self, name):
        return int(self.description.by_name[name].reference)

    def references(self, variables):
        return [int(v.reference) for v in variables]


LOG3 = C.CFUNCTYPE(None, C.c_void_p, C.c_int, C.c_char_p, C.c_char_p)
UPDATE3 = C.CFUNCTYPE(None, C.c_void_p, C.c_double, C.c_bool, C.c_bool, C.c_bool, C.c_bool, C.POINTER(C.c_bool),
                      C.POINTER(C.c_double))


class Instance:
    """What instances of both versions share. Messages are kept in `said`: (status, category, text)."""
    prefix = ""

    def __init__(self, fmu):
        self.fmu = fmu
        self.said = []
        self.handle = None

    def call(self, name, *args):
        """Returns the status; raises where the call failed."""
        before = len(self.said)
        f = getattr(self.fmu.library, self.prefix + name)
        f.restype = C.c_int
        status = f(C.c_void_p(self.handle), *args)
        if status not in (OK, WARNING):
            raise Failed(name, status, [text for _, _, text in self.said[before:]])
        return status

    def free(self):
        if self.handle:
            f = getattr(self.fmu.library, self.prefix + "FreeInstance")
            f.restype = None
            f(C.c_void_p(self.handle))
        self.handle = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.free()

    # ---- states of the FMU
    state_word = "State"

    def get_state(self):
        state = C.c_void_p()
        self.call("GetFMU" + self.state_word, C.byref(state))
        return state

    def set_state(self, state):
        self.call("SetFMU" + self.state_word, state)

    def free_state(self, state):
        self.call("FreeFMU" + self.state_word, C.byref(state))
        assert not state.value

    def serialize(self, state):
        size = C.c_size_t()
        self.call("SerializedFMU" + self.state_word + "Size", state, C.byref(size))
        data = C.create_string_buffer(size.value)
        self.call("SerializeFMU" + self.state_word, state, data, size)
        return data.raw

    # ---- arrays of model exchange
    rates_name = "GetContinuousStateDerivatives"

    def array(self, name, n):
        x = (C.c_double * n)()
        self.call(name, x, C.c_size_t(n))
        return list(x)

    def states(self):
        return self.array("GetContinuousStates", len(self.fmu.description.states))

    def rates(self):
        return self.array(self.rates_name, len(self.fmu.description.states))

    def indicators(self):
        return self.array("GetEventIndicators", self.fmu.description.nindicator)

    def move(self, t, x):
        self.call("SetTime", C.c_double(t))
        self.call("SetContinuousStates", doubles(x), C.c_size_t(len(x)))

    def completed(self):
        enter, end = C.c_bool(True), C.c_bool(True)
        self.call("CompletedIntegratorStep", C.c_bool(True), C.byref(enter), C.byref(end))
        assert not enter.value and not end.value

    def value(self, name):
        return self.get([self.fmu.reference(name)])[0]

    def rate(self, name):
        """Of a state, by its derivative."""
        d = self.fmu.description
        return self.get(self.fmu.references([d.derivatives[[s.name for s in d.states].index(name)]]))[0]

    def output_rates(self, names, order=1):
        n = len(names)
        x = (C.c_double * n)()
        orders = (C.c_int * n)(*[order] * n)
        refs = references([self.fmu.reference(name) for name in names])
        if self.fmu.version == 3:
            self.call("GetOutputDerivatives", refs, C.c_size_t(n), orders, x, C.c_size_t(n))
        else:
            self.call("GetRealOutputDerivatives", refs, C.c_size_t(n), orders, x)
        return list(x)

    def assign(self, **values):
        for name, x in values.items():
            self.set([self.fmu.reference(name)], [x])


class Instance3(Instance):
    prefix = "fmi3"

    def __init__(self, fmu, kind="me", token=None, name="it", log=True, event_mode=False, early_return=False,
                 required=(), update=None):
        super().__init__(fmu)
        self.log = LOG3(lambda env, status, category, text: self.said.append(
            (status, category.decode(), text.decode())))
        token = (fmu.description.token if token is None else token).encode()
        common = [name.encode(), token, None, C.c_bool(False), C.c_bool(log)]
        if kind == "me":
            make = fmu.library.fmi3InstantiateModelExchange
            args = common + [None, self.log]
        else:
            self.update = UPDATE3(self.pass_update) if update else C.cast(None, UPDATE3)
            self.on_update = update
            make = fmu.library.fmi3InstantiateCoSimulation
            args = common + [C.c_bool(event_mode), C.c_bool(early_return), references(required),
                             C.c_size_t(len(required)), None, self.log, self.update]
        make.restype = C.c_void_p
        self.handle = make(*args)
        if not self.handle:
            raise Failed("Instantiate", ERROR, [text for _, _, text in self.said])

    def pass_update(self, env, t, can_set, can_get, finished, can_return, asked, at):
        early = self.on_update(self, t, can_get, finished, can_return)
        if early is not None:
            asked[0] = True
            at[0] = early

    def initialize(self, start=0.0, stop=None, tolerance=None):
        self.enter_initialization(start, stop, tolerance)
        self.call("ExitInitializationMode")

    def enter_initialization(self, start=0.0, stop=None, tolerance=None):
        self.call("EnterInitializationMode", C.c_bool(tolerance is not None), C.c_double(tolerance or 0.0),
                  C.c_double(start), C.c_bool(stop is not None), C.c_double(stop or 0.0))

    def get(self, refs):
        x = (C.c_double * len(refs))()
        self.call("GetFloat64", references(refs), C.c_size_t(len(refs)), x, C.c_size_t(len(refs)))
        return list(x)

    def set(self, refs, values):
        self.call("SetFloat64", references(refs), C.c_size_t(len(refs)), doubles(values), C.c_size_t(len(values)))

    def set_integer(self, ref, value):
        self.call("SetInt64", references([ref]), C.c_size_t(1), (C.c_int64 * 1)(value), C.c_size_t(1))

    def get_integer(self, ref):
        x = (C.c_int64 * 1)()
        self.call("GetInt64", references([ref]), C.c_size_t(1), x, C.c_size_t(1))
        return x[0]

    def update_discrete(self):
        """Until nothing changes; whether states jumped."""
        jumped = False
        flag = [C.c_bool(True) for _ in range(5)]
        t = C.c_double()
        while flag[0].value:
            self.call("UpdateDiscreteStates", *map(C.byref, flag), C.byref(t))
            assert not flag[1].value and not flag[2].value and not flag[4].value
            jumped = jumped or flag[3].value
        return jumped

    def do_step(self, t, h, may_end=False):
        """(event, early, time reached)"""
        event, end, early = (C.c_bool() for _ in range(3))
        last = C.c_double()
        self.call("DoStep", C.c_double(t), C.c_double(h), C.c_bool(True), C.byref(event), C.byref(end),
                  C.byref(early), C.byref(last))
        assert may_end or not end.value
        self.ended = end.value
        return event.value, early.value, last.value

    def derivative(self, name, unknowns, knowns, seed, n):
        x = (C.c_double * n)()
        self.call(name, references(unknowns), C.c_size_t(len(unknowns)), references(knowns), C.c_size_t(len(knowns)),
                  doubles(seed), C.c_size_t(len(seed)), x, C.c_size_t(n))
        return list(x)

    def directional(self, unknowns, knowns, seed):
        return self.derivative("GetDirectionalDerivative", unknowns, knowns, seed, len(unknowns))

    def adjoint(self, unknowns, knowns, seed):
        return self.derivative("GetAdjointDerivative", unknowns, knowns, seed, len(knowns))

    def deserialize(self, data):
        state = C.c_void_p()
        self.call("DeserializeFMUState", C.create_string_buffer(data, len(data)), C.c_size_t(len(data)),
                  C.byref(state))
        return state


# the logger is variadic: our FMUs pass "%s" and the text
LOG2 = C.CFUNCTYPE(None, C.c_void_p, C.c_char_p, C.c_int, C.c_char_p, C.c_char_p, C.c_char_p)


class Callbacks2(C.Structure):
    _fields_ = [("logger", LOG2), ("allocate", C.c_void_p), ("release", C.c_void_p), ("finished", C.c_void_p),
                ("environment", C.c_void_p)]


class EventInfo2(C.Structure):
    _fields_ = [(n, C.c_int) for n in ("more", "end", "nominals", "states", "has_next")] + [("next", C.c_double)]


class Instance2(Instance):
    prefix = "fmi2"
    state_word = "state"
    rates_name = "GetDerivatives"

    def __init__(self, fmu, kind="cs", token=None, name="it", log=True):
        super().__init__(fmu)
        logger = LOG2(lambda env, who, status, category, form, text: self.said.append(
            (status, category.decode(), text.decode())))
        self.callbacks = Callbacks2(logger=logger)
        make = fmu.library.fmi2Instantiate
        make.restype = C.c_void_p
        token = (fmu.description.token if token is None else token).encode()
        self.handle = make(name.encode(), C.c_int(0 if kind == "me" else 1), token, b"", C.byref(self.callbacks),
                           C.c_int(0), C.c_int(log))
        if not self.handle:
            raise Failed("Instantiate", ERROR, [text for _, _, text in self.said])

    def initialize(self, start=0.0, stop=None, tolerance=None):
        self.enter_initialization(start, stop, tolerance)
        self.call("ExitInitializationMode")

    def enter_initialization(self, start=0.0, stop=None, tolerance=None):
        self.call("SetupExperiment", C.c_int(tolerance is not None), C.c_double(tolerance or 0.0), C.c_double(start),
                  C.c_int(stop is not None), C.c_double(stop or 0.0))
        self.call("EnterInitializationMode")

    def get(self, refs):
        x = (C.c_double * len(refs))()
        self.call("GetReal", references(refs), C.c_size_t(len(refs)), x)
        return list(x)

    def set(self, refs, values):
        self.call("SetReal", references(refs), C.c_size_t(len(refs)), doubles(values))

    def set_integer(self, ref, value):
        self.call("SetInteger", references([ref]), C.c_size_t(1), (C.c_int * 1)(value))

    def get_integer(self, ref):
        x = (C.c_int * 1)()
        self.call("GetInteger", references([ref]), C.c_size_t(1), x)
        return x[0]

    def completed(self):
        enter, end = C.c_int(1), C.c_int(1)
        self.call("CompletedIntegratorStep", C.c_int(1), C.byref(enter), C.byref(end))
        assert not enter.value and not end.value

    def update_discrete(self):
        info = EventInfo2(more=1)
        jumped = False
        while info.more:
            self.call("NewDiscreteStates", C.byref(info))
            jumped = jumped or bool(info.states)
        return jumped

    def do_step(self, t, h):
        self.call("DoStep", C.c_double(t), C.c_double(h), C.c_int(1))
        return False, False, t + h

    def directional(self, unknowns, knowns, seed):
        x = (C.c_double * len(unknowns))()
        self.call("GetDirectionalDerivative", references(unknowns), C.c_size_t(len(unknowns)), references(knowns),
                  C.c_size_t(len(knowns)), doubles(seed), x)
        return list(x)

    def deserialize(self, data):
        state = C.c_void_p()
        self.call("DeSerializeFMUstate", C.create_string_buffer(data, len(data)), C.c_size_t(len(data)),
                  C.byref(state))
        return state


def instantiate(fmu, kind, **options):
    return (Instance3 if fmu.version == 3 else Instance2)(fmu, kind, **options)
