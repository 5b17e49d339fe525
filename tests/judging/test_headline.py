"""The sentence that says who wins."""

import pandas as pd
import pytest

from srlib.judging.notices import describe_ranking

FINAL = " with a final score of 2.000 over 2 datasets"


@pytest.mark.parametrize(
    ("scores", "sentence"),
    [
        ([2.0, 1.5], f"A wins{FINAL}; B follows with 1.500."),
        ([2.0001, 2.00005], f"A wins{FINAL}; B follows with 2.000 (5e-05 less)."),
        ([2.0, 1.5, 1.5], f"A wins{FINAL}; B and C follow with 1.500."),
        ([2.0, 2.0], f"A and B share the first place{FINAL}."),
        ([2.0], f"A is the only method,{FINAL}."),
        ([2.0, None], f"A is the only method with a usable run,{FINAL}."),
        ([None], "No method could be scored."),
    ],
)
def test_who_wins_and_who_follows(scores, sentence):
    table = pd.DataFrame({"method": list("ABC"[: len(scores)]), "score": scores}, dtype=object)
    table["rank"] = table["score"].astype(float).rank(method="min", ascending=False)
    only = " with a usable run" * (len(table) > 1)
    assert describe_ranking(table, "over 2 datasets", only) == sentence
