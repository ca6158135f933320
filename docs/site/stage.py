#!/usr/bin/env python3
# stage.py SOURCE XML: gathers Sphinx's input in the folder SOURCE, and makes the reference's pages
# from Doxygen's XML.
# SPDX-License-Identifier: BSD-3-Clause
"""On the site docs/*.md, docs/site/**/*.md and some pages of the clone's root lie side by side, so
that addresses are short. Links are rewritten: a link to a header goes to its page of the reference,
one to another file to a copy. A link to a missing file is an error."""
import filecmp
import inspect
import json
import os
import pathlib
import re
import shutil
import sys
import xml.etree.ElementTree as tree

import kauri

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include" / "kauri"
ROOT_PAGES = {"README.md": "readme.md", "CHANGELOG.md": "changes.md", "CONTRIBUTING.md": "contributing.md", "SECURITY.md": "security.md", "data/README.md": "data.md"}
FOLDERS = {"data": "data.md", "include/kauri": "reference/cpp.md", "docs": "index.md", "examples/python": "examples.md", "docs/notebooks": "notebooks/fill.ipynb"}
BOOKS = ("design", "decisions", "measurements")  # the README.md of each leads to all other pages in it
LINK = re.compile(r"(?P<head>\]\()(?P<path>[^)#\s<>:]+)(?P<anchor>#[^)\s]*)?(?=\))")
LITERALINCLUDE = re.compile(r"(?P<head>^`{3,}\{literalinclude\} )(?P<path>\S+)(?P<anchor>)$", re.MULTILINE)
FENCE = re.compile(r"(^(?P<ticks>`{3,}).*?^(?P=ticks)`*$|`[^`\n]+`)", re.MULTILINE | re.DOTALL)
TOCTREE_OF_A_BOOK = "\n```{toctree}\n:hidden:\n:glob:\n\n*\n```\n"
# The groups of the reference are the folders of include/kauri; the headers of a first program come
# first in each.
HEADERS = {
    "All, and Eigen's": ["kauri", "eigen", "eigen/llt", "eigen/llt_factorize", "eigen/llt_solve"],
    "Core: matrices, orderings, plans": [
        f"core/{name}"
        for name in ("matrix", "graph", "ordering", "permutation", "plan", "analysis", "backend", "verdict", "roofline", "error", "message", "types", "version")
    ],
    "Solve": [f"solve/{name}" for name in ("solver", "named_options", "report", "factor", "fused_solve", "mixed", "refine", "refinement", "refiner", "condition")],
    "Device: arrays and plans in its memory": [f"device/{name}" for name in ("device_matrix", "device_values", "prepared_plan", "sparse_product")],
    "Extras": [
        f"extras/{name}" for name in ("io", "save", "batch", "lower_factor", "schur", "selected_inverse", "scaling", "separators", "generate")
    ],
}
C_HEADERS = ["kauri", "c/status", "c/options", "c/matrix", "c/backend", "c/plan", "c/factor", "c/save", "c/stream", "c/solver"]


def stem(header):
    """Returns the last part, core/plan -> plan: public headers have unique names."""
    return header.rpartition("/")[2]


