# The interface of sksparse.cholmod of scikit-sparse 0.5.
# SPDX-License-Identifier: BSD-3-Clause
"""Use ``from kauri.cholmod05 import cho_factor`` for that of sksparse.cholmod (0.5)."""
from __future__ import annotations

import sys
from typing import Any, NamedTuple, NoReturn

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from . import _alias, _options
from ._arrays import dtypes, matrix
from ._arrays.protocols import Matrix
from ._core import CancelToken
from ._errors import (
    DeviceError, InputError, KauriError, NotPositiveDefiniteError, OutOfMemoryError, TooLargeError,
    UsageError)
from ._factor import Factor
from ._factor import analyze as _analyze

CholmodError = KauriError
CholmodNotPositiveDefiniteError = NotPositiveDefiniteError
CholmodOutOfMemoryError = OutOfMemoryError
CholmodOverflowError = TooLargeError
CholmodInvalidInputError = InputError
CholmodGpuProblemError = DeviceError


class CholmodNotInstalledError(KauriError):
    """Never raised; exists for compatibility."""


class CholmodWarning(Warning):
    """Base class of the warnings of this module."""


class CholmodSmallDiagonalWarning(CholmodWarning):
    """Never raised: Factor.report() says if A is nearly singular."""


_ORDERS = (*_options.ORDERINGS, *_options.METHODS)

__all__ = [
    "CholeskyFactor", "CholmodError", "CholmodGpuProblemError", "CholmodInvalidInputError", "CholmodNotInstalledError",
    "CholmodNotPositiveDefiniteError", "CholmodOutOfMemoryError", "CholmodOverflowError", "CholmodSmallDiagonalWarning", "CholmodWarning",
    "SeparatorTree", "SymbolicCholFactor", "SymbolicCounts", "bisect", "cho_factor", "cho_solve", "cholesky", "etree", "ldl", "ldl_factor",
    "metis", "nesdis", "register", "symbfact",
]


def _integers(A):
    """Returns the type of A's row numbers: int32 or int64."""
    wide = sp.issparse(A) and (dtypes.widened(A).tocsc() if A.format not in ("csc", "csr") else A).indices.dtype == np.int64
    return np.dtype(np.int64 if wide else np.int32)


def _indexed(matrix, itype):
    """Converts the row numbers of a sparse matrix, in place, to this type; those that need 64 bits
    stay. The caller must own the matrix. SciPy itself chooses the type by their values."""
    if sp.issparse(matrix) and (itype == np.int64 or max(matrix.nnz, *matrix.shape) <= np.iinfo(np.int32).max):
        if matrix.format in ("csc", "csr"):
            matrix.indices, matrix.indptr = matrix.indices.astype(itype, copy=False), matrix.indptr.astype(itype, copy=False)
        elif matrix.format == "coo":
            matrix.coords = tuple(part.astype(itype, copy=False) for part in matrix.coords)
    return matrix


def _checked_kind(kind):
    if kind not in (None, "sym", "row", "col", "lo"):
        raise UsageError(f"Unknown factorization kind: kind {kind!r}, expected sym, row, col or lo")
    return kind


def _checked_form(kind):
    if kind not in (None, "LL", "LDL"):
        raise UsageError(f"kind {kind!r}: kind must be 'LL' or 'LDL'")
    return kind


