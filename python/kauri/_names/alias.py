# Registers kauri under the name of scikit-sparse, for programs that import scikit-sparse.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import importlib.machinery
import sys
import types
from typing import Any

from .._errors import UsageError


def _module(name: str, package: bool = False, **contents: Any) -> types.ModuleType:
    made = types.ModuleType(name, "kauri under the name of scikit-sparse.")
    # importlib.util.find_spec() reads it.
    made.__spec__ = importlib.machinery.ModuleSpec(name, None, is_package=package)
    if package:
        made.__path__ = []
    vars(made).update(contents)
    return made


def register(cholmod: types.ModuleType, version: str) -> None:
    """Makes ``sksparse.cholmod`` an alias of this module: see kauri.cholmod.register()."""
    there = sys.modules.get("sksparse")
    if there is not None and not hasattr(there, "kauri_version"):
        raise UsageError(f"register: scikit-sparse itself is imported already, from {getattr(there, '__file__', None)}: register before that")
    errors = {name: value for name, value in vars(cholmod).items() if name.startswith("Cholmod")}
    tests = _module("sksparse.test_cholmod", **errors)  # some programs import the errors from it
    package = _module("sksparse", True, cholmod=cholmod, test_cholmod=tests, __version__=version, kauri_version=version)
    sys.modules.update({"sksparse": package, "sksparse.cholmod": cholmod, "sksparse.test_cholmod": tests})
