"""What was scored, without a part of it: against judging the smaller table."""

from typing import get_args

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from srlib.judging import judge
from srlib.judging.scoring_input import Kind
from srlib.judging.what_if import leaders_without, score_without_failures
from tests.builders import examples
from tests.judging.cases import MANY, judged, varied_runs
from tests.judging.small import open_problems, ranking, rules, verdict

SWITCHES = {
    "rank_per": st.sampled_from(["aggregate", "repetition"]),
    "incomplete": st.sampled_from(["floor", "worst_value", "rest"]),
    "missing": st.sampled_from(["worst_rank", "drop"]),
    "combine": st.sampled_from(["harmonic_then_mean", "one_harmonic"]),
}


@examples(20)
@given(
    kind=st.sampled_from(get_args(Kind)),
    data=st.data(),
    switches=st.fixed_dictionaries(SWITCHES),
    seed=st.integers(0, 9999),
)
def test_input_without_a_part_equals_judging_the_smaller_table(kind, data, switches, seed):
    """Runs are absent or have failed, and one method may have numbered its runs from 100."""
    rng, known = np.random.default_rng(seed), open_problems(MANY)
    table = varied_runs()
    table["repetition"] += data.draw(st.sampled_from([0, 100])) * (table["method"] == "B")
    table["r2_test"] = rng.choice([np.nan, 0.2, 0.5, 0.7, 0.9, 0.95], len(table))
    table = table[rng.random(len(table)) < 0.9]
    judgement = judge(table, known, rules(repetitions=3, **switches))
    name = data.draw(st.sampled_from(judgement.scoring.parts(kind)))
    labels = table["dataset"].map({p.dataset: p.property for p in known.problems})
    labels = labels if kind == "property" else table[kind].astype(str)
    n_with_part = table["dataset"][labels == name].nunique()
    assume(kind != "repetition" or n_with_part == table["dataset"].nunique())
    fewer = rules(repetitions=3 - (kind == "repetition"), **switches)
    smaller = judge(table[labels != name], known, fewer)
    assume(not judgement.screened.idle and not smaller.screened.idle)
    scoring, reduced = smaller.scoring, judgement.scoring.without(kind, name)
    positions = [reduced.datasets.index(dataset) for dataset in scoring.datasets]
    assert reduced.methods == scoring.methods
    np.testing.assert_array_equal(reduced.plan.expected[positions], scoring.plan.expected)
    final = reduced.score(fewer.judge).final
    np.testing.assert_allclose(final, smaller.steps.final, rtol=1e-13)


def test_datasets_without_weight_decide_no_leader():
    """A is first on d1, B on d2 and d3: without both of these A leads, and without all of them nobody."""
    judgement = judged(
        "{A d1: [0.9], B d1: [0.5], A d2: [0.5], B d2: [0.9], A d3: [0.5], B d3: [0.9]}"
    )
    left_out = ([], ["d1"], ["d2", "d3"], ["d1", "d2", "d3"])
    leaders = [leaders_without(judgement, datasets) for datasets in left_out]
    assert leaders == [("B",), ("B",), ("A",), ()]


def test_failed_runs_replaced_by_usable_ones_cost_nothing():
    """With 0.8 in place of its failed run A is before B; as it is, its mean is 0.4."""
    table = "A d1: {r2_test: [0.8, .nan]}\nB d1: {r2_test: [0.5, 0.5]}"
    judgement = verdict(table, rules(repetitions=2), open_problems(MANY))
    better = verdict(table.replace(".nan", "0.8"), rules(repetitions=2), open_problems(MANY))
    scores = score_without_failures(judgement, "A")
    assert (scores.n_absent, scores.final) == (1, ranking(judgement)["A"])
    assert scores.new_final == ranking(better)["A"] > scores.final
    assert scores.changes["dataset"].tolist() == ["d1"]
    assert score_without_failures(judgement, "B").n_absent == 0
