"""What a suite states of the looks of its figures; it reaches a notebook's kernel in the environment, as JSON."""

import json
import os
from functools import cache
from typing import Any

STYLE = "SRLIB_STYLE"


def stated() -> dict[str, Any]:
    """Give what the suite hands over of its `style`, with `widths` and `groups`; empty without one.

    Examples
    --------
    >>> isinstance(stated(), dict)
    True
    """
    return _read(said())


def said() -> str:
    """Give the same as text: one name for all of it."""
    return os.environ.get(STYLE, "")


@cache
def _read(text: str) -> dict[str, Any]:
    return json.loads(text or "{}")
