"""Heat maps: shares by row and column, pairwise comparisons, and the features that models use."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from srlib.comparing.comparison import Comparison
from srlib.comparing.paired_tests import NOT_TESTED
from srlib.displays.figures.display import PANELS_INCHES, Canvas, Display
from srlib.displays.styling import COLOURS, label, labels
from srlib.judging import Judgement
from srlib.prose import first_of

MOST_NUMBERED_COLUMNS = 10  # with more columns there is no room for numbers
NAMES_PER_INCH = 6  # names of columns per inch of the figure's width
COLOUR_BAR = {"location": "bottom", "shrink": 0.5, "aspect": 40}
SIGN_COLOURS = {
    "row is worse (−)": "#ee9d48",
    "not told apart": "#eceff1",
    "row is better (+)": "#6fa5cf",
}


def draw_heatmap(axes: Any, cells: pd.DataFrame, **options: Any) -> None:
    """Draw the cells of a table as a heat map, with names of rows and, as far as there is room, of columns."""
    import seaborn as sns  # importing takes two seconds

    rows, columns = (labels(list(side)) for side in cells.axes)
    options = {"cmap": "Blues", "cbar": False, "fmt": ""} | options
    sns.heatmap(cells.set_axis(rows).set_axis(columns, axis=1), ax=axes, **options)
    axes.grid(False)
    # if there are many columns only every second or third is named, so that names do not overlap
    axes.xaxis.get_major_locator().set_params(nbins=NAMES_PER_INCH * axes.figure.get_figwidth())
    axes.tick_params(axis="x", length=0, rotation=90)
    axes.tick_params(axis="y", length=0, rotation=0)


@dataclass(kw_only=True)
class MatrixDisplay(Display):
    """Heat map with a shaded cell for each number of a table.

    Parameters
    ----------
    numbers : pandas.DataFrame
        A column `method`, which names the rows; the other columns are shares from 0 to 1.

    Examples
    --------
    >>> shares = pd.DataFrame({"method": ["A", "B"], "place 1": [0.75, 0.25], "place 2": [0.25, 0.75]})
    >>> MatrixDisplay(numbers=shares).finding
    'Highest share of first places: A (0.75).'
    """

    numbers: pd.DataFrame

    about = "Matrix of shares"
    subject = "share of first places"

    @property
    def height(self) -> float:  # type: ignore[override]
        """Height of the figure in inches: names of columns, and rows."""
        return 1.0 + 0.17 * len(self.numbers)

    def _draw(self, canvas: Canvas) -> None:
        (axes,) = canvas.grid
        cells = self.numbers.set_index(self.by)
        # the colour bar takes the place of numbers
        has_numbers = cells.shape[1] <= MOST_NUMBERED_COLUMNS
        draw_heatmap(axes, cells, mask=(cells == 0).to_numpy(), vmin=0, annot=has_numbers, fmt=".0%",
                     cbar=not has_numbers, annot_kws={"fontsize": "small"},
                     cbar_kws=COLOUR_BAR | {"format": "{x:.0%}"})  # fmt: skip
        axes.xaxis.tick_top()


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
    'Signed-rank test. A better than 1, worse than 0; B better than 0, worse than 1.'
    """

    numbers: pd.DataFrame
    order: tuple[str, ...]
    title: str

    @classmethod
    def from_comparison(cls, comparison: Comparison) -> "PairsDisplay":
        """Create the matrix from the pairs of a comparison, with methods in the order of its ranking."""
        order = tuple(comparison.ranking["method"])
        return cls(numbers=comparison.pairs, order=order, title=f"Pairs: {comparison.test}")

    @property
    def matrix(self) -> pd.DataFrame:
        """Methods x methods: 1 if the row is better than the column, -1 if worse, else 0; NaN on the diagonal."""
        pairs = self.numbers
        better = pairs["better"]
        signs = np.select([better == pairs["method_a"], better == pairs["method_b"]], [1, -1], 0)
        upper = pairs.assign(sign=signs).pivot_table("sign", "method_a", "method_b")
        upper = upper.reindex(index=self.methods, columns=self.methods)
        return upper.fillna(-upper.T)

    @property
    def replacement(self) -> str:
        """Sentence shown in place of the figure if no pair differs significantly or is tested; else empty."""
        if self.matrix.fillna(0).any(axis=None):
            return ""
        is_tested = NOT_TESTED not in set(self.numbers["state"])
        return "No pair of methods is told apart." if is_tested else "No pair of methods is tested."

    @property
    def alt(self) -> str:
        """Description of the figure in words."""
        parts = [
            f"{label(str(name))} better than {(row > 0).sum()}, worse than {(row < 0).sum()}"
            for name, row in self.matrix.iterrows()
        ]
        return f"{self.title}. {first_of(parts)}."

    @property
    def methods(self) -> list[str]:
        """The methods, in the order of the rows."""
        return list(self.order)

    def with_methods(self, methods: Iterable[str]) -> "PairsDisplay":
        """Return a copy with only these methods, in this order."""
        return replace(self, order=tuple(methods))

    @property
    def height(self) -> float:  # type: ignore[override]
        """Height of the figure in inches: names of columns, and rows."""
        return 1.7 + min(0.2 * len(self.order), 4.4)

    def _draw(self, canvas: Canvas) -> None:
        (axes,) = canvas.grid
        matrix = self.matrix
        signs = np.select([matrix > 0, matrix < 0], ["+", "−"], "")
        draw_heatmap(
            axes, matrix, cmap=list(SIGN_COLOURS.values()), vmin=-1.5, vmax=1.5, annot=signs
        )
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
    layout = {"across": 1}

    @classmethod
    def from_judgement(cls, judgement: Judgement, name: str) -> "FeatureUseDisplay":
        """Create the heat maps of the datasets that test `name`: the share of repetitions that use a feature."""
        runs = judgement.assessments.dropna(subset="features_used")
        by_dataset = dict(list(runs.groupby("dataset")))
        uses = [
            (
                problem.dataset,
                method,
                feature,
                "relevant" if feature in (problem.relevant or ()) else "other",
                float(feature in used),
            )
            for problem in judgement.problems.problems
            if problem.property == name and problem.dataset in by_dataset
            for method, used in by_dataset[problem.dataset][["method", "features_used"]].to_numpy()
            for feature in problem.features
        ]
        keys = ["dataset", "method", "feature"]
        table = pd.DataFrame(uses, columns=[*keys, "kind", "used"])
        shares = table.pivot_table("used", keys, "kind", sort=False)
        shares = shares.reindex(columns=["relevant", "other"])
        return cls(numbers=shares.reset_index()).with_methods(judgement.ranking.dropna()["method"])

    @property
    def panels(self) -> list[str]:
        """Datasets that are drawn: the first ones, as many as fit a page, at least one."""
        return self.all_panels[: max(int(PANELS_INCHES / self.height), 1)]

    @property
    def height(self) -> float:  # type: ignore[override]
        """Height of a panel in inches: title, names of columns, and rows."""
        return 0.6 + 0.2 * len(self.methods)

    def _draw(self, canvas: Canvas) -> None:
        for dataset, axes in canvas.axes.items():
            rows = self.numbers[self.numbers["dataset"] == dataset]
            relevant, other = (
                rows.pivot_table(kind, "method", "feature", sort=False)
                for kind in ("relevant", "other")
            )
            draw_heatmap(axes, pd.concat([relevant, other], axis="columns"), vmin=0, vmax=1)
            axes.axvline(len(relevant.columns), color=COLOURS[1], lw=2)
            axes.set_title(label(dataset))
        first_axes = canvas.grid[0]
        bar = first_axes.figure.colorbar(first_axes.collections[0], ax=canvas.grid, **COLOUR_BAR)
        bar.set_label("share of the runs that use it;\nrelevant features stand left of the line")
