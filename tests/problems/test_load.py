"""Problem files and PMLB folders: what they state is read, completed and checked."""

import numpy as np
import pandas as pd
import pytest

from srlib.expressions import evaluate, parse
from srlib.problems import domain_of, load_problems
from tests.builders import each, refused

TEXT = """
schema: 1
name: small
defaults: {track: synthetic, target: y, data_seeds: [1, 2]}
problems:
  - {dataset: base, features: [a, b, c], relevant: [a], truth: "2*a", scored: false}
  - {dataset: noisy, features: [a, b, c], relevant: [a], noise_level: 0.1, noise_reference: base,
     property: noise_sensitivity}
"""


@pytest.fixture
def load(tmp_path):
    """Load a problem file of this text."""

    def call(text):
        (tmp_path / "small.yaml").write_text(text)
        return load_problems(tmp_path / "small.yaml")

    return call


# what is replaced in the text, by what, and the sentence that comes
FAULTS = r"""
schema: 1 | schema: 2 | key 'schema': input should be 1, got 2
dataset: noisy | dataset: base | dataset base is listed twice in problems
relevant: [a], | relevant: [d], | relevant names 'd', which is not in features
relevant: [a], | domain: {a: [2, 1]}, | domain of 'a': low < high expected, got 2.0:1.0
noise_level: 0.1 | noise_level: 1.0 | 'problems.1.noise_level': input should be less than 1, got 1.0
noise_reference: base | noise_reference: basis | dataset noisy: noise_reference must be a dataset .*'basis' with none
noise_level: 0.1 | noise_level: 0 | with a noise_level below 0.0, got 'base' with 0.0
scored: false | noise_level: 0.2, noise_reference: noisy | dataset noisy: .* below 0.1, got 'base' with 0.2
[a, b, c], relevant | 3, relevant | 'problems.0.features': input should be .*, got 3
defaults: { | defaults: [1] # { | key 'defaults': input should
- {dataset: base | - base # {dataset: base | 'problems.0': input should be .*got 'base'
, noise_reference: base | | property noise_sensitivity needs a noise_reference
[a, b, c], relevant | [a, b, b], relevant | 'problems.0.features': 'b' is listed twice
scored: false | data_seeds: null | 'problems.0.data_seeds': input should be a valid list, got None
scored: false | scores: false | key 'problems.0': unknown key 'scores'; allowed: constants, data, data_seeds, dataset
scored: false | data: {generator: other} | 'problems.0.data.generator': .*exact_formula_2022.*got 'other'
scored: false | data: {train: a.csv} | exactly one of generator, test .a file, perhaps with train
scored: false | data: {test: a.csv, pmlb: b} | exactly one of generator, test .* and pmlb
features: [a, b, c], relevant: [a], | | base: features are needed where there are no data
"""


@each("old new message", FAULTS)
def test_fault_of_a_problem_file_is_one_sentence(load, old, new, message):
    assert old in TEXT
    with refused(message) as caught:
        load(TEXT.replace(old, new, 1))
    assert "small.yaml" in str(caught.value)


@each("text message", "| no PMLB folder\ndataset: toy | metadata.yaml: key 'features'")
def test_folder_without_datasets_or_features_is_refused(tmp_path, text, message):
    (tmp_path / "toy").mkdir()
    if text:
        (tmp_path / "toy/metadata.yaml").write_text(text)
    with refused(message):
        load_problems(tmp_path)


def test_folder_knows_every_noise_level(tmp_path):
    """SRBench writes NAME@LEVEL, and the folder of datasets states no levels."""
    (tmp_path / "base").mkdir()
    (tmp_path / "base/metadata.yaml").write_text("features: [{name: a}, {name: b}]\n")
    problems = load_problems(tmp_path)
    noisy = problems.find("base@0.01")
    assert (noisy.dataset, noisy.noise_level, noisy.features) == ("base@0.01", 0.01, ("a", "b"))
    for name in ("other", "base@", "base@high", "base@1.5", "base@nan", "other@0.1", ""):
        assert problems.find(name) is None


def test_truth_agrees_with_srbench(reference_data):
    """SRBench's own table states its formulas, with constants of three digits."""
    runs = pd.read_feather(reference_data / "srbench/runs/rils-rols.feather")
    problems, random = load_problems(reference_data / "pmlb"), np.random.default_rng(0)
    truths = dict(runs[["dataset", "true_model"]].to_numpy())
    assert len(truths) == 73
    for dataset, text in truths.items():
        problem = problems.find(dataset)
        points = {name: random.uniform(*span, 200) for name, span in domain_of(problem).items()}
        ours, theirs = (
            evaluate(parse(formula, problem.features), points, 200)
            for formula in (problem.truth, text)
        )
        error = np.abs(ours - theirs) / np.maximum(np.abs(ours), 1e-9)
        assert np.isfinite(error).sum() >= 100 and np.nanmedian(error) < 0.05, dataset
