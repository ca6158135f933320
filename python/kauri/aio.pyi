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


_Matrix = Any  # a matrix of SciPy, NumPy, CuPy, PyTorch or JAX
_R = TypeVar("_R")

async def run(function: Callable[..., _R], *args: Any, **kwargs: Any) -> _R: ...
async def analyze(A: _Matrix, **options: Any) -> Factor: ...
async def cholesky(A: _Matrix, beta: float = 0, **options: Any) -> Factor: ...
async def cholesky_AAt(A: _Matrix, beta: float = 0, **options: Any) -> Factor: ...
