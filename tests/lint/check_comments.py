#!/usr/bin/env python3
# Checks that comments have a subject and a verb: counts the blocks of comments that open with a word
# which leaves the subject out ("Of those of T.", "The same.", "What is left."), in the library
# and in the whole repository, comments of members (///<) and Python's docstrings included, and limits their number. Public headers name
# no calls that are not for users. No source or document has one of the phrases of WORN, comments of several lines included.
#     check_comments.py [ROOT] [--list [PREFIX]]
# SPDX-License-Identifier: BSD-3-Clause
import argparse
import ast
import pathlib
import re

import tree

LIBRARY = ("include/", "base/", "ordering/", "symbolic/", "numeric/", "src/")
LIMITS = (("the library", LIBRARY, 20), ("the repository", ("",), 100))
LEFT_OUT = ("tests/fuzz/corpus/", "tests/io/files/", "packaging/licenses/")  # inputs and other people's texts
HASH = {".cmake", ".in", ".sh", ".supp", ".toml", ".yaml", ".yml", ".bash", ".fish", ".zsh"}
OPENING = re.compile(r"(?:Of|By|To|As|With|Without|For|In|On|From|Where|Whose|Whether|Which|Who|What|Those|That|These|The same|Such|So many|How|If not|Else|And|Or|But|Nor|Not)\b", re.IGNORECASE)
# Phrases in place of which a sentence can name its noun ("the threads that") or say what the thing does ("takes").
WORN = re.compile(r"\b(?:those that|is told of|what there is not|whoever)\b".replace(" ", r"\s+(?:(?://[/<]*|#)\s*)?"), re.IGNORECASE)
QUOTES_THEM = "tests/lint/"  # the check and its planted faults
NOT_FOR_USERS = re.compile(r"for tests\b|kauri's own\b")
# Comments of members, ///<, open blocks; other comments behind code are phrases.
BEHIND = re.compile(r"^\s*(?!//)\S.*?//(?:/<\s?(.*))?")
SLASHES, HASHES = re.compile(r"^\s*///?<?\s?(.*)$"), re.compile(r"^\s*#(?!!)\s?(.*)$")


def blocks(text, comment, behind=None):
    """Yields line and first line of each block of comments: a run of lines that hold nothing else. behind: pattern of a comment behind code,
    which the lines below it continue; the text that `behind` captures is a block too."""
    before = False
    for number, line in enumerate(text.splitlines(), 1):
        found, trailing = comment.match(line), behind.match(line) if behind else None
        if found and (not before or (before == "behind" and re.match(r"\s*///(?!<)", line))):
            yield number, found[1]
        elif not found and trailing and trailing[1]:
            yield number, trailing[1]
        if not found:
            before = "behind" if trailing else False
        elif before != "behind" or re.match(r"\s*///(?!<)", line):
            before = True


def docstrings(text):
    """Yields line and first line of each docstring of Python."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and ast.get_docstring(node):
            yield node.body[0].lineno, ast.get_docstring(node).splitlines()[0]


def openings(path, text):
    """Yields line and first words of the file's blocks that open without a subject."""
    python = path.suffix in (".py", ".pyi") or re.match(r"#!.*python", text)
    found = list(blocks(text, SLASHES, BEHIND) if path.suffix in tree.CPP else blocks(text, HASHES)) + (list(docstrings(text)) if python else [])
    yield from ((number, words) for number, words in sorted(found) if OPENING.match(words))


def faults_of_public(path, text):
    """Returns a fault for each phrase of a public header about calls that are not for its user, also if it spans two lines of a comment."""
    joined = re.sub(r"\n\s*//[/<]* ", "  ", text)
    return [f"{path}: a public header says \"{found}\"" for found in NOT_FOR_USERS.findall(re.sub(" +", " ", joined))]


def worn_phrases(root):
    """Yields a fault for each phrase of WORN in a source or document."""
    documents = ((path, (root / path).read_text(encoding="utf-8")) for path in tree.files(root, {".md", ".ipynb"}))
    for path, text in (*sources(root), *documents):
        for found in () if str(path).startswith((*LEFT_OUT, QUOTES_THEM)) else WORN.finditer(text):
            phrase = re.sub(r"\W+", " ", found[0])
            yield f"{path}:{1 + text.count(chr(10), 0, found.start())}: \"{phrase}\": name the noun, or say it plainly"


def sources(root):
    """Yields path and text of each file whose comments the check knows."""
    for path in tree.files(root):
        if str(path).startswith(LEFT_OUT):
            continue
        if path.suffix in tree.CPP | HASH | {".py", ".pyi"} or path.name == "CMakeLists.txt":
            yield path, (root / path).read_text(encoding="utf-8")
        elif not path.suffix and (root / path).read_bytes().startswith(b"#!"):
            yield path, (root / path).read_text(encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description="comments without a subject")
    parser.add_argument("root", nargs="?", default=pathlib.Path(__file__).resolve().parents[2], type=pathlib.Path)
    parser.add_argument("--list", nargs="?", const="", metavar="PREFIX", help="prints those below the folder or file, and ends with 0")
    options = parser.parse_args()
    files = list(sources(options.root.resolve()))
    found = [(path, number, words) for path, text in files for number, words in openings(path, text)]
    if options.list is not None:
        mine = [f"{path}:{number}: {words}" for path, number, words in found if str(path).startswith(options.list)]
        print("\n".join([*mine, str(len(mine))]))
        return
    faults, counts = [], []
    for name, folders, most in LIMITS:
        inside = [one for one in found if str(one[0]).startswith(folders)]
        counts.append(f"{len(inside)} openings without a subject in {name}, at most {most}")
        faults += [f"{path}:{number}: a comment without a subject: {words[:60]}" for path, number, words in inside[most:]]
    faults += [fault for path, text in files if str(path).startswith("include/") for fault in faults_of_public(path, text)]
    faults += worn_phrases(options.root.resolve())
    tree.finish(f"check_comments ({'; '.join(counts)})", len(files), faults)


main()
