#!/usr/bin/env python3
# Refits the constants by which `auto` chooses an ordering (symbolic/common/cost_table.cpp,
# symbolic/choose/rules.hpp) to lines of `kauri bench`.
# SPDX-License-Identifier: BSD-3-Clause
"""Reads JSON lines of `kauri bench` and prints constants and how well `auto` does.

Lines are made, one run per ordering, by

    for o in natural rcm md amd pamd nd metis auto; do
      kauri bench FILES --gen "poisson3d 20" --gen ... --ordering $o --threads 1 --reps 3 --max-flops 1e11 > $o.jsonl
    done
    bench/ordering/fit_cost_table.py natural.jsonl rcm.jsonl md.jsonl amd.jsonl pamd.jsonl nd.jsonl metis.jsonl --auto auto.jsonl

with one thread, on an idle machine. If a system and ordering has several lines, the least time of each
phase counts. The other efforts of nd are fitted to separate runs (--ordering nd --effort best), in a
call without those of the default effort. The script prints

    order constants      today's constants times the median of reorder_s / predicted_reorder_s over systems of at least 1 ms; of nd, over the
                         systems that it dissects (more than kNoGainWork operations per entry of L)
    outline constants    seconds per row and per entry of A of the symbolic phase, least squares of the relative error
    factor constants     seconds per front, row, operation and entry of A: least squares of the relative error, none negative, with the
                         bandwidth as it is in the table (needs SciPy)
    factor               predicted_factor_s / factor_s: median, and the share within a factor of 2 (one thread only)
    solve constants      seconds per front, column and byte of L of a sweep, likewise
    gain                 the part of the cost of fill that nd saves, by doublings of the operations per entry of the best L without it
    auto                 total (reorder + symbolic + factor + solve1) of auto over the best of the single orderings
"""
import argparse
import collections
import json
import math
import pathlib
import re
import statistics

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "symbolic/common/cost_table.cpp"
NAMES = {"rcm": "rcm", "minimum_degree": "md", "amd": "amd", "parallel_amd": "pamd", "metis": "metis"}
PHASES = ["reorder_s", "symbolic_s", "factor_s", "solve1_s"]


def read(single, auto):
    """Returns {system: {ordering asked for: line}}; a line itself names the ordering that was
    taken."""
    table = collections.defaultdict(dict)
    for path, asked in [(path, None) for path in single] + [(path, "auto") for path in auto]:
        for text in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
            line = json.loads(text)
            if line["status"] != "ok":
                continue
            old = table[line["system"]].setdefault(asked or line["ordering"], line)
            for phase in PHASES:
                old[phase] = min(old[phase], line[phase])
    return table


def total(line):
    return sum(line[phase] for phase in PHASES)


def constant(name, source):
    return float(re.search(rf"{name} =\s+([0-9.]+);", source).group(1))


def fit_orders(table):
    source, pair = SOURCE.read_text(encoding="utf-8"), r"{([0-9.e-]+), ([0-9.e-]+)}"
    methods = {method: (vertex, edge) for method, vertex, edge in re.findall(r"case OrderingMethod::(\w+):\s+return " + pair, source)}
    efforts = {effort: (vertex, edge) for vertex, edge, effort in re.findall(r"OrderConstants" + pair + r",\s+// (\w+)", source)}
    no_gain = constant("kNoGainWork", source)
    cases = [(name, None, methods[method]) for method, name in NAMES.items()] + [("nd", effort, efforts[effort]) for effort in efforts]
    for name, effort, today in cases:
        ratios = [row[name]["reorder_s"] / row[name]["predicted_reorder_s"] for row in table.values()
                  if name in row and row[name].get("effort") == effort and row[name]["predicted_reorder_s"] > 0
                  and row[name]["reorder_s"] > 1e-3 and (effort is None or row[name]["flops"] > no_gain * row[name]["nnzL"])]  # fmt: skip
        if ratios:
            middle = statistics.median(ratios)
            vertex, edge = map(float, today)
            print(f"order {name:5} {effort or '':7}: {vertex * middle:.3g} per vertex, {edge * middle:.3g} per edge (today {vertex}, {edge}; "
                  f"measured/predicted: median {middle:.2f}, {min(ratios):.2f} to {max(ratios):.2f} on {len(ratios)} systems)")  # fmt: skip


def fit_outline(table):
    """Minimises sum ((a n + b nnz) / t - 1)^2 over single orderings."""
    sums = [0.0] * 5
    for row in table.values():
        for name, line in row.items():
            if name == "auto" or line["symbolic_s"] <= 0:
                continue
            x, y = line["n"] / line["symbolic_s"], line["nnz_lower"] / line["symbolic_s"]
            sums = [s + d for s, d in zip(sums, (x * x, x * y, y * y, x, y))]
    xx, xy, yy, x, y = sums
    determinant = xx * yy - xy * xy
    if determinant > 0:
        print(f"symbolic: {(x * yy - y * xy) / determinant:.3g} s per row + {(y * xx - x * xy) / determinant:.3g} s per entry")


