"""Rendering of a suite of notebooks as offline reports: execution, pages, provenance, index."""

from srlib.rendering.render import Result, render_suite

__all__ = ["Result", "render_suite"]
