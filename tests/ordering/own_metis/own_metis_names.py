#!/usr/bin/env python3
# own_metis_names.py NM CC OBJECT: checks that METIS inside kauri does not touch the process: no
# signal handlers, no exit, no output, no random numbers. Planted objects of each kind first show
# that the check finds them.
# SPDX-License-Identifier: BSD-3-Clause
import pathlib
import re
import subprocess
import sys
import tempfile

LIMIT_SECONDS = 1200

# Matches names of C libraries, with and without the affixes of _FORTIFY_SOURCE.
FORBIDDEN = re.compile(
    r"_*(?:(?:bsd_|sysv_)?signal|sig(?:action|procmask|set|wait|nal)\w*|pthread_(?:sigmask|kill)|raise|kill|abort|exit|Exit|quick_exit|atexit|assert\w*"
    r"|(?:v?[fd]?printf|puts|fputs|putc|fputc|putchar|fwrite|write|perror|err|errx|warn|warnx|std(?:in|out|err))"
    r"|s?rand(?:_r|om|om_r)?|[sdelmnj]rand48|getenv|setlocale)(?:_chk|_fail)?")
PLANTED = (
    ("signal", "#include <signal.h>\nvoid f(void) { signal(SIGTERM, SIG_DFL); }"),
    ("sigaction", "#include <signal.h>\nvoid f(void) { sigaction(SIGTERM, 0, 0); }"),
    ("raise", "#include <signal.h>\nvoid f(void) { raise(SIGABRT); }"),
    ("abort", "#include <stdlib.h>\nvoid f(void) { abort(); }"),
    ("exit", "#include <stdlib.h>\nvoid f(void) { exit(1); }"),
    ("printf", "#include <stdio.h>\nvoid f(int x) { printf(\"%d\", x); }"),
    ("puts", "#include <stdio.h>\nvoid f(void) { puts(\"x\"); }"),
    ("stderr", "#include <stdio.h>\nvoid f(int x) { fprintf(stderr, \"%d\", x); }"),
    ("srand", "#include <stdlib.h>\nvoid f(void) { srand(1); }"),
    ("rand", "#include <stdlib.h>\nint f(void) { return rand(); }"),
)


def run(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True, timeout=LIMIT_SECONDS).stdout


def forbidden(nm, path):
    """Returns the forbidden names that the object takes of the process."""
    names = [line.split()[-1].split("@")[0] for line in run(nm, "-u", path).splitlines() if line.strip()]
    return sorted(name for name in names if FORBIDDEN.fullmatch(name))


def missed(nm, compiler):
    """Yields planted calls that the check does not find."""
    with tempfile.TemporaryDirectory() as folder:
        source, compiled = pathlib.Path(folder) / "planted.c", pathlib.Path(folder) / "planted.o"
        for name, text in PLANTED:
            source.write_text(text + "\n", encoding="utf-8")
            run(compiler, "-O2", "-c", source, "-o", compiled)
            if not any(name in found for found in forbidden(nm, compiled)):
                yield f"a planted call of {name} is not found"


def main():
    nm, compiler, path = sys.argv[1:4]
    faults = [*missed(nm, compiler), *(f"{path} takes {name} of the process" for name in forbidden(nm, path))]
    print("\n".join([*faults, f"own_metis_names: {len(PLANTED)} planted calls, {len(faults)} faults"]))
    return 1 if faults else 0


sys.exit(main())
