# Tests matrices that store both halves: rounding differences are accepted, a stored zero equals a
# missing entry, and the caller sets the threshold.
# SPDX-License-Identifier: BSD-3-Clause
import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import poisson

import kauri

TINY = 1e-300  # a threshold that accepts equal halves only


def ways():
    """Returns SPD matrices that are products and sums of others, rounded in various orders."""
    rng = np.random.default_rng(7)
    j = sp.csr_array(sp.random(300, 80, 0.06, random_state=rng, data_rvs=rng.standard_normal))
    w = rng.uniform(0.1, 10, 300)
    one = sp.eye_array(80, format="csr")
    weights = sp.diags_array(w, format="csr")
    k = sp.csr_array(poisson(8) + 0.1 * sp.eye_array(64))
    mass = sp.diags_array(1 / rng.uniform(1, 3, 64), format="csr")
    p = sp.csr_array(sp.random(64, 24, 0.2, random_state=rng, data_rvs=rng.standard_normal))
    q = np.linalg.qr(rng.standard_normal((40, 40)))[0]
    points = rng.standard_normal((50, 3))
    normal = sp.csr_array(j.T @ weights @ j)
    distance = ((points[:, None] - points) ** 2).sum(axis=2)
    return {
        "normal_equations": j.T @ j + one,
        "weighted": j.T @ weights @ j + one,
        "weighted_from_the_right": j.T @ (weights @ j) + one,
        "weighted_rows": (j.T.toarray() * w) @ j.toarray() + np.eye(80),
        "galerkin": p.T @ k @ p + sp.eye_array(24),
        "mass_in_the_middle": k @ mass @ k,
        "schur_complement": 400 * sp.eye_array(24) - p.T @ mass @ p,
        "inverse": np.linalg.inv(normal.toarray() + np.eye(80)),
        "eigenvectors": (q * rng.uniform(1, 5, 40)) @ q.T,
        "squared": normal @ normal + one,
        "kernel": np.exp(-distance / 2) + 1e-5 * np.eye(50),
    }


