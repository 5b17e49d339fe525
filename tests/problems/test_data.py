"""Rows behind problems: seeds, files, splits, and what is said when they are not there."""

import gzip
import subprocess
import sys

import numpy as np
import pytest
import requests
from sklearn.model_selection import train_test_split

from srlib.errors import InputError
from srlib.problems import domain_of, load_problems, partitions


def problem_with(tmp_path, data, extra=""):
    path = tmp_path / "p.yaml"
    path.write_text(
        f"schema: 1\nname: p\nproblems:\n  - {{dataset: d, features: [a, b], data: {data}{extra}}}\n"
    )
    return load_problems(path).problems[0]


def write(path, rows):
    with gzip.open(path, "wt") as stream:
        stream.write("b,a,y\n" + "".join(f"{b},{a},{y}\n" for b, a, y in rows))


DIGEST = "9c6bc8f0c8557bab589066d758c443c1"
FILES = '{train: "{data_seed}_train.csv.gz", test: "{data_seed}_test.csv.gz"}'


def test_files_are_read_by_seed_and_columns_by_name(tmp_path):
    write(tmp_path / "7_train.csv.gz", [(1, 2, 3)])
    write(tmp_path / "7_test.csv.gz", [(4, 5, 6), (7, 8, 9)])
    rows = partitions(problem_with(tmp_path, FILES), 7)
    assert rows.features == ("a", "b")
    assert rows.train.X.tolist() == [[2, 1]]
    assert rows.test.X.tolist() == [[5, 4], [8, 7]]
    assert rows.test.y.tolist() == [6, 9]
    assert rows.extrapolation is None
    with pytest.raises(ValueError, match="read-only"):
        rows.test.X[0, 0] = 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "does not exist"),
        ("b,y\n1,2\n", "column 'a' is missing; got b, y"),
        (
            "a,b,y\n1,x,2\n",
            "finite number was expected in every cell, got 'x' in row 1, column 'b'",
        ),
        ("a,b,y\n", "at least one row was expected"),
        ("", "cannot be read as CSV"),
    ],
)
def test_a_bad_file_is_named(tmp_path, content, message):
    if content is not None:
        (tmp_path / "t.csv").write_text(content)
    with pytest.raises(InputError, match=message) as caught:
        partitions(problem_with(tmp_path, "{test: t.csv}"))
    assert "dataset d" in str(caught.value)


def test_an_unknown_seed_is_named_with_those_allowed():
    problem = load_problems("synthetic-2022").find("noise_easy")
    with pytest.raises(InputError, match="noise_easy: data_seed must be one of 2082, 3946.*got 1"):
        partitions(problem, 1)
    with pytest.raises(InputError, match="got None"):
        partitions(problem)


def test_without_data_there_are_no_partitions(tmp_path):
    path = tmp_path / "p.yaml"
    path.write_text(
        "schema: 1\nname: p\nproblems: [{dataset: d, features: [a, b], domain: {a: [0, 9]}}]\n"
    )
    problem = load_problems(path).problems[0]
    assert partitions(problem, 1) is None
    assert domain_of(problem) == {"a": (0, 9), "b": (1, 5)}


def test_wrong_arguments_of_a_generator_are_named(tmp_path):
    for arguments, sentence in {
        "{ratio: 0, ration: 0.1}": ".*unexpected keyword argument 'ration'",
        "{}": ".*missing .* argument: 'ratio'",
        "{ratio: high}": "unsupported operand",
        "{ratio: 1}": "division by zero",
    }.items():
        problem = problem_with(tmp_path, f"{{generator: noise_2022, arguments: {arguments}}}")
        with pytest.raises(InputError, match=f"dataset d: generator noise_2022: {sentence}"):
            partitions(problem, 1)


def pmlb_folder(tmp_path):
    (tmp_path / "tiny").mkdir()
    rows = "".join(f"{i}\t{-i}\t{2 * i}\n" for i in range(8))
    with gzip.open(tmp_path / "tiny" / "tiny.tsv.gz", "wt") as stream:
        stream.write("a\tb\ttarget\n" + rows)


def test_pmlb_data_are_split_as_scikit_learn_does(tmp_path):
    pmlb_folder(tmp_path)
    problem = load_problems(tmp_path).find("tiny")
    rows = partitions(problem, 3)
    train, test = train_test_split(np.arange(8.0), train_size=0.75, random_state=3)
    assert rows.train.X[:, 0].tolist() == train.tolist()
    assert rows.test.y.tolist() == (2 * test).tolist()
    with pytest.raises(InputError, match="data_seed is needed"):
        partitions(problem)


def test_offline_and_uncached_gives_advice(tmp_path, monkeypatch):
    def offline(*_, **__):
        raise requests.ConnectionError("no route")

    monkeypatch.setattr(requests, "get", offline)
    with pytest.raises(
        InputError,
        match=r"192_vineyard is not in .* PMLB cannot be reached; where there is a connection",
    ):
        partitions(problem_with(tmp_path, "{pmlb: 192_vineyard}"), 1)


CARS = "price,when,colour,mass,speed\n" + "".join(
    f"{10 * i},2024-01-{i + 1:02},{'red' if i % 2 else 'light blue'},{'' if i == 3 else i},{i + 0.5}\n"
    for i in range(12)
)


def cars(tmp_path, data, extra=""):
    (tmp_path / "cars.csv").write_text(CARS)
    (tmp_path / "p.yaml").write_text(
        "schema: 1\nname: p\nproblems:\n"
        f"  - {{dataset: cars, target: price, data_seeds: [5], data: {data}{extra}}}\n"
    )
    return load_problems(tmp_path / "p.yaml").problems[0]


@pytest.mark.parametrize(
    ("data", "extra", "said"),
    [
        ("{file: cars.csv}", ", features: [mass]", "got 'nan' in row 4, column 'mass'"),
        ("{file: cars.csv}", "", r"got '2024-01-\d\d' in row \d+, column 'when'"),
        (
            "{file: cars.csv, train_share: 0.01}",
            ", features: [speed]",
            "train rows: at least one row was expected, got none",
        ),
        ("{file: cars.csv, train: cars.csv}", "", "exactly one of"),
        ("{file: none.csv}", ", features: [mass]", "key 'data.file': .*none.csv does not exist"),
    ],
)
def test_what_a_data_file_holds_is_used_or_refused_by_name(tmp_path, data, extra, said):
    with pytest.raises(InputError, match=said):
        partitions(cars(tmp_path, data, extra), 5)


def test_keys_that_came_later_change_no_digest_where_they_are_left_out():
    """The digest of 2022's task is part of every assessment that was made: it stands."""
    problem = load_problems("synthetic-2022").find("noise_easy")
    assert problem.digest == DIGEST


def test_rows_are_split_without_importing_scikit_learn(tmp_path):
    """Its import would take a second in each of the processes that measure models."""
    cars(tmp_path, "{file: cars.csv}", ", features: [speed]")
    code = (
        "import sys; from srlib.problems import load_problems, partitions; "
        "partitions(load_problems(sys.argv[1]).problems[0], 5); print('sklearn' in sys.modules)"
    )
    words = [sys.executable, "-c", code, str(tmp_path / "p.yaml")]
    assert subprocess.run(words, capture_output=True, text=True).stdout == "False\n"
