# Serves MathJax from the site itself: its one file that draws SVG and needs no fonts, from the PyPI
# package sphinx-mathjax-offline.
# SPDX-License-Identifier: BSD-3-Clause
"""MathML would not do: without a font for mathematics, which few systems have, browsers show F11
for F with two indices."""
import importlib.metadata
import pathlib
import shutil

FILE = "tex-svg.js"


def copy(app, exception):
    if exception is None and app.builder.format == "html":
        found = [path for path in importlib.metadata.files("sphinx-mathjax-offline") if path.name == FILE]
        folder = pathlib.Path(app.outdir) / "_static" / "mathjax"
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(found[0].locate(), folder / FILE)


def setup(app):
    app.setup_extension("sphinx.ext.mathjax")
    app.config.mathjax_path = f"mathjax/{FILE}"
    app.connect("build-finished", copy)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
