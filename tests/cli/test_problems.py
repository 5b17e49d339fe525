"""`srlib problems generate` and `public`: data that can be used at once, and none of what is hidden."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import yaml
from scipy.spatial import KDTree

from srlib.expressions import evaluate, parse
from srlib.problems import load_problems, partitions
from tests.builders import each

ENTRY = "schema: 1\nname: mine\nproblems:\n  - {dataset: d, features: [a], "


def test_public_file_has_training_rows_and_nothing_hidden(call):
    """No key but five; of the rows only those for training, and numbers instead of seeds."""
    code, output, _ = call("problems public example-tasks --out open.yaml")
    assert code == 0 and "files of training rows" in output
    stated, public = load_problems("example-tasks"), load_problems("open.yaml")
    shown = public.problems[0].model_fields_set
    assert shown <= {"dataset", "track", "features", "target", "data_seeds"}
    text = Path("open.yaml").read_text()
    files = " ".join(path.name for path in Path("open").iterdir())
    for hidden, problem in zip(stated.problems, public.problems, strict=True):
        seeds = hidden.data_seeds
        assert (problem.dataset, problem.features) == (hidden.dataset, hidden.features)
        assert hidden.truth is None or hidden.truth not in text
        assert problem.data_seeds == tuple(range(1, len(seeds) + 1))
        assert not any(f"- {s}\n" in text or f"{s}_{hidden.dataset}" in files for s in seeds)
        train = partitions(hidden, seeds[0]).train
        rows = pd.read_csv(f"open/1_{hidden.dataset}_train.csv").to_numpy()
        np.testing.assert_array_equal(rows, np.column_stack([train.X, train.y]))
    advice = yaml.safe_load(text.partition("give each dataset data: ")[2].partition(".\n")[0])
    assert Path(advice["file"].format(data_seed=1).replace("DATASET", "lens")).is_file()


@each(
    "numbered code sentence",
    """
 | 2 | 1 is a seed and the number of another seed: state numbered: true
, numbered: false | 2 | numbered: true was expected, as participants know the numbers
, numbered: true | 0 |
""",
)
def test_seed_that_is_the_number_of_another_is_refused_unless_numbered(
    numbered, code, sentence, call
):
    """Repetition 1 could be the first of the seeds 0 to 2, whose rows participants get as number 1, or the second."""
    Path("mine.yaml").write_text(f"{ENTRY}data_seeds: [0, 1, 2]{numbered}}}\n")
    ended, _, error = call("problems public mine.yaml --out open.yaml")
    assert ended == int(code) and sentence in error


TWO_LEVELS = """
schema: 1
name: mine
defaults: &all
  truth: "2*a + b^2"
  data_seeds: [11, 12]
  data: {generator: formula, arguments: {features: {a: [uniform, 0, 1], b: [uniform, 0, 1]}}}
problems:
  - {dataset: clean}
  - {dataset: noisy, noise_level: 0.2, noise_reference: clean}
"""


def test_generated_manifest_replaces_the_problem_file(call):
    Path("mine.yaml").write_text(f"date: in July\ndescription: ours{TWO_LEVELS}")
    assert call("problems generate mine.yaml --out made --seeds 7 --seeds 8")[0] == 0
    manifest, stated = load_problems("made/mine.yaml"), load_problems("mine.yaml")
    assert manifest.about == stated.about == {"date": "in July", "description": "ours"}
    assert [p.dataset for p in manifest.problems] == [p.dataset for p in stated.problems]
    for problem in manifest.problems:
        assert (problem.truth, problem.data_seeds) == (stated.find(problem.dataset).truth, (7, 8))
        assert partitions(problem, 8).features == problem.features


def attack(problems, folder):
    """Find values without noise, of training and of test rows, that the nearest row of a published file tells."""
    found, files = set(), {path.name: pd.read_csv(path).to_numpy() for path in folder.iterdir()}
    for problem, seed in ((p, seed) for p in problems for seed in p.data_seeds):
        data = partitions(problem, seed)
        for part in [data.test] + [data.train] * (problem.noise_level > 0):
            columns = dict(zip(problem.features, part.X.T, strict=True))
            truth = evaluate(parse(problem.truth), columns, len(part.y))
            for name, rows in files.items():
                distances, nearest = KDTree(rows[:, :-1]).query(part.X)
                is_told = np.abs(rows[nearest, -1] - truth) < 1e-6
                if np.any(is_told & (distances < 1e-6)):
                    found.add((problem.dataset, name))
    return found


def test_published_rows_tell_no_hidden_value(call):
    Path("mine.yaml").write_text(TWO_LEVELS)
    assert call("problems public mine.yaml --out open.yaml")[0] == 0
    assert attack(load_problems("mine.yaml").problems, Path("open")) == set()
    tables = [pd.read_csv(path) for path in sorted(Path("open").iterdir())]
    assert len(pd.concat(tables).drop_duplicates(["a", "b"])) == 4 * 500


@each(
    "old new sentence",
    """
, noise_reference: clean | | dataset noisy: training rows are those of dataset clean, which has less noise
{a: [uniform, 0, 1], b: [uniform, 0, 1]} | {a: [grid, 0, 1], b: [grid, 0, 2]} | dataset clean: test rows are
{generator: formula, arguments: {features: {a: [uniform, 0, 1], b: [uniform, 0, 1]}}} | {file: own.csv} | clean: test
{dataset: clean} | {dataset: clean, data: {train: own.csv, test: own.csv}} | dataset clean: test rows are training rows
""",
)
def test_rows_that_tell_hidden_values_are_refused(old, new, sentence, call):
    rows = np.random.default_rng(1).uniform(0, 1, (60, 3))
    pd.DataFrame(rows, columns=["a", "b", "y"]).to_csv("own.csv", index=False)
    Path("mine.yaml").write_text(TWO_LEVELS.replace(old, new))
    code, _, error = call("problems public mine.yaml --out open.yaml")
    assert code == 2 and sentence in error and "other data_seeds" in error
    assert not Path("open").exists()


def test_public_file_without_data_has_no_truth(call):
    Path("mine.yaml").write_text(ENTRY + "truth: a^2, property: solution}\n")
    assert call("problems public mine.yaml --out open.yaml")[0] == 0
    text = Path("open.yaml").read_text()
    assert not re.search(r"a\^2|solution|Training rows", text)
