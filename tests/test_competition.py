"""`Competition`: one value for all that judges; its methods copy it, and the order of calls changes nothing."""

import pandas as pd
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from srlib import Competition
from srlib.errors import NothingScoredError
from srlib.rules import load_rules
from tests.builders import examples, refused, spring_runs

# switches of the judge block, each with a value that judging-2022 does not have
SWITCHES = {
    "ties": "min",
    "rank_start": 0,
    "aggregate": "median",
    "missing": "drop",
    "combine": "mean",
    "repetitions": 2,
    "noise_guard.action": "worst_rank",
    "aspects.accuracy.weight": 2.5,
    "properties.relevant_features": "S2",
}


@pytest.fixture(scope="module")
def competition(springs):
    return Competition.read(spring_runs(), springs).assess()


def assert_equal(first, second):
    """Compare all tables of two judgements."""
    assert first.counts == second.counts and first.sentences == second.sentences
    for name, table in first.files.items():
        pd.testing.assert_frame_equal(table, second.files[name])


def test_methods_change_copies_only_and_judging_assesses_first(competition, springs):
    """Two changed copies of one competition do not know each other."""
    before = competition.judge()
    assert "qualif" not in " ".join(before.sentences)
    assert_equal(Competition.read(spring_runs(), springs).judge(), before)
    lenient = competition.with_switches({"repetitions": 2})
    strict = competition.with_switches({"ties": "max"})
    assert lenient.rules.judge.ties == "dense" and strict.rules.judge.repetitions == 10
    competition.without(methods=["Near"]).judge()
    competition.with_runs(spring_runs().head(2)).judge()
    assert_equal(before, competition.judge())


@examples(20)
@given(st.sets(st.sampled_from(sorted(SWITCHES)), min_size=1))
def test_switches_equal_a_rules_file_with_them(names):
    switches = {name: SWITCHES[name] for name in names}
    content = load_rules("judging-2022").model_dump(mode="json", by_alias=True)
    for path, value in switches.items():
        *outer, name = path.split(".")
        target = content["judge"]
        for key in outer:
            target = target[key]
        target[name] = value
    written = type(load_rules("judging-2022")).model_validate(yaml.safe_load(yaml.dump(content)))
    turned = load_rules("judging-2022").with_switches(switches)
    assert turned == written and turned.digest == written.digest


WRONG = {
    "switches: one of tracks, .* was expected, got 'tie'": {"tie": "min"},
    "got 'aspects.speed.weight'": {"aspects.speed.weight": 2},
    "got 'ties.more'": {"ties.more": 2},
    "these switches: key 'ties'": {"ties": "first"},
    "rank_start: 0 with combine: one_harmonic": {"rank_start": 0, "combine": "one_harmonic"},
}


@pytest.mark.parametrize("sentence", WRONG)
def test_wrong_switch_is_one_sentence(competition, sentence):
    with refused(sentence):
        competition.with_switches(WRONG[sentence])


def test_rules_file_makes_its_own_gate(springs):
    """judging-2022 qualifies against LinearRegression, proposal-2022 against ElasticNet, which the table lacks."""
    r2 = {"Exact": 1.0, "Near": 0.5, "Broken": 0.7, "LinearRegression": 0.6}
    table = pd.DataFrame({"method": [*r2], "dataset": "p", "median_r2": [*r2.values()]})
    competition = Competition.read(spring_runs(), springs, qualified=table)
    assert sorted(competition.judge().gate.barred) == ["LinearRegression", "Near"]
    other = competition.with_rules("proposal-2022").judge()
    assert not other.gate.barred and len(other.ranking.dropna()) == 2
    assert "ElasticNet, of which the table of the qualification has no R2" in other.gate.note


def test_table_of_the_qualification_may_be_a_frame(springs):
    table = pd.DataFrame({"method": ["Exact", "Near"], "qualified": [False, True]}, index=[3, 3])
    judged = Competition.read(spring_runs(), springs, qualified=table).judge()
    assert judged.ranking["method"].iloc[0] == "Near"
    sentence = "the table of the qualification: column 'dataset' is missing"
    with refused(sentence):
        Competition.read(spring_runs(), springs, qualified=table[["method"]]).judge()


def test_runs_of_a_taken_name_are_marked(competition):
    joined = competition.with_runs(spring_runs().query("method == 'Near'"))
    assert joined.runs.methods == ["Broken", "Exact", "Near", "Near (yours)"]
    scores = joined.judge().ranking.set_index("method")["score"]
    assert scores["Near"] == scores["Near (yours)"]


def test_leaving_everything_out_is_refused(competition):
    assert competition.without(["Near"], ["drag"]).runs.methods == ["Broken", "Exact"]
    with refused("no run is left"):
        competition.without(datasets=["hooke", "drag"])


def test_nothing_scored_says_why_and_keeps_the_ledger(springs):
    with pytest.raises(NothingScoredError, match="unparsed") as error:
        Competition.read(spring_runs().assign(model="k*("), springs).judge()
    assert len(error.value.judgement.ledger) >= 12


def test_no_run_on_a_scored_dataset_fails_before_assessing(springs, monkeypatch):
    """Assessing takes long."""
    monkeypatch.setattr("srlib.competition.complete_assessments", None)
    elsewhere = Competition.read(spring_runs().assign(dataset="moon"), springs)
    with refused("no run is on a dataset that these rules score"):
        elsewhere.judge()
