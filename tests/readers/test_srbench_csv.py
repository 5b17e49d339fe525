"""Published tables are measures; tidy tables of all three contracts."""

import pandas as pd
import pytest

from srlib.errors import InputError
from srlib.readers import read_results, read_runs


def published(path, **changes):
    table = pd.DataFrame(
        {
            "algorithm": ["*A", "B"],
            "dataset": ["d", "d"],
            "r2_test": [0.5, 0.25],
            "model_size": [20.5, 3.0],
        }
    )
    table.assign(**changes).to_csv(path / "table.csv", index=False)
    return path / "table.csv"


def test_black_box_tables_become_measures(tmp_path):
    table = read_results(published(tmp_path))
    assert table.layout == "srbench-csv" and table.kind == "measures"
    value = table.frame.set_index(["method", "aspect"])["value"]
    assert value.to_dict() == {
        ("A", "r2_test"): 0.5, ("B", "r2_test"): 0.25, ("A", "complexity_raw"): 20.5, ("B", "complexity_raw"): 3.0,
    }  # fmt: skip
    assert table.frame["repetition"].eq(0).all() and table.frame["row"].tolist() == [1, 2, 1, 2]


def test_ground_truth_tables_have_noise_and_rates(tmp_path):
    rates = {
        "target_noise": [0.0, 0.01],
        "symbolic_solution_rate_(%)": [50.0, ""],
        "accuracy_solution": [1.0, 0.0],
    }
    table = read_results(published(tmp_path, **rates)).frame
    assert table["dataset"].unique().tolist() == ["d@0", "d@0.01"]
    rate = table[table["aspect"] == "solution"].set_index("method")["value"]
    assert rate["A"] == 0.5 and pd.isna(rate["B"])


def test_two_rows_of_one_cell_are_an_error(tmp_path):
    with pytest.raises(
        InputError, match=r"method A, dataset d, repetition 0, aspect r2_test appears twice"
    ):
        read_results(published(tmp_path, algorithm=["*A", "A"]))


def test_values_that_are_no_numbers_are_named(tmp_path):
    with pytest.raises(InputError, match=r"table\.csv row 2: value must be a number, got 'high'"):
        read_results(published(tmp_path, r2_test=[0.5, "high"]))


def test_a_feather_with_other_types_is_read_or_refused_by_name(tmp_path):
    runs = pd.DataFrame(
        {"algorithm": ["A", "A"], "dataset": ["d", "d"], "random_state": ["1", "2"], "symbolic_model": ["x", "y"],
         "r2_test": ["0.5", "nan"], "model_size": [3.0, -1.0]}
    )  # fmt: skip
    path = tmp_path / "runs.feather"
    runs.astype({"algorithm": "category", "dataset": "category"}).to_feather(path)
    frame = read_runs(path).frame
    assert frame["repetition"].tolist() == [1, 2] and frame["r2_test"].tolist()[0] == 0.5
    runs.assign(random_state=[1.5, 2.0]).to_feather(path)
    assert read_runs(path).frame["status"].tolist() == ["invalid", "ok"]
    runs.assign(random_state="1").to_feather(path)
    assert read_runs(path).frame["reason"].str.contains("stands in row 1; row 2").all()


@pytest.mark.parametrize("suffix", ["csv", "parquet", "feather"])
def test_tidy_measures(tmp_path, suffix):
    table = pd.DataFrame(
        {
            "method": ["A", "B"],
            "dataset": "d",
            "repetition": 0,
            "aspect": "score@20s",
            "value": [1.0, None],
        }
    )
    path = tmp_path / f"measures.{suffix}"
    getattr(table, f"to_{suffix}")(path, **({} if suffix == "feather" else {"index": False}))
    found = read_results(path)
    assert (
        found.kind == "measures"
        and found.layout == "tidy"
        and found.frame["value"].isna().tolist() == [False, True]
    )


def test_srbench_tables(reference_data):
    folder = reference_data / "srbench"
    black_box = read_results(folder / "blackbox_results_datasets.csv").frame
    assert black_box.groupby("aspect").size().eq(2547).all()
    truth = read_results(folder / "groundtruth.csv").frame
    assert (
        truth["method"].nunique() == 14 and truth["dataset"].str.rpartition("@")[2].nunique() == 3
    )
