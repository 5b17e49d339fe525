"""The frame of the pages that are no notebook's: the index, and the difference between two folders."""

from html import escape
from pathlib import Path

from srlib.rendering.direction import in_order

CSS = Path(__file__).resolve().parent / "template" / "report.css"


def framed(title: str, heading: str, main: str) -> str:
    """Write a whole page that asks the net for nothing.

    Parameters
    ----------
    title, heading : str
        Of the window and of the page; plain text.
    main : str
        HTML with everything escaped.

    Examples
    --------
    >>> "<h1>A &amp; B</h1>" in framed("A", "A & B", "<p>Text.</p>")
    True
    """
    return in_order(f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(title)}</title>
<style>{CSS.read_text(encoding="utf-8")}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the main part</a>
<main id="main" tabindex="-1">
<h1>{escape(heading)}</h1>
{main}
</main>
</body>
</html>
""")
