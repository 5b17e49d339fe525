"""A participant's page says what the terminal says, and why there is no place where there is none."""

from dataclasses import replace

import pandas as pd

from srlib.displays import models_beside_truths
from srlib.judging import judge
from srlib.judging.qualification import Gate
from tests.builders import each, read_table, refused
from tests.judging.small import problems, rules, runs


def judged(text, barred=(), repetitions=1):
    """Judge a table with a line a run; what it does not state is as in `tests.judging.small.row`."""
    cells = {
        key: part.drop(columns=["method", "dataset"]).to_dict("list")
        for key, part in read_table(text).groupby(["method", "dataset"], sort=False)
    }
    chosen = rules("judging-2022", repetitions=repetitions)
    return judge(runs(cells, repetitions), problems(), chosen, Gate(barred=frozenset(barred)))


def test_datasets_won_and_lost_are_compared_with_the_next_method():
    """Points in three aspects: 2 2 2 against 1 1 1 on formula; 1 2 1 against 2 2 2 on beyond: 6 / 5, 2."""
    judgement = judged("""
        method dataset r2_test complexity solution
        Ana    formula 0.9     3          True
        Ana    beyond  0.2     3          False
        Ben    formula 0.5     9          False
        Ben    beyond  0.8     3          False
    """)
    ana = judgement.standing("Ana")
    table = ana.losses.set_index("dataset")
    assert table.index.tolist() == ["beyond", "formula"], "the worst loss first"
    rows = table[["score", "rival", "difference"]].T.to_dict("list")
    assert rows == {"formula": [2.0, 1.0, 1.0], "beyond": [1.2, 2.0, -0.8]}
    decided = table["decided by"]["beyond"]
    assert decided == "accuracy: 1 against 2 points (value 0.2 against 0.8)"
    assert ana.sentences == [
        "Ana: place 1 of 2 with 1.600. Ben has 1.500; Ana is ahead on 1 of 2 datasets and behind on 1.",
        "All of its runs count as they stand.",
    ]
    assert (ana.place, ana.score, ana.rival) == (1, 1.6, "Ben")
    assert ana.gains == ["There is no place above it."]
    assert "would gain" in judgement.standing("Ben").gains[0]


def test_failed_run_stands_beside_its_dataset():
    judgement = judged("""
        method dataset r2_test model   status
        Ana    formula 0.9     "a + b" ok
        Ana    beyond  0.9     "a"     ok
        Ben    formula null    null    failed
        Ben    beyond  0.8     2*a     ok
    """)
    lost = judgement.standing("Ben").losses.set_index("dataset")
    assert lost["exceptions"]["formula"].startswith("1 x the run failed or ran out of time")
    assert lost["difference"]["formula"] < 0


FIELD = """
    method           dataset r2_test complexity model   status
    Ana              formula 0.9     3          "a + b" ok
    Ben              formula 0.8     4          "a + b" ok
    Cy               formula 0.7     5          "a + b" ok
    LinearRegression formula 0.6     6          "a + b" ok
    Dee              formula null    5          null    failed
"""


@each(
    "method reason hint",
    """
Dee | it has no usable run on a scored dataset. | it needs a run that counts.
Cy | it did not qualify. | Cy missed the qualification (margin −0.50, which has to be positive; better on 6 of 20
LinearRegression | it is the baseline, which others have to beat to qualify. | LinearRegression is the baseline of the
""",
)
def test_method_without_a_place_gets_the_reason(method, reason, hint):
    judgement = judged(FIELD, barred=["Cy", "LinearRegression"])
    margins = pd.DataFrame(
        {"margin": -0.5, "better": 6, "equal": 0, "worse": 14}, pd.Index(["Cy"], name="method")
    )
    judgement = replace(judgement, gate=replace(judgement.gate, margins=margins))
    standing = judgement.standing(method)
    assert standing.summary == f"{method} has no place: {reason}"
    [improvement] = standing.gains
    assert improvement.startswith(f"No better value here gains it a place: {hint}")
    assert standing.losses.empty and standing.rival == "" and standing.place is None


def test_models_of_an_unqualified_method_stand_beside_the_truth():
    judgement = judged(FIELD, barred=["Cy", "LinearRegression"])
    models = models_beside_truths(judgement, {"Cy", ""}).frame
    formula = models[models["dataset"] == "formula"]
    assert formula["method"].tolist() == ["(the truth)", "Cy"]
    # before the columns of the aspects, which are many: a page shows it without scrolling sideways
    columns = models_beside_truths(judged(FIELD), {"Ana"}).frame.columns
    assert columns.get_loc("model") < columns.get_loc("score")


def test_method_without_a_run_is_refused_and_a_single_one_has_no_rival():
    judgement = judged("""
        method dataset r2_test
        Ana    formula 0.9
    """)
    standing = judgement.standing("Ana")
    assert standing.summary == "Ana: place 1 of 1 with 1.000." and standing.rival == ""
    assert standing.losses.empty
    with refused("unknown method 'Anna'. Did you mean 'Ana'?"):
        judgement.standing("Anna")


@each(
    "usable cost",
    """
0.8 3 True | formula would score 2.00 instead of 1.20; final score 2.000 instead of 1.200.
0.2 9 False | no score would change.
""",
)
def test_cost_of_a_failed_run_is_the_score_with_the_value_of_the_usable_runs(usable, cost):
    """With the value of his usable run in its place Ben is level with Ana, or as far behind as he was."""
    judgement = judged(
        f"""
        method dataset r2_test complexity solution model   status
        Ana    formula 0.8     3          True     "a + b" ok
        Ana    formula 0.8     3          True     "a + b" ok
        Ben    formula {usable}                    "a + b" ok
        Ben    formula null    5          null     null    failed
        """,
        repetitions=2,
    )
    (line,) = judgement.standing("Ben").failed_runs
    assert line.endswith(f"in place of its 1 failed or absent run: {cost}")
    assert judgement.standing("Ana").failed_runs == []


def test_absent_runs_are_counted_by_what_each_dataset_expects():
    """Ben lacks one run of two on `few`, which has two data seeds, and three of the four of the rules on `many`."""
    text = "problems: [{dataset: few, data_seeds: [1, 2], features: [a]}, {dataset: many, features: [a]}]"
    rows = runs({(name, data): {} for name in ("Ana", "Ben") for data in ("few", "many")}, 4)
    rows["repetition"] += 1
    rows = rows.query(
        "repetition == 1 or method == 'Ana' and (repetition == 2 or dataset == 'many')"
    )
    judgement = judge(rows, problems(text), rules("judging-2022", repetitions=4))
    assert "in place of its 4 failed or absent runs" in judgement.standing("Ben").failed_runs[0]
