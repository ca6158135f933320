# Arrays of other libraries, by protocol: recognised, copied to the host, and made from NumPy's.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import importlib
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .._errors import UsageError

Matrix: TypeAlias = Any  # a matrix of SciPy, NumPy, CuPy, PyTorch or JAX

_KNOWN = ("torch", "cupy", "jax", "jaxlib")


def library_of(b: Any) -> str:
    """Returns the name of the library whose array, or subclass of an array, b is.

    For an unknown library it is the top-level module of b's class.
    """
    for kind in type(b).__mro__:
        name = kind.__module__.split(".")[0]
        if name in _KNOWN:
            return name
    return type(b).__module__.split(".")[0]


def plain(b: Any) -> Any:
    """Returns a tensor of PyTorch without history and with its numbers in memory.

    A negated view, for example, has the opposite signs in memory.
    """
    if getattr(b, "requires_grad", False):
        b = b.detach()
    return b.resolve_neg() if hasattr(b, "is_neg") and b.is_neg() else b


def is_foreign(b: Any) -> bool:
    """Returns True for arrays other than NumPy's with DLPack or ``__cuda_array_interface__``."""
    return not isinstance(b, np.ndarray) and (hasattr(b, "__dlpack_device__") or hasattr(b, "__cuda_array_interface__"))


def to_host(b: Any) -> NDArray[Any]:
    """Returns the array as one of NumPy, without a copy if the library permits it."""
    b = plain(b)
    try:
        return np.from_dlpack(b)
    except (TypeError, BufferError, RuntimeError, AttributeError):
        try:
            return np.asarray(b)
        except TypeError as error:  # sparse tensors, types that NumPy does not have
            raise UsageError(f"{type(b).__module__}: {error}; expected a dense array of real numbers") from error


def _library(b: Any) -> Any:
    return importlib.import_module(library_of(b))


def like(x: NDArray[Any], b: Any) -> Any:
    """Converts x, an array of NumPy, to an array of b's library."""
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
