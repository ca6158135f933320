# Arrays of other libraries: told apart by what they speak, solved where they are, and answered in kind.
# SPDX-License-Identifier: BSD-3-Clause
import importlib
import sys

import numpy as np

from ._errors import UsageError

_CUDA = (2, 13)  # kDLCUDA, kDLCUDAManaged


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
    if hasattr(b, "detach"):
        b = b.detach()
    return b.resolve_neg() if hasattr(b, "resolve_neg") else b


def is_foreign(b):
    """An array of another library that speaks DLPack or ``__cuda_array_interface__``."""
    return not isinstance(b, np.ndarray) and (hasattr(b, "__dlpack_device__") or hasattr(b, "__cuda_array_interface__"))


def on_cuda(b):
    """True where its numbers are in the memory of a CUDA device."""
    if hasattr(b, "is_cuda"):  # PyTorch
        return b.is_cuda
    if hasattr(b, "__dlpack_device__"):
        return int(b.__dlpack_device__()[0]) in _CUDA
    return hasattr(b, "__cuda_array_interface__")


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


_COMPILED: dict = {}


def _copy_of_jax():
    """jax.numpy.copy, compiled, which takes less time than jax.numpy.array(b, copy=True)."""
    if "copy" not in _COMPILED:
        _COMPILED["copy"] = importlib.import_module("jax").jit(importlib.import_module("jax.numpy").copy)
    return _COMPILED["copy"]


def _copied(b):
    """A copy of its own on the device, finished, which may be written to."""
    name = library_of(b)
    if name in ("jax", "jaxlib"):
        return _copy_of_jax()(b).block_until_ready()
    if name == "torch":
        x = b.clone(memory_format=_library(b).preserve_format)
    elif name == "cupy":
        with b.device:
            x = b.copy(order="K")
    else:
        raise UsageError(f"an array of {type(b).__module__} on a CUDA device: those of CuPy, PyTorch and JAX are known there")
    _wait(name, x)
    return x


def _wait(name, x):
    """Until what its library has enqueued on the current stream is done."""
    if name == "torch":
        sys.modules["torch"].cuda.current_stream(x.device).synchronize()
    elif name == "cupy":
        with x.device:
            sys.modules["cupy"].cuda.get_current_stream().synchronize()


def _beside(b):
    """An array like b that may be written to, whatever is in it; b and it are finished."""
    name = library_of(b)
    if name == "torch":
        x = sys.modules["torch"].empty_like(b)
    elif name == "cupy":
        with b.device:
            x = sys.modules["cupy"].empty_like(b)
    else:
        return _copied(b)
    _wait(name, x)  # also for whatever had that memory before
    return x


def _address(x):
    """Address, shape, strides in bytes (None: rows one after the other) and bytes of an entry of an array on a device."""
    if hasattr(x, "data_ptr"):  # PyTorch: in half of the time of what follows
        size = x.element_size()
        return x.data_ptr(), tuple(x.shape), tuple(step * size for step in x.stride()), size
    if hasattr(x, "unsafe_buffer_pointer"):  # JAX, likewise
        return x.unsafe_buffer_pointer(), tuple(x.shape), None, x.dtype.itemsize
    if hasattr(x, "__cuda_array_interface__"):
        face = x.__cuda_array_interface__
        return face["data"][0], tuple(face["shape"]), face.get("strides"), np.dtype(face["typestr"]).itemsize
    raise UsageError(f"{type(x).__module__}: its arrays on devices tell no address (__cuda_array_interface__)")


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


def view(x):
    """(address, rows, columns, leading dimension, rows one after the other) of a dense array on a device; None where it is none."""
    address, shape, strides, size = _address(x)
    there = dense_shape(shape, strides, size)
    return None if there is None else (address, *there)


def _require_fit(x, dtype, symbolic, what):
    """Where the factor is, and of its type."""
    if not symbolic.on_device:
        raise UsageError(f"{what} is on a CUDA device, and the factor is not: cholesky(A, backend='cuda') makes one there")
    device = x.get_device() if hasattr(x, "get_device") else int(x.__dlpack_device__()[1]) if hasattr(x, "__dlpack_device__") else None
    if device is not None and device != symbolic.device_index:
        raise UsageError(f"{what} is on device {device}, the factor on device {symbolic.device_index}")
    # dtype.name takes 3 us, and whoever has dtypes of NumPy compares them in a tenth of one.
    fits = x.dtype == dtype if isinstance(x.dtype, np.dtype) else str(x.dtype) == ("torch.float64" if dtype.itemsize == 8 else "torch.float32")
    if not fits:
        raise UsageError(f"{what} of type {str(x.dtype).removeprefix('torch.')}, the factor's numbers are {dtype}: arrays on a device are not converted")


def solve_there(factor, symbolic, b, solve):
    """x of b's library, on the device that b is on, and the factor: solve(b, x) of two view()s that have nothing in common fills it."""
    if b.ndim not in (1, 2) or b.shape[0] != factor.n:
        raise UsageError(f"b of shape {tuple(b.shape)}: expected ({factor.n},) or ({factor.n}, k)")
    _require_fit(b, factor.dtype, symbolic, "b")
    b = plain(b)
    if 0 in b.shape:
        return _copied(b)
    right = view(b)
    if right is None:  # most libraries' copies lie well
        b = _copied(b)
        right = view(b)
        if right is None:
            raise UsageError(f"b of strides {_address(b)[2]}: neither its rows nor its columns lie one after the other")
    x = _beside(b)
    solve(right, view(x))
    return x


def values_there(values, count, dtype, symbolic):
    """(a copy of the values on their device, its address), finished; UsageError where they do not fit."""
    if values.ndim != 1 or values.shape[0] != count:
        raise UsageError(f"values of shape {tuple(values.shape)}: expected ({count},)")
    _require_fit(values, dtype, symbolic, "an array of values")
    copy = _copied(plain(values))
    address, _, strides, _ = _address(copy)
    if strides is not None and count > 1 and strides[0] != dtype.itemsize:
        raise UsageError(f"values of strides {strides}: expected them one after the other")
    return copy, address
