# A control group with little memory: the program ends by 0, or by 3 with the bytes, never by the kernel.
# SPDX-License-Identifier: BSD-3-Clause
import os
import pathlib
import re
import unittest

from program import ProgramTest, build_facts, kauri


def own_group():
    """The folder of this process's group of memory, and the name of its limit; None where there is none."""
    for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if "memory" in controllers.split(","):
            return pathlib.Path("/sys/fs/cgroup/memory" + path), "memory.limit_in_bytes"
    folder = pathlib.Path("/sys/fs/cgroup" + path)
    return folder, "memory.max"


class MemoryGroup:
    """A group inside this process's own, with a limit, as long as the context lasts. OSError where none can be made."""

    def __init__(self, limit):
        folder, name = own_group()
        self.folder = folder / f"kauri-test-{os.getpid()}"
        self.folder.mkdir()
        try:
            (self.folder / name).write_text(str(limit))
        except OSError:
            self.folder.rmdir()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.rmdir()

    def run(self, *words):
        """The finished program, in the group from its first instruction on."""
        return kauri(*words, preexec_fn=lambda: (self.folder / "cgroup.procs").write_text(str(os.getpid())))


class GroupTest(ProgramTest):
    def setUp(self):
        super().setUp()
        if build_facts()["sanitizers"]:
            self.skipTest("no fence where shadow memory of sanitizers counts as data")
        try:
            MemoryGroup(100 << 20).__exit__()
        except (OSError, UnboundLocalError) as error:
            self.skipTest(f"no control group with a limit can be made here: {error}")

    def check(self, sizes, *words):
        """Ends of the program for systems that need ever more: enough, then too much, and nothing but these."""
        codes = []
        with MemoryGroup(100 << 20) as group:
            for size in sizes:
                done = group.run(*[word.format(size) for word in words])
                self.assertIn(done.returncode, (0, 3), f"{words} {size}: {done.stderr}")
                if done.returncode == 3:
                    self.assertTrue(re.search(r"\(\d+ bytes\)", done.stderr), done.stderr)
                codes.append(done.returncode)
        self.assertEqual(codes, sorted(codes), words)
        self.assertEqual((codes[0], codes[-1]), (0, 3), words)

    def test_generate(self):
        self.check(range(40, 125, 12), "generate", "poisson3d {}", "-o", str(self.folder / "a.npz"))

    def test_info(self):
        self.check(range(40, 125, 12), "info", "--gen", "poisson3d {}")

    def test_analyze(self):
        self.check(range(24, 75, 10), "analyze", "--ordering", "amd", "--gen", "poisson3d {}")

    def test_solve(self):
        self.check(range(12, 43, 6), "solve", "--gen", "poisson3d {}")

    def test_compare(self):
        self.check(range(20, 61, 10), "compare", "--ordering", "rcm,nd", "--gen", "poisson3d {}")


if __name__ == "__main__":
    unittest.main()