WAYS = ways()
DOORS = {
    "cholesky": lambda a, **o: kauri.cholesky(a, **o),
    "analyze": lambda a, **o: kauri.analyze(a, **o),
    "cholesky_mixed": lambda a, **o: kauri.cholesky_mixed(a, **o),
    "factorized": lambda a, **o: kauri.factorized(a, **o),
    "aslinearoperator": lambda a, **o: kauri.aslinearoperator(a, **o),
    "compare": lambda a, **o: kauri.compare(a, ["amd"], factorize=True, **o),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("way", WAYS)
def test_what_rounding_leaves_is_taken(way, door):
    a = WAYS[way]
    b = np.ones(a.shape[0])
    for same in (a, sp.csc_array(a), sp.csr_array(a), sp.coo_array(a)):
        f = DOORS[door](same)
        if door == "analyze":
            f.refactorize(a)
        if door == "compare":
            assert f["amd"].status == "ok"
        else:
            x = f @ b if door == "aslinearoperator" else f(b)
            assert kauri.backward_error(a, x, b).normwise < 1e-13


def test_most_of_them_have_halves_that_differ():
    refused = [way for way, a in WAYS.items() if (abs(sp.csr_array(a) - sp.csr_array(a).T)).max() > 0]
    assert len(refused) >= 6
    for way in refused:
        for door in DOORS.values():
            with pytest.raises(kauri.InputError, match="not symmetric, expected halves that differ by at most 1e-300"):
                door(WAYS[way], symmetry=TINY)


@pytest.mark.parametrize("door", DOORS)
def test_real_asymmetry_is_refused_with_both_places(door):
    a = sp.lil_array(poisson(4))
    a[3, 2] -= 1e-6
    with pytest.raises(kauri.InputError, match=r"(?s)\(3, 2\).*\(2, 3\).*not symmetric, expected halves that differ by at most 2.22e-13"):
        DOORS[door](sp.csr_array(a))


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("format", ["csc", "csr"])
@pytest.mark.parametrize("places", [[(0, 2)], [(2, 0)], [(0, 2), (1, 0)]])
def test_a_stored_zero_without_a_partner(door, format, places):
    """The zero stands beside both halves of other entries, or in a matrix with one half only."""
    full = sp.coo_array(np.array([[4.0, 0, 0, 1], [0, 4, 1, 0], [0, 1, 4, 0], [1, 0, 0, 4]]))
    for a in (full, sp.coo_array(sp.tril(full)), sp.coo_array(sp.triu(full))):
        rows, cols = (np.append(old, [place[k] for place in places]) for k, old in enumerate(a.coords))
        with_zeros = sp.coo_array((np.append(a.data, np.zeros(len(places))), (rows, cols)), shape=(4, 4)).asformat(format)
        assert with_zeros.nnz == a.nnz + len(places)
        f = DOORS[door](with_zeros)
        if door == "analyze":
            f.refactorize(with_zeros)
        if door == "compare":
            assert f["amd"].status == "ok"
            continue
        x = f @ np.ones(4) if door == "aslinearoperator" else f(np.ones(4))
        assert abs(full @ x - 1).max() < 1e-14


def skewed(by, dtype=np.float64):
    """Returns a matrix with 4 on the diagonal whose upper entries are larger by the fraction
    ``by``."""
    a = np.asarray(poisson(3).toarray())
    a[np.triu_indices(9, 1)] *= 1 + by
    a = sp.csc_array(a)
    return sp.csc_array((a.data.astype(dtype), a.indices, a.indptr), shape=a.shape)  # SciPy makes float16 only so


@pytest.mark.parametrize("make", [kauri.cholesky, kauri.cholesky_mixed, kauri.analyze])
def test_the_threshold_stays_with_the_factor(make):
    near, far = skewed(1e-6), skewed(1e-4)  # entries are a quarter of the diagonal
    with pytest.raises(kauri.InputError, match="2.22e-13"):
        make(near)
    f = make(near, symmetry=1e-6)
    with pytest.raises(kauri.InputError, match="at most 1e-06"):
        make(far, symmetry=1e-6)
    copies = [f, pickle.loads(pickle.dumps(f))]
    if make is not kauri.cholesky_mixed:
        copies += [f.copy(), copy.copy(f), pickle.loads(pickle.dumps(f.copy()))]
    if make is kauri.cholesky:
        copies.append(f.cholesky(near))
    for one in copies:
        one.refactorize(near)
        assert one.valid
        with pytest.raises(kauri.InputError, match="at most 1e-06"):
            one.refactorize(far)
        one.refactorize(near)
        assert abs(sp.tril(near) @ one(np.ones(9)) + sp.tril(near, -1).T @ one(np.ones(9)) - 1).max() < 1e-12
    strict = make(skewed(0))
    for one in (strict, pickle.loads(pickle.dumps(strict))):
        with pytest.raises(kauri.InputError, match="2.22e-13"):
            one.refactorize(near)


@pytest.mark.parametrize("make", [kauri.cholesky, kauri.analyze])
def test_a_loaded_factor_takes_halves_as_it_is_told(make, tmp_path):
    near, far = skewed(1e-6), skewed(1e-4)
    make(skewed(0)).save(tmp_path / "f")
    strict = kauri.load(tmp_path / "f")
    with pytest.raises(kauri.InputError, match="at most 2.22e-13"):
        strict.refactorize(near)
    for f in (kauri.load(tmp_path / "f", symmetry=np.float32(1e-6)), kauri.load(tmp_path / "f", triangle="both", symmetry=1e-6)):
        f.refactorize(near)
        with pytest.raises(kauri.InputError, match="at most 1e-06"):
            f.refactorize(far)
    for triangle, by in (("lower", 1.0), ("upper", 1 + 1e-4)):
        f = kauri.load(tmp_path / "f", triangle=triangle)
        f.refactorize(far)
        assert f._numbers.values().min() == -by
    for wrong, text in (({"symmetry": -1}, "symmetry is -1, expected 0 to 1"), ({"symmetry": "x"}, "symmetry='x'"),
                        ({"triangle": "x"}, "triangle: 'x'")):
        with pytest.raises(kauri.UsageError, match=text):
            kauri.load(tmp_path / "f", **wrong)


@pytest.mark.parametrize("door", DOORS)
def test_thresholds_that_are_none(door):
    for wrong in ("x", None, [1], -1, 2, np.nan):
        with pytest.raises(kauri.UsageError, match="symmetry.*expected.* 0 to 1"):
            DOORS[door](poisson(3), symmetry=wrong)
        with pytest.raises(kauri.UsageError, match="symmetry.*expected.* 0 to 1"):
            kauri.read("not_looked_at.mtx", symmetry=wrong)


@pytest.mark.parametrize("make", [kauri.cholesky, kauri.cholesky_mixed, kauri.analyze])
def test_zeros_outside_of_the_pattern_are_nothing(make):
    """New values may store zeros where the analysed A has no entries: a stored zero equals a
    missing entry."""
    a = np.array([[4.0, 1, 0], [1, 5, 2], [0, 2, 6]])
    f = make(sp.csc_array(a))
    for zero in (0.0, -0.0):
        new = a + np.eye(3)
        new[0, 2] = new[2, 0] = zero
        every = sp.csc_array((new.T.ravel(), np.tile(np.arange(3), 3), np.arange(0, 10, 3)), shape=(3, 3))
        assert every.nnz == 9
        for same in (every, every.tocsr(), every.tocoo()):
            f.refactorize(same)
            assert np.allclose((a + np.eye(3)) @ f(np.ones(3)), 1, rtol=1e-14)
    for wrong in (1e-300, np.nan):
        new[0, 2] = new[2, 0] = wrong
        with pytest.raises(kauri.UsageError, match=r"entry \(2, 0\) is not in the pattern"):
            f.refactorize(sp.csc_array(new))


# If numbers were rounded to a narrower type than the factor's, the threshold is that of the
# narrower type.


def dense(a):
    return a.astype(np.float64).toarray().astype(a.dtype)


@pytest.mark.parametrize("dtype, by, beyond, threshold", [(np.float32, 1e-4, 1e-2, "0.000119"), (np.float16, 0.5, -21.0, "0.977")])
def test_narrow_types_in_double(dtype, by, beyond, threshold):
    near, far = skewed(by, dtype), skewed(beyond, dtype)
    calls = [lambda a: kauri.cholesky(a, dtype=np.float64), lambda a: kauri.analyze(a, dtype=np.float64), kauri.cholesky_mixed,
             lambda a: kauri.compare(a, ["amd"], dtype=np.float64), lambda a: kauri.factorized(a, dtype=np.float64),
             lambda a: kauri.cholesky(dense(a), dtype=np.float64),
             lambda a: kauri.cholesky(dense(a).astype(near.dtype.newbyteorder(">")), dtype=np.float64),
             lambda a: kauri.cholesky_mixed(dense(a)), lambda a: kauri.compare(dense(a), ["amd"], dtype=np.float64),
             lambda a: kauri.backward_error(a, np.ones(9), np.ones(9)), lambda a: kauri.cholesky(poisson(3)).refactorize(a),
             lambda a: pickle.loads(pickle.dumps(kauri.cholesky(poisson(3)))).refactorize(dense(a)),
             lambda a: kauri.cholesky_mixed(poisson(3)).refactorize(a)]
    if dtype == np.float16:
        calls += [kauri.cholesky, lambda a: kauri.cholesky(a, dtype=np.float32), lambda a: kauri.cholesky(dense(a))]
    for call in calls:
        call(near)
        with pytest.raises(kauri.InputError, match=f"at most {threshold} "):
            call(far)
    for wide in (near.astype(np.float64), near.astype(np.float64).toarray()):
        with pytest.raises(kauri.InputError, match="at most 2.22e-13"):
            kauri.cholesky(wide)
    for call in (lambda a, **o: kauri.cholesky(a, dtype=np.float64, **o), kauri.cholesky_mixed):
        with pytest.raises(kauri.InputError, match="at most 1e-12"):  # an explicit threshold counts
            call(near, symmetry=1e-12)


@pytest.mark.parametrize("make", [sp.csc_array, sp.csr_array, sp.coo_array, np.asarray, lambda a: a.tolist()])
def test_halves_are_compared_before_they_are_rounded(make):
    """If float64 is factorised in float32, differences that float32 can hardly represent still
    count as asymmetry."""
    narrow = {"dtype": np.float32}
    calls = [lambda a, **o: kauri.cholesky(a, **narrow, **o), lambda a, **o: kauri.analyze(a, **narrow, **o),
             lambda a, **o: kauri.factorized(a, **narrow, **o), lambda a, **o: kauri.compare(a, ["amd"], **narrow, **o),
             lambda a, **o: kauri.cholesky([[4.0, 1.0], [1.0, 4.0]], **narrow, **o).refactorize(a)]
    for call in calls:
        for by in (5e-5, 1e-9):
            far = make(np.array([[4.0, 1.0], [1.0 + by, 4.0]]))
            with pytest.raises(kauri.InputError, match=r"(?s)\(1, 0\).*\(0, 1\).*at most 2.22e-13 "):
                call(far)
            call(far, symmetry=by)
            call(far, triangle="lower")
            with pytest.raises(kauri.InputError, match="at most 1e-12 "):
                call(far, symmetry=1e-12)
        call(make(np.array([[4.0, 1.0], [1.0 + 1e-15, 4.0]])))
        call(make(np.array([[4.0, 1.0], [0.0, 4.0]])))
    a = np.array([[4.0, 1.00005], [1.0, 4.0]])
    for triangle, taken in (("lower", 1.0), ("upper", np.float32(1.00005))):
        a_core = kauri.cholesky(make(a), dtype=np.float32, triangle=triangle)._numbers.values()
        assert a_core.dtype == np.float32 and a_core[1] == taken


def test_integers_have_no_rounding():
    a = sp.csc_array(np.array([[1000, 1], [2, 1000]], np.int16))
    with pytest.raises(kauri.InputError, match="at most 2.22e-13"):
        kauri.cholesky(a)
    with pytest.raises(kauri.InputError, match="at most 2.22e-13"):
        kauri.cholesky([[4.0, 1.0], [1.1, 4.0]])
