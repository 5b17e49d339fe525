"""Line figures: curves of best models, R2 against noise, scores over time limits, and profiles; the answer on noise."""

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from srlib.assessing.names import as_written
from srlib.comparing.profiles import profile, profile_area
from srlib.competition import MeasuredModel
from srlib.displays.figures.display import Canvas, Display
from srlib.displays.styling import (
    INK,
    LIGHT_GREY,
    MOST_COLOURED,
    PALE,
    label,
    labels,
    line_look,
    look,
)
from srlib.displays.tables.runs import best_models
from srlib.displays.tables.table import text_of
from srlib.errors import ModelTextError, require_known
from srlib.expressions import evaluate
from srlib.judging import Judgement
from srlib.judging.noise import NoiseSensitivity
from srlib.problems import partitions
from srlib.prose import Statement, listed, state
from srlib.readers.row_checks import THE_TRUTH

N_POINTS = 600
LOWEST_R2 = -0.25  # lower test R² is drawn at this value in `NoiseDisplay`
THRESHOLDS = np.round(np.linspace(0, 1, 201), 3)
TABLE_THRESHOLDS = (0.0, 0.5, 0.9, 0.99, 0.999)


@dataclass(kw_only=True)
class FitDisplay(Display):
    """Fit of models on one dataset, a panel for each model, on the rows of the first data seed.

    With one feature a panel has the model's curve over the whole range beside the truth and the training rows; with
    more, its predictions against the true values of the test rows.

    Parameters
    ----------
    numbers : pandas.DataFrame
        `method`, `repetition`, `r2_test` and `model` (as the method wrote it) of the models.
    curves : pandas.DataFrame
        Values of these models, and of the truth with one feature, a column each; the index is an even grid of the
        feature, or the true values of the test rows.
    train : ndarray, shape (rows, 2), or None
        x and y of the training rows; None with more than one feature.

    Examples
    --------
    >>> from srlib import Competition
    >>> judgement = Competition.read("demo", "synthetic-2022").judge()
    >>> fits = FitDisplay.from_judgement(judgement, "extrapolation_easy")
    >>> len(fits.curves), fits.panels == fits.methods
    (600, True)
    """

    numbers: pd.DataFrame
    curves: pd.DataFrame
    train: np.ndarray | None

    panel_by = "method"
    about = "Each model's curve beside the truth, or its predictions beside the true values of the test rows"
    subject = "test R²"
    alt_columns = ("r2_test",)
    height = 1.35
    layout = {"across": 3, "sharex": True, "sharey": True}

    @classmethod
    def from_judgement(
        cls,
        judgement: Judgement,
        dataset: str,
        methods: Collection[str] = (),
        typed: MeasuredModel | None = None,
    ) -> "FitDisplay | None":
        """Evaluate models on a dataset; return None if it has no data.

        Parameters
        ----------
        judgement : srlib.judging.Judgement
            Source of the models: the best one of each method.
        dataset : str
            One of its datasets.
        methods : collection of str
            Methods, also those that did not qualify; empty: all that are ranked.
        typed : MeasuredModel, optional
            A further model, which has the first panel; see `Competition.measure_model`.

        Raises
        ------
        InputError
            When there is no such dataset.
        """
        require_known(dataset, [each.dataset for each in judgement.problems.problems], "dataset")
        problem = judgement.problems.find(dataset)
        assert problem is not None
        data = partitions(problem, problem.first_seed)
        train = data and data.train
        has_curve = len(problem.features) == 1
        if data is None or (has_curve and train is None):
            return None
        source = judgement.of_all or judgement if methods else judgement
        models = best_models(source, dataset, written=True).frame
        if methods:
            models = models[models["method"].isin([THE_TRUTH, *methods])]
        if typed is not None:
            shared = typed.frame.columns.intersection(models.columns)
            models = pd.concat([typed.frame[shared], models], ignore_index=True)
        points, X, index = None, data.test.X, pd.Index(data.test.y, name="true value")
        if has_curve and train is not None:
            parts = (train, data.test, data.extrapolation)
            rows = np.vstack([part.X for part in parts if part is not None])
            grid = np.linspace(rows.min(), rows.max(), N_POINTS)
            X, index = grid[:, None], pd.Index(grid, name=problem.features[0])
            points = np.column_stack([train.X[:, 0], train.y])
        columns, curves = dict(zip(problem.features, X.T, strict=True)), {}
        for row in models.assign(dataset=dataset).to_dict("records"):
            with suppress(ModelTextError):  # a model text that cannot be parsed has no curve
                curves[row["method"]] = evaluate(as_written(row, problem), columns, len(X))
        numbers = models[models["method"].isin(set(curves) - {THE_TRUTH})]
        numbers = numbers[["method", "repetition", "r2_test", "model"]]
        return cls(numbers=numbers, curves=pd.DataFrame(curves, index=index), train=points)

    def _draw(self, canvas: Canvas) -> None:
        true = self.curves.index.to_numpy() if self.train is None else self.train[:, 1]
        for method, axes in canvas.axes.items():
            colour = look(method)["color"]
            if self.train is None:
                ends = [true.min(), true.max()]
                axes.plot(ends, ends, color=INK, lw=0.7, ls="--", label="a perfect model")
                axes.plot(true, self.curves[method], ".", ms=2, color=colour, rasterized=True,
                          label="best model")  # fmt: skip
            else:
                x = self.train[:, 0]
                axes.axvspan(x.min(), x.max(), color=LIGHT_GREY, lw=0, zorder=0, label="training region")  # fmt: skip
                axes.plot(x, true, ".", ms=2, color=PALE, rasterized=True, label="training rows")
                if THE_TRUTH in self.curves:
                    axes.plot(self.curves[THE_TRUTH], color=INK, lw=0.7, ls="--", label="the truth")
                axes.plot(self.curves[method], color=colour, lw=1.4, label="best model")
            axes.set_title(label(method))
            axes.set_ylim(true.min() - 0.6 * np.ptp(true), true.max() + 0.6 * np.ptp(true))
        canvas.name_axes(
            str(self.curves.index.name or "x"), "y" if self.train is not None else "predicted"
        )


