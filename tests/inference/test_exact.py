"""Exact inference against listing all assignments, and what must not change it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from srlib.inference import exact
from srlib.inference.exact import TooWideError, log10_partition, most_probable, posterior
from tests.inference.small import listed, model_of

LOOSE = {"rel": 1e-9, "abs": 1e-9}


@st.composite
def models(draw):
    """A model of up to six variables with one to three states, functions of up to three of them, some entries zero."""
    cardinalities = draw(st.lists(st.integers(1, 3), min_size=1, max_size=6))
    variables = st.lists(st.sampled_from(range(len(cardinalities))), unique=True, max_size=3)
    scopes = draw(st.lists(variables, max_size=7))
    entry = st.one_of(st.just(0.0), st.floats(1e-3, 1e3))
    tables = []
    for scope in scopes:
        shape = [cardinalities[v] for v in scope]
        size = int(np.prod(shape))
        tables.append(np.reshape(draw(st.lists(entry, min_size=size, max_size=size)), shape))
    return model_of(cardinalities, scopes, tables)


@st.composite
def cases(draw):
    model = draw(models())
    observed = draw(
        st.lists(st.sampled_from(range(len(model.cardinalities))), unique=True, max_size=2)
    )
    return model, {v: draw(st.integers(0, model.cardinalities[v] - 1)) for v in observed}


def log10(value):
    with np.errstate(divide="ignore"):
        return np.log10(value)


@settings(max_examples=40)
@given(cases())
def test_everything_agrees_with_listing_all_assignments(case):
    model, evidence = case
    states, likelihood = listed(model, evidence)
    value, rows = posterior(model, evidence)
    assert (
        value == log10_partition(model, evidence) == pytest.approx(log10(likelihood.sum()), **LOOSE)
    )
    best, found = most_probable(model, evidence, range(len(model.cardinalities)))
    assert best == pytest.approx(log10(likelihood.max()), **LOOSE)
    chosen = (states == [found[v] for v in range(len(model.cardinalities))]).all(axis=1)
    assert log10(likelihood[chosen]) == pytest.approx(best, **LOOSE)
    if rows is None:
        assert likelihood.sum() == 0
        return
    for variable, row in enumerate(rows):
        expected = [
            likelihood[states[:, variable] == s].sum() for s in range(model.cardinalities[variable])
        ]
        assert row == pytest.approx(np.array(expected) / likelihood.sum(), abs=1e-9)


@settings(max_examples=40)
@given(cases(), st.sets(st.integers(0, 5), min_size=1))
def test_marginal_maps_agree_with_listing_all_assignments(case, wanted):
    model, evidence = case
    query = [v for v in sorted(wanted) if v < len(model.cardinalities)] or [0]
    states, likelihood = listed(model, evidence)
    keys, place = np.unique(states[:, query], axis=0, return_inverse=True)
    sums = np.bincount(place.ravel(), likelihood, minlength=len(keys))
    best, found = most_probable(model, evidence, query)
    assert best == pytest.approx(log10(sums.max()), **LOOSE)
    chosen = (keys == [found[v] for v in query]).all(axis=1)
    assert log10(sums[chosen][0]) == pytest.approx(best, **LOOSE)


def test_products_far_below_the_smallest_float_are_no_problem():
    chain = model_of(
        [2] * 400, [(k, k + 1) for k in range(399)], [[[1e-300, 1e-299], [0, 1e-300]]] * 399
    )
    assert log10_partition(chain, {0: 0}) == pytest.approx(
        -300 * 399 + np.log10(1 + 399 * 10), abs=1e-6
    )


def test_evidence_that_contradicts_the_model_has_no_marginals():
    model = model_of([2], [(0,)], [[0, 1]])
    assert posterior(model, {0: 0}) == (-np.inf, None)
    assert most_probable(model, {0: 0}, [0])[0] == -np.inf


def test_a_problem_that_is_too_wide_is_refused_before_memory_is_taken(monkeypatch):
    pairs = [(u, v) for u in range(12) for v in range(u)]
    model = model_of([2] * 12, pairs, [np.ones((2, 2))] * len(pairs))
    assert log10_partition(model, {}) == pytest.approx(12 * np.log10(2))
    monkeypatch.setattr(exact, "WIDTH_BITS", 11.0)
    with pytest.raises(TooWideError, match=r"2\*\*12.0 entries is needed; 2\*\*11 are allowed"):
        log10_partition(model, {})
