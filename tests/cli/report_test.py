# Tests kauri analyze, compare, bench, generate, info and the help: keys, figures, files.
# SPDX-License-Identifier: BSD-3-Clause
import gzip
import pathlib
import re

from picture_test import CONVERT_KEYS, SPY_KEYS, TREE_KEYS
from solve_test import SOLVE_KEYS
from program import HEADER_KEYS, ProgramTest, available, build_facts, compares_metis, has_metis, kauri, read_symmetric, strict_json

ANALYZE_KEYS = HEADER_KEYS + [
    "n", "nnz_lower", "reorder_s", "symbolic_s", "nnzL", "flops", "fill_ratio", "stored_entries", "executed_flops", "tree_height",
    "largest_front", "largest_supernode", "supernodes", "tasks", "fronts", "factor_bytes", "peak_bytes", "workspace_bytes", "plan_bytes",
    "available_bytes", "predicted_factor_s", "predicted_solve_s", "predicted_create_s", "refused", "too_large_block", "reason",
    "target_reason", "targets",
]  # fmt: skip
COMPARE_KEYS = HEADER_KEYS + ["n", "nnz_lower", "orderings", "reason"]
FAILED_COMPARE_KEYS = HEADER_KEYS + ["fail"]
ORDERING_KEYS = [
    "ordering", "effort", "order_s", "symbolic_s", "nnzL", "flops", "fill_ratio", "tree_height", "largest_front", "factor_bytes", "peak_bytes",
    "predicted_factor_s", "chosen", "note",
]  # fmt: skip
MEASURED_KEYS = ["status", "column", "factor_s", "solve1_s", "backward_error", "backward_error_componentwise"]
BENCH_KEYS = HEADER_KEYS + [
    "n", "nnz_lower", "read_s", "reorder_s", "predicted_reorder_s", "symbolic_s", "prepare_s", "create_s", "factor1_s", "factor_s",
    "predicted_factor_s",
    "predicted_create_s", "solve1_s", "predicted_solve_s", "solve32_s", "nnzL", "flops", "stored_entries", "executed_flops", "supernodes",
    "front_rows", "contribution_entries", "device_work", "too_large_block", "target_reason", "targets",
    "precision", "precision_reason", "precisions", "path", "float_shift", "contraction", "cg_steps", "cg_contraction", "unconverged",
    "smallest_pivot", "residual",
    "backward_error_componentwise", "peak_flops_s", "peak_bytes_s", "factor_share", "solve1_share", "solve32_share", "prepared_bytes", "planned_bytes", "factor_file_bytes", "mem_gb", "peak_bytes", "device_bytes", "peak_rss_bytes", "reps", "status",
    "column", "fail",
]  # fmt: skip
INFO_KEYS = HEADER_KEYS + ["build"]
FACT_KEYS = [
    "n", "nnz_lower", "nnz_full", "read_s", "entries_per_row_min", "entries_per_row_mean", "entries_per_row_max", "diagonal_positive",
    "diagonal_zero", "diagonal_negative", "components", "bandwidth", "gershgorin_least", "gershgorin_greatest", "positive_definite",
]  # fmt: skip
OPTIONS_KEYS = ["schema", "solver", "commit", "options", "name", "kind", "accepts", "default", "value", "flag", "help"]
BUILD_KEYS = ["version", "compiler", "build_type", "target", "metis", "metis_inside", "cuda_device", "cuda", "sanitizers", "available_bytes"]
TARGET_KEYS = [
    "target", "predicted_start_s", "predicted_create_s", "predicted_values_s", "predicted_factor_s", "predicted_solve_s",
    "predicted_job_s", "bytes", "scaled",
]  # fmt: skip
GENERATE_KEYS = HEADER_KEYS + ["n", "nnz_lower", "file", "generate_s", "write_s"]
METHODS = {"natural", "rcm", "md", "amd", "pamd", "nd", "metis"}


