# Tests kauri.compare: figures, tables, failures, and pandas.
# SPDX-License-Identifier: BSD-3-Clause
import json
import pickle
import sys
import threading

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import LIMIT_SECONDS, eliminated, poisson, random_spd

import kauri
from kauri._arrays import memory
from kauri._compare import table
from kauri._compare.records import System


def test_figures_are_those_of_the_analysis():
    a = poisson(20)
    compared = kauri.compare(a)
    names = ["natural", "rcm", "amd", "nd"] + ["metis"] * kauri._core.ordering_compared("metis") + ["auto"]
    assert [r.ordering for r in compared] == names and len(compared) == len(names)
    for record in compared:
        f = kauri.analyze(a, ordering_method=record.ordering)
        cost, report = f.cost(), f.report()
        assert (record.nnzL, record.flops, record.fill_ratio) == (f.nnz, cost["flops"], report["fill"])
        for key in ("tree_height", "supernodes", "largest_front", "largest_supernode", "factor_bytes", "peak_bytes", "stored_entries",
                    "executed_flops", "predicted_factor_s", "predicted_solve_s"):
            assert getattr(record, key) == cost[key], key
        assert record.method == report["ordering_method"] and record.status == "ok" and record.note == ""
        assert record.order_s > 0 and record.symbolic_s > 0 and record.factor_s is record.solve1_s is None
        assert record.factor.n == a.shape[0] and not record.factor.valid
        p = record.factor.P()
        assert record.nnzL == eliminated((a.toarray() != 0)[np.ix_(p, p)]).sum()


def test_natural_is_left_out_of_large_ones():
    big = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(10_001, 10_001))
    assert "natural" not in [r.ordering for r in kauri.compare(big)]
    assert kauri.compare(big, "natural")["natural"].nnzL == 20_001


def test_auto_is_marked():
    compared = kauri.compare(poisson(30))
    auto = compared["auto"]
    assert [r.ordering for r in compared if r.chosen] == [auto.method] and auto.label == f"auto ({auto.method})"
    assert not any(r.chosen for r in kauri.compare(poisson(30), ["amd", "nd"]))
    assert f"\n  {auto.method} *" in str(compared) and f"\n  * {auto.method}: predicted" in str(compared)
    assert f"\n  auto: {auto.method}: predicted" in str(kauri.compare(poisson(30), ["rcm", "auto"]))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_measured(dtype):
    a = poisson(25, dtype)
    compared = kauri.compare(a, factorize=True, threads=1)
    for record in compared:
        assert record.factor_s > 0 and record.solve1_s > 0 and record.status == "ok"
        assert 0 < record.backward_error <= 100 * np.finfo(dtype).eps and record.backward_error_componentwise >= record.backward_error
        assert record.factor_bytes == np.dtype(dtype).itemsize * record.stored_entries
        assert not record.factor.valid
        record.factor.refactorize(a)  # numbers can be factorised with the analysis
        assert np.allclose(a @ record.factor(np.ones(625, dtype)), 1, atol=1e-3)
    assert "1 thread, " + ("float" if dtype == np.float32 else "double") in str(compared)


@pytest.mark.parametrize("a", [sp.csc_matrix((0, 0)), [[2.0]], sp.diags_array([1.0, 2.0, 3.0]), np.ones((6, 6)) + 6 * np.eye(6),
                               sp.block_diag([poisson(3), poisson(2)])], ids=["none", "one", "diagonal", "dense", "disconnected"])
def test_hard_cases(a):
    compared = kauri.compare(a, factorize=True)
    assert all(r.status == "ok" and r.backward_error < 1e-14 for r in compared)
    assert str(compared) and compared._repr_html_()


def test_systems_by_name():
    compared = kauri.compare({"grid": poisson(8), "wide": np.ones((2, 3)), "complex": 1j * np.eye(2), "random": random_spd(30, 1)}, ["amd", "rcm"])
    assert list(compared.systems) == ["grid", "wide", "complex", "random"]
    assert [(r.system, r.ordering) for r in compared] == [("grid", "amd"), ("grid", "rcm"), ("random", "amd"), ("random", "rcm")]
    assert compared["random", "rcm"].n == 30 and list(compared.failures) == ["wide", "complex"]
    assert "\nwide: not compared: a matrix of shape (2, 3): it must be square\n" in str(compared)
    assert "(2, 3)" in compared._repr_html_()
    for key in ("amd", ("grid", "nd"), ("other", "amd")):
        with pytest.raises(KeyError, match="grid, wide, complex, random"):
            compared[key]
    listed = kauri.compare([poisson(3), poisson(4)], "amd", name="grid")
    assert [(r.system, r.n) for r in listed] == [("grid[0]", 9), ("grid[1]", 16)]
    with pytest.raises(kauri.UsageError):
        kauri.compare(np.ones((2, 3)))


