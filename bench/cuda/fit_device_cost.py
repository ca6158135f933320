#!/usr/bin/env python3
# Refits the constants that predict the seconds of a device (symbolic/device/cost.cpp) to lines of
# `kauri bench`.
# SPDX-License-Identifier: BSD-3-Clause
"""Reads JSON lines of `kauri bench --backend cuda` and prints constants and how well they predict.

    kauri bench FILES --gen "poisson3d 60" --gen ... --backend cuda --ordering metis --one-solve --reps 5 > runs.jsonl
    bench/cuda/fit_device_cost.py runs.jsonl

The runs need an idle device, the one of --target, and double. (Constants scaled from another device are
not in the source, so they cannot be fitted: to measure a device, give it separate constants.) If a
system has several lines, the least time of each phase counts. The formulas are those of
symbolic/device/cost.hpp, over the key device_work of each line. The fit minimises the sum of squares of
log(predicted / measured), damped for outliers, with a slight pull to today's constants, so that
constants that the systems do not determine stay unchanged. The script prints

    the constants          today's and fitted
    factor, solve, create  predicted / measured: median, shares within 1.25x and 2x, the worst; with today's constants (`today`), with those
                           fitted to all systems (`fit`), for each system with those fitted to all others (`left out`), and for the
                           second half of the systems by time, every other one, with those fitted to the first (`halves`)
    a table                of all systems

With `--cpu cpu.jsonl --auto auto.jsonl`, lines of the same systems with --backend cpu and --backend
auto, it also prints how good the choices are: the time of the job (first factorisation, then F - 1
more, S solves each) on the backend that auto took, over that on the better one. F and S are the options
of the three runs (--factorizations, --solves).

Needs NumPy and SciPy.
"""
import argparse
import json
import math
import pathlib
import re
import statistics

import numpy
from scipy.optimize import least_squares

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "symbolic/device/cost.cpp"
PHASES = {
    "factor": ["start_s", "narrow_level_s", "narrow_front_s", "small_level_s", "small_front_s", "tiled_level_s", "diagonal_tile_s",
               "product_s", "panel_tile_s", "bandwidth"],
    "solve": ["sweep_start_s", "sweep_small_level_s", "sweep_narrow_front_s", "sweep_small_front_s", "sweep_tiled_level_s", "sweep_tile_s",
              "sweep_panel_tile_s", "host_bandwidth"],
    "create": ["create_s", "create_bandwidth"],
}  # fmt: skip
PULL = 0.1  # weight that pulls a constant to today's, in units of log


def constants(target):
    """Returns today's constants from the source."""
    text = re.search(r'\.target = "' + target + r'",(.*?)\}', SOURCE.read_text(encoding="utf-8"), re.DOTALL).group(1)
    return {name: float(value) for name, value in re.findall(r"\.(\w+) = ([0-9.e+-]+)", text)}


def read(paths):
    """Returns a list of lines with the least seconds of each system."""
    systems = {}
    for path in paths:
        for text in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
            line = json.loads(text)
            if line["status"] != "ok" or not line.get("device_work") or line["scalar"] != "double":
                continue
            old = systems.setdefault(line["system"], line)
            for key in ("prepare_s", "factor_s", "factor1_s", "solve1_s"):
                line[key] = min(line[key], old[key])
            systems[line["system"]] = line
    return sorted(systems.values(), key=lambda line: line["factor_s"])


def levels(line, key):
    return numpy.array([level[key] for level in line["device_work"]["tiled"]], dtype=float)


def factor(c, line):
    work = line["device_work"]
    seconds = c["start_s"]
    for name in ("narrow", "small"):
        part = work[name]
        seconds += c[name + "_level_s"] * part["levels"] + c[name + "_front_s"] * part["fronts"] + part["bytes"] / c["bandwidth"]
    together = (levels(line, "products") * c["product_s"] + levels(line, "panel_tiles") * c["panel_tile_s"]
                + levels(line, "bytes") / c["bandwidth"])  # fmt: skip
    return seconds + float(numpy.sum(c["tiled_level_s"] + numpy.maximum(levels(line, "chain") * c["diagonal_tile_s"], together)))


def solve(c, line):
    work = line["device_work"]
    narrow, small = work["narrow"], work["small"]
    tiles = c["sweep_tile_s"] * levels(line, "chain") + c["sweep_panel_tile_s"] * levels(line, "panel_tiles")
    return (c["sweep_start_s"] + c["sweep_small_level_s"] * (narrow["levels"] + small["levels"])
            + c["sweep_narrow_front_s"] * narrow["fronts"] + c["sweep_small_front_s"] * small["fronts"]
            + float(numpy.sum(c["sweep_tiled_level_s"] + tiles)) + 16 * line["n"] / c["host_bandwidth"])  # fmt: skip


def create(c, line):
    return c["create_s"] + line["device_work"]["upload_bytes"] / c["create_bandwidth"]


