#!/usr/bin/env python3
"""george_liu_5.mtx (with _b and _x): the example of order 5 in A. George & J. W.-H. Liu, Computer Solution of Large Sparse Positive Definite
Systems, Prentice-Hall 1981, chapter 1: in its own order L fills completely, in the reverse order not at all.

membrane_indefinite.mtx.gz: A - sigma I, A the 5-point operator of a 30 x 30 membrane and sigma between its two lowest resonances: exactly one
eigenvalue is negative, so that Cholesky must break down in any ordering.
"""
# SPDX-License-Identifier: BSD-3-Clause
import numpy as np

from common import write_array, write_matrix

SIDE, SIGMA = 30, 0.03125


def george_liu():
    row = np.array([0, 1, 2, 3, 4, 1, 2, 3, 4])
    col = np.array([0, 0, 0, 0, 0, 1, 2, 3, 4])
    value = np.array([4, 1, 2, 0.5, 2, 0.5, 3, 0.625, 16])
    return 5, row, col, value, np.arange(5.0)[:, None]


def membrane():
    n = SIDE * SIDE
    row, col, value = [], [], []
    for j in range(n):
        row.append(j), col.append(j), value.append(4 - SIGMA)
        if j % SIDE + 1 < SIDE:
            row.append(j + 1), col.append(j), value.append(-1.0)
        if j + SIDE < n:
            row.append(j + SIDE), col.append(j), value.append(-1.0)
    resonance = [4 * np.sin(k * np.pi / (2 * (SIDE + 1))) ** 2 for k in (1, 2)]
    assert 2 * resonance[0] < SIGMA < resonance[0] + resonance[1]
    return n, np.array(row), np.array(col), np.array(value), np.c_[np.arange(n) % SIDE, np.arange(n) // SIDE].astype(float)


def main():
    systems = {"george_liu_5": george_liu(), "membrane_indefinite": membrane()}
    write_matrix("george_liu_5.mtx", *systems["george_liu_5"][:4], ["George & Liu 1981, chapter 1; made by data/scripts/small.py"])
    write_array("george_liu_5_b.mtx", [7, 3, 7, -4, -4], ["Right-hand side of george_liu_5.mtx"])
    write_array("george_liu_5_x.mtx", [2, 2, 1, -8, -0.5], ["Solution of george_liu_5.mtx for george_liu_5_b.mtx, exact"])
    write_matrix("membrane_indefinite.mtx.gz", *systems["membrane_indefinite"][:4],
                 [f"Membrane of {SIDE} x {SIDE} points minus {SIGMA} I: one negative eigenvalue; made by data/scripts/small.py"])
    return systems


if __name__ == "__main__":
    main()
