# Types of the doors.
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

def analyze(A: Matrix, mode: str = 'auto', ordering_method: str | None = 'default', use_long: bool | None = None, *, triangle: str = 'auto', dtype: DTypeLike = None, permutation: ArrayLike | None = None, cancel: CancelToken | None = None, **options: Any) -> Factor: ...
def analyze_AAt(A: Matrix, mode: str = 'auto', ordering_method: str | None = 'default', use_long: bool | None = None, *, dtype: DTypeLike = None, permutation: ArrayLike | None = None, cancel: CancelToken | None = None, **options: Any) -> Factor: ...
def cholesky(A: Matrix, beta: float = 0, mode: str = 'auto', ordering_method: str | None = 'default', use_long: bool | None = None, *, triangle: str = 'auto', dtype: DTypeLike = None, permutation: ArrayLike | None = None, cancel: CancelToken | None = None, **options: Any) -> Factor: ...
def cholesky_AAt(A: Matrix, beta: float = 0, mode: str = 'auto', ordering_method: str | None = 'default', use_long: bool | None = None, *, cancel: CancelToken | None = None, **options: Any) -> Factor: ...
def factorized(A: Matrix, **options: Any) -> Callable[[Any], Any]: ...
def aslinearoperator(A: Matrix, **options: Any) -> LinearOperator: ...
def load(path: str | PathLike[str], **options: Any) -> Factor: ...
