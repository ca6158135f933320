# Factorisations and solves of scikit-sparse 0.5 in one call: cho_factor, cholesky, ldl, cho_solve ...
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from typing import Any

from .._arrays.protocols import Matrix
from .cholesky_factor import CholeskyFactor


def cho_factor(
        A: Matrix, beta: float = 0.0, *, lower: bool = False, order: str | None = "default",
        sym_kind: str | None = None, supernodal_mode: str | None = None,
        **options: Any) -> CholeskyFactor:
    """Factorises A + beta I, shape (n, n), as L L' (or R' R); returns a CholeskyFactor."""
    f = CholeskyFactor(A, lower=lower, order=order, sym_kind=sym_kind, supernodal_mode=supernodal_mode, **options)
    return f.factorize(A, ldl=False, beta=beta)


def ldl_factor(
        A: Matrix, beta: float = 0.0, *, lower: bool = True, order: str | None = "default",
        sym_kind: str | None = None, supernodal_mode: str | None = None,
        **options: Any) -> CholeskyFactor:
    """Factorises A + beta I, shape (n, n), as L D L'; returns a CholeskyFactor."""
    f = CholeskyFactor(A, lower=lower, order=order, sym_kind=sym_kind, supernodal_mode=supernodal_mode, **options)
    return f.factorize(A, ldl=True, beta=beta)


def cholesky(
        A: Matrix, beta: float = 0.0, *, lower: bool = False, order: str | None = "default",
        sym_kind: str | None = None, supernodal_mode: str | None = None, **options: Any) -> Any:
    """Returns (R, p), or (L, p) if lower; if order is None, without p."""
    f = cho_factor(A, beta, lower=lower, order=order, sym_kind=sym_kind, supernodal_mode=supernodal_mode, **options)
    return f.get_factor() if order is None else (f.get_factor(), f.get_perm())


def ldl(
        A: Matrix, beta: float = 0.0, *, lower: bool = True, order: str | None = "default",
        sym_kind: str | None = None, supernodal_mode: str | None = None, **options: Any) -> Any:
    """Returns (L, D, p); if order is None, without p."""
    f = ldl_factor(A, beta, lower=lower, order=order, sym_kind=sym_kind, supernodal_mode=supernodal_mode, **options)
    return f.get_factor() if order is None else (*f.get_factor(), f.get_perm())


def cho_solve(A: Matrix, b: Any, *, lower: bool = False, order: str | None = "default") -> Any:
    """Solves A x = b with a temporary factor. b: shape (n,) or (n, k).

    >>> import numpy as np, scipy.sparse as sp, kauri
    >>> kauri.cho_solve(2.0 * sp.eye_array(2, format="csc"), np.ones(2))
    array([0.5, 0.5])
    """
    return cho_factor(A, lower=lower, order=order).solve(b)
