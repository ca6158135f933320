#!/usr/bin/env python3
# run_tests.py KAURI [unittest arguments]: every test of the program in this folder.
# SPDX-License-Identifier: BSD-3-Clause
import pathlib
import sys
import unittest

import program

if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("use: run_tests.py KAURI [unittest arguments]")
    program.set_binary(sys.argv[1])
    folder = pathlib.Path(__file__).resolve().parent
    suite = unittest.defaultTestLoader.discover(str(folder), pattern="*_test.py")
    if suite.countTestCases() == 0:
        sys.exit("no tests found")
    sys.exit(not unittest.TextTestRunner(verbosity=1 + ("-v" in sys.argv)).run(suite).wasSuccessful())
