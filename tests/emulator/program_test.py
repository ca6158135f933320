#!/usr/bin/env python3
# program_test.py PROGRAM: what the program does on a CUDA device and the CPU alone would not show: the precision that a card with slow
# double gets, what `kauri info` says of devices that kauri cannot use, and warnings. PROGRAM has the emulated CUDA devices.
# SPDX-License-Identifier: BSD-3-Clause
import json
import os
import pathlib
import re
import sys
import unittest

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "cli"))

import program  # noqa: E402

# A job that is long enough for its factorisations to count. Few multiprocessors are emulated sooner.
SYSTEM = ["--gen", "poisson3d 6", "--backend", "cuda", "--set", "cuda.multiprocessors=33"]
JOB = ["--set", "analyze.factorizations=1000", "--precision", "auto"]


class PrecisionTest(program.ProgramTest):
    def slow_card(self):
        """A file of measured rates of the emulated device, as one has them on which double is slow."""
        card = program.strict_json((TESTS / "support" / "card.json").read_text(encoding="ascii"))
        card |= {"capability": "9.0", "multiprocessors": 132, "double_start_s": 1e-3, "double_level_s": 1e-4}
        card |= {"double_flops_per_s": 8e11, "double_read_bytes_per_s": 4e10, "double_sweep_start_s": 1e-3, "double_sweep_level_s": 1e-4}
        return self.write("slow.json", json.dumps(card))

    def test_auto_is_mixed_where_double_is_slow(self):
        words = [*SYSTEM, *JOB]
        slow, fast = self.json_of("solve", *words, "--card", self.slow_card()), self.json_of("solve", *words)
        self.assertEqual([r["precision"] for r in (slow, fast)], ["mixed", "full"])
        self.assertRegex(slow["precision_reason"], r"\Amixed: predicted ")
        self.assertRegex(fast["precision_reason"], r"\Afull: double is not slow on this device")
        self.assertEqual([r["status"] for r in (slow, fast)], ["ok", "ok"])
        self.assertLess(max(r["backward_error_componentwise"] for r in (slow, fast)), 2**-50)

    def test_what_needs_double_gets_it(self):
        factor = self.folder / "l.kauri"
        words = [*SYSTEM, *JOB, "--card", self.slow_card()]
        self.assertEqual(self.json_of("solve", *words)["precision"], "mixed")
        saved, condition = self.json_of("solve", *words, "--save-factor", factor), self.json_of("solve", *words, "--condition")
        loaded = self.json_of("solve", *words, "--load-factor", factor)
        for result in saved, loaded, condition:
            self.assertEqual((result["backend"], result["precision"], result["status"]), ("cuda", "full", "ok"))
        self.assertGreater(condition["condition"], 1)
        self.fails(1, "solve", *SYSTEM, "--precision", "mixed", "--condition", says=["omit --precision mixed"])


class InfoTest(program.ProgramTest):
    def cuda_of(self, *words):
        """Returns what `kauri info` says of a device: `cuda_device` and `cuda` of the JSON, and the text."""
        build = self.json_of("info", *words)["build"]
        return build["cuda_device"], build["cuda"], self.run_ok("info", *words)

    def test_a_device_that_runs(self):
        there, cuda, text = self.cuda_of()
        self.assertTrue(there)
        self.assertEqual((cuda["device"], cuda["target"], cuda["time_limit"], cuda["float_over_double"]), ("emulated", "sm_90", False, 2))
        self.assertEqual(cuda["kernels"], {"double": "hopper", "float": "tf32x3"})
        self.assertRegex(text, r"CUDA device +emulated +sm_90: kernels hopper in double, tf32x3 in float\n")

    def test_options_choose_the_kernels(self):
        _, cuda, text = self.cuda_of("--set", "cuda.portable=true", "--set", "cuda.compute=fma")
        self.assertEqual(cuda["kernels"], {"double": "fma", "float": "fma"})
        self.assertIn("kernels fma in double, fma in float", text)

    def test_why_a_device_cannot_be_used(self):
        old = "CUDA device 3 (emulated T4) has compute capability 7.5; kauri has code for 8.0 and later"
        none = "there is no CUDA device 4: 4 found"
        for number, why in (3, old), (4, none):
            there, cuda, text = self.cuda_of("--set", f"cuda.device={number}")
            self.assertEqual((there, cuda), (False, {"fail": why}))
            self.assertRegex(text, rf"CUDA device +no +{re.escape(why)}\n")

    def test_options_that_a_device_refuses(self):
        there, cuda, text = self.cuda_of("--set", "cuda.multiprocessors=1000")
        why = "cuda_backend: multiprocessors is 1000, expected 0 to 132, which is all that the device has"
        self.assertEqual((there, cuda), (True, {"fail": why}))
        self.assertIn("none that can be used", text)
        self.assertIn(why, text)


class FewMultiprocessorsTest(program.ProgramTest):
    """A percentage of the multi-process service may leave a process so few multiprocessors that other kernels run, with other bits."""

    def of(self, count, *words):
        """Runs the program on a device of which this process sees `count` multiprocessors. Returns the JSON, and the standard error."""
        environment = os.environ | {"KAURI_EMULATED_MULTIPROCESSORS": str(count)}
        done = program.kauri(*words, "--json", env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return program.strict_json(done.stdout), done.stderr

    def test_a_warning_says_so(self):
        by_level, alone = "large fronts go level by level", "several right-hand sides are solved one after another"
        for count, kernels, words in (1, "levels", [by_level, alone]), (2, "hopper", [alone]), (4, "hopper", []):
            info, _ = self.of(count, "info")
            text = info["build"]["cuda"]["slower_kernels"]
            self.assertEqual(info["build"]["cuda"]["kernels"]["double"], kernels)
            self.assertEqual([w for w in (by_level, alone) if w in text], words)
            self.assertEqual(text.startswith(f"the device has {count} multiprocessor"), words != [])
            for command in ["solve", "analyze", "bench"]:
                _, errors = self.of(count, command, "--gen", "poisson2d 6", "--backend", "cuda")
                self.assertEqual(errors, f"kauri: warning: poisson2d 6: {text}\n" if text else "", command)

    def test_an_option_that_leaves_too_few_is_refused(self):
        words = ["--gen", "poisson2d 6", "--backend", "cuda", "--set", "cuda.multiprocessors=1"]
        self.fails(1, "solve", *words, says=["multiprocessors is 1, expected 0 or at least "])


if __name__ == "__main__":
    program.set_binary(sys.argv[1])
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
