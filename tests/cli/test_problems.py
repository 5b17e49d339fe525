"""`srlib problems generate` and `public`: data that can be used at once, and none of what is hidden."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import yaml

from srlib.problems import load_problems, partitions
from tests.builders import each

ENTRY = "schema: 1\nname: mine\nproblems:\n  - {dataset: d, features: [a], "


def test_generated_manifest_replaces_the_problem_file(call):
    assert call("problems generate synthetic-2022 --out made --seeds 7 --seeds 8")[0] == 0
    manifest, stated = load_problems("made/synthetic-2022.yaml"), load_problems("synthetic-2022")
    assert [p.dataset for p in manifest.problems] == [p.dataset for p in stated.problems]
    for problem in manifest.problems:
        assert (problem.truth, problem.data_seeds) == (stated.find(problem.dataset).truth, (7, 8))
        assert partitions(problem, 8).features == problem.features


def test_generated_manifest_keeps_date_and_description(call):
    entry = ENTRY.replace("problems:", "date: in July\ndescription: ours\nproblems:")
    Path("d.csv").write_text("a,y\n1,2\n")
    Path("mine.yaml").write_text(entry + "target: y, data: {test: d.csv}}\n")
    assert call("problems generate mine.yaml --out made")[0] == 0
    about = {"date": "in July", "description": "ours"}
    assert load_problems("made/mine.yaml").about == about


def test_public_file_has_training_rows_and_nothing_hidden(call):
    """No key but five; of the rows only those for training, not one of the test set, and numbers instead of seeds."""
    code, output, _ = call("problems public example-tasks --out open.yaml")
    assert code == 0 and "files of training rows" in output
    stated, public = load_problems("example-tasks"), load_problems("open.yaml")
    assert [p.dataset for p in public.problems] == [p.dataset for p in stated.problems]
    shown = set(public.problems[0].model_fields_set)
    assert shown <= {"dataset", "track", "features", "target", "data_seeds"}
    text = Path("open.yaml").read_text()
    files = " ".join(path.name for path in Path("open").iterdir())
    for hidden, problem in zip(stated.problems, public.problems, strict=True):
        seeds = hidden.data_seeds
        assert hidden.truth is None or hidden.truth not in text
        assert problem.features == hidden.features
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


def test_public_file_without_data_has_no_truth(call):
    Path("mine.yaml").write_text(ENTRY + "truth: a^2, property: solution}\n")
    assert call("problems public mine.yaml --out open.yaml")[0] == 0
    text = Path("open.yaml").read_text()
    assert not re.search(r"a\^2|solution|Training rows", text)
