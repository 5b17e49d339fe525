"""`srlib problems generate`: files equal the released ones, the manifest can be used at once."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from srlib.cli.main import main
from srlib.problems import load_problems, partitions


def test_the_manifest_stands_for_the_problem_file(tmp_path):
    assert (
        main(
            [
                "problems",
                "generate",
                "synthetic-2022",
                "--out",
                str(tmp_path),
                "--seeds",
                "7",
                "--seeds",
                "8",
            ]
        )
        == 0
    )
    made, stated = load_problems(tmp_path / "synthetic-2022.yaml"), load_problems("synthetic-2022")
    assert [p.dataset for p in made.problems] == [p.dataset for p in stated.problems]
    for problem in made.problems:
        assert (problem.truth, problem.data_seeds) == (stated.find(problem.dataset).truth, (7, 8))
        assert partitions(problem, 8).features == problem.features


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere.yaml", "--out", "o"], "srlib: nowhere.yaml: no such file"),
        (
            ["synthetic-2022", "--out", "o", "--seeds", "-1"],
            "'--seeds': Input should be greater than or equal to 0",
        ),
        (["synthetic-2022"], "--out"),
        (
            ["synthetic-2022", "--out", "o", "--seeds", "2", "--seeds", "1"],
            "data_seeds: 1 is a seed and the number of another seed",
        ),
    ],
)
def test_bad_calls_are_one_sentence(arguments, sentence, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["problems", "generate", *arguments]) == 2
    streams = capsys.readouterr()
    assert sentence in streams.err and streams.err.count("\n") == 1
    assert not Path("o").exists()


def test_the_public_part_holds_nothing_of_the_hidden_one(tmp_path, capsys):
    """No key but five; of the rows only those for training, not one of the test set, and numbers instead of seeds."""
    assert main(["problems", "public", "example-tasks", "--out", str(tmp_path / "open.yaml")]) == 0
    stated, made = load_problems("example-tasks"), load_problems(tmp_path / "open.yaml")
    assert [p.dataset for p in made.problems] == [p.dataset for p in stated.problems]
    shown = set(made.problems[0].model_fields_set)
    assert shown <= {"dataset", "track", "features", "target", "data_seeds"}
    text = (tmp_path / "open.yaml").read_text(encoding="utf-8")
    for problem in stated.problems:
        assert problem.truth is None or problem.truth not in text
        public = made.find(problem.dataset)
        assert public.features == problem.features
        assert public.data_seeds == tuple(range(1, len(problem.data_seeds) + 1))
        assert not any(f"- {seed}\n" in text for seed in problem.data_seeds)
        seed = problem.data_seeds[0]
        rows = pd.read_csv(tmp_path / "open" / f"1_{problem.dataset}_train.csv")
        data = partitions(problem, seed)
        np.testing.assert_array_equal(
            rows.to_numpy(), np.column_stack([data.train.X, data.train.y])
        )
        named = " ".join(path.name for path in (tmp_path / "open").iterdir())
        assert not any(f"{seed}_{problem.dataset}" in named for seed in problem.data_seeds)
        assert not re.search("generator|noise_level|surrogate|formula|domain", text)
    assert "files of training rows" in capsys.readouterr().out


def test_a_seed_that_is_the_number_of_another_is_explained(tmp_path, capsys):
    """Repetition 1 could be the first of the seeds 0 to 2, whose rows participants get as number 1, or the second."""
    path = tmp_path / "mine.yaml"
    entry = (
        "schema: 1\nname: mine\nproblems:\n  - {dataset: d, features: [a], data_seeds: [0, 1, 2]"
    )
    for more, code, sentence in (
        ("", 2, "1 is a seed and the number of another seed: state numbered: true"),
        (", numbered: false", 2, "numbered: true was expected, as participants know the numbers"),
        (", numbered: true", 0, ""),
    ):
        path.write_text(entry + more + "}\n")
        out = str(tmp_path / "open.yaml")
        assert main(["problems", "public", str(path), "--out", out]) == code
        assert sentence in capsys.readouterr().err
    path.write_text(entry.replace("[0, 1, 2]", "[1, 2, 3, 860]") + "}\n")
    (problem,) = load_problems(path).problems  # each number is its own seed
    assert (
        problem.numbered is None
        and problem.model_copy(update={"numbered": True}).digest != problem.digest
    )


def test_the_public_part_never_replaces_the_hidden_one(tmp_path, capsys):
    path = tmp_path / "mine.yaml"
    path.write_text(
        "schema: 1\nname: mine\nproblems:\n  - {dataset: d, features: [a], truth: a^2, property: solution}\n"
    )
    assert main(["problems", "public", str(path), "--out", str(path)]) == 2
    assert "holds the truths" in capsys.readouterr().err and "a^2" in path.read_text()
    assert main(["problems", "public", str(path), "--out", str(tmp_path / "open.yaml")]) == 0
    text = (tmp_path / "open.yaml").read_text()
    assert "a^2" not in text and "solution" not in text and "Training rows" not in text
