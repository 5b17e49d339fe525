"""A row for each method: values of datasets as dots, their means, medians or middle halves, and intervals."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from srlib.comparing.profiles import intervals
from srlib.displays.figures.display import (
    Canvas,
    Display,
    choose_scale,
    new_panels,
)
from srlib.displays.looks import look, shade
from srlib.displays.styling import INK, MUTED, label
from srlib.displays.tables.aspects import aspect_names, points, property_aspect

LOWEST = -0.25  # R2 below is drawn at the edge
BELOW: dict[str, Any] = {"color": "#f4d9c9", "lw": 0, "zorder": 0}


class MethodRows(Display):
    """Panels that share a row for each method."""

    def _axes(self, width: str, panels: list[str]) -> list[Any]:
        height = 0.7 + 0.25 * max(len(self.methods), 3)
        return new_panels(width, len(panels), height, sharey=True)

    def _name(self, canvas: Canvas, axes: Any, title: str, x: str = "") -> None:
        """Write the title of a panel and the names of its axis and rows."""
        axes.set_title(title)
        axes.set_xlabel(x, color=MUTED)
        canvas.rows(axes, self.methods)


def row_heights(numbers: pd.DataFrame, methods: list[str], column: str) -> pd.Series:
    """Height of each number: the row of its method, and in it a place for each value of `column`.

    Examples
    --------
    >>> table = pd.DataFrame({"method": ["a", "a", "b"], "dataset": [1, 2, 1]})
    >>> row_heights(table, ["a", "b"], "dataset").tolist()
    [-0.15, 0.15, 0.85]
    """
    codes, values = pd.factorize(numbers[column])
    return numbers["method"].map(methods.index) + 0.6 * ((codes + 0.5) / len(values) - 0.5)


def draw_datasets(axes: Any, numbers: pd.DataFrame, panel: str, methods: list[str]) -> None:
    """Draw a dot for each dataset in the colour of its method, and a diamond for the mean of each method."""
    colours = [look(str(method))["color"] for method in numbers["method"]]
    axes.scatter(numbers[panel], row_heights(numbers, methods, "dataset"), c=colours, s=9, alpha=0.7,
                 lw=0, rasterized=len(numbers) > 1000, label="one dataset")  # fmt: skip
    means = numbers.groupby("method", sort=False)[panel].mean()
    axes.plot(means, range(len(means)), "D", ms=4.4, color=INK, mec="white", mew=0.6, label="mean")


@dataclass
class DotsDisplay(MethodRows):
    """Points and 95% intervals; within a panel a series for each noise level, where there are any.

    Parameters
    ----------
    numbers : pandas.DataFrame
        `panel`, `series`, `method`, `n_datasets`, `value`, `low`, `high`; methods in the order of the rows, best first.
    """

    numbers: pd.DataFrame

    about = "Panels with a row per method, a point and its 95% interval; here the first"
    described = ("value",)

    @classmethod
    def from_values(
        cls,
        panels: Mapping[str, Mapping[str, pd.DataFrame]],
        rates: bool = False,
        ascending: bool = False,
        units: pd.Series | None = None,
    ) -> "DotsDisplay":
        """Summarise tables of values.

        Parameters
        ----------
        panels : dict of str to dict of str to pandas.DataFrame
            For each panel its series, each datasets x methods.
        rates : bool
            Means of shares; else medians.
        ascending : bool
            The first panel's lowest method stands on top; else its highest.
        units : pandas.Series, optional
            By dataset its unit: datasets of one unit are drawn together.
        """
        parts = {
            (panel, series): intervals(values, rates, units=units).rename_axis("method")
            for panel, chosen in panels.items()
            for series, values in chosen.items()
        }
        table = pd.concat(parts, names=["panel", "series"]).reset_index()
        first = table[table["panel"] == table["panel"].iloc[0]].groupby("method")["value"].mean()
        first = first.reindex(sorted(table["method"].unique()))
        order = first.sort_values(ascending=ascending, kind="stable").index
        return cls(table).with_methods(order)

    @property
    def all_panels(self) -> list[str]:
        """Names of the metrics."""
        return list(self.numbers["panel"].unique())

    def _axes(self, width: str, panels: list[str]) -> list[Any]:
        if len(self.numbers["series"].unique()) > 1:
            return super()._axes(width, panels)
        height = 0.35 + 0.2 * max(len(self.methods), 3)
        return new_panels(width, len(panels), height, sharey=True)

    def _draw(self, canvas: Canvas) -> None:
        series = list(self.numbers["series"].unique())
        shades = {name: shade(index, len(series)) for index, name in enumerate(series)}
        numbers = self.numbers.assign(height=row_heights(self.numbers, self.methods, "series"))
        for panel, axes in canvas.axes.items():
            rows = numbers[numbers["panel"] == panel]
            for row in rows.itertuples():
                mark: Any = look(str(row.method))
                if len(series) > 1:
                    mark = shades[row.series] | {"label": row.series}
                axes.hlines(row.height, row.low, row.high, color=mark["color"], lw=1.1, alpha=0.6,
                            label="95% interval")  # fmt: skip
                axes.plot(row.value, row.height, **mark, ms=5, mec="white", mew=0.4, ls="none")
            choose_scale(axes.xaxis, rows[["low", "high"]])
            self._name(canvas, axes, panel)
        if len(series) > 1:
            canvas.legend()


@dataclass
class ScoresDisplay(MethodRows):
    """How each method's score and ranks spread over the datasets (figure 3 of a competition's results).

    Parameters
    ----------
    numbers : pandas.DataFrame
        A row for each method and dataset: `method`, `dataset`, a column for each panel (higher is better); the method
        with the best final score first.
    """

    numbers: pd.DataFrame

    about = "One row per method, the best on top, with a dot for each dataset; higher is better"

    @classmethod
    def from_judgement(cls, judgement: Any) -> "ScoresDisplay":
        """Take the dataset scores and aspect ranks of a `srlib.judging.Judgement`."""
        order = judgement.ranking.sort_values(["rank", "method"])["method"]
        keys = ["method", "dataset"]
        ranks = judgement.aspects.pivot_table("aspect_rank", keys, "aspect", dropna=False)
        ranks = ranks[aspect_names(judgement)].add_suffix(" rank")
        table = judgement.datasets.set_index(keys)[["score"]].join(ranks).reset_index()
        return cls(table.sort_values("dataset")).with_methods(order)

    @property
    def all_panels(self) -> list[str]:
        """Names of the panels, from left to right."""
        return list(self.numbers.columns.drop(["method", "dataset"]))

    described = all_panels  # type: ignore[assignment]

    def _draw(self, canvas: Canvas) -> None:
        rows = self.numbers["method"].map(self.methods.index)
        for panel, axes in canvas.axes.items():
            values = self.numbers[panel].groupby(rows)
            median, low, high = values.median(), values.quantile(0.25), values.quantile(0.75)
            axes.hlines(median.index, low, high, color="#b3c5d3", lw=6, zorder=1,
                        label="middle half of the datasets")  # fmt: skip
            ends = median.index - 0.36, median.index + 0.36
            axes.vlines(median, *ends, color=INK, lw=1.4, label="median")
            draw_datasets(axes, self.numbers, panel, self.methods)
            axes.set_xlim(left=0)
            axes.xaxis.get_major_locator().set_params(integer=True, nbins=5)
            self._name(canvas, axes, points(panel), "higher is better")
        canvas.legend()


@dataclass
class PropertyDisplay(MethodRows):
    """One property's value by method and difficulty (figures 4 to 7 and 9 of a competition's results).

    Parameters
    ----------
    numbers : pandas.DataFrame
        A row for each method and dataset: `method`, `dataset`, `difficulty` and the property's value; methods by their
        mean rank in the property, best first.
    direction : {'higher', 'lower'}
        Which values of the property are better.
    difficulties : tuple of str
        All difficulties of the competition, so that each has the same mark in every figure; else those of the numbers.
    """

    numbers: pd.DataFrame
    direction: str
    difficulties: tuple[str, ...] = ()

    about = "One row per method with a mark for each dataset"

    @classmethod
    def from_judgement(cls, judgement: Any, name: str) -> "PropertyDisplay":
        """Take the datasets that a `srlib.judging.Judgement` has on the property `name`."""
        datasets = judgement.datasets.loc[judgement.datasets["property"] == name, "dataset"]
        own = judgement.aspects["aspect"] == property_aspect(judgement)
        table = judgement.aspects[own & judgement.aspects["dataset"].isin(datasets)]
        problems = judgement.problems.problems
        levels = {problem.dataset: problem.difficulty or problem.dataset for problem in problems}
        table = table.sort_values("dataset", key=lambda names: names.map([*levels].index))
        difficulties = table["dataset"].map(levels)
        every = [problem.difficulty for problem in problems if problem.difficulty]
        numbers = table[["method", "dataset"]].assign(
            difficulty=difficulties, **{name.replace("_", " "): table["value"]}
        )
        ranks = table.groupby("method")["aspect_rank"].mean()
        order = ranks.sort_values(ascending=False, kind="stable").index
        every = [*dict.fromkeys([*every, *difficulties])]
        return cls(numbers, str(table["direction"].iloc[0]), tuple(every)).with_methods(order)

    @property
    def all_panels(self) -> list[str]:
        """The property's value."""
        return list(self.numbers.columns[3:])

    described = all_panels  # type: ignore[assignment]

    def _draw(self, canvas: Canvas) -> None:
        ((name, axes),) = canvas.axes.items()
        levels = list(self.difficulties or self.numbers["difficulty"].unique())
        shades = {level: shade(index, len(levels)) for index, level in enumerate(levels)}
        heights = row_heights(self.numbers, self.methods, "difficulty")
        for level, rows in self.numbers.groupby("difficulty", sort=False):
            axes.plot(rows[name], heights[rows.index], ls="none", ms=3.8, mew=0, alpha=0.8,
                      clip_on=False, label=str(level), **shades[str(level)])  # fmt: skip
        choose_scale(axes.xaxis, self.numbers[name])
        low, high = self.numbers[name].agg(["min", "max"])
        if axes.get_xscale() != "log":
            axes.set_xlim(min(0.0, low), max(0.0, high) or None)
        self._name(canvas, axes, name, f"{self.direction} is better")
        canvas.legend()


