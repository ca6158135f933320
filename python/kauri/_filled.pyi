# Types of the base class of kauri.Factor and kauri.MixedFactor.
# SPDX-License-Identifier: BSD-3-Clause
from typing import Any

import numpy as np
from numpy.typing import NDArray

class Filled:
    @property
    def n(self) -> int: ...
    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def nnz(self) -> int: ...
    def pattern(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]: ...
