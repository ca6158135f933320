# Factor: the result of analyze() and cholesky().
# SPDX-License-Identifier: BSD-3-Clause
import functools
import json

import numpy as np
import scipy.sparse as sp

from . import _core, _fill_of_inverse, _options
from ._arrays import calls, cuda, dtypes, matrix, protocols
from ._errors import InputError, UsageError
from ._filled import Filled
from ._structure import Structure

_FORMAT = 2  # version of the pickles
_TRIES = 200  # most repetitions in _of_one_filling()


class Factor(Filled, Structure):
    """A Cholesky factor with its analysis: ``P A P' = L L' = L D L'``.

    :func:`kauri.cholesky` makes a Factor with numbers, :func:`kauri.analyze` one without. ``A`` has
    n rows. Several threads may solve at once; a solve releases the interpreter's lock.

    >>> import numpy as np, scipy.sparse as sp, kauri
    >>> A = sp.csc_matrix([[4.0, 1.0, 0.0], [1.0, 3.0, 0.0], [0.0, 0.0, 2.0]])
    >>> f = kauri.cholesky(A)
    >>> np.allclose(A @ f(np.array([1.0, 2.0, 3.0])), [1, 2, 3])
    True
    """

    def __init__(self, symbolic, *, natural=False, triangle="auto", symmetry=0, array=False, rounds=False):
        self._symbolic = symbolic
        self._numbers = None
        self._natural = natural  # P is the identity for the caller; the plan's is a postorder
        self._triangle = triangle
        self._symmetry = symmetry
        self._array = array  # returns sparse arrays, else sparse matrices
        self._rounds = rounds
        self._diagonal = None  # or (fillings, diagonal of L), valid while `fillings` is the core's
        self._dtype = np.dtype(np.float32 if symbolic.scalar_bytes == 4 else np.float64)

    # State.

    @property
    def valid(self):
        """True if the last factorisation succeeded, so that the factor holds numbers."""
        return self._numbers is not None and self._numbers.valid

    def __repr__(self):
        state = "factorised" if self.valid else "analysed"
        return f"<kauri.Factor of a {self.n} x {self.n} matrix, {self.dtype}, {self.nnz} entries of L, {state}>"

    def _core(self):
        if not self.valid:
            raise UsageError("the factor holds no numbers: call cholesky_inplace(A) first")
        return self._numbers

    def _of_one_filling(self, calls):
        """Returns calls(), with all of its results from one filling of the factor. Repeats it if
        another thread filled the factor meanwhile."""
        core = self._core()
        for _ in range(_TRIES):
            fillings = core.fillings
            result = calls()
            if core.fillings == fillings:
                return result
        raise UsageError("other threads refactorised the factor during each attempt of this call, which takes several solves; call it while they do not")

    def _make(self):
        if self._numbers is None:
            self._numbers = (_core.factor_f32 if self._dtype == np.float32 else _core.factor_f64)(self._symbolic)
        return self._numbers

    def _twin(self):
        return Factor(self._symbolic, natural=self._natural, triangle=self._triangle, symmetry=self._symmetry, array=self._array,
                      rounds=self._rounds)

    # Factorisations.

    def cholesky_inplace(self, A, beta=0, *, cancel=None):
        """Factorises A + beta I with this analysis. A has the shape (n, n).

        All entries of A other than 0 must lie in the pattern that was analysed. DtypeError is
        raised if A has more digits than the factor, as float64 for a factor of float32, unless the
        factor was made with ``dtype=``. NotPositiveDefiniteError is raised if A + beta I is not
        positive definite. After any exception, fill the factor again before you solve."""
        a = matrix.to_core(A, self._dtype, self._triangle, self._symmetry, rounds=self._rounds)
        return self._fill(self._make().refactorize, a, float(beta), cancel)

    refactorize = cholesky_inplace

    def refactorize_values(self, values, beta=0, *, cancel=None):
        """Factorises A + beta I, given only the values of the lower half of A.

        Values have the shape (nnz,), in the order of :meth:`pattern`. Values on a CUDA device, of
        CuPy, PyTorch or JAX, need a factor on that device. The factor keeps a copy of them on the
        device; they are copied to the host only for copy(), pickles, condition(), and refinement of
        b on the host."""
        core, there = self._make(), self._there(values)
        if there is None:
            return self._fill(core.refactorize_values, self._values(values), float(beta), cancel)
        return self._fill(core.refactorize_there, *there, self._symbolic.nnz, float(beta), cancel)

    def cholesky_AAt_inplace(self, A, beta=0, *, cancel=None):
        """Factorises A A' + beta I with this analysis. A has the shape (n, k)."""
        a = matrix.to_core(matrix.product(A, self._dtype, self._rounds), self._dtype, "lower")
        return self._fill(self._make().refactorize, a, float(beta), cancel)

    def cholesky(self, A, beta=0, *, cancel=None):
        """Returns a new Factor of A + beta I with this analysis. This factor does not change."""
        twin = self._twin()
        twin.cholesky_inplace(A, beta, cancel=cancel)
        return twin

    def cholesky_AAt(self, A, beta=0, *, cancel=None):
        """Returns a new Factor of A A' + beta I with this analysis."""
        twin = self._twin()
        twin.cholesky_AAt_inplace(A, beta, cancel=cancel)
        return twin

    def copy(self):
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

    def update_inplace(self, C, subtract=False):
        """Not supported: raises NotImplementedError. Factorise A + C C' instead."""
        raise NotImplementedError("low-rank updates are not supported: factorise A + C C' by cholesky_inplace()")

    # Solves.

    def solve(self, b, system="A", *, ldl=False, refine=None, cancel=None):
        """Solves a system with the factor.

        Parameters
        ----------
        b : array or sparse matrix, shape (n,) or (n, k)
            An array of NumPy, of SciPy, or of any library that supports DLPack. An array on a CUDA
            device stays there if the factor is on that device.
        system : str
            ``A``: A x = b; ``LDLt``: L D L' x = b; ``L``: L x = b; ``Lt``: L' x = b; ``LD``: L D x
            = b; ``DLt``: D L' x = b; ``D``: D x = b; ``P``: x = P b; ``Pt``: x = P' b. In systems
            with D, L has ones on its diagonal.
        ldl : bool
            True: ``L`` and ``Lt`` use the L with ones on its diagonal.
        refine : int, optional
            Most corrections by iterative refinement, for system A. They are computed where b is, on
            the host or on the device. None: ``refine_max_steps`` of the analysis, which is 0 by
            default. Without refinement no error of x is measured: ``report()["status"]`` is then
            ``none``, or ``not_finite`` if x is on the host and is not finite. ``none`` says nothing
            about x: a loaded factor, for example, may be the factor of other values.
            :func:`kauri.backward_error` checks any x.
        cancel : CancelToken, optional

        Returns
        -------
        x : the same kind of array as b, of the same shape, in the factor's dtype

        Raises
        ------
        DtypeError
            The factor is of float32, and b is of float64, which includes lists of Python's floats,
            or holds integers beyond 2^24: x would silently have fewer digits than b. Other integers
            and float16 are accepted.
        OutOfMemoryError
            b is sparse, and x would take more memory than is available: see :meth:`inverse_bytes`.

        Examples
        --------
        >>> import numpy as np, scipy.sparse as sp, kauri
        >>> f = kauri.cholesky(sp.csc_matrix([[4.0, 2.0], [2.0, 5.0]]), ordering_method="natural")
        >>> f.solve(np.array([2.0, 5.0]), system="L")
        array([1., 2.])
        """
        core = self._core()
        steps = -1 if refine is None else int(refine)
        if refine is not None and steps < 0:
            raise UsageError(f"refine={refine}: expected corrections, 0 or more")
        if system == "A" and type(b) is np.ndarray:  # fast path of the most frequent call
            return self._dense(core, "A", b, steps, cancel)
        if system not in _SYSTEMS:
            raise UsageError(f"system {system!r}: expected one of {', '.join(_SYSTEMS)}")
        if sp.issparse(b):
            return self._of_one_filling(lambda: self._sparse(system, ldl, b, steps, cancel))
        if protocols.is_foreign(b):
            part = functools.partial(self._foreign, core, system, ldl, b, steps, cancel)
        else:
            part = functools.partial(self._part, core, system, ldl, np.asarray(dtypes.unmasked(b)), steps, cancel)
        return part() if system in ("A", "P", "Pt") else self._of_one_filling(part)

    def _foreign(self, core, system, ldl, b, steps, cancel):
        if not cuda.on_cuda(b):
            return protocols.like(self._part(core, system, ldl, protocols.to_host(b), steps, cancel), b)
        if ldl or system not in ("A", "LDLt", "L", "Lt", "P", "Pt"):
            raise UsageError(f"system {system} on a device: expected A, LDLt, L, Lt (of L L'), P or Pt")
        inner = "B" if system == "LDLt" else system
        steps = self._symbolic.refine_steps if steps < 0 else steps

        def solve(right, x, stream, meanwhile):
            if not self._natural or system == "A":
                core.solve_there(inner, right, x, steps, stream, meanwhile, cancel)
                return
            # The caller sees the numbering of A: permute to that of the plan, solve, permute back.
            for step in ("P", "Pt") if system in ("P", "Pt") else ("P", inner, "Pt"):
                core.solve_there(step, right, x, 0, stream, None, cancel)
                right = x

        return calls.solve_there(self, self._symbolic, b, solve)

    def _dense(self, core, system, b, steps=0, cancel=None, before=0):
        """Solves with b on the host. before: columns of the caller's b that earlier calls solved.
        """
        b = self._checked(b)
        x = np.empty(b.shape, b.dtype, "F" if b.ndim == 2 and b.strides[0] == b.itemsize else "C")
        core.solve(system, b, x, steps, cancel, before)
        return x

    def _triangular(self, core, system, b, cancel, before):
        """Solves the systems B, L and Lt of the extension module in the numbering that the caller
        sees."""
        if not self._natural:
            return self._dense(core, system, b, 0, cancel, before)
        then = max(before, 1)  # the report keeps the status that the first call found for b
        inner = self._dense(core, system, self._dense(core, "P", b, 0, cancel, before), 0, cancel, then)
        return self._dense(core, "Pt", inner, 0, cancel, then)

    def _part(self, core, system, ldl, b, steps, cancel, before=0):
        if system == "A":
            return self._dense(core, "A", b, steps, cancel, before)
        b = self._checked(b)
        if system in ("P", "Pt"):
            return b.copy() if self._natural else self._dense(core, system, b, 0, cancel, before)
        if system == "LDLt":
            return self._triangular(core, "B", b, cancel, before)
        d = self._lower_diagonal()
        d = d if b.ndim == 1 else d[:, None]
        if system == "D":
            return b / d**2
        if system in ("L", "LD"):
            x = self._triangular(core, "L", b, cancel, before)
            return x / d if system == "LD" else x * d if ldl else x
        return self._triangular(core, "Lt", b / d if system == "DLt" else b * d if ldl else b, cancel, before)

    def _sparse(self, system, ldl, b, steps, cancel):
        calls.require_rows(b, self.n)
        kind, one, b = b.dtype, b.ndim == 1, dtypes.widened(b)
        b = sp.csc_array(b.reshape((-1, 1)) if one else b)
        self._require_fit(kind, b.data)
        if system in ("A", "LDLt"):
            _fill_of_inverse.require_room(*b.shape, self._dtype.itemsize, lambda: self._entries_of_solution(system, b))
        blocks = [sp.csc_array(self._part(self._numbers, system, ldl, b[:, k : k + _fill_of_inverse.BLOCK].toarray(order="F"), steps, cancel, k))
                  for k in range(0, b.shape[1], _fill_of_inverse.BLOCK)]
        x = sp.hstack(blocks, format="csc") if blocks else sp.csc_array(b.shape, dtype=self._dtype)
        return sp.coo_array(x.reshape((-1,))) if one else self._as_sparse(x)

    def _entries_of_solution(self, system, b):
        order = self._symbolic.perm() if system == "A" or self._natural else np.arange(self.n)
        return _fill_of_inverse.entries_of_solution(self._symbolic.parent(), order, b)

    def _as_sparse(self, x):
        return sp.csc_array(x) if self._array else sp.csc_matrix(x)

    def __call__(self, b, *, refine=None, cancel=None):
        """Returns solve(b)."""
        return self.solve(b, refine=refine, cancel=cancel)

    def solve_A(self, b):
        """Solves A x = b. b and x: shape (n,) or (n, k)."""
        return self.solve(b)

    def solve_LDLt(self, b):
        """Solves L D L' x = b, which is A x = b without the permutation."""
        return self.solve(b, "LDLt")

    def solve_LD(self, b):
        """Solves L D x = b."""
        return self.solve(b, "LD")

    def solve_DLt(self, b):
        """Solves D L' x = b."""
        return self.solve(b, "DLt")

    def solve_L(self, b, use_LDLt_decomposition=True):
        """Solves L x = b with the L of L D L', or of L L' if ``use_LDLt_decomposition`` is False.
        """
        return self.solve(b, "L", ldl=use_LDLt_decomposition)

    def solve_Lt(self, b, use_LDLt_decomposition=True):
        """Solves L' x = b with the L of L D L', or of L L' if ``use_LDLt_decomposition`` is False.
        """
        return self.solve(b, "Lt", ldl=use_LDLt_decomposition)

    def solve_D(self, b):
        """Solves D x = b."""
        return self.solve(b, "D")

    def apply_P(self, b):
        """Returns P b."""
        return self.solve(b, "P")

    def apply_Pt(self, b):
        """Returns P' b."""
        return self.solve(b, "Pt")

    def multiply(self, b, system="L", *, cancel=None):
        """Returns L b, or L' b for system "Lt", with the L of L L'. If z holds independent standard
        normal deviates, ``f.apply_Pt(f.multiply(z))`` has the covariance A."""
        if system not in ("L", "Lt"):
            raise UsageError(f"system {system!r}: expected L or Lt")
        core = self._core()
        b = self._checked(np.asarray(dtypes.unmasked(b)))

        def product():
            inner = self._dense(core, "P", b) if self._natural else b
            x = np.empty_like(inner)
            core.multiply(system, inner, x, cancel)
            return self._dense(core, "Pt", x) if self._natural else x

        return self._of_one_filling(product)

    # Parts of the factor.

    def P(self):
        """Returns the permutation, shape (n,): ``A[P[:, None], P[None, :]]`` is L L'."""
        return np.arange(self.n, dtype=np.int32) if self._natural else self._symbolic.perm()

    def _lower_diagonal(self):
        core, kept = self._core(), self._diagonal
        fillings = core.fillings
        if kept is None or kept[0] != fillings:
            d = core.diagonal()
            if self._natural:
                back = np.empty_like(d)
                back[self._symbolic.perm()] = d
                d = back
            kept = fillings, d
            if core.fillings == fillings:
                self._diagonal = kept
        return kept[1]

    def _lower(self):
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

    def L(self):
        """Returns L of L L' = P A P', sparse by columns, shape (n, n)."""
        return self._as_sparse(self._lower())

    def LD(self):
        """Returns L and D of L D L' = P A P' in one sparse matrix: D on its diagonal, L below."""
        low, d = self._of_one_filling(lambda: (self._lower(), self._lower_diagonal()))
        unit = sp.csc_array(low @ sp.diags_array(1 / d, dtype=self._dtype))
        unit.setdiag(d * d)
        return self._as_sparse(unit)

    def L_D(self):
        """Returns (L, D) of L D L' = P A P', both sparse, shape (n, n)."""
        low, d = self._of_one_filling(lambda: (self._lower(), self._lower_diagonal()))
        unit = sp.csc_array(low @ sp.diags_array(1 / d, dtype=self._dtype))
        unit.setdiag(np.ones_like(d))
        both = (d * d)[None, :]
        diagonal = sp.dia_array((both, [0]), shape=self.shape) if self._array else sp.dia_matrix((both, [0]), shape=self.shape)
        return self._as_sparse(unit), diagonal

    def D(self):
        """Returns the diagonal of D of L D L', shape (n,)."""
        return self._lower_diagonal() ** 2

    def logdet(self):
        """Returns ln det A."""
        return self._core().log_determinant()

    def slogdet(self):
        """Returns (1.0, ln det A), as numpy.linalg.slogdet does."""
        return (1.0, self.logdet())

    def det(self):
        """Returns det A, the product of the pivots, with some digits less than A has. It is inf or
        0 if det A is out of range: use logdet() then.

        >>> import scipy.sparse as sp, kauri
        >>> kauri.cholesky(2.0 * sp.eye_array(10, format="csc")).det()
        1024.0
        """
        return self._core().determinant()

    def inverse_bytes(self):
        """Returns the bytes of memory that inv() takes at its peak, for connected A those of some 2
        n^2 entries. The factor need not hold numbers.

        >>> import scipy.sparse as sp, kauri
        >>> A = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(100_000, 100_000), format="csc")
        >>> kauri.analyze(A).inverse_bytes() > 200e9
        True
        """
        entries = _fill_of_inverse.entries_of_inverse(self._symbolic.parent())
        return _fill_of_inverse.bytes_of(entries, self.n, self.n, self._dtype.itemsize)

    def inv(self):
        """Returns A^-1 as a sparse matrix, which has all n^2 entries if A is connected. If
        inverse_bytes() are not available, raises OutOfMemoryError before it computes anything. Use
        inverse_diagonal() or inverse_entries() if you need only some of the entries."""
        return self.solve(sp.eye_array(self.n, dtype=self._dtype, format="csc"))

    def inverse_diagonal(self, *, cancel=None):
        """Returns the diagonal of A^-1, shape (n,), for twice the operations of a factorisation."""
        return self._core().inverse(True, cancel)

    def inverse_entries(self, *, cancel=None):
        """Returns A^-1 at the places of A's entries: sparse, both halves, shape (n, n)."""
        values = self._core().inverse(False, cancel)
        indptr, indices = self.pattern()
        low = sp.csc_array((values, indices, indptr), shape=self.shape)
        return self._as_sparse(low + sp.tril(low, -1).T)

    def condition(self, *, cancel=None):
        """Returns an estimate of the condition number of A in the 1-norm, from a few solves."""
        return self._core().condition(cancel)[0]

    def report(self):
        """Returns times of the phases and the choices made, as a dict: see docs/json.md, "Reports".
        For an analysis alone, no memory for numbers is allocated."""
        return json.loads((self._symbolic if self._numbers is None else self._numbers).report())

    def as_linear_operator(self, *, rounds=False):
        """Returns A^-1 as a scipy.sparse.linalg.LinearOperator: a preconditioner, or the inverse
        that ``eigsh`` takes.

        rounds: True: a factor of float32 accepts b of float64 and of any integers, and rounds it to
        float32. This suffices for a preconditioner, but not for an inverse. False: this b raises
        DtypeError, as in :meth:`solve`.

        >>> import numpy as np, scipy.sparse as sp, kauri
        >>> M = kauri.cholesky(2.0 * sp.eye_array(3, format="csc")).as_linear_operator()
        >>> M @ np.ones(3)
        array([0.5, 0.5, 0.5])
        """
        from scipy.sparse.linalg import LinearOperator

        def solve(b):
            b = np.asarray(b)
            return self.solve(b.astype(self._dtype, copy=False) if rounds and (b.dtype.kind in "iu" or b.dtype == np.float64) else b)

        return LinearOperator(self.shape, matvec=solve, rmatvec=solve, matmat=solve, rmatmat=solve, dtype=self._dtype)

    # Files and pickles.

    def save(self, path):
        """Writes L and the analysis, or the analysis alone, for kauri.load(): see
        docs/saved-files.md. The file does not hold the values of A."""
        if self.valid:
            self._numbers.save(_options.path(path))
        else:
            _core.save_symbolic(self._symbolic, _options.path(path))

    def __getstate__(self):
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

    def __setstate__(self, state):
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


_SYSTEMS = ("A", "LDLt", "LD", "DLt", "L", "Lt", "D", "P", "Pt")
