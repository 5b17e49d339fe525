"""Conventions that notebooks and the renderer share: the suite's style, participants' pages."""

import json
import os
from typing import Any

STYLE_VARIABLE = "SRLIB_STYLE"  # environment variable of a kernel: the style as JSON


def style_text() -> str:
    """Return the suite's style as JSON text; an empty text outside a suite."""
    return os.environ.get(STYLE_VARIABLE, "")


def suite_style() -> dict[str, Any]:
    """Return the suite's stated style, with `participants` (see `participant_pages`); empty outside a suite.

    Examples
    --------
    >>> isinstance(suite_style(), dict)
    True
    """
    return json.loads(style_text() or "{}")


def participant_pages() -> dict[str, str]:
    """Return the address of each method's page, as {method: address}; empty if the suite has no such pages.

    Examples
    --------
    >>> participant_pages()
    {}
    """
    return suite_style().get("participants", {})
