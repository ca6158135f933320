# Tests kauri.cholmod and kauri.cholmod05: names, semantics and errors of scikit-sparse, and its
# results if it is installed.
# SPDX-License-Identifier: BSD-3-Clause
import numpy as np
import pytest
import scipy.sparse as sp
from conftest import poisson, random_spd
from numpy.testing import assert_allclose

import kauri
from kauri import cholmod, cholmod05

ORDERINGS = sorted(cholmod._ordering_methods)


def small():
    return sp.csc_matrix([[8.0, 0, 2, 0], [0, 6, 0, -1], [2, 0, 5, 0], [0, -1, 0, 3]])


@pytest.mark.parametrize("mode", ["simplicial", "supernodal", "auto"])
@pytest.mark.parametrize("ordering", ORDERINGS)
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_all_modes_and_orderings(mode, ordering, index):
    a = small()
    a.indices, a.indptr = a.indices.astype(index), a.indptr.astype(index)
    f = cholmod.cholesky(a, mode=mode, ordering_method=ordering)
    p = f.P()
    # The parts are csc_matrix, as in scikit-sparse, so * multiplies matrices.
    assert_allclose((f.L() * f.L().T).toarray(), a.toarray()[p[:, None], p])
    assert_allclose((f.inv() * a).toarray(), np.eye(4), atol=1e-14)
    assert_allclose(f.det(), np.linalg.det(a.toarray()))
    low, d = f.L_D()
    assert_allclose((low * d * low.T).toarray(), a.toarray()[p[:, None], p], atol=1e-14)
    assert_allclose(np.prod(f.D()), f.det())


def test_only_the_lower_half_is_looked_at():
    a = small()
    half = sp.tril(a, format="csc")
    half[0, 2] = 17.0
    assert np.array_equal(cholmod.cholesky(half)(np.ones(4)), cholmod.cholesky(a)(np.ones(4)))


def test_types_and_warnings():
    with pytest.warns(cholmod.CholmodTypeConversionWarning):
        f = cholmod.cholesky(small().tocsr().astype(np.float32))
    assert f.dtype == np.float64
    assert isinstance(f(sp.csc_array(np.eye(4))), sp.csc_matrix)
    with pytest.raises(NotImplementedError):
        f(np.ones(4) * 1j)
    with pytest.raises(cholmod.CholmodError):
        cholmod.cholesky(small(), ordering_method="none")
    with pytest.raises(cholmod.CholmodError):
        cholmod.cholesky(small(), mode="none")
    with pytest.raises(cholmod.CholmodNotPositiveDefiniteError) as caught:
        cholmod.cholesky(-small())
    assert isinstance(caught.value.factor, kauri.Factor)
    with pytest.raises(NotImplementedError):
        f.update_inplace(small())


def test_an_analysis_solves_nothing():
    f = cholmod.analyze(small())
    b = np.ones(4)
    f.P()
    for call in (f, f.solve_A, f.solve_LDLt, f.solve_LD, f.solve_DLt, f.solve_L, f.solve_D, f.apply_P, f.apply_Pt):
        with pytest.raises(cholmod.CholmodError):
            call(b)
    for call in (f.L, f.LD, f.L_D, f.D, f.logdet, f.inv):
        with pytest.raises(cholmod.CholmodError):
            call()


def test_least_squares():
    x = sp.random(80, 12, 0.3, random_state=np.random.default_rng(1), format="csc") + sp.eye(80, 12)
    y = np.arange(80.0)
    normal, right = (x.T @ x).tocsc(), x.T @ y
    answer = np.linalg.lstsq(x.toarray(), y, rcond=None)[0]
    assert_allclose(cholmod.cholesky(normal)(right), answer)
    assert_allclose(cholmod.cholesky_AAt(sp.csc_matrix(x.T))(right), answer)
    f = cholmod.analyze_AAt(sp.csc_matrix(x.T))
    assert_allclose(f.cholesky(normal)(right), answer)
    f.cholesky_AAt_inplace(sp.csc_matrix(x.T))
    assert_allclose(f(right), answer)


