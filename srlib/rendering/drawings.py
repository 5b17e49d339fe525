"""Drawings of figures as pages hold them: small, with colours for the dark, and nothing that could run or ask."""

import re
from collections.abc import Iterator
from colorsys import hls_to_rgb, rgb_to_hls
from functools import cache
from itertools import count
from urllib.parse import quote
from xml.etree import ElementTree

PAGE, INK = "#14191f", "#e5eaef"  # of a page in the dark, as in report.css
HEAVIEST = 110_000  # letters of a drawing on a page; of a heavier one the page has the pixels
CONTRAST = 4.5
SVG = "{http://www.w3.org/2000/svg}"
LINK = "{http://www.w3.org/1999/xlink}href"
KNOWN = {"clipPath", "defs", "g", "image", "path", "rect", "svg", "use"}
KEPT = ("clip-path", "d", "height", "style", "transform", "width", "x", "y")
ON_CELLS = ("#ffffff", "#262626")  # seaborn's letters on shaded cells, which stay as they are
COLOUR, NUMBER = re.compile(r"#[0-9a-f]{6}\b"), re.compile(r"-?\d*\.\d+(?:e[-+]?\d+)?")


def drawing(svg: str) -> tuple[str, float]:
    """Write a drawing of matplotlib's as a data address, with its height over its width.

    It is for `<img>`, where no script runs and nothing is asked for. Comments, descriptions and whatever no figure of
    ours has go. Colours follow the page into the dark; cells of heat maps stay, with their ground and
    the letters on them.

    Returns
    -------
    tuple of str and float
        The address is empty where the text is no drawing that we know, or one that is too heavy for a page.

    Examples
    --------
    >>> drawing('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 2"><path d="M 0.1234 1 L 2 2"/></svg>')[1]
    0.5
    >>> drawing("<html/>")
    ('', 0.0)
    """
    try:
        root = ElementTree.fromstring(svg)
        box = [float(part) for part in root.get("viewBox", "").split()]
    except (ElementTree.ParseError, ValueError):
        return "", 0.0
    if root.tag != f"{SVG}svg" or len(box) != 4 or min(box[2:]) <= 0:
        return "", 0.0
    written = _Writing(root)
    inner = "".join(written.element(child) for child in root)
    width, height = (_short(str(side)) for side in box[2:])
    text = (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' width='{width}pt' "
        f"height='{height}pt'><style>{written.look()}</style>{inner}</svg>"
    )
    address = "data:image/svg+xml," + quote(text, safe="'()=,:;/{}@*+")
    if len(address) > HEAVIEST:
        return "", 0.0
    return address, box[3] / box[2]


