"""From a suite of notebooks to offline reports: execution, pages, provenance, index."""

from srlib.rendering.render import Result, render_suite

__all__ = ["Result", "render_suite"]
