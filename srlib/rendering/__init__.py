"""Rendering of a suite of notebooks as offline reports: execution, pages, provenance, index."""

from srlib.errors import advise_installation

with advise_installation():  # what pages need is an extra of the package
    from srlib.rendering.render import RenderedReport, report

__all__ = ["RenderedReport", "report"]
