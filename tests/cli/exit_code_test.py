# Tests exit codes and messages: wrong usage and input (1), not positive definite (2), resources
# (3).
# SPDX-License-Identifier: BSD-3-Clause
import os
import pathlib
import re
import subprocess

from program import (LIMIT_SECONDS, ProgramTest, available, build_facts, has_cuda_device, kauri, kauri_with_data_limit, kauri_with_peak,
                     strict_json)

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
        for word in ["nan", "-1", "much"]:
            self.fails(1, "solve", *SYSTEM, "--max-gb", word, says=["--max-gb", word])
            self.fails(1, "solve", *SYSTEM, "--max-flops", word, says=["--max-flops", word])
        self.assertEqual(kauri("solve", *SYSTEM, "--max-gb", "inf").returncode, 0)
        for word in ["-1", "+1", "1.5", "18446744073709551616"]:
            self.fails(1, "solve", *SYSTEM, "--seed", word, says=["--seed", word])
        self.assertEqual(kauri("solve", *SYSTEM, "--seed", "18446744073709551615").returncode, 0)
        self.fails(1, "solve", *SYSTEM, "file.mtx")
        self.fails(1, "compare", *SYSTEM, "--ordering", "none.txt", says=["--ordering", "none.txt"])
        self.fails(1, "generate", "poisson2d", "9", says=["-o"])

    def test_unknown_options_are_named(self):
        self.fails(1, "solve", "--orderng", "amd", "b.mtx", says=["solve has no option --orderng", "did you mean --ordering?", "kauri solve --help"])
        self.fails(1, "solve", "--nonsense=3", *SYSTEM, says=["no option --nonsense (see"])
        self.fails(1, "info", *SYSTEM, "-q", says=["no option -q (see"])
        self.fails(1, "--bogus", says=["kauri has no option --bogus (see kauri --help)"])
        self.fails(1, "--versoin", says=["kauri has no option --versoin; did you mean --version?"])
        self.fails(1, "-q", "solve", *SYSTEM, says=["kauri has no option -q (see"])
        self.fails(1, "-", says=["'-' is not a command"])
        self.fails(1, "sovle", *SYSTEM, says=["'sovle' is not a command", "did you mean solve?"])
        self.fails(1, "spy", *SYSTEM, says=["-o is required (see kauri spy --help)"])
        says = "--threads: option threads: '1e3' was given, expected an integer from 0 to 2^31 - 1"
        self.fails(1, "solve", *SYSTEM, "--threads", "1e3", says=[says])
        self.fails(1, "solve", "a.mtx", "b.mtx", says=["expected one file, there are 2: a.mtx, b.mtx"])
        self.assertEqual(kauri("solve", *SYSTEM, "--shift", "-1e-3").returncode, 0)

    def test_standard_input(self):
        text = self.write_symmetric("two.mtx", 2, {(0, 0): 4.0, (1, 0): 1.0, (1, 1): 4.0}).read_text(encoding="ascii")
        for words in [("solve", "-"), ("info", "/dev/stdin"), ("convert", "-", self.folder / "out.npz")]:
            done = kauri(*words, input=text)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, r"\Astdin: 2 rows")
        done = kauri("solve", "-", input="hello\n")
        self.assertEqual(done.returncode, 1)
        self.assertIn("/dev/stdin: ", done.stderr)

    def test_unknown_effort(self):
        for command in ["solve", "analyze", "compare", "bench"]:
            for word in ["most", "default", "Best", ""]:
                self.fails(1, command, *SYSTEM, "--effort", word, says=["--effort", "fast", "standard", "best"])

    def test_bad_systems(self):
        self.fails(1, "solve", self.folder / "absent.mtx", says=["absent.mtx", "no such file"])
        self.fails(1, "solve", self.folder, says=["folder"])
        self.fails(1, "solve", "--gen", "torus 9", says=["torus"])
        self.fails(1, "solve", "--gen", "poisson2d nine", says=["nine"])
        broken = self.write("broken.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 4.0\n2 x 1.0\n")
        self.fails(1, "solve", broken, says=["broken.mtx", "4"])
        self.fails(1, "info", self.write("words.txt", "no matrix at all\n"), says=["words.txt"])

    def test_entry_that_is_not_finite(self):
        entries = {(0, 0): 4.0, (1, 1): 4.0, (2, 1): 1e300, (2, 2): 4.0}
        matrix = self.write_symmetric("big.mtx", 3, entries)
        for command in ["solve", "bench"]:
            done = kauri(command, matrix, "--scalar", "float")
            self.assertEqual(done.returncode, 1)
            self.assertIn("big.mtx: entry (2, 1) of A", done.stderr)
            self.assertIn("inf in float", done.stderr)
        self.assertEqual(kauri("solve", matrix).returncode, 2)
        matrix = self.write_symmetric("shifted.mtx", 2, {(0, 0): 1.0, (1, 1): 1.7e308})
        self.fails(1, "solve", matrix, "--shift", "1e308", says=["shifted.mtx: entry (1, 1) of A", "inf"])

    def test_shift_that_overflows(self):
        matrix = self.write_symmetric("large.mtx", 2, {(0, 0): 1.0, (1, 1): 1e308})
        out = self.folder / "out.mtx"
        for words in [["convert", matrix, out], ["info", matrix], ["analyze", matrix], ["solve", matrix]]:
            self.fails(1, *words, "--shift", "1.7e308", says=["large.mtx: entry (1, 1) of A", "is inf with --shift 1.7e+308, expected a finite number"])
        self.assertFalse(out.exists())
        self.run_ok("convert", matrix, out, "--shift", "7e307")

    def test_bad_orderings(self):
        self.fails(1, "solve", *SYSTEM, "--ordering", "amdd", says=["amdd"])
        self.fails(1, "solve", *SYSTEM, "--ordering", self.write("short.txt", "0\n1\n"), says=["short.txt: has 2 rows", "poisson2d 9", "81"])
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
        self.fails(1, "generate", "poisson2d", "9", "-o", self.folder / "a.csv", says=["a.csv", ".npz"])
        self.fails(1, "solve", *SYSTEM, "-o", self.folder / "absent" / "x.npy", says=["absent"])
        self.fails(1, "analyze", *SYSTEM, "-o", self.folder / "absent" / "p.txt", says=["absent"])

    def test_full_standard_output(self):
        for words in [["info", *SYSTEM], ["--help"], ["solve", "--help"], ["--version"], ["--manual"], ["--completion", "bash"]]:
            with open("/dev/full", "w", encoding="ascii") as full:
                done = kauri(*words, stdout=full)
            self.assertEqual(done.returncode, 1, words)
            self.assertEqual(done.stderr, "kauri: standard output: cannot be written\n", words)


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
            self.assertEqual(result["smallest_pivot"], result["pivot"])
            self.assertEqual(result["smallest_column"], column)
            self.assertIsNone(result["backward_error"])
            self.assertIsNone(result["solve_s"])
            for ordering in available(["rcm", "md", "amd", "pamd", "nd", "metis", "auto"]):
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


