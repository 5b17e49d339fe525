"""Rules: what is shipped, by which sentence a wrong key is refused, and that every switch is read and explained."""

import re
from pathlib import Path

import pytest

import srlib
from srlib.displays.tables.answer import explain_rules, rules_table
from srlib.files import PARAMETERS
from srlib.judging.properties import PROPERTY_SCORES
from srlib.judging.scoring import COMBINATIONS
from srlib.rules import (
    CHOSEN_ORIGIN,
    READINGS,
    SILENT_ORIGIN,
    Rules,
    departure,
    load_rules,
    rules_text,
    sentence_of,
    switch_at,
    written,
)
from srlib.yaml_files import load_yaml
from tests.builders import refused

# judging-2022 with the lines of defaults, too, which the tests change
MEASURE_LINES = """
  apply_calls: []
  solution_constants: {decimals: 3}
"""
JUDGE_LINES = """
  ties: dense
  rank_start: 1
  minimal_accuracy: null
  quirks: []
"""
TEXT = (PARAMETERS / "rules/judging-2022.yaml").read_text()
TEXT = TEXT.replace("\njudge:", f"{MEASURE_LINES}judge:", 1).replace(
    "\nsources:", f"{JUDGE_LINES}sources:", 1
)
PACKAGE = Path(srlib.__file__).parent
NAMES = sorted(path.stem for path in (PARAMETERS / "rules").glob("*.yaml"))
JUDGING = load_rules("judging-2022")
SWITCHES = list(JUDGING.settings)


def change(folder, *changes):
    """Load judging-2022 as `mine`, with some texts replaced."""
    text = TEXT.replace("name: judging-2022", "name: mine")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    (folder / "mine.yaml").write_text(text)
    return load_rules(folder / "mine.yaml")


@pytest.mark.parametrize("name", NAMES)
def test_switch_of_every_file_has_a_meaning_and_a_source(name, tmp_path):
    rules = load_rules(name)
    assert rules.name == name
    for row in rules.switches():
        assert row["meaning"] and row["source"], row["switch"]
        assert rules.settled(row["switch"]) or row["switch"] not in rules.sources
    assert (rules_table(rules)["meaning"].str.len() > 5).all()
    # written from the rules, a file holds the same and claims no document
    (tmp_path / "mine.yaml").write_text(rules_text(rules, "mine", "own rules: begun here"))
    again = load_rules(tmp_path / "mine.yaml")
    assert (again.settings, again.digest, again.sources) == (rules.settings, rules.digest, {})
    assert {row["source"] for row in again.switches()} <= {SILENT_ORIGIN, CHOSEN_ORIGIN}


