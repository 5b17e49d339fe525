"""Which models stand for a method, where solutions are and why, and the lines below a verdict."""

from types import SimpleNamespace

import pandas as pd
from bs4 import BeautifulSoup

from srlib.displays import (
    FitDisplay,
    best_models,
    equation,
    evidence_table,
    html_table,
    solution_shares,
)
from srlib.displays.tables import first_screen
from srlib.displays.tables.equations import LONGEST_LATEX, equation_latex
from srlib.displays.tables.first_screen import (
    describe_failures,
    describe_idle_aspects,
    describe_strengths,
)
from srlib.displays.tables.runs import describe_evidence
from srlib.problems import load_problems
from srlib.rules import load_rules
from tests.builders import METHODS, each, made_up_judgement, read_table, refused


def test_solution_shares_leave_out_datasets_that_nobody_solved():
    """What could not be decided is no solution; a dataset that nobody solved has no row."""
    runs = read_table("""
        dataset method solution
        a       m      False
        a       n      True
        b       m      True
        b       m      null
        c       m      null
    """).astype({"solution": "boolean"})
    shares = solution_shares(SimpleNamespace(screened=SimpleNamespace(usable=runs)))
    assert shares.fillna(-1).T.to_dict() == {"a": {"m": 0, "n": 1}, "b": {"m": 0.5, "n": -1}}


def test_best_model_is_that_of_the_most_accurate_run_as_shown(judgement):
    judgement.assessments["shown_model"] = "0.25*x1"
    columns = ["method", "repetition", "r2_test", "model"]
    rows = best_models(judgement, "d2").frame[columns].to_numpy().tolist()
    assert rows == [[METHODS[0], 1, 0.91, "0.25*x1"], [METHODS[1], 1, -0.24, "0.25*x1"]]
    truth = best_models(judgement, "d1").frame.iloc[0]
    assert truth[["method", "model"]].tolist() == ["(the truth)", "0.5*x1 + x2"]


def test_solutions_among_the_best_models_are_named_and_marked(judgement):
    first = judgement.assessments["method"] == METHODS[0]
    judgement.assessments["solution_kind"] = first.map({True: "scale", False: "different"})
    table = best_models(judgement, "d1")
    assert table.frame["solution"].fillna("").tolist() == ["", "scale", ""]
    rows = BeautifulSoup(html_table(table, "Models"), "html.parser").select("tr.marked")
    assert [row.th.get_text() for row in rows] == ["alpha"]


def test_solution_has_its_evidence(judgement):
    moved = [{"constant": "the coefficient of b", "truth": 2, "model": 2.0001, "percent": 0.005}]
    evidence = {"proof": "numerical", "points": 96, "digits": 30, "moved": moved}
    kinds = {"solution_kind": ["offset", "different", "offset"], "solution_constant": 0.5}
    solved = judgement.assessments[:3].assign(solution_evidence=[evidence] * 3, **kinds)
    solved["dataset"] = ["d1", "d1", "not judged"]
    detail = "within the tolerance, the coefficient of b is 2.0001 for 2 (+0.005%)"
    [row] = evidence_table(made_up_judgement(assessments=solved)).to_numpy().tolist()
    assert row == ["d1", "alpha", 1, "offset", 0.5, "numerical", 96, 30, detail, "0.5*x1 + x2"]


def test_witness_states_the_difference():
    witness = {"point": {"a": 0.5}, "truth": 2.0, "model": 1.5, "difference": 0.5}
    assert describe_evidence({"witness": witness}) == (
        "at a = 0.5 the truth is 2 and the model differs by 0.5"
    )


def test_very_long_model_is_folded():
    text = " + ".join(f"x{i}*x{i + 1}" for i in range(200))
    page = BeautifulSoup(equation(text), "html.parser")
    assert page.find("details") and not page.find("math")
    assert page.find_all("code")[-1].get_text() == text
    assert not equation_latex(text) and equation_latex(text, limit=9 * LONGEST_LATEX)


SOLVED = {"s1": ("solution", 3, 1), "s2": ("solution", 3, 1)}  # scores of A and B
MIXED = SOLVED | {"e1": ("extrapolation", 1, 3), "e2": ("extrapolation", 2, 1)}
SCORES = MIXED | {"s3": ("solution", 2, 2), "e2": ("extrapolation", 1, 2)}


def judgement(scores):
    rows = [
        (method, name, kind, score)
        for name, (kind, *both) in scores.items()
        for method, score in zip("AB", both, strict=True)
    ]
    datasets = pd.DataFrame(rows, columns=["method", "dataset", "property", "score"])
    aspects = datasets.assign(aspect="property", aspect_rank=datasets["score"], value=-4331621.0)
    return SimpleNamespace(datasets=datasets, aspects=aspects, rules=load_rules("judging-2022"))


@each(
    "scores leader sentence",
    """
SCORES | A | last on 2 of 5 datasets (e1 and e2), lowest value of an aspect -4,331,621. It leads without them, too.
MIXED  | A | last on 1 of 4 datasets (e1), lowest value of an aspect -4,331,621. It leads without it, too.
MIXED  | B | last on 1 of 4 datasets (e1), lowest value of an aspect -4,331,621. Without it B would lead.
SOLVED | A | it is last on no dataset.
""",
)
def test_failures_of_a_winner_name_datasets_and_leader(scores, leader, sentence, monkeypatch):
    monkeypatch.setattr(first_screen, "leaders_without", lambda judgement, datasets: [leader])
    assert describe_failures(judgement(globals()[scores]), "A") == f"Where A fails: {sentence}"


def test_strengths_of_a_winner_count_datasets():
    assert describe_strengths(judgement(SCORES), "A").endswith("first on 2 of 5 datasets alone.")


def test_aspect_in_which_all_tie_is_named():
    assert describe_idle_aspects(judgement(SCORES)) == [
        "On 1 of 5 datasets all methods tie in property, so property decides nothing there."
    ]
    assert describe_idle_aspects(judgement(SOLVED)) == []


def test_unknown_dataset_of_curves_is_refused():
    judgement = SimpleNamespace(problems=load_problems("synthetic-2022"))
    with refused("^unknown dataset 'nope'"):
        FitDisplay.from_judgement(judgement, "nope")
