#!/usr/bin/env python3
"""airfoil.mtx.gz: heat conduction (-div grad u) in the plane around a NACA 0012 profile, linear triangles, u given on the profile and on a
circle of ten chords around it (those nodes are eliminated). The mesh is unstructured: rings of points around the profile, moved at random,
made a Delaunay triangulation by flipping edges (Lawson, "Software for C1 surface interpolation", 1977), numbered at random.
"""
# SPDX-License-Identifier: BSD-3-Clause
import numpy as np

from common import sum_entries, write_matrix

AROUND, RINGS, FAR, SEED = 160, 45, 10.0, 2026


def profile(count):
    """Returns points of the NACA 0012 section (closed trailing edge), anticlockwise from the
    trailing edge, denser at both ends; the chord is 1."""
    angle = 2 * np.pi * np.arange(count) / count
    x = (1 + np.cos(angle)) / 2
    half = 0.6 * (0.2969 * np.sqrt(x) - 0.1260 * x - 0.3516 * x**2 + 0.2843 * x**3 - 0.1036 * x**4)
    return np.c_[x, np.where(angle <= np.pi, half, -half)]


def points_and_triangles():
    rng = np.random.RandomState(SEED)  # NumPy keeps this stream unchanged
    inner = profile(AROUND)
    angle = 2 * np.pi * np.arange(AROUND) / AROUND
    outer = np.c_[0.5 + FAR * np.cos(angle), FAR * np.sin(angle)]
    share = np.expm1(6 * np.arange(RINGS + 1) / RINGS) / np.expm1(6)  # rings grow outwards
    at = inner[None] * (1 - share[:, None, None]) + outer[None] * share[:, None, None]
    move = rng.uniform(-0.3, 0.3, size=(RINGS - 1, AROUND, 2))
    along = np.roll(at, -1, axis=1)[1:-1] - at[1:-1]
    out = at[2:] - at[1:-1]
    at[1:-1] += move[..., :1] * along + move[..., 1:] * out * 0.5
    k = np.arange(RINGS * AROUND)
    ring, a = k // AROUND, k % AROUND
    p, q = ring * AROUND + a, ring * AROUND + (a + 1) % AROUND
    triangles = np.concatenate([np.c_[p, p + AROUND, q + AROUND], np.c_[p, q + AROUND, q]])  # anticlockwise
    return at.reshape(-1, 2), triangles.tolist()


def area2(at, a, b, c):
    return (at[b][0] - at[a][0]) * (at[c][1] - at[a][1]) - (at[b][1] - at[a][1]) * (at[c][0] - at[a][0])


def in_circle(at, a, b, c, d):
    """Returns a positive number if d lies inside the circle through a, b, c (anticlockwise)."""
    m = np.array([[at[v][0] - at[d][0], at[v][1] - at[d][1]] for v in (a, b, c)])
    return np.linalg.det(np.c_[m, (m**2).sum(axis=1)])


def make_delaunay(at, triangles):
    """Flips edges until every one is Delaunay."""
    owner = {}
    for t, (a, b, c) in enumerate(triangles):
        for u, v, w in ((a, b, c), (b, c, a), (c, a, b)):
            owner[u, v] = (t, w)
    stack = sorted({(min(e), max(e)) for e in owner})
    while stack:
        u, v = stack.pop()
        if (u, v) not in owner or (v, u) not in owner:
            continue
        (s, a), (t, b) = owner[u, v], owner[v, u]
        if in_circle(at, u, v, a, b) <= 1e-12 * abs(area2(at, u, v, a)) or area2(at, a, u, b) <= 0 or area2(at, b, v, a) <= 0:
            continue
        del owner[u, v], owner[v, u]
        triangles[s], triangles[t] = [a, u, b], [b, v, a]
        for k in (s, t):
            x, y, z = triangles[k]
            owner[x, y], owner[y, z], owner[z, x] = (k, z), (k, x), (k, y)
        stack += [(min(e), max(e)) for e in ((a, u), (u, b), (b, v), (v, a))]
    return triangles


def build():
    at, triangles = points_and_triangles()
    assert all(area2(at, *t) > 0 for t in triangles)
    triangles = np.array(make_delaunay(at.tolist(), triangles))
    free = np.arange(AROUND, RINGS * AROUND)
    n = len(free)
    unknown = np.full(len(at), -1)
    unknown[free] = np.random.RandomState(SEED + 1).permutation(n)
    corner = at[triangles]
    side = np.roll(corner, -2, axis=1) - np.roll(corner, -1, axis=1)  # opposite to each corner
    area = np.array([area2(at, *t) for t in triangles]) / 2
    element = np.einsum("tai,tbi->tab", side, side) / (4 * area)[:, None, None]
    dof = unknown[triangles]
    row, col = np.repeat(dof, 3, axis=1).reshape(-1), np.tile(dof, (1, 3)).reshape(-1)
    keep = (row >= 0) & (col >= 0)
    row, col, value = sum_entries(n, row[keep], col[keep], element.reshape(-1)[keep])
    where = np.empty((n, 2))
    where[unknown[free]] = at[free]
    return n, row, col, value, where


def main():
    n, row, col, value, at = build()
    write_matrix("airfoil.mtx.gz", n, row, col, value, ["Heat conduction around a NACA 0012 profile, linear triangles; made by data/scripts/airfoil.py"], digits=12)
    return {"airfoil": (n, row, col, value, at)}


if __name__ == "__main__":
    main()
