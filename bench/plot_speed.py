#!/usr/bin/env python3
# Draws docs/pictures/speed.svg, kauri beside other solvers, from docs/measurements/*.jsonl.
#     bench/plot_speed.py [--check]     --check: compare with the picture that is there, write nothing
# SPDX-License-Identifier: BSD-3-Clause
"""A bar is the geometric mean of the ratios of all systems; a thin line spans the ratios that are
known, from the least to the greatest. The same lines give the same bytes on every machine."""
import argparse
import json
import math
import pathlib
import sys
from xml.sax.saxutils import escape

ROOT = pathlib.Path(__file__).resolve().parents[1]
PICTURE = pathlib.Path("docs/pictures/speed.svg")
MEASUREMENTS = pathlib.Path("docs/measurements")
KEYS = ("system", "phase", "seconds", "solver", "ordering", "machine", "commit")

# Groups of bars: heading, phase, ordering of each bar, and the bars as (peer, label).
GROUPS = (
    ("Whole job: order, analyse, factorise, solve", "job", "own",
     (("cudss", "cuDSS"), ("pardiso", "MKL PARDISO"), ("eigen-cholmod", "CHOLMOD, by Eigen"),
      ("eigen", "Eigen SimplicialLLT"))),
    ("Refactorise by METIS’s ordering", "refactorise", "metis",
     (("cudss", "cuDSS"), ("pardiso", "MKL PARDISO"), ("cholmod", "CHOLMOD"))),
    ("Refactorise by each solver’s own ordering", "refactorise", "own",
     (("cudss", "cuDSS"), ("eigen-cholmod", "CHOLMOD, by Eigen"),
      ("eigen", "Eigen SimplicialLLT"))),
    ("Solve, 1 right-hand side", "solve1", "metis",
     (("cudss", "cuDSS"), ("best", "best of PARDISO, CHOLMOD, MUMPS"))),
    ("Solve, 32 right-hand sides", "solve32", "metis",
     (("cudss", "cuDSS"), ("best", "best of PARDISO, CHOLMOD, MUMPS"))),
)
MACHINES = {
    "one NVIDIA H100, 16 threads of an Intel Xeon": "H100",
    "one NVIDIA H200": "H200",
    "16 threads of an Intel Xeon": "16 threads",
    "two threads of an AMD EPYC (Zen 5)": "2 threads",
}
ON_DEVICE, ON_CPU = "#4a8a1c", "#2f6db3"

# The picture, in pixels. The axis is logarithmic, from LEAST to GREATEST times.
WIDTH, LEFT, RIGHT, TOP, ROW, HEADING = 760, 360, 80, 58, 19, 27
LEAST, GREATEST = 0.5, 100


class Faulty(ValueError):
    """A line of a measurement file that violates docs/measurements/README.md."""


def record_of(line, place):
    try:
        record = json.loads(line)
    except ValueError as error:
        raise Faulty(f"{place}: no JSON: {error}") from error
    for key in KEYS:
        if key not in record:
            raise Faulty(f"{place}: no key '{key}'")
    time = record["seconds"] if record["seconds"] is not None else record.get("ratio")
    if not isinstance(time, (int, float)) or not time > 0:
        raise Faulty(f"{place}: neither seconds nor a ratio above 0")
    if record["machine"] not in MACHINES:
        raise Faulty(f"{place}: unknown machine '{record['machine']}'")
    return record


def read(root):
    """Returns the records of all measurement files."""
    records = []
    for path in sorted((root / MEASUREMENTS).glob("*.jsonl")):
        name = path.relative_to(root)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            records.append(record_of(line, f"{name}:{number}"))
    return records


class Speed:
    """kauri's speed over a peer's: the mean, and the extremes if they are known."""

    def __init__(self, ratios, machine, mean=None):
        self.machine = machine
        if mean is None:
            self.mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            self.least, self.greatest, self.systems = min(ratios), max(ratios), len(ratios)
        else:
            self.mean, self.systems = mean["ratio"], mean["systems"]
            self.least, self.greatest = mean.get("least"), mean.get("greatest")


def speed_of(records, phase, ordering, peer):
    """Returns the Speed of a bar, or None if nothing was measured."""
    chosen = [r for r in records if r["phase"] == phase and r["ordering"] == ordering]
    ratios = [r for r in chosen if r.get("over") == peer]
    for record in ratios:
        if "systems" in record:
            return Speed([], record["machine"], record)
    if ratios:
        return Speed([r["ratio"] for r in ratios], ratios[0]["machine"])
    seconds = {(r["system"], r["solver"]): r for r in chosen if r["seconds"] is not None}
    pairs = [(theirs, seconds[system, "kauri"]) for (system, solver), theirs in seconds.items()
             if solver == peer and (system, "kauri") in seconds]
    if not pairs:
        return None
    return Speed([a["seconds"] / b["seconds"] for a, b in pairs], pairs[0][0]["machine"])