def test_permutations_and_options():
    a = poisson(12)
    mine = np.random.default_rng(0).permutation(144)
    compared = kauri.compare(a, {"mine": mine, "best": {"ordering_method": "nd", "ordering_effort": "best"}, "amd": "colamd", "short": mine[:3]})
    assert compared["mine"].nnzL == eliminated((a.toarray() != 0)[np.ix_(mine, mine)]).sum() and compared["mine"].method == "given"
    assert (compared["best"].method, compared["best"].effort) == ("nd", "best") and compared["amd"].method == "amd"
    assert compared["short"].status == "failed" and "not analysed" in compared["short"].note and compared["short"].nnzL is None
    assert "short: not analysed" in str(compared) and "\n  short " in str(compared)
    merged = kauri.compare(a, ["amd"], analyze_amalgamate=False)["amd"]
    assert merged.supernodes > compared["amd"].supernodes and merged.nnzL == compared["amd"].nnzL


def test_bad_words_are_refused_before_anything_is_run():
    a = sp.csc_matrix((10**6, 10**6))
    for orderings in (["amd", "nnd"], "nnd", {"x": {"ordering_method": "nnd"}}):
        with pytest.raises(kauri.UsageError, match="'nnd': expected one of natural, rcm, md, amd, pamd, nd, metis, auto, best"):
            kauri.compare(a, orderings)
    with pytest.raises(kauri.UsageError, match="did you mean threads"):
        kauri.compare(a, thread=1)
    with pytest.raises(kauri.UsageError, match="expected one or more of natural"):
        kauri.compare(a, [])
    with pytest.raises(kauri.UsageError, match="repetitions"):
        kauri.compare(a, factorize=True, repetitions=0)
    with pytest.raises(kauri.UsageError, match="in a dict"):
        kauri.compare(a, [np.arange(3)])
    with pytest.raises(kauri.UsageError, match=r"orderings=\[...\]"):
        kauri.compare(a, ordering_method="amd")


def test_what_fails_is_told_by_name(monkeypatch):
    d = np.ones(7)
    d[4] = -3
    compared = kauri.compare(sp.diags_array(d), ["natural", "nd"], factorize=True)
    for record in compared:
        assert (record.status, record.column, record.factor_s) == ("not_positive_definite", 4, None) and record.nnzL == 7
    assert str(compared).count("fails at 4") == 2 and "nd: the matrix is not positive definite: column 4 met the pivot -3" in str(compared)
    nan = kauri.compare(sp.diags_array([1.0, np.nan]), "amd", factorize=True)["amd"]
    assert nan.status == "not_run" and "(1, 1), is nan" in nan.note
    late = kauri.compare(poisson(9), "amd", factorize=True, most_seconds=0)["amd"]
    assert late.status == "not_run" and "most_seconds=0" in late.note and late.nnzL and late.factor_s is None
    monkeypatch.setattr(memory, "available_bytes", lambda: 1000)
    full = kauri.compare(poisson(9), "amd", factorize=True, most_seconds=None)["amd"]
    assert full.status == "not_run" and "1.00 kB are available" in full.note
    monkeypatch.setattr(kauri._core, "ordering_available", lambda name: name != "metis")
    absent = kauri.compare(poisson(3), ["metis", "amd"])
    assert absent["metis"].note == "not available in this build" and absent["amd"].status == "ok"
    assert "metis" not in [r.ordering for r in kauri.compare(poisson(3))]


def test_a_solution_that_overflows():
    record = kauri.compare(sp.diags_array(np.full(4, 1e-310)), "amd", factorize=True)["amd"]
    assert (record.status, record.note) == ("not_finite", "the solution overflows float64")
    assert record.factor_s > 0 and record.backward_error is None


def test_cancel():
    token = kauri.CancelToken()
    timer = threading.Timer(0.05, token.cancel)
    timer.start()
    with pytest.raises(kauri.Cancelled):
        for _ in range(1000):
            kauri.compare(poisson(60), factorize=True, cancel=token)
    timer.join(LIMIT_SECONDS)
    with pytest.raises(kauri.Cancelled):
        kauri.compare({"one": poisson(2), "two": poisson(3)}, cancel=token)


def test_best():
    compared = kauri.compare(poisson(30))
    assert compared.best().flops == min(r.flops for r in compared)
    assert compared.best("tree_height").tree_height == min(r.tree_height for r in compared)
    with pytest.raises(kauri.UsageError, match="factorize=True"):
        compared.best("factor_s")
    with pytest.raises(kauri.UsageError, match="expected one of nnzL, flops"):
        compared.best("speed")
    several = kauri.compare([poisson(3), poisson(4)], "amd")
    with pytest.raises(kauri.UsageError, match="name one of"):
        several.best()
    assert several.best(system="A[1]").n == 16


