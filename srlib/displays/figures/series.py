"""Figure 1 of a competition's results: the series that are to be predicted, with shaded events."""

from dataclasses import dataclass
from typing import Any

import pandas as pd

from srlib.displays.figures.display import Canvas, Display
from srlib.displays.styling import COLOURS, GRID, INK, label, new_figure
from srlib.problems import Problems
from srlib.problems.data import in_order

LEVELS, EVENTS = 3, 3
FACTS = ["dataset", "position", "partition", "target"]


@dataclass
class SeriesDisplay(Display):
    """A panel for each series; bands say when an event (a feature with at most three values) was on.

    Parameters
    ----------
    numbers : pandas.DataFrame
        `dataset`, `position`, `partition`, `target`, and a column for each of at most three events: 0 is off.
    """

    numbers: pd.DataFrame

    @classmethod
    def from_problems(cls, problems: Problems) -> "SeriesDisplay | None":
        """Take the rows of the first seed of all problems that are series; None where there is none."""
        parts = []
        for problem in problems.problems:
            table = in_order(problem, next(iter(problem.data_seeds), None))
            if table is not None:
                events = [name for name in problem.features if table[name].nunique() <= LEVELS][
                    :EVENTS
                ]
                known = {"position": table[problem.series], "target": table[problem.target]}
                parts.append(table.assign(dataset=problem.dataset, **known)[[*FACTS, *events]])
        if parts:
            return cls(pd.concat(parts, ignore_index=True))
        return None

    @property
    def alt(self) -> str:
        """What the figure shows, in words."""
        ranges = (
            self.numbers.groupby("dataset", sort=False)["target"].agg(["min", "max"]).itertuples()
        )
        said = "; ".join(
            f"{label(str(row.Index))} from {row.min:.4g} to {row.max:.4g}" for row in ranges
        )
        return f"Series: {said}. Events, from below: {', '.join(map(label, self.numbers.columns[4:])) or 'none'}."

    @property
    def panels(self) -> list[str]:
        """The series."""
        return [str(name) for name in self.numbers["dataset"].unique()]

    @property
    def given(self) -> list[str]:
        """The events."""
        return [str(name) for name in self.numbers.columns[len(FACTS) :]]

    def _axes(self, width: str, panels: list[str]) -> list[Any]:
        figure = new_figure(width, 0.8 + 1.5 * len(panels))
        return list(figure.subplots(len(panels), sharex=True, squeeze=False).flat)

    def _draw(self, canvas: Canvas) -> None:
        events = self.numbers.columns[len(FACTS) :]
        for name, axes in canvas.axes.items():
            part = self.numbers[self.numbers["dataset"].astype(str) == name]
            for band, event in enumerate(events):
                low, high, on = band / len(events), (band + 1) / len(events), part[event].gt(0)
                look = {"color": COLOURS[band + 3], "alpha": 0.3, "lw": 0, "label": label(event)}
                axes.fill_between(part["position"], low, high, where=on, step="mid",
                                  transform=axes.get_xaxis_transform(), **look)  # fmt: skip
            axes.plot(part["position"], part["target"], color=INK, lw=1)
            axes.set_title(label(name))
            axes.grid(True, color=GRID)
        handles, names = canvas.grid[0].get_legend_handles_labels()
        canvas.legend(handles, names, 2, above=True)
