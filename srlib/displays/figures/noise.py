"""What noise does to each method: a metric against the noise level, and the answer in words."""

from dataclasses import dataclass
from typing import Any

import pandas as pd

from srlib.displays.figures.display import Canvas, Display, new_panels
from srlib.displays.looks import look
from srlib.displays.styling import INK, label
from srlib.judging.noise import TRUTH
from srlib.prose import listed

QUALITY_NAMES = {"r2_test": "test R²", "complexity": "components", "solution": "share of symbolic solutions",
         "accuracy_solution": "share with R² above 0.999"}  # fmt: skip
LOWEST = -0.25  # test R² below is drawn at the edge


@dataclass
class NoiseDisplay(Display):
    """One panel a method: its line, the quartiles of its runs, where runs failed, other methods in grey, the truth.

    Of more than twelve methods the first twelve have a panel; the others are grey lines.

    Parameters
    ----------
    numbers : pandas.DataFrame
        `method`, `noise_level`, `series`, `runs`, `low`, `value`, `high`, as in `srlib.judging.noise`.
    metric : str
        What `value` is.
    """

    numbers: pd.DataFrame
    metric: str

    about = "One panel per method: its quality against the noise level"
    described = ("value",)

    @classmethod
    def from_sensitivity(
        cls, sensitivity: Any, group: str = "", ranking: pd.DataFrame | None = None
    ) -> "NoiseDisplay":
        """Take one group of datasets of a `srlib.judging.noise.Sensitivity`, or the mean over all.

        With a ranking, such as `noise_answer` makes, the methods stand in its order.
        """
        rows = sensitivity.across
        if group:
            rows = sensitivity.quality[sensitivity.quality["group"] == group].drop(columns="group")
        display = cls(rows.reset_index(drop=True), sensitivity.metric)
        return display if ranking is None else display.with_methods(ranking["method"])

    @property
    def methods(self) -> list[str]:
        """All methods, without the truth."""
        return [name for name in super().methods if name != TRUTH]

    @property
    def all_panels(self) -> list[str]:
        """The methods."""
        return self.methods

    def _axes(self, width: str, panels: list[str]) -> list[Any]:
        return new_panels(width, len(panels), 1.4, sharex=True, sharey=True)

    def _draw(self, canvas: Canvas) -> None:
        numbers, y = self.numbers.copy(), QUALITY_NAMES[self.metric]
        if self.metric == "r2_test" and numbers["value"].min() < LOWEST:
            sides = ["low", "value", "high"]
            numbers[sides] = numbers[sides].clip(lower=LOWEST)
            y += f" ({LOWEST} or below at the edge)"
        most_runs = numbers.groupby("noise_level")["runs"].transform("max")
        failed = numbers[numbers["runs"] < most_runs]
        values = numbers.pivot_table("value", "noise_level", "method", dropna=False)
        for method, axes in canvas.axes.items():
            own, mark = numbers[numbers["method"] == method], look(method)
            axes.plot(values[self.methods], color="#cfd6dc", lw=0.7, label="other methods")
            if TRUTH in values:
                axes.plot(values[TRUTH], color=INK, lw=1, ls="--", label="the truth (ceiling)")
            axes.fill_between(own["noise_level"], own["low"], own["high"], color=mark["color"],
                              alpha=0.2, lw=0, label="middle half of the runs")  # fmt: skip
            axes.plot(values[method], **mark, ms=3.2, mew=0, lw=1.4, label="the method")
            own = failed[failed["method"] == method]
            axes.plot(
                own["noise_level"], own["value"], "x", ms=7, color=INK, label="some runs failed"
            )
            axes.xaxis.get_major_locator().set_params(nbins=3)
            axes.set_title(label(method))
        canvas.name_axes("noise level", y)
        canvas.legend()


def noise_answer(sensitivity: Any, action: str) -> tuple[str, pd.DataFrame]:
    """Say who comes closest to the truth's own curve, and who is least sensitive to noise; rank all methods.

    Who is bad at every level has nothing to lose and is not sensitive: the distance from the truth decides. Where the
    truth's own quality is not known, sensitivity decides, among those that the guard does not find.

    Parameters
    ----------
    sensitivity : srlib.judging.noise.Sensitivity
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
    means, place = dict.fromkeys(["distance", "sensitivity"], "mean"), f"place_{action}"
    ranking = sensitivity.overall.groupby("method", as_index=False).agg(
        means | {place: "mean", "guarded": "all", "missing": "sum"}
    )
    distance_known = ranking["distance"].notna().all()
    ranking["score"], order = ranking["sensitivity"], ranking[place]
    if distance_known:
        ranking["score"], order = ranking["distance"], ranking["distance"].round(9)
    # who lacks fewer levels is first
    order = order.rank(method="dense") + ranking["missing"] * len(ranking)
    ranking["rank"] = order.rank(method="min").astype("int64")
    ranking = ranking.sort_values(["rank", "method"], ignore_index=True)
    metric, guarded = QUALITY_NAMES[sensitivity.metric], ranking["guarded"]
    able = ranking if guarded.all() else ranking[~guarded]
    calm = able[able[place] == able[place].min()].sort_values("method")
    ends = sorted({f"{value:.3f}" for value in calm["sensitivity"].agg(["min", "max"])}, key=float)
    size = f"{' to '.join(ends)} in {metric} per unit of noise"
    truth = sensitivity.pairs.loc[sensitivity.pairs["method"] == TRUTH, "sensitivity"].mean()
    if pd.notna(truth):
        size += f"; for the truth itself it is {truth:.3f}"
    calmest = listed(calm["method"].tolist(), 3)
    all_calm = len(calm) == len(ranking) > 1
    if all_calm:
        calmest = f"nobody, all {len(calm)} methods share the place"
    sentence = f"Least sensitive to noise: {calmest}, {size}."
    if distance_known:
        best = ranking.loc[ranking["rank"] == 1, "method"].tolist()
        sentence = (
            f"{listed(best, 3)}: closest to what the truth itself reaches, "
            f"{ranking['score'].iloc[0]:.3f} away in {metric} on average over the noise levels. {sentence}"
        )
    elif not all_calm:
        sentence = f"{calmest}: least sensitive to noise, {size}."
    sentence += f" The guard finds {guarded.sum()} of {len(ranking)} methods bad at every level."
    return sentence, ranking[["method", "score", "sensitivity", "guarded", "rank"]]
