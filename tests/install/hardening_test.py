#!/usr/bin/env python3
# hardening_test.py CC [unittest arguments]: tests that check_hardening.py names exactly the flags
# that a small program was built without, and that check_flags.py names each flag that a command
# lacks.
# SPDX-License-Identifier: BSD-3-Clause
import pathlib
import subprocess
import sys
import tempfile
import unittest

import check_flags
from check_hardening import faults

LIMIT_SECONDS = 1200  # for each wait
COMPILER = sys.argv.pop(1)
SOURCE = """#include <stdio.h>
#include <string.h>
int main(int argc, char** argv) {
  char text[16];
  strcpy(text, argv[argc - 1]);
  return puts(text);
}
"""
COMPILE = {"-fstack-protector-strong": "-fno-stack-protector", "-D_FORTIFY_SOURCE=2": "-U_FORTIFY_SOURCE", "-fPIE": "-fno-pie"}
LINK = {"-Wl,-z,relro": "-Wl,-z,norelro", "-Wl,-z,now": "-Wl,-z,lazy", "-pie": "-no-pie", "-Wl,-z,noexecstack": "-Wl,-z,execstack"}


class HardeningTest(unittest.TestCase):
    def built(self, *without, archive=False):
        """Returns the path of the program, built without these flags."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        source, out, program = (pathlib.Path(folder.name) / name for name in ("main.c", "main.o", "program"))
        source.write_text(SOURCE, encoding="ascii")
        chosen = [[other if flag in without else flag for flag, other in flags.items()] for flags in (COMPILE, LINK)]
        self.run_ok(COMPILER, "-O2", "-w", "-U_FORTIFY_SOURCE", *chosen[0], "-c", source, "-o", out)
        if archive:
            self.run_ok("ar", "rc", program.with_suffix(".a"), out)
            return program.with_suffix(".a")
        self.run_ok(COMPILER, *chosen[1], out, "-o", program)
        return program

    def run_ok(self, *words):
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=LIMIT_SECONDS)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_sound(self):
        self.assertEqual(list(faults(self.built())), [])
        self.assertEqual(list(faults(self.built(archive=True))), [])

    def test_each_flag(self):
        for flag in ("-fstack-protector-strong", "-D_FORTIFY_SOURCE=2", "-Wl,-z,relro", "-Wl,-z,now"):
            with self.subTest(flag):
                (fault,) = faults(self.built(flag))
                self.assertIn(flag, fault)
        self.assertEqual(list(faults(self.built("-fPIE", "-pie"))), ["a fixed address (-pie)"])
        self.assertEqual(list(faults(self.built("-Wl,-z,noexecstack"))), ["an executable stack"])
        self.assertEqual(len(list(faults(self.built("-fstack-protector-strong", "-D_FORTIFY_SOURCE=2", archive=True)))), 2)


FLAGS = "-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fstack-protector-strong -Wformat -Werror=format-security -ffile-prefix-map=/a=b"
HOST = "-Xcompiler=-U_FORTIFY_SOURCE,-D_FORTIFY_SOURCE=2,-fstack-protector-strong"


class FlagsTest(unittest.TestCase):
    def faults(self, *commands):
        return list(check_flags.faults({"file": "f", "command": f"{command} -c f -o f.o"} for command in commands))

    def test_sound(self):
        self.assertEqual(self.faults(f"/usr/bin/c++ -O3 {FLAGS}", f"ccache /usr/bin/cc -O3 {FLAGS} -O2 -w", f"/cuda/bin/nvcc -O3 -Xcompiler=-fPIC {HOST}",
                                     f"ccache nvcc -O3 {HOST.replace('=', ' ', 1)}"), [])

    def test_one_command_without_is_found_beside_others(self):
        for flag in ("-D_FORTIFY_SOURCE=2", "-fstack-protector-strong", "-Wformat", "-Werror=format-security"):
            command = " ".join(word for word in f"c++ -O3 {FLAGS}".split() if word != flag)
            self.assertEqual(self.faults(f"c++ -O3 {FLAGS}", command), [f"f: no {flag}"])
        self.assertEqual(self.faults(f"c++ -O3 {FLAGS.replace('-ffile', '-fdebug')}"), ["f: no -ffile-prefix-map"])
        self.assertEqual(self.faults(f"nvcc -O3 {FLAGS}"), ["f: no -fstack-protector-strong", "f: no -D_FORTIFY_SOURCE=2"])
        self.assertEqual(self.faults(f"nvcc -O3 {HOST.replace(',-fstack-protector-strong', '')}"), ["f: no -fstack-protector-strong"])

    def test_flags_that_are_taken_back(self):
        self.assertEqual(self.faults(f"c++ -O3 {FLAGS} -fno-stack-protector"), ["f: -fno-stack-protector after -fstack-protector-strong"])
        self.assertEqual(self.faults(f"c++ -O3 {FLAGS} -U_FORTIFY_SOURCE"), ["f: -U_FORTIFY_SOURCE after -D_FORTIFY_SOURCE=2"])
        for level in ("", "-O3 -O0"):
            self.assertEqual(self.faults(f"c++ {level} {FLAGS}"), ["f: no optimisation, without which _FORTIFY_SOURCE checks nothing"])


if __name__ == "__main__":
    unittest.main()
