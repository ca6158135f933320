# Tests whether x is reported as a solution: report()["status"] and its reason, backward_error(),
# and the status of compare().
# SPDX-License-Identifier: BSD-3-Clause
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import poisson

import kauri
from kauri._compare import run

ROOT = {np.dtype(t): np.sqrt(np.finfo(t).eps) for t in (np.float32, np.float64)}


def verdict(f):
    r = f.report()
    return r["status"], r["status_reason"]


@pytest.fixture
def b():
    return np.random.default_rng(1).standard_normal((100, 3))


def shifted():
    return sp.csc_matrix(poisson(10) + 50 * sp.eye_array(100))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_refined_and_unrefined_solves(b, dtype):
    f, b = kauri.cholesky(poisson(10, dtype)), b.astype(dtype)
    assert verdict(f) == ("none", "")
    f(b)
    assert verdict(f) == ("none", "")
    f(b, refine=1)
    assert verdict(f) == ("ok", "")
    f.refactorize(shifted().astype(dtype))
    f(b, refine=1)
    assert verdict(f) == ("ok", "")


@pytest.mark.parametrize("refine", [0, 1])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_what_is_not_finite(b, dtype, order, refine):
    f, good = kauri.cholesky(poisson(10, dtype)), np.array(b, dtype, order=order)
    bad = good.copy(order)
    bad[7, 1] = np.nan
    x = f(bad, refine=refine)
    assert np.isnan(x[:, 1]).any() and np.isfinite(x[:, 0]).all()
    assert verdict(f) == ("not_finite", "the solution is not finite: entry (7, 1) of b (row, column, from 0) is nan")
    f(good[:, 0], refine=refine)
    assert verdict(f) == (("ok", "") if refine else ("none", ""))
    f(np.full(100, np.finfo(dtype).max, dtype), refine=refine)  # A^-1 b is larger
    status, reason = verdict(f)
    assert status == "not_finite" and f"overflows {'float' if dtype == np.float32 else 'double'}" in reason


@pytest.mark.parametrize("system", ["A", "LDLt", "L", "Lt", "P"])
def test_parts_of_a_solution_are_looked_at(b, system):
    f = kauri.cholesky(poisson(10))
    b[99, 2] = np.inf
    f.solve(b, system)
    assert f.report()["status"] == "not_finite" and "(99, 2) of b" in f.report()["status_reason"]


@pytest.mark.parametrize("options", [{}, {"ordering_method": "natural"}])
@pytest.mark.parametrize("system", ["A", "LDLt", "L", "Lt", "P"])
def test_all_columns_of_sparse_right_hand_sides_are_looked_at(system, options):
    """Columns are solved by blocks of 64."""
    if options and system == "P":
        pytest.skip("nothing is computed")
    f, b = kauri.cholesky(poisson(10), **options), sp.random(100, 200, 0.1, random_state=1, format="lil")
    b[99, 70] = np.nan
    f.solve(sp.csc_array(b), system)
    status, reason = verdict(f)
    assert status == "not_finite" and "entry (99, 70) of b" in reason
    b[99, 70] = 1.0
    f.solve(sp.csc_array(b), system)
    assert verdict(f) == ("none", "")
    f.solve(sp.csc_array(b), refine=1)
    assert verdict(f) == ("ok", "")


