#!/usr/bin/env python3
# Size limits: a file has at most 500 lines (the plan that users read, 200), a function at most 60, and the public headers of C++ define
# at most 61 structs and classes beside those nested in others. The boundary to the backends (numeric/executor.hpp, numeric/*_impl.hpp)
# has at most 120 lines a header. A folder has at most 20 files side by side. A line of C++ or CUDA has at most 100 columns, except in
# raw strings, which clang-format leaves alone. A line of Python, CMake or a shell has at most 140; the number of longer ones only
# falls. check_docs.py looks at lines of documents.
# Functions are found by their braces: good enough for code that clang-format has laid out; clang-tidy counts again in scripts/check.
# SPDX-License-Identifier: BSD-3-Clause
import re

import tree

FILE_LINES = 500
FUNCTION_LINES = 60
CPP_COLUMNS, COLUMNS = 100, 140
LONG_LINES = {"Python": 209, "CMake": 69, "shell": 55}  # above COLUMNS
PLAN, PLAN_LINES = "include/kauri/core/plan.hpp", 200
BOUNDARY, BOUNDARY_LINES = re.compile(r"numeric/(executor|\w+_impl)\.hpp"), 120
PUBLIC_TYPES = 61
FOLDER_FILES = 20
# Folders without code: numbered decisions, and inputs of tests, one a file.
LONG_FOLDERS = ("docs/decisions", "tests/io/files", "tests/fuzz/corpus/*")

# A definition at the left margin: declarations end with a semicolon, and nested types are indented. A specialisation counts as its
# template.
_PUBLIC_TYPE = re.compile(r"^(?:struct|class)\s+(?:\[\[\w+\]\]\s*)?(\w+)[^;\n]*\{", re.MULTILINE)

_TYPE_SCOPE = re.compile(r"^(template\s*<.*>\s*)?(requires\b.*?\s)?(class|struct|union|enum|namespace|inline\s+namespace|extern\s*\"\")\b", re.DOTALL)
_RAW_STRING = re.compile(r'R"([^\s()\\]{0,16})\(.*?\)\1"', re.DOTALL)
_NAMED = re.compile(r"(~?\w+|operator\s*\S+?)\s*\(")


def without_preprocessor(text):
    """Returns the text with directives replaced by empty lines, including continuation lines."""
    out, inside = [], False
    for line in text.split("\n"):
        inside = inside or line.lstrip().startswith("#")
        out.append("" if inside else line)
        inside = inside and line.endswith("\\")
    return "\n".join(out)


def kind_of(header):
    """Returns what the brace after this text opens: 'scope' (types, namespaces), 'function', or
    'other' (initialisers)."""
    header = re.sub(r"^(\s*(public|private|protected)\s*:)+", "", header).strip()
    header = re.sub(r"^(\[\[[^\]]*\]\]\s*)+", "", header)
    if _TYPE_SCOPE.match(header) or header in ('extern ""',):
        return "scope"
    if "(" not in header or header.endswith("="):
        return "other"
    return "function"


def matching_brace(text, start):
    """Returns the position of the } that closes the { at start."""
    depth = 0
    for match in re.compile(r"[{}]").finditer(text, start):
        depth += 1 if match.group() == "{" else -1
        if depth == 0:
            return match.start()
    return len(text)


def functions(text):
    """Yields (name, line of the opening brace, lines from { to }) of every function; lambdas count
    with the function around them."""
    text = without_preprocessor(tree.blanked(text))
    found, header_start, parentheses, position = [], 0, 0, 0
    while position < len(text):
        c = text[position]
        if c in "()":
            parentheses += 1 if c == "(" else -1
        elif parentheses <= 0 and c in ";}":
            header_start, parentheses = position + 1, 0
        elif c == "{" and parentheses > 0:
            position = matching_brace(text, position)
        elif c == "{":
            header = text[header_start:position]
            kind = kind_of(header)
            if kind == "scope":
                header_start = position + 1
            else:
                end = matching_brace(text, position)
                if kind == "function":
                    name = _NAMED.search(header)
                    line = text.count("\n", 0, position) + 1
                    found.append((name.group(1) if name else "?", line, text.count("\n", position, end) + 1))
                position = end
                # More of a declaration may follow an initialiser: `Foo() : a_{1} { ... }`.
                header_start = end + 1 if kind == "function" and not re.match(r"\s*[,{]", text[end + 1:]) else header_start
        position += 1
    return found


