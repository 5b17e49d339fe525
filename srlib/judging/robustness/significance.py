"""Whether a test tells the methods apart by their scores on the datasets."""

from dataclasses import dataclass

import pandas as pd

from srlib.comparing.benchmark import Benchmark
from srlib.comparing.comparison import Comparison, compare
from srlib.judging.verdict import Judgement

ASPECT = "dataset_score"


@dataclass(frozen=True)
class Significance:
    """Tests of the dataset scores.

    Parameters
    ----------
    comparison : Comparison
        Of the scores over the units: the families of the problem file, or single datasets.
    """

    comparison: Comparison

    @property
    def table(self) -> pd.DataFrame:
        """A row a pair, as `compare_pairs` returns it."""
        return self.comparison.pairs

    @property
    def overall(self) -> pd.DataFrame:
        """Friedman's test of all methods: `n_units`, `n_methods`, `p_value`."""
        units, methods = self.comparison.unit_values.shape
        return pd.DataFrame(
            {"n_units": [units], "n_methods": [methods], "p_value": [self.comparison.p_value]}
        )

    @property
    def sentences(self) -> list[str]:
        """Sentences to quote: who leads, what the tests say, and the closest rival."""
        return [self.comparison.headline, *self.comparison.details]


def significance(judgement: Judgement) -> Significance:
    """Compare the methods by their dataset scores."""
    scores = judgement.datasets
    problems = {name: judgement.problems.find(name) for name in scores["dataset"].unique()}
    families = {
        name: problem.family or "" for name, problem in problems.items() if problem is not None
    }
    measures = scores[["method", "dataset"]].assign(
        repetition=0,
        aspect=ASPECT,
        value=scores["score"],
        group=scores["property"].fillna("no property").astype("str"),
        source=scores["dataset"].map(families).fillna("").astype("str"),
    )
    return Significance(compare(Benchmark(measures), ASPECT))
