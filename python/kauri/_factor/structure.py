# Results of the analysis alone: elimination tree, column counts, fronts, pattern of L, costs.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._core import CancelToken
from .._errors import UsageError
from .filled import Filled


class Supernodes(NamedTuple):
    """Supernodes of L with their fronts: see :meth:`kauri.Factor.supernodes`.

    A supernode is a run of columns that are stored as one dense block.
    """

    first: NDArray[np.int32]
    parent: NDArray[np.int32]
    row_ptr: NDArray[np.int64]
    row: NDArray[np.int32]
    perm: NDArray[np.int32]

    @property
    def pivots(self) -> NDArray[np.int32]:
        """Number of columns of each supernode, shape (supernodes,)."""
        return np.diff(self.first)

    @property
    def front_size(self) -> NDArray[np.int64]:
        """Number of rows of each front, pivots included, shape (supernodes,)."""
        return np.diff(self.row_ptr)

    @property
    def flops(self) -> NDArray[np.float64]:
        """Number of operations in each front, shape (supernodes,).

        It includes operations on the zeros that amalgamation stores; a multiply-add counts as two.
        """
        rows = self.front_size.astype(np.float64)
        below = rows - self.pivots
        return rows * (rows + 1) * (2 * rows + 1) / 6 - below * (below + 1) * (2 * below + 1) / 6


class Structure(Filled):
    """Methods of kauri.Factor that need only the analysis."""

    # True if P is the identity for the caller; the plan's is a postorder.
    _natural: bool

    def _in_callers_order(self, values: NDArray[Any]) -> NDArray[Any]:
        """Returns values that are given by columns of the plan, ordered by the columns that the
        caller sees.
        """
        if not self._natural:
            return values
        back = np.empty_like(values)
        back[self._symbolic.perm()] = values
        return back

    def parent(self) -> NDArray[np.int32]:
        """Returns the elimination tree of P A P', shape (n,).

        ``parent[j]`` is the row of the first entry below the diagonal in column j of L, or -1 at a
        root.

        >>> import scipy.sparse as sp, kauri
        >>> A = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(4, 4), format="csc")
        >>> kauri.analyze(A, ordering_method="natural").parent()
        array([ 1,  2,  3, -1], dtype=int32)
        """
        above = self._symbolic.parent()
        if not self._natural or self.n == 0:
            return above
        perm = self._symbolic.perm()
        return self._in_callers_order(np.where(above >= 0, perm[above], np.int32(-1)))

    def column_counts(self) -> NDArray[np.int32]:
        """Returns the number of entries of each column of L, diagonal included, shape (n,).

        Their sum is :attr:`nnz`; the sum of their squares is the number of operations of a
        factorisation.

        >>> import scipy.sparse as sp, kauri
        >>> A = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(4, 4), format="csc")
        >>> kauri.analyze(A, ordering_method="natural").column_counts()
        array([2, 2, 2, 1], dtype=int32)
        """
        return self._in_callers_order(self._symbolic.column_count())

    def supernodes(self) -> Supernodes:
        """Returns the supernodes and their fronts, in the order of elimination.

        Returns
        -------
        Supernodes
            ``first``, shape (supernodes + 1,): supernode s holds the columns ``first[s]`` to
            ``first[s + 1] - 1``. ``parent``, shape (supernodes,): the supernode whose front adds
            the contribution block of s, or -1. ``row[row_ptr[s]:row_ptr[s + 1]]``: the rows of the
            front of s, ascending, with its own columns first. ``perm``, shape (n,): the row of A
            for each of these row numbers. ``pivots``, ``front_size`` and ``flops``, shape
            (supernodes,): columns, rows and operations of each.

        Examples
        --------
        >>> import numpy as np, scipy.sparse as sp, kauri
        >>> s = kauri.analyze(sp.csc_array(np.ones((3, 3)) + np.eye(3))).supernodes()
        >>> s.pivots.tolist(), s.front_size.tolist(), s.flops.tolist()
        ([3], [3], [14.0])
        """
        first, parent, row_ptr, row = self._symbolic.supernodes()
        return Supernodes(first, parent, row_ptr, row, self._symbolic.perm())

    def pattern_L(
            self, *,
            cancel: CancelToken | None = None) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Returns (indptr, indices) of L by columns, rows ascending, shapes (n + 1,) and (nnz,).

        No number is computed. Entries that happen to be zero are included; zeros that only
        amalgamation stores are not.

        >>> import scipy.sparse as sp, kauri
        >>> A = sp.csc_array([[4.0, 1, 1], [1, 4, 0], [1, 0, 4]])
        >>> indptr, indices = kauri.analyze(A, ordering_method="natural").pattern_L()
        >>> indptr.tolist(), indices.tolist()
        ([0, 3, 5, 6], [0, 1, 2, 1, 2, 2])
        """
        return self._symbolic.pattern_l(self._natural, cancel)

    def density(
            self, of: str = "L", cells: int = 256, *,
            cancel: CancelToken | None = None) -> NDArray[np.int64]:
        """Counts entries by the cells of a square grid: a picture of a matrix of any size.

        Parameters
        ----------
        of : str
            ``L``; ``PAPt``: P A P', both halves; ``A``: both halves of A in its own order.
        cells : int
            Most cells to a side. If the matrix has at most as many rows, a cell is an entry.
        cancel : CancelToken, optional

        Returns
        -------
        numpy.ndarray, shape (min(cells, n), min(cells, n)), of int64
            Cell (i, j) counts the entries in the rows from ``i n / cells`` up to ``(i + 1) n /
            cells``, and likewise for columns. The sum of all cells is the number of entries.

        Examples
        --------
        >>> import scipy.sparse as sp, kauri
        >>> A = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(1000, 1000), format="csc")
        >>> kauri.analyze(A, ordering_method="natural").density("L", 2).tolist()
        [[999, 0], [1, 999]]
        """
        if not 1 <= cells <= 32768:
            raise UsageError(f"density: {cells} cells to a side, expected 1 to 32768")
        side, count = self._symbolic.density(of, int(cells), self._natural, cancel)
        return count.reshape(side, side)[: self.n, : self.n]  # the raster of 0 rows has one cell

    def cost(self) -> dict[str, Any]:
        """Returns the cost of a factorisation that the analysis predicts, as a dict.

        Its keys are those of ``kauri analyze --json`` (docs/json.md): ``nnzL``, ``flops``,
        ``fill_ratio``, ``tree_height``, ``supernodes``, ``largest_front``, ``factor_bytes``,
        ``peak_bytes``, ``predicted_factor_s`` ... Counts are exact. Values of keys that end in _s
        are seconds, predicted for double.

        >>> import scipy.sparse as sp, kauri
        >>> cost = kauri.analyze(sp.eye_array(3, format="csc")).cost()
        >>> cost["nnzL"], cost["flops"], cost["tree_height"]
        (3, 3.0, 1)
        """
        return self._symbolic.cost()