def faults_of(path, root):
    text = (root / path).read_text(encoding="utf-8")
    lines = text.count("\n")
    most = PLAN_LINES if str(path) == PLAN else BOUNDARY_LINES if BOUNDARY.fullmatch(str(path)) else FILE_LINES
    if lines > most:
        yield f"{path}:{most + 1}: {lines} lines, at most {most}"
    if path.suffix not in tree.CPP:
        return
    for name, line, length in functions(text):
        if length > FUNCTION_LINES:
            yield f"{path}:{line}: function {name} has {length} lines, at most {FUNCTION_LINES}"
    raw = {line for match in _RAW_STRING.finditer(text) for line in range(text.count("\n", 0, match.start()) + 1, text.count("\n", 0, match.end()) + 2)}
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > CPP_COLUMNS and number not in raw:
            yield f"{path}:{number}: {len(line)} columns, at most {CPP_COLUMNS}"


def language(path, text):
    """Returns the language of a source other than C++, or None."""
    if path.suffix == ".py":
        return "Python"
    if path.suffix == ".cmake" or path.name == "CMakeLists.txt":
        return "CMake"
    return "shell" if path.suffix == ".sh" or re.match(r"#!.*sh\b", text) else None


def faults_of_lines(root):
    """Yields each language other than C++ that has more long lines than LONG_LINES, with the last
    of them."""
    long = {name: [] for name in LONG_LINES}
    for path in tree.files(root):
        if path.suffix not in {".py", ".cmake", ".txt", ".sh", ""}:
            continue
        text = (root / path).read_text(encoding="utf-8", errors="replace")
        if name := language(path, text):
            long[name] += [f"{path}:{k}" for k, line in enumerate(text.split("\n"), 1) if len(line) > COLUMNS]
    for name, found in long.items():
        if len(found) > LONG_LINES[name]:
            yield f"{found[-1]}: one of {len(found)} lines of {name} above {COLUMNS} columns, at most {LONG_LINES[name]}"


def faults_of_public_types(root):
    """Types beyond the limit, each at its file; the last headers by name have the fault."""
    headers = [path for path in tree.files(root, {".hpp"}) if str(path).startswith("include/kauri/")]
    types = {name: path for path in headers for name in _PUBLIC_TYPE.findall(tree.blanked((root / path).read_text(encoding="utf-8")))}
    for name in list(types)[PUBLIC_TYPES:]:
        yield f"{types[name]}: {name} is one of {len(types)} public structs and classes, at most {PUBLIC_TYPES}"


def faults_of_folders(root):
    """Yields the files beyond the limit, the last by name, each with the number of files in its folder."""
    folders = {}
    for path in tree.files(root):
        folders.setdefault(path.parent, []).append(path)
    for folder, files in sorted(folders.items()):
        if not any(folder.match(long) for long in LONG_FOLDERS):
            yield from (f"{path}:1: one of {len(files)} files side by side in {folder}, at most {FOLDER_FILES}" for path in files[FOLDER_FILES:])


def main():
    root = tree.root_from_arguments("size limits")
    sources = tree.files(root, tree.CPP | {".py", ".cmake", ".sh"})
    tree.finish("check_sizes", len(sources), [*(fault for p in sources for fault in faults_of(p, root)), *faults_of_public_types(root), *faults_of_folders(root),
                                               *faults_of_lines(root)])


if __name__ == "__main__":
    main()
