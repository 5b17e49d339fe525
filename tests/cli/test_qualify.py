"""`srlib qualify`: the verdict in words, every way to misbehave, and files that go on from there."""

import numpy as np
import pandas as pd
import pytest

from srlib.cli.main import main
from srlib.judging.qualification import qualify_runs

pytestmark = pytest.mark.slow

MODULE = "tests.recording.estimators"


@pytest.fixture(name="folder", scope="module")
def folder_fixture(tmp_path_factory):
    """A PMLB folder: two small datasets, linear and not, one of 2,100 rows; a name as 666_rmftsa_ladata has one."""
    folder, generator = tmp_path_factory.mktemp("pmlb"), np.random.default_rng(5)
    for name, rows in (("line", 40), ("square", 40), ("long", 2100)):
        x = generator.uniform(-1, 1, (rows, 2))
        y = x[:, 0] + x[:, 1] if name != "square" else x[:, 0] ** 2
        (folder / name).mkdir()
        table = pd.DataFrame(
            {"a": x[:, 0], "b.LA": x[:, 1], "target": y + generator.normal(0, 0.01, rows)}
        )
        table.to_csv(folder / name / f"{name}.tsv.gz", sep="\t", index=False)
    return folder


def qualify(folder, out, estimator, *more):
    words = [
        "qualify",
        estimator,
        "--problems",
        str(folder),
        "--out",
        str(out),
        "--repetitions",
        "1",
        "--jobs",
        "2",
    ]
    return main([*words, *more])


def test_the_verdict_is_told_and_the_notebook_reads_the_runs(folder, tmp_path, capsys):
    assert qualify(folder, tmp_path / "q", "sklearn.neighbors:KNeighborsRegressor") == 0
    said = capsys.readouterr().out
    assert "does not qualify against LinearRegression, by mean_rank +0.000 (above 0" in said
    assert "on 2 of 3 datasets, 1 repetition" in said
    assert "better on 1, equal on 0, worse on 1 datasets" in said
    assert "not better on line: " in said
    assert "0 of 2 runs failed" in said
    result = qualify_runs(tmp_path / "q", folder, "judging-2022")
    assert result.counts == {"read": 4, "scored": 4, "excluded": 0}
    assert result.disputed == ["KNeighborsRegressor"]  # one won, one lost; but the better median
    table = pd.read_csv(tmp_path / "q" / "qualification.csv")
    assert table.columns.tolist()[:5] == ["method", "dataset", "median_r2", "baseline_r2", "better"]
    runs = pd.read_parquet(tmp_path / "q" / "runs.parquet")
    assert runs.loc[runs["method"] == "KNeighborsRegressor", "model"].isna().all()
    assert runs["status"].tolist() == ["ok"] * 4


@pytest.mark.parametrize(
    ("estimator", "reason"),
    [
        (f"{MODULE}:NoFit", "has no attribute 'fit'"),
        (f"{MODULE}:GivesNaN", "0 of them finite numbers"),
        (f"{MODULE}:Exits", "exited with code 0"),
    ],
)
def test_what_fails_is_counted_and_told(folder, tmp_path, capsys, estimator, reason):
    assert qualify(folder, tmp_path, estimator) == 1
    said = capsys.readouterr().out
    assert "does not qualify" in said
    assert "2 of 2 runs failed" in said
    assert reason in said


def test_wrong_calls_end_with_2(folder, tmp_path, capsys, monkeypatch):
    assert qualify(folder, tmp_path, "sklearn.linear_model") == 2
    assert (
        "PACKAGE:ESTIMATOR was expected, as in sklearn.linear_model:Lasso"
        in capsys.readouterr().err
    )
    monkeypatch.setenv("SRLIB_CACHE", str(tmp_path / "empty"))
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")  # nothing listens there
    assert main(["qualify", "sklearn.linear_model:Lasso", "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert "PMLB cannot be reached" in error
    assert "--cache" in error
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("estimator", "reason"),
    [
        ("nowhere.at.all:Estimator", "No module named 'nowhere'"),
        (f"{MODULE}:Absent", "has no attribute 'Absent'"),
    ],
)
def test_what_cannot_be_imported_ends_at_once(folder, tmp_path, capsys, estimator, reason):
    assert qualify(folder, tmp_path / "out", estimator) == 2
    error = capsys.readouterr().err
    assert reason in error and error.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_it_is_imported_before_any_data_are_read(tmp_path, capsys):
    text = "{schema: 1, name: p, problems: [{dataset: d, data: {train: gone.csv, test: rest.csv}}]}"
    (tmp_path / "p.yaml").write_text(text)
    for estimator, reason in (
        ("nowhere:Thing", "No module named 'nowhere'"),
        (f"{MODULE}:Good", "gone.csv"),
    ):
        assert qualify(tmp_path / "p.yaml", tmp_path / "out", estimator) == 2
        assert reason in capsys.readouterr().err


def test_a_dataset_without_a_usable_run_is_words(folder, tmp_path, capsys):
    assert qualify(folder, tmp_path, f"{MODULE}:FailsOnMany", "--all") == 0
    said = capsys.readouterr().out
    assert "not better on long: no usable run against" in said and "nan" not in said
