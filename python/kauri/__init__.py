# The package kauri: its public names.
# SPDX-License-Identifier: BSD-3-Clause
"""Solves sparse symmetric positive definite systems directly, on CPUs and CUDA devices.

>>> import numpy as np, scipy.sparse as sp, kauri
>>> A = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(4, 4), format="csc")
>>> f = kauri.cholesky(A)
>>> np.allclose(A @ f(np.ones(4)), 1)
True
"""
from . import _core, _errors
from ._compare.comparison import Comparison
from ._compare.records import Record
from ._compare.run import compare
from ._core import CancelToken
from ._errors import (Cancelled, DeviceError, DtypeError, InputError, KauriError, NotPositiveDefiniteError, OutOfMemoryError, TooLargeError, UsageError)
from ._factor import Factor
from ._factor.analyze import analyze, analyze_AAt
from ._factor.backward_error import BackwardError, backward_error
from ._factor.cholesky import aslinearoperator, cholesky, cholesky_AAt, cholesky_mixed, factorized
from ._factor.files import load, read
from ._factor.mixed import MixedFactor
from ._options import option_names
from .cholmod05 import CholeskyFactor, cho_factor, cho_solve, ldl_factor

_core.set_errors(vars(_errors))  # the extension module imports nothing of kauri
__version__ = _core.version()
cuda_available = _core.cuda_available

__all__ = [
    "BackwardError", "CancelToken", "Cancelled", "CholeskyFactor", "Comparison", "DeviceError", "DtypeError", "Factor", "InputError", "KauriError", "MixedFactor",
    "NotPositiveDefiniteError", "OutOfMemoryError", "Record", "TooLargeError", "UsageError", "analyze", "analyze_AAt", "aslinearoperator",
    "backward_error", "cho_factor", "cho_solve", "cholesky", "cholesky_AAt", "cholesky_mixed", "compare", "cuda_available", "factorized", "ldl_factor", "load",
    "option_names", "read",
]
