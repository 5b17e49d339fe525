"""Characters that nobody sees, or that turn a line around, become visible wherever a stranger's text is shown."""

import re

_CONTROL = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufeff\ud800-\udfff"
UNSEEN = re.compile(f"[{_CONTROL}\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_LETTERS = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00010fff\U0001e800-\U0001efff]+"
LEFTWARDS = re.compile(rf"{_LETTERS}(?:[ _-]+{_LETTERS})*")
UNPRINTED = re.compile(f"[{_CONTROL}]")


def seen(text: str, directions: bool = True) -> str:
    r"""Write control characters, halves of characters and changes of direction as escapes.

    Without `directions` those stay: a page that has been put in order holds only its own.

    Examples
    --------
    >>> seen("a\x07b\u202ec"), seen("tab\tand line\n")
    ('a\\x07b\\u202ec', 'tab\tand line\n')
    """
    pattern = UNSEEN if directions else UNPRINTED
    return pattern.sub(lambda found: found[0].encode("unicode_escape").decode(), text)
