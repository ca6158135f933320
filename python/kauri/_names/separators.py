# Orderings and separators of scikit-sparse 0.5: metis, nesdis, bisect.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._arrays.protocols import Matrix
from .cholesky_factor import CholeskyFactor
from .indices import half


def metis(A: Matrix, *, kind: str | None = None) -> NDArray[np.int32]:
    """Returns the permutation of A by METIS, shape (n,)."""
    kind, lower = half(kind)
    return CholeskyFactor(A, lower=lower, order="metis", sym_kind=kind).get_perm()


class SeparatorTree:
    """A tree of separators: cp[c] is the parent of node c, or -1; cmember[i] is the node of row i.
    """

    def __init__(self, cp: Any, cmember: Any) -> None:
        self._cp, self._cmember = np.ascontiguousarray(cp), np.ascontiguousarray(cmember)

    @property
    def cp(self) -> Any:
        """Parent of each node, shape (nodes,), -1 for roots."""
        return self._cp

    @property
    def cmember(self) -> Any:
        """Node of each row, shape (n,)."""
        return self._cmember

    def __repr__(self) -> str:
        return f"SeparatorTree(components={len(self.cp)}, nodes={len(self.cmember)})"

    def prune(self, *, nd_oksep: Any = None, nd_small: Any = None) -> Any:
        """Not supported: raises NotImplementedError."""
        raise NotImplementedError("give nesdis another nd_small")


def _separators(A: Matrix, kind: str | None, leaf: int) -> tuple[CholeskyFactor, SeparatorTree]:
    kind, lower = half(kind)
    f = CholeskyFactor(A, lower=lower, order="nesdis", sym_kind=kind)
    first, parent = f.factor_._symbolic.separators(leaf)
    member = np.empty(f.N, f.itype)
    member[f.perm] = np.repeat(np.arange(len(parent)), np.diff(first))
    return f, SeparatorTree(parent.astype(f.itype), member)


def nesdis(
        A: Matrix, *, kind: str | None = None, return_separator: Any = False, nd_small: Any = None,
        nd_components: Any = None, nd_oksep: Any = None, nd_camd: Any = None) -> Any:
    """Returns the permutation of A by kauri's nested dissection, shape (n,).

    With return_separator it returns (permutation, SeparatorTree). nd_small: subtrees of at most
    this many rows become one node (200). The other nd_ options are accepted, without effect."""
    f, tree = _separators(A, kind, nd_small or 200)
    return (f.get_perm(), tree) if return_separator else f.get_perm()


def bisect(A: Matrix, *, kind: str | None = None) -> NDArray[np.int32]:
    """Returns the side of each row of A, shape (n,): 0, 1, or 2 for the separator.

    A has no entry between the sides 0 and 1.

    >>> import scipy.sparse as sp
    >>> from kauri.cholmod05 import bisect
    >>> sides = bisect(sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(5, 5), format="csc"))
    >>> sorted(set(sides.tolist()))
    [0, 1, 2]
    """
    f, tree = _separators(A, kind, 1)
    parent, size = tree.cp, np.bincount(tree.cmember, minlength=len(tree.cp))
    for node, above in enumerate(parent):  # children come before their parents
        if above >= 0:
            size[above] += size[node]
    roots = np.flatnonzero(parent < 0)
    cut = roots[0] if len(roots) == 1 and (parent == roots[0]).any() else -1
    tops = np.flatnonzero(parent == cut) if cut >= 0 else roots
    side, weights = np.full(len(parent), 2, f.itype), [0, 0]
    for top in tops[np.argsort(-size[tops], kind="stable")]:
        side[top] = int(weights[1] < weights[0])
        weights[side[top]] += size[top]
    for node in range(len(parent) - 1, -1, -1):
        if side[node] == 2 and node != cut:
            side[node] = side[parent[node]]
    return side[tree.cmember]
