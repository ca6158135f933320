# Tests one system in every format: all give the same solution, and a report names the system
# without folder and endings.
# SPDX-License-Identifier: BSD-3-Clause
import gzip
import pathlib

from program import ProgramTest, build_facts, read_array

FILES = pathlib.Path(__file__).resolve().parent.parent / "io" / "files"

# The lower half of the system of tests/io/files, by columns, counted from 1.
ROWS = [[1, 2, 4], [2, 3], [3, 5], [4], [5]]
VALUES = [[4, -1, 0.5], [5, -2], [6, -0.25], [7], [8]]


def boeing():
    head = "five".ljust(72) + "five    \n" + f"{3:14d}{1:14d}{1:14d}{3:14d}\n" + f"rsa{'':11}{5:14d}{5:14d}{9:14d}{0:14d}\n"
    starts = [1 + sum(map(len, ROWS[:j])) for j in range(6)]
    values = [f"{v:20.12E}" for column in VALUES for v in column]
    lines = ["".join(f"{p:5d}" for p in starts), "".join(f"{i:5d}" for column in ROWS for i in column)]
    lines += ["".join(values[k : k + 4]) for k in range(0, 9, 4)]
    return head + "(16I5)          (16I5)          (1P,4E20.12)        \n" + "\n".join(lines) + "\n"


class FilesTest(ProgramTest):
    def solution(self, matrix, rhs=FILES / "five.tar.gz"):
        out = self.folder / "x.mtx"
        self.run_ok("solve", matrix, "--rhs", rhs, "-o", out)
        return read_array(out)

    def test_every_format_gives_the_same_solution(self):
        text = self.write("five.rb", boeing())
        packed = self.folder / "packed.rb.gz"
        packed.write_bytes(gzip.compress(text.read_bytes()))
        expected = self.solution(FILES / "full_csr.npz")
        self.assertEqual([len(column) for column in expected], [5])
        for file in [text, packed, f"{FILES}/five.tar.gz", f"{FILES}/five.tar.gz:five.mtx", f"{FILES}/two.tar.gz:a.mtx",
                     FILES / "coo_full.npz", FILES / "bsr_lower.npz", FILES / "dia_upper.npz", FILES / "upper_csc.npz"]:
            self.assertEqual(self.solution(file), expected, file)

    def test_names(self):
        for file, name in [("five.tar.gz", "five"), ("five.tar.gz:five/five.mtx", "five"), ("two.tar.gz:b.mtx", "b"), ("dia.npz", "dia")]:
            result = self.json_of("info", FILES / file)
            self.assertEqual(result["system"], name)
        self.fails(1, "info", FILES / "two.tar.gz", says=["two.tar.gz", "FILE:MEMBER", "'a.mtx', 'b.mtx'"])
        self.fails(1, "info", FILES / "two.tar.gz:c.mtx", says=["two.tar.gz", "no member 'c.mtx'"])

    def test_matrix_without_rows(self):
        empty = self.write_symmetric("empty.mtx", 0, {})
        for name in ["out.npz", "out.mtx", "out.mtx.gz"]:
            self.run_ok("convert", empty, self.folder / name)
            result = self.json_of("info", self.folder / name)
            self.assertEqual((result["n"], result["nnz_lower"]), (0, 0), name)

    def test_rows_without_entries(self):
        def pattern(n):
            return self.write("rows.mtx", f"%%MatrixMarket matrix coordinate pattern symmetric\n{n} {n} 2\n2 1\n{n} 5\n")

        result = self.json_of("solve", pattern(1_500_000))
        self.assertEqual((result["n"], result["nnz_lower"], result["status"]), (1_500_000, 1_500_002, "ok"))
        rows = pattern(2**31 - 1)
        self.fails(1, "info", rows, says=["most rows would be empty"])
        if not build_facts()["sanitizers"]:
            self.fails(3, "solve", rows, "--max-gb", 1, says=["needs more memory than is available"])

    def test_shuffled_halves_by_any_threads(self):
        # The files are large enough to be parsed in pieces: a matrix of both halves, whose last
        # line is wrong in one of the two files.
        n = 60000
        lines = [line for i in range(1, n) for line in (f"{i} {i} 4.0", f"{i + 1} {i} -1.0", f"{i} {i + 1} -1.0")] + [f"{n} {n} 4.0"]
        lines = lines[::2] + lines[1::2]
        head = f"%%MatrixMarket matrix coordinate real general\n{n} {n} {len(lines)}\n"
        right = self.write("right.mtx", head + "\n".join(lines) + "\n")
        for threads in [1, 2, 4]:
            self.assertEqual(self.json_of("info", right, "--threads", threads)["nnz_lower"], 2 * n - 1)
        wrong = self.write("wrong.mtx", head + "\n".join(lines[:-1] + ["7 x 4.0"]) + "\n")
        uneven = self.write("uneven.mtx", head + "\n".join(line.replace("3001 3000 -1.0", "3001 3000 -2.0") for line in lines) + "\n")
        at = [3 + lines.index(entry) for entry in ("3001 3000 -1.0", "3000 3001 -1.0")]
        first = "entry (3001, 3000) is -2, but (3000, 3001)" if at[0] < at[1] else "entry (3000, 3001) is -1, but (3001, 3000)"
        for threads in [1, 2, 4]:
            self.fails(1, "info", wrong, "--threads", threads, says=[f"line {len(lines) + 2}: ", "found 'x'"])
            self.fails(1, "info", uneven, "--threads", threads, says=[f"line {min(at)}: {first} in line {max(at)} is"])
