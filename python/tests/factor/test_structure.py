# Tests tree, counts, pattern, supernodes and density of L against naive elimination.
# SPDX-License-Identifier: BSD-3-Clause
import numpy as np
import pytest
import scipy.sparse as sp
from conftest import eliminated, poisson, random_spd

import kauri

METHODS = ["natural", "rcm", "amd", "nd", "postordered"]


def arrow(n):
    """Returns a pattern whose first row meets all others."""
    a = sp.lil_matrix(n * sp.eye(n))
    a[0, :] = a[:, 0] = 1
    a[0, 0] = n
    return a.tocsc()


def disconnected():
    return sp.block_diag([poisson(4), [[3.0]], random_spd(12, 5), sp.eye(3)], format="csc")


def shuffled(a, seed):
    p = np.random.default_rng(seed).permutation(a.shape[0])
    return sp.csc_matrix(a[p][:, p])


CASES = {
    "none": sp.csc_matrix((0, 0)), "one": sp.csc_matrix([[2.0]]), "diagonal": sp.diags_array(np.arange(1.0, 9)).tocsc(),
    "dense": sp.csc_matrix(np.ones((9, 9)) + 9 * np.eye(9)), "arrow": arrow(11), "disconnected": shuffled(disconnected(), 3),
    "grid": poisson(9), "path": shuffled(sp.csc_matrix(sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(40, 40))), 1)
}
CASES.update({f"random{seed}": random_spd(10 + 5 * seed, seed, 0.08) for seed in range(12)})


def liu(b):
    """Computes the elimination tree by Liu's algorithm without path compression: row i becomes the
    parent of the root above each k < i that it meets."""
    n = len(b)
    parent = np.full(n, -1)
    for i in range(n):
        for k in np.flatnonzero(b[i, :i]):
            while parent[k] != -1 and parent[k] != i:
                k = parent[k]
            parent[k] = i
    return parent


def permuted(a, f):
    p = f.P()
    return (abs(a) > 0).toarray()[np.ix_(p, p)]


@pytest.fixture(params=CASES)
def case(request):
    return CASES[request.param]


@pytest.fixture(params=METHODS)
def analysed(request, case):
    f = kauri.analyze(case, ordering_method=request.param)
    return f, permuted(case, f)


def height(parent):
    h = np.ones(len(parent), int)
    for j, above in enumerate(parent):
        if above >= 0:
            h[above] = max(h[above], h[j] + 1)
    return int(h.max(initial=0))


def test_pattern_and_counts(analysed):
    f, b = analysed
    low = eliminated(b)
    indptr, indices = f.pattern_L()
    for j in range(f.n):
        assert np.array_equal(indices[indptr[j] : indptr[j + 1]], np.flatnonzero(low[:, j]))
    assert np.array_equal(f.column_counts(), low.sum(axis=0)) and low.sum() == f.nnz == len(indices) == indptr[-1]
    cost = f.cost()
    assert cost["nnzL"] == f.nnz and cost["flops"] == (f.column_counts().astype(float)**2).sum()
    assert cost["fill_ratio"] == (f.nnz / np.tril(b).sum() if f.n else 0)


def test_tree(analysed):
    f, b = analysed
    assert np.array_equal(f.parent(), liu(b))
    assert f.cost()["tree_height"] == height(liu(b))


def test_supernodes(analysed):
    f, b = analysed
    s, cost = f.supernodes(), f.cost()
    by_plan = b if not f._natural else permuted_by(b, s.perm)
    low = eliminated(by_plan)
    assert s.first[0] == 0 and s.first[-1] == f.n and (s.pivots > 0).all() and len(s.parent) == cost["supernodes"]
    for k in range(len(s.parent)):
        rows = s.row[s.row_ptr[k] : s.row_ptr[k + 1]]
        assert np.array_equal(rows[: s.pivots[k]], np.arange(s.first[k], s.first[k + 1])) and (np.diff(rows) > 0).all()
        assert set(np.flatnonzero(low[:, s.first[k] : s.first[k + 1]].any(axis=1))) <= set(rows)
        below = rows[s.pivots[k] :]
        assert s.parent[k] == (np.searchsorted(s.first, below[0], side="right") - 1 if len(below) else -1)
    executed = sum(((rows - np.arange(p))**2).sum() for rows, p in zip(s.front_size.astype(float), s.pivots))
    assert cost["executed_flops"] == executed == s.flops.sum() >= cost["flops"]
    assert cost["stored_entries"] == (s.front_size * s.pivots).sum() >= f.nnz
    assert cost["largest_front"] == s.front_size.max(initial=0) and cost["largest_supernode"] == s.pivots.max(initial=0)


def permuted_by(b, p):
    return b[np.ix_(p, p)]


@pytest.mark.parametrize("cells", [1, 3, 7, 256])
def test_density(analysed, case, cells):
    f, b = analysed
    whole = (abs(case) > 0).toarray()
    for of, entries in (("L", eliminated(b)), ("PAPt", b), ("A", whole)):
        side = min(cells, f.n)
        expected = np.zeros((side, side), np.int64)
        i, j = np.nonzero(entries)
        np.add.at(expected, (i * side // max(f.n, 1), j * side // max(f.n, 1)), 1)
        assert np.array_equal(f.density(of, cells), expected), of


@pytest.mark.parametrize("seed", range(60))
def test_pattern_of_many_random_ones(seed):
    rng = np.random.default_rng(seed)
    a = random_spd(int(rng.integers(2, 45)), seed, rng.uniform(0.01, 0.2))
    for method in METHODS:
        f = kauri.analyze(a, ordering_method=method)
        low, (indptr, indices) = eliminated(permuted(a, f)), f.pattern_L()
        assert np.array_equal(sp.csc_array((np.ones(len(indices), bool), indices, indptr), shape=a.shape).toarray(), low)
        assert f.density("L", 5).sum() == low.sum()


def test_of_files_and_errors(tmp_path):
    a = poisson(6)
    f = kauri.analyze(a, ordering_method="amd")
    f.save(tmp_path / "plan")
    g = kauri.load(tmp_path / "plan")
    assert all(np.array_equal(x, y) for x, y in zip(f.pattern_L(), g.pattern_L())) and np.array_equal(f.parent(), g.parent())
    assert g.cost() == f.cost() and np.array_equal(f.density("L", 8), g.density("L", 8))
    assert np.array_equal(f.density("A", 8), g.density("A", 8)) and np.array_equal(f.density("PAPt", 8), g.density("PAPt", 8))
    with pytest.raises(kauri.UsageError, match="expected A, PAPt or L"):
        f.density("B")
    with pytest.raises(kauri.UsageError, match="0 cells"):
        f.density("L", 0)


def test_cancel():
    token = kauri.CancelToken()
    f = kauri.analyze(poisson(30))
    token.cancel()
    for call in (lambda: f.density("L", cancel=token), lambda: f.pattern_L(cancel=token), lambda: f.density("A", cancel=token)):
        with pytest.raises(kauri.Cancelled):
            call()


def test_a_report_of_an_analysis_alone_takes_no_memory_for_numbers():
    f = kauri.analyze(poisson(10))
    report = f.report()
    assert f._numbers is None and report["nnz_l"] == f.nnz and report["factor"]["seconds"] == 0
    assert report["factor"]["bytes"] == f.cost()["factor_bytes"] and report["prepare"]["bytes"] == f.cost()["peak_bytes"]
