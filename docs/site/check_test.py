#!/usr/bin/env python3
# Tests that check.py can fail: plants one fault at a time in a small sound site.
# SPDX-License-Identifier: BSD-3-Clause
import pathlib
import tempfile

import check

INDEX = '<a href="page.html#here">a</a><a href="https://example.org/">elsewhere</a>'
PAGE = '<h1 id="here">b</h1><img src="picture.svg"><a href="index.html">back</a>'
SEARCH = 'Search.setIndex({"docnames":["index","page"],"terms":{"supernod":0,"refactor":0,"cholmod05":0}})'
SOUND = {"index.html": INDEX, "page.html": PAGE, "picture.svg": "", "site.css": "a { background: url(picture.svg) }", "searchindex.js": SEARCH}

# Each case is: file, its new content, expected text of the report.
PLANTED = (
    ("index.html", INDEX.replace("#here", "#gone"), "no such anchor"),
    ("index.html", INDEX + '<a href="gone.html">c</a>', "which is not there"),
    ("page.html", PAGE + '<img src="gone.svg">', "which is not there"),
    ("page.html", PAGE + '<script src="https://cdn.example.org/x.js"></script>', "asks for https://cdn"),
    ("page.html", PAGE + '<link rel="stylesheet" href="//cdn.example.org/x.css">', "asks for //cdn"),
    ("page.html", PAGE + '<p style="background: url(https://cdn.example.org/x.png)">', "asks for https://cdn"),
    ("page.html", PAGE + "<style>@font-face { src: url('https://cdn.example.org/x.woff') }</style>", "asks for"),
    ("site.css", "@import url(https://cdn.example.org/x.css);", "asks for"),
    ("site.css", "@import 'https://cdn.example.org/x.css';", "asks for"),
    ("alone.html", "<p>", "alone.html: not reached"),
    ("alone.html", "<p>", "alone.html: the search does not know it"),
    ("searchindex.js", SEARCH.replace("supernod", "x"), "the word supernod"),
)


def faults(files):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        for path, text in files.items():
            (folder / path).write_text(text, encoding="utf-8")
        pages = {path.name: check.Page(path.read_text(encoding="utf-8")) for path in folder.glob("*.html")}
        return [fault for look in (check.link_faults, check.asset_faults, check.unreached, check.search_faults) for fault in look(folder, pages)]


assert faults(SOUND) == [], faults(SOUND)
for path, text, said in PLANTED:
    found = faults({**SOUND, path: text})
    assert any(said in fault for fault in found), (path, said, found)
print(f"check.py: {len(PLANTED)} planted faults found")