def test_dicts_and_pickles():
    compared = kauri.compare(poisson(9), factorize=True)
    dicts = json.loads(json.dumps(compared.to_dicts()))
    assert dicts == compared.to_dicts() and "factor" not in dicts[0] and dicts[0]["nnz_lower"] == 225
    again = pickle.loads(pickle.dumps(compared))
    assert again.records == compared.records and str(again) == str(compared)


def test_pandas():
    pandas = pytest.importorskip("pandas", reason="to_pandas() needs it")
    compared = kauri.compare(poisson(9), ["amd", "nd"])
    frame = compared.to_pandas()
    assert list(frame.index) == ["amd", "nd"] and frame.index.name == "ordering" and isinstance(frame, pandas.DataFrame)
    assert frame.loc["nd", "nnzL"] == compared["nd"].nnzL and frame["nnzL"].dtype == np.int64 and "factor" not in frame
    several = kauri.compare({"a": poisson(9), "b": poisson(3)}, {"amd": "amd", "short": [0, 1]}).to_pandas()
    assert several.index.names == ["system", "ordering"] and several.loc[("b", "amd"), "n"] == 9
    assert several["nnzL"].isna().sum() == 2 and several["nnzL"].dtype == "Int64"


def test_without_pandas_and_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    compared = kauri.compare(poisson(3))
    with pytest.raises(ImportError, match="pip install pandas"):
        compared.to_pandas()
    with pytest.raises(ImportError, match="pip install matplotlib"):
        compared.plot()
    assert "natural" in compared._repr_html_()


def test_the_table():
    record = kauri.Record(system="A<b>", ordering="nd", method="nd", n=1_000_000, nnz_lower=2_998_000, effort="standard", nnzL=30_241_733,
                          flops=9287833471.0, fill_ratio=10.087, tree_height=2793, supernodes=191_630, largest_front=1403,
                          factor_bytes=309_852_880, peak_bytes=318_531_792, order_s=0.978, symbolic_s=0.3516, predicted_factor_s=0.1252,
                          factor_s=0.25, solve1_s=0.0311, backward_error_componentwise=1.23e-16, chosen=True)
    failed = kauri.Record(system="A<b>", ordering="metis", method="metis", n=1_000_000, nnz_lower=2_998_000, status="failed", note="not there")
    system = System("A<b>", 1_000_000, 2_998_000, "cpu-avx2, 2 threads, double", True, "nd: least", (record, failed))
    assert table.text(system) == """\
A<b>: 1,000,000 rows, 2,998,000 entries in the lower triangle
on cpu-avx2, 2 threads, double; height and front in columns, predicted and measured for the factorisation

  ordering   order  analyse  entries of L   fill  operations  height   fronts  front       L    peak  predicted  measured    solve    error
  nd *      978 ms   352 ms        30.2 M  10.1x      9.29 G   2,793  191,630  1,403  310 MB  319 MB     125 ms    250 ms  31.1 ms  1.2e-16
  metis          -        -             -      -           -       -        -      -       -       -          -         -        -        -

  metis: not there
  * nd: least
"""
    page = table.as_html(system)
    assert "A&lt;b&gt;" in page and "<b>A<b>" not in page and page.count("<tr>") == 3 and page.count("<td>") == 28
    assert "<th>nd&nbsp;*</th>" in page and "<td>30.2&nbsp;M</td>" in page


def test_words():
    assert [table.seconds(s) for s in (0, 1e-5, 999.6e-6, 0.0123, 0.9996, 59.96, 1234, None)] == [
        "0 us", "10 us", "1.00 ms", "12.3 ms", "1.00 s", "60.0 s", "1234 s", "-"
    ]
    assert [table.size(b) for b in (0, 999, 999.6, 12_345, 2.5e12)] == ["0 B", "999 B", "1.00 kB", "12.3 kB", "2.50 TB"]
    assert [table.count(x) for x in (9999, 10_000, 1.5e9)] == ["9999", "10.0 k", "1.50 G"]


def test_memory_of_a_container(tmp_path):
    (tmp_path / "memory.max").write_text("1000\n")
    (tmp_path / "memory.current").write_text("900\n")
    (tmp_path / "memory.stat").write_text("anon 5\ninactive_file 300\n")
    assert memory._room_in_group(tmp_path, True) == 400
    (tmp_path / "memory.max").write_text("max\n")
    assert memory._room_in_group(tmp_path, True) == sys.maxsize == memory._room_in_group(tmp_path, False)
    (tmp_path / "meminfo").write_text("MemFree:  7 kB\nMemAvailable:   12 kB\n")
    assert memory._value(tmp_path / "meminfo", "MemAvailable:") == 12 * 1024
    assert 0 < memory.available_bytes() <= sys.maxsize
