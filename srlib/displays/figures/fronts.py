"""The fronts of all methods on one dataset: error against size, what was chosen, and what was in hand and was not."""

from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib.ticker import NullLocator

from srlib.assessing.fronts import marked
from srlib.assessing.tasks import OPERATIONS
from srlib.displays.figures.display import Canvas, Display
from srlib.displays.figures.multiples import all_once, small_multiples
from srlib.displays.styling import COLOURS, INK, MUTED, PANELS, label, left_out, pt
from srlib.errors import ModelTextError
from srlib.expressions import count_text, parse
from srlib.rules import Measure
from srlib.words import in_short, listed

RUN = ["method", "repetition"]
LEAST = 1e-6  # smaller errors are drawn as this one
WORK = 50_000  # objects of sympy for the truth, which is not simplified

MISSED: dict[str, Any] = {"marker": "*", "ms": 9, "color": COLOURS[1], "mec": "white", "zorder": 4}


@dataclass
class FrontsDisplay(Display):
    """A panel for each method: the models of its runs, each front joined, the chosen ones filled.

    Parameters
    ----------
    numbers : pandas.DataFrame
        `method`, `repetition`, `candidate`, `components`, `error` (1 - test R2, between 0 and 1), and whether the model
        is `chosen`, a `solution`, `nondominated` in its run, or `missed`: a solution of a run that chose none.
    truth : int or None
        Components of the truth as it is written.
    known : bool
        Whether there is a truth.
    """

    numbers: pd.DataFrame
    truth: int | None = None
    known: bool = True

    @classmethod
    def from_judgement(cls, judgement: Any, dataset: str) -> "FrontsDisplay | None":
        """Take the models of a dataset, methods in the order of the ranking; None where runs have one model each."""
        if judgement.screened.fronts is None:
            return None
        rows = judgement.given[judgement.given["dataset"] == dataset]
        rows = rows.assign(**marked(rows))
        error = 1 - rows["r2_test"].astype("float64").clip(0, 1)
        rows = rows.assign(
            error=error, components=rows["complexity"].fillna(rows["complexity_raw"])
        )
        rows = rows.dropna(subset=["error", "components"])
        order = {name: place for place, name in enumerate(judgement.ranking["method"])}
        rows = rows[rows["method"].isin(list(order))].assign(place=rows["method"].map(order))
        rows = rows.sort_values(["place", "repetition", "candidate"], ignore_index=True)
        columns = ["method", "repetition", "candidate", "components", "error"]
        flags = ["chosen", "solution", "nondominated", "missed"]
        problem = judgement.screened.problems[dataset]
        size = None
        if problem.known_truth is not None:
            size = _size(problem.known_truth, problem.features, judgement.rules.measure)
        known = bool(rows["solution_kind"].notna().any())
        if rows.empty:
            return None
        return cls(rows[[*columns, *flags]], size, known)

    @property
    def sentence(self) -> str:
        """Who had the truth in hand and did not pick it, and in how many runs."""
        runs = self.numbers.drop_duplicates(RUN).groupby("method").size().to_dict()
        if not self.known:
            return "The truth is not known here."
        if not self.numbers["solution"].any():
            return "Nobody had it in hand."
        missed = self.numbers[self.numbers["missed"]].drop_duplicates(RUN)
        counts = missed.groupby("method", sort=False).size()
        if not len(counts):
            return "Whoever had it in hand picked it."
        said = [f"{label(str(name))} ({n} of {runs[name]} runs)" for name, n in counts.items()]
        return f"Had it in hand and did not pick it: {listed(said, PANELS)}."

    @property
    def left_out(self) -> str:
        """Say how many of very many methods are drawn."""
        return left_out(self.numbers["method"].unique(), "methods")

    @property
    def alt(self) -> str:
        """What the figure shows, in words."""
        best = self.numbers[self.numbers["nondominated"]].groupby("method", sort=False)
        said = [
            f"{label(str(name))}: {len(part)} models on its fronts, {part['components'].min():g} to "
            f"{part['components'].max():g} components, least error {part['error'].min():.3g}"
            for name, part in best
        ]
        return f"Error against components. {in_short(said, 'methods')}. {self.sentence}"

    @property
    def panels(self) -> list[str]:
        """The methods that are drawn."""
        return self.methods[:PANELS]

    def _axes(self, width: str, panels: list[str]) -> list[Any]:
        return small_multiples(width, len(panels), 1.5)

    def _draw(self, canvas: Canvas) -> None:
        for name, axes in canvas.axes.items():
            self._panel(axes, self.numbers[self.numbers["method"] == name])
            axes.set_title(label(name, 18), fontsize=pt(6.5), fontweight="normal")
        keys = all_once(canvas.grid)
        canvas.legend(keys.values(), keys, 4, above=True)
        canvas.name_axes("components", "error (1 - test R²)")

    def _panel(self, axes: Any, rows: pd.DataFrame) -> None:
        rows = rows.assign(
            error=rows["error"].clip(lower=LEAST), components=rows["components"].astype(float)
        )
        for _, run in rows[rows["nondominated"]].groupby("repetition"):
            run = run.sort_values("components")
            axes.plot(run["components"], run["error"], color=MUTED, linewidth=0.6, zorder=1)
        open_: Any = {
            "marker": "o",
            "ms": 3,
            "mfc": "white",
            "mew": 0.7,
            "color": MUTED,
            "zorder": 2,
        }
        marks: dict[str, tuple[pd.Series, dict[str, Any]]] = {
            "model": (~rows["chosen"], open_),
            "chosen": (rows["chosen"], {"marker": "o", "ms": 4.5, "color": INK, "zorder": 3}),
            "solution, not picked": (rows["missed"], MISSED),
        }
        for name, (which, how) in marks.items():
            own = rows[which]
            axes.plot(own["components"], own["error"], ls="none", label=name, **how)
        if self.truth is not None:
            axes.axvline(
                self.truth,
                color=COLOURS[2],
                linestyle="--",
                linewidth=0.9,
                zorder=0,
                label="size of the truth",
            )
        axes.set(xscale="log", yscale="log", ylim=(LEAST / 2, 2))
        axes.xaxis.set_major_formatter(lambda value, place: f"{value:g}")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_minor_locator(NullLocator())
        axes.tick_params(labelsize=pt(6), colors=MUTED)


def _size(truth: str, features: Any, measure: Measure) -> int | None:
    """Count the components of a truth as it is written; None where that takes too much work."""
    try:
        model = parse(truth, features)
    except ModelTextError:
        return None
    if measure.literal or measure.complexity == "text":
        return count_text(model)
    return OPERATIONS["count"](model, work=WORK).get("complexity")
