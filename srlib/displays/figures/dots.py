"""Figures with a row for each method: points with intervals, or a dot for each dataset with mean and quartiles."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from srlib.comparing.profiles import intervals
from srlib.displays.figures.display import Canvas, Display
from srlib.displays.styling import INK, labels, look, step_look
from srlib.displays.tables.aspects import aspect_names, points_heading, property_aspect
from srlib.judging import Judgement
from srlib.judging.qualification import Qualification
from srlib.metrics import METRICS
from srlib.tables import KEY

MOST_SERIES = 6  # marks in a row of a method
BELOW_COLOUR = "#f4d9c9"


class MethodRows(Display):
    """Base class of figures whose panels have a row for each method and share these rows."""

    layout = {"sharey": True}

    @property
    def height(self) -> float:  # type: ignore[override]
        """Height of a panel in inches."""
        return 0.5 + 0.22 * max(len(self.methods), 3)

    def _label_rows(self, axes: Any, title: str, x: str = "") -> None:
        """Set the title of a panel, the label of its x axis, and a method's name at each row."""
        axes.set_title(title)
        axes.set_xlabel(x)
        axes.set_yticks(range(len(self.methods)), labels(self.methods))
        axes.set_ylim(len(self.methods) - 0.45, -0.55)


def row_heights(numbers: pd.DataFrame, methods: list[str], column: str) -> pd.Series:
    """Return the vertical position of each number: the row of its method, shifted by its value in `column`.

    Examples
    --------
    >>> table = pd.DataFrame({"method": ["a", "a", "b"], "dataset": [1, 2, 1]})
    >>> row_heights(table, ["a", "b"], "dataset").tolist()
    [-0.15, 0.15, 0.85]
    """
    codes, values = pd.factorize(numbers[column])
    return numbers["method"].map(methods.index) + 0.6 * ((codes + 0.5) / len(values) - 0.5)


@dataclass(kw_only=True)
class DotsDisplay(MethodRows):
    """Points with intervals; each panel has a series for each noise level or difficulty.

    An axis ends near the points, and longer intervals are cut.

    Parameters
    ----------
    numbers : pandas.DataFrame
        `panel`, `series`, `method`, `value`, `low`, `high` (equal to `value` if there is no
        interval); best method first.
    lowest : bool
        Whether lower is better in the first panel.

    Examples
    --------
    >>> values = pd.DataFrame({"A": [0.9, 0.8, 0.7], "B": [0.5, 0.6, 0.4]})
    >>> dots = DotsDisplay.from_values({"test R²": {"all": values}})
    >>> dots.methods, dots.finding
    (['A', 'B'], 'Highest test R²: A (0.8).')
    """

    numbers: pd.DataFrame
    lowest: bool = False

    panel_by = "panel"
    about = "Panels with a row per method, the best on top, here the first panel"
    alt_columns = ("value",)
    intervals = {"": "value"}

    @classmethod
    def from_values(
        cls,
        panels: Mapping[str, Mapping[str, pd.DataFrame]],
        rates: Collection[str] = (),
        ascending: bool = False,
        units: pd.Series | None = None,
    ) -> "DotsDisplay":
        """Summarise tables of values by centres over datasets and their 95% intervals.

        Parameters
        ----------
        panels : dict of str to dict of str to pandas.DataFrame
            Tables as {panel: {series: table}}; each table has datasets as rows and methods as columns.
        rates : collection of str
            Panels whose values are shares, which are summarised by means; the others are summarised by medians.
        ascending : bool
            Whether the method with the lowest mean in the first panel is on top; else the highest.
        units : pandas.Series, optional
            Unit of each dataset; datasets of the same unit are resampled together.
        """
        parts = {
            (panel, series): intervals(values, panel in rates, units=units).rename_axis("method")
            for panel, tables in panels.items()
            for series, values in tables.items()
        }
        table = pd.concat(parts, names=["panel", "series"]).reset_index()
        is_first = table["panel"] == next(iter(panels), "")
        first_means = table[is_first].groupby("method")["value"].mean()
        first_means = first_means.reindex(sorted(table["method"].unique()))
        return cls(numbers=table, lowest=ascending).with_methods(
            first_means.sort_values(ascending=ascending, kind="stable").index
        )

    @classmethod
    def from_task(cls, judgement: Judgement, name: str) -> "DotsDisplay":
        """Show the runs on the datasets that test the property `name`, with a panel for each aspect of the rules.

        A point is the median of the usable runs (the mean, if a run has the property or lacks it), with its 95%
        interval over runs, or over datasets where a difficulty has several. An aspect that is a logarithm is shown by
        the amounts themselves. There is a series for each difficulty; methods are ordered by their mean points in the
        property. Figures 4 to 7 and 9 of a competition's results.
        """
        datasets = judgement.datasets.loc[judgement.datasets["property"] == name, "dataset"]
        problems = [p for p in judgement.problems.problems if p.dataset in set(datasets)]
        levels = {problem.dataset: problem.difficulty or problem.dataset for problem in problems}
        if len(set(levels.values())) > MOST_SERIES:
            levels = dict.fromkeys(levels, "all")
        scores = judgement.aspects[judgement.aspects["dataset"].isin(datasets)]
        runs = judgement.run_values.merge(judgement.screened.usable, on=list(KEY))
        panels, rates = dict[str, dict[str, pd.DataFrame]](), set[str]()
        for aspect in aspect_names(judgement):
            rule = judgement.rules.judge.aspects[aspect]
            column = rule.from_ if rule.transform else f"aspect: {aspect}"
            rows = scores[scores["aspect"] == aspect]
            values = runs[runs["dataset"].isin(datasets)]
            if values[column].isna().all():  # no value belongs to a single run
                values = rows.assign(repetition=1, **{column: rows["value"]})
            is_higher = rows["direction"].eq("higher").all() == (rule.transform is None)
            is_rate = rule.from_ == "property" and values[column].dropna().isin([0, 1]).all()
            title = name.replace("_", " ") if rule.from_ == "property" else aspect
            title = METRICS[column].label if column in METRICS else title
            title += f" ({'mean' if is_rate else 'median'}, {'higher' if is_higher else 'lower'} is better)"
            rates |= {title} if is_rate else set()
            panels[title] = {
                series: values[values["dataset"].map(levels) == series].pivot_table(
                    column, ["dataset", "repetition"], "method"
                )
                for series in dict.fromkeys(levels.values())
            }
        keys = pd.MultiIndex.from_frame(runs[["dataset", "repetition"]].drop_duplicates())
        has_units = len(set(levels.values())) < len(levels)
        units = pd.Series(keys.get_level_values(0), keys) if has_units else None
        points = scores[scores["aspect"] == property_aspect(judgement)]
        points = points.groupby("method")["aspect_rank"].mean()
        return cls.from_values(panels, rates, units=units).with_methods(
            points.sort_values(ascending=False, kind="stable").index
        )

    def _draw(self, canvas: Canvas) -> None:
        series = list(self.numbers["series"].unique())
        shades = {name: step_look(index, len(series)) for index, name in enumerate(series)}
        numbers = self.numbers.assign(height=row_heights(self.numbers, self.methods, "series"))
        for panel, axes in canvas.axes.items():
            rows = numbers[numbers["panel"] == panel]
            title, _, note = panel.partition(" (")
            self._label_rows(axes, title, note.removesuffix(")"))
            self._limit_axis(axes.xaxis, rows, "")
            for row in rows.itertuples():
                mark: Any = look(str(row.method))
                if len(series) > 1:
                    mark = shades[row.series] | {"label": row.series}
                axes.hlines(row.height, row.low, row.high, color=mark["color"], lw=1.1, alpha=0.6)
                axes.plot(row.value, row.height, **mark, ms=5, mec="white", mew=0.4, ls="none")


