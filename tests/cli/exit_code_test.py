# Exit codes and messages: wrong usage and input (1), not positive definite (2), resources (3).
# SPDX-License-Identifier: BSD-3-Clause
import re

from program import ProgramTest, has_cuda_device, kauri, strict_json

SYSTEM = ["--gen", "poisson2d 9"]


class InputTest(ProgramTest):
    def test_usage(self):
        self.fails(1)
        self.fails(1, "sovle", *SYSTEM, says=["sovle", "solve, analyze"])
        self.fails(1, "solve", says=["no system"])
        self.fails(1, "solve", *SYSTEM, "--threads", "-1", says=["--threads"])
        self.fails(1, "solve", *SYSTEM, "--threads", "two", says=["--threads"])
        self.fails(1, "solve", *SYSTEM, "--scalar", "half", says=["--scalar", "half"])
        self.fails(1, "solve", *SYSTEM, "--backend", "abacus", says=["--backend", "abacus"])
        self.fails(1, "solve", *SYSTEM, "--nrhs", "0", says=["--nrhs"])
        self.fails(1, "solve", *SYSTEM, "--shift", "nan", says=["--shift"])
        self.fails(1, "solve", *SYSTEM, "file.mtx")
        self.fails(1, "compare", *SYSTEM, "--ordering", "amd", says=["--ordering"])
        self.fails(1, "generate", "poisson2d", "9", says=["-o"])

    def test_bad_systems(self):
        self.fails(1, "solve", self.folder / "absent.mtx", says=["absent.mtx", "no such file"])
        self.fails(1, "solve", self.folder, says=["folder"])
        self.fails(1, "solve", "--gen", "torus 9", says=["torus"])
        self.fails(1, "solve", "--gen", "poisson2d nine", says=["nine"])
        broken = self.write("broken.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 4.0\n2 x 1.0\n")
        self.fails(1, "solve", broken, says=["broken.mtx", "4"])
        self.fails(1, "info", self.write("words.txt", "no matrix at all\n"), says=["words.txt"])

    def test_bad_orderings(self):
        self.fails(1, "solve", *SYSTEM, "--ordering", "amdd", says=["amdd"])
        self.fails(1, "solve", *SYSTEM, "--ordering", self.write("short.txt", "0\n1\n"), says=["2 rows", "poisson2d 9", "81"])
        repeated = self.write("repeated.txt", "0\n" * 81)
        self.fails(1, "analyze", *SYSTEM, "--ordering", repeated)
        self.fails(1, "analyze", *SYSTEM, "--ordering", self.write("words.txt", "zero\n"), says=["words.txt"])

    def test_bad_right_hand_sides(self):
        short = self.write("b.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n2\n")
        self.fails(1, "solve", *SYSTEM, "--rhs", short, says=["b.mtx", "2", "81"])
        self.fails(1, "solve", *SYSTEM, "--rhs", self.folder / "absent.npy", says=["absent.npy"])
        right = self.write("c.mtx", "%%MatrixMarket matrix array real general\n81 1\n" + "1\n" * 81)
        self.fails(1, "solve", *SYSTEM, "--rhs", right, "--nrhs", "2", says=["c.mtx"])

    def test_bad_outputs(self):
        self.fails(1, "solve", *SYSTEM, "-o", self.folder / "x.csv", says=["x.csv", ".npy"])
        self.fails(1, "generate", "poisson2d", "9", "-o", self.folder / "a.npz", says=["a.npz"])
        self.fails(1, "solve", *SYSTEM, "-o", self.folder / "absent" / "x.npy", says=["absent"])
        self.fails(1, "analyze", *SYSTEM, "-o", self.folder / "absent" / "p.txt", says=["absent"])

    def test_full_standard_output(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            done = kauri("info", *SYSTEM, stdout=full)
        self.assertEqual(done.returncode, 1)
        self.assertIn("standard output", done.stderr)


class IndefiniteTest(ProgramTest):
    def tridiagonal(self, wrong, value, n=9):
        entries = {(i, i): 4.0 for i in range(n)} | {(i + 1, i): -1.0 for i in range(n - 1)}
        entries[wrong, wrong] = value
        return self.write_symmetric("a.mtx", n, entries)

    def test_column_and_pivot(self):
        for column in [0, 4, 8]:
            matrix = self.tridiagonal(column, -2.0)
            done = kauri("solve", matrix, "--ordering", "natural", "--json")
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"column {column} ", done.stderr)
            result = strict_json(done.stdout)
            self.assertEqual((result["status"], result["column"]), ("not_positive_definite", column))
            self.assertLess(result["pivot"], -2.0 + 1e-12)
            self.assertIsNone(result["backward_error"])
            self.assertIsNone(result["solve_s"])
            for ordering in ["rcm", "md", "amd", "metis", "auto"]:
                self.assertEqual(kauri("solve", matrix, "--ordering", ordering).returncode, 2, ordering)
            self.assertEqual(kauri("solve", matrix, "--shift", "4").returncode, 0)

    def test_no_solution_is_written(self):
        out = self.folder / "x.npy"
        self.assertEqual(kauri("solve", self.tridiagonal(3, -1.0), "-o", out).returncode, 2)
        self.assertFalse(out.exists())

    def test_other_commands(self):
        matrix = self.tridiagonal(5, -1.0)
        self.assertEqual(kauri("analyze", matrix).returncode, 0, "no number is looked at")
        self.assertEqual(kauri("compare", matrix).returncode, 0)
        self.assertEqual(kauri("compare", matrix, "--factor").returncode, 2)
        done = kauri("bench", matrix, "--gen", "poisson2d 5")
        self.assertEqual(done.returncode, 2)
        first, second = map(strict_json, done.stdout.splitlines())
        self.assertEqual((first["status"], first["column"]), ("not_positive_definite", 5))
        self.assertIsNone(first["solve1_s"])
        self.assertEqual(second["status"], "ok")


