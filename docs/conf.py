"""How Sphinx builds the manual (`make docs`): from Markdown and docstrings, offline, links checked."""

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert

import srlib

project = "srlib"
author = copyright = "srlib contributors"
version = release = srlib.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_enable_extensions = ["deflist", "dollarmath"]
myst_heading_anchors = 4
exclude_patterns = ["*.py"]
highlight_language = "none"
autodoc_typehints = "description"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
html_theme = "alabaster"
html_theme_options = {
    "description": "Judge symbolic-regression competitions",
    "fixed_sidebar": True,
    "page_width": "70rem",
    "body_max_width": "none",
}
html_sidebars = {"**": ["about.html", "searchfield.html", "navigation.html"]}
html_show_sourcelink = False
html_copy_source = False
html_math_renderer = "mathml"

REQUEST = re.compile(
    r"""<(?:script|link|img|iframe|source|object)\b[^>]*(?:src|href|data)=["'](?:https?:)?//|@import|url\(["']?(?:https?:)?//"""
)


def _inline(translator: Any, node: Any) -> None:
    translator.body.append(convert(node.astext()))
    raise nodes.SkipNode


def _block(translator: Any, node: Any) -> None:
    translator.body.append(convert(node.astext(), display="block"))
    raise nodes.SkipNode


def _offline(app: Any, failed: Exception | None) -> None:
    """Refuse pages that would ask the net for something."""
    if failed or app.builder.format != "html":
        return
    for path in sorted(Path(app.outdir).rglob("*.[hc][ts][ms]*")):
        if found := REQUEST.search(path.read_text(encoding="utf-8")):
            raise ValueError(f"{path.name} asks the net: {found.group()}")


def setup(app: Any) -> None:
    """Add formulas as MathML, which browsers show without a script, and the check of the pages."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    app.connect("build-finished", _offline)
