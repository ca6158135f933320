# Types of numbers: the type in which a matrix or an array is computed, and digits that would be lost.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from .._errors import DtypeError, UsageError

_WHOLE = 2**24  # float32 represents every integer up to this one
# First part of the advice that require_digits() takes.
MADE = "make the factor with dtype=np.float64, or with dtype=np.float32 if every A is to be rounded, or pass "


def real_dtype(dtype: DTypeLike) -> np.dtype[Any]:
    """Returns float32 or float64: the type in which numbers of this dtype are computed.

    Raises NotImplementedError for complex types, and DtypeError for types that fit neither.
    """
    dtype = np.dtype(dtype).newbyteorder("=")
    if dtype.kind == "c":
        raise NotImplementedError("complex matrices: kauri factorises real ones")
    if dtype == np.float32:
        return np.dtype(np.float32)
    if dtype.kind in "biu" or dtype in (np.dtype(np.float16), np.dtype(np.float64)):
        return np.dtype(np.float64)
    raise DtypeError(f"numbers of type {dtype}: kauri takes float32, float64, and what fits into these")


def unmasked(b: Any) -> Any:
    """Returns the data of a numpy.ma array; UsageError if it has masked entries.

    Returns any other b unchanged.
    """
    if isinstance(b, np.ma.MaskedArray):
        if np.ma.getmaskarray(b).any():
            raise UsageError("a masked array with entries that are masked: fill them first")
        return b.data
    return b


def factor_dtype(dtype: DTypeLike) -> np.dtype[Any]:
    """Returns ``dtype=`` of a caller; DtypeError unless it is float32 or float64."""
    dtype = np.dtype(dtype).newbyteorder("=")
    if dtype not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise DtypeError(f"dtype {dtype}: factors are of float32 or float64")
    return dtype


def loses(dtype: np.dtype[Any], values: Any, to: np.dtype[Any]) -> bool:
    """Returns True if numbers of this dtype have digits that the type ``to`` does not have.

    values: the array of the numbers. In float64 all integers are accepted, as in SciPy.
    """
    if dtype.kind == "f":
        return dtype.itemsize > to.itemsize
    if dtype.kind not in "iu" or dtype.itemsize <= 2 or to == np.float64 or values.size == 0:
        return False
    return int(values.max()) > _WHOLE or int(values.min()) < -_WHOLE


def require_digits(
        name: str, dtype: np.dtype[Any], values: Any, to: np.dtype[Any], ways: str) -> None:
    """Raises DtypeError if loses() is True; ``ways`` tells the user what to do."""
    if loses(dtype, values, to):
        beyond = "" if dtype.kind == "f" else " with values beyond 2^24"
        raise DtypeError(f"{name} is of {dtype.newbyteorder('=')}{beyond}, and the factor of {to}: {ways} for the 6 digits of float32")


def widened(values: Any) -> Any:
    """Returns float16 as float64, since SciPy converts float16 between few formats.

    Returns arrays and sparse matrices of other types unchanged.
    """
    return values.astype(np.float64) if values.dtype == np.float16 else values


def given_dtype(a: Any) -> np.dtype[Any] | None:
    """Returns the type of a matrix of any library as one of NumPy, before conversion to SciPy.

    Returns None if the matrix has no type or NumPy has no type of this name.
    """
    try:
        # Types of PyTorch are not types of NumPy, but have the same names.
        return np.dtype(str(a.dtype).rpartition(".")[2])
    except (AttributeError, TypeError):
        return None
