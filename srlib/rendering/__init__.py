"""Rendering of a suite of notebooks as offline reports: execution, pages, provenance, index."""

from srlib.rendering.render import RenderedReport, render_suite

__all__ = ["RenderedReport", "render_suite"]
