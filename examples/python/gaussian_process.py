# Fits a Gaussian process with a sparse precision: a Matern field as the solution of (kappa^2 -
# Laplacian) u = white noise (Lindgren, Rue & Lindstrom 2011), measured at some places with noise.
# The range comes from maximum likelihood, then mean and standard deviations everywhere. A dense
# covariance would take n^3 operations; here log-determinants, solves and the selected inverse of
# sparse matrices suffice.
# SPDX-License-Identifier: BSD-3-Clause
import sys

import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize_scalar

import kauri

WIDTH, NOISE, TRUE_RANGE = 70, 0.1, 12.0  # in grid steps; at the range the correlation is about 0.1


def grid_laplacian(width):
    path = sp.diags_array([-np.ones(width - 1), np.concatenate([[1.0], 2 * np.ones(width - 2), [1.0]]), -np.ones(width - 1)], offsets=[-1, 0, 1])
    eye = sp.eye_array(width)
    return sp.csc_array(sp.kron(path, eye) + sp.kron(eye, path))


LAPLACIAN = grid_laplacian(WIDTH)


def precision(reach):
    """Returns the precision of a field with variance about one and this range."""
    kappa2 = 8.0 / reach**2
    operator = kappa2 * sp.eye_array(WIDTH**2) + LAPLACIAN
    return sp.csc_array(operator @ operator) / (4 * np.pi * kappa2)


def main():
    rng = np.random.default_rng(7)
    n = WIDTH**2
    prior = kauri.cholesky(precision(TRUE_RANGE))
    truth = prior.apply_Pt(prior.solve_Lt(rng.standard_normal(n), use_LDLt_decomposition=False))  # L'^-1 z: a sample
    places = rng.choice(n, n // 3, replace=False)
    measured = truth[places] + NOISE * rng.standard_normal(len(places))
    information = np.zeros(n)
    information[places] = 1 / NOISE**2
    weighted = np.zeros(n)
    weighted[places] = measured / NOISE**2

    before, after = kauri.analyze(precision(TRUE_RANGE)), kauri.analyze(precision(TRUE_RANGE))  # one pattern, analysed once

    def fill(reach):
        q = precision(reach)
        before.refactorize(q)
        after.refactorize(q + sp.diags_array(information))
        return after(weighted)

    def minus_log_likelihood(log_reach):
        mean = fill(np.exp(log_reach))
        squares = measured @ measured / NOISE**2 - weighted @ mean
        return 0.5 * (after.logdet() - before.logdet() + squares)

    best = minimize_scalar(minus_log_likelihood, bounds=(np.log(3), np.log(40)), method="bounded", options={"xatol": 0.01})
    reach = float(np.exp(best.x))
    mean = fill(reach)
    deviation = np.sqrt(after.inverse_diagonal())
    unseen = np.setdiff1d(np.arange(n), places)
    score = (truth[unseen] - mean[unseen]) / deviation[unseen]
    error = np.sqrt(np.mean(np.square(truth[unseen] - mean[unseen])))
    print(f"{n} points, {len(places)} measured: range {reach:.1f} ({TRUE_RANGE:.0f} is true); where nothing was measured the error is {error:.2f} of "
          f"{truth.std():.2f}, and {np.std(score):.2f} standard deviations as told")
    return 0 if 0.6 < reach / TRUE_RANGE < 1.6 and error < 0.5 * truth.std() and 0.85 < np.std(score) < 1.15 else 1


if __name__ == "__main__":
    sys.exit(main())
