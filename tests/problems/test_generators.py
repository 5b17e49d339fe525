"""The generated tasks: checked by hand, and against the files that the competition released."""

import numpy as np
import pandas as pd
import pytest

from srlib.errors import InputError
from srlib.expressions import evaluate, parse
from srlib.problems import load_problems, partitions
from srlib.problems.generators import GENERATORS, noise

PROBLEMS = load_problems("synthetic-2022")
SEEDS = (2082, 3946, 5847, 6087, 6589, 7102, 7884, 8674, 9023, 9900)


@pytest.mark.parametrize("problem", PROBLEMS.problems, ids=lambda problem: problem.dataset)
def test_every_released_file_is_reproduced(problem, reference_data):
    for seed in SEEDS:
        for name, part in vars(partitions(problem, seed)).items():
            if name not in ("train", "test"):
                continue
            path = (
                reference_data
                / f"competition2022/synthetic/{seed}_{problem.dataset}_data_{name}.csv.gz"
            )
            released = pd.read_csv(path)
            assert tuple(released.columns) == (*problem.features, "y")
            np.testing.assert_allclose(part.X, released[list(problem.features)], rtol=0, atol=1e-9)
            np.testing.assert_allclose(part.y, released["y"], rtol=0, atol=1e-9)


@pytest.mark.parametrize("ratio", [0.05, 0.3, 0.9])
def test_noise_has_the_stated_share_of_the_variance(ratio):
    y = np.random.default_rng(0).normal(size=200_000)
    drawn = noise(y, ratio, seed=1)
    assert np.var(drawn) / np.var(y + drawn) == pytest.approx(ratio, abs=0.01)
    assert not np.array_equal(drawn, noise(y, ratio, seed=2))
    with pytest.raises(InputError, match=r"ratio in \[0, 1\) was expected, got 1"):
        noise(y, 1, seed=1)


def test_an_unknown_level_is_named():
    with pytest.raises(InputError, match="easier, easy, medium, hard, got 'easyer'"):
        GENERATORS["exact_formula_2022"](1, level="easyer")


@pytest.mark.parametrize("problem", PROBLEMS.problems, ids=lambda problem: problem.dataset)
def test_the_stated_truth_explains_all_but_the_noise(problem):
    rows = partitions(problem, SEEDS[0])
    X, y = np.vstack([rows.train.X, rows.test.X]), np.concatenate([rows.train.y, rows.test.y])
    truth = evaluate(
        parse(problem.truth, problem.features), dict(zip(rows.features, X.T, strict=True)), len(y)
    )
    unexplained = np.var(y - truth) / np.var(y)
    assert unexplained == pytest.approx(problem.noise_level, abs=0.2 * problem.noise_level + 1e-12)
    assert set(problem.relevant) == features_in(problem.truth, problem.features)


def features_in(text, features):
    return set(parse(text, features).features)
