"""Whether the methods can be told apart: tests over the scores of the datasets, overall and by property."""

from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from srlib.comparing.benchmark import Benchmark
from srlib.comparing.comparison import Comparison, compare
from srlib.comparing.omnibus import friedman, nemenyi
from srlib.comparing.sentences import details, headline
from srlib.comparing.statistics import effect_size
from srlib.judging.judgement import Judgement
from srlib.ledger import to_frame

ALL = "all datasets"
ASPECT = "dataset_score"
MARGIN = 0.1  # differences of dataset scores up to this size count as equivalent, in ranks


@dataclass(frozen=True)
class Significance:
    """What tests say of the dataset scores.

    Parameters
    ----------
    told : Comparison
        Of the scores over all datasets, and within each property.
    scores : dict of str to pandas.DataFrame
        Datasets x methods, dataset scores (higher is better): all, and those of each property.
    """

    told: Comparison
    scores: dict[str, pd.DataFrame]

    @cached_property
    def overall(self) -> pd.DataFrame:
        """Friedman's test: `scope`, `n_datasets`, `n_methods`, `statistic`, `p_value`, `p_iman_davenport`.

        A p-value is NaN where there is nothing to test, a score is missing, or too few datasets could tell any two
        methods apart.
        """
        columns = ["n_datasets", "n_methods", "statistic", "p_value", "p_iman_davenport"]
        found = {scope: friedman(values) for scope, values in self.scores.items()}
        found[ALL] = self.told.test
        rows = [
            (scope, *(getattr(test, name) for name in columns)) for scope, test in found.items()
        ]
        table = pd.DataFrame(rows, columns=["scope", *columns])
        few = table["n_datasets"] < self.told.needed
        return table.assign(
            **{name: table[name].mask(few) for name in ("p_value", "p_iman_davenport")}
        )

    @cached_property
    def table(self) -> pd.DataFrame:
        """One row a scope and pair, as `claims` gives it (corrected within the scope), and more.

        `p_nemenyi`; `effect_size`, 1 if a is better on every dataset.
        """
        parts = {ALL: self.told.pairs, **self.told.by_group}
        # no property
        parts = {scope: pairs for scope, pairs in parts.items() if scope in self.scores}
        return pd.concat([self._pairs(*item) for item in parts.items()], ignore_index=True)

    def _pairs(self, scope: str, pairs: pd.DataFrame) -> pd.DataFrame:
        values, rows = self.scores[scope], []
        test = nemenyi(values)
        for row in pairs.to_dict("records"):
            a, b = row["method_a"], row["method_b"]
            rows.append((test[b][a], effect_size(values[a], values[b])))
        more = pd.DataFrame(rows, columns=["p_nemenyi", "effect_size"])
        whole = pd.concat([pairs, more], axis=1)
        whole.insert(0, "scope", scope)
        return whole

    @property
    def sentences(self) -> list[str]:
        """Sentences to quote: whether the best is shown to be better than others, by how much, and what is open."""
        return [headline(self.told), *details(self.told)]


def significance(judgement: Judgement) -> Significance:
    """Compare the methods by their dataset scores, over all datasets and over those of each property."""
    long = judgement.datasets
    wide = long.pivot_table("score", index="dataset", columns="method", dropna=False)
    groups = {
        str(name): wide.loc[sorted(part["dataset"].unique())]
        for name, part in long.groupby("property")
    }
    problems = {str(name): judgement.problems.find(name) for name in wide.index}
    families = {name: problem.family for name, problem in problems.items() if problem is not None}
    measures = pd.DataFrame(
        {
            "method": long["method"],
            "dataset": long["dataset"],
            "repetition": 0,
            "aspect": ASPECT,
            "value": long["score"],
            "group": long["property"].fillna("no property").astype("str"),
            "related": long["dataset"].map(families).fillna("").astype("str"),
        }
    )
    told = compare(Benchmark(measures, to_frame([]), {}), ASPECT, margin=MARGIN)
    return Significance(told, {ALL: wide} | (groups if len(groups) > 1 else {}))
