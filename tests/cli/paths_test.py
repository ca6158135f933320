# Tests files that a command line names: names with terminal escapes, outputs over inputs, standard
# input, and what remains after a signal.
# SPDX-License-Identifier: BSD-3-Clause
import os
import pathlib
import resource
import signal
import subprocess
import time

import program
from program import ProgramTest, kauri, read_array

NAME = "esc\033[31mRED\033]0;title\007\n\u009b1m.mtx"


class PathsTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.a = self.folder / "a.mtx"
        self.run_ok("generate", "poisson2d", 3, "-o", self.a)
        self.text = self.a.read_text()

    def test_names_reach_no_terminal_as_they_are(self):
        hostile = self.folder / NAME
        hostile.write_text(self.text)
        broken = self.folder / ("broken" + NAME)
        broken.write_text(self.text + "1 1 1\n")
        outs = []
        for words in [["info", hostile], ["solve", hostile], ["analyze", hostile], ["compare", hostile], ["compare", hostile, broken],
                      ["info", broken], ["info", str(hostile) + "absent"], ["info", f"{hostile}:member"], ["solve", self.a, "--rhs", broken],
                      ["solve", self.a, "--load-factor", hostile], ["solve", self.a, "--ordering", hostile], ["solve", "--gen", NAME],
                      ["convert", self.a, f"{hostile}.npz"], ["solve", self.a, "-o", "x" + NAME], [NAME], ["solve", "--" + NAME]]:
            done = kauri(*words, cwd=self.folder)
            outs.append(done.stdout + done.stderr)
            self.assertIn("RED", outs[-1], words)
            for c in outs[-1]:
                self.assertTrue(c in "\n\t" or (ord(c) >= 32 and not 0x7F <= ord(c) < 0xA0), f"{words}: {outs[-1]!r}")
        self.assertIn("esc?[31mRED?]0;title????1m: 9 rows", outs[0])
        self.json_of("info", hostile)  # JSON escapes the name

    def test_nothing_is_written_over_what_is_read(self):
        rhs, factor, order = self.folder / "b.mtx", self.folder / "f", self.folder / "p.mtx"
        self.run_ok("solve", self.a, "-o", rhs, "--save-factor", factor)
        order.write_text("".join(f"{i}\n" for i in range(9)))
        link, hard = self.folder / "link.mtx", self.folder / "hard.mtx"
        link.symlink_to("a.mtx")
        os.link(self.a, hard)
        page, picture = self.folder / "a.html", self.folder / "a.svg"
        page.write_text(self.text)
        picture.write_text(self.text)
        held = {path: path.read_bytes() for path in [self.a, rhs, factor, order, page, picture]}
        for words in [["solve", self.a, "-o", self.a], ["solve", self.a, "-o", link], ["solve", link, "-o", self.a], ["solve", self.a, "-o", hard],
                      ["solve", self.a, "-o", f"{self.folder}/./a.mtx"], ["solve", self.a, "--rhs", rhs, "-o", rhs],
                      ["solve", self.a, "--ordering", order, "-o", order], ["solve", self.a, "--save-factor", self.a],
                      ["solve", self.a, "--load-factor", factor, "--save-factor", factor], ["analyze", self.a, "--save-plan", self.a],
                      ["analyze", self.a, "-o", self.a], ["compare", self.a, page, "--html", page], ["spy", picture, "-o", picture],
                      ["tree", picture, "-o", picture], ["solve", self.a, "-o", self.folder / "x.mtx", "--save-factor", self.folder / "x.mtx"]]:
            self.fails(1, *words, says=["would be written over"])
        self.assertEqual({path: path.read_bytes() for path in held}, held)
        self.assertFalse((self.folder / "x.mtx").exists())
        self.run_ok("solve", self.a, "-o", rhs)  # an output of an earlier run is replaced
        self.run_ok("convert", self.a, self.a)
        self.assertEqual(self.a.read_text(), self.text)

    def test_nothing_is_written_over_standard_input(self):
        b = self.folder / "b.mtx"
        b.write_text("%%MatrixMarket matrix array real general\n9 1\n" + "1\n" * 9)
        link = self.folder / "link.mtx"
        link.symlink_to("a.mtx")
        names = {"spy": "a.svg", "tree": "a.svg", "compare": "a.html", "analyze": "a.mtx", "solve": "a.mtx"}
        for name in names.values():
            (self.folder / name).write_text(self.text)
        cases = [(["solve", "-", "-o", self.a], self.a), (["solve", "-", "-o", link], self.a),
                 (["solve", "/dev/stdin", "-o", self.a], self.a),
                 (["solve", self.a, "--rhs", "-", "-o", b], b), (["solve", "-", "--save-factor", self.a], self.a),
                 (["analyze", "-", "--save-plan", self.a], self.a), (["analyze", "-", "-o", self.a], self.a)]
        cases += [([name, "-", "--html" if name == "compare" else "-o", self.folder / file], self.folder / file)
                  for name, file in names.items()]
        for words, given in cases:
            before = given.read_bytes()
            with given.open() as file:
                done = kauri(*words, stdin=file)
            self.assertEqual(done.returncode, 1, words)
            self.assertIn("would be written over", done.stderr, words)
            self.assertEqual(given.read_bytes(), before, words)
        with self.a.open() as file:  # standard input is another file, then a pipe
            self.assertEqual(kauri("solve", "-", "-o", b, stdin=file).returncode, 0)
        self.assertEqual(kauri("solve", "-", "-o", b, input=self.text).returncode, 0)

    def test_outputs_that_meet_at_the_end_of_links(self):
        x, link, second = self.folder / "x.mtx", self.folder / "l.mtx", self.folder / "second.mtx"
        link.symlink_to("x.mtx")  # dangling
        second.symlink_to(link)
        for words in [["-o", link, "--save-factor", x], ["-o", x, "--save-factor", link], ["-o", link, "--save-factor", second]]:
            self.fails(1, "solve", self.a, *words, says=["would be written over"])
        self.assertFalse(x.exists())
        circle = self.folder / "circle.mtx"
        circle.symlink_to("circle.mtx")
        self.fails(1, "solve", self.a, "-o", circle, "--save-factor", x, says=["Too many levels of symbolic links"])
        self.run_ok("solve", self.a, "-o", link, "--save-factor", self.folder / "f")
        self.assertTrue(link.is_symlink() and x.exists())

    def test_right_hand_sides_from_standard_input(self):
        b, x = self.folder / "b.mtx", self.folder / "x.mtx"
        b.write_text("%%MatrixMarket matrix array real general\n9 1\n" + "1\n" * 9)
        self.run_ok("solve", self.a, "--rhs", b, "-o", x)
        expected = read_array(x)
        with b.open() as file:
            self.assertEqual(kauri("solve", self.a, "--rhs", "-", "-o", x, stdin=file).returncode, 0)
        self.assertEqual(read_array(x), expected)
        self.fails(1, "solve", "-", "--rhs", "-", says=["--rhs -: standard input already holds the system"])

    def test_no_part_of_a_file_stays_after_a_signal(self):
        def few_bytes():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_FSIZE, (20480, 20480))

        for words in [["generate", "poisson2d", 200], ["solve", "--gen", "poisson2d 200"]]:
            option = "--save-factor" if words[0] == "solve" else "-o"
            done = kauri(*words, option, self.folder / "g.mtx", preexec_fn=few_bytes)
            self.assertEqual(done.returncode, -signal.SIGXFSZ, done.stderr)
            self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["a.mtx"])

    def test_a_signal_that_is_ignored_stays_so(self):
        others = [signal.SIGINT, signal.SIGQUIT, signal.SIGPIPE, signal.SIGALRM, signal.SIGTERM, signal.SIGXFSZ]

        def ignore():
            for number in others:  # a shell starts background jobs with SIGINT ignored
                signal.signal(number, signal.SIG_DFL)
            signal.signal(signal.SIGHUP, signal.SIG_IGN)

        child = subprocess.Popen([program.BINARY, "info", "-"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, preexec_fn=ignore)
        bit = lambda number: 1 << (number - 1)
        ignored = caught = 0
        with program.killed_at_limit(child), child.stdin:
            while child.poll() is None and not caught & bit(signal.SIGXFSZ):  # ends: by killed_at_limit()
                status = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{child.pid}/status").read_text().splitlines())
                ignored, caught = int(status["SigIgn"], 16), int(status["SigCgt"], 16)
                time.sleep(0.01)
            child.stdin.write(self.text)
        self.assertEqual(child.wait(timeout=program.LIMIT_SECONDS), 0)
        self.assertTrue(ignored & bit(signal.SIGHUP))
        for number in others:
            self.assertTrue(caught & bit(number), number)
