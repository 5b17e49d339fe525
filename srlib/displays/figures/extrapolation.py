"""Figure 8 of a competition's results: the best models' curves inside and outside the training region."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from srlib.assessing.reading import as_written
from srlib.displays.figures.display import Canvas, Display, key
from srlib.displays.figures.multiples import all_once, small_multiples
from srlib.displays.looks import look
from srlib.displays.styling import GRID, INK, PANELS, label, left_out
from srlib.displays.tables.models import best_models
from srlib.errors import InputError, ModelTextError
from srlib.expressions import Expression, evaluate
from srlib.problems import Problem, partitions
from srlib.prose import listed, minus_signs

POINTS = 600
BEST = "best model, in its method's colour"


@dataclass
class ExtrapolationDisplay(Display):
    """One panel a method: its best model over the whole range, the truth, the training rows and their borders.

    Parameters
    ----------
    numbers : pandas.DataFrame
        `method`, `repetition`, `r2_train`, `r2_test`, `r2_extrapolation` and `model`, as written; the truth first.
    curves : pandas.DataFrame
        The values of these models on an even grid, a column each; the index is the feature.
    train : ndarray, shape (rows, 2)
        Training rows of the first seed, x and y.
    """

    numbers: pd.DataFrame
    curves: pd.DataFrame
    train: np.ndarray

    @classmethod
    def from_judgement(cls, judgement: Any, dataset: str) -> "ExtrapolationDisplay | None":
        """Evaluate the best models on a dataset; None where it has no data or several features, and so no curve.

        Raises
        ------
        InputError
            When there is no such dataset.
        """
        problem = judgement.problems.find(dataset)
        if problem is None:
            names = listed([one.dataset for one in judgement.problems.problems], 20)
            raise InputError(f"curves: dataset {dataset!r} is not known; known: {names}")
        data = None
        if len(problem.features) == 1:
            data = partitions(problem, next(iter(problem.data_seeds), None))
        if data is None or data.train is None:
            return None
        parts = [part.X for part in (data.train, data.test, data.extrapolation) if part is not None]
        x = np.linspace(np.vstack(parts).min(), np.vstack(parts).max(), POINTS)
        runs = judgement.assessments[
            ["method", "dataset", "repetition", "r2_train", "r2_extrapolation"]
        ]
        best = best_models(judgement, dataset, written=True).assign(dataset=dataset)
        models = [_read(row, problem) for row in best.to_dict("records")]
        drawn = np.array([model is not None for model in models], dtype=bool)
        if not drawn.any():
            return None
        best = best[drawn]
        numbers = best.merge(runs, "left", ["method", "dataset", "repetition"])
        grid = {problem.features[0]: x}
        values = [evaluate(model, grid, POINTS) for model in models if model is not None]
        at = pd.Index(x, name=problem.features[0])
        curves = pd.DataFrame(
            np.column_stack(values), index=at, columns=pd.Index(numbers["method"])
        )
        columns = ["method", "repetition", "r2_train", "r2_test", "r2_extrapolation", "model"]
        return cls(numbers[columns], curves, np.column_stack([data.train.X[:, 0], data.train.y]))

    @property
    def alt(self) -> str:
        """What the figure shows, in words."""
        rows = self.numbers.dropna(subset="repetition").head(12).itertuples()
        said = "; ".join(
            f"{label(str(row.method))} {row.r2_train:.3g} and {row.r2_test:.3g}" for row in rows
        )
        return f"Curves of the best models, with the borders of the training region. Training and test R2: {said}."

    @property
    def panels(self) -> list[str]:
        """The methods, of very many the first; the truth has no panel of its own."""
        return self.methods[:PANELS]

    @property
    def left_out(self) -> str:
        """How many of very many methods are drawn; empty where all are."""
        return left_out(self.methods, "methods")

    @property
    def methods(self) -> list[str]:
        """The methods, in the order of the figure."""
        return [str(name) for name in self.numbers.dropna(subset="repetition")["method"]]

    @property
    def given(self) -> list[str]:
        """The feature."""
        return [str(self.curves.index.name)]

    def _axes(self, width: str, panels: list[str]) -> list[Any]:
        return small_multiples(width, len(panels), 1.35, across=3)

    def _draw(self, canvas: Canvas) -> None:
        x, y = self.train.T
        truths = self.numbers.loc[self.numbers["repetition"].isna(), "method"]
        low, high = y.min() - 0.6 * np.ptp(y), y.max() + 0.6 * np.ptp(y)
        for method, axes in canvas.axes.items():
            axes.axvspan(x.min(), x.max(), color=GRID, lw=0, zorder=0, label="training region")
            axes.plot(x, y, ".", ms=2, color="#9fb3c1", rasterized=True, label="training rows")
            for name in truths:
                axes.plot(self.curves[name], color=INK, lw=0.7, ls="--", label=name.strip("()"))
            axes.plot(self.curves[method], color=look(method)["color"], lw=1.4, label=BEST)
            axes.set_title(label(method, canvas.longest))
            axes.set_ylim(low, high)
        keys = all_once(canvas.grid)
        keys[BEST] = key(marker="", ls="-", lw=1.4)
        canvas.legend(keys.values(), keys, 4, above=True)
        across = str(self.curves.index.name or "x")
        canvas.name_axes(across, minus_signs(f"y, linear from {low:.3g} to {high:.3g}"))


def _read(row: dict[Any, Any], problem: Problem) -> Expression | None:
    """Read a model; None where its text cannot be read, and so has no curve."""
    try:
        return as_written(row, problem)
    except ModelTextError:
        return None
