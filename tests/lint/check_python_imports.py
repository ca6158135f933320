#!/usr/bin/env python3
# Checks imports inside the Python package: a room imports only what ROOMS allows, and modules form
# no circle. Imports inside functions and under TYPE_CHECKING count too, since a deferred circle is
# still a circle.
# SPDX-License-Identifier: BSD-3-Clause
import ast

import tree

PACKAGE = "python/kauri/"
# Maps each room to the rooms it may import from besides itself. A module beside the rooms is a room
# of its own; the package's __init__ may import all, and no module imports it.
ROOMS = {
    "_errors": ("_core",),
    "_core": (),
    "_options": ("_core", "_errors"),
    "_arrays": ("_options", "_core", "_errors"),
    "_factor": ("_arrays", "_options", "_core", "_errors"),
    "_names": ("_factor", "_arrays", "_options", "_core", "_errors"),
    "_compare": ("_factor", "_arrays", "_options", "_core", "_errors"),
    "aio": ("_factor", "_arrays", "_core"),
    "torch": ("_factor", "_errors"),
    "jax": ("_factor", "_errors"),
    "cholmod": ("_names", "_factor", "_arrays", "_errors"),
    "cholmod05": ("_names", "_errors"),
}


def module_of(path):
    """Returns the dotted name of a file below the package, such as _factor.solves; "" for the
    package itself."""
    parts = str(path)[len(PACKAGE):].rsplit(".", 1)[0].split("/")
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(module):
    return module.split(".")[0]


def targets(node, package):
    """Yields candidates (module, name or None) inside the package for an import statement; package:
    the dotted name of the package that contains the statement."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            first, _, rest = alias.name.partition(".")
            if first == "kauri":
                yield rest, None
        return
    if node.level == 0:
        first, _, rest = (node.module or "").partition(".")
        if first != "kauri":
            return
        base = rest
    else:
        parts = package.split(".") if package else []
        base = ".".join([*parts[:len(parts) - (node.level - 1)], *([node.module] if node.module else [])])
    for alias in node.names:
        yield base, alias.name


def imports_of(path, root, modules):
    """Yields (line, imported module) for each import of the package's modules in one file."""
    module = module_of(path)
    package = module if path.name in ("__init__.py", "__init__.pyi") else module.rpartition(".")[0]
    for node in ast.walk(ast.parse((root / path).read_text(encoding="utf-8"))):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for base, name in targets(node, package):
                inner = f"{base}.{name}" if base else name
                yield node.lineno, inner if inner in modules else base


def fault_of_rooms(here, there):
    if here == "":
        return None
    if there == "":
        return "imports kauri itself, whose __init__ imports every room"
    a, b = room_of(here), room_of(there)
    for name, module in ((a, here), (b, there)):
        if name not in ROOMS:
            return f"{module}: ROOMS does not have {name}"
    if a != b and b not in ROOMS[a]:
        return f"imports {there}: {a} may not import {b}"
    return None


def circles(edges):
    """Returns a message for each circle of imports."""
    done, faults = set(), []

    def visit(module, trail):
        if module in trail:
            circle = trail[trail.index(module):]
            place, line = edges[circle[-1]][module]
            faults.append(f"{place}:{line}: a circle of imports: {' -> '.join(name or 'kauri' for name in [*circle, module])}")
        elif module not in done:
            for target in edges.get(module, ()):
                visit(target, [*trail, module])
            done.add(module)

    for module in sorted(edges):
        visit(module, [])
    return faults


def faults_of(paths, root):
    modules, edges, faults = {module_of(path) for path in paths}, {}, []
    for path in paths:
        here = module_of(path)
        for line, there in imports_of(path, root, modules):
            if fault := fault_of_rooms(here, there):
                faults.append(f"{path}:{line}: {fault}")
            else:
                edges.setdefault(here, {}).setdefault(there, (path, line))
    return faults + circles(edges)


def main():
    root = tree.root_from_arguments("imports inside the Python package")
    paths = [path for path in tree.files(root, {".py", ".pyi"}) if str(path).startswith(PACKAGE)]
    tree.finish("check_python_imports", len(paths), faults_of(paths, root))


if __name__ == "__main__":
    main()
