"""Strip of the final scores for the first screen and for talks: every method, and why some have no place."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
import pandas as pd

from srlib.displays.figures.display import Canvas
from srlib.displays.figures.dots import MethodRows
from srlib.displays.styling import GREY, Style, label, labels, look
from srlib.displays.tables.aspects import final_ranking
from srlib.judging import Judgement
from srlib.judging.robustness import SURE_SHARE, Certainty
from srlib.prose import Statement, first_of, listed, state


@dataclass(kw_only=True)
class StripDisplay(MethodRows):
    """Final score of each method with its 95% range in re-drawn competitions; grey names have no place, and a reason.

    Its title names the winner and the places that are open. Groups of the suite's labels stand at the right.

    Parameters
    ----------
    numbers : pandas.DataFrame
        `method`, `value`, `low`, `high` (missing if nothing was drawn) and `reason` (why the method has no place and no
        point; else empty); the best method first, those without a place last.
    open_places : sequence of int, optional
        Places that are open: the method has it in less than 95% of the re-draws, or not under every reading of the
        rules. None: unknown.

    Examples
    --------
    >>> table = pd.DataFrame({"method": list("ABC"), "value": [3, 2, None], "reason": ["", "", "not qualified"]})
    >>> strip = StripDisplay(numbers=table.assign(low=1, high=4), open_places=[2])
    >>> strip.finding
    'A leads; open places: 2.'
    >>> strip.alt
    'A leads; ...: A 3 (1 to 4); B 2 (1 to 4); C not qualified.'
    """

    numbers: pd.DataFrame
    open_places: Sequence[int] | None = None

    height = 0.1
    row_height = 0.17
    about = "Final scores, one row per method, the best on top; higher is better"
    subject = "final score"
    alt_columns = ("value",)
    reorderable = False  # the order is the ranking
    for_talks = True

    @classmethod
    def from_judgement(
        cls, judgement: Judgement, certainty: Certainty | None = None
    ) -> "StripDisplay":
        """Show the rows of `final_ranking`, with the ranges and open places of the certainty."""
        ranges, open_places = pd.DataFrame({"low": [], "high": []}), None
        if certainty is not None:
            ranges = certainty.scores.quantile([0.025, 0.975]).T.set_axis(ranges.columns, axis=1)
            table = certainty.places
            is_sure = table["p_rank"].ge(SURE_SHARE) & table["reading_low"].eq(
                table["reading_high"]
            )
            open_places = sorted({int(place) for place in table["rank"][~is_sure]})
        ranking = final_ranking(judgement).frame
        baseline = judgement.rules.judge.qualification.baseline
        reason = ranking.get("below the line", pd.Series("", ranking.index)).mask(
            lambda reasons: (ranking["method"] == baseline) & (reasons == "not qualified"),
            "baseline of the qualification",
        )
        numbers = ranking[["method", "score"]].rename(columns={"score": "value"})
        numbers = numbers.assign(reason=reason).join(ranges, on="method")
        return cls(numbers=numbers, open_places=open_places)

    @property
    def finding(self) -> Statement:
        """Sentence that says who leads, and which places are open."""
        ranked, places = self.numbers[self.numbers["reason"] == ""], self.open_places
        best = labels(ranked["method"][ranked["value"] == ranked["value"].max()])
        template = "{best} leads" if len(best) == 1 else "{best} lead"
        if places is not None and len(ranked) > 1:
            template += "; open places: {places}" if places else "; every place is decided"
        open_places = listed(list(map(str, places or ())), 6)
        return state("finding", f"{template}.", best=listed(best, 3), places=open_places)

    @property
    def alt(self) -> str:
        """Description of the figure in words: scores with their ranges, and why a method has no place."""
        rows: Any = self.numbers.to_dict("records")
        texts = [f"{label(row['method'])} {row['reason'] or self._describe(row)}" for row in rows]
        return f"{self.finding} {self.about}: {first_of(texts)}."

    def _draw(self, canvas: Canvas) -> None:
        (axes,) = canvas.grid
        ink, best = mpl.rcParams["text.color"], self.numbers["value"].max()
        words: Any = {"va": "center", "size": "small", "transform": axes.get_yaxis_transform()}
        for place, row in enumerate(self.numbers.to_dict("records")):
            axes.text(1.01, place, Style.current.groups.get(row["method"], ""), color=GREY, **words)
            axes.text(0.01, place, row["reason"], color=GREY, **words)
            if not row["reason"]:
                axes.hlines(place, row["low"], row["high"], color=ink, lw=1)
                size = 9 if row["value"] == best else 6
                axes.plot(row["value"], place, **look(row["method"]), ms=size, mec=ink, mew=0.4)
        ranges = "; line: 95% of re-drawn competitions" if self.numbers["low"].any() else ""
        self._label_rows(axes, "", f"final score, higher is better{ranges}")
        axes.grid(visible=False, axis="y")  # lines would strike reasons through
        axes.grid(axis="x", color=mpl.rcParams["grid.color"])
        for text, reason in zip(axes.get_yticklabels(), self.numbers["reason"], strict=True):
            text.set_color(GREY if reason else ink)
