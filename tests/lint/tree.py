# Lists the files of the project, and blanks comments and strings in C++ text, for all checks of
# this folder.
# SPDX-License-Identifier: BSD-3-Clause
import argparse
import pathlib
import re
import sys

FOLDERS = ("include", "base", "src", "ordering", "symbolic", "numeric", "tests", "bench", "python", "examples", "cmake", "packaging", "scripts", "data", "docs",
           ".ci", ".github")
CPP = {".cpp", ".hpp", ".cu", ".cuh", ".h", ".c"}


def root_from_arguments(purpose):
    """Returns the tree to check: the one of this file, or the one named on the command line
    (self_test.py plants faults in a copy)."""
    parser = argparse.ArgumentParser(description=purpose)
    parser.add_argument("root", nargs="?", default=pathlib.Path(__file__).resolve().parents[2], type=pathlib.Path)
    return parser.parse_args().root.resolve()


def files(root, suffixes=None):
    """Returns paths below root, sorted, relative to it, without caches. suffixes: a set such as
    CPP, or None for all."""
    found = [p for p in root.iterdir() if p.is_file()]
    for folder in FOLDERS:
        found += [p for p in (root / folder).rglob("*") if p.is_file() and "__pycache__" not in p.parts]
    return sorted(p.relative_to(root) for p in found if suffixes is None or p.suffix in suffixes)


def _blank(match):
    text = match.group(0)
    if text.startswith(("//", "/*")):
        return re.sub(r"[^\n]", " ", text)
    return '""' + "\n" * text.count("\n") if not text.startswith("'") else "''"


# Matches raw strings, comments, strings, characters (not the ' of 1'000'000).
TOKENS = re.compile(
    r'R"([^\s()\\]{0,16})\(.*?\)\1"|//(?:\\\n|[^\n])*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)


def blanked(text):
    """Returns C++ text without comments and contents of strings; every line keeps its number."""
    return TOKENS.sub(_blank, text)


def finish(name, checked, faults):
    """Prints the faults (place: text) and ends the program: with 0 if there are none."""
    if checked == 0:
        faults = ["nothing to check: is this the root of the project?"]
    for fault in faults:
        print(fault)
    print(f"{name}: {checked} files, {len(faults)} fault{'s' if len(faults) != 1 else ''}")
    sys.exit(1 if faults else 0)
