"""Rules: what is shipped, and by which sentence a wrong key is refused."""

from pathlib import Path

import pytest

from srlib.displays.tables.rules import rules_said, rules_table
from srlib.errors import InputError
from srlib.files import PARAMETERS
from srlib.judging.properties import SCORERS
from srlib.judging.scoring import COMBINATIONS
from srlib.rules import READINGS, departure, load_rules, rules_text, sentence_of, switch_at
from srlib.rules.judge import Properties
from srlib.rules.rules_file import CHOSEN, SILENT
from srlib.yaml_files import load_yaml

TEXT = (PARAMETERS / "rules" / "judging-2022.yaml").read_text(encoding="utf-8")


def test_judging_2022_says_what_the_criteria_say():
    rules = load_rules("judging-2022")
    assert rules.judge.aspects["accuracy"].digits == 3
    assert rules.judge.aspects["simplicity"].base == 5
    assert (rules.judge.repetitions, rules.judge.combine) == (10, "harmonic_then_mean")
    assert {row["switch"] for row in rules.switches()} >= set(rules.sources)


@pytest.mark.parametrize(
    "name", sorted(path.stem for path in (PARAMETERS / "rules").glob("*.yaml"))
)
def test_every_switch_of_every_file_has_a_meaning_and_a_source(name):
    rules = load_rules(name)
    assert rules.name == name
    for row in rules.switches():
        assert row["meaning"] and row["source"], row["switch"]
        assert rules.settled(row["switch"]) or row["switch"] not in rules.sources
    table = rules_table(rules)
    assert (table["meaning"].str.len() > 5).all()
    given = load_yaml(PARAMETERS / "rules" / f"{name}.yaml")
    for block in ("measure", "judge"):
        assert list(given[block]) == list(type(getattr(rules, block)).model_fields), (
            "every switch stands in the file"
        )


def test_digest_follows_what_can_change_a_result(tmp_path):
    changed = tmp_path / "r.yaml"
    changed.write_text(TEXT.replace("base: 5", "base: 4"), encoding="utf-8")
    one, other = load_rules("judging-2022"), load_rules(changed)
    assert one.digest != other.digest
    assert one.measure.digest == other.measure.digest


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("  ties: dense", "  tiez: dense", "unknown key 'judge.tiez'; allowed: aggregate, aspects"),
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
        ("quirks: []", "quirks: []\n  candidate: chosen", "unknown key 'judge.candidate'"),
        ('  tracks: "judging', '  track: "judging', "sources names 'track', which is no switch"),
        (
            '  tracks: "judging',
            '  ties: "judging',
            "sources: judging criteria: nothing there settles ties",
        ),
        (
            '  tracks: "judging',
            '  qualification: "judging',
            "sources names 'qualification', which is a block: name its switches, such as qualification.baseline",
        ),
    ],
)
def test_wrong_keys_are_named(old, new, sentence, tmp_path):
    path = tmp_path / "rules.yaml"
    text = (
        TEXT.replace("minimal_accuracy: null", "minimal_accuracy: 0.5")
        if "minimal_accuracy" in sentence
        else TEXT
    )
    assert old in text
    if "one_harmonic" in new:
        text = text.replace("  combine: harmonic_then_mean", "")
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError) as error:
        load_rules(path)
    assert sentence in str(error.value)
    assert str(error.value).startswith(str(path))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("content", [b"", b"- a\n- b\n", b"\xff\xfe\x00", b"text"])
def test_files_that_are_no_mapping(content, tmp_path):
    path = tmp_path / "rules.yaml"
    path.write_bytes(content)
    with pytest.raises(InputError, match="rules.yaml"):
        load_rules(path)


def test_unknown_name_lists_what_is_shipped():
    with pytest.raises(InputError, match="no shipped rules of that name .*judging-2022"):
        load_rules("judging-2021")


NUMBERS = {
    "decimals": (3, 4), "zero_below": (None, 1e-3), "simplify_ratio": (None, 1.0), "simplify_work": (500_000, 10_000),
    "solution_constants": ("3 decimals", "4 decimals", "3 significant digits", "srbench", "free"),
    "repetitions": (10, 5), "minimal_accuracy": (None, 0.5), "tracks": (("synthetic",), ("noisy",)),
    "noise_guard.min_accuracy": (0.5, 0.6), "qualification.baseline": ("LinearRegression", "ElasticNet"),
    "from": ("r2_test", "r2_train", "complexity", "complexity_raw", "property", "value", "energy"),
    "base": (None, 5.0, 4.0), "digits": (None, 3, 2), "weight": (1.0, 2.0), "rank_start": (0, 1),
    "apply_calls": ((), ("expand",), ("factor",)), "quirks": ((), ("seir_left_out",), ("noise_base_as_easy",)),
}  # fmt: skip


@pytest.mark.parametrize("path", load_rules("judging-2022").settings)
def test_each_value_of_each_switch_is_explained_otherwise(path):
    """A new value of a switch, or a new switch, needs its own sentence on the page."""
    names = NUMBERS.get(path, NUMBERS.get(path.split(".")[-1])) or switch_at(path).values
    values = [None if name == "null" else name for name in names]
    sentences = [sentence_of(path, value) for value in values]
    assert len(values) > 1 and len(set(sentences)) == len(sentences), sentences
    for paths, readings in READINGS.items():
        if path in paths:
            assert {reading[paths.index(path)] for reading in readings} <= set(values)


