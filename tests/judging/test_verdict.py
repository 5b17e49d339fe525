"""Judging small tables by hand: every row accounted for, absent cells and references by the rules."""

import pandas as pd
import pytest

from srlib.judging import judge
from srlib.judging.notices import describe_ranking
from tests.builders import each
from tests.judging.small import (
    PROBLEMS,
    lines,
    open_problems,
    problems,
    ranking,
    ranks,
    rules,
    runs,
    values,
    verdict,
)

TWO = rules(repetitions=2)


def test_solution_and_features_by_hand():
    """A solves one of two runs, B none. S1: A uses c and d of {c, d} in one run, B none of them.

    formula: .9004 is .9 after rounding, a tie; A ranks 2 2 2 -> 2, B 2 2 1 -> 3 / (1/2 + 1/2 + 1) = 1.5
    select: A ranks 2 2 1 -> 1.5, B 2 1 2 -> 1.5
    """
    table = """
    A formula: {solution: [true, false]}
    B formula: {r2_test: 0.9004}
    A select: {features_used: ['["a", "c", "d"]', '["a"]']}
    B select: {complexity: 25}
    """
    judgement = verdict(table, TWO)
    assert values(judgement, "formula") == [0.5, 0]
    assert values(judgement, "select") == [0.5, 1]
    assert values(judgement, "select", "simplicity", "value_rounded") == [-1, -2]
    assert ranks(judgement, "formula", "accuracy") == [2, 2]
    assert judgement.ranking.to_numpy().tolist() == [["A", 1.75, 1], ["B", 1.5, 2]]
    assert judgement.counts == {"read": 8, "scored": 8, "excluded": 0}


def test_noise_reference_is_used_and_not_scored():
    """From 0 to .05 A falls by .05. The clean .3 of B is not above .3: it is no reference, and counts as 1.

    B is bad at both levels: its sensitivity means nothing.
    """
    table = """
    A noise_base: {r2_test: 0.95}
    A noise_easy: {r2_test: 0.9}
    B noise_base: {r2_test: 0.3}
    B noise_easy: {r2_test: 0.3}
    """
    judgement = verdict(table, TWO)
    assert values(judgement, "noise_easy") == pytest.approx([1, 14])
    assert values(judgement, "noise_easy", column="direction") == ["lower", "lower"]
    for code in ("reference_worse", "minimal_accuracy"):
        assert lines(judgement, code)["method"].tolist() == ["B"]
    assert judgement.counts == {"read": 8, "scored": 4, "excluded": 4}
    assert set(judgement.datasets["dataset"]) == {"noise_easy"}


UNUSABLE = """
A formula: {}
B formula: {status: [timeout, ok], parse_status: [ok, unparsed], reason: 60 s, detail: unknown name}
C formula: {r2_source: recomputed, r2_test: [.nan, 0.9], simplify_status: [ok, timeout], detail: after 7 s}
D formula: {solution: [null, false], solution_kind: [unknown, different], text_matches_predictions: [null, false]}
E formula: {r2_source: recomputed, r2_test: [.nan, 0.9], data_status: [timeout, ok], detail: "data: stopped after 9 s"}
F formula: {solution: null, solution_kind: [unknown, different], solution_status: [memory, ok], detail: out of memory}
G formula: {simplify_status: [work, ok], detail: sympy does not end within 9 objects}
H formula: {solution: [true, false], solution_simplified: [false, false]}
I formula: {simplify_status: [ok, skipped], dust: ['["1e-17*b"]', null]}
A real: {repetition: [1]}
A nowhere: {repetition: [1]}
"""


LINES = """
A 1 other_track excluded: dataset real is not of track synthetic
A 1 unknown_dataset excluded: dataset nowhere is not in problems small
B 0 failed_run excluded: the run ended as timeout: 60 s
B 1 unparsed excluded: unknown name
C 1 machine_limit replaced: a limit of the machine ended simplifying or counting (after 7 s); the raw count 5
C 0 nonfinite_r2 excluded: R2 on the test set is not finite
D 1 prediction_mismatch noted: the model text does not reproduce the stored predictions
D 0 solution_unknown noted: counts as not solved
E 0 machine_limit excluded: a limit of the machine that assessed it ended this (data: stopped after 9 s)
F 0 machine_limit noted: a limit of the machine that assessed it ended this (out of memory)
F 0 solution_unknown noted: counts as not solved
G 0 work_limit replaced: simplifying takes more work than the rules allow (sympy does not end within 9 objects)
H 0 shown_differs noted: the truth as it was written: True, which counts; simplified: False
I 0 dust noted: left out before simplifying, as they change no prediction: 1e-17*b
"""


