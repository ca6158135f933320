# Types of kauri.jax.
# SPDX-License-Identifier: BSD-3-Clause
from typing import Any

from jax import Array
from numpy.typing import ArrayLike

class Cholesky:
    def __init__(self, rows: ArrayLike, cols: ArrayLike, n: int, **options: Any) -> None: ...
    def solve(self, values: Array, b: Array) -> Array: ...
    def logdet(self, values: Array) -> Array: ...
