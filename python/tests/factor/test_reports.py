# Tests reports of factors: phases, shares of the roofline, and that the document lists every key.
# SPDX-License-Identifier: BSD-3-Clause
import pathlib

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import poisson

import kauri


def test_report(a):
    f = kauri.cholesky(a)
    f(np.ones((f.n, 2)))
    r = f.report()
    assert r["n"] == f.n and r["nnz_l"] == f.nnz and r["right_hand_sides"] == 2 and r["factor"]["seconds"] > 0
    near = sp.csc_matrix(np.array([[1.0, 1.0], [1.0, 1.0 + 1e-15]]))
    assert kauri.cholesky(near).report()["nearly_singular"] is not None


@pytest.mark.parametrize("make, scalar", [(kauri.cholesky, 8), (kauri.cholesky_mixed, 4)])
def test_shares_of_the_roofline(make, scalar):
    a = poisson(20)
    assert make(a).report()["roofline"] is None and "share" not in make(a).report()["factor"]
    f = make(a, roofline=True, threads=1, **({"refine_max_steps": 2} if scalar == 8 else {}))
    f(np.ones((400, 3)))
    r = f.report()
    roofline, nnz = r["roofline"], r["nnz"]
    assert min(roofline.values()) > 1e6
    assert r["factor"]["moved"] == scalar * (nnz + r["nnz_l"])
    for phase in ("ordering", "symbolic", "factor", "solve") + (("refine",) if scalar == 8 else ()):
        p = r[phase]
        least = max(p["flops"] / roofline["flops_per_s"], p["moved"] / roofline["bytes_per_s"])
        assert p["share"] == pytest.approx(least / p["seconds"]) and p["share"] > 0
    residual, tried = 12 * nnz + 3 * 8 * 3 * 400, r["refinement"]["tried"]
    if scalar == 8:
        assert r["solve"]["moved"] == 16 * r["nnz_l"] + 4 * 8 * 3 * 400
        assert r["refine"]["moved"] == tried * r["solve"]["moved"] + (tried + 1) * residual
        assert r["refine"]["flops"] == tried * r["solve"]["flops"] + (tried + 1) * 3 * 2 * (2 * nnz - 400)


def test_keys_of_reports_are_documented():
    page = pathlib.Path(__file__).resolve().parents[3] / "docs" / "json.md"
    if not page.exists():
        pytest.skip("the documents are not beside these tests")
    told = page.read_text(encoding="utf-8").split("## Reports\n")[1]
    f = kauri.cholesky(poisson(3), roofline=True, refine_max_steps=1)
    f(np.ones(9))

    def keys(value):
        if isinstance(value, dict):
            for key, inner in value.items():
                yield key
                yield from keys(inner)

    missing = {key for key in keys(f.report()) if f"`{key}`" not in told}
    assert not missing
    near = sp.csc_matrix(np.array([[1.0, 1.0], [1.0, 1.0 + 1e-15]]))
    assert not {key for key in keys(kauri.cholesky(near).report()) if f"`{key}`" not in told}
