"""What all pages share, and the frame of those that are no notebook's: the index, the difference of two folders."""

import base64
import hashlib
import math
import re
from collections.abc import Mapping
from functools import cache
from html import escape, unescape
from pathlib import Path

from srlib.letters import seen
from srlib.rendering.direction import in_order

CSS = Path(__file__).resolve().parent / "template" / "report.css"
FIRST = CSS.with_name("first.js")
FONT = CSS.with_name("math.woff2")  # of which math-LICENSE.txt beside it tells the rest
# where the bytes of the font of equations go, on pages that have some
FACE = "<style>/* the font of equations */</style>"
POLICY = "default-src 'none'; img-src 'self' file: data:; style-src 'unsafe-inline'; font-src data:"  # no script at all
_BEYOND = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\U0010ffff"
# what is not written as it stands: each begins with <, with & or with a character beyond printed ASCII
_PART = re.compile(
    rf"[<&{_BEYOND}](?:(?<=<)(?:"
    r"(?P<raw>(?:style|script)\b.*?</(?:style|script)>)"
    r'|(?P<column>th\b[^>]*scope="col">)(?P<head>[^<]+)(?=</th>)'
    r'|a download="(?P<file>[^"]+)" href="(?P<data>data:(?:image/svg|application/pdf|text/csv|application/x-tex)[^"]+)"'
    r"|(?P<image>img\b)(?![^>]*\balt=)"
    r")|(?<=&)(?P<reference>#\w+;?|\w+;)"
    rf"|(?<![<&])[{_BEYOND}]*(?:[ _-]+[{_BEYOND}]+)*)",
    re.DOTALL,
)


def finished(
    page: str, heads: Mapping[str, str] | None = None, name: str = "", limit: float = math.inf
) -> str:
    """Finish a page in one pass.

    - Characters beyond ASCII become references: browsers decode and scan plain ASCII fastest. What nobody sees, or
      what turns a line around, becomes visible. References mean nothing in styles and scripts, which stay.
    - The headings of tables open what their numbers mean.
    - An image without a description says so.
    - Equations have their font with them: roots and brackets are broken where a machine has none for mathematics.
    - A page stays light: the heaviest downloads of its figures and tables lead to the files in the folder beside it.

    Parameters
    ----------
    page : str
        HTML with everything escaped.
    heads : mapping of str to str, optional
        What opens at the heading of a column, by its text: an id on the page.
    name : str
        Of the folder beside the page.
    limit : float
        Characters that the page may have.

    Examples
    --------
    >>> finished("<style>a {}</style><p>R² ≥ ½</p>")
    '<style>a {}</style><p>R&#178; &#8805; &#189;</p>'
    >>> finished('<th scope="col">score</th>', {"score": "rule-s"})
    '<th scope="col"><button class="ask" type="button" popovertarget="rule-s">score</button></th>'
    >>> finished('<a download="f.svg" href="data:image/svg+xml;base64,AAAA">SVG</a>', name="noise", limit=60)
    '<a download="f.svg" href="noise/figures/f.svg">SVG</a>'
    >>> finished('<a download="t.csv" href="data:text/csv;base64,AAAA">CSV</a>', name="noise", limit=50)
    '<a download="t.csv" href="noise/tables/t.csv">CSV</a>'
    >>> finished('<img src="a.png"><img alt="" src="b.png">')
    '<img alt="No description has been provided for this image" src="a.png"><img alt="" src="b.png">'
    """
    face = ""
    if "<math" in page:
        face = _face()
    page = page.replace(FACE, face, 1)
    parts: list[str] = []
    held: list[tuple[int, str, str, int]] = []
    end = 0
    for found in _PART.finditer(page):
        parts.append(page[end : found.start()])
        end = found.end()
        if found["raw"]:
            parts.append(in_order(found[0]))
        elif found["head"]:
            head = _in_ascii(found["head"])
            if rule := (heads or {}).get(found["head"]):
                head = f'<button class="ask" type="button" popovertarget="{rule}">{head}</button>'
            parts.append(f"<{found['column']}{head}")
        elif found["data"]:
            file, data = _in_ascii(found["file"]), found["data"]
            held.append((-len(data), file, data, len(parts) + 1))
            parts += [f'<a download="{file}" href="', data, '"']
        elif found["image"]:
            parts.append('<img alt="No description has been provided for this image"')
        elif found["reference"] and unescape(found[0]).isascii():
            parts.append(found[0])
        else:
            parts.append(_in_ascii(unescape(found[0])))
    parts.append(page[end:])
    length = sum(map(len, parts))
    for size, file, _, place in sorted(held):
        if length <= limit:
            break
        folder = "figures"
        if file.endswith((".csv", ".tex")):
            folder = "tables"
        parts[place] = f"{name}/{folder}/{file}"
        length += size + len(parts[place])
    return "".join(parts)


@cache
def style_sheet() -> str:
    """Give the style of all pages without what only its authors read: the first paint waits for it."""
    return re.sub(
        r"/\*.*?\*/\s*|^ +", "", CSS.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE
    )


@cache
def _face() -> str:
    data = base64.b64encode(FONT.read_bytes()).decode()
    source = f'url("data:font/woff2;base64,{data}") format("woff2")'
    return f'<style>@font-face {{ font-family: "srlib math"; src: {source}; }}</style>'


def _in_ascii(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    ordered = seen(in_order(text), directions=False)
    return ordered.encode("ascii", "xmlcharrefreplace").decode()


def hashed(script: str) -> str:
    """Name a script as a page's policy does: no other one runs, whatever the page holds."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def framed(title: str, heading: str, main: str, top: str = "", script: str = "") -> str:
    """Write a whole page that asks the net for nothing.

    Parameters
    ----------
    title, heading : str
        Of the window and of the page; plain text.
    main : str
        HTML with everything escaped.
    top : str
        HTML of the line above the page, as the way back; none where it is empty.
    script : str
        For the end of the page.

    Examples
    --------
    >>> "<h1>A &amp; B</h1>" in framed("A", "A & B", "<p>Text.</p>")
    True
    """
    policy, end, later = POLICY, "", FACE
    if top:
        top = f'<header class="top"><p>{top}</p></header>\n'
    if script:
        first = FIRST.read_text(encoding="utf-8")
        policy = f"{POLICY}; script-src {hashed(script)} {hashed(first)}"
        end = f"<script>{script}</script>\n"
        later += f"<script>{first}</script>"
    before, box, after = main.partition("</section>")  # the first screen waits for nothing
    return finished(f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="color-scheme" content="light dark">
<title>{escape(title)}</title>
<style>{style_sheet()}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the main part</a>
{top}<main id="main" tabindex="-1">
<h1>{escape(heading)}</h1>
{before}{box}{later}{after}
</main>
{end}</body>
</html>
""")
