#!/usr/bin/env python3
# check_guards.py NM LIBRARY ...: checks that no local static of host code has a guard. A thread may
# hold a guard while another one forks; the child then waits for ever at its first call. kauri uses
# PerProcess instead. Exceptions are the code that nvcc generates around launches, and watchdog
# builds, which do not serve programs that fork.
# SPDX-License-Identifier: BSD-3-Clause
import re
import subprocess
import sys

LIMIT_SECONDS = 1200
_GUARD = re.compile(r"guard variable for (.*)")
_ALLOWED = re.compile(r"^__device_stub__|^kauri::numeric::cuda::watchdog::")


def guarded(listing):
    """Returns the local statics with a guard, except the allowed ones, from nm's demangled listing;
    each once, sorted."""
    found = (match[1] for match in map(_GUARD.search, listing.splitlines()) if match)
    return sorted({name for name in found if not _ALLOWED.match(name)})


def main(nm, *libraries):
    wrong = 0
    for library in libraries:
        listing = subprocess.run([nm, "-C", library], stdout=subprocess.PIPE, check=True, text=True, timeout=LIMIT_SECONDS).stdout
        if not re.search(r"^[0-9a-f]+ T kauri::", listing, re.MULTILINE):
            print(f"{library}: no functions of kauri, expected some")
            wrong += 1
        for name in guarded(listing):
            print(f"{library}: {name} is a local static with a guard, expected PerProcess (base/threads/per_process.hpp)")
            wrong += 1
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
