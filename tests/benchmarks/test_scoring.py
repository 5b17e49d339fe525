"""A million runs, judged."""

import numpy as np

from srlib.judging.design import Design
from srlib.judging.ranking import score
from srlib.rules import load_rules

ASPECTS, DATASETS, METHODS, REPETITIONS = 3, 1000, 100, 10


def test_a_million_runs(benchmark, generator):
    design = Design(
        sign=np.ones((ASPECTS, DATASETS)),
        digits=(3, None, None),
        accuracy=0,
        prop=2,
        scored=np.ones(DATASETS, dtype=bool),
        reference=np.full(DATASETS, -1),
        gap=np.full(DATASETS, np.nan),
    )
    values = generator.uniform(0, 1, (ASPECTS, DATASETS, METHODS, REPETITIONS))
    judge = load_rules("judging-2022").judge
    final = benchmark.pedantic(score, args=(values, design, judge), rounds=3)
    assert final.shape == (METHODS,)
