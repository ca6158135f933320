# CholeskyFactor of scikit-sparse 0.5.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .. import _options
from .._arrays import matrix
from .._arrays.protocols import Matrix
from .._core import CancelToken
from .._errors import UsageError
from .._factor import Factor
from .._factor.analyze import MODES, analyze, analyze_AAt
from .indices import checked_form, indexed, integers

_ORDERS = (*_options.ORDERINGS, *_options.METHODS)


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
        if supernodal_mode not in (None, *MODES):
            raise UsageError(f"Unknown factorization mode: supernodal_mode {supernodal_mode!r}, expected None or one of {', '.join(MODES)}")
        self.is_lower = bool(lower)
        self.is_ll = True
        self.sym_kind = self._kind = sym_kind or "sym"
        self._order = "natural" if order is None else order
        self.itype = integers(A)
        mode = supernodal_mode or "auto"
        if self._kind == "sym":
            self._factor = analyze(A, mode, self._order, triangle="lower" if lower else "upper", **options)
        else:
            self._factor = analyze_AAt(self._oriented(A), mode, self._order, **options)
        self._factor._array = True

    def _oriented(self, A: Matrix) -> Any:
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

    def __repr__(self) -> str:
        return (f"CholeskyFactor(N={self.N}, nnz={self.nnz}, is_ll={self.is_ll}, is_super={self.is_super}, itype=np.{self.itype.name}, "
                f"dtype=np.{self.dtype.name}, order={self.order})")

    def __str__(self) -> str:
        form, half = "LL.T" if self.is_ll else "LDL.T", "lower" if self.is_lower else "upper"
        return (f"Cholesky factor {form} of {self.N} rows, {self.nnz} entries, {half} half, {self.dtype.name}, indices {self.itype.name}, "
                f"order {self.order}")

    def _own(self, matrix: Any) -> Any:
        """Returns a sparse result with row numbers of A's type."""
        return indexed(matrix, self.itype)

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
        kind = checked_form(kind) or ("LL" if self.is_ll else "LDL")
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
        checked_form(kind)
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
