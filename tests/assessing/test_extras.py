"""The edit distance beside an assessment: as a measure, and as an aspect of rules."""

import pandas as pd

from srlib.assessing.extras import EXTRAS, with_extras
from srlib.cli.main import main
from srlib.comparing.metrics import METRICS
from srlib.judging.assessments import complete_assessments
from srlib.problems import load_problems
from srlib.readers import read_runs
from srlib.rules import Aspect, load_rules


def test_rules_may_name_it():
    few, problems = read_runs("demo"), load_problems("synthetic-2022")
    frame = few.frame
    chosen = frame["dataset"].isin(["exact_formula_easy", "noise_easy"])
    few = few.__class__(**{**vars(few), "frame": frame[chosen].reset_index(drop=True)})
    rules = load_rules("judging-2022")
    aspects = {"fit": Aspect.model_validate({"from": "edit_distance", "direction": "lower"})}
    judge = rules.judge.model_copy(update={"aspects": aspects})
    table = complete_assessments(few, problems, rules.measure, judge=judge, jobs=1)
    assert table["edit_distance"].between(0, 1).all()
    assert "edit_distance" not in complete_assessments(few, problems, rules.measure, jobs=1)
    again = with_extras(few.frame.iloc[::-1], problems, EXTRAS)
    pd.testing.assert_series_equal(again["edit_distance"].iloc[::-1], table["edit_distance"])
    assert set(EXTRAS) <= set(METRICS)


def test_a_comparison_asks_for_the_problems(tmp_path, capsys):
    out = ["--out", str(tmp_path / "c.csv")]
    assert main(["compare", "demo", "--metric", "edit_distance", *out]) == 2
    assert "name the problems" in capsys.readouterr().err
