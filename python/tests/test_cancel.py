# Tests that tokens, Ctrl-C and asyncio tasks end long calls and leave all objects usable.
# SPDX-License-Identifier: BSD-3-Clause
import asyncio
import os
import signal
import threading

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import LIMIT_SECONDS, poisson

import kauri
import kauri.aio


def grid(k):
    """Returns a k x k x k grid, whose factorisation in natural order takes about k^7 operations."""
    line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(k, k))
    eye = sp.eye_array(k)
    return sp.csc_array(sp.kron(sp.kron(line, eye), eye) + sp.kron(sp.kron(eye, line), eye) + sp.kron(sp.kron(eye, eye), line))


def test_a_token_that_was_asked_to_stop():
    token = kauri.CancelToken()
    a = poisson(20)
    f = kauri.cholesky(a, cancel=token)
    token.cancel()
    assert token.cancelled
    for call in (lambda: kauri.cholesky(a, cancel=token), lambda: kauri.analyze(a, cancel=token), lambda: f.refactorize(a, cancel=token)):
        with pytest.raises(kauri.Cancelled):
            call()
    f.refactorize(a)
    for call in (lambda: f.solve(np.ones(f.n), cancel=token), lambda: f.inverse_diagonal(cancel=token)):
        with pytest.raises(kauri.Cancelled):
            call()
    assert np.allclose(a @ f(np.ones(f.n)), 1)


@pytest.fixture(scope="module")
def long_one():
    a = grid(24)
    return a, kauri.analyze(a, ordering_method="natural", threads=1)


def test_a_token_from_another_thread(long_one):
    a, f = long_one
    token = kauri.CancelToken()
    timer = threading.Timer(0.05, token.cancel)
    timer.start()
    with pytest.raises(kauri.Cancelled):
        for _ in range(1000):
            f.refactorize(a, cancel=token)
    timer.join(LIMIT_SECONDS)


@pytest.fixture
def ctrl_c():
    """Enables Ctrl-C as at a terminal; tests that run in the background inherit it as ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_ctrl_c(long_one, ctrl_c):
    a, f = long_one
    timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        for _ in range(1000):
            f.refactorize(a)
    timer.join(LIMIT_SECONDS)
    small = kauri.cholesky(poisson(5))
    assert np.allclose(poisson(5) @ small(np.ones(25)), 1)


def test_what_fails_in_the_helper_thread_comes_out(long_one):
    a, f = long_one
    b = a.copy()
    b.data = b.data.copy()
    b[5, 5] = -1.0
    with pytest.raises(kauri.NotPositiveDefiniteError) as caught:
        f.refactorize(b)
    assert caught.value.column == 5
    b[5, 5] = np.nan
    with pytest.raises(kauri.InputError):
        f.refactorize(b)


def test_asyncio(long_one):
    a, f = long_one

    async def finished():
        g = await kauri.aio.cholesky(poisson(10), 1.0)
        h = await kauri.aio.analyze(poisson(10))
        k = await kauri.aio.cholesky_AAt(poisson(10))
        return g, h, k

    g, h, k = asyncio.run(finished())
    assert g.valid and not h.valid and k.valid

    async def cancelled():
        async def long():
            for _ in range(1000):
                await kauri.aio.run(f.refactorize, a)

        task = asyncio.create_task(long())
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())

    async def failed():
        await kauri.aio.cholesky(-poisson(3))

    with pytest.raises(kauri.NotPositiveDefiniteError):
        asyncio.run(failed())
