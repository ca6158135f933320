#!/usr/bin/env python3
# check_limits.py CTEST BUILD [--measured OTHERS]: checks that each test of a build has a limit of at
# least LEAST_SECONDS, which is for tests that hang. --measured: also checks that no test took more
# than a tenth of its limit in the last runs, less the share of the processors that other work took
# meanwhile: OTHERS of them were busy for it, on average.
# SPDX-License-Identifier: BSD-3-Clause
import json
import os
import pathlib
import subprocess
import sys

LEAST_SECONDS = 1200


def limits(ctest, build):
    """Returns limits in seconds by name; None means CTest's default of 10,000,000 s."""
    command = [ctest, "--test-dir", build, "--show-only=json-v1"]
    tests = json.loads(subprocess.run(command, check=True, capture_output=True, text=True, timeout=LEAST_SECONDS).stdout)["tests"]
    named = {test["name"]: {item["name"]: item["value"] for item in test.get("properties", [])} for test in tests}
    return {name: properties.get("TIMEOUT") for name, properties in named.items()}


def measured(build):
    """Returns the mean seconds of the runs so far by name, as CTest stores them."""
    path = pathlib.Path(build) / "Testing" / "Temporary" / "CTestCostData.txt"
    lines = path.read_text(encoding="utf-8").split("---")[0].splitlines() if path.exists() else []
    return {name: float(seconds) for name, _, seconds in map(str.split, lines)}


def faults_of_limits(limit):
    for name, seconds in limit.items():
        if seconds is None:
            yield f"{name}: no limit (TIMEOUT), expected {LEAST_SECONDS} s or more"
        elif seconds < LEAST_SECONDS:
            yield f"{name}: a limit of {seconds:g} s, expected {LEAST_SECONDS} or more"


def slow(limit, seconds_of, own):
    """Yields tests that took more than a tenth of their limit, the slowest first; own: the share of the
    processors that the tests had."""
    for name, seconds in sorted(seconds_of.items(), key=lambda item: -item[1]):
        if limit.get(name) and seconds * own > limit[name] / 10:
            yield f"{name} took {seconds:.0f} s: more than a tenth of its limit of {limit[name]:.0f} s; split it"


def report(count, said, what):
    print("\n".join([*said, f"check_limits: {count} tests, {len(said)} {what}"]))
    return 1 if said else 0


def check_measured(limit, build, others, cores):
    """Returns the exit status; others: processors that other work kept busy, on average."""
    own = min(1, max(0, 1 - others / cores))
    return report(len(limit), list(slow(limit, measured(build), own)), f"slow, beside other work on {others:.2f} of {cores} processors")


def main():
    ctest, build = sys.argv[1:3]
    limit = limits(ctest, build)
    if not limit:
        return report(0, [f"{build} has no tests"], "fault")
    if sys.argv[3:4] == ["--measured"]:
        return check_measured(limit, build, float(sys.argv[4]), len(os.sched_getaffinity(0)))
    return report(len(limit), list(faults_of_limits(limit)), f"with a limit below {LEAST_SECONDS} s or none")


if __name__ == "__main__":
    sys.exit(main())
