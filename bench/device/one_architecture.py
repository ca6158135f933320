#!/usr/bin/env python3
# Copies a CUDA library with the code of one architecture only, so that it compresses well for a
# machine that accepts little.
# SPDX-License-Identifier: BSD-3-Clause
"""one_architecture.py LIBRARY COPY [--architecture 90]

Code for other architectures, and PTX, is set to zero in place, so the copy is as large as the library,
but compresses to a fraction. Fat binaries are regions of ELF section .nv_fatbin: a header (magic,
version, its size, size of the rest), then entries with a header each (kind: 1 PTX, 2 machine code; its
size; size of the code; ...; the architecture at byte 28)."""
import argparse
import pathlib
import struct

MAGIC, MACHINE_CODE = 0xBA55ED50, 2


def keep_one(data, architecture):
    """Zeroes in `data` the code of all entries except those of `architecture`; returns the bytes
    kept and taken."""
    kept = taken = 0
    at = data.find(struct.pack("<I", MAGIC))
    while at >= 0:
        header, size = struct.unpack_from("<HQ", data, at + 6)
        entry, end = at + header, at + header + size
        while entry < end:
            kind, _, header, size = struct.unpack_from("<HHIQ", data, entry)
            (arch,) = struct.unpack_from("<I", data, entry + 28)
            if kind == MACHINE_CODE and arch == architecture:
                kept += size
            else:
                data[entry + header : entry + header + size] = bytes(size)
                taken += size
            entry += header + size
        at = data.find(struct.pack("<I", MAGIC), end)
    return kept, taken


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("copy", type=pathlib.Path)
    parser.add_argument("--architecture", type=int, default=90)
    arguments = parser.parse_args()
    data = bytearray(arguments.library.read_bytes())
    kept, taken = keep_one(data, arguments.architecture)
    if not kept:
        raise SystemExit(f"{arguments.library}: no code for architecture {arguments.architecture}")
    arguments.copy.write_bytes(data)
    print(f"{arguments.copy}: {kept / 1e6:.0f} MB of code for {arguments.architecture} kept, {taken / 1e6:.0f} MB taken")


if __name__ == "__main__":
    main()
