# Files of factors: what is known after loading, and paths.
# SPDX-License-Identifier: BSD-3-Clause
import numpy as np
import pytest
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
    for path, text in ((str(tmp_path / "a") + "\0b", "zero"), (bytes(tmp_path) + b"/\xff", "UTF-8")):
        for call in (f.save, kauri.analyze(poisson(3)).save, kauri.load):
            with pytest.raises(kauri.UsageError, match=text):
                call(path)
    assert not list(tmp_path.iterdir())
    f.save(bytes(tmp_path / "\u03b1"))
    assert np.array_equal(kauri.load(tmp_path / "\u03b1")(np.ones(9)), f(np.ones(9)))
