#!/usr/bin/env python3
# run_tests.py KAURI [-v] [MODULE ...]: runs the tests of the program in this folder, all or those
# of some modules (solve_test). Prints the names of skipped tests, and exits with 77 if all were
# skipped.
# SPDX-License-Identifier: BSD-3-Clause
import pathlib
import sys
import unittest

import program

SKIPPED = 77


def main():
    words = [word for word in sys.argv[1:] if word != "-v"]
    if not words:
        sys.exit("use: run_tests.py KAURI [-v] [MODULE ...]")
    program.set_binary(words[0])
    folder = pathlib.Path(__file__).resolve().parent
    suite = unittest.TestSuite()
    for pattern in [f"{name}.py" for name in words[1:]] or ["*_test.py"]:
        found = unittest.defaultTestLoader.discover(str(folder), pattern=pattern)
        if found.countTestCases() == 0:
            sys.exit(f"no tests found in {pattern}")
        suite.addTest(found)
    result = unittest.TextTestRunner(verbosity=1 + ("-v" in sys.argv)).run(suite)
    for test, reason in result.skipped:
        print(f"skipped: {test.id()}: {reason}")
    if not result.wasSuccessful():
        return 1
    return SKIPPED if len(result.skipped) == suite.countTestCases() else 0


if __name__ == "__main__":
    sys.exit(main())
