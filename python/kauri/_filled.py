# What Factor and MixedFactor share: an analysis that is filled with the values of A, and right-hand sides that fit it.
# SPDX-License-Identifier: BSD-3-Clause
import numpy as np

from . import _device, _matrix
from ._errors import NotPositiveDefiniteError, UsageError


class Filled:
    """What is made for one pattern and filled with values. Its maker sets _symbolic and _dtype."""

    _rounds = False  # A of more digits than _dtype has is rounded, as dtype= asked for

    @property
    def n(self):
        """Rows of A."""
        return self._symbolic.n

    @property
    def shape(self):
        """(n, n)."""
        return (self.n, self.n)

    @property
    def dtype(self):
        """Of solutions: float32 or float64."""
        return self._dtype

    @property
    def nnz(self):
        """Entries of L."""
        return self._symbolic.nnz_l

    def pattern(self):
        """(indptr, indices) of the lower half of A by columns, as analysed: rows ascend, the diagonal is there."""
        return self._symbolic.indptr(), self._symbolic.indices()

    def _fill(self, fill, *args):
        """fill(*args), of the extension module: a pair from it is a breakdown's column and pivot."""
        told = fill(*args)
        if isinstance(told, tuple):
            raise NotPositiveDefiniteError(*told, self)
        return told

    def _values(self, values):
        """Values of the lower half on the host, as the library takes them."""
        values = _device.to_host(values) if _device.is_foreign(values) else np.asarray(_matrix.unmasked(values))
        _matrix.real_dtype(values.dtype)
        if values.shape != (self._symbolic.nnz,):
            raise UsageError(f"values of shape {values.shape}: expected ({self._symbolic.nnz},)")
        if not self._rounds:
            _matrix.require_digits("the array of values", values.dtype, values, self._dtype, _matrix.MADE + "values.astype(np.float32)")
        return np.ascontiguousarray(values, dtype=self._dtype)

    def _there(self, values):
        """(a copy of values that are on a CUDA device, its address, its stream); None where they are on the host."""
        if not (_device.is_foreign(values) and _device.on_cuda(values)):
            return None
        return _device.values_there(values, self._symbolic.nnz, self._dtype, self._symbolic)

    def _require_fit(self, dtype, values):
        """Refuses b of that dtype where x, which is of the factor's, would have fewer digits than b. values: an array of those of b."""
        if dtype.kind == "c":
            raise NotImplementedError("complex right-hand sides: kauri solves real systems")
        _matrix.real_dtype(dtype)
        _matrix.require_digits("b", dtype, values, self._dtype, "make the factor with dtype=np.float64 or by cholesky_mixed(A) for "
                               "solutions in float64, or pass b.astype(np.float32)")

    def _checked(self, b):
        """b as the library takes it: as it lies in memory, if that will do."""
        _device.require_rows(b, self.n)
        if b.dtype != self._dtype:
            self._require_fit(b.dtype, b)
            b = b.astype(self._dtype)
        if not b.flags.forc and not _lies_well(b):
            b = np.ascontiguousarray(b)
        return b if b.flags.aligned else b.copy()


def _lies_well(b):
    """True where rows or columns lie one after the other, with a step between them that is no overlap."""
    size, (down, *right) = b.itemsize, b.strides
    if down % size or any(step % size for step in right):
        return False
    if b.ndim == 1:
        return down >= size
    rows, cols = b.shape
    return (down == size and right[0] >= rows * size) or (right[0] == size and down >= cols * size)
