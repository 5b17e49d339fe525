"""Figures of results: which Display shows a result, and `srlib.plot`."""

from typing import TYPE_CHECKING, Any, Literal

from srlib.comparing.comparison import Comparison
from srlib.displays.figures.display import Display
from srlib.displays.figures.dots import ScoresDisplay
from srlib.displays.figures.heatmap import MatrixDisplay, PairsDisplay
from srlib.errors import InputError, require
from srlib.judging.judgement import Judgement
from srlib.judging.robustness import Robustness
from srlib.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def display_of(result: Result) -> Display | None:
    """Return the Display that shows a result; None if there is none for its type."""
    match result:
        case Judgement():
            return ScoresDisplay.from_judgement(result)
        case Robustness():
            return MatrixDisplay(result.resampling.place_shares())
        case Comparison():
            return PairsDisplay.from_comparison(result)
    return None


def plot(result: Result, ax: Any = None, width: Literal["page", "column"] = "page") -> "Figure":
    """Return a figure of a result.

    Parameters
    ----------
    result : Result
        A judgement, its robustness, or a comparison.
    ax : matplotlib.axes.Axes or sequence of them, optional
        Axes to draw on; by default on a new figure.
    width : {'page', 'column'}
        Width of a new figure: 7.16 or 3.5 inches.

    Raises
    ------
    InputError
        When this kind of result has no figure, or `width` is unknown.
    """
    require(width in ("page", "column"), f"width: page or column was expected, got {width!r}")
    display = display_of(result)
    if display is None:
        raise InputError(f"{type(result).__name__}: this result has no figure")
    return display.plot(ax, width).figure_
