"""The small language for new tasks: what it draws, what it refuses, and the files that are written."""

from pathlib import Path

import numpy as np
import pytest

from srlib.problems import load_problems, partitions
from srlib.problems.problem_file import generate, write_public
from tests.builders import each, refused

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


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Load a problem file of this text, in a folder of one's own."""
    monkeypatch.chdir(tmp_path)

    def call(text):
        Path("own.yaml").write_text(text)
        return load_problems("own.yaml")

    return call


def test_rows_are_drawn_as_stated(load):
    problem = load(TEXT).find("d")
    rows = partitions(problem, 1)
    order = [problem.features.index(name) for name in ("a", "x1", "x2", "x3", "g", "s")]
    assert order[:5] == sorted(order[:5]) and order[5] < 5  # the surrogate is among the features
    train, test, far = (part.X[:, order] for part in (rows.train, rows.test, rows.extrapolation))
    assert (len(train), len(test), len(far)) == (400, 600, 300)
    assert {*train[:, 0]} == {*far[:, 0]} == {1, 2, 3}
    assert train[:, 4].tolist() == np.linspace(0, 1, 400).tolist()
    uniform, loguniform = train[:, 1:4], far[:, 1]
    assert uniform.min() > 1 and uniform.max() < 5 < loguniform.min() and loguniform.max() < 8
    assert test[:, 3].mean() == pytest.approx(100, abs=0.2)
    again, other = (partitions(load(TEXT).find("d"), seed) for seed in (1, 2))
    assert again.sha256 == rows.sha256 != other.sha256


# what is replaced in the text, by what, and the sentence that comes
FAULTS = r"""
log(x2) | log(x2 | dataset d: the truth cannot be read: .*'a\*x1 \+ log\(x2'
log(x2) | __import__('os').system('x') | the truth cannot be read
log(x2) | log(x2 - 9) | dataset d: generator formula: .*x2 - 9.* is not finite on 1300 of 1300 rows
surrogates: {s: "a*x1"} | ratio: 1.5 | key 'data.arguments': key 'ratio': input should be less than 1, got 1.5
surrogates: {s: | surrogates: {t: s, s: | generator formula: a feature .* expected, got 's'
[uniform, 1, 5] | [uniform, 5, 1] | x1..x3: uniform needs low < high
[loguniform, 5, 8] | [loguniform, 0, 8] | loguniform: low > 0
test: {x3 | test: {x9 | test and extrapolation: 'x9' is not in features
features: {a: | features: {y: [grid, 0, 1], a: | target 'y' is also in features
test: 600 | test: 1 | 'rows.test': input should be greater than or equal to 2, got 1
surrogates: | surogates: | unknown key 'surogates'; allowed: extrapolation, features, formula
"""


@each("old new message", FAULTS)
def test_fault_of_a_recipe_is_one_sentence_with_the_file_or_the_dataset(load, old, new, message):
    assert old in TEXT
    with refused(message) as caught:
        partitions(load(TEXT.replace(old, new, 1)).find("d"), 1)
    assert "own.yaml" in str(caught.value) or "dataset d" in str(caught.value)


NO_DATA = TEXT.partition("    data:\n")[0].replace(
    "    truth", "    features: [a, x1, x2]\n    truth"
)
UNWRITTEN = {
    "dataset d: a data_seed is needed to make or split": TEXT.replace(
        "    data_seeds: [1, 2]\n", ""
    ),
    "dataset ../d: .*cannot hold a slash": TEXT.replace("dataset: d", "dataset: ../d"),
    "own.yaml: dataset d: there is no key 'data'": NO_DATA,
}


@pytest.mark.parametrize("message", UNWRITTEN)
def test_what_cannot_be_written_is_refused(load, message):
    with refused(message):
        generate(load(UNWRITTEN[message]), "out")
    assert not Path("out").exists()


FILES = "data: {train: train.csv, test: ./train.csv}"


def test_files_that_are_the_same_for_all_repetitions_are_written_once(load):
    """And the features that matter follow from the truth, where the property asks for them."""
    Path("train.csv").write_text("x,z,y\n1,5,2\n2,6,4\n")
    entry = f"{{dataset: d, property: relevant_features, truth: 2*x, {FILES}}}"
    own = load(f"schema: 1\nname: own\nproblems: [{entry}]\n")
    assert (own.find("d").relevant, own.find("d").irrelevant) == (("x",), ("z",))
    again = load_problems(generate(own, "out"))
    names = {path.name for path in Path("out").glob("*.csv")}
    assert names == {"d_data_train.csv", "d_data_test.csv"}
    assert partitions(again.find("d")).sha256 == partitions(own.find("d")).sha256


def test_nothing_is_left_behind_where_a_dataset_cannot_be_read(load):
    Path("train.csv").write_text("x,y\n1,2\n")
    entries = f"{{dataset: d, {FILES}}}, {{dataset: e, features: [x], target: z, {FILES}}}"
    own = load(f"schema: 1\nname: own\nproblems: [{entries}]\n")
    with refused("dataset e, train rows: column 'z' is missing"):
        write_public(own, "public.yaml")
    assert {path.name for path in Path().iterdir()} == {"own.yaml", "train.csv"}
