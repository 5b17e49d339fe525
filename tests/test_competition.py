"""`Competition`: one value for all that judges; its methods copy it, and the order of calls changes nothing."""

import pandas as pd
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import srlib
from srlib import Competition
from srlib.errors import InputError, NothingScoredError
from srlib.rules import load_rules
from tests.builders import SPRINGS, spring_runs

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


def runs():
    """The runs of springs; the best method has a sign of equality in its name."""
    return spring_runs().replace({"method": {"Exact": "a = b"}})


@pytest.fixture(scope="module")
def problems(tmp_path_factory):
    path = tmp_path_factory.mktemp("springs") / "springs.yaml"
    path.write_text(SPRINGS)
    return path


@pytest.fixture(scope="module")
def competition(problems):
    return Competition.read(runs(), problems).assess()


def assert_equal(first, second):
    """Compare all tables of two judgements."""
    assert first.counts == second.counts and first.sentences == second.sentences
    for name, table in first.files.items():
        pd.testing.assert_frame_equal(table, second.files[name])


def test_judging_assesses_first(competition, problems):
    assert_equal(Competition.read(runs(), problems).judge(), competition.judge())


def test_methods_change_copies_only(competition):
    """Two changed copies of one competition do not know each other."""
    before = competition.judge()
    lenient = competition.with_switches({"repetitions": 2})
    strict = competition.with_switches({"ties": "max"})
    assert lenient.rules.judge.ties == "dense" and strict.rules.judge.repetitions == 10
    competition.without(methods=["Near"]).judge()
    competition.with_runs(runs().head(2)).judge()
    assert_equal(before, competition.judge())


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


@pytest.mark.parametrize(
    ("switches", "sentence"),
    [
        ({"tie": "min"}, "switches: one of tracks, .* was expected, got 'tie'"),
        ({"aspects.speed.weight": 2}, "got 'aspects.speed.weight'"),
        ({"ties.more": 2}, "got 'ties.more'"),
        ({"ties": "first"}, "these switches: key 'ties'"),
        ({"rank_start": 0, "combine": "one_harmonic"}, "rank_start: 0 with combine: one_harmonic"),
    ],
)
def test_a_wrong_switch_is_one_sentence(competition, switches, sentence):
    with pytest.raises(InputError, match=sentence):
        competition.with_switches(switches)


def test_each_rules_file_makes_its_own_gate():
    """judging-2022 qualifies against LinearRegression, proposal-2022 against ElasticNet, which the demo lacks."""
    competition = Competition.read("demo", "synthetic-2022", qualified="demo")
    barred = sorted(competition.judge().gate.barred)
    assert barred == ["LinearRegression", "gplearn"]
    other = competition.with_rules("proposal-2022").judge()
    assert not other.gate.barred and len(other.ranking.dropna()) == 6
    assert "ElasticNet, of which demo has no R2" in other.gate.note


def test_without_a_table_nothing_is_said_of_the_qualification(competition):
    assert "qualif" not in " ".join(competition.judge().sentences)


def test_the_table_of_the_qualification_may_be_a_frame(problems):
    table = pd.DataFrame({"method": ["a = b", "Near"], "qualified": [False, True]}, index=[3, 3])
    judged = Competition.read(runs(), problems, qualified=table).judge()
    assert judged.ranking["method"].iloc[0] == "Near"
    sentence = "the table of the qualification: column 'dataset' is missing"
    with pytest.raises(InputError, match=sentence):
        Competition.read(runs(), problems, qualified=table[["method"]]).judge()


def test_a_method_with_an_equals_sign_is_one_method(competition):
    judgement = competition.judge()
    assert judgement.headline.startswith("a = b wins with ")
    assert competition.robustness(resamples=20).certainty.winners == ("a = b",)


def test_runs_of_a_taken_name_are_marked(competition):
    joined = competition.with_runs(runs().query("method == 'Near'"))
    assert joined.runs.methods == ["Broken", "Near", "Near (yours)", "a = b"]
    scores = joined.judge().ranking.set_index("method")["score"]
    assert scores["Near"] == scores["Near (yours)"]


def test_leaving_out_equals_a_smaller_table(competition, problems):
    smaller = Competition.read(runs().query("method != 'Near' and dataset != 'drag'"), problems)
    left = competition.without(["Near"], ["drag"]).judge()
    pd.testing.assert_frame_equal(left.aspects, smaller.judge().aspects)
    with pytest.raises(InputError, match="no run is left"):
        competition.without(datasets=["hooke", "drag"])


def test_nothing_scored_says_why_and_keeps_the_ledger(problems):
    with pytest.raises(NothingScoredError, match="unparsed") as error:
        Competition.read(runs().assign(model="k*("), problems).judge()
    assert len(error.value.judgement.ledger) >= 12


def test_no_run_on_a_scored_dataset_fails_before_assessing(problems, monkeypatch):
    """Assessing takes long."""
    monkeypatch.setattr("srlib.competition.complete_assessments", None)
    elsewhere = Competition.read(runs().assign(dataset="moon"), problems)
    with pytest.raises(InputError, match="no run is on a dataset that these rules score"):
        elsewhere.judge()


def test_unread_files_stand_first_in_the_ledger(problems, tmp_path):
    """The name of a file may hold a colon."""
    folder = tmp_path / "teams"
    folder.mkdir()
    runs().to_csv(folder / "good.csv", index=False)
    (folder / "bad: day 2.csv").write_text("method,dataset,model\nA,hooke,k\n")
    first = Competition.read(folder, problems).judge().ledger.iloc[0]
    assert first["file"] == str(folder / "bad: day 2.csv") and first["code"] == "unread_file"
    assert first["detail"].startswith("column 'repetition' is missing")


def test_a_competition_is_public():
    assert {"Competition", "Resources"} <= set(srlib.__all__)
