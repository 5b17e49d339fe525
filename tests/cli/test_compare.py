"""`srlib compare`: the design's columns, the switch for what is missing, and what it refuses."""

import numpy as np
import pandas as pd
import pytest

from srlib.cli.main import main

COLUMNS = [
    "method_a",
    "method_b",
    "n_datasets",
    "statistic",
    "p_value",
    "p_adjusted",
    "median_a",
    "median_b",
    "effect",
    "effect_low",
    "effect_high",
    "wins",
    "ties",
    "losses",
    "better",
    "n_groups",
    "smallest_p",
    "state",
    "why",
]


@pytest.fixture
def runs(tmp_path):
    """A beats B by 0.1 on ten datasets; C has half of them; D one value that is not finite and one size -1."""
    rows = [
        (method, f"d{i:02}", repetition, 0.5 + i / 100 + gain + repetition / 1000, 5)
        for method, gain, datasets in (
            ("A", 0.1, 10),
            ("B", 0.0, 10),
            ("C", 0.05, 5),
            ("D", 0.2, 10),
        )
        for i in range(datasets)
        for repetition in (1, 2, 3)
    ]
    table = pd.DataFrame(
        rows, columns=["method", "dataset", "repetition", "r2_test", "complexity_raw"]
    )
    table["model"] = "x"
    table.loc[table.index[-1], "r2_test"] = np.nan
    table.loc[table.index[-2], "r2_test"] = -1e91
    table.loc[table.index[-3], "complexity_raw"] = -1
    table.to_csv(tmp_path / "runs.csv", index=False)
    return tmp_path


def compared(folder, *words):
    assert (
        main(["compare", str(folder / "runs.csv"), "--out", str(folder / "compare.csv"), *words])
        == 0
    )
    table = pd.read_csv(folder / "compare.csv")
    return table.set_index(["method_a", "method_b"]), pd.read_csv(folder / "compare-ledger.csv")


def test_it_writes_the_columns_of_the_design(runs, capsys):
    table, ledger = compared(runs, "--metric", "r2_test", "--missing", "drop")
    assert list(table.reset_index()) == COLUMNS
    assert table.loc[("A", "B"), "n_datasets"] == 10
    assert table.loc[("A", "B"), "p_value"] == pytest.approx(2 / 2**10)
    # of three pairs with ten datasets
    assert table.loc[("A", "B"), "p_adjusted"] == pytest.approx(3 * 2 / 2**10)
    assert table.loc[("A", "B"), "median_a"] - table.loc[("A", "B"), "median_b"] == pytest.approx(
        0.1
    )
    assert table.loc[("A", "C"), ["n_datasets"]].tolist() == [5] and np.isnan(
        table.loc[("A", "C"), "p_value"]
    )
    said = capsys.readouterr().out
    assert (
        "105 runs read = 104 scored + 1 excluded" in said
        and "it takes at least 8 datasets" not in said
        and table.loc[("A", "C"), "why"] == "too few datasets"
    )
    assert ledger["code"].value_counts().to_dict() == {
        "missing_runs": 5,
        "nonfinite_r2": 1,
        "invalid_value": 1,
    }
    assert ledger.loc[ledger["code"] == "nonfinite_r2", "row"].tolist() == [105]
    assert (
        "complexity_raw cannot be -1.0"
        in ledger.loc[ledger["code"] == "invalid_value", "detail"].iloc[0]
    )


def test_the_four_documented_columns(tmp_path, capsys):
    """Without a metric one sentence; with the problems R2 is worked out, and every team's file is read or named."""
    (tmp_path / "t.csv").write_text("a,y\n" + "".join(f"{i},{i * i}\n" for i in range(9)))
    entries = "".join(
        f"  - {{dataset: d{i}, features: [a], data: {{test: t.csv}}}}\n" for i in range(7)
    )
    (tmp_path / "p.yaml").write_text(f"schema: 1\nname: p\nproblems:\n{entries}")
    (tmp_path / "teams").mkdir()
    for team, text in (("A", "a^2"), ("B", "8*a - 7"), ("C", "9")):
        rows = "".join(f"{team},d{i},1,{text}\n" for i in range(7))
        (tmp_path / "teams" / f"{team}.csv").write_text(f"method,dataset,repetition,model\n{rows}")
    (tmp_path / "teams" / "notes.xlsx").write_bytes(b"no sheet")
    words = [
        "compare",
        str(tmp_path / "teams"),
        "--metric",
        "r2_test",
        "--out",
        str(tmp_path / "c.csv"),
    ]
    assert main(words) == 2
    error = capsys.readouterr().err
    assert "metric 'r2_test' is in none of the tables" in error and error.count("\n") == 1
    assert main([*words, "--problems", str(tmp_path / "p.yaml")]) == 0
    said = capsys.readouterr().out
    assert "21 runs read = 21 scored" in said and "Not read: " in said and "notes.xlsx" in said
    assert "A has the highest median test R², 1.000 over 7 datasets." in said


