#!/usr/bin/env python3
# Checks the vocabulary: docs/glossary.md has at most 60 rows, each with an owner that exists, and
# words that were replaced by the field's terms do not return, in code or in the names of files. The name of a type stands for one thing.
# SPDX-License-Identifier: BSD-3-Clause
import re

import tree

GLOSSARY = "docs/glossary.md"
MOST_ROWS = 60
# Maps a forbidden word to the word to use.
GONE = {
    r"[Ll]odg(?:er|ers|ing|ings)": "LiveBlock, live range",
    r"[Tt]enants?": "TaskBlock",
    r"[Cc]ontests?": "ordering selection",
    r"[Oo]utlines?|make_outline": "plan draft",
    r"unless_zero|(?:is_)?left_out": "run_flag, is_skipped",
    r"Lent\w+|Lending": "PooledStream, ResourcePool",
    r"Gathering": "CoalescedUpload",
    r"\w+Store": "Impl",
    r"(?:\w+_)?(?:bring|brought)(?:_\w+)?|\w*(?:Bring|Brought)\w*": "load",
    r"(?:\w+_)?probes?(?:_\w+)?|\w*Probe\w*": "NormEstimator, EstimatorStep",
    r"(?:\w+_)?weighs?(?:_\w+)?": "predict_costs, weight_of",
    r"kLooks?\w*": "number of reads awaited together, visits",
    r"raise_\w+": "atomic_max_nonneg, advance",
    r"(?:\w+_)?hope[sd]?(?:_\w+)?|\w*Hope\w*": "max_gain",
    r"CudaLoops": "CudaCompute",
    r"Sorted": "ColumnEntries",
    r"Wide[A-Z]\w*|\w*wide_sweeps?|wide_(?:memory|blocks|numbers)": "multi",
    r"\w+_there": "on_device, device_",
}
WORD = re.compile(r"(?<!\w)(?:" + "|".join(f"(?P<w{k}>{word})" for k, word in enumerate(GONE)) + r")(?!\w)")
SPARED = {"if_there", "is_there", "await_there", "blocks_there", "factor_is_there", "do_there"}  # concern numbers and objects, not devices
# The name of a type is defined in at most two files. Types of classes, functions and unnamed namespaces count like those of a header: code
# says `Slot` and not Elimination::Slot, a search for `struct Slot` finds them all, and a reader who knows one takes the next for it. Two
# files are allowed because kernels have twins (hopper/ and portable/, single/ and multi/), whose types with one name have one role.
MOST_FILES = 2
TYPE = re.compile(
    r"\b(?:class|struct|union|enum|enum class|enum struct)\s+(?:alignas\([^)]*\)\s+|[A-Z][A-Z_]{3,}\s+|\[\[[^\]]*\]\]\s+)*"
    r"(?:\w+(?:<[^<>;{}]*>)?::)*(?P<name>[A-Za-z]\w*)\s*(?:final\s*)?(?:\{|:(?!:)[^;{}]*\{)"
    r"|\busing\s+(?P<alias>[A-Za-z]\w*)\s*=\s*(?P<target>[^;]*);")
# Members that kernels read of their template arguments: the name is the interface, so all arguments spell it alike. V is a vector register.
TRAITS = {"T", "V", "Loop", "Accumulators"}
FOLDERS = ("include/", "base/", "ordering/", "symbolic/", "numeric/", "src/")


# A file's name has words apart by _ alone. Endings that code has in capitals, or in front of another word, are spelled out.
GONE_IN_FILES = {"store": "impl", "lending": "resource_pool", "gathering": "coalesced_upload", "look": "visit", "raise": "atomic_max", "loops": "compute"}
# Products that inner loops make, not a CudaCompute.
SPARED_FILES = {"numeric/cuda/inverse/loops.cuh"}


def faults_of_code(path, text):
    for number, line in enumerate(tree.blanked(text).splitlines(), 1):
        for found in WORD.finditer(line):
            if found[0] not in SPARED:
                word = list(GONE.values())[next(k for k in range(len(GONE)) if found[f"w{k}"])]
                yield f"{path}:{number}: {found[0]}: say {word} ({GLOSSARY})"


def faults_of_file(path):
    """Yields a fault for each forbidden word in the file's name."""
    if str(path) in SPARED_FILES:
        return
    for part in path.name.split(".")[0].split("_"):
        if part in GONE_IN_FILES:
            yield f"{path}:1: {part} in the name of a file: say {GONE_IN_FILES[part]} ({GLOSSARY})"
        elif (found := WORD.fullmatch(part)) and part not in SPARED:
            word = list(GONE.values())[next(k for k in range(len(GONE)) if found[f"w{k}"])]
            yield f"{path}:1: {part} in the name of a file: say {word} ({GLOSSARY})"


def types_of(text):
    """Yields each type that the text defines, and its line; an alias too, unless it shortens a qualified name to its last word."""
    text = tree.blanked(text)
    for found in TYPE.finditer(text):
        name = found["name"] or found["alias"]
        if found["alias"] and (name in TRAITS or re.search(rf"::\s*{name}$", found["target"].strip())):
            continue
        yield name, text.count("\n", 0, found.start()) + 1


def faults_of_types(code):
    places = {}
    for path, text in code.items():
        for name, line in types_of(text):
            places.setdefault(name, {}).setdefault(path, line)
    for name, lines in sorted(places.items()):
        if len(lines) > MOST_FILES:
            for path, line in lines.items():
                others = ", ".join(str(other) for other in lines if other != path)
                yield f"{path}:{line}: {name} is a type of {others} too, of at most {MOST_FILES} files: say what this one holds"


def rows_of(text):
    """Yields the line number and the cells of each row."""
    for number, line in enumerate(text.splitlines(), 1):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and not line.startswith(("|---", "| word |")):
            yield number, cells


def exists(owner, root, code):
    if "/" in owner:
        return (root / owner).exists()
    name = owner.removesuffix("()")
    return any(re.search(rf"\b(?:class|struct|enum class)(?: [A-Z_]+)? {name}\b|\b{name}\(", text) for text in code.values())


def faults_of_glossary(root, code):
    rows = list(rows_of((root / GLOSSARY).read_text(encoding="utf-8")))
    if len(rows) > MOST_ROWS:
        yield f"{GLOSSARY}:{rows[MOST_ROWS][0]}: {len(rows)} rows, at most {MOST_ROWS}"
    for number, cells in rows:
        owners = re.findall(r"`([^`]+)`", cells[-1])
        if len(cells) != 4 or not all(cells) or not owners:
            yield f"{GLOSSARY}:{number}: a row is word, literature, meaning and owner"
        for owner in owners:
            if not exists(owner, root, code):
                yield f"{GLOSSARY}:{number}: {owner} is defined nowhere"


def main():
    root = tree.root_from_arguments("one vocabulary")
    code = {path: (root / path).read_text(encoding="utf-8") for path in tree.files(root, tree.CPP) if str(path).startswith(FOLDERS)}
    faults = [fault for path, text in code.items() for fault in (*faults_of_file(path), *faults_of_code(path, text))]
    faults += faults_of_types(code)
    faults += faults_of_glossary(root, code)
    tree.finish("check_names", len(code), faults)


main()
