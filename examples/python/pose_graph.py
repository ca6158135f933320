# Estimates the path of a robot in the plane from noisy measurements between its poses, by
# Gauss-Newton: one pattern and one analysis, new values in each iteration. The path by odometry
# alone drifts; where the robot met its own path again, the loops are closed.
# SPDX-License-Identifier: BSD-3-Clause
import sys

import numpy as np
import scipy.sparse as sp

import kauri

LANES, LANE = 30, 40
SPREAD = np.array([0.02, 0.02, 0.005])  # standard deviations of a measurement: along, across, heading


def wrapped(angle):
    return np.remainder(angle + np.pi, 2 * np.pi) - np.pi


def seen(a, b):
    """Returns poses b as seen from poses a, with rows x, y, heading."""
    c, s, d = np.cos(a[2]), np.sin(a[2]), b - a
    return np.stack([c * d[0] + s * d[1], c * d[1] - s * d[0], wrapped(d[2])])


def true_path():
    """Returns a path up and down in lanes, with one pose per unit."""
    lane, k = np.divmod(np.arange(LANES * LANE), LANE)
    up = lane % 2 == 0
    return np.stack([lane.astype(float), np.where(up, k, LANE - 1 - k).astype(float), np.where(up, 0.5, -0.5) * np.pi])


def pairs():
    """Returns (from, to) of measurements along the path, and between neighbouring lanes at every
    fifth pose."""
    i = np.arange(LANES * LANE - 1)
    lane, k = np.meshgrid(np.arange(LANES - 1), np.arange(0, LANE - 1, 5), indexing="ij")
    return (np.concatenate([i, (lane * LANE + k).ravel()]), np.concatenate([i + 1, ((lane + 2) * LANE - 1 - k).ravel()]))


def normal_equations(path, a, b, measured):
    """Returns (J^T W J, -J^T W e, |W^1/2 e|^2) with the first pose fixed."""
    now = seen(path[:, a], path[:, b])
    e = now - measured
    e[2] = wrapped(e[2])
    c, s, zero, one = np.cos(path[2, a]), np.sin(path[2, a]), np.zeros(len(a)), np.ones(len(a))
    jacobian = np.array([[-c, -s, now[1], c, s, zero], [s, -c, -now[0], -s, c, zero], [zero, zero, -one, zero, zero, one]])
    weighted = jacobian / np.square(SPREAD)[:, None, None]
    local = np.einsum("kim,kjm->mij", weighted, jacobian)
    unknown = np.concatenate([3 * a[:, None] + np.arange(3), 3 * b[:, None] + np.arange(3)], axis=1)
    row, col = np.broadcast_arrays(unknown[:, :, None], unknown[:, None, :])
    n = 3 * path.shape[1]
    first = np.arange(3)
    matrix = sp.coo_array((np.concatenate([local.ravel(), np.full(3, 1e8)]),
                           (np.concatenate([row.ravel(), first]), np.concatenate([col.ravel(), first]))), shape=(n, n)).tocsc()
    right = np.bincount(unknown.ravel(), -np.einsum("kim,km->mi", weighted, e).ravel(), minlength=n)
    return matrix, right, float(np.sum(np.square(e / SPREAD[:, None])))


def main():
    rng = np.random.default_rng(11)
    truth = true_path()
    a, b = pairs()
    measured = seen(truth[:, a], truth[:, b]) + SPREAD[:, None] * rng.standard_normal((3, len(a)))
    path = truth.copy()
    for i in range(1, path.shape[1]):  # odometry only
        c, s = np.cos(path[2, i - 1]), np.sin(path[2, i - 1])
        dx, dy, turn = measured[:, i - 1]
        path[:, i] = path[0, i - 1] + c * dx - s * dy, path[1, i - 1] + s * dx + c * dy, path[2, i - 1] + turn
    drift = np.hypot(*(path - truth)[:2]).max()

    factor, chi = None, np.inf
    for iteration in range(20):
        matrix, right, error = normal_equations(path, a, b, measured)
        print(f"iteration {iteration}: weighted squares {error:.1f}")
        if abs(chi - error) < 1e-6 * error:
            break
        chi = error
        if factor is None:
            factor = kauri.cholesky(matrix, triangle="lower")  # the halves differ by rounding
        else:
            factor.refactorize(matrix)
        path += factor(right).reshape(-1, 3).T
    off = np.hypot(*(path - truth)[:2]).max()
    expected = 3 * (len(a) - path.shape[1] + 1)  # the number of degrees of freedom
    print(f"{path.shape[1]} poses, {len(a)} measurements: {drift:.2f} off by the wheels alone, {off:.2f} at the end; squares {chi:.0f}, about "
          f"{expected} expected")
    return 0 if off < 0.25 * drift and abs(chi / expected - 1) < 0.1 else 1


if __name__ == "__main__":
    sys.exit(main())
