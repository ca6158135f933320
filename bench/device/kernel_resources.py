#!/usr/bin/env python3
# Prints the registers, spills and shared memory of the portable kernels for each architecture.
# SPDX-License-Identifier: BSD-3-Clause
"""kernel_resources.py --include FOLDER [--nvcc nvcc] [--logs build/kernel_resources] [ARCHITECTURE ...]

Compiles the sources of the portable kernels as a Release build does, one after another, with
`-Xptxas -v`, and prints a table in Markdown. FOLDER holds the headers that CMake makes (BUILD/generated).
No device is needed. Compilers run at the lowest priority; all sources for one architecture take one
to ten minutes of a core each. A log that a call has completed is not made again: remove the folder
of logs after a change of a kernel.

A cell has registers of a thread / bytes of its spills: of all instructions that store or load a
spilled register, in the kernel and in functions that it calls. Shared memory in the last column is
what the kernel declares, in bytes; launches add dynamic shared memory, which ptxas does not know."""
import argparse
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SOURCES = ["factor/tiled/portable/kernel.cu", "factor/small/portable_gathered.cu"]
SOURCES += ["solve/single/portable.cu", "solve/multi/portable.cu", "solve/multi/portable_fma.cu"]
ARCHITECTURES = ["80", "86", "89", "90", "100", "120"]
SECONDS = 7200  # for each compiler
ENTRY = re.compile(r"Compiling entry function '(\w+)'")
SPILLS = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")
USED = re.compile(r"Used (\d+) registers")
SHARED = re.compile(r"(\d+) bytes smem")


def resources(log):
    """Returns (registers, bytes of spills, bytes of shared memory) by mangled name of each kernel in
    what `ptxas -v` printed. Functions that a kernel calls follow it there."""
    kernels, name = {}, None
    for line in log.splitlines():
        if entry := ENTRY.search(line):
            name = entry[1]
            kernels[name] = [0, 0, 0]
        if name is None:
            continue
        if spills := SPILLS.search(line):
            kernels[name][1] += int(spills[1]) + int(spills[2])
        if used := USED.search(line):
            shared = SHARED.search(line)
            kernels[name][0] = int(used[1])
            kernels[name][2] = int(shared[1]) if shared else 0
    return {name: tuple(values) for name, values in kernels.items()}


def matching(text, begin):
    """Returns the place after the bracket that closes the one at `begin` of `text`."""
    depth, pairs = 0, {"<": 1, ">": -1, "(": 1, ")": -1}
    for at in range(begin, len(text)):
        depth += pairs.get(text[at], 0)
        if depth == 0:
            return at + 1
    return len(text)


def short_name(signature):
    """Returns a demangled kernel's name and template arguments without namespaces, parameters and
    casts: run_tasks<FmaLoop<double>>."""
    name = signature.removeprefix("void ").replace("(anonymous namespace)::", "")
    while "> >" in name:
        name = name.replace("> >", ">>")
    at = name.find("<")
    name = name[: name.find("(")] if at < 0 or name.find("(") < at else name[: matching(name, at)]
    name = re.sub(r"\((?:\w+::)*\w+\)(?=\d)", "", name)  # (kauri::Kind)1
    return re.sub(r"(?:\w+::)+", "", name)


def demangled(names):
    out = subprocess.run(["c++filt"], input="\n".join(names), text=True, check=True, capture_output=True, timeout=SECONDS).stdout
    return dict(zip(names, out.splitlines()))


def log_of(source, architecture, arguments):
    """Returns what ptxas prints about a source, from its log if there is one."""
    folder = arguments.logs
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{source.removesuffix('.cu').replace('/', '_')}.{architecture}.log"
    if not path.exists():
        includes = [option for folder in (ROOT, ROOT / "include", arguments.include) for option in ("-I", folder)]
        target = f"-gencode=arch=compute_{architecture},code=sm_{architecture}"
        command = ["nice", "-n", "19", arguments.nvcc, "-std=c++20", "-O3", "-DNDEBUG", "--expt-relaxed-constexpr"]
        command += [*includes, target, "-Xptxas", "-v", "-cubin", "-o", "/dev/null", ROOT / "numeric/cuda" / source]
        done = subprocess.run(command, text=True, capture_output=True, timeout=SECONDS)
        if done.returncode:
            raise SystemExit(f"{source} for {architecture}: {done.stderr}")
        path.write_text(done.stderr)
    return path.read_text()


def table(logs):
    """Returns the lines of the table. logs: (source, architecture) -> text."""
    architectures = list(dict.fromkeys(architecture for _, architecture in logs))
    rows = {}
    for (source, architecture), text in logs.items():
        found = resources(text)
        names = demangled(list(found))
        for name, values in found.items():
            rows.setdefault((source, short_name(names[name])), {})[architecture] = values
    versions = " | ".join(a[:-1] + "." + a[-1] for a in architectures)
    lines = [f"| source | kernel | {versions} | shared |", "|---" * (len(architectures) + 3) + "|"]
    for (source, name), cells in rows.items():
        values = [f"{cells[a][0]} / {cells[a][1]}" if a in cells else "" for a in architectures]
        shared = sorted({cell[2] for cell in cells.values()})
        lines.append(f"| {source.removesuffix('.cu')} | `{name}` | " + " | ".join(values) + " | " + " or ".join(map(str, shared)) + " |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("architectures", nargs="*", default=ARCHITECTURES)
    parser.add_argument("--include", type=pathlib.Path, required=True)
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--logs", type=pathlib.Path, default=pathlib.Path("build/kernel_resources"))
    arguments = parser.parse_args()
    logs = {(source, a): log_of(source, a, arguments) for a in arguments.architectures for source in SOURCES}
    print("\n".join(table(logs)))


if __name__ == "__main__":
    main()
