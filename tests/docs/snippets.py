#!/usr/bin/env python3
# snippets.py OUT FILE.md ...: writes every C++ snippet of the documents as a function for the
# compiler. README's program is a separate file.
# SPDX-License-Identifier: BSD-3-Clause
"""Each snippet becomes a block of its own in a function that returns a kauri::Index, in the
namespace of the names that it presupposes. tests/docs/context.hpp declares them: `host`, unless a
line "<!-- names: device -->" precedes the snippet."""
import pathlib
import re
import sys

SNIPPET = re.compile(r"(?:^<!-- names: (?P<names>\w+) -->\n+)?^```cpp\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


def snippets(path):
    """Yields (line, names, text) of each snippet."""
    whole = path.read_text(encoding="utf-8")
    for found in SNIPPET.finditer(whole):
        yield whole.count("\n", 0, found.start("text")) + 1, found["names"] or "host", found["text"]


def main():
    out, documents = pathlib.Path(sys.argv[1]), [pathlib.Path(name) for name in sys.argv[2:]]
    parts, count = ['#include "tests/docs/context.hpp"\n'], 0
    for path in documents:
        for line, names, text in snippets(path):
            count += 1
            # #line makes compiler messages name the line of the document.
            parts.append(f'namespace {names} {{\nkauri::Index snippet_{count}() {{\n{{\n#line {line} "{path.name}"\n{text}}}\nreturn 0;\n}}\n}}\n')
    if not count:
        sys.exit("no snippets")
    out.write_text("".join(parts), encoding="utf-8")
    print(f"{count} snippets of {len(documents)} documents")


if __name__ == "__main__":
    main()
