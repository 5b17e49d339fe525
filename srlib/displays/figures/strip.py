"""Strip of the final scores for the first screen and for talks: every method, and why some have no place."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.colors import to_rgb

from srlib.displays.figures.display import Canvas
from srlib.displays.figures.dots import MethodRows
from srlib.displays.styling import GREY, Style, label, look
from srlib.judging import Judgement
from srlib.judging.robustness import SURE_SHARE, Certainty
from srlib.prose import first_of, listed
from srlib.readers.row_checks import NAMELESS


@dataclass(kw_only=True)
class StripDisplay(MethodRows):
    """Final score of each method with its 95% range in re-drawn competitions; grey names have no place, and a reason.

    Its title names the places that are undecided. Groups of the suite's labels stand at the right.

    Parameters
    ----------
    numbers : pandas.DataFrame
        `method`, `value`, `low`, `high` (missing if nothing was drawn) and `reason` (why the method has no place and no
        value; else empty); the best method first, those without a place last.
    open_places : sequence of int, optional
        Places that are undecided: the method has it in less than 95% of the re-draws, or not under every reading of the
        rules. None: unknown.

    Examples
    --------
    >>> from srlib import Competition
    >>> judgement = Competition.read("demo", "synthetic-2022", qualified="demo").judge()
    >>> strip = StripDisplay.from_judgement(judgement)
    >>> strip.methods[-1], strip.numbers["reason"].iloc[-1], strip.title
    ('gplearn', 'not qualified', 'Final score')
    """

    numbers: pd.DataFrame
    open_places: Sequence[int] | None = None

    about = "Final scores, one row per method, the best on top; higher is better"
    subject = "final score"
    alt_columns = ("value",)
    reorderable = False  # the order is the ranking
    for_talks = True

    @classmethod
    def from_judgement(
        cls, judgement: Judgement, certainty: Certainty | None = None
    ) -> "StripDisplay":
        """Show a ranking, with the ranges and open places of its certainty."""
        ranked = judgement.ranking.dropna(subset="rank").sort_values(["rank", "method"])
        numbers = ranked[["method", "score"]].rename(columns={"score": "value"}).assign(reason="")
        ranges, open_places = pd.DataFrame(columns=["low", "high"], dtype="float64"), None
        if certainty is not None:
            ranges = certainty.scores.quantile([0.025, 0.975]).T.set_axis(ranges.columns, axis=1)
            table = certainty.places
            is_sure = table["p_rank"].ge(SURE_SHARE) & table["reading_low"].eq(
                table["reading_high"]
            )
            open_places = sorted({int(place) for place in table["rank"][~is_sure]})
        screened = judgement.screened
        reasons = {
            judgement.rules.judge.qualification.baseline: "the baseline",
            **dict.fromkeys(sorted(screened.idle), "no usable run"),
        }
        unranked = {*judgement.assessments["method"]} - {*ranked["method"], NAMELESS}
        for name in sorted(unranked):
            default = "not qualified" if name in screened.barred else "no run on a scored dataset"
            numbers.loc[len(numbers)] = [name, np.nan, reasons.get(name, default)]
        return cls(numbers=numbers.join(ranges, on="method"), open_places=open_places)

    @property
    def title(self) -> str:
        """The title: which places are undecided.

        Examples
        --------
        >>> table = pd.DataFrame({"method": list("ABCDE"), "reason": ""})
        >>> StripDisplay(numbers=table, open_places=[1, 3, 4, 5]).title
        'Final score: places 1 and 3 to 5 undecided'
        """
        places = self.open_places
        if places is None or (self.numbers["reason"] == "").sum() < 2:
            return "Final score"
        runs = np.split(places, np.flatnonzero(np.diff(places) > 1) + 1)
        texts = [run if len(run) < 3 else [f"{run[0]} to {run[-1]}"] for run in runs]
        names = listed([str(text) for part in texts for text in part])
        noun = "place" if len(places) == 1 else "places"
        return f"Final score: {f'{noun} {names} undecided' if places else 'every place decided'}"

    @property
    def has_ranges(self) -> bool:
        """Whether competitions were drawn anew."""
        return bool(self.numbers["low"].notna().any())

    @property
    def alt(self) -> str:
        """Description of the figure in words: scores with their ranges, and why a method has no place."""
        score = "{value:.3g} ({low:.3g} to {high:.3g})" if self.has_ranges else "{value:.3g}"
        rows: Any = self.numbers.to_dict("records")
        texts = [f"{label(row['method'])} {row['reason'] or score.format(**row)}" for row in rows]
        return f"{self.title}. {self.about}: {first_of(texts)}."

    def _draw(self, canvas: Canvas) -> None:
        (axes,) = canvas.grid
        settings = mpl.rcParams
        grey = paler(GREY)
        words = {"color": grey, "va": "center", "size": "small"}
        words["transform"] = axes.get_yaxis_transform()
        for place, row in enumerate(self.numbers.to_dict("records")):
            axes.text(1.01, place, Style.current.groups.get(row["method"], ""), **words)
            axes.text(0.01, place, row["reason"], **words)
            if not row["reason"]:
                mark = look(row["method"])
                mark["color"] = paler(mark["color"])
                axes.hlines(place, row["low"], row["high"], color=mark["color"], lw=1.6, alpha=0.7)
                axes.plot(row["value"], place, **mark, ms=5.5, mec=settings["axes.facecolor"])
        x_label = "final score, higher is better"
        if self.has_ranges:
            x_label += "; line: 95% of re-drawn competitions"
        self._label_rows(axes, self.title, x_label)
        axes.grid(visible=False, axis="y")
        axes.grid(axis="x", color=settings["grid.color"])
        for text, reason in zip(axes.get_yticklabels(), self.numbers["reason"], strict=True):
            text.set_color(grey if reason else settings["text.color"])


def paler(colour: str) -> Any:
    """Return a colour as it is; half as dark where letters are white, so that it shows on a dark ground."""
    darkness = 1 - 0.5 * np.mean(to_rgb(mpl.rcParams["text.color"]))
    return 1 - (1 - np.array(to_rgb(colour))) * darkness
