# Estimates the state of a power grid (direct current): phase angles of the buses from measured
# flows and injections, by weighted least squares. A wrong measurement shows by its residual over
# that residual's standard deviation, which the selected inverse gives.
# SPDX-License-Identifier: BSD-3-Clause
import sys

import numpy as np
import scipy.sparse as sp

import kauri

RINGS, BUSES = 40, 25  # rings of buses, the rings in a ring
FLOW, INJECTION = 0.01, 0.02  # standard deviations of flows, which are about one, and of injections


def lines(rng):
    """Returns (from, to, susceptance) of the grid's lines."""
    a, b = [], []
    for ring in range(RINGS):
        first = ring * BUSES
        a += [first + k for k in range(BUSES)]
        b += [first + (k + 1) % BUSES for k in range(BUSES)]
        for tie in (0, 9):
            a.append(first + tie)
            b.append((ring + 1) % RINGS * BUSES + (tie + 4) % BUSES)
    return np.array(a), np.array(b), rng.uniform(5, 20, len(a))


def main():
    rng = np.random.default_rng(5)
    a, b, susceptance = lines(rng)
    n, m = RINGS * BUSES, len(a)
    number = np.arange(m)
    incidence = sp.coo_array((np.concatenate([np.ones(m), -np.ones(m)]), (np.concatenate([number, number]), np.concatenate([a, b]))),
                             shape=(m, n)).tocsr()
    flows = sp.diags_array(susceptance) @ incidence
    measures = sp.csr_array(sp.vstack([flows, incidence.T @ flows]))[:, 1:]  # bus 0 has angle 0
    deviation = np.concatenate([np.full(m, FLOW), np.full(n, INJECTION)])

    truth = 0.1 * rng.standard_normal(n - 1)
    measured = measures @ truth + deviation * rng.standard_normal(m + n)
    wrong = 137
    measured[wrong] += 0.4
    weighted = sp.diags_array(1 / deviation) @ measures
    factor = kauri.cholesky_AAt(weighted.T)  # H^T W H
    angle = factor(weighted.T @ (measured / deviation))
    residual = (measured - measures @ angle) / deviation

    # The variance of a residual is 1 - h (H^T W H)^-1 h^T; for flows it needs entries of the
    # inverse only where the matrix has entries.
    inverse = sp.csr_array(factor.inverse_entries())
    covered = np.asarray((weighted[:m] @ inverse).multiply(weighted[:m]).sum(axis=1)).ravel()
    normal = np.abs(residual[:m]) / np.sqrt(1 - covered)
    worst = int(normal.argmax())
    print(f"{n} buses, {m + n} measurements: angles within {np.abs(angle - truth).max():.4f}; of the flows the least likely is that of line {worst}, "
          f"{normal[worst]:.1f} standard deviations off")

    kept = np.delete(np.arange(m + n), worst)
    again = kauri.cholesky_AAt(weighted[kept].T)
    better = again(weighted[kept].T @ (measured / deviation)[kept])
    print(f"without it: angles within {np.abs(better - truth).max():.4f}")
    small = np.abs(better - truth).max() < np.abs(angle - truth).max()
    return 0 if worst == wrong and normal[worst] > 5 and small else 1


if __name__ == "__main__":
    sys.exit(main())
