"""How far the local-optima score merely follows accuracy, as the source of the property suspects."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from srlib.displays.figures.display import Canvas, Display, key
from srlib.displays.figures.multiples import small_multiples
from srlib.displays.looks import shade
from srlib.displays.styling import PANELS, label, left_out
from srlib.judging.properties import scored_as
from srlib.words import minus

OTHERS = "#cfd6dc"


@dataclass
class SurrogatesDisplay(Display):
    """A panel for each method, the runs of all in grey: accuracy against the share of surrogates that a model avoids.

    Parameters
    ----------
    numbers : pandas.DataFrame
        `dataset`, `runs`, `spearman`: the rank correlation over the runs; NaN where one of the two does not vary.
    runs : pandas.DataFrame
        `method`, `dataset`, `repetition`, `r2_test`, `value`: the points.
    """

    numbers: pd.DataFrame
    runs: pd.DataFrame

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
            f"{row.dataset} {_said(row.spearman)} over {row.runs} runs"
            for row in self.numbers.head(PANELS).itertuples()
        )
        said = f"Spearman correlation: {said}. {self.left_out}".strip()
        return f"Scatter of the local-optima score against test R2, one mark per run. {said}"

    @property
    def left_out(self) -> str:
        """What is not drawn, in a sentence."""
        return left_out(self.methods, "methods")

    @property
    def methods(self) -> list[str]:
        """The methods of the runs."""
        return [str(name) for name in self.runs["method"].unique()]

    def _sorted(self, place: Mapping[str, int]) -> "SurrogatesDisplay":
        return replace(self, runs=self.runs.sort_values("method", key=lambda m: m.map(place)))

    @property
    def panels(self) -> list[str]:
        """The methods that are drawn."""
        return self.methods[:PANELS]

    @property
    def instead(self) -> str:
        """What to say where all runs are one point."""
        if self.runs[["r2_test", "value"]].drop_duplicates().shape[0] > 1:
            return ""
        one = self.runs.iloc[0]
        return f"all {len(self.runs)} runs have a test R² of {one['r2_test']:.3g} and an S1 of {one['value']:.3g}."

    def _axes(self, width: str, panels: list[str]) -> list[Any]:
        return small_multiples(width, len(panels), 1.3, across=3)

    def _draw(self, canvas: Canvas) -> None:
        # what is worse than that is as bad
        edge = max(np.floor(self.runs["r2_test"].quantile(0.05) * 10) / 10, -1.0)
        numbers = self.numbers.head(PANELS)
        datasets = list(numbers["dataset"])
        for method, axes in canvas.axes.items():
            x = self.runs["r2_test"].clip(lower=edge)
            axes.plot(x, self.runs["value"], ".", ms=2.5, mew=0, color=OTHERS, zorder=1)
            for place, dataset in enumerate(datasets):
                own = self.runs[(self.runs["method"] == method) & (self.runs["dataset"] == dataset)]
                shape = {"ls": "none", "ms": 4.2, "mec": "white", "mew": 0.4, "zorder": 3}
                mark = shade(place, len(datasets))
                axes.plot(own["r2_test"].clip(lower=edge), own["value"], **shape, **mark)
            axes.set_title(label(method, canvas.longest))
        pairs = zip(datasets, numbers["spearman"], strict=True)
        names = [f"{label(str(name), 22)} (ρ {_said(rho)})" for name, rho in pairs]
        keys = [key(**shade(i, len(datasets)))
                for i in range(len(datasets))]  # fmt: skip
        names.append("other methods; ρ: Spearman's correlation")
        canvas.legend([*keys, key(color=OTHERS)], names, 1 + canvas.wide, above=True)
        x = f"test R² (below {minus(f'{edge:.1f}')}: at the left edge)"
        canvas.name_axes(x, "surrogates avoided (S1)")


def _said(rho: Any) -> str:
    if np.isnan(rho):
        return "undefined"
    return minus(f"{rho:.2f}")
