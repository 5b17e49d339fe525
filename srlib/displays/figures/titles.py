"""Titles and axis labels that stay within their panels, whatever a suite calls what they name."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from srlib.displays.stated import stated

LEAST = 5.0  # points; nothing is set smaller


def fit_titles(grid: Sequence[Any]) -> None:
    """Have titles and labels broken between words where they are wider than their panel, smaller where a word is.

    Parameters
    ----------
    grid : sequence of matplotlib.axes.Axes
        The panels of one figure.
    """
    figure = grid[0].figure
    texts = [(panel, panel.yaxis.label, "height") for panel in grid]
    for panel in grid:
        own = (panel._left_title, panel.title, panel._right_title, panel.xaxis.label)
        texts += [(panel, text, "width") for text in own]
    texts += [(figure, figure._supxlabel, "width"), (figure, figure._supylabel, "height")]
    for owner, text, side in texts:
        if text is not None:
            text.set_wrap(True)
            text._get_wrap_line_width = partial(_room, owner, text, side)
    if stated().get("labels") or stated().get("language"):
        # lines of other words change the room that they have
        figure.draw_without_rendering()


def _room(owner: Any, text: Any, side: str) -> float:
    """Length of a panel or figure, as matplotlib asks for it when it lays a text out."""
    room = getattr(owner.bbox, side)
    for word in text.get_text().split():
        while text._get_rendered_text_width(word) > room and text.get_fontsize() > LEAST:
            text.set_fontsize(max(LEAST, 0.95 * text.get_fontsize()))
    return room