def test_every_sentence_belongs_to_a_value():
    for path in load_rules("judging-2022").settings:
        switch = switch_at(path)
        unnamed = switch.sentences.keys() - {*switch.values, "else", "[]", "null", "1"}
        assert switch.sentences and not (unnamed and switch.values), path


def turned(tmp_path: Path, *changes: tuple[str, str], name: str = "mine"):
    text = TEXT.replace("name: judging-2022", f"name: {name}")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    path = tmp_path / f"{name}.yaml"
    path.write_text(text, encoding="utf-8")
    return load_rules(path)


def test_a_page_describes_the_rules_that_were_used(tmp_path):
    given = " ".join(rules_said(load_rules("judging-2022")).values())
    assert "harmonic" in given and "the mean over the repetitions" in given
    rules = turned(
        tmp_path,
        ("aggregate: mean", "aggregate: median"),
        ("combine: harmonic_then_mean", "combine: mean"),
    )
    said = " ".join(rules_said(rules).values())
    assert "the median over the repetitions" in said and "mean over the repetitions" not in said
    assert "harmonic" not in said and "mean of the aspect ranks" in said
    table = rules_table(rules).set_index("switch")
    assert table.loc["aggregate", "source"] == (
        "chosen in these rules; judging criteria, synthetic track, step 2, says mean"
    )
    assert rules.settled("aggregate") is None and rules.settled("tracks")


def test_rules_say_where_they_differ_from_the_shipped_ones(tmp_path):
    rules = turned(tmp_path, ("ties: dense", "ties: min"), ("digits: 3", "digits: 2"))
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
    assert departure(turned(tmp_path)) == "The rules mine are those of judging-2022."
    assert departure(load_rules("competition-2023")) == ""


@pytest.mark.parametrize(
    "name", sorted(path.stem for path in (PARAMETERS / "rules").glob("*.yaml"))
)
def test_a_file_written_from_rules_holds_the_same_and_claims_no_document(name, tmp_path):
    rules, path = load_rules(name), tmp_path / "mine.yaml"
    path.write_text(rules_text(rules, "mine", "own rules: begun here"), encoding="utf-8")
    again = load_rules(path)
    assert again.settings == rules.settings and again.digest == rules.digest
    assert not again.sources and {row["source"] for row in again.switches()} <= {SILENT, CHOSEN}


def test_every_choice_of_the_scorer_is_a_value_of_its_switch():
    assert set(COMBINATIONS) == set(switch_at("combine").values)
    chosen = {(k, v) for k in Properties.model_fields for v in switch_at(f"properties.{k}").values}
    assert set(SCORERS) == chosen


@pytest.mark.parametrize(
    "switch",
    [
        "qualification.per_dataset",
        "qualification.across",
        "aspects.accuracy.round",
        "aspects.simplicity.round",
        "aspects.accuracy.weight",
        "properties.relevant_features",
        "properties.local_optima",
        "ties",
        "rank_start",
        "incomplete",
    ],
)
def test_what_the_criteria_leave_open_is_not_called_settled(switch, tmp_path):
    assert load_rules("judging-2022").settled(switch) is None
    claimed = TEXT.replace('  tracks: "judging', f'  {switch}: "judging')
    (tmp_path / "r.yaml").write_text(claimed, encoding="utf-8")
    with pytest.raises(InputError, match="nothing there settles"):
        load_rules(tmp_path / "r.yaml")


def test_how_constants_are_compared_is_one_switch(tmp_path):
    new, digests = "solution_constants: {decimals: 3}", {load_rules("judging-2022").measure.digest}
    for value in ("{decimals: 2}", "{significant: 3}", "srbench", "free"):
        rules = turned(tmp_path, (new, f"solution_constants: {value}"))
        digests.add(rules.measure.digest)
        assert f"solution_constants: {rules.measure.solution_constants}" in rules_text(
            rules, "m", ""
        )
    assert len(digests) == 5
    for value in ("{decimals: 13}", "{significant: 0}", "{digits: 3}", "fitted", "3.5 decimals"):
        with pytest.raises(
            InputError, match=r"decimals:N, significant:N \(N up to 12\), srbench or"
        ):
            turned(tmp_path, (new, f"solution_constants: {value}"))
    with pytest.raises(InputError, match="unknown key 'measure.solution_decimals'"):
        turned(tmp_path, (new, "solution_decimals: 3"))


@pytest.mark.parametrize("name, there", [("judging-2022", True), ("competition-2023", False)])
def test_a_property_that_no_aspect_takes_has_no_section(name, there):
    rules = load_rules(name)
    assert any(one.from_ == "property" for one in rules.judge.aspects.values()) is there
    assert ("The property" in rules_said(rules)) is there
    assert "The property" in rules_said(rules, "properties")


@pytest.mark.parametrize(
    ("name", "digest"),
    [
        ("competition-2022", "1f131f94885527d56649353e75a45f79"),
        ("competition-2023", "4fdafd0bc17926a140ee98b7f354e625"),
        ("judging-2022", "83c15a831230ddc77d923ab9f4c0c996"),
        ("judging-2026", "71cd6de41f6ae92fb39d855f83dc048f"),
        ("proposal-2022", "83c15a831230ddc77d923ab9f4c0c996"),
    ],
)
def test_the_measure_digests_stay(name, digest):
    """A changed digest makes the shipped assessments stale, and a fresh clone simplifies for hours."""
    assert load_rules(name).measure.digest == digest
