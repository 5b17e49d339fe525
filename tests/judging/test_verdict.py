"""Judging small tables by hand: every row accounted for, absent cells and references by the rules."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from srlib.errors import InputError
from srlib.judging import Judgement, judge
from srlib.judging.properties import arrange
from srlib.judging.screening import screen
from srlib.problems import Problems, load_problems
from srlib.rules import Rules, load_rules
from tests.judging.small import DTYPES, row

PROBLEMS = """
schema: 1
name: small
defaults: {track: synthetic, target: y}
problems:
  - {dataset: formula, property: solution, features: [a, b], truth: a + b}
  - {dataset: features, property: relevant_features, features: [a, b, c, d], relevant: [a, b]}
  - {dataset: clean, features: [a], noise_level: 0.0, scored: false}
  - {dataset: noisy, property: noise_sensitivity, features: [a], noise_level: 0.1, noise_reference: clean}
  - {dataset: real, track: real_world, features: [a]}
"""


@pytest.fixture
def problems(tmp_path: Path) -> Problems:
    path = tmp_path / "small.yaml"
    path.write_text(PROBLEMS, encoding="utf-8")
    return load_problems(path)


@pytest.fixture
def rules() -> Rules:
    rules = load_rules("judging-2022")
    return rules.model_copy(update={"judge": rules.judge.model_copy(update={"repetitions": 2})})


def table(*rows: dict[str, object]) -> pd.DataFrame:
    return pd.DataFrame(list(rows)).astype(DTYPES)


def cell(method: str, dataset: str, **changes: object) -> list[dict[str, object]]:
    return [row(method, dataset, repetition, **changes) for repetition in (1, 2)]


def aspect(judgement: Judgement, method: str, dataset: str, name: str) -> pd.Series:
    a = judgement.aspects
    return a[(a["method"] == method) & (a["dataset"] == dataset) & (a["aspect"] == name)].iloc[0]


def test_solution_and_features_by_hand(problems: Problems, rules: Rules) -> None:
    """A solves one of two runs; B none. S1: A uses c and d of {c, d} in one run, B none of them."""
    judgement = judge(
        table(
            row("A", "formula", 1, solution=True, solution_kind="identical"),
            row("A", "formula", 2),
            *cell("B", "formula", r2_test=0.9004),
            row("A", "features", 1, features_used=json.dumps(["a", "c", "d"])),
            row("A", "features", 2),
            *cell("B", "features", complexity=25),
        ),
        problems,
        rules,
    )
    assert aspect(judgement, "A", "formula", "property")["value"] == 0.5
    assert aspect(judgement, "A", "features", "property")["value"] == 0.5
    assert aspect(judgement, "B", "features", "property")["value"] == 1.0
    assert aspect(judgement, "B", "features", "simplicity")["value_rounded"] == -2.0
    assert aspect(judgement, "A", "formula", "accuracy")["aspect_rank"] == 2, (
        "0.9004 is 0.9 after rounding: a tie"
    )
    # formula: A ranks 2 2 2 -> 2; B ranks 2 2 1 -> 3 / (1/2 + 1/2 + 1) = 1.5
    # features: A ranks 2 2 1 -> 1.5; B ranks 2 1 2 -> 1.5
    assert judgement.ranking.to_dict("list") == {
        "method": ["A", "B"],
        "score": [1.75, 1.5],
        "rank": [1, 2],
    }
    assert judgement.counts == {"read": 8, "scored": 8, "excluded": 0}


def test_noise_reference_is_used_and_not_scored(problems: Problems, rules: Rules) -> None:
    judgement = judge(
        table(
            *cell("A", "clean", r2_test=0.95),
            *cell("A", "noisy", r2_test=0.85),
            *cell("B", "clean", r2_test=0.3),
            *cell("B", "noisy", r2_test=0.3),
        ),
        problems,
        rules,
    )
    assert aspect(judgement, "A", "noisy", "property")["value"] == pytest.approx(1.0)
    # .3 is not above .3: the clean result of B is no reference, and counts as 1
    assert aspect(judgement, "B", "noisy", "property")["value"] == pytest.approx(7.0)
    assert judgement.ledger.query("code == 'reference_worse'")["method"].tolist() == ["B"]
    assert aspect(judgement, "A", "noisy", "property")["direction"] == "lower"
    assert judgement.counts == {"read": 8, "scored": 4, "excluded": 4}
    guard = judgement.ledger[judgement.ledger["code"] == "minimal_accuracy"]
    assert guard["method"].tolist() == ["B"], (
        "B is bad at both levels: its low sensitivity means nothing"
    )
    assert set(judgement.datasets["dataset"]) == {"noisy"}


def test_every_kind_of_unusable_run_has_a_line(problems: Problems, rules: Rules) -> None:
    bad = table(
        *cell("A", "formula"),
        row("B", "formula", 1, status="timeout", model=None, reason="60 s"),
        row("B", "formula", 2, parse_status="unparsed", detail="unknown name at position 3"),
        row("C", "formula", 1, r2_test=np.nan),
        row("C", "formula", 2, simplify_status="timeout", detail="simplify: stopped after 7 s"),
        row("D", "formula", 1, solution=None, solution_kind="unknown"),
        row("D", "formula", 2, text_matches_predictions=False),
        row("A", "real", 1),
        row("A", "nowhere", 1),
    )
    judgement = judge(bad, problems, rules)
    runs = judgement.ledger[judgement.ledger["level"] == "run"]
    assert sorted(runs["code"]) == sorted(
        [
            "failed_run",
            "unparsed",
            "nonfinite_r2",
            "machine_limit",
            "solution_unknown",
            "prediction_mismatch",
            "other_track",
            "unknown_dataset",
        ]
    )
    stopped = runs[runs["code"] == "machine_limit"]["detail"].item()
    assert "ended simplifying or counting (simplify: stopped after 7 s); the raw count" in stopped
    assert judgement.counts == {"read": 10, "scored": 5, "excluded": 5}
    cells = judgement.ledger[judgement.ledger["level"] == "cell"]
    assert cells[["method", "code"]].to_dict("records") == [{"method": "C", "code": "missing_runs"}]
    assert "B" not in set(judgement.aspects["method"]), "no usable run anywhere: no part in it"


def test_whatever_a_machine_ends_is_told_as_its_limit(problems: Problems, rules: Rules) -> None:
    """Measuring R2 and the comparison with the truth: no value that is not finite, no mere unknown verdict."""
    bad = table(
        row("A", "formula", 1),
        row("A", "formula", 2),
        row(
            "B",
            "formula",
            1,
            r2_test=np.nan,
            data_status="timeout",
            detail="data: stopped after 9 s",
        ),
        row(
            "B",
            "formula",
            2,
            solution=None,
            solution_kind="unknown",
            solution_status="memory",
            detail="solution: out of memory",
        ),
        row(
            "C", "formula", 1, r2_test=np.nan, bad_predictions=3, detail="shown: stopped after 9 s"
        ),
        row("C", "formula", 2),
    )
    ledger = judge(bad, problems, rules).ledger
    lines = ledger[ledger["level"] == "run"]
    told = set(lines[["repetition", "method", "action", "code"]].itertuples(index=False, name=None))
    assert told >= {
        (1, "B", "excluded", "machine_limit"),
        (2, "B", "noted", "machine_limit"),
        (1, "C", "excluded", "nonfinite_r2"),
    }
    assert "data: stopped after 9 s" in " ".join(lines["detail"])


def test_what_takes_too_much_work_is_no_matter_of_the_machine(
    problems: Problems, rules: Rules
) -> None:
    row_ = row(
        "A", "formula", 1, simplify_status="work", detail="sympy does not end within 9 objects"
    )
    judgement = judge(table(row_, row("A", "formula", 2)), problems, rules)
    line = judgement.ledger.query("code == 'work_limit'").iloc[0]
    assert line["detail"].startswith("simplifying takes more work than the rules allow (sympy does")
    assert not any("machine" in said for said in judgement.notices)


def test_a_property_that_nobody_has_does_not_apply(
    problems: Problems, rules: Rules, tmp_path: Path
) -> None:
    path = tmp_path / "none.yaml"
    path.write_text(
        PROBLEMS.replace("relevant: [a, b]", "relevant: [a, b, c, d]"), encoding="utf-8"
    )
    judgement = judge(
        table(*cell("A", "features"), *cell("B", "features", r2_test=0.5)),
        load_problems(path),
        rules,
    )
    assert set(judgement.aspects["aspect"]) == {"accuracy", "simplicity"}
    assert judgement.ranking["score"].tolist() == [2.0, pytest.approx(4 / 3)]
    assert judgement.ledger["code"].tolist() == ["not_scored", "not_scored"]


def test_nothing_to_score_is_an_error(problems: Problems, rules: Rules) -> None:
    with pytest.raises(InputError, match="no run is on a dataset that these rules score.*nowhere"):
        judge(table(*cell("A", "nowhere")), problems, rules)


@pytest.mark.parametrize("rank_per", ["aggregate", "repetition"])
def test_methods_may_have_had_seeds_of_their_own(
    problems: Problems, rules: Rules, rank_per: str, tmp_path: Path
) -> None:
    """A folder states no repetitions; the array stays as small as the largest cell."""
    seeds = table(
        *(
            row(m, "formula", 100 * i + n, r2_test=0.1 * n)
            for i, m in enumerate("ABC")
            for n in (1, 2)
        )
    )
    chosen = rules.model_copy(
        update={"judge": rules.judge.model_copy(update={"rank_per": rank_per})}
    )
    problems = replace(problems, path=tmp_path)
    judgement = judge(seeds, problems, chosen)
    accuracy = judgement.aspects[judgement.aspects["aspect"] == "accuracy"]
    assert accuracy["value"].tolist() == pytest.approx([0.15] * 3)
    screened = screen(seeds, problems, chosen.judge)
    values, _ = arrange(screened, chosen.judge)
    rows = judgement.measures
    for a, name in enumerate(chosen.judge.aspects):
        given = rows[f"aspect: {name}"]
        drawn = values[a, 0][np.isfinite(values[a, 0])]
        assert drawn.tolist() == given.dropna().tolist()
    assert values.shape == (3, 1, 3, 2 if rank_per == "aggregate" else 6)
