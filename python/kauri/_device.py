# Arrays of other libraries: told apart by what they speak, solved where they are, and answered in kind.
# SPDX-License-Identifier: BSD-3-Clause
import importlib
import sys

import numpy as np

from ._errors import DtypeError, UsageError

_CUDA = (2, 13)  # kDLCUDA, kDLCUDAManaged
_SHAPES = 4  # of solutions of JAX, at most, whose next one's memory a factor holds
_PREPARED = 1 << 20  # bytes of a solution up to which the next one's memory is made beforehand: solves of larger ones take far longer than that


_KNOWN = ("torch", "cupy", "jax", "jaxlib")


def library_of(b):
    """The name of the library whose array b is, or of a subclass; of one that is not known, of its class's module."""
    for kind in type(b).__mro__:
        name = kind.__module__.split(".")[0]
        if name in _KNOWN:
            return name
    return type(b).__module__.split(".")[0]


def plain(b):
    """A tensor of PyTorch without history, and with the numbers in memory that it stands for (a negated view has them negated)."""
    if getattr(b, "requires_grad", False):
        b = b.detach()
    return b.resolve_neg() if hasattr(b, "is_neg") and b.is_neg() else b


def is_foreign(b):
    """An array of another library that speaks DLPack or ``__cuda_array_interface__``."""
    return not isinstance(b, np.ndarray) and (hasattr(b, "__dlpack_device__") or hasattr(b, "__cuda_array_interface__"))


def to_host(b):
    """An array of NumPy with the same numbers: without a copy where the library lends them."""
    b = plain(b)
    try:
        return np.from_dlpack(b)
    except (TypeError, BufferError, RuntimeError, AttributeError):
        try:
            return np.asarray(b)
        except TypeError as error:  # sparse tensors, types that NumPy has not
            raise UsageError(f"{type(b).__module__}: {error}") from error


def _library(b):
    return importlib.import_module(library_of(b))


def like(x, b):
    """x, of NumPy, as an array of the library of b."""
    name = library_of(b)
    if name == "torch":
        return _library(b).from_numpy(x)
    if name in ("jax", "jaxlib"):
        return importlib.import_module("jax.numpy").asarray(x)
    space = b.__array_namespace__() if hasattr(b, "__array_namespace__") else _library(b)
    for maker in ("from_dlpack", "asarray"):
        if hasattr(space, maker):
            return getattr(space, maker)(x)
    raise UsageError(f"{type(b).__module__} has neither from_dlpack nor asarray, to take the solution")


class Library:
    """Arrays of a library on a CUDA device: what solve_there() and values_there() ask of them."""

    def fits(self, b, dtype):
        return b.dtype == dtype

    def plain(self, b):
        """b, with the numbers in memory that it stands for."""
        return b

    def stream(self, b):
        """The number of the stream on which the library works with b; None where it has none: then b and what is made here are finished."""

    def meanwhile(self, b, factor):
        """What is to be called while the device solves for b; None: nothing."""


class Torch(Library):
    """Tensors of PyTorch."""

    def __init__(self):
        self.module = sys.modules["torch"]
        self.types = {4: self.module.float32, 8: self.module.float64}
        # What PyTorch's own compiled code calls: a twentieth of the time of current_stream().
        self.raw_stream = getattr(self.module._C, "_cuda_getCurrentRawStream", None)

    def on_cuda(self, b):
        return b.is_cuda

    def device(self, b):
        """Its number, as CUDA counts."""
        return b.get_device()

    def fits(self, b, dtype):
        return b.dtype is self.types[dtype.itemsize]

    def plain(self, b):
        return plain(b)

    def view(self, b):
        """(address, rows, columns, leading dimension, rows one after the other) of a dense array; None where it is none."""
        there = dense_shape(b.shape, b.stride(), 1)
        return None if there is None else (b.data_ptr(), *there)

    def stream(self, b):
        device = b.get_device()
        return self.raw_stream(device) if self.raw_stream else self.module.cuda.current_stream(device).cuda_stream

    def beside(self, b, factor):
        """An array like b that may be written to, whatever is in it."""
        return self.module.empty_like(b)

    def copy(self, b):
        """A copy that may be written to."""
        return b.clone(memory_format=self.module.preserve_format)


