"""Titles and axis labels that stay within their panels, whatever a suite calls what they name."""

import re
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
    texts = [(figure, figure._supxlabel), (figure, figure._supylabel)]
    for panel in grid:
        titles = panel._left_title, panel.title, panel._right_title
        texts += [(panel, one) for one in (*titles, panel.xaxis.label, panel.yaxis.label)]
    for owner, text in texts:
        if text is not None:
            text.set_wrap(True)
            text._get_wrap_line_width = partial(_room, owner, text)
    if stated().get("labels") or stated().get("language"):
        # lines of other words change the room that they have
        figure.draw_without_rendering()


def _room(owner: Any, text: Any) -> float:
    """Length of a panel or figure, as matplotlib asks for it when it lays a text out."""
    room = owner.bbox.size[int(text.get_rotation() > 0)]
    for word in re.split("[ \n]+", text.get_text()):
        while text._get_rendered_text_width(word) > room and text.get_fontsize() > LEAST:
            text.set_fontsize(max(LEAST, 0.95 * text.get_fontsize()))
    return room
