# MixedFactor: what cholesky_mixed() returns.
# SPDX-License-Identifier: BSD-3-Clause
import json
import warnings

import numpy as np
import scipy.sparse as sp

from . import _core, _device, _matrix, _options
from ._errors import InputError, UsageError
from ._filled import Filled


class MixedFactor(Filled):
    """A factor in float32 for systems A x = b in float64, with solutions as good as those that refinement leaves.

    Each solution is improved by refinement; where that does not converge, by conjugate gradients with the factor as preconditioner; else,
    or where A is too ill-conditioned for a factor in float32, by a factor in float64, which is made when it is needed. One call at a time:
    others wait.

    >>> import numpy as np, scipy.sparse as sp, kauri
    >>> f = kauri.cholesky_mixed(sp.diags_array([2.0, 4.0]))
    >>> f(np.ones(2))
    array([0.5 , 0.25])
    >>> f.report()["mixed"]["unconverged"]
    0
    """

    def __init__(self, symbolic, triangle="auto", symmetry=0):
        self._symbolic = symbolic
        self._triangle = triangle
        self._symmetry = symmetry
        self._dtype = np.dtype(np.float64)
        self._mixed = _core.mixed(symbolic)

    @property
    def valid(self):
        """True where it holds numbers."""
        return self._mixed.valid

    @property
    def in_double(self):
        """True where solutions come from a factor in float64, since the one in float32 would not do."""
        return self._mixed.in_double()

    def __repr__(self):
        return f"<kauri.MixedFactor of a {self.n} x {self.n} matrix, {self.nnz} entries of L{'' if self.valid else ', not valid'}>"

    def refactorize(self, A, beta=0, *, cancel=None):
        """Factorises A + beta I anew. A: shape (n, n), with entries other than 0 in the pattern analysed alone."""
        a = _matrix.to_core(A, np.float64, self._triangle, self._symmetry)
        return self._fill(self._mixed.refactorize, a, float(beta), cancel)

    def refactorize_values(self, values, beta=0, *, cancel=None):
        """The same with the values of the lower half alone, shape (nnz,), in the order of :meth:`pattern`; on a device with beta = 0."""
        there = self._there(values)
        if there is None:
            return self._fill(self._mixed.refactorize_values, self._values(values), float(beta), cancel)
        if beta:
            raise UsageError("beta with values on a device: add it to those of the diagonal")
        copy, address, stream = there  # the copy lives as long as the call
        return self._fill(self._mixed.refactorize_there, address, copy.shape[0], stream, cancel)

    def solve(self, b, *, cancel=None):
        """x with A x = b. b: shape (n,) or (n, k), dense; on a device it stays there. x: the same kind of array, in float64.

        Columns that did not converge are told by a RuntimeWarning. Raises NotPositiveDefiniteError where only a factor in float64 finds
        that out; then this one is not valid any more.
        """
        if not self.valid:
            raise UsageError("the factor holds no numbers: call refactorize(A) first")
        if sp.issparse(b):
            raise UsageError("b is sparse: expected a dense array")
        if _device.is_foreign(b):
            if _device.on_cuda(b):

                def solve(right, x, stream, _):
                    self._told(5, self._mixed.solve_there, right, x, stream, cancel)

                return _device.solve_there(self, self._symbolic, b, solve)
            return _device.like(self._solve(_device.to_host(b), cancel), b)
        return self._solve(np.asarray(_matrix.unmasked(b)), cancel)

    def _solve(self, b, cancel):
        b = self._checked(b)
        x = np.empty(b.shape, b.dtype, "F" if b.ndim == 2 and b.strides[0] == b.itemsize else "C")
        self._told(4, self._mixed.solve, b, x, cancel)
        return x

    def _told(self, frames, solve, *args):
        """frames: to the caller of solve()."""
        unconverged = self._fill(solve, *args)
        if unconverged:
            warnings.warn(f"{unconverged} columns did not converge: see report()['mixed']", RuntimeWarning, stacklevel=frames)

    __call__ = solve

    def report(self):
        """What the phases took, and by which way solutions came, as a dict: see docs/json.md, "Reports"."""
        return json.loads(self._mixed.report())

    def __getstate__(self):
        values = self._mixed.values()
        if self.valid and len(values) != self._symbolic.nnz:
            raise UsageError("pickle: the values came from a device and are not here")
        s = self._symbolic
        return {"format": 2, "triangle": self._triangle, "symmetry": self._symmetry, "given": s.given, "saved": s.saved(),
                "values": values if self.valid else None}

    def __setstate__(self, state):
        if state["format"] > 2:
            raise InputError(f"a pickle of format {state['format']}, of a newer kauri: this one reads formats up to 2")
        symbolic = _core.restore_symbolic(_options.loadable(state["given"]), 4, state["saved"])
        self.__init__(symbolic, state["triangle"], state.get("symmetry", 0))
        if state["values"] is not None:
            self.refactorize_values(state["values"])