def davis():
    """Returns the matrix of the examples of scikit-sparse 0.5."""
    rows = np.array([5, 6, 2, 7, 9, 10, 5, 9, 7, 10, 8, 9, 10, 9, 10, 10])
    cols = np.array([0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 7, 7, 9])
    low = sp.coo_array((np.random.default_rng(56).random(len(rows)), (rows, cols)), shape=(11, 11))
    a = low + low.T
    a.setdiag(11)
    return a.tocsc()


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("order", [None, "amd", "default", "postordered"])
def test_factors_of_0_5(lower, order):
    a = davis()
    parts = cholmod05.cholesky(a, order=order, lower=lower)
    r, p = (parts, np.arange(11)) if order is None else parts
    assert_allclose(((r @ r.T) if lower else (r.T @ r)).toarray(), a.toarray()[p][:, p], atol=1e-13)
    f = cholmod05.cho_factor(a, order=order, lower=lower)
    assert_allclose(f.get_factor().toarray(), r.toarray())
    assert np.array_equal(f.get_perm(), p)
    expected = np.arange(11.0)
    assert_allclose(f.solve(a @ expected), expected, atol=1e-13)
    parts = cholmod05.ldl(a, order=order, lower=lower)
    low, d = parts[:2]
    assert_allclose(((low @ d @ low.T) if lower else (low.T @ d @ low)).toarray(), a.toarray()[p][:, p], atol=1e-13)
    g = cholmod05.ldl_factor(a, order=order, lower=lower)
    unit, b = low.toarray() if lower else low.toarray().T, np.ones((11, 2))
    matrices = {"LDLt": unit @ d @ unit.T, "LD": unit @ d, "DLt": d @ unit.T, "L": unit, "Lt": unit.T, "D": d.toarray()}
    for system, matrix in matrices.items():
        assert_allclose(matrix @ g.solve(b, system), b, atol=1e-13)
    assert_allclose(cholmod05.cho_solve(a, a @ expected, lower=lower), expected, atol=1e-13)
    assert "CholeskyFactor(N=11" in repr(f) and f.copy().solve(b).shape == (11, 2)
    with pytest.raises(NotImplementedError):
        g.update(a)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_attributes_of_0_5(dtype):
    f = cholmod05.CholeskyFactor(davis().astype(dtype), order="nesdis")
    assert f.sym_kind == "sym" and f.order == "nesdis" and f.rcond == -1.0 and not f.is_numeric
    f.factorize(davis().astype(dtype))
    assert 0 < f.rcond <= 1 and np.array_equal(f.factor.toarray(), f.L.toarray()) and "11 rows" in str(f)
    assert f.det().dtype == f.logdet().dtype == f.slogdet()[1].dtype == dtype
    f.factorize(davis().astype(dtype), ldl=True)
    assert_allclose(f.factor.toarray(), f.L.toarray() - np.eye(11) + f.D.toarray(), rtol=1e-6)
    assert f.copy().sym_kind == "sym"


def test_orderings_of_0_5_look_at_the_upper_half():
    a = sp.csc_matrix(sp.tril(random_spd(30, 5, 0.3)) + sp.triu(random_spd(30, 6, 0.1), 1))
    upper = sp.csc_matrix(sp.triu(a))
    for order in (cholmod05.nesdis, cholmod05.metis, cholmod05.bisect):
        assert np.array_equal(order(a), order(upper)) and np.array_equal(order(a, kind="lo"), order(sp.csc_matrix(sp.tril(a)), kind="lo"))


def test_trees_of_0_5():
    counts, height, parent, post = cholmod05.symbfact(davis())
    assert counts.tolist() == [3, 3, 4, 3, 3, 4, 4, 3, 3, 2, 1] and height == 6
    assert parent.tolist() == [5, 2, 7, 5, 7, 6, 8, 9, 9, 10, -1] and post.tolist() == [1, 2, 4, 7, 0, 3, 5, 6, 8, 9, 10]
    assert cholmod05.etree(davis()).tolist() == parent.tolist()
    told = cholmod05.symbfact(davis(), return_factor=True)
    pattern = told.L
    assert np.array_equal(told.count, counts) and told.h == height and np.array_equal(told.post, post)
    assert pattern.dtype == bool and np.array_equal(pattern.toarray(), cholmod05.cholesky(davis(), order=None).toarray() != 0)
    assert np.array_equal(cholmod05.symbfact(davis(), lower=True, return_factor=True).L.toarray(), pattern.toarray().T)
    assert cholmod05.symbfact(davis()).L is None and cholmod05.symbfact(davis()).parent.tolist() == parent.tolist()
    assert sorted(cholmod05.metis(davis())) == sorted(cholmod05.nesdis(davis())) == list(range(11))


