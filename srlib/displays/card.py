"""The verdict as a picture to share and a page to print: who won, by how much, how sure that is, and on what."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D

from srlib.displays.lettering import fonts_for
from srlib.displays.looks import look
from srlib.displays.styling import INK, METADATA, MUTED, families, label, style
from srlib.letters import LEFTWARDS, seen
from srlib.words import listed

WIDTH, HEIGHT, MARGIN = 10.0, 5.625, 0.5  # inches: as wide as screens are
VALUES = 6.0  # inches from the left to the scores of the podium
LARGE = 100.0  # points, at which letters are measured
# of the letters; the first with which all stays on the page
SCALES = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5)
PLACES, NAMED, STORY = 5, 4, 3  # of the podium, winners in a line, sentences
NAME, SENTENCE = 60, (500, 250)  # letters; the second in brief


@dataclass(frozen=True)
class Card:
    """What the card says; plain text, whatever strangers have put into it.

    Parameters
    ----------
    competition, title : str
        The suite's title, and the report's question.
    verdict : str
        Who wins, in a sentence.
    ranking : sequence of mappings
        `method`, `score` (or None) and `rank` (1 is best; None below the line), best first.
    story : sequence of str
        Where the winner wins, and where it loses.
    certainty : mapping
        `word` and `said`; empty where nothing tells.
    foot : str
        Runs, rules, date.
    """

    competition: str
    title: str
    verdict: str
    ranking: Sequence[Mapping[str, Any]]
    story: Sequence[str] = ()
    certainty: Mapping[str, str] = field(default_factory=dict)
    foot: str = ""

    def draw(self, scale: float = 1.0, brief: bool = False) -> "Page":
        """Draw it with letters of some size; in brief without what explains."""
        best = [one for one in self.ranking if one["rank"] is not None and one["rank"] <= 3]
        first = [one["method"] for one in best if one["rank"] == 1]
        page = Page(scale, self.foot, SENTENCE[brief])
        page.put(self.competition, 13, MUTED)
        page.put(self.title, 13, MUTED)
        page.down(0.15)
        if first:
            names = listed([label(name, NAME) for name in first], NAMED)
            size = 26.0
            if len(names) > NAME:
                size = 14.0
            page.put(names, size, INK, True, look(first[0]))
        page.put(self.verdict, 13, INK)
        for line in self.story[: STORY * (not brief)]:
            page.put(line, 11, INK)
        page.down(0.12)
        for one in best[:PLACES]:
            name = f"{one['rank']}.  {label(one['method'], NAME)}"
            page.put(name, 12, INK, mark=look(one["method"]), value=_score(one["score"]))
        if len(best) > PLACES:
            page.put(f"and {len(best) - PLACES} more on the first three places", 10, MUTED)
        if self.certainty:
            page.badge(f"Certainty: {self.certainty['word']}", self.certainty["word"] == "open")
        if self.certainty and not brief:
            page.put(self.certainty["said"], 10, MUTED)
        return page

    def fitted(self) -> "Page":
        """Draw it with the largest letters with which nothing stands on the foot."""
        drawn = (self.draw(scale) for scale in SCALES)
        page = next((page for page in drawn if not page.full), None)
        return page or self.draw(SCALES[-1], brief=True)

    def files(self) -> dict[str, bytes]:
        """Give the picture as PNG and SVG, and the page as PDF, by suffix: the same bytes for the same card."""
        found = {}
        with style(), mpl.rc_context({"text.hinting": "none"}):  # widths hold at every size
            page = self.fitted()
            for suffix, metadata in METADATA.items():
                buffer = io.BytesIO()
                page.figure.savefig(buffer, format=suffix, metadata=metadata, dpi=160)
                found[suffix] = buffer.getvalue()
        return found


class Page:
    """A page that is filled from the top, text by text; it is full where the next one would stand on its foot."""

    def __init__(self, scale: float, foot: str, most: int) -> None:
        self.figure = Figure(figsize=(WIDTH, HEIGHT), facecolor="white")
        self.scale, self._most = scale, most
        FigureCanvasAgg(self.figure)
        self._y = HEIGHT
        self.put(foot, 9, MUTED)
        self._floor = MARGIN + HEIGHT - self._y  # as high as the foot is, which goes there
        for text in self.figure.texts:
            text.set_y(text.get_position()[1] - (self._y - MARGIN) / HEIGHT)
        self._y = HEIGHT - MARGIN

    @property
    def full(self) -> bool:
        """Whether something stands on the foot, or below."""
        return self._y < self._floor

    def down(self, inches: float) -> None:
        """Leave room."""
        self._y -= inches * self.scale

    def put(
        self,
        text: str,
        size: float,
        colour: str,
        bold: bool = False,
        mark: Mapping[str, Any] | None = None,
        value: str = "",
    ) -> None:
        """Write a text in as many lines as it takes, with a mark before it and a value at the other end."""
        points, left = size * self.scale, MARGIN
        if mark:
            left += 1.5 * points / 72
        text, fonts = _drawable(text, self._most)
        bold = bold and len(fonts) == 1  # the bold letters of a font may be fewer
        font = FontProperties(family=fonts, size=points, weight=("normal", "bold")[bold])
        room, end = 0.97 * (WIDTH - MARGIN - left), VALUES + self._wide(value, font)
        if value:
            end = min(end, WIDTH - MARGIN)
            room = end - self._wide(value, font) - 0.3 - left
        for number, line in enumerate(self._lines(text, font, room)):
            self._y -= 1.35 * points / 72
            y = self._y / HEIGHT
            if LEFTWARDS.search(line):
                line = f"\u200e{line}"  # a name from right to left turns no sentence around
            self.figure.text(left / WIDTH, y, line, color=colour, fontproperties=font)
            if number == 0 and value:
                self.figure.text(
                    end / WIDTH, y, value, color=colour, fontproperties=font, ha="right"
                )
            if number == 0 and mark:
                place = [(MARGIN + 0.6 * points / 72) / WIDTH], [y + 0.35 * points / 72 / HEIGHT]
                self.figure.add_artist(Line2D(*place, **mark, markersize=0.75 * points))
        self.down(0.06)

    def badge(self, text: str, doubtful: bool) -> None:
        """Write a few words into a frame, a broken one where they are of doubt."""
        self.down(0.2)
        frame = {"boxstyle": "round,pad=0.4", "facecolor": "none", "edgecolor": INK}
        frame["linestyle"] = ("-", "--")[doubtful]
        self.put(text, 12, INK, True)
        self.figure.texts[-1].set(bbox=frame, x=(MARGIN + 0.07) / WIDTH)
        self.down(0.1)

    def _wide(self, text: str, font: FontProperties) -> float:
        """Inches that a text takes in a line."""
        fonts, weight = tuple(font.get_family()), font.get_weight()
        points = font.get_size_in_points()
        return sum(_advance(letter, fonts, weight) for letter in text) * points / 72

    def _lines(self, text: str, font: FontProperties, room: float) -> list[str]:
        """Break a text between words, and a word that is longer than a line anywhere."""
        lines = [""]
        for word in text.split():
            longer = f"{lines[-1]} {word}".strip()
            if self._wide(longer, font) <= room:
                lines[-1] = longer
                continue
            if self._wide(word, font) <= room:
                lines.append("")
            elif lines[-1]:
                word = f" {word}"
            for letter in word:
                if self._wide(lines[-1] + letter, font) > room:
                    lines.append("")
                lines[-1] += letter
        return [line for line in lines if line]


def _drawable(text: str, most: int) -> tuple[str, list[str]]:
    """Clip a text, show what nobody would see, and find fonts that have its letters."""
    if len(text) > most:
        text = f"{text[: most - 100]} … {text[-90:]}"
    text = seen(" ".join(text.split()))
    own = families()[:1]
    fonts = fonts_for(text, own[0])
    if fonts is None:
        lacking = {letter for letter in set(text) if fonts_for(letter, own[0]) != own}
        text, fonts = text.translate(dict.fromkeys(map(ord, lacking), "\ufffd")), own
    return text, fonts


@cache
def _advance(letter: str, fonts: tuple[str, ...], weight: str) -> float:
    """Width of a letter, of letters of size 1."""
    font = FontProperties(family=list(fonts), size=LARGE, weight=weight)
    canvas = FigureCanvasAgg(Figure(dpi=72))
    return canvas.get_renderer().get_text_width_height_descent(letter, font, False)[0] / LARGE


def _score(score: float | None) -> str:
    if score is None:
        return ""
    return f"{score:,.3f}"
