"""A crash never pays: what a run that returned nothing is worth, and that no method gains by failing."""

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from srlib.comparing.metrics import METRICS
from srlib.judging import judge
from srlib.judging.properties import SCORERS
from srlib.judging.scoring import ScoringPlan, places, score, worst_values
from srlib.rules import Judge
from tests.judging.small import open_problems, rules, runs, verdict

WITH_FLOOR = ("judging-2022", "proposal-2022", "competition-2023")
NAMES = ("beyond", "formula", "noise_easy", "optima", "select", "noise_base")


def test_every_metric_and_property_names_its_floor():
    """Frequencies, shares and R2 are worth 0 at most, sizes and times the worst seen; none beats `best`."""
    for name, metric in METRICS.items():
        # made of ranks, of which the worst is 1; how good one can be depends on the number
        if name == "dataset_score":
            assert (metric.floor, np.isnan(metric.best)) == (1, True)
            continue
        assert (metric.floor == 0) == (metric.direction == "higher"), name
        if metric.direction == "higher":
            assert metric.best == 1
        else:
            assert metric.best >= metric.lowest
    for key, (_, direction, floor) in SCORERS.items():
        assert (floor == 0) == (direction == "higher"), key


def test_one_solution_of_ten_is_no_tie_with_ten():
    """A finds the truth in one run and fails in nine; by `worst_value` it ties with B, which finds it in all ten."""
    found = {"solution": [True] * 10, "r2_test": [1.0] * 10}
    lost = {"status": ["ok"] + ["failed"] * 9, "model": ["a"] + [None] * 9}
    table = {("A", "formula"): found | lost, ("B", "formula"): found}
    tied = verdict(table, 10, rules("judging-2022", incomplete="worst_value"))
    assert tied.ranking["rank"].tolist() == [1, 1]
    judged = verdict(table, 10, rules("judging-2022"))
    assert judged.ranking.set_index("method")["rank"].to_dict() == {"B": 1, "A": 2}
    values = judged.aspects.set_index(["method", "aspect"])["value"]
    assert [values["A", name] for name in ("accuracy", "property")] == pytest.approx([0.1, 0.1])
    detail = judged.ledger.set_index("code").loc["missing_runs", "detail"]
    assert detail == (
        "1 of 10 runs are usable; each absent one counts as its floor (accuracy 0, simplicity -1, property 0)"
    )


@pytest.mark.parametrize(
    ("incomplete", "value", "action"),
    [("floor", 0.25, "replaced"), ("worst_value", 0.5, "replaced"), ("rest", 0.5, "noted")],
)
def test_an_undefined_property_has_its_line(incomplete, value, action):
    """S2 of A's models: one feature of two is relevant, .5; the constant model uses none, and S2 is not defined."""
    table = {
        ("A", "select"): {"features_used": ['["a", "c"]', "[]"]},
        ("B", "select"): {"features_used": ['["a"]', '["a"]']},
    }
    scores = {"properties": {"relevant_features": "S2"}, "repetitions": 2, "incomplete": incomplete}
    judged = verdict(table, 2, rules("judging-2022", **scores))
    values = judged.aspects.set_index(["method", "aspect"])["value"]
    assert values["A", "property"] == value
    line = judged.ledger[judged.ledger["code"] == "property_undefined"].iloc[0]
    assert line[["method", "repetition", "action"]].tolist() == ["A", 1, action]
    assert line["detail"].startswith("property is not defined for this run")


def test_where_the_rules_let_failing_pay_the_ledger_says_so():
    table = {("A", "formula"): {"r2_test": [0.9, np.nan]}, ("B", "formula"): {"r2_test": [0.5] * 2}}
    judged = verdict(table, 2, rules("competition-2022", repetitions=2))
    details = judged.ledger.loc[judged.ledger["code"] == "missing_runs", "detail"]
    assert details.str.endswith("by these rules failing can pay").all()


def test_a_failed_run_beyond_the_expected_ones_counts_too():
    """Of a folder that states no repetitions, all twelve count, so failing in two does not help."""
    table = {("A", "beyond"): {"r2_test": [0.8] * 12}, ("B", "beyond"): {"r2_test": [0.5] * 12}}
    table["A", "beyond"]["r2_test"] = [0.8] * 10 + [np.nan] * 2
    judgement = judge(runs(table, 12), open_problems(), rules("judging-2022"))
    values = judgement.aspects.set_index(["method", "aspect"])
    assert values.loc[("A", "accuracy"), "value"] == pytest.approx(0.8 * 10 / 12)