class _Writing:
    """What is written of one file: its classes instead of styles, and short names of what is used again."""

    def __init__(self, root: ElementTree.Element) -> None:
        text = ElementTree.tostring(root, encoding="unicode")
        names = set(re.findall(r'href="#([^"]+)"|url\(#([^)"]+)\)', text))
        self.names = dict(zip(sorted(a or b for a, b in names), _words(), strict=False))
        self.classes: dict[tuple[str, str], str] = {}
        self.words = _words()

    def look(self) -> str:
        """Styles by class; the root's are those of what has none of its own, as black letters."""
        dark = "".join(f".{word}{{{b}}}" for (a, b), word in self.classes.items() if a != b)
        return (
            "*{stroke-linejoin:round;stroke-linecap:butt}"
            + "".join(f".{word}{{{style}}}" for (style, _), word in self.classes.items())
            + f"@media screen and (prefers-color-scheme:dark){{svg{{fill:{INK}}}{dark}}}"
        )

    def element(self, found: ElementTree.Element, group: str = "") -> str:
        tag = str(found.tag).removeprefix(SVG)
        if tag not in KNOWN:
            return ""
        if tag == "g" and found.get("id", "").startswith(("QuadMesh", "text")):
            group = found.get("id", "").partition("_")[0]
        groups = dict.fromkeys(found, group)
        if tag == "g" and any(child.get("id", "").startswith("QuadMesh") for child in found):
            groups[found[0]] = "QuadMesh"  # the ground, which is the cell of what is not there
        inner = "".join(self.element(child, of) for child, of in groups.items())
        attributes = "".join(f" {key}='{value}'" for key, value in self.attributes(found, group))
        if not inner and tag in ("g", "defs"):
            return ""
        if tag == "g" and not attributes:
            return inner
        if not inner:
            return f"<{tag}{attributes}/>"
        return f"<{tag}{attributes}>{inner}</{tag}>"

    def attributes(self, found: ElementTree.Element, group: str) -> Iterator[tuple[str, str]]:
        if found.get("id") in self.names:
            yield "id", self.names[found.get("id", "")]
        href = "".join(found.get(LINK, "").split())
        if href.startswith("#"):
            yield "href", f"#{self.names[href[1:]]}"
        elif re.fullmatch(r"data:image/png;base64,[\w+/=]+", href):
            yield "href", href
        for key in KEPT:
            value = found.get(key, "").replace("'", "").strip()
            along = re.fullmatch(r"translate\(([\d.-]+) 0\)", value)
            if not value:
                continue
            if key == "style":
                yield "class", self.classed(value, group)
            elif key == "d":
                yield "d", _path(value)
            elif key == "clip-path":
                yield key, re.sub(r"#([^)]+)", lambda of: f"#{self.names.get(of[1], '')}", value)
            elif along and found.tag == f"{SVG}use" and "x" not in found.attrib:
                yield "x", _short(along[1])
            elif key == "transform":
                yield key, NUMBER.sub(lambda of: f"{float(of[0]):.5g}", value)
            else:
                yield key, _short(value)

    def classed(self, style: str, group: str) -> str:
        light = _short(re.sub(r"(?<=[:;,]) +", "", style))
        light = re.sub(r"#([^)\"';]+)(?=\))", lambda of: f"#{self.names.get(of[1], '')}", light)
        dark = light
        if group != "QuadMesh":
            stay = {letters: letters for letters in ON_CELLS * (group == "text")}
            dark = COLOUR.sub(lambda of: stay.get(of[0]) or in_the_dark(of[0]), light)
        if (light, dark) not in self.classes:
            self.classes[light, dark] = next(self.words)
        return self.classes[light, dark]


def _words() -> Iterator[str]:
    """Give short names without end: a to z, aa to zz and so on."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    for number in count():
        word = letters[number % 26]
        while number := number // 26:
            word = letters[number % 26] + word
        yield f"_{word}"


def _short(text: str) -> str:
    """Leave fiftieths of a pixel out."""
    return NUMBER.sub(lambda of: f"{round(float(of[0]), 2):g}", text)


def _path(steps: str) -> str:
    """Write a path without spaces.

    Examples
    --------
    >>> _path("M 1 -2.5 Q 3.14159 4 5 6 z")
    'M1-2.5Q3.14,4,5,6z'
    """
    joined = re.sub(r"\s+", ",", _short(steps.strip()))
    return re.sub(r",?([A-Za-z]),?", r"\1", joined).replace(",-", "-")


@cache
def in_the_dark(colour: str) -> str:
    """Give a colour's counterpart on a dark page.

    Greys run from the dark page's ink to its ground instead of from black to white, tints of the ground become shades
    of it, and all others stay, or become as light as it takes to be seen.

    Examples
    --------
    >>> in_the_dark("#ffffff") == PAGE, in_the_dark("#000000") == INK, in_the_dark("#e69f00")
    (True, True, '#e69f00')
    >>> contrast("#0072b2", PAGE) < CONTRAST <= contrast(in_the_dark("#0072b2"), PAGE)
    True
    """
    parts = _parts(colour)
    hue, lightness, saturation = rgb_to_hls(*parts)
    if max(parts) - min(parts) <= 0.16:
        share = max(0.0, (sum(parts) / 3 - 0.16) / 0.84)
        ends = zip(_parts(INK), _parts(PAGE), strict=True)
        return _hex(ink + share * (ground - ink) for ink, ground in ends)
    if min(parts) > 0.7:
        return _hex(hls_to_rgb(hue, 1.05 - lightness, min(saturation, 0.5)))
    while contrast(colour, PAGE) < CONTRAST:
        lightness += 0.02
        colour = _hex(hls_to_rgb(hue, lightness, saturation))
    return colour


def contrast(first: str, second: str) -> float:
    """Contrast of two colours, from 1 to 21, as WCAG 2 has it."""
    light = []
    for colour in (first, second):
        linear = [
            p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in _parts(colour)
        ]
        light.append(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] + 0.05)
    return max(light) / min(light)


def _parts(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return red, green, blue


def _hex(parts: "Iterator[float] | tuple[float, ...]") -> str:
    return "#" + "".join(f"{round(255 * part):02x}" for part in parts)
