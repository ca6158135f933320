#!/usr/bin/env python3
# The documents say true things that a script can see: links and named paths lead to files, README's first screen is complete, and its examples are those that tests run.
# SPDX-License-Identifier: BSD-3-Clause
import re

import tree

_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_BLOCK = r"^```{}\n(.*?)^```"
_CHART = re.compile(r"!\[[^\]]*\]\(docs/pictures/speed\.svg\)")
_CLAIM = re.compile(r"\b\d+(\.\d+)? times as fast as \w+")
_PATH = re.compile(r"`([\w.-]+/[\w./-]*)(?: [^`]*)?`")
EXAMPLE = "examples/first_solve.cpp"
PYTHON_PAGE = "docs/site/index.md"
FIRST_SCREEN, MOST_README, MOST_CHANGES = 40, 110, 25
INSTALL = ("./scripts/demo", "pip install", "find_package(kauri")
COMMANDS = ("./scripts/demo", "./scripts/test")


def broken_links(path, root):
    text = (root / path).read_text(encoding="utf-8")
    for match in _LINK.finditer(re.sub(r"```.*?```", lambda m: "\n" * m.group().count("\n"), text, flags=re.DOTALL)):
        target = match.group(1).split("#")[0]
        if target and "://" not in target and not (root / path.parent / target).exists():
            yield f"{path}: link to {target}, which is not there"


def blocks(text, language):
    return [block.strip() for block in re.findall(_BLOCK.format(language), text, re.DOTALL | re.MULTILINE)]


def example_faults(root, readme):
    code = [line for line in (root / EXAMPLE).read_text(encoding="utf-8").split("\n") if not line.startswith("//")]
    if "\n".join(code).strip() not in blocks(readme, "cpp"):
        yield f"README.md: its C++ is not {EXAMPLE} word for word"
    tested = blocks((root / PYTHON_PAGE).read_text(encoding="utf-8"), "python")
    for block in blocks(readme, "python"):
        if block not in tested:
            yield f"README.md: its Python is not on {PYTHON_PAGE}, whose code tests run"


def first_screen_faults(readme):
    """Claim, chart, install and example are in the first lines, and the whole is short."""
    lines = readme.splitlines()
    screen = "\n".join(lines[:FIRST_SCREEN])
    if len(lines) > MOST_README:
        yield f"README.md: {len(lines)} lines, at most {MOST_README}"
    found = {
        "claim 'N times as fast as PEER'": _CLAIM.search(" ".join(screen.split())),
        "chart docs/pictures/speed.svg": _CHART.search(screen),
        "whole C++ example": blocks(screen, "cpp"),
        **{f"way to install, {way}": way in screen for way in INSTALL},
    }
    for what, there in found.items():
        if not there:
            yield f"README.md: its first {FIRST_SCREEN} lines have no {what}"
    for command in COMMANDS:
        if command not in readme:
            yield f"README.md: it does not name {command}"


def change_log_faults(root):
    """The first section of the change log is short."""
    sections = re.split(r"^(?=## )", (root / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    if len(sections) < 2:
        yield "CHANGELOG.md: no section of a version"
    elif (lines := len(sections[1].rstrip().splitlines())) > MOST_CHANGES:
        yield f"CHANGELOG.md: its first section has {lines} lines, at most {MOST_CHANGES}"


def stale_paths(root):
    """Paths that CONTRIBUTING.md names in code."""
    for number, line in enumerate((root / "CONTRIBUTING.md").read_text(encoding="utf-8").splitlines(), 1):
        for path in _PATH.findall(line):
            names = path.split("/")  # a name in capitals stands for one of the reader's
            if names[0] in tree.FOLDERS and not any(name.isupper() and "." not in name for name in names) and not (root / path).exists():
                yield f"CONTRIBUTING.md:{number}: it names {path}, which is not there"


def main():
    root = tree.root_from_arguments("documents")
    documents = tree.files(root, {".md"})
    readme = (root / "README.md").read_text(encoding="utf-8")
    faults = [fault for p in documents for fault in broken_links(p, root)]
    faults += [*example_faults(root, readme), *first_screen_faults(readme), *change_log_faults(root), *stale_paths(root)]
    tree.finish("check_docs", len(documents), faults)


main()
