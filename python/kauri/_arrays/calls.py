# Calls with arrays on a CUDA device: checks, and the views that the extension module takes.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .._errors import DtypeError, UsageError
from . import cuda

if TYPE_CHECKING:
    import numpy as np


def require_rows(b: Any, n: int) -> None:
    """Raises UsageError unless b, of any library, is a right-hand side with n rows."""
    if b.ndim not in (1, 2):
        raise UsageError(f"b of shape {tuple(b.shape)}: b must be a 1D or 2D array, ({n},) or ({n}, k)")
    if b.shape[0] != n:
        raise UsageError(f"b of shape {tuple(b.shape)} is of incompatible size: b must have the same number of rows as L, ({n},) or ({n}, k)")


def _require_fit(kind: cuda.Library, b: Any, dtype: np.dtype[Any], symbolic: Any, what: str) -> None:
    """Raises UsageError if b is not on the factor's device, DtypeError if it is of another type."""
    if not symbolic.on_device:
        raise UsageError(f"{what} is on a CUDA device, and the factor is not: cholesky(A, backend='cuda') makes one there")
    device = kind.device(b)
    if device != symbolic.device_index:
        raise UsageError(f"{what} is on device {device}, the factor on device {symbolic.device_index}: copy it there")
    if not kind.fits(b, dtype):
        given = str(b.dtype).removeprefix("torch.")
        raise DtypeError(f"{what} of type {given}, the factor's numbers are {dtype}: "
                         "arrays on a device are not converted, convert them first")


def solve_there(factor: Any, symbolic: Any, b: Any, solve: Callable[..., Any]) -> Any:
    """Solves with b on the factor's device and returns x, an array of b's library on that device.

    solve(b, x, stream, meanwhile) fills x. It gets views of b and x that do not overlap, and starts
    after the work that is on the stream at the time of the call. If meanwhile is not None, solve()
    may call it while the device works.
    """
    require_rows(b, factor.n)
    kind = cuda.kind_of(b)
    _require_fit(kind, b, factor.dtype, symbolic, "b")
    b = kind.plain(b)
    if 0 in b.shape:
        return kind.copy(b)
    right = kind.view(b)
    if right is None:  # copies of most libraries are contiguous
        b = kind.copy(b)
        right = kind.view(b)
        if right is None:
            raise UsageError(f"b of shape {tuple(b.shape)}: expected contiguous rows or columns")
    x = kind.beside(b, factor)
    solve(right, kind.view(x), kind.stream(b), kind.meanwhile(b, factor))
    return x


def values_there(
        values: Any, count: int, dtype: np.dtype[Any],
        symbolic: Any) -> tuple[Any, int, int | None]:
    """Returns (copy of the values on their device, its address, the stream that makes the copy).

    Raises UsageError if shape or device do not fit, DtypeError if the type does not.
    """
    if values.ndim != 1 or values.shape[0] != count:
        raise UsageError(f"values of shape {tuple(values.shape)}: expected ({count},)")
    kind = cuda.kind_of(values)
    _require_fit(kind, values, dtype, symbolic, "an array of values")
    copy = kind.copy(kind.plain(values))
    there = kind.view(copy)
    if there is None or (there[4] and count > 1 and there[3] != 1):
        raise UsageError("values are not contiguous, not even in a copy: expected an array whose copies are contiguous")
    return copy, there[0], kind.stream(copy)
