# Cholesky: solutions and log-determinants that JAX differentiates, also inside jit.
# SPDX-License-Identifier: BSD-3-Clause
"""Differentiable sparse systems on arrays of JAX, with the class ``Cholesky``.

``Cholesky(rows, cols, n)`` computes x = A^-1 b and ln det A from the values of A, with gradients.

>>> import pytest; jax = pytest.importorskip("jax")
>>> import jax.numpy as jnp
>>> from kauri.jax import Cholesky
>>> A = Cholesky([0, 1, 1], [0, 0, 1], 2)
>>> values = jnp.array([2.0, 1.0, 2.0])
>>> bool(jnp.allclose(A.solve(values, jnp.array([3.0, 3.0])), 1))
True
>>> bool(jnp.allclose(jax.grad(A.logdet)(values), jnp.array([2.0, -2.0, 2.0]) / 3))
True
"""
from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import ArrayLike

from ._errors import UsageError
from ._factor.entries import Entries


class Cholesky:
    """The symmetric A, shape (n, n), by the entries of its lower half.

    ``values[k]`` is the entry at ``(rows[k], cols[k])`` and at ``(cols[k], rows[k])``. rows, cols:
    integers, shape (k,), rows[k] >= cols[k]. options: those of kauri.analyze(). Numbers are
    computed on the host, by callbacks, in float32 or float64, the type of the arrays. Reverse-mode
    differentiation is possible once.
    """

    def __init__(self, rows: ArrayLike, cols: ArrayLike, n: int, **options: Any) -> None:
        self.entries = Entries(rows, cols, n, **options)
        self._solve = jax.custom_vjp(self._solve_primal)
        self._solve.defvjp(self._solve_forward, self._solve_backward)
        self._logdet = jax.custom_vjp(self._logdet_primal)
        self._logdet.defvjp(self._logdet_forward, self._logdet_backward)

    def _solve_primal(self, values: Array, b: Array) -> Array:
        def host(values: Array, b: Array) -> np.ndarray:
            return self.entries.solve(np.asarray(values), np.asarray(b))

        return jax.pure_callback(host, jax.ShapeDtypeStruct(b.shape, b.dtype), values, b, vmap_method="sequential")

    def _solve_forward(self, values: Array, b: Array) -> tuple[Array, tuple[Array, Array]]:
        x = self._solve_primal(values, b)
        return x, (values, x)

    def _solve_backward(self, kept: tuple[Array, Array], g: Array) -> tuple[Array, Array]:
        values, x = kept
        y = self._solve_primal(values, g)  # A is symmetric
        rows, cols = self.entries.rows, self.entries.cols
        both = x[rows] * y[cols] + x[cols] * y[rows]
        both = both if both.ndim == 1 else both.sum(axis=1)
        return -both * jnp.asarray(self.entries.twice / 2, both.dtype), y

    def _logdet_primal(self, values: Array) -> Array:
        def host(values: Array) -> np.ndarray:
            numbers = np.asarray(values)
            return np.asarray(self.entries.logdet(numbers), numbers.dtype)

        return jax.pure_callback(host, jax.ShapeDtypeStruct((), values.dtype), values, vmap_method="sequential")

    def _logdet_forward(self, values: Array) -> tuple[Array, Array]:
        return self._logdet_primal(values), values

    def _logdet_backward(self, values: Array, g: Array) -> tuple[Array]:
        def host(values: Array) -> np.ndarray:
            return self.entries.logdet_gradient(np.asarray(values))

        gradient = jax.pure_callback(host, jax.ShapeDtypeStruct(values.shape, values.dtype), values, vmap_method="sequential")
        return (g * gradient,)

    def _checked(self, values: Any) -> Array:
        """Checks the values before the callback, in which an error would lose its type."""
        values = jnp.asarray(values)
        if values.dtype not in (jnp.float32, jnp.float64):
            raise UsageError(f"values of {values.dtype}: expected float32 or float64")
        if values.shape != self.entries.rows.shape:
            raise UsageError(f"values of shape {values.shape}: expected {self.entries.rows.shape}")
        return values

    def solve(self, values: Array, b: Array) -> Array:
        """Returns x = A^-1 b. values: shape (k,); b and x: (n,) or (n, m).

        Errors that occur during the computation, as for an A that is not positive definite, reach
        you as JAX's own JaxRuntimeError, with the text of kauri's error.
        """
        values, b = self._checked(values), jnp.asarray(b)
        if values.dtype != b.dtype:
            raise UsageError(f"values of {values.dtype} and b of {b.dtype}: expected the same for both")
        if b.ndim not in (1, 2) or b.shape[0] != self.entries.n:
            raise UsageError(f"b of shape {b.shape}: expected ({self.entries.n},) or ({self.entries.n}, m)")
        return self._solve(values, b)

    def logdet(self, values: Array) -> Array:
        """Returns ln det A, a scalar. Its errors are those of solve()."""
        return self._logdet(self._checked(values))
