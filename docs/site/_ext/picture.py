# Adds ```{picture} NAME``` with a caption: embeds the SVG of pictures.py in the page, so that it
# has the colours of the page's scheme.
# SPDX-License-Identifier: BSD-3-Clause
import pathlib

from docutils import nodes
from sphinx.util.docutils import SphinxDirective


class Picture(SphinxDirective):
    required_arguments = 1
    has_content = True

    def run(self):
        path = pathlib.Path(self.env.srcdir) / "mathematics" / "pictures" / f"{self.arguments[0]}.svg"
        self.env.note_dependency(str(path))
        if not path.exists():
            return [self.state.document.reporter.warning(f"no picture {path}", line=self.lineno)]
        figure = nodes.container(classes=["picture"])
        figure += nodes.raw("", f'<div class="drawing">{path.read_text(encoding="utf-8")}</div>', format="html")
        caption = nodes.container(classes=["picture-caption"])
        self.state.nested_parse(self.content, self.content_offset, caption)
        figure += caption
        return [figure]


def setup(app):
    app.add_directive("picture", Picture)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
