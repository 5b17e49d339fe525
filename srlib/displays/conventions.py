"""Conventions of notebooks and the renderer: the suite's style, the pages of participants, names of files."""

import json
import os
import re
from typing import Any

from srlib.files import digest

STYLE_VARIABLE = "SRLIB_STYLE"  # environment variable of a kernel: the style as JSON


def style_text() -> str:
    """Return the suite's style as text; empty without a suite."""
    return os.environ.get(STYLE_VARIABLE, "")


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


def file_name(name: str) -> str:
    """Make a file name of any text; a text that is no plain file name gets a hash, so that names stay distinct.

    Examples
    --------
    >>> file_name("scores"), file_name("../Scores@0.1")
    ('scores', 'scores-0.1-a4a17a')
    """
    plain = re.sub(r"[^a-z0-9._-]+", "-", name.lower()).strip("-.")[:60]
    if plain == name:
        return name
    return f"{plain or 'unnamed'}-{digest(name)[:6]}"
