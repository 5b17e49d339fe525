"""YAML of strangers: read as YAML 1.2 says, within limits, in a time that grows with the file and no faster."""

import os
from pathlib import Path
from typing import Any

import pytest

from srlib.errors import InputError
from srlib.problems import load_problems, partitions
from srlib.yaml_files import load_yaml, yaml_text


def load(text: str, folder: Path) -> dict[str, Any]:
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
    found = load(f"a: {text}", tmp_path)["a"]
    assert (found, type(found)) == (value, type(value))


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


def bomb(levels: int, ways: int, merged: bool) -> str:
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


def test_a_chain_of_aliases_is_one_sentence(tmp_path):
    chain = [f"a{link}: &a{link} [*a{link - 1}]" for link in range(1, 1200)]
    with pytest.raises(InputError, match="p.yaml: values nest at most 50 deep"):
        load("\n".join(["a0: &a0 1", *chain]), tmp_path)


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


def many(problems: int) -> str:
    entry = '  - {{dataset: d{0}, features: [x1, x2], relevant: [x1], truth: "x1 + {0}", noise_level: 0.1}}\n'
    return "schema: 1\nname: many\nproblems:\n" + "".join(entry.format(i) for i in range(problems))


RECIPE = """
schema: 1
name: p
problems:
  - dataset: d
    data_seeds: [1]
    data: {generator: formula, arguments: {formula: x1, features: {FEATURES: [uniform, 0, 1]}, rows: {train: ROWS}}}
"""


@pytest.mark.parametrize(
    ("features", "rows", "sentence"),
    [
        ("x1..x99999999999", "3", "x1..x99999999999: at most 10000 features were expected"),
        ("x1..x10001", "3", "x1..x10001: at most 10000 features were expected"),
        ("x1", "100000000", "rows.train.*less than or equal to 10000000, got 100000000"),
        ("x1", "100000000000000000000", "a whole number of at most 9223372036854775807"),
        ("x1..x10000", "5000", "at most 50000000 cells were expected, got 60006000"),
    ],
)
def test_recipes_are_weighed(features, rows, sentence, tmp_path):
    (tmp_path / "p.yaml").write_text(RECIPE.replace("FEATURES", features).replace("ROWS", rows))
    with pytest.raises(InputError, match=sentence):
        load_problems(tmp_path / "p.yaml")


GENERATED = (
    "{schema: 1, name: p, problems: [{dataset: d, features: [x1], data_seeds: [1], data: {DATA}}]}"
)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (
            "generator: local_optima_2022, arguments: {terms: 100000000000}",
            "key 'data.arguments': key 'terms': input should be less than or equal to 5",
        ),
        ("pmlb: ../../secret", "pmlb.*string should match pattern"),
    ],
)
def test_generators_are_weighed(data, sentence, tmp_path):
    (tmp_path / "p.yaml").write_text(GENERATED.replace("DATA", data))
    with pytest.raises(InputError, match=sentence):
        load_problems(tmp_path / "p.yaml")


@pytest.mark.parametrize("way", ["pipe", "device"])
def test_data_are_regular_files(way, tmp_path):
    """A pipe would wait for ever, and a device never ends."""
    text = "{schema: 1, name: p, problems: [{dataset: d, features: [x], data: {test: t.csv}}]}"
    (tmp_path / "p.yaml").write_text(text)
    if way == "pipe":
        os.mkfifo(tmp_path / "t.csv")
    else:
        (tmp_path / "t.csv").symlink_to("/dev/zero")
    problem = load_problems(tmp_path / "p.yaml").problems[0]
    with pytest.raises(InputError, match="regular file was expected|leads out of the folder"):
        partitions(problem)


def test_work_grows_with_the_number_of_problems(tmp_path):
    """Twice the problems, twice the calls: counted, not timed, so that a busy machine changes nothing."""
    import sys

    counts = []
    for problems in (300, 600):
        (tmp_path / "p.yaml").write_text(many(problems))
        calls = 0

        def count(frame: object, event: str, argument: object) -> None:
            nonlocal calls
            calls += 1

        sys.setprofile(count)
        try:
            load_problems(tmp_path / "p.yaml")
        finally:
            sys.setprofile(None)
        counts.append(calls)
    assert counts[1] < 2.2 * counts[0]


def test_seeds_have_64_bits(tmp_path):
    text = GENERATED.replace("DATA", "generator: noise_2022, arguments: {ratio: 0}").replace(
        "[1]", "[SEED]"
    )
    (tmp_path / "p.yaml").write_text(text.replace("SEED", str(2**63 - 1)))
    problem = load_problems(tmp_path / "p.yaml").problems[0]
    assert partitions(problem, 2**63 - 1) is not None
    (tmp_path / "p.yaml").write_text(text.replace("SEED", str(2**63)))
    with pytest.raises(InputError, match="a whole number of at most"):
        load_problems(tmp_path / "p.yaml")
