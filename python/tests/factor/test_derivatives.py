# Tests kauri.torch and kauri.jax: gradients against differences; their mathematics in NumPy only.
# SPDX-License-Identifier: BSD-3-Clause
import numpy as np
import pytest
from conftest import random_spd
import scipy.sparse as sp

import kauri
from kauri._factor.entries import Entries


def problem(seed=1, n=12):
    a = sp.tril(random_spd(n, seed, 0.2), format="coo")
    rng = np.random.default_rng(seed)
    return a.row, a.col, np.array(a.data), n, rng.standard_normal((n, 2)), rng.standard_normal((n, 2))


def dense(rows, cols, values, n):
    a = np.zeros((n, n))
    np.add.at(a, (rows, cols), values)
    return a + np.tril(a, -1).T


def differences(f, values, h=1e-6):
    out = np.empty_like(values)
    for k in range(values.size):
        up, down = values.copy(), values.copy()
        up.flat[k] += h
        down.flat[k] -= h
        out.flat[k] = (f(up) - f(down)) / (2 * h)
    return out


def test_entries():
    rows, cols, values, n, b, _ = problem()
    e = Entries(rows, cols, n)
    a = dense(rows, cols, values, n)
    assert np.allclose(e.solve(values, b), np.linalg.solve(a, b)) and np.allclose(e.logdet(values), np.linalg.slogdet(a)[1])
    assert e.factor(values) is e.factor(values.copy())
    assert np.allclose(e.logdet_gradient(values), differences(e.logdet, values), atol=1e-7)
    twice = Entries(np.append(rows, rows[0]), np.append(cols, cols[0]), n)
    assert np.allclose(twice.solve(np.append(values, 0.0), b), e.solve(values, b))
    for bad in ((cols, rows, n), (rows, cols, n - 1), (rows, cols[:-1], n)):
        with pytest.raises(kauri.UsageError):
            Entries(*bad)
    with pytest.raises(kauri.UsageError):
        e.solve(values[:-1], b)


def test_torch():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed", exc_type=ImportError)
    from kauri.torch import Cholesky

    rows, cols, values, n, b, w = problem()
    owner = Cholesky(rows, cols, n)
    v, right = (torch.tensor(x, requires_grad=True) for x in (values, b))
    (owner.solve(v, right) * torch.tensor(w)).sum().backward()
    assert np.allclose(v.grad, differences(lambda x: (np.linalg.solve(dense(rows, cols, x, n), b) * w).sum(), values), atol=1e-7)
    assert np.allclose(right.grad, np.linalg.solve(dense(rows, cols, values, n), w))
    v.grad = None
    owner.logdet(v).backward()
    assert np.allclose(v.grad, differences(lambda x: np.linalg.slogdet(dense(rows, cols, x, n))[1], values), atol=1e-7)
    vector = torch.tensor(b[:, 0], requires_grad=True)
    assert torch.autograd.gradcheck(owner.solve, (v, vector)) and torch.autograd.gradcheck(owner.solve, (v, right))
    assert torch.autograd.gradgradcheck(owner.solve, (v, vector)) and torch.autograd.gradcheck(owner.logdet, (v,))
    for wrong in (torch.tensor([2, 1, 2]), torch.ones(3, dtype=torch.float16)):  # the gradient would be cast to that type
        with pytest.raises(kauri.UsageError, match="float32"):
            Cholesky([0, 1, 1], [0, 0, 1], 2).logdet(wrong)
    with pytest.raises(kauri.UsageError, match="same"):
        owner.solve(v, right.float())
    f = kauri.cholesky(dense(rows, cols, values, n))
    x = f(torch.tensor(b))
    assert isinstance(x, torch.Tensor) and np.array_equal(x.numpy(), f(b))
    for wrong in (torch.eye(n).to_sparse(), torch.ones(n, dtype=torch.bfloat16)):
        with pytest.raises(kauri.UsageError):
            f(wrong)
    with pytest.raises(NotImplementedError):
        f(torch.ones(n, dtype=torch.complex64))
    with pytest.raises(kauri.UsageError):
        kauri.cholesky(torch.eye(n, dtype=torch.bfloat16))
    a = torch.tensor(dense(rows, cols, values, n))
    for sparse in (a.to_sparse(), a.to_sparse_csr(), a.to_sparse_csc(), a):
        assert np.array_equal(kauri.cholesky(sparse)(b), f(b))
    assert np.allclose(kauri.cholesky(a.to_sparse_bsr((2, 2)))(b), f(b))


def test_jax():
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    jax.config.update("jax_enable_x64", True)
    import jax.numpy as jnp

    from kauri.jax import Cholesky

    rows, cols, values, n, b, w = problem(2)
    owner = Cholesky(rows, cols, n)

    def loss(v, right):
        return (owner.solve(v, right) * w).sum()

    gradient, right = jax.jit(jax.grad(loss, (0, 1)))(jnp.asarray(values), jnp.asarray(b))
    assert np.allclose(gradient, differences(lambda x: (np.linalg.solve(dense(rows, cols, x, n), b) * w).sum(), values), atol=1e-7)
    assert np.allclose(right, np.linalg.solve(dense(rows, cols, values, n), w))
    assert np.allclose(jax.grad(owner.logdet)(jnp.asarray(values)),
                       differences(lambda x: np.linalg.slogdet(dense(rows, cols, x, n))[1], values), atol=1e-7)
    many = jax.vmap(lambda column: owner.solve(jnp.asarray(values), column), 1, 1)(jnp.asarray(b))
    assert np.allclose(many, np.linalg.solve(dense(rows, cols, values, n), b))
    with pytest.raises(kauri.UsageError, match="float32"):
        Cholesky([0, 1, 1], [0, 0, 1], 2).logdet(jnp.array([2, 1, 2]))
    f = kauri.cholesky(dense(rows, cols, values, n))
    x = f(jax.device_put(b, jax.devices("cpu")[0]))  # on the factor's device; test_on_device.py tests other devices
    assert isinstance(x, jax.Array) and np.array_equal(np.asarray(x), f(b))
    from jax.experimental import sparse as jsparse

    assert np.array_equal(kauri.cholesky(jsparse.BCOO.fromdense(jnp.asarray(dense(rows, cols, values, n))))(b), f(b))
