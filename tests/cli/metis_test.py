# Tests that SIGTERM ends the program while METIS orders, as at any other time. main() has installed
# its handlers by then, so handlers alone do not show whether METIS installs some.
# SPDX-License-Identifier: BSD-3-Clause
import os
import pathlib
import pty
import select
import signal
import subprocess
import time
import unittest

import program
from program import LIMIT_SECONDS, ProgramTest, compares_metis

SECONDS_IN_METIS = 1  # processor seconds after the message "ordering"; reducing the graph takes a tenth of that
SIZES = (1200, 2400)  # `poisson2d`: METIS takes seconds for the first one


def processor_seconds(pid):
    """Returns the user time of the process so far, in seconds."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    return int(fields[11]) / os.sysconf("SC_CLK_TCK")


def handles(pid, number):
    """Returns whether the process has a handler for the signal."""
    for line in pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("SigCgt:"):
            return int(line.split()[1], 16) & (1 << (number - 1)) != 0
    raise AssertionError(f"/proc/{pid}/status has no SigCgt")


class Ordering:
    """Runs a command at a terminal that orders a system by METIS."""

    def __init__(self, command, size):
        self.terminal, side = pty.openpty()
        self.said = b""
        words = [command, "--ordering", "metis", "--gen", f"poisson2d {size}"]
        self.child = subprocess.Popen([program.BINARY, *words], stdout=subprocess.DEVNULL, stderr=side)
        os.close(side)

    def end(self):
        self.child.kill()
        self.child.wait(LIMIT_SECONDS)
        os.close(self.terminal)

    def listen(self):
        """Reads what the terminal receives within 50 ms. Returns False if the other end is
        closed."""
        if select.select([self.terminal], [], [], 0.05)[0]:
            try:
                self.said += os.read(self.terminal, 4096)
            except OSError:  # Linux reports a closed end so
                return False
        return True

    def reaches_metis(self):
        """Waits until METIS has run for SECONDS_IN_METIS. Returns False if the ordering ended
        before."""
        begun, end = None, time.monotonic() + LIMIT_SECONDS
        while time.monotonic() < end and self.listen() and b"factorising" not in self.said:
            seconds = processor_seconds(self.child.pid)
            if begun is None and b"ordering" in self.said:
                begun = seconds
            if begun is not None and seconds >= begun + SECONDS_IN_METIS:
                return True
        return False

    def status(self):
        """Returns the exit status after reading all output to the terminal."""
        status, end = self.child.wait(LIMIT_SECONDS), time.monotonic() + LIMIT_SECONDS
        while time.monotonic() < end and self.listen():
            pass
        return status


class MetisTest(ProgramTest):
    def setUp(self):
        super().setUp()
        if not compares_metis():
            self.skipTest("METIS is the system's library, which has handlers of its own, or is not there")
        try:
            for end in pty.openpty():
                os.close(end)
        except OSError as error:  # a container or chroot without devpts
            self.skipTest(f"no pseudo-terminal can be opened here: {error}")

    def test_sigterm_ends_solve(self):
        self.check_sigterm("solve")

    def test_sigterm_ends_compare(self):
        self.check_sigterm("compare")

    def check_sigterm(self, command):
        for size in SIZES:
            ordering = Ordering(command, size)
            self.addCleanup(ordering.end)
            if ordering.reaches_metis():
                break
        else:
            self.fail(f"METIS was never at work for {SECONDS_IN_METIS} s: {ordering.said!r}")
        self.assertFalse(handles(ordering.child.pid, signal.SIGABRT), "METIS has a handler of SIGABRT")
        ordering.child.send_signal(signal.SIGTERM)
        self.assertEqual(ordering.status(), -signal.SIGTERM)
        for piece in ordering.said.decode().split("\r\x1b[K"):
            self.assertRegex(piece, r"^(|reading \.\.\. .*|(\w+|comparing orderings of) poisson2d \d+ \.\.\. .*)$")


if __name__ == "__main__":
    unittest.main()
