# Tests the program in a control group with little memory: it exits with 0, or with 3 and a message
# with the bytes; the kernel does not kill it.
# SPDX-License-Identifier: BSD-3-Clause
import os
import pathlib
import re
import shutil
import struct
import subprocess
import unittest

import program
from program import ProgramTest, build_facts, kauri

LIMIT = 100 << 20


def lines_of_groups():
    return [line.split(":", 2)[1:] for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines()]


def places(controller):
    """Returns folders in which a group with a limit can be made. v1: this process's group. v2: the
    nearest group above it that delegates the controller to its children; its own group holds
    processes, so its children have no controllers."""
    for controllers, path in lines_of_groups():
        if controller in controllers.split(","):
            return [pathlib.Path(f"/sys/fs/cgroup/{controller}{path}")]
    for controllers, path in lines_of_groups():
        if not controllers:
            own = pathlib.Path("/sys/fs/cgroup" + path)
            above = [folder for folder in [own, *own.parents] if (folder / "cgroup.subtree_control").exists()]
            return [folder for folder in above if controller in (folder / "cgroup.subtree_control").read_text().split()]
    return []


class Group:
    """Makes a group with these limits, {file: text}, for the lifetime of the context. Raises
    OSError if none can be made."""

    def __init__(self, controller, limits):
        refused = OSError(f"no group hands {controller} on")
        for folder in places(controller):
            self.folder = folder / f"kauri-test-{os.getpid()}"
            try:
                self.folder.mkdir()
            except OSError as error:
                refused = error
                continue
            try:
                for file, text in limits.items():
                    (self.folder / file).write_text(text)
                subprocess.run(["true"], check=True, timeout=program.LIMIT_SECONDS, preexec_fn=self.enter)
                return
            except (OSError, subprocess.SubprocessError) as error:
                self.folder.rmdir()
                refused = OSError(str(error))
        raise refused

    def enter(self):
        (self.folder / "cgroup.procs").write_text(str(os.getpid()))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.rmdir()

    def run(self, *words):
        """Runs the program in the group from its first instruction on; returns the finished
        process."""
        return kauri(*words, preexec_fn=self.enter)


