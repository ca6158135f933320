#!/usr/bin/env python3
# Makes the pictures of docs/program.md and docs/pipeline.md, and the latter's figures, by the
# commands on these pages.
#     docs/pictures/make.py KAURI [--check]
#
# With --check nothing is written: new pictures are compared with the files. Pictures are planned
# for the target cpu-generic, so that they are the same on all machines; PNG, alone or in an SVG, is
# compared as pixels, since its compression depends on zlib.
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

LIMIT_SECONDS = 1200  # for each wait
ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ("docs/program.md", "docs/pipeline.md")
FIGURES = ROOT / "docs" / "pipeline.md"
PICTURES = ROOT / "docs" / "pictures"
OTHERS = {"speed.svg"}  # bench/plot_speed.py draws it
_COMMAND = re.compile(r"^    kauri (?:spy|tree) .*-o docs/pictures/(\S+\.(?:svg|png))(?: .*)?$", re.MULTILINE)
_SHOWN = re.compile(r"\]\((?:docs/)?pictures/(\S+\.(?:svg|png))\)")
_TABLE = re.compile(r"(<!-- docs/pictures/make.py begin -->\n).*?(<!-- end -->\n)", re.DOTALL)
SYSTEM, ORDERINGS = "data/airfoil.mtx.gz", ["natural", "rcm", "amd", "nd"]


def run(program, words, **more):
    return subprocess.run([program, *words], cwd=ROOT, check=True, text=True, stdout=subprocess.PIPE, timeout=LIMIT_SECONDS, **more).stdout


def picture(program, command, folder):
    """Returns the bytes of the picture that a command of a page makes."""
    words = command.split()[1:]
    out = words.index("-o") + 1
    path = pathlib.Path(folder) / pathlib.Path(words[out]).name
    words[out] = str(path)
    run(program, words)
    return path.read_bytes()


def figures(program):
    """Returns the table of the orderings."""
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


def png_pixels(data):
    """Returns a PNG's chunks as text, with its compressed ones inflated."""
    at, out, compressed = 8, [], b""
    while at < len(data):
        (length,), kind = struct.unpack(">I", data[at : at + 4]), data[at + 4 : at + 8]
        content = data[at + 8 : at + 8 + length]
        compressed, out = (compressed + content, out) if kind == b"IDAT" else (compressed, out + [kind.hex(), content.hex()])
        at += 12 + length
    return "image " + " ".join(out) + " " + zlib.decompress(compressed).hex()


def in_pixels(name, data):
    """Returns the form in which pictures are compared."""
    if name.endswith(".png"):
        return png_pixels(data)
    return re.sub(r"data:image/png;base64,([A-Za-z0-9+/=]+)", lambda m: png_pixels(base64.b64decode(m.group(1))), data.decode("utf-8"))


def faults(pages, made, table):
    """Yields differences. made: for each page, its pictures by name."""
    there = {path.name: path.read_bytes() for path in PICTURES.iterdir() if path.suffix in (".svg", ".png") and path.name not in OTHERS}
    by_name = {name: data for pictures in made.values() for name, data in pictures.items()}
    for name in sorted(set(there) | set(by_name)):
        if name not in there:
            yield f"docs/pictures/{name} is not there"
        elif name not in by_name:
            yield f"docs/pictures/{name} is made by no command of {' or '.join(PAGES)}"
        elif in_pixels(name, there[name]) != in_pixels(name, by_name[name]):
            yield f"docs/pictures/{name} is not what its command makes now"
    for page in PAGES:
        for name in sorted(set(made[page]) ^ set(_SHOWN.findall(pages[page]))):
            yield f"{page}: {name} is shown without a command, or made and not shown"
    if [match.group() for match in _TABLE.finditer(FIGURES.read_text(encoding="utf-8"))] != [table]:
        yield f"{FIGURES.relative_to(ROOT)}: its table is not what kauri analyze says now"


def main():
    parser = argparse.ArgumentParser(description="the pictures of docs/program.md and docs/pipeline.md, and the latter's figures")
    parser.add_argument("program", help="the program kauri")
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    options = parser.parse_args()
    program = str(pathlib.Path(options.program).resolve())
    pages = {page: (ROOT / page).read_text(encoding="utf-8") for page in PAGES}
    with tempfile.TemporaryDirectory() as folder:
        made = {page: {m.group(1): picture(program, m.group().strip(), folder) for m in _COMMAND.finditer(text)} for page, text in pages.items()}
    page = FIGURES.read_text(encoding="utf-8")
    table = _TABLE.search(page).expand(r"\g<1>") + figures(program) + "<!-- end -->\n"
    if not options.check:
        for pictures in made.values():
            for name, data in pictures.items():
                (PICTURES / name).write_bytes(data)
        FIGURES.write_text(_TABLE.sub(lambda _: table, page), encoding="utf-8")
    found = list(faults(pages, made, table))
    for fault in found:
        print(fault)
    print(f"pictures: {sum(map(len, made.values()))} made, {'compared' if options.check else 'written'}, {len(found)} faults")
    return 1 if found else 0


sys.exit(main())
