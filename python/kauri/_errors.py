# What kauri raises; the extension module looks its classes up here.
# SPDX-License-Identifier: BSD-3-Clause
"""Exceptions of kauri. All are ``KauriError``."""


class KauriError(Exception):
    """Everything that kauri raises by itself."""


class UsageError(KauriError, ValueError):
    """The call is wrong: sizes that do not fit, an option that there is not, a factor that is not valid."""


class DtypeError(UsageError, TypeError):
    """Numbers of a type that would lose digits, or that is no real number's: b of float64 for a factor of float32, long doubles, text."""


class InputError(KauriError, ValueError):
    """The data are wrong: NaN, an index out of range, halves that disagree, a damaged file. The text names the place."""


class TooLargeError(KauriError, OverflowError):
    """A count does not fit its type."""


class OutOfMemoryError(KauriError, MemoryError):
    """Not enough memory for a factor or a workspace; the text names the bytes."""


class DeviceError(KauriError, RuntimeError):
    """The CUDA device failed or is not there."""


class Cancelled(KauriError):
    """The call's ``CancelToken`` was asked to stop: everything may be called again, with another token."""


class NotPositiveDefiniteError(KauriError, ArithmeticError):
    """A is not positive definite.

    Attributes
    ----------
    column : int
        The failing column, in the numbering of A.
    pivot : float
        What elimination left on the diagonal there: zero, negative, or not finite.
    factor : Factor or None
        That was being filled; it may be filled again, say with a larger ``beta``.
    """

    def __init__(self, column, pivot, factor=None):
        super().__init__(column, pivot)
        self.column = column
        self.pivot = pivot
        self.factor = factor

    def __str__(self):
        return f"the matrix is not positive definite: column {self.column} met the pivot {self.pivot:.6g}"

    def __reduce__(self):
        return type(self), (self.column, self.pivot)