class Stage:
    def __init__(self, source):
        self.source, self.written, self.faults = source, set(), []
        self.pages = {ROOT / "docs" / path.name: path.name for path in (ROOT / "docs").glob("*.md")}
        self.pages |= {path: f"{path.parent.name}/{path.name}" for book in BOOKS for path in (ROOT / "docs" / book).glob("*.md")}
        site = ROOT / "docs" / "site"
        self.pages |= {path: str(path.relative_to(site)) for path in site.rglob("*.md")}
        self.pages |= {path: f"notebooks/{path.name}" for path in (ROOT / "docs" / "notebooks").glob("*.ipynb")}
        self.pages |= {ROOT / real: staged for real, staged in ROOT_PAGES.items()}
        self.pages |= {ROOT / real: staged for real, staged in FOLDERS.items()}
        self.pages |= {INCLUDE / f"{name}.hpp": f"reference/cpp/{stem(name)}.md" for names in HEADERS.values() for name in names}
        self.pages |= {INCLUDE / f"{name}.h": "reference/c.md" for name in C_HEADERS}

    def write(self, name, text):
        """Writes changed text only, so that Sphinx reads no page twice."""
        path = self.source / name
        self.written.add(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")

    def copy(self, real, name):
        path = self.source / name
        self.written.add(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or not filecmp.cmp(real, path, shallow=False):
            shutil.copyfile(real, path)

    def target(self, page, staged, link):
        real = pathlib.Path(os.path.normpath(page.parent / link["path"]))
        if real in self.pages:
            there = self.pages[real]
        elif not real.is_file():
            self.faults.append(f"{page.relative_to(ROOT)}: no {link['path']}")
            return link[0]
        elif real.is_relative_to(ROOT / "docs" / "pictures"):
            there = f"pictures/{real.name}"
            self.copy(real, there)
        else:
            there = f"files/{real.relative_to(ROOT)}"
            self.copy(real, there)
        return link["head"] + os.path.relpath(there, pathlib.Path(staged).parent) + (link["anchor"] or "")

    def rewritten(self, real, staged, text):
        """Returns a page's text with its links rewritten for the site."""
        parts, at = [], 0
        links = lambda part: LINK.sub(lambda link: self.target(real, staged, link), part)
        for code in FENCE.finditer(text):  # links in code do not count, but code may be the text of a link
            fence = code[0].startswith("```")
            part = LITERALINCLUDE.sub(lambda link: self.target(real, staged, link), code[0]) if fence else code[0]
            if not fence and text[code.end() : code.end() + 2] == "](":
                continue
            parts += [links(text[at : code.start()]), part]
            at = code.end()
        return "".join(parts) + links(text[at:])

    def page(self, real, staged):
        text = real.read_text(encoding="utf-8")
        if real.suffix == ".ipynb":
            notebook = json.loads(text)
            for cell in notebook["cells"]:
                if cell["cell_type"] == "markdown":
                    cell["source"] = self.rewritten(real, staged, "".join(cell["source"]))
            self.write(staged, json.dumps(notebook, indent=1))
        else:
            book = real.name == "README.md" and real.parent.name in BOOKS
            self.write(staged, self.rewritten(real, staged, text) + (TOCTREE_OF_A_BOOK if book else ""))

    def leave_only_what_was_written(self):
        for path in list(self.source.rglob("*")):
            if path.is_file() and path not in self.written and "pictures" not in path.relative_to(self.source).parts[1:2]:
                path.unlink()


def opening(header):
    """Returns the comment at the head of a header."""
    lines = []
    for line in header.read_text(encoding="utf-8").splitlines():
        if not line.startswith("// ") or "SPDX" in line:
            break
        lines.append(line[3:])
    return " ".join(lines)


def members_by_file(xml):
    """Returns members of namespaces by header, since pages are by header and Doxygen's XML has them
    by namespace."""
    found = {}
    for path in xml.glob("namespace*.xml"):
        for section in tree.parse(path).getroot().iter("sectiondef"):
            for member in section.findall("memberdef"):
                found.setdefault(member.find("location").get("file"), {}).setdefault(section.get("kind"), []).append(member)
    return found


def headers_with_members(xml):
    """Adds each header's members of namespaces to its own file of the XML; returns the headers that
    have any."""
    found = members_by_file(xml)
    for path in xml.glob("*_8hpp.xml"):
        document = tree.parse(path)
        compound = document.getroot().find("compounddef")
        for section in compound.findall("sectiondef"):
            if section.get("added"):
                compound.remove(section)
        for space in compound.findall("innernamespace"):
            compound.remove(space)
        for kind, members in found.get(compound.find("location").get("file"), {}).items():
            section = tree.SubElement(compound, "sectiondef", kind=kind)
            section.extend(members)
        document.write(path, encoding="utf-8", xml_declaration=True)
    return set(found)


def doxygen_name(name):
    return name.replace("_", "__")


def concepts_by_file(xml):
    """Returns the concepts of each header, which the XML of the header does not list."""
    found = {}
    for path in sorted(xml.glob("concept*.xml")):
        compound = tree.parse(path).getroot().find("compounddef")
        found.setdefault(compound.find("location").get("file"), []).append(compound.find("compoundname").text)
    return found


def header_page(name, with_members, with_classes, concepts):
    labels = "".join(f"({label})=\n" for label in (f"{doxygen_name(stem(name))}_8hpp", f"{doxygen_name(stem(name))}_8hpp_source"))
    text = labels + f"# kauri/{name}.hpp\n\n{opening(INCLUDE / f'{name}.hpp')}\n\n    #include <kauri/{name}.hpp>\n"
    if with_classes:
        text += f"\n```{{doxygenfile}} {stem(name)}.hpp\n:sections: briefdescription detaileddescription innerclass public-type public-func public-static-func public-attrib public-static-attrib protected-func protected-attrib related user-defined\n```\n"
    text += "".join(f"\n```{{doxygenconcept}} {concept}\n```\n" for concept in concepts)
    if with_members:
        text += f"\n```{{cpp:namespace}} kauri\n```\n\n```{{doxygenfile}} {stem(name)}.hpp\n:sections: enum typedef func var define\n```\n"
    return text


def cpp_pages(stage, xml):
    members, concepts = headers_with_members(xml), concepts_by_file(xml)
    index = f"# C++ reference\n\n{(ROOT / 'docs/site/reference/cpp-head.txt').read_text(encoding='utf-8')}\n"
    every = [name for names in HEADERS.values() for name in names]
    for header in INCLUDE.rglob("*.hpp"):
        if str(header.relative_to(INCLUDE).with_suffix("")) not in every:
            stage.faults.append(f"docs/site/stage.py does not know the header {header.name}")
    for group, names in HEADERS.items():
        index += f"\n## {group}\n\n| header | |\n|---|---|\n"
        index += "".join(f"| [{name}.hpp](cpp/{stem(name)}.md) | {opening(INCLUDE / f'{name}.hpp')} |\n" for name in names)
        index += "\n```{toctree}\n:hidden:\n\n" + "".join(f"{name}.hpp <cpp/{stem(name)}>\n" for name in names) + "```\n"
        for name in names:
            classes = tree.parse(xml / f"{doxygen_name(stem(name))}_8hpp.xml").getroot().find("compounddef").find("innerclass") is not None
            stage.write(f"reference/cpp/{stem(name)}.md", header_page(name, f"kauri/{name}.hpp" in members, classes, concepts.get(f"kauri/{name}.hpp", [])))
    stage.write("reference/cpp.md", index)


def c_page(stage):
    text = f"# C reference\n\n{(ROOT / 'docs/site/reference/c-head.txt').read_text(encoding='utf-8')}\n"
    for name in C_HEADERS:
        stem = pathlib.Path(name).name
        text += f"\n({stem}_8h)=\n({stem}_8h_source)=\n## {name}.h\n\n```{{doxygenfile}} {pathlib.Path(name).name}.h\n```\n"
    for header in (INCLUDE / "c").glob("*.h"):
        if f"c/{header.stem}" not in C_HEADERS:
            stage.faults.append(f"docs/site/stage.py does not know the header c/{header.name}")
    stage.write("reference/c.md", text)


def notebooks(stage):
    names = sorted(path.stem for path in (ROOT / "docs" / "notebooks").glob("*.ipynb"))
    text = "# Notebooks\n\n" + ("Run when this site was built.\n" if names else "There are none in this clone.\n")
    stage.write("notebooks.md", text + "\n```{toctree}\n" + "".join(f"notebooks/{name}\n" for name in names) + "```\n")


def rest_of_python(page):
    """Returns a page of the reference with the names of kauri.__all__ that no other page has, so
    that a new name is always described."""
    text, more = page.read_text(encoding="utf-8"), ""
    for name in kauri.__all__:
        thing = getattr(kauri, name)
        if f":: kauri.{name}\n" in text or getattr(thing, "__module__", "") in ("kauri.cholmod", "kauri.cholmod05"):
            continue
        kind = "autofunction" if not inspect.isclass(thing) else "autoexception" if issubclass(thing, BaseException) else "autoclass"
        more += f".. {kind}:: kauri.{name}\n" + ("" if kind == "autofunction" else "   :members:\n")
    if more:
        page.write_text(text.replace("\n## kauri.aio\n", f"\n### More\n\n```{{eval-rst}}\n{more}```\n\n## kauri.aio\n"), encoding="utf-8")


def main():
    source, xml = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    stage = Stage(source)
    cpp_pages(stage, xml)
    c_page(stage)
    notebooks(stage)
    for real, staged in stage.pages.items():
        if real.is_file() and real.suffix in (".md", ".ipynb"):
            stage.page(real, staged)
    rest_of_python(stage.source / "reference" / "python.md")
    stage.leave_only_what_was_written()
    for fault in stage.faults:
        print(fault)
    return 1 if stage.faults else 0


sys.exit(main())
