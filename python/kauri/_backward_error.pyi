# Types of backward_error.
# SPDX-License-Identifier: BSD-3-Clause
from typing import Any, NamedTuple

from numpy.typing import DTypeLike

from ._core import CancelToken

_Matrix = Any  # a matrix of SciPy, NumPy, CuPy, PyTorch or JAX

class BackwardError(NamedTuple):
    normwise: float
    componentwise: float
    status: str

def status_of(normwise: float, componentwise: float, dtype: DTypeLike) -> str: ...
def backward_error(A: _Matrix, x: Any, b: Any, *, triangle: str = 'auto', symmetry: float = 0, cancel: CancelToken | None = None) -> BackwardError: ...
