"""Problems from PMLB's metadata: formula, ranges, features in the metadata's order."""

import numpy as np
import pandas as pd
import pytest

from srlib.errors import InputError
from srlib.expressions import evaluate, parse
from srlib.problems import domain_of, load_problems


def test_metadata_without_features_are_refused(tmp_path):
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "metadata.yaml").write_text("dataset: toy\n")
    with pytest.raises(InputError, match=r"metadata\.yaml: key 'features'"):
        load_problems(tmp_path)


def test_a_folder_without_datasets_is_refused(tmp_path):
    with pytest.raises(InputError, match="no PMLB folder"):
        load_problems(tmp_path)


def test_every_truth_agrees_with_srbench(reference_data):
    """SRBench's own table states its formulas, with constants of three digits."""
    runs = pd.read_feather(reference_data / "srbench" / "runs" / "rils-rols.feather")
    problems = load_problems(reference_data / "pmlb")
    stated = runs[["dataset", "true_model"]].drop_duplicates()
    assert stated["dataset"].nunique() == 73
    random = np.random.default_rng(0)
    for dataset, text in stated.itertuples(index=False):
        problem = problems.find(dataset)
        assert problem.truth is not None, dataset
        points = {name: random.uniform(*span, 200) for name, span in domain_of(problem).items()}
        ours = evaluate(parse(problem.truth, problem.features), points, 200)
        theirs = evaluate(parse(text, problem.features), points, 200)
        known = np.isfinite(ours) & np.isfinite(theirs)
        assert known.sum() >= 100, dataset
        error = np.median(np.abs(ours - theirs)[known] / np.maximum(np.abs(ours[known]), 1e-9))
        assert error < 0.05, f"{dataset}: {problem.truth} against {text}"
