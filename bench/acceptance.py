#!/usr/bin/env python3
# Runs `kauri solve` on every system with every ordering in double and float, compares the backward
# errors with the targets, and prints a table and a verdict. With --threads-bits it also checks that
# x has equal bits for 1, 2 and 8 threads.
# SPDX-License-Identifier: BSD-3-Clause
"""Examples:
  acceptance.py --kauri build/src/cli/kauri ../shared/matrices/*
  acceptance.py --kauri build/src/cli/kauri --threads-bits --orderings amd,metis --scalars double system.mtx.gz

Targets: the componentwise backward error (Arioli, Demmel & Duff 1989) in double is at most 1e-14 as
solved and at most 1e-15 after at most two steps of refinement; in float at most 5e-6 as solved. The
largest memory held for factor and workspace equals the plan's figure, byte for byte. A plan beyond the
limits must be refused with exit code 3 and the bytes. A system that data/expected.json calls indefinite
must be reported as such (exit code 2); any other breakdown in double is a failure. In float a
breakdown, or an entry beyond float's range, is reported and not judged: A rounded to float need not be
positive definite. Exit code 0: all targets met; 1: not."""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ORDERINGS = ["natural", "rcm", "md", "amd", "pamd", "nd", "metis"]
THREADS = [1, 2, 8]
STEPS = 2
UNREFINED = {"double": 1e-14, "float": 5e-6}
REFINED = {"double": 1e-15}
DATA = pathlib.Path(__file__).resolve().parent.parent / "data"

Row = collections.namedtuple("Row", "system ordering scalar status unrefined refined steps ok note")


def data_systems():
    """Returns the files of data/ that hold a system, and the names of the indefinite ones."""
    expected = json.loads((DATA / "expected.json").read_text(encoding="utf-8")).values()
    files = [DATA / system["file"] for system in expected]
    return files, {system["file"] for system in expected if system.get("breakdown_column_natural") is not None}


def solve(options, file, ordering, *words):
    command = [options.kauri, "solve", file, "--ordering", ordering, "--max-gb", options.max_gb, "--max-flops", options.max_flops, *words]
    try:
        return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=options.timeout, check=False)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, -1, "", f"took more than {options.timeout} s")


def refused(done):
    return done.returncode == 3 and re.search(r"\d+ bytes", done.stderr) is not None


def judge(result, scalar):
    """Returns the targets that a solved system misses, or ""."""
    missed = []
    for key, bound in (("backward_error_componentwise_unrefined", UNREFINED), ("backward_error_componentwise", REFINED)):
        error = result[key]
        if scalar in bound and not (error is not None and error <= bound[scalar]):
            missed.append(f"{key} above {bound[scalar]:g}")
    if result["peak_bytes"] != result["planned_bytes"]:
        missed.append(f"{result['peak_bytes']} bytes held, {result['planned_bytes']} planned")
    if result["refine_steps"] > STEPS:
        missed.append(f"{result['refine_steps']} steps")
    return "; ".join(missed)


def accuracy(options, file, ordering, scalar, indefinite):
    """Returns one solve as a Row."""
    done = solve(options, file, ordering, "--scalar", scalar, "--refine", STEPS, "--json")
    name = pathlib.Path(file).name
    last = done.stderr.strip().splitlines()[-1:]
    row = Row(name, ordering, scalar, "failed", None, None, None, False, last[0] if last else "")
    if refused(done):
        return row._replace(status="refused", ok=True)
    try:
        result = json.loads(done.stdout)
    except ValueError:
        beyond = scalar == "float" and done.returncode == 1 and "in float" in done.stderr
        return row._replace(status="beyond float" if beyond else f"exit {done.returncode}", ok=beyond)
    row = row._replace(status=result["status"])
    if indefinite or done.returncode == 2:
        found = done.returncode == 2 and result["status"] == "not_positive_definite"
        return row._replace(ok=found and (indefinite or scalar == "float"))
    row = row._replace(unrefined=result["backward_error_componentwise_unrefined"], refined=result["backward_error_componentwise"],
                       steps=result["refine_steps"])  # fmt: skip
    if done.returncode != 0 or result["status"] != "ok":
        return row
    missed = judge(result, scalar)
    return row._replace(ok=not missed, note=missed)


