# Analyses without numbers: analyze, analyze_AAt.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, DTypeLike, NDArray

from .. import _core, _options
from .._arrays import dtypes, matrix
from .._arrays.protocols import Matrix
from .._core import CancelToken
from .._errors import UsageError
from .factor import Factor

MODES = ("auto", "simplicial", "supernodal")


def _permutation(permutation: ArrayLike | None, n: int) -> NDArray[np.int32] | None:
    """Returns the permutation as int32 for the library, or None.

    Checks shape, type and range; the library itself refuses rows that occur twice.
    """
    if permutation is None:
        return None
    rows = np.asarray(permutation)
    if rows.shape != (n,) or rows.dtype.kind not in "iu" and n > 0:
        raise UsageError(f"permutation of shape {rows.shape} and type {rows.dtype}: expected ({n},) integers")
    if n > 0 and not (rows.min() >= 0 and rows.max() < n):
        raise UsageError(f"permutation with rows {rows.min()} to {rows.max()}: expected 0 to {n - 1}")
    return np.ascontiguousarray(rows, dtype=np.int32)


def analysis(
        a: Any, mode: str, ordering_method: str | None, array: bool, halves: tuple[str, float],
        permutation: ArrayLike | None, cancel: CancelToken | None, options: dict[str, Any],
        rounds: bool = False) -> Factor:
    """Analyses a matrix of the extension module and returns a Factor without numbers."""
    if mode not in MODES:
        raise UsageError(f"mode {mode!r}: expected one of {', '.join(MODES)}, which all give the same factor")
    texts, natural = _settings(ordering_method, options)
    symbolic = _core.analyze(a, texts, _permutation(permutation, a.n), cancel)
    return Factor(symbolic, natural=natural and permutation is None, triangle=halves[0], symmetry=halves[1], array=array, rounds=rounds)


def analysis_for_mixed(
        a: Any, ordering_method: str | None, permutation: ArrayLike | None,
        cancel: CancelToken | None, options: dict[str, Any], precision: str) -> Any:
    """Analyses a matrix of the extension module for a factor of this precision, mixed or auto.

    Returns the analysis (``_core.Symbolic``).
    """
    if precision not in ("mixed", "auto"):
        raise UsageError(f"precision {precision!r}: expected mixed or auto; cholesky(A) makes factors of the type of A")
    texts = _settings(ordering_method, options)[0] + [("precision", precision)]
    return _core.analyze_mixed(a, texts, _permutation(permutation, a.n), cancel)


def _settings(
        ordering_method: str | None,
        options: dict[str, Any]) -> tuple[list[tuple[str, str]], bool]:
    """Returns (options as texts, True if the caller asked for the natural ordering)."""
    ordering_method = _options.plain(ordering_method)
    if ordering_method is None:
        ordering_method = "natural"
    return _options.texts({"ordering_method": ordering_method, **options}), ordering_method == "natural"


def analyze(
        A: Matrix, mode: str = "auto", ordering_method: str | None = "default",
        use_long: bool | None = None, *, triangle: str = "auto", symmetry: float = 0,
        dtype: DTypeLike | None = None, permutation: ArrayLike | None = None,
        cancel: CancelToken | None = None, **options: Any) -> Factor:
    """Orders A and analyses it, without a factorisation.

    Takes the arguments of :func:`cholesky`, except ``beta``.

    >>> import numpy as np, scipy.sparse as sp, kauri
    >>> A = 2.0 * sp.eye_array(3, format="csc")
    >>> f = kauri.analyze(A)
    >>> f.valid
    False
    >>> f.cholesky_inplace(A)
    >>> f(np.ones(3))
    array([0.5, 0.5, 0.5])
    """
    given, A = dtypes.given_dtype(A), matrix.to_scipy(A)
    a = matrix.to_core(A, dtype, triangle, symmetry, given)
    return analysis(a, mode, ordering_method, isinstance(A, sp.sparray), (triangle, symmetry), permutation, cancel, options,
                     rounds=dtype is not None)


def analyze_AAt(
        A: Matrix, mode: str = "auto", ordering_method: str | None = "default",
        use_long: bool | None = None, *, dtype: DTypeLike | None = None,
        permutation: ArrayLike | None = None, cancel: CancelToken | None = None,
        **options: Any) -> Factor:
    """Orders A A' and analyses it, without a factorisation. A has the shape (n, k).

    Takes the arguments of :func:`analyze`, except ``triangle`` and ``symmetry``.
    """
    A = matrix.to_scipy(A)
    own = dtypes.real_dtype(A.dtype)
    a = matrix.to_core(matrix.product_pattern(A), own if dtype is None else dtype, "lower")
    return analysis(a, mode, ordering_method, isinstance(A, sp.sparray), ("lower", 0), permutation, cancel, options,
                     rounds=dtype is not None)
