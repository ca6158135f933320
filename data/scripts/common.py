"""Shared by the scripts that make the systems in data/: files, assembly, orderings, and the fill of
an ordering. Needs only NumPy."""
# SPDX-License-Identifier: BSD-3-Clause
import gzip
import os

import numpy as np

DATA = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))


def write(name, text):
    """Writes text to a file of data/, gzipped if the name ends in .gz; equal text gives equal
    bytes."""
    raw = text.encode("ascii")
    with open(os.path.join(DATA, name), "wb") as file:
        file.write(gzip.compress(raw, 9, mtime=0) if name.endswith(".gz") else raw)


def sum_entries(n, row, col, value):
    """Returns the lower triangle by columns, with repeated entries summed in the given order: rows,
    columns, values."""
    row, col, value = (np.asarray(a) for a in (row, col, value))
    keep = row >= col
    row, col, value = row[keep], col[keep], value[keep]
    key = col.astype(np.int64) * n + row
    order = np.argsort(key, kind="stable")
    key, value = key[order], value[order]
    first = np.flatnonzero(np.r_[True, key[1:] != key[:-1]])
    return key[first] % n, key[first] // n, np.add.reduceat(value, first)


def write_matrix(name, n, row, col, value, comments, digits=17):
    """Writes a lower triangle as Matrix Market coordinate real symmetric. Returns the values as a
    reader gets them."""
    words = [f"{v:.{digits}g}" if digits < 17 else repr(float(v)) for v in value]
    head = "%%MatrixMarket matrix coordinate real symmetric\n" + "".join(f"% {c}\n" for c in comments) + f"{n} {n} {len(row)}\n"
    write(name, head + "".join(f"{i + 1} {j + 1} {v}\n" for i, j, v in zip(row.tolist(), col.tolist(), words)))
    return np.array([float(w) for w in words])


def write_array(name, x, comments):
    head = "%%MatrixMarket matrix array real general\n" + "".join(f"% {c}\n" for c in comments) + f"{len(x)} 1\n"
    write(name, head + "".join(f"{float(v)!r}\n" for v in x))


def write_permutation(name, old_of, comment):
    write(name, f"# {comment}\n" + "".join(f"{int(i)}\n" for i in old_of))


def neighbours(n, row, col):
    """Returns adjacency lists of a lower triangle, ascending, without loops."""
    off = row != col
    u, v = np.r_[row[off], col[off]], np.r_[col[off], row[off]]
    order = np.lexsort((v, u))
    v = v[order]
    ptr = np.r_[0, np.cumsum(np.bincount(u, minlength=n))]
    return [v[ptr[i]:ptr[i + 1]].tolist() for i in range(n)]


def column_counts(adjacent, old_of):
    """Returns the entries of each column of L, diagonal included: for every row, walks up the
    elimination tree from each entry to the first column that has met this row (Liu 1986). Takes
    O(nnz(L)) time; the method is simple, so that it can check elaborate ones."""
    n = len(old_of)
    new_of = [0] * n
    for k, i in enumerate(old_of):
        new_of[i] = k
    parent, met, count = [-1] * n, [-1] * n, [1] * n
    for k in range(n):
        met[k] = k
        for i in adjacent[old_of[k]]:
            j = new_of[i]
            while j < k and met[j] != k:
                if parent[j] < 0:
                    parent[j] = k
                met[j] = k
                count[j] += 1
                j = parent[j]
    return count


def fill(adjacent, old_of):
    count = column_counts(adjacent, [int(i) for i in old_of])
    return {"nnz_l": sum(count), "flops": sum(c * c for c in count)}


def reverse_cuthill_mckee(adjacent):
    """Starts from a vertex far from the least numbered one of each component; orders neighbours by
    degree, then number."""
    n = len(adjacent)
    degree = [len(a) for a in adjacent]

    def levels(start):
        seen, order, last = {start}, [start], [start]
        while last:
            after = []
            for v in last:
                fresh = sorted((u for u in adjacent[v] if u not in seen), key=lambda u: (degree[u], u))
                seen.update(fresh)
                after += fresh
            order += after
            if not after:
                return order, last
            last = after

    done, old_of = [False] * n, []
    for v in range(n):
        if done[v]:
            continue
        _, last = levels(v)
        order, _ = levels(min(last, key=lambda u: (degree[u], u)))
        for u in order:
            done[u] = True
        old_of += order
    return old_of[::-1]


def halves(adjacent, part, x):
    """Returns separator, lower rest and upper half of a part, cut across its coordinate x; None if
    x is constant."""
    above = x >= np.sort(x)[len(part) // 2]  # points in one plane stay together
    if above.all():
        above = x > x.min()
    if not above.any():
        return None
    beyond = set(part[above].tolist())
    cut = np.array([any(u in beyond for u in adjacent[v]) for v in part[~above].tolist()], dtype=bool)
    return part[~above][cut], part[~above][~cut], part[above]


def dissection(adjacent, at, leaf=60):
    """Returns a nested dissection by coordinates (George 1973): halves across the axis with the
    smallest separator for its balance; the separator is the vertices of the lower half that touch
    the upper one. at: coordinates of each vertex, shape (n, d)."""
    old_of, stack = [], [np.arange(len(adjacent))]
    while stack:  # assigns the last numbers first
        part = stack.pop()
        tries = [halves(adjacent, part, x) for x in at[part].T] if len(part) > leaf else []
        tries = [t for t in tries if t is not None and len(t[1]) > 0]
        if not tries:
            old_of += part[::-1].tolist()
            continue
        separator, lower, upper = min(tries, key=lambda t: len(t[0]) / min(len(t[1]), len(t[2])))
        old_of += separator[::-1].tolist()
        stack += [lower, upper]
    return old_of[::-1]
