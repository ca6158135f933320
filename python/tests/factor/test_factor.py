# Tests kauri.Factor: identities of its parts, right-hand sides of all kinds, types, threads, files.
# SPDX-License-Identifier: BSD-3-Clause
import copy
import os
import pickle
import threading
import time

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import finish, poisson, random_spd

import kauri

EPS = np.finfo(np.float64).eps


def backward_error(a, x, b):
    """Returns ||b - A x|| / (||A|| ||x|| + ||b||) in the infinity norm."""
    r = np.abs(b - a @ x).max(initial=0)
    return r and r / (abs(a).sum(axis=1).max() * np.abs(x).max(initial=0) + np.abs(b).max(initial=0))


def close(x, y, n, dtype=np.float64):
    scale = max(np.abs(y).max(initial=0), 1e-300)
    return np.abs(np.asarray(x) - np.asarray(y)).max(initial=0) <= 100 * max(n, 1) * np.finfo(dtype).eps * scale


@pytest.mark.parametrize("method", ["natural", "amd", "nd", "nesdis", "colamd", "default", "best", "metis", "md", "rcm", "pamd", "postordered"])
@pytest.mark.parametrize("beta", [0, 1, 3.4])
def test_parts_make_up_the_matrix(a, method, beta):
    f = kauri.cholesky(a, beta=beta, ordering_method=method)
    n, p = f.n, f.P()
    b = (a + beta * sp.eye(n)).toarray()[p[:, None], p[None, :]]
    low, (unit, d) = f.L(), f.L_D()
    assert close((low @ low.T).toarray(), b, n)
    assert close((unit @ d @ unit.T).toarray(), b, n)
    assert np.array_equal(unit.diagonal(), np.ones(n))
    assert close(f.D(), d.diagonal(), n)
    ld = f.LD()
    assert close((sp.tril(ld, -1) + sp.eye(n)).toarray(), unit.toarray(), n) and close(ld.diagonal(), f.D(), n)
    assert sp.triu(low, 1).nnz == 0
    if method == "natural":
        assert np.array_equal(p, np.arange(n))


@pytest.mark.parametrize("method", ["natural", "amd"])
def test_systems(a, method):
    f = kauri.cholesky(a, ordering_method=method)
    n, p = f.n, f.P()
    (unit, d), low = f.L_D(), f.L().toarray()
    unit, d = unit.toarray(), d.toarray()
    for b in (np.arange(n) + 1.0, np.random.default_rng(2).standard_normal((n, 3))):
        solved = {
            "solve_A": a.toarray(), "solve_LDLt": unit @ d @ unit.T, "solve_LD": unit @ d, "solve_DLt": d @ unit.T, "solve_L": unit,
            "solve_Lt": unit.T, "solve_D": d
        }
        for name, matrix in solved.items():
            x = getattr(f, name)(b)
            assert x.shape == b.shape and close(matrix @ x, b, n), name
        assert close(low @ f.solve_L(b, use_LDLt_decomposition=False), b, n)
        assert close(low.T @ f.solve_Lt(b, use_LDLt_decomposition=False), b, n)
        assert np.array_equal(f.apply_P(b), b[p]) and np.array_equal(f.apply_Pt(b), b[np.argsort(p)])
        assert close(f.multiply(b), low @ b, n) and close(f.multiply(b, "Lt"), low.T @ b, n)


def test_numbers_of_the_determinant_and_the_inverse(a):
    f = kauri.cholesky(a)
    dense = a.toarray()
    sign, logdet = np.linalg.slogdet(dense)
    assert f.slogdet() == (1.0, f.logdet()) and sign == 1
    assert abs(f.logdet() - logdet) <= 100 * f.n * EPS * abs(logdet)
    assert abs(f.det() / np.exp(logdet) - 1) <= 1e-10
    inverse = np.linalg.inv(dense)
    assert close(f.inv().toarray(), inverse, f.n)
    assert close(f.inverse_diagonal(), inverse.diagonal(), f.n)
    entries = f.inverse_entries()
    assert close(entries.toarray(), np.where(entries.toarray() != 0, inverse, 0), f.n)
    assert (entries != 0).nnz == (a != 0).nnz
    assert 0.1 < f.condition() / np.linalg.cond(dense, 1) < 10


