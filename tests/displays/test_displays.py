from types import SimpleNamespace

import pandas as pd

from srlib.displays.tables.aspects import dataset_titles, final_ranking, score_matrix
from srlib.displays.tables.models import best_models, solution_shares
from srlib.displays.tables.table import html_table, latex_table
from tests.displays.made_up import METHODS, SCORES, made_up_judgement


def test_solutions_are_counted_on_every_dataset_whatever_it_tests():
    """What could not be decided is no solution; a dataset that nobody solved has no row."""
    rows = [
        ("a", "m", False),
        ("a", "n", True),
        ("b", "m", True),
        ("b", "m", None),
        ("c", "m", None),
    ]
    runs = pd.DataFrame(rows, columns=["dataset", "method", "solution"])
    usable = runs.astype({"solution": "boolean"})
    shares = solution_shares(SimpleNamespace(screened=SimpleNamespace(usable=usable)))
    assert shares.index.tolist() == ["a", "b"]
    assert shares["m"].tolist() == [0, 0.5] and shares["n"].fillna(-1).tolist() == [1, -1]


def test_the_best_model_is_the_most_accurate_run(judgement):
    best = best_models(judgement, "d2")
    assert best["method"].tolist() == list(METHODS)
    assert best["repetition"].tolist() == [1, 1] and best["r2_test"].tolist() == [0.91, -0.24]
    other = judgement.assessments.assign(shown_model="0.25*x1")
    shown = best_models(SimpleNamespace(**{**vars(judgement), "assessments": other}), "d2")
    assert shown["model"].tolist() == ["0.25*x1", "0.25*x1"]
    truth = best_models(judgement, "d1").iloc[0]
    assert truth["method"] == "(the truth)" and truth["model"] == "0.5*x1 + x2"


def test_solutions_among_the_best_models_are_named_and_marked(judgement):
    kinds = judgement.assessments.assign(solution_kind=["scale"] * 4 + ["different"] * 5)
    solved = SimpleNamespace(**{**vars(judgement), "assessments": kinds})
    table = best_models(solved, "d1")
    assert table["method"].tolist() == ["(the truth)", *METHODS]
    first = kinds[kinds["dataset"].eq("d1") & kinds["repetition"].eq(1)].set_index("method")
    expected = [False, *(first.loc[name, "solution_kind"] == "scale" for name in METHODS)]
    assert table["solution"].eq("scale").tolist() == expected and 0 < sum(expected) < 3
    page = html_table(table, "Models")
    assert page.count('<tr class="marked">') == sum(expected) and ">scale</td>" in page
    assert len(best_models(solved, "d2")) == 2


def test_datasets_go_as_in_the_problem_file_and_methods_as_ranked():
    judgement = made_up_judgement()
    judgement.problems.problems = judgement.problems.problems[::-1]
    matrix = score_matrix(judgement)
    assert list(matrix["dataset"]) == ["d2", "d1"]
    assert list(matrix.columns) == ["dataset", "property", "difficulty", *METHODS]
    for position, method in enumerate(METHODS):
        assert list(matrix[method]) == [SCORES[position, "d2"], SCORES[position, "d1"]]
    assert list(dataset_titles(judgement)) == ["d2", "d1"]


def test_a_method_may_be_called_as_a_column():
    judgement = made_up_judgement()
    for frame in (judgement.datasets, judgement.ranking):
        frame["method"] = frame["method"].replace({METHODS[0]: "dataset", METHODS[1]: "property"})
    assert list(score_matrix(judgement))[-2:] == ["dataset (method)", "property (method)"]


def test_pages_call_the_ranks_in_the_aspects_points(judgement):
    """A place counts downwards and these upwards; files keep the names of the columns."""
    page = html_table(final_ranking(judgement), "Ranking")
    assert ">mean accuracy points<" in page and ">rank<" in page and "accuracy rank" not in page
    assert "mean accuracy rank" in final_ranking(judgement)
    paper = latex_table(final_ranking(judgement), "Ranking", label="r").replace(r"\\{}", " ")
    assert "mean accuracy points" in paper and "accuracy rank" not in paper