R2 = [-2.0, -0.5, 0.0, 0.3, 0.6, 0.9, 0.95, 1.0]
SHARES = [0.0, 0.25, 0.5, 1.0, np.nan]


@st.composite
def competitions(draw: st.DrawFn, design: ScoringPlan, reads: tuple[str, ...]) -> np.ndarray:
    """Draw values of two to four methods on the design's datasets, three runs each, some of them failed."""
    shape = (len(design.scored), draw(st.integers(2, 4)), 3)
    values = np.empty((len(reads), *shape))
    for i, read in enumerate(reads):
        choices = {"r2_test": R2, "complexity": [1, 5, 25, 40], "property": SHARES}[read]
        values[i] = draw(arrays(float, shape, elements=st.sampled_from(choices)))
    if design.prop >= 0:
        beyond, noisy = NAMES.index("beyond"), design.reference >= 0
        r2 = st.sampled_from([*R2, np.nan])
        values[design.prop, beyond] = draw(arrays(float, shape[1:], elements=r2))
        values[design.prop, noisy | ~design.scored] = np.nan
    failed = draw(arrays(bool, shape, elements=st.sampled_from([False, False, False, True])))
    return np.where(failed, np.nan, values)


@lru_cache
def designed(name: str) -> tuple[ScoringPlan, Judge, tuple[str, ...]]:
    """Take the design of a competition with all properties, and the rules for three repetitions."""
    table = {(method, dataset): {} for method in "AB" for dataset in NAMES}
    judged = verdict(table, 3, rules(name, repetitions=3))
    assert judged.screened.datasets == NAMES
    design = replace(judged.plan, expected=3)
    block = judged.rules.judge
    assert block.incomplete == "floor", "the shipped rules count absent runs as their floor"
    return design, block, tuple(aspect.from_ for aspect in block.aspects.values())


@pytest.mark.parametrize("ties", ["dense", "min", "average"])
@pytest.mark.parametrize("name", WITH_FLOOR)
@given(data=st.data())
@settings(max_examples=100)
def test_failing_never_pays(name, ties, data):
    """Values of an aspect whose floor is a bound, or of which the run is not the worst that was seen, never get better.

    Where that is so of all aspects neither ranks nor the final score do; the place is asserted where ties are not
    dense: see the next two tests for what is left.
    """
    design, block, reads = designed(name)
    block = block.model_copy(update={"ties": ties})
    values = data.draw(competitions(design, reads))
    usable = np.argwhere(~np.isnan(values[design.accuracy]))
    assume(len(usable))
    d, m, r = data.draw(st.sampled_from(usable.tolist()))
    gone = values.copy()
    gone[:, d, m, r] = np.nan
    left, worst = (
        worst_values(v, design.sign, design.floor, block.incomplete)[:, d] for v in (gone, values)
    )
    same = np.isnan(left) | (left == worst)
    if design.prop >= 0 and design.reference[d] < 0:
        assert same[design.prop] or design.sign[design.prop, d] < 0 or NAMES[d] == "beyond"
    before, after = score(values, design, block), score(gone, design, block)
    here = design.sign[..., None] * before.aggregated, design.sign[..., None] * after.aggregated
    worse = np.nan_to_num(here[1], nan=-np.inf) <= np.nan_to_num(here[0], nan=-np.inf) + 1e-9
    if design.prop >= 0 and design.reference[d] >= 0:
        same[design.prop] = same[design.accuracy]
    assert worse[same, d, m].all()
    if not same.all():
        return
    assert worse[..., m].all()
    assert np.nan_to_num(after.final)[m] <= np.nan_to_num(before.final)[m] + 1e-9
    applies = ~np.isnan(before.ranks[..., m])
    assert (np.nan_to_num(after.ranks) <= before.ranks + 1e-9)[..., m][applies].all()
    if ties != "dense":
        assert places(after.final)[m] >= places(before.final)[m]
