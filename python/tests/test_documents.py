# Examples of docstrings and of the documents run; stubs and modules have the same names.
# SPDX-License-Identifier: BSD-3-Clause
import ast
import doctest
import importlib
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

MODULES = ["kauri", "kauri._backward_error", "kauri._cholesky", "kauri._compare", "kauri._comparison", "kauri._factor", "kauri._filled", "kauri._mixed", "kauri._options", "kauri._structure", "kauri.aio",
           "kauri.cholmod", "kauri.cholmod05", "kauri.torch", "kauri.jax"]
DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
COMMON = DOCS / "site" / "mathematics" / "index.md"  # what the pages beside it take for granted
PAGES = sorted(str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md") if ">>> " in path.read_text(encoding="utf-8"))


@pytest.fixture(autouse=True)
def no_alias(monkeypatch):
    """Examples of register() leave nothing behind for other tests, nor find scikit-sparse imported by these."""
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
    """What is in fences called python, and what is indented; else a fence's end were output that is expected."""
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


def test_stubs_agree_with_the_modules(tmp_path):
    pytest.importorskip("mypy", reason="mypy is not installed")
    (tmp_path / "mypy.ini").write_text("[mypy]\nignore_missing_imports = True\nfollow_imports = silent\ndisable_error_code = import-untyped\n")
    optional = [name for name in ("torch", "jax") if importlib.util.find_spec(name) is None]
    # nanobind's functions are of a type of their own; pictures are private and have no stub.
    (tmp_path / "known").write_text("kauri\\._core\\..*\nkauri\\._pictures\\..*\n" + "".join(f"kauri\\.{name}.*\n" for name in optional))
    folder = str(pathlib.Path(kauri.__file__).parents[1])
    path = {} if folder in site.getsitepackages() else {"MYPYPATH": folder, "PYTHONPATH": folder}  # mypy finds what is installed
    done = subprocess.run([sys.executable, "-m", "mypy.stubtest", "kauri", "--ignore-missing-stub", "--ignore-unused-allowlist", "--allowlist",
                           str(tmp_path / "known"), "--mypy-config-file", str(tmp_path / "mypy.ini")], capture_output=True, text=True,
                          timeout=LIMIT_SECONDS, cwd=tmp_path, env={**os.environ, **path})
    assert done.returncode == 0, done.stdout + done.stderr