FORMATS = ["csc", "csr", "coo", "lil", "dok", "dia", "bsr"]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("kind", [sp.csc_matrix, sp.csc_array])
def test_matrices_of_all_formats(a, form, kind):
    b = np.ones(a.shape[0])
    x = kauri.cholesky(kind(a).asformat(form))(b)
    assert backward_error(a, x, b) <= 10 * EPS
    assert np.array_equal(kauri.cholesky(a.toarray())(b), kauri.cholesky(a)(b))


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_types(a, index, dtype):
    a = a.astype(dtype)
    a.indices, a.indptr = a.indices.astype(index), a.indptr.astype(index)
    f = kauri.cholesky(a)
    assert f.dtype == dtype
    x = f(np.ones(f.n, dtype))
    assert x.dtype == dtype and backward_error(a, x, np.ones(f.n)) <= 10 * np.finfo(dtype).eps
    assert f(np.ones(f.n, np.int64)).dtype == dtype
    assert kauri.cholesky(a, dtype=np.float64).dtype == np.float64


def test_other_byte_orders(a):
    b = np.arange(a.shape[0]) + 0.5
    x = kauri.cholesky(a)(b)
    for swapped in (sp.csc_matrix((a.data.astype(">f8"), a.indices.astype(">i4"), a.indptr.astype(">i4"))), a.toarray().astype(">f8")):
        assert np.array_equal(kauri.cholesky(swapped)(b), x)
    assert np.array_equal(kauri.cholesky(a, dtype=">f8")(b.astype(">f8")), x)
    assert kauri.cholesky(a.toarray().astype(">f4")).dtype == np.float32
    assert np.array_equal(kauri.cholesky(4 * np.eye(3, dtype=np.float16))(np.ones(3)), [0.25] * 3)


def test_integers_and_what_is_refused(a):
    whole = sp.csc_matrix((a.toarray() * 0 + 10 * np.eye(a.shape[0])).astype(np.int16))
    assert kauri.cholesky(whole).dtype == np.float64
    with pytest.raises(NotImplementedError):
        kauri.cholesky(a.astype(np.complex128))
    with pytest.raises(kauri.UsageError, match="longdouble|float128"):
        kauri.cholesky(a.astype(np.longdouble))
    with pytest.raises(NotImplementedError):
        kauri.cholesky(a).update_inplace(a)
    with pytest.raises(NotImplementedError, match="complex"):
        kauri.cholesky(a)(np.ones(a.shape[0], complex))


@pytest.mark.parametrize("triangle", ["auto", "lower", "upper", "both"])
def test_halves(a, triangle):
    expected = kauri.cholesky(a)(np.ones(a.shape[0]))
    half = {"lower": sp.tril, "upper": sp.triu}.get(triangle)
    for form in ("csc", "csr"):
        assert np.array_equal(kauri.cholesky(a.asformat(form), triangle=triangle)(np.ones(a.shape[0])), expected)
        for taken in (half,) if half else (sp.tril, sp.triu) if triangle == "auto" else ():
            assert np.array_equal(kauri.cholesky(taken(a, format=form), triangle=triangle)(np.ones(a.shape[0])), expected)
    wrong = a.tolil()
    i, j = (sp.tril(a, -1)).nonzero()
    wrong[j[0], i[0]] += 1
    if triangle == "lower":
        assert np.array_equal(kauri.cholesky(wrong, triangle="lower")(np.ones(a.shape[0])), expected)
    if triangle in ("both", "auto"):
        with pytest.raises(kauri.InputError):
            kauri.cholesky(wrong, triangle=triangle)


