"""Where a winner wins and where it loses."""

from types import SimpleNamespace

import pandas as pd

from srlib.displays import story

SCORES = {  # dataset: property, scores of A and B, their property value
    "s1": ("solution", 3, 1), "s2": ("solution", 3, 1), "s3": ("solution", 2, 2),
    "e1": ("extrapolation", 1, 3), "e2": ("extrapolation", 1, 2),
}  # fmt: skip


def judgement(scores: dict) -> SimpleNamespace:
    rows = [
        (method, name, kind, score)
        for name, (kind, *both) in scores.items()
        for method, score in zip("AB", both, strict=True)
    ]
    datasets = pd.DataFrame(rows, columns=["method", "dataset", "property", "score"])
    aspects = datasets.assign(aspect="property", aspect_rank=datasets["score"], value=-4331621.0)
    ranking = pd.DataFrame({"method": ["A", "B"], "score": [2.0, 1.8], "rank": [1, 2]})
    return SimpleNamespace(datasets=datasets, aspects=aspects, ranking=ranking)


def test_a_winner_who_is_last_in_a_property_is_told_so():
    assert story(judgement(SCORES)) == [
        "A leads on 2 of 5 datasets; it is last on both datasets of extrapolation (R² down to -4,331,621).",
        "No information, all tied: property on 1 of 5 datasets (s3).",
    ]


def test_single_datasets_are_named_where_no_property_is_lost():
    mixed = SCORES | {"e2": ("extrapolation", 2, 1)}
    assert story(judgement(mixed))[0] == "A leads on 3 of 5 datasets; it is last on e1."
    best = {name: row for name, row in SCORES.items() if name in ("s1", "s2")}
    assert story(judgement(best)) == ["A leads on both datasets."]


def given(scores: dict[str, list[float]], ranks: list[int]) -> SimpleNamespace:
    """Methods with names from A on; scores by dataset, in their order."""
    names = [chr(65 + i) for i in range(len(ranks))]
    rows = [(m, d, None, s) for d, some in scores.items() for m, s in zip(names, some, strict=True)]
    datasets = pd.DataFrame(rows, columns=["method", "dataset", "property", "score"])
    aspects = pd.DataFrame(columns=["method", "dataset", "aspect", "aspect_rank", "value"])
    ranking = pd.DataFrame({"method": names, "score": 1.0, "rank": ranks})
    return SimpleNamespace(datasets=datasets, aspects=aspects, ranking=ranking)


def test_a_winner_who_is_last_nowhere_has_a_lowest_place_and_shared_leads_are_counted():
    scores = {"d{1}": [2, 3, 4, 1], "e": [4, 4, 1, 2], "f": [4, 3, 2, 1]}
    assert story(given(scores, [1, 2, 3, 4])) == [
        "A leads on 2 of 3 datasets (1 shared), and is last on none; the lowest place is 3, on d{1}."
    ]


def test_equal_winners_are_told_together_however_many_they_are():
    scores = {"d": [4, 4, 4, 4, 1], "e": [2, 2, 2, 2, 3]}
    assert story(given(scores, [1, 1, 1, 1, 5])) == [
        "A, B, C and 1 more each lead on 1 of 2 datasets (1 shared); each is last on e."
    ]
    tied = given({"d": [4, 4]}, [1, 1])
    assert story(tied) == []
    tied.aspects = pd.DataFrame(
        {"method": ["A", "B"], "dataset": "d", "aspect": "size", "aspect_rank": 2.0}
    )
    assert story(tied) == ["No information, all tied: size on the one dataset (d)."]
