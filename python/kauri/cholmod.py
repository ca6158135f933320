# The interface of sksparse.cholmod of scikit-sparse 0.4: only the import of a program changes.
# SPDX-License-Identifier: BSD-3-Clause
"""Use ``from kauri.cholmod import cholesky`` for ``from sksparse.cholmod import cholesky``.

This is the interface of scikit-sparse 0.4. As there, all numbers are float64, only the lower half
of A is read, and sparse results are csc_matrix. docs/python.md lists the differences: an A that is
not positive definite is refused at once; updates of low rank and complex matrices are not
supported.
"""
from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np

from ._arrays import matrix as _matrix
from ._arrays.protocols import Matrix
from ._errors import (
    DeviceError, KauriError, NotPositiveDefiniteError, OutOfMemoryError, TooLargeError, UsageError)
from ._factor import Factor
from ._factor import analyze as _analyze
from ._factor import cholesky as _cholesky
from ._names import alias as _alias

CholmodError = KauriError
CholmodNotPositiveDefiniteError = NotPositiveDefiniteError
CholmodOutOfMemoryError = OutOfMemoryError
CholmodTooLargeError = TooLargeError
CholmodInvalidError = UsageError
CholmodGpuProblemError = DeviceError


class CholmodNotInstalledError(KauriError):
    """Never raised; exists for compatibility."""


class CholmodWarning(UserWarning):
    """Base class of the warnings of this module."""


class CholmodTypeConversionWarning(CholmodWarning):
    """A matrix was not in compressed columns and was converted."""


_modes = dict.fromkeys(("simplicial", "supernodal", "auto"))
_ordering_methods = dict.fromkeys(("natural", "amd", "metis", "nesdis", "colamd", "default", "best"))

__all__ = ["analyze", "analyze_AAt", "cholesky", "cholesky_AAt"]


def _taken(A: Matrix) -> Any:
    A = _matrix.to_scipy(A)
    if A.format != "csc":
        warnings.warn(f"a matrix of format {A.format} is converted to csc", CholmodTypeConversionWarning, stacklevel=3)
    return A


def _plain(f: Factor) -> Factor:
    f._array = False
    return f


def register() -> None:
    """Makes ``import sksparse.cholmod`` import this module, in this process, from now on.

    Programs that import scikit-sparse 0.4 then run unchanged: call this before they import it. The
    errors are also in ``sksparse.test_cholmod``. scikit-sparse need not be installed; UsageError is
    raised if it has already been imported.

    >>> import kauri.cholmod
    >>> kauri.cholmod.register()
    >>> from sksparse.cholmod import cholesky
    >>> cholesky is kauri.cholmod.cholesky
    True
    """
    _alias.register(sys.modules[__name__], "0.4.16")


def analyze(
        A: Matrix, mode: str = "auto", ordering_method: str | None = "default",
        use_long: bool | None = None, **options: Any) -> Factor:
    """Runs kauri.analyze on the lower half of A, in float64."""
    return _plain(_analyze.analyze(_taken(A), mode, ordering_method, triangle="lower", dtype=np.float64, **options))


def analyze_AAt(
        A: Matrix, mode: str = "auto", ordering_method: str | None = "default",
        use_long: bool | None = None, **options: Any) -> Factor:
    """Runs kauri.analyze_AAt, in float64."""
    return _plain(_analyze.analyze_AAt(_taken(A), mode, ordering_method, dtype=np.float64, **options))


def cholesky(
        A: Matrix, beta: float = 0, mode: str = "auto", ordering_method: str | None = "default",
        use_long: bool | None = None, **options: Any) -> Factor:
    """Runs kauri.cholesky on the lower half of A, in float64.

    >>> import numpy as np, scipy.sparse as sp
    >>> from kauri.cholmod import cholesky
    >>> factor = cholesky(sp.csc_matrix([[10.0, 0, 3], [0, 5, 0], [3, 0, 5]]))
    >>> np.allclose(factor(np.array([13.0, 5.0, 8.0])), 1)
    True
    """
    return _plain(_cholesky.cholesky(_taken(A), beta, mode, ordering_method, triangle="lower", dtype=np.float64, **options))


def cholesky_AAt(
        A: Matrix, beta: float = 0, mode: str = "auto", ordering_method: str | None = "default",
        use_long: bool | None = None, **options: Any) -> Factor:
    """Runs kauri.cholesky_AAt, in float64."""
    return _plain(_cholesky.cholesky_AAt(_taken(A), beta, mode, ordering_method, dtype=np.float64, **options))
