# Arrays of other libraries: told apart by what they speak, solved where they are, and answered in kind.
# SPDX-License-Identifier: BSD-3-Clause
import importlib

import numpy as np

from ._errors import UsageError

_CUDA = (2, 13)  # kDLCUDA, kDLCUDAManaged


def is_foreign(b):
    """An array of another library that speaks DLPack or ``__cuda_array_interface__``."""
    return not isinstance(b, np.ndarray) and (hasattr(b, "__dlpack_device__") or hasattr(b, "__cuda_array_interface__"))


def on_cuda(b):
    """True where its numbers are in the memory of a CUDA device."""
    if hasattr(b, "__dlpack_device__"):
        return int(b.__dlpack_device__()[0]) in _CUDA
    return hasattr(b, "__cuda_array_interface__")


def to_host(b):
    """An array of NumPy with the same numbers: without a copy where the library lends them."""
    if hasattr(b, "detach"):
        b = b.detach()
    try:
        return np.from_dlpack(b)
    except (TypeError, BufferError, RuntimeError, AttributeError):
        return np.asarray(b)


def _library(b):
    return importlib.import_module(type(b).__module__.split(".")[0])


def like(x, b):
    """x, of NumPy, as an array of the library of b."""
    name = type(b).__module__.split(".")[0]
    if name == "torch":
        return _library(b).from_numpy(x)
    if name in ("jax", "jaxlib"):
        return importlib.import_module("jax.numpy").asarray(x)
    space = b.__array_namespace__() if hasattr(b, "__array_namespace__") else _library(b)
    for maker in ("from_dlpack", "asarray"):
        if hasattr(space, maker):
            return getattr(space, maker)(x)
    raise UsageError(f"{type(b).__module__} has neither from_dlpack nor asarray, to take the solution")


def _copied(b):
    """A copy of its own on the device, finished, which may be written to."""
    name = type(b).__module__.split(".")[0]
    if name == "torch":
        torch = _library(b)
        x = b.detach().clone(memory_format=torch.preserve_format)
        torch.cuda.current_stream(x.device).synchronize()
        return x
    if name in ("jax", "jaxlib"):
        x = importlib.import_module("jax.numpy").array(b, copy=True)
        return x.block_until_ready()
    if not hasattr(b, "copy"):
        raise UsageError(f"{type(b).__module__}: no way is known to copy such an array on its device")
    x = b.copy()
    if name == "cupy":
        _library(b).cuda.get_current_stream().synchronize()
    elif name == "numba":
        importlib.import_module("numba.cuda").synchronize()
    return x


def _address(x):
    """Address, shape, strides in bytes (None: rows one after the other) and type of an array on a device."""
    if hasattr(x, "__cuda_array_interface__"):
        face = x.__cuda_array_interface__
        return face["data"][0], tuple(face["shape"]), face.get("strides"), np.dtype(face["typestr"])
    if hasattr(x, "unsafe_buffer_pointer"):  # JAX
        return x.unsafe_buffer_pointer(), tuple(x.shape), None, np.dtype(x.dtype)
    raise UsageError(f"{type(x).__module__}: its arrays on devices tell no address (__cuda_array_interface__)")


def dense_shape(shape, strides, size):
    """(rows, columns, leading dimension, rows one after the other) of an array; None where no dense matrix lies like that."""
    rows, cols = shape[0], shape[1] if len(shape) == 2 else 1
    if strides is None:
        return rows, cols, max(cols, 1), True
    down = strides[0] // size if rows > 1 else 1
    right = strides[1] // size if len(shape) == 2 and cols > 1 else rows
    if down == 1 and (cols <= 1 or right >= rows):
        return rows, cols, right if cols > 1 else max(rows, 1), False
    if (cols <= 1 or right == 1) and down >= cols:
        return rows, cols, down, True
    return None


def solve_there(factor, core, b, system):
    """Solves on the device that b is on, and the factor, and returns an array of b's library."""
    if not core.symbolic.on_device:
        raise UsageError("b is on a CUDA device, and the factor is not: cholesky(A, backend='cuda') makes one there")
    if hasattr(b, "__dlpack_device__") and int(b.__dlpack_device__()[1]) != core.symbolic.device_index:
        raise UsageError(f"b is on device {int(b.__dlpack_device__()[1])}, the factor on device {core.symbolic.device_index}")
    if b.ndim not in (1, 2) or b.shape[0] != factor.n:
        raise UsageError(f"b of shape {tuple(b.shape)}: expected ({factor.n},) or ({factor.n}, k)")
    x = _copied(b)
    address, shape, strides, dtype = _address(x)
    if dtype != factor.dtype:
        raise UsageError(f"b of type {dtype}, the factor's numbers are {factor.dtype}: arrays on a device are not converted")
    there = dense_shape(shape, strides, dtype.itemsize)
    if there is None:
        raise UsageError(f"b of strides {strides}: neither its rows nor its columns lie one after the other")
    if x.shape[0]:
        core.solve_there(system, address, *there)
    return x