@dataclass
class QualificationRanksDisplay(MethodRows):
    """A row for each method, a dot for each dataset: its rank there minus the baseline's; a diamond is the mean.

    Parameters
    ----------
    numbers : pandas.DataFrame
        A row for each method and dataset: `method`, `dataset`, `rank` (higher is better) and `rank_difference` (above
        0: better than the baseline); methods in the order of the figure, the best first.
    baseline : str
        Name of the baseline.
    """

    numbers: pd.DataFrame
    baseline: str

    about = "One row per method with a dot for each dataset: its rank minus the baseline's"
    described = ("rank_difference",)

    @classmethod
    def from_qualification(cls, result: Any) -> "QualificationRanksDisplay":
        """Take the ranks of a `srlib.judging.qualification.Qualification`."""
        numbers = result.cells[["method", "dataset", "rank", "rank_difference"]]
        display = cls(numbers.sort_values("dataset"), result.rules.judge.qualification.baseline)
        return display.with_methods(result.ranking["method"])

    def _draw(self, canvas: Canvas) -> None:
        (axes,) = canvas.grid
        draw_datasets(axes, self.numbers, "rank_difference", self.methods)
        axes.axvline(0, color=MUTED)
        low, high = axes.get_xlim()
        axes.axvspan(low, 0, **BELOW, label="not better than the baseline")
        axes.set_xlim(low, high)
        axes.xaxis.get_major_locator().set_params(integer=True)
        self._name(canvas, axes, "", "places ahead of the baseline (right is better)")
        canvas.legend()


