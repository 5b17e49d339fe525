"""Which features the names of a text mean: a small competition with numbered and with worded features."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from srlib.assessing import assess
from srlib.cache import Cache
from srlib.judging import judge
from srlib.judging.assessments import complete_assessments
from srlib.problems import Problems, load_problems
from srlib.readers import RunTable
from srlib.rules import load_rules

RULES = load_rules("judging-2022")
PROBLEMS = """
schema: 1
name: names
defaults: {target: y, data_seeds: [1]}
problems:
  - {dataset: three, features: [x1, x2, x3], property: solution, truth: x1}
  - {dataset: house, features: [area, rooms, age], property: solution, truth: area}
  - {dataset: measured, features: [a, b, c], property: solution, truth: a + 10*b}
"""


@pytest.fixture(scope="module")
def problems(tmp_path_factory: pytest.TempPathFactory) -> Problems:
    path = tmp_path_factory.mktemp("names") / "names.yaml"
    path.write_text(PROBLEMS, encoding="utf-8")
    return load_problems(path)


Row = tuple[str, str, str]


def measured(rows: list[Row], problems: Problems, **more: list) -> pd.DataFrame:
    """Assess (method, dataset, model); only what needs no process: how the names were read."""
    runs = pd.DataFrame(rows, columns=["method", "dataset", "model"])
    runs["repetition"] = runs.groupby(["method", "dataset"]).cumcount() + 1
    runs = runs.assign(status="ok", r2_test=0.5).assign(**more)
    return assess(runs, problems, RULES.measure, cache=Cache(None), jobs=1, only=frozenset())


def read(rows: list[Row], problems: Problems, **more: list) -> list[tuple[str, str]]:
    table = measured(rows, problems, **more)
    return list(zip(table["names_read"], table["names_evidence"], strict=True))


def tree(table: pd.DataFrame, row: int = 0) -> str:
    return table["model_id"].iloc[row]


@pytest.mark.parametrize(
    ("text", "names"),
    [("x0 + x1", "auto"), ("X1 + X3", "auto-x1"), ("x_2 + x_3", "auto-x1"), ("x[0]", "auto")],
)
def test_a_text_that_tells_needs_no_other(problems: Problems, text: str, names: str) -> None:
    assert read([("M", "house", text)], problems) == [(names, "text")]


@pytest.mark.parametrize(("telling", "names"), [("X0*X1", "auto"), ("X2 - X3", "auto-x1")])
def test_other_texts_of_the_method_tell_and_the_ledger_names_them(
    problems: Problems, telling: str, names: str
) -> None:
    rows = [("M", "house", "X1 + X2"), ("M", "house", telling), ("N", "house", "X1 + X2")]
    table = measured(rows, problems)
    assert table["names_read"].tolist()[:2] == [names, names]
    assert table["names_evidence"].tolist() == ["others", "text", "default"]
    assert "as other texts of the method are" in table["names_note"].iloc[0]
    ledger = judge(table.assign(solution=False), problems, RULES).ledger
    lines = ledger[ledger["code"] == "names_ambiguous"]
    assert lines[["method", "level"]].to_numpy().tolist() == [["M", "cell"], ["N", "run"]]
    assert "read from x0, as nothing tells: state names" in lines["detail"].iloc[1]


def test_other_texts_that_disagree_tell_nothing(problems: Problems) -> None:
    """They tell on all datasets of the method."""
    ambiguous, zero, one = ("M", "house", "X1"), ("M", "measured", "X0"), ("M", "house", "X3")
    assert read([ambiguous, zero], problems)[0] == ("auto", "others")
    assert read([ambiguous, one], problems)[0] == ("auto-x1", "others")
    assert read([ambiguous, zero, one], problems)[0] == ("auto", "default")


def test_functions_in_python_show_their_base_too(problems: Problems) -> None:
    rows = [("M", "house", "def f(x0, x1):\n  return x0"), ("M", "house", "X1 * 3")]
    rows += [("N", "house", "def f(area, rooms, age):\n  return area + x3")]
    found = read(rows, problems)
    assert found == [("auto", "text"), ("auto", "others"), ("auto-x1", "text")]


def test_a_table_that_says_it_is_believed(problems: Problems) -> None:
    rows = [("M", "three", "x1"), ("M", "three", "x1"), ("M", "three", "x1"), ("M", "house", "x1")]
    found = read(rows, problems, names=["x1", "features", None, None])
    assert found[:3] == [("x1", "stated"), ("features", "stated"), ("auto", "own")]
    assert found[3] == ("auto-x1", "others")


TEXTS = {
    "three": ["x1", "x2*x3", "x0 + x1", "X1", "X3", "x[1]", "X_0", None],
    "house": ["x1", "x2*x1", "x0", "x3", "area", "area*X1", "`age` + x[0]", ")("],
    "elsewhere": ["x0", "x9"],
}
ROWS = st.lists(
    st.tuples(st.sampled_from("AB"), st.sampled_from(list(TEXTS)), st.integers(0, 7)), max_size=6
)
WRITTEN = ["names_read", "names_evidence", "names_note", "model_id", "parse_status"]


@pytest.mark.slow
@settings(max_examples=25)
@given(ROWS, st.integers(0, 7), st.sampled_from(["three", "house"]), st.randoms())
def test_a_row_is_read_alike_alone_beside_others_and_in_any_order(
    problems: Problems, others: list, which: int, dataset: str, random
) -> None:
    def texts(rows: list) -> list[Row]:
        return [(m, d, TEXTS[d][i % len(TEXTS[d])]) for m, d, i in rows]  # type: ignore[misc]

    mine = ("A", dataset, TEXTS[dataset][which])
    alone = measured([mine], problems, repetition=[99])
    table = measured([mine, *texts(others)], problems, repetition=[99, *range(len(others))])
    first = table[WRITTEN].iloc[0]
    if tree(table) != tree(alone) and not (pd.isna(tree(table)) and pd.isna(tree(alone))):
        assert first["names_evidence"] == "others" and "other texts" in first["names_note"]
    if mine[2] in ("x1", "x2*x3") and dataset == "three":
        assert tree(table) == tree(alone)
    order = list(range(len(table)))
    random.shuffle(order)
    rows = [mine, *texts(others)]
    again = measured(
        [rows[i] for i in order], problems, repetition=[[99, *range(len(others))][i] for i in order]
    )
    pd.testing.assert_frame_equal(
        again[WRITTEN].iloc[np.argsort(order)].reset_index(drop=True), table[WRITTEN]
    )


def test_rows_that_are_assessed_again_see_all_texts_of_their_method(problems: Problems) -> None:
    """Half of a table is fresh: the other half is read as in the whole, and an old table is read anew."""
    rows = [("M", "house", "X1"), ("M", "house", "X3")]
    runs = pd.DataFrame(rows, columns=["method", "dataset", "model"])
    runs = runs.assign(repetition=[1, 2], status="ok", r2_test=0.5, r2_train=np.nan)
    table = assess(runs, problems, RULES.measure, cache=Cache(None), jobs=1)
    stale = table.assign(problem_digest=["old", table["problem_digest"].iloc[1]])
    given = RunTable(stale, "tidy", Path(), ())
    again = complete_assessments(given, problems, RULES.measure, cache=Cache(None), jobs=1)
    assert sorted(again["names_evidence"]) == ["others", "text"]
    older = table.drop(columns=["names_read", "names_evidence", "names_note"])
    again = complete_assessments(
        RunTable(older, "tidy", Path(), ()), problems, RULES.measure, cache=Cache(None), jobs=1
    )
    assert sorted(again["names_evidence"]) == ["others", "text"]
