#!/usr/bin/env python3
# check_limits.py CTEST BUILD [--measured]: no test of a build has a limit below the least one, which is for what hangs. --measured: prints the tests
# that took more than a tenth of their limit in the last runs; on a quiet machine none should.
# SPDX-License-Identifier: BSD-3-Clause
import json
import pathlib
import subprocess
import sys

LEAST_SECONDS = 1200
DEFAULT_SECONDS = 1500  # of CTest, for tests that name none


def limits(ctest, build):
    """Seconds by name."""
    command = [ctest, "--test-dir", build, "--show-only=json-v1"]
    tests = json.loads(subprocess.run(command, check=True, capture_output=True, text=True, timeout=300).stdout)["tests"]
    named = {test["name"]: {item["name"]: item["value"] for item in test.get("properties", [])} for test in tests}
    return {name: properties.get("TIMEOUT", DEFAULT_SECONDS) for name, properties in named.items()}


def measured(build):
    """Mean seconds of the runs so far, by name, as CTest keeps them."""
    path = pathlib.Path(build) / "Testing" / "Temporary" / "CTestCostData.txt"
    lines = path.read_text(encoding="utf-8").split("---")[0].splitlines() if path.exists() else []
    return {name: float(seconds) for name, _, seconds in map(str.split, lines)}


def main():
    ctest, build = sys.argv[1:3]
    limit = limits(ctest, build)
    if "--measured" in sys.argv[3:]:
        for name, seconds in sorted(measured(build).items(), key=lambda item: -item[1]):
            if seconds > limit.get(name, DEFAULT_SECONDS) / 10:
                print(f"{name} took {seconds:.0f} s: more than a tenth of its limit of {limit.get(name, DEFAULT_SECONDS):.0f} s; split it if the machine was quiet")
        return 0
    low = [f"{name}: a limit of {seconds:g} s, expected {LEAST_SECONDS} or more" for name, seconds in limit.items() if seconds < LEAST_SECONDS]
    if not limit:
        low = [f"{build} has no tests"]
    print("\n".join([*low, f"check_limits: {len(limit)} tests, {len(low)} with a limit below {LEAST_SECONDS} s"]))
    return 1 if low else 0


sys.exit(main())
