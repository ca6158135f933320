# Tests hostile right-hand sides and permutations, and files that change while they are read: the
# program exits with 1 and names the place of the fault, or succeeds.
# SPDX-License-Identifier: BSD-3-Clause
import os
import re
import struct
import threading
import time

from hostile_files import GOOD, PLACE, WHOLE, npy
from program import LIMIT_SECONDS, ProgramTest, at_pipe, build_facts, kauri, kauri_with_peak

SYSTEM = ["--gen", "poisson2d 3"]
ARRAY = "%%MatrixMarket matrix array real general\n"


def lines(*words):
    return "".join(f"{word}\n" for word in words)


def rows(changed=None, to=""):
    """Returns lines with 0 to 8, of which one is replaced by another word."""
    return lines(*[to if k == changed else k for k in range(9)])


class RightHandSideTest(ProgramTest):
    def refused(self, name, content, says):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        self.fails(1, "solve", *SYSTEM, "--rhs", path, says=[f"{name}: {says}"])

    def test_market(self):
        whole = ["1"] * 9
        for changed, says in [("nan", "line 5: value 'nan'"), ("-Inf", "line 5: value '-Inf'"), ("1e999", "line 5: value '1e999'"),
                              ("one", "line 5: expected one value, found 'one'"), ("", "line 12: "), ("1 2", "line 5: ")]:
            self.refused("b.mtx", ARRAY + "9 1\n" + lines(*whole[:2], changed, *whole[3:]), says)
        self.refused("few.mtx", ARRAY + "4 1\n" + lines(*whole[:4]), "line 2: 4 rows, expected 9")
        self.refused("short.mtx", ARRAY + "9 1\n" + lines(*whole[:3]), "line 2: 9 entries are promised")
        self.refused("long.mtx", ARRAY + "9 1\n" + lines(*whole, 1), "line 12: more than the 9 values promised")
        self.refused("narrow.mtx", ARRAY + "9 0\n", "has no columns")
        self.refused("none.mtx", ARRAY + "0 0\n", "line 2: 0 rows, expected 9")
        self.refused("head.mtx", ARRAY, "line 2: expected 'rows columns'")
        self.refused("empty.mtx", "", "is empty")
        self.refused("words.mtx", "hello", "is not in a known format")

    def test_npy(self):
        one, nan, inf = [1.0], float("nan"), float("inf")
        doubles = lambda *values: struct.pack(f"<{len(values)}d", *values)
        self.refused("nan.npy", npy("<f8", "(9,)", doubles(*one * 4, nan, *one * 4)), "entry 4 is nan")
        self.refused("inf.npy", npy("<f8", "(9, 2)", doubles(*one * 13, -inf, *one * 4)), "entry 13 is -inf")
        self.refused("few.npy", npy("<f8", "(8,)", doubles(*one * 8)), "has 8 rows, expected 9")
        self.refused("cut.npy", npy("<f8", "(9,)", doubles(*one * 8)), "shape and type ask for more than the 64 bytes")
        self.refused("long.npy", npy("<f8", "(9,)", doubles(*one * 10)), "shape and type ask for 72 bytes, there are 80")
        self.refused("cube.npy", npy("<f8", "(3, 3, 1)", doubles(*one * 9)), "has 3 dimensions")
        self.refused("complex.npy", npy("<c16", "(9,)", doubles(*one * 18)), "the values are complex")
        self.refused("words.npy", b"hello", "is not in a known format")

    def test_many_places_by_few_entries(self):
        # The file of 0.4 MB describes 0.8 GB.
        path = self.write("b.mtx", f"%%MatrixMarket matrix coordinate pattern general\n100000 1000 100000\n{lines(*['1 1'] * 100000)}")
        for system, says in [("poisson2d 3", "line 2: 100000 rows, expected 9"), ("tree 100000 1", "line 2: 100000 x 1000 with 100000 entries")]:
            code, errors, peak = kauri_with_peak("solve", "--gen", system, "--rhs", path, "--threads", "1")
            self.assertEqual(code, 1, errors)
            self.assertIn(f"b.mtx: {says}", errors)
            if not build_facts()["sanitizers"]:
                self.assertLess(peak, 200e6)
        unit = self.write("unit.mtx", "%%MatrixMarket matrix coordinate pattern general\n100000 1 1\n7 1\n")
        self.run_ok("solve", "--gen", "tree 100000 1", "--rhs", unit)

    def test_too_large_for_float(self):
        path = self.write("large.mtx", ARRAY + "9 2\n" + lines(*["1"] * 11, "1e300", *["1"] * 6))
        self.fails(1, "solve", *SYSTEM, "--rhs", path, "--scalar", "float", says=["large.mtx: entry (2, 1) is inf in float"])
        self.run_ok("solve", *SYSTEM, "--rhs", path)

    def test_what_is_no_file(self):
        for name in ["folder.mtx", "folder.npy"]:
            (self.folder / name).mkdir()
            self.fails(1, "solve", *SYSTEM, "--rhs", self.folder / name, says=[f"{name}: is a directory"])
        self.fails(1, "solve", *SYSTEM, "--rhs", "/dev/null", says=["/dev/null: is empty"])

    def test_solution_over_its_right_hand_side(self):
        path = self.write("b.mtx", ARRAY + "9 1\n" + lines(*range(1, 10)))
        before = path.read_text(encoding="ascii")
        self.fails(1, "solve", *SYSTEM, "--rhs", path, "-o", path, says=["would be written over --rhs"])
        self.assertEqual(path.read_text(encoding="ascii"), before)


