"""Heat maps: shares by row and column, who is better than whom, and which features models use."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.colors import PowerNorm
from matplotlib.patches import Rectangle

from srlib.comparing.comparison import Comparison
from srlib.displays.figures.display import LONGEST, PANEL_ROOM, Canvas, Display, new_panels
from srlib.displays.styling import COLOURS, label, labels, pt
from srlib.judging.properties import features
from srlib.prose import first_of

MOST_IN_CELLS = {"page": 14, "column": 7}  # columns that leave room for numbers
BAR: dict[str, Any] = {"location": "bottom", "shrink": 0.5, "aspect": 40}
TITLE = 0.6  # inches of a title and the names of columns
LEVELS = (0.05, 0.01, 0.001)
SHADES = {
    "row is worse (−), p < 0.001": "#b35806",
    "worse, p < 0.01": "#ee9d48",
    "worse, p < 0.05": "#fbd8a8",
    "not told apart": "#eceff1",
    "better, p < 0.05": "#c3d9ec",
    "better, p < 0.01": "#6fa5cf",
    "row is better (+), p < 0.001": "#1f5f95",
}


def heat(
    canvas: Canvas, axes: Any, cells: pd.DataFrame, longest: int = LONGEST, **options: Any
) -> None:
    """Shade the cells of a table, and name its rows and columns as far as there is room."""
    import seaborn as sns  # takes two seconds

    names = [labels([str(name) for name in side], longest) for side in cells.axes]
    size = pt(7.5)
    if canvas.width == "column" or max(cells.shape) > 30:
        size = pt(6)
    axes.tick_params(labelsize=size)
    axes.grid(False)
    options = {"cmap": "Blues", "cbar": False, "fmt": ""} | options
    sns.heatmap(cells.set_axis(names[0]).set_axis(names[1], axis=1), ax=axes, **options)
    axes.tick_params(length=0)
    axes.tick_params(axis="x", rotation=90)
    axes.tick_params(axis="y", rotation=0)


@dataclass
class MatrixDisplay(Display):
    """One shaded cell for each number of a table.

    Parameters
    ----------
    numbers : pandas.DataFrame
        The first column names the rows; the others are shares from 0 to 1.
    """

    numbers: pd.DataFrame

    about = "Matrix of shares"

    @property
    def by(self) -> str:  # type: ignore[override]
        """The column that names the rows."""
        return self.numbers.columns[0]

    @property
    def described(self) -> list[str]:  # type: ignore[override]
        """The first columns."""
        return list(self.numbers.columns[1:6])

    def _axes(self, width: str, panels: list[str]) -> list[Any]:
        longest = max(14, *(len(label(str(name))) for name in self.numbers.columns[1:]))
        height = 0.6 + 0.06 * longest + 0.17 * len(self.numbers)
        return new_panels(width, 1, height, around=0)

    def _draw(self, canvas: Canvas) -> None:
        cells, (axes,) = self.numbers.set_index(self.by).astype(float), canvas.grid
        largest = float(np.nan_to_num(cells).max()) or 1.0
        # the colour bar takes the place of numbers; small shares of very many have to be seen beside a large one
        numbered = cells.shape[1] <= MOST_IN_CELLS[canvas.width]
        norm = PowerNorm(1 if numbered else 0.5, 0, largest)
        bar = BAR | {"format": "{x:.0%}", "ticks": [0, largest / 4, largest]}
        heat(canvas, axes, cells, 40, mask=(cells == 0).to_numpy(), vmin=0, vmax=largest, norm=norm,
             annot=numbered, fmt=".0%", annot_kws={"fontsize": pt(6.5)}, cbar=not numbered, cbar_kws=bar)  # fmt: skip
        axes.xaxis.tick_top()
        axes.tick_params(axis="x", length=0)


@dataclass
class PairsDisplay(Display):
    """Row against column: blue and + where the row's method is better, orange and − where it is worse.

    Parameters
    ----------
    numbers : pandas.DataFrame
        What `compare_pairs` returns.
    order : tuple of str
        Methods, best first.
    title : str
        The test and the correction.
    """

    numbers: pd.DataFrame
    order: tuple[str, ...]
    title: str

    @classmethod
    def from_comparison(cls, comparison: Comparison) -> "PairsDisplay":
        """Show the pairs of a comparison, methods in the order of its ranking."""
        test, tests = comparison.test_name, comparison.pairs["p_value"].notna().sum()
        title = f"{test[0].upper()}{test[1:]}, Holm's correction for {tests} tests"
        if not tests:
            title = "No test: there are too few datasets or sources"
        return cls(comparison.pairs, tuple(comparison.ranking["method"]), title)

    def matrix(self) -> np.ndarray:
        """Methods x methods: -3 (row worse, p < 0.001) to 3 (row better); NaN on the diagonal and where untested.

        A pair that is not told apart is 0.
        """
        pairs = self.numbers.dropna(subset="p_adjusted")
        ahead = 1 * (pairs["better"] == pairs["method_a"]) - (pairs["better"] == pairs["method_b"])
        strength = sum(pairs["p_adjusted"] < level for level in LEVELS)
        upper = pairs.assign(value=ahead * strength).pivot_table("value", "method_a", "method_b")
        order = list(self.order)
        upper = upper.reindex(index=order, columns=order)
        return upper.fillna(-upper.T).to_numpy(float)

    @property
    def replacement(self) -> str:
        """What to say where no pair is told apart."""
        if np.nan_to_num(self.matrix()).any():
            return ""
        tested = self.numbers["p_adjusted"].notna().sum()
        return (
            f"none of {tested} pairs is told apart at level 0.05."
            if tested
            else "no pair is tested."
        )

    @property
    def alt(self) -> str:
        """What the figure shows, in words."""
        parts = [
            f"{label(name)} better than {(row > 0).sum()}, worse than {(row < 0).sum()}"
            for name, row in zip(self.order, self.matrix(), strict=True)
        ]
        return f"{self.title}, level 0.05. {first_of(parts)}."

    @property
    def methods(self) -> list[str]:
        """The methods, in the order of the rows."""
        return list(self.order)

    def with_methods(self, methods: Iterable[str]) -> "PairsDisplay":
        """Copy with these methods alone, in this order."""
        return replace(self, order=tuple(methods))

    def _axes(self, width: str, panels: list[str]) -> list[Any]:
        side = min(0.2, 4.4 / len(self.order))
        return new_panels(width, 1, 2.2 + side * len(self.order), around=0)

    def _draw(self, canvas: Canvas) -> None:
        matrix, (axes,) = self.matrix(), canvas.grid
        signs = np.select([matrix > 0, matrix < 0], ["+", "−"], "")
        cells = pd.DataFrame(matrix, self.order, self.order)
        heat(canvas, axes, cells, cmap=list(SHADES.values()), vmin=-3.5, vmax=3.5,
             annot=signs)  # fmt: skip
        axes.set_title(self.title)
        for name, colour in SHADES.items():
            axes.plot([], [], "s", color=colour, label=name)
        canvas.legend()


@dataclass
class FeatureUseDisplay(Display):
    """A heat map for each dataset: methods x features, share of the runs whose simplified model uses a feature.

    Parameters
    ----------
    numbers : pandas.DataFrame
        `dataset`, `method`, `runs`, and a column of shares for each feature; NaN where a dataset lacks it.
    relevant : dict of str to collection of str
        The features that matter, by dataset; they are outlined.
    """

    numbers: pd.DataFrame
    relevant: dict[str, frozenset[str]]

    @classmethod
    def from_judgement(cls, judgement: Any, name: str) -> "FeatureUseDisplay":
        """Count over the repetitions on each dataset of the property `name`."""
        runs = judgement.assessments.assign(used=features(judgement.assessments))
        runs = runs.dropna(subset="used")
        problems = [each for each in judgement.problems.problems if each.property == name]
        tables = {}
        for problem in problems:
            own = runs[runs["dataset"] == problem.dataset]
            uses = [
                {feature: feature in names for feature in problem.features} for names in own["used"]
            ]
            cells = pd.DataFrame(uses, own["method"], dtype=float).groupby("method")
            tables[problem.dataset] = cells.mean()
            tables[problem.dataset].insert(0, "runs", cells.size())
        relevant: dict[str, frozenset[str]] = {
            each.dataset: frozenset(each.relevant or ()) for each in problems
        }
        numbers = pd.concat(tables, names=["dataset"]).reset_index()
        return cls(numbers, relevant).with_methods(judgement.ranking.dropna()["method"])

    @property
    def all_panels(self) -> list[str]:
        """The datasets."""
        return [str(name) for name in self.numbers["dataset"].unique()]

    @property
    def panels(self) -> list[str]:
        """The datasets that are drawn: as many as a page has room for."""
        most = int(PANEL_ROOM / (TITLE + 0.1 * len(self.methods)))
        return self.all_panels[: max(most, 1)]

    @property
    def alt(self) -> str:
        """What the figure shows, in words."""
        shares = self.numbers.melt(["dataset", "method", "runs"], var_name="feature").dropna()
        cells = zip(shares["dataset"], shares["feature"], strict=True)
        relevant = [feature in self.relevant[dataset] for dataset, feature in cells]
        kinds = np.where(relevant, "relevant", "others")
        means = shares["value"].groupby([shares["dataset"], kinds], sort=False).mean()
        parts = [
            f"{dataset} {mean:.0%} {kind}"
            for (dataset, kind), mean in zip(means.index.to_list(), means, strict=True)
        ]
        return f"Heat maps of feature use, methods by features. Mean use: {first_of(parts)}."

    def _axes(self, width: str, panels: list[str]) -> list[Any]:
        return new_panels(width, len(panels), TITLE + 0.2 * len(self.methods), across=1, around=0.7)

    def _draw(self, canvas: Canvas) -> None:
        for dataset, axes in canvas.axes.items():
            rows = self.numbers[self.numbers["dataset"] == dataset].set_index("method")
            shares = rows.iloc[:, 2:].dropna(axis="columns", how="all")
            heat(canvas, axes, shares, vmin=0, vmax=1)
            for place in np.flatnonzero(shares.columns.isin(self.relevant[dataset])):
                outline = {"fill": False, "ec": COLOURS[1], "lw": 1.2, "clip_on": False}
                axes.add_patch(Rectangle((float(place), 0), 1, len(shares), **outline))
            axes.set_title(label(dataset))
        first = canvas.grid[0]
        bar = first.figure.colorbar(first.collections[0], ax=canvas.grid, **BAR)
        bar.set_label("share of the runs that use it;\nrelevant features are outlined")