def test_a_factor_of_other_values(tmp_path, b):
    """Pairs L of A + 50 I with the values of A."""
    f = kauri.cholesky(shifted())
    state = f.__getstate__()
    state["values"] = kauri.cholesky(poisson(10))._numbers.values()
    f.__setstate__(state)
    f(b, refine=2)
    status, reason = verdict(f)
    assert status == "not_converged" and "does not count as a solution" in reason
    assert f.report()["refinement"]["final_error"]["normwise"] > ROOT[np.dtype(np.float64)]
    f.refactorize(poisson(10))
    f(b, refine=2)
    assert verdict(f) == ("ok", "")


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_loaded_factor(tmp_path, b, dtype):
    a, b = poisson(10, dtype), b.astype(dtype)
    kauri.cholesky(shifted().astype(dtype)).save(tmp_path / "other")
    f = kauri.load(tmp_path / "other")
    x = f(b)
    assert verdict(f) == ("none", "")
    error = kauri.backward_error(a, x, b)
    assert error.status == "not_converged" and error.normwise > 0.1
    assert kauri.backward_error(shifted(), x, b).status == "ok"
    f.refactorize(a)
    x = f(b, refine=1)
    assert verdict(f) == ("ok", "") and kauri.backward_error(a, x, b).status == "ok"


def test_backward_errors(b):
    a = poisson(10)
    x = kauri.cholesky(a)(b) * (1 + 1e-6)
    error = kauri.backward_error(a, x, b)
    r, norm = np.abs(b - a @ x), lambda y: np.abs(y).max(axis=0)
    assert error.normwise == pytest.approx((norm(r) / (abs(a).sum(axis=1).max() * norm(x) + norm(b))).max(), rel=1e-6)
    assert error.componentwise == pytest.approx((r / (abs(a) @ np.abs(x) + np.abs(b))).max(), rel=1e-6)
    assert error.status == "not_converged" and kauri.backward_error(a, x.astype(np.float32), b).status == "ok"
    for same in (sp.tril(a).tocsr(), a.toarray(), a.astype(np.float32)):
        assert kauri.backward_error(same, np.asfortranarray(x), b) == error
    assert kauri.backward_error(a, x[:, 1], b[:, 1].tolist()).normwise <= error.normwise
    x[3, 0] = np.nan
    assert kauri.backward_error(a, x, b).status == "not_finite"
    for wrong in ((a, x[:99], b), (a, x, b[:, :2]), (a, x[:, 0], b), (a, x[:, :, None], b), (a[:99, :99], x, b)):
        with pytest.raises(kauri.UsageError):
            kauri.backward_error(*wrong)


def test_mixed_precision(b):
    f = kauri.cholesky_mixed(poisson(10))
    assert verdict(f) == ("none", "")
    f(b)
    assert verdict(f) == ("ok", "")
    bad = b.copy()
    bad[7, 1] = np.nan
    with pytest.warns(RuntimeWarning, match="did not converge"):
        f(bad)
    assert verdict(f) == ("not_finite", "the solution is not finite: entry (7, 1) of b (row, column, from 0) is nan")


@pytest.mark.parametrize("steps, words", [(1, "expected at most 1.49"), (2, "more than was asked for"), (4, None)])
def test_mixed_precision_that_is_cut_short(b, steps, words):
    f = kauri.cholesky_mixed(poisson(10), mixed_solve_max_steps=steps, mixed_solve_max_cg_steps=0, mixed_allow_double=False)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        f(b)
    status, reason = verdict(f)
    assert len(told) == (words is not None)
    assert (status, reason) == ("ok", "") if words is None else status == "not_converged" and words in reason


def test_compare_judges_by_the_error():
    (record,) = kauri.compare(poisson(10), ["amd"], factorize=True)
    assert record.status == "ok" and record.note == ""
    cases = [(np.float64, 1e-9, True, "ok"), (np.float64, 1e-7, True, "not_converged"), (np.float32, 1e-7, True, "ok"),
             (np.float32, 1e-3, True, "not_converged"), (np.float64, None, True, "not_finite"), (np.float64, 1e-9, False, "not_finite")]
    for dtype, error, finite, status in cases:
        told = run._judged({"normwise": error, "componentwise": error}, finite, np.dtype(dtype))
        assert told["status"] == status and (told["note"] == "") == (status == "ok")
    assert run._judged({"normwise": 1e-16, "componentwise": 1e-3}, True, np.dtype(np.float64))["status"] == "ok"