class PermutationTest(ProgramTest):
    def test_files(self):
        for text, says in [(rows(5, 4), "line 6: row 4 was already given in line 5"), (rows(4, 9), "line 5: row 9, expected 0 to 8"),
                           (rows(3, -3), "line 4: row -3"), (lines(*range(1, 10)), "line 9: row 9, expected 0 to 8"),
                           (lines(0, 1, 2), "has 3 rows, but poisson2d 3 has 9"), (rows() + "9\n", "has 10 rows, but poisson2d 3 has 9"),
                           (rows(2, "two"), "line 3: expected one row number, found 'two'"), (rows(2, "2.0"), "line 3: expected one row number"),
                           (rows(0, "0 1"), "line 1: expected one row number"), (rows(2, 10**20), "line 3: "), (rows(2, 2**31), "line 3: row 2147483648"),
                           ("\0\1\2", "line 1: "), ("", "is empty")]:
            path = self.write("p.txt", text)
            for command in ["solve", "analyze"]:
                self.fails(1, command, *SYSTEM, "--ordering", path, says=[f"p.txt: {says}"])

    def test_what_is_no_file(self):
        self.fails(1, "solve", *SYSTEM, "--ordering", self.folder, says=[str(self.folder), "or a file with a permutation"])
        self.fails(1, "solve", *SYSTEM, "--ordering", self.folder / "absent.txt", says=["absent.txt", "or a file with a permutation"])


class ChangingFileTest(ProgramTest):
    """Each read succeeds or gives a message with a place; none crashes."""

    def outcome(self, path):
        done = kauri("info", path, "--json")
        if done.returncode == 0:
            self.assertIn('"nnz_lower": 5', done.stdout)
            return
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"\Akauri: [^\n]*f\.mtx: [ -~]+\n\Z")
        self.assertRegex(done.stderr, PLACE + "|" + WHOLE)

    def change(self, write):
        """Runs the program repeatedly while a thread calls `write`."""
        path, done = self.write("f.mtx", GOOD), threading.Event()

        def writes():
            while not done.is_set():
                write(path)
                time.sleep(0.001)

        writer = threading.Thread(target=writes)
        writer.start()
        try:
            for _ in range(20):
                self.outcome(path)
        finally:
            done.set()
            writer.join(LIMIT_SECONDS)
            self.assertFalse(writer.is_alive())

    def test_written_anew_in_pieces(self):
        def write(path):
            with open(path, "w", encoding="ascii") as file:
                for piece in re.findall(r".{1,20}", GOOD, re.DOTALL):
                    file.write(piece)
                    file.flush()

        self.change(write)

    def test_cut_and_made_whole(self):
        def write(path):
            os.truncate(path, len(GOOD) // 2)
            path.write_text(GOOD, encoding="ascii")

        self.change(write)

    def test_replaced(self):
        def write(path):
            other = path.with_suffix(".new")
            other.write_text(GOOD if os.urandom(1)[0] % 2 else "", encoding="ascii")
            os.replace(other, path)

        self.change(write)

    def test_pipe_in_pieces(self):
        def write(pipe, text):
            with open(pipe, "w", encoding="ascii") as file:
                for piece in re.findall(r".{1,7}", text, re.DOTALL):
                    file.write(piece)
                    file.flush()

        for text in [GOOD, GOOD[:-9], GOOD + "1 1 1\n"]:
            pipe = self.folder / "f.mtx"
            with at_pipe(pipe, lambda pipe, text=text: write(pipe, text)):
                self.outcome(pipe)
            pipe.unlink()
