"""Rows behind problems: seeds, files, splits, and what is said when they are not there."""

import gzip
import os
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


def test_an_edited_file_is_read_again(tmp_path):
    problem = problem_with(tmp_path, "{test: t.csv}")
    for value in (1, 2):
        (tmp_path / "t.csv").write_text(f"a,b,y\n0,0,{value}\n")
        os.utime(tmp_path / "t.csv", (value, value))
        assert partitions(problem).test.y.tolist() == [value]


def test_the_domain_is_what_the_data_show(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,y\n1,7,2\n-3,7,2\n")
    assert domain_of(problem_with(tmp_path, "{test: t.csv}")) == {"a": (-3, 1), "b": (6, 8)}


def test_wrong_arguments_of_a_generator_are_named(tmp_path):
    for arguments, sentence in {
        "{ratio: 0, ration: 0.1}": "unknown key 'ration'; allowed: ratio",
        "{}": "key 'ratio' is missing",
        "{ratio: high}": "key 'ratio': input should be a valid number.*got 'high'",
        "{ratio: 1}": "key 'ratio': input should be less than 1, got 1",
    }.items():
        with pytest.raises(
            InputError, match=f"p.yaml: dataset d, key 'data.arguments': {sentence}"
        ):
            problem_with(tmp_path, f"{{generator: noise_2022, arguments: {arguments}}}")


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


def test_an_own_data_root_counts(tmp_path):
    pmlb_folder(tmp_path)
    path = tmp_path / "p.yaml"
    path.write_text(
        "schema: 1\nname: p\ndata_root: elsewhere\nproblems: [{dataset: d, data: {pmlb: tiny}}]\n"
    )
    assert load_problems(path, data_root=tmp_path).problems[0].features == ("a", "b")


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


def test_one_file_is_split_by_the_seed_and_the_target_may_have_any_name_and_place(tmp_path):
    """Twelve rows; the seed decides which are for training."""
    problem = cars(tmp_path, "{file: cars.csv, train_share: 0.75}", ", features: [speed]")
    rows = partitions(problem, 5)
    kept = train_test_split(np.arange(12), train_size=0.75, random_state=5)
    assert [part.y.tolist() for part in (rows.train, rows.test)] == [
        [10.0 * i for i in part] for part in kept
    ]
    assert rows.train.X.tolist() == [[i + 0.5] for i in kept[0]]
    with pytest.raises(InputError, match="data_seed must be one of 5, got None"):
        partitions(problem)


@pytest.mark.parametrize(
    ("data", "extra", "said"),
    [
        ("{file: cars.csv}", ", features: [mass]", "got 'nan' in row 4, column 'mass'; 1 rows"),
        ("{file: cars.csv}", "", r"got '2024-01-\d\d' in row \d+, column 'when'"),
        (
            "{file: cars.csv, train_share: 0.01}",
            ", features: [speed]",
            "the split: 12 rows are too few to be split",
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


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("a,y\n0.5,1.5\n2,3\n", None),
        ("a;y\n0,5;1,5\n2;3\n", "separated by commas, and numbers with decimal points"),
        ("a,b,y\n1,2,3\n,2,3\n1,,3\n", "got 'nan' in row 2, column 'a'; 2 rows"),
        ("version https://git-lfs.github.com/spec/v1\noid 0\n", "Git LFS pointer"),
    ],
)
def test_data_as_people_keep_them(content, said, tmp_path):
    (tmp_path / "rows.csv").write_text(content)
    path = tmp_path / "p.yaml"
    path.write_text(
        "schema: 1\nname: p\nproblems:\n  - {dataset: d, property: solution, data: {test: rows.csv}}\n"
    )
    if said is not None:
        with pytest.raises(InputError, match=said):
            partitions(load_problems(path).problems[0])
        return
    rows = partitions(load_problems(path).problems[0])
    assert rows is not None
    assert rows.test.X.tolist() == [[0.5], [2.0]] and rows.test.y.tolist() == [1.5, 3.0]


def test_rows_are_split_without_importing_scikit_learn(tmp_path):
    """Its import would take a second in each of the processes that measure models."""
    cars(tmp_path, "{file: cars.csv}", ", features: [speed]")
    code = (
        "import sys; from srlib.problems import load_problems, partitions; "
        "partitions(load_problems(sys.argv[1]).problems[0], 5); print('sklearn' in sys.modules)"
    )
    words = [sys.executable, "-c", code, str(tmp_path / "p.yaml")]
    assert subprocess.run(words, capture_output=True, text=True).stdout == "False\n"
