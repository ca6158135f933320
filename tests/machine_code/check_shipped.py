#!/usr/bin/env python3
# check_shipped.py NM LIBRARY HEADER ...: the library has no function that the headers declare. They are headers of oracles and of kernels that
# tests, fuzzers and benchmarks alone call; what they call lies in libraries of its own (kauri_checked, kauri_dense_kernels).
# SPDX-License-Identifier: BSD-3-Clause
import pathlib
import re
import subprocess
import sys

LIMIT_SECONDS = 1200
_DECLARED = re.compile(r"^(?:\[\[nodiscard\]\] )?[A-Za-z_][\w:<>]*[ *&]+(\w+)\((?!.*\{)", re.MULTILINE)


def declared(text):
    """The functions that a header declares without a body, each once, in order."""
    return sorted(set(_DECLARED.findall(text)))


def shipped(listing, names):
    """Those of the names that nm's demangled listing defines in the library."""
    defined = set(re.findall(r"^[0-9a-f]+ [TtWVDdRrBb] (?:[^\n(]*[: ])?(\w+)(?:\[abi:\w+\])?\(", listing, re.MULTILINE))
    return sorted(defined & set(names))


def main(nm, library, *headers):
    listing = subprocess.run([nm, "-C", library], stdout=subprocess.PIPE, check=True, text=True, timeout=LIMIT_SECONDS).stdout
    wrong = 0
    if not re.search(r"^[0-9a-f]+ T kauri::", listing, re.MULTILINE):
        print(f"{library}: no functions of kauri, expected some")
        wrong += 1
    for header in headers:
        names = declared(pathlib.Path(header).read_text(encoding="utf-8"))
        if not names:
            print(f"{header}: declares no function, expected some")
            wrong += 1
        for name in shipped(listing, names):
            print(f"{library}: has {name}() of {header}, which tests and benchmarks alone call")
            wrong += 1
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
