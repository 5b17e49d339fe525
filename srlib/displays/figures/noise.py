"""Test R2 of each method against the noise level, and the answer in words."""

from dataclasses import dataclass

import pandas as pd

from srlib.displays.figures.display import Canvas, Display
from srlib.displays.styling import INK, label, look
from srlib.displays.tables.table import text_of
from srlib.judging.noise import NoiseSensitivity
from srlib.prose import listed
from srlib.readers.row_checks import THE_TRUTH

LOWEST_R2 = -0.25  # test R² below is drawn at the edge


@dataclass
class NoiseDisplay(Display):
    """One panel a method: its line, the quartiles of its runs, where runs failed, other methods in grey, the truth.

    Of more than twelve methods the first twelve have a panel; the others are grey lines.

    Parameters
    ----------
    numbers : pandas.DataFrame
        `levels` of a `srlib.judging.noise.NoiseSensitivity`, without the truth.
    truth : pandas.Series
        Test R2 of the truth itself at each noise level; may be empty.
    """

    numbers: pd.DataFrame
    truth: pd.Series

    panel_by = "method"
    about = "One panel per method: its test R² against the noise level"
    subject = "mean test R²"
    alt_columns = ("value",)
    height = 1.4
    layout = {"sharex": True, "sharey": True}

    @classmethod
    def from_sensitivity(cls, sensitivity: NoiseSensitivity) -> "NoiseDisplay":
        """Take the methods in the order of their ranks."""
        levels = sensitivity.levels
        truth = levels[levels["method"] == THE_TRUTH].set_index("noise_level")["value"]
        return cls(levels, truth).with_methods(sensitivity.overall["method"])

    def _draw(self, canvas: Canvas) -> None:
        numbers, sides = self.numbers.copy(), ["low", "value", "high"]
        numbers[sides] = numbers[sides].clip(lower=LOWEST_R2)
        most_runs = numbers.groupby("noise_level")["runs"].transform("max")
        values = numbers.pivot_table("value", "noise_level", "method", dropna=False)
        for method, axes in canvas.axes.items():
            is_method, mark = numbers["method"] == method, look(method)
            axes.plot(values, color="#cfd6dc", lw=0.7, label="other methods")
            axes.plot(self.truth, color=INK, lw=1, ls="--", label="the truth (ceiling)")
            band = numbers[is_method].set_index("noise_level")
            axes.fill_between(band.index, band["low"], band["high"], color=mark["color"],
                              alpha=0.2, lw=0, label="middle half of the runs")  # fmt: skip
            axes.plot(band["value"], **mark, ms=3.2, mew=0, lw=1.4, label="the method")
            failed = numbers[is_method & (numbers["runs"] < most_runs)]
            axes.plot(failed["noise_level"], failed["value"], "x", ms=7, color=INK,
                      label="some runs failed")  # fmt: skip
            axes.xaxis.get_major_locator().set_params(nbins=3)
            axes.set_title(label(method))
        canvas.name_axes("noise level", f"test R² (≥ {LOWEST_R2})")


def describe_noise(sensitivity: NoiseSensitivity) -> str:
    """Say who comes closest to the truth's own curve, and who is least sensitive to noise.

    The distance from the truth decides, because a method that is bad at every level is not sensitive. Where the truth's
    own accuracy is not known, sensitivity decides.
    """
    table = sensitivity.overall
    measured = table.dropna(subset="sensitivity")
    comparable = measured if measured["guarded"].all() else measured[~measured["guarded"]]
    least_sensitive = comparable[
        comparable["sensitivity"].round(9) == comparable["sensitivity"].round(9).min()
    ]
    sentence = "Nobody's sensitivity is known: it needs runs at two noise levels of a dataset."
    if len(least_sensitive):
        name = listed(least_sensitive["method"].tolist(), 3)
        if len(least_sensitive) == len(table) > 1:
            name = f"nobody, all {len(least_sensitive)} methods are level"
        size = f"{text_of(least_sensitive['sensitivity'].iloc[0])} in test R² per unit of noise"
        sentence = f"Least sensitive to noise: {name}, {size}."
    if table["distance"].notna().any():
        best = table[table["rank"] == 1]
        sentence = (
            f"{listed(best['method'].tolist(), 3)}: closest to what the truth itself reaches, "
            f"{text_of(best['distance'].iloc[0])} away in test R² on average over the noise levels. {sentence}"
        )
    guarded, total = table["guarded"].sum(), table["sensitivity"].count()
    count = f"{guarded} of {total} methods are" if guarded else "No method is"
    return f"{sentence} {count} too inaccurate at every level to be compared."
