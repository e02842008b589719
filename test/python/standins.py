# SPDX-License-Identifier: Apache-2.0
"""Small stand-ins for what docs/python.md shows of JAX and PyTorch: just enough to run those lines with NumPy."""
import sys
import types

import numpy as np


class CustomRule:
    """jax.custom_vjp: a function with the two halves of its reverse rule."""

    taped = None

    def __init__(self, function):
        self.function = function

    def defvjp(self, forward, backward):
        self.forward, self.backward = forward, backward

    def __call__(self, x):
        if CustomRule.taped is None:
            return self.function(x)
        y, residuals = self.forward(x)
        return Taped(y, lambda ybar: self.backward(residuals, ybar)[0])


class Taped:
    """An array whose sums of entries remember how to go back."""

    def __init__(self, value, back):
        self.value, self.back = np.asarray(value), back

    def __getitem__(self, i):
        unit = np.zeros(self.value.shape)
        unit[i] = 1.0
        return Taped(self.value[i], lambda ybar: self.back(ybar * unit))

    def __rmul__(self, factor):
        return Taped(factor * self.value, lambda ybar: self.back(factor * ybar))

    def __add__(self, other):
        return Taped(self.value + other.value, lambda ybar: self.back(ybar) + other.back(ybar))


def grad(function):
    def slope(x):
        CustomRule.taped = True
        try:
            return function(x).back(1.0)
        finally:
            CustomRule.taped = None
    return slope


def callback(function, kinds, x):
    """jax.pure_callback, which also checks what comes back."""
    out = function(np.asarray(x))
    for value, kind in zip(out, kinds) if isinstance(kinds, tuple) else ((out, kinds),):
        assert np.shape(value) == kind.shape and np.asarray(value).dtype == kind.dtype
    return out


class Precision:
    """jax.config: single precision unless double precision is asked for, as in JAX."""

    def __init__(self):
        self.float64 = False

    def update(self, name, value):
        assert name == "jax_enable_x64"
        self.float64 = value

    def kind(self, dtype):
        return np.dtype(dtype if self.float64 else np.float32)


def jax():
    module, arrays = types.ModuleType("jax"), types.ModuleType("jax.numpy")
    module.config = Precision()
    arrays.float64 = np.float64
    arrays.asarray = lambda x: np.asarray(x, module.config.kind(np.float64))
    module.numpy, module.custom_vjp, module.grad, module.pure_callback = arrays, CustomRule, grad, callback
    module.ShapeDtypeStruct = lambda shape, dtype: types.SimpleNamespace(shape=shape, dtype=module.config.kind(dtype))
    return {"jax": module, "jax.numpy": arrays}


class Tensor:
    def __init__(self, value, back=None):
        self.value, self.back, self.grad = np.asarray(value, float), back, None

    def detach(self):
        return self

    def numpy(self):
        return self.value

    def __getitem__(self, i):
        unit = np.zeros(self.value.shape)
        unit[i] = 1.0
        return Tensor(self.value[i], lambda ybar: self.back(Tensor(ybar.value * unit)))

    def __matmul__(self, other):
        return Tensor(self.value @ other.value)

    def backward(self):
        self.back(Tensor(1.0))


class AutogradFunction:
    @classmethod
    def apply(cls, x):
        context = types.SimpleNamespace(saved_tensors=())
        context.save_for_backward = lambda *kept: setattr(context, "saved_tensors", kept)
        y = cls.forward(context, x)

        def back(ybar):
            x.grad = cls.backward(context, ybar)
        return Tensor(y.value, back)


def torch():
    module = types.ModuleType("torch")
    module.float64, module.from_numpy = np.float64, Tensor
    module.tensor = lambda value, dtype=None, requires_grad=False: Tensor(value)
    module.autograd = types.SimpleNamespace(Function=AutogradFunction)
    return {"torch": module}


INSTALLED = set()


def install(name):
    """Put a stand-in in the place of a module that is not installed."""
    INSTALLED.add(name)
    sys.modules.update({"jax": jax, "torch": torch}[name]())
