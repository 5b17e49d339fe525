"""What stands around a table on a page. It needs no extra, as the pages of a suite are framed without one, too."""

from html import escape


def scrolling(table: str, name: str) -> str:
    """Let a table scroll by itself, with the keyboard, too; the name is what screen readers say.

    Examples
    --------
    >>> scrolling("<table></table>", "A & B")
    '<div class="scroll" tabindex="0" role="group" aria-label="A &amp; B"><table></table></div>'
    """
    return (
        f'<div class="scroll" tabindex="0" role="group" aria-label="{escape(name)}">{table}</div>'
    )
