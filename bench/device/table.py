#!/usr/bin/env python3
# Compares lines of `kauri bench` on a device with those of a reference, system by system.
# SPDX-License-Identifier: BSD-3-Clause
"""table.py --reference cudss.jsonl runs.jsonl ...

The fastest of several lines of a system counts. The script prints milliseconds of a refactorisation,
with the reference in brackets, their ratio (above 1: kauri is faster), the rate in exact operations,
memory, the unrefined componentwise backward error, the first factorisation from create on, and the time
of its plan's upload before (which the reference's analysis includes). Then it prints the geometric mean
of the ratios, the slowest systems, and the systems that miss a bound: error above 1e-14; more memory than a
reference that takes over 1 GB, as counted with a solve's workspace and as the device's driver reports
for plan and factor (both count A's values, which the reference's does not); more of the driver's memory
than planned plus its rounding; a first verdict, upload included, later than 1.5 refactorisations, the
uploaded bytes at 20 GB/s and 5 ms; a first verdict later than the reference's.
With --solves it reads lines of `bench/solves` and prints for each number of right-hand sides:
milliseconds of a solve, with the reference in brackets, their ratio (if the reference has this solve),
the share of the bound (reading L twice, and a chain of tiles), the geometric mean, missed bounds, and
systems of the reference that were not solved. With --spmv it reads lines of `bench/spmv` and prints
kauri over the vendor's faster product (above 1: kauri is faster), warm and cold, for each number of
columns, with geometric mean and least. With --jobs it reads lines of `kauri bench --ordering auto` and
prints ordering and symbolic phase, and the time from a system in memory to x, beside the reference's;
with --methods, lines of single orderings, how far `auto` is from the best of them."""
import argparse
import json
import math
import pathlib
import re

MOST_ERROR = 1e-14
UPLOAD_BANDWIDTH = 20e9  # bytes/s
UPLOAD_START = 5e-3  # s
ROUNDING = 2 * 2**21  # rounding of the driver, in two allocations
LEAST_RATIOS = {1: 1.8, 32: 3}  # required ratios to the reference, by number of right-hand sides
LEAST_SHARE, LARGE, LARGER = 0.7, 1e8, 7e8  # one right-hand side: share of the bound, from LARGE entries of L on; from LARGER on also of bandwidth
SOLVE_KEY = re.compile(r"^solve(\d+)_s$")


def name_of(line):
    """Returns the name of a system: a specification, or a file without folder and suffix."""
    return line["system"].split("/")[-1].removesuffix(".kspd").removesuffix(".gz").removesuffix(".mtx").removesuffix(".npz")


def lines_of(paths):
    for path in paths:
        for text in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
            yield json.loads(text)


def memory_without_values(line):
    return line["mem_gb"] - 8e-9 * line["nnz_lower"]


def is_late(line):
    """Returns whether the first verdict took longer than the refactorisation and the upload
    explain."""
    bound = 1.5 * line["factor_s"] + line["prepared_bytes"] / UPLOAD_BANDWIDTH + UPLOAD_START
    return line["prepare_s"] + line["factor1_s"] > bound


def geometric_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def slowest(ratios, most=6, below=math.inf):
    least = [f"{name} {ratio:.2f}x" for name, ratio in sorted(ratios.items(), key=lambda x: x[1])[:most] if ratio < below]
    return ", ".join(least) or "none"


def print_missing(reference, runs):
    print("no run:", ", ".join(name for name in reference if name not in runs) or "none")


def solves_by_columns(reference, lines):
    """Returns {right-hand sides: {system of the reference: its fastest line}}."""
    runs = {}
    for line in lines:
        name = name_of(line)
        if line.get("status", "ok") != "ok":
            print(f"{name}: {line['status']}")
            continue
        if name not in reference:
            continue
        for key in filter(SOLVE_KEY.match, line):
            best = runs.setdefault(int(SOLVE_KEY.match(key)[1]), {})
            if name not in best or line[key] < best[name][key]:
                best[name] = line
    return runs