class Cupy(Library):
    """Arrays of CuPy."""

    def __init__(self):
        self.module = sys.modules["cupy"]

    def on_cuda(self, b):
        return True

    def device(self, b):
        return b.data.device_id

    def view(self, b):
        there = dense_shape(b.shape, b.strides, b.itemsize)
        return None if there is None else (b.data.ptr, *there)

    def stream(self, b):
        return self.module.cuda.get_current_stream(b.data.device_id).ptr

    def _made(self, b, make):
        """make(), on the device of b."""
        if self.module.cuda.runtime.getDevice() == b.data.device_id:  # a third of what `with` takes
            return make()
        with b.device:
            return make()

    def beside(self, b, factor):
        return self._made(b, lambda: self.module.empty_like(b))

    def copy(self, b):
        return self._made(b, lambda: b.copy(order="K"))


class Jax(Library):
    """Arrays of JAX, which has no streams that others may use."""

    def __init__(self):
        jax = importlib.import_module("jax")
        self.compiled = jax.jit(importlib.import_module("jax.numpy").copy)  # sooner done than jax.numpy.array(b, copy=True)
        self.device_put = jax.device_put
        self.places = {}

    def _place(self, b):
        """(on CUDA, number of the device): asked once for each sharding, since JAX takes a while to say it."""
        place = self.places.get(b.sharding)
        if place is None:
            try:
                kind, number = b.__dlpack_device__()
            except BufferError as error:  # on several devices
                raise UsageError(f"an array of JAX: {error}") from error
            place = self.places[b.sharding] = int(kind) in _CUDA, int(number)
        return place

    def on_cuda(self, b):
        return self._place(b)[0]

    def device(self, b):
        return self._place(b)[1]

    def view(self, b):
        return b.unsafe_buffer_pointer(), *dense_shape(b.shape, None, None)

    def meanwhile(self, b, factor):
        """JAX takes longer for a copy than all else takes here: the next solution's, of b like this one's, is begun while the device is at work."""
        if b.nbytes > _PREPARED:
            return None

        def begin():
            try:
                x = self.compiled(b)
            except Exception:  # for want of memory, say: who solves next will see
                return
            begun = factor.__dict__.setdefault("_begun", {})  # by shape: one of each
            if len(begun) >= _SHAPES and b.shape not in begun:
                begun.clear()
            if x.sharding == b.sharding:
                begun[b.shape] = x

        return begin

    def beside(self, b, factor):
        x = factor.__dict__.get("_begun", {}).pop(b.shape, None)  # in one step: another thread may solve
        if x is None or x.dtype != b.dtype or x.sharding != b.sharding:
            return self.copy(b)  # waits for b, too
        b.block_until_ready()
        try:
            return x.block_until_ready()
        except Exception:  # it failed on the device, where this one may not
            return self.copy(b)

    def copy(self, b):
        x = self.compiled(b)
        if x.sharding != b.sharding:  # b is bound to no device, and another is JAX's default
            x = self.device_put(x, b.sharding)
        if x.dtype != b.dtype:  # JAX has made floats of doubles where it was told so
            raise UsageError(f"JAX makes {x.dtype} of {b.dtype} in this thread: see jax_enable_x64")
        return x.block_until_ready()


class Other(Library):
    """Arrays of libraries that are not known on devices."""

    def on_cuda(self, b):
        if hasattr(b, "__dlpack_device__"):
            return int(b.__dlpack_device__()[0]) in _CUDA
        return hasattr(b, "__cuda_array_interface__")

    def device(self, b):
        raise UsageError(f"an array of {type(b).__module__} on a CUDA device: those of CuPy, PyTorch and JAX are known there")


