"""Curves of solvers, a panel a task: scores in order (cactus), scores over time limits, distributions of errors."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from srlib.displays.figures.display import Canvas, Display, grid_of, key
from srlib.displays.looks import dashes, look
from srlib.displays.styling import MUTED, label, pt
from srlib.inference.tasks import TASKS, exact_tasks
from srlib.prose import first_of, power_of_ten

SMALLEST = 1e-9  # errors up to this are none


@dataclass
class CurvesDisplay(Display):
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
        rows = rows.sort_values(["solver", "error"], kind="stable")
        rows["error"] = rows["error"].where(rows["error"] > SMALLEST, 0.0)
        groups = scores.groupby(["task", "solver"]).size().rename("all").reset_index()
        rows = rows.merge(groups, on=["task", "solver"])
        rows["share"] = (rows.groupby(["task", "solver"]).cumcount() + 1) / rows["all"]
        rows = rows[["task", "solver", "error", "share"]]
        return cls(rows, ("error at most", "share of answers"), _solvers(scores), log=True)

    @property
    def alt(self) -> str:
        """What the figure shows, in words, for readers who do not see it."""
        across, up = self.numbers.columns[2:]
        parts = [
            f"{task}, {label(str(solver))}: {rows[up].iloc[0]:.3g} at {rows[across].iloc[0]:.3g}, "
            f"{rows[up].iloc[-1]:.3g} at {rows[across].iloc[-1]:.3g}"
            for (task, solver), rows in self.numbers.groupby(["task", "solver"], sort=False)
        ]
        return f"One panel per task, one line per solver; {up} against {across}. {first_of(parts, most=15)}."

    by = "solver"

    @property
    def panels(self) -> list[str]:
        """The tasks."""
        return sorted(set(self.numbers["task"]), key=[*TASKS].index)

    @property
    def methods(self) -> list[str]:
        """All solvers of the report."""
        return self.solvers

    def _sorted(self, place: Mapping[str, int]) -> "CurvesDisplay":
        return replace(self, solvers=sorted(self.solvers, key=lambda name: place[name]))

    def _axes(self, width: str, panels: list[str]) -> list[Any]:
        wide = min(3 if width == "page" else 2, max(1, len(panels)))
        rows = -(-len(self.solvers) // (4 if width == "page" else 2))
        return grid_of(width, len(panels), wide, 2.0, 0.4 + 0.13 * rows)

    def _draw(self, canvas: Canvas) -> None:
        across, up = self.numbers.columns[2:]
        there = [name for name in self.solvers if name in set(self.numbers["solver"])]
        for task, axes in canvas.axes.items():
            self._lines(axes, self.numbers[self.numbers["task"] == task], there)
            axes.set_title(task)
            axes.set_xlabel(self.labels[0], color=MUTED)
            axes.set_ylim(*((-4, 104) if up == "score" else (-0.04, 1.04)))
            axes.set_xscale("log" if self.log else "linear")
            if across == "error":
                self._powers(axes, 5 if canvas.wide else 3)
            elif self.log:
                axes.xaxis.get_major_locator().set_params(numticks=5 if canvas.wide else 3)
                axes.xaxis.set_major_formatter("{x:g}")
                axes.minorticks_off()
            else:
                axes.xaxis.get_major_locator().set_params(integer=True, nbins=5)
            axes.grid(True)
        for axes in canvas.grid:
            axes.set_ylabel(self.labels[1], color=MUTED)
        keys = [key(**look(name), ls=dashes(name)) for name in there]
        names = [label(name, 22) for name in there]
        canvas.legend(keys, names, 4)

    def _leftmost(self) -> float:
        """Where what has no place on a logarithmic axis is drawn: a power of ten left of all others."""
        values = self.numbers[self.numbers.columns[2]]
        some = values[values > 0].min()
        return 10 ** (np.floor(np.log10(some)) - 1) if some == some else 1.0

    def _powers(self, axes: Any, most: int) -> None:
        """Put ticks at powers of ten, since errors are that far apart, and at the edge where there is none."""
        first = round(np.log10(self._leftmost()))
        last = int(np.ceil(np.log10(max(self.numbers["error"].max(), 10.0 ** (first + 1)))))
        step = -(-(last - first) // most)
        powers = [
            power for power in reversed(range(last, first, -step)) if power >= first + 0.6 * step
        ]
        written = list(map(power_of_ten, powers))
        axes.set_xticks([10.0**first, *(10.0**power for power in powers)], ["none", *written])
        axes.minorticks_off()

    def _lines(self, axes: Any, rows: pd.DataFrame, there: list[str]) -> None:
        """Draw a panel: of lines that lie on one another the first is the broadest, and so all are seen."""
        across, up = self.numbers.columns[2:]
        if across == "error":
            rows = rows.assign(error=rows["error"].clip(lower=self._leftmost()))
            ends = rows.drop_duplicates("solver", keep="last").assign(
                error=self.numbers["error"].max()
            )
            rows = pd.concat([rows, ends])  # what all answers reach holds for larger errors, too
        parts = {name: rows.loc[rows["solver"] == name, [across, up]] for name in there}
        points = {name: part.to_numpy(float).round(9).tobytes() for name, part in parts.items()}
        for place, name in enumerate(there):
            part = parts[name]
            below = sum(points[name] == points[other] for other in there[place + 1 :])
            every = max(1, len(part) // 8)
            marked = slice(place % every, None, every)
            steps = {"drawstyle": "steps-post" if across == "error" else "default"}
            width = {"lw": 1.2 + 2.2 * below, "ms": 3 + 2.2 * below, "mew": 0}
            axes.plot(part[across], part[up], **look(name), **width, **steps,
                      linestyle=dashes(name) if not below else "-", markevery=marked)  # fmt: skip
        absent = [label(name, 14) for name in there if parts[name].empty]
        if absent:
            said = f"without {first_of(absent, 'solvers', most=2)}"
            axes.set_title(said, loc="right", fontsize=pt(6), fontweight="normal", color=MUTED)


def _solvers(scores: pd.DataFrame) -> list[str]:
    return sorted(set(scores["solver"]))
