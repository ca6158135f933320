#!/usr/bin/env python3
"""Makes every file of data/ again, and expected.json: for each system n, nnz of the lower triangle, nnz(L) and flops (sums over the column
counts c of c and c^2) of given orderings, counted by walking up the elimination tree entry by entry, apart from kauri. Takes a minute or two.
"""
# SPDX-License-Identifier: BSD-3-Clause
import json

import numpy as np

import airfoil
import bracket
import bridge
import small
from common import dissection, fill, neighbours, reverse_cuthill_mckee, write, write_permutation


def first_negative_pivot(n, row, col, value):
    """Returns the column (from 0) at which dense Cholesky in the natural order meets its first
    pivot that is not positive, or None."""
    a = np.zeros((n, n))
    a[row, col] = value
    for j in range(n):
        if a[j, j] <= 0:
            return j
        a[j + 1:, j] /= np.sqrt(a[j, j])
        a[j + 1:, j + 1:] -= np.outer(a[j + 1:, j], a[j + 1:, j])
    return None


def orderings(name, adjacent, at):
    n = len(adjacent)
    found = {"natural": (None, np.arange(n))}
    if name == "george_liu_5":
        found["reverse"] = (f"{name}.reverse.txt", np.arange(n)[::-1])
        write_permutation(found["reverse"][0], found["reverse"][1], "the reverse order: no fill")
        return found
    for kind, old_of in (("rcm", reverse_cuthill_mckee(adjacent)), ("dissection", dissection(adjacent, at))):
        assert sorted(old_of) == list(range(n))
        found[kind] = (f"{name}.{kind}.txt.gz", old_of)
        write_permutation(found[kind][0], old_of, f"{kind} of {name}.mtx.gz, made by data/scripts/make_all.py: old_of, from 0")
    return found


def main():
    systems = small.main() | bridge.main() | airfoil.main() | bracket.main()
    expected = {}
    for name, (n, row, col, value, at) in systems.items():
        adjacent = neighbours(n, row, col)
        about = expected[name] = {"file": name + (".mtx" if n == 5 else ".mtx.gz"), "n": int(n), "nnz_lower": len(row)}
        if n <= 1000:
            about["breakdown_column_natural"] = first_negative_pivot(n, row, col, value)
        about["orderings"] = {kind: {"permutation": file} | fill(adjacent, old_of) for kind, (file, old_of) in orderings(name, adjacent, at).items()}
        print(name, json.dumps(about))
    write("expected.json", json.dumps(expected, indent=2) + "\n")


if __name__ == "__main__":
    main()
