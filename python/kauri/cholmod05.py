# The interface of sksparse.cholmod of scikit-sparse 0.5; _names/ holds what it is made of.
# SPDX-License-Identifier: BSD-3-Clause
"""Use ``from kauri.cholmod05 import cho_factor`` for that of sksparse.cholmod (0.5)."""
from __future__ import annotations

import sys

from ._errors import (
    DeviceError, InputError, KauriError, NotPositiveDefiniteError, OutOfMemoryError, TooLargeError)
from ._names import alias as _alias
from ._names.calls import cho_factor, cho_solve, cholesky, ldl, ldl_factor
from ._names.cholesky_factor import CholeskyFactor
from ._names.separators import SeparatorTree, bisect, metis, nesdis
from ._names.symbolic import SymbolicCholFactor, SymbolicCounts, etree, symbfact

CholmodError = KauriError
CholmodNotPositiveDefiniteError = NotPositiveDefiniteError
CholmodOutOfMemoryError = OutOfMemoryError
CholmodOverflowError = TooLargeError
CholmodInvalidInputError = InputError
CholmodGpuProblemError = DeviceError


class CholmodNotInstalledError(KauriError):
    """Never raised; exists for compatibility."""


class CholmodWarning(Warning):
    """Base class of the warnings of this module."""


class CholmodSmallDiagonalWarning(CholmodWarning):
    """Never raised: Factor.report() says if A is nearly singular."""


__all__ = [
    "CholeskyFactor", "CholmodError", "CholmodGpuProblemError", "CholmodInvalidInputError", "CholmodNotInstalledError",
    "CholmodNotPositiveDefiniteError", "CholmodOutOfMemoryError", "CholmodOverflowError", "CholmodSmallDiagonalWarning", "CholmodWarning",
    "SeparatorTree", "SymbolicCholFactor", "SymbolicCounts", "bisect", "cho_factor", "cho_solve", "cholesky", "etree", "ldl", "ldl_factor",
    "metis", "nesdis", "register", "symbfact",
]

# Pickles, messages and the reference name these by the module that users import.
for _thing in (
        CholeskyFactor, SeparatorTree, SymbolicCholFactor, SymbolicCounts, bisect, cho_factor,
        cho_solve, cholesky, etree, ldl, ldl_factor, metis, nesdis, symbfact):
    _thing.__module__ = __name__


def register() -> None:
    """Makes ``import sksparse.cholmod`` import this module from now on, in this process, for
    programs that import scikit-sparse 0.5. SciPy and most others import 0.4:
    :func:`kauri.cholmod.register`."""
    _alias.register(sys.modules[__name__], "0.5.0")
