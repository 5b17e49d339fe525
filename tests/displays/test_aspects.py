"""Tables of scores, points and runs: their order, their headings, and what stands for many."""

import pandas as pd
import pytest

from srlib.displays import (
    aspect_table,
    best_models,
    dataset_titles,
    final_ranking,
    html_table,
    print_table,
    property_answer,
    property_points,
    score_matrix,
)
from tests.builders import METHODS


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


@pytest.mark.parametrize("table_of", [aspect_table, best_models])
def test_table_of_all_datasets_has_the_rows_of_each(demo, table_of):
    for dataset, part in table_of(demo).frame.groupby("dataset"):
        expected = table_of(demo, dataset).frame
        own = part.reset_index(drop=True)[[*expected]]
        pd.testing.assert_frame_equal(own, expected, check_dtype=False)
