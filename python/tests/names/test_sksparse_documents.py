# Runs the documented examples and the tests of scikit-sparse with only the import changed. They are
# read from its releases and not stored here.
# SPDX-License-Identifier: BSD-3-Clause
"""KAURI_SKSPARSE names a folder with scikit_sparse-0.4.16.tar.gz and scikit_sparse-0.5.0.tar.gz, or
one into which pip shall download them. If scikit-sparse 0.4.16 or 0.5 is installed as well,
examples run with both, and their results are compared."""
import contextlib
import doctest
import importlib
import importlib.util
import inspect
import io
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import textwrap
import types
import urllib.request

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import LIMIT_SECONDS, random_spd
from numpy.testing import assert_allclose

import kauri
from kauri import cholmod, cholmod05

OURS = {"0.4.16": "kauri.cholmod", "0.5.0": "kauri.cholmod05"}
PAGE = "https://raw.githubusercontent.com/scikit-sparse/scikit-sparse/v0.4.16/doc/cholmod.rst"  # releases on PyPI lack it


def folder():
    if not os.environ.get("KAURI_SKSPARSE"):
        pytest.skip("KAURI_SKSPARSE names no folder for the releases of scikit-sparse")
    path = pathlib.Path(os.environ["KAURI_SKSPARSE"])
    path.mkdir(parents=True, exist_ok=True)
    return path


@pytest.fixture(scope="module")
def release():
    """Returns release(version): the files of a release as bytes, by their paths in it."""
    kept = {}

    def files(version):
        if version not in kept:
            archive = folder() / f"scikit_sparse-{version}.tar.gz"
            if not archive.exists():
                done = subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", "scikit-sparse", "--dest",
                                       str(archive.parent), f"scikit-sparse=={version}"], capture_output=True, text=True, timeout=LIMIT_SECONDS)
                if not archive.exists():
                    pytest.skip(f"{archive} is not there, and pip did not bring it: {done.stderr.strip().splitlines()[-1:]}")
            with tarfile.open(archive) as packed:
                kept[version] = {member.name.split("/", 1)[1]: packed.extractfile(member).read() for member in packed if member.isfile()}
        return kept[version]

    return files


def moved(text, version):
    """Returns the text with the import changed."""
    return text.replace("from sksparse.cholmod import", f"from {OURS[version]} import")


def theirs(version):
    """Returns the module of scikit-sparse if that version is installed, else None."""
    found = importlib.util.find_spec("sksparse")
    module = found and importlib.import_module("sksparse.cholmod")
    return module if module and hasattr(module, "cholesky_AAt" if version == "0.4.16" else "cho_factor") else None


# The following tests run examples of 0.5 and compare their output.

# Maps the names that an example imports to those of its statements whose output depends on the
# permutation.
PRINTED = {"cholesky, cho_factor": {"p", "f"}, "ldl, ldl_factor": {"p", "f"}, "cholesky, symbfact": set(), "etree": set(), "bisect": set(),
           "nesdis": {"p"}, "metis": set()}
# This example fails with scikit-sparse 0.5.0, too: in both, cholesky() returns a pair unless order
# is None. (symbfact() returns five parts there, not four.)
WRONG = {"cholesky, symbfact": ("np.array_equal(count, np.count_nonzero(L.toarray(), axis=0))", "'tuple' object has no attribute 'toarray'")}


def examples(release):
    """Returns the examples of 0.5.0 by the names that they import."""
    blocks, lines = {}, release("0.5.0")["src/sksparse/cholmod.pyx"].decode().splitlines()
    k = 0
    while k < len(lines):
        end = k
        if lines[k].lstrip().startswith(">>> "):
            while lines[end].strip() and '"""' not in lines[end]:
                end += 1
            text = textwrap.dedent("\n".join(lines[k:end])) + "\n"
            blocks[re.search("from sksparse.cholmod import (.*)", text)[1]] = text
        k = max(end, k + 1)
    return blocks


def run(text, wrong=None):
    """Returns (names, {statement: (printed, expected)}) of an example; wrong: (statement, its
    error)."""
    names, printed = {}, {}
    for example in doctest.DocTestParser().get_examples(text):
        source, out = example.source.strip(), io.StringIO()
        with contextlib.redirect_stdout(out):
            if wrong and source == wrong[0]:
                with pytest.raises(AttributeError, match=re.escape(wrong[1])):
                    exec(compile(example.source, "example", "single"), names)
                continue
            exec(compile(example.source, "example", "single"), names)
        printed[source] = tuple(" ".join(text.split()) for text in (out.getvalue(), example.want))
    return names, printed


