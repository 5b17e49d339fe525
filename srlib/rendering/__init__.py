"""From a suite of notebooks to offline reports: execution, pages, provenance, index."""

import sys

from srlib.rendering.render import Result, render_suite

__all__ = ["Result", "render_suite"]

# nbformat's validator checks addresses with this when it finds it; no notebook has any, and its import takes seconds.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
