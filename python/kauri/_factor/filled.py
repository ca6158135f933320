# Filled: base class of Factor and MixedFactor, an analysis that is filled with values of A.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._arrays import calls, cuda, dtypes, protocols
from .._errors import NotPositiveDefiniteError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._arrays.protocols import Matrix
    from .._core import CancelToken


class Filled:
    """An object that is made for one pattern and filled with values of A.

    The subclass sets _symbolic and _dtype.
    """

    _symbolic: Any
    _dtype: np.dtype[Any]
    # True if dtype= was given: A with more digits than _dtype is rounded.
    _rounds = False

    if TYPE_CHECKING:  # both subclasses have it; an error keeps its factor as one that has it

        def refactorize(
                self, A: Matrix, beta: float = 0, *, cancel: CancelToken | None = None) -> None: ...

    @property
    def n(self) -> int:
        """Number of rows of A."""
        return self._symbolic.n

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of A, (n, n)."""
        return (self.n, self.n)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the solutions: float32 or float64."""
        return self._dtype

    @property
    def nnz(self) -> int:
        """Number of entries of L."""
        return self._symbolic.nnz_l

    def pattern(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Returns (indptr, indices) of the lower half of A by columns, as it was analysed.

        Rows ascend in each column; the diagonal is complete.
        """
        return self._symbolic.indptr(), self._symbolic.indices()

    def _fill(self, fill: Callable[..., Any], *args: Any) -> Any:
        """Returns fill(*args), a function of the extension module that factorises or solves.

        Raises NotPositiveDefiniteError if it returns a breakdown: the pair of column and pivot.
        """
        told = fill(*args)
        if isinstance(told, tuple):
            column, pivot = told
            raise NotPositiveDefiniteError(column, pivot, self)
        return told

    def _values(self, values: Any) -> NDArray[Any]:
        """Returns values of the lower half on the host, in the factor's type, as the library takes
        them.
        """
        values = protocols.to_host(values) if protocols.is_foreign(values) else np.asarray(dtypes.unmasked(values))
        dtypes.real_dtype(values.dtype)
        if values.shape != (self._symbolic.nnz,):
            raise UsageError(f"values of shape {values.shape}: expected ({self._symbolic.nnz},)")
        if not self._rounds:
            dtypes.require_digits("the array of values", values.dtype, values, self._dtype, dtypes.MADE + "values.astype(np.float32)")
        return np.ascontiguousarray(values, dtype=self._dtype)

    def _there(self, values: Any) -> tuple[Any, int, int | None] | None:
        """Returns (copy of the values on their CUDA device, its address, its stream).

        Returns None for values on the host.
        """
        if not (protocols.is_foreign(values) and cuda.on_cuda(values)):
            return None
        return calls.values_there(values, self._symbolic.nnz, self._dtype, self._symbolic)

    def _require_fit(self, dtype: np.dtype[Any], values: Any) -> None:
        """Raises DtypeError for b of this dtype if x, in the factor's type, would have fewer
        digits.

        values: the array of b's numbers.
        """
        if dtype.kind == "c":
            raise NotImplementedError("complex right-hand sides: kauri solves real systems")
        dtypes.real_dtype(dtype)
        dtypes.require_digits("b", dtype, values, self._dtype, "make the factor with dtype=np.float64 or by cholesky_mixed(A) for "
                               "solutions in float64, or pass b.astype(np.float32)")

    def _checked(self, b: NDArray[Any]) -> NDArray[Any]:
        """Returns b as the library takes it: b itself if its type and strides permit, else a copy.
        """
        calls.require_rows(b, self.n)
        if b.dtype != self._dtype:
            self._require_fit(b.dtype, b)
            b = b.astype(self._dtype)
        if not b.flags.forc and not _lies_well(b):
            b = np.ascontiguousarray(b)
        return b if b.flags.aligned else b.copy()


def _lies_well(b: NDArray[Any]) -> bool:
    """Returns True if rows or columns are contiguous, at a stride that does not make them overlap.
    """
    size, (down, *right) = b.itemsize, b.strides
    if down % size or any(step % size for step in right):
        return False
    if b.ndim == 1:
        return down >= size
    rows, cols = b.shape
    return (down == size and right[0] >= rows * size) or (right[0] == size and down >= cols * size)