def report_solves_of(columns, reference, runs):
    key = f"solve{columns}_s"
    ratios = {name: reference[name][key] / line[key] for name, line in runs.items() if key in reference[name]}
    for name, line in runs.items():
        beside = f"({1e3 * reference[name][key]:7.3f}) {ratios[name]:5.2f}x" if name in ratios else "(      -)      -"
        print(
            f"{name:20} solve {columns:2} {1e3 * line[key]:8.3f} ms {beside}, "
            f"{100 * line['share']:3.0f} % of the bound, error {line['componentwise']:.1e}"
        )
    if ratios:
        print(f"solves of {columns}, {len(ratios)} systems: geometric mean {geometric_mean(ratios.values()):.2f}x; least {slowest(ratios)}")
    if ratios and columns in LEAST_RATIOS:
        least = LEAST_RATIOS[columns]
        print(f"below {least}x:", slowest(ratios, len(ratios), least))
    if columns == 1:
        large = [n for n, line in runs.items() if line["nnz_l"] >= LARGE and line["share"] < LEAST_SHARE]
        print(f"below {LEAST_SHARE} of the bound, of those with {LARGE:.0e} entries of L and more:", ", ".join(large) or "none")
        larger = [n for n, line in runs.items() if line["nnz_l"] >= LARGER and line["bandwidth_s"] < LEAST_SHARE * line[key]]
        print(f"below {LEAST_SHARE} of bandwidth alone, of those with {LARGER:.0e}:", ", ".join(larger) or "none")
    print("other bits in another run:", ", ".join(n for n, line in runs.items() if not line["same_bits"]) or "none")
    print_missing(reference, runs)


def report_solves(reference, lines):
    runs = solves_by_columns(reference, lines)
    if not runs:
        raise SystemExit("no system of the reference was solved")
    for columns, of in sorted(runs.items()):
        report_solves_of(columns, reference, of)


def report_spmv(reference, lines):
    """Prints products; the line of a system with the fastest warm product with one column counts,
    and systems need not be in the reference."""
    runs = {}
    for line in lines:
        name = name_of(line)
        if name not in runs or line["columns_1"]["warm_median_s"] < runs[name]["columns_1"]["warm_median_s"]:
            runs[name] = line
    if not runs:
        raise SystemExit("no products")
    ratios = {}
    for name, line in runs.items():
        told = []
        for key in (key for key in line if key.startswith("columns_")):
            columns = int(key.removeprefix("columns_"))
            for how in ("warm", "cold"):
                ratios.setdefault((columns, how), {})[name] = line[key][f"{how}_ratio"]
            told.append(f"{columns:2}: {line[key]['warm_ratio']:5.2f}x warm {line[key]['cold_ratio']:5.2f}x cold")
        print(f"{name:20} {line['kernel']:12} {', '.join(told)}")
    for (columns, how), of in sorted(ratios.items()):
        print(f"products of {columns}, {how}, {len(of)} systems: geometric mean {geometric_mean(of.values()):.2f}x; least {slowest(of)}")
    print_missing(reference, runs)


def analysis(line):
    return line["reorder_s"] + line["symbolic_s"]


def whole(line):
    """Returns the seconds from a system in memory to x."""
    return analysis(line) + line.get("prepare_s", 0) + line["factor1_s"] + line["solve1_s"]


def least(paths, reference, seconds):
    """Returns the line with the least `seconds` for each of the reference's systems."""
    best = {}
    for line in lines_of(paths):
        name = name_of(line)
        if line.get("status", "ok") == "ok" and name in reference and (name not in best or seconds(line) < seconds(best[name])):
            best[name] = line
    return best