class AnalyzeTest(ProgramTest):
    def test_keys_and_figures(self):
        result = self.json_of("analyze", "--gen", "blockdiag 12 4", "--ordering", "natural")
        self.assertEqual(list(result), ANALYZE_KEYS)
        # The matrix has three dense blocks of order 4, with columns of 4, 3, 2, 1 entries each.
        self.assertEqual((result["nnzL"], result["flops"], result["nnz_lower"]), (30, 90, 30))
        self.assertEqual((result["fill_ratio"], result["tree_height"], result["largest_front"]), (1.0, 4, 4))
        self.assertEqual(sum(entry["count"] for entry in result["fronts"]), result["supernodes"])
        self.assertGreaterEqual(result["peak_bytes"], result["factor_bytes"])
        self.assertEqual(result["factor_bytes"], 8 * result["stored_entries"])
        self.assertIsNone(result["refused"])
        half = self.json_of("analyze", "--gen", "blockdiag 12 4", "--ordering", "natural", "--scalar", "float")
        self.assertEqual(2 * half["factor_bytes"], result["factor_bytes"])

    def test_backend_is_told_with_its_reason(self):
        asked = self.json_of("analyze", "--gen", "poisson3d 12", "--backend", "cpu")
        self.assertEqual((asked["backend"], asked["targets"]), ("cpu", []))
        self.assertRegex(asked["target_reason"], "^cpu-.*as asked for$")
        for command in ["analyze", "solve"]:
            # The test takes one thread: if several share a memory, forecasts exceed the plan's
            # seconds.
            result = self.json_of(command, "--gen", "poisson3d 12", "--backend", "auto", "--threads", "1")
            if not build_facts()["cuda_device"]:
                self.assertEqual((result["backend"], result["targets"]), ("cpu", []))
                self.assertRegex(result["target_reason"], "^cpu-.*there is no CUDA device")
                continue
            self.assertEqual([list(target) for target in result["targets"]], [TARGET_KEYS] * 2)
            chosen = result["targets"][1 if result["backend"] == "cuda" else 0]
            self.assertEqual(chosen["target"], result["target_reason"].split(":")[0])
            self.assertEqual(chosen["predicted_factor_s"], result["predicted_factor_s"])
            text = self.run_ok(command, "--gen", "poisson3d 12", "--backend", "auto", "--threads", "1")
            self.assertIn(chosen["target"] + ": ", text)
            self.assertIn("for the whole job", text)

    def test_permutation_that_is_written_gives_the_same_plan(self):
        for ordering in available(["amd", "nd", "metis", "rcm"]):
            path = self.folder / "p.txt"
            first = self.json_of("analyze", "--gen", "elast3d 4", "--ordering", ordering, "-o", path)
            again = self.json_of("analyze", "--gen", "elast3d 4", "--ordering", path)
            self.assertEqual((first["ordering"], again["ordering"]), (ordering, "given"))
            for key in ["nnzL", "flops", "tree_height"]:
                self.assertEqual(first[key], again[key], (ordering, key))

    def test_auto_is_what_compare_marks_whatever_the_threads(self):
        for system in ["elast3d 6", "shell2d 30", "tree 5000 1", "poisson3d 16"]:
            reasons = set()
            for threads in [1, 2]:
                words = ["--gen", system, "--threads", threads]
                auto, compared = self.json_of("analyze", *words), self.json_of("compare", *words)
                chosen = [row["ordering"] for row in compared["orderings"] if row["chosen"]]
                self.assertEqual((chosen, compared["reason"]), ([auto["ordering"]], auto["reason"]), system)
                reasons.add(auto["reason"])
            self.assertEqual(len(reasons), 1, system)

    def test_effort_is_told_where_it_counts(self):
        for effort in ["fast", "standard", "best"]:
            words = ["--gen", "poisson3d 10", "--effort", effort]
            for command in ["analyze", "solve"]:
                self.assertEqual(self.json_of(command, *words, "--ordering", "nd")["effort"], effort)
                self.assertIn(f"nd ({effort})", self.run_ok(command, *words, "--ordering", "nd"))
                self.assertIsNone(self.json_of(command, *words, "--ordering", "amd")["effort"])
            compared = self.json_of("compare", *words)
            self.assertEqual({row["effort"] for row in compared["orderings"] if row["ordering"] != "nd"}, {None})
            self.assertEqual([row["effort"] for row in compared["orderings"] if row["ordering"] == "nd"], [effort])
            self.assertEqual(compared["effort"], effort if compared["ordering"] == "nd" else None)
            self.assertIn(f"nd ({effort})", self.run_ok("compare", *words))
            line = strict_json(kauri("bench", *words, "--ordering", "nd").stdout)
            self.assertEqual((line["ordering"], line["effort"]), ("nd", effort))
        default = self.json_of("analyze", "--gen", "poisson3d 10", "--ordering", "nd")
        self.assertEqual(default["effort"], "standard")

    def test_warns_of_a_block_that_a_device_has_no_places_for(self):
        # The contribution block has the rows of the second hub and of the leaves below the first
        # one: 92,697 rows.
        rows = 92700
        entries = [(i, i) for i in range(1, rows + 1)] + [(i, 1) for i in range(3, rows)] + [(i, 2) for i in range(3, rows + 1)]
        lines = ["%%MatrixMarket matrix coordinate pattern symmetric", f"{rows} {rows} {len(entries)}"]
        matrix = self.write("hubs.mtx", "\n".join(lines + [f"{i} {j}" for i, j in entries]) + "\n")
        words = ["analyze", matrix, "--ordering", "natural", "--fundamental", "--json"]
        for target in ["cpu-generic", "sm_90"]:
            done = kauri(*words, "--target", target)
            block = strict_json(done.stdout)["too_large_block"]
            self.assertEqual(done.stderr, f"kauri: warning: hubs: {block}\n" if target == "sm_90" else "")
            self.assertRegex(block, "^the contribution block of front 0 has 92697 rows" if target == "sm_90" else "^$")

    def test_says_what_solve_would_refuse(self):
        text = self.run_ok("analyze", "--gen", "poisson3d 12", "--max-gb", "0.001")
        self.assertRegex(text, r"would refuse: .*\(\d+ bytes\)")


