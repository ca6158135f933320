#!/usr/bin/env python3
# Tests sanitizer_findings.py on logs as compute-sanitizer 2025.3 writes them, with sources of this
# repository.
# SPDX-License-Identifier: BSD-3-Clause
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import sanitizer_findings as findings

LIMIT_SECONDS = 1200  # for each wait
HERE = pathlib.Path(__file__).resolve().parent
CUDA = HERE.parent.parent / "numeric" / "cuda"
SOURCES = findings.Sources(CUDA)
OLD, NEW = (2025, 3), (2025, 4)

PORTABLE = "kauri::numeric::cuda::kernels::portable::"
LOOP = f"void {PORTABLE}(anonymous namespace)::run_tasks<{PORTABLE}FmaLoop<{{}}>>(const {PORTABLE}FrontTask *, int)"
SMALL = "kauri::numeric::cuda::(anonymous namespace)::load_entries(double (&)[4], const Child &, int, int)"


def at(file, text):
    """Returns "in FILE:LINE" of the only line that contains the text."""
    lines = [k for k, line in enumerate(SOURCES.lines[file], 1) if text in line]
    assert len(lines) == 1, (file, text, lines)
    return f"in {pathlib.PurePath(file).name}:{lines[0]}"


WRITE, READ = at("factor/tiled/portable/alone.cuh", "shared.ticket = ticket"), at("factor/tiled/portable/alone.cuh", "shared.ticket >= task_count")


def race(function, write=WRITE, read=READ, more=()):
    lines = [
        f"========= Error: Race reported between Write access at {function}+0x170 {write}",
        f"=========     and Read access at {function}+0x370 {read} [12 hazards]",
        *(f"=========     and {line} [4 hazards]" for line in more),
    ]
    return "\n".join([*lines, "========= "]) + "\n"


def some(count, what):
    return f"{count} {what}{'' if count == 1 else 's'}"


def races(*reports):
    count = len(reports)
    summary = f"========= RACECHECK SUMMARY: {some(count, 'hazard')} displayed ({some(count, 'error')}, 0 warnings)\n"
    return "========= COMPUTE-SANITIZER\n[==========] Running 6 tests.\n" + "".join(reports) + "[  PASSED  ] 6 tests.\n" + summary


def uninitialised(*frames):
    lines = [
        "========= Uninitialized __global__ memory read of size 8 bytes",
        f"=========     at {frames[0]}",
        "=========     by thread (31,0,0) in block (1,0,0)",
        "=========     Address 0x7f3c7ec000fc",
        *(f"=========         Device Frame: {frame}" for frame in frames[1:]),
    ]
    return "\n".join([*lines, "========= "]) + "\n"


def errors(*reports, unread=0):
    summary = f"========= ERROR SUMMARY: {some(len(reports) + unread, 'error')}\n"
    if unread:
        summary += f"========= ERROR SUMMARY: {unread} errors were not printed. "
        summary += "Use --print-limit option to adjust the number of printed errors\n"
    return "========= COMPUTE-SANITIZER\n" + "".join(reports) + summary


BULK = uninitialised(
    "__ldcg(const double *)+0x1c0 in sm_32_intrinsics.hpp:112",
    f"{SMALL}+0x1c0 {at('factor/small/gather.cuh', '__ldcg(child.block + first')}",
    "void kernel<Gather>(T1)+0x90",
)
INVERSES = uninitialised(
    f"void kauri::numeric::cuda::<unnamed>::load_tile<double>(T1 *, Index)::[lambda(int) (instance 1)]+0x90 {at('factor/tile_inverses.cu', 'there ? diagonal[')}",
)
PADDING = uninitialised(
    "kauri::numeric::cuda::kernels::ptx::bulk_copy(void *, int)+0x1580 in ptx.cuh:72",
    f"kauri::numeric::cuda::sweep::Fronts<Shared>::prefetch(int)+0x13a0 {at('solve/single/fronts.cuh', 'Loads::copy(shared_.panel + place(k)')}",
)
VALUES = uninitialised(f"kauri::add_entries()+0x80 {at('factor/small/gather.cuh', 'source.memory.value[from[e]]')}")


