"""Everything that is compared: one value a method and dataset, groups and sources of the datasets, what is missing."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from srlib.comparing.filling import averaged, failures_at_floor, fill, worst_run
from srlib.comparing.metrics import COLLECTIONS, METRICS, level_of, metric_of, problem_of
from srlib.comparing.profiles import intervals
from srlib.errors import InputError


@dataclass(frozen=True)
class Benchmark:
    """Everything that is compared.

    Parameters
    ----------
    measures : pandas.DataFrame
        Measures contract with `group`, and perhaps `related`: datasets of one name there stem from one source and are
        no independent evidence ("": related to no other); without it a group is such a family, unless it is one of
        SRBench's collections. NaN = missing.
    ledger : pandas.DataFrame
        Every run and value that could not be used.
    counts : dict
        `read`, `scored` and `excluded`, and `what` was: runs, or of published tables their cells (a method on a
        dataset).
    """

    measures: pd.DataFrame
    ledger: pd.DataFrame
    counts: dict[str, Any]

    @property
    def aspects(self) -> list[str]:
        """What was measured, in the order of METRICS."""
        found = self.measures.dropna(subset=["value"])["aspect"].unique()
        return sorted(
            found,
            key=lambda name: (list(METRICS).index(name) if name in METRICS else len(METRICS), name),
        )

    def cells(
        self, aspect: str, group: str | None = None, level: float | None = None
    ) -> pd.DataFrame:
        """Datasets, each noise level apart, x methods: the median (for rates the mean) over the repetitions.

        A repetition that failed, or that a method has on other datasets and lacks here, counts as the metric's floor
        where the method has a usable one; else the value is missing: NaN.

        Parameters
        ----------
        aspect : str
            One of `aspects`.
        group, level : optional
            Only datasets of this group, or with this noise level (`NAME@LEVEL`).

        Raises
        ------
        InputError
            When the tables do not hold the aspect.
        """
        if aspect not in self.aspects:
            here = ", ".join(self.aspects) or "no metric: assess the runs, or name their problems"
            raise InputError(f"metric {aspect!r} is in none of the tables; they hold {here}")
        rows = self._rows(aspect)
        rows = failures_at_floor(rows, metric_of(aspect))
        if group is not None:
            rows = rows[rows["group"] == group]
        if level is not None:
            rows = rows[rows["dataset"].map(level_of) == level]
        how = "mean" if metric_of(aspect).rate else "median"
        table = rows.pivot_table(
            "value", index="dataset", columns="method", aggfunc=how, dropna=False
        )
        return table.dropna(how="all")

    def values(
        self,
        aspect: str,
        group: str | None = None,
        level: float | None = None,
        missing: str = "drop",
    ) -> pd.DataFrame:
        """Datasets x methods, each dataset once: the mean over its noise levels, unless one level is asked for.

        Parameters
        ----------
        aspect, group, level
            As for `cells`.
        missing : str
            What a missing cell counts as; see `filled`. With 'drop' the mean is missing where a level is.
            A method that has no value on any dataset takes no part: nothing would be its own.
        """
        ran, cells = self._rows(aspect).dropna(subset="value"), self.cells(aspect, group, level)
        return self.filled(cells.loc[:, cells.columns.isin(ran["method"])], aspect, missing)

    def filled(self, cells: pd.DataFrame, aspect: str, missing: str) -> pd.DataFrame:
        """Make `values` of cells."""
        return averaged(fill(cells, missing, metric_of(aspect), self.worst(aspect)))

    def worst(self, aspect: str) -> pd.Series:
        """By dataset (each noise level apart) what a run that returned nothing is worth; see `worst_run`."""
        return worst_run(self._rows(aspect), metric_of(aspect))

    def _rows(self, aspect: str) -> pd.DataFrame:
        return self.measures[self.measures["aspect"] == aspect]

    @property
    def levels(self) -> list[float]:
        """Noise levels of the datasets' names."""
        return sorted({level_of(name) for name in self.measures["dataset"].unique()} - {np.nan})

    def starred(self, values: pd.DataFrame) -> pd.DataFrame:
        """Put a star before each symbolic method (columns), where the tables tell them from others."""
        if "symbolic" not in self.measures:
            return values
        marks = self.measures["symbolic"].eq(True)
        names = {str(name) for name in self.measures.loc[marks, "method"].unique()}
        return values.rename(columns={name: f"*{name}" for name in names})

    @property
    def groups(self) -> pd.Series:
        """Group of each dataset (without its noise level)."""
        return self._named("group")

    @property
    def related(self) -> pd.Series:
        """Source of each dataset that shares it with others; "" of one that stands alone."""
        if "related" in self.measures:
            return self._named("related")
        return self.groups.map(lambda name: "" if name in COLLECTIONS else name)

    def _named(self, column: str) -> pd.Series:
        rows = self.measures.drop_duplicates("dataset")
        named = pd.Series(
            rows[column].fillna("").to_numpy(str), index=rows["dataset"].map(problem_of)
        )
        return named[~named.index.duplicated()].sort_index()

    @property
    def missing(self) -> pd.DataFrame:
        """Share of the cells of each aspect (columns) in which a method (index) has no usable value."""
        return pd.DataFrame({name: self.cells(name).isna().mean() for name in self.aspects})

    def summary(self) -> pd.DataFrame:
        """Centre of every metric in every group, with a bootstrap interval; see `intervals`.

        Returns
        -------
        pandas.DataFrame
            `metric` (its label), `group`, `method`, `n_datasets`, `value`, `low`, `high`.
        """
        parts, related = [], self.related
        for name in self.aspects:
            rows = self.measures[(self.measures["aspect"] == name) & self.measures["value"].notna()]
            for group in sorted(rows["group"].unique()):
                values = self.values(name, group, missing="worst")
                table = (
                    intervals(values, metric_of(name).rate, related=related)
                    .rename_axis("method")
                    .reset_index()
                )
                table.insert(0, "group", group)
                table.insert(0, "metric", metric_of(name).label)
                parts.append(table)
        return pd.concat(parts, ignore_index=True)

    def by_noise(self, aspect: str, most_groups: int = 3) -> dict[str, dict[str, pd.DataFrame]]:
        """Tables of a metric for each group (all together where there are many), and in it for each noise level."""
        rows = self.measures[(self.measures["aspect"] == aspect) & self.measures["value"].notna()]
        groups: list[str | None] = sorted(rows["group"].unique())
        levels = sorted(set(rows["dataset"].map(level_of).dropna())) or [None]
        return {
            group or "all datasets": {
                "all" if level is None else f"noise {level:g}": self.values(
                    aspect, group, level, "worst"
                )
                for level in levels
            }
            for group in (groups if len(groups) <= most_groups else [None])
        }

    def completion(self) -> pd.DataFrame:
        """Share of a group's cells and repetitions in which a method has a usable value; NaN where it took no part.

        Returns
        -------
        pandas.DataFrame
            `method`, then a column for each group.
        """
        seen = (
            self.measures.groupby(["group", "method", "dataset", "repetition"])["value"]
            .count()
            .gt(0)
            .reset_index()
        )
        usable = seen.groupby(["group", "method"])["value"].sum()
        slots = (
            seen.groupby(["group", "dataset", "method"]).size().groupby(["group", "dataset"]).max()
        )
        expected = slots.groupby("group").sum()
        share = usable.div(expected, level="group").rename("value").reset_index()
        return (
            share.pivot_table("value", index="method", columns="group")
            .rename_axis(columns=None)
            .reset_index()
        )
