"""Rows behind problems: released ones, seeds, files, splits, and what is said when they are not there."""

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import requests
from sklearn.model_selection import train_test_split

from srlib.problems import domain_of, load_problems, partitions
from tests.builders import each, refused

RELEASED = load_problems("synthetic-2022")


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Load a problem of features a and b, or of those that are stated, in a folder of one's own."""
    monkeypatch.chdir(tmp_path)

    def call(keys="", features="[a, b]"):
        entry = f"{{dataset: d, features: {features}{keys}}}"
        Path("p.yaml").write_text(f"schema: 1\nname: p\nproblems: [{entry}]\n")
        return load_problems("p.yaml").problems[0]

    return call


@pytest.mark.parametrize("problem", RELEASED.problems, ids=lambda problem: problem.dataset)
def test_released_file_is_reproduced(problem, reference_data):
    for seed in problem.data_seeds:
        rows = partitions(problem, seed)
        for name, part in (("train", rows.train), ("test", rows.test)):
            file = f"{seed}_{problem.dataset}_data_{name}.csv.gz"
            released = pd.read_csv(reference_data / "competition2022/synthetic" / file)
            assert tuple(released.columns) == (*problem.features, "y")
            values = np.column_stack([part.X, part.y])
            np.testing.assert_allclose(values, released.to_numpy(), rtol=0, atol=1e-9)


def test_files_are_read_by_seed_and_columns_by_name(load):
    Path("7_train.csv.gz").write_bytes(gzip.compress(b"b,a,y\n1,2,3\n"))
    Path("7_test.csv.gz").write_bytes(gzip.compress(b"b,a,y\n4,5,6\n7,8,9\n"))
    data = ', data: {train: "{data_seed}_train.csv.gz", test: "{data_seed}_test.csv.gz"}'
    rows = partitions(load(data), 7)
    assert (rows.features, rows.extrapolation) == (("a", "b"), None)
    assert rows.train.X.tolist() == [[2, 1]]
    assert (rows.test.X.tolist(), rows.test.y.tolist()) == ([[5, 4], [8, 7]], [6, 9])
    with pytest.raises(ValueError, match="read-only"):
        rows.test.X[0, 0] = 1


# lines of t.csv, keys, features, and the sentence that comes
FAULTS = r"""
- | data: {test: t.csv} | [a] | key 'data.test': .*t.csv does not exist
- | data: {file: t.csv} | [a] | key 'data.file': .*t.csv does not exist
b,y / 1,2 | data: {test: t.csv} | [a] | test rows: column 'a' is missing; got b, y
a,y / x,2 | data: {test: t.csv} | [a] | in every cell, got 'x' in row 1, column 'a'
a,y | data: {test: t.csv} | [a] | test rows: at least one row was expected
 | data: {test: t.csv} | [a] | t.csv cannot be read as CSV
a,y / 1,2,3 | data: {test: t.csv} | [a] | t.csv cannot be read as CSV
a,y / ,1 / ,2 | data: {file: t.csv} | [a] | got 'nan' in row \d, column 'a'
y,b,when / 1,2,2024-01-01 | target: y, data: {test: t.csv} | [] | got '2024-01-01' in row 1, column 'when'
a,y / 1,2 | data: {file: t.csv, train_share: 0.01} | [a] | train rows: at least one row was expected
- | data: {generator: noise_2022, arguments: {ratio: 0, ration: 0.1}} | [a] | noise_2022: .* argument 'ration'
- | data: {generator: noise_2022, arguments: {ratio: high}} | [a] | generator noise_2022: unsupported operand
- | data: {generator: noise_2022, arguments: {ratio: 1}} | [a] | generator noise_2022: division by zero
- | data_seeds: [7, 8], data: {file: t.csv} | [a] | data_seed must be one of 7, 8, got 5
"""


@each("content keys features message", FAULTS)
def test_fault_of_data_is_named(load, content, keys, features, message):
    if content != "-":
        Path("t.csv").write_text(content.replace(" / ", "\n"))
    with refused(f"dataset d.*{message}"):
        partitions(load(f", {keys}", features), 5)


def test_problem_without_data_has_no_partitions(load):
    problem = load(", domain: {a: [0, 9]}")
    assert partitions(problem, 1) is None
    assert domain_of(problem) == {"a": (0, 9), "b": (1, 5)}


def test_pmlb_data_are_split_as_scikit_learn_does(tmp_path):
    (tmp_path / "tiny").mkdir()
    table = "a\ttarget\n" + "".join(f"{i}\t{2 * i}\n" for i in range(8))
    (tmp_path / "tiny/tiny.tsv.gz").write_bytes(gzip.compress(table.encode()))
    problem = load_problems(tmp_path).find("tiny")
    rows = partitions(problem, 3)
    parts = train_test_split(range(8), train_size=0.75, random_state=3)
    assert [rows.train.X.ravel().tolist(), (rows.test.y / 2).tolist()] == parts
    with refused("data_seed is needed"):
        partitions(problem)


def test_dataset_that_cannot_be_reached_gets_advice(load, monkeypatch):
    def offline(*_, **__):
        raise requests.ConnectionError("no route")

    monkeypatch.setattr(requests, "get", offline)
    message = "192_vineyard is not in .* PMLB cannot be reached; where there is a connection"
    with refused(message):
        partitions(load(", data: {pmlb: 192_vineyard}"), 1)


def test_keys_that_came_later_change_no_digest_where_they_are_left_out():
    """The digest of 2022's task is part of every assessment that was made: it stands."""
    assert RELEASED.find("noise_easy").digest == "9c6bc8f0c8557bab589066d758c443c1"
