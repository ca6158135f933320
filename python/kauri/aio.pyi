# Types of kauri.aio.
# SPDX-License-Identifier: BSD-3-Clause
from collections.abc import Callable
from os import PathLike
from typing import Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from scipy.sparse.linalg import LinearOperator

from ._core import CancelToken
from ._factor import Factor


Matrix = Any  # of SciPy, NumPy, CuPy, PyTorch or JAX
R = TypeVar("R")

async def run(function: Callable[..., R], *args: Any, **kwargs: Any) -> R: ...
async def analyze(A: Matrix, **options: Any) -> Factor: ...
async def cholesky(A: Matrix, beta: float = 0, **options: Any) -> Factor: ...
async def cholesky_AAt(A: Matrix, beta: float = 0, **options: Any) -> Factor: ...
