"""Titles that stay within their panels, whatever a suite calls what they name."""

import textwrap
from collections.abc import Sequence
from typing import Any

LEAST = 5.0  # points; no title is set smaller
GAP = 4  # pixels between the titles of two panels


def fit_titles(grid: Sequence[Any]) -> None:
    """Break titles that run out of their figure or into another panel's room, then set them smaller, then break words.

    Parameters
    ----------
    grid : sequence of matplotlib.axes.Axes
        The panels of one figure.
    """
    titles = [
        (axes, title)
        for axes in grid
        for title in (axes._left_title, axes.title, axes._right_title)
        if title.get_text()
    ]
    # before the panels are laid out, their width is known about
    if all(2 * text.get_window_extent().width < axes.bbox.width for axes, text in titles):
        return
    for _, title in titles:
        title.set_visible(False)  # half of its width would count when panels are laid out
    for _ in range(2):  # what is broken may move the panels
        grid[0].figure.draw_without_rendering()
        for axes, title in titles:
            title.set_visible(True)
            _break(axes, title, grid, False)
            while _share(axes, title, grid) < 1 and title.get_fontsize() > LEAST:
                title.set_fontsize(max(LEAST, 0.95 * title.get_fontsize()))
            _break(axes, title, grid, True)


def _break(axes: Any, title: Any, grid: Sequence[Any], words: bool) -> None:
    said, share = title.get_text(), _share(axes, title, grid)
    least = 1
    if not words:
        least = max(map(len, said.split()))
    letters = max(least, round(share * max(map(len, said.split("\n")))))
    while share < 1 and letters >= least:
        title.set_text(textwrap.fill(said, letters, break_long_words=words))
        share, letters = _share(axes, title, grid), letters - 1


def _share(axes: Any, title: Any, grid: Sequence[Any]) -> float:
    """Give how much of a title's width there is room for, between the panels beside its own."""
    box, said = axes.bbox, title.get_window_extent()
    left = max([0, *(one.bbox.x1 for one in grid if one.bbox.x1 <= box.x0)])
    far = axes.figure.bbox.x1
    right = min([far, *(one.bbox.x0 for one in grid if one.bbox.x0 >= box.x1)])
    over = max(left + GAP - said.x0, said.x1 + GAP - right, 0)
    return 1 - over * (1 + (title.get_ha() == "center")) / said.width