class CholeskyFactor:
    """An analysis of A, shape (n, n), and after :meth:`factorize` its factor.

    Parameters
    ----------
    A : sparse or dense matrix
    lower : bool
        True: read the lower half of A and return lower factors; False: the upper ones.
    order : str or None
        ``ordering_method`` of :func:`kauri.cholesky`; None: natural.
    sym_kind : "sym", "row" or "col"
        Factorise A itself, A A', or A' A.
    supernodal_mode
        Accepted for compatibility, without effect. An unknown mode raises UsageError.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp, kauri
    >>> f = kauri.cho_factor(sp.csc_array([[4.0, 2.0], [2.0, 5.0]]), lower=True, order=None)
    >>> f.L.toarray()
    array([[2., 0.],
           [1., 2.]])
    """

    def __init__(
            self, A: Matrix, *, lower: bool = True, order: str | None = "default",
            sym_kind: str | None = None, supernodal_mode: str | None = None,
            **options: Any) -> None:
        if sym_kind not in (None, "sym", "row", "col"):
            raise UsageError(f"Unknown symmetry kind: sym_kind {sym_kind!r}, expected sym, row or col")
        if order is not None and _options.plain(order) not in _ORDERS:
            raise UsageError(f"Unknown ordering method: order {order!r}, expected None or one of {', '.join(_ORDERS)}")
        if supernodal_mode not in (None, *_analyze.MODES):
            raise UsageError(f"Unknown factorization mode: supernodal_mode {supernodal_mode!r}, expected None or one of {', '.join(_analyze.MODES)}")
        self.is_lower = bool(lower)
        self.is_ll = True
        self.sym_kind = self._kind = sym_kind or "sym"
        self._order = "natural" if order is None else order
        self.itype = _integers(A)
        mode = supernodal_mode or "auto"
        if self._kind == "sym":
            self._factor = _analyze.analyze(A, mode, self._order, triangle="lower" if lower else "upper", **options)
        else:
            self._factor = _analyze.analyze_AAt(self._oriented(A), mode, self._order, **options)
        self._factor._array = True

    def _oriented(self, A):
        A = matrix.to_scipy(A)
        return A.T if self._kind == "col" else A

    def factorize(self, A: Matrix, ldl: bool | None = None, beta: float = 0.0) -> CholeskyFactor:
        """Factorises A + beta I in the pattern that was analysed. Returns this object. ldl: True:
        parts and systems are those of L D L'; False: of L L'; None: as before."""
        if ldl is not None:
            if not isinstance(ldl, (bool, np.bool_)):
                raise UsageError(f"ldl {ldl!r}: ldl must be a boolean value or None")
            self.is_ll = not ldl
        if self._kind == "sym":
            self._factor.cholesky_inplace(A, beta)
        else:
            self._factor.cholesky_AAt_inplace(self._oriented(A), beta)
        return self

    def __repr__(self):
        return (f"CholeskyFactor(N={self.N}, nnz={self.nnz}, is_ll={self.is_ll}, is_super={self.is_super}, itype=np.{self.itype.name}, "
                f"dtype=np.{self.dtype.name}, order={self.order})")

    def __str__(self):
        form, half = "LL.T" if self.is_ll else "LDL.T", "lower" if self.is_lower else "upper"
        return (f"Cholesky factor {form} of {self.N} rows, {self.nnz} entries, {half} half, {self.dtype.name}, indices {self.itype.name}, "
                f"order {self.order}")

    def _own(self, matrix):
        """Returns a sparse result with row numbers of A's type."""
        return _indexed(matrix, self.itype)

    @property
    def factor_(self) -> Factor:
        """The underlying kauri.Factor."""
        return self._factor

    @property
    def is_numeric(self) -> bool:
        """True after a factorisation."""
        return self._factor.valid

    @property
    def is_super(self) -> bool:
        """Always True for factors of kauri."""
        return True

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the numbers."""
        return self._factor.dtype

    @property
    def N(self) -> int:
        """Number of rows."""
        return self._factor.n

    @property
    def nnz(self) -> int:
        """Number of entries of L."""
        return self._factor.nnz

    @property
    def colcount(self) -> NDArray[np.int32]:
        """Number of entries of each column of L, shape (N,)."""
        counts = self._factor._symbolic.column_count()
        if self._factor._natural:
            back = np.empty_like(counts)
            back[self._factor._symbolic.perm()] = counts
            counts = back
        return counts.astype(self.itype, copy=False)

    @property
    def order(self) -> str:
        """Name of the ordering that was used."""
        taken = self._factor._symbolic.ordering
        return {"nd": "nesdis"}.get(taken, taken)

    @property
    def perm(self) -> NDArray[np.int32]:
        """The permutation, as get_perm() returns it."""
        return self._factor.P().astype(self.itype, copy=False)

    @property
    def rcond(self) -> float:
        """Square of least over largest diagonal entry of L; -1 before :meth:`factorize`."""
        if not self.is_numeric:
            return -1.0
        d = self._factor._lower_diagonal()
        return float((d.min() / d.max()) ** 2) if self.N else 1.0

    @property
    def factor(self) -> Any:
        """The matrix L or, for L D L', L with D on its diagonal; a new matrix at each access."""
        return self._own(self._factor.L() if self.is_ll else self._factor.LD())

    @property
    def L(self) -> Any:
        """The lower factor; for L D L' it has ones on its diagonal."""
        return self._own(self._factor.L() if self.is_ll else self._factor.L_D()[0])

    @property
    def R(self) -> Any:
        """The upper factor L'."""
        return self._own(self.L.T.tocsc())

    @property
    def D(self) -> Any:
        """The matrix D of L D L'; the identity for L L'."""
        return sp.eye_array(self.N, dtype=self.dtype) if self.is_ll else self._factor.L_D()[1]

    def get_perm(self) -> NDArray[np.int32]:
        """Returns the permutation p, shape (N,): A[p][:, p] is factorised."""
        return self._factor.P().astype(self.itype, copy=False)

    def get_factor(self, kind: str | None = None, lower: bool | None = None) -> Any:
        """Returns L or L' for kind "LL", or the pair with D for kind "LDL"."""
        kind = _checked_form(kind) or ("LL" if self.is_ll else "LDL")
        lower = self.is_lower if lower is None else lower
        low, *d = (self._factor.L(),) if kind == "LL" else self._factor.L_D()
        low = self._own(low if lower else low.T.tocsc())
        return (low, *d) if d else low

    def solve(
            self, b: Any, system: str = "A", *, refine: int | None = None,
            cancel: CancelToken | None = None) -> Any:
        """Solves a system: A, LDLt, LD, DLt, L, Lt or D. b: shape (N,) or (N, k), dense or sparse.

        All systems but A are without the permutation. A factor L L' has no D: LD is then L, DLt is
        Lt, and D returns a copy of b."""
        if self.is_ll:
            if system == "D":
                return b.copy()
            system = {"LD": "L", "DLt": "Lt"}.get(system, system)
        return self._own(self._factor.solve(b, system, ldl=not self.is_ll, refine=refine, cancel=cancel))

    def copy(self) -> CholeskyFactor:
        """Returns another factor with the same numbers."""
        twin = object.__new__(CholeskyFactor)
        twin.__dict__.update(self.__dict__, _factor=self._factor.copy())
        return twin

    def change_factor(self, kind: str | None = None) -> CholeskyFactor:
        """Changes the form to "LL" or "LDL"; None: to the other one. Returns this object."""
        _checked_form(kind)
        self._factor._core()  # raises UsageError if there is only an analysis
        self.is_ll = not self.is_ll if kind is None else kind == "LL"
        return self

    def logdet(self) -> Any:
        """Returns ln det A."""
        return self.dtype.type(self._factor.logdet())

    def slogdet(self) -> tuple[Any, Any]:
        """Returns (1, ln det A)."""
        return (self.dtype.type(1.0), self.logdet())

    def det(self) -> Any:
        """Returns det A."""
        return self.dtype.type(self._factor.det())

    def inv(self) -> Any:
        """Returns A^-1, sparse."""
        return self._own(self._factor.inv())

    def _missing(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Not supported: raises NotImplementedError."""
        raise NotImplementedError("low-rank updates are not supported: factorise the new matrix")

    update = downdate = rowadd = rowdel = resymbol = _missing


def register() -> None:
    """Makes ``import sksparse.cholmod`` import this module from now on, in this process, for
    programs that import scikit-sparse 0.5. SciPy and most others import 0.4:
    :func:`kauri.cholmod.register`."""
    _alias.register(sys.modules[__name__], "0.5.0")


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


def etree(A: Matrix, *, kind: str | None = None, return_post: bool = False) -> Any:
    """Returns the elimination tree of A without a permutation: parents, shape (n,), -1 for roots;
    with return_post it returns (parents, postorder)."""
    parent = symbfact(A, kind=kind)
    return (parent[2], parent[3]) if return_post else parent[2]


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
    itype = _integers(A)
    told = (counts.astype(itype), _height(parent), parent.astype(itype), _postorder(parent).astype(itype))
    if not return_factor:
        return SymbolicCounts(*told)
    low = _pattern_of_l(f, parent, itype)
    return SymbolicCholFactor(*told, _indexed(low if lower else low.T.tocsc(), itype))


def _half(kind, lower=False):
    """Returns (kind, lower) for a kind that may be "lo", which reads the lower half of A; the other
    kinds read the half that ``lower`` selects."""
    kind = _checked_kind(kind)
    return ("sym", True) if kind == "lo" else (kind, lower)


def _analysed(A, kind, lower):
    kind, lower = _half(kind, lower)
    f = CholeskyFactor(A, lower=lower, order=None, sym_kind=kind)
    return f.factor_


def _height(parent):
    height = np.ones(len(parent), np.int64)
    for j, above in enumerate(parent):  # children come before their parents
        if above >= 0:
            height[above] = max(height[above], height[j] + 1)
    return int(height.max(initial=0))


def _postorder(parent):
    children = [[] for _ in parent]
    roots = []
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


def _pattern_of_l(f, parent, itype):
    indptr, indices = f.pattern()
    rows = [set(indices[indptr[j] : indptr[j + 1]].tolist()) for j in range(f.n)]
    for j, above in enumerate(parent):
        if above >= 0:
            rows[above] |= {i for i in rows[j] if i > j}
    lengths = np.array([0] + [len(r) for r in rows]).cumsum()
    index = np.array([i for r in rows for i in sorted(r)], dtype=itype)
    return sp.csc_array((np.ones(lengths[-1], np.bool_), index, lengths), shape=f.shape)


def metis(A: Matrix, *, kind: str | None = None) -> NDArray[np.int32]:
    """Returns the permutation of A by METIS, shape (n,)."""
    kind, lower = _half(kind)
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

    def __repr__(self):
        return f"SeparatorTree(components={len(self.cp)}, nodes={len(self.cmember)})"

    def prune(self, *, nd_oksep: Any = None, nd_small: Any = None) -> Any:
        """Not supported: raises NotImplementedError."""
        raise NotImplementedError("give nesdis another nd_small")


def _separators(A, kind, leaf):
    kind, lower = _half(kind)
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