@pytest.mark.parametrize("a", [davis(), poisson(25), sp.csc_matrix(sp.block_diag([poisson(4)] * 3)), sp.csc_matrix(np.ones((4, 4)) + 4 * np.eye(4)),
                               sp.eye(1, format="csc"), sp.csc_matrix((0, 0))])
def test_separators_of_0_5(a):
    n = a.shape[0]
    side = cholmod05.bisect(a)
    assert side.shape == (n,) and set(side.tolist()) <= {0, 1, 2}
    i, j = a.nonzero()
    assert not ((side[i] == 0) & (side[j] == 1)).any()
    if n == 625:
        assert (side == 2).sum() <= 40 and min((side == 0).sum(), (side == 1).sum()) >= 150
    p, tree = cholmod05.nesdis(a, return_separator=True, nd_small=20)
    assert sorted(p) == list(range(n)) and tree.cmember.shape == (n,)
    above = [{c} for c in range(len(tree.cp))]
    for c in range(len(tree.cp) - 1, -1, -1):
        if tree.cp[c] >= 0:
            above[c] |= above[tree.cp[c]]
    assert all(tree.cmember[y] in above[tree.cmember[x]] or tree.cmember[x] in above[tree.cmember[y]] for x, y in zip(i, j))


def test_products_of_0_5():
    a = sp.random(9, 30, 0.4, random_state=np.random.default_rng(2), format="csc")
    for kind, matrix in (("row", a @ a.T), ("col", a @ a.T)):
        given = a if kind == "row" else sp.csc_array(a.T)
        f = cholmod05.cho_factor(given, beta=1.0, sym_kind=kind)
        assert_allclose((matrix + sp.eye(9)) @ f.solve(np.ones(9)), np.ones(9))


@pytest.mark.parametrize("ordering", ORDERINGS)
@pytest.mark.parametrize("mode", ["simplicial", "supernodal", "auto"])
def test_the_answers_are_those_of_scikit_sparse(mode, ordering):
    theirs = pytest.importorskip("sksparse.cholmod", reason="scikit-sparse 0.4.16 is not installed")
    if not hasattr(theirs, "cholesky_AAt"):
        pytest.skip("another scikit-sparse than 0.4.16 is installed")
    for a in (small(), poisson(12), random_spd(60, 3), sp.csc_matrix(sp.eye(10))):
        n = a.shape[0]
        for beta in (0, 2.5):
            f, g = (module.cholesky(a, beta, mode=mode, ordering_method=ordering) for module in (cholmod, theirs))
            for b in (np.arange(n), np.arange(2.0 * n).reshape(n, 2), sp.csc_matrix(sp.eye(n, 3))):
                x, y = f(b), g(b)
                assert type(x) is type(y) and x.shape == y.shape and x.dtype == y.dtype
                assert_allclose(x.toarray() if sp.issparse(x) else x, y.toarray() if sp.issparse(y) else y, rtol=1e-11, atol=1e-13)
            assert_allclose([f.logdet(), f.det(), *f.slogdet()], [g.logdet(), g.det(), *g.slogdet()], rtol=1e-11)
            assert_allclose(f.inv().toarray(), g.inv().toarray(), rtol=1e-10, atol=1e-13)
            assert type(f.L()) is type(g.L()) and f.P().dtype == g.P().dtype and f.D().shape == g.D().shape
            assert [type(part) for part in f.L_D()] == [type(part) for part in g.L_D()] or ordering
            if ordering == "natural":  # one permutation, so all parts are equal
                assert np.array_equal(f.P(), g.P())
                for name in ("L", "LD"):
                    assert_allclose(getattr(f, name)().toarray(), getattr(g, name)().toarray(), rtol=1e-10, atol=1e-12)
                assert_allclose(f.D(), g.D(), rtol=1e-11)
                b = np.arange(2.0 * n).reshape(n, 2)
                for name in ("solve_LDLt", "solve_LD", "solve_DLt", "solve_L", "solve_Lt", "solve_D", "apply_P", "apply_Pt"):
                    assert_allclose(getattr(f, name)(b), getattr(g, name)(b), rtol=1e-9, atol=1e-11, err_msg=name)
                for name in ("solve_L", "solve_Lt"):
                    assert_allclose(getattr(f, name)(b, False), getattr(g, name)(b, False), rtol=1e-9, atol=1e-11)
            f.cholesky_inplace(2 * a, beta)
            g.cholesky_inplace(2 * a, beta)
            assert_allclose(f.logdet(), g.logdet(), rtol=1e-11)
    if mode != "simplicial":  # otherwise scikit-sparse 0.4.16 with CHOLMOD 5.12 crashes now and then in cholesky_AAt of natural ordering
        return
    wide = sp.random(9, 30, 0.4, random_state=np.random.default_rng(4), format="csc")
    f, g = (module.cholesky_AAt(wide, 1, mode=mode, ordering_method=ordering) for module in (cholmod, theirs))
    assert_allclose(f(np.arange(9)), g(np.arange(9)), rtol=1e-10)