WRONG = """
  ties: dense ->   tiez: dense | key 'judge': unknown key 'tiez'; allowed: aggregate, aspects
ties: dense -> ties: dens | key 'judge.ties': input should be 'dense', 'min', 'average' or 'max', got 'dens'
rank_start: 1 -> ties: min | duplicate key
rank_start: 1 -> rank_start: yes | key 'judge.rank_start'
rank_start: 1 -> candidate: chosen | key 'judge': unknown key 'candidate'
base: 5 -> base: 1 | key 'judge.aspects.simplicity.base'
base: 5 -> base: 5, weight: .inf | key 'judge.aspects.simplicity.weight': input should be a finite number
digits: 3, round: after -> digits: 3 | digits and round go together
schema: 1 -> schema: 2 | key 'schema'
schema: 1 -> # | key 'schema' is missing
measure: -> measure: [ | line
quirks: [] -> quirks: [nan_is_good] | key 'judge.quirks.0': input should be 'even_features_irrelevant'
quirks: [] -> quirks: [noise_base_as_easy] | properties.noise_sensitivity must be r2_test
apply_calls: [] -> apply_calls: [eval] | key 'measure.apply_calls.0'
minimal_accuracy: null -> minimal_accuracy: 1.5 | key 'judge.minimal_accuracy'
minimal_accuracy: null -> minimal_accuracy: 0.5; from: r2_test, -> from: r2_train, | minimal_accuracy needs an aspect
combine: harmonic_then_mean -> combine: values | key 'judge.combine'
combine: harmonic_then_mean -> combine: weighted_mean | key 'judge.combine'
combine: harmonic_then_mean -> combine: one_harmonic; rank_start: 1 -> rank_start: 0 | key 'judge': rank_start: 0 with
from: complexity, -> from: r2_test, | transform neg_log goes with from: complexity
solution_constants: {decimals: 3} -> solution_constants: {decimals: 13} | decimals:N, significant:N (N up to 12), srb
solution_constants: {decimals: 3} -> solution_constants: {significant: 0} | decimals:N, significant:N (N up to 12), srb
solution_constants: {decimals: 3} -> solution_constants: {digits: 3} | decimals:N, significant:N (N up to 12), srb
solution_constants: {decimals: 3} -> solution_constants: fitted | decimals:N, significant:N (N up to 12), srb
solution_constants: {decimals: 3} -> solution_constants: 3.5 decimals | decimals:N, significant:N (N up to 12), srb
solution_constants: {decimals: 3} -> solution_decimals: 3 | key 'measure': unknown key 'solution_decimals'
  tracks: "judging ->   track: "judging | noise_guard.action was expected, got 'track'
  tracks: "judging ->   qualification.per_dataset: "judging | nothing there settles qualification.per_dataset
  tracks: "judging ->   qualification.across: "judging | nothing there settles qualification.across
  tracks: "judging ->   aspects.accuracy.round: "judging | nothing there settles aspects.accuracy.round
  tracks: "judging ->   aspects.simplicity.round: "judging | nothing there settles aspects.simplicity.round
  tracks: "judging ->   aspects.accuracy.weight: "judging | nothing there settles aspects.accuracy.weight
  tracks: "judging ->   properties.relevant_features: "judging | nothing there settles properties.relevant_features
  tracks: "judging ->   properties.local_optima: "judging | nothing there settles properties.local_optima
  tracks: "judging ->   ties: "judging | nothing there settles ties
  tracks: "judging ->   rank_start: "judging | nothing there settles rank_start
  tracks: "judging ->   incomplete: "judging | nothing there settles incomplete
  tracks: "judging ->   qualification: "judging | noise_guard.action was expected, got 'qualification'
"""


@pytest.mark.parametrize("row", WRONG.strip("\n").splitlines())
def test_wrong_key_is_named(row, tmp_path):
    changes, sentence = row.split(" | ")
    with refused("^.*mine.yaml[^\n]*" + re.escape(sentence)):
        change(tmp_path, *(pair.split(" -> ") for pair in changes.split("; ")))


def test_value_of_a_score_has_its_function():
    combine, scores = switch_at("combine").values, type(JUDGING.judge.properties).model_fields
    pairs = {(name, value) for name in scores for value in switch_at(f"properties.{name}").values}
    assert (COMBINATIONS.keys(), PROPERTY_SCORES.keys()) == (set(combine), pairs)


@pytest.mark.parametrize("path", SWITCHES)
def test_value_of_each_switch_is_explained_otherwise(path):
    """A new value of a switch, or a new switch, needs its own sentence on the page; each sentence has its value."""
    switch = switch_at(path)
    values = [None if name == "null" else name for name in switch.values]
    assert len({sentence_of(path, value) for value in values}) == len(values)
    assert {*switch.values} <= switch.sentences.keys() or "else" in switch.sentences
    unnamed = switch.sentences.keys() - {*switch.values, "else", "[]", "null", "1"}
    assert switch.sentences and not (unnamed and values)
    for paths, readings in READINGS.items():
        if path in paths and values:
            assert {written(reading[paths.index(path)]) for reading in readings} <= {*switch.values}


def test_page_describes_the_rules_that_were_used(tmp_path):
    changes = [("aggregate: mean", "aggregate: median"), ("combine: harmonic_then_", "combine: ")]
    rules = change(tmp_path, *changes)
    text = " ".join(explain_rules(rules).values())
    assert "the median over the repetitions" in text and "mean over the repetitions" not in text
    assert "mean of the points in its aspects" in text
    source = rules_table(rules).set_index("switch")["source"]["aggregate"]
    assert source == "chosen in these rules; judging criteria, synthetic track, step 2, says mean"
    # a property that no aspect takes has no section
    titles = [explain_rules(each).keys() for each in (rules, load_rules("competition-2023"))]
    assert ["The property" in title for title in titles] == [True, False]


SIMPLICITY = "    simplicity: {from: complexity, transform: neg_log, base: 5, "
DEPARTURES = {
    "differ from judging-2022: aspects.accuracy.digits is 2, not 3; ties is min, not dense.": [
        ("ties: dense", "ties: min"),
        ("digits: 3", "digits: 2"),
    ],
    "differ from judging-2022: the aspect time (from seconds) is added; the aspect simplicity is left out.": [
        (SIMPLICITY, "    time: {from: seconds, "),
        (TEXT[TEXT.index("\nsources:") :], "\n"),
    ],
    "are those of judging-2022.": [],
}


