"""Sheet about one model for experts, who are not told the method (figure 10 of a competition's results)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from srlib.assessing import as_written
from srlib.displays.figures.display import Canvas, Display
from srlib.displays.styling import COLOURS, DASHES, GREY, INK, PALE, label
from srlib.expressions import Expression, evaluate
from srlib.problems import Problem, partitions

PERCENTILES = np.linspace(5, 95, 19)  # of a feature's test values
MOST_LINES = 6
PANEL_TITLES = ["Prediction of each row", "Residuals", "What each feature does"]
MOST_VECTOR_ROWS = 1000  # more rows are a picture in PDF and SVG


@dataclass(kw_only=True)
class SheetDisplay(Display):
    """Predictions ordered by true value, residuals, and the effect of each feature on the mean prediction.

    Training rows are paler than test rows: a model that is much closer to them has learnt them by heart.

    Parameters
    ----------
    numbers : pandas.DataFrame
        `rows` (training or test), `true` and `predicted` for each row, ordered by `true`.
    influence : pandas.DataFrame
        Partial dependence, percentiles x features, the feature with the largest effect first: mean prediction over the
        test rows when the feature has this percentile of its test values in all rows, centred by feature.

    Examples
    --------
    >>> numbers = pd.DataFrame({"rows": "test", "true": [1.0, 2.0], "predicted": [1.5, 2.0]})
    >>> SheetDisplay(numbers=numbers, influence=pd.DataFrame({"x": [-1.0, 1.0]})).alt
    'Prediction of 2 test rows: ... How far each feature moves the mean prediction: x 2.'
    """

    numbers: pd.DataFrame
    influence: pd.DataFrame

    height = 1.4
    layout = {"across": 1}

    @classmethod
    def from_model(
        cls, model: Expression, problem: Problem, data_seed: int | None
    ) -> "SheetDisplay | None":
        """Predict the rows of a problem by a model; return None if the problem has no data."""
        data = partitions(problem, data_seed)
        if data is None:
            return None
        X, rows = data.test.X, len(data.test.y)
        columns = dict(zip(data.features, X.T, strict=True))
        numbers = []
        for name, part in (("training", data.train), ("test", data.test)):
            if part is not None:
                values = evaluate(
                    model, dict(zip(data.features, part.X.T, strict=True)), len(part.y)
                )
                numbers.append(pd.DataFrame({"rows": name, "true": part.y, "predicted": values}))
        numbers = pd.concat(numbers).sort_values("true", kind="stable", ignore_index=True)
        influence = pd.DataFrame(index=pd.Index(PERCENTILES, name="percentile"), dtype="float64")
        for name in sorted(model.features):
            levels = np.percentile(columns[name], PERCENTILES)
            predictions = [
                evaluate(model, columns | {name: np.full(rows, x)}, rows) for x in levels
            ]
            influence[name] = np.mean(predictions, axis=1)
        order = np.ptp(influence, axis=0).sort_values(ascending=False, kind="stable").index
        return cls(numbers=numbers, influence=(influence - influence.mean())[order])

    @classmethod
    def from_run(cls, run: Mapping[str, Any], problem: Problem) -> "SheetDisplay | None":
        """Predict the rows of a run's repetition by the run's model, as the method wrote it; None without data."""
        seed = problem.data_seed(int(run["repetition"]))
        return cls.from_model(as_written(run, problem), problem, seed)

    @property
    def alt(self) -> str:
        """Description of the figure in words."""
        test = self.numbers[self.numbers["rows"] == "test"]
        residual = test["true"] - test["predicted"]
        moves = ", ".join(
            f"{label(str(name))} {np.ptp(curve):.3g}"
            for name, curve in list(self.influence.items())[:MOST_LINES]
        )
        return (
            f"Prediction of {len(residual)} test rows: the residuals lie between {residual.min():.3g} and "
            f"{residual.max():.3g}. How far each feature moves the mean prediction: {moves or 'none does'}."
        )

    @property
    def panels(self) -> list[str]:
        """Titles of the three panels."""
        return PANEL_TITLES

    def _draw(self, canvas: Canvas) -> None:
        many = len(self.numbers) > MOST_VECTOR_ROWS
        points: dict[str, Any] = {
            "marker": "x",
            "ms": 3,
            "mew": 0.8,
            "ls": "none",
            "rasterized": many,
        }
        order, residuals, moves = canvas.grid
        order.plot(self.numbers["true"], color=GREY, lw=2, label="true")
        residuals.axhline(0, color=INK, lw=0.8)
        for name, colour in (("training", PALE), ("test", COLOURS[1])):
            part = self.numbers[self.numbers["rows"] == name]
            mark = points | {"color": colour, "label": f"predicted, {name}"}
            order.plot(part["predicted"], **mark)
            residuals.plot(part["predicted"], part["true"] - part["predicted"], **mark)
        order.set_xlabel("rows, by true value")
        residuals.set(xlabel="predicted", ylabel="true - predicted")
        influences = self.influence.iloc[:, :MOST_LINES]
        for colour, line_style, name in zip(COLOURS, DASHES * 2, influences, strict=False):
            moves.plot(influences[name], ls=line_style, color=colour, label=label(str(name)))
        moves.set(xlabel="percentile of the feature", ylabel="prediction moves by")
        if len(influences.columns):
            moves.legend(loc="center left", bbox_to_anchor=(1, 0.5))
        for name, axes in canvas.axes.items():
            axes.set_title(name)
