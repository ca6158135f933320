#!/usr/bin/env python3
# block_limit_test.py PROGRAM: each command that makes a plan for a device warns of a contribution block that tasks have no places for. PROGRAM has the
# emulated CUDA device and the limit of block_limit.cpp.
# SPDX-License-Identifier: BSD-3-Clause
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))

import program  # noqa: E402

LIMIT = 10000  # entries: most_block_entries() of block_limit.cpp
ROWS = 150  # rows of a contribution block of 12,800 entries
WORDS = f"the contribution block of front 0 has {ROWS} rows and "


class BlockLimitTest(program.ProgramTest):
    def forked(self, rows):
        """A matrix of two dense blocks of 40 columns, which share the last `rows` rows and no others: two fronts below a third one."""
        pivots, n = 40, 80 + rows
        entries = {(i, j): -1.0 for first in (0, pivots) for j in range(first, first + pivots) for i in (*range(j, first + pivots), *range(80, n))}
        entries |= {(i, j): -1.0 for j in range(80, n) for i in range(j, n)}
        entries |= {(i, i): float(n) for i in range(n)}
        return self.write_symmetric("forked.mtx", n, entries)

    def warned(self, command, *words):
        """Runs a command on the device. Returns the JSON. The only line on standard error is the warning, whose text the JSON has too."""
        done = program.kauri(command, self.forked(ROWS), "--ordering", "natural", "--backend", "cuda", "--json", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, rf"\Akauri: warning: forked: {WORDS}[^\n]+ more than the {LIMIT} that tasks have places for[^\n]+\n\Z")
        result = program.strict_json(done.stdout)
        if "too_large_block" in result:
            self.assertEqual(done.stderr, f"kauri: warning: forked: {result['too_large_block']}\n")
        return result

    def test_analyze(self):
        self.assertTrue(self.warned("analyze")["too_large_block"].startswith(WORDS))

    def test_solve(self):
        result = self.warned("solve")
        self.assertTrue(result["too_large_block"].startswith(WORDS))
        self.assertEqual((result["backend"], result["status"]), ("cuda", "ok"))
        self.assertLess(result["backward_error"], 1e-14)

    def test_bench(self):
        result = self.warned("bench", "--reps", "1")
        self.assertTrue(result["too_large_block"].startswith(WORDS))
        self.assertEqual((result["backend"], result["status"]), ("cuda", "ok"))

    def test_compare(self):
        for more in [], ["--factor", "--reps", "1"]:
            result = self.warned("compare", *more)
            self.assertEqual((result["backend"], result["ordering"]), ("cuda", "natural"))

    def test_smaller_blocks_are_within_the_limit(self):
        small = self.forked(100)
        for command in ["analyze", "solve", "bench", "compare"]:
            done = program.kauri(command, small, "--ordering", "natural", "--backend", "cuda", "--json")
            self.assertEqual((done.returncode, done.stderr), (0, ""), command)
            self.assertEqual(program.strict_json(done.stdout).get("too_large_block", ""), "", command)


if __name__ == "__main__":
    program.set_binary(sys.argv[1])
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
