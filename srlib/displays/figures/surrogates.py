"""How far the local-optima score merely follows accuracy, as the source of the property suspects."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from srlib.displays.figures.display import Canvas, Display, key
from srlib.displays.figures.multiples import small_multiples
from srlib.displays.looks import shade
from srlib.displays.styling import PANELS, label, left_out
from srlib.judging.properties import scored_as

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
    first: list[str] = field(default_factory=list, init=False, repr=False)

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
        return left_out(self.methods, "methods")

    @property
    def methods(self) -> list[str]:
        """The methods, those first whose models do without most surrogates."""
        mean = self.runs.groupby("method")["value"].mean()
        return [str(m) for m in mean.sort_values(ascending=False, kind="stable").index]

    def _sorted(self, place: Mapping[str, int]) -> "SurrogatesDisplay":
        other = replace(self)
        other.first = sorted(self.methods, key=lambda name: place[name])
        return other

    @property
    def panels(self) -> list[str]:
        """The methods that are drawn."""
        return (self.first or self.methods)[:PANELS]

    def _axes(self, width: str, panels: list[str]) -> list[Any]:
        return small_multiples(width, len(panels), 1.3, across=3)

    def _draw(self, canvas: Canvas) -> None:
        edge = np.floor(self.runs["r2_test"].quantile(0.05) * 10) / 10
        datasets = list(self.numbers["dataset"])
        for method, axes in canvas.axes.items():
            x = self.runs["r2_test"].clip(lower=edge)
            axes.plot(x, self.runs["value"], ".", ms=2.5, mew=0, color=OTHERS, zorder=1)
            for place, dataset in enumerate(datasets):
                own = self.runs[(self.runs["method"] == method) & (self.runs["dataset"] == dataset)]
                shape = {"ls": "none", "ms": 4.2, "mec": "white", "mew": 0.4, "zorder": 3}
                mark = shade(place, len(datasets))
                axes.plot(own["r2_test"].clip(lower=edge), own["value"], **shape, **mark)
            axes.set_title(label(method, canvas.longest))
        pairs = zip(datasets, self.numbers["spearman"], strict=True)
        names = [f"{label(str(name), 22)} (ρ {rho:.2f})" for name, rho in pairs]
        keys = [key(**shade(i, len(datasets)))
                for i in range(len(datasets))]  # fmt: skip
        keys.append(key(color=OTHERS))
        names = [*names[:PANELS], "other methods; ρ: Spearman's correlation"]
        keys = [*keys[:-1][:PANELS], keys[-1]]
        canvas.legend(keys, names, 1 + canvas.wide, above=True)
        x = f"test R² (below {edge:.1f}: at the left edge)"
        canvas.name_axes(x, "surrogates avoided (S1)")
