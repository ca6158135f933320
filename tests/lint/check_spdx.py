#!/usr/bin/env python3
# Checks that every source file names its licence near the top, and that C++ files first say what
# they are for.
# SPDX-License-Identifier: BSD-3-Clause
import tree

LINE = "SPDX-License-Identifier: BSD-3-Clause"
SOURCES = tree.CPP | {".py", ".sh", ".cmake", ".in", ".yaml"}
NAMES = {"CMakeLists.txt", ".clang-format", ".clang-tidy"}
HEAD_LINES = 20  # the purpose may be a paragraph with a paper and a glossary


def is_source(path, root):
    if path.suffix in SOURCES or path.name in NAMES:
        return True
    with open(root / path, "rb") as file:
        return file.read(2) == b"#!"


def fault_of(path, root):
    head = (root / path).read_text(encoding="utf-8").splitlines()[:HEAD_LINES]
    if not any(line.strip("/*# <>!-") == LINE for line in head):
        return f"{path}:1: no line '{LINE}' of its own in the first {HEAD_LINES}"
    first = head[0] if not head[0].startswith("#!") else head[1]
    if path.suffix in tree.CPP and (not first.startswith("//") or LINE in first):
        return f"{path}:1: the first line is not a comment that says what the file is for"
    return None


def main():
    root = tree.root_from_arguments("licence lines")
    sources = [p for p in tree.files(root) if is_source(p, root)]
    faults = [fault for p in sources if (fault := fault_of(p, root))]
    tree.finish("check_spdx", len(sources), faults)


main()