class MethodLines(Display):
    """Base class of figures with a line for each method; the best seven are coloured, and named at their lines."""

    def _draw_lines(self, axes: Any, lines: pd.DataFrame, names: Sequence[str]) -> None:
        """Draw a line for each column, the best method first, with these names."""
        artists = self.lines_[axes] = {}
        for place, (name, (method, line)) in enumerate(zip(names, lines.items(), strict=True)):
            step = len(line) // 5 or 1
            (artist,) = axes.plot(line.dropna(), **line_look(str(method), place), ms=4, mew=0,
                                  markevery=(place % step, step))  # fmt: skip
            if place < MOST_COLOURED:
                artists[name] = artist
            else:
                artist.set_label(f"other {self.by}s")


@dataclass(kw_only=True)
class CurvesDisplay(MethodLines):
    """Scores of solvers over the time limits, with a panel for each task.

    Parameters
    ----------
    numbers : pandas.DataFrame
        `task` (the panel), `solver`, `time_limit_s` and `score`; the best solver first.

    Examples
    --------
    >>> scores = {"task": "PR", "solver": ["s", "t"], "time_limit_s": 20.0, "score": [80.0, 90.0]}
    >>> CurvesDisplay.from_scores(pd.DataFrame(scores)).finding
    'Highest score in PR: t (90).'
    """

    numbers: pd.DataFrame

    by = "solver"
    panel_by = "task"
    step_by = "time_limit_s"
    step_words = "at time limit (s)"
    about = "One panel per task, one line per solver"
    alt_columns = ("score",)
    height = 1.9
    layout = {"sharex": True, "sharey": True}

    @classmethod
    def from_scores(cls, scores: pd.DataFrame) -> "CurvesDisplay":
        """Average the scores of each solver on each task at each time limit; the solver with the best mean is first."""
        rows = scores.dropna(subset=["score", "time_limit_s"])
        means = rows.groupby(["task", "solver", "time_limit_s"])["score"].mean().reset_index()
        best = means.groupby("solver")["score"].mean().sort_values(ascending=False, kind="stable")
        return cls(numbers=means).with_methods(best.index)

    @property
    def subject(self) -> str:  # type: ignore[override]
        """What the first panel shows."""
        return f"score in {self.panels[0]}"

    def _draw(self, canvas: Canvas) -> None:
        limits = self.numbers["time_limit_s"].unique()
        for task, axes in canvas.axes.items():
            rows = self.numbers[self.numbers["task"] == task]
            lines = rows.pivot_table("score", "time_limit_s", "solver")
            self._draw_lines(axes, lines.reindex(columns=self.methods), labels(self.methods))
            axes.set(title=task, ylim=(-4, 104), xscale="log")
            axes.set_xticks(limits, map("{:g}".format, limits))
            axes.set_xticks([], minor=True)
        canvas.name_axes("time limit (s)", "score")


