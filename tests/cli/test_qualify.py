"""`srlib qualify`: the verdict in words, every way to misbehave, and files that go on from there."""

import numpy as np
import pandas as pd
import pytest

from srlib.competition import Competition
from tests.builders import each

pytestmark = pytest.mark.slow

MODULE = "tests.tools.recording.estimators"


@pytest.fixture(scope="module")
def pmlb(tmp_path_factory):
    """A PMLB folder: two small datasets, linear and not, one of 2,100 rows; a name as 666_rmftsa_ladata has one."""
    folder, generator = tmp_path_factory.mktemp("pmlb"), np.random.default_rng(5)
    for name, rows in (("line", 40), ("square", 40), ("long", 2100)):
        a, b = generator.uniform(-1, 1, (2, rows))
        target = (a**2 if name == "square" else a + b) + generator.normal(0, 0.01, rows)
        (folder / name).mkdir()
        table = pd.DataFrame({"a": a, "b.LA": b, "target": target})
        table.to_csv(folder / name / f"{name}.tsv.gz", sep="\t", index=False)
    return folder


@pytest.fixture
def qualify(call, pmlb):
    """Qualify an estimator on the PMLB folder; give the exit code and what was said."""

    def run(estimator, problems=pmlb, words=""):
        options = f"--problems {problems} --out q --repetitions 1 --jobs 2"
        code, output, error = call(f"qualify {estimator} {options} {words}")
        return code, output + error

    return run


def test_verdict_is_printed_and_the_runs_can_be_qualified_again(qualify, pmlb, tmp_path):
    code, output = qualify("sklearn.neighbors:KNeighborsRegressor")
    for sentence in (
        "does not qualify against LinearRegression, by mean_rank +0.000 (above 0",
        "on 2 of 3 datasets, 1 repetition",
        "better on 1, equal on 0, worse on 1 datasets",
        "not better on line: ",
        "0 of 2 runs failed",
    ):
        assert code == 0 and sentence in output
    result = Competition.read(tmp_path / "q", pmlb).qualify()
    assert result.counts == {"read": 4, "scored": 4, "excluded": 0}
    assert result.disputed == ["KNeighborsRegressor"]  # one won, one lost; but the better median


METHOD = "{name: own, estimator: EST, model: {text: participant}}"


@each(
    "file text",
    f"""
own/regressor.py | from {MODULE} import Good\\nest, model = Good(), lambda est: est.text_
own.yaml | {{schema: 1, methods: [{METHOD}]}}
""",
)
def test_file_of_one_method_is_qualified(qualify, file, text, tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / file).write_text(text.replace("EST", f"'{MODULE}:Good'"))
    code, output = qualify(file)
    assert code == 0 and "own does not qualify against LinearRegression" in output
    (tmp_path / "own.yaml").write_text(f"{{schema: 1, methods: [{METHOD}, {METHOD}]}}")
    assert qualify("own.yaml")[0] == 2


@each(
    "estimator words code sentences",
    """
GivesNaN | | 1 | does not qualify # 2 of 2 runs failed # 0 of them finite numbers
FailsOnMany | --all | 0 | not better on long: no usable run against
""",
)
def test_failed_runs_are_counted_and_described(estimator, words, code, sentences, qualify):
    ended, output = qualify(f"{MODULE}:{estimator}", words=words)
    assert ended == int(code) and "nan" not in output
    assert all(sentence in output for sentence in sentences.split(" # "))


@each(
    "estimator sentence",
    """
nowhere.at.all:Estimator | No module named 'nowhere'
tests.tools.recording.estimators:Absent | has no attribute 'Absent'
tests.tools.recording.estimators:Good | gone.csv
""",
)
def test_estimator_is_imported_before_data_are_read(estimator, sentence, qualify, tmp_path):
    text = "{schema: 1, name: p, problems: [{dataset: d, data: {train: gone.csv, test: rest.csv}}]}"
    (tmp_path / "p.yaml").write_text(text)
    code, error = qualify(estimator, "p.yaml")
    assert code == 2 and sentence in error and error.count("\n") == 1
    assert not (tmp_path / "q").exists()


def test_error_without_a_network_names_the_option(call, tmp_path, monkeypatch):
    monkeypatch.setenv("SRLIB_CACHE", str(tmp_path / "empty"))
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")  # nothing listens there
    code, _, error = call("qualify sklearn.linear_model:Lasso --out q")
    assert code == 2 and "PMLB cannot be reached" in error and "--cache" in error
    assert not (tmp_path / "q").exists()
