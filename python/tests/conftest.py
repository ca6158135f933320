# Matrices that several tests use.
# SPDX-License-Identifier: BSD-3-Clause
import os

import numpy as np
import pytest
import scipy.sparse as sp

os.environ["MPLBACKEND"] = "Agg"  # no screen


def poisson(k, dtype=np.float64):
    """The five-point Laplacian of a k x k grid."""
    line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(k, k))
    eye = sp.eye_array(k)
    return sp.csc_matrix(sp.kron(line, eye) + sp.kron(eye, line)).astype(dtype)


def random_spd(n, seed, density=0.1):
    """Random entries on both halves, and a diagonal that dominates them."""
    rng = np.random.default_rng(seed)
    half = sp.random(n, n, density, random_state=rng, format="csc")
    a = half + half.T
    return sp.csc_matrix(a + sp.diags_array(np.abs(a).sum(axis=1).A1 if hasattr(a, "A1") else np.asarray(np.abs(a).sum(axis=1)).ravel() + 1.0))


@pytest.fixture
def a():
    return random_spd(40, 1)


def pytest_configure(config):
    config.addinivalue_line("markers", "plain: on a device, with arrays of NumPy alone")
    for name in ("cupy", "torch", "jax"):
        config.addinivalue_line("markers", f"{name}: on a device, with arrays of this library")


MEASURED = []


@pytest.fixture
def measured():
    """measured(text): a line for the end of the run."""
    return MEASURED.append


def pytest_terminal_summary(terminalreporter):
    for line in MEASURED:
        terminalreporter.write_line(f"measured: {line}")
