#!/usr/bin/env python3
# Makes the pictures and the figures of docs/pipeline.md by the commands that stand there.     docs/pictures/make.py KAURI [--check]
#
# With --check nothing is written: what the program makes now is compared with what is there. Pictures are planned for the target
# cpu-generic, so that they are the same on all machines; images inside them are compared as pixels, since their compression is zlib's.
# SPDX-License-Identifier: BSD-3-Clause
import argparse
import base64
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "pipeline.md"
PICTURES = ROOT / "docs" / "pictures"
_COMMAND = re.compile(r"^    kauri (?:spy|tree) .*-o docs/pictures/(\S+\.svg)(?: .*)?$", re.MULTILINE)
_SHOWN = re.compile(r"\]\(pictures/(\S+\.svg)\)")
_TABLE = re.compile(r"(<!-- docs/pictures/make.py begin -->\n).*?(<!-- end -->\n)", re.DOTALL)
SYSTEM, ORDERINGS = "data/airfoil.mtx.gz", ["natural", "rcm", "amd", "nd"]


def run(program, words, **more):
    return subprocess.run([program, *words], cwd=ROOT, check=True, text=True, stdout=subprocess.PIPE, **more).stdout


def picture(program, command, folder):
    """The SVG that a command of the page makes."""
    words, path = command.split()[1:], pathlib.Path(folder) / "picture.svg"
    words[words.index("-o") + 1] = str(path)
    run(program, words)
    return path.read_text(encoding="utf-8")


def figures(program):
    """The table of the orderings."""
    rows = [
        ("entries of L", "nnzL"),
        ("operations", "flops"),
        ("columns on the longest path of the elimination tree", "tree_height"),
        ("fundamental supernodes", None),
        ("fronts", "supernodes"),
        ("rows of the largest front", "largest_front"),
        ("numbers stored in L, zeros of merged supernodes included", "stored_entries"),
        ("bytes of L", "factor_bytes"),
        ("bytes of the factorisation", "peak_bytes"),
    ]
    plans, least = [], []
    for ordering in ORDERINGS:
        words = ["analyze", SYSTEM, "--ordering", ordering, "--target", "cpu-generic", "--backend", "cpu", "--threads", "1", "--json"]
        plans.append(json.loads(run(program, words)))
        least.append(json.loads(run(program, words + ["--fundamental"]))["supernodes"])
    text = "| | " + " | ".join(f"`{ordering}`" for ordering in ORDERINGS) + " |\n|---|" + "---:|" * len(ORDERINGS) + "\n"
    for name, key in rows:
        numbers = least if key is None else [plan[key] for plan in plans]
        text += f"| {name} | " + " | ".join(f"{number:,}" for number in numbers) + " |\n"
    return text


def in_pixels(svg):
    """The same text with each embedded PNG's data inflated."""

    def pixels(match):
        data, at, out = base64.b64decode(match.group(1)), 8, []
        compressed = b""
        while at < len(data):
            (length,), kind = struct.unpack(">I", data[at : at + 4]), data[at + 4 : at + 8]
            content = data[at + 8 : at + 8 + length]
            compressed, out = (compressed + content, out) if kind == b"IDAT" else (compressed, out + [kind.hex(), content.hex()])
            at += 12 + length
        return "image " + " ".join(out) + " " + zlib.decompress(compressed).hex()

    return re.sub(r"data:image/png;base64,([A-Za-z0-9+/=]+)", pixels, svg)


def faults(page, made, table):
    there = {path.name: path.read_text(encoding="utf-8") for path in PICTURES.glob("*.svg")}
    for name in sorted(set(there) | set(made)):
        if name not in there:
            yield f"docs/pictures/{name} is not there"
        elif name not in made:
            yield f"docs/pictures/{name} is made by no command of docs/pipeline.md"
        elif in_pixels(there[name]) != in_pixels(made[name]):
            yield f"docs/pictures/{name} is not what its command makes now"
    for name in sorted(set(made) ^ set(_SHOWN.findall(page))):
        yield f"docs/pipeline.md: {name} is shown without a command, or made and not shown"
    if [match.group() for match in _TABLE.finditer(page)] != [table]:
        yield "docs/pipeline.md: its table is not what kauri analyze says now"


def main():
    parser = argparse.ArgumentParser(description="the pictures and figures of docs/pipeline.md")
    parser.add_argument("program", help="the program kauri")
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    options = parser.parse_args()
    program = str(pathlib.Path(options.program).resolve())
    page = PAGE.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        made = {match.group(1): picture(program, match.group().strip(), folder) for match in _COMMAND.finditer(page)}
    table = _TABLE.search(page).expand(r"\g<1>") + figures(program) + "<!-- end -->\n"
    if not options.check:
        for name, svg in made.items():
            (PICTURES / name).write_text(svg, encoding="utf-8")
        page = _TABLE.sub(lambda _: table, page)
        PAGE.write_text(page, encoding="utf-8")
    found = list(faults(page, made, table))
    for fault in found:
        print(fault)
    print(f"pictures: {len(made)} made, {'compared' if options.check else 'written'}, {len(found)} faults")
    return 1 if found else 0


sys.exit(main())