@dataclass(kw_only=True)
class ProfilesDisplay(MethodLines):
    """Falling curve for each method: the share of datasets whose value is at least x, summarised by the area below it.

    Parameters
    ----------
    numbers : pandas.DataFrame
        `method`, `area`, and the shares at x in `TABLE_THRESHOLDS`, as `share_at_0.5`; largest area first.
    curves : pandas.DataFrame
        Shares: x as the index, a column for each method.
    name : str
        Name of the measure x.
    unit : str
        What the shares count.
    unfit : bool
        Whether the measure has no profile, because its best value is not 1.

    Examples
    --------
    >>> profiles = ProfilesDisplay.from_values(pd.DataFrame({"A": [0.9, 0.5], "B": [0.6, 0.2]}))
    >>> profiles.finding
    'Highest area below its curve: A (0.7).'
    """

    numbers: pd.DataFrame
    curves: pd.DataFrame
    name: str = "test R²"
    unit: str = "datasets"
    unfit: bool = False

    about = "Falling curves: share of datasets that reach x, and the area below"
    subject = "area below its curve"
    alt_columns = ("area",)

    @classmethod
    def from_values(
        cls, values: pd.DataFrame, name: str = "test R²", direction: str = "higher"
    ) -> "ProfilesDisplay":
        """Compute the profiles of a table, datasets x methods; a missing value reaches no x.

        There is no profile (`unfit`) if lower is better or a value is above 1.
        """
        unfit = direction == "lower" or bool((values > 1 + 1e-6).any(axis=None))
        table = profile_area(values).sort_values(ascending=False, kind="stable").to_frame("area")
        shares = profile(values, TABLE_THRESHOLDS).T
        table = table.join(shares.rename(columns="share_at_{:g}".format))
        curves = profile(values, THRESHOLDS)[list(table.index)]
        unit = f"{len(values)} datasets"
        numbers = table.rename_axis("method").reset_index()
        return cls(numbers=numbers, curves=curves, name=name, unit=unit, unfit=unfit)

    @property
    def replacement(self) -> str:
        """Sentence shown in place of the figure if the measure has no profile; else as in `Display.replacement`."""
        if self.unfit:
            return f"No profile is drawn: it needs values of which 1 is the best, and {self.name} has others."
        return super().replacement

    def _draw(self, canvas: Canvas) -> None:
        (axes,) = canvas.grid
        names = [
            f"{name} {area:.3f}"
            for name, area in zip(labels(self.methods), self.numbers["area"], strict=True)
        ]
        self._draw_lines(axes, self.curves[self.methods], names)
        axes.set(xlabel=f"x ({self.name}, higher is better)", xlim=(0, 1), ylim=(0, 1.02))
        axes.set_ylabel(f"share of {self.unit} that reach x")


