# Tests a collection of hostile files: each ends in a clear error and exit status 1, and none makes
# the program allocate the memory that it claims.
# SPDX-License-Identifier: BSD-3-Clause
from hostile_files import EXPECTED, GOOD, PLACE, WHOLE, collection
from program import ProgramTest, at_pipe, build_facts, kauri_with_peak


class HostileTest(ProgramTest):
    def refused(self, path, says=()):
        code, errors, peak = kauri_with_peak("info", path, "--threads", "1")
        self.assertEqual(code, 1, f"{path}: {errors}")
        self.assertRegex(errors, r"\Akauri: [ -~]+\n\Z", path)
        self.assertRegex(errors, PLACE + "|" + WHOLE, path)
        self.assertRegex(errors, EXPECTED, path)
        for words in [path.name, *says]:
            self.assertIn(words, errors)
        return peak

    def test_collection(self):
        files = list(collection())
        self.assertGreaterEqual(len(files), 200)
        peaks = []
        for k, (ending, content) in enumerate(files):
            path = self.folder / f"hostile{k}.{ending}"
            path.write_bytes(content)
            peaks.append((self.refused(path), content[:200]))
            if k % 10 == 0:
                self.fails(1, "analyze", path, says=[path.name])
        if not build_facts()["sanitizers"]:
            self.assertLess(max(peaks)[0], 300e6, max(peaks)[1])

    def test_what_is_no_file(self):
        (self.folder / "folder.mtx").mkdir()
        self.fails(1, "info", self.folder / "folder.mtx", says=["folder.mtx"])
        (self.folder / "loop.mtx").symlink_to(self.folder / "loop.mtx")
        self.fails(1, "info", self.folder / "loop.mtx", says=["loop.mtx"])
        self.fails(1, "info", self.folder / "absent.tar.gz:a.mtx", says=["absent.tar.gz:a.mtx"])
        self.refused(self.write("empty.mtx", ""), says=["is empty"])
        self.fails(1, "info", str(self.write("good.mtx", GOOD)) + ":a.mtx", says=["good.mtx", "not a tar archive"])

    def test_pipes(self):
        for name, text, says in [("empty.mtx", "", "is empty"), ("half.mtx", GOOD[:70], "line 2"), ("words.mtx", "hello", "known format")]:
            with at_pipe(self.folder / name, lambda pipe, text=text: pipe.write_text(text)) as pipe:
                self.refused(pipe, says=[says])

    def test_missing_diagonal_is_no_positive_definite_matrix(self):
        path = self.write_symmetric("hole.mtx", 3, {(0, 0): 4.0, (1, 0): 1.0, (2, 2): 4.0})
        self.assertEqual(self.json_of("info", path)["diagonal_zero"], 1)
        self.json_of("solve", path, code=2)
