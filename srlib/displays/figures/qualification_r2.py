"""Test R2 of every method on every dataset, against the baseline's line."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from srlib.displays.figures.display import Canvas, Display, key
from srlib.displays.looks import look
from srlib.displays.styling import INK, MUTED, label, new_figure
from srlib.prose import first_of

LOWEST = -0.25  # what is below is drawn at the edge
MOST_ROWS = 30  # datasets; of more, as many evenly along the order of the baseline's R2


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

    @classmethod
    def from_qualification(cls, result: Any) -> "QualificationR2Display":
        """Take the R2 of a `Qualification`; datasets by the baseline's, best first."""
        baseline = result.rules.judge.qualification.baseline
        cells = result.cells[result.cells["method"] != baseline]
        cells = cells.sort_values(
            ["baseline_r2", "dataset", "method"], ascending=[False, True, True]
        )
        return cls(
            cells[["method", "dataset", "median_r2", "baseline_r2"]].reset_index(drop=True),
            baseline,
        )

    @property
    def alt(self) -> str:
        """What the figure shows, in words, for readers who do not see it."""
        better = (self.numbers["median_r2"] > self.numbers["baseline_r2"]).groupby(
            self.numbers["method"]
        )
        parts = [f"{label(str(name))} on {here.sum()} of {here.size}" for name, here in better]
        return f"Better than {label(self.baseline)}: {first_of(parts, 'methods')}."

    @property
    def left_out(self) -> str:
        """How many of very many datasets are drawn; empty where all are."""
        every = self.numbers["dataset"].nunique()
        if every <= MOST_ROWS:
            return ""
        return (
            f"Only {MOST_ROWS} of {every} datasets are drawn, evenly spaced in the order of the "
            "baseline's R²; all are in the table below and its CSV."
        )

    @property
    def _datasets(self) -> list[str]:
        """The datasets that are drawn: of very many the best, the worst, and evenly spaced ones between."""
        every = list(dict.fromkeys(self.numbers["dataset"]))
        if len(every) <= MOST_ROWS:
            return every
        step = (len(every) - 1) / (MOST_ROWS - 1)
        return [every[round(step * i)] for i in range(MOST_ROWS)]

    @property
    def methods(self) -> list[str]:
        """The methods by name; the baseline is a bar and no mark."""
        return sorted(str(name) for name in set(self.numbers["method"]))

    def _sorted(self, place: Mapping[str, int]) -> "QualificationR2Display":
        return self  # marks lie where their values are, and the legend goes by name

    def _axes(self, width: str, panels: list[str]) -> list[Any]:
        rows = len(self._datasets) + len(self.methods) / (2 if width == "column" else 4)
        return [new_figure(width, 1.3 + 0.19 * rows).subplots()]

    def _draw(self, canvas: Canvas) -> None:
        ax, datasets = canvas.grid[0], self._datasets
        numbers = self.numbers[self.numbers["dataset"].isin(datasets)]
        here = numbers["dataset"].map(datasets.index)
        bar: dict[str, Any] = {"color": INK, "marker": "|", "ms": 11, "mew": 2, "linestyle": "none"}
        dot: dict[str, Any] = {"ms": 4.2, "mec": "white", "mew": 0.4, "linestyle": "none"}
        ax.plot(numbers["baseline_r2"], here, **bar, zorder=2)
        for method in self.methods:
            rows = numbers["method"] == method
            value = numbers.loc[rows, "median_r2"].clip(lower=LOWEST)
            ax.plot(value, here[rows], **look(method), **dot, zorder=3)
        ax.axvspan(LOWEST - 0.04, LOWEST + 0.04, color="#f4d9c9", linewidth=0, zorder=0)
        ax.set_xlim(LOWEST - 0.04, 1.02)
        canvas.rows(ax, datasets)
        ax.grid(True)
        ax.set_xlabel("median test R² over the repetitions\n"
                      f"(shaded: {LOWEST} or below)", color=MUTED)  # fmt: skip
        keys = [key(**bar), *(key(**look(m)) for m in self.methods)]
        names = [f"{label(self.baseline, 14)} (baseline)", *(label(m, 20) for m in self.methods)]
        canvas.legend(keys, names, 4)