class CompareTest(ProgramTest):
    def test_keys_and_figures(self):
        result = self.json_of("compare", "--gen", "poisson3d 10")
        self.assertEqual(list(result), COMPARE_KEYS)
        rows = {row["ordering"]: row for row in result["orderings"]}
        self.assertEqual(set(rows), METHODS)
        for row in result["orderings"]:
            self.assertEqual(list(row), ORDERING_KEYS)
            if row["ordering"] == "metis" and not compares_metis():
                self.assertIsNone(row["nnzL"])
                continue
            self.assertEqual(row["fill_ratio"], row["nnzL"] / result["nnz_lower"])
            alone = self.json_of("analyze", "--gen", "poisson3d 10", "--ordering", row["ordering"])
            for key in ["nnzL", "flops", "tree_height", "largest_front"]:
                self.assertEqual(row[key], alone[key], (row["ordering"], key))
        [chosen] = [row for row in result["orderings"] if row["chosen"]]
        self.assertEqual(chosen["ordering"], result["ordering"])
        self.assertLess(rows["amd"]["nnzL"], rows["natural"]["nnzL"])
        self.assertNotEqual(result["reason"], "")

    def test_one_of_several_that_fails(self):
        absent = self.folder / "absent.mtx"
        done = kauri("compare", absent, "--gen", "poisson2d 9", "--json")
        self.assertEqual(done.returncode, 1)
        failed, compared = map(strict_json, done.stdout.splitlines())
        self.assertEqual(list(failed), FAILED_COMPARE_KEYS)
        self.assertEqual((failed["system"], failed["ordering"], failed["fail"]), ("absent", None, f"{absent}: no such file"))
        self.assertEqual(list(compared), COMPARE_KEYS)
        indefinite = self.write_symmetric("a.mtx", 1, {(0, 0): -1.0})
        for words, code in [([absent, indefinite], 2), ([absent, indefinite, "--gen", "poisson3d 300", "--max-gb", "0.001"], 3)]:
            self.assertEqual(kauri("compare", "--factor", *words).returncode, code, words)

    def test_measured(self):
        result = self.json_of("compare", "--gen", "poisson2d 20", "--factor", "--reps", "2")
        for row in result["orderings"]:
            self.assertEqual(list(row), ORDERING_KEYS + MEASURED_KEYS)
            if row["nnzL"] is not None:
                self.assertEqual(row["status"], "ok", row["ordering"])
                self.assertGreater(row["factor_s"], 0)
                self.assertLessEqual(row["backward_error_componentwise"], 1e-14)

    def test_callers_permutation_takes_part(self):
        path = self.write("p.txt", "".join(f"{r}\n" for r in reversed(range(100))))
        names = [row["ordering"] for row in self.json_of("compare", "--gen", "poisson2d 10", "--ordering", path)["orderings"]]
        self.assertEqual(set(names), METHODS | {"given"})

    def test_text(self):
        text = self.run_ok("compare", "--gen", "poisson3d 10")
        lines = text.splitlines()
        self.assertIn("poisson3d 10: 1,000 rows", lines[0])
        head = next(k for k, line in enumerate(lines) if "entries of L" in line)
        table = [line for line in lines[head:] if line.split() and line.split()[0] in METHODS | {"ordering"}]
        self.assertEqual(len({len(line) for line in table}), 1, "columns are aligned")
        self.assertEqual(sum(" * " in line for line in table), 1)
        self.assertRegex(lines[-1], r"^\* \S")


