# Tests progress messages at a terminal: long phases, slow files, fractions of a factorisation;
# without a terminal there are none.
# SPDX-License-Identifier: BSD-3-Clause
import concurrent.futures
import json
import os
import pathlib
import pty
import re
import select
import subprocess
import tempfile
import time

import program
from program import LIMIT_SECONDS, ProgramTest, at_pipe, killed_at_limit, strict_json


def all_of_terminal(main, child):
    """Returns what the terminal receives until the other end is closed."""
    seen, end = b"", time.monotonic() + LIMIT_SECONDS
    while select.select([main], [], [], max(0.0, end - time.monotonic()))[0]:
        try:
            piece = os.read(main, 4096)
        except OSError:  # Linux reports a closed end so
            return seen
        if not piece:
            return seen
        seen += piece
    child.kill()
    raise AssertionError(f"{child.args} is at work after {LIMIT_SECONDS} s; the terminal got {seen!r}")


class ProgressTest(ProgramTest):
    def setUp(self):
        super().setUp()
        try:
            for end in pty.openpty():
                os.close(end)
        except OSError as error:  # a container or chroot without devpts
            self.skipTest(f"no pseudo-terminal can be opened here: {error}")

    def run_at_terminal(self, *words):
        """Returns standard output (a file) and what a terminal on standard error received."""
        main, side = pty.openpty()
        with tempfile.TemporaryFile() as out:
            try:
                try:
                    child = subprocess.Popen([program.BINARY, *words], stdout=out, stderr=side)
                finally:
                    os.close(side)
                with killed_at_limit(child):
                    seen = all_of_terminal(main, child)
                    self.assertEqual(child.wait(LIMIT_SECONDS), 0)
            finally:
                os.close(main)
            out.seek(0)
            return out.read().decode(), seen.decode()

    def until_told(self, what, *words):
        """Returns the words and the terminal's output for the first system that takes this machine
        long enough for a message."""
        for side in [52, 66, 80, 100]:
            told = [words[0], "--gen", f"poisson3d {side}", *words[1:]]
            _, seen = self.run_at_terminal(*told)
            if re.search(what, seen):
                return told, seen
        self.fail(f"not even {told} was told of: {seen!r}")

    def test_long_phases_are_told_and_wiped_out_again(self):
        words = ["bench", "--gen", "poisson2d 3"]
        self.assertEqual(self.run_at_terminal(*words)[1], "")
        words, seen = self.until_told(r"comparing orderings of poisson3d \d+ \.\.\. \d+ s\r", "compare", "--ordering", "md,rcm", "--threads", "1")
        self.assertTrue(seen.endswith("\r\x1b[K"), repr(seen))
        self.assertNotIn("%", seen)
        out, seen = self.run_at_terminal(*words, "--json")
        self.assertEqual(seen, "")
        json.loads(out)

    def at_slow_pipe(self, pipe, late, *words):
        """Runs a command at a terminal that reads from a pipe; late() writes the pipe more than a
        second after the program has begun."""
        with at_pipe(pipe, late, after=4):
            return self.run_at_terminal(*map(str, words))

    def test_slow_files_are_told(self):
        matrix = self.write_symmetric("a.mtx", 1, {(0, 0): 4.0}).read_bytes()
        pipes = [self.folder / f"{k}.mtx" for k in range(4)]
        write, read = (lambda pipe: pipe.write_bytes(matrix)), pathlib.Path.read_bytes
        cases = [(write, "info", pipes[0]), (write, "bench", pipes[1], "--backend", "cpu"), (read, "generate", "poisson2d 3", "-o", pipes[2]),
                 (write, "bench", pipes[3], "--backend", "cpu", "--json")]  # fmt: skip
        with concurrent.futures.ThreadPoolExecutor(len(cases)) as pool:
            done = list(pool.map(lambda pipe, case: self.at_slow_pipe(pipe, *case), pipes, cases))
        for (_, seen), told in zip(done, ["reading", f"reading {pipes[1]}", f"writing {pipes[2]}"]):
            self.assertTrue(seen.startswith(f"\r\x1b[K{told} ... 1 s"), repr(seen))
            self.assertTrue(seen.endswith("\r\x1b[K"), repr(seen))
        self.assertEqual(done[3][1], "")
        for out, _ in [done[1], done[3]]:
            self.assertEqual(strict_json(out)["status"], "ok")

    def test_bench_tells_what_it_times(self):
        for side in [80, 160, 320]:  # until it takes this machine long enough for a message
            words = ["bench", "--gen", f"poisson2d {side}", "--ordering", "amd", "--threads", "1", "--one-solve", "--reps", "1000"]
            out, seen = self.run_at_terminal(*words)
            self.assertEqual(strict_json(out)["status"], "ok")
            if re.search(rf"timing poisson2d {side} \.\.\. \d+ s", seen):
                return
        self.fail(f"not even {words} was told of: {seen!r}")

    def test_factorisations_tell_their_share(self):
        words, seen = self.until_told(r"factorising poisson3d \d+ \.\.\. \d+ s, \d+ %", "solve", "--ordering", "nd", "--threads", "1", "--backend", "cpu")
        shares = [int(share) for share in re.findall(r" s, (\d+) %", seen)]
        self.assertEqual(shares, sorted(shares))
        self.assertGreater(shares[0], 0)
        self.assertLess(shares[-1], 100)
        self.assertTrue(seen.endswith("\r\x1b[K"), repr(seen))
        self.run_ok(*words)  # with a pipe there are no messages
