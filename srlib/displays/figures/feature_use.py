"""Which features the models of each method use, and which of them matter."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.patches import Rectangle

from srlib.displays.figures.display import Canvas, Display
from srlib.displays.figures.matrix import heat
from srlib.displays.styling import COLOURS, PANELS, label, left_out, new_figure, pt
from srlib.judging.properties import features


@dataclass
class FeatureUseDisplay(Display):
    """A heat map for each dataset: methods x features, share of the runs whose simplified model uses a feature.

    Parameters
    ----------
    numbers : pandas.DataFrame
        `dataset`, `method`, `runs`, and a column of shares for each feature; NaN where a dataset lacks it.
    relevant : dict of str to collection of str
        The features that matter, by dataset; they are outlined.
    """

    numbers: pd.DataFrame
    relevant: dict[str, frozenset[str]]

    @classmethod
    def from_judgement(cls, judgement: Any, name: str) -> "FeatureUseDisplay":
        """Count over the repetitions on each dataset of the property `name`."""
        runs = judgement.assessments.assign(used=features(judgement.assessments)).dropna(
            subset="used"
        )
        rows, known = (
            [],
            [problem for problem in judgement.problems.problems if problem.property == name],
        )
        for problem in known:
            here = runs[runs["dataset"] == problem.dataset]
            for method in judgement.ranking.dropna()["method"] if len(here) else ():
                sets = list(here.loc[here["method"] == method, "used"])
                shares = {
                    f: np.mean([f in used for used in sets]) if sets else np.nan
                    for f in problem.features
                }
                rows.append(
                    {"dataset": problem.dataset, "method": method, "runs": len(sets)} | shares
                )
        return cls(
            pd.DataFrame(rows),
            {problem.dataset: frozenset(problem.relevant or ()) for problem in known},
        )

    @property
    def alt(self) -> str:
        """What the figure shows, in words."""
        parts = []
        for dataset, rows in self.numbers.groupby("dataset", sort=False):
            mean = rows.iloc[:, 3:].mean().dropna()
            inside = mean.index.isin(list(self.relevant[str(dataset)]))
            shares = (
                f"{mean[some].mean():.0%} {word}"
                for word, some in (("relevant", inside), ("others", ~inside))
                if some.any()
            )
            parts.append(f"{dataset} {', '.join(shares)}")
        said = f"Mean use: {'; '.join(parts[:PANELS])}. {self.left_out}".strip()
        return f"Heat maps of feature use, methods by features, relevant ones outlined. {said}"

    @property
    def left_out(self) -> str:
        """What is not drawn, in a sentence."""
        return left_out(self.numbers["dataset"].unique(), "datasets")

    @property
    def panels(self) -> list[str]:
        """The datasets that are drawn."""
        return [str(name) for name in self.numbers["dataset"].unique()[:PANELS]]

    def _rows(self, dataset: str) -> pd.DataFrame:
        return self.numbers[self.numbers["dataset"].astype(str) == dataset]

    def _tall(self, panels: list[str]) -> float:
        most = sum(len(self._rows(name)) for name in panels)
        return min(0.2, (9.3 - 0.45 * len(panels)) / most)

    @property
    def given(self) -> list[str]:
        """The features."""
        return [str(name) for name in self.numbers.columns[3:]]

    def _axes(self, width: str, panels: list[str]) -> list[Any]:
        heights = [len(self._rows(name)) for name in panels]
        figure = new_figure(width, 0.6 + 0.45 * len(panels) + self._tall(panels) * sum(heights))
        grid = figure.subplots(len(panels), 1, squeeze=False, height_ratios=heights)
        return list(grid.ravel())

    def _draw(self, canvas: Canvas) -> None:
        tall = self._tall(list(canvas.axes))
        for dataset, axes in canvas.axes.items():
            rows = self._rows(dataset)
            shares = rows.iloc[:, 3:].dropna(axis="columns", how="all")
            longest, size = (24, 7) if canvas.wide else (16, 5.5)
            names = [label(name, longest) for name in rows["method"]]
            features = [label(str(name), 8) for name in shares]
            heat(axes, shares.to_numpy(float), names, features, vmin=0, vmax=1)
            for place in np.flatnonzero(shares.columns.isin(list(self.relevant[dataset]))):
                outline = {"fill": False, "ec": COLOURS[1], "lw": 1.2, "clip_on": False}
                axes.add_patch(Rectangle((float(place), 0), 1, len(rows), **outline))
            axes.set_title(label(dataset))
            axes.tick_params(axis="x", rotation=0, labelsize=pt(size))
            axes.tick_params(axis="y", labelsize=min(pt(7.5), 60 * tall))
        grid = canvas.grid
        colours = grid[0].figure.colorbar(
            grid[0].collections[0], ax=grid, location="bottom", shrink=0.5, aspect=40
        )
        colours.set_label("share of the runs that use it;\nrelevant features are outlined")
