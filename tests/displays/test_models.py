"""Which models stand for a method, where solutions are and why, and a model as an equation."""

from types import SimpleNamespace

from bs4 import BeautifulSoup

from srlib.displays import best_models, equation, evidence_table, html_table, solution_shares
from srlib.displays.tables.equations import LONGEST_LATEX, equation_latex
from srlib.displays.tables.models import describe_evidence
from tests.builders import METHODS, made_up_judgement, read_table


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


def test_text_that_is_no_model_stays_text():
    assert equation("<b>x") == '<div class="equation"><code>&lt;b&gt;x</code></div>'
