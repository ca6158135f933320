# Parts: the methods of a Factor that return L, D, P, determinants and entries of A^-1.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .._core import CancelToken
from . import fill_of_inverse
from .solves import Solves


class Parts(Solves):
    """Methods of :class:`kauri.Factor` that return parts of the factor and of A^-1."""

    def P(self) -> NDArray[np.int32]:
        """Returns the permutation, shape (n,): ``A[P[:, None], P[None, :]]`` is L L'."""
        return np.arange(self.n, dtype=np.int32) if self._natural else self._symbolic.perm()

    def _lower(self) -> sp.csc_array:
        indptr, indices, values = self._core().lower()
        index = np.int32 if len(values) <= np.iinfo(np.int32).max else np.int64
        low = sp.csc_array((values, indices.astype(index, copy=False), indptr.astype(index)), shape=self.shape)
        low.eliminate_zeros()
        if self._natural:
            perm = self._symbolic.perm()
            entries = low.tocoo()
            low = sp.csc_array((entries.data, (perm[entries.coords[0]], perm[entries.coords[1]])), shape=self.shape)
        low.sort_indices()
        return low

    def L(self) -> Any:
        """Returns L of L L' = P A P', sparse by columns, shape (n, n)."""
        return self._as_sparse(self._lower())

    def LD(self) -> Any:
        """Returns L and D of L D L' = P A P' in one sparse matrix: D on its diagonal, L below."""
        low, d = self._of_one_filling(lambda: (self._lower(), self._lower_diagonal()))
        unit = sp.csc_array(low @ sp.diags_array(1 / d, dtype=self._dtype))
        unit.setdiag(d * d)
        return self._as_sparse(unit)

    def L_D(self) -> tuple[Any, Any]:
        """Returns (L, D) of L D L' = P A P', both sparse, shape (n, n)."""
        low, d = self._of_one_filling(lambda: (self._lower(), self._lower_diagonal()))
        unit = sp.csc_array(low @ sp.diags_array(1 / d, dtype=self._dtype))
        unit.setdiag(np.ones_like(d))
        both = (d * d)[None, :]
        diagonal = sp.dia_array((both, [0]), shape=self.shape) if self._array else sp.dia_matrix((both, [0]), shape=self.shape)
        return self._as_sparse(unit), diagonal

    def D(self) -> NDArray[Any]:
        """Returns the diagonal of D of L D L', shape (n,)."""
        return self._lower_diagonal() ** 2

    def logdet(self) -> float:
        """Returns ln det A."""
        return self._core().log_determinant()

    def slogdet(self) -> tuple[float, float]:
        """Returns (1.0, ln det A), as numpy.linalg.slogdet does."""
        return (1.0, self.logdet())

    def det(self) -> float:
        """Returns det A, the product of the pivots, with some digits less than A has. It is inf or
        0 if det A is out of range: use logdet() then.

        >>> import scipy.sparse as sp, kauri
        >>> kauri.cholesky(2.0 * sp.eye_array(10, format="csc")).det()
        1024.0
        """
        return self._core().determinant()

    def inverse_bytes(self) -> int:
        """Returns the bytes of memory that inv() takes at its peak, for connected A those of some 2
        n^2 entries. The factor need not hold numbers.

        >>> import scipy.sparse as sp, kauri
        >>> A = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(100_000, 100_000), format="csc")
        >>> kauri.analyze(A).inverse_bytes() > 200e9
        True
        """
        entries = fill_of_inverse.entries_of_inverse(self._symbolic.parent())
        return fill_of_inverse.bytes_of(entries, self.n, self.n, self._dtype.itemsize)

    def inv(self) -> Any:
        """Returns A^-1 as a sparse matrix, which has all n^2 entries if A is connected. If
        inverse_bytes() are not available, raises OutOfMemoryError before it computes anything. Use
        inverse_diagonal() or inverse_entries() if you need only some of the entries."""
        return self.solve(sp.eye_array(self.n, dtype=self._dtype, format="csc"))

    def inverse_diagonal(self, *, cancel: CancelToken | None = None) -> NDArray[Any]:
        """Returns the diagonal of A^-1, shape (n,), for twice the operations of a factorisation."""
        return self._core().inverse(True, cancel)

    def inverse_entries(self, *, cancel: CancelToken | None = None) -> Any:
        """Returns A^-1 at the places of A's entries: sparse, both halves, shape (n, n)."""
        values = self._core().inverse(False, cancel)
        indptr, indices = self.pattern()
        low = sp.csc_array((values, indices, indptr), shape=self.shape)
        return self._as_sparse(low + sp.tril(low, -1).T)

    def condition(self, *, cancel: CancelToken | None = None) -> float:
        """Returns an estimate of the condition number of A in the 1-norm, from a few solves."""
        return self._core().condition(cancel)[0]
