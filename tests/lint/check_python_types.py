#!/usr/bin/env python3
# Checks types in the Python package: each function and method, private and nested ones included, has
# annotations of all arguments and of its result, which no module evaluates at run time.
# SPDX-License-Identifier: BSD-3-Clause
import ast

import tree

PACKAGE = "python/kauri/"
FUTURE = "from __future__ import annotations"
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def functions(node, in_class=False):
    """Yields (function, True if it takes self or cls) of all functions below a node."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, FUNCTIONS):
            static = any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in child.decorator_list)
            yield child, in_class and not static
        # An `if` in a class contains methods too.
        below = isinstance(child, ast.ClassDef) or (in_class and not isinstance(child, (*FUNCTIONS, ast.Lambda)))
        yield from functions(child, below)


def untyped(function, bound):
    """Returns the names of the arguments without annotation, and "its result" if that has none."""
    given = function.args
    positional = [*given.posonlyargs, *given.args][1 if bound else 0:]
    arguments = [*positional, *given.kwonlyargs, *(argument for argument in (given.vararg, given.kwarg) if argument)]
    names = [argument.arg for argument in arguments if argument.annotation is None]
    return names + (["its result"] if function.returns is None else [])


def faults_of(path, root):
    text = (root / path).read_text(encoding="utf-8")
    module, found = ast.parse(text), 0
    for function, bound in functions(module):
        found += 1
        if names := untyped(function, bound):
            yield f"{path}:{function.lineno}: {function.name}() has no annotation of {', '.join(names)}"
    if found and FUTURE not in text.splitlines():
        yield f"{path}: no line '{FUTURE}', so that annotations are evaluated at run time"


def main():
    root = tree.root_from_arguments("types in the Python package")
    paths = [path for path in tree.files(root, {".py"}) if str(path).startswith(PACKAGE)]
    tree.finish("check_python_types", len(paths), [fault for path in paths for fault in faults_of(path, root)])


main()