def rhs_of_all_kinds(n):
    rng = np.random.default_rng(3)
    wide = rng.standard_normal((n, 8))
    yield from (wide[:, 0], wide.copy()[:, 0], wide, np.asfortranarray(wide), wide[:, :3], np.asfortranarray(wide)[:, ::2], wide[:, ::-1],
                np.repeat(wide, 2, axis=0)[::2], wide[:, :0], wide[:, :1], np.broadcast_to(wide[:, :1], (n, 3)), wide[::-1, 0], wide.tolist())


def test_dense_right_hand_sides(a):
    f = kauri.cholesky(a)
    for b in rhs_of_all_kinds(f.n):
        before = np.array(b)
        x = f(b)
        assert x.shape == before.shape and np.array_equal(np.array(b), before)
        assert backward_error(a, x, before) <= 10 * EPS
    frozen = np.ones(f.n)
    frozen.flags.writeable = False
    assert f(frozen).flags.writeable


@pytest.mark.parametrize("kind", [sp.csc_matrix, sp.csr_array, sp.coo_matrix])
def test_sparse_right_hand_sides(a, kind):
    f = kauri.cholesky(a)
    dense = np.eye(f.n, 70)
    x = f(kind(dense))
    assert sp.issparse(x) and x.shape == dense.shape and np.array_equal(x.toarray(), f(dense))


def test_wrong_shapes(a):
    f = kauri.cholesky(a)
    for b in (np.ones(f.n + 1), np.ones((1, f.n)), np.ones((f.n, 1, 1)), np.float64(1), sp.eye(f.n + 1)):
        with pytest.raises(kauri.UsageError):
            f(b)
    with pytest.raises(kauri.UsageError):
        kauri.cholesky(a[:, :-1])
    with pytest.raises(kauri.UsageError, match="system"):
        f.solve(np.ones(f.n), system="U")


def test_options(a):
    for name in ("ordering_methd", "thread"):
        with pytest.raises(kauri.UsageError, match="did you mean"):
            kauri.cholesky(a, **{name: 1})
    with pytest.raises(kauri.UsageError, match="expected"):
        kauri.cholesky(a, ordering_method="amdd")
    with pytest.raises(kauri.UsageError, match="mode"):
        kauri.cholesky(a, mode="fast")
    f = kauri.cholesky(a, threads=1, refine_max_steps=2, ordering_compress=False, ordering_dense=5.0)
    f(np.ones(f.n))
    assert f.report()["threads"] == 1 and f.report()["refinement"]["final_error"]["componentwise"] <= 4 * EPS
    order = np.random.default_rng(5).permutation(f.n)
    given = kauri.cholesky(a, permutation=order)
    assert sorted(given.P()) == sorted(order) and given.report()["ordering_method"] == "given"
    for wrong in (np.arange(f.n) + 0.5, np.arange(f.n) + 2**32, np.arange(f.n)[:, None], np.arange(f.n - 1), -np.arange(f.n)):
        with pytest.raises(kauri.UsageError, match="permutation"):
            kauri.cholesky(a, permutation=wrong)
    for wrong in (int, np.float16, complex, np.longdouble):
        with pytest.raises(kauri.UsageError, match="dtype"):
            kauri.cholesky(a, dtype=wrong)


def test_refinement(a):
    f = kauri.cholesky(a)
    b = np.random.default_rng(6).standard_normal((f.n, 3))
    for right in (b, np.asfortranarray(b), b[:, 0]):
        f.solve(right, refine=3)
        assert f.report()["refinement"]["final_error"]["componentwise"] <= 4 * EPS
    f.cholesky_inplace(2 * a)
    assert close(2 * (a @ f.solve(b, refine=1)), b, f.n)


