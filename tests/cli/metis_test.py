# SIGTERM while METIS orders ends the program, as it does everywhere else.
# SPDX-License-Identifier: BSD-3-Clause
import pathlib
import signal
import subprocess
import time
import unittest

import program
from program import ProgramTest, compares_metis


def handles_sigterm(pid):
    """True where the process has a handler for it."""
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("SigCgt:"):
            return int(line.split()[1], 16) & (1 << (signal.SIGTERM - 1)) != 0
    return False


class MetisTest(ProgramTest):
    def setUp(self):
        super().setUp()
        if not compares_metis():
            self.skipTest("METIS is the system's library, which has handlers of its own, or is not there")

    def test_sigterm_ends_the_program(self):
        for size in (600, 1200, 2400):  # until the program is not done within that second
            words = ["compare", "--ordering", "metis", "--gen", f"poisson2d {size}", "--gen", "poisson2d 30"]
            with subprocess.Popen([program.BINARY, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
                end = time.monotonic() + 1
                while child.poll() is None and time.monotonic() < end and not handles_sigterm(child.pid):
                    time.sleep(0.02)
                child.send_signal(signal.SIGTERM)
                _, errors = child.communicate(timeout=300)
            if child.returncode != 0:
                break
        self.assertEqual((child.returncode, errors), (-signal.SIGTERM, ""))


if __name__ == "__main__":
    unittest.main()
