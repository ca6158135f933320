# Types of kauri.torch.
# SPDX-License-Identifier: BSD-3-Clause
from typing import Any

from numpy.typing import ArrayLike
from torch import Tensor

class Cholesky:
    def __init__(self, rows: ArrayLike, cols: ArrayLike, n: int, **options: Any) -> None: ...
    def solve(self, values: Tensor, b: Tensor) -> Tensor: ...
    def logdet(self, values: Tensor) -> Tensor: ...
