"""Names may hold characters that turn the order of what stands after them: reports show or isolate them."""

import re

from srlib.prose import RIGHT_TO_LEFT

# of Unicode's bidirectional algorithm
CONTROLS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def in_order(page: str) -> str:
    r"""Write the controls of direction as text, and isolate what is written from right to left from its sentence.

    Examples
    --------
    >>> in_order("a\u202eb wins")
    'a[U+202E]b wins'
    """
    page = CONTROLS.sub(lambda found: f"[U+{ord(found[0]):04X}]", page)
    return RIGHT_TO_LEFT.sub("\u2068\\g<0>\u2069", page)
