"""Test R2 of every method on every dataset, against the baseline's line."""

from dataclasses import dataclass, field
from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from srlib.displays.styling import INK, MUTED, WIDTHS, label, look, new_figure, style
from srlib.words import in_short

LOWEST = -0.25  # what is below is drawn at the edge


@dataclass
class QualificationR2Display:
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
    figure_: Figure | None = field(default=None, init=False, repr=False)
    ax_: Any = field(default=None, init=False, repr=False)

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
        return f"Better than {label(self.baseline)}: {in_short(parts, 'methods')}."

    def plot(self, ax: Any = None, width: str = "page") -> "QualificationR2Display":
        """Draw the rows; `ax` is one matplotlib Axes, a new figure otherwise."""
        datasets, methods = (
            list(dict.fromkeys(self.numbers["dataset"])),
            sorted(set(self.numbers["method"])),
        )
        bar: dict[str, Any] = {"color": INK, "marker": "|", "ms": 11, "mew": 2, "linestyle": "none"}
        names = [label(name, 20) for name in (self.baseline, *methods)]
        across = max(1, int(WIDTHS[width] / (0.5 + 0.06 * max(map(len, names)))))
        with style():
            if ax is None:
                ax = new_figure(
                    width, 1.0 + 0.19 * len(datasets) + 0.13 * (len(methods) // across)
                ).subplots()
            here = self.numbers["dataset"].map(datasets.index)
            ax.plot(self.numbers["baseline_r2"], here, **bar, zorder=2)
            for index, method in enumerate(methods):
                rows = self.numbers["method"] == method
                value = self.numbers.loc[rows, "median_r2"].clip(lower=LOWEST)
                ax.plot(
                    value,
                    here[rows],
                    **look(index),
                    ms=4.2,
                    mec="white",
                    mew=0.4,
                    linestyle="none",
                    zorder=3,
                )
            ax.axvspan(LOWEST - 0.04, LOWEST + 0.04, color="#f4d9c9", linewidth=0, zorder=0)
            ax.set_xlim(LOWEST - 0.04, 1.02)
            ax.set_ylim(len(datasets) - 0.4, -0.6)
            ax.set_yticks(
                range(len(datasets)),
                [label(name, 28 if width == "page" else 18) for name in datasets],
            )
            ax.grid(True)
            ax.set_xlabel(f"test R² (shaded: {LOWEST} or below)", color=MUTED)
            looks: list[dict[str, Any]] = [
                bar,
                *({**look(i), "linestyle": "none"} for i in range(len(methods))),
            ]
            keys = [
                Line2D([], [], label=name, **shown)
                for name, shown in zip(names, looks, strict=True)
            ]
            ax.figure.legend(handles=keys, loc="outside lower center", ncols=across)
        self.ax_, self.figure_ = ax, ax.figure
        return self