def test_the_median_stands_above_one_enormous_value(runs):
    table, _ = compared(runs, "--metric", "r2_test")
    assert table.loc[("A", "D"), "median_b"] > table.loc[("A", "D"), "median_a"]


def test_what_is_missing_counts_as_told(runs):
    """C lacks d05 to d09; below 0 and below B's value there, and below the enormous one of D on d09."""
    table, ledger = compared(runs, "--metric", "r2_test", "--missing", "worst", "--adjust", "none")
    assert table.loc[("A", "C"), "n_datasets"] == 10
    filled = ledger[ledger["code"] == "missing_runs"]
    assert (
        filled["action"].eq("replaced").all()
        and filled["detail"].str.endswith("stands in (worst)").all()
    )
    assert table["p_adjusted"].equals(table["p_value"].rename("p_adjusted"))
    own = [0.552 + i / 100 for i in range(5)]
    rest = [0.0] * 4 + [-1e91]
    assert table.loc[("A", "C"), "median_b"] == pytest.approx(np.median(own + rest))


def test_measures_are_compared_too(runs):
    values = [("A", f"d{i}", 0, "score@20s", i + 1.0) for i in range(8)] + [
        ("B", f"d{i}", 0, "score@20s", float(i)) for i in range(8)
    ]
    columns = ["method", "dataset", "repetition", "aspect", "value"]
    pd.DataFrame(values, columns=columns).to_csv(runs / "runs.csv", index=False)
    table, _ = compared(runs, "--metric", "score@20s")
    assert table.loc[("A", "B"), "n_datasets"] == 8 and table.loc[("A", "B"), "p_value"] < 0.05


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--metric", "r3"], "metric 'r3' is in none of the tables; they hold r2_test"),
        (
            ["--metric", "r2_test", "--missing", "impute:Z"],
            "missing must be drop or worst; got 'impute:Z'",
        ),
        (["--metric", "r2_test", "--missing", "best"], "got 'best'"),
        (
            ["--metric", "r2_test", "--adjust", "fdr"],
            "'fdr' is not one of 'holm', 'bonferroni', 'none'",
        ),
    ],
)
def test_wrong_words_are_one_sentence(runs, capsys, words, said):
    assert main(["compare", str(runs / "runs.csv"), "--out", str(runs / "x.csv"), *words]) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1
    assert not (runs / "x.csv").exists()


def test_the_same_run_in_two_tables_is_an_error(runs, capsys):
    (runs / "again.csv").write_text((runs / "runs.csv").read_text())
    names = [str(runs / "runs.csv"), str(runs / "again.csv")]
    assert main(["compare", *names, "--metric", "r2_test", "--out", str(runs / "x.csv")]) == 2
    assert (
        "method A, dataset d00, repetition 1, aspect r2_test stands in two of the tables"
        in capsys.readouterr().err
    )


def test_names_stated_for_a_method_of_one_of_two_files(tmp_path, capsys, monkeypatch):
    """On house, `3*x1` is 3*area or 3*rooms; what is stated decides, whichever file the method is in."""
    monkeypatch.chdir(tmp_path)
    data = pd.DataFrame(np.random.default_rng(3).uniform(0, 2, (60, 2)), columns=["area", "rooms"])
    data.assign(y=3 * data["area"]).to_csv("house.csv", index=False)
    (tmp_path / "problems.yaml").write_text(
        "schema: 1\nname: own\ndata_root: .\nproblems: [{dataset: house, features: [area, rooms], target: y,"
        " data: {file: house.csv, train_share: 0.5}}]\n"
    )
    for team, text in (("a", "area"), ("b", "3*x1")):
        (tmp_path / f"{team}.csv").write_text(
            f"method,dataset,repetition,model\n{team},house,1,{text}\n"
        )
    call = [
        "compare",
        "a.csv",
        "b.csv",
        "--metric",
        "r2_test",
        "--problems",
        "problems.yaml",
        "--out",
        "c.csv",
    ]
    for base, r2 in (("x1", 1.0), ("x0", -1.0)):
        assert main([*call, "--names", f"b={base}"]) == 0
        row = pd.read_csv("c.csv").iloc[0]
        value = row["median_b"] if row["method_b"] == "b" else row["median_a"]
        assert value == pytest.approx(1.0) if r2 > 0 else value < 0
    assert main([*call, "--names", "c=x1"]) == 2
    assert "got 'c=x1'; methods are a" in capsys.readouterr().err