FORMULA = {"factor": factor, "solve": solve, "create": create}
MEASURED = {
    "factor": lambda line: line["factor_s"],
    "solve": lambda line: line["solve1_s"],
    "create": lambda line: max(line["prepare_s"] + line["factor1_s"] - line["factor_s"], 1e-6),
}


def fit(phase, lines, today):
    """Returns today's constants with those of one phase fitted."""
    names, formula, measured = PHASES[phase], FORMULA[phase], MEASURED[phase]

    def with_logs(x):
        return {**today, **{name: math.exp(v) for name, v in zip(names, x)}}

    start = numpy.log([today[name] for name in names])

    def residuals(x):
        c = with_logs(x)
        return [math.log(formula(c, line) / measured(line)) for line in lines] + list(PULL * (x - start))

    return with_logs(least_squares(residuals, start, loss="soft_l1", f_scale=0.3).x)


def ratios(phase, c, lines):
    return [FORMULA[phase](c, line) / MEASURED[phase](line) for line in lines]


def describe(name, values):
    share = lambda bound: 100 * sum(1 / bound <= v <= bound for v in values) / len(values)  # noqa: E731
    print(f"  {name:9} median {statistics.median(values):.2f}, {share(1.25):.0f} % within 1.25x, {share(2):.0f} % within 2x, "
          f"{min(values):.2f} to {max(values):.2f} on {len(values)} systems")  # fmt: skip


def report(phase, lines, today):
    """Prints a phase; returns the ratios of each system left out."""
    fitted = fit(phase, lines, today)
    left_out = [ratios(phase, fit(phase, [other for other in lines if other is not line], today), [line])[0] for line in lines]
    print(f"{phase}:")
    for name in PHASES[phase]:
        print(f"  .{name} = {fitted[name]:.3g},  // today {today[name]:.3g}")
    describe("today", ratios(phase, today, lines))
    describe("fit", ratios(phase, fitted, lines))
    describe("left out", left_out)
    describe("halves", ratios(phase, fit(phase, lines[0::2], today), lines[1::2]))
    return ratios(phase, fitted, lines), left_out


def by_system(paths):
    lines = [json.loads(text) for path in paths for text in pathlib.Path(path).read_text(encoding="utf-8").splitlines()]
    return {line["system"]: line for line in lines if line["status"] == "ok"}


def report_auto(cuda, cpu, auto, factorizations, solves):
    """Prints how good the choices of auto are. Times come from the runs with an explicit backend;
    auto's own lines only tell the backend that it took and its prediction for the upload of A's
    values, which the other runs have already on the device."""

    def job(line, values_s=0.0):
        refactorizations = (factorizations - 1) * line["factor_s"]
        return line["prepare_s"] + line["factor1_s"] + refactorizations + factorizations * (values_s + solves * line["solve1_s"])

    def values_s(line):
        return max((target["predicted_values_s"] for target in line["targets"]), default=0.0)

    rows = []
    for system in sorted(cuda.keys() & cpu.keys() & auto.keys()):
        seconds = {"cuda": job(cuda[system], values_s(auto[system])), "cpu": job(cpu[system])}
        taken = auto[system]["backend"]
        rows.append((seconds[taken] / min(seconds.values()), system, taken, seconds))
    if not rows:
        return
    print(f"\nauto: {sum(ratio <= 1.2 for ratio, *_ in rows)} of {len(rows)} within 1.2x of the better backend, worst first:")
    for ratio, system, taken, seconds in sorted(rows, key=lambda row: (-row[0], row[1])):
        print(f"  {ratio:6.2f} {system:24} {taken:5} cpu {1e3 * seconds['cpu']:10.3f} ms  cuda {1e3 * seconds['cuda']:10.3f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", help="JSON lines of kauri bench --backend cuda")
    parser.add_argument("--target", default="sm_90", help="whose constants")
    parser.add_argument("--without", nargs="*", default=[], help="systems that take no part")
    parser.add_argument("--cpu", nargs="*", default=[], help="JSON lines of kauri bench --backend cpu")
    parser.add_argument("--auto", nargs="*", default=[], help="JSON lines of kauri bench --backend auto")
    parser.add_argument("--factorizations", type=int, default=1)
    parser.add_argument("--solves", type=int, default=1)
    options = parser.parse_args()
    lines = [line for line in read(options.runs) if line["system"] not in options.without]
    today = constants(options.target)
    columns = {phase: report(phase, lines, today) for phase in PHASES}
    print(f"\n{'':24}" + "".join(f"{phase + ' ms':>12} {'fit':>6} {'out':>6}" for phase in PHASES))
    for k, line in enumerate(lines):
        cells = [f"{1e3 * MEASURED[phase](line):12.3f} {columns[phase][0][k]:6.2f} {columns[phase][1][k]:6.2f}" for phase in PHASES]
        print(f"{line['system']:24}" + "".join(cells))
    report_auto(by_system(options.runs), by_system(options.cpu), by_system(options.auto), options.factorizations, options.solves)


if __name__ == "__main__":
    main()
