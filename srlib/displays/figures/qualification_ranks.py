"""Figure 2 of a competition's results: each method's ranks against the baseline's, the disqualified area shaded."""

from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib.patches import Patch

from srlib.displays.figures.display import MANY, Canvas, Display, key
from srlib.displays.figures.scores import DATASET, MEAN, swarm
from srlib.displays.looks import look
from srlib.displays.styling import MUTED, label, new_figure
from srlib.prose import first_of


@dataclass
class QualificationRanksDisplay(Display):
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

    @classmethod
    def from_qualification(cls, result: Any) -> "QualificationRanksDisplay":
        """Take the ranks of a `srlib.judging.qualification.Qualification`."""
        place = result.ranking["method"].tolist()
        numbers = result.cells[["method", "dataset", "rank", "rank_difference"]].sort_values(
            "dataset"
        )
        numbers = numbers.sort_values(
            "method", key=lambda names: names.map(place.index), kind="stable"
        )
        return cls(numbers.reset_index(drop=True), result.rules.judge.qualification.baseline)

    @property
    def alt(self) -> str:
        """What the figure shows, in words, for readers who do not see it."""
        mean = self.numbers.groupby("method", sort=False)["rank_difference"].mean()
        parts = [f"{label(str(name))} {value:+.2f}" for name, value in mean.items()]
        return f"Mean rank difference from {label(self.baseline)}: {first_of(parts, 'methods')}."

    compared = ("rank_difference",)

    def _axes(self, width: str, panels: list[str]) -> list[Any]:
        count = len(self.methods)
        row = 0.27 if count <= MANY else 0.16
        return [new_figure(width, 1.0 + row * max(count, 3)).subplots()]

    def _draw(self, canvas: Canvas) -> None:
        ax, methods = canvas.grid[0], self.methods
        every = self.numbers["rank_difference"].dropna()
        low, high = min(every.min(), 0.0) - 0.7, max(every.max(), 0.0) + 0.7
        ax.axvspan(low, 0, color="#f4d9c9", linewidth=0, zorder=0)
        ax.axvline(0, color=MUTED)
        for row, method in enumerate(methods):
            own = self.numbers.loc[self.numbers["method"] == method, "rank_difference"]
            values = own.dropna().to_numpy(float)
            if values.size:
                dots = DATASET | {"color": look(method)["color"]}
                ax.plot(values, row + swarm(values, 0.25), **dots)
                ax.plot(values.mean(), row, **MEAN)
        ax.set_xlim(low, high)
        canvas.rows(ax, methods)
        ax.xaxis.grid(True)
        ax.xaxis.get_major_locator().set_params(integer=True)
        ax.set_xlabel(
            canvas.lines("places ahead of the baseline", "(right is better)"), color=MUTED
        )
        keys = [key(**DATASET), key(**MEAN), Patch(color="#f4d9c9")]
        names = ["one dataset", "mean over the datasets", "not better than the baseline"]
        canvas.legend(keys, names, 3)
