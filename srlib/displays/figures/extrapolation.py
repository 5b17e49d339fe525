"""Figure 8 of a competition's results: the best models' curves inside and outside the training region."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from srlib.displays.figures.multiples import name_axes, small_multiples
from srlib.displays.styling import COLOURS, MUTED, label, style
from srlib.displays.tables.models import best_models
from srlib.errors import InputError, ModelTextError
from srlib.expressions import Expression, evaluate, parse
from srlib.problems import partitions
from srlib.words import listed

POINTS = 600


@dataclass
class ExtrapolationDisplay:
    """One panel a method: its best model over the whole range, the truth, the training rows and their borders.

    Parameters
    ----------
    numbers : pandas.DataFrame
        `method`, `repetition`, `r2_train`, `r2_test`, `r2_extrapolation` and `model`; the truth last.
    curves : pandas.DataFrame
        The values of these models on an even grid, a column each; the index is x.
    train : ndarray, shape (rows, 2)
        Training rows of the first seed, x and y.
    """

    numbers: pd.DataFrame
    curves: pd.DataFrame
    train: np.ndarray
    figure_: Figure | None = field(default=None, init=False, repr=False)

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
        best = best_models(judgement, dataset).assign(dataset=dataset)
        models = [_read(text, problem.features) for text in best["model"]]
        drawn = np.array([model is not None for model in models], dtype=bool)
        if not drawn.any():
            return None
        best = best[drawn]
        numbers = best.merge(runs, "left", ["method", "dataset", "repetition"])
        grid = {problem.features[0]: x}
        values = [evaluate(model, grid, POINTS) for model in models if model is not None]
        curves = pd.DataFrame(np.column_stack(values), index=x, columns=pd.Index(numbers["method"]))
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

    def plot(self, width: str = "page") -> "ExtrapolationDisplay":
        """Draw a panel for each method; a curve that leaves the panel leaves the range of the data."""
        own = self.numbers["repetition"].notna()
        x, y = self.train.T
        with style():
            grid = small_multiples(width, own.sum(), 1.35, across=3)
            for axes, method in zip(grid, self.numbers.loc[own, "method"], strict=True):
                axes.plot(x, y, ".", ms=2, color="#b3c5d3", rasterized=True, label="training rows")
                for name in self.numbers.loc[~own, "method"]:
                    axes.plot(
                        self.curves[name], color=MUTED, lw=0.8, ls="--", label=name.strip("()")
                    )
                axes.plot(self.curves[method], color=COLOURS[0], lw=1.1, label="best model")
                for border in (x.min(), x.max()):
                    axes.axvline(border, color=COLOURS[1], lw=0.9, label="training region")
                axes.set_title(label(method, 28 if width == "page" else 22))
                axes.set_ylim(y.min() - 0.6 * np.ptp(y), y.max() + 0.6 * np.ptp(y))
            name_axes(grid, "x", "y", across=4 if width == "page" else 2)
        self.figure_ = grid[0].figure
        return self


def _read(text: str, features: tuple[str, ...]) -> Expression | None:
    """Read a model; None where its text cannot be read, and so has no curve."""
    try:
        return parse(text, features)
    except ModelTextError:
        return None
