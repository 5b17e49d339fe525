"""Conventions that notebooks and the renderer share: the suite's style, participants' pages."""

import json
from pathlib import Path
from typing import Any

from srlib.files import STYLE_FILE

_texts = [""]


def use_style(folder: Path) -> None:
    """Use the style that the renderer wrote into a notebook's output folder; none outside a suite."""
    path = folder / STYLE_FILE
    _texts[0] = path.read_text(encoding="utf-8") if path.is_file() else ""


def style_text() -> str:
    """Return the suite's style as JSON text; an empty text outside a suite."""
    return _texts[0]


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
