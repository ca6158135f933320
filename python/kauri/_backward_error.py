# backward_error: how well x solves A x = b, whoever made it.
# SPDX-License-Identifier: BSD-3-Clause
import math
from typing import NamedTuple

import numpy as np

from . import _core, _device, _matrix
from ._errors import UsageError


class BackwardError(NamedTuple):
    """Of :func:`kauri.backward_error`."""

    normwise: float
    componentwise: float
    status: str


def status_of(normwise, componentwise, dtype):
    """``ok``, ``not_converged`` or ``not_finite``, of x in that dtype that nobody need have refined.

    The normwise error alone says whether x is a solution of this A; refinement mends the other one.
    """
    if not (math.isfinite(normwise) and math.isfinite(componentwise)):
        return "not_finite"
    return "ok" if normwise <= math.sqrt(np.finfo(dtype).eps) else "not_converged"


def _host(array, name):
    """(dense array in float64, its own dtype)."""
    array = _device.to_host(array) if _device.is_foreign(array) else np.asarray(_matrix.unmasked(array))
    own = _matrix.real_dtype(array.dtype)
    if array.ndim not in (1, 2):
        raise UsageError(f"{name} of shape {array.shape}: expected a 1D or 2D array")
    return np.ascontiguousarray(array, dtype=np.float64), own


def backward_error(A, x, b, *, triangle="auto", symmetry=0, cancel=None):
    """How well x solves A x = b: the verdict on what a loaded factor solved, which has no values of A, or anybody else.

    Parameters
    ----------
    A : sparse or dense matrix, shape (n, n)
        As :func:`kauri.cholesky` takes it, in float64; so are its ``triangle`` and ``symmetry``.
    x, b : arrays, shape (n,) or (n, k) each
        On the host, of NumPy or of what speaks DLPack.

    Returns
    -------
    BackwardError
        ``normwise``, norm(b - A x) / (norm(A) norm(x) + norm(b)) in the maximum norm, and ``componentwise``, the largest of
        abs(b - A x) / (abs(A) abs(x) + abs(b)): the worst over the columns, residuals summed in about twice the precision of float64.
        ``status``: ``ok``; ``not_converged`` where ``normwise`` is above sqrt(eps) of x's type, 1.5e-8, of float32 3.5e-4; ``not_finite``.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp, kauri
    >>> A = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(4, 4), format="csc")
    >>> x = kauri.cholesky(A)(np.ones(4))
    >>> kauri.backward_error(A, x, np.ones(4)).status, kauri.backward_error(2 * A, x, np.ones(4)).status
    ('ok', 'not_converged')
    """
    a = _matrix.to_core(A, np.float64, triangle, symmetry)
    (x, own), (b, _) = _host(x, "x"), _host(b, "b")
    if not (x.shape == b.shape and x.shape[0] == a.n):
        raise UsageError(f"x of shape {x.shape} and b of shape {b.shape}: expected ({a.n},) or ({a.n}, k) for both")
    error = _core.backward_error(a, x, b, cancel)
    return BackwardError(*error, status_of(*error, own))