def test_every_kind_of_unusable_run_has_a_line():
    """What a machine ended is told as its limit, whatever it was; what takes too much work is no matter of it."""
    real = problems(PROBLEMS + "  - {dataset: real, track: real_world, features: [a]}\n")
    judgement = judge(runs(UNUSABLE, 2), real, TWO)
    ledger = judgement.ledger.sort_values(["method", "code", "repetition"])
    of_runs = ledger[ledger["level"] == "run"]
    for line, expected in zip(of_runs.itertuples(), LINES.strip().splitlines(), strict=True):
        text = f"{line.method} {line.repetition} {line.code} {line.action}: {line.detail}"
        assert text.startswith(expected)
    assert judgement.counts == {"read": 20, "scored": 14, "excluded": 6}
    cells = ledger[ledger["level"] == "cell"]
    assert (cells["method"] + cells["code"]).tolist() == ["Cmissing_runs", "Emissing_runs"]
    assert "B" not in set(judgement.aspects["method"]), "no usable run anywhere: no part in it"


def test_a_property_that_nobody_has_does_not_apply():
    known = problems(PROBLEMS.replace("relevant: [a, b]", "relevant: [a, b, c, d]"))
    judgement = verdict("A select: {}\nB select: {r2_test: 0.5}", TWO, known)
    assert set(judgement.aspects["aspect"]) == {"accuracy", "simplicity"}
    assert ranking(judgement) == pytest.approx({"A": 2, "B": 4 / 3})
    assert judgement.ledger["code"].tolist() == ["not_scored", "not_scored"]


@pytest.mark.parametrize(("rank_per", "places"), [("aggregate", 2), ("repetition", 6)])
def test_methods_may_have_had_seeds_of_their_own(rank_per, places):
    """A folder states no repetitions; the array stays as small as the largest cell."""
    r2 = {"r2_test": [0.1, 0.2]}
    seeds = {
        (m, "formula"): r2 | {"repetition": [n, n + 1]}
        for m, n in zip("ABC", (1, 101, 201), strict=True)
    }
    judgement = verdict(seeds, rules(repetitions=2, rank_per=rank_per), open_problems())
    assert values(judgement, "formula", "accuracy") == pytest.approx([0.15] * 3)
    assert judgement.scoring.values.shape == (3, 1, 3, places)  # noqa: PD011


def test_sentences_know_their_numbers_and_tables_are_copies():
    """What a reader writes into a table changes no sentence."""
    judgement = verdict("A formula: {r2_test: 0.9}\nB formula: {r2_test: 0.5}", TWO)
    sentences = judgement.sentences
    verdict_facts, count_facts = (sentence.facts for sentence in sentences[:2])
    assert verdict_facts["winners"].value == ("A",)
    assert verdict_facts["score"].value == ranking(judgement)["A"]
    assert verdict_facts["datasets"].value == 1 and verdict_facts["datasets"].text == "1 dataset"
    assert count_facts["read"].value == 4
    for table in (*judgement.tables.values(), *judgement.files.values()):
        table[table.columns[1]] = 0
    assert judgement.sentences == sentences


@each(
    "scores sentence",
    """
    2.0001 2.00005 | A wins with a final score of 2.000 over 2 datasets; B follows with 2.000 (5e-05 less).
    2 1.5 1.5 | A wins with a final score of 2.000 over 2 datasets; B and C follow with 1.500.
    2 2 | A and B share the first place with a final score of 2.000 over 2 datasets.
    2 nan | A is the only method with a usable run, with a final score of 2.000 over 2 datasets.
    nan | No method could be scored.""",
)
def test_who_wins_and_who_follows(scores, sentence):
    final = pd.Series(scores.split(), dtype=float)
    table = pd.DataFrame({"method": list("ABC")[: len(final)], "score": final})
    table["rank"] = final.rank(method="min", ascending=False)
    assert describe_ranking(table, "over 2 datasets", " with a usable run") == sentence
