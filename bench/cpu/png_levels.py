#!/usr/bin/env python3
# png_levels.py FILE.png ...: compresses the rows of PNG files again at each level of zlib, and of
# libdeflate if its library is here, in turn. Prints milliseconds of CPU time, the least of five, and
# bytes of each contender, summed over all files.
# SPDX-License-Identifier: BSD-3-Clause
import ctypes
import pathlib
import struct
import sys
import time
import zlib

ROUNDS = 5
SPARE_BYTES = 1000  # by which compressed rows may be longer than the rows


def rows_of(path):
    """Returns the rows of a PNG file as its compressor gets them."""
    data, place, packed = path.read_bytes(), 8, b""
    while place < len(data):
        length, kind = struct.unpack(">I4s", data[place : place + 8])
        if kind == b"IDAT":
            packed += data[place + 8 : place + 8 + length]
        place += length + 12
    return zlib.decompress(packed)


def libdeflate(level):
    """Returns a call that gives the compressed length of bytes. Raises OSError without the library."""
    library = ctypes.CDLL("libdeflate.so.0")
    library.libdeflate_alloc_compressor.restype = ctypes.c_void_p
    compress = library.libdeflate_zlib_compress
    compress.restype = ctypes.c_size_t
    compress.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
    compressor = library.libdeflate_alloc_compressor(level)

    def length(rows):
        room = len(rows) + SPARE_BYTES
        return compress(compressor, rows, len(rows), ctypes.create_string_buffer(room), room)

    return length


def contenders():
    calls = {f"zlib {level}": lambda rows, level=level: len(zlib.compress(rows, level)) for level in range(4, 10)}
    try:
        calls |= {f"libdeflate {level}": libdeflate(level) for level in (6, 9, 12)}
    except OSError:
        print("libdeflate is not here", file=sys.stderr)
    return calls


def main():
    calls, total = contenders(), {}
    for path in map(pathlib.Path, sys.argv[1:]):
        rows, least = rows_of(path), {}
        for _ in range(ROUNDS):
            for name, call in calls.items():
                start = time.thread_time()
                length = call(rows)
                seconds = time.thread_time() - start
                least[name] = min(least.get(name, (seconds, length)), (seconds, length))
        for name, (seconds, length) in least.items():
            before = total.get(name, (0, 0))
            total[name] = (before[0] + seconds, before[1] + length)
    for name, (seconds, length) in total.items():
        print(f"{name}: {1e3 * seconds:.1f} ms, {length} bytes")


main()
