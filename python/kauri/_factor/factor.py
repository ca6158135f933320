# Factor: the result of analyze() and cholesky().
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import json
from os import PathLike
from typing import Any, NoReturn

import numpy as np

from .. import _core, _options
from .._arrays import matrix
from .._arrays.protocols import Matrix
from .._core import CancelToken
from .._errors import InputError
from .parts import Parts

_FORMAT = 2  # version of the pickles


class Factor(Parts):
    """A Cholesky factor with its analysis: ``P A P' = L L' = L D L'``.

    :func:`kauri.cholesky` makes a Factor with numbers, :func:`kauri.analyze` one without. ``A`` has
    n rows. Several threads may solve at once; a solve releases the interpreter's lock.

    >>> import numpy as np, scipy.sparse as sp, kauri
    >>> A = sp.csc_matrix([[4.0, 1.0, 0.0], [1.0, 3.0, 0.0], [0.0, 0.0, 2.0]])
    >>> f = kauri.cholesky(A)
    >>> np.allclose(A @ f(np.array([1.0, 2.0, 3.0])), [1, 2, 3])
    True
    """

    def __repr__(self) -> str:
        state = "factorised" if self.valid else "analysed"
        return f"<kauri.Factor of a {self.n} x {self.n} matrix, {self.dtype}, {self.nnz} entries of L, {state}>"

    def _twin(self) -> Factor:
        return Factor(self._symbolic, natural=self._natural, triangle=self._triangle, symmetry=self._symmetry, array=self._array,
                      rounds=self._rounds)

    # Factorisations.

    def cholesky_inplace(
            self, A: Matrix, beta: float = 0, *, cancel: CancelToken | None = None) -> None:
        """Factorises A + beta I with this analysis. A has the shape (n, n).

        All entries of A other than 0 must lie in the pattern that was analysed. DtypeError is
        raised if A has more digits than the factor, as float64 for a factor of float32, unless the
        factor was made with ``dtype=``. NotPositiveDefiniteError is raised if A + beta I is not
        positive definite. After any exception, fill the factor again before you solve."""
        a = matrix.to_core(A, self._dtype, self._triangle, self._symmetry, rounds=self._rounds)
        return self._fill(self._make().refactorize, a, float(beta), cancel)

    refactorize = cholesky_inplace

    def refactorize_values(
            self, values: Any, beta: float = 0, *, cancel: CancelToken | None = None) -> None:
        """Factorises A + beta I, given only the values of the lower half of A.

        Values have the shape (nnz,), in the order of :meth:`pattern`. Values on a CUDA device, of
        CuPy, PyTorch or JAX, need a factor on that device. The factor keeps a copy of them on the
        device; they are copied to the host only for copy(), pickles, condition(), and refinement of
        b on the host."""
        core, there = self._make(), self._there(values)
        if there is None:
            return self._fill(core.refactorize_values, self._values(values), float(beta), cancel)
        return self._fill(core.refactorize_there, *there, self._symbolic.nnz, float(beta), cancel)

    def cholesky_AAt_inplace(
            self, A: Matrix, beta: float = 0, *, cancel: CancelToken | None = None) -> None:
        """Factorises A A' + beta I with this analysis. A has the shape (n, k)."""
        a = matrix.to_core(matrix.product(A, self._dtype, self._rounds), self._dtype, "lower")
        return self._fill(self._make().refactorize, a, float(beta), cancel)

    def cholesky(self, A: Matrix, beta: float = 0, *, cancel: CancelToken | None = None) -> Factor:
        """Returns a new Factor of A + beta I with this analysis. This factor does not change."""
        twin = self._twin()
        twin.cholesky_inplace(A, beta, cancel=cancel)
        return twin

    def cholesky_AAt(
            self, A: Matrix, beta: float = 0, *, cancel: CancelToken | None = None) -> Factor:
        """Returns a new Factor of A A' + beta I with this analysis."""
        twin = self._twin()
        twin.cholesky_AAt_inplace(A, beta, cancel=cancel)
        return twin

    def copy(self) -> Factor:
        """Returns a Factor with the same numbers, which you may refactorise independently."""
        twin = self._twin()
        if self.valid:
            values = self._numbers.values()
            if len(values) != self._symbolic.nnz:
                twin.__setstate__(self.__getstate__())
            else:
                twin.refactorize_values(values)
        return twin

    __copy__ = copy

    def update_inplace(self, C: Matrix, subtract: bool = False) -> NoReturn:
        """Not supported: raises NotImplementedError. Factorise A + C C' instead."""
        raise NotImplementedError("low-rank updates are not supported: factorise A + C C' by cholesky_inplace()")

    # Reports, files and pickles.

    def report(self) -> dict[str, Any]:
        """Returns times of the phases and the choices made, as a dict: see docs/json.md, "Reports".
        For an analysis alone, no memory for numbers is allocated."""
        return json.loads((self._symbolic if self._numbers is None else self._numbers).report())

    def save(self, path: str | PathLike[str]) -> None:
        """Writes L and the analysis, or the analysis alone, for kauri.load(): see
        docs/saved-files.md. The file does not hold the values of A."""
        if self.valid:
            self._numbers.save(_options.path(path))
        else:
            _core.save_symbolic(self._symbolic, _options.path(path))

    def __getstate__(self) -> dict[str, Any]:
        state = {name: getattr(self, name) for name in ("_natural", "_triangle", "_array", "_dtype")}
        state.update(format=_FORMAT, symmetry=self._symmetry, rounds=self._rounds)
        s = self._symbolic
        state.update(given=s.given)
        if self.valid:
            saved, values = self._of_one_filling(lambda: (self._numbers.saved(), self._numbers.values()))
            state.update(saved=saved, values=values)
        else:
            state.update(saved=s.saved(), values=None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        if state.get("format", 1) > _FORMAT:
            raise InputError(f"a pickle of format {state['format']}, of a newer kauri: this one reads formats up to {_FORMAT}")
        for name in ("_natural", "_triangle", "_array", "_dtype"):
            setattr(self, name, state[name])
        self._symmetry, self._rounds = state.get("symmetry", 0), state.get("rounds", False)
        self._numbers = self._diagonal = None
        given = _options.loadable(state["given"])
        if state["values"] is None:
            self._symbolic = _core.restore_symbolic(given, self._dtype.itemsize, state["saved"])
            return
        restore = _core.restore_f32 if self._dtype == np.float32 else _core.restore_f64
        self._numbers = restore(given, state["saved"], state["values"])
        self._symbolic = self._numbers.symbolic