@pytest.mark.parametrize("sentence", DEPARTURES)
def test_rules_name_where_they_differ_from_the_shipped_ones(sentence, tmp_path):
    assert departure(change(tmp_path, *DEPARTURES[sentence])) == f"The rules mine {sentence}"
    assert departure(load_rules("competition-2023")) == ""


def test_digests_stay_and_follow_what_can_change_a_result(tmp_path):
    """A changed digest of measuring makes the shipped assessments stale, and a fresh clone simplifies for hours."""
    assert JUDGING.digest == "5825b1cdf4b92ef62e8e9a5d6f157a4e"
    rules = change(tmp_path, ("base: 5", "base: 4"))
    assert rules.digest != JUDGING.digest and rules.measure.digest == JUDGING.measure.digest
    assert {name: load_rules(name).measure.digest for name in NAMES} == {
        "competition-2022": "1418276c743779184528ff942c25b4f9",
        "competition-2023": "c19e00b6c77f4fa6691f2222f18cda5b",
        "judging-2022": "2afb9b83f9314e5d029766197f539792",
        "judging-2026": "48e7d13539ec2c5ea416990d0ea80323",
        "proposal-2022": "2afb9b83f9314e5d029766197f539792",
    }


# Digests leave defaults out: another default would change what stored assessments and shipped rules mean.
DEFAULTS = """
decimals 3, round_constants before, zero_below null, simplify_ratio null, simplify_work 350000, complexity simplified,
count nodes, dust dropped, apply_calls [], solution_constants 3 decimals, tracks [synthetic],
properties.solution frequency, properties.relevant_features S1, properties.local_optima S1,
properties.extrapolation r2_extrapolation, properties.noise_sensitivity ratio, noise_guard.min_accuracy 0.5,
noise_guard.action flag, repetitions 10, incomplete floor, aggregate mean, rank_per aggregate, rank_start 1, ties dense,
missing worst_rank, minimal_accuracy null, combine harmonic_then_mean, quirks [],
qualification.baseline LinearRegression, qualification.per_dataset median, qualification.across mean_rank,
real_world.representative best, real_world.ranking expert_ranks
"""


STATED_DEFAULTS = dict(
    pair.split(" ", 1) for pair in DEFAULTS.replace("\n", " ").strip().split(", ")
)


def test_defaults_stay():
    aspect = {"from": "r2_test", "direction": "higher"}
    content = {"schema": 1, "name": "bare", "source": "none", "measure": {}}
    bare = Rules.model_validate(content | {"judge": {"aspects": {"a": aspect}}}).settings
    defaults = {path: written(bare[path]) for path in bare if path.split(".")[0] != "aspects"}
    assert defaults == STATED_DEFAULTS
    others = {bare[path] for path in bare.keys() - defaults.keys()}
    assert others == {None, 1.0, *aspect.values()}


def test_switch_is_read():
    """What nothing outside of the rules' own package reads would be a promise on every page."""
    paths = [path for path in PACKAGE.rglob("*.py") if path.parent.name != "rules"]
    attributes = set(re.findall(r"\.(\w+)", " ".join(path.read_text() for path in paths)))
    # scores of properties are looked up by name; a key of YAML that is a word of Python has a line behind it
    names = {path.split(".")[-1] for path in SWITCHES if not path.startswith("properties.")}
    assert {name for name in names if not {name, f"{name}_"} & attributes} == set()


@pytest.mark.parametrize("name", sorted({*NAMES} - {"judging-2026"}))
def test_shipped_rules_state_only_what_differs_or_is_settled(name):
    """judging-2026 gives a reason for each switch."""
    content, rules = load_yaml(PARAMETERS / "rules" / f"{name}.yaml"), load_rules(name)
    for block in (content["measure"], content["judge"]):
        for switch in block.keys() - {"aspects"}:
            paths = [path for path in rules.settings if path.partition(".")[0] == switch]
            differs = any(written(rules.settings[p]) != STATED_DEFAULTS[p] for p in paths)
            assert differs or rules.sources.keys() & {*paths}, switch


def test_key_of_older_files_that_had_one_value_decides_nothing(tmp_path):
    older = change(
        tmp_path, ("  complexity: simplified", "  complexity: simplified\n  judged: text")
    )
    assert older.digest == JUDGING.digest
