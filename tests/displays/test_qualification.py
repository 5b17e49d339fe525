"""The qualification's tables and figures on a table that can be redone by hand."""

from types import SimpleNamespace

import pandas as pd
import pytest

from srlib import displays
from srlib.judging.tracks.qualification import qualify
from srlib.problems import load_problems
from srlib.rules import load_rules

VALUES = {
    "LinearRegression": (0.5, 0.5),
    "good": (0.9, 0.7),
    "mixed": (0.6, 0.1),
    "awful": (0.1, -40.0),
}


def judged(tmp_path, values, **columns):
    (tmp_path / "p.yaml").write_text(
        "{schema: 1, name: small, defaults: {track: qualification, features: [x, y]}, "
        "problems: [{dataset: a}, {dataset: b}]}"
    )
    rows = [
        {"method": method, "dataset": dataset, "repetition": r, "model": None, "status": "ok", "r2_test": value,
         "training_time_s": 2.0, "method_version": "package 1", "budget": "{}", **columns}
        for method, pair in values.items() for dataset, value in zip("ab", pair, strict=True) for r in (1, 2)
    ]  # fmt: skip
    return qualify(
        pd.DataFrame(rows), load_problems(tmp_path / "p.yaml"), load_rules("judging-2022")
    )


def test_the_sentence_names_who_qualifies_and_what_is_disputed(tmp_path):
    said = displays.qualification_sentence(judged(tmp_path, VALUES))
    assert said == (
        "good qualifies against LinearRegression on 2 datasets (small), by mean difference of ranks; "
        "mixed and awful do not."
    )
    some = {name: VALUES[name] for name in ("LinearRegression", "good")}
    assert displays.qualification_sentence(judged(tmp_path, some)).startswith(
        "All 1 methods qualify"
    )
    none = displays.qualification_sentence(
        judged(tmp_path, {"LinearRegression": (0.5, 0.5), "m": (0.4, 0.9)})
    )
    assert none.startswith("No method qualifies")
    assert none.endswith("The readings disagree on m.")


def test_the_tables(tmp_path):
    result = judged(tmp_path, VALUES, text_matches_predictions=True)
    assert displays.dataset_table(result).to_dict("records") == [
        {"dataset": "a", "features": 2, "baseline_r2": 0.5, "best_r2": 0.9, "methods_better": 2},
        {"dataset": "b", "features": 2, "baseline_r2": 0.5, "best_r2": 0.7, "methods_better": 1},
    ]
    methods = displays.method_table(result.assessments)
    assert methods.columns.tolist() == [
        "method",
        "package",
        "budget",
        "runs",
        "ok",
        "median seconds",
    ]
    assert methods["runs"].tolist() == [4] * 4
    mismatch = displays.mismatch_table(result)
    assert mismatch[["compared", "disagreeing"]].sum().tolist() == [16, 0]
    disagreeing = displays.mismatch_table(judged(tmp_path, VALUES, text_matches_predictions=False))
    assert disagreeing["disagreeing"].tolist() == [4] * 4
    assert displays.mismatch_table(judged(tmp_path, VALUES))["compared"].tolist() == [0] * 4


def test_what_the_figures_draw(tmp_path):
    result = judged(tmp_path, VALUES)
    ranks = displays.QualificationRanksDisplay.from_qualification(result)
    assert list(dict.fromkeys(ranks.numbers["method"])) == result.ranking["method"].tolist()
    assert "good +1.50" in ranks.alt
    r2 = displays.QualificationR2Display.from_qualification(result)
    assert (
        r2.alt == "Better than LinearRegression: awful on 0 of 2; good on 2 of 2; mixed on 1 of 2."
    )
    drawn = [x for line in r2.plot().ax_.lines for x in line.get_xdata()]
    assert min(drawn) == -0.25  # where -40 is
    assert r2.numbers["median_r2"].min() == -40


def test_a_competition_of_thirty_methods_has_a_short_sentence():
    names = [f"a method with a long name, number {i}" for i in range(30)]
    verdicts = pd.DataFrame({"method": names, "qualified": [i < 10 for i in range(30)]})
    result = SimpleNamespace(
        verdicts=verdicts,
        rules=load_rules("judging-2022"),
        cells=pd.DataFrame({"dataset": ["a"]}),
        problems=SimpleNamespace(name="small"),
        disputed=names,
    )
    said = displays.qualification_sentence(result)
    assert "number 7 and 2 more qualify against" in said
    assert "number 17 and 12 more do not." in said
    assert said.endswith("number 7 and 22 more.")


@pytest.mark.parametrize("kind", ["ranks", "dots", "pairs"])
def test_rows_of_thirty_methods_are_close_together(kind):
    names = [f"m{i}" for i in range(30)]
    if kind == "ranks":
        rows = {"method": names, "dataset": "a", "rank": range(30), "rank_difference": range(30)}
        shown = displays.QualificationRanksDisplay(pd.DataFrame(rows), "m0")
    elif kind == "dots":
        values = pd.DataFrame([range(30), range(1, 31)], columns=names, dtype=float)
        shown = displays.DotsDisplay.from_values({"seconds": {"": values}})
    else:
        columns = ["method_a", "method_b", "better", "p_adjusted"]
        pairs = pd.DataFrame([["m0", "m1", "m0", 0.01]], columns=columns)
        shown = displays.PairsDisplay(pairs, tuple(names), "title")
    assert shown.plot().figure_.get_figheight() < 7


@pytest.mark.parametrize(("count", "drawn"), [(30, 30), (300, 30)])
def test_of_very_many_datasets_evenly_spaced_ones_are_drawn(count, drawn):
    rows = [
        {"method": method, "dataset": f"d{i}", "median_r2": 0.5, "baseline_r2": 1 - i / count}
        for i in range(count)
        for method in ("A", "B")
    ]
    display = displays.QualificationR2Display(pd.DataFrame(rows), "base")
    shown = [text.get_text() for text in display.plot().ax_.get_yticklabels()]
    assert (len(shown), shown[0], shown[-1]) == (drawn, "d0", f"d{count - 1}")
    assert all(len(line.get_xdata()) in (drawn, 2 * drawn) for line in display.ax_.lines)
    assert display.figure_.get_figheight() < 8
    assert display.left_out.startswith(f"Only 30 of {count}") == (count > 30)
