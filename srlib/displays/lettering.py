"""Letters that the figures' own font lacks: drawn with a font of the machine that has them, or named by a number."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import cache, lru_cache, partial
from typing import Any

from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, fontManager, get_font
from matplotlib.text import Text
from matplotlib.ticker import FuncFormatter

from srlib.displays.styling import families

# boxes, and signs of formulas in the place of letters
OTHERWISE = ("Last Resort", "cm", "STIXNon", "STIXSize")


def lettered(figure: Figure) -> str:
    """Make each text of a figure one that can be drawn, and give the key of the names that became numbers.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Its texts are changed.

    Returns
    -------
    str
        For the caption; empty: every letter can be drawn.
    """
    key: dict[str, str] = {}
    own = families()[0]
    for axis in figure.findobj(Axis):
        _ticks(axis, key, own)
    for text in figure.findobj(Text):
        shown = text.get_text()
        fonts = fonts_for(shown, own)
        if not fonts:
            text.set_text(_numbered(shown, key, own))
        elif len(fonts) > 1:
            # the bold or slanted letters of a font may be fewer
            text.set(fontfamily=fonts, fontweight="normal", fontstyle="normal")
    said = ", ".join(f"{number} is {name}" for name, number in key.items())
    if said:
        return f"No font on this machine has all letters of some names, so that {said}."
    return ""


def _ticks(axis: Axis, key: dict[str, str], own: str) -> None:
    """Change what writes the labels of an axis: the labels themselves are written anew whenever it is drawn."""
    shown = [text.get_text() for text in axis.get_ticklabels()]
    fonts = [fonts_for(text, own) for text in shown]
    if extra := [found for found in fonts if found and len(found) > 1]:
        axis.set_tick_params(labelfontfamily=extra[0])
    if None in fonts:
        write = axis.get_major_formatter()
        axis.set_major_formatter(FuncFormatter(lambda x, i: _numbered(write(x, i), key, own)))
        axis.get_ticklabels()


def _numbered(text: str, key: dict[str, str], own: str) -> str:
    if fonts_for(text, own):
        return text
    return key.setdefault(text.strip(), f"({len(key) + 1})")


@cache
def fonts_for(text: str, own: str) -> list[str] | None:
    """Fonts that have all letters of a text together, the figures' own first; None: there are none."""
    lacking = {ord(letter) for letter in text if not letter.isspace()}
    lacking -= _letters(findfont(FontProperties(family=own)))
    if not lacking:
        return [own]
    for font in sorted(fontManager.ttflist, key=lambda font: (font.weight != 400, font.name)):
        if lacking <= _letters(font.fname) and not font.name.startswith(OTHERWISE):
            return [own, font.name]
    return None


@cache
def _letters(path: str) -> frozenset[int]:
    try:
        return frozenset(get_font(path).get_charmap())
    except (OSError, RuntimeError):  # a font that cannot be read
        return frozenset()


@contextmanager
def fonts_kept() -> Iterator[None]:
    """Embed the same letters of a font without cutting them out of it again, which is most of a PDF's time.

    The same file comes out: what is kept is the font that matplotlib writes into it.
    """
    from matplotlib.backends import _backend_pdf_ps as embedding

    cut = getattr(embedding, "get_glyphs_subset", None)
    if cut is None:  # an older or newer matplotlib: slower, no different
        yield
        return
    embedding.get_glyphs_subset = partial(_again, cut)
    try:
        yield
    finally:
        embedding.get_glyphs_subset = cut


def _again(cut: Any, font: Any, letters: Any) -> Any:
    """Give the part of a font that has these letters, open for as long as it is kept."""
    if not isinstance(letters, str):
        letters = frozenset(letters)
    return nullcontext(_part(cut, font, letters)[0])


@lru_cache(maxsize=16)
def _part(cut: Any, font: Any, letters: Any) -> tuple[Any, Any]:
    part = cut(font, letters)
    return part.__enter__(), part
