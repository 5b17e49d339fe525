"""What a team does to win beside better models: it gains nothing, and the others lose nothing."""

import pandas as pd
import pytest

import srlib
from srlib.judging import judge
from srlib.tables import ASSESSMENTS, RUNS
from srlib.tools.trace import trace
from tests.builders import each, judge_competition, refused
from tests.judging.small import lines, problems, ranking, ranks, rules, runs, verdict

CLAIMS = {"str": "1", "category": "1", "texts": "[]", "json": "{}", "bool": True}  # else 1
FORMULAS = """
defaults:
  property: solution
  data_seeds: [1, 2]
  data: {generator: formula, arguments: {features: {a: [uniform, 1, 3], b: [uniform, 1, 3]}}}
problems: [{dataset: d0, truth: a*b}, {dataset: d1, truth: a*b + 1}, {dataset: d2, truth: a*b + 2}]
"""


def test_no_column_of_a_team_decides():
    """C claims the best in every column that srlib knows, and in some that it does not; data and truths are at hand."""
    known = problems(FORMULAS.replace("[1, 2]", "[1]"))
    keys = pd.DataFrame({"dataset": ["d0", "d1"], "repetition": 1})
    texts = {"A": "a*b + 1", "B": "a + b", "C": "b"}
    tables = [keys.assign(method=m, model=t) for m, t in texts.items()]
    claims = {name: CLAIMS.get(kind, 1) for name, kind in ASSESSMENTS.columns.items()}
    claims |= dict.fromkeys(["edit_distance", "symbolic_solution", "group", "weight", "value"], 1)
    for name in (*RUNS.required, "status", "names", "seed", "data_seed", "training_time_s"):
        del claims[name]
    boasting = [*tables[:2], tables[2].assign(**claims)]
    plain, claimed = (judge_competition(t, known) for t in (tables, boasting))
    pd.testing.assert_frame_equal(claimed.ranking, plain.ranking)
    plain, claimed = (srlib.compare(t, "edit_distance", problems=known) for t in (tables, boasting))
    pd.testing.assert_frame_equal(claimed.unit_values, plain.unit_values)


@each(
    "stated a b extra",
    """
    data_seeds: [860, 5390] | 1 2 3 860 | 860 5390 7270 | A3 A860 B7270
    data_seeds: [7, 2, 1], numbered: true | 1 2 3 | 1 2 7 | B7
    property: null | 1 2 3 4 101 -1 | 0 1 2 3 | A-1 A4 A101 B3""",
)
def test_the_organizer_states_the_repetitions(stated, a, b, extra):
    """By number or by seed, but not both for one seed; as places, even where a seed has the number; a method may count
    from zero. The rules' three count where nothing is stated.
    """
    numbers = {"A": a, "B": b}
    table = {(m, "d"): {"repetition": [*map(int, x.split())]} for m, x in numbers.items()}
    known = problems(f"problems: [{{dataset: d, features: [a], {stated}}}]")
    judgement = verdict(table, rules(repetitions=3), known)
    extra_lines = lines(judgement, "extra_runs")
    assert (extra_lines["method"] + extra_lines["repetition"].astype(str)).tolist() == extra.split()
    missing = lines(judgement, "missing_runs")["method"].tolist()
    assert missing == ["B"] * ("numbered" in stated)
    assert ["B on d (2 of 3)" in notice for notice in judgement.notices] == [True] * len(missing)
    assert ranking(judgement, "rank") == {"A": 1, "B": 1 + len(missing)}


def test_further_runs_change_no_comparison():
    """B sends better models, too: on the same data (repetition 1 is seed 7), or on data that nobody asked for."""
    known = problems(FORMULAS.replace("data_seeds: [1, 2]", "data_seeds: [7, 9]"))
    keys = pd.DataFrame({"dataset": ["d0", "d1"] * 2, "repetition": [1, 1, 2, 2]})
    tables = [keys.assign(method=m, model=text) for m, text in (("A", "a*b"), ("B", "b"))]
    unknown = tables[1].assign(repetition=101, model="a*b").head(2)
    more = pd.concat([tables[1].assign(repetition=[7, 7, 9, 9], model="a*b"), unknown])
    plain = srlib.compare(tables, "r2_test", problems=known)
    further = srlib.compare([tables[0], pd.concat([tables[1], more])], "r2_test", problems=known)
    pd.testing.assert_frame_equal(further.unit_values, plain.unit_values)
    assert further.ledger["code"].tolist() == ["extra_runs"] * 6
    assert further.counts == plain.counts | {"read": 14, "excluded": 6}
    with refused("no run is on a repetition that the problems expect"):
        srlib.compare(unknown, "r2_test", problems=known)


