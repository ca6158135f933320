#!/usr/bin/env python3
# Checks that tests/support/device/device_calls.hpp makes every public call that works on a device:
# each declaration in include/kauri/ with a stream, numbers on a device, a backend, or an object on
# a device. Tests check the caller's context, captures and memory after each of these calls, so a
# missing call goes unchecked.
# SPDX-License-Identifier: BSD-3-Clause
import re

import tree

CALLS = "tests/support/device/device_calls.hpp"
# The header of Eigen's drop-in is left out, since it makes the same calls.
HEADERS = "include/kauri"
LEFT_OUT = ("include/kauri/eigen.hpp", "include/kauri/eigen/")
INSIDE = {"Factor::make_norm_estimator"}  # of estimate_condition()
ON_A_DEVICE = re.compile(r"\bStreamHandle\b|\bDevice(?:MatrixView|BatchView|Values)<|\bBackend&(?!&)|\b(?:Factor|BatchFactor|Workspace)<T>&(?!&)|\bPreparedPlan&(?!&)")
SCOPE = re.compile(r"^(?:class|struct) (\w+)[^;]*\{$")
NAME = re.compile(r"(?<![\w:~])(?!operator)(\w+)\(")
LABEL = re.compile(r'\bcall\(\s*"(~?\w+(?:::\w+)?)')


def declarations(text):
    """Yields scope and text, on one line, of each declaration at the top level of a file or a
    class."""
    scope, parts = "", []
    for line in tree.blanked(text).splitlines():
        if found := SCOPE.match(line):
            scope, parts = found[1], []
        elif line.startswith("};"):
            scope, parts = "", []
        elif re.match(r"^ *(public|private|protected):", line):
            scope, parts = (scope if "public" in line else "-"), []
        elif line.strip() and not line.startswith(("#", "template")) and not line.strip().startswith("template"):
            parts.append(line.strip())
            if line.rstrip().endswith((";", "{", "}")):
                yield scope, " ".join(parts)
                parts = []


def calls_of(text):
    """Yields the names of calls that work on a device, such as "Factor::create" or "refine"."""
    for scope, words in declarations(text):
        name = NAME.search(words)
        if scope == "-" or not name or words.startswith(("return", "friend", "using")):
            continue
        arguments = re.match(r"(?:[^()]|\([^()]*\))*", words[name.end():])[0]
        if not ON_A_DEVICE.search(arguments):
            continue
        yield scope if name[1] == scope else f"{scope}::{name[1]}" if scope else name[1]


def main():
    root = tree.root_from_arguments("calls on a device")
    there = root / CALLS
    made = set(LABEL.findall(there.read_text(encoding="utf-8"))) if there.exists() else set()
    headers = [path for path in sorted((root / HEADERS).rglob("*.hpp")) if not str(path.relative_to(root)).startswith(LEFT_OUT)]
    faults = []
    for path in headers:
        missing = sorted(set(calls_of(path.read_text(encoding="utf-8"))) - made - INSIDE)
        faults += [f"{path.relative_to(root)}: {name}() is not among the calls of {CALLS}" for name in missing]
    tree.finish("check_device_calls", len(headers), faults)


main()