def fields(text):
    """Returns {"nnz": "30", ...} of CholeskyFactor(N=11, nnz=30, ...), without the fields that say
    how it was computed."""
    return {key: value for key, value in re.findall(r"(\w+)=([^,)]+)", text) if key not in ("is_super", "order")}


def test_all_examples_of_0_5_are_known(release):
    assert set(examples(release)) == set(PRINTED)
    assert not [name for name, text in release("0.4.16").items() if name.endswith((".pyx", ".md")) and b">>>" in text]


@pytest.mark.parametrize("name", PRINTED)
def test_example_of_0_5(release, name):
    names, printed = run(moved(examples(release)[name], "0.5.0"), WRONG.get(name))
    assert len(printed) > 12
    assert {source for source, (got, wanted) in printed.items() if got != wanted} <= PRINTED[name]
    for source in PRINTED[name]:
        got, wanted = printed[source]
        if source == "f":
            assert fields(got) == fields(wanted) and len(fields(got)) == 5
        else:
            assert sorted(re.findall(r"-?\d+", got)) == sorted(re.findall(r"-?\d+", wanted)) and got.split("[")[0] == wanted.split("[")[0]
    if "p" in names and "L" in names and "f" in names:
        low, a, p = names["L"], names["A"], names["p"]
        assert_allclose((low @ names.get("D", sp.eye_array(11)) @ low.T).toarray(), a[p][:, p].toarray(), atol=1e-13)


@pytest.mark.parametrize("name", [name for name in PRINTED if name not in WRONG])
def test_example_of_0_5_beside_scikit_sparse(release, name):
    if theirs("0.5.0") is None:
        pytest.skip("scikit-sparse 0.5 is not installed")
    text = examples(release)[name]
    here, there = run(moved(text, "0.5.0"))[0], run(text)[0]
    assert set(here) == set(there)
    compared = 0
    for key, value in here.items():
        other = there[key]
        if key in ("s", "p") or key in ("L", "D", "Lf", "Df") and PRINTED[name]:  # depends on the permutation
            assert type(value).__name__ == type(other).__name__ and getattr(value, "shape", 0) == getattr(other, "shape", 0), key
        elif isinstance(value, np.ndarray):
            assert value.dtype == other.dtype, key
            assert_allclose(value, other, rtol=1e-12, atol=1e-13, err_msg=key)
        elif sp.issparse(value):
            assert_allclose(value.toarray(), other.toarray(), rtol=1e-12, err_msg=key)
        else:
            continue
        compared += 1
    assert compared > 4


# The following tests run pieces of code of 0.4.16, which show no output.

def pieces(text):
    """Returns the indented text below each line that ends with two colons."""
    lines, found = text.splitlines(), []
    for k, line in enumerate(lines):
        if not line.rstrip().endswith("::") or line.lstrip().startswith(".."):
            continue
        start = indent = len(line) - len(line.lstrip())
        block = []
        for inner in lines[k + 1 :]:
            indent = len(inner) - len(inner.lstrip())
            if inner.strip() and indent <= start:
                break
            block.append(inner)
        found.append(textwrap.dedent("\n".join(block)).split('"""')[0].split("(or similar")[0].strip())
    return found


@pytest.fixture(scope="module")
def page():
    """Returns the page of 0.4.16 on cholmod."""
    path = folder() / "scikit_sparse-0.4.16-cholmod.rst"
    if not path.exists():
        try:
            with urllib.request.urlopen(PAGE, timeout=20) as answer:  # ends: skipped if the page cannot be reached
                path.write_bytes(answer.read())
        except OSError as error:
            pytest.skip(f"{path} is not there, and {PAGE} is not reached: {error}")
    return path.read_text()


def modules():
    return [cholmod] + ([theirs("0.4.16")] if theirs("0.4.16") else [])


def executed(module, text, names):
    """Returns names after running text with its import changed to the module."""
    exec(text.replace("from sksparse.cholmod import", f"from {module.__name__} import"), names)
    return names


