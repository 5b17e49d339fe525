"""Tables of scores, points and runs: their order, their headings, and what stands for many."""

import pandas as pd
import pytest

from srlib.displays import (
    aspect_table,
    best_models,
    dataset_titles,
    detailed_datasets,
    final_ranking,
    html_table,
    print_table,
    problem_table,
    property_answer,
    property_points,
    run_table,
    score_matrix,
    winner_models,
)
from srlib.displays.tables import aspects
from tests.builders import METHODS, read_table


def test_score_matrix_has_datasets_as_in_the_problem_file_and_methods_as_ranked(judgement):
    judgement.problems.problems = judgement.problems.problems[::-1]
    matrix = score_matrix(judgement).frame
    assert list(matrix.columns) == ["dataset", "property", "difficulty", *METHODS]
    assert matrix[["dataset", *METHODS]].to_numpy().tolist() == [["d2", 2.0, 1.0], ["d1", 2.0, 1.2]]
    assert [*dataset_titles(judgement).values()] == ["d2 (solution)", "d1 (solution, easy)"]


def test_method_named_as_a_column_keeps_its_name_in_headings(judgement):
    for frame in (judgement.datasets, judgement.ranking):
        frame["method"] = frame["method"].replace([*METHODS], ["dataset", "n_runs"])
    matrix = score_matrix(judgement)
    page, paper = html_table(matrix, "Scores"), print_table(matrix, "Scores", label="s")
    assert ">dataset (method)<" in page and ">n_runs<" in page and page.count(">2.000<") == 2
    assert r"dataset \\ (method)\end{tabular} & n\_runs \\" in paper
    assert ">runs<" in html_table(pd.DataFrame({"n_runs": [1]}), "A column of ours")


def test_aspect_ranks_are_points_on_pages_and_ranks_in_files(judgement):
    """A place counts downwards and these upwards; files keep the names of the columns."""
    table = final_ranking(judgement)
    assert "mean accuracy rank" in table.frame
    page, paper = html_table(table, "Ranking"), print_table(table, "Ranking", label="r")
    assert ">mean accuracy points<" in page and ">rank<" in page and "accuracy rank" not in page
    assert r"mean \\ accuracy \\ points" in paper and r"accuracy \\ rank" not in paper


def test_property_in_which_all_tie_is_led_by_nobody(judgement):
    names = {"d1": "local_optima", "d2": "extrapolation"}
    judgement.datasets["property"] = judgement.datasets["dataset"].map(names)
    points = property_points(judgement)[[*METHODS]].T.to_dict("list")
    assert points == dict.fromkeys(names.values(), [2, 1])
    judgement.aspects.loc[judgement.aspects["dataset"] == "d1", "aspect_rank"] = 2
    answer = "Most mean points: alpha in extrapolation; nobody in local optima."
    assert property_answer(property_points(judgement)) == answer


def test_run_table_joins_values_and_codes():
    runs = read_table("""
        method dataset repetition model r2_test file row
        b      d       1          x     0.5     f    1
        a      d       2          null  null    f    2
        a      d       1          2*x   1.0     f    3
    """)
    ledger = read_table("""
        method dataset repetition level file row action   code
        b      d       1          run   f    1   noted    dust
        b      d       1          run   f    1   noted    shown_differs
        b      d       1          run   f    1   noted    dust
        a      d       2          run   f    2   excluded failed_run
    """)
    accuracies = runs[["method", "dataset", "repetition"]].assign(accuracy=runs["r2_test"])
    table = run_table(runs, ledger, accuracies)[["method", "model", "accuracy", "codes", "row"]]
    assert table.astype(object).fillna("").to_numpy().tolist() == [
        ["a", "2*x", 1.0, "", 3],
        ["a", "", "", "FAILED_RUN", 2],
        ["b", "x", 0.5, "dust, shown_differs", 1],
    ]


@pytest.mark.parametrize("table_of", [aspect_table, best_models])
def test_table_of_all_datasets_has_the_rows_of_each(demo, table_of):
    for dataset, part in table_of(demo).frame.groupby("dataset"):
        expected = table_of(demo, dataset).frame
        own = part.reset_index(drop=True)[[*expected]]
        pd.testing.assert_frame_equal(own, expected, check_dtype=False)


def test_winners_models_stand_beside_the_truths(demo):
    table, problems = winner_models(demo), problem_table(demo).frame.set_index("dataset")
    frame = table.frame.set_index("dataset")
    assert len(frame) == len(problems) == 16 and {*frame["method"]} == {"sparse-polynomial"}
    assert frame["truth"].to_dict() == problems["truth"].to_dict()
    assert [*table.frame["verdict"][[*table.marked]]] == ["identical"] * 4
    facts = ["difficulty", "features", "relevant", "noise_level"]
    assert problems.loc["featureselection_easy", facts].tolist() == ["easy", 20, 10, 0.025]


def test_only_one_of_many_datasets_has_its_own_table(demo, monkeypatch):
    cells = 16 * demo.ranking["rank"].notna().sum()
    for most, count in ((cells, 16), (cells - 1, 1)):
        monkeypatch.setattr(aspects, "MOST_CELLS", most)
        assert len(detailed_datasets(demo)) == count
    assert detailed_datasets(demo, "noise_easy") == ["noise_easy"]
