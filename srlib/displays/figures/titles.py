"""Titles and axis labels that stay within their panels: what is longer is broken between words."""

import textwrap
from collections.abc import Sequence
from typing import Any

from matplotlib.text import Text

LETTER = 0.55  # width of a letter over its height, about
SHARE = 0.9  # of a panel, as it is before names beside it take their room


def fit_titles(grid: Sequence[Any]) -> None:
    """Break titles and labels that are longer than their panel.

    Parameters
    ----------
    grid : sequence of matplotlib.axes.Axes
        The panels of one figure.
    """
    figure = grid[0].figure
    around = (figure.get_supxlabel(), figure.get_supylabel())
    texts = [(figure, text) for text in figure.texts if text.get_text() in around]
    for panel in grid:
        titles = [panel.get_title(place) for place in ("left", "center", "right")]
        own = [one for one in panel.get_children() if isinstance(one, Text)]
        texts += [(panel, one) for one in own if one.get_text() in titles]
        texts += [(panel, panel.xaxis.label), (panel, panel.yaxis.label)]
    for owner, text in texts:
        room = SHARE * owner.bbox.size[int(text.get_rotation() > 0)] / figure.dpi  # inches
        letters = max(6, int(room / (LETTER * text.get_fontsize() / 72)))
        if max(map(len, text.get_text().split("\n"))) > letters:
            text.set_text(textwrap.fill(text.get_text(), letters))
