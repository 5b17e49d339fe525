"""Rules: what is shipped, by which sentence a wrong key is refused, and that every switch is read and explained."""

import ast
import re
from pathlib import Path

import pytest

import srlib
from srlib.displays.tables.answer import rules_said, rules_table
from srlib.errors import InputError
from srlib.files import PARAMETERS
from srlib.judging.properties import SCORERS
from srlib.judging.scoring import COMBINATIONS
from srlib.rules import READINGS, departure, load_rules, rules_text, sentence_of, switch_at
from srlib.rules.judge import Properties
from srlib.rules.rules_file import CHOSEN, SILENT
from srlib.yaml_files import load_yaml

TEXT = (PARAMETERS / "rules" / "judging-2022.yaml").read_text(encoding="utf-8")


NAMES = sorted(path.stem for path in (PARAMETERS / "rules").glob("*.yaml"))


def change(tmp_path, *changes, name="mine"):
    """Load judging-2022 under another name and with some texts replaced."""
    text = TEXT.replace("name: judging-2022", f"name: {name}")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
    return load_rules(tmp_path / f"{name}.yaml")


def test_judging_2022_says_what_the_criteria_say():
    rules = load_rules("judging-2022")
    aspects = rules.judge.aspects
    assert (aspects["accuracy"].digits, aspects["simplicity"].base) == (3, 5)
    assert (rules.judge.repetitions, rules.judge.combine) == (10, "harmonic_then_mean")
    assert {row["switch"] for row in rules.switches()} >= set(rules.sources)


@pytest.mark.parametrize("name", NAMES)
def test_every_switch_of_every_file_has_a_meaning_and_a_source(name, tmp_path):
    rules, content = load_rules(name), load_yaml(PARAMETERS / "rules" / f"{name}.yaml")
    assert rules.name == name
    for row in rules.switches():
        assert row["meaning"] and row["source"], row["switch"]
        assert rules.settled(row["switch"]) or row["switch"] not in rules.sources
    assert (rules_table(rules)["meaning"].str.len() > 5).all()
    for block in ("measure", "judge"):
        fields = list(type(getattr(rules, block)).model_fields)
        assert list(content[block]) == fields, "every switch stands in the file"
    # written from the rules, a file holds the same and claims no document
    (tmp_path / "mine.yaml").write_text(rules_text(rules, "mine", "own rules: begun here"))
    again = load_rules(tmp_path / "mine.yaml")
    assert (again.settings, again.digest, again.sources) == (rules.settings, rules.digest, {})
    assert {row["source"] for row in again.switches()} <= {SILENT, CHOSEN}


