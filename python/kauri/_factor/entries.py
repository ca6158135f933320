# Entries: solutions and gradients for values on a fixed pattern, for kauri.torch and kauri.jax.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from .._errors import UsageError
from .analyze import analyze
from .factor import Factor


class Entries:
    """The symmetric A, shape (n, n), with values[k] at (rows[k], cols[k]) and at (cols[k],
    rows[k]).

    The entries are those of the lower half, rows[k] >= cols[k]; repeated entries are added. The
    pattern is analysed once for each dtype.
    """

    def __init__(self, rows: ArrayLike, cols: ArrayLike, n: int, **options: Any) -> None:
        self.rows = np.ascontiguousarray(rows, dtype=np.int64)
        self.cols = np.ascontiguousarray(cols, dtype=np.int64)
        self.n = int(n)
        if self.rows.shape != self.cols.shape or self.rows.ndim != 1:
            raise UsageError(f"rows of shape {self.rows.shape} and cols of shape {self.cols.shape}: expected (k,) for both")
        if self.rows.size and (self.cols.min() < 0 or self.rows.max() >= self.n or (self.rows < self.cols).any()):
            raise UsageError("entries of the lower half are expected: 0 <= cols[k] <= rows[k] < n")
        self.twice = np.where(self.rows > self.cols, 2.0, 1.0)  # entries of A for each value
        self._options = options
        self._analyses: dict[Any, tuple[Factor, NDArray[Any]]] = {}
        self._last: tuple[NDArray[Any], Factor] | None = None

    def analysis(self, dtype: np.dtype[Any]) -> tuple[Factor, NDArray[Any]]:
        """Returns (a Factor without numbers, the position of each value in its pattern)."""
        if dtype not in self._analyses:
            diagonal = np.arange(self.n)
            ones = np.ones(self.rows.size + self.n, dtype)
            index = (np.concatenate([self.rows, diagonal]), np.concatenate([self.cols, diagonal]))
            pattern = sp.coo_array((ones, index), shape=(self.n, self.n)).tocsc()
            base = analyze(pattern, triangle="lower", **self._options)
            indptr, indices = base.pattern()
            columns = np.repeat(np.arange(self.n), np.diff(indptr))
            keys = columns * self.n + indices  # ascending, as np.searchsorted() needs them
            self._analyses[dtype] = base, np.searchsorted(keys, self.cols * self.n + self.rows)
        return self._analyses[dtype]

    def factor(self, values: ArrayLike) -> Factor:
        """Returns a Factor for these values, shape (k,): the last one if the values have not
        changed.
        """
        values = np.ascontiguousarray(values)
        if values.shape != self.rows.shape:
            raise UsageError(f"values of shape {values.shape}: expected {self.rows.shape}")
        last = self._last
        if last is not None and last[0].dtype == values.dtype and np.array_equal(last[0], values):
            return last[1]
        base, place = self.analysis(values.dtype)
        f = base._twin()
        f.refactorize_values(np.bincount(place, values, f._symbolic.nnz).astype(values.dtype))
        self._last = values.copy(), f
        return f

    def solve(self, values: ArrayLike, b: ArrayLike) -> NDArray[Any]:
        """Solves A x = b."""
        return self.factor(values).solve(np.asarray(b))

    def logdet(self, values: ArrayLike) -> float:
        """Returns ln det A."""
        return self.factor(values).logdet()

    def logdet_gradient(self, values: ArrayLike) -> NDArray[Any]:
        """Returns d ln det A / d values, shape (k,): entries of A^-1, doubled below the diagonal.
        """
        f = self.factor(values)
        place = self._analyses[f.dtype][1]
        return (f._core().inverse(False, None)[place] * self.twice).astype(f.dtype)
