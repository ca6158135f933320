# MixedFactor: the result of cholesky_mixed().
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import json
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from .. import _core, _options
from .._arrays import calls, cuda, dtypes, matrix, protocols
from .._arrays.protocols import Matrix
from .._core import CancelToken
from .._errors import InputError, UsageError
from .filled import Filled

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


class MixedFactor(Filled):
    """A factor in float32 for systems A x = b in float64, with solutions as good as refined ones.

    Each solution is improved by refinement. If that does not converge, it is improved by conjugate
    gradients with the factor as preconditioner. If these do not converge either, or if A is too
    ill-conditioned for a factor in float32, a factor in float64 is made and used. With
    ``precision="auto"`` the factor is in float64 from the start, and solutions are refined, where
    that is no slower. One call runs at a time; concurrent calls wait.

    >>> import numpy as np, scipy.sparse as sp, kauri
    >>> f = kauri.cholesky_mixed(sp.diags_array([2.0, 4.0]))
    >>> f(np.ones(2))
    array([0.5 , 0.25])
    >>> f.report()["mixed"]["unconverged"]
    0
    """

    def __init__(self, symbolic: Any, triangle: str = "auto", symmetry: float = 0) -> None:
        self._symbolic = symbolic
        self._triangle = triangle
        self._symmetry = symmetry
        self._dtype = np.dtype(np.float64)
        self._mixed = _core.mixed(symbolic)

    @property
    def valid(self) -> bool:
        """True if the factor holds numbers."""
        return self._mixed.valid

    @property
    def in_double(self) -> bool:
        """True if solutions come from a factor in float64, because the one in float32 does not
        suffice, or because ``precision="auto"`` chose it.
        """
        return self._mixed.in_double()

    def __repr__(self) -> str:
        return f"<kauri.MixedFactor of a {self.n} x {self.n} matrix, {self.nnz} entries of L{'' if self.valid else ', not valid'}>"

    def refactorize(self, A: Matrix, beta: float = 0, *, cancel: CancelToken | None = None) -> None:
        """Factorises A + beta I with this analysis. A has the shape (n, n).

        All entries of A other than 0 must lie in the pattern that was analysed.
        """
        a = matrix.to_core(A, np.float64, self._triangle, self._symmetry)
        return self._fill(self._mixed.refactorize, a, float(beta), cancel)

    def refactorize_values(
            self, values: Any, beta: float = 0, *, cancel: CancelToken | None = None) -> None:
        """Factorises A + beta I, given only the values of the lower half of A.

        Values have the shape (nnz,), in the order of :meth:`pattern`. For values on a device, beta
        must be 0.
        """
        there = self._there(values)
        if there is None:
            return self._fill(self._mixed.refactorize_values, self._values(values), float(beta), cancel)
        if beta:
            raise UsageError("beta cannot be used with values on a device: add it to the values of the diagonal")
        return self._fill(self._mixed.refactorize_there, *there, self._symbolic.nnz, cancel)

    def solve(self, b: Any, *, cancel: CancelToken | None = None) -> Any:
        """Solves A x = b. b is dense, shape (n,) or (n, k); on a device it stays there.

        Returns x as the same kind of array, in float64. A RuntimeWarning gives the number of
        columns that did not converge. NotPositiveDefiniteError is raised if only a factor in
        float64 reveals that A is not positive definite; this factor is then no longer valid.
        """
        if not self.valid:
            raise UsageError("the factor holds no numbers: call refactorize(A) first")
        if sp.issparse(b):
            raise UsageError("b is sparse: expected a dense array")
        if protocols.is_foreign(b):
            if cuda.on_cuda(b):

                def solve(right: cuda.View, x: cuda.View, stream: int | None, _: Any) -> None:
                    self._told(5, self._mixed.solve_there, right, x, stream, cancel)

                return calls.solve_there(self, self._symbolic, b, solve)
            return protocols.like(self._solve(protocols.to_host(b), cancel), b)
        return self._solve(np.asarray(dtypes.unmasked(b)), cancel)

    def _solve(self, b: NDArray[Any], cancel: CancelToken | None) -> NDArray[Any]:
        b = self._checked(b)
        x = np.empty(b.shape, b.dtype, "F" if b.ndim == 2 and b.strides[0] == b.itemsize else "C")
        self._told(4, self._mixed.solve, b, x, cancel)
        return x

    def _told(self, frames: int, solve: Callable[..., Any], *args: Any) -> None:
        """Solves, and warns of columns that did not converge.

        frames: number of stack frames up to the caller of solve().
        """
        unconverged = self._fill(solve, *args)
        if unconverged:
            warnings.warn(f"{unconverged} columns did not converge: see report()['mixed']", RuntimeWarning, stacklevel=frames)

    __call__ = solve

    def report(self) -> dict[str, Any]:
        """Returns the times of the phases and the path by which solutions were found, as a dict.

        See docs/json.md, "Reports".
        """
        return json.loads(self._mixed.report())

    def __getstate__(self) -> dict[str, Any]:
        values: Any = self._mixed.values()
        if self.valid and len(values) != self._symbolic.nnz:
            raise UsageError("pickle: values were given on a device, the host has no copy: refactorize() with values of the host first")
        s = self._symbolic
        return {"format": 2, "triangle": self._triangle, "symmetry": self._symmetry, "given": s.given, "saved": s.saved(),
                "values": values if self.valid else None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if state["format"] > 2:
            raise InputError(f"a pickle of format {state['format']}, of a newer kauri: this one reads formats up to 2")
        given = _options.loadable(state["given"])
        given.append(("precision", dict(state["given"]).get("precision", "mixed")))
        symbolic = _core.restore_mixed(given, state["saved"])
        MixedFactor.__init__(self, symbolic, state["triangle"], state.get("symmetry", 0))
        if state["values"] is not None:
            self.refactorize_values(state["values"])
