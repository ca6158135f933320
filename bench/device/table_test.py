#!/usr/bin/env python3
# Tests table.py on lines as bench/solves and bench/spmv print them, beside a reference of three
# systems.
# SPDX-License-Identifier: BSD-3-Clause
import contextlib
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import table

LIMIT_SECONDS = 1200  # for each wait
HERE = pathlib.Path(__file__).resolve().parent
REFERENCE = {
    "poisson2d 100": {"system": "poisson2d 100", "solve1_s": 2e-4, "solve32_s": 4e-4},
    "bcsstk16": {"system": "bcsstk16", "solve1_s": 3e-4, "solve32_s": 5e-4},
    "vem2": {"system": "vem2", "solve1_s": 1e-4, "solve32_s": 2e-4},
}


def solve(system, columns, seconds, **more):
    line = {"system": system, "n": 10000, "nnz_l": 205463, f"solve{columns}_s": seconds, f"solve{columns}_median_s": 2 * seconds}
    return {**line, "share": 0.5, "componentwise": 1.5e-15, "same_bits": True, **more}


def product(system, warm, cold, seconds=1e-5):
    columns = {"bound_s": 1e-6, "warm_median_s": seconds, "warm_ratio": warm, "cold_ratio": cold}
    return {"system": system, "n": 100, "nnz": 500, "kernel": "lanes 4", "columns_1": columns, "columns_8": {**columns, "warm_ratio": 2 * warm}}


def printed(function, *arguments):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        function(*arguments)
    return out.getvalue().splitlines()


class Table(unittest.TestCase):
    def test_each_number_of_right_hand_sides_by_its_own_keys(self):
        lines = [
            solve("poisson2d 100", 1, 1e-4),
            solve("/tmp/systems/bcsstk16.mtx.gz", 1, 2e-4),
            solve("/tmp/systems/bcsstk16.mtx.gz", 1, 1e-4),  # the faster one counts
            solve("poisson2d 100", 32, 2e-4),
            solve("vem2.npz", 32, 4e-5, same_bits=False),
            solve("poisson2d 100", 8, 2e-4),
            solve("poisson2d 7", 1, 1e-9),  # not in the reference
        ]
        out = printed(table.report_solves, REFERENCE, lines)
        text = "\n".join(out)
        self.assertIn("solves of 1, 2 systems: geometric mean 2.45x; least poisson2d 100 2.00x, bcsstk16 3.00x", out)
        self.assertIn("below 1.8x: none", out)
        self.assertIn("solves of 32, 2 systems: geometric mean 3.16x; least poisson2d 100 2.00x, vem2 5.00x", out)
        self.assertIn("below 3x: poisson2d 100 2.00x", out)
        self.assertNotIn("solves of 8,", text)  # the reference has none
        self.assertIn("solve  8    0.200 ms (      -)      -", text)
        self.assertEqual([line for line in out if line.startswith("no run")], ["no run: vem2", "no run: bcsstk16, vem2", "no run: bcsstk16"])
        self.assertEqual([line for line in out if line.startswith("other bits")][2], "other bits in another run: vem2")
        self.assertEqual(sum(line.startswith("below 0.7 of the bound") for line in out), 1)
        self.assertIn("below 0.7 of bandwidth alone, of those with 7e+08: none", out)

    def test_large_factors_against_bandwidth(self):
        lines = [
            solve("poisson2d 100", 1, 1e-3, nnz_l=800_000_000, bandwidth_s=6e-4, share=0.8),
            solve("vem2", 1, 1e-3, nnz_l=800_000_000, bandwidth_s=8e-4, share=0.6),
        ]
        out = printed(table.report_solves, REFERENCE, lines)
        self.assertIn("below 0.7 of the bound, of those with 1e+08 entries of L and more: vem2", out)
        self.assertIn("below 0.7 of bandwidth alone, of those with 7e+08: poisson2d 100", out)

    def test_solves_that_miss_their_bounds(self):
        out = printed(table.report_solves, REFERENCE, [solve("vem2", 1, 1e-4, nnz_l=2e8), {"system": "bcsstk16", "status": "not_positive_definite"}])
        self.assertIn("bcsstk16: not_positive_definite", out)
        self.assertIn("below 1.8x: vem2 1.00x", out)
        self.assertIn("below 0.7 of the bound, of those with 1e+08 entries of L and more: vem2", out)
        with self.assertRaises(SystemExit):
            printed(table.report_solves, REFERENCE, [solve("poisson2d 7", 1, 1e-4)])

    def test_products(self):
        lines = [product("vem2.npz", 9, 9, 2e-5), product("vem2.npz", 1, 4), product("poisson2d 100", 4, 1)]
        out = printed(table.report_spmv, REFERENCE, lines)
        self.assertIn("products of 1, warm, 2 systems: geometric mean 2.00x; least vem2 1.00x, poisson2d 100 4.00x", out)
        self.assertIn("products of 8, warm, 2 systems: geometric mean 4.00x; least vem2 2.00x, poisson2d 100 8.00x", out)
        self.assertIn("products of 1, cold, 2 systems: geometric mean 2.00x; least poisson2d 100 1.00x, vem2 4.00x", out)
        self.assertIn("no run: bcsstk16", out)
        self.assertTrue(any(line.startswith("vem2 ") and " 1:  1.00x warm  4.00x cold,  8:  2.00x warm" in line for line in out), out)

    def test_the_program(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for file, lines in (
                ("reference", REFERENCE.values()),
                ("solves", [solve("vem2", 32, 5e-5)]),
                ("spmv", [product("vem2", 2, 2)]),
            ):
                (folder / file).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
            command = [sys.executable, HERE / "table.py", "--reference", folder / "reference", "--solves", folder / "solves", "--spmv", folder / "spmv"]
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LIMIT_SECONDS)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("solves of 32, 1 systems: geometric mean 4.00x", done.stdout)
            self.assertIn("products of 8, cold, 1 systems: geometric mean 2.00x", done.stdout)


if __name__ == "__main__":
    unittest.main()
