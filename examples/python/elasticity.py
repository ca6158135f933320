# Computes plane stress in a plate with a hole, pulled at both ends, by linear triangles, and
# compares the stress at the hole's edge, three times the pull by Kirsch (1898), with that of the
# elements. The model is a quarter of the plate; the other three are mirror images.
# SPDX-License-Identifier: BSD-3-Clause
import sys

import numpy as np
import scipy.sparse as sp

import kauri

SIDE, HOLE = 8.0, 1.0  # half the plate's width, and the radius
YOUNG, POISSON, PULL = 210e9, 0.3, 1e6
ACROSS, OUTWARDS = 64, 96


def mesh():
    """Returns (points, triangles) between the arc of the hole and the sides of the square, finer
    towards the hole."""
    turn = np.linspace(0, np.pi / 2, ACROSS + 1)
    arc = HOLE * np.column_stack([np.cos(turn), np.sin(turn)])
    rim = SIDE * arc / np.abs(arc).max(axis=1, keepdims=True)
    share = np.linspace(0, 1, OUTWARDS + 1)[:, None, None] ** 2.2
    points = ((1 - share) * arc + share * rim).reshape(-1, 2)
    a = (np.arange(OUTWARDS)[:, None] * (ACROSS + 1) + np.arange(ACROSS)).ravel()
    b, c, d = a + 1, a + ACROSS + 1, a + ACROSS + 2
    return points, np.vstack([np.column_stack([a, c, d]), np.column_stack([a, d, b])])


def strains(points, triangles):
    """Returns (B, area): B[t] maps the six displacements of triangle t to its strains xx, yy, 2
    xy."""
    corner = points[triangles]
    edge = corner[:, [2, 0, 1]] - corner[:, [1, 2, 0]]
    twice = edge[:, 0, 0] * edge[:, 1, 1] - edge[:, 0, 1] * edge[:, 1, 0]
    grad = np.stack([-edge[:, :, 1], edge[:, :, 0]], axis=-1) / twice[:, None, None]
    b = np.zeros((len(triangles), 3, 6))
    b[:, 0, 0::2] = b[:, 2, 1::2] = grad[:, :, 0]
    b[:, 1, 1::2] = b[:, 2, 0::2] = grad[:, :, 1]
    return b, np.abs(twice) / 2


def main():
    points, triangles = mesh()
    elastic = YOUNG / (1 - POISSON**2) * np.array([[1, POISSON, 0], [POISSON, 1, 0], [0, 0, (1 - POISSON) / 2]])
    b, area = strains(points, triangles)
    local = np.einsum("tki,kl,tlj,t->tij", b, elastic, b, area)
    unknown = (2 * triangles[:, :, None] + [0, 1]).reshape(-1, 6)
    row, col = np.broadcast_arrays(unknown[:, :, None], unknown[:, None, :])
    n = 2 * len(points)
    stiffness = sp.coo_array((local.ravel(), (row.ravel(), col.ravel())), shape=(n, n)).tocsc()

    load = np.zeros(n)
    end = np.flatnonzero(points[:, 0] > SIDE - 1e-9)
    end = end[np.argsort(points[end, 1])]
    length = np.diff(points[end, 1])
    load[2 * end[:-1]] += PULL * length / 2
    load[2 * end[1:]] += PULL * length / 2
    held = np.concatenate([2 * np.flatnonzero(points[:, 0] < 1e-9), 2 * np.flatnonzero(points[:, 1] < 1e-9) + 1])  # planes of symmetry
    free = np.setdiff1d(np.arange(n), held)

    factor = kauri.cholesky(stiffness[free][:, free], triangle="lower")  # the halves differ by rounding
    moved = np.zeros(n)
    moved[free] = factor.solve(load[free], refine=1)
    stress = np.einsum("kl,tlj,tj->tk", elastic, b, moved[unknown])[:, 0]
    top = np.flatnonzero((triangles == ACROSS).any(axis=1))  # triangles at the point of the hole that is farthest across the pull
    concentration = stress[top].max() / PULL
    narrow = 3 * (1 + 0.6 * (HOLE / SIDE) ** 2)  # correction for the finite width of the plate
    print(f"{len(free)} unknowns, {factor.nnz} entries of L: {concentration:.2f} times the pull at the hole, {narrow:.2f} expected")
    return 0 if abs(concentration / narrow - 1) < 0.05 else 1


if __name__ == "__main__":
    sys.exit(main())
