"""Fixed words of figures in another language; names of methods, datasets and features stay as they are."""

import re
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path
from typing import Any

from matplotlib.axis import Axis
from matplotlib.text import Text
from matplotlib.ticker import FuncFormatter

from srlib.displays.stated import stated
from srlib.yamlfile import load_yaml

FOLDER = Path(__file__).resolve().parent / "languages"
HOLE = "{}"  # a number, or a text that is translated by itself
JOINTS = (": ", "; ", ", ")  # between texts that are translated one by one


def languages() -> list[str]:
    """List what figures can be written in.

    Examples
    --------
    >>> languages()
    ['de', 'en', 'fr']
    """
    return sorted(["en", *(file.stem for file in FOLDER.glob("*.yaml"))])


def in_language(drawn: Iterable[Any], shown: Any) -> None:
    """Translate the texts of figures or axes as the suite asks for it.

    Parameters
    ----------
    drawn : iterable of matplotlib.figure.Figure or matplotlib.axes.Axes
        Their texts are changed, before they are laid out.
    shown : Display
        What they show; its names stay, whatever word of srlib's they are.
    """
    if not stated().get("language") and not stated().get("labels"):
        return
    names = shown.kept
    for part in drawn:
        for axis in part.findobj(Axis):
            _ticks(axis, names)
        for text in part.findobj(Text):
            text.set_text(said_in(text.get_text(), names))
        for legend in getattr(part, "legends", ()):
            _fit(legend, part.bbox.width)


def _fit(legend: Any, room: float) -> None:
    """Set the letters of a legend smaller where its words are longer than the English ones."""
    width = legend.get_window_extent().width
    for text in legend.get_texts():
        text.set_fontsize(text.get_fontsize() * max(0.7, min(1.0, 0.93 * room / width)))


def _ticks(axis: Axis, names: Collection[str]) -> None:
    """Change what writes the labels of an axis: the labels themselves are written anew whenever it is drawn."""
    shown = [text.get_text() for text in axis.get_ticklabels()]
    if any(said_in(text, names) != text for text in shown):
        write = axis.get_major_formatter()
        axis.set_major_formatter(FuncFormatter(lambda x, i: said_in(write(x, i), names)))


def said_in(text: str, names: Collection[str] = ()) -> str:
    """Translate a text of a figure, as a whole, line by line or part by part; what has no translation stays.

    Parameters
    ----------
    text : str
        In as many lines as the translation is to have.
    names : collection of str
        Texts that stay.
    """
    joined = " ".join(text.split())
    if text in names or joined in names or not joined:
        return text
    lines = text.split("\n")
    whole = None
    if lines[0] not in names:
        whole = _found(joined, names)
    if whole is not None:
        return _broken(whole, len(lines))
    if len(lines) > 1:
        return "\n".join(said_in(line, names) for line in lines)
    for joint in JOINTS:
        if joint in text:
            return joint.join(said_in(part, names) for part in text.split(joint))
    return text


def _found(text: str, names: Collection[str]) -> str | None:
    """Look a text up: among the suite's own words, then in the language, then among texts with holes."""
    own, words = stated().get("labels", {}), _words(stated().get("language", "en"))
    if text in own:
        return str(own[text])
    if text in words:
        return words[text]
    for pattern, translation in _patterns(stated().get("language", "en")):
        if found := pattern.fullmatch(text):
            filled = iter(said_in(part, names) for part in found.groups())
            return re.sub(re.escape(HOLE), lambda _, filled=filled: next(filled), translation)
    return None


@cache
def _words(language: str) -> dict[str, str]:
    if language == "en":
        return {}
    return {str(text): str(to) for text, to in load_yaml(FOLDER / f"{language}.yaml").items()}


@cache
def _patterns(language: str) -> list[tuple["re.Pattern[str]", str]]:
    """Texts with holes, those with most letters of their own first."""
    held = [text for text in _words(language) if HOLE in text]
    held.sort(key=lambda text: -len(text.replace(HOLE, "")))
    found = [re.compile("(.+?)".join(map(re.escape, text.split(HOLE)))) for text in held]
    return [(one, _words(language)[text]) for one, text in zip(found, held, strict=True)]


def _broken(text: str, lines: int) -> str:
    r"""Break a text between words into lines that are about as long as one another.

    Examples
    --------
    >>> _broken("Anzahl der Bausteine (logarithmisch)", 2)
    'Anzahl der Bausteine\n(logarithmisch)'
    """
    room, shown, words = len(text) / lines, [""], text.split(" ")
    for word in words:
        if shown[-1] and len(shown) < lines and len(shown[-1]) + len(word) / 2 >= room:
            shown.append("")
        shown[-1] = f"{shown[-1]} {word}".strip()
    return "\n".join(shown)
