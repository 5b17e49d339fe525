"""What the ledger says of texts that are no model, are several, or are read in one of two ways."""

import pandas as pd
import pytest

from srlib.assessing import assess
from srlib.cache import Cache
from srlib.judging import judge
from srlib.problems import load_problems
from srlib.rules import load_rules

TEXTS = {
    1: "ITE(x1 > 0.5, 2*x1, 1)",
    2: "Piecewise((2*x1, x1 > 0.5), (1, True))",
    3: "x1 | 2*x1",
    4: "def f(x1):\n  return model.predict(x1)",
    5: "div(x1, 2)",
    6: "x1 % 2",
}


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    problems, rules = load_problems("synthetic-2022"), load_rules("competition-2023")
    rows = [
        {
            "method": "Ana",
            "dataset": "noise_easy",
            "repetition": k,
            "seed": 2082,
            "model": text,
            "status": "ok",
        }
        for k, text in TEXTS.items()
    ]
    cache = Cache(tmp_path_factory.mktemp("cache"))
    table = assess(pd.DataFrame(rows), problems, rules.measure, cache=cache, jobs=1)
    return table.set_index("repetition"), problems, rules


def test_ite_is_a_piecewise_of_the_same_accuracy_and_size(measured):
    table, _, _ = measured
    for name in ("parse_status", "r2_test", "complexity", "complexity_raw", "model_id"):
        assert table.loc[1, name] == table.loc[2, name]
    assert table.loc[1, "parse_status"] == "ok"
    assert pd.notna(table.loc[1, "r2_test"])


def test_each_kind_of_text_has_its_line_and_the_sum_holds(measured):
    table, problems, rules = measured
    ledger = judge(table.reset_index(), problems, rules).ledger
    excluded = ledger[(ledger["action"] == "excluded") & (ledger["level"] == "run")]
    codes = dict(zip(excluded["repetition"], excluded["code"], strict=True))
    assert codes[3] == "several_models"
    assert codes[4] == "no_closed_form"
    notes = ledger[ledger["code"] == "names_ambiguous"]["detail"].tolist()
    assert any("1 text: div(a, b) was read as gplearn's protected" in note for note in notes)
    assert any("1 text: % was read as the remainder" in note for note in notes)
