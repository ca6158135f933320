# Checks of arguments, and types of row numbers, as in scikit-sparse 0.5.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from .._arrays import dtypes
from .._arrays.protocols import Matrix
from .._errors import UsageError


def integers(A: Matrix) -> np.dtype[Any]:
    """Returns the type of A's row numbers: int32 or int64."""
    wide = sp.issparse(A) and (dtypes.widened(A).tocsc() if A.format not in ("csc", "csr") else A).indices.dtype == np.int64
    return np.dtype(np.int64 if wide else np.int32)


def indexed(matrix: Any, itype: np.dtype[Any]) -> Any:
    """Converts the row numbers of a sparse matrix, in place, to this type; numbers that need 64 bits
    stay. The caller must own the matrix. SciPy itself chooses the type by their values."""
    if sp.issparse(matrix) and (itype == np.int64 or max(matrix.nnz, *matrix.shape) <= np.iinfo(np.int32).max):
        if matrix.format in ("csc", "csr"):
            matrix.indices, matrix.indptr = matrix.indices.astype(itype, copy=False), matrix.indptr.astype(itype, copy=False)
        elif matrix.format == "coo":
            matrix.coords = tuple(part.astype(itype, copy=False) for part in matrix.coords)
    return matrix


def _checked_kind(kind: str | None) -> str | None:
    if kind not in (None, "sym", "row", "col", "lo"):
        raise UsageError(f"Unknown factorization kind: kind {kind!r}, expected sym, row, col or lo")
    return kind


def checked_form(kind: str | None) -> str | None:
    """Returns ``kind``; UsageError unless it is LL, LDL or None."""
    if kind not in (None, "LL", "LDL"):
        raise UsageError(f"kind {kind!r}: kind must be 'LL' or 'LDL'")
    return kind


def half(kind: str | None, lower: bool = False) -> tuple[str | None, bool]:
    """Returns (kind, lower) for a kind that may be "lo", which reads the lower half of A; the other
    kinds read the half that ``lower`` selects."""
    kind = _checked_kind(kind)
    return ("sym", True) if kind == "lo" else (kind, lower)