def test_refactorisation(a):
    f = kauri.analyze(a)
    with pytest.raises(kauri.UsageError, match="no numbers"):
        f(np.ones(f.n))
    f.refactorize(a)
    other = f.cholesky(a * 2, beta=1)
    b = np.ones(f.n)
    assert close(f(b), np.linalg.solve(a.toarray(), b), f.n)
    assert close(other(b), np.linalg.solve(2 * a.toarray() + np.eye(f.n), b), f.n)
    fewer = sp.csc_matrix(sp.diags_array(a.diagonal()))
    f.refactorize(fewer)
    assert close(f(b), b / a.diagonal(), f.n)
    f.refactorize_values(kauri.cholesky(a)._numbers.values())
    assert close(f(b), np.linalg.solve(a.toarray(), b), f.n)
    with pytest.raises(kauri.UsageError, match="not in the pattern"):
        f.refactorize(sp.csc_matrix(np.ones(a.shape)))
    with pytest.raises(kauri.UsageError, match="rows"):
        f.refactorize(sp.eye(3, format="csc"))


def test_values_that_are_lent(a):
    """Values are passed by address, as from a device; the factor is on the host, and so is the
    address."""
    f, values = kauri.cholesky(a), kauri.cholesky(2 * a)._numbers.values()
    b = np.random.default_rng(9).standard_normal((f.n, 2))
    for beta, stream in ((0.0, None), (1.5, 0)):
        lent = values.copy()
        f._fill(f._numbers.refactorize_there, lent, lent.ctypes.data, stream, lent.size, beta, None)
        del lent
        g = kauri.cholesky(2 * a, beta=beta)
        assert np.array_equal(f(b), g(b)) and f.condition() == g.condition() and np.array_equal(f._numbers.values(), g._numbers.values())
        assert np.array_equal(f.solve(b, refine=2), g.solve(b, refine=2))
        assert np.array_equal(pickle.loads(pickle.dumps(f))(b), g(b)) and np.array_equal(f.copy()(b), g(b))
    f.refactorize(a)
    assert np.array_equal(f._numbers.values(), kauri.cholesky(a)._numbers.values())
    bad = values.copy()
    bad[0] = -1.0
    with pytest.raises(kauri.NotPositiveDefiniteError):
        f._fill(f._numbers.refactorize_there, bad, bad.ctypes.data, None, bad.size, 0.0, None)


def test_wrong_values(a):
    f = kauri.cholesky(a)
    values = f._numbers.values()
    f.refactorize_values((2 * values).astype(">f8").tolist())
    assert close(2 * (a @ f(np.ones(f.n))), np.ones(f.n), f.n)
    for wrong in (values[:-1], values[None], 3.0):
        with pytest.raises(kauri.UsageError, match="shape"):
            f.refactorize_values(wrong)
    with pytest.raises(NotImplementedError):
        f.refactorize_values(values * 1j)


def test_products():
    a = sp.random(20, 50, 0.2, random_state=np.random.default_rng(7), format="csr")
    aat = (a @ a.T).toarray() + np.eye(20)
    f = kauri.cholesky_AAt(a, beta=1)
    assert close(aat @ f(np.ones(20)), np.ones(20), 20)
    g = kauri.analyze_AAt(a)
    g.cholesky_AAt_inplace(a, beta=1)
    assert np.array_equal(g(np.ones(20)), f(np.ones(20)))
    assert close(g.cholesky_AAt(2 * a)(np.ones(20)) * 0, np.zeros(20), 20)


@pytest.mark.parametrize("way", [lambda f: pickle.loads(pickle.dumps(f)), copy.copy, copy.deepcopy])
@pytest.mark.parametrize("method", ["natural", "amd"])
def test_copies(a, way, method):
    f = kauri.cholesky(a, beta=2, ordering_method=method)
    g = way(f)
    b = np.arange(f.n) + 0.5
    assert np.array_equal(f(b), g(b)) and np.array_equal(f.solve(b, refine=1), g.solve(b, refine=1))
    assert np.array_equal(f.P(), g.P()) and abs(f.L() - g.L()).sum() == 0
    g.refactorize(3 * a)
    assert not np.array_equal(f(b), g(b))
    h = way(kauri.analyze(a, ordering_method=method))
    assert not h.valid
    h.refactorize(a, beta=2)
    assert np.array_equal(h(b), f(b))


