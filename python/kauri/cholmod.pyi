# Types of kauri.cholmod.
# SPDX-License-Identifier: BSD-3-Clause
from collections.abc import Callable
from os import PathLike
from typing import Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from scipy.sparse.linalg import LinearOperator

from ._core import CancelToken
from ._errors import DeviceError, KauriError, NotPositiveDefiniteError, OutOfMemoryError, TooLargeError, UsageError
from ._factor import Factor


_Matrix = Any  # a matrix of SciPy, NumPy, CuPy, PyTorch or JAX
_R = TypeVar("_R")

CholmodError = KauriError
CholmodNotPositiveDefiniteError = NotPositiveDefiniteError
CholmodOutOfMemoryError = OutOfMemoryError
CholmodTooLargeError = TooLargeError
CholmodInvalidError = UsageError
CholmodGpuProblemError = DeviceError

class CholmodNotInstalledError(KauriError):
    ...
class CholmodWarning(UserWarning):
    ...
class CholmodTypeConversionWarning(CholmodWarning):
    ...
def register() -> None: ...
def analyze(A: _Matrix, mode: str = 'auto', ordering_method: str | None = 'default', use_long: bool | None = None, **options: Any) -> Factor: ...
def analyze_AAt(A: _Matrix, mode: str = 'auto', ordering_method: str | None = 'default', use_long: bool | None = None, **options: Any) -> Factor: ...
def cholesky(A: _Matrix, beta: float = 0, mode: str = 'auto', ordering_method: str | None = 'default', use_long: bool | None = None, **options: Any) -> Factor: ...
def cholesky_AAt(A: _Matrix, beta: float = 0, mode: str = 'auto', ordering_method: str | None = 'default', use_long: bool | None = None, **options: Any) -> Factor: ...
