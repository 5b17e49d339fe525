"""How far the local-optima score merely follows accuracy, as the source of the property suspects."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srlib.displays.figures.multiples import name_axes, small_multiples
from srlib.displays.styling import PANELS, label, left_out, look, style
from srlib.judging.properties import scored_as


@dataclass
class SurrogatesDisplay:
    """A scatter for each dataset: accuracy of a run against the share of surrogates that its model does without.

    Parameters
    ----------
    numbers : pandas.DataFrame
        `dataset`, `runs`, `spearman`: the rank correlation over the runs; NaN where one of the two does not vary.
    runs : pandas.DataFrame
        `method`, `dataset`, `repetition`, `r2_test`, `value`: the points.
    """

    numbers: pd.DataFrame
    runs: pd.DataFrame
    figure_: Figure | None = field(default=None, init=False, repr=False)

    @classmethod
    def from_judgement(cls, judgement: Any) -> "SurrogatesDisplay":
        """Take the runs that are scored on datasets with surrogates."""
        runs = judgement.assessments.merge(
            judgement.measures[["method", "dataset", "repetition"]].drop_duplicates()
        )
        runs = scored_as(runs, judgement.problems, "local_optima", "S1").assign(
            r2_test=runs["r2_test"].astype(float)
        )
        runs = runs.dropna(subset=["value", "r2_test"]).reset_index(drop=True)
        rows = []
        for dataset in (
            p.dataset for p in judgement.problems.problems if p.dataset in set(runs["dataset"])
        ):
            here = runs[runs["dataset"] == dataset]
            rows.append([dataset, len(here), here["r2_test"].rank().corr(here["value"].rank())])
        return cls(pd.DataFrame(rows, columns=["dataset", "runs", "spearman"]), runs)

    @property
    def alt(self) -> str:
        """What the figure shows, in words."""
        said = "; ".join(
            f"{row.dataset} {row.spearman:.2f} over {row.runs} runs"
            for row in self.numbers.head(PANELS).itertuples()
        )
        said = f"Spearman correlation: {said}. {self.left_out}".strip()
        return f"Scatter of the local-optima score against test R2, one mark per run. {said}"

    @property
    def left_out(self) -> str:
        """What is not drawn, in a sentence."""
        return left_out(self.numbers["dataset"].unique(), "datasets")

    def plot(self, width: str = "page") -> "SurrogatesDisplay":
        """Draw the scatters side by side; the least accurate twentieth of the runs lies on the left edge."""
        edge = np.floor(self.runs["r2_test"].quantile(0.05) * 10) / 10
        longest = 22 if width == "page" else 18
        with style():
            legend = 0.04 * self.runs["method"].nunique()  # inches that its rows take
            grid = small_multiples(width, min(len(self.numbers), PANELS), 1.9 + legend, across=3)
            for axes, row in zip(grid, self.numbers.itertuples(), strict=False):
                here = self.runs[self.runs["dataset"] == row.dataset]
                for place, method in enumerate(sorted(self.runs["method"].unique())):
                    own = here[here["method"] == method]
                    shape = {
                        "linestyle": "none",
                        "ms": 3.6,
                        "alpha": 0.5,
                        "mew": 0,
                        "label": label(method, longest),
                    }
                    axes.plot(own["r2_test"].clip(lower=edge), own["value"], **shape, **look(place))
                axes.set_title(
                    f"{label(str(row.dataset), longest)}\nSpearman's ρ = {row.spearman:.2f}"
                )
            x = f"test R² (below {edge:.1f}: at the left edge)"
            name_axes(grid, x, "surrogates avoided (S1)", across=4 if width == "page" else 2)
        self.figure_ = grid[0].figure
        return self
