#!/usr/bin/env python3
# Checks what a script can check in the documents: links and named paths lead to files, README's
# first screen is complete, and tests run its examples; chapters of the design are short, have their
# sections and name each folder once; cited measurements exist, also those of comments of sources,
# which give no figure of a card; and lines are not long.
# SPDX-License-Identifier: BSD-3-Clause
import re

import tree

_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_BLOCK = r"^```{}\n(.*?)^```"
_CHART = re.compile(r"!\[[^\]]*\]\(docs/pictures/speed\.svg\)")
_CLAIM = re.compile(r"\b\d+(\.\d+)? times as fast as \w+")
_PATH = re.compile(r"`([\w.-]+/[\w./-]*)(?: [^`]*)?`")
_CITED = re.compile(r"\[M(\d+)\]\(([^)\s#]*)#m(\d+)\)")
_FOLDER = re.compile(r"^\| `([^`]+)/` \|", re.MULTILINE)
_FILE = re.compile(r"[\w-]+\.(?:hpp|cpp|cuh|cu|h|c|py|md)")
_VERSION = re.compile(r"\d+\.\d+\.\d+\b")
_CODE = re.compile(r"`([^`\n]+)`")
EXAMPLE = "examples/first_solve.cpp"
PYTHON_PAGE = "docs/site/index.md"
FIRST_SCREEN, MOST_README, MOST_CHANGES = 40, 110, 25
MOST_CODE = {"cpp": 12, "python": 4}  # lines of README's example that are not empty
INSTALL = ("./scripts/demo", "pip install", "find_package(kauri")
COMMANDS = ("./scripts/demo", "./scripts/test")
# The design has one chapter a file, with these sections.
CHAPTER_BYTES = 16000
SECTIONS = ("Purpose", "Picture", "Data structures", "Steps", "Invariants", "Files", "Open")
FOLDERS = ("base", "ordering", "symbolic", "numeric", "src")  # each folder below is in the section Files of one chapter
# Lines are short in the design; elsewhere the number of long lines may only fall.
COLUMNS = 140
STRICT = ("docs/design/", "docs/decisions/", "docs/measurements/")
LONG_LINES = 44
# A figure of one card stands beside its machine, commit and date; the last two files are tables of
# figures for users.
CARD = re.compile(r"\bOne H[12]00\b")
SOURCES = ("include/", "base/", "ordering/", "symbolic/", "numeric/", "src/")
MEASURED_CARD = re.compile(r"\bG?H[12]00s?\b")
FIGURE = re.compile(r"(?<![\w.])\d")
FIGURES = ("docs/decisions/", "docs/measurements/", "docs/orderings.md", "docs/site/performance.md")


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


def length_faults(readme):
    """Yields the examples of README that are long."""
    for language, most in MOST_CODE.items():
        for block in blocks(readme, language):
            if (lines := sum(bool(line.strip()) for line in block.splitlines())) > most:
                yield f"README.md: an example in {language} of {lines} lines, at most {most}"


