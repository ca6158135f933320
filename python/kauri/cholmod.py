# The names of scikit-sparse 0.4's module cholmod: change the import, and go on.
# SPDX-License-Identifier: BSD-3-Clause
"""``from kauri.cholmod import cholesky`` in place of ``from sksparse.cholmod import cholesky`` (scikit-sparse 0.4).

As there, all is computed in float64, only the lower half of A is looked at, and sparse results are of csc_matrix. What differs is told in
docs/python.md: A that is not positive definite is refused at once, updates of low rank and complex matrices are not there.
"""
import sys
import warnings

import numpy as np

from . import _alias, _cholesky, _matrix
from ._errors import (DeviceError, KauriError, NotPositiveDefiniteError, OutOfMemoryError, TooLargeError, UsageError)
from ._factor import Factor

CholmodError = KauriError
CholmodNotPositiveDefiniteError = NotPositiveDefiniteError
CholmodOutOfMemoryError = OutOfMemoryError
CholmodTooLargeError = TooLargeError
CholmodInvalidError = UsageError
CholmodGpuProblemError = DeviceError


class CholmodNotInstalledError(KauriError):
    """Never raised."""


class CholmodWarning(UserWarning):
    """Of this module."""


class CholmodTypeConversionWarning(CholmodWarning):
    """A matrix was not one of compressed columns."""


_modes = dict.fromkeys(("simplicial", "supernodal", "auto"))
_ordering_methods = dict.fromkeys(("natural", "amd", "metis", "nesdis", "colamd", "default", "best"))

__all__ = ["analyze", "analyze_AAt", "cholesky", "cholesky_AAt"]


def _taken(A):
    A = _matrix.to_scipy(A)
    if A.format != "csc":
        warnings.warn(f"a matrix of format {A.format} is converted to csc", CholmodTypeConversionWarning, stacklevel=3)
    return A


def _plain(f):
    f._array = False
    return f


def register():
    """``import sksparse.cholmod`` finds this module from now on, in this process, so that programs which import scikit-sparse 0.4 run without a
    change: call it before their import. ``sksparse.test_cholmod`` has the errors. scikit-sparse need not be installed; UsageError where it is
    imported already.

    >>> import kauri.cholmod
    >>> kauri.cholmod.register()
    >>> from sksparse.cholmod import cholesky
    >>> cholesky is kauri.cholmod.cholesky
    True
    """
    _alias.register(sys.modules[__name__], "0.4.16")


def analyze(A, mode="auto", ordering_method="default", use_long=None, **options):
    """kauri.analyze of A's lower half, in float64."""
    return _plain(_cholesky.analyze(_taken(A), mode, ordering_method, triangle="lower", dtype=np.float64, **options))


def analyze_AAt(A, mode="auto", ordering_method="default", use_long=None, **options):
    """kauri.analyze_AAt, in float64."""
    return _plain(_cholesky.analyze_AAt(_taken(A), mode, ordering_method, dtype=np.float64, **options))


def cholesky(A, beta=0, mode="auto", ordering_method="default", use_long=None, **options):
    """kauri.cholesky of A's lower half, in float64.

    >>> import numpy as np, scipy.sparse as sp
    >>> from kauri.cholmod import cholesky
    >>> factor = cholesky(sp.csc_matrix([[10.0, 0, 3], [0, 5, 0], [3, 0, 5]]))
    >>> np.allclose(factor(np.array([13.0, 5.0, 8.0])), 1)
    True
    """
    return _plain(_cholesky.cholesky(_taken(A), beta, mode, ordering_method, triangle="lower", dtype=np.float64, **options))


def cholesky_AAt(A, beta=0, mode="auto", ordering_method="default", use_long=None, **options):
    """kauri.cholesky_AAt, in float64."""
    return _plain(_cholesky.cholesky_AAt(_taken(A), beta, mode, ordering_method, dtype=np.float64, **options))
