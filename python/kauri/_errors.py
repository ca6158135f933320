# Exceptions that kauri raises; kauri/__init__.py passes these classes to the extension module.
# SPDX-License-Identifier: BSD-3-Clause
"""Exceptions of kauri. All are subclasses of ``KauriError``."""
from __future__ import annotations

from typing import Any, Protocol

from . import _core


class Fillable(Protocol):
    """A factor that you may fill again: :class:`kauri.Factor` and :class:`kauri.MixedFactor`."""

    @property
    def n(self) -> int:
        """Number of rows of A."""
        ...

    def refactorize(self, A: Any, beta: float = 0, *, cancel: Any = None) -> None:
        """Factorises A + beta I with the analysis of the factor."""


class KauriError(Exception):
    """Base class of all exceptions of kauri."""


class UsageError(KauriError, ValueError):
    """The call is wrong: sizes that do not fit, an unknown option, a factor that is not valid."""


class DtypeError(UsageError, TypeError):
    """Numbers are of a type that is not real or would lose digits.

    Examples are b of float64 for a factor of float32, long doubles, and text.
    """


class InputError(KauriError, ValueError):
    """The data are wrong: NaN, an index out of range, halves that disagree, a damaged file.

    The text names the place.
    """


class TooLargeError(KauriError, OverflowError):
    """A count does not fit its type."""


class OutOfMemoryError(KauriError, MemoryError):
    """The memory does not suffice for a factor, a workspace or a result; the text names the bytes.
    """


class DeviceError(KauriError, RuntimeError):
    """The CUDA device failed or is not available."""


class Cancelled(KauriError):
    """The ``CancelToken`` of the call was asked to stop.

    All objects remain usable: repeat the call with another token.
    """


class NotPositiveDefiniteError(KauriError, ArithmeticError):
    """A is not positive definite.

    Attributes
    ----------
    column : int
        The failing column, in the numbering of A.
    pivot : float
        The pivot that elimination found in that column: zero, negative, or not finite.
    factor : Factor, MixedFactor or None
        The factor that was being filled. You may fill it again, for example with a larger ``beta``.
    """

    def __init__(self, column: int, pivot: float, factor: Fillable | None = None) -> None:
        super().__init__(column, pivot)
        self.column = column
        self.pivot = pivot
        self.factor = factor

    def __str__(self) -> str:
        return "the matrix is " + _core.describe_breakdown(self.column, self.pivot)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.column, self.pivot)
