# Tests kauri.cholmod and kauri.cholmod05 in programs written for scikit-sparse: index types,
# wording of errors, and its name.
# SPDX-License-Identifier: BSD-3-Clause
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import LIMIT_SECONDS
from test_cholmod import davis

import kauri
from kauri import cholmod, cholmod05


def index_types(matrix):
    parts = matrix.coords if matrix.format == "coo" else (matrix.indices, matrix.indptr)
    return {part.dtype for part in parts}


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("ldl", [True, False])
def test_index_types_are_those_of_a(index, ldl):
    a = davis()
    a.indices, a.indptr = a.indices.astype(index), a.indptr.astype(index)
    f = (cholmod05.ldl_factor if ldl else cholmod05.cho_factor)(a)
    b = sp.csc_array(np.eye(11, 2))
    assert f.itype == index and f.get_perm().dtype == f.perm.dtype == f.colcount.dtype == index
    for lower in (True, False):
        for kind in (None, "LL", "LDL"):
            got = f.get_factor(kind, lower)
            assert index_types(got[0] if isinstance(got, tuple) else got) == {np.dtype(index)}
    told = cholmod05.symbfact(a, return_factor=True)
    for matrix in (f.L, f.R, f.factor, f.inv(), f.solve(b), f.solve(b, "L"), f.solve(sp.coo_array(np.ones(11))), f.copy().L, told.L,
                   cholmod05.symbfact(a, lower=True, return_factor=True).L, cholmod05.cholesky(a)[0], cholmod05.ldl(a)[0]):
        assert index_types(matrix) == {np.dtype(index)}
    assert np.allclose((f.inv() @ a).toarray(), np.eye(11))
    assert told.count.dtype == told.parent.dtype == told.post.dtype == cholmod05.etree(a).dtype == index
    assert cholmod05.bisect(a).dtype == cholmod05.nesdis(a).dtype == cholmod05.metis(a).dtype == index


@pytest.mark.parametrize("name", ["symbfact", "etree", "bisect", "metis", "nesdis"])
def test_kinds_are_named_as_the_caller_named_them(name):
    with pytest.raises(kauri.UsageError, match="^Unknown factorization kind: kind 'x', expected sym, row, col or lo$"):
        getattr(cholmod05, name)(davis(), kind="x")
    with pytest.raises(kauri.UsageError, match="must be square"):
        getattr(cholmod05, name)(davis()[:, :-1])


def test_arguments_of_factors_are_named_as_the_caller_named_them():
    a = davis()
    for argument, text in (("sym_kind", "Unknown symmetry kind: sym_kind 'x', expected sym"), ("order", "Unknown ordering method: order 'x', expected"),
                           ("supernodal_mode", "Unknown factorization mode: supernodal_mode 'x', expected")):
        with pytest.raises(kauri.UsageError, match=text):
            cholmod05.cho_factor(a, **{argument: "x"})
    f = cholmod05.cho_factor(a)
    for call in (f.get_factor, f.change_factor):
        with pytest.raises(kauri.UsageError, match="kind 'x': kind must be 'LL' or 'LDL'"):
            call("x")
    with pytest.raises(kauri.UsageError, match="ldl 1: ldl must be a boolean value"):
        f.factorize(a, ldl=1)


@pytest.mark.parametrize("make", [kauri.cholesky, kauri.cholesky_mixed, cholmod.cholesky, cholmod05.cho_factor])
def test_shapes_are_told_in_the_words_of_others(make):
    """Tests of scikit-sparse 0.5 and of SciPy look for these words."""
    f = make(sp.csc_matrix(davis()))
    for b in (np.ones(12), np.ones((1, 11)), np.ones((10, 2))):
        with pytest.raises(ValueError, match=r"is of incompatible size: b must have the same number of rows as L, \(11,\) or \(11, k\)"):
            f.solve(b)
    for b in (np.float64(1), np.ones((11, 1, 1))):
        with pytest.raises(ValueError, match=r"b must be a 1D or 2D array, \(11,\) or \(11, k\)"):
            f.solve(b)
    with pytest.raises(ValueError, match=r"a matrix of shape \(11, 10\): it must be square"):
        make(sp.csc_matrix(davis()[:, :-1]))


def run(program):
    folder = str(pathlib.Path(kauri.__file__).parents[1])
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=LIMIT_SECONDS,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")])})


@pytest.mark.parametrize("module", ["cholmod", "cholmod05"])
def test_the_name_of_scikit_sparse(module):
    done = run(f"""
import importlib.util
from kauri import {module}
{module}.register(), {module}.register()
import sksparse, sksparse.cholmod, sksparse.test_cholmod
from sksparse.test_cholmod import CholmodNotPositiveDefiniteError
assert sksparse.cholmod is {module} and CholmodNotPositiveDefiniteError is {module}.CholmodNotPositiveDefiniteError
assert importlib.util.find_spec("sksparse") and sksparse.__version__ == "{'0.4.16' if module == 'cholmod' else '0.5.0'}"
""")
    assert (done.returncode, done.stderr) == (0, "")


def test_scipy_finds_kauri_under_the_name_of_scikit_sparse():
    done = run("""
import kauri.cholmod
kauri.cholmod.register()
import numpy as np, scipy.sparse as sp
from scipy.optimize._trustregion_constr import projections
assert projections.sksparse_available and projections.cholesky_AAt is kauri.cholmod.cholesky_AAt
A = sp.csc_array(np.array([[1.0, 2, 0, 3], [0, 1, 4, 0]]))
null_space, least_squares, row_space = projections.projections(A, "NormalEquation")
assert np.allclose(A @ null_space.dot(np.arange(4.0)), 0, atol=1e-13)
""")
    assert done.returncode == 0, done.stderr


def test_scikit_sparse_itself_is_not_replaced_once_it_is_imported():
    done = run("""
import sys, types, kauri.cholmod
sys.modules["sksparse"] = types.ModuleType("sksparse")
try:
    kauri.cholmod.register()
except kauri.UsageError as error:
    assert "imported already" in str(error)
else:
    raise AssertionError
assert "sksparse.cholmod" not in sys.modules
""")
    assert (done.returncode, done.stderr) == (0, "")