def place(times):
    """Returns the horizontal place of a ratio."""
    share = math.log(times / LEAST) / math.log(GREATEST / LEAST)
    return round(LEFT + share * (WIDTH - LEFT - RIGHT), 1)


def text(x, y, words, anchor="start", size=12, weight="normal", colour="#24292f"):
    return (f'<text x="{x}" y="{y}" text-anchor="{anchor}" font-size="{size}" '
            f'font-weight="{weight}" fill="{colour}">{escape(words)}</text>')


def bar(y, speed, label):
    device = speed.machine.startswith("one NVIDIA")
    middle, end = y + 7, place(speed.mean)
    start, width = min(place(1), end), round(abs(end - place(1)), 1)
    where = f"{speed.systems} systems, {MACHINES[speed.machine]}"
    out = [text(12, y + 11, label), text(LEFT, y + 11, where, "end", 11, colour="#57606a"),
           f'<rect x="{start}" y="{y}" width="{width}" height="14" '
           f'fill="{ON_DEVICE if device else ON_CPU}"/>']
    low, high = place(speed.least or speed.mean), place(speed.greatest or speed.mean)
    out.append(f'<path d="M{low} {middle}H{high}" stroke="#24292f" stroke-width="1.2"/>')
    out.append(text(max(end, high) + 6, y + 11, f"{speed.mean:.1f}×", weight="bold"))
    return out


def rows(records):
    """Returns the headings and bars, and their total height."""
    out, y = [], TOP
    for heading, phase, ordering, peers in GROUPS:
        bars = [(label, speed_of(records, phase, ordering, peer)) for peer, label in peers]
        bars = [(label, speed) for label, speed in bars if speed]
        if not bars:
            continue
        out.append(text(12, y + 14, heading, size=13, weight="bold"))
        y += HEADING - 5
        for label, speed in bars:
            out += bar(y, speed, label)
            y += ROW
        y += 6
    return out, y


def axis(bottom):
    out = []
    for times in (1, 2, 5, 10, 20, 50, 100):
        x = place(times)
        colour = "#57606a" if times == 1 else "#d8dee4"
        out.append(f'<path d="M{x} {TOP - 4}V{bottom}" stroke="{colour}" stroke-width="1"/>')
        out.append(text(x, bottom + 15, f"{times}×", "middle", 11, colour="#57606a"))
    return out


def drawn(root):
    """Returns the picture as text."""
    bars, bottom = rows(read(root))
    height = bottom + 42
    key = "green: one H100 or H200; blue: CPU. Bars: geometric means. Lines: least to greatest."
    return "\n".join([
        "<!-- Made by bench/plot_speed.py. SPDX-License-Identifier: BSD-3-Clause -->",
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" font-family="Helvetica, Arial, sans-serif" '
        'role="img" aria-label="kauri\'s speed over that of other solvers">',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        text(12, 24, "How many times as fast kauri is, double precision", size=16, weight="bold"),
        text(12, 43, key, size=11, colour="#57606a"),
        *axis(bottom),
        *bars,
        text(12, bottom + 34, "Figures, machines and commits: docs/measurements", size=11,
             colour="#57606a"),
        "</svg>",
        ""])


def claims(root):
    """Returns the words that README's claim must contain: whole jobs over cuDSS and over MKL
    PARDISO."""
    records = read(root)
    speeds = [speed_of(records, "job", "own", peer) for peer in ("cudss", "pardiso")]
    return [f"{speed.mean:.1f} times" for speed in speeds if speed]


def main():
    parser = argparse.ArgumentParser(description="the chart of kauri beside other solvers")
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    check = parser.parse_args().check
    picture = drawn(ROOT)
    if not check:
        (ROOT / PICTURE).write_text(picture, encoding="utf-8")
    elif not (ROOT / PICTURE).exists() or (ROOT / PICTURE).read_text(encoding="utf-8") != picture:
        print(f"{PICTURE} is not what bench/plot_speed.py draws now")
        return 1
    print(f"{PICTURE}: {'as drawn' if check else 'written'}; claims: {', '.join(claims(ROOT))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
