#!/usr/bin/env python3
# hardening_test.py CC [unittest arguments]: check_hardening.py names each flag that a small program was built without, and nothing else.
# SPDX-License-Identifier: BSD-3-Clause
import pathlib
import subprocess
import sys
import tempfile
import unittest

from check_hardening import faults

LIMIT_SECONDS = 1200  # whatever is waited for
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
        """The program without these flags."""
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


if __name__ == "__main__":
    unittest.main()
