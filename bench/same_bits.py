#!/usr/bin/env python3
# same_bits.py FIRST SECOND FILE ... [--orderings NAME ...] [--threads N ...] [--max-flops X]: two
# programs kauri solve each system with each ordering on each number of threads, without refinement.
# Their solutions and their figures of the plan must be equal byte for byte. Prints the differences
# and a line of counts; exits with 1 if there are any. A system that both refuse for the same reason
# counts as equal.
# SPDX-License-Identifier: BSD-3-Clause
import argparse
import concurrent.futures
import itertools
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ORDERINGS = ("natural", "rcm", "md", "amd", "pamd", "nd", "metis", "auto")
FIGURES = ("ordering", "kernels", "status", "column", "pivot", "smallest_pivot", "pivot_ratio", "pivot_ratio_column", "nnzL", "flops", "stored_entries",
           "predicted_factor_s", "backward_error", "backward_error_componentwise", "peak_bytes", "reason")
LIMIT_SECONDS = 1800


def answer(program, file, ordering, threads, max_flops):
    """Returns the bytes of x, figures of the plan, exit status, and the message."""
    with tempfile.TemporaryDirectory() as folder:
        x = pathlib.Path(folder) / "x.npy"
        words = [program, "solve", str(file), "--ordering", ordering, "--threads", str(threads), "--backend", "cpu", "--refine", "0", "--max-flops", max_flops,
                 "--json", "-o", str(x)]  # fmt: skip
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=LIMIT_SECONDS)
        said = json.loads(done.stdout) if done.stdout.startswith("{") else {}
        return x.read_bytes() if x.exists() else b"", {key: said.get(key) for key in FIGURES}, done.returncode, re.sub(r"\S*kauri: ", "", done.stderr)


def compare(programs, case, max_flops):
    """Returns the difference in words or None, and whether there is an x."""
    file, ordering, threads = case
    first, second = (answer(program, file, ordering, threads, max_flops) for program in programs)
    for name, a, b in zip(("x", "figures of the plan", "exit status", "message"), first, second):
        if a != b:
            return f"{file} {ordering} {threads} threads: {name} differs" + ("" if name == "x" else f": {a} and {b}"), True
    return None, bool(first[0])


def main():
    parser = argparse.ArgumentParser(description="solutions of two builds, byte for byte")
    parser.add_argument("programs", nargs=2)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--orderings", nargs="+", default=ORDERINGS)
    parser.add_argument("--threads", nargs="+", type=int, default=(1, 2))
    parser.add_argument("--max-flops", default="5e10")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    cases = list(itertools.product(options.files, options.orderings, options.threads))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda case: compare(options.programs, case, options.max_flops), cases))
    faults = [fault for fault, _ in results if fault]
    print("\n".join(faults))
    print(f"{len(cases)} cases, {sum(solved for _, solved in results)} solved, {len(faults)} differ")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
