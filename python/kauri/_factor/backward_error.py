# backward_error: measures how well any x solves A x = b.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .. import _core
from .._arrays import dtypes, matrix, protocols
from .._arrays.protocols import Matrix
from .._core import CancelToken
from .._errors import UsageError


class BackwardError(NamedTuple):
    """Result of :func:`kauri.backward_error`."""

    normwise: float
    componentwise: float
    status: str


def status_of(normwise: float, componentwise: float, dtype: DTypeLike) -> str:
    """Returns ``ok``, ``not_converged`` or ``not_finite`` for x in this dtype, refined or not.

    The normwise error alone decides if x is a solution of this A. The componentwise error may be
    large without refinement, which reduces it.
    """
    if not (math.isfinite(normwise) and math.isfinite(componentwise)):
        return "not_finite"
    return "ok" if normwise <= math.sqrt(np.finfo(dtype).eps) else "not_converged"


def _host(array: Any, name: str) -> tuple[NDArray[np.float64], np.dtype[Any]]:
    """Returns the array as a dense one in float64, and the type that its numbers are computed in.
    """
    array = protocols.to_host(array) if protocols.is_foreign(array) else np.asarray(dtypes.unmasked(array))
    own = dtypes.real_dtype(array.dtype)
    if array.ndim not in (1, 2):
        raise UsageError(f"{name} of shape {array.shape}: expected a 1D or 2D array")
    return np.ascontiguousarray(array, dtype=np.float64), own


def backward_error(
        A: Matrix, x: Any, b: Any, *, triangle: str = "auto", symmetry: float = 0,
        cancel: CancelToken | None = None) -> BackwardError:
    """Returns the backward error of x as a solution of A x = b, and a verdict on x.

    x may come from any solver. Use this for a factor that was loaded from a file: it has no values
    of A, so it cannot measure the error of its solutions.

    Parameters
    ----------
    A : sparse or dense matrix, shape (n, n)
        A matrix that :func:`kauri.cholesky` accepts; it is converted to float64. ``triangle`` and
        ``symmetry`` have the meaning that they have there.
    x, b : arrays, shape (n,) or (n, k) each
        Arrays on the host, of NumPy or of a library that supports DLPack.

    Returns
    -------
    BackwardError
        ``normwise``: norm(b - A x) / (norm(A) norm(x) + norm(b)) in the maximum norm.
        ``componentwise``: the largest of abs(b - A x) / (abs(A) abs(x) + abs(b)). Both are the
        worst over the columns; residuals are summed in about twice the precision of float64.
        ``status``: ``ok``; ``not_converged`` if ``normwise`` is above sqrt(eps) of x's type, which
        is 1.5e-8 for float64 and 3.5e-4 for float32; ``not_finite`` if an error is not finite.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp, kauri
    >>> A = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(4, 4), format="csc")
    >>> x = kauri.cholesky(A)(np.ones(4))
    >>> kauri.backward_error(A, x, np.ones(4)).status, kauri.backward_error(2 * A, x, np.ones(4)).status
    ('ok', 'not_converged')
    """
    a = matrix.to_core(A, np.float64, triangle, symmetry)
    (x, own), (b, _) = _host(x, "x"), _host(b, "b")
    if not (x.shape == b.shape and x.shape[0] == a.n):
        raise UsageError(f"x of shape {x.shape} and b of shape {b.shape}: expected ({a.n},) or ({a.n}, k) for both")
    normwise, componentwise = _core.backward_error(a, x, b, cancel)
    return BackwardError(normwise, componentwise, status_of(normwise, componentwise, own))
