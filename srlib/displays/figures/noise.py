"""What noise does to each method: a metric against the noise level, and the answer in words."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.patches import Patch

from srlib.displays.figures.display import Canvas, Display, key
from srlib.displays.figures.multiples import all_once, small_multiples
from srlib.displays.looks import look
from srlib.displays.styling import INK, MUTED, PANELS, label
from srlib.displays.tables.noise_groups import groups_led
from srlib.judging.noise_measures import TRUTH
from srlib.prose import listed

OWN = "the method, in its colour"
QUALITY_NAMES = {"r2_test": "test R²", "complexity": "components", "solution": "share of symbolic solutions",
         "accuracy_solution": "share with R² above 0.999"}  # fmt: skip
LOWEST = -0.25  # test R² that a panel shows


@dataclass
class NoiseDisplay(Display):
    """One panel a method: its line and the quartiles of its runs, the other methods in grey, the truth dashed.

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

    @classmethod
    def from_sensitivity(
        cls, sensitivity: Any, group: str = "", ranking: pd.DataFrame | None = None
    ) -> "NoiseDisplay":
        """Take one group of datasets of a `srlib.judging.noise.Sensitivity`, or the mean over all.

        With a ranking, such as `noise_answer` makes, more methods than are drawn stand in its order; in one group the
        closest to the truth there stand first.
        """
        rows = sensitivity.across
        if group:
            rows = sensitivity.quality[sensitivity.quality["group"] == group]
            rows = rows.drop(columns="group")
        shown = cls(rows.reset_index(drop=True), sensitivity.metric)
        if ranking is None or len(shown.methods) <= PANELS:
            return shown
        own = sensitivity.overall[sensitivity.overall["group"] == group].dropna(subset="distance")
        nearest = own.sort_values(["missing", "distance"], kind="stable")["method"]
        names = [TRUTH, *nearest, *ranking["method"], *shown.methods]
        return shown._sorted({name: place for place, name in reversed(list(enumerate(names)))})

    @property
    def alt(self) -> str:
        """What the figure shows, in words."""
        ends = self.numbers.groupby("method", sort=False)["value"].agg(["first", "last"])
        ends = ends.head(PANELS)
        said = "; ".join(
            f"{label(str(row.Index))} {row.first:.3g} to {row.last:.3g}"
            for row in ends.itertuples()
        )
        return f"{QUALITY_NAMES[self.metric]} against the noise level, from the lowest level to the highest: {said}."

    @property
    def panels(self) -> list[str]:
        """The methods that are drawn: the first of those that are not 0 at every level."""
        return self._something[:PANELS]

    @property
    def _something(self) -> list[str]:
        nothing = set(self._nothing)
        return [name for name in self.methods if name not in nothing]

    @property
    def methods(self) -> list[str]:
        """All methods, without the truth."""
        return [str(m) for m in dict.fromkeys(self.numbers["method"]) if m != TRUTH]

    @property
    def _nothing(self) -> list[str]:
        rows = self.numbers.set_index("method")[["low", "value", "high"]]
        empty = rows.eq(0).all(axis=1).groupby(level=0).all()
        return [str(name) for name in self.methods if empty[name]]

    @property
    def left_out(self) -> str:
        """The methods that have no panel, and why."""
        said = []
        if (many := len(self._something)) > PANELS:
            said = [f"Panels of the first {PANELS} of {many} methods; the others are grey lines."]
        if self._nothing:
            said.append(f"Not drawn, since 0 at every level: {listed(self._nothing, PANELS)}.")
        most = self.numbers.groupby("method")["value"].max()
        below = [name for name in self.methods if most[name] < 1.5 * LOWEST]
        if self.metric == "r2_test" and below:
            said.append(f"Below the panels at every level: {listed(below, 5)}.")
        return " ".join(said)

    @property
    def instead(self) -> str:
        """What to say where nobody reaches anything."""
        if self.panels:
            return ""
        return f"{QUALITY_NAMES[self.metric]} is 0 at every level for every method."

    def _axes(self, width: str, panels: list[str]) -> list[Any]:
        return small_multiples(width, len(panels), 1.4)

    def _draw(self, canvas: Canvas) -> None:
        lines = {str(n): r.set_index("noise_level") for n, r in self.numbers.groupby("method")}
        shown = self.numbers[["low", "value", "high"]].to_numpy(float)
        low, high = 0.0, float(np.nanmax(shown))
        if self.metric == "r2_test":
            low = max(float(np.nanmin(shown)), LOWEST)
        room = 0.05 * ((high - low) or 1)
        gap = pd.Series([np.nan], index=[np.nan])
        # one line for all, with gaps: a line each for thirty methods in twelve panels is slow and large
        others = pd.concat([part for n in self._something for part in (lines[n]["value"], gap)])
        for method, axes in canvas.axes.items():
            axes.plot(others, color="#cfd6dc", lw=0.7, label="other methods")
            if TRUTH in lines:
                about = {"lw": 1, "ls": "--", "label": "the truth (ceiling)"}
                axes.plot(lines[TRUTH]["value"], color=INK, **about)
            own, mark = lines[method], look(method)
            axes.fill_between(own.index, own["low"], own["high"], color=mark["color"], alpha=0.2,
                              lw=0, label="middle half of the runs")  # fmt: skip
            axes.plot(own["value"], **mark, ms=3.2, mew=0, lw=1.4, label=OWN)
            axes.xaxis.get_major_locator().set_params(nbins=3)
            axes.set_title(label(method, 20))
            axes.set_ylim(low - room, high + room)
        keys = all_once(canvas.grid)
        keys[OWN] = key(ls="-", lw=1.4)
        keys["middle half of the runs"] = Patch(color=MUTED, alpha=0.25, lw=0)
        canvas.legend(keys.values(), keys, 4, above=True)
        canvas.name_axes("noise level (share of the variance)", QUALITY_NAMES[self.metric])


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
    place = f"place_{action}"
    methods = sensitivity.overall.groupby("method")
    ranking = methods[["distance", "sensitivity", place]].mean().rename(columns={place: "place"})
    ranking["guarded"], ranking["absent"] = methods["guarded"].all(), methods["absent"].any()
    ranking["missing"] = methods["missing"].sum()
    ranking = ranking.reset_index()
    metric = QUALITY_NAMES[sensitivity.metric]
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
    ends = sorted({f"{end:.3f}" for end in calm["sensitivity"].agg(["min", "max"])}, key=float)
    told = f"{' to '.join(ends)} in {metric} per unit of noise{beside}"
    calmest = listed(sorted(calm["method"]), 3)
    sentence = f"{calmest}: least sensitive to noise, {told}."
    if len(calm) == len(ranking) > 1:
        calmest = f"nobody, all {len(calm)} methods share the place"
        sentence = f"Least sensitive to noise: {calmest}, {told}."
    if near:
        best = ranking[ranking["rank"] == 1]
        sentence = (
            f"{listed(best['method'].tolist(), 3)}: closest to what the truth itself reaches, "
            f"{best['score'].iloc[0]:.3f} away in {metric} on average over the noise levels"
            f"{groups_led(sensitivity.overall, best['method'].tolist())}. "
            f"Least sensitive to noise: {calmest}, {told}."
        )
    lacking = ranking.loc[ranking["guarded"] & ranking["absent"], "method"]
    why = ""
    if len(lacking):
        why = f", {listed(lacking.tolist(), 5)} only because runs are absent"
    guard = f"The guard finds {ranking['guarded'].sum()} of {len(ranking)} methods bad at every level{why}."
    return f"{sentence} {guard}", ranking[["method", "score", "sensitivity", "guarded", "rank"]]
