"""Written data: exact, named by seed and dataset, with a manifest that states the same."""

import pytest

from srlib.errors import InputError
from srlib.problems import load_problems, partitions
from srlib.problems.problem_file import generate, write_public
from tests.problems.test_recipe import TEXT, load


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "    data_seeds: [1, 2]\n",
            "",
            "dataset d: a data_seed is needed to make or split its data",
        ),
        ("dataset: d", "dataset: ../d", "dataset ../d: .*cannot hold a slash"),
    ],
)
def test_what_cannot_be_written_is_refused(tmp_path, old, new, message):
    with pytest.raises(InputError, match=message):
        generate(load(tmp_path, TEXT.replace(old, new)), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_problem_without_data_is_refused(tmp_path):
    text = TEXT[: TEXT.index("    data:\n")].replace(
        "local_optima", "solution\n    features: [a, x1, x2]"
    )
    with pytest.raises(InputError, match="own.yaml: dataset d: there is no key 'data'"):
        generate(load(tmp_path, text), tmp_path / "out")


def test_files_that_are_the_same_for_all_repetitions_are_written_once(tmp_path):
    """And the features that matter follow from the truth, where the property asks for them."""
    for part in ("train", "test"):
        (tmp_path / f"{part}.csv").write_text("x,z,y\n1,5,2\n2,6,4\n")
    (tmp_path / "own.yaml").write_text(
        "schema: 1\nname: own\nproblems: [{dataset: d, property: relevant_features, truth: 2*x, "
        "data: {train: train.csv, test: test.csv}}]\n"
    )
    own = load_problems(tmp_path / "own.yaml")
    assert own.find("d").relevant == ("x",) and own.find("d").irrelevant == ("z",)
    again = load_problems(generate(own, tmp_path / "out"))
    assert {path.name for path in (tmp_path / "out").glob("*.csv")} == {
        "d_data_train.csv",
        "d_data_test.csv",
    }
    assert partitions(again.find("d")).sha256 == partitions(own.find("d")).sha256


def test_nothing_is_left_behind_where_a_dataset_cannot_be_read(tmp_path):
    (tmp_path / "rows.csv").write_text("x,y\n1,2\n")
    data = "data: {train: rows.csv, test: ./rows.csv}, features: [x]"
    (tmp_path / "own.yaml").write_text(
        f"schema: 1\nname: own\nproblems: [{{dataset: d, {data}}}, {{dataset: e, target: z, {data}}}]\n"
    )
    with pytest.raises(InputError, match="dataset e, train rows: column 'z' is missing"):
        write_public(load_problems(tmp_path / "own.yaml"), tmp_path / "public.yaml")
    assert not (tmp_path / "public").exists() and not (tmp_path / "public.yaml").exists()
