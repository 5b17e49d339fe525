"""Which features the names of a text mean: a small competition with numbered and with worded features."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from srlib.assessing import assess
from srlib.assessing.completing import complete_assessments
from srlib.assessing.names import read_names
from srlib.cache import Cache
from srlib.expressions import parse
from srlib.expressions.parse import read_each
from srlib.problems import load_problems
from srlib.readers import RunTable
from srlib.rules import load_rules
from tests.builders import examples
from tests.expressions.cases import each_row

RULES = load_rules("judging-2022")
PROBLEMS = """
schema: 1
name: names
defaults: {target: y, data_seeds: [1]}
problems:
  - {dataset: three, features: [x1, x2, x3], property: solution, truth: x1}
  - {dataset: house, features: [area, rooms, age], property: solution, truth: area}
  - {dataset: zero, features: [x0, x1, x2], property: solution, truth: x0 + 2*x2}
  - {dataset: measured, features: [a, b, c], property: solution, truth: a + 10*b}
"""


@pytest.fixture(scope="module")
def problems(tmp_path_factory):
    path = tmp_path_factory.mktemp("names") / "names.yaml"
    path.write_text(PROBLEMS)
    return load_problems(path)


def make_runs(rows):
    """Runs of one repetition after the other, from method, dataset and model, with an R2 as reported."""
    runs = pd.DataFrame(rows, columns=["method", "dataset", "model"])
    runs["repetition"] = runs.groupby(["method", "dataset"]).cumcount() + 1
    return runs.assign(status="ok", r2_test=0.5, r2_train=np.nan)


# In this order: the table, the only model that a text can mean, the method's texts on the dataset, those on all
# datasets, the features' names. Columns: runs with ; between them, and how each is read.
READINGS = """
    M house x0 + x1                               x0 text
    M house X1 + X3                               x1 text
    M house x_2 + x_3                             x1 text
    M house x[0]                                  x0 text
    M house area                                  features text
    M three x1 + x3                               features text
    M three x1*x2                                 features default
    M three x0 + x2                               x0 text
    M house x1 + area                             - -
    M house X1                                    - -
    M house X1 + unknown; M house X1 + (          - -; - -
    M house X1; M house X3; M house X3 + (        x1 others; x1 text; - -
    M zero x1 + 2*x3                              x1 text
    M zero x1 + 2*x2; M zero x0                   features others; features text
    M three x1*x2; M three x3                     features others; features text
    M three x0 + 1.5*x1*x2; M three 1.49*x1*x2    x0 text; x0 others
    M three x1*x2; M measured X0                  x0 others; x0 text
    M three x1*x2; N measured X0                  features default; x0 text
    M house X1; M measured X0                     x0 others; x0 text
    M house X1; M house X3                        x1 others; x1 text
    M house X1; M measured X0; M house X3         x1 others; x0 text; x1 text
    M house X1; M measured X0; M three X3         - -; x0 text; x1 text
    M house X1; M house X3; M house X0            - -; x1 text; x0 text
    M house def f(x0, x1): return x0; M house X1  x0 text; x0 others
    N house def f(area, rooms, age): return area + x3  x1 text
    N house def f(area, rooms, age): x1 = 2*age; return x1  features text
    N nowhere X1                                  features text
"""


def read(runs, problems):
    """Only what needs no process is assessed."""
    return assess(runs, problems, RULES.measure, cache=Cache(None), jobs=1, only=frozenset())


def list_readings(table):
    names = table[["names_read", "names_evidence"]].astype("str").fillna("-")
    return "; ".join(names["names_read"] + " " + names["names_evidence"])


@each_row("runs readings", READINGS)
def test_a_text_is_read_by_evidence(runs, readings, problems):
    runs = [run.split(" ", 2) for run in re.split("; (?=[MN] )", runs)]
    runs = make_runs(
        [
            (*place, text.replace(": x1 =", ":\n x1 =").replace("; ret", "\n ret"))
            for *place, text in runs
        ]
    )
    table = read(runs, problems)
    assert list_readings(table) == readings
    refused = table["names_read"].isna()
    assert (table["parse_status"][refused] == "unparsed").all()


NOTES = """
    M three x1*x2              can be read by the features' names and from x0; read by the features' names
    M house X1; M house X3     can be read from x0 and from x1; read from x1, as other are; -
    M house X3; M measured X0  is read from x1, and no numbering fits all; is read from x0, and no numbering fits all
    M three x1*x2; M three x3  -; -
    M house area; M house X3; M three x3  -; -; -
"""


@each_row("runs notes", NOTES)
def test_what_can_be_read_otherwise_has_a_note(runs, notes, problems):
    table = read(make_runs([run.split(" ", 2) for run in runs.split("; ")]), problems)
    noted = "; ".join(table["names_note"].fillna("-")).replace("the text ", "")
    assert (
        noted.replace(" texts of the method", "", 2).replace(", as nothing tells: state names", "")
        == notes
    )


TEXTS = st.sampled_from([
    *(("three", text) for text in ("x1*x2", "x1 + x3", "x0", "x2", "X1 + X3", "x1 + (", "1.5")),
    *(("house", text) for text in ("area", "X1", "X0", "X3 + X1", "X2 + age")),
    *(("zero", text) for text in ("x0 + x1", "x1", "x3", "x_2*x_1")),
])  # fmt: skip


@examples(60)
@given(st.lists(TEXTS, min_size=1, max_size=6), TEXTS, st.randoms(use_true_random=False))
def test_order_changes_no_reading_and_a_further_text_none_in_silence(problems, texts, more, random):
    """A text is read as before, or a line says how it is read, or it is refused with a sentence."""
    runs = make_runs([("M", *text) for text in texts])
    before = read_names(runs, problems).fillna("-")
    order = random.sample(range(len(runs)), len(runs))
    shuffled = read_names(runs.iloc[order], problems).fillna("-")
    assert shuffled.loc[runs.index].equals(before)
    table = read(make_runs([("M", *text) for text in [*texts, more]]), problems)
    after = table.iloc[: len(runs)].astype({"names_read": "str"}).fillna({"names_read": "-"})
    rows = zip(texts, before["names_read"], after.to_dict("records"), strict=True)
    for (dataset, text), names_before, row in rows:
        features = problems.find(dataset).features
        if row["names_read"] == "-":
            assert row["parse_status"] == "unparsed" and isinstance(row["detail"], str)
            continue
        readings = {row["names_read"], names_before} - {"-"}
        models = {parse(text, features, names=names) for names in readings}
        assert len(models) == 1 or isinstance(row["names_note"], str)
        assert len({*read_each(text, features).values()}) == 1 or row["names_evidence"] in (
            "others",
            "default",
        )


def test_recorded_predictions_tell(problems, tmp_path):
    """Before other texts: the first may be reproduced from x1, though the second counts from x0."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 3))
    for part in ("train", "test"):
        pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=X[:, 0]).to_csv(
            tmp_path / f"{part}.csv", index=False
        )
    text = (
        PROBLEMS
        + "  - {dataset: data, features: [a, b, c], data: {train: train.csv, test: test.csv}}\n"
    )
    (tmp_path / "p.yaml").write_text(text)
    problems = load_problems(tmp_path / "p.yaml")
    runs = make_runs([("M", "data", "X1 + X2"), ("M", "data", "X0")])
    contents = {
        "x1": {"train": X[:, 0] + X[:, 1], "test": X[:, 0] + X[:, 1]},
        "x0": {"test": X[:, 1] + X[:, 2]},
        "neither": {"train": X[:, 0]},
        "short": {"train": (X[:, 0] + X[:, 1])[:-1]},
        "long": {"train": np.repeat(X[:, 0] + X[:, 1], 500)},
        "objects": {"train": np.array([{}], dtype=object)},
    }
    for name, arrays in contents.items():
        np.savez_compressed(tmp_path / f"{name}.npz", **arrays)
    (tmp_path / "no.npz").write_text("a,b\n1,2\n")
    expected = {"x1": "x1 predictions", "x0": "x0 predictions"}
    for name in (*contents, "no", "absent"):
        table = read_names(
            runs.assign(predictions=[f"{name}.npz", None]), problems, folder=tmp_path
        )
        assert list_readings(table) == expected.get(name, "x0 others") + "; x0 text", name
    stated = runs.assign(predictions=["x0.npz", None], names=["x1", None])
    assert list_readings(read_names(stated, problems, folder=tmp_path)) == "x1 stated; x0 text"


def test_rows_that_are_assessed_again_see_all_texts_of_their_method(problems):
    """Half of a table is fresh: the other half is read as in the whole, and an old table is read anew."""
    runs = make_runs([("M", "house", "X1"), ("M", "house", "X3")])
    table = assess(runs, problems, RULES.measure, cache=Cache(None), jobs=1)
    stale = table.assign(problem_digest=["old", table["problem_digest"].iloc[1]])
    old = table.drop(columns=["names_read", "names_evidence", "names_note"])
    for part in (stale, old):
        again = complete(part, problems)
        assert sorted(again["names_evidence"]) == ["others", "text"]


def complete(table, problems):
    runs = RunTable(table, "tidy", Path(), "", "assessments")
    return complete_assessments(runs, problems, RULES.measure, cache=Cache(None), jobs=1)


def test_a_new_text_that_changes_a_reading_makes_the_stored_one_stale(problems):
    runs = make_runs([("M", "three", "x1*x2"), ("M", "three", "x0")])
    first = assess(runs[:1], problems, RULES.measure, cache=Cache(None), jobs=1)
    assert list_readings(first) == "features default"
    again = complete(pd.concat([first, runs[1:]], ignore_index=True), problems)
    assert list_readings(again.sort_values("repetition")) == "x0 others; x0 text"
