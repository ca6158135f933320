# Tests plans and factors in files: kauri analyze --save-plan, kauri solve --save-factor and
# --load-factor.
# SPDX-License-Identifier: BSD-3-Clause
from program import ProgramTest, kauri, strict_json


class SaveTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.factor = self.folder / "a.factor"
        self.x, self.y = self.folder / "x.npy", self.folder / "y.npy"

    def test_a_factor_that_was_saved_solves_the_same(self):
        for scalar in ["double", "float"]:
            words = ["--gen", "poisson3d 8", "--nrhs", 3, "--scalar", scalar]
            self.run_ok("solve", *words, "--save-factor", self.factor, "-o", self.x)
            result = self.json_of("solve", *words, "--load-factor", self.factor, "-o", self.y)
            self.assertEqual(self.x.read_bytes(), self.y.read_bytes())
            self.assertEqual((result["reorder_s"], result["symbolic_s"], result["n"]), (0, 0, 512))
            self.assertIn("a.factor", result["reason"])
        self.assertIn("load L", self.run_ok("solve", *words, "--load-factor", self.factor))

    def test_a_factor_of_other_values_is_told_by_the_error(self):
        self.run_ok("solve", "--gen", "poisson2d 9", "--save-factor", self.factor)
        words = ["--gen", "poisson2d 9", "--shift", 2]
        right = self.json_of("solve", *words)
        other = self.json_of("solve", *words, "--load-factor", self.factor, code=1)
        self.assertLess(right["backward_error"], 1e-15)
        self.assertGreater(other["backward_error"], 1e-6)
        self.assertEqual((right["status"], other["status"]), ("ok", "not_converged"))

    def test_x_of_another_factor_is_no_solution(self):
        # The loaded factor is of A with a shift, large or small, and refinement takes several
        # numbers of steps.
        for scalar, bound in [("double", 1.5e-8), ("float", 3.5e-4)]:
            for shift in [0, 1e-9, 1e-4, 0.5, 3, 50, 1e6]:
                for refine in [0, 2, 200]:
                    with self.subTest(scalar=scalar, shift=shift, refine=refine):
                        words = ["--gen", "poisson2d 20", "--scalar", scalar]
                        self.run_ok("solve", *words, "--shift", shift, "--save-factor", self.factor)
                        self.y.unlink(missing_ok=True)
                        done = kauri("solve", *words, "--load-factor", self.factor, "--refine", refine, "-o", self.y, "--json")
                        told = strict_json(done.stdout)
                        solved = max(told["backward_error"], told["backward_error_componentwise"]) <= bound
                        self.assertEqual(told["status"], "ok" if solved else "not_converged")
                        self.assertEqual((done.returncode, self.y.exists()), (0, True) if solved else (1, False))
                        self.assertEqual("is not solved: the backward error of x is above" in done.stderr, not solved)
                        self.assertTrue(solved or shift > 0)
                        self.assertFalse(solved and shift >= 3 and refine < 200)

    def test_what_is_refused(self):
        self.run_ok("solve", "--gen", "poisson2d 9", "--save-factor", self.factor)
        self.fails(1, "solve", "--gen", "poisson2d 8", "--load-factor", self.factor, says=["a.factor", "another pattern"])
        first, second = (self.write_symmetric(f"{row}.mtx", 4, {**{(i, i): 4.0 for i in range(4)}, (row, 0): 1.0}) for row in (1, 2))
        other = self.folder / "other.factor"
        self.run_ok("solve", first, "--ordering", "natural", "--save-factor", other)
        self.fails(1, "solve", second, "--load-factor", other, says=["other.factor", "another pattern"])  # equal counts in each column
        self.fails(1, "solve", "--gen", "poisson2d 9", "--scalar", "float", "--load-factor", self.factor,
                   says=["it holds a factor in double, asked for float"])
        plan = self.folder / "a.plan"
        self.run_ok("analyze", "--gen", "poisson2d 9", "--save-plan", plan)
        self.fails(1, "solve", "--gen", "poisson2d 9", "--load-factor", plan, says=["it holds a plan, asked for a factor"])
        self.factor.write_bytes(self.factor.read_bytes()[:-7])
        self.fails(1, "solve", "--gen", "poisson2d 9", "--load-factor", self.factor, says=["the file is cut"])
        self.fails(1, "solve", "--gen", "poisson2d 9", "--load-factor", self.folder / "none", says=["cannot open"])
        self.fails(1, "solve", "--gen", "poisson2d 9", "--precision", "mixed", "--save-factor", self.factor, says=["--precision mixed"])
        for command, option in [("analyze", "--save-plan"), ("solve", "--save-factor")]:
            self.fails(1, command, "--gen", "poisson2d 9", option, self.folder / "no" / "such",
                       says=["there is no folder", "create it first"])

    def test_a_breakdown_leaves_the_file(self):
        self.factor.write_text("mine")
        self.assertEqual(kauri("solve", "--gen", "poisson2d 9", "--shift", -9, "--save-factor", self.factor).returncode, 2)
        self.assertEqual(self.factor.read_text(), "mine")