_MAKERS = {"torch": Torch, "cupy": Cupy, "jax": Jax, "jaxlib": Jax}
_KINDS: dict = {}  # by class of arrays


def kind_of(b):
    """What knows arrays of b's library on devices: a Torch, Cupy, Jax or Other."""
    kind = _KINDS.get(type(b))
    if kind is None:
        kind = _KINDS[type(b)] = _MAKERS.get(library_of(b), Other)()
    return kind


def require_rows(b, n):
    """b, of any library, is a right-hand side of a system of n rows."""
    if b.ndim not in (1, 2):
        raise UsageError(f"b of shape {tuple(b.shape)}: b must be a 1D or 2D array, ({n},) or ({n}, k)")
    if b.shape[0] != n:
        raise UsageError(f"b of shape {tuple(b.shape)} is of incompatible size: b must have the same number of rows as L, ({n},) or ({n}, k)")


def on_cuda(b):
    """True where its numbers are in the memory of a CUDA device."""
    return kind_of(b).on_cuda(b)


def dense_shape(shape, strides, size):
    """(rows, columns, leading dimension, rows one after the other) of an array; None where no dense matrix lies like that."""
    rows, cols = shape[0], shape[1] if len(shape) == 2 else 1
    if strides is None:
        return rows, cols, max(cols, 1), True
    if any(step % size for step in strides):
        return None
    down = strides[0] // size if rows > 1 else 1
    right = strides[1] // size if len(shape) == 2 and cols > 1 else rows
    if down == 1 and (cols <= 1 or right >= rows):
        return rows, cols, right if cols > 1 else max(rows, 1), False
    if (cols <= 1 or right == 1) and down >= cols:
        return rows, cols, down, True
    return None


def _require_fit(kind, b, dtype, symbolic, what):
    """Where the factor is, and of its type."""
    if not symbolic.on_device:
        raise UsageError(f"{what} is on a CUDA device, and the factor is not: cholesky(A, backend='cuda') makes one there")
    device = kind.device(b)
    if device != symbolic.device_index:
        raise UsageError(f"{what} is on device {device}, the factor on device {symbolic.device_index}")
    if not kind.fits(b, dtype):
        raise DtypeError(f"{what} of type {str(b.dtype).removeprefix('torch.')}, the factor's numbers are {dtype}: arrays on a device are not converted")


def solve_there(factor, symbolic, b, solve):
    """x of b's library, on the device that b is on, and the factor.

    solve(b, x, stream, meanwhile) fills x, given two views that have nothing in common, after what the stream has by then; if it can, it
    calls meanwhile, where that is not None, while the device is at work.
    """
    require_rows(b, factor.n)
    kind = kind_of(b)
    _require_fit(kind, b, factor.dtype, symbolic, "b")
    b = kind.plain(b)
    if 0 in b.shape:
        return kind.copy(b)
    right = kind.view(b)
    if right is None:  # most libraries' copies lie well
        b = kind.copy(b)
        right = kind.view(b)
        if right is None:
            raise UsageError(f"b of shape {tuple(b.shape)}: neither its rows nor its columns lie one after the other")
    x = kind.beside(b, factor)
    solve(right, kind.view(x), kind.stream(b), kind.meanwhile(b, factor))
    return x


def values_there(values, count, dtype, symbolic):
    """(a copy of the values on their device, its address, the stream that makes it); UsageError where they do not fit."""
    if values.ndim != 1 or values.shape[0] != count:
        raise UsageError(f"values of shape {tuple(values.shape)}: expected ({count},)")
    kind = kind_of(values)
    _require_fit(kind, values, dtype, symbolic, "an array of values")
    copy = kind.copy(kind.plain(values))
    there = kind.view(copy)
    if there is None or (there[4] and count > 1 and there[3] != 1):
        raise UsageError("values that even in a copy do not lie one after the other")
    return copy, there[0], kind.stream(copy)