def same_bits(options, file, ordering, scalar):
    """Returns as a Row whether x is equal, byte for byte, for every number of threads."""
    row = Row(pathlib.Path(file).name, ordering, scalar, "same bits", None, None, None, True, "")
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for threads in THREADS:
            path = pathlib.Path(folder) / "x.npy"
            path.unlink(missing_ok=True)
            done = solve(options, file, ordering, "--scalar", scalar, "--refine", 0, "--threads", threads, "-o", path, "--json")
            found[threads] = path.read_bytes() if done.returncode == 0 else f"exit {done.returncode}"
            if done.returncode == 0 and json.loads(done.stdout)["threads"] != threads:
                return row._replace(status="THREADS", ok=False, note=f"asked for {threads}, ran {json.loads(done.stdout)['threads']}")
    if len(set(found.values())) > 1:
        what = ", ".join(f"{t}: {v if isinstance(v, str) else 'x'}" for t, v in found.items())
        return row._replace(status="BITS DIFFER", ok=False, note=f"threads {what}")
    [only] = set(found.values())
    return row if isinstance(only, bytes) else row._replace(status=f"no x: {only}", ok=only in ("exit 2", "exit 3") or scalar == "float")


def line(row):
    error = lambda e: "-" if e is None else f"{e:.1e}"  # noqa: E731
    cells = f"{row.system[:28]:<28} {row.ordering:<8} {row.scalar:<6} {row.status:<21} {error(row.unrefined):>8} {error(row.refined):>8}"
    steps = "-" if row.steps is None else row.steps
    return f"{cells} {steps:>5}  {'' if row.ok else 'MISSED '}{row.note if not row.ok else ''}".rstrip()


def verdict(rows):
    """Yields lines that sum up the table."""
    for scalar in UNREFINED:
        solved = [row for row in rows if row.scalar == scalar and row.status == "ok"]
        if not solved:
            continue
        worst = max(solved, key=lambda row: row.unrefined)
        yield f"{scalar}: {len(solved)} solved; worst as solved {worst.unrefined:.1e} ({worst.system}, {worst.ordering})"
        worst, steps = max(solved, key=lambda row: row.refined), max(row.steps for row in solved)
        yield f"{scalar}: worst refined {worst.refined:.1e} ({worst.system}, {worst.ordering}), at most {steps} steps"
    yield ", ".join(f"{count} {status}" for status, count in sorted(collections.Counter(row.status for row in rows).items()))
    missed = [row for row in rows if not row.ok]
    yield f"VERDICT: {'all met' if not missed else f'{len(missed)} of {len(rows)} missed'}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", help="systems; those of data/ are always there too")
    parser.add_argument("--kauri", required=True, help="the program")
    parser.add_argument("--orderings", default=",".join(ORDERINGS))
    parser.add_argument("--scalars", default="double,float")
    parser.add_argument("--max-gb", default="8")
    parser.add_argument("--max-flops", default="2e12")
    parser.add_argument("--timeout", type=float, default=1200, help="seconds for one run")
    parser.add_argument("--threads-bits", action="store_true", help="also compare x for 1, 2 and 8 threads, with auto as one more ordering")
    options = parser.parse_args()
    own, indefinite = data_systems()
    rows = []

    def add(row):
        rows.append(row)
        print(line(row), flush=True)

    print(f"{'system':<28} {'ordering':<8} {'scalar':<6} {'status':<21} {'solved':>8} {'refined':>8} {'steps':>5}")
    for file in [*own, *(f for f in options.files if f.endswith((".mtx", ".mtx.gz", ".npz")))]:
        for scalar in options.scalars.split(","):
            for ordering in options.orderings.split(","):
                add(accuracy(options, file, ordering, scalar, pathlib.Path(file).name in indefinite))
            for ordering in [*options.orderings.split(","), "auto"] if options.threads_bits else []:
                add(same_bits(options, file, ordering, scalar))
    print("\n" + "\n".join(verdict(rows)))
    return 0 if rows and all(row.ok for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
