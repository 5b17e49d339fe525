"""YAML of strangers: read as YAML 1.2 says, and refused in one sentence beyond its limits."""

import math

import pytest

from srlib import limits
from srlib.yaml_files import load_yaml, yaml_text
from tests.builders import refused


def load(text, folder):
    path = folder / "p.yaml"
    path.write_text(text)
    return load_yaml(path)


def test_values_are_those_of_yaml_1_2(tmp_path):
    text = "[on, no, ~, TRUE, 1e-3, 012, 0o14, 0x1F, 1_000, 2022-01-01, 1:30, -.inf, '1', !!str 1, 1e4x, {b: 1}, .5, +]"
    values = ["on", "no", None, True, 0.001, 12, 12, 31, "1_000", "2022-01-01", "1:30", -math.inf, "1", "1", "1e4x",
              {"b": 1}, 0.5, "+"]  # fmt: skip
    assert repr(load(f"a: {text}", tmp_path)) == repr({"a": values})


def test_alias_repeats_its_value_and_merges_are_plain_keys(tmp_path):
    text = "base: &b {x: 1}\nagain: *b\nmerged: {<<: *b}"
    repeated = {"base": {"x": 1}, "again": {"x": 1}, "merged": {"<<": {"x": 1}}}
    assert load(text, tmp_path) == repeated


CHAIN = ["a0: &a0 1", *(f"a{i}: &a{i} [*a{i - 1}]" for i in range(1, 1200))]


NUMBER = "a whole number of at most 9223372036854775807 was expected, got"
FAULTS = {
    **dict.fromkeys(
        ["a: &b [*b]", "\n".join(CHAIN), "[" * 10**6],
        "values that nest at most 50 deep were expected",
    ),
    "a: 1\na: 2": "line 2: duplicate key 'a'",
    "a: *b": "line 1: found undefined alias",
    "a: !!python/object:os.system x": "line 1: the tag .*os.system. is not read; write the value",
    "a: !!int x": "line 1: the tag '.*int' is not read",
    "a: 1\n---\na: 2": "line 2: found another document",
    "? [a]\n: 1": "line 1: a key must be a plain value",
    'a: "\\0"': "line 1: a control character stands in",
    "a: " + "9" * 10_000: f"{NUMBER} 99",
    "a: 1e999": "a number that float64 can hold was expected, got 1e999",
    "- a": "a mapping of keys to values was expected, got list",
}


@pytest.mark.parametrize("text", FAULTS, ids=FAULTS.values())
def test_fault_is_one_sentence(text, tmp_path):
    with refused(f"p.yaml.*{FAULTS[text]}") as caught:
        load(text, tmp_path)
    assert len(str(caught.value)) < 400 + len(str(tmp_path))


@pytest.mark.parametrize("alias", ["[%s]", "{<<: [%s]}"])
@pytest.mark.parametrize(("levels", "ways"), [(9, 9), (40, 2), (3, 300)])
def test_bombs_of_aliases_are_counted(levels, ways, alias, tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "YAML_VALUES", 1000)
    lines = ["a0: &a0 {" + ", ".join(f"k{i}: 1" for i in range(ways)) + "}"]
    for level in range(1, levels):
        value = alias % ", ".join([f"*a{level - 1}"] * ways)
        lines.append(f"a{level}: &a{level} {value}")
    sentence = "at most 1000 values were expected, those that aliases repeat"
    with refused(sentence):
        load("\n".join(lines), tmp_path)


def test_what_is_written_is_read_again(tmp_path):
    texts = ["on", "1e-3", "0x1F", "~", "", "a: b", "2022-01-01", "1_000", "\u00e9", "- x"]
    content = {text: text for text in texts} | {
        "b": [1e-5, 1e17, 0.1, True, None, math.inf, *texts]
    }
    assert load(yaml_text(content), tmp_path) == content
