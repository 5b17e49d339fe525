"""What a team does to win beside better models: it gains nothing, and the others lose nothing."""

import pandas as pd
import pytest

from tests.judging.small import rules, verdict

TABLE = {
    ("A", "formula"): {"r2_test": [0.9, 0.9], "complexity": [10, 10]},
    ("B", "formula"): {"r2_test": [0.8, 0.8], "complexity": [9, 9]},
    ("A", "optima"): {"r2_test": [0.9, 0.9]},
    ("B", "optima"): {"r2_test": [0.7, 0.7]},
}


@pytest.mark.parametrize(
    "name", ["judging-2022", "competition-2022", "competition-2023", "proposal-2022"]
)
def test_invented_noise_levels_are_no_datasets(name):
    """B alone has runs on `formula@0.1` to `formula@0.8`, where all others would get the worst rank."""
    block = rules(name, repetitions=2)
    invented = {("B", f"formula@{level}"): {"r2_test": [1.0, 1.0]} for level in (0, 0.1, 0.4, 0.8)}
    before, after = verdict(TABLE, 2, block), verdict(TABLE | invented, 2, block)
    pd.testing.assert_frame_equal(after.ranking, before.ranking)
    pd.testing.assert_frame_equal(after.datasets, before.datasets)
    lines = after.ledger[after.ledger["dataset"].str.contains("@")]
    assert len(lines) == 8 and set(lines["code"]) == {"unknown_dataset"}
