#!/usr/bin/env python3
# The documents say true things that a script can see: relative links lead to files, and the C++ in README.md is examples/first_solve.cpp.
# SPDX-License-Identifier: BSD-3-Clause
import re

import tree

_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_CPP = re.compile(r"^```cpp\n(.*?)^```", re.DOTALL | re.MULTILINE)
EXAMPLE = "examples/first_solve.cpp"


def broken_links(path, root):
    text = (root / path).read_text(encoding="utf-8")
    for match in _LINK.finditer(re.sub(r"```.*?```", lambda m: "\n" * m.group().count("\n"), text, flags=re.DOTALL)):
        target = match.group(1).split("#")[0]
        if target and "://" not in target and not (root / path.parent / target).exists():
            yield f"{path}: link to {target}, which is not there"


def example_faults(root):
    readme = (root / "README.md").read_text(encoding="utf-8")
    code = [line for line in (root / EXAMPLE).read_text(encoding="utf-8").split("\n") if not line.startswith("//")]
    if "\n".join(code).strip() not in [block.strip() for block in _CPP.findall(readme)]:
        yield f"README.md: its C++ is not {EXAMPLE} word for word"


def main():
    root = tree.root_from_arguments("documents")
    documents = tree.files(root, {".md"})
    faults = [fault for p in documents for fault in broken_links(p, root)]
    tree.finish("check_docs", len(documents), faults + list(example_faults(root)))


main()
