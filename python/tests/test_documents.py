# Runs the examples of docstrings and of the documents; checks that public names have docstrings and
# types.
# SPDX-License-Identifier: BSD-3-Clause
import ast
import doctest
import importlib
import importlib.metadata
import importlib.util
import inspect
import os
import pathlib
import site
import subprocess
import sys

import pytest
from conftest import LIMIT_SECONDS

import kauri

MODULES = ["kauri", *(f"kauri._compare.{name}" for name in ("comparison", "pictures", "records", "run", "sizes", "table", "trees")),
           *(f"kauri._factor.{name}" for name in ("analyze", "backward_error", "cholesky", "factor", "files", "filled", "mixed", "numbers",
                                                  "parts", "solves", "structure")),
           "kauri._names.calls", "kauri._names.cholesky_factor", "kauri._names.indices", "kauri._names.separators",
           "kauri._options", "kauri.aio", "kauri.cholmod", "kauri.cholmod05", "kauri.torch", "kauri.jax"]
DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
COMMON = DOCS / "site" / "mathematics" / "index.md"  # the pages beside it build on it
PAGES = sorted(str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md") if ">>> " in path.read_text(encoding="utf-8"))


@pytest.fixture(autouse=True)
def no_alias(monkeypatch):
    """Examples of register() leave nothing behind for other tests, and do not find a scikit-sparse
    that these have imported."""
    for name in ("sksparse", "sksparse.cholmod", "sksparse.test_cholmod"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield
    for name in ("sksparse", "sksparse.cholmod", "sksparse.test_cholmod"):
        sys.modules.pop(name, None)


def loaded(name):
    if name in ("kauri.torch", "kauri.jax"):
        pytest.importorskip(name.split(".")[1], reason=f"{name} needs it", exc_type=ImportError)
    return importlib.import_module(name)


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    found = doctest.testmod(loaded(name))
    assert found.failed == 0


def without_fences(text):
    """Returns the text of python fences and indented text; doctest would take the end of another
    fence for expected output."""
    lines, inside = [], None
    for line in text.splitlines():
        if line.startswith("```"):
            inside, line = (None if inside is not None else line), ""
        lines.append(line if inside in (None, "```python") else "")
    return "\n".join(lines) + "\n"


def run_page(path, names):
    test = doctest.DocTestParser().get_doctest(without_fences(path.read_text(encoding="utf-8")), names, path.name, str(path), 0)
    runner = doctest.DocTestRunner()
    runner.run(test, clear_globs=False)
    assert runner.failures == 0 and runner.tries > 0
    return test.globs


@pytest.mark.skipif(not DOCS.exists(), reason="the documents are not beside these tests")
def test_pages_with_examples_are_found():
    assert {"python.md", "site/tutorial.md", "site/index.md", "site/mathematics/errors.md"} <= set(PAGES)


@pytest.mark.parametrize("page", PAGES)
def test_page(page):
    path = DOCS / page
    run_page(path, run_page(COMMON, {}) if path.parent == COMMON.parent and path != COMMON else {})


@pytest.mark.parametrize("name", MODULES)
def test_public_names_are_documented(name):
    module = loaded(name)
    for key, value in vars(module).items():
        if key.startswith("_") or getattr(value, "__module__", None) != name or not callable(value):
            continue
        assert value.__doc__, key
        if not inspect.isclass(value) or issubclass(value, BaseException):
            continue
        for member, what in vars(value).items():
            if not member.startswith("_") and (callable(what) or isinstance(what, property)):
                assert what.__doc__ or member in ("rowadd",), f"{key}.{member}"


def untyped(function):
    """Returns the parameters of a function, and "the result", that have no annotation."""
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    found = [one.arg for one in every if one is not None and one.annotation is None and one.arg not in ("self", "cls")]
    return found + ["the result"] * (function.returns is None)


def test_functions_without_an_underscore_have_types():
    found, seen = [], 0
    for path in sorted(pathlib.Path(kauri.__file__).parent.rglob("*.py")):
        body = ast.parse(path.read_text(encoding="utf-8")).body
        for node in [*body, *(member for one in body if isinstance(one, ast.ClassDef) and not one.name.startswith("_") for member in one.body)]:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not node.name.startswith("_"):
                seen += 1
                found += [f"{path.name}:{node.lineno}: {node.name}: {', '.join(untyped(node))}"] * bool(untyped(node))
    assert seen > 200 and not found, "\n".join(found)


def test_all_names_are_there():
    assert all(hasattr(kauri, name) for name in kauri.__all__)
    assert kauri.__version__.count(".") == 2


def test_types_hold(tmp_path):
    pytest.importorskip("mypy", reason="mypy is not installed")
    (tmp_path / "mypy.ini").write_text("[mypy]\nignore_missing_imports = True\nfollow_imports = silent\ndisable_error_code = import-untyped\n")
    folder = str(pathlib.Path(kauri.__file__).parents[1])
    path = {} if folder in site.getsitepackages() else {"MYPYPATH": folder, "PYTHONPATH": folder}  # mypy finds installed packages
    done = subprocess.run([sys.executable, "-m", "mypy", "--config-file", str(tmp_path / "mypy.ini"), "-p", "kauri"], capture_output=True, text=True,
                          timeout=LIMIT_SECONDS, cwd=tmp_path, env={**os.environ, **path})
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_stub_of_the_extension_module_is_what_stubgen_writes(tmp_path):
    pytest.importorskip("nanobind", reason="nanobind is not installed")
    kept = pathlib.Path(kauri.__file__).with_name("_core.pyi").read_text()
    version = importlib.metadata.version("nanobind")
    if f"nanobind {'.'.join(version.split('.')[:2])};" not in kept.splitlines()[0]:
        pytest.skip(f"the stub is by another nanobind than {version}")
    path = {"PYTHONPATH": str(pathlib.Path(kauri.__file__).parents[1])}
    subprocess.run([sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "kauri._core", "-o", str(tmp_path / "made.pyi")], check=True,
                   timeout=LIMIT_SECONDS, cwd=tmp_path, env={**os.environ, **path})
    assert ast.dump(ast.parse(kept)) == ast.dump(ast.parse((tmp_path / "made.pyi").read_text()))
