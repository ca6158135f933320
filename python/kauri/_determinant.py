# Determinants from the diagonal of L, to the digits that its pivots have.
# SPDX-License-Identifier: BSD-3-Clause
import numpy as np

_SPLIT = 134217729.0  # 2^27 + 1: halves a double into two numbers of 26 bits each (Dekker, A floating-point technique, 1971)


def pivots(roots):
    """The pivots of which ``roots``, shape (n,), positive and of float32 or float64, are the rounded square roots.

    Up to three neighbouring numbers have the same rounded root. Of these the one with the most zeros at its end is taken: a pivot that is an
    integer, a power of two or another short number comes back exactly, others to within two units in the last place.
    """
    with np.errstate(all="ignore"):  # neighbours of the largest and the smallest numbers
        square = roots * roots
        bits = square.view(np.int32 if roots.dtype == np.float32 else np.int64)  # neighbours of positive numbers: bits that follow each other
        near = bits + np.array([[0], [1], [-1], [2], [-2]], bits.dtype)
        fits = np.sqrt(near.view(roots.dtype)) == roots
    hidden = 1 << np.finfo(roots.dtype).nmant
    mantissa = near & (hidden - 1) | hidden
    best = np.where(fits, mantissa & -mantissa, 0).argmax(axis=0)  # the first one where none fits
    return np.take_along_axis(near, best[None], axis=0)[0].view(roots.dtype)


def _product_of_pairs(a, b, a_low, b_low):
    """(high, low) with high + low = (a + a_low) (b + b_low), to twice the digits of a double (Dekker 1971)."""
    high = a * b
    a_up, b_up = a * _SPLIT, b * _SPLIT
    a_up, b_up = a_up - (a_up - a), b_up - (b_up - b)
    a_down, b_down = a - a_up, b - b_up
    low = a_down * b_down - (((high - a_up * b_up) - a_down * b_up) - a_up * b_down)
    return high, low + (a * b_low + a_low * b)


def product(values):
    """The product of positive numbers, shape (n,), rounded once or twice: 0 or inf only where the product itself is out of range."""
    high, exponents = np.frexp(np.asarray(values, np.float64))
    low, exponent = np.zeros_like(high), int(exponents.sum(dtype=np.int64))
    while len(high) > 1:
        if len(high) % 2:
            high, low = np.append(high, 1.0), np.append(low, 0.0)
        high, low = _product_of_pairs(high[::2], high[1::2], low[::2], low[1::2])
        high, exponents = np.frexp(high)
        low, exponent = np.ldexp(low, -exponents), exponent + int(exponents.sum(dtype=np.int64))
    mantissa = high[0] + low[0] if len(high) else np.float64(1.0)
    return np.ldexp(mantissa, max(-4000, min(exponent, 4000)))  # beyond these there is no double
