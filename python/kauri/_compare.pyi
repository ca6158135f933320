# Types of compare.
# SPDX-License-Identifier: BSD-3-Clause
from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike, DTypeLike

from ._comparison import Comparison
from ._core import CancelToken

_Matrix = Any  # a matrix of SciPy, NumPy, CuPy, PyTorch or JAX
_Ordering = str | Mapping[str, Any] | ArrayLike  # a name, options or a permutation

def compare(A: _Matrix | Mapping[str, _Matrix] | Sequence[_Matrix], orderings: str | Sequence[str] | Mapping[str, _Ordering] | None = None, *, factorize: bool = False, repetitions: int = 3, most_seconds: float | None = 30.0, threads: int | None = None, triangle: str = 'auto', symmetry: float = 0, dtype: DTypeLike | None = None, name: str = 'A', cancel: CancelToken | None = None, **options: Any) -> Comparison: ...