def test_digest_follows_what_can_change_a_result(tmp_path):
    rules, changed = load_rules("judging-2022"), change(tmp_path, ("base: 5", "base: 4"))
    assert rules.digest != changed.digest and rules.measure.digest == changed.measure.digest


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (
            "  ties: dense",
            "  tiez: dense",
            "key 'judge': unknown key 'tiez'; allowed: aggregate, aspects",
        ),
        (
            "  ties: dense",
            "  ties: dens",
            "key 'judge.ties': input should be 'dense', 'min', 'average' or 'max', got 'dens'",
        ),
        ("  ties: dense", "  ties: dense\n  ties: min", "duplicate key"),
        ("  rank_start: 1", "  rank_start: yes", "key 'judge.rank_start'"),
        ("base: 5", "base: 1", "key 'judge.aspects.simplicity.base'"),
        ("digits: 3, round: after", "digits: 3", "digits and round go together"),
        ("schema: 1", "schema: 2", "key 'schema'"),
        ("schema: 1", "", "key 'schema' is missing"),
        ("measure:", "measure: [", "line"),
        (
            "quirks: []",
            "quirks: [nan_is_good]",
            "key 'judge.quirks.0': input should be 'even_features_irrelevant'",
        ),
        (
            "quirks: []",
            "quirks: [noise_base_as_easy]",
            "properties.noise_sensitivity must be r2_test",
        ),
        ("apply_calls: []", "apply_calls: [eval]", "key 'measure.apply_calls.0'"),
        ("minimal_accuracy: 0.5", "minimal_accuracy: 1.5", "key 'judge.minimal_accuracy'"),
        ("combine: harmonic_then_mean", "combine: values", "key 'judge.combine'"),
        ("from: r2_test,", "from: r2_train,", "minimal_accuracy needs an aspect from r2_test"),
        ("from: complexity,", "from: r2_test,", "transform neg_log goes with from: complexity"),
        (
            "rank_start: 1",
            "rank_start: 0\n  combine: one_harmonic",
            "key 'judge': rank_start: 0 with combine: one_harmonic makes the score",
        ),
        ("combine: harmonic_then_mean", "combine: weighted_mean", "key 'judge.combine'"),
        ("quirks: []", "quirks: []\n  candidate: chosen", "key 'judge': unknown key 'candidate'"),
        ('  tracks: "judging', '  track: "judging', "sources: 'track' is no switch, such as"),
        (
            '  tracks: "judging',
            '  ties: "judging',
            "sources: judging criteria: nothing there settles ties",
        ),
        (
            '  tracks: "judging',
            '  qualification: "judging',
            "sources: 'qualification' is no switch, such as noise_guard.action",
        ),
    ],
)
def test_wrong_keys_are_named(old, new, sentence, tmp_path):
    text = TEXT
    if "minimal_accuracy" in sentence:
        text = TEXT.replace("minimal_accuracy: null", "minimal_accuracy: 0.5")
    if "one_harmonic" in new:
        text = TEXT.replace("  combine: harmonic_then_mean", "")
    assert old in text
    (tmp_path / "rules.yaml").write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError, match="^.*rules.yaml[^\n]*" + re.escape(sentence)):
        load_rules(tmp_path / "rules.yaml")


def test_unknown_name_lists_what_is_shipped():
    with pytest.raises(InputError, match="no shipped rules of that name .*judging-2022"):
        load_rules("judging-2021")


@pytest.mark.parametrize("path", load_rules("judging-2022").settings)
def test_each_value_of_each_switch_is_explained_otherwise(path):
    """A new value of a switch, or a new switch, needs its own sentence on the page."""
    switch = switch_at(path)
    values = [None if name == "null" else name for name in switch.values]
    assert len({sentence_of(path, value) for value in values}) == len(values)
    for paths, readings in READINGS.items():
        if path in paths and values:
            read = {reading[paths.index(path)] for reading in readings}
            assert {None if value is None else str(value) for value in read} <= set(values)


def test_every_sentence_belongs_to_a_value():
    for path in load_rules("judging-2022").settings:
        switch = switch_at(path)
        unnamed = switch.sentences.keys() - {*switch.values, "else", "[]", "null", "1"}
        assert switch.sentences and not (unnamed and switch.values), path


def test_a_page_describes_the_rules_that_were_used(tmp_path):
    text = " ".join(rules_said(load_rules("judging-2022")).values())
    assert "harmonic" in text and "the mean over the repetitions" in text
    rules = change(
        tmp_path,
        ("aggregate: mean", "aggregate: median"),
        ("combine: harmonic_then_mean", "combine: mean"),
    )
    text = " ".join(rules_said(rules).values())
    assert "the median over the repetitions" in text and "mean over the repetitions" not in text
    assert "harmonic" not in text and "mean of the points in its aspects" in text
    source = rules_table(rules).set_index("switch").loc["aggregate", "source"]
    assert source == "chosen in these rules; judging criteria, synthetic track, step 2, says mean"
    assert rules.settled("aggregate") is None and rules.settled("tracks")
    # a property that no aspect takes has no section
    assert "The property" in rules_said(rules)
    assert "The property" not in rules_said(load_rules("competition-2023"))