@dataclass(kw_only=True)
class ScoresDisplay(MethodRows):
    """Distribution of each method's numbers over the datasets: a dot for each dataset, the mean and the middle half.

    Parameters
    ----------
    numbers : pandas.DataFrame
        A row for each method and dataset, the best method first: `method`, `dataset`, and a column for each panel
        (higher is better).
    below : str
        Meaning of numbers below 0, for the legend; if empty, they are not shaded.

    Examples
    --------
    >>> scores = pd.DataFrame({"method": ["A", "B"], "dataset": "d", "score": [2.0, 1.0]})
    >>> ScoresDisplay(numbers=scores).alt
    'One row per method, ...; higher is better. Mean score: A 2; B 1.'
    """

    numbers: pd.DataFrame
    below: str = ""

    about = "One row per method, the best on top, with a dot for each dataset; higher is better"

    @classmethod
    def from_judgement(cls, judgement: Judgement) -> "ScoresDisplay":
        """Show the scores and aspect ranks of a `srlib.judging.Judgement` (figure 3 of a competition's results)."""
        order = judgement.ranking.sort_values(["rank", "method"])["method"]
        keys = ["method", "dataset"]
        ranks = judgement.aspects.pivot_table("aspect_rank", keys, "aspect", dropna=False)
        ranks = ranks[aspect_names(judgement)].add_suffix(" rank")
        table = judgement.datasets.set_index(keys)[["score"]].join(ranks).reset_index()
        return cls(numbers=table.sort_values("dataset")).with_methods(order)

    @classmethod
    def from_qualification(cls, result: Qualification) -> "ScoresDisplay":
        """Show the rank difference to the baseline in the qualification (figure 2)."""
        table = result.cells[["method", "dataset", "rank_difference"]].sort_values("dataset")
        table = table.rename(columns={"rank_difference": "places ahead of the baseline"})
        return cls(numbers=table, below="not better than the baseline").with_methods(
            result.ranking["method"]
        )

    @property
    def all_panels(self) -> list[str]:
        """Names of the panels, from left to right."""
        return list(self.numbers.columns.drop(["method", "dataset"]))

    def _draw(self, canvas: Canvas) -> None:
        heights = row_heights(self.numbers, self.methods, "dataset")
        colours = [look(str(method))["color"] for method in self.numbers["method"]]
        rows = range(len(self.methods))
        for panel, axes in canvas.axes.items():
            values = self.numbers.groupby("method", sort=False)[panel]
            axes.hlines(rows, values.quantile(0.25), values.quantile(0.75), color="#b3c5d3", lw=6,
                        zorder=1, label="middle half of the datasets")  # fmt: skip
            axes.scatter(self.numbers[panel], heights, c=colours, s=9, alpha=0.7, lw=0,
                         rasterized=len(heights) > 1000, label="one dataset")  # fmt: skip
            axes.plot(
                values.mean(), rows, "D", ms=4.4, color=INK, mec="white", mew=0.6, label="mean"
            )
            low = min(axes.get_xlim()[0], 0)
            axes.set_xlim(left=low)
            if self.below:
                axes.axvspan(low, 0, color=BELOW_COLOUR, lw=0, zorder=0, label=self.below)
            axes.xaxis.get_major_locator().set_params(integer=True, nbins=5)
            self._label_rows(axes, points_heading(panel), "higher is better")
