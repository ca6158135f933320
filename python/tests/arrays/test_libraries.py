# Tests arrays and matrices of PyTorch and JAX in host memory, if these are installed.
# SPDX-License-Identifier: BSD-3-Clause
import numpy as np
import pytest
import scipy.sparse as sp
from conftest import poisson

import kauri


@pytest.fixture
def torch():
    return pytest.importorskip("torch", reason="PyTorch is not installed", exc_type=ImportError)


@pytest.fixture
def jax():
    jax = pytest.importorskip("jax", reason="JAX is not installed", exc_type=ImportError)
    jax.config.update("jax_enable_x64", True)
    return jax


A = poisson(4)
B = np.random.default_rng(1).standard_normal(16)


def test_negated_views_have_the_numbers_that_they_stand_for(torch):
    z = torch.complex(torch.from_numpy(B), torch.from_numpy(B))
    b = z.conj().imag  # -B as a view with the negative bit set
    assert b.is_neg() and np.array_equal(b.numpy(force=True), -B)
    f = kauri.cholesky(A)
    for g in (f, kauri.cholesky_mixed(A)):
        assert np.array_equal(g(b).numpy(), g(-B))
    values = torch._neg_view(torch.from_numpy(-f._numbers.values()))
    f.refactorize_values(values)
    assert np.array_equal(f(B), kauri.cholesky(A)(B))
    assert np.array_equal(kauri.cholesky(torch._neg_view(torch.from_numpy(-A.toarray())))(B), kauri.cholesky(A)(B))
    assert np.array_equal(kauri.cholesky(torch._neg_view((-torch.from_numpy(A.toarray())).to_sparse_csr().to_dense()))(B), f(B))


def test_subclasses_of_tensors(torch):
    class Named(torch.Tensor):
        pass

    x = kauri.cholesky(A)(torch.from_numpy(B).as_subclass(Named))
    assert isinstance(x, torch.Tensor) and np.array_equal(x.numpy(), kauri.cholesky(A)(B))


def test_sparse_matrices_of_jax(jax):
    from jax.experimental import sparse

    low, x = sp.tril(A).toarray(), kauri.cholesky(A)(B)
    for kind in (sparse.BCOO, sparse.BCSR, sparse.COO, sparse.CSR, sparse.CSC):
        for triangle, dense in (("both", A.toarray()), ("lower", low), ("upper", low.T)):
            assert np.array_equal(kauri.cholesky(kind.fromdense(dense), triangle=triangle)(B), x), (kind, triangle)
    for padded in (sparse.BCOO.fromdense(A.toarray(), nse=A.nnz + 9), sparse.BCSR.fromdense(A.toarray(), nse=A.nnz + 5)):
        assert np.array_equal(kauri.cholesky(padded)(B), x)
    r = np.triu(np.arange(1.0, 10.0).reshape(3, 3))  # R R' differs from R' R
    f = kauri.cholesky_AAt(sparse.CSC.fromdense(r), beta=1)
    assert np.allclose(f(np.ones(3)), np.linalg.solve(r @ r.T + np.eye(3), np.ones(3)))
    with pytest.raises(kauri.UsageError, match="two dimensions, both of them sparse"):
        kauri.cholesky(sparse.BCOO.fromdense(np.ones((2, 3, 3)), n_batch=1))
    with pytest.raises(kauri.UsageError, match="two dimensions, both of them sparse"):
        kauri.cholesky(sparse.BCOO.fromdense(np.eye(3), n_dense=1))


def test_what_does_not_fit_jax_is_told_before_the_callback(jax):
    from kauri.jax import Cholesky

    c = Cholesky([0, 1, 1], [0, 0, 1], 2)
    good, b = np.array([2.0, 1.0, 2.0]), np.ones(2)
    for values, right, text in ((good[:2], b, r"values of shape \(2,\)"), (good, np.ones(3), r"b of shape \(3,\)"), (good, np.ones((2, 1, 1)), "b of shape"),
                                (good.astype(np.float32), b, "expected the same"), (good.astype(int), b, "expected float32")):
        with pytest.raises(kauri.UsageError, match=text):
            c.solve(values, right)
        with pytest.raises(kauri.UsageError, match=text):
            jax.jit(c.solve)(values, right)
    with pytest.raises(kauri.UsageError, match="values of shape"):
        c.logdet(good[:1])
    with pytest.raises(Exception, match="not positive definite"):  # JAX raises its own type
        c.logdet(np.array([1.0, 2.0, 1.0])).block_until_ready()


def test_half_precision_of_jax(jax):
    from jax.experimental import sparse

    dense = jax.numpy.array([[4, 1, 0], [1, 4, 0], [0, 0, 2]], jax.numpy.float16)
    for a in (dense, sparse.BCOO.fromdense(dense), sparse.BCSR.fromdense(dense)):
        for f in (kauri.cholesky(a), kauri.cholesky_mixed(a)):
            x = f(jax.numpy.array([5, 5, 2], jax.numpy.float16))
            assert f.dtype == x.dtype == np.float64 and np.allclose(x, 1, rtol=1e-14)
        assert np.allclose(kauri.cholesky_AAt(a)(np.array([25.0, 25.0, 4.0])), 1, rtol=1e-13)
    with pytest.raises(kauri.DtypeError, match="bfloat16"):
        kauri.cholesky(dense.astype(jax.numpy.bfloat16))
    with pytest.raises(kauri.DtypeError, match="b is of float64"):
        kauri.cholesky(dense.astype(np.float32))(jax.numpy.ones(3, np.float64))
