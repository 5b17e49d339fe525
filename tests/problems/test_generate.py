"""Written data: exact, named by seed and dataset, with a manifest that states the same."""

import pytest

from srlib.errors import InputError
from srlib.problems import load_problems, partitions
from srlib.problems.problem_file import generate
from tests.problems.test_recipe import TEXT, load


def test_the_manifest_loads_again_with_the_same_data_and_statements(tmp_path):
    stated = load(tmp_path)
    path = generate(stated, tmp_path / "out", [5])
    again = load_problems(path)
    written = again.find("d")
    assert (again.name, path.name, written.data_seeds) == ("own", "own.yaml", (5,))
    for key in (
        "features",
        "truth",
        "relevant",
        "irrelevant",
        "surrogates",
        "noise_level",
        "property",
        "target",
    ):
        assert getattr(written, key) == getattr(stated.find("d"), key)
    assert "constants" not in path.read_text()  # a key that nobody stated is not written
    fresh = load(tmp_path, TEXT.replace("[1, 2]", "[5]")).find("d")
    assert partitions(written, 5).sha256 == partitions(fresh, 5).sha256
    names = {f"5_d_data_{part}.csv" for part in ("train", "test", "extrapolation")}
    assert {file.name for file in path.parent.iterdir() if file.is_file()} == {"own.yaml", *names}
    assert (path.parent / "5_d_data_train.csv").read_text().startswith("a,x1,x2,x3,g,s,y\n")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "    data_seeds: [1, 2]\n",
            "",
            "dataset d: a data_seed is needed to make or split its data",
        ),
        ("dataset: d", "dataset: ../d", "own.yaml: dataset ../d: .*cannot hold a slash"),
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
