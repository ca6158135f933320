# Tests files of factors and of matrices: results after loading, paths, and memory bounds.
# SPDX-License-Identifier: BSD-3-Clause
import gzip

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from conftest import poisson, random_spd

import kauri


def test_what_load_knows(tmp_path):
    a = random_spd(50, 3)
    b = np.arange(50.0)
    natural = kauri.cholesky(a, ordering_method="natural")
    natural.save(tmp_path / "natural")
    again = kauri.load(tmp_path / "natural")
    assert np.array_equal(again.P(), np.arange(50)) and np.array_equal(again.L().toarray(), natural.L().toarray())
    assert np.array_equal(again.solve(b, "L"), natural.solve(b, "L"))
    assert all(np.array_equal(p, q) for p, q in zip(again.pattern(), natural.pattern()))
    for needs_values in (again.condition, lambda: again.solve(b, refine=1)):
        with pytest.raises(kauri.UsageError, match="no values of A: refactorize it"):
            needs_values()
    again.refactorize(a)
    assert again.condition() == natural.condition() and np.array_equal(again.solve(b, refine=1), natural.solve(b, refine=1))
    given = kauri.cholesky(a, permutation=np.arange(50)[::-1])
    given.save(tmp_path / "given")
    assert np.array_equal(kauri.load(tmp_path / "given").P(), given.P())
    kauri.analyze(a.astype(np.float32), ordering_method="natural").save(tmp_path / "plan")
    single = kauri.load(tmp_path / "plan", dtype=np.float32)
    single.refactorize(a)
    assert single.dtype == np.float32 and np.array_equal(single.P(), np.arange(50))
    assert kauri.load(tmp_path / "plan").dtype == np.float64
    with pytest.raises(kauri.UsageError, match="float64"):
        kauri.load(tmp_path / "natural", dtype=np.float32)
    for option in ({"ordering_method": "rcm"}, {"analyze_amalgamate": False}):
        with pytest.raises(kauri.UsageError, match=next(iter(option))):
            kauri.load(tmp_path / "natural", **option)


def test_paths_that_would_be_others(tmp_path):
    f = kauri.cholesky(poisson(3))
    for path, text in ((str(tmp_path / "a") + "\0b", "null byte"), (bytes(tmp_path) + b"/\xff", "UTF-8")):
        for call in (f.save, kauri.analyze(poisson(3)).save, kauri.load):
            with pytest.raises(kauri.UsageError, match=text):
                call(path)
    assert not list(tmp_path.iterdir())
    f.save(bytes(tmp_path / "\u03b1"))
    assert np.array_equal(kauri.load(tmp_path / "\u03b1")(np.ones(9)), f(np.ones(9)))


def bound_of(call):
    """Returns the least bound that the call accepts; smaller bounds raise an error with file and
    bytes."""
    least, most = 1, 1 << 24
    while least < most:
        middle = (least + most) // 2
        try:
            call(middle)
            most = middle
        except kauri.OutOfMemoryError as error:
            assert "bytes" in str(error)
            least = middle + 1
    return least


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_bounds_of_what_is_loaded(tmp_path, dtype):
    f = kauri.cholesky(random_spd(60, 1).astype(dtype))
    f.save(tmp_path / "factor")
    kauri.analyze(random_spd(60, 1)).save(tmp_path / "plan")
    for name, most in (("factor", 10**6), ("plan", 10**6)):
        path = tmp_path / name
        least = bound_of(lambda bound: kauri.load(path, max_bytes=bound))
        assert path.stat().st_size / 4 < least < most
        with pytest.raises(kauri.OutOfMemoryError, match=name):
            kauri.load(path, max_bytes=1)
        for bound in (None, np.int64(least), 2**62):
            assert kauri.load(path, max_bytes=bound).nnz == f.nnz
        for wrong in (0, -1, 1.5, "1000", True, 2**63):
            with pytest.raises(kauri.UsageError, match="max_bytes"):
                kauri.load(path, max_bytes=wrong)


def test_matrices_from_files(tmp_path):
    a = sp.csc_array(random_spd(40, 2))
    scipy.io.mmwrite(tmp_path / "a.mtx", a)
    sp.save_npz(tmp_path / "a.npz", a)
    (tmp_path / "a.mtx.gz").write_bytes(gzip.compress((tmp_path / "a.mtx").read_bytes()))
    for name in ("a.mtx", "a.npz", "a.mtx.gz"):
        path = tmp_path / name
        b = kauri.read(path)
        assert isinstance(b, sp.csc_array) and b.dtype == np.float64 and b.has_sorted_indices and abs(a - b).max() <= 1e-15
        assert (kauri.read(str(path), threads=1, max_bytes=10**7) != b).nnz == 0
        least = bound_of(lambda bound: kauri.read(path, max_bytes=bound))
        assert 8 * sp.tril(a).nnz < least < 200 * a.nnz
        with pytest.raises(kauri.OutOfMemoryError, match=name):
            kauri.read(path, max_bytes=least - 1)
        with pytest.raises(kauri.UsageError, match="max_bytes"):
            kauri.read(path, max_bytes=0)


def test_halves_of_files(tmp_path):
    path = tmp_path / "a.mtx"
    path.write_text("%%MatrixMarket matrix array real general\n2 2\n4\n-1\n-1.5\n4\n")
    with pytest.raises(kauri.InputError, match="not symmetric"):
        kauri.read(path)
    for options, entry in (({"half": "lower"}, -1), ({"half": "upper"}, -1.5), ({"symmetry": 0.2}, -1)):
        assert np.array_equal(kauri.read(path, **options).toarray(), [[4, entry], [entry, 4]])
    for wrong in ({"half": "left"}, {"symmetry": 2}, {"threads": -1}):
        with pytest.raises(kauri.UsageError, match=next(iter(wrong))):
            kauri.read(path, **wrong)
    with pytest.raises(kauri.InputError, match="not_there"):
        kauri.read(tmp_path / "not_there")
    path.write_text("%%MatrixMarket matrix coordinate real symmetric\n0 0 0\n")
    assert kauri.read(path).shape == (0, 0)