def test_pickles_of_other_versions(a):
    f = kauri.cholesky(a, threads=1)
    state = f.__getstate__()
    b = np.ones(f.n)
    old = kauri.Factor.__new__(kauri.Factor)
    old.__setstate__({key: value for key, value in state.items() if key != "format"})
    assert np.array_equal(old(b), f(b))
    old.__setstate__({**state, "given": [*state["given"], ("an.option.of.then", "3")]})
    assert np.array_equal(old(b), f(b)) and old.report()["threads"] == 1
    with pytest.raises(kauri.InputError, match="newer"):
        old.__setstate__({**state, "format": state["format"] + 1})
    # Formats up to 1 stored the pattern beside the plan, which contains it.
    indptr, indices = f.pattern()
    old.__setstate__({**state, "format": 1, "indptr": indptr, "indices": indices})
    assert np.array_equal(old(b), f(b)) and all(np.array_equal(x, y) for x, y in zip(old.pattern(), f.pattern()))


def test_older_pickles_name_the_room(a):
    f = kauri.cholesky(a)
    now = pickle.dumps(f, 0)
    older = now.replace(b"kauri._factor.factor", b"kauri._factor")
    assert older != now and np.array_equal(pickle.loads(older)(np.ones(f.n)), f(np.ones(f.n)))


def test_files(a, tmp_path):
    f = kauri.cholesky(a)
    f.save(tmp_path / "factor")
    g = kauri.load(tmp_path / "factor")
    b = np.ones(f.n)
    assert np.array_equal(f(b), g(b)) and f.logdet() == g.logdet()
    with pytest.raises(kauri.UsageError, match="no values"):
        g.solve(b, refine=1)
    g.refactorize(a)
    assert np.array_equal(f.solve(b, refine=1), g.solve(b, refine=1))
    again = kauri.load(tmp_path / "factor")
    assert all(np.array_equal(x, y) for x, y in zip(again.pattern(), f.pattern()))
    again.refactorize_values(f._numbers.values(), 1)
    f.refactorize(a, 1)
    assert np.array_equal(again.solve(b, refine=1), f.solve(b, refine=1))
    f.refactorize(a)
    kauri.analyze(a).save(tmp_path / "plan")
    h = kauri.load(tmp_path / "plan")
    h.refactorize(a)
    assert np.array_equal(f(b), h(b))
    f.save(os.fsencode(tmp_path / "bytes"))
    assert np.array_equal(kauri.load(os.fsencode(tmp_path / "bytes"))(b), f(b))
    with pytest.raises(kauri.InputError):
        kauri.load(tmp_path / "nothing")


def test_threads():
    a = poisson(60)
    f = kauri.cholesky(a)
    rng = np.random.default_rng(8)
    rights = [rng.standard_normal((f.n, k)) for k in (1, 2, 5, 1, 40, 3, 7, 1)]
    expected = [f(b) for b in rights]
    found = [None] * len(rights)

    def work(k):
        for _ in range(10):
            found[k] = f.solve(rights[k])

    threads = [threading.Thread(target=work, args=(k,)) for k in range(len(rights))]
    for t in threads:
        t.start()
    finish(threads)
    assert all(np.array_equal(x, y) for x, y in zip(found, expected))


def test_solves_while_it_is_filled_anew():
    a = poisson(40)
    f = kauri.cholesky(a)
    b = np.ones((f.n, 2))
    answers = [f(b), f.cholesky(2 * a)(b)]
    wrong = []

    def solve():
        for _ in range(100):
            x = f.solve(b, refine=None)
            if not any(np.array_equal(x, y) for y in answers):
                wrong.append(x)

    threads = [threading.Thread(target=solve) for _ in range(3)]
    for t in threads:
        t.start()
    for k in range(50):
        f.refactorize((1 + k % 2) * a)
    finish(threads)
    assert not wrong