def report_jobs(reference, jobs, methods):
    lines, wholes = least(jobs, reference, analysis), least(jobs, reference, whole)
    if not lines:
        raise SystemExit("no system of the reference was solved")
    ratios = {key: {} for key in ("order + symbolic", "whole job", "refactorisation")}
    for name, line in lines.items():
        other, job = reference[name], wholes[name]
        ratios["order + symbolic"][name] = analysis(other) / analysis(line)
        ratios["whole job"][name] = whole(other) / whole(job)
        ratios["refactorisation"][name] = other["factor_s"] / job["factor_s"]
        print(
            f"{name:20} {line['ordering']:5} order + symbolic {1e3 * analysis(line):8.1f} ms ({1e3 * analysis(other):8.1f}) "
            f"{ratios['order + symbolic'][name]:5.2f}x, whole job {1e3 * whole(job):8.1f} ms ({1e3 * whole(other):8.1f}) {ratios['whole job'][name]:5.2f}x, "
            f"refactorisation {1e3 * job['factor_s']:8.2f} ms ({1e3 * other['factor_s']:8.2f}) {ratios['refactorisation'][name]:5.2f}x"
        )
    for key, of in ratios.items():
        print(f"{key}, {len(of)} systems: geometric mean {geometric_mean(of.values()):.2f}x; least {slowest(of)}")
    large = [f"{n} {r:.2f}x" for n, r in ratios["order + symbolic"].items() if reference[n]["n"] >= 100_000 and r < 2]
    print("order + symbolic below 2x, of those with 100,000 rows and more:", ", ".join(large) or "none")
    single = least([*methods, *jobs], reference, whole) if methods else {}
    behind = {n: whole(wholes[n]) / whole(line) for n, line in single.items() if n in wholes}
    far = sorted((-r, n) for n, r in behind.items() if r > 1.1)
    print(f"auto more than 10 % behind the best method, of {len(behind)}:", ", ".join(f"{n} {-r:.2f}" for r, n in far) or "none")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reference", required=True, help="JSON lines with system, factor_s, factor1_s, mem_gb")
    parser.add_argument("runs", nargs="*", help="JSON lines of kauri bench")
    parser.add_argument("--solves", nargs="*", default=[], help="JSON lines of bench/solves")
    parser.add_argument("--spmv", nargs="*", default=[], help="JSON lines of bench/spmv")
    parser.add_argument("--jobs", nargs="*", default=[], help="JSON lines of kauri bench --ordering auto")
    parser.add_argument("--methods", nargs="*", default=[], help="JSON lines of kauri bench by single orderings")
    parser.add_argument("--job-reference", help="JSON lines of the reference measured beside --jobs, instead of --reference's")
    arguments = parser.parse_args()
    reference = {name_of(line): line for line in lines_of([arguments.reference])}
    if arguments.jobs:
        beside = least([arguments.job_reference], reference, whole) if arguments.job_reference else reference
        report_jobs(beside, arguments.jobs, arguments.methods)
    if arguments.solves:
        report_solves(reference, lines_of(arguments.solves))
    if arguments.spmv:
        report_spmv(reference, lines_of(arguments.spmv))
    if not arguments.runs:
        return
    runs = {}
    for line in lines_of(arguments.runs):
        name = name_of(line)
        if line["status"] != "ok":
            print(f"{name}: {line['status']} {line['fail']}")
        elif name in reference and (name not in runs or line["factor_s"] < runs[name]["factor_s"]):
            runs[name] = line
    ratios = {}
    for name, other in reference.items():
        if name not in runs:
            print(f"{name}: no run")
            continue
        line = runs[name]
        ratios[name] = other["factor_s"] / line["factor_s"]
        print(
            f"{name:20} {1e3 * line['factor_s']:9.2f} ms ({1e3 * other['factor_s']:8.2f}) {ratios[name]:5.2f}x "
            f"{line['flops'] / line['factor_s'] / 1e12:5.1f} TF {memory_without_values(line):6.2f} GB ({other['mem_gb']:5.2f}) "
            f"error {line['backward_error_componentwise']:.1e} first {1e3 * line['factor1_s']:7.2f} ms ({1e3 * other['factor1_s']:7.2f}), "
            f"upload {1e3 * line['prepare_s']:7.2f}"
        )
    if not ratios:
        raise SystemExit("no system of the reference was run")
    print(f"{len(ratios)} systems: geometric mean {geometric_mean(ratios.values()):.2f}x; least {slowest(ratios)}")
    print("error above 1e-14:", ", ".join(n for n, line in runs.items() if line["backward_error_componentwise"] > MOST_ERROR) or "none")
    large = [n for n, line in runs.items() if reference[n]["mem_gb"] > 1 and memory_without_values(line) > reference[n]["mem_gb"]]
    print("more memory than the reference, of those above 1 GB:", ", ".join(large) or "none")
    large = [n for n, line in runs.items() if reference[n]["mem_gb"] > 1 and line["device_bytes"] / 1e9 - 8e-9 * line["nnz_lower"] > reference[n]["mem_gb"]]
    print("the same by the device's driver:", ", ".join(large) or "none")
    more = [n for n, line in runs.items() if line["device_bytes"] > line["planned_bytes"] + ROUNDING]
    print("more of the driver's memory than planned:", ", ".join(more) or "none")
    print("first verdict after upload and create late:", ", ".join(n for n, line in runs.items() if is_late(line)) or "none")
    later = [f"{n} {1e3 * line['factor1_s']:.2f} ({1e3 * reference[n]['factor1_s']:.2f})" for n, line in runs.items() if line["factor1_s"] > reference[n]["factor1_s"]]
    print("first verdict after create later than the reference's, in ms:", ", ".join(later) or "none")


if __name__ == "__main__":
    main()
