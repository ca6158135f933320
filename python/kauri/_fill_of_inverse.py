# What solutions with sparse right-hand sides take, told before they are computed.
# SPDX-License-Identifier: BSD-3-Clause
import numpy as np

from . import _memory
from ._errors import OutOfMemoryError

BLOCK = 64  # columns of a sparse right-hand side that are solved at once


def components(parent):
    """(component, sizes): by columns of the elimination tree ``parent``, shape (n,), the root of each, and by roots how many they have.

    The tree's components are those of A: x of A x = b has entries in all rows of the components that b has entries in.
    """
    root = np.where(parent < 0, np.arange(len(parent)), parent)
    while True:
        above = root[root]
        if np.array_equal(above, root):
            return root, np.bincount(root, minlength=len(parent))
        root = above


def entries_of_inverse(parent):
    """Entries of A^-1: each component of A is full there."""
    sizes = components(parent)[1]
    return sum(int(size) ** 2 for size in sizes[sizes > 0])


def entries_of_solution(parent, order, b):
    """Entries at most of x for sparse b, shape (n, k), of compressed columns. order: the row of b that each column of the tree is."""
    root, sizes = components(parent)
    component = np.empty_like(root)
    component[order] = root
    columns = np.repeat(np.arange(b.shape[1]), np.diff(b.indptr))
    met = np.unique(columns * np.int64(max(len(parent), 1)) + component[b.indices])
    return int(sizes[met % max(len(parent), 1)].sum(dtype=np.int64))


def bytes_of(entries, n, cols, itemsize):
    """Bytes at the peak: columns that are solved, dense, with their entries found; all that is found, in parts and put together."""
    index = 4 if max(entries, n, cols) <= np.iinfo(np.int32).max else 8
    return min(cols, BLOCK) * n * (2 * itemsize + 24) + 2 * (entries * (itemsize + index) + (cols + 1) * index)


def require_room(n, cols, itemsize, count):
    """OutOfMemoryError where there is less memory than x takes. count() gives its entries, and is called where a full x would not fit."""
    room = _memory.available_bytes()
    if bytes_of(n * cols, n, cols, itemsize) <= room:
        return
    entries = count()
    needed = bytes_of(entries, n, cols, itemsize)
    if needed > room:
        raise OutOfMemoryError(f"a sparse solution of {n} rows and {cols} columns has up to {entries} entries, which take {needed} bytes, and {room} are "
                               "available: for parts of A^-1 there are inverse_diagonal() and inverse_entries()")