def test_of_two_runs_on_the_same_data_the_lower_number_counts_in_any_order_of_rows():
    """Repetition 1 is on the data of seed 7, and so is repetition 7."""
    known = problems("problems: [{dataset: d, features: [a], data_seeds: [7, 9]}]")
    table = {("A", "d"): {"repetition": [7, 1], "r2_test": [0.5, 0.9]}}
    judgement = verdict(table, rules(repetitions=1), known)
    assert lines(judgement, "extra_runs")["repetition"].tolist() == [7]
    assert judgement.screened.usable["r2_test"].tolist() == [0.9]


SEEDS = """
defaults: {features: [a]}
problems: [{dataset: few, data_seeds: [4, 5]}, {dataset: many}, {dataset: one, data_seeds: [3]}]
"""
FEW = """
A few: {repetition: [4, 5], r2_test: [0.9, 0.7]}
B few: {repetition: [5], r2_test: [0.8]}
"""
MORE = """
A many: {repetition: [1, 2, 3, 4, 5]}
B many: {repetition: [1, 2]}
A one: {repetition: [3]}
B one: {repetition: [3]}
"""


@pytest.mark.parametrize("rank_per", ["aggregate", "repetition"])
def test_a_dataset_is_judged_alike_whatever_other_datasets_have_data_for(rank_per):
    """Of two runs B lacks one on `few`, and three of the five that the rules expect on `many`."""
    chosen = rules(rank_per=rank_per, repetitions=5)
    alone, beside = (verdict(table, chosen, problems(SEEDS)) for table in (FEW, FEW + MORE))
    absent = lines(beside, "missing_runs")["detail"].str.partition(" runs")[0]
    assert absent.tolist() == ["1 of 2", "2 of 5"]
    (notice,) = beside.notices
    assert notice.startswith("Fewer runs than expected: B on few (1 of 2) and B on many (2 of 5).")
    of_few = beside.aspects.query("dataset == 'few'").reset_index(drop=True)
    pd.testing.assert_frame_equal(of_few, alone.aspects)


def test_each_repetition_is_ranked_where_datasets_have_seeds_of_their_own():
    """On `few` B lacks the run on seed 4: ranks 2 and 1 of A, 1 and 2 of B, who is better on seed 5."""
    judgement = verdict(FEW + MORE, rules(repetitions=5, rank_per="repetition"), problems(SEEDS))
    assert ranks(judgement, "few", "accuracy") == [1.5, 1.5]
    steps = trace(judgement, "A", "few").query("step == 'run_rank' and aspect == 'accuracy'")
    assert steps["value"].tolist() == [2, 1]


def test_a_column_of_data_seeds_is_ignored_and_named():
    """B says that all of its runs were made on the data of seed 3; what is judged stays, and the ledger says so."""
    seeds = problems(
        "problems: [{dataset: d, features: [a], target: y, data_seeds: [3, 5], data: {test: '{data_seed}.csv'}}]"
    )
    table = runs("A d: {repetition: [1, 2]}\nB d: {repetition: [1, 2]}")
    stated = table.assign(data_seed=pd.array([None, None, 3, 3], "Int64"))
    before, after = (judge(frame, seeds, rules()) for frame in (table, stated))
    pd.testing.assert_frame_equal(after.ranking, before.ranking)
    (line,) = lines(after, "other_data").itertuples()
    assert (line.method, line.repetition, line.action) == ("B", 2, "noted")
    assert "data_seed 3 is not the seed of repetition" in line.detail


@pytest.mark.parametrize("clean", [0.9, 0.87, 0.3])
@pytest.mark.parametrize("rank_per", ["aggregate", "repetition"])
def test_a_worse_model_on_the_clean_reference_gains_nothing(clean, rank_per):
    """B loses what the truth loses; with a worse clean model it would look as if noise took nothing from it."""
    table = """
    A noise_base: {r2_test: 0.99}
    A noise_hard: {r2_test: 0.83}
    B noise_base: {r2_test: 1.0}
    B noise_hard: {r2_test: 0.81}
    """
    chosen = rules(repetitions=2, rank_per=rank_per)
    before, after = (verdict(t, chosen) for t in (table, table.replace("1.0", str(clean))))
    flagged = lines(after, "reference_worse")["method"].tolist()
    assert flagged == ["B"] * (clean < 0.81 + 0.075)
    if flagged:
        old, new = ranking(before), ranking(after)
        assert new["B"] <= old["B"] and new["A"] >= old["A"]