class BenchTest(ProgramTest):
    def test_lines(self):
        matrix = self.folder / "a.mtx"
        self.run_ok("generate", "poisson2d", "11", "-o", matrix)
        packed = self.folder / "packed.mtx.gz"
        packed.write_bytes(gzip.compress(matrix.read_bytes()))
        done = kauri("bench", matrix, packed, "--gen", "tree 500 1", "--gen", "poisson2d 11", "--reps", "2", "--ordering", "amd")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = [strict_json(line) for line in done.stdout.splitlines()]
        self.assertEqual([line["system"] for line in lines], ["a", "packed", "tree 500 1", "poisson2d 11"])
        for line in lines:
            self.assertEqual(list(line), BENCH_KEYS)
            self.assertEqual((line["status"], line["fail"], line["ordering"], line["reps"]), ("ok", "", "amd", 2))
            self.assertLessEqual(line["create_s"], line["factor1_s"])
            self.assertGreaterEqual(line["prepare_s"], 0)
            for key in ["create_s", "factor1_s", "factor_s", "solve1_s", "solve32_s", "mem_gb", "predicted_factor_s"]:
                self.assertGreater(line[key], 0, key)
            self.assertGreater(line["predicted_solve_s"], 0)
            self.assertEqual(line["device_work"] is None, line["backend"] == "cpu")
            self.assertLessEqual(line["backward_error_componentwise"], 1e-14)
            self.assertEqual(line["mem_gb"], line["peak_bytes"] / 1e9)
            self.assertGreaterEqual(line["executed_flops"], line["flops"])
            self.assertLessEqual(line["supernodes"], line["n"])
            self.assertGreaterEqual(line["front_rows"], line["n"])
            self.assertGreaterEqual(line["stored_entries"] + line["contribution_entries"], line["nnzL"])
        for key in ["n", "nnz_lower", "nnzL", "flops", "residual"]:
            self.assertEqual(lines[0][key], lines[3][key], key)

    def test_json_may_be_asked_for(self):
        done = kauri("bench", "--gen", "poisson2d 5", "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(list(strict_json(done.stdout)), BENCH_KEYS)

    def test_memory_of_the_process(self):
        # 32 right-hand sides dominate the memory: x with 32 columns and the workspace, but no
        # second copy of b.
        if build_facts()["sanitizers"]:
            self.skipTest("a sanitizer holds memory of its own")
        line = strict_json(kauri("bench", "--gen", "poisson2d 400", "--reps", "1", "--threads", "1", "--ordering", "amd").stdout)
        many, small = 32 * 8 * line["n"], strict_json(kauri("bench", "--gen", "poisson2d 5", "--threads", "1").stdout)["peak_rss_bytes"]
        plan = self.json_of("analyze", "--gen", "poisson2d 400", "--ordering", "amd", "--threads", "1")["plan_bytes"]
        matrix = 12 * line["nnz_lower"] + 8 * line["n"]
        self.assertLess(line["peak_rss_bytes"] - small, line["peak_bytes"] + plan + matrix + 1.3 * many)

    def test_mixed_precision(self):
        words = ["bench", "--gen", "poisson2d 31", "--threads", "1", "--ordering", "amd", "--backend", "cpu"]
        full, line = (strict_json(kauri(*words, "--precision", p).stdout) for p in ["full", "mixed"])
        self.assertEqual(list(line), BENCH_KEYS)
        self.assertEqual((full["precision"], full["path"], full["cg_steps"], full["contraction"]), ("full", None, None, None))
        self.assertEqual((line["precision"], line["path"], line["cg_steps"], line["unconverged"]), ("mixed", "refinement", 0, 0))
        self.assertEqual((line["scalar"], line["float_shift"], line["status"]), ("double", 0, "ok"))
        self.assertLess(line["contraction"], 0.5)
        self.assertLessEqual(line["backward_error_componentwise"], 1e-15)
        self.assertLess(line["planned_bytes"], 0.6 * full["planned_bytes"])
        for key in ["create_s", "factor1_s", "factor_s", "solve1_s", "solve32_s"]:
            self.assertGreater(line[key], 0, key)

    def test_float(self):
        line = strict_json(kauri("bench", "--gen", "poisson2d 11", "--scalar", "float").stdout)
        self.assertEqual(line["scalar"], "float")
        self.assertGreater(line["residual"], 1e-10)


class GenerateTest(ProgramTest):
    def test_round_trip(self):
        path = self.folder / "a.mtx"
        result = self.json_of("generate", "poisson2d 3", "-o", path)
        self.assertEqual(list(result), GENERATE_KEYS)
        n, entries = read_symmetric(path)
        self.assertEqual((n, len(entries)), (9, 21))
        self.assertEqual((entries[0, 0], entries[1, 0], entries[3, 0]), (4.0, -1.0, -1.0))
        for spec in ["rgg3d 300 6 5 --shuffle 2", "aniso3d 5 0.01"]:
            self.run_ok("generate", "--gen", spec, "-o", path)
            with_gen, with_file = (self.json_of("solve", *words, "--ordering", "amd") for words in (["--gen", spec], [path]))
            for key in ["n", "nnz_lower", "nnzL", "flops", "backward_error", "backward_error_componentwise_unrefined"]:
                self.assertEqual(with_gen[key], with_file[key], (spec, key))

    def test_words_of_a_specification_may_stand_alone(self):
        one, several = self.folder / "one.mtx", self.folder / "several.mtx"
        self.run_ok("generate", "tree 50 3", "-o", one)
        self.run_ok("generate", "tree", "50", "3", "-o", several)
        self.assertEqual(one.read_bytes(), several.read_bytes())


    def test_options_of_a_formula_need_no_quotes(self):
        one, several = self.folder / "one.mtx", self.folder / "several.mtx"
        for spec in ["poisson2d 4 --shuffle 3", "tree 50 3 --far 0.5 --dof 2", "elast3d 3 --holes 7 0.2 --shuffle 1"]:
            self.run_ok("generate", spec, "-o", one)
            self.run_ok("generate", *spec.split(), "-o", several)
            self.assertEqual(one.read_bytes(), several.read_bytes(), spec)
            self.run_ok("generate", "-o", several, *spec.split())
            self.assertEqual(one.read_bytes(), several.read_bytes(), spec)
        self.fails(1, "generate", "poisson2d", "4", "--far", "0.5", "-o", one, says=["--far", "poisson2d"])


class InfoTest(ProgramTest):
    def test_build(self):
        result = self.json_of("info")
        self.assertEqual(list(result), INFO_KEYS)
        self.assertEqual(list(result["build"]), BUILD_KEYS)
        self.assertIsNone(result["system"])
        self.assertGreater(result["build"]["available_bytes"], 0)
        self.assertEqual(result["kernels"], result["build"]["target"])  # the CPU's

    def test_kernels_that_a_device_would_run(self):
        build = self.json_of("info")["build"]
        text = self.run_ok("info")
        if not build["cuda_device"]:
            self.assertEqual(list(build["cuda"]), ["fail"])
            self.assertRegex(build["cuda"]["fail"], r"there is no CUDA device|CUDA device 0 \(.+\) ")
            self.assertRegex(text, rf"CUDA device +no +{re.escape(build['cuda']['fail'])}\n")
            return
        kernels = build["cuda"]["kernels"]
        self.assertIn(kernels["double"], ["hopper", "tensor", "fma", "levels"])
        self.assertIn(kernels["float"], ["fma", "tf32x3", "levels"])
        self.assertEqual(kernels["double"] == "hopper", build["cuda"]["target"] == "sm_90")
        self.assertRegex(build["cuda"]["code"], r"^(machine code for|PTX of) \d+\.\d")
        self.assertIn(build["cuda"]["code"], text)
        self.assertEqual(build["cuda"]["time_limit"], "it ends long kernels" in text)
        self.assertIn(f"{build['cuda']['target']}: kernels {kernels['double']} in double, {kernels['float']} in float", text)
        for scalar in ["double", "float"]:
            words = ["--gen", "poisson2d 20", "--backend", "cuda", "--scalar", scalar]
            self.assertEqual(self.json_of("solve", *words)["kernels"], kernels[scalar])
            self.assertIn(f"on {build['cuda']['target']} ({kernels[scalar]}), 1 thread, {scalar}", self.run_ok("solve", *words))

    def test_facts(self):
        # The matrix has two components: {0, 2, 3} with a zero on the diagonal, and {1} alone.
        entries = {(0, 0): 3.0, (2, 0): -1.0, (3, 0): 0.5, (1, 1): -2.0, (2, 2): 0.0, (3, 3): 9.0}
        result = self.json_of("info", self.write_symmetric("a.mtx", 4, entries))
        self.assertEqual(list(result), INFO_KEYS + FACT_KEYS)
        expected = {
            "n": 4, "nnz_lower": 6, "nnz_full": 8, "entries_per_row_min": 1, "entries_per_row_mean": 2.0, "entries_per_row_max": 3,
            "diagonal_positive": 2, "diagonal_zero": 1, "diagonal_negative": 1, "components": 2, "bandwidth": 3,
            "gershgorin_least": -2.0, "gershgorin_greatest": 9.5, "positive_definite": "no",
        }  # fmt: skip
        self.assertEqual({key: result[key] for key in expected}, expected)

    def test_definite_by_gershgorin(self):
        verdict = lambda *words: self.json_of("info", *words)["positive_definite"]  # noqa: E731
        self.assertEqual(verdict("--gen", "poisson2d 5"), "undecided")
        self.assertEqual(verdict("--gen", "poisson2d 5", "--shift", "0.5"), "yes")
        self.assertEqual(verdict("--gen", "poisson2d 5", "--shift", "-5"), "no")

    def test_text(self):
        text = self.run_ok("info", "--gen", "poisson2d 30")
        for word in ["900 rows", "components", "bandwidth", "30", "positive definite", "undecided", "compiler", "METIS"]:
            self.assertIn(word, text)


class DocumentTest(ProgramTest):
    def test_every_key_is_told(self):
        text = (pathlib.Path(__file__).resolve().parents[2] / "docs" / "json.md").read_text(encoding="utf-8")
        part, told = "", {}
        for line in text.splitlines():
            if line.startswith("## "):
                part = line[3:]
            told.setdefault(part, set()).update(re.findall(r"`(\w+)`", line))
        common = told["In every object"] | told[""]
        keys = {"solve": SOLVE_KEYS, "analyze": ANALYZE_KEYS, "compare": COMPARE_KEYS + FAILED_COMPARE_KEYS + ORDERING_KEYS + MEASURED_KEYS, "bench": BENCH_KEYS,
                "info": INFO_KEYS + FACT_KEYS + BUILD_KEYS, "generate": GENERATE_KEYS,
                "spy": SPY_KEYS, "tree": TREE_KEYS, "convert": CONVERT_KEYS, "options": OPTIONS_KEYS}  # fmt: skip
        for command, names in keys.items():
            self.assertEqual([name for name in names if name not in told[command] | common], [], command)


class HelpTest(ProgramTest):
    COMMANDS = ["solve", "analyze", "compare", "bench", "generate", "info", "spy", "tree", "convert", "tune", "options"]

    def test_program(self):
        text = self.run_ok("--help")
        for word in self.COMMANDS + ["Exit codes", "Examples", "P A P^T = L L^T"]:
            self.assertIn(word, text)
        self.assertRegex(self.run_ok("--version"), r"^kauri \d+\.\d+\.\d+(\.dev\d+\+g[0-9a-f]+)? \(\S+\)\n$")

    def test_commands(self):
        options = {
            "solve": "--ordering --backend --threads --nrhs --scalar --precision --rhs --refine --shift --seed --json -o --max-gb --max-flops --factor-file --gen",
            "analyze": "--ordering --threads --scalar --json --gen -o",
            "compare": "--factor --reps --json --gen --solves --factorizations --html --ordering",
            "bench": "--factor-file --reps --gen --ordering --precision residual factor_s",
            "generate": "-o poisson3d elast3d --shuffle",
            "info": "--json --gen",
            "spy": "-o --factor --ordering --size .svg .png",
            "tree": "-o --ordering --size .svg .png",
            "convert": "--gen --shift .mtx.gz .npz",
            "tune": "--output --card --set JSON",
            "options": "--set NAME=VALUE --json --effort",
        }
        self.assertEqual(list(options), self.COMMANDS)
        for command, words in options.items():
            text = self.run_ok(command, "--help")
            for word in words.split():
                self.assertIn(word, text, command)
