"""The curve from component count to simplicity, with the methods of a judgement marked on it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from srlib.displays.figures.display import Canvas, Display, key
from srlib.displays.looks import look
from srlib.displays.styling import GRID, INK, MUTED, label, new_figure

TICKS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)


@dataclass
class SimplicityCurveDisplay(Display):
    """Simplicity = round(-log_base(components), digits); higher is simpler.

    Parameters
    ----------
    numbers : pandas.DataFrame
        A row for each method: `method`, `models`, `smallest`, `median` and `largest` component count after
        simplification, and `simplicity` of the median.
    base : float
        Base of the logarithm.
    digits : int
        Decimals that are kept.
    """

    numbers: pd.DataFrame
    base: float = 5.0
    digits: int = 1

    @classmethod
    def from_judgement(cls, judgement: Any) -> "SimplicityCurveDisplay | None":
        """Take base and digits from the rules and the counts from the assessments; None without a logarithm there."""
        aspects = judgement.rules.judge.aspects.values()
        aspect = next((aspect for aspect in aspects if aspect.transform == "neg_log"), None)
        if aspect is None:
            return None
        base, digits = aspect.base or np.e, 12 if aspect.digits is None else aspect.digits
        counts = judgement.assessments.dropna(subset=["complexity"])
        known = set(judgement.ranking["method"])
        counts = counts.assign(complexity=counts["complexity"].astype(float))[
            counts["method"].isin(known)
        ]
        numbers = (
            counts[counts["complexity"] > 0]
            .groupby("method")["complexity"]
            .agg(models="size", smallest="min", median="median", largest="max")
            .reset_index()
        )
        numbers["simplicity"] = simplicity(numbers["median"].to_numpy(), base, digits)
        return cls(numbers.sort_values(["median", "method"]).reset_index(drop=True), base, digits)

    @property
    def alt(self) -> str:
        """What the figure shows, in words."""
        parts = [
            f"{label(str(row.method))} at {row.median:g} components, simplicity {row.simplicity:g}"
            for row in self.numbers.itertuples()
        ]
        return (
            "A falling staircase: simplicity against the number of components on a logarithmic axis, "
            f"base {self.base:g}, decimals kept: {self.digits}. Median models: {'; '.join(parts)}."
        )

    @property
    def panels(self) -> list[str]:
        """The curve, and the methods below it."""
        return ["curve", "methods"]

    def _largest(self) -> float:
        return 1.25 * max(80.0, float(self.numbers["largest"].max()) if len(self.numbers) else 0.0)

    def _axes(self, width: str, panels: list[str]) -> list[Any]:
        tall = {"curve": 1.7, "methods": 0.15 + 0.19 * max(len(self.numbers), 2)}
        heights = [tall[name] for name in panels]
        figure = new_figure(width, sum(heights) + 0.85)
        grid = figure.subplots(len(panels), sharex=True, squeeze=False, height_ratios=heights)
        return list(grid.ravel())

    def _draw(self, canvas: Canvas) -> None:
        curve, ranges = canvas.axes.get("curve"), canvas.axes.get("methods")
        counts = np.unique(np.rint(np.geomspace(1, self._largest(), 2000)))
        if curve is not None:
            exact, scored = (simplicity(counts, self.base, digits) for digits in (12, self.digits))
            about = {"color": MUTED, "linewidth": 0.9, "linestyle": "--"}
            curve.plot(counts, exact, **about, label="before rounding")
            curve.step(counts, scored, where="mid", color=INK, label="as scored")
        for index, row in enumerate(self.numbers.itertuples()):
            own = look(str(row.method))
            mark: dict[str, Any] = {**own, "ms": 5.5, "mec": "white", "mew": 0.6}
            if curve is not None:
                curve.plot(row.median, row.simplicity, **mark, zorder=3)
            if ranges is not None:
                reach = {"linewidth": 3, "alpha": 0.4, "solid_capstyle": "butt"}
                ends = [row.smallest, row.largest]
                ranges.plot(ends, [index, index], color=own["color"], **reach)
                ranges.plot(row.median, index, **mark)
        for axes in canvas.grid:
            self._scale(axes, canvas.wide)
        if curve is not None:
            curve.set_ylabel("simplicity\n(higher is simpler)")
            curve.legend(loc="upper right")
        if ranges is not None:
            canvas.rows(ranges, self.methods)
            keys = [key(ms=5.5), key(marker="", ls="-", lw=3, alpha=0.4)]
            canvas.legend(keys, ["median model", "smallest to largest"], 2)
        canvas.grid[-1].set_xlabel("components of the simplified model\n(logarithmic)")

    def _scale(self, axes: Any, wide: bool) -> None:
        axes.set_xscale("log")
        ticks = [n for n in TICKS if n <= self._largest() and (wide or str(n)[0] == "1")]
        axes.set_xticks(ticks, [f"{n:,}" for n in ticks])
        axes.minorticks_off()
        axes.grid(True, color=GRID)
        axes.tick_params(length=0)


def simplicity(components: np.ndarray, base: float = 5.0, digits: int = 1) -> np.ndarray:
    """Simplicity of component counts; source: judging criteria, simplicity.

    Parameters
    ----------
    components : ndarray
        Counts of operators, features and constants, at least 1.

    Examples
    --------
    >>> simplicity(np.array([1, 4, 5, 85, 90])).tolist()
    [0.0, -0.9, -1.0, -2.8, -2.8]
    """
    # no minus zero
    return np.round(-np.log(np.asarray(components, float)) / np.log(base), digits) + 0.0