class ResourcesTest(ProgramTest):
    def bytes_in(self, message):
        return [int(b) for b in re.findall(r"\((\d+) bytes\)", message)]

    def test_memory_limit(self):
        message = self.fails(3, "solve", "--gen", "poisson3d 12", "--max-gb", "0.001", says=["poisson3d 12", "--max-gb"])
        [needed] = self.bytes_in(message)
        self.assertGreater(needed, 1e6)
        enough = needed / 1e9 + 1e-9
        self.assertEqual(kauri("solve", "--gen", "poisson3d 12", "--max-gb", enough).returncode, 0)
        # Float needs less, more right-hand sides more.
        self.assertEqual(kauri("solve", "--gen", "poisson3d 12", "--max-gb", enough * 0.7, "--scalar", "float").returncode, 0)
        self.fails(3, "solve", "--gen", "poisson3d 12", "--max-gb", enough, "--nrhs", "100")

    def test_analysis_is_refused_too(self):
        message = self.fails(3, "analyze", "--gen", "poisson3d 12", "--max-gb", "0.00001", says=["analysis"])
        self.assertEqual(len(self.bytes_in(message)), 1)

    def test_flop_limit(self):
        flops = self.json_of("solve", "--gen", "poisson3d 8", "--ordering", "amd")["flops"]
        words = ["solve", "--gen", "poisson3d 8", "--ordering", "amd", "--max-flops"]
        self.assertEqual(kauri(*words, flops).returncode, 0)
        self.assertEqual(len(self.bytes_in(self.fails(3, *words, flops - 1, says=["operations"]))), 1)

    def test_machine(self):
        # Far beyond any machine that runs this: 3e13 entries of L at least (George 1973), refused once the plan is known or before.
        message = self.fails(3, "solve", "--gen", "blockdiag 3000000 2500", "--ordering", "natural")
        self.assertRegex(message, r"\d+ bytes")

    def test_system_larger_than_memory(self):
        message = self.fails(3, "info", "--gen", "poisson3d 1290", says=["poisson3d 1290"])
        self.assertRegex(message, r"\d+ bytes")

    def test_bench_goes_on(self):
        done = kauri("bench", "--gen", "poisson3d 12", "--gen", "poisson2d 5", "--max-gb", "0.001")
        self.assertEqual(done.returncode, 3)
        first, second = map(strict_json, done.stdout.splitlines())
        self.assertIn("bytes", first["fail"])
        self.assertEqual((first["status"], second["status"]), ("failed", "ok"))
        self.assertIsNone(first["factor_s"])
        self.assertGreater(first["nnzL"], 1728)

    def test_compare_leaves_out_what_does_not_fit(self):
        plain = self.json_of("compare", "--gen", "poisson3d 10")
        least = min(row["peak_bytes"] for row in plain["orderings"])
        result = self.json_of("compare", "--gen", "poisson3d 10", "--factor", "--max-gb", 1.6 * least / 1e9)
        status = {row["ordering"]: row["status"] for row in result["orderings"]}
        self.assertIn("ok", status.values())
        self.assertIn("not_run", status.values())
        self.assertTrue(all("bytes" in row["note"] for row in result["orderings"] if row["status"] == "not_run"))

    def test_device_that_is_not_there(self):
        if has_cuda_device():
            self.skipTest("there is a CUDA device")
        self.fails(3, "solve", *SYSTEM, "--backend", "cuda")
        self.assertEqual(self.json_of("solve", *SYSTEM, "--backend", "auto")["backend"], "cpu")
