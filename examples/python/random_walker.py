# Segments an image by random walks (Grady, Random Walks for Image Segmentation, 2006): a pixel
# belongs to the region whose seeds a walk that avoids edges most often reaches first. These
# probabilities solve Laplacian systems: one factor, a column for each region but one.
# SPDX-License-Identifier: BSD-3-Clause
import sys

import numpy as np
import scipy.sparse as sp

import kauri

SIZE, NOISE, SHARPNESS = 160, 0.12, 500.0


def picture(rng):
    """Returns (grey values, true regions) of a disc and a bar on a background, with noise."""
    y, x = np.mgrid[0:SIZE, 0:SIZE] / SIZE
    region = np.zeros((SIZE, SIZE), dtype=int)
    region[(x - 0.34) ** 2 + (y - 0.4) ** 2 < 0.045] = 1
    region[(x > 0.62) & (x < 0.8) & (y > 0.2) & (y < 0.85)] = 2
    return np.array([0.2, 0.55, 0.9])[region] + NOISE * rng.standard_normal(region.shape), region


def weights(image):
    """Returns pairs of neighbouring pixels, and how easily a walk goes from one to the other."""
    index = np.arange(image.size).reshape(image.shape)
    a = np.concatenate([index[:, :-1].ravel(), index[:-1].ravel()])
    b = np.concatenate([index[:, 1:].ravel(), index[1:].ravel()])
    return a, b, np.exp(-SHARPNESS * np.square(image.ravel()[a] - image.ravel()[b])) + 1e-6


def main():
    image, region = picture(np.random.default_rng(3))
    smooth = image.copy()
    for _ in range(4):  # smooths the image for the weights: noise is not an edge
        smooth[1:-1, 1:-1] = (smooth[1:-1, 1:-1] * 4 + smooth[:-2, 1:-1] + smooth[2:, 1:-1] + smooth[1:-1, :-2] + smooth[1:-1, 2:]) / 8
    a, b, w = weights(smooth)
    n = image.size
    beside = sp.coo_array((np.concatenate([w, w]), (np.concatenate([a, b]), np.concatenate([b, a]))), shape=(n, n)).tocsc()
    laplacian = sp.csc_array(sp.diags_array(beside.sum(axis=0)) - beside)

    seed = np.full((SIZE, SIZE), -1)
    seed[[3, -4], 3:-3] = seed[3:-3, [3, -4]] = 0  # a user's strokes: around all, between the figures, and through each of them
    seed[20:140, 92] = 0
    seed[50:78, 52:56] = 1
    seed[45:120, 113] = 2
    seed = seed.ravel()
    marked, open_ = np.flatnonzero(seed >= 0), np.flatnonzero(seed < 0)
    known = np.stack([seed[marked] == label for label in range(3)], axis=1).astype(float)

    factor = kauri.cholesky(laplacian[open_][:, open_])
    reach = np.empty((n, 3))
    reach[marked] = known
    reach[open_, 1:] = factor(-(laplacian[open_][:, marked] @ known[:, 1:]))
    reach[open_, 0] = 1 - reach[open_, 1:].sum(axis=1)
    found = reach.argmax(axis=1).reshape(SIZE, SIZE)
    right = (found == region).mean()
    print(f"{len(open_)} pixels, {len(marked)} seeds: {100 * right:.1f} % as drawn; a threshold of the grey values {100 * threshold(image, region):.1f} %")
    inside = (reach > -1e-12).all() and (reach < 1 + 1e-12).all()  # they are probabilities
    return 0 if right > 0.97 and inside else 1


def threshold(image, region):
    return (np.digitize(image, [0.375, 0.725]) == region).mean()


if __name__ == "__main__":
    sys.exit(main())
