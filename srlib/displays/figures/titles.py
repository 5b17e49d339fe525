"""Titles that stay within their panels, whatever a suite calls what they name."""

from collections.abc import Sequence
from functools import partial
from typing import Any

LEAST = 5.0  # points; no title is set smaller


def fit_titles(grid: Sequence[Any]) -> None:
    """Have titles broken between words where they are wider than their panel, and set smaller where a word is.

    Parameters
    ----------
    grid : sequence of matplotlib.axes.Axes
        The panels of one figure.
    """
    for axes in grid:
        for title in (axes._left_title, axes.title, axes._right_title):
            title.set_wrap(True)
            title._get_wrap_line_width = partial(_room, axes, title)


def _room(axes: Any, title: Any) -> float:
    """Width of a panel, as matplotlib asks for it when it lays a title out."""
    room = axes.bbox.width
    for word in title.get_text().split():
        while title._get_rendered_text_width(word) > room and title.get_fontsize() > LEAST:
            title.set_fontsize(max(LEAST, 0.95 * title.get_fontsize()))
    return room
