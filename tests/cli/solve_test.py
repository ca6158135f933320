# Tests kauri solve: keys, solutions, right-hand sides, orderings, precisions, threads.
# SPDX-License-Identifier: BSD-3-Clause
import random
import re
import resource

from program import (
    HEADER_KEYS,
    ProgramTest,
    available,
    backward_error,
    kauri,
    read_array,
    read_npy,
    read_symmetric,
    strict_json,
)

SOLVE_KEYS = HEADER_KEYS + [
    "n", "nnz_lower", "status", "column", "pivot", "smallest_pivot", "smallest_column", "pivot_ratio", "pivot_ratio_column",
    "nearly_singular", "condition", "condition_s", "nrhs", "shift", "read_s", "reorder_s", "symbolic_s", "factor_s",
    "predicted_factor_s", "solve_s", "refine_s", "nnzL", "flops", "stored_entries", "refine_steps", "backward_error",
    "backward_error_componentwise", "backward_error_unrefined", "backward_error_componentwise_unrefined", "peak_bytes",
    "planned_bytes", "factor_file_bytes",
    "peak_rss_bytes", "precision", "path", "float_shift", "contraction", "cg_steps", "cg_contraction", "unconverged",
    "too_large_block", "reason", "target_reason", "targets", "precision_reason", "precisions",
]  # fmt: skip
ORDERINGS = ["natural", "rcm", "md", "amd", "pamd", "nd", "metis", "auto"]


