#!/usr/bin/env python3
# Checks that each pattern of gtest's filters in bench/device/run matches a test of its program: the
# script runs on a GPU machine only, where a test that was renamed or split would go unchecked.
# Numbers of types and of parameters are taken to be 0 to 9.
# SPDX-License-Identifier: BSD-3-Clause
import fnmatch
import re
import subprocess

import tree

SCRIPT, PROGRAMS = "bench/device/run", "tests/numeric/CMakeLists.txt"
LIMIT_SECONDS = 1200
# Definitions of the script that say which tests the sanitizers run, and what takes the place of the others.
FUNCTIONS = re.compile(r"^(?:sanitize|calls_for|filters)\(\) \{\n.*?^\}\n", re.DOTALL | re.MULTILINE)
STUBS = """
sanitize_tests() { printf '%s %s\\n' "$3" "$4"; }
sanitized() { wait; }
python3() { :; }
compute-sanitizer() { :; }
root=. OUT=.
for tool in memcheck initcheck racecheck; do sanitize "$tool"; done
"""
LITERAL = re.compile(r"filter='(-?)([^']+)'")  # --gtest_filter='...' of both programs together
TEST = re.compile(r"^(TEST|TEST_F|TEST_P|TYPED_TEST)\(\s*(\w+),\s*(\w+)\)", re.MULTILINE)
SUITE = re.compile(r"^INSTANTIATE_TEST_SUITE_P\(\s*(\w+),\s*(\w+),", re.MULTILINE)


def sources(root):
    """Returns for each program of device tests the text of its sources."""
    lists = (root / PROGRAMS).read_text(encoding="utf-8")
    for name, words in re.findall(r"kauri_test\((cuda_\w+)\s([^)]*)\)", lists):
        files = [root / "tests/numeric" / word for word in words.split() if word.endswith(".cpp")]
        yield name, "\n".join(path.read_text(encoding="utf-8") for path in files)


def tests_of(text):
    """Yields the full names of the tests in the text."""
    instances = [(suite, prefix) for prefix, suite in SUITE.findall(text)]
    for kind, suite, name in TEST.findall(text):
        if kind == "TYPED_TEST":
            yield from (f"{suite}/{k}.{name}" for k in range(10))
        elif kind == "TEST_P":
            yield from (f"{prefix}/{suite}.{name}/{k}" for of, prefix in instances if of == suite for k in range(10))
        else:
            yield f"{suite}.{name}"


def patterns(text, programs):
    """Yields pairs of a program, or all of them, and a pattern."""
    shell = "".join(FUNCTIONS.findall(text)) + STUBS
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", shell], capture_output=True, text=True, check=True, timeout=LIMIT_SECONDS)
    for line in sorted(set(done.stdout.splitlines())):
        program, _, filters = line.partition(" ")
        yield from ((program, pattern) for pattern in filters.split(":"))
    for _, filters in LITERAL.findall(text):
        yield from ((None, pattern) for pattern in filters.split(":") if "$" not in pattern)


def main():
    root = tree.root_from_arguments("filters of tests on a device")
    text = (root / SCRIPT).read_text(encoding="utf-8")
    tests = {program: list(tests_of(of)) for program, of in sources(root)}
    tests[None] = [name for names in tests.values() for name in names]
    faults, checked = [], set(patterns(text, tests))
    for program, pattern in sorted(checked, key=str):
        if not fnmatch.filter(tests.get(program, []), pattern):
            faults.append(f"{SCRIPT}: no test of {program or 'any program'} matches {pattern}")
    tree.finish("check_device_filters", len(checked), faults)


main()
