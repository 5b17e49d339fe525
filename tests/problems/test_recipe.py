"""The small language for new tasks: what it draws, what follows from it, what it refuses."""

import numpy as np
import pytest

from srlib.errors import InputError
from srlib.problems import load_problems, partitions

TEXT = """
schema: 1
name: own
problems:
  - dataset: d
    property: local_optima
    truth: "a*x1 + log(x2)"
    noise_level: 0.1
    data_seeds: [1, 2]
    data:
      generator: formula
      arguments:
        features: {a: [integers, 1, 3], x1..x3: [uniform, 1, 5], g: [grid, 0, 1]}
        surrogates: {s: "a*x1"}
        test: {x3: [normal, 100, 1]}
        extrapolation: {x1: [loguniform, 5, 8], g: [uniform, 0, 2]}
        rows: {train: 400, test: 600, extrapolation: 300}
"""


def load(tmp_path, text=TEXT):
    path = tmp_path / "own.yaml"
    path.write_text(text)
    return load_problems(path)


def test_rows_are_drawn_as_stated(tmp_path):
    rows = partitions(load(tmp_path).find("d"), 1)
    parts = [rows.train, rows.test, rows.extrapolation]
    assert [part.X.shape for part in parts] == [(400, 6), (600, 6), (300, 6)]
    for part in parts:
        assert set(part.X[:, 0]) == {1, 2, 3}
    assert rows.train.X[:, 4].tolist() == np.linspace(0, 1, 400).tolist()
    assert rows.train.X[:, 1:4].min() > 1 and rows.train.X[:, 1:4].max() < 5
    assert rows.test.X[:, 3].mean() == pytest.approx(100, abs=0.2)
    assert rows.extrapolation.X[:, 1].min() > 5 and rows.extrapolation.X[:, 1].max() < 8
    again, other = (partitions(load(tmp_path).find("d"), seed) for seed in (1, 2))
    assert again.sha256 == rows.sha256 != other.sha256


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "log(x2)",
            "log(x2",
            "dataset d: the truth cannot be read: .*'a\\*x1 \\+ log\\(x2'",
        ),
        ("log(x2)", "__import__('os').system('x')", "the truth cannot be read"),
        (
            "log(x2)",
            "log(x2 - 9)",
            "dataset d: generator formula: .*x2 - 9.* is not finite on 1300 of 1300 rows",
        ),
        (
            "rows:",
            "ratio: 1.5\n        rows:",
            "key 'data.arguments': key 'ratio': input should be less than 1, got 1.5",
        ),
        ("surrogates: {s: ", "surrogates: {t: s, s: ", "generator formula: a feature .* expected, got 's'"),
        ("[uniform, 1, 5]", "[uniform, 5, 1]", "x1..x3: uniform needs low < high"),
        ("[loguniform, 5, 8]", "[loguniform, 0, 8]", "loguniform: low > 0"),
        ("test: {x3", "test: {x9", "test and extrapolation: 'x9' is not in features"),
        ("features: {a:", "features: {y: [grid, 0, 1], a:", "target 'y' is also in features"),
        ("test: 600", "test: 1", "'rows.test': input should be greater than or equal to 2, got 1"),
        (
            "surrogates:",
            "surogates:",
            "unknown key 'surogates'; allowed: extrapolation, features, formula",
        ),
    ],
)
def test_a_fault_is_one_sentence_with_the_file_or_the_dataset(tmp_path, old, new, message):
    assert old in TEXT
    with pytest.raises(InputError, match=message) as caught:
        partitions(load(tmp_path, TEXT.replace(old, new, 1)).find("d"), 1)
    assert "own.yaml" in str(caught.value) or "dataset d" in str(caught.value)
    assert "\n" not in str(caught.value)