@dataclass(kw_only=True)
class NoiseDisplay(Display):
    """Test R2 against the noise level, a panel for each method.

    A panel shows the method's line and the quartiles of its runs, marks levels with failed runs, and shows the
    truth and the other methods (grey). Only the first twelve methods have a panel.

    Parameters
    ----------
    numbers : pandas.DataFrame
        Rows of `levels` of a `srlib.judging.noise.NoiseSensitivity`, without those of the truth.
    truth : pandas.Series
        Test R2 of the truth at the noise levels at which it is known; may be empty.

    Examples
    --------
    >>> levels = pd.DataFrame({"method": "A", "noise_level": [0.0, 0.1], "value": [1.0, 0.8], "low": 0.5, "high": 1.0})
    >>> NoiseDisplay(numbers=levels.assign(runs=10), truth=pd.Series([1.0, 0.9], [0.0, 0.1])).alt
    '...(0.8). One panel per method, ... Test R² at noise level 0.0, 0.1: A 1 (0.5 to 1), 0.8 (0.5 to 1).'
    """

    numbers: pd.DataFrame
    truth: pd.Series

    panel_by = "method"
    step_by = "noise_level"
    step_words = "at noise level"
    about = "One panel per method, with the middle half of its runs at each noise level"
    subject = "test R²"
    alt_columns = ("value",)
    height = 1.4
    layout = {"sharex": True, "sharey": True}

    @classmethod
    def from_sensitivity(cls, sensitivity: NoiseSensitivity) -> "NoiseDisplay":
        """Create the figure from a noise analysis, with methods in the order of their ranks."""
        levels = sensitivity.levels
        truth = levels[levels["method"] == THE_TRUTH].set_index("noise_level")["value"]
        return cls(numbers=levels, truth=truth).with_methods(sensitivity.overall["method"])

    def _draw(self, canvas: Canvas) -> None:
        numbers, sides = self.numbers.set_index("noise_level"), ["low", "value", "high"]
        numbers[sides] = numbers[sides].clip(lower=LOWEST_R2)
        most_runs = numbers.groupby(level=0)["runs"].max()
        for method, axes in canvas.axes.items():
            for _, other in numbers.groupby("method"):
                axes.plot(other["value"], color=PALE, lw=0.5, label="other methods")
            axes.plot(self.truth, color=INK, lw=1, ls="--", label="the truth (ceiling)")
            rows, mark = numbers[numbers["method"] == method], look(method)
            axes.fill_between(rows.index, rows["low"], rows["high"], color=mark["color"],
                              alpha=0.2, lw=0, label="middle half of the runs")  # fmt: skip
            axes.plot(rows["value"], **mark, ms=3.2, mew=0, lw=1.4, label="the method")
            failed = rows["value"][rows["runs"] < most_runs[rows.index]]
            axes.plot(failed, "x", ms=7, color=INK, label="some runs failed")
            axes.xaxis.get_major_locator().set_params(nbins=3)
            axes.yaxis.get_major_locator().set_params(nbins=5, min_n_ticks=4)
            axes.set_title(label(method))
        canvas.name_axes("noise level", f"test\u00a0R² (≥\u00a0{LOWEST_R2})")


def describe_noise(sensitivity: NoiseSensitivity) -> Statement:
    """Return sentences that name the method closest to the truth's curve and the one least sensitive to noise.

    The distance from the truth comes first, because a method that is bad at all levels has a low sensitivity. If the
    truth's accuracy is unknown, only the sensitivity is stated.

    Examples
    --------
    >>> from srlib import Competition
    >>> from srlib.judging.noise import compare_noise_levels
    >>> describe_noise(compare_noise_levels(Competition.read("demo", "synthetic-2022").judge()))
    '...: closest to what the truth itself reaches, ...'
    """
    table = sensitivity.overall
    nearest, guarded = table[table["rank"] == 1], table["guarded"]
    measured = table[table["sensitivity"].notna()]
    comparable = measured if measured["guarded"].all() else measured[~measured["guarded"]]
    rounded = comparable["sensitivity"].round(9)
    least_sensitive = comparable[rounded == rounded.min()]
    template = "Nobody's sensitivity is known: it needs runs at two noise levels of a dataset."
    if len(least_sensitive):
        template = "Least sensitive to noise: {least_sensitive}, {sensitivity} in test R² per unit of noise."
    if table["distance"].notna().any():
        template = (
            "{nearest}: closest to what the truth itself reaches, {distance} away in test R² on average over the noise "
            f"levels. {template}"
        )
    return state(
        "verdict",
        template + " Too inaccurate at every level to be compared: {guarded} of {methods} methods.",
        nearest=listed(nearest["method"].tolist(), 3),
        distance=text_of(nearest["distance"].max()),
        least_sensitive=listed(least_sensitive["method"].tolist(), 3),
        sensitivity=text_of(rounded.min()),
        guarded=guarded.sum(),
        methods=len(measured),
    )
