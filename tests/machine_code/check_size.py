#!/usr/bin/env python3
# check_size.py --most MB FILE ...: no file has more than so many megabytes (10^6 bytes). The files are the library and the program of a build
# with code for all architectures.
# SPDX-License-Identifier: BSD-3-Clause
import argparse
import pathlib
import sys


def too_large(sizes, most):
    """The names whose bytes exceed `most` megabytes."""
    return [name for name, size in sizes.items() if size > most * 1e6]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--most", type=float, required=True)
    parser.add_argument("file", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    sizes = {str(path): path.stat().st_size for path in arguments.file}
    wrong = too_large(sizes, arguments.most)
    for name, size in sizes.items():
        print(f"{name}: {size / 1e6:.1f} MB" + (f", expected at most {arguments.most:g}" if name in wrong else ""))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
