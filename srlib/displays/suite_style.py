"""The style that a suite states for its figures; it reaches a notebook's kernel in the environment, as JSON."""

import json
import os
from typing import Any

STYLE = "SRLIB_STYLE"


def style_text() -> str:
    """Return the style as text; empty without a suite."""
    return os.environ.get(STYLE, "")


def suite_style() -> dict[str, Any]:
    """Return the suite's `style` with `widths`, `groups` of methods and `participants`; empty without a suite.

    Examples
    --------
    >>> isinstance(suite_style(), dict)
    True
    """
    return json.loads(style_text() or "{}")


def participant_pages() -> dict[str, str]:
    """Return the addresses of the suite's participants' pages by method; empty where it has none.

    Examples
    --------
    >>> participant_pages()
    {}
    """
    return suite_style().get("participants", {})
