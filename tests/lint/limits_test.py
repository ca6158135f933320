#!/usr/bin/env python3
# limits_test.py CTEST: tests that check_limits.py finds a test without a limit, one with a short
# limit, and one that came near its limit.
# SPDX-License-Identifier: BSD-3-Clause
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import check_limits

CTEST = sys.argv.pop(1)
CHECK = pathlib.Path(__file__).with_name("check_limits.py")
SOUND = "add_test(sound true)\nset_tests_properties(sound PROPERTIES TIMEOUT 1200)\n"


class LimitsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = pathlib.Path(folder.name)

    def plant(self, tests):
        """Writes these lines into the build folder for CTest."""
        (self.build / "CTestTestfile.cmake").write_text(tests, encoding="utf-8")

    def plant_cost(self, name, seconds):
        """Writes the file in which CTest stores the duration of a test."""
        costs = self.build / "Testing" / "Temporary" / "CTestCostData.txt"
        costs.parent.mkdir(parents=True, exist_ok=True)
        costs.write_text(f"{name} 1 {seconds}\n---\n", encoding="utf-8")

    def run_check(self, *words):
        done = subprocess.run([sys.executable, "-B", CHECK, CTEST, self.build, *words], capture_output=True, text=True, check=False, timeout=check_limits.LEAST_SECONDS)
        return done.returncode, done.stdout + done.stderr

    def test_each_test_with_its_limit_is_right(self):
        self.plant(SOUND)
        self.assertEqual(self.run_check(), (0, "check_limits: 1 tests, 0 with a limit below 1200 s or none\n"))

    def test_a_test_without_a_limit_is_a_fault(self):
        self.plant(SOUND + "add_test(endless true)\n")
        code, said = self.run_check()
        self.assertEqual(code, 1)
        self.assertIn("endless: no limit (TIMEOUT)", said)
        self.assertNotIn("sound:", said)

    def test_a_short_limit_is_a_fault(self):
        self.plant(SOUND + "add_test(short true)\nset_tests_properties(short PROPERTIES TIMEOUT 300)\n")
        code, said = self.run_check()
        self.assertEqual(code, 1)
        self.assertIn("short: a limit of 300 s", said)

    def test_a_build_without_tests_is_a_fault(self):
        self.plant("")
        self.assertEqual(self.run_check()[0], 1)

    def test_slow_tests_are_a_fault_but_for_what_other_work_took(self):
        for seconds, others, status in ((119, 0, 0), (121, 0, 1), (121, 1, 0), (239, 1, 0), (241, 1, 1)):
            self.plant_cost("sound", seconds)
            self.assertEqual(check_limits.check_measured({"sound": 1200}, self.build, others, cores=2), status, (seconds, others))

    def test_other_work_is_as_given(self):
        self.plant(SOUND)
        self.plant_cost("sound", 121)
        for others, status in ((0, 1), (os.cpu_count(), 0)):
            code, said = self.run_check("--measured", str(others))
            self.assertEqual(code, status, (others, said))
            self.assertEqual("sound took 121 s" in said, status == 1)


if __name__ == "__main__":
    unittest.main()
