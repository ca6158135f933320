# Analyses of scikit-sparse 0.5: symbfact, etree.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from .._arrays.protocols import Matrix
from .cholesky_factor import CholeskyFactor
from .indices import half, indexed, integers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._factor import Factor


class SymbolicCounts(NamedTuple):
    """Result of symbfact(): four parts, and L, which is None as in scikit-sparse."""

    count: Any
    h: int
    parent: np.ndarray
    post: np.ndarray

    @property
    def L(self) -> None:
        """Always None; return_factor=True gives L."""
        return None


class SymbolicCholFactor(NamedTuple):
    """Result of symbfact() with return_factor=True."""

    count: Any
    h: int
    parent: np.ndarray
    post: np.ndarray
    L: sp.csc_array


def etree(A: Matrix, *, kind: str | None = None, return_post: bool = False) -> Any:
    """Returns the elimination tree of A without a permutation: parents, shape (n,), -1 for roots;
    with return_post it returns (parents, postorder)."""
    parent = symbfact(A, kind=kind)
    return (parent[2], parent[3]) if return_post else parent[2]


def symbfact(
        A: Matrix, *, kind: str | None = None, lower: bool = False,
        return_factor: bool = False) -> Any:
    """Analyses A without a permutation and returns (count, h, parent, post): entries of each column
    of L, height of the elimination tree, the tree, and a postorder of it. With return_factor the
    result has a fifth part: the pattern of L, with True at its entries, if lower, else of L'."""
    f = _analysed(A, kind, lower)
    perm, symbolic = f._symbolic.perm(), f._symbolic
    counts, parent = np.empty(f.n, np.int32), np.full(f.n, -1, np.int32)
    counts[perm] = symbolic.column_count()
    above = symbolic.parent()
    parent[perm] = np.where(above >= 0, perm[above], -1) if f.n else above
    itype = integers(A)
    told = (counts.astype(itype), _height(parent), parent.astype(itype), _postorder(parent).astype(itype))
    if not return_factor:
        return SymbolicCounts(*told)
    low = _pattern_of_l(f, parent, itype)
    return SymbolicCholFactor(*told, indexed(low if lower else low.T.tocsc(), itype))


def _analysed(A: Matrix, kind: str | None, lower: bool) -> Factor:
    kind, lower = half(kind, lower)
    f = CholeskyFactor(A, lower=lower, order=None, sym_kind=kind)
    return f.factor_


def _height(parent: NDArray[np.int32]) -> int:
    height = np.ones(len(parent), np.int64)
    for j, above in enumerate(parent):  # children come before their parents
        if above >= 0:
            height[above] = max(height[above], height[j] + 1)
    return int(height.max(initial=0))


def _postorder(parent: NDArray[np.int32]) -> NDArray[np.int32]:
    children: list[list[int]] = [[] for _ in parent]
    roots: list[int] = []
    for j, above in enumerate(parent):
        (children[above] if above >= 0 else roots).append(j)
    order = []
    for root in roots:
        stack = [(root, iter(children[root]))]
        while stack:
            j, rest = stack[-1]
            child = next(rest, None)
            if child is None:
                order.append(j)
                stack.pop()
            else:
                stack.append((child, iter(children[child])))
    return np.array(order, dtype=np.int32)


def _pattern_of_l(f: Factor, parent: NDArray[np.int32], itype: np.dtype[Any]) -> sp.csc_array:
    indptr, indices = f.pattern()
    rows = [set(indices[indptr[j] : indptr[j + 1]].tolist()) for j in range(f.n)]
    for j, above in enumerate(parent):
        if above >= 0:
            rows[above] |= {i for i in rows[j] if i > j}
    lengths = np.array([0] + [len(r) for r in rows]).cumsum()
    index = np.array([i for r in rows for i in sorted(r)], dtype=itype)
    return sp.csc_array((np.ones(lengths[-1], np.bool_), index, lengths), shape=f.shape)
