"""Curves of solvers, a panel a task: scores in order (cactus), scores over time limits, distributions of errors."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srlib.displays.styling import MUTED, label, look, new_figure, style
from srlib.inference.tasks import TASKS, exact_tasks
from srlib.words import in_short

SMALLEST = 1e-9  # errors up to this are none, and are drawn here


@dataclass
class CurvesDisplay:
    """One line a solver in each panel.

    Parameters
    ----------
    numbers : pandas.DataFrame
        `task` (the panel), `solver`, and two columns: what is drawn across and up.
    labels : tuple of str
        Of the two axes.
    solvers : list of str
        All of the report: a solver looks the same in all its figures.
    log : bool
        Whether the axis across is logarithmic.
    """

    numbers: pd.DataFrame
    labels: tuple[str, str]
    solvers: list[str]
    log: bool = False
    figure_: Figure | None = field(default=None, init=False, repr=False)
    ax_: Any = field(default=None, init=False, repr=False)

    @classmethod
    def cactus(cls, scores: pd.DataFrame) -> "CurvesDisplay":
        """Put the scores of each solver in order, the highest first; the mean over time limits."""
        keys = ["task", "solver", "instance"]
        means = (
            scores.dropna(subset="score").groupby(keys, sort=False)["score"].mean().reset_index()
        )
        means = means.sort_values("score", ascending=False, kind="stable").sort_values(
            "solver", kind="stable"
        )
        means["instances"] = means.groupby(["task", "solver"]).cumcount() + 1
        return cls(
            means[["task", "solver", "instances", "score"]],
            ("instances", "score at least"),
            _solvers(scores),
        )

    @classmethod
    def anytime(cls, scores: pd.DataFrame) -> "CurvesDisplay":
        """Mean score of each solver at each time limit."""
        keys = ["task", "solver", "time_limit_s"]
        means = (
            scores.dropna(subset=["score", "time_limit_s"])
            .groupby(keys)["score"]
            .mean()
            .reset_index()
        )
        return cls(means, ("time limit (s)", "mean score"), _solvers(scores), log=True)

    @classmethod
    def errors(cls, scores: pd.DataFrame) -> "CurvesDisplay":
        """Share of the answers of each solver with an error up to some size, for the tasks with an exact answer."""
        rows = scores[scores["task"].isin(exact_tasks()) & np.isfinite(scores["error"])]
        rows = rows.sort_values(["solver", "error"], kind="stable").assign(
            error=rows["error"].clip(lower=SMALLEST)
        )
        groups = scores.groupby(["task", "solver"]).size().rename("all").reset_index()
        rows = rows.merge(groups, on=["task", "solver"])
        rows["share"] = (rows.groupby(["task", "solver"]).cumcount() + 1) / rows["all"]
        rows = rows[["task", "solver", "error", "share"]]
        return cls(rows, ("error", "share of answers"), _solvers(scores), log=True)

    @property
    def alt(self) -> str:
        """What the figure shows, in words, for readers who do not see it."""
        across, up = self.numbers.columns[2:]
        parts = [
            f"{task}, {label(str(solver))}: {rows[up].iloc[0]:.3g} at {rows[across].iloc[0]:.3g}, "
            f"{rows[up].iloc[-1]:.3g} at {rows[across].iloc[-1]:.3g}"
            for (task, solver), rows in self.numbers.groupby(["task", "solver"], sort=False)
        ]
        return f"One panel per task, one line per solver; {up} against {across}. {in_short(parts, most=15)}."

    def plot(self, ax: Any = None, width: str = "page") -> "CurvesDisplay":
        """Draw the panels side by side; in a column, two and two.

        Parameters
        ----------
        ax : sequence of matplotlib.axes.Axes, optional
            One for each task; a new figure otherwise.
        width : {'page', 'column'}
            Of a new figure.
        """
        tasks, there = (
            sorted(set(self.numbers["task"]), key=[*TASKS].index),
            set(self.numbers["solver"]),
        )
        across, up = self.numbers.columns[2:]
        with style():
            if ax is None:
                wide = min(3 if width == "page" else 2, max(1, len(tasks)))
                down, columns = -(-len(tasks) // wide), 4 if width == "page" else 2
                figure = new_figure(width, 0.4 + 1.75 * down + 0.16 * -(-len(there) // columns))
                grid = figure.subplots(down, wide, squeeze=False).ravel()
                ax = grid[: len(tasks)]
                for unused in grid[len(tasks) :]:
                    unused.remove()
            lines = {}
            for axes, task in zip(ax, tasks, strict=True):
                for place, solver in enumerate(self.solvers):
                    rows = self.numbers[
                        (self.numbers["task"] == task) & (self.numbers["solver"] == solver)
                    ]
                    every, shape = max(1, len(rows) // 8), look(place)
                    if solver in there:
                        (lines[solver],) = axes.plot(
                            rows[across],
                            rows[up],
                            **shape,
                            ms=3,
                            mew=0,
                            alpha=0.85,
                            markevery=every,
                        )
                axes.set_title(task)
                axes.set_xlabel(self.labels[0], color=MUTED)
                axes.set_ylim(*((-4, 104) if up == "score" else (-0.04, 1.04)))
                axes.set_xscale("log" if self.log else "linear")
                if self.log:  # signs and digits as text: mathematics is not parsed
                    axes.xaxis.get_major_locator().set_params(numticks=5 if width == "page" else 3)
                    axes.xaxis.set_major_formatter("{x:g}")
                    axes.minorticks_off()
                else:
                    axes.xaxis.get_major_locator().set_params(integer=True, nbins=5)
                axes.grid(True)
            for axes in ax[:: 3 if width == "page" else 2]:
                axes.set_ylabel(self.labels[1], color=MUTED)
            names = [label(solver, 22) for solver in lines]
            columns = min(4 if width == "page" else 2, len(names))
            ax[0].figure.legend(
                list(lines.values()), names, loc="outside lower center", ncols=columns
            )
        self.ax_, self.figure_ = ax, ax[0].figure
        return self


def _solvers(scores: pd.DataFrame) -> list[str]:
    return sorted(set(scores["solver"]))
