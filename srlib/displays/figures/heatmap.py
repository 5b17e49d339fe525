"""Heat maps: shares by row and column, pairwise comparisons, and the features that models use."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.colors import ListedColormap

from srlib.comparing.comparison import Comparison
from srlib.comparing.paired_tests import NOT_TESTED, rank_methods
from srlib.displays.figures.display import Canvas, Display
from srlib.displays.styling import COLOURS, INK, LIGHT_GREY, labels
from srlib.judging import Judgement
from srlib.metrics import Metric

MOST_NUMBERED_COLUMNS = 10  # with more columns there is no room for numbers
SHORT_TITLE = 22  # letters of the title above a heat map whose rows have long names
MOST_VECTOR_CELLS = 4000  # a larger heat map is a picture in PDF and SVG
DARK = 0.65  # share of the scale from which texts are white
NAMES_PER_INCH = 6  # names of columns per inch of the figure's width
SHADES = {"cmap": "Blues", "vmin": 0, "vmax": 1}
COLOUR_BAR = {"location": "bottom", "shrink": 0.5, "aspect": 40}
SIGN_COLOURS = {
    "row is worse (−)": "#ee9d48",
    "not told apart": "#eceff1",
    "row is better (+)": "#6fa5cf",
}


def draw_heatmap(axes: Any, cells: pd.DataFrame, texts: Any = (), **options: Any) -> Any:
    """Draw the cells of a table as a heat map with texts in them, and return it for a colour bar.

    Rows have names; if there are many columns, the columns are only counted.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where it is drawn.
    cells : pandas.DataFrame
        Numbers; NaN leaves a cell white.
    texts : array of str, optional
        Texts in the cells.
    **options
        Arguments of `Axes.pcolormesh`.
    """
    options = SHADES | {"rasterized": cells.size > MOST_VECTOR_CELLS} | options
    mesh = axes.pcolormesh(cells.to_numpy(float), **options)
    dark = mesh.norm(cells.to_numpy(float)) > DARK
    for (row, column), text in np.ndenumerate(np.asarray(texts)):
        if text:
            axes.text(column + 0.5, row + 0.5, text, ha="center", va="center",
                      color="white" if dark[row, column] else INK)  # fmt: skip
    rows, columns = (labels(side) for side in cells.axes)
    if len(columns) > NAMES_PER_INCH * axes.figure.get_figwidth():
        axes.set(xticks=[], xlabel=f"{len(columns)} columns")
    else:
        axes.set_xticks(np.arange(len(columns)) + 0.5, columns, rotation=90)
    axes.set_yticks(np.arange(len(rows)) + 0.5, rows)
    axes.set_ylim(len(rows), 0)
    axes.grid(False)
    axes.spines[:].set(visible=True, color=LIGHT_GREY)
    axes.tick_params(length=0)
    return mesh


@dataclass(kw_only=True)
class MatrixDisplay(Display):
    """Heat map with a shaded cell for each number of a table.

    Parameters
    ----------
    numbers : pandas.DataFrame
        A column `method`, which names the rows; the other columns are shares from 0 to 1.
    datasets : bool
        Whether the columns are datasets: the best method of each gets a dot, and numbers are left out.
    subject : str
        Name of the mean over the datasets, or of the first column, in sentences.

    Examples
    --------
    >>> shares = pd.DataFrame({"method": ["A", "B"], "place 1": [0.75, 0.25], "place 2": [0.25, 0.75]})
    >>> MatrixDisplay(numbers=shares).finding
    'Highest share of first places: A (0.75).'
    """

    numbers: pd.DataFrame
    datasets: bool = False
    subject: str = "share of first places"

    about = "Matrix of shares"
    height = 1.2
    row_height = 0.17
    alt_columns = ("value",)

    @classmethod
    def from_values(cls, values: pd.DataFrame, metric: Metric) -> "MatrixDisplay":
        """Show a table of values, datasets x methods, with similar methods and similar datasets side by side.

        Values of a bounded metric are limited to the range from 0 to 1, and missing ones count as 0. Of other metrics
        the share of the other methods is shown that a method is ahead of on the dataset, ties counting half.
        """
        cells = values.sort_index(axis=0).sort_index(axis=1)
        subject = f"mean {metric.label}, from 0 on"
        if metric.bounded:
            cells = cells.clip(0, 1).fillna(0)
        else:
            subject = "mean share of the others that are behind"
            cells = 1 - (rank_methods(cells, metric) - 1) / max(cells.shape[1] - 1, 1)
        rows, columns = (order_by_likeness(side) for side in (cells.T, cells))
        numbers = cells.iloc[columns, rows].T.rename_axis("method").reset_index()
        return cls(numbers=numbers, datasets=True, subject=subject)

    @property
    def cells(self) -> pd.DataFrame:
        """The shares, with a row for each method."""
        return self.numbers.set_index(self.by)

    @property
    def first_panel(self) -> pd.DataFrame:
        """The mean of each method over the datasets, or its number in the first column."""
        cells = self.cells if self.datasets else self.cells.iloc[:, :1]
        return cells.mean(axis=1).rename("value").reset_index()

    def _draw(self, canvas: Canvas) -> None:
        (axes,) = canvas.grid
        cells, form = self.cells, "{x:.3g}" if self.datasets else "{x:.0%}"
        texts: Any = ()
        if self.datasets:
            rounded = cells.round(9)
            texts = np.where(rounded.eq(rounded.max()) & (cells.max() > cells.min()), "•", "")
        elif cells.shape[1] <= MOST_NUMBERED_COLUMNS:
            texts = cells.map("{:.0%}".format).where(cells > 0, "")
        mesh = draw_heatmap(axes, cells.where(cells > 0), texts)
        if self.datasets or not len(texts):  # the colour bar takes the place of numbers
            axes.figure.colorbar(mesh, ax=axes, format=form, label=self.subject, **COLOUR_BAR)
        axes.xaxis.tick_top()


def order_by_likeness(table: pd.DataFrame) -> list[int]:
    """Return the order of rows in which similar ones are adjacent: the leaves of a tree of average linkage.

    Examples
    --------
    >>> order_by_likeness(pd.DataFrame({"x": [0.0, 1.0, 0.1, 0.9]}))
    [1, 3, 0, 2]
    """
    from scipy.cluster.hierarchy import leaves_list, linkage  # takes half a second to import

    return leaves_list(linkage(table, "average")).tolist() if len(table) > 1 else [0]


@dataclass(kw_only=True)
class PairsDisplay(Display):
    """Matrix of pairwise tests: blue and + where the row is better than the column, orange and − where it is worse.

    Parameters
    ----------
    numbers : pandas.DataFrame
        The pairs, as `compare_pairs` returns them.
    order : tuple of str
        Methods that are shown, best first.
    title : str
        The test with its unit, scale and smallest p-value, or that the pairs are not tested.

    Examples
    --------
    >>> pairs = pd.DataFrame({"method_a": ["A"], "method_b": ["B"], "better": ["A"]})
    >>> PairsDisplay(numbers=pairs, order=("A", "B"), title="Signed-rank test").alt
    'Highest number of worse methods: A (1). Signed-rank test. Number of worse methods: A 1; B 0.'
    """

    numbers: pd.DataFrame
    order: tuple[str, ...]
    title: str

    subject = "number of worse methods"
    height = 1.5
    row_height = 0.18
    alt_columns = ("value",)

    @classmethod
    def from_comparison(cls, comparison: Comparison) -> "PairsDisplay":
        """Create the matrix from the pairs of a comparison, with methods in the order of its ranking."""
        order = tuple(comparison.ranking["method"])
        return cls(numbers=comparison.pairs, order=order, title=f"Pairs: {comparison.test}")

    @property
    def matrix(self) -> pd.DataFrame:
        """Methods x methods: 1 if the row is better than the column, -1 if worse, else 0; NaN on the diagonal."""
        better, a, b = (self.numbers[name] for name in ("better", "method_a", "method_b"))
        signs = pd.Series((better == a).astype(int) - (better == b), name="sign")
        upper = self.numbers.assign(sign=signs).pivot_table("sign", "method_a", "method_b")
        upper = upper.reindex(index=self.methods, columns=self.methods)
        return upper.fillna(-upper.T)

    @property
    def first_panel(self) -> pd.DataFrame:
        """How many methods each method is better than."""
        counts = (self.matrix > 0).sum(axis=1)
        return counts.rename("value").rename_axis("method").reset_index()

    @property
    def about(self) -> str:  # type: ignore[override]
        """The test."""
        return self.title

    @property
    def replacement(self) -> str:
        """Sentence shown in place of the figure if no pair differs significantly or is tested; else empty."""
        if self.first_panel["value"].any():
            return ""
        is_tested = NOT_TESTED not in set(self.numbers["state"])
        return f"No pair of methods is {'told apart' if is_tested else 'tested'}."

    @property
    def methods(self) -> list[str]:
        """The methods, in the order of the rows."""
        return list(self.order)

    def with_methods(self, methods: Iterable[str]) -> "PairsDisplay":
        """Return a copy with only these methods, in this order."""
        return replace(self, order=tuple(methods))

    def _draw(self, canvas: Canvas) -> None:
        (axes,) = canvas.grid
        matrix = self.matrix
        signs = np.select([matrix > 0, matrix < 0], ["+", "−"], "")
        colours = ListedColormap(list(SIGN_COLOURS.values()))
        draw_heatmap(axes, matrix, signs, cmap=colours, vmin=-1.5, vmax=1.5)
        axes.set_title(self.title)
        for name, colour in SIGN_COLOURS.items():
            axes.plot([], [], "s", color=colour, label=name)


@dataclass(kw_only=True)
class FeatureUseDisplay(Display):
    """Heat map for each dataset, methods x features: share of runs whose simplified model uses the feature.

    Parameters
    ----------
    numbers : pandas.DataFrame
        `dataset`, `method`, `feature`, `relevant` and `other`. The share is in `relevant` if the feature is relevant
        on the dataset, else in `other`; the other of both columns is NaN.

    Examples
    --------
    >>> uses = {"dataset": "d", "method": ["A", "B"], "feature": "x1", "relevant": [1.0, 0.5], "other": float("nan")}
    >>> FeatureUseDisplay(numbers=pd.DataFrame(uses)).finding
    'Highest mean use of a relevant feature: A (1).'
    """

    numbers: pd.DataFrame

    panel_by = "dataset"
    about = "Heat maps of the share of runs that use a feature, methods by features"
    subject = "mean use of a relevant feature"
    alt_columns = ("relevant",)
    height = 0.6
    row_height = 0.2
    layout = {"across": 1}

    @classmethod
    def from_judgement(cls, judgement: Judgement, name: str) -> "FeatureUseDisplay":
        """Create the heat maps of the datasets that test `name`: the share of repetitions that use a feature."""
        problems = [each for each in judgement.problems.problems if each.property == name]
        features = pd.DataFrame(
            [
                (each.dataset, feature, "relevant" if feature in (each.relevant or ()) else "other")
                for each in problems
                for feature in each.features
            ],
            columns=["dataset", "feature", "kind"],
        )
        runs = judgement.assessments.dropna(subset="features_used")
        runs = features.merge(runs, on="dataset")
        used = [feature in used for feature, used in runs[["feature", "features_used"]].to_numpy()]
        keys = ["dataset", "method", "feature"]
        shares = runs.assign(used=used).pivot_table("used", keys, "kind", sort=False)
        shares = shares.reindex(columns=["relevant", "other"])
        return cls(numbers=shares.reset_index()).with_methods(judgement.ranking.dropna()["method"])

    @property
    def first_panel(self) -> pd.DataFrame:
        """The mean of each method over the features of the first dataset."""
        means = super().first_panel.groupby("method", sort=False)[["relevant", "other"]].mean()
        return means.reset_index()

    def _draw(self, canvas: Canvas) -> None:
        for dataset, axes in canvas.axes.items():
            rows = self.numbers[self.numbers["dataset"] == dataset]
            relevant, other = (
                rows.pivot_table(kind, "method", "feature", sort=False)
                for kind in ("relevant", "other")
            )
            draw_heatmap(axes, pd.concat([relevant, other], axis="columns"))
            axes.axvline(len(relevant.columns), color=COLOURS[1], lw=2)
            axes.set_title(*labels([dataset], SHORT_TITLE))
        first = canvas.grid[0]
        bar = first.figure.colorbar(first.collections[0], ax=canvas.grid, **COLOUR_BAR)
        bar.set_label("share of the runs that use it;\nrelevant features left of the line")
