#!/usr/bin/env python3
"""Counts the FP64 instructions of the kernels that factorise and solve in float where FP64 is slow, and fails if one has more than LIMITS allows.

On most cards FP64 runs at 1/64 of the rate of FP32, conversions between the two included, so one
instruction for each entry of L would bound the time of a solve. What LIMITS allows runs once for each
failed front or for each block: the value of a failed pivot, and the least pivot.

    check_fp64.py --cuobjdump PROGRAM FILE ...      objects, libraries or cubins; prints a line for each kernel
    check_fp64.py --sass FILE ...                   reads output of cuobjdump -sass instead
Exits with 77 if the program is missing.
"""
# SPDX-License-Identifier: BSD-3-Clause
import argparse
import re
import shutil
import subprocess
import sys

LIMIT_SECONDS = 1200  # for each wait
# Part of a kernel's mangled name -> most FP64 instructions. Each must occur.
LIMITS = {
    r"5sweepIffNS\w*_10AsyncLoads": 0,  # solve/single, one right-hand side
    r"5sweepINS\w*_11MultiKernelIfLi8ELNS\w*_13SweepProductsE2": 0,  # solve/multi by multiply-adds
    r"5sweepINS\w*_11MultiKernelIfLi16ELNS\w*_13SweepProductsE2": 0,
    r"5sweepINS\w*_11MultiKernelIfLi32ELNS\w*_13SweepProductsE2": 0,
    r"6take_bIffLi32ELi32": 0,
    r"6give_xIffLi32ELi32": 0,
    r"11solve_batchIff": 0,
    r"24portable_fronts_by_warpsINS\w*_12MultiplyAddsIfEELi2": 1,  # small fronts
    r"24portable_fronts_by_warpsINS\w*_12MultiplyAddsIfEELi4": 1,
    r"9run_tasksINS\w*_7FmaLoopIfE": 1,  # tiled fronts
    r"9run_tasksINS\w*_8Tf32LoopILi3E": 1,
    r"12invert_tilesIfE": 0,
    r"12find_verdictIfE": 64,  # the least pivot of each block
}
FP64 = re.compile(r"\b(DFMA|DADD|DMUL|DMMA|DSETP|DMNMX|MUFU\.\w*64H|[FI]2[FI]\.[\w.]*F64)")
FUNCTION = re.compile(r"Function : (\S+)")
LINE = re.compile(r"^\s+/\*[0-9a-f]{4,}\*/\s")


def counts(listing):
    """Returns the number of FP64 instructions of each function of a listing, the largest of equal names (one for each architecture)."""
    found = {}
    name, number = None, 0
    for line in listing.splitlines():
        match = FUNCTION.search(line)
        if match:
            name, number = match[1], 0
            found.setdefault(name, 0)
        elif name and LINE.match(line) and FP64.search(line):
            number += 1
            found[name] = max(found[name], number)
    return found


def findings(found, limits=None):
    """Returns lines about the kernels that `limits` names, and how many are wrong or missing."""
    lines, wrong = [], 0
    for pattern, limit in (LIMITS if limits is None else limits).items():
        kernels = {name: number for name, number in found.items() if re.search(pattern, name)}
        if not kernels:
            lines.append(f"no kernel {pattern}: LIMITS or the sources changed")
            wrong += 1
        for name, number in sorted(kernels.items()):
            bad = number > limit
            wrong += bad
            lines.append(f"{'WRONG' if bad else 'ok'}: {number} FP64 instructions, at most {limit}: {name}")
    return lines, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cuobjdump", default="cuobjdump")
    parser.add_argument("--sass", action="store_true")
    parser.add_argument("file", nargs="+")
    options = parser.parse_args()
    if not options.sass and shutil.which(options.cuobjdump) is None:
        print(f"skipped: no {options.cuobjdump}")
        return 77
    found = {}
    for path in options.file:
        if options.sass:
            with open(path, encoding="utf-8") as listing:
                text = listing.read()
        else:
            command = [options.cuobjdump, "-sass", path]
            text = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True, timeout=LIMIT_SECONDS).stdout
        for name, number in counts(text).items():
            found[name] = max(found.get(name, 0), number)
    lines, wrong = findings(found)
    print("\n".join(lines))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
