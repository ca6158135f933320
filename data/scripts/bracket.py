#!/usr/bin/env python3
"""bracket.mtx.gz: linear elasticity of a steel angle bracket, two plates of 80 x 80 x 8 mm joined along an edge, two bolt holes of 18 mm
diameter in each. Trilinear bricks (Hughes, The Finite Element Method, 1987), E = 210 GPa, nu = 0.3, units N and mm. The bolt holes of the
upright plate are clamped; bracket_b.mtx.gz is 1000 N downwards, spread over the bolt holes of the shelf.

The mesh is made of square tiles of 40 mm: plain ones, and ones with a hole, whose rings of cells go from the circle to the square. Nodes are
numbered through the thickness first. Values are rounded to 9 digits.
"""
# SPDX-License-Identifier: BSD-3-Clause
import numpy as np

from common import sum_entries, write_array, write_matrix

TILE, THICK, RADIUS = 40.0, 8.0, 9.0
SIDE, RINGS, LAYERS = 8, 5, 6  # cells along a tile's edge, between hole and edge, through the thickness
YOUNG, POISSON = 210e3, 0.3


def plain_tile():
    g = np.linspace(0, TILE, SIDE + 1)
    quads = []
    for i in range(SIDE):
        for j in range(SIDE):
            quads.append([(g[i], g[j]), (g[i + 1], g[j]), (g[i + 1], g[j + 1]), (g[i], g[j + 1])])
    return np.array(quads)


def holed_tile():
    """Returns rings of cells between the circle and the square; the spokes end at equal steps on
    the square's edges."""
    t = np.linspace(0, TILE, SIDE + 1)[:-1]
    zero, full = np.zeros(SIDE), np.full(SIDE, TILE)
    edge = np.concatenate([np.c_[t, zero], np.c_[full, t], np.c_[TILE - t, full], np.c_[zero, TILE - t]])
    mid = TILE / 2
    angle = np.arctan2(edge[:, 1] - mid, edge[:, 0] - mid)
    circle = mid + RADIUS * np.c_[np.cos(angle), np.sin(angle)]
    share = (np.arange(RINGS + 1) / RINGS) ** 1.3  # smaller cells at the hole
    ring = [circle * (1 - s) + edge * s for s in share]
    quads = []
    for a, b in zip(ring[:-1], ring[1:]):
        for k in range(4 * SIDE):
            l = (k + 1) % (4 * SIDE)
            quads.append([a[k], a[l], b[l], b[k]])
    return np.array(quads)[:, ::-1]  # anticlockwise


def plate():
    """Returns the cells of 2 x 2 tiles with holes in the outer row: shape (cells, 4, 2)."""
    return np.concatenate([plain_tile(), plain_tile() + [0, TILE], holed_tile() + [TILE, 0], holed_tile() + [TILE, TILE]])


def corner():
    """Returns the corner where the plates meet: thickness x width, as cells in the shelf's plane
    left of x = 0."""
    gx, gy = np.linspace(-THICK, 0, LAYERS + 1), np.linspace(0, 2 * TILE, 2 * SIDE + 1)
    return np.array([[(gx[i], gy[j]), (gx[i + 1], gy[j]), (gx[i + 1], gy[j + 1]), (gx[i], gy[j + 1])] for i in range(LAYERS) for j in range(2 * SIDE)])


def extrude(quads):
    """Returns bricks above each quadrilateral, layer by layer: shape (cells, LAYERS, 8, 3), third
    coordinate 0 to THICK."""
    z = np.linspace(0, THICK, LAYERS + 1)
    bricks = np.empty((len(quads), LAYERS, 8, 3))
    bricks[:, :, :4, :2] = bricks[:, :, 4:, :2] = quads[:, None]
    bricks[:, :, :4, 2] = z[None, :-1, None]
    bricks[:, :, 4:, 2] = z[None, 1:, None]
    return bricks


