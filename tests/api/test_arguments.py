"""What callers hand over: tables of every make are read alike and left alone; anything else is one sentence."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import srlib
from srlib.api.models import Model
from tests.api import small

pytestmark = pytest.mark.slow

MAKES = {
    "an index that appears twice": lambda runs: runs.set_axis([7] * len(runs)),
    "keys in the index": lambda runs: runs.set_index(["method", "dataset", "repetition"]),
    "one key in the index": lambda runs: runs.set_index("dataset"),
    "columns turned round": lambda runs: runs[runs.columns[::-1]],
    "rows shuffled": lambda runs: runs.sample(frac=1, random_state=3),
    "categories": lambda runs: runs.astype({"method": "category", "dataset": "category"}),
    "objects": lambda runs: runs.astype(object),
    "Arrow": lambda runs: runs.convert_dtypes(dtype_backend="pyarrow"),
    "nullable": lambda runs: runs.convert_dtypes(),
    "numbers as text": lambda runs: runs.astype({"repetition": "str", "r2_test": "str"}),
    "whole numbers as floats": lambda runs: runs.astype({"repetition": float}),
    "from a generator": lambda runs: (part for part in [runs.head(5), runs.tail(7)]),
}


@pytest.mark.parametrize("make", MAKES.values(), ids=MAKES)
def test_a_table_of_any_make_gives_the_same_verdict(make, judged, problems: Path) -> None:
    found = srlib.judge(make(small.runs()), problems)
    pd.testing.assert_frame_equal(found.aspects, judged.aspects)
    assert found.counts == judged.counts


def test_no_function_changes_the_callers_frame(problems: Path) -> None:
    given = small.runs().set_axis(range(20, 8, -1)).assign(file="mine", row="first")
    before = given.copy(deep=True)
    srlib.read_runs(given, names={"Exact": "features"})
    srlib.check(given, problems=problems)
    srlib.compare(given, "r2_test")
    srlib.compare(given, "edit_distance", problems=problems)
    judged = srlib.judge(given, problems)
    assessed = judged.assessments.copy(deep=True)
    srlib.judge(judged.assessments, problems)
    X = pd.DataFrame({"k": [1.0, 2.0], "d": [3.0, 5.0]})
    srlib.solution_rate("k*d", X, truth="d*k")
    pd.testing.assert_frame_equal(given, before)
    pd.testing.assert_frame_equal(judged.assessments, assessed)
    assert X.equals(pd.DataFrame({"k": [1.0, 2.0], "d": [3.0, 5.0]}))


def test_the_table_of_the_qualification_may_be_a_frame(problems: Path) -> None:
    table = pd.DataFrame({"method": ["Exact", "Near"], "qualified": [False, True]}, index=[3, 3])
    judged = srlib.judge(small.runs(), problems, qualified=table)
    assert judged.ranking["method"].iloc[0] == "Near"
    with pytest.raises(
        srlib.SrlibError, match="the table of the qualification: column 'dataset' is missing"
    ):
        srlib.judge(small.runs(), problems, qualified=table[["method"]])


def test_a_comparison_measures_what_the_runs_do_not_report(problems: Path) -> None:
    found = srlib.compare(small.runs(), "complexity", problems=problems).tables["Values"]
    values = found.set_index("unit")
    assert values.loc["hooke"].to_dict() == {"Exact": 3, "Near": 5}  # Broken has no model at all
    reported = srlib.compare(small.runs(), "r2_test", problems=problems)
    assert reported.tables["Values"].set_index("unit").loc["hooke"].to_dict() == {
        "Exact": 1,
        "Near": 0.9,
    }
    assert (
        "Broken has no value at all and takes no part." in reported.sentences
    )  # what it claims counts nothing
    assert reported.ledger.index.is_unique


@pytest.mark.parametrize(
    "model", [srlib.parse("2*a"), np.array(["2*a"]), pd.Index(["2*a"]), iter(["a + a"])]
)
def test_models_come_in_many_forms(model: Any) -> None:
    assert srlib.solution_rate(model, truth="2*a", domain={"a": (0, 1), "other": (0, 1)}) == 1


def test_parsed_models_are_compared() -> None:
    found = srlib.equivalent(srlib.parse("a*b"), Model(srlib.parse("b*a + 1").expression))
    assert found.verdict == "offset"


def test_gaps_in_the_data_do_not_widen_the_domain() -> None:
    """|x| is x on 2..3, and also where a value is missing."""
    X = pd.DataFrame({"x": [-3.0, np.nan, -2.0, np.inf], "unused": [1, 2, 3, 4]})
    assert srlib.solution_rate("abs(x)", X, truth="-x") == 1
    assert srlib.solution_rate("abs(x)", X, truth="x") == 1  # a scale
    assert srlib.solution_rate("abs(x) + x", X, truth="x") == 0


def test_what_a_model_does_not_use_is_not_looked_at() -> None:
    model = srlib.parse("a + b", features=["a", "b"])
    table = pd.DataFrame({"name": ["one", "two"], "b": [1, 2], "a": pd.array([1, None], "Int64")})
    assert np.array_equal(model.predict(table), [2, np.nan], equal_nan=True)
    assert model.predict({"a": [1], "b": [2]}).tolist() == [3]
    assert srlib.parse("3").predict(table).tolist() == [3, 3]
    assert srlib.parse("x", features=["x"]).predict([[4.0]]).tolist() == [4]


MODEL = srlib.parse("a + b", features=["a", "b"])
WRONG = {
    "no runs": (lambda r, p: srlib.judge(None, p), "runs: a path, 'demo' or a DataFrame .* None"),
    "a dict": (lambda r, p: srlib.judge(r.to_dict(), p), "runs: .* got dict"),
    "timeout": (lambda r, p: srlib.judge(r, p, timeout="a"), "timeout: a positive .* got 'a'"),
    "jobs": (lambda r, p: srlib.judge(r, p, jobs=0), "jobs: a whole number of at least 1 .* 0"),
    "seed": (lambda r, p: srlib.robustness(r, p, seed="a"), "seed: a whole .* got 'a'"),
    "only": (lambda r, p: srlib.report("demo", "out", only="nope"), "no report 'nope'"),
    "report": (lambda r, p: srlib.report(r, "out"), "a suite file was expected"),
    "text": (lambda r, p: srlib.parse(3), "model: a formula's text was expected, got int"),
    "domain": (lambda r, p: srlib.equivalent("x", "x", domain=[1, 2]), "domain: {NAME"),
    "deep": (
        lambda r, p: srlib.solution_rate("x0", [[[1], [2]]], truth="x0"),
        "X: a table of numbers",
    ),
    "words": (
        lambda r, p: srlib.solution_rate("a", pd.DataFrame({"a": ["u"]}), truth="a"),
        "X: a table of numbers",
    ),
    "free text": (
        lambda r, p: srlib.equivalent("c0*x", "x", constants="free", free="c0"),
        "free: a list of names was expected, got 'c0'",
    ),
    "features text": (
        lambda r, p: srlib.parse("x1", features="x1"),
        "features: a list of names was expected, got 'x1'",
    ),
    "free": (
        lambda r, p: srlib.equivalent("x", "x", constants="free", free=["c"]),
        "free: a name of the truth that is not in the model was expected, got 'c'",
    ),
    "predict words": (lambda r, p: MODEL.predict({"a": ["u"], "b": [1]}), "a table of numbers"),
    "predict twice": (
        lambda r, p: MODEL.predict(pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"])),
        "two columns have the same name",
    ),
    "predict deep": (
        lambda r, p: MODEL.predict({"a": [[1, 2]], "b": [[1, 2]]}),
        "table of numbers",
    ),
    "predict too little": (lambda r, p: MODEL.predict({"a": [1, 2], "b": [1]}), "same length"),
    "predict absent": (lambda r, p: MODEL.predict({"a": [1]}), "uses 'b', which is no column"),
}


@pytest.mark.parametrize(("call", "said"), WRONG.values(), ids=WRONG)
def test_a_wrong_argument_is_one_sentence(call, said, problems: Path) -> None:
    with pytest.raises(srlib.SrlibError, match=said) as error:
        call(small.runs(), problems)
    assert "\n" not in str(error.value)
