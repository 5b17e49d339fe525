"""Published tables are measures; tidy tables of all three contracts."""

import pandas as pd
import pytest

from srlib.comparing.benchmark import read_benchmark
from srlib.readers import read_results, read_runs
from tests.builders import refused

TABLE = "algorithm,dataset,r2_test,model_size\n*A,d,0.5,20.5\nB,d,0.25,3\n"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "table.csv"


def test_black_box_tables_become_measures(path):
    path.write_text(TABLE)
    table = read_results(path)
    assert (table.layout, table.kind) == ("srbench-csv", "measures")
    columns = ["method", "aspect", "repetition", "row", "value"]
    assert table.frame[columns].to_numpy().tolist() == [
        ["A", "r2_test", 0, 1, 0.5],
        ["B", "r2_test", 0, 2, 0.25],
        ["A", "complexity_raw", 0, 1, 20.5],
        ["B", "complexity_raw", 0, 2, 3],
    ]


def test_ground_truth_tables_have_noise_and_rates(path):
    path.write_text(
        "algorithm,dataset,target_noise,symbolic_solution_rate_(%),accuracy_solution\nA,d,0,50,1\nB,d,0.01,,0\n"
    )
    table = read_results(path).frame
    rate = table[table["aspect"] == "solution"].set_index(["method", "dataset"])["value"]
    assert rate.fillna(-1).to_dict() == {("A", "d@0"): 0.5, ("B", "d@0.01"): -1}


def test_a_bad_row_of_measures_is_a_line_and_the_others_count(path):
    """The row is that of the file, whatever the column. Of a value that is stated twice, differently, none counts."""
    path.write_text(TABLE.replace("20.5", "high") + "B,d,0.5,3\nC,d\nD,d,1,2,3\n")
    benchmark = read_benchmark(path)
    assert sorted(benchmark.ledger["detail"]) == [
        "no complexity_raw is stated",
        "no r2_test is stated",
        "r2_test is stated twice, as 0.25 here; none of the values counts",
        "r2_test is stated twice, as 0.5 here; none of the values counts",
        "row 1: value must be a number, got 'high'",
        "row 5: the line has 5 values, the header 4; a value with ',' in it needs quotes",
    ]
    assert benchmark.cells("r2_test").loc["d"].dropna().to_dict() == {"A": 0.5}
    path.write_text("method,dataset,repetition,aspect,value\nA,d,one,r2_test,1\n")
    with refused(r"table\.csv row 1: repetition must be a number, got 'one'"):
        read_results(path)


def test_a_feather_with_other_types_is_read_or_refused_by_name(tmp_path):
    runs = pd.DataFrame({"random_state": ["1", "2"], "r2_test": ["0.5", "nan"], "algorithm": "A"})
    runs = runs.assign(symbolic_model="x", dataset=pd.Categorical(["d", "d"]))

    def read(**changes):
        runs.assign(**changes).to_feather(tmp_path / "runs.feather")
        return read_runs(tmp_path / "runs.feather").frame

    assert read()[["repetition", "r2_test"]].fillna(-1).to_numpy().tolist() == [[1, 0.5], [2, -1]]
    assert read(random_state=[1.5, 2.0])["status"].tolist() == ["invalid", "ok"]
    assert read(random_state="1")["reason"].str.contains("stands in row 1; row 2").all()


def test_tidy_measures():
    table = pd.DataFrame({"method": ["A", "B"], "dataset": "d", "repetition": 0})
    results = read_results(table.assign(aspect="score@20s", value=[1.0, None]))
    assert (results.kind, results.layout) == ("measures", "tidy")
    assert results.frame["value"].fillna(-1).tolist() == [1, -1]


def test_srbench_tables(reference_data):
    folder = reference_data / "srbench"
    black_box = read_results(folder / "blackbox_results_datasets.csv").frame
    assert black_box.groupby("aspect").size().eq(2547).all()
    truth = read_results(folder / "groundtruth.csv").frame
    levels = truth["dataset"].str.rpartition("@")[2]
    assert (truth["method"].nunique(), levels.nunique()) == (14, 3)
