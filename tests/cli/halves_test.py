# Tests files with both halves: --half and --symmetry, in every command that reads a system.
# SPDX-License-Identifier: BSD-3-Clause
from program import ProgramTest, kauri, read_symmetric

HEAD = "%%MatrixMarket matrix coordinate real general\n"


class HalvesTest(ProgramTest):
    def full(self, lower, upper, name="full.mtx"):
        entries = ["1 1 4", "2 1 -1", "1 2 -1", "2 2 4", "3 2 -1", "2 3 -1", "3 3 4"]
        entries += [f"3 1 {lower}"] * (lower is not None) + [f"1 3 {upper}"] * (upper is not None)
        return self.write(name, HEAD + f"3 3 {len(entries)}\n" + "\n".join(entries) + "\n")

    def test_what_rounding_leaves_is_taken(self):
        for lower, upper in [("6e-17", "3e-17"), ("3e-17", None), (None, "3e-17"), ("0", None), (None, "0"), ("0.5", "0.5000000000000001")]:
            with self.subTest(lower=lower, upper=upper):
                self.assertEqual(self.json_of("solve", self.full(lower, upper))["status"], "ok")
                self.run_ok("convert", self.full(lower, upper), self.folder / "lower.mtx")
                n, entries = read_symmetric(self.folder / "lower.mtx")
                self.assertEqual((n, entries.get((2, 0))), (3, None if lower is None else float(lower)))

    def test_what_it_does_not_is_refused(self):
        for lower, upper in [("0.5", "0.50000001"), ("0.5", None), (None, "0.5"), ("0.5", "0"), ("1e-11", None), ("0.5", "-0.5")]:
            with self.subTest(lower=lower, upper=upper):
                self.fails(1, "solve", self.full(lower, upper), says=["(3, 1)", "(1, 3)", "line 10", "at most 2.22e-13 sqrt(|a_ii a_jj|)"])

    def test_one_half_of_a_general_file_is_told_with_the_option_that_takes_it(self):
        for half, entry in [("lower", "2 1 -1"), ("upper", "1 2 -1")]:
            file = self.write("half.mtx", HEAD + f"2 2 3\n1 1 4\n2 2 4\n{entry}\n")
            self.fails(1, "solve", file, says=["line 5", "has no partner", f"--half {half}"])
            self.assertEqual(self.json_of("solve", file, "--half", half)["status"], "ok")

    def test_a_half_is_chosen(self):
        file = self.full("0.5", "0.25")
        for half, value in [("lower", 0.5), ("upper", 0.25)]:
            self.run_ok("convert", file, self.folder / "half.mtx", "--half", half)
            self.assertEqual(read_symmetric(self.folder / "half.mtx")[1][2, 0], value)
            self.assertEqual(self.json_of("solve", file, "--half", half)["status"], "ok")
            self.assertEqual(self.json_of("analyze", file, "--half", half)["nnz_lower"], 6)
            self.assertEqual(self.json_of("info", file, "--half", half)["nnz_lower"], 6)
            self.assertEqual(self.json_of("compare", file, "--half", half)["nnz_lower"], 6)
        self.fails(1, "solve", file, "--half", "both", says=["not symmetric"])
        self.fails(1, "solve", file, "--half", "left", says=["--half"])

    def test_a_file_of_one_half_is_as_it_is(self):
        file = self.write_symmetric("lower.mtx", 2, {(0, 0): 4.0, (1, 0): -1.0, (1, 1): 4.0})
        for half in ["both", "lower", "upper"]:
            self.assertEqual(self.json_of("info", file, "--half", half)["nnz_lower"], 3)

    def test_how_far_halves_may_differ(self):
        file = self.full("0.5", "0.5004")  # they differ by 0.0001 of 4
        for symmetry, code in [("0.00011", 0), ("0.00009", 1), ("1", 0), ("0", 1)]:
            self.assertEqual(kauri("solve", file, "--symmetry", symmetry).returncode, code, symmetry)
        for wrong in ["-1", "1.1", "nan", "x"]:
            self.fails(1, "solve", file, "--symmetry", wrong, says=["--symmetry"])
