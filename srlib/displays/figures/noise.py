"""Figure of each method's test R2 against the noise level, and a sentence with the result."""

from dataclasses import dataclass

import pandas as pd

from srlib.displays.figures.display import Canvas, Display
from srlib.displays.styling import INK, label, look
from srlib.displays.tables.table import text_of
from srlib.judging.noise import NoiseSensitivity
from srlib.prose import Statement, listed, state
from srlib.readers.row_checks import THE_TRUTH

LOWEST_R2 = -0.25  # lower test R² is drawn at this value


@dataclass(kw_only=True)
class NoiseDisplay(Display):
    """Test R2 against the noise level, a panel for each method.

    A panel shows the method's line and the quartiles of its runs, marks levels with failed runs, and shows the
    truth and the other methods (grey). Only the first twelve methods have a panel.

    Parameters
    ----------
    numbers : pandas.DataFrame
        Rows of `levels` of a `srlib.judging.noise.NoiseSensitivity`, without those of the truth.
    truth : pandas.Series
        Test R2 of the truth at the noise levels at which it is known; may be empty.

    Examples
    --------
    >>> from srlib import Competition
    >>> from srlib.judging.noise import compare_noise_levels
    >>> noise = compare_noise_levels(Competition.read("demo", "synthetic-2022").judge())
    >>> NoiseDisplay.from_sensitivity(noise).panel_by
    'method'
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
        """Create the figure from a noise analysis, with methods in the order of their ranks."""
        levels = sensitivity.levels
        truth = levels[levels["method"] == THE_TRUTH].set_index("noise_level")["value"]
        return cls(numbers=levels, truth=truth).with_methods(sensitivity.overall["method"])

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


def describe_noise(sensitivity: NoiseSensitivity) -> Statement:
    """Return sentences that name the method closest to the truth's curve and the one least sensitive to noise.

    The distance from the truth comes first, because a method that is bad at all levels has a low sensitivity. If the
    truth's accuracy is unknown, only the sensitivity is stated.

    Examples
    --------
    >>> from srlib import Competition
    >>> from srlib.judging.noise import compare_noise_levels
    >>> describe_noise(compare_noise_levels(Competition.read("demo", "synthetic-2022").judge()))
    '...: closest to what the truth itself reaches, ...'
    """
    table, values, template = sensitivity.overall, dict[str, object](), ""
    if table["distance"].notna().any():
        best = table[table["rank"] == 1]
        template = (
            "{nearest}: closest to what the truth itself reaches, {distance} away in test R² on average over the noise "
            "levels. "
        )
        values["nearest"] = listed(best["method"].tolist(), 3)
        values["distance"] = text_of(best["distance"].iloc[0])
    measured = table.dropna(subset="sensitivity")
    comparable = measured if measured["guarded"].all() else measured[~measured["guarded"]]
    rounded = comparable["sensitivity"].round(9)
    least_sensitive = comparable[rounded == rounded.min()]
    if least_sensitive.empty:
        template += "Nobody's sensitivity is known: it needs runs at two noise levels of a dataset."
    else:
        template += "Least sensitive to noise: "
        if len(least_sensitive) == len(table) > 1:
            template += "nobody, all {level} methods are level"
        else:
            template += "{least_sensitive}"
        template += ", {sensitivity} in test R² per unit of noise."
        values["level"] = len(least_sensitive)
        values["least_sensitive"] = listed(least_sensitive["method"].tolist(), 3)
        values["sensitivity"] = text_of(least_sensitive["sensitivity"].iloc[0])
    values |= {"guarded": table["guarded"].sum(), "methods": table["sensitivity"].count()}
    count = "{guarded} of {methods} methods are" if values["guarded"] else "No method is"
    template += f" {count} too inaccurate at every level to be compared."
    return state("verdict", template, **values)