def first_screen_faults(readme):
    """Yields a fault unless claim, chart, install and example are in the first lines and the whole
    is short."""
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
    """Yields a fault for each section of the change log that is long or not of a version."""
    sections = re.split(r"^## (.*)\n", (root / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    if len(sections) < 2:
        yield "CHANGELOG.md: no section of a version"
    for heading, text in zip(sections[1::2], sections[2::2]):
        if not _VERSION.match(heading):
            yield f"CHANGELOG.md: section {heading!r} is not of a version: put its text into the section of a version, or under docs"
        if (lines := 1 + len(text.rstrip().splitlines())) > MOST_CHANGES:
            yield f"CHANGELOG.md: its section {heading} has {lines} lines, at most {MOST_CHANGES}"


def stale_paths(root):
    """Yields paths in code in CONTRIBUTING.md that do not exist."""
    for number, line in enumerate((root / "CONTRIBUTING.md").read_text(encoding="utf-8").splitlines(), 1):
        for path in _PATH.findall(line):
            names = path.split("/")  # a name in capitals is a placeholder
            if names[0] in tree.FOLDERS and not any(name.isupper() and "." not in name for name in names) and not (root / path).exists():
                yield f"CONTRIBUTING.md:{number}: it names {path}, which is not there"


def chapters(root):
    """Yields the chapters of the design with their sections by heading."""
    for path in sorted((root / "docs" / "design").glob("[0-9]*.md")):
        parts = re.split(r"^## (.*)\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        yield path, dict(zip(parts[1::2], parts[2::2]))


def listed_files(section):
    """Yields the paths in a section Files; a file named without one is of the row's folder."""
    for line in section.splitlines():
        folder = _FOLDER.match(line)
        for listed in _CODE.findall(line):
            if "/" in listed:
                yield listed
            elif folder and _FILE.fullmatch(listed):
                yield f"{folder[1]}/{listed}"


def chapter_faults(root):
    for path, sections in chapters(root):
        name, size = path.relative_to(root), path.stat().st_size
        if size > CHAPTER_BYTES:
            yield f"{name}: {size} bytes, at most {CHAPTER_BYTES}: cut the chapter in two"
        for section in SECTIONS:
            if section not in sections:
                yield f"{name}: no section {section}"
        for listed in listed_files(sections.get("Files", "")):
            if not (root / listed).exists():
                yield f"{name}: its Files list {listed}, which is not there"


def folder_faults(root):
    """Yields folders that are not in the first column of Files of exactly one chapter."""
    owners = {}
    for path, sections in chapters(root):
        for folder in _FOLDER.findall(sections.get("Files", "")):
            owners.setdefault(folder, []).append(path.name)
    for top in FOLDERS:
        for path in (root / top, *sorted((root / top).rglob("*"))):
            folder = path.relative_to(root).as_posix()
            files = "__pycache__" not in path.parts and any(p.is_file() for p in path.rglob("*"))
            if files and len(owners.get(folder, [])) != 1:
                yield f"docs/design: {folder}/ is in the Files of {' and '.join(owners.get(folder, ['no chapter']))}, not of one"


def measurement_faults(documents, root):
    where = {}
    for path in sorted((root / "docs" / "measurements").glob("*.md")):
        for number in re.findall(r"^## M(\d+)$", path.read_text(encoding="utf-8"), re.MULTILINE):
            if number in where:
                yield f"{path.relative_to(root)}: M{number} is in {where[number].name} too"
            where[number] = path
    for path in documents:
        for shown, target, anchor in _CITED.findall((root / path).read_text(encoding="utf-8")):
            cited = (root / path.parent / target if target else root / path).resolve()
            if shown != anchor or shown not in where or where[shown].resolve() != cited:
                yield f"{path}: cites M{shown} of {target}, which does not have it"


def comments(text):
    """Yields line and text of each run of comments in C++: a comment behind code begins a new one."""
    run, first, last = [], 0, 0
    for found in tree.TOKENS.finditer(text):
        if not found[0].startswith(("//", "/*")):
            continue
        line = 1 + text.count("\n", 0, found.start())
        alone = not text[text.rfind("\n", 0, found.start()) + 1:found.start()].strip()
        if run and not (alone and line == last + 1):
            yield first, " ".join(run)
            run = []
        first = first if run else line
        run.append(re.sub(r"^//[/<]*\s*", "", found[0]))
        last = line + found[0].count("\n")
    if run:
        yield first, " ".join(run)


def source_faults(root):
    """Yields a fault for each run of comments of a source with a sentence that gives a figure of a
    measured card, and for each measurement that a comment cites and that does not exist."""
    texts = [path.read_text(encoding="utf-8") for path in (root / "docs" / "measurements").glob("*.md")]
    numbers = set(re.findall(r"^## M(\d+)$", "\n".join(texts), re.MULTILINE))
    for path in tree.files(root, tree.CPP):
        if not str(path).startswith(SOURCES):
            continue
        for line, comment in comments((root / path).read_text(encoding="utf-8")):
            for sentence in re.split(r"(?<=\.)\s", re.sub(r'"[^"]*"', "", comment)):
                if MEASURED_CARD.search(sentence) and FIGURE.search(sentence):
                    yield f"{path}:{line}: a figure of one card: put it under docs/measurements and cite it"
            for cited in re.findall(r"\bM(\d\d)\b", comment):
                if cited not in numbers:
                    yield f"{path}:{line}: cites M{cited}, which docs/measurements does not have"


def line_faults(documents, root):
    elsewhere = 0
    for path in documents:
        for number, line in enumerate((root / path).read_text(encoding="utf-8").splitlines(), 1):
            if len(line) > COLUMNS and not line.lstrip().startswith("|"):
                if str(path).startswith(STRICT):
                    yield f"{path}:{number}: {len(line)} columns, at most {COLUMNS}"
                else:
                    elsewhere += 1
            if CARD.search(line) and not str(path).startswith(FIGURES):
                yield f"{path}:{number}: a figure of one card: put it under docs/measurements and cite it"
    if elsewhere > LONG_LINES:
        yield f"documents: {elsewhere} lines above {COLUMNS} columns outside tables, at most {LONG_LINES}"


def main():
    root = tree.root_from_arguments("documents")
    documents = tree.files(root, {".md"})
    readme = (root / "README.md").read_text(encoding="utf-8")
    faults = [fault for p in documents for fault in broken_links(p, root)]
    faults += [*example_faults(root, readme), *length_faults(readme), *first_screen_faults(readme)]
    faults += [*change_log_faults(root), *stale_paths(root)]
    faults += [*chapter_faults(root), *folder_faults(root), *measurement_faults(documents, root), *line_faults(documents, root)]
    faults += source_faults(root)
    tree.finish("check_docs", len(documents), faults)


main()
