#!/usr/bin/env python3
# check_hardening.py FILE ...: checks with readelf that programs, shared libraries and archives have
# the hardening flags of dpkg-buildflags (KAURI_HARDENING).
# SPDX-License-Identifier: BSD-3-Clause
import os
import re
import subprocess
import sys

LIMIT_SECONDS = 1200  # for each wait
CHECKED = re.compile(r"\b__\w+_chk\b")  # calls that _FORTIFY_SOURCE replaces


def readelf(option, path):
    environment = {**os.environ, "LC_ALL": "C"}
    words = ["readelf", "-W", option, path]
    return subprocess.run(words, check=True, capture_output=True, text=True, timeout=LIMIT_SECONDS, env=environment).stdout


def faults(path):
    """Yields each missing flag. Objects of an archive show some flags only; the others depend on
    the program that links it."""
    symbols = readelf("-s", path)
    if "__stack_chk_fail" not in symbols:
        yield "no stack protectors (-fstack-protector-strong)"
    if not CHECKED.search(symbols.replace("__stack_chk_fail", "")):
        yield "no checked calls (-D_FORTIFY_SOURCE=2)"
    if str(path).endswith(".a"):
        return
    segments, dynamic = readelf("-l", path), readelf("-d", path)
    if "GNU_RELRO" not in segments:
        yield "relocations stay writable (-Wl,-z,relro)"
    if not re.search(r"BIND_NOW|\(FLAGS_1\).*\bNOW\b", dynamic):
        yield "symbols are bound late (-Wl,-z,now)"
    if re.search(r"GNU_STACK.*\bRWE\b", segments):
        yield "an executable stack"
    if "DYN" not in readelf("-h", path):
        yield "a fixed address (-pie)"


def main():
    found = [f"{path}: {fault}" for path in sys.argv[1:] for fault in faults(path)]
    print("\n".join([*found, f"check_hardening: {len(sys.argv) - 1} files, {len(found)} faults"]))
    return 1 if found or len(sys.argv) < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
