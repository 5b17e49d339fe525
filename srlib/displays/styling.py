"""One look for all figures: print widths, colour-blind safe colours, embedded fonts, stable bytes."""

import unicodedata
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

WIDTHS = {"column": 3.5, "page": 7.16}  # inches, as journals in two columns set them
COLOURS = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#000000",
)  # Okabe-Ito without its yellow
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "h", "p")
PANELS = 12  # of one figure, or figures of one kind on one page; more are left to the tables
INK, MUTED, GRID = "#1f2933", "#6b7785", "#e2e6ea"
SETTINGS: dict[Any, Any] = {
    "font.family": "DejaVu Sans",  # ships with matplotlib: the same letters on every machine
    "font.size": 7.5,
    "axes.titlesize": 8,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 7.5,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7.5,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 7,
    "lines.linewidth": 1.2,
    "text.color": INK,
    "text.usetex": False,
    "text.parse_math": False,  # method names are text, whatever dollars they hold
    "pdf.fonttype": 42,
    "ps.fonttype": 42,
    "svg.fonttype": "path",
    "svg.hashsalt": "srlib",
    "savefig.dpi": 200,
    "figure.dpi": 100,
}


@contextmanager
def style() -> Iterator[None]:
    """Draw and save in the project's style; nothing outside the block changes.

    Examples
    --------
    >>> with style():
    ...     mpl.rcParams["pdf.fonttype"]
    42
    """
    with mpl.rc_context(SETTINGS):
        yield


def new_figure(width: str, height: float) -> Figure:
    """Make an empty figure outside pyplot, so that nothing is shown twice or kept alive.

    Parameters
    ----------
    width : {'column', 'page'}
        Print width: 3.5 or 7.16 inches.
    height : float
        Inches.
    """
    return Figure(figsize=(WIDTHS[width], height), layout="constrained")


def label(text: str, limit: int = 28) -> str:
    """Shorten a name to fit beside an axis: one line, no control characters, about `limit` letters.

    Examples
    --------
    >>> label("a method with a name that goes on for sixty letters and more"), label("pyoperon")
    ('a method wit…letters and more', 'pyoperon')
    """
    shown = (
        "".join(" " if unicodedata.category(c).startswith("C") else c for c in text).strip()
        or "(no name)"
    )
    if len(shown) <= limit + 2:
        return shown
    return f"{shown[: limit // 2 - 2]}…{shown[-(limit // 2 + 2) :].lstrip()}"


def left_out(names: Collection[Any], what: str) -> str:
    """Say how many of very many panels are drawn, and where the others are; empty where all are.

    Examples
    --------
    >>> left_out(range(60), "datasets"), left_out("ab", "datasets")
    ('Only the first 12 of 60 datasets are drawn; the tables have the numbers of all.', '')
    """
    if len(names) <= PANELS:
        return ""
    return f"Only the first {PANELS} of {len(names)} {what} are drawn; the tables have the numbers of all."


def look(index: int) -> dict[str, str]:
    """Colour and marker of the index-th method; both change, so that colour never tells alone.

    Examples
    --------
    >>> look(0)["marker"], look(7)["marker"], look(0)["color"] == look(7)["color"]
    ('o', '<', True)
    """
    return {"color": COLOURS[index % len(COLOURS)], "marker": MARKERS[index % len(MARKERS)]}
