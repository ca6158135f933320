# Matrices that several tests use, and the limit of each test.
# SPDX-License-Identifier: BSD-3-Clause
import faulthandler
import os
import sys
import time

import numpy as np
import pytest
import scipy.sparse as sp

LIMIT_SECONDS = 1200  # a limit for tests that hang, not for slow ones
os.environ["MPLBACKEND"] = "Agg"  # no screen


def poisson(k, dtype=np.float64):
    """Returns the five-point Laplacian of a k x k grid."""
    line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(k, k))
    eye = sp.eye_array(k)
    return sp.csc_matrix(sp.kron(line, eye) + sp.kron(eye, line)).astype(dtype)


def random_spd(n, seed, density=0.1):
    """Returns a matrix with random entries in both halves and a dominant diagonal."""
    rng = np.random.default_rng(seed)
    half = sp.random(n, n, density, random_state=rng, format="csc")
    a = half + half.T
    return sp.csc_matrix(a + sp.diags_array(np.abs(a).sum(axis=1).A1 if hasattr(a, "A1") else np.asarray(np.abs(a).sum(axis=1)).ravel() + 1.0))


def eliminated(b):
    """Returns the pattern of L of a symmetric pattern: eliminating a row joins all later rows that
    it meets."""
    low = b.copy()
    n = len(b)
    for k in range(n):
        below = k + 1 + np.flatnonzero(low[k + 1 :, k])
        low[np.ix_(below, below)] = True
    return np.tril(low) if n else low


def finish(threads, seconds=LIMIT_SECONDS):
    """Joins all threads within ``seconds`` seconds."""
    end = time.monotonic() + seconds
    for thread in threads:
        thread.join(max(0.0, end - time.monotonic()))
    assert not any(thread.is_alive() for thread in threads), f"threads are at work after {seconds} s"


@pytest.fixture
def a():
    return random_spd(40, 1)


def pytest_configure(config):
    config.stash[STDERR] = os.fdopen(os.dup(sys.__stderr__.fileno()), "w")  # pytest does not capture this one
    config.addinivalue_line("markers", "plain: on a device, with arrays of NumPy alone")
    for name in ("cupy", "torch", "jax"):
        config.addinivalue_line("markers", f"{name}: on a device, with arrays of this library")


STDERR = pytest.StashKey()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Ends the run with a traceback of each thread if a test runs for twice the limit of a wait."""
    faulthandler.dump_traceback_later(2 * LIMIT_SECONDS, exit=True, file=item.config.stash[STDERR])
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


MEASURED = []


@pytest.fixture
def measured():
    """Returns measured(text), which adds a line to the end of the run."""
    return MEASURED.append


def pytest_terminal_summary(terminalreporter):
    for line in MEASURED:
        terminalreporter.write_line(f"measured: {line}")
