#!/usr/bin/env python3
# commands.py KAURI FILE.md ...: runs every command "kauri ..." of these documents from the root of
# the clone; files that they write to build/ go to another folder.
# SPDX-License-Identifier: BSD-3-Clause
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

LIMIT_SECONDS = 1200  # of one command, in case it hangs
ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = re.compile(r"^    kauri (?P<words>[^#\n]*)", re.MULTILINE)


def main():
    program, count, failed = str(pathlib.Path(sys.argv[1]).resolve()), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for document in sys.argv[2:]:
            for command in COMMAND.finditer(pathlib.Path(document).read_text(encoding="utf-8")):
                words = [word.replace("build/", f"{folder}/") for word in shlex.split(command["words"])]
                done = subprocess.run([program, *words], cwd=ROOT, text=True, capture_output=True, timeout=LIMIT_SECONDS)
                count += 1
                if done.returncode:
                    failed += 1
                    print(f"{document}: kauri {command['words']}\n{done.stderr}")
    if not count:
        sys.exit("no commands")
    print(f"{count} commands, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