class Scope:
    """As Group, but made by systemd, for memory. Raises OSError if that does not work."""

    def __init__(self, limit):
        user = [] if os.getuid() == 0 else ["--user"]
        self.prefix = ["systemd-run", *user, "--scope", "--quiet", "-p", f"MemoryMax={limit}", "-p", "MemorySwapMax=0"]
        if shutil.which("systemd-run") is None:
            raise OSError("there is no systemd-run")
        done = subprocess.run([*self.prefix, "true"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=program.LIMIT_SECONDS, check=False)
        if done.returncode != 0:
            raise OSError(done.stderr.strip())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def run(self, *words):
        return subprocess.run([*self.prefix, program.BINARY, *map(str, words)], capture_output=True, text=True,
                              timeout=program.LIMIT_SECONDS, check=False)


def memory_group(limit):
    v1 = any("memory" in controllers.split(",") for controllers, _ in lines_of_groups())
    try:
        return Group("memory", {"memory.limit_in_bytes" if v1 else "memory.max": str(limit)})
    except OSError as first:
        try:
            return Scope(limit)
        except OSError as second:
            raise OSError(f"{first}; {second}") from second


def write_npy(path, rows, cols):
    """Writes a .npy file of ones, column by column, without holding them in memory."""
    head = f"{{'descr': '<f8', 'fortran_order': True, 'shape': ({rows}, {cols}), }}"
    head = head.ljust((len(head) + 11 + 63) // 64 * 64 - 11) + "\n"
    with path.open("wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        for _ in range(cols):
            file.write(struct.pack("<d", 1.0) * rows)


class GroupTest(ProgramTest):
    def setUp(self):
        super().setUp()
        if build_facts()["sanitizers"]:
            self.skipTest("no fence where shadow memory of sanitizers counts as data")
        try:
            memory_group(LIMIT).__exit__()
        except OSError as error:
            self.skipTest(f"no control group with a limit can be made here: {error}")

    def check(self, sizes, *words):
        """Runs the program for ever larger systems; expects it to succeed first, then to report too
        little memory, and no other end."""
        codes = []
        with memory_group(LIMIT) as group:
            for size in sizes:
                done = group.run(*[str(word).format(size) for word in words])
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
        self.check(range(20, 81, 10), "compare", "--ordering", "rcm,nd", "--gen", "poisson3d {}")

    def test_compare_with_factors(self):
        self.check([12, 24, 30, 36, 42, 60, 80], "compare", "--ordering", "rcm,nd", "--factor", "--gen", "poisson3d {}")

    def test_bench(self):
        self.check(range(12, 43, 6), "bench", "--reps", 1, "--gen", "poisson3d {}")

    def test_convert(self):
        self.check(range(40, 125, 12), "convert", "--gen", "poisson3d {}", self.folder / "a.npz")
        self.check(range(40, 125, 12), "convert", "--gen", "poisson3d {}", self.folder / "a.mtx.gz")

    def test_pictures(self):
        self.check(range(40, 125, 12), "spy", "--gen", "poisson3d {}", "-o", self.folder / "a.png")
        self.check(range(24, 75, 10), "spy", "--factor", "--ordering", "amd", "--gen", "poisson3d {}", "-o", self.folder / "a.svg")
        self.check(range(24, 75, 10), "tree", "--ordering", "amd", "--gen", "poisson3d {}", "-o", self.folder / "a.svg")
        self.check(range(20, 81, 10), "compare", "--ordering", "rcm,nd", "--gen", "poisson3d {}", "--html", self.folder / "a.html")

    def test_solve_in_other_precisions(self):
        self.check(range(12, 49, 6), "solve", "--scalar", "float", "--gen", "poisson3d {}", "-o", self.folder / "x.mtx")
        self.check(range(12, 49, 6), "solve", "--precision", "mixed", "--gen", "poisson3d {}", "-o", self.folder / "x.mtx")

    def test_threads(self):
        self.check(range(12, 43, 6), "solve", "--threads", 64, "--gen", "poisson3d {}")

    def test_right_hand_sides(self):
        sizes = [1, 100, 300, 900, 1200]
        for cols in sizes:
            write_npy(self.folder / f"b{cols}.npy", 10000, cols)
        self.check(sizes, "solve", "--gen", "poisson2d 100", "--rhs", f"{self.folder}/b{{}}.npy", "-o", self.folder / "x.npy")
        self.check([1, 10, 40, 160, 640], "solve", "--gen", "poisson2d 150", "--nrhs", "{}")

    def test_a_permutation_that_is_read(self):
        sizes = [0, 10, 30, 60, 90, 150]  # MB of comments in the file
        for size in sizes:
            with (self.folder / f"p{size}").open("w") as file:
                for _ in range(size):
                    file.write("%" + "-" * 999_998 + "\n")
                file.writelines(f"{k}\n" for k in range(10000))
        self.check(sizes, "solve", "--gen", "poisson2d 100", "--ordering", f"{self.folder}/p{{}}")

    def test_what_is_saved(self):
        self.check(range(12, 43, 3), "solve", "--gen", "poisson3d {}", "--save-factor", self.folder / "f")
        self.check(range(24, 75, 5), "analyze", "--ordering", "amd", "--gen", "poisson3d {}", "--save-plan", self.folder / "p",
                   "-o", self.folder / "q")

    def test_what_is_loaded(self):
        sizes = range(12, 43, 3)
        for size in sizes:
            self.run_ok("solve", "--gen", f"poisson3d {size}", "--ordering", "nd", "--save-factor", self.folder / f"f{size}")
        self.check(sizes, "solve", "--gen", "poisson3d {}", "--load-factor", f"{self.folder}/f{{}}")
        columns = [1, 20, 40, 60, 80, 100, 150, 200, 400]  # the factor fits, its workspace does not
        self.check(columns, "solve", "--gen", "poisson3d 24", "--load-factor", self.folder / "f24", "--nrhs", "{}")


class QuotaTest(ProgramTest):
    """The default number of threads follows a quota of processor time."""

    def quota(self, microseconds):
        v1 = any("cpu" in controllers.split(",") for controllers, _ in lines_of_groups())
        limits = {"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": str(microseconds)} if v1 else {"cpu.max": f"{microseconds} 100000"}
        return Group("cpu", limits)

    def test_threads_by_default(self):
        try:
            self.quota(100_000).__exit__()
        except OSError as error:
            self.skipTest(f"no control group with a quota can be made here: {error}")
        whole = program.strict_json(kauri("info", "--json").stdout)["threads"]
        for quota, expected in [(50_000, 1), (100_000, 1), (150_000, min(2, whole))]:
            with self.quota(quota) as group:
                self.assertEqual(program.strict_json(group.run("info", "--json").stdout)["threads"], expected)
                words = ["solve", "--gen", "poisson2d 30", "-o", self.folder / "x.npy"]
                self.assertEqual(group.run(*words).returncode, 0)
                x = (self.folder / "x.npy").read_bytes()
                done = group.run(*words, "--threads", 3, "--json")
                self.assertEqual(program.strict_json(done.stdout)["threads"], 3)
                self.assertEqual((self.folder / "x.npy").read_bytes(), x)


if __name__ == "__main__":
    unittest.main()