def test_page_of_0_4(page):
    a, b = sp.csc_matrix(random_spd(50, 7)), np.arange(50.0)
    m, y = sp.csc_matrix(sp.random(80, 12, 0.3, random_state=np.random.default_rng(8)) + sp.eye(80, 12)), np.arange(80.0)
    solve, determinant, least = pieces(page)
    for module in modules():
        names = executed(module, solve, {"A": a, "b": b})
        assert_allclose(a @ names["x"], b, rtol=1e-12, atol=1e-13)
        assert_allclose(executed(module, determinant, names)["ld"], np.linalg.slogdet(a.toarray())[1])
        names = executed(module, least, {"M": m, "b": y})
        assert_allclose(names["x"], np.linalg.lstsq(m.toarray(), y, rcond=None)[0], rtol=1e-9)


def test_names_of_the_page_of_0_4(page):
    """All names on the page exist, with arguments in its order."""
    named = re.findall(r"^\.\. auto(function|method):: ([\w.]+)(?:\((.*)\))?$", page, re.MULTILINE)
    assert len(named) > 20
    for kind, name, arguments in named:
        what = getattr(kauri.Factor if kind == "method" else cholmod, name.split(".")[-1])
        wanted = [argument.split("=")[0].strip() for argument in (arguments or "").split(",") if argument.strip()]
        have = [key for key in inspect.signature(what).parameters if key != "self"]
        assert have[: len(wanted)] == wanted, name
    classes = re.findall(r"^\.\. class:: (Cholmod\w+)$", page, re.MULTILINE)
    assert len(classes) > 7
    for name in classes:
        assert issubclass(getattr(cholmod, name), UserWarning if name.endswith("Warning") else cholmod.CholmodError)


def test_docstrings_of_0_4(release):
    permuted, inverse = pieces(release("0.4.16")["sksparse/cholmod.pyx"].decode())
    a, b = sp.csc_matrix(random_spd(30, 9)), np.arange(30.0)
    f = cholmod.cholesky(a)
    assert_allclose(eval(permuted, {"A": a, "P": f.P(), "np": np}).toarray(), (f.L() * f.L().T).toarray(), atol=1e-12)
    for line in inverse.splitlines():
        assert_allclose(a @ executed(cholmod, line.strip(), {"f": f, "b": b})["x"], b, atol=1e-11)


# The following tests are those of 0.4.16.

# These tests end with an error by design: complex numbers, updates of low rank; and kauri refuses
# at once an A that is not positive definite.
TESTS = {
    "test_cholesky_smoke_test": None, "test_writeability": None, "test_complex": NotImplementedError, "test_beta": NotImplementedError,
    "test_update_downdate": NotImplementedError, "test_solve_edge_cases": None, "test_cholesky_matrix_market": None,
    "test_convenience": NotImplementedError, "test_CholmodNotPositiveDefiniteError": cholmod.CholmodNotPositiveDefiniteError,
    "test_natural_ordering_method": None,
}


@pytest.fixture
def their_tests(release, tmp_path, monkeypatch):
    """Returns their module of tests with the import changed. It finds files by pkg_resources, which
    newer setuptools lack."""
    for path, content in release("0.4.16").items():
        if path.startswith("sksparse/test_data/"):
            (tmp_path / "test_data").mkdir(exist_ok=True)
            (tmp_path / "test_data" / pathlib.Path(path).name).write_bytes(content)
    resources = types.ModuleType("pkg_resources")
    resources.resource_filename = lambda name, path: str(tmp_path / path)
    monkeypatch.setitem(sys.modules, "pkg_resources", resources)
    module = types.ModuleType("their_tests")
    exec(moved(release("0.4.16")["sksparse/test_cholmod.py"].decode(), "0.4.16"), vars(module))
    return module


def test_all_tests_of_0_4_are_known(their_tests):
    assert {name for name in vars(their_tests) if name.startswith("test_")} == set(TESTS)


@pytest.mark.filterwarnings("ignore::kauri.cholmod.CholmodTypeConversionWarning", "ignore:rcond:FutureWarning")
@pytest.mark.parametrize("name", TESTS)
def test_of_0_4(their_tests, name):
    with pytest.raises(TESTS[name]) if TESTS[name] else contextlib.nullcontext():
        getattr(their_tests, name)()


@pytest.mark.filterwarnings("ignore::kauri.cholmod.CholmodTypeConversionWarning")
def test_real_parts_of_0_4(their_tests):
    """Runs the tests above that fail at complex numbers to their end, with real numbers instead."""
    their_tests.complex_matrix, their_tests.complex = their_tests.real_matrix, float
    their_tests.test_beta()
    their_tests.test_convenience()