@dataclass
class QualificationR2Display(Display):
    """A row for each dataset: a mark for each method, a bar for the baseline; values below -0.25 at the left edge.

    Parameters
    ----------
    numbers : pandas.DataFrame
        A row for each method and dataset: `method`, `dataset`, `median_r2`, `baseline_r2`; without the baseline's.
    baseline : str
        Name of the baseline.
    """

    numbers: pd.DataFrame
    baseline: str

    about = "One row per dataset with a mark for each method and a bar for the baseline"
    described = ("median_r2", "baseline_r2")

    @classmethod
    def from_qualification(cls, result: Any) -> "QualificationR2Display":
        """Take the R2 of a `Qualification`; datasets by the baseline's, best first."""
        baseline = result.rules.judge.qualification.baseline
        cells = result.cells[result.cells["method"] != baseline]
        cells = cells.sort_values(
            ["baseline_r2", "dataset", "method"], ascending=[False, True, True], ignore_index=True
        )
        return cls(cells[["method", "dataset", "median_r2", "baseline_r2"]], baseline)

    def _axes(self, width: str, panels: list[str]) -> list[Any]:
        return new_panels(width, 1, 0.5 + 0.15 * self.numbers["dataset"].nunique())

    def _draw(self, canvas: Canvas) -> None:
        (axes,), numbers = canvas.grid, self.numbers
        heights, datasets = pd.factorize(numbers["dataset"])
        axes.plot(numbers["baseline_r2"].clip(lower=LOWEST), heights, "|", ms=11, color=INK, mew=2,
                  label=f"{label(self.baseline, 16)} (baseline)")  # fmt: skip
        for method, rows in pd.Series(heights).groupby(numbers["method"]):
            values = numbers.loc[rows.index, "median_r2"].clip(lower=LOWEST)
            axes.plot(values, rows, **look(str(method)), ms=4.2, mec="white", mew=0.4, ls="none",
                      label=f" {method}")  # fmt: skip
        axes.axvspan(LOWEST - 0.04, LOWEST + 0.04, **BELOW)
        axes.set_xlim(LOWEST - 0.04, 1.02)
        axes.set_xlabel(
            f"median test R² over the repetitions (shaded: {LOWEST} or below)", color=MUTED
        )
        canvas.rows(axes, list(datasets))
        canvas.legend()
