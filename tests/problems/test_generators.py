"""The generated tasks: checked by hand, and against the files that the competition released."""

import numpy as np
import pandas as pd
import pytest

from srlib.problems import load_problems, partitions

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
