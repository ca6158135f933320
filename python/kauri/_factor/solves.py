# Solves: the methods of a Factor that solve systems, permute, and multiply by L.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .._arrays import calls, cuda, dtypes, protocols
from .._core import CancelToken
from .._errors import UsageError
from . import fill_of_inverse
from .numbers import Numbers

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike
    from scipy.sparse.linalg import LinearOperator

_SYSTEMS = ("A", "LDLt", "LD", "DLt", "L", "Lt", "D", "P", "Pt")


class Solves(Numbers):
    """Methods of :class:`kauri.Factor` that take right-hand sides."""

    def solve(
            self, b: Any, system: str = "A", *, ldl: bool = False, refine: int | None = None,
            cancel: CancelToken | None = None) -> Any:
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

    def _foreign(
            self, core: Any, system: str, ldl: bool, b: Any, steps: int,
            cancel: CancelToken | None) -> Any:
        if not cuda.on_cuda(b):
            return protocols.like(self._part(core, system, ldl, protocols.to_host(b), steps, cancel), b)
        if ldl or system not in ("A", "LDLt", "L", "Lt", "P", "Pt"):
            raise UsageError(f"system {system} on a device: expected A, LDLt, L, Lt (of L L'), P or Pt")
        inner = "B" if system == "LDLt" else system
        steps = self._symbolic.refine_steps if steps < 0 else steps

        def solve(
                right: cuda.View, x: cuda.View, stream: int | None,
                meanwhile: Callable[[], None] | None) -> None:
            if not self._natural or system == "A":
                core.solve_there(inner, right, x, steps, stream, meanwhile, cancel)
                return
            # The caller sees the numbering of A: permute to that of the plan, solve, permute back.
            for step in ("P", "Pt") if system in ("P", "Pt") else ("P", inner, "Pt"):
                core.solve_there(step, right, x, 0, stream, None, cancel)
                right = x

        return calls.solve_there(self, self._symbolic, b, solve)

    def _dense(
            self, core: Any, system: str, b: NDArray[Any], steps: int = 0,
            cancel: CancelToken | None = None, before: int = 0) -> NDArray[Any]:
        """Solves with b on the host. before: columns of the caller's b that earlier calls solved.
        """
        b = self._checked(b)
        x = np.empty(b.shape, b.dtype, "F" if b.ndim == 2 and b.strides[0] == b.itemsize else "C")
        core.solve(system, b, x, steps, cancel, before)
        return x

    def _triangular(
            self, core: Any, system: str, b: NDArray[Any], cancel: CancelToken | None,
            before: int) -> NDArray[Any]:
        """Solves the systems B, L and Lt of the extension module in the numbering that the caller
        sees."""
        if not self._natural:
            return self._dense(core, system, b, 0, cancel, before)
        then = max(before, 1)  # the report keeps the status that the first call found for b
        inner = self._dense(core, system, self._dense(core, "P", b, 0, cancel, before), 0, cancel, then)
        return self._dense(core, "Pt", inner, 0, cancel, then)

    def _part(
            self, core: Any, system: str, ldl: bool, b: NDArray[Any], steps: int,
            cancel: CancelToken | None, before: int = 0) -> NDArray[Any]:
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

    def _sparse(
            self, system: str, ldl: bool, b: Any, steps: int, cancel: CancelToken | None) -> Any:
        calls.require_rows(b, self.n)
        kind, one, b = b.dtype, b.ndim == 1, dtypes.widened(b)
        b = sp.csc_array(b.reshape((-1, 1)) if one else b)
        self._require_fit(kind, b.data)
        if system in ("A", "LDLt"):
            fill_of_inverse.require_room(b.shape[0], b.shape[1], self._dtype.itemsize, lambda: self._entries_of_solution(system, b))
        blocks = [sp.csc_array(self._part(self._numbers, system, ldl, b[:, k : k + fill_of_inverse.BLOCK].toarray(order="F"), steps, cancel, k))
                  for k in range(0, b.shape[1], fill_of_inverse.BLOCK)]
        x = sp.hstack(blocks, format="csc") if blocks else sp.csc_array(b.shape, dtype=self._dtype)
        return sp.coo_array(x.reshape((-1,))) if one else self._as_sparse(x)

    def _entries_of_solution(self, system: str, b: sp.csc_array) -> int:
        order = self._symbolic.perm() if system == "A" or self._natural else np.arange(self.n)
        return fill_of_inverse.entries_of_solution(self._symbolic.parent(), order, b)

    def _as_sparse(self, x: Any) -> sp.csc_array | sp.csc_matrix:
        return sp.csc_array(x) if self._array else sp.csc_matrix(x)

    def __call__(
            self, b: Any, *, refine: int | None = None, cancel: CancelToken | None = None) -> Any:
        """Returns solve(b)."""
        return self.solve(b, refine=refine, cancel=cancel)

    def solve_A(self, b: Any) -> Any:
        """Solves A x = b. b and x: shape (n,) or (n, k)."""
        return self.solve(b)

    def solve_LDLt(self, b: Any) -> Any:
        """Solves L D L' x = b, which is A x = b without the permutation."""
        return self.solve(b, "LDLt")

    def solve_LD(self, b: Any) -> Any:
        """Solves L D x = b."""
        return self.solve(b, "LD")

    def solve_DLt(self, b: Any) -> Any:
        """Solves D L' x = b."""
        return self.solve(b, "DLt")

    def solve_L(self, b: Any, use_LDLt_decomposition: bool = True) -> Any:
        """Solves L x = b with the L of L D L', or of L L' if ``use_LDLt_decomposition`` is False.
        """
        return self.solve(b, "L", ldl=use_LDLt_decomposition)

    def solve_Lt(self, b: Any, use_LDLt_decomposition: bool = True) -> Any:
        """Solves L' x = b with the L of L D L', or of L L' if ``use_LDLt_decomposition`` is False.
        """
        return self.solve(b, "Lt", ldl=use_LDLt_decomposition)

    def solve_D(self, b: Any) -> Any:
        """Solves D x = b."""
        return self.solve(b, "D")

    def apply_P(self, b: Any) -> Any:
        """Returns P b."""
        return self.solve(b, "P")

    def apply_Pt(self, b: Any) -> Any:
        """Returns P' b."""
        return self.solve(b, "Pt")

    def multiply(
            self, b: Any, system: str = "L", *, cancel: CancelToken | None = None) -> NDArray[Any]:
        """Returns L b, or L' b for system "Lt", with the L of L L'. If z holds independent standard
        normal deviates, ``f.apply_Pt(f.multiply(z))`` has the covariance A."""
        if system not in ("L", "Lt"):
            raise UsageError(f"system {system!r}: expected L or Lt")
        core = self._core()
        b = self._checked(np.asarray(dtypes.unmasked(b)))

        def product() -> NDArray[Any]:
            inner = self._dense(core, "P", b) if self._natural else b
            x = np.empty_like(inner)
            core.multiply(system, inner, x, cancel)
            return self._dense(core, "Pt", x) if self._natural else x

        return self._of_one_filling(product)

    def as_linear_operator(self, *, rounds: bool = False) -> LinearOperator:
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

        def solve(b: ArrayLike) -> NDArray[Any]:
            b = np.asarray(b)
            return self.solve(b.astype(self._dtype, copy=False) if rounds and (b.dtype.kind in "iu" or b.dtype == np.float64) else b)

        return LinearOperator(self.shape, matvec=solve, rmatvec=solve, matmat=solve, rmatmat=solve, dtype=self._dtype)
