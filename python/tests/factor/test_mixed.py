# Tests kauri.MixedFactor: solutions as accurate as those in double, the paths that lead to them,
# and refusals.
# SPDX-License-Identifier: BSD-3-Clause
import pickle
import threading

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import finish, poisson, random_spd

import kauri

EPS = np.finfo(np.float64).eps


def componentwise(a, x, b):
    return (np.abs(b - a @ x) / (abs(a) @ np.abs(x) + np.abs(b))).max()


@pytest.mark.parametrize("a", [poisson(30), random_spd(60, 3), sp.csc_matrix([[4.0]])])
def test_solutions_are_those_in_double(a):
    f = kauri.cholesky_mixed(a)
    n = f.n
    wide = np.random.default_rng(1).standard_normal((n, 40))
    for b in (wide[:, 0].copy(), wide, np.asfortranarray(wide), wide[:, ::2], wide[:, :0], np.ones(n, int), wide[:, :2].tolist()):
        x = f(b)
        given = np.asarray(b)
        assert x.shape == given.shape and x.dtype == np.float64
        assert given.size == 0 or componentwise(a, x, given) <= 4 * EPS
    assert f.shape == a.shape and f.valid and not f.in_double and f.report()["precision"] == "mixed"
    f.refactorize(2 * a, beta=1)
    assert componentwise(2 * a + sp.eye(n), f(wide), wide) <= 4 * EPS
    f.refactorize_values(kauri.cholesky(a)._numbers.values())
    assert componentwise(a, f(wide), wide) <= 4 * EPS
    g = pickle.loads(pickle.dumps(f))
    assert np.array_equal(g(wide), f(wide))


def test_the_precision_may_be_left_to_the_device():
    """On the CPU the automatic choice is a factor in float64, with refined solutions."""
    a, b = poisson(20), np.arange(400.0)
    f = kauri.cholesky_mixed(a, precision="auto", backend="cpu")
    report = f.report()
    assert (report["precision"], report["precision_reason"], report["scalar_bytes"]) == ("full", "full: on the CPU", 8)
    assert f.in_double and f.valid and report["precisions"] is None
    for matrix in (a, 2 * a):
        f.refactorize(matrix)
        assert componentwise(matrix, f(b), b) <= 4 * EPS
    g = pickle.loads(pickle.dumps(f))
    assert g.report()["precision"] == "full" and np.array_equal(g(b), f(b))
    f.refactorize_values(kauri.cholesky(a)._numbers.values(), beta=1)
    assert componentwise(a + sp.eye_array(400), f(b), b) <= 4 * EPS
    with pytest.raises(kauri.UsageError, match="precision 'full': expected mixed or auto"):
        kauri.cholesky_mixed(a, precision="full")


def test_solves_wait_while_it_is_filled_anew():
    a = poisson(40)
    f = kauri.cholesky_mixed(a)
    b = np.ones(f.n)
    answers, wrong, done = [f(b), f(b) / 2], [], threading.Event()

    def solve():
        try:
            while not done.is_set():
                x = f(b)
                if not any(np.allclose(x, y, rtol=1e-9) for y in answers):
                    wrong.append(x)
        except Exception as error:  # the thread that asserts reports it
            wrong.append(error)

    threads = [threading.Thread(target=solve) for _ in range(3)]
    for t in threads:
        t.start()
    for k in range(100):
        f.refactorize((2 - k % 2) * a)
    done.set()
    finish(threads)
    assert not wrong


def test_no_rows():
    f = kauri.cholesky_mixed(sp.csc_matrix((0, 0)))
    assert f(np.zeros((0, 2))).shape == (0, 2) and pickle.loads(pickle.dumps(f))(np.zeros(0)).shape == (0,)


def test_ill_conditioned_ones_are_solved_in_double():
    h = sp.csc_matrix(1 / (1 + np.add.outer(np.arange(9.0), np.arange(9.0))))
    f = kauri.cholesky_mixed(h)
    x = f(np.ones(9))
    assert componentwise(h, x, np.ones(9)) <= 4 * EPS
    assert f.in_double or f.report()["mixed"]["path"] != "refinement"


def test_columns_that_do_not_converge_are_told():
    f = kauri.cholesky_mixed(poisson(10))
    b = np.ones((100, 3))
    b[7, 1] = np.nan
    with pytest.warns(RuntimeWarning, match="1 columns did not converge") as told:
        x = f(b)
    assert told[0].filename == __file__
    assert np.isnan(x[:, 1]).any() and np.array_equal(x[:, 0], f(b[:, 0]))


def test_what_is_refused():
    with pytest.raises(kauri.NotPositiveDefiniteError) as caught:
        kauri.cholesky_mixed(sp.diags_array([1.0, -2.0, 3.0]))
    assert caught.value.column == 1 and isinstance(caught.value.factor, kauri.MixedFactor)
    f = caught.value.factor
    with pytest.raises(kauri.UsageError, match="no numbers"):
        f(np.ones(3))
    f.refactorize(sp.diags_array([1.0, 2.0, 3.0]))
    for b in (np.ones(4), np.ones((3, 1, 1)), sp.eye_array(3)):
        with pytest.raises(kauri.UsageError):
            f(b)
    for values in (np.ones(2), np.ones((3, 1))):
        with pytest.raises(kauri.UsageError, match="shape"):
            f.refactorize_values(values)
    with pytest.raises(kauri.UsageError, match="cholesky_mixed"):
        kauri.cholesky(sp.eye_array(3), precision="mixed")
    token = kauri.CancelToken()
    token.cancel()
    with pytest.raises(kauri.Cancelled):
        kauri.cholesky_mixed(poisson(20), cancel=token)