def stiffness(corners):
    """Returns the element matrix (24 x 24) of one brick by 2 x 2 x 2 Gauss points; corners (8, 3),
    counted round the bottom, then the top."""
    sign = np.array([[-1, -1, -1], [1, -1, -1], [1, 1, -1], [-1, 1, -1], [-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]])
    la, mu = YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON)), YOUNG / (2 * (1 + POISSON))
    k = np.zeros((8, 3, 8, 3))
    for q in sign / np.sqrt(3):
        f = 1 + sign * q
        local = sign * np.c_[f[:, 1] * f[:, 2], f[:, 0] * f[:, 2], f[:, 0] * f[:, 1]] / 8
        jacobian = local.T @ corners
        volume = np.linalg.det(jacobian)
        assert volume > 0
        g = local @ np.linalg.inv(jacobian).T
        gg = np.einsum("ai,bj->aibj", g, g)
        k += volume * (la * gg + mu * gg.transpose(0, 3, 2, 1) + mu * np.einsum("ab,ij->aibj", g @ g.T, np.eye(3)))
    return k.reshape(24, 24)


def mesh():
    """Returns bricks (count, 8, 3) with the stiffness that each shares with its whole stack."""
    shelf = np.concatenate([extrude(plate()), extrude(corner())])  # in place: x along, y across, z up
    upright = extrude(plate())  # drawn flat: along is up, the thickness points to -x
    upright = np.stack([-upright[..., 2], upright[..., 1], THICK + upright[..., 0]], axis=-1)
    return np.concatenate([shelf, upright])


def number_nodes(stacks):
    """Returns the nodes in the order of the file, and those of each brick. They are numbered
    through the thickness first: z inside (x, y) for the shelf, x inside (y, z) above it. Equal
    columns of the matrix are then close together, and the file compresses well."""
    key = np.round(stacks.reshape(-1, 3), 6) + 0.0
    points, number = np.unique(key, axis=0, return_inverse=True)
    up = points[:, 2] > THICK + 1e-6
    order = np.lexsort((np.where(up, -points[:, 0], points[:, 2]), points[:, 1], np.where(up, points[:, 2], points[:, 0]), up))
    rank = np.empty(len(points), dtype=np.int64)
    rank[order] = np.arange(len(points))
    return points[order], rank[number.reshape(-1)].reshape(-1, LAYERS, 8)


def on_hole(along, across):
    near = [np.hypot(along - 1.5 * TILE, across - c * TILE) < RADIUS + 1e-3 for c in (0.5, 1.5)]
    return near[0] | near[1]


def build():
    """Returns n, the lower triangle (row, col, value), the load, and the place of each unknown."""
    stacks = mesh()
    element = np.array([stiffness(s[0]) for s in stacks])  # equal for each layer of a stack, bit for bit
    points, nodes = number_nodes(stacks)
    up = points[:, 2] > THICK + 1e-6
    clamped = up & on_hole(points[:, 2] - THICK, points[:, 1])
    loaded = ~up & on_hole(points[:, 0], points[:, 1])
    unknown = np.full(len(points), -10)
    unknown[~clamped] = np.arange(np.count_nonzero(~clamped))
    n = 3 * np.count_nonzero(~clamped)
    dof = (3 * unknown[nodes][..., None] + np.arange(3)).reshape(-1, LAYERS, 24)
    row = np.broadcast_to(dof[..., :, None], dof.shape + (24,)).reshape(-1)
    col = np.broadcast_to(dof[..., None, :], dof.shape + (24,)).reshape(-1)
    value = np.broadcast_to(element[:, None], (len(element), LAYERS, 24, 24)).reshape(-1)
    keep = (row >= 0) & (col >= 0)
    row, col, value = sum_entries(n, row[keep], col[keep], value[keep])
    value[np.abs(value) < 1e-10 * np.max(np.abs(value))] = 0  # these cancel up to rounding
    b = np.zeros(n)
    b[3 * unknown[loaded] + 2] = -1000.0 / np.count_nonzero(loaded)
    return n, row, col, value, b, np.repeat(points[~clamped], 3, axis=0)


def main():
    n, row, col, value, b, at = build()
    about = ["Steel angle bracket, linear elasticity, trilinear bricks, N and mm; made by data/scripts/bracket.py"]
    value = write_matrix("bracket.mtx.gz", n, row, col, value, about, digits=9)
    write_array("bracket_b.mtx.gz", b, ["Load of bracket.mtx.gz: 1000 N downwards, spread over the bolt holes of the shelf"])
    return {"bracket": (n, row, col, value, at)}


if __name__ == "__main__":
    main()