class SolveTest(ProgramTest):
    def solve_file(self, matrix, *words):
        """Returns x of a solve with b = 1, 2, ... and its backward error, computed here."""
        n, entries = read_symmetric(matrix)
        b = [float(i + 1) for i in range(n)]
        rhs = self.write("b.mtx", "%%MatrixMarket matrix array real general\n" + f"{n} 1\n" + "".join(f"{v!r}\n" for v in b))
        out = self.folder / "x.mtx"
        self.run_ok("solve", matrix, "--rhs", rhs, "-o", out, *words)
        [x] = read_array(out)
        return x, backward_error(n, entries, x, b)

    def test_json_has_exactly_these_keys(self):
        result = self.json_of("solve", "--gen", "poisson3d 8")
        self.assertEqual(list(result), SOLVE_KEYS)
        self.assertEqual(result["schema"], "kauri.solve/1")
        self.assertEqual(result["system"], "poisson3d 8")
        self.assertEqual((result["status"], result["column"], result["pivot"]), ("ok", None, None))
        self.assertEqual((result["n"], result["nnz_lower"]), (512, 512 + 3 * 7 * 64))
        self.assertEqual((result["scalar"], result["nrhs"]), ("double", 1))
        for key in ["n", "nnz_lower", "nnzL", "flops", "stored_entries", "peak_bytes", "planned_bytes", "refine_steps", "threads"]:
            self.assertIs(type(result[key]), int, key)
        self.assertIsNone(result["condition_s"])
        for key in [k for k in SOLVE_KEYS if k.endswith("_s") and k != "condition_s"]:
            self.assertGreaterEqual(result[key], 0, key)
        self.assertLessEqual(result["backward_error_componentwise"], 1e-15)
        self.assertLessEqual(result["backward_error_componentwise_unrefined"], 1e-14)
        self.assertGreater(result["backward_error_unrefined"], 0)
        self.assertGreaterEqual(result["stored_entries"], result["nnzL"])

    def test_memory_held_is_that_of_the_plan(self):
        for system in ["poisson3d 14", "elast3d 6", "tree 3000 1", "blockdiag 1 1"]:
            for words in [[], ["--threads", 8, "--nrhs", 40], ["--scalar", "float", "--ordering", "amd"]]:
                result = self.json_of("solve", "--gen", system, *words)
                self.assertEqual(result["peak_bytes"], result["planned_bytes"], (system, words))

    def test_a_factor_in_a_file(self):
        words = ["--gen", "poisson3d 16", "--nrhs", 2]
        folder, x, y, saved = [self.folder / name for name in ["disk", "x.npy", "y.npy", "l.kauri"]]
        folder.mkdir()
        if "tmpfs" in kauri("solve", *words, "--factor-file", folder).stderr:
            self.skipTest(f"{folder} is memory")
        memory = self.json_of("solve", *words, "-o", x)
        file = self.json_of("solve", *words, "-o", y, "--factor-file", folder, "--save-factor", saved)
        self.assertEqual(y.read_bytes(), x.read_bytes())
        self.assertEqual(memory["factor_file_bytes"], 0)
        self.assertEqual(file["peak_bytes"], file["planned_bytes"])
        self.assertEqual(file["planned_bytes"] + file["factor_file_bytes"], memory["planned_bytes"])
        self.run_ok("solve", *words, "-o", y, "--factor-file", folder, "--load-factor", saved)
        self.assertEqual(y.read_bytes(), x.read_bytes())
        self.assertIn(f"in {folder}", self.run_ok("solve", *words, "--factor-file", folder))
        mixed = self.json_of("solve", *words, "--factor-file", folder, "--precision", "mixed")
        self.assertLess(mixed["factor_file_bytes"], 0.6 * file["factor_file_bytes"])
        line = self.json_of("bench", "--gen", "poisson3d 16", "--factor-file", folder)
        self.assertEqual(line["factor_file_bytes"], file["factor_file_bytes"])
        # The file needs no memory, but room on the disk.
        gb = file["factor_file_bytes"] / 1e9
        self.fails(3, "solve", *words, "--max-gb", gb, says=["--max-gb"])
        self.run_ok("solve", *words, "--max-gb", gb, "--factor-file", folder)
        less = file["factor_file_bytes"] - 1
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (less, less))
        full = kauri("solve", *words, "--factor-file", folder, preexec_fn=limit)
        self.assertEqual(full.returncode, 3)
        self.assertIn(f"{less + 1} bytes asked for in {folder}, but files of this process may have {less}", full.stderr)
        self.assertEqual(list(folder.iterdir()), [])
        self.fails(1, "solve", *words, "--factor-file", folder / "missing", says=["missing: No such file"])

    def test_mixed_precision(self):
        result = self.json_of("solve", "--gen", "poisson3d 8", "--precision", "mixed", "--nrhs", "3")
        self.assertEqual(list(result), SOLVE_KEYS)
        self.assertEqual((result["precision"], result["path"], result["unconverged"], result["cg_steps"]), ("mixed", "refinement", 0, 0))
        self.assertLessEqual(result["backward_error_componentwise"], 1e-15)
        self.assertGreater(result["backward_error_componentwise_unrefined"], 1e-9)
        self.assertGreaterEqual(result["refine_steps"], 2)
        self.assertEqual(result["peak_bytes"], result["planned_bytes"])
        self.assertIn("mixed precision\n", self.run_ok("solve", "--gen", "poisson3d 8", "--precision", "mixed"))
        full = self.json_of("solve", "--gen", "poisson3d 8")
        self.assertEqual((full["precision"], full["path"], full["float_shift"]), ("full", None, None))
        self.assertLess(result["planned_bytes"], 0.8 * full["planned_bytes"])
        # Mixed precision solves A x = b to the last bit of double, whatever the units of the rows.
        n, unit = 6, [10.0 ** (40 * (i - 3)) for i in range(6)]
        entries = {(i, j): (4.0 if i == j else -1.0) * unit[i] * unit[j] for i in range(n) for j in range(i + 1) if i - j < 3}
        x, error = self.solve_file(self.write_symmetric("units.mtx", n, entries), "--precision", "mixed")
        self.assertLessEqual(error, 1e-15)
        # The verdict equals that of full precision.
        entries[(3, 3)] = 0.1 * unit[3] ** 2
        matrix = self.write_symmetric("indefinite.mtx", n, entries)
        mixed, full = (self.json_of("solve", matrix, "--precision", p, code=2) for p in ["mixed", "full"])
        for key in ["status", "column", "pivot", "smallest_pivot", "smallest_column", "path", "backward_error"]:
            self.assertEqual(mixed[key], full[key], key)

    def hilbert(self, n):
        return self.write_symmetric(f"hilbert{n}.mtx", n, {(i, j): 1.0 / (i + j + 1) for i in range(n) for j in range(i + 1)})

    def test_nearly_singular_systems_are_told(self):
        for words in [[], ["--precision", "mixed"], ["--json"]]:
            done = kauri("solve", self.hilbert(12), *words)
            self.assertEqual(done.returncode, 0)
            found = re.fullmatch(r"kauri: warning: hilbert12 is nearly singular: .* column 11 .* pivot (\S+), (\S+) of it[^\n]+\n", done.stderr)
            self.assertIsNotNone(found, done.stderr)
            # The exact pivot is 8.9e-14; rounding leaves few digits of a pivot this small.
            self.assertTrue(4e-14 < float(found[1]) < 2e-13 and 1e-12 < float(found[2]) < 5e-12, done.stderr)
        result = strict_json(done.stdout)
        self.assertEqual((result["status"], result["nearly_singular"], result["pivot_ratio_column"]), ("ok", True, 11))
        self.assertEqual(result["pivot_ratio"], result["smallest_pivot"] / (1 / 23))
        self.run_ok("solve", self.hilbert(6))  # prints nothing on standard error
        self.assertIn("nearly singular", kauri("solve", self.hilbert(6), "--scalar", "float").stderr)
        self.assertIn("nearly singular", kauri("solve", "--gen", "tri2d 3000 1 --shift 1e-15").stderr)
        for system in ["poisson2d 100", "poisson3d 16", "elast3d 8"]:
            for words in [[], ["--scalar", "float"]]:
                result = self.json_of("solve", "--gen", system, *words)
                self.assertIs(result["nearly_singular"], False)
                self.assertGreater(result["pivot_ratio"], 0.1)
        result = self.json_of("solve", "--gen", "poisson2d 9", "--precision", "mixed")
        self.assertEqual((result["nearly_singular"], result["pivot_ratio"], result["pivot_ratio_column"]), (None, None, None))

    def test_condition(self):
        result = self.json_of("solve", self.hilbert(6), "--condition")
        self.assertAlmostEqual(result["condition"] / 29070279.00288, 1, delta=1e-6)  # the exact condition: the inverse has integer entries
        self.assertGreaterEqual(result["condition_s"], 0)
        self.assertEqual(result["peak_bytes"], result["planned_bytes"])
        self.assertRegex(self.run_ok("solve", self.hilbert(6), "--condition"), r"\n +condition +2\.9e\+07 +estimate of ")
        self.assertIsNone(self.json_of("solve", self.hilbert(6))["condition"])
        self.fails(1, "solve", self.hilbert(6), "--condition", "--precision", "mixed", says=["--condition", "mixed"])

    def test_counts_of_a_known_factor(self):
        # A tridiagonal matrix in its own order has no fill: c_j = 2, the last 1.
        n = 7
        entries = {(i, i): 2.0 for i in range(n)} | {(i + 1, i): -1.0 for i in range(n - 1)}
        matrix = self.write_symmetric("t.mtx", n, entries)
        result = self.json_of("solve", matrix, "--ordering", "natural")
        self.assertEqual((result["system"], result["ordering"]), ("t", "natural"))
        self.assertEqual((result["nnzL"], result["flops"]), (2 * n - 1, 4 * (n - 1) + 1))
        self.assertAlmostEqual(result["smallest_pivot"], (n + 1) / n, delta=1e-14)  # the pivots are 2/1, 3/2, 4/3 ...
        self.assertEqual(result["smallest_column"], n - 1)

    def test_solution_of_every_ordering_and_precision(self):
        matrix = self.folder / "a.mtx"
        self.run_ok("generate", "elast3d", "3", "-o", matrix)
        for ordering in available(ORDERINGS):
            self.assertLessEqual(self.solve_file(matrix, "--ordering", ordering)[1], 4e-16, ordering)
        x, error = self.solve_file(matrix, "--scalar", "float")
        self.assertLessEqual(error, 5e-7)
        self.assertGreater(error, 1e-12, "float was asked for")
        self.assertEqual(len(x), 3 * 3 * 16)

    def test_refinement_can_be_left_out(self):
        result = self.json_of("solve", "--gen", "poisson2d 30", "--refine", "0", "--scalar", "float")
        self.assertEqual(result["refine_steps"], 0)
        self.assertEqual(result["backward_error"], result["backward_error_unrefined"])
        self.assertEqual(result["scalar"], "float")

    def test_shift_solves_the_shifted_system(self):
        matrix = self.write_symmetric("i.mtx", 3, {(i, i): 1.0 for i in range(3)})
        shifted = self.folder / "x.npy"
        rhs = self.write("b.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n")
        self.run_ok("solve", matrix, "--rhs", rhs, "--shift", "3", "-o", shifted)
        self.assertEqual(read_npy(shifted), [[0.25, 0.5, 0.75]])

    def test_both_output_formats_hold_the_same_bits(self):
        words = ["solve", "--gen", "poisson2d 12", "--nrhs", "3"]
        self.run_ok(*words, "-o", self.folder / "x.mtx")
        self.run_ok(*words, "-o", self.folder / "x.npy")
        columns = read_npy(self.folder / "x.npy")
        self.assertEqual((len(columns), len(columns[0])), (3, 144))
        self.assertEqual(columns, read_array(self.folder / "x.mtx"))
        self.assertNotEqual(columns[0], columns[1])
        try:
            import numpy
        except ImportError:
            return
        self.assertEqual(numpy.load(self.folder / "x.npy").T.tolist(), columns)

    def test_solution_can_be_the_next_right_hand_side(self):
        for name in ["x.mtx", "x.npy"]:
            self.run_ok("solve", "--gen", "poisson2d 9", "--nrhs", "2", "-o", self.folder / name)
            again = self.json_of("solve", "--gen", "poisson2d 9", "--rhs", self.folder / name)
            self.assertEqual(again["nrhs"], 2)

    def test_seed_reaches_the_right_hand_side(self):
        solutions = []
        for seed in [1, 1, 2]:
            path = self.folder / "x.npy"
            self.run_ok("solve", "--gen", "poisson2d 9", "--ordering", "amd", "--seed", seed, "-o", path)
            solutions.append(path.read_bytes())
        self.assertEqual(solutions[0], solutions[1])
        self.assertNotEqual(solutions[0], solutions[2])

    def test_threads_do_not_change_a_bit(self):
        for system in ["poisson3d 14", "elast3d 6", "tree 3000 1"]:
            for ordering in available(["nd", "metis", "amd"]):
                bits = set()
                for threads in [1, 2, 8]:  # more than there are cores, too
                    path = self.folder / "x.npy"
                    words = ["--gen", system, "--ordering", ordering, "--nrhs", 5, "--threads", threads, "-o", path]
                    self.assertEqual(self.json_of("solve", *words)["threads"], threads)
                    bits.add(path.read_bytes())
                self.assertEqual(len(bits), 1, (system, ordering))

    def test_permutation_file(self):
        n = 60
        rows = list(range(n))
        random.Random(3).shuffle(rows)
        # An arrow with its tip first fills completely; with its tip last it has no fill.
        matrix = self.write_symmetric("arrow.mtx", n, {(0, 0): float(n)} | {(i, i): 2.0 for i in range(1, n)} | {(i, 0): -1.0 for i in range(1, n)})
        tip_first = self.write("first.txt", "# the tip first\n0\n" + "".join(f"{r}\n" for r in rows if r))
        tip_last = self.write("last.txt", "".join(f"{r}\n" for r in rows if r) + "0\n")
        self.assertEqual(self.json_of("solve", matrix, "--ordering", tip_first)["nnzL"], n * (n + 1) // 2)
        result = self.json_of("solve", matrix, "--ordering", tip_last)
        self.assertEqual((result["nnzL"], result["ordering"]), (2 * n - 1, "given"))
        self.assertLessEqual(self.solve_file(matrix, "--ordering", tip_first)[1], 1e-15)

    def test_text_names_what_a_person_wants_to_know(self):
        text = self.run_ok("solve", "--gen", "poisson3d 8", "--ordering", "amd", "--backend", "cpu")
        for word in ["poisson3d 8: 512 rows, 1,856 entries", "factorise", "amd", "entries of L", "backward error", "predicted"]:
            self.assertIn(word, text)
        self.assertTrue(all(len(line) <= 140 for line in text.splitlines()))

    def test_empty_system(self):
        matrix = self.write("empty.mtx", "%%MatrixMarket matrix coordinate real symmetric\n0 0 0\n")
        result = self.json_of("solve", matrix)
        self.assertEqual((result["n"], result["nnzL"], result["status"]), (0, 0, "ok"))
