#!/usr/bin/env python3
# assemble.py OUT: the sources of the site in one folder, of documents that stand in several: docs/site, docs, README.md, the headers, the
# examples, the notebooks. Links lead from page to page afterwards; one that would lead out of the site is an error.
# SPDX-License-Identifier: BSD-3-Clause
"""Where things go: docs/site/X.md to X.md, docs/X.md to guide/X.md, each header to reference/cpp or reference/c, each example to examples."""
import os
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
_CODE = re.compile(r"^(?P<fence>`{3,}).*?^(?P=fence)`*$|`[^`\n]+`", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"(?P<text>!?\[[^\]]*\])\((?P<target>[^)\s]+)\)")
SINGLE = {"README.md": "overview.md", "CHANGELOG.md": "changes.md", "CONTRIBUTING.md": "contributing.md", "data/README.md": "data.md"}
FOLDERS = {"include/kauri": "reference-cpp.md", "include/kauri/c": "reference-c.md", "examples": "examples.md", "data": "data.md",
           "docs": "index.md", "docs/notebooks": "notebooks.md"}
# Files that have no page: shown as they are.
LISTINGS = {"cpp": "cpp", "c": "c", "cu": "cuda", "py": "python"}


def header_page(path):
    folder = "c" if path.suffix == ".h" else "cpp"
    return pathlib.PurePosixPath("reference", folder, path.stem + ".md")


def places():
    """Of each file of the clone that has a page: its path there, and here."""
    found = {pathlib.PurePosixPath(name): pathlib.PurePosixPath(page) for name, page in SINGLE.items()}
    for path in sorted((ROOT / "docs").glob("*.md")):
        found[pathlib.PurePosixPath("docs", path.name)] = pathlib.PurePosixPath("guide", path.name)
    for path in sorted((ROOT / "docs" / "site").glob("*.md")):
        found[pathlib.PurePosixPath("docs/site", path.name)] = pathlib.PurePosixPath(path.name)
    for path in sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")):
        found[pathlib.PurePosixPath("docs/notebooks", path.name)] = pathlib.PurePosixPath("notebooks", path.name)
    for path in sorted((ROOT / "docs" / "pictures").glob("*.*")):
        if path.suffix in (".svg", ".png"):
            found[pathlib.PurePosixPath("docs/pictures", path.name)] = pathlib.PurePosixPath("pictures", path.name)
    for path in sorted((ROOT / "include" / "kauri").rglob("*.h*")):
        found[pathlib.PurePosixPath(path.relative_to(ROOT).as_posix())] = header_page(path)
    for path in sorted((ROOT / "examples").rglob("*.c*")):
        if path.suffix[1:] in LISTINGS:
            found[pathlib.PurePosixPath(path.relative_to(ROOT).as_posix())] = pathlib.PurePosixPath("examples", path.stem + ".md")
    return found


def rewritten(text, at, pages, faults):
    """The Markdown of the file `at`, with links from its page to other pages. Code stays as it is."""
    here = pages[at].parent

    def link(match):
        target, _, anchor = match["target"].partition("#")
        if not target or "://" in target or target.startswith("mailto:"):
            return match.group()
        path = pathlib.PurePosixPath(os.path.normpath(at.parent / target))
        page = pages.get(path) or (pathlib.PurePosixPath(FOLDERS[str(path)]) if str(path) in FOLDERS else None)
        if page is None:
            if match["text"].startswith("!") or not (ROOT / path).exists():
                faults.append(f"{at}: link to {match['target']}, which is not of the site")
            return f"{match['text'][1:-1]} (`{path}`)"  # in the clone, and nothing to read here
        return f"{match['text']}({os.path.relpath(page, here)}{'#' + anchor if anchor else ''})"

    out, end = [], 0
    for code in _CODE.finditer(text):
        out += [_LINK.sub(link, text[end : code.start()]), code.group()]
        end = code.end()
    return "".join(out) + _LINK.sub(link, text[end:])


def head_comment(path):
    """The first paragraph of a source file's comment."""
    lines = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("//") or line.strip() == "//" or "SPDX" in line:
            break
        lines.append(line[2:].strip())
    return " ".join(lines)


def reference_page(path):
    name = path.relative_to(ROOT / "include").as_posix()
    return f"# {path.name if path.suffix == '.hpp' else name}\n\n    #include <{name}>\n\n" + head_comment(path).replace("<", "&lt;") + \
        f"\n\n```{{doxygenfile}} {name}\n:sections: briefdescription detaileddescription define enum func innerclass innernamespace typedef user-defined var public-* \n```\n"


def example_page(path):
    return f"# {path.stem}\n\n{head_comment(path)}\n\nThis is the whole of `{path.relative_to(ROOT).as_posix()}`; the tests run it.\n\n" + \
        f"```{{literalinclude}} /{path.relative_to(ROOT).as_posix()}\n:language: {LISTINGS[path.suffix[1:]]}\n```\n"


def put(out, page, text):
    target = out / page
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists() or target.read_text(encoding="utf-8") != text:  # Sphinx reads again what changed alone
        target.write_text(text, encoding="utf-8")


def main():
    out, faults, pages = pathlib.Path(sys.argv[1]), [], places()
    for at, page in pages.items():
        path = ROOT / at
        if path.suffix == ".md":
            text = rewritten(path.read_text(encoding="utf-8"), at, pages, faults)
            if "\n    >>> " in text:  # indented code has no language of its own
                text = "```{highlight} pycon\n```\n\n" + text
            put(out, page, text)
        elif at.parts[0] == "include":
            put(out, page, reference_page(path))
        elif at.parts[0] == "examples":
            put(out, page, example_page(path))
        else:
            (out / page).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, out / page)
    shutil.copytree(ROOT / "examples", out / "examples", dirs_exist_ok=True)
    there = {path.relative_to(out).as_posix() for path in out.rglob("*.md")}
    for name in there - {str(page) for page in pages.values()}:  # of an earlier time
        (out / name).unlink()
    for fault in faults:
        print(fault)
    print(f"assembled: {len(pages)} files, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
