#!/usr/bin/env python3
# sources_test.py GENERATOR MAKE_PROGRAM CC CXX: tests that the sources that Conan's recipe packs
# suffice to configure kauri, and that they include all installed files.
# SPDX-License-Identifier: BSD-3-Clause
import ast
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

LIMIT_SECONDS = 1200  # for each wait
ROOT = pathlib.Path(__file__).resolve().parents[2]
INSTALLED = re.compile(r"^\s*file\(INSTALL [^\n]* FILES (?P<files>.*?)\)$", re.MULTILINE | re.DOTALL)


def packed():
    """Returns the patterns of the recipe."""
    tree = ast.parse((ROOT / "packaging/conan/conanfile.py").read_text(encoding="utf-8"))
    (value,) = (node.value for node in tree.body if isinstance(node, ast.Assign) and node.targets[0].id == "SOURCES")
    return ast.literal_eval(value)


def copy_sources(folder):
    for pattern in packed():
        path = ROOT / pattern.removesuffix("/*")
        target = folder / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            shutil.copytree(path, target)
        else:
            shutil.copy(path, target)


def main():
    generator, make_program, cc, cxx = sys.argv[1:5]
    with tempfile.TemporaryDirectory() as folder:
        sources, build = pathlib.Path(folder) / "sources", pathlib.Path(folder) / "build"
        copy_sources(sources)
        options = {"CMAKE_MAKE_PROGRAM": make_program, "CMAKE_C_COMPILER": cc, "CMAKE_CXX_COMPILER": cxx, "CMAKE_BUILD_TYPE": "Release",
                   "KAURI_VERSION_OVERRIDE": "1.2.3", "KAURI_METIS": "OFF", "KAURI_CUDA": "OFF", "KAURI_BUILD_TESTS": "OFF",
                   "KAURI_BUILD_EXAMPLES": "OFF"}
        words = ["cmake", "-G", generator, "-S", sources, "-B", build, *(f"-D{name}={value}" for name, value in options.items())]
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=LIMIT_SECONDS)
        if done.returncode:
            sys.exit(f"sources of the recipe cannot be configured:\n{done.stdout}{done.stderr}")
        script = (build / "cmake_install.cmake").read_text(encoding="utf-8")
        files = [path for found in INSTALLED.finditer(script) for path in re.findall(r'"([^"]+)"', found["files"])]
        files = [path for path in files if path.startswith(str(sources))]
        missing = [path for path in files if not pathlib.Path(path).exists()]
    report = [f"{path} is installed, and not packed" for path in missing]
    print("\n".join([*report, f"sources_test: {len(files)} files, {len(missing)} missing"]))
    return 1 if missing or not files else 0


sys.exit(main())
