#!/usr/bin/env python3
# check_flags.py compile_commands.json: checks that every command of a build with KAURI_HARDENING
# has its flags, and that no later flag cancels one. Binaries show flags only as a whole
# (check_hardening.py): one object that has them hides others that lack them.
# SPDX-License-Identifier: BSD-3-Clause
import json
import pathlib
import shlex
import sys

ASKED = ("-fstack-protector-strong", "-D_FORTIFY_SOURCE=2")
TAKEN_BACK = {"-fstack-protector-strong": ("-fno-stack-protector", "-fstack-protector"), "-D_FORTIFY_SOURCE=2": ("-U_FORTIFY_SOURCE",)}
OF_A_COMPILER = ("-Wformat", "-Werror=format-security")  # kauri's device code prints nothing


def is_nvcc(words):
    """Returns whether the command runs nvcc, also if a launcher (ccache) precedes it."""
    return any(pathlib.Path(word).name == "nvcc" for word in words[:2])


def of_host(words):
    """Returns the flags that nvcc passes to the host compiler."""
    handed = [word.removeprefix("-Xcompiler=") for word in words if word.startswith("-Xcompiler=")]
    handed += [after for word, after in zip(words, words[1:]) if word == "-Xcompiler"]
    return [flag for part in handed for flag in part.split(",")]


def faults_of(words):
    """Yields each flag that is missing or cancelled by a later word."""
    nvcc = is_nvcc(words)
    flags = of_host(words) if nvcc else words
    for flag in ASKED:
        if flag not in flags:
            yield f"no {flag}"
        elif undone := [word for word in flags[len(flags) - flags[::-1].index(flag) :] if word in TAKEN_BACK[flag]]:
            yield f"{undone[0]} after {flag}"
    if not nvcc:
        yield from (f"no {flag}" for flag in OF_A_COMPILER if flag not in flags)
        if not any(flag.startswith("-ffile-prefix-map=") for flag in flags):
            yield "no -ffile-prefix-map"
    levels = [word for word in words if word.startswith("-O") and not word.startswith("-O=")]
    if not levels or levels[-1] == "-O0":
        yield "no optimisation, without which _FORTIFY_SOURCE checks nothing"


def faults(entries):
    for entry in entries:
        words = entry.get("arguments") or shlex.split(entry["command"])
        yield from (f"{entry['file']}: {fault}" for fault in faults_of(words))


def main():
    entries = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    found = list(faults(entries))
    print("\n".join([*found, f"check_flags: {len(entries)} commands, {len(found)} faults"]))
    return 1 if found or not entries else 0


if __name__ == "__main__":
    sys.exit(main())
