"""YAML of strangers: read as YAML 1.2 says, and refused in one sentence beyond its limits."""

import os

import pytest

from srlib.errors import InputError
from srlib.problems import load_problems
from srlib.yaml_files import load_yaml, yaml_text


def load(text, folder):
    path = folder / "p.yaml"
    path.write_text(text, encoding="utf-8")
    return load_yaml(path)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("on", "on"), ("no", "no"), ("~", None), ("TRUE", True), ("1e-3", 0.001), ("012", 12), ("0o14", 12),
        ("0x1F", 31), ("1_000", "1_000"), ("2022-01-01", "2022-01-01"), ("1:30", "1:30"), ("-.inf", -float("inf")),
        ("'1'", "1"), ("!!str 1", "1"), ("1e400x", "1e400x"), ("[a, {b: 1}]", ["a", {"b": 1}]), (".5", 0.5), ("+", "+"),
    ],
)  # fmt: skip
def test_values_are_those_of_yaml_1_2(text, value, tmp_path):
    loaded = load(f"a: {text}", tmp_path)["a"]
    assert (loaded, type(loaded)) == (value, type(value))


def test_an_alias_repeats_its_value_and_merges_are_plain_keys(tmp_path):
    loaded = load("base: &b {x: 1}\nagain: *b\nmerged: {<<: *b}", tmp_path)
    assert (loaded["again"], loaded["merged"]) == ({"x": 1}, {"<<": {"x": 1}})


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a: 1\na: 2", "line 2: duplicate key 'a'"),
        ("a: *b", "line 1: found undefined alias"),
        ("a: &b [*b]", "values nest at most 50 deep"),
        (
            "\n".join(f"a{i}: &a{i} [*a{i - 1}]" if i else "a0: &a0 1" for i in range(1200)),
            "values nest at most 50 deep",
        ),
        (
            "a: !!python/object:os.system x",
            "line 1: the tag .*os.system. is not read; write the value alone",
        ),
        ("a: !!int x", "line 1: the tag '.*int' is not read"),
        ("a: 1\n---\na: 2", "line 2: found another document"),
        ("? [a]\n: 1", "line 1: a key must be a plain value"),
        ('a: "\\0"', "line 1: a control character stands in"),
        (
            "a: 9223372036854775808",
            "a whole number of at most 9223372036854775807 was expected, got 92",
        ),
        (
            "a: " + "9" * 10_000,
            "a whole number of at most 9223372036854775807 was expected, got 99",
        ),
        ("a: 1e999", "a number that float64 can hold was expected, got 1e999"),
        ("a: " + "[" * 50 + "]" * 50, "line 1: values nest at most 50 deep"),
        ("[" * 10**6, "values nest at most 50 deep"),
        ("- a", "a mapping of keys to values was expected, got list"),
    ],
)
def test_faults_are_one_sentence(text, sentence, tmp_path):
    with pytest.raises(InputError, match=f"p.yaml.*{sentence}") as caught:
        load(text, tmp_path)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400 + len(str(tmp_path))


def bomb(levels, ways, merged):
    parts = [f"a0: &a0 {{{', '.join(f'k{i}: 1' for i in range(ways))}}}"]
    for level in range(1, levels):
        inside = ", ".join([f"*a{level - 1}"] * ways)
        parts.append(f"a{level}: &a{level} " + (f"{{<<: [{inside}]}}" if merged else f"[{inside}]"))
    return "\n".join(parts)


@pytest.mark.parametrize("merged", [False, True])
@pytest.mark.parametrize(("levels", "ways"), [(9, 9), (40, 2), (3, 2000)])
def test_bombs_of_aliases_are_counted(levels, ways, merged, tmp_path):
    with pytest.raises(
        InputError, match="at most 1000000 values were expected, those that aliases repeat"
    ):
        load(bomb(levels, ways, merged), tmp_path)


def test_a_pipe_is_no_yaml_file(tmp_path):
    os.mkfifo(tmp_path / "p.yaml")
    with pytest.raises(InputError, match="p.yaml: a regular file was expected"):
        load_yaml(tmp_path / "p.yaml")


@pytest.mark.parametrize(
    "text", ["on", "1e-3", "0x1F", "~", "", "a: b", "2022-01-01", "1_000", "\u00e9", "- x"]
)
def test_what_is_written_is_read_again(text, tmp_path):
    content = {"a": [text, {text: text}], "b": [1e-5, 1e17, 0.1, True, None, float("inf")]}
    assert load(yaml_text(content), tmp_path) == content


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ("generator: formula, arguments: {formula: x1, features: {x1..x99999999999: [uniform, 0, 1]}, "
         "rows: {train: 3}}", "x1..x99999999999: at most 10000 features were expected"),
        ("pmlb: ../../secret", "pmlb.*string should match pattern"),
    ],
)  # fmt: skip
def test_data_that_are_made_or_fetched_are_weighed(data, sentence, tmp_path):
    problem = f"{{dataset: d, features: [x1], data_seeds: [1], data: {{{data}}}}}"
    (tmp_path / "p.yaml").write_text(f"{{schema: 1, name: p, problems: [{problem}]}}")
    with pytest.raises(InputError, match=sentence):
        load_problems(tmp_path / "p.yaml")
