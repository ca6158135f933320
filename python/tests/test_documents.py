# Examples of docstrings and of docs/python.md run; stubs and modules have the same names.
# SPDX-License-Identifier: BSD-3-Clause
import ast
import doctest
import importlib
import inspect
import pathlib

import pytest

import kauri

MODULES = ["kauri", "kauri._cholesky", "kauri._compare", "kauri._comparison", "kauri._factor", "kauri._options", "kauri._structure", "kauri.aio",
           "kauri.cholmod", "kauri.cholmod05", "kauri.torch", "kauri.jax"]
PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.md"


def loaded(name):
    if name in ("kauri.torch", "kauri.jax"):
        pytest.importorskip(name.split(".")[1], reason=f"{name} needs it", exc_type=ImportError)
    return importlib.import_module(name)


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    found = doctest.testmod(loaded(name))
    assert found.failed == 0


def test_the_page():
    if not PAGE.exists():
        pytest.skip("docs/python.md is not beside these tests")
    found = doctest.testfile(str(PAGE), module_relative=False)
    assert found.failed == 0 and found.attempted > 5


@pytest.mark.parametrize("name", [m for m in MODULES if m not in ("kauri._cholesky", "kauri._options")])
def test_public_names_are_documented_and_have_stubs(name):
    module = loaded(name)
    stub = ast.parse(pathlib.Path(module.__file__).with_suffix(".pyi").read_text())
    stubs = {}
    for node in stub.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            stubs[node.name] = None
        elif isinstance(node, ast.ClassDef):
            stubs[node.name] = {member.name for member in node.body if isinstance(member, ast.FunctionDef)}
            stubs[node.name] |= {t.id for member in node.body if isinstance(member, ast.Assign) for t in member.targets}
            stubs[node.name] |= {member.target.id for member in node.body if isinstance(member, ast.AnnAssign)}
    for key, value in vars(module).items():
        if key.startswith("_") or getattr(value, "__module__", None) != name or not callable(value):
            continue
        assert value.__doc__ and key in stubs, key
        if not inspect.isclass(value) or issubclass(value, BaseException):
            continue
        for member, what in vars(value).items():
            if not member.startswith("_") and (callable(what) or isinstance(what, property)):
                assert what.__doc__ or member in ("rowadd",), f"{key}.{member}"
                assert member in stubs[key], f"{key}.{member} has no stub"


def test_all_names_are_there():
    assert all(hasattr(kauri, name) for name in kauri.__all__)
    assert kauri.__version__.count(".") == 2
