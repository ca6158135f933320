#!/usr/bin/env python3
"""bridge.mtx.gz: a pin-jointed steel truss bridge of 80 panels of 4 m, 6 m wide, 7 m high, box section: chords, posts and beams, one diagonal
in every side and deck panel, and one in every cross section. Bars have stiffness E A / L, E = 210 GPa. Supports: the ends of the lower
chords, fixed at one end, free to move along the bridge at the other. Units MN and m.
"""
# SPDX-License-Identifier: BSD-3-Clause
import numpy as np

from common import sum_entries, write_matrix

PANELS, LONG, WIDE, HIGH = 80, 4.0, 6.0, 7.0
YOUNG = 210e3  # MN/m^2
CHORD, WEB, BRACE = 0.040, 0.020, 0.008  # m^2


def joints_and_bars():
    """Returns joints and bars. Joint 4 p + c is corner c of section p: 0, 1 below (left, right), 2,
    3 above."""
    corner = np.array([[0, 0], [WIDE, 0], [0, HIGH], [WIDE, HIGH]])
    at = np.array([[p * LONG, *corner[c]] for p in range(PANELS + 1) for c in range(4)])
    bars = []
    for p in range(PANELS + 1):
        j = 4 * p
        bars += [(j, j + 1, WEB), (j + 2, j + 3, WEB), (j, j + 2, WEB), (j + 1, j + 3, WEB), (j, j + 3, BRACE)]
        if p == PANELS:
            break
        bars += [(j + c, j + 4 + c, CHORD) for c in range(4)]
        rising = p < PANELS // 2  # side diagonals lean to the middle
        for left in (0, 1):
            bars.append((j + left, j + 6 + left, WEB) if rising else (j + 2 + left, j + 4 + left, WEB))
        bars += [(j, j + 5, BRACE) if p % 2 else (j + 1, j + 4, BRACE), (j + 2, j + 7, BRACE) if p % 2 else (j + 3, j + 6, BRACE)]
    return at, bars


def build():
    at, bars = joints_and_bars()
    last = 4 * PANELS
    fixed = {0, 1, 2, 3 + 1, 3 + 2, 3 * last + 1, 3 * last + 2, 3 * (last + 1) + 2}  # 3 joint + axis
    free = [d for d in range(3 * len(at)) if d not in fixed]
    unknown = np.full(3 * len(at), -1)
    unknown[free] = np.arange(len(free))
    row, col, value = [], [], []
    for u, v, section in bars:
        span = at[v] - at[u]
        length = np.sqrt(span @ span)
        block = YOUNG * section / length * np.outer(span, span) / length**2
        for x, y, sign in ((u, u, 1), (v, v, 1), (u, v, -1), (v, u, -1)):
            for i in range(3):
                for j in range(3):
                    r, c = unknown[3 * x + i], unknown[3 * y + j]
                    if r >= 0 and c >= 0 and (block[i, j] != 0 or x == y):
                        row.append(r), col.append(c), value.append(sign * block[i, j])
    row, col, value = sum_entries(len(free), row, col, value)
    return len(free), row, col, value, np.repeat(at, 3, axis=0)[free]


def main():
    n, row, col, value, at = build()
    write_matrix("bridge.mtx.gz", n, row, col, value, ["Pin-jointed truss bridge, MN and m; made by data/scripts/bridge.py"], digits=15)
    return {"bridge": (n, row, col, value, at)}


if __name__ == "__main__":
    main()