class OverflowTest(ProgramTest):
    def test_solution_that_is_not_finite(self):
        matrix = self.write_symmetric("tiny.mtx", 1, {(0, 0): 5e-324})
        for words in [[], ["--refine", "0"], ["--nrhs", "3"]]:
            out = self.folder / "x.npy"
            done = kauri("solve", matrix, "--json", "-o", out, *words)
            self.assertEqual(done.returncode, 1, words)
            self.assertRegex(done.stderr, r"\Akauri: tiny is not finite: [^\n]*overflows double\n\Z")
            self.assertFalse(out.exists(), "no solution is written")
            result = strict_json(done.stdout)
            self.assertEqual((result["status"], result["column"], result["refine_steps"]), ("not_finite", None, 0))
            self.assertIsNone(result["backward_error"])
        self.assertEqual(kauri("solve", matrix).returncode, 1)

    def test_one_column_of_many(self):
        # Only the second of three right-hand sides overflows in float, in which x is computed.
        matrix = self.write_symmetric("small.mtx", 2, {(0, 0): 1e-20, (1, 1): 1.0})
        rhs = self.write("b.mtx", "%%MatrixMarket matrix array real general\n2 3\n" + "1\n1\n1e30\n1\n1\n1\n")
        self.assertEqual(self.json_of("solve", matrix, "--rhs", rhs)["status"], "ok")
        self.assertEqual(self.json_of("solve", matrix, "--rhs", rhs, "--scalar", "float", code=1)["status"], "not_finite")

    def test_other_commands(self):
        matrix = self.write_symmetric("tiny.mtx", 1, {(0, 0): 5e-324})
        done = kauri("bench", matrix)
        self.assertEqual(done.returncode, 1)
        line = strict_json(done.stdout)
        self.assertEqual(line["status"], "not_finite")
        self.assertIn("overflows", line["fail"])
        result = self.json_of("compare", matrix, "--factor", code=1)
        self.assertEqual({row["status"] for row in result["orderings"]} - {"not_run"}, {"not_finite"})


