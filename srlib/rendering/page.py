"""What all pages share, and the frame of those that are no notebook's: the index, the difference of two folders."""

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape, unescape
from pathlib import Path
from typing import Any

from srlib.prose import visible
from srlib.rendering.direction import in_order

CSS = Path(__file__).resolve().parent / "template" / "report.css"
PODIUM, NAMED = 3, 5  # places, and the methods that are named where many share them
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
    r"|(?P<image>img\b)(?![^>]*\balt=)"
    r")|(?<=&)(?P<reference>#\w+;?|\w+;)"
    rf"|(?<![<&])[{_BEYOND}]*(?:[ _-]+[{_BEYOND}]+)*)",
    re.DOTALL,
)


def finished(page: str, heads: Mapping[str, str] | None = None) -> str:
    """Finish a page in one pass.

    - Characters beyond ASCII become references: browsers decode and scan plain ASCII fastest. What nobody sees, or
      what turns a line around, becomes visible. References mean nothing in styles and scripts, which stay.
    - The headings of tables open what their numbers mean.
    - An image without a description says so.
    - Equations have their font with them: roots and brackets are broken where a machine has none for mathematics.

    Parameters
    ----------
    page : str
        HTML with everything escaped.
    heads : mapping of str to str, optional
        What opens at the heading of a column, by its text: an id on the page.

    Examples
    --------
    >>> finished("<style>a {}</style><p>R² ≥ ½</p>")
    '<style>a {}</style><p>R&#178; &#8805; &#189;</p>'
    >>> finished('<th scope="col">score</th>', {"score": "rule-s"})
    '<th scope="col"><button class="ask" type="button" popovertarget="rule-s">score</button></th>'
    >>> finished('<img src="a.png"><img alt="" src="b.png">')
    '<img alt="No description has been provided for this image" src="a.png"><img alt="" src="b.png">'
    """
    face = ""
    if "<math" in page:
        face = _face()
    page = page.replace(FACE, face, 1)
    parts: list[str] = []
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
        elif found["image"]:
            parts.append('<img alt="No description has been provided for this image"')
        elif found["reference"] and unescape(found[0]).isascii():
            parts.append(found[0])
        else:
            parts.append(_in_ascii(unescape(found[0])))
    parts.append(page[end:])
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
    ordered = visible(in_order(text), directions=False)
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


def podium_html(
    ranking: Sequence[Mapping[str, Any]], people: Mapping[str, str], behind: bool = False
) -> str:
    """List the methods of the first three places; a participant's name leads to the participant's page.

    Parameters
    ----------
    ranking : sequence of mapping
        `method`, `score` (higher is better, where it is to say `behind`) and `rank` (1 is best), best first.
    people : mapping of str to str
        File of a participant's page, by method.
    behind : bool
        Say how far each is behind the first instead of its score.

    Examples
    --------
    >>> podium_html([{"method": "a", "score": 2.0, "rank": 1}], {"a": "a.html"})
    '<ol><li value="1"><a href="a.html">a</a> <span class="quiet">2.000</span></li></ol>'
    """
    best = [p for p in ranking if p["rank"] is not None and p["rank"] <= PODIUM]
    scored = [place for place in best if place["score"] is not None][:NAMED]
    items = []
    for place in scored:
        name, said = escape(place["method"]), f"{place['score']:.3f}"
        if behind:
            lost = scored[0]["score"] - place["score"]
            said = f"{lost:.3f} behind"
            if lost < 5e-4:
                said = f"{lost:.2g} behind" * (lost > 0)
        if file := people.get(place["method"]):
            name = f'<a href="{file}">{name}</a>'
        items.append(f'<li value="{place["rank"]}">{name} <span class="quiet">{said}</span></li>')
    rest, more = "", len(best) - len(scored)
    if more:
        rest = f'<p class="quiet">and {more} more</p>'
    return f"<ol>{''.join(items)}</ol>{rest}"
