#!/usr/bin/env python3
# two_builds.py FIRST SECOND [--rounds N] [--ordering NAME] [--system SPEC ...]: measures CPU
# seconds of two programs kauri that solve the same systems in turn. Prints their ratio, second to
# first, of the least times, and the median of the rounds' ratios. CPU seconds of one thread depend
# little on other work on the machine.
# SPDX-License-Identifier: BSD-3-Clause
import argparse
import math
import os
import statistics
import subprocess
import sys
import threading

SYSTEMS = ("poisson2d 500", "poisson3d 34", "elast3d 18", "lap27 30", "shell2d 200", "aniso3d 34 0.01", "tri2d 120000 1", "rgg3d 24000 12 1")
LIMIT_SECONDS = 1800


def cpu_seconds(program, system, ordering):
    """Returns the CPU seconds of one process: read, order, analyse, factorise, solve, refine."""
    words = [program, "solve", "--gen", system, "--ordering", ordering, "--threads", "1", "--backend", "cpu", "--json"]
    child = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    timer = threading.Timer(LIMIT_SECONDS, child.kill)
    timer.start()
    _, status, usage = os.wait4(child.pid, 0)  # ends: by the timer
    timer.cancel()
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"{' '.join(words)} ended with {child.returncode}")
    return usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser(description="CPU seconds of two builds in turn")
    parser.add_argument("builds", nargs=2)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--ordering", default="amd")
    parser.add_argument("--system", action="append")
    options = parser.parse_args()
    ratios = []
    for system in options.system or SYSTEMS:
        times = ([], [])
        for k in range(options.rounds):
            for which in (0, 1) if k % 2 == 0 else (1, 0):
                times[which].append(cpu_seconds(options.builds[which], system, options.ordering))
        least = min(times[1]) / min(times[0])
        middle = statistics.median(b / a for a, b in zip(*times))
        ratios.append(least)
        print(f"{system:20s} {min(times[0]):8.3f} s {min(times[1]):8.3f} s   ratio {least:.3f}, median of rounds {middle:.3f}", flush=True)
    print(f"geometric mean of {len(ratios)} ratios: {math.exp(statistics.fmean(map(math.log, ratios))):.3f}")


if __name__ == "__main__":
    main()
