# Factorisations: cholesky, cholesky_AAt, cholesky_mixed, factorized, aslinearoperator.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, DTypeLike

from .._arrays import dtypes, matrix
from .._arrays.protocols import Matrix
from .._core import CancelToken
from .analyze import analysis, analysis_for_mixed, analyze_AAt
from .factor import Factor
from .mixed import MixedFactor

if TYPE_CHECKING:
    from scipy.sparse.linalg import LinearOperator


def cholesky(
        A: Matrix, beta: float = 0, mode: str = "auto", ordering_method: str | None = "default",
        use_long: bool | None = None, *, triangle: str = "auto", symmetry: float = 0,
        dtype: DTypeLike | None = None, permutation: ArrayLike | None = None,
        cancel: CancelToken | None = None, **options: Any) -> Factor:
    """Factorises A + beta I.

    Parameters
    ----------
    A : sparse or dense matrix, shape (n, n)
        A symmetric positive definite matrix: of SciPy, in any format, or of CuPy, PyTorch or JAX,
        which is copied to the host once. float32 is factorised in float32, all other types in
        float64. Complex matrices raise NotImplementedError.
    beta : float
        Number that is added to the diagonal.
    mode, use_long
        Accepted for compatibility with scikit-sparse, without effect. An unknown ``mode`` raises
        UsageError.
    ordering_method : str or None
        ``auto`` (or ``default``), ``amd``, ``pamd``, ``nd`` (or ``nesdis``), ``metis``, ``md``,
        ``rcm``, ``best``, or ``natural`` (or None): P is the identity.
    triangle : str
        ``lower`` or ``upper``: kauri reads this half alone. ``both``: both halves are stored and
        must agree. ``auto``: kauri takes the half that is stored; if both are, they must agree.
    symmetry : float
        Largest difference between both halves, as a fraction of sqrt(abs(A[i, i] A[j, j])), at most
        1. It allows for rounding in the assembly of A; the lower half is taken. 0 means 1000 eps of
        the type of A, whatever the type of the factor: 2.2e-13 for float64 and integers, 1.2e-4 for
        float32, 0.98 for float16.
    dtype : numpy.float32 or numpy.float64, optional
        Type of the factor, in place of the type that follows from A. Later A are rounded to it too;
        without ``dtype``, an A of float64 for a factor of float32 raises DtypeError.
    permutation : shape (n,), optional
        Rows of A in the order of elimination. It replaces the ordering.
    cancel : CancelToken, optional
        Token that ends the call from another thread.
    **options
        Options of kauri.option_names(): ``threads=4``, ``backend="cuda"``,
        ``refine_max_steps=2`` ...

    Returns
    -------
    Factor

    Raises
    ------
    NotPositiveDefiniteError
        A + beta I is not positive definite; ``column`` is the failing column of A.
    InputError, UsageError, OutOfMemoryError, DeviceError, Cancelled

    Examples
    --------
    >>> import scipy.sparse as sp, kauri
    >>> try:
    ...     kauri.cholesky(sp.diags_array([1.0, -2.0, 3.0], format="csc"))
    ... except kauri.NotPositiveDefiniteError as error:
    ...     print(error.column, error.pivot)
    1 -2.0
    """
    given, A = dtypes.given_dtype(A), matrix.to_scipy(A)
    a = matrix.to_core(A, dtype, triangle, symmetry, given)
    f = analysis(a, mode, ordering_method, isinstance(A, sp.sparray), (triangle, symmetry), permutation, cancel, options,
                  rounds=dtype is not None)
    f._fill(f._make().refactorize, a, float(beta), cancel)
    return f


def cholesky_AAt(
        A: Matrix, beta: float = 0, mode: str = "auto", ordering_method: str | None = "default",
        use_long: bool | None = None, *, cancel: CancelToken | None = None,
        **options: Any) -> Factor:
    """Factorises A A' + beta I, for A of shape (n, k). Forms the product A A' first.

    >>> import numpy as np, scipy.sparse as sp, kauri
    >>> A = sp.csc_matrix([[1.0, 2.0, 0.0], [0.0, 1.0, 3.0]])
    >>> f = kauri.cholesky_AAt(A, beta=1)
    >>> np.allclose((A @ A.T + sp.eye(2)) @ f(np.ones(2)), 1)
    True
    """
    f = analyze_AAt(A, mode, ordering_method, use_long, cancel=cancel, **options)
    f.cholesky_AAt_inplace(A, beta, cancel=cancel)
    return f


def cholesky_mixed(
        A: Matrix, beta: float = 0, ordering_method: str | None = "default", *,
        precision: str = "mixed", triangle: str = "auto", symmetry: float = 0,
        permutation: ArrayLike | None = None, cancel: CancelToken | None = None,
        **options: Any) -> MixedFactor:
    """Factorises A + beta I in float32, for solutions in float64.

    The factor takes half the memory of one in float64 and, for large A, is about twice as fast. The
    arguments are those of :func:`cholesky`; the options ``mixed_...`` and ``mixed_solve_...`` set
    how solutions are improved. With ``precision="auto"`` the factor is in float32 only on a device
    that is slow in float64, if all factorisations and solves (``analyze_factorizations``,
    ``analyze_solves``) are predicted to end clearly earlier; ``report()["precision_reason"]`` has
    the figures.

    Returns
    -------
    MixedFactor

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp, kauri
    >>> A = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(4, 4), format="csc")
    >>> x = kauri.cholesky_mixed(A)(np.ones(4))
    >>> np.allclose(A @ x, 1, rtol=1e-13)
    True
    """
    a = matrix.to_core(A, np.float64, triangle, symmetry)
    f = MixedFactor(analysis_for_mixed(a, ordering_method, permutation, cancel, options, precision), triangle, symmetry)
    f._fill(f._mixed.refactorize, a, float(beta), cancel)
    return f


def factorized(A: Matrix, **options: Any) -> Callable[[Any], Any]:
    """Returns a function that solves A x = b, for symmetric positive definite A of shape (n, n).

    It replaces scipy.sparse.linalg.factorized.

    >>> import numpy as np, scipy.sparse as sp, kauri
    >>> solve = kauri.factorized(sp.csc_matrix([[2.0, 1.0], [1.0, 2.0]]))
    >>> np.allclose(solve(np.array([3.0, 3.0])), 1)
    True
    """
    return cholesky(A, **options).solve_A


def aslinearoperator(A: Matrix, *, rounds: bool = False, **options: Any) -> LinearOperator:
    """Returns A^-1, shape (n, n), as a scipy.sparse.linalg.LinearOperator.

    It is :meth:`kauri.Factor.as_linear_operator` of ``cholesky(A, **options)``.
    """
    return cholesky(A, **options).as_linear_operator(rounds=rounds)
