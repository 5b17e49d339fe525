"""What noise does to each method: a metric against the noise level, and the answer in words."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srlib.displays.figures.multiples import name_axes, small_multiples
from srlib.displays.styling import COLOURS, MUTED, label, style
from srlib.judging.tracks.noisy import TRUTH
from srlib.words import listed

NAMES = {"r2_test": "test R²", "complexity": "components", "solution": "share of symbolic solutions",
         "accuracy_solution": "share with R² above 0.999"}  # fmt: skip


@dataclass
class NoiseDisplay:
    """One panel a method: its line and the quartiles of its runs, the other methods in grey, the truth dashed.

    Parameters
    ----------
    numbers : pandas.DataFrame
        `method`, `noise_level`, `series`, `runs`, `low`, `value`, `high`, as in `srlib.judging.tracks.sensitivity`.
    metric : str
        What `value` is.
    """

    numbers: pd.DataFrame
    metric: str
    figure_: Figure | None = field(default=None, init=False, repr=False)

    @classmethod
    def from_sensitivity(cls, sensitivity: Any, group: str) -> "NoiseDisplay":
        """Take one group of datasets of a `srlib.judging.tracks.sensitivity.Sensitivity`."""
        rows = sensitivity.quality[sensitivity.quality["group"] == group]
        return cls(rows.drop(columns="group").reset_index(drop=True), sensitivity.metric)

    @property
    def alt(self) -> str:
        """What the figure shows, in words."""
        ends = self.numbers.groupby("method")["value"].agg(["first", "last"]).head(12)
        said = "; ".join(
            f"{label(str(row.Index))} {row.first:.3g} to {row.last:.3g}"
            for row in ends.itertuples()
        )
        return f"{NAMES[self.metric]} against the noise level, from the lowest level to the highest: {said}."

    def plot(self, width: str = "page") -> "NoiseDisplay":
        """Draw a panel for each method."""
        lines = {
            str(name): rows.set_index("noise_level")
            for name, rows in self.numbers.groupby("method")
        }
        methods = [name for name in lines if name != TRUTH]
        shown = self.numbers[["low", "value", "high"]].to_numpy(float)
        low, high = (
            max(np.nanmin(shown), -0.25) if self.metric == "r2_test" else 0.0,
            np.nanmax(shown),
        )
        with style():
            grid = small_multiples(width, len(methods), 1.4)
            for axes, method in zip(grid, methods, strict=True):
                for name in methods:
                    axes.plot(lines[name]["value"], color="#cfd6dc", lw=0.7, label="other methods")
                if TRUTH in lines:
                    axes.plot(
                        lines[TRUTH]["value"],
                        color=MUTED,
                        lw=1,
                        ls="--",
                        label="the truth (ceiling)",
                    )
                own, shade = lines[method], {"color": COLOURS[0], "alpha": 0.2, "lw": 0}
                axes.fill_between(
                    own.index, own["low"], own["high"], **shade, label="middle half of the runs"
                )
                axes.plot(own["value"], "o-", ms=2.6, color=COLOURS[0], label="the method")
                axes.xaxis.get_major_locator().set_params(nbins=3)
                axes.set_title(label(method, 22 if width == "page" else 20))
                axes.set_ylim(low - 0.05 * ((high - low) or 1), high + 0.05 * ((high - low) or 1))
            across = 4 if width == "page" else 2
            name_axes(grid, "noise level (share of the variance)", NAMES[self.metric], across)
        self.figure_ = grid[0].figure
        return self


def noise_answer(sensitivity: Any, action: str) -> tuple[str, pd.DataFrame]:
    """Say who comes closest to the truth's own curve, and who is least sensitive to noise; rank all methods.

    Who is bad at every level has nothing to lose and is not sensitive: the distance from the truth decides. Where the
    truth's own quality is not known, sensitivity decides, among those that the guard does not find.

    Parameters
    ----------
    sensitivity : srlib.judging.tracks.sensitivity.Sensitivity
        Where the numbers come from.
    action : {'flag', 'worst_rank'}
        Whether the guard puts a method last.

    Returns
    -------
    sentence : str
        Plain text.
    ranking : pandas.DataFrame
        `method`, `score` (what decides, mean over the groups, lower is better), `sensitivity`, `guarded`, `rank` (1 =
        best place).
    """
    ranking = sensitivity.overall.groupby("method", as_index=False).agg(
        distance=("distance", "mean"),
        sensitivity=("sensitivity", "mean"),
        guarded=("guarded", "all"),
        absent=("absent", "any"),
        missing=("missing", "sum"),
        place=(f"place_{action}", "mean"),
    )
    metric = NAMES[sensitivity.metric]
    near = ranking["distance"].notna().all()
    ranking["score"] = ranking["distance" if near else "sensitivity"]
    order = ranking["distance"].round(9) if near else ranking["place"]
    order = order.rank(method="dense") + ranking["missing"] * len(ranking)
    ranking["rank"] = order.rank(method="min").astype("int64")
    ranking = ranking.sort_values(["rank", "method"], ignore_index=True)
    able = ranking[~ranking["guarded"]] if not ranking["guarded"].all() else ranking
    calm = able[able["place"] == able["place"].min()]
    truth = sensitivity.pairs.loc[sensitivity.pairs["method"] == TRUTH, "sensitivity"].mean()
    beside = ""
    if pd.notna(truth):
        beside = f"; for the truth itself it is {truth:.3f}"
    told = f"{calm['sensitivity'].iloc[0]:.3f} in {metric} per unit of noise{beside}"
    calmest = listed(calm["method"].tolist(), 3)
    sentence = f"{calmest}: least sensitive to noise, {told}."
    if near:
        best = ranking[ranking["rank"] == 1]
        sentence = (
            f"{listed(best['method'].tolist(), 3)}: closest to what the truth itself reaches, "
            f"{best['score'].iloc[0]:.3f} away in {metric} on average over the noise levels. "
            f"Least sensitive to noise: {calmest}, {told}."
        )
    lacking = ranking.loc[ranking["guarded"] & ranking["absent"], "method"]
    why = ""
    if len(lacking):
        why = f", {listed(lacking.tolist(), 5)} only because runs are absent"
    guard = f"The guard finds {ranking['guarded'].sum()} of {len(ranking)} methods bad at every level{why}."
    return f"{sentence} {guard}", ranking[["method", "score", "sensitivity", "guarded", "rank"]]
