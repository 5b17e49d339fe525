"""Figures with a row for each method: points with intervals, or a dot for each dataset with mean and quartiles."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from srlib.comparing.profiles import intervals
from srlib.displays.figures.display import Canvas, Display, fit_axis
from srlib.displays.styling import GREY, INK, labels, look, step_look
from srlib.displays.tables.aspects import aspect_names, points_heading, property_aspect
from srlib.judging import Judgement
from srlib.judging.qualification import Qualification
from srlib.metrics import METRICS
from srlib.tables import KEY

BELOW_COLOUR = "#f4d9c9"


class MethodRows(Display):
    """Base class of figures whose panels have a row for each method and share these rows."""

    height = 0.7
    row_height = 0.22
    layout = {"sharey": True}

    def _label_rows(self, axes: Any, title: str, x: str) -> None:
        """Set the title of a panel, the label of its x axis, and a method's name at each row."""
        axes.set(title=title, xlabel=x, ylim=(len(self.methods) - 0.45, -0.55))
        axes.set_yticks(range(len(self.methods)), labels(self.methods))

    def _heights(self, column: str) -> pd.Series:
        """Return the vertical position of each number: the row of its method, shifted by its value in `column`."""
        codes, values = pd.factorize(self.numbers[column])
        shift = 0.6 * ((codes + 0.5) / len(values) - 0.5)
        return self.numbers["method"].astype(str).map(self.methods.index) + shift


