#!/usr/bin/env python3
# Checks that the chart of README is the one that bench/plot_speed.py draws from docs/measurements,
# and that README's claim has the figures of these files.
# SPDX-License-Identifier: BSD-3-Clause
import pathlib
import sys

import tree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
import plot_speed  # noqa: E402

CLAIM_LINES = 40


def faults(root):
    try:
        picture = plot_speed.drawn(root)
    except plot_speed.Faulty as fault:
        yield str(fault)
        return
    path = root / plot_speed.PICTURE
    if not path.exists() or path.read_text(encoding="utf-8") != picture:
        yield f"{plot_speed.PICTURE}:1: it is not what bench/plot_speed.py draws from {plot_speed.MEASUREMENTS} now: run that script"
    claim = " ".join(" ".join((root / "README.md").read_text(encoding="utf-8").splitlines()[:CLAIM_LINES]).split())
    for words in plot_speed.claims(root):
        if words not in claim:
            yield f"README.md:1: its claim does not have '{words}', the mean of {plot_speed.MEASUREMENTS}"


def main():
    root = tree.root_from_arguments("the chart of README")
    files = list((root / plot_speed.MEASUREMENTS).glob("*.jsonl"))
    tree.finish("check_chart", len(files), list(faults(root)))


main()
