"""`srlib compare`: the design's columns, the switch for what is missing, and what it refuses."""

import numpy as np
import pandas as pd
import pytest

from srlib.cli.main import main

COLUMNS = ["method_a", "method_b", "n_units", "p_value", "p_adjusted", "effect", "effect_low", "effect_high", "wins",
           "ties", "losses", "better", "state"]  # fmt: skip


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


def test_every_dataset_is_a_unit_where_asked(runs, capsys):
    table = pd.read_csv(runs / "runs.csv")
    table["dataset"] = "5_fri_" + table["dataset"]
    table.to_csv(runs / "runs.csv", index=False)
    related, _ = compared(runs, "--metric", "r2_test")
    assert related["n_units"].tolist() == [1] * 6 and related["p_value"].isna().all()
    assert "1 source is too few for a test." in capsys.readouterr().out
    alone, _ = compared(runs, "--metric", "r2_test", "--related", "none")
    assert alone["n_units"].tolist() == [10] * 6


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["--metric", "r3"],
            "metric 'r3' is in none of the tables; they hold accuracy_solution, complexity_raw, r2_test",
        ),
        (
            ["--metric", "r2_test", "--missing", "drop"],
            "No such option: --missing",
        ),
        (["--metric", "r2_test", "--related", "all"], "'all' is not one of '', 'none'"),
        (
            ["--metric", "r2_test", "--repetitions", "0"],
            "repetitions: a number from 1 on was expected, got 0",
        ),
    ],
)
def test_wrong_words_are_one_sentence(runs, capsys, words, said):
    assert main(["compare", str(runs / "runs.csv"), "--out", str(runs / "x.csv"), *words]) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1
    assert not (runs / "x.csv").exists()


def test_texts_alone_hold_no_metric(runs, capsys):
    table = pd.read_csv(runs / "runs.csv").drop(columns=["r2_test", "complexity_raw"])
    table.to_csv(runs / "runs.csv", index=False)
    test_wrong_words_are_one_sentence(runs, capsys, ["--metric", "r2_test"], "hold no metric; with")


def test_the_same_run_in_two_tables_is_an_error(runs, capsys):
    (runs / "again.csv").write_text((runs / "runs.csv").read_text())
    names = [str(runs / "runs.csv"), str(runs / "again.csv")]
    assert main(["compare", *names, "--metric", "r2_test", "--out", str(runs / "x.csv")]) == 2
    assert "hold the same run: method 'A', dataset 'd00', repetition 1" in capsys.readouterr().err
