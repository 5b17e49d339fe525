"""Problem files: what they state is read, completed and checked."""

import re
import time

import pytest

from srlib.cli.main import main
from srlib.errors import InputError
from srlib.problems import load_problems

TEXT = """
schema: 1
name: small
defaults: {track: synthetic, target: y, data_seeds: [1, 2]}
problems:
  - {dataset: base, features: [a, b, c], relevant: [a], truth: "2*a", scored: false}
  - {dataset: noisy, features: [a, b, c], relevant: [a], property: noise_sensitivity, noise_level: 0.1,
     noise_reference: base}
"""


def load(tmp_path, text):
    path = tmp_path / "small.yaml"
    path.write_text(text)
    return load_problems(path)


def test_a_folder_knows_every_noise_level(tmp_path):
    """SRBench writes NAME@LEVEL, and the folder of datasets states no levels."""
    (tmp_path / "base").mkdir()
    features = "features:\n  - {name: a}\n  - {name: b}\n"
    (tmp_path / "base" / "metadata.yaml").write_text(f"dataset: base\n{features}")
    problems = load_problems(tmp_path)
    noisy = problems.find("base@0.01")
    assert (noisy.dataset, noisy.noise_level, noisy.features) == ("base@0.01", 0.01, ("a", "b"))
    for name in ("other", "base@", "base@high", "base@1.5", "base@nan", "other@0.1", ""):
        assert problems.find(name) is None


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("dataset: noisy", "dataset: base", "dataset base is listed twice in problems"),
        ("relevant: [a],", "relevant: [d],", "relevant names 'd', which is not in features"),
        (
            "relevant: [a],",
            "domain: {a: [2, 1]},",
            "domain of 'a': low < high expected, got 2.0:1.0",
        ),
        (
            "noise_level: 0.1",
            "noise_level: 1.0",
            "'problems.1.noise_level': input should be less than 1, got 1.0",
        ),
        (
            "noise_reference: base",
            "noise_reference: basis",
            "dataset noisy: noise_reference must be a dataset of this file .* got 'basis' with none",
        ),
        (
            "noise_level: 0.1",
            "noise_level: 0",
            "with a noise_level below 0.0, got 'base' with 0.0",
        ),
        (
            "scored: false",
            "noise_level: 0.2, noise_reference: noisy",
            "dataset noisy: noise_reference must be .* below 0.1, got 'base' with 0.2",
        ),
        ("[a, b, c], relevant", "3, relevant", "'problems.0.features': input should be .*, got 3"),
        (
            "defaults: {",
            "defaults: [1]\nmore: {",
            "unknown key 'more'|key 'defaults': input should",
        ),
        (
            "  - {dataset: base",
            "  - base\n  - {dataset: b",
            "'problems.0': input should be .*got 'base'",
        ),
        (",\n     noise_reference: base", "", "property noise_sensitivity needs a noise_reference"),
        (
            "[a, b, c], relevant",
            "[a, b, b], relevant",
            "'problems.0.features': 'b' is listed twice",
        ),
        (
            "scored: false",
            "scores: false",
            "key 'problems.0': unknown key 'scores'; allowed: constants, data, data_seeds, dataset",
        ),
        (
            "scored: false",
            "data: {generator: other}",
            "'problems.0.data.generator': .*exact_formula_2022.*got 'other'",
        ),
        (
            "scored: false",
            "data: {train: a.csv}",
            "exactly one of generator, test .a file, perhaps with train",
        ),
        (
            "scored: false",
            "data: {test: a.csv, pmlb: b}",
            "exactly one of generator, test .* and pmlb",
        ),
        (
            "features: [a, b, c], relevant: [a], ",
            "",
            "base: features are needed where there are no data",
        ),
    ],
)
def test_a_fault_is_one_sentence(tmp_path, old, new, message):
    assert old in TEXT
    with pytest.raises(InputError, match=message) as caught:
        load(tmp_path, TEXT.replace(old, new, 1))
    assert "small.yaml" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "a mapping of keys to values was expected, got NoneType"),
        (TEXT.replace("schema: 1", "schema: 2"), "key 'schema': input should be 1, got 2"),
        (
            TEXT.replace("scored: false", "data: {test: none.csv}"),
            "key 'data.test': .*none.csv does not",
        ),
    ],
)
def test_a_bad_file_ends_a_command_with_one_sentence(tmp_path, capsys, content, sentence):
    (tmp_path / "small.yaml").write_text(content)
    out = str(tmp_path / "out.yaml")
    assert main(["problems", "public", str(tmp_path / "small.yaml"), "--out", out]) == 2
    error = capsys.readouterr().err
    assert re.search(sentence, error) and error.count("\n") == 1
    assert "small.yaml" in error or "dataset base" in error


@pytest.mark.parametrize("features", [10_000, 10_001])
def test_many_features_are_read_or_refused_at_once(tmp_path, features):
    names = ", ".join(f"x{i}" for i in range(features))
    text = f"schema: 1\nname: n\nproblems: [{{dataset: d, features: [{names}], relevant: [x1]}}]\n"
    start = time.process_time()
    if features > 10_000:
        with pytest.raises(InputError, match=r"'problems.0.features': .* at most 10000 items"):
            load(tmp_path, text)
    else:
        assert len(load(tmp_path, text).problems[0].irrelevant) == 9_999
    assert time.process_time() - start < 3