def test_rules_say_where_they_differ_from_the_shipped_ones(tmp_path):
    rules = change(tmp_path, ("ties: dense", "ties: min"), ("digits: 3", "digits: 2"))
    assert departure(rules) == (
        "The rules mine differ from judging-2022: ties is min, not dense; aspects.accuracy.digits is 2, not 3."
    )
    text = TEXT.partition("\nsources:")[0].replace("name: judging-2022", "name: mine")
    old = "    simplicity: {from: complexity, transform: neg_log, base: 5, "
    (tmp_path / "own.yaml").write_text(text.replace(old, "    time: {from: seconds, ") + "\n")
    own = load_rules(tmp_path / "own.yaml")
    assert departure(own) == (
        "The rules mine differ from judging-2022: the aspect time (from seconds) is added; the aspect simplicity is "
        "left out."
    )
    assert departure(change(tmp_path)) == "The rules mine are those of judging-2022."
    assert departure(load_rules("competition-2023")) == ""


def test_every_choice_of_the_scorer_is_a_value_of_its_switch():
    assert set(COMBINATIONS) == set(switch_at("combine").values)
    chosen = {(k, v) for k in Properties.model_fields for v in switch_at(f"properties.{k}").values}
    assert set(SCORERS) == chosen


OPEN = ["qualification.per_dataset", "qualification.across", "aspects.accuracy.round", "aspects.simplicity.round",
        "aspects.accuracy.weight", "properties.relevant_features", "properties.local_optima", "ties", "rank_start",
        "incomplete"]  # fmt: skip


@pytest.mark.parametrize("switch", OPEN)
def test_what_the_criteria_leave_open_is_not_called_settled(switch, tmp_path):
    assert load_rules("judging-2022").settled(switch) is None
    with pytest.raises(InputError, match="nothing there settles"):
        change(tmp_path, ('  tracks: "judging', f'  {switch}: "judging'))


def test_how_constants_are_compared_is_one_switch(tmp_path):
    new, digests = "solution_constants: {decimals: 3}", {load_rules("judging-2022").measure.digest}
    for value in ("{decimals: 2}", "{significant: 3}", "srbench", "free"):
        rules = change(tmp_path, (new, f"solution_constants: {value}"))
        digests.add(rules.measure.digest)
        assert f"solution_constants: {rules.measure.solution_constants}" in rules_text(
            rules, "m", ""
        )
    assert len(digests) == 5
    for value in ("{decimals: 13}", "{significant: 0}", "{digits: 3}", "fitted", "3.5 decimals"):
        with pytest.raises(
            InputError, match=r"decimals:N, significant:N \(N up to 12\), srbench or"
        ):
            change(tmp_path, (new, f"solution_constants: {value}"))
    with pytest.raises(InputError, match="key 'measure': unknown key 'solution_decimals'"):
        change(tmp_path, (new, "solution_decimals: 3"))


def test_the_measure_digests_stay():
    """A changed digest makes the shipped assessments stale, and a fresh clone simplifies for hours."""
    assert {name: load_rules(name).measure.digest for name in NAMES} == {
        "competition-2022": "1f131f94885527d56649353e75a45f79",
        "competition-2023": "4fdafd0bc17926a140ee98b7f354e625",
        "judging-2022": "83c15a831230ddc77d923ab9f4c0c996",
        "judging-2026": "71cd6de41f6ae92fb39d855f83dc048f",
        "proposal-2022": "83c15a831230ddc77d923ab9f4c0c996",
    }


def test_every_switch_is_read():
    """What nothing outside of the rules' own package reads would be a promise on every page."""
    attributes = set()
    for path in Path(srlib.__file__).parent.rglob("*.py"):
        if path.parent.name != "rules":
            nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            attributes |= {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    switches = [row["switch"].split(".") for row in load_rules("judging-2022").switches()]
    # scores of properties are looked up by name; a key of YAML that is a word of Python has a line behind it
    names = {path[-1] for path in switches if path[0] != "properties"}
    assert sorted(name for name in names if not {name, f"{name}_"} & attributes) == []