class ResourcesTest(ProgramTest):
    def bytes_in(self, message):
        return [int(b) for b in re.findall(r"\((\d+) bytes\)", message)]

    def test_memory_limit(self):
        message = self.fails(3, "solve", "--gen", "poisson3d 12", "--max-gb", "0.001", says=["poisson3d 12", "--max-gb"])
        [needed] = self.bytes_in(message)
        self.assertGreater(needed, 1e6)
        enough = needed / 1e9 + 1e-9
        self.assertEqual(kauri("solve", "--gen", "poisson3d 12", "--max-gb", enough).returncode, 0)
        # Float needs less memory, more right-hand sides need more.
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

    def test_right_hand_sides_are_refused_before_they_are_made(self):
        # b alone takes 1.4 GB in the first case and 8 TB in the second.
        for words in [["poisson2d 300", "--nrhs", "2000", "--max-gb", "0.1"], ["poisson2d 1000", "--nrhs", "1048576"]]:
            code, errors, peak = kauri_with_peak("solve", "--gen", *words)
            self.assertEqual(code, 3, words)
            self.assertGreater(self.bytes_in(errors)[0], 1e9, words)
            if not build_facts()["sanitizers"]:
                self.assertLess(peak, 500e6, words)

    def test_files_of_any_size(self):
        path = pathlib.Path("/dev/shm") / f"kauri_{os.getpid()}.mtx"
        try:
            path.write_text("%%MatrixMarket matrix array real general\n", encoding="ascii")  # otherwise the first bytes settle it
            self.addCleanup(path.unlink)
            os.truncate(path, 2**63 - 1)
        except OSError:
            self.skipTest("no file system that takes a file of 2^63 - 1 bytes")
        for words in [["info", path], ["solve", *SYSTEM, "--rhs", path]]:
            self.fails(3, *words, says=[path.name, "more memory than is available"])

    def test_right_hand_sides_without_end(self):
        if build_facts()["sanitizers"]:
            self.skipTest("a sanitizer's own data do not fit behind a limit")
        endless = subprocess.Popen(["sh", "-c", "echo '%%MatrixMarket matrix array real general'; exec yes %"], stdout=subprocess.PIPE)
        with endless.stdout:
            code, errors, peak = kauri_with_peak("solve", *SYSTEM, "--rhs", "-", "--max-gb", "0.1", stdin=endless.stdout)
        endless.wait(timeout=LIMIT_SECONDS)
        self.assertEqual(code, 3)
        self.assertIn("/dev/stdin", errors)
        self.assertEqual(self.bytes_in(errors), [100000000])
        self.assertLess(peak, 500e6)
        # The first bytes of a file show whether it has a known format.
        for words in [["info", "/dev/zero"], ["solve", *SYSTEM, "--rhs", "/dev/zero", "--backend", "cpu"]]:
            code, errors, peak = kauri_with_peak(*words)
            self.assertEqual(code, 1)
            self.assertIn("/dev/zero: is not in a known format", errors)
            self.assertLess(peak, 500e6)  # a device driver takes 150 MB

    def test_demand_counts_everything(self):
        for scalar, size in [("double", 8), ("float", 4)]:
            words = ["--gen", "rgg3d 4000 20 1", "--ordering", "amd", "--scalar", scalar, "--threads", "1"]
            plan = self.json_of("analyze", *words)
            n, nnz = plan["n"], plan["nnz_lower"]
            [needed] = self.bytes_in(self.fails(3, "solve", *words, "--max-flops", "1"))
            # The bytes are four vectors; both halves of A by rows with a column and a place each;
            # the values of A in float.
            least = plan["peak_bytes"] + plan["workspace_bytes"] + 4 * size * n + (2 * nnz - n) * 12 + 8 * n + (4 * nnz if size == 4 else 0)
            self.assertGreaterEqual(needed, least)
            self.assertLess(needed, 1.05 * least)

    def test_machine(self):
        # The limit of the process sets the available memory; neither the system nor its factor
        # fits.
        if build_facts()["sanitizers"]:
            self.skipTest("a sanitizer's own data do not fit behind a limit")
        limit = 300 << 20
        words = ["solve", "--gen", "poisson3d 40", "--ordering", "natural", "--threads", "1", "--backend", "cpu"]
        done = kauri_with_data_limit(limit, *words)
        self.assertEqual(done.returncode, 3, done.stderr)
        needed, available = self.bytes_in(done.stderr)
        self.assertLess(available, limit)
        self.assertGreater(needed, 64000 * 1600 * 8)
        done = kauri_with_data_limit(limit, "info", "--gen", "poisson3d 300")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("poisson3d 300", done.stderr)
        self.assertLess(self.bytes_in(done.stderr)[0], limit)

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
        least = min(row["peak_bytes"] for row in plain["orderings"] if row["peak_bytes"] is not None)  # null without METIS
        result = self.json_of("compare", "--gen", "poisson3d 10", "--factor", "--max-gb", 1.6 * least / 1e9)
        status = {row["ordering"]: row["status"] for row in result["orderings"]}
        self.assertIn("ok", status.values())
        self.assertIn("not_run", status.values())
        self.assertTrue(all("bytes" in row["note"] for row in result["orderings"] if row["status"] == "not_run" and row["peak_bytes"] is not None))

    def test_device_that_is_not_there(self):
        if has_cuda_device():
            self.skipTest("there is a CUDA device")
        self.fails(3, "solve", *SYSTEM, "--backend", "cuda")
        self.assertEqual(self.json_of("solve", *SYSTEM, "--backend", "auto")["backend"], "cpu")
