# Tests no rows, one row, diagonal, disconnected, indefinite, NaN, unsorted, duplicates, and arrays
# that are no matrix.
# SPDX-License-Identifier: BSD-3-Clause
import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import kauri


def test_no_rows():
    f = kauri.cholesky(sp.csc_matrix((0, 0)))
    assert f(np.zeros(0)).shape == (0,) and f(np.zeros((0, 3))).shape == (0, 3)
    assert f.logdet() == 0 and f.det() == 1 and f.L().shape == (0, 0) and len(f.P()) == 0 and f.inv().shape == (0, 0)
    assert pickle.loads(pickle.dumps(f))(np.zeros(0)).shape == (0,)


def test_one_row():
    f = kauri.cholesky(sp.csc_matrix([[4.0]]))
    assert f(np.array([2.0])) == [0.5] and f.L().toarray() == [[2.0]] and f.D() == [4.0]


def test_diagonal_and_disconnected():
    d = np.arange(1.0, 9)
    f = kauri.cholesky(sp.diags_array(d))
    assert np.allclose(f(d), 1) and np.array_equal(f.P(), np.arange(8))
    a = sp.block_diag([[[2.0, 1.0], [1.0, 2.0]]] * 5 + [[[3.0]]], format="csc")
    assert np.allclose(a @ kauri.cholesky(a)(np.ones(11)), 1)


@pytest.mark.parametrize("method", ["natural", "amd", "nd"])
def test_indefinite_names_the_column(method):
    d = np.ones(7)
    d[4] = -3
    with pytest.raises(kauri.NotPositiveDefiniteError) as caught:
        kauri.cholesky(sp.diags_array(d), ordering_method=method)
    assert caught.value.column == 4 and caught.value.pivot == -3 and "column 4" in str(caught.value)
    f = caught.value.factor
    assert not f.valid
    f.refactorize(sp.diags_array(d), beta=4)
    assert np.allclose(f(d + 4), 1)
    assert pickle.loads(pickle.dumps(caught.value)).column == 4
    assert isinstance(caught.value, kauri.KauriError)


def test_after_a_failure_it_holds_no_numbers():
    f = kauri.cholesky(sp.eye(3, format="csc"))
    with pytest.raises(kauri.NotPositiveDefiniteError):
        f.refactorize(-sp.eye(3, format="csc"))
    with pytest.raises(kauri.UsageError, match="no numbers"):
        f(np.ones(3))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_not_finite_names_the_entry(bad):
    a = sp.csc_matrix([[4.0, 1.0], [1.0, 3.0]])
    a[1, 0] = a[0, 1] = bad
    with pytest.raises(kauri.InputError, match=r"row 1.*column 0|\(1, 0\)"):
        kauri.cholesky(a)


def test_unsorted_and_repeated_entries():
    rows, cols = np.array([1, 0, 0, 1, 1]), np.array([0, 0, 0, 1, 1])
    a = sp.coo_matrix((np.array([1.0, 2, 2, 1, 2]), (rows, cols)), shape=(2, 2))
    assert np.allclose(kauri.cholesky(a)(np.array([5.0, 4.0])), 1)
    raw = sp.csc_matrix((np.array([1.0, 2, 2, 1, 2]), np.array([1, 0, 0, 1, 1]), np.array([0, 3, 5])), shape=(2, 2))
    assert np.allclose(kauri.cholesky(raw)(np.array([5.0, 4.0])), 1)


def test_a_missing_diagonal_entry_is_zero():
    with pytest.raises(kauri.NotPositiveDefiniteError) as caught:
        kauri.cholesky(sp.csc_matrix([[0.0, 0.0], [0.0, 1.0]]))
    assert caught.value.column == 0


def test_arrays_that_are_no_matrix():
    a = sp.csc_matrix(sp.eye(3))
    a.indices = np.array([0, 1, 7], np.int32)
    with pytest.raises((kauri.InputError, ValueError)):
        kauri.cholesky(a)
    with pytest.raises(kauri.UsageError):
        kauri.cholesky(np.ones(3))
    with pytest.raises(kauri.UsageError):
        kauri.cholesky(np.array([["a"]]))


def test_room_behind_the_entries():
    a = sp.csc_matrix(sp.diags_array([1.0, 2.0, 4.0]))
    a.indices = np.concatenate([a.indices, [2, 2]]).astype(np.int32)
    a.data = np.concatenate([a.data, [5.0, 5.0]])
    assert np.allclose(kauri.cholesky(a)(np.array([1.0, 2.0, 4.0])), 1)


def test_device_that_is_not_there():
    if kauri.cuda_available():
        pytest.skip("there is a device")
    with pytest.raises(kauri.DeviceError):
        kauri.cholesky(sp.eye(3, format="csc"), backend="cuda")


def test_singular():
    with pytest.raises(kauri.NotPositiveDefiniteError):
        kauri.cholesky(sp.csc_matrix(np.ones((3, 3))))
