"""Stored assessments: which are current, what is measured where a column is missing, and how often texts are parsed."""

import sys
from collections import Counter
from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from srlib.assessing import assess
from srlib.assessing.cases import JUDGED_PARTS
from srlib.assessing.completing import (
    add_metrics,
    add_shown,
    complete_assessments,
    current_rows,
    describe_stale,
    find_needed_parts,
)
from srlib.assessing.names import parse_once
from srlib.cache import Cache
from srlib.competition import Competition, Resources
from srlib.problems import load_problems
from srlib.readers import read_runs
from srlib.rules import load_rules
from srlib.table_files import write_frame
from tests.builders import examples

RULES = load_rules("judging-2022")
MEASURE = RULES.measure
PROBLEMS = """
schema: 1
name: small
problems:
  - dataset: line
    property: solution
    features: [a]
    target: y
    truth: 2*a
    data: {train: "{data_seed}.csv", test: "{data_seed}.csv"}
    data_seeds: [1, 2]
  - {dataset: bare, property: relevant_features, features: [a, b], relevant: [a]}
"""
TEXTS = ("2*a", "2*a + 1", "a +", "a - a", "log(a - 9)")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Rows with a = 1, 2, 3, 4 and y = 2, 4, 6, 8."""
    folder = tmp_path_factory.mktemp("small")
    for seed in (1, 2):
        (folder / f"{seed}.csv").write_text("a,y\n1,2\n2,4\n3,6\n4,8\n")
    (folder / "p.yaml").write_text(PROBLEMS)
    return folder


@pytest.fixture(scope="module")
def problems(folder):
    return load_problems(folder / "p.yaml")


def runs_of_texts(texts):
    rows = [(f"M{i}", "line", seed, text) for i, text in enumerate(texts) for seed in (1, 2)]
    return pd.DataFrame(rows, columns=["method", "dataset", "repetition", "model"])


@pytest.fixture(scope="module")
def stored(problems, folder):
    runs = read_runs(runs_of_texts(TEXTS)).frame
    return assess(runs, problems, MEASURE, cache=Cache(folder), jobs=1)


def test_each_text_is_parsed_once_and_the_truth_and_simplified_texts_are_parsed_once_too(
    problems, monkeypatch
):
    counts = Counter()
    module = import_module("srlib.assessing.names")
    parse = module.parse

    def count(text, *arguments, **options):
        counts[text] += 1
        return parse(text, *arguments, **options)

    monkeypatch.setattr(module, "parse", count)
    parse_once.cache_clear()
    runs = read_runs(runs_of_texts(["a*2.0004", "a + a*a - a*a", "a*a"])).frame
    assess(runs, problems, MEASURE, cache=Cache(None), jobs=1)
    texts = {"a*2.0004", "a + a*a - a*a", "a*a", problems.find("line").truth}
    simplified = {"2.0*a", "2*a", "a", "a**2"}
    assert set(counts.values()) == {1} and texts <= set(counts) <= texts | simplified


@pytest.mark.parametrize("change", ["older srlib", "no simplified_size", "other problem", "names"])
def test_stored_assessments_that_do_not_fit_are_assessed_again(change, stored, problems):
    table = stored.copy()
    if change == "older srlib":
        table.loc[0, "measure_digest"] = MEASURE.digest
    elif change == "no simplified_size":
        table = table.drop(columns="simplified_size")
    elif change == "other problem":
        table.loc[0, "problem_digest"] = "other"
    else:
        table = table.assign(names=["x1", *[None] * 9])
    runs = read_runs(table)
    n_stale = 10 if change == "no simplified_size" else 1
    assert (~current_rows(runs, problems, MEASURE)).sum() == n_stale
    assert describe_stale(runs, problems, MEASURE).startswith(f"{n_stale} of 10 stored assessments")
    if change != "names":
        again = complete_assessments(runs, problems, MEASURE, cache=Cache(None), jobs=1)
        order = ["method", "repetition"]
        again, before = (frame.sort_values(order, ignore_index=True) for frame in (again, stored))
        same = stored.columns.drop("detail")
        pd.testing.assert_frame_equal(again[same], before[same])


@pytest.mark.parametrize("kind", ["runs", "assessments"])
def test_metrics_that_are_asked_for_are_measured_by_hand(kind, stored, problems, folder):
    """2*a + 1 is wrong by 1 everywhere; a - a, which is 0, by 2 4 6 8: MAE 5, RMSE sqrt(30). Reports do not count."""
    frame = stored if kind == "assessments" else runs_of_texts(TEXTS).assign(mae_test=99.0)
    table = read_runs(frame)
    measured = add_metrics(table, problems, MEASURE, ["mae_test", "rmse_test"]).frame
    first = measured[measured["repetition"] == 1].set_index("method")
    assert first["mae_test"].tolist() == pytest.approx([0, 1, np.nan, 5, np.nan], nan_ok=True)
    assert first["rmse_test"].iloc[3] == pytest.approx(np.sqrt(30))
    again = add_metrics(read_runs(measured), problems, MEASURE, ["mae_test"]).frame
    pd.testing.assert_series_equal(again["mae_test"], measured["mae_test"])
    assert "mae_test" not in stored


def test_rules_with_an_aspect_of_a_metric_measure_it_and_lower_is_better(stored, problems):
    aspects = {"error": {"from": "mae_test", "direction": "lower"}}
    judge_rules = type(RULES.judge).model_validate(
        RULES.judge.model_dump(by_alias=True) | {"aspects": aspects}
    )
    rules = RULES.model_copy(update={"judge": judge_rules})
    competition = Competition(read_runs(stored), problems, rules, resources=Resources(jobs=1))
    assert competition.judge().ranking["method"].tolist()[:3] == ["M0", "M1", "M3"]


@examples(4)
@given(
    texts=st.lists(
        st.sampled_from(["2*a", "3*a", "a*a", "a +", "1.5", "a - 0.5"]), min_size=2, max_size=4
    )
)
def test_judging_and_assessing_first_give_equal_tables(texts, folder):
    resources = Resources(jobs=1, cache=Cache(folder))
    competition = Competition.read(
        runs_of_texts([*texts, "a"]), folder / "p.yaml", resources=resources
    )
    once, twice = competition.judge(), competition.assess().judge()
    for name, table in once.files.items():
        pd.testing.assert_frame_equal(twice.files[name], table)


def test_quick_assessments_are_current_for_rules_that_need_no_more(folder):
    resources = Resources(jobs=1, cache=Cache(folder))
    runs = runs_of_texts(["2*a", "a"])
    rules = load_rules("competition-2023")
    competition = Competition.read(runs, folder / "p.yaml", rules, resources=resources).assess()
    problems = competition.problems
    assert current_rows(competition.runs, problems, rules.measure, rules.judge).all()
    assert not current_rows(competition.runs, problems, rules.measure).any()
    canonical = rules.measure.model_copy(update={"complexity": "canonical"})
    # which model counts needs all parts but the text that is shown
    assert find_needed_parts(canonical, rules.judge) == JUDGED_PARTS


def test_text_that_is_shown_is_chosen_for_what_shows_it_as_in_a_full_assessment(problems):
    """Judging leaves it open; 1.99951*a is 2*a rounded, whose R2 of 1 is not that of the text."""
    runs = read_runs(runs_of_texts(["a*2.0004 + a - a", "(a*9)*1.99951 - a*8*1.99951", "a +"]))
    options = {"cache": Cache(None), "jobs": 1}
    full = complete_assessments(runs, problems, MEASURE, **options)
    judged = complete_assessments(runs, problems, MEASURE, judge_rules=RULES.judge, **options)
    columns = ["shown_model", "shown_form"]
    assert judged[columns].isna().all(axis=None) and full[columns].notna().sum().tolist() == [4, 4]
    for table in (judged, full):
        pd.testing.assert_frame_equal(add_shown(table, problems, MEASURE)[columns], full[columns])


@pytest.mark.parametrize("suffix", ["csv", "parquet", "feather"])
def test_assessments_in_a_file_stay_current(suffix, stored, problems, tmp_path):
    write_frame(stored, tmp_path / f"a.{suffix}")
    runs = read_runs(tmp_path / f"a.{suffix}")
    assert current_rows(runs, problems, MEASURE).all()
    assert describe_stale(runs, problems, MEASURE) == ""
    columns = ["features_used", "dust", "solution_evidence", "simplified_size"]
    pd.testing.assert_frame_equal(runs.frame[columns], stored[columns])


@pytest.mark.parametrize("allows_input", [True, False])
def test_stale_assessments_are_announced_in_an_open_notebook_and_not_in_a_rendered_one(
    allows_input, stored, problems, monkeypatch, capsys
):
    parent = {"content": {"allow_stdin": allows_input}}
    kernel = SimpleNamespace(get_parent=lambda: parent)
    ipython = SimpleNamespace(get_ipython=lambda: SimpleNamespace(kernel=kernel))
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    runs = read_runs(stored.assign(problem_digest="other"))
    complete_assessments(runs, problems, MEASURE, cache=Cache(problems.path.parent), jobs=1)
    sentence = "10 of 10 stored assessments do not fit"
    assert capsys.readouterr().err.startswith(sentence) == allows_input