class Findings(unittest.TestCase):
    def judged(self, text, tool, name="x.portable.log", version=OLD):
        unknown, known, faults = findings.judge(findings.read(text, SOURCES), name, tool, version)
        return sum(unknown.values()), sum(known.values()), len(faults)

    def test_clean_logs_pass(self):
        self.assertEqual(self.judged(races(), "racecheck"), (0, 0, 0))
        self.assertEqual(self.judged(errors(), "memcheck"), (0, 0, 0))

    def test_the_tickets_of_portable_loops_are_known(self):
        self.assertEqual(self.judged(races(race(LOOP.format("float")), race(LOOP.format("double"))), "racecheck"), (0, 2, 0))

    def test_the_tiles_of_portable_chains_are_known(self):
        def halves(reader):
            report = f"========= Error: Race reported between Write access at void {PORTABLE}store_unit<float>(T1 *)+0x10\n"
            return report + f"=========     and Read access at void {PORTABLE}{reader}<float>(T1 *)+0x20 [8 hazards]\n========= \n"

        self.assertEqual(self.judged(races(halves("load_unit"), halves("load_row")), "racecheck"), (0, 2, 0))
        self.assertEqual(self.judged(races(halves("load_tile")), "racecheck"), (1, 0, 0))

    def test_other_races_of_that_kernel_are_not(self):
        function = LOOP.format("float")
        chain = at("factor/tiled/portable/alone.cuh", "run_chain<Alone<Loop>>(shared.front, levels)")
        third = race(function, more=[f"Read access at {function}+0x400 {chain}"])
        for report in (race(function, read=chain), race(function, write=chain), race(function, write=READ, read=WRITE), third):
            self.assertEqual(self.judged(races(report), "racecheck"), (1, 0, 0))

    def test_nor_is_a_ticket_elsewhere_or_without_line_numbers(self):
        self.assertEqual(self.judged(races(race("front_kernel()")), "racecheck"), (1, 0, 0))
        self.assertEqual(self.judged(races(race(LOOP.format("float"))), "racecheck", "x.levels.log"), (1, 0, 0))
        self.assertEqual(self.judged(races(race(LOOP.format("float"), write="", read="")), "racecheck"), (1, 0, 0))

    def test_warnings_count(self):
        self.assertEqual(self.judged(races(race("sum()").replace("Error", "Warning")), "racecheck"), (1, 0, 0))

    def test_reads_of_bulk_copies_are_known_of_an_old_tool_in_one_log(self):
        self.assertEqual(self.judged(errors(BULK, BULK), "initcheck", "initcheck.levels.log"), (0, 2, 0))
        self.assertEqual(self.judged(errors(BULK), "initcheck", "initcheck.portable.5.log"), (1, 0, 0))
        self.assertEqual(self.judged(errors(BULK), "initcheck", "initcheck.portable.6.log"), (0, 1, 0))
        self.assertEqual(self.judged(errors(INVERSES), "initcheck", "initcheck.levels.log"), (0, 1, 0))
        self.assertEqual(self.judged(errors(INVERSES), "initcheck", "initcheck.plain.reads.log"), (1, 0, 0))

    def test_so_are_units_at_the_ends_of_panels(self):
        self.assertEqual(self.judged(errors(PADDING), "initcheck", "initcheck.plain.reads.log", NEW), (0, 1, 0))
        self.assertEqual(self.judged(errors(PADDING), "initcheck", "initcheck.levels.log"), (1, 0, 0))
        self.assertEqual(self.judged(errors(BULK), "initcheck", "initcheck.levels.log", NEW), (1, 0, 0))
        self.assertEqual(self.judged(errors(VALUES, BULK), "initcheck", "initcheck.levels.log"), (1, 1, 0))

    def test_unread_reports_are_a_fault_unless_the_tool_errs_without_end(self):
        self.assertEqual(self.judged(errors(BULK, unread=9), "initcheck", "initcheck.levels.log"), (0, 1, 0))
        self.assertEqual(self.judged(errors(VALUES, unread=9), "initcheck", "initcheck.levels.log"), (1, 0, 1))
        self.assertEqual(self.judged(errors(VALUES, unread=9), "memcheck"), (1, 0, 1))

    def test_a_tool_that_did_not_end_is_a_fault(self):
        self.assertEqual(self.judged("", "memcheck"), (0, 0, 1))
        self.assertEqual(self.judged("========= COMPUTE-SANITIZER\n", "racecheck"), (0, 0, 1))

    def test_whatever_the_tool_says_else_is_unknown(self):
        for line in (
            "Internal Sanitizer Error: The Sanitizer encountered an error while launching kernel_name and didn't track the launch.",
            "Warning: Detected overflow of tracked cuda::barrier structures. Results might be incorrect.",
            "Target application returned an error",
            "Invalid __global__ write of size 4 bytes",
        ):
            log = findings.read(f"========= COMPUTE-SANITIZER\n========= {line}\n========= ERROR SUMMARY: 1 error\n", SOURCES)
            unknown, known, _ = findings.judge(log, "x.log", "memcheck", OLD)
            self.assertEqual((sum(unknown.values()), len(known)), (1, 0), line)

    def test_each_known_place_is_in_the_sources(self):
        lines = [line for file in SOURCES.lines.values() for line in file]
        for entry in findings.KNOWN:
            for _, _, text in entry.accesses:
                self.assertTrue(any(re.search(text, line) for line in lines), text)

    def test_logs_without_tests_are_a_fault(self):
        self.assertEqual(findings.faults_of_tests(races()), [])
        for end in ("", "[==========] 0 tests from 0 test suites ran. (0 ms total)\n[  PASSED  ] 0 tests.\n"):
            self.assertEqual(findings.faults_of_tests(errors() + end), ["no test passed"])
        skipped = "tests/support/device/cuda_ways.hpp:47: Skipped\nno CUDA device\n"
        self.assertEqual(findings.faults_of_tests(skipped + races()), ["a test was skipped"])

    def test_versions(self):
        text = "Copyright (c) 2020-2025 NVIDIA Corporation\nVersion 2025.3.1.0 (build 36400806) (public-release)"
        self.assertEqual(findings.version_of(text), OLD)
        self.assertEqual(findings.version_of("Version ?"), ())

    def test_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder) / "racecheck.portable.log"
            for text, code in ((races(race(LOOP.format("float"))), 0), (races(race("front_kernel()")), 1)):
                log.write_text(text, encoding="utf-8")
                command = [sys.executable, HERE / "sanitizer_findings.py", "--tool", "racecheck", "--version", "Version 2025.3.1.0"]
                done = subprocess.run([*command, "--sources", CUDA, log], capture_output=True, text=True, check=False, timeout=LIMIT_SECONDS)
                self.assertEqual(done.returncode, code, done.stdout + done.stderr)
                self.assertIn("UNKNOWN, 1 times: Race reported" if code else "known, 1 times: Race reported", done.stdout)


if __name__ == "__main__":
    unittest.main()
