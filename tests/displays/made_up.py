"""A judgement written down by hand: 2 methods, 2 datasets, 2 repetitions, ranks that a reader can redo."""

from types import SimpleNamespace

import pandas as pd

from srlib.judging.notices import describe_ranking
from srlib.ledger import entry, to_frame
from srlib.rules import load_rules

METHODS = ("alpha", "<script>alert(1)</script> $beta$ & =cmd()")
DATASETS = ("d1", "d2")
VALUES = {  # method position, dataset -> accuracy, components, property
    (0, "d1"): (0.95, 5, 1.0),
    (0, "d2"): (0.90, 9, 0.5),
    (1, "d1"): (0.95, 25, 0.0),
    (1, "d2"): (-0.25, 25, 0.0),
}
RANKS = {(0, "d1"): (2, 2, 2), (0, "d2"): (2, 2, 2), (1, "d1"): (2, 1, 1), (1, "d2"): (1, 1, 1)}
# harmonic means: 3/(1/2+1/1+1/1) = 1.2
SCORES = {(0, "d1"): 2.0, (0, "d2"): 2.0, (1, "d1"): 1.2, (1, "d2"): 1.0}
MODELS = ("0.5*x1 + x2", "=x1^2 - 1.5")


def made_up_judgement() -> SimpleNamespace:
    """What `srlib.judging.judge` would return for the numbers above."""
    assessments, aspects, datasets = [], [], []
    for (m, dataset), (accuracy, components, score) in VALUES.items():
        for repetition in (1, 2):
            assessments.append(
                {"method": METHODS[m], "dataset": dataset, "repetition": repetition, "model": MODELS[m],
                 "r2_test": accuracy + (0.01 if repetition == 1 else -0.01), "complexity": components,
                 "complexity_raw": components + 2, "simplified_model": MODELS[m],
                 "solution_kind": None}
            )  # fmt: skip
        simplicity = {5: -1.0, 9: -1.4, 25: -2.0}[components]
        for aspect, value, rank in zip(
            ("accuracy", "simplicity", "property"),
            (accuracy, simplicity, score),
            RANKS[m, dataset],
            strict=True,
        ):
            aspects.append(
                {"method": METHODS[m], "dataset": dataset, "aspect": aspect, "n_runs": 2, "value": value,
                 "value_rounded": value, "direction": "higher", "aspect_rank": float(rank)}
            )  # fmt: skip
        datasets.append(
            {
                "method": METHODS[m],
                "dataset": dataset,
                "property": "solution",
                "n_runs": 2,
                "score": SCORES[m, dataset],
            }
        )
    lost = entry(
        "judge", "failed_run", "excluded", "no model", method=METHODS[1], dataset="d2", repetition=3
    )
    assessments.append(
        {
            **assessments[-1],
            "repetition": 3,
            "model": None,
            "simplified_model": None,
            "r2_test": None,
        }
    )
    ranking = pd.DataFrame({"method": METHODS, "score": [2.0, 1.1], "rank": [1, 2]})
    return SimpleNamespace(
        ranking=ranking,
        headline=describe_ranking(ranking, "over 2 datasets (made-up)", " with a usable run"),
        aspects=pd.DataFrame(aspects),
        datasets=pd.DataFrame(datasets),
        assessments=pd.DataFrame(assessments).astype(
            {"complexity": "Int64", "complexity_raw": "Int64"}
        ),
        ledger=to_frame([lost]),
        counts={"read": 9, "scored": 8, "excluded": 1},
        rules=load_rules("judging-2022"),
        notices=(),
        ranking_of_all=None,
        problems=SimpleNamespace(
            name="made-up",
            problems=(
                SimpleNamespace(
                    dataset="d1",
                    difficulty="easy",
                    truth="0.5*x1 + x2",
                    known_truth="0.5*x1 + x2",
                ),
                SimpleNamespace(dataset="d2", difficulty=None, truth=None, known_truth=None),
            ),
        ),
    )
