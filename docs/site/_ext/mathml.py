# Mathematics as MathML, which browsers draw themselves: no script, no font and no picture is sent.
# SPDX-License-Identifier: BSD-3-Clause
from latex2mathml.converter import convert
from sphinx.util import logging

LOG = logging.getLogger(__name__)


def _mathml(node, display):
    source = node.astext()
    try:
        return convert(source, display=display)
    except Exception as error:  # of any kind: the page must not be built with a hole in it
        LOG.warning("no MathML of %r: %s", source, error, location=node)
        return ""


def visit_inline(self, node):
    import docutils.nodes

    self.body.append(_mathml(node, "inline"))
    raise docutils.nodes.SkipNode


def visit_block(self, node):
    import docutils.nodes

    self.body.append(f'<div class="formula">{_mathml(node, "block")}</div>\n')
    raise docutils.nodes.SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
