# Numbers: the state of a Factor, an analysis and the numbers that fill it.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from .. import _core
from .._errors import UsageError
from .structure import Structure

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

_Result = TypeVar("_Result")

_TRIES = 200  # most repetitions in _of_one_filling()


class Numbers(Structure):
    """Base class of :class:`kauri.Factor`: its analysis and, once it is filled, its numbers."""

    def __init__(
            self, symbolic: Any, *, natural: bool = False, triangle: str = "auto",
            symmetry: float = 0, array: bool = False, rounds: bool = False) -> None:
        self._symbolic = symbolic
        self._numbers: Any = None  # a factor of the extension module, once it is made
        self._natural = natural  # P is the identity for the caller; the plan's is a postorder
        self._triangle = triangle
        self._symmetry = symmetry
        self._array = array  # returns sparse arrays, else sparse matrices
        self._rounds = rounds
        # (fillings, diagonal of L), valid while `fillings` is the core's.
        self._diagonal: tuple[int, NDArray[Any]] | None = None
        self._dtype = np.dtype(np.float32 if symbolic.scalar_bytes == 4 else np.float64)

    @property
    def valid(self) -> bool:
        """True if the last factorisation succeeded, so that the factor holds numbers."""
        return self._numbers is not None and self._numbers.valid

    def _core(self) -> Any:
        if not self.valid:
            raise UsageError("the factor holds no numbers: call cholesky_inplace(A) first")
        return self._numbers

    def _of_one_filling(self, calls: Callable[[], _Result]) -> _Result:
        """Returns calls(), with all of its results from one filling of the factor. Repeats it if
        another thread filled the factor meanwhile."""
        core = self._core()
        for _ in range(_TRIES):
            fillings = core.fillings
            result = calls()
            if core.fillings == fillings:
                return result
        raise UsageError("other threads refactorised the factor during each attempt of this call, which takes several solves; call it while they do not")

    def _make(self) -> Any:
        if self._numbers is None:
            self._numbers = (_core.factor_f32 if self._dtype == np.float32 else _core.factor_f64)(self._symbolic)
        return self._numbers

    def _lower_diagonal(self) -> NDArray[Any]:
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
