#!/usr/bin/env python3
# check.py HTML SOURCE: checks the built site for faults that Sphinx does not see. Prints the
# faults; exit status 1 if there are any.
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that the index leads to every page, every link and anchor leads somewhere within the site,
no page asks another host for anything, search knows every page, and every public name of both
languages is documented."""
import html.parser
import importlib
import inspect
import json
import pathlib
import re
import sys
import urllib.parse
import xml.etree.ElementTree as tree
import zlib

# A browser fetches these by itself. A link to another host is not among them, since the reader
# decides to follow it.
FETCHED = {("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("source", "srcset"), ("video", "src"), ("audio", "src"),
           ("embed", "src"), ("object", "data"), ("input", "src"), ("image", "href"), ("use", "href")}
FETCHING_RELATIONS = {"stylesheet", "icon", "shortcut icon", "preload", "prefetch", "modulepreload", "preconnect", "dns-prefetch", "manifest"}
# No other page needs to lead to these.
ALONE = {"genindex.html", "search.html", "py-modindex.html"}
MODULES = ["kauri", "kauri.aio", "kauri.cholmod", "kauri.cholmod05"]
# These belong to kauri.torch and kauri.jax, which are not imported if neither library is installed.
OPTIONAL = [f"kauri.{module}.Cholesky{member}" for module in ("torch", "jax") for member in ("", ".solve", ".logdet")]


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.anchors, self.assets = [], set(), []
        self.style = False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        a = {key: value or "" for key, value in attributes}
        self.anchors.update(a[key] for key in ("id", "name") if a.get(key))
        if tag == "a" and "href" in a:
            self.links.append(a["href"])
        if tag == "link" and a.get("rel") in FETCHING_RELATIONS:
            self.assets.append(a.get("href", ""))
        self.assets += [a[key] for key in a if (tag, key) in FETCHED]
        self.assets += re.findall(r"url\(([^)]+)\)", a.get("style", ""))
        self.style = tag == "style"

    def handle_data(self, data):
        if self.style:
            self.assets += re.findall(r"url\(([^)]+)\)", data)


def elsewhere(address):
    return re.match(r"\s*[\"']?(https?:|//)", address) is not None


def link_faults(folder, pages):
    for name, page in pages.items():
        here = (folder / name).parent
        for address in [*page.links, *page.assets]:
            part = urllib.parse.urlsplit(address)
            if part.scheme or part.netloc:
                continue
            path = urllib.parse.unquote(part.path)
            there = (here / path).resolve() if path else folder / name
            if not there.is_file():
                yield f"{name}: a link to {address}, which is not there"
            elif part.fragment and there.suffix == ".html":
                known = pages[str(there.relative_to(folder))].anchors
                if urllib.parse.unquote(part.fragment) not in known:
                    yield f"{name}: a link to {address}, which has no such anchor"


def asset_faults(folder, pages):
    for name, page in pages.items():
        for address in page.assets:
            if elsewhere(address):
                yield f"{name}: asks for {address}"
    for path in folder.rglob("*.css"):
        for address in re.findall(r"""url\(([^)]+)\)|@import\s+(["'][^"']+)""", path.read_text(encoding="utf-8")):
            if elsewhere("".join(address)):
                yield f"{path.relative_to(folder)}: asks for {''.join(address)}"


def unreached(folder, pages):
    seen, left = set(), ["index.html"]
    while left:
        name = left.pop()
        if name in seen:
            continue
        seen.add(name)
        for address in pages[name].links:
            part = urllib.parse.urlsplit(address)
            if not part.scheme and not part.netloc and part.path.endswith(".html"):
                there = str(((folder / name).parent / urllib.parse.unquote(part.path)).resolve().relative_to(folder))
                if there in pages and there not in ALONE:
                    left.append(there)
    for name in sorted(set(pages) - seen - ALONE):
        yield f"{name}: not reached from the index"


def search_faults(folder, pages):
    text = (folder / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(text[text.index("(") + 1 : text.rindex(")")])
    for name in sorted(set(pages) - ALONE):
        if name.removesuffix(".html") not in index["docnames"]:
            yield f"{name}: the search does not know it"
    for word in ("supernod", "refactor", "cholmod05"):
        if word not in index["terms"]:
            yield f"the search does not know the word {word}"


def inventory(folder):
    """Returns the Python names that pages document, and where."""
    data = (folder / "objects.inv").read_bytes()
    body = zlib.decompress(data.split(b"\n", 4)[4]).decode("utf-8")
    return {line.split(" ")[0] for line in body.splitlines() if " py:" in line}


def public_names(module):
    for key, value in vars(module).items():
        named = getattr(module, "__all__", None)
        own = key in named if module.__name__ == "kauri" else getattr(value, "__module__", None) == module.__name__
        if key.startswith("_") or not own or not callable(value):
            continue
        yield f"{module.__name__}.{key}", value
        if inspect.isclass(value) and not issubclass(value, BaseException):
            own = {member: what for base in reversed(value.__mro__) if base.__module__.startswith("kauri") for member, what in vars(base).items()}
            for member, what in own.items():
                if not member.startswith("_") and (callable(what) or isinstance(what, property)):
                    yield f"{module.__name__}.{key}.{member}", what


def python_faults(folder):
    there, count = inventory(folder), 0
    for name in OPTIONAL:
        if name not in there:
            yield f"Python: {name} is not in the reference"
    for module in MODULES:
        for name, what in public_names(importlib.import_module(module)):
            count += 1
            owner = f"{getattr(what, '__module__', '')}.{getattr(what, '__qualname__', '')}"  # kauri.cho_factor is that of kauri.cholmod05
            if name not in there and owner not in there and not is_of_documented_class(name, there):
                yield f"Python: {name} is not in the reference"
            if not inspect.getdoc(what):
                yield f"Python: {name} has no docstring"
    if count < 100:
        yield f"Python: {count} public names, which cannot be all"


def is_of_documented_class(name, there):
    """Returns True if another name documents the class: kauri.CholeskyFactor.solve is documented as
    kauri.cholmod05.CholeskyFactor.solve."""
    return name.replace("kauri.", "kauri.cholmod05.", 1) in there


def cpp_faults(source, pages):
    """Yields each class, function, enumeration, type and variable of Doxygen's XML, members
    included, that has no place on a page."""
    anchors = set().union(*(page.anchors for page in pages.values()))
    xml, count = source.parent / "xml", 0
    for path in xml.glob("*.xml"):
        for compound in tree.parse(path).getroot().findall("compounddef"):
            kind = compound.get("kind")
            if kind in ("class", "struct") and compound.find("location").get("bodyend") != "-1":  # declared only: internal to the library
                count += 1
                if compound.get("id") not in anchors:
                    yield f"C++: {compound.findtext('compoundname')} is not in the reference"
            if kind not in ("class", "struct", "namespace", "file"):
                continue
            for member in compound.iter("memberdef"):
                if member.get("prot") == "private" or member.get("kind") == "friend":
                    continue
                count += 1
                if member.get("id") not in anchors:
                    yield f"C++: {member.findtext('qualifiedname') or member.findtext('name')} of {compound.findtext('compoundname')} is not in the reference"
    if count < 500:
        yield f"C++: {count} public names, which cannot be all"


def main():
    folder, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    pages = {str(path.relative_to(folder)): Page(path.read_text(encoding="utf-8")) for path in folder.rglob("*.html") if "_static" not in path.parts}
    found = [*link_faults(folder, pages), *asset_faults(folder, pages), *unreached(folder, pages), *search_faults(folder, pages),
             *python_faults(folder), *cpp_faults(source, pages)]
    for fault in found:
        print(fault)
    print(f"site: {len(pages)} pages looked at, {len(found)} faults")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
