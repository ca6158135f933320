#!/usr/bin/env python3
# Comments have a subject and a verb: counts the blocks of comments in the library and the program that open with a word that leaves the subject out ("Of
# those that T has.", "The same.", "What is left."), and holds their number down; public headers name no calls that are not for users.
#     check_comments.py [ROOT] [--list [PREFIX]]
# SPDX-License-Identifier: BSD-3-Clause
import argparse
import pathlib
import re

import tree

FOLDERS = ("include/", "base/", "ordering/", "symbolic/", "numeric/", "src/")
MOST = 20
OPENING = re.compile(r"(?:Of|By|To|As|With|Without|For|In|On|From|Where|Whose|Whether|Which|Who|What|Those|That|These|The same|Such|So many|How|If not|Else|And|Or|But|Nor|Not)\b")
NOT_FOR_USERS = re.compile(r"for tests\b|kauri's own\b")
COMMENT = re.compile(r"^\s*///?<?\s?(.*)$")


def openings(text):
    """Line and first words of each block of comments that open so; a block is a run of lines that hold nothing else."""
    before = False
    for number, line in enumerate(text.splitlines(), 1):
        found = COMMENT.match(line)
        if found and not before and OPENING.match(found[1]):
            yield number, found[1]
        before = found is not None


def faults_of_public(path, text):
    """Words of a public header that speak of calls which are not for its user, also across two lines of a comment."""
    joined = re.sub(r"\n\s*//[/<]* ", "  ", text)
    return [f"{path}: a public header says \"{found}\"" for found in NOT_FOR_USERS.findall(re.sub(" +", " ", joined))]


def main():
    parser = argparse.ArgumentParser(description="comments without a subject")
    parser.add_argument("root", nargs="?", default=pathlib.Path(__file__).resolve().parents[2], type=pathlib.Path)
    parser.add_argument("--list", nargs="?", const="", metavar="PREFIX", help="prints those below the folder or file, and ends with 0")
    options = parser.parse_args()
    root = options.root.resolve()
    files = [path for path in tree.files(root, tree.CPP) if str(path).startswith(FOLDERS)]
    found = [(path, number, words) for path in files for number, words in openings((root / path).read_text(encoding="utf-8"))]
    if options.list is not None:
        mine = [(path, number, words) for path, number, words in found if str(path).startswith(options.list)]
        print("\n".join(f"{path}:{number}: {words}" for path, number, words in mine))
        print(len(mine))
        return
    faults = [f"{path}:{number}: a comment without a subject: {words[:60]}" for path, number, words in found[MOST:]]
    public = [path for path in files if str(path).startswith("include/")]
    faults += [fault for path in public for fault in faults_of_public(path, (root / path).read_text(encoding="utf-8"))]
    tree.finish(f"check_comments ({len(found)} openings without a subject, at most {MOST})", len(files), faults)


main()
