"""Conventions that notebooks and the renderer share: the suite's style, participants' pages, file names."""

import json
import os
import re
from typing import Any

from srlib.files import digest

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


def file_name(name: str) -> str:
    """Return a file name for a text; a text that is not a plain file name gets a hash, so that names stay distinct.

    Examples
    --------
    >>> file_name("scores"), file_name("../Scores@0.1")
    ('scores', 'scores-0.1-a4a17a')
    """
    plain = re.sub(r"[^a-z0-9._-]+", "-", name.lower()).strip("-.")[:60]
    if plain == name:
        return name
    return f"{plain or 'unnamed'}-{digest(name)[:6]}"
