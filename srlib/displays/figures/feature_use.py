"""Which features the models of each method use, and which of them matter."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from srlib.displays.figures.matrix import heat
from srlib.displays.styling import COLOURS, PANELS, label, left_out, new_figure, style
from srlib.judging.properties import features


@dataclass
class FeatureUseDisplay:
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
    figure_: Figure | None = field(default=None, init=False, repr=False)

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
            parts.append(
                f"{dataset} {mean[inside].mean():.0%} relevant, {mean[~inside].mean():.0%} others"
            )
        said = f"Mean use: {'; '.join(parts[:PANELS])}. {self.left_out}".strip()
        return f"Heat maps of feature use, methods by features, relevant ones outlined. {said}"

    @property
    def left_out(self) -> str:
        """What is not drawn, in a sentence."""
        return left_out(self.numbers["dataset"].unique(), "datasets")

    def plot(self, width: str = "page") -> "FeatureUseDisplay":
        """Draw the heat maps one below the other."""
        groups = list(self.numbers.groupby("dataset", sort=False))[:PANELS]
        tall = min(0.2, (9.3 - 0.45 * len(groups)) / sum(len(rows) for _, rows in groups))
        with style():
            heights = [len(rows) for _, rows in groups]
            figure = new_figure(width, 0.6 + 0.45 * len(groups) + tall * sum(heights))
            grid = figure.subplots(len(groups), 1, squeeze=False, height_ratios=heights).ravel()
            for axes, (dataset, rows) in zip(grid, groups, strict=True):
                shares = rows.iloc[:, 3:].dropna(axis="columns", how="all")
                longest, size = (24, 7) if width == "page" else (16, 5.5)
                names = [label(name, longest) for name in rows["method"]]
                features = [label(str(name), 8) for name in shares]
                heat(axes, shares.to_numpy(float), names, features, vmin=0, vmax=1)
                for place in np.flatnonzero(shares.columns.isin(list(self.relevant[str(dataset)]))):
                    outline = {"fill": False, "ec": COLOURS[1], "lw": 1.2, "clip_on": False}
                    axes.add_patch(Rectangle((float(place), 0), 1, len(rows), **outline))
                axes.set_title(str(dataset))
                axes.tick_params(axis="x", rotation=0, labelsize=size)
                axes.tick_params(axis="y", labelsize=min(7.5, 60 * tall))
            colours = figure.colorbar(
                grid[0].collections[0], ax=list(grid), location="bottom", shrink=0.5, aspect=40
            )
            colours.set_label("share of the runs that use it;\nrelevant features are outlined")
        self.figure_ = figure
        return self