def like(ours, theirs, what):
    """Expects equal types and equal numbers."""
    if isinstance(theirs, tuple):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs):
            like(one, other, what)
        return
    assert sp.issparse(ours) == sp.issparse(theirs) and np.shape(ours) == np.shape(theirs), what
    if sp.issparse(theirs):
        assert ours.dtype == theirs.dtype and isinstance(ours, sp.sparray), what
        ours, theirs = ours.toarray(), theirs.toarray()
    assert np.asarray(ours).dtype == np.asarray(theirs).dtype, what
    precise = np.asarray(theirs).dtype != np.float32
    assert_allclose(ours, theirs, rtol=1e-10 if precise else 1e-4, atol=1e-12 if precise else 1e-5, err_msg=what)


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("ldl", [True, False])
@pytest.mark.parametrize("order", [None, "amd", "metis", "nesdis", "default", "best", "colamd", "postordered"])
def test_the_answers_are_those_of_scikit_sparse_0_5(lower, ldl, order):
    theirs = pytest.importorskip("sksparse.cholmod", reason="scikit-sparse 0.5 is not installed")
    if not hasattr(theirs, "cho_factor"):
        pytest.skip("another scikit-sparse than 0.5 is installed")
    for a in (davis(), sp.csc_array(poisson(9)), sp.csc_array(random_spd(40, 3)).astype(np.float32)):
        n = a.shape[0]
        a.indices, a.indptr = a.indices.astype(np.int32), a.indptr.astype(np.int32)  # with 64 bits inv() of 0.5.0 crashes
        f, g = ((module.ldl_factor if ldl else module.cho_factor)(a, 0.5, lower=lower, order=order) for module in (cholmod05, theirs))
        right = [np.arange(n, dtype=a.dtype), np.ones((n, 2), a.dtype), sp.csc_array(np.eye(n, 3, dtype=a.dtype))]
        for b in right:
            like(f.solve(b), g.solve(b), "solve")
        for name in ("logdet", "det", "slogdet", "inv"):
            like(getattr(f, name)(), getattr(g, name)(), name)
        assert (f.N, f.is_ll, f.is_lower, f.sym_kind, f.itype, f.dtype) == (g.N, g.is_ll, g.is_lower, g.sym_kind, g.itype, g.dtype)
        if order is not None:
            continue
        for name in ("perm", "colcount", "factor", "L", "R", "D"):  # one permutation, so all parts are equal
            like(getattr(f, name), getattr(g, name), name)
        assert_allclose(f.rcond, g.rcond, rtol=1e-5)
        for system in ("LDLt", "LD", "DLt", "L", "Lt", "D"):
            like(f.solve(right[1], system), g.solve(right[1], system), system)
        for kind in (None, "LL", "LDL"):  # last, since it changes their factor
            like(f.get_factor(kind), g.get_factor(kind), f"get_factor {kind}")
        told, other = (module.symbfact(a, lower=lower, return_factor=True) for module in (cholmod05, theirs))
        like((told.count, told.parent, told.L), (other.count, other.parent, other.L), "symbfact")
        assert told.h == other.h
        like(cholmod05.etree(a), theirs.etree(a), "etree")
