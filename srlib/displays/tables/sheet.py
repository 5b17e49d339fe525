"""Figure 10 of a competition's results: how one model predicts, as an expert sees it; no method is named."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from srlib.assessing import as_written
from srlib.displays.figures.display import Canvas, Display
from srlib.displays.styling import COLOURS, DASHES, GRID, INK, MUTED, label, new_figure
from srlib.expressions import Expression, evaluate
from srlib.problems import Problem, partitions

STEPS = np.linspace(5, 95, 19)  # percentiles
LINES = 6
PANELS = [
    "Prediction of the test rows",
    "Predicted against true",
    "Residuals",
    "What each feature does",
]


@dataclass
class SheetDisplay(Display):
    """Prediction in order, predicted against true, residuals, and what each feature does to the prediction.

    Parameters
    ----------
    numbers : pandas.DataFrame
        A row for each test row, by target: `position`, `true`, `predicted`.
    influence : pandas.DataFrame
        Percentiles of the features x features, the most moving first: the mean prediction over the test rows when a
        feature is set to that percentile of its test values and the others stay, less the mean of that curve.
    """

    numbers: pd.DataFrame
    influence: pd.DataFrame

    @classmethod
    def from_model(
        cls, model: Expression, problem: Problem, data_seed: int | None
    ) -> "SheetDisplay | None":
        """Predict the test rows of a problem; None where it has no data."""
        data = partitions(problem, data_seed)
        if data is None:
            return None
        X, rows = data.test.X, len(data.test.y)
        columns = dict(zip(data.features, X.T, strict=True))
        numbers = pd.DataFrame({"true": data.test.y, "predicted": evaluate(model, columns, rows)})
        numbers = numbers.sort_values("true", kind="stable").assign(position=np.arange(1, rows + 1))
        curves = {
            name: [
                np.mean(evaluate(model, columns | {name: np.full(rows, at)}, rows)) for at in levels
            ]
            for name in sorted(model.features)
            for levels in [np.percentile(columns[name], STEPS)]
        }
        influence = pd.DataFrame(curves, index=pd.Index(STEPS, name="percentile"), dtype="float64")
        influence = influence[
            np.ptp(influence, axis=0).sort_values(ascending=False, kind="stable").index
        ]
        return cls(numbers.reset_index(drop=True), influence - influence.mean())

    @classmethod
    def from_run(cls, run: Mapping[str, Any], problem: Problem) -> "SheetDisplay | None":
        """Predict the test rows of a run's repetition by its model as the method wrote it."""
        seed = problem.data_seed(int(run["repetition"]))
        return cls.from_model(as_written(run, problem), problem, seed)

    @property
    def alt(self) -> str:
        """What the figure shows, in words."""
        residual = self.numbers["true"] - self.numbers["predicted"]
        moves = ", ".join(
            f"{label(str(name))} {np.ptp(curve):.3g}"
            for name, curve in list(self.influence.items())[:LINES]
        )
        return (
            f"Prediction of {len(residual)} test rows: the residuals lie between {residual.min():.3g} and "
            f"{residual.max():.3g}, half of them between {residual.quantile(0.25):.3g} and "
            f"{residual.quantile(0.75):.3g}. How far each feature moves the mean prediction: {moves or 'none does'}."
        )

    @property
    def panels(self) -> list[str]:
        """What is drawn of the model."""
        return PANELS

    def _axes(self, width: str, panels: list[str]) -> list[Any]:
        figure = new_figure(width, 4.6 if width == "page" else 6.6)
        return list(figure.subplot_mosaic("AA;BC;DD" if width == "page" else "A;B;C;D").values())

    def _draw(self, canvas: Canvas) -> None:
        x, true, predicted = self.numbers[["position", "true", "predicted"]].to_numpy().T
        points: dict[str, Any] = {"marker": ".", "ms": 3, "ls": "none"}
        for name, axes in canvas.axes.items():
            axes.set_title(name)
            axes.grid(True, color=GRID)
        order, cross, residuals, moves = canvas.grid
        order.plot(x, true, **points, color=MUTED, label="true")
        model_points = points | {"marker": "x", "mew": 0.8}  # told apart in grey, too
        order.plot(x, predicted, **model_points, color=COLOURS[1], label="predicted")
        order.set_xlabel("test rows, by true value")
        order.legend(loc="best", ncols=2)
        cross.axline((np.median(true), np.median(true)), slope=1, color=INK, lw=0.8)
        cross.plot(predicted, true, **points, color=COLOURS[0])
        cross.set(xlabel="predicted", ylabel="true")
        residuals.axhline(0, color=INK, lw=0.8)
        residuals.plot(predicted, true - predicted, **points, color=COLOURS[0])
        residuals.set(xlabel="predicted", ylabel="true - predicted")
        influences = self.influence.iloc[:, :LINES]
        for colour, dashes, name in zip(COLOURS, DASHES * 2, influences, strict=False):
            moves.plot(STEPS, influences[name], ls=dashes, color=colour, label=label(str(name)))
        moves.set(xlabel="percentile of the feature", ylabel="prediction moves by")
        if len(influences.columns):
            moves.legend(loc="center left", bbox_to_anchor=(1, 0.5))
