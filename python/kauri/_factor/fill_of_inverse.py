# Memory of solutions with sparse right-hand sides, predicted before they are computed.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._arrays import memory
from .._errors import OutOfMemoryError

BLOCK = 64  # columns of a sparse right-hand side that are solved together


def components(parent: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Returns (component, sizes): the root of each column, and the columns in each component.

    parent: the elimination tree, shape (n,). Both results have the shape (n,); sizes are by root.
    The components of the tree are those of A: x of A x = b has entries in all rows of the
    components in which b has entries.
    """
    root = np.where(parent < 0, np.arange(len(parent)), parent)
    while True:
        above = root[root]
        if np.array_equal(above, root):
            return root, np.bincount(root, minlength=len(parent))
        root = above


def entries_of_inverse(parent: NDArray[Any]) -> int:
    """Returns the entries of A^-1, in which each component of A is full."""
    sizes = components(parent)[1]
    return sum(int(size) ** 2 for size in sizes[sizes > 0])


def entries_of_solution(parent: NDArray[Any], order: NDArray[Any], b: Any) -> int:
    """Returns the most entries that x can have for sparse b, shape (n, k), in compressed columns.

    order: the row of b for each column of the tree.
    """
    root, sizes = components(parent)
    component = np.empty_like(root)
    component[order] = root
    columns = np.repeat(np.arange(b.shape[1]), np.diff(b.indptr))
    met = np.unique(columns * np.int64(max(len(parent), 1)) + component[b.indices])
    return int(sizes[met % max(len(parent), 1)].sum(dtype=np.int64))


def bytes_of(entries: int, n: int, cols: int, itemsize: int) -> int:
    """Returns the bytes of a sparse solution at the peak.

    It counts the dense columns that are being solved, with their entries extracted, and all entries
    found so far, both in parts and concatenated.
    """
    index = 4 if max(entries, n, cols) <= np.iinfo(np.int32).max else 8
    return min(cols, BLOCK) * n * (2 * itemsize + 24) + 2 * (entries * (itemsize + index) + (cols + 1) * index)


def require_room(n: int, cols: int, itemsize: int, count: Callable[[], int]) -> None:
    """Raises OutOfMemoryError if less memory is available than x takes.

    count() returns the entries of x; it is called only if a full x would not fit.
    """
    room = memory.available_bytes()
    if bytes_of(n * cols, n, cols, itemsize) <= room:
        return
    entries = count()
    needed = bytes_of(entries, n, cols, itemsize)
    if needed > room:
        raise OutOfMemoryError(f"a sparse solution of {n} rows and {cols} columns has up to {entries} entries, which take {needed} bytes, and {room} are "
                               "available: for parts of A^-1 there are inverse_diagonal() and inverse_entries()")