@dataclass(kw_only=True)
class DotsDisplay(MethodRows):
    """Points with intervals; each panel has a series for each noise level or difficulty.

    An axis ends near the points, and longer intervals are cut. A hollow point is 0.

    Parameters
    ----------
    numbers : pandas.DataFrame
        `panel`, `series`, `method`, `value`, `low`, `high` (equal to `value` if there is no interval), and, if known,
        `n_datasets`, the number of values behind a point; best method first. A panel is a name with a note in brackets,
        such as `accuracy (median, higher is better)`.
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
    step_by = "series"
    about = "A row per method, the best on top, with 95% intervals; here the first panel"
    alt_columns = ("value",)

    @classmethod
    def from_values(
        cls,
        panels: Mapping[str, Mapping[str, pd.DataFrame]],
        rates: Collection[str] = (),
        ascending: bool = False,
        units: pd.Series | None = None,
        directions: Mapping[str, str] = {},
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
        directions : dict of str to str
            `higher` or `lower`: what is better in a panel that is not named as a metric of `srlib.metrics.METRICS`.
        """
        directions = {metric.label: metric.direction for metric in METRICS.values()} | {
            **directions
        }
        parts = {}
        for panel, tables in panels.items():
            note = "mean" if panel in rates else "median"
            note += f", {directions[panel]} is better" if panel in directions else ""
            for series, values in tables.items():
                summary = intervals(values, panel in rates, units=units)
                parts[f"{panel} ({note})", series] = summary.rename_axis("method")
        table = pd.concat(parts, names=["panel", "series"]).reset_index()
        display = cls(numbers=table, lowest=ascending)
        means = (
            display.first_panel.groupby("method")["value"].mean().reindex(sorted(display.methods))
        )
        return display.with_methods(means.sort_values(ascending=ascending, kind="stable").index)

    @classmethod
    def from_task(cls, judgement: Judgement, name: str) -> "DotsDisplay":
        """Show the runs on the datasets that test the property `name`, with a panel for each aspect of the rules.

        A point is the median of the usable runs (the mean, if a run has the property or lacks it), with its 95%
        interval over runs, or over datasets where a difficulty has several. An aspect that is a logarithm is shown by
        the amounts themselves. There is a series for each difficulty; methods are ordered by their mean points in the
        property. Figures 4 to 7 and 9 of a competition's results.
        """
        tested = set(judgement.datasets.loc[judgement.datasets["property"] == name, "dataset"])
        problems = [each for each in judgement.problems.problems if each.dataset in tested]
        levels = {each.dataset: each.difficulty or "all" for each in problems}
        scores = judgement.aspects[judgement.aspects["dataset"].isin(tested)]
        runs = judgement.run_values.merge(judgement.screened.usable, on=list(KEY))
        runs = runs[runs["dataset"].isin(tested)]
        panels, rates, directions = dict[str, Any](), set[str](), dict[str, str]()
        aspects = aspect_names(judgement)
        for aspect in sorted(aspects, key=lambda name: name != property_aspect(judgement)):
            points = scores[scores["aspect"] == aspect]
            rule = judgement.rules.judge.aspects[aspect]
            column = rule.from_ if rule.transform else f"aspect: {aspect}"
            values = runs
            if runs[column].isna().all():  # no value belongs to a single run
                values = points.assign(repetition=1, **{column: points["value"]})
            is_property = rule.from_ == "property"
            title = name.replace("_", " ") if is_property else aspect
            title = METRICS[column].label if column in METRICS else title
            is_higher = points["direction"].eq("higher").all() == (rule.transform is None)
            directions[title] = "higher" if is_higher else "lower"
            if is_property and values[column].dropna().isin([0, 1]).all():
                rates.add(title)
            series = values["dataset"].map(levels)
            panels[title] = {
                level: values[series == level].pivot_table(
                    column, ["dataset", "repetition"], "method"
                )
                for level in dict.fromkeys(levels.values())
            }
        units = None
        if len(set(levels.values())) < len(levels):
            keys = pd.MultiIndex.from_frame(runs[["dataset", "repetition"]].drop_duplicates())
            units = pd.Series(keys.get_level_values(0), keys)
        points = scores[scores["aspect"] == property_aspect(judgement)]
        points = points.groupby("method")["aspect_rank"].mean()
        is_lowest = [*directions.values()][0] == "lower"
        return cls.from_values(panels, rates, is_lowest, units, directions).with_methods(
            points.sort_values(ascending=False, kind="stable").index
        )

    def _draw(self, canvas: Canvas) -> None:
        series = list(self.numbers["series"].unique())
        numbers = self.numbers.assign(height=self._heights("series"))
        for panel, axes in canvas.axes.items():
            rows = numbers[numbers["panel"] == panel]
            title, _, note = panel.rpartition(" (")
            count = f", n\u00a0≤\u00a0{rows['n_datasets'].max()}" if "n_datasets" in rows else ""
            note = f"{note.removesuffix(')')}{count}" if title else ""
            self._label_rows(axes, title or panel, note)
            self.cut_ += fit_axis(axes.xaxis, rows["value"], rows["low"], rows["high"])
            for row in rows.itertuples():
                mark: Any = look(str(row.method))
                if len(series) > 1:
                    mark = step_look(series.index(row.series), len(series)) | {"label": row.series}
                axes.hlines(row.height, row.low, row.high, color=mark["color"], lw=1)
                mark["mfc"] = mark["color"] if row.value else axes.get_facecolor()
                axes.plot(row.value, row.height, **mark, ms=5, ls="none")


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
    'Highest mean score: A (2). One row per method, ...; higher is better. Mean score: A 2; B 1.'
    """

    numbers: pd.DataFrame
    below: str = ""

    about = "One row per method, the best on top: a dot for each dataset, mean and middle half; higher is better"
    alt_columns = ("value",)

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

    @property
    def first_panel(self) -> pd.DataFrame:
        """Mean and quartiles of each method in the first panel, as they are drawn."""
        return self.summary(self.panels[0]).reset_index()

    @property
    def subject(self) -> str:  # type: ignore[override]
        """What `first_panel` has: the mean in the first panel."""
        return f"mean {points_heading(self.panels[0])}"

    def summary(self, panel: str) -> pd.DataFrame:
        """Return `value` (the mean), `low` and `high` (the quartiles) of each method over the datasets in a panel."""
        values = self.numbers.groupby("method", sort=False)[panel]
        low, high = values.quantile(0.25), values.quantile(0.75)
        return pd.DataFrame({"value": values.mean(), "low": low, "high": high})

    def _draw(self, canvas: Canvas) -> None:
        heights, rows = self._heights("dataset"), range(len(self.methods))
        colours = [look(str(method))["color"] for method in self.numbers["method"]]
        count = self.numbers["dataset"].nunique()
        for panel, axes in canvas.axes.items():
            summary = self.summary(panel)
            axes.scatter(self.numbers[panel], heights, c=colours, s=5, lw=0,
                         rasterized=len(heights) > 1000, label="one dataset")  # fmt: skip
            axes.hlines(rows, summary["low"], summary["high"], color=GREY, lw=2,
                        label="middle half of the datasets")  # fmt: skip
            axes.plot(summary["value"], rows, "D", ms=5, color=INK, mec="white", label="mean")
            low = min(axes.get_xlim()[0], 0)
            axes.set_xlim(left=low)
            if self.below:
                axes.axvspan(low, 0, color=BELOW_COLOUR, lw=0, zorder=0, label=self.below)
            axes.xaxis.get_major_locator().set_params(integer=True, nbins=5)
            self._label_rows(
                axes, points_heading(panel), f"higher is better, n\u00a0=\u00a0{count}"
            )