@pytest.mark.parametrize("ordering", ["amd", "natural"])
def test_calls_of_several_steps_are_of_one_filling(ordering):
    a = poisson(25)
    f = kauri.cholesky(a, ordering_method=ordering)
    b = np.ones((f.n, 2))
    wide = sp.eye_array(f.n, 130, format="csc")
    calls = {
        "LD": lambda g: g.solve(b, "LD"),
        "DLt": lambda g: g.solve(b, "DLt"),
        "sparse": lambda g: g.solve(wide).toarray(),
        "product": lambda g: g.multiply(b),
        "L_D": lambda g: g.L_D()[0].toarray() * g.n,
        "LD()": lambda g: g.LD().toarray(),
        "copy": lambda g: g.copy()(b),
        "pickle": lambda g: pickle.loads(pickle.dumps(g)).solve(b, refine=1),
    }
    answers = {name: [call(f), call(f.cholesky(2 * a))] for name, call in calls.items()}
    wrong, done = [], []

    def work(name, call):
        try:
            for _ in range(15):
                x = call(f)
                if not any(np.allclose(x, y, rtol=1e-12, atol=1e-13 * np.abs(y).max()) for y in answers[name]):
                    wrong.append(name)
        except Exception as error:  # the thread that asserts reports it
            wrong.append((name, error))
        finally:
            done.append(name)

    threads = [threading.Thread(target=work, args=call) for call in calls.items()]
    for t in threads:
        t.start()
    k = 0
    while len(done) < len(threads):
        f.refactorize((1 + k % 2) * a)
        k += 1
        time.sleep(0.002 if k < 200 else 0.1)  # lets the workers proceed on a busy machine
    finish(threads)
    assert not wrong and k > 1


def test_calls_of_several_steps_do_not_wait_for_ever():
    f = kauri.cholesky(poisson(5))
    with pytest.raises(kauri.UsageError, match="refactorised the factor during each attempt"):
        f._of_one_filling(lambda: f.refactorize(poisson(5)))


def test_factors_of_a_loaded_analysis_at_a_time(tmp_path):
    a = poisson(30)
    kauri.analyze(a).save(tmp_path / "plan")
    base = kauri.load(tmp_path / "plan")
    found = [None] * 4

    def work(k):
        found[k] = base.cholesky((k + 1) * a)(np.ones(base.n))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    finish(threads)
    assert all(backward_error((k + 1) * a, found[k], np.ones(base.n)) <= 10 * EPS for k in range(4))


def test_operators(a):
    from scipy.sparse.linalg import cg, eigsh

    b = np.ones(a.shape[0])
    assert close(a @ kauri.factorized(a)(b), b, a.shape[0])
    inverse = kauri.aslinearoperator(a)
    x, info = cg(a, b, M=inverse)
    assert info == 0 and close(a @ x, b, 1e5)
    least = eigsh(a, 1, sigma=0, OPinv=inverse, return_eigenvectors=False)[0]
    assert abs(least / np.linalg.eigvalsh(a.toarray())[0] - 1) < 1e-8


def test_random_matrices_agree_with_dense():
    for seed in range(10):
        a = random_spd(15 + seed, seed, 0.05 * (seed + 1))
        f = kauri.cholesky(a)
        b = np.random.default_rng(seed).standard_normal(f.n)
        assert close(f(b), np.linalg.solve(a.toarray(), b), f.n)


def test_complex_right_hand_sides_and_wrong_refinement(a):
    for f in (kauri.cholesky(a), kauri.cholesky_mixed(a)):
        with pytest.raises(NotImplementedError, match="complex"):
            f(np.ones(f.n) * 1j)
    f = kauri.cholesky(a)
    with pytest.raises(NotImplementedError, match="complex"):
        f(sp.csc_matrix(np.ones((f.n, 1)) * 1j))
    with pytest.raises(kauri.UsageError, match="refine=-7"):
        f.solve(np.ones(f.n), refine=-7)