def single_lines(table, least):
    """Returns lines of single orderings on one thread with factor_s of at least `least`: shorter
    ones are noise."""
    return [line for row in table.values() for name, line in row.items()
            if name != "auto" and line["threads"] == 1 and line["factor_s"] >= least]  # fmt: skip


def non_negative(rows, seconds):
    """Returns x >= 0 that minimises the sum of (row x / seconds - 1)^2."""
    from scipy.optimize import nnls

    return nnls([[x / t for x in row] for row, t in zip(rows, seconds)], [1.0] * len(rows))[0]


def fit_factor(table):
    bandwidth = float(re.search(r'"cpu-avx512".*?\.bandwidth = ([0-9.e+]+)', SOURCE.read_text(encoding="utf-8"), re.DOTALL).group(1))
    lines = single_lines(table, 2e-4)
    if not lines:
        return
    # The bandwidth is given: only very large fronts, which run at the peak, could separate its
    # share from that of rows.
    known = [8 * (line["stored_entries"] + 2 * line["contribution_entries"]) / bandwidth for line in lines]
    rows = [[line[key] for key in ("supernodes", "front_rows", "executed_flops", "nnz_lower")] for line in lines]
    x = non_negative(rows, [max(line["factor_s"] - k, 0.1 * line["factor_s"]) for line, k in zip(lines, known)])
    print(f"factor: {x[0]:.3g} s per front + {x[1]:.3g} s per row + {x[3]:.3g} s per entry, peak {1 / max(x[2], 1e-30):.3g}, "
          f"at bandwidth {bandwidth:.3g}")  # fmt: skip


def fit_solve(table):
    lines = [line for line in single_lines(table, 0) if line["solve1_s"] > 1e-3]
    if not lines:
        return
    rows = [[2 * line["supernodes"], 2 * line["n"], 2 * 8 * line["stored_entries"]] for line in lines]
    x = non_negative(rows, [line["solve1_s"] for line in lines])
    print(f"solve: {x[0]:.3g} s per front + {x[1]:.3g} s per column and sweep, bandwidth {1 / max(x[2], 1e-30):.3g}")


def report_factor(table):
    ratios = [line["predicted_factor_s"] / line["factor_s"] for line in single_lines(table, 0)]
    if ratios:
        inside = sum(0.5 <= ratio <= 2 for ratio in ratios) / len(ratios)
        print(f"factor: predicted/measured median {statistics.median(ratios):.2f}, {100 * inside:.0f} % within 2x of {len(ratios)}")


def fit_gain(table):
    """Fits the part of the cost of fill that nd saves, by doublings of the operations per entry of
    the best L without it."""
    source = SOURCE.read_text(encoding="utf-8")
    no_gain, slope = constant("kNoGainWork", source), constant("kGainPerDoubling", source)
    points = []
    for system, row in table.items():
        others = [line for name, line in row.items() if name not in ("nd", "metis", "auto")]
        if "nd" not in row or not others:
            continue
        best = min(others, key=lambda line: line["factor_s"] + line["solve1_s"])
        seconds = best["factor_s"] + best["solve1_s"]
        fill = (1 - best["nnz_lower"] / best["nnzL"]) * seconds
        work = best["flops"] / best["nnzL"]
        if fill > 0:
            points.append((work, (seconds - row["nd"]["factor_s"] - row["nd"]["solve1_s"]) / fill, system))
    above = [(math.log2(work / no_gain), part) for work, part, _ in points if work > no_gain]
    if above:
        print(f"gain: {sum(x * y for x, y in above) / sum(x * x for x, _ in above):.3g} per doubling from {no_gain:g} operations per entry "
              f"(today {slope:g})")  # fmt: skip
    for work, part, system in sorted(points):
        print(f"  {work:7.0f} operations per entry: nd spares {100 * part:4.0f} % of what fill costs ({system})")


def report_auto(table):
    rows = []
    for system, row in table.items():
        single = {name: total(line) for name, line in row.items() if name != "auto"}
        if "auto" in row and single:
            best = min(single, key=single.get)
            rows.append((total(row["auto"]) / single[best], system, row["auto"]["ordering"], best))
    if rows:
        inside = sum(ratio <= 1.1 for ratio, *_ in rows) / len(rows)
        print(f"auto/best: {100 * inside:.0f} % within 10 % of {len(rows)} systems, worst first:")
        for ratio, system, chosen, best in sorted(rows, reverse=True):
            print(f"  {ratio:5.2f}  {system}: {chosen}, best {best}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("single", nargs="+", help="JSON lines of kauri bench, of one ordering each")
    parser.add_argument("--auto", nargs="*", default=[], help="JSON lines of kauri bench --ordering auto")
    options = parser.parse_args()
    table = read(options.single, options.auto)
    for step in (fit_orders, fit_outline, fit_factor, report_factor, fit_solve, fit_gain, report_auto):
        step(table)


if __name__ == "__main__":
    main()
