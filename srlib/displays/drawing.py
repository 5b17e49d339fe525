"""`srlib.plot`: the figure of a result."""

from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Literal

from srlib.comparing.comparison import Comparison
from srlib.errors import InputError, advise_installation, require
from srlib.judging import Judgement
from srlib.judging.noise import NoiseSensitivity
from srlib.judging.qualification import Qualification
from srlib.judging.robustness import Robustness

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from srlib.displays.figures.display import Display


def display_of(result: object) -> "Display | None":
    """Return the Display that shows a result; None if the result has no figure.

    Examples
    --------
    >>> from srlib import Competition
    >>> type(display_of(Competition.read("demo", "synthetic-2022").judge())).__name__
    'ScoresDisplay'
    """
    # matplotlib, which these modules load, is an extra
    from srlib.displays.figures.dots import ScoresDisplay
    from srlib.displays.figures.heatmap import MatrixDisplay, PairsDisplay
    from srlib.displays.figures.lines import NoiseDisplay

    match result:
        case Judgement():
            return ScoresDisplay.from_judgement(result)
        case Qualification():
            return ScoresDisplay.from_qualification(result)
        case Robustness():
            return MatrixDisplay(numbers=result.place_shares)
        case Comparison():
            return PairsDisplay.from_comparison(result)
        case NoiseSensitivity():
            return NoiseDisplay.from_sensitivity(result)
    return None


def plot(
    result: object,
    ax: Any = None,
    width: Literal["page", "column"] = "page",
    *,
    dataset: str = "",
    methods: Collection[str] = (),
) -> "Figure":
    """Return a figure of a result.

    Parameters
    ----------
    result : Judgement, Qualification, Robustness, Comparison or NoiseSensitivity
        The result.
    ax : matplotlib.axes.Axes or sequence of them, optional
        Axes to draw on; by default on a new figure.
    width : {'page', 'column'}
        Width of a new figure: 7.13 or 3.48 inches.
    dataset : str
        Dataset of a Judgement on which the fits of the best models are drawn; empty: the scores.
    methods : collection of str
        Methods whose fits are drawn; empty: all that are ranked.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; `figure.savefig` saves it.

    Raises
    ------
    InputError
        When this kind of result or this dataset has no figure, `width` is unknown, or an extra is not installed.

    Examples
    --------
    >>> from srlib import Competition
    >>> type(plot(Competition.read("demo", "synthetic-2022").judge(), width="column")).__name__
    'Figure'
    """
    require(width in ("page", "column"), f"width: page or column was expected, got {width!r}")
    with advise_installation():
        display = display_of(result)
        if dataset and isinstance(result, Judgement):
            from srlib.displays.figures.lines import FitDisplay

            display = FitDisplay.from_judgement(result, dataset, methods)
        if display is None:
            raise InputError(f"{type(result).__name__}: this result has no figure")
        return display.plot(ax, width).figure_
