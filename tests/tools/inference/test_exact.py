"""Exact inference against listing all assignments."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from srlib.tools.inference.exact import log10_partition, most_probable, posterior
from srlib.tools.inference.uai_files import UaiModel
from tests.builders import examples
from tests.tools.inference.small import listed


@st.composite
def cases(draw):
    """Up to six variables of one to three states, functions of up to three with zeros, evidence, and a query."""
    cardinalities = draw(st.lists(st.integers(1, 3), min_size=1, max_size=6))
    variables = st.lists(st.sampled_from(range(len(cardinalities))), unique=True, max_size=3)
    entries, functions = st.just(0.0) | st.floats(1e-3, 1e3), []
    for scope in draw(st.lists(variables, max_size=7)):
        shape = tuple(cardinalities[v] for v in scope)
        functions.append(
            (tuple(scope), draw(arrays(float, shape, elements=entries, fill=st.nothing())))
        )
    evidence = {v: draw(st.integers(0, cardinalities[v] - 1)) for v in draw(variables)}
    return UaiModel(tuple(cardinalities), tuple(functions)), evidence, draw(variables)


@examples(60)
@given(cases())
@np.errstate(divide="ignore")
def test_inference_agrees_with_listing_all_assignments(case):
    model, evidence, some = case
    states, likelihood = listed(model, evidence)
    total, marginals = posterior(model, evidence)
    assert total == log10_partition(model, evidence)
    assert total == pytest.approx(np.log10(likelihood.sum()), abs=1e-9)
    for query in (some or [0], list(range(len(model.cardinalities)))):
        best, found = most_probable(model, evidence, query)
        keys, place = np.unique(states[:, query], axis=0, return_inverse=True)
        sums = np.bincount(place.ravel(), likelihood)
        chosen = (keys == [found[v] for v in query]).all(axis=1)
        assert [best] == pytest.approx(np.log10(sums[chosen]), abs=1e-9)
        assert best == pytest.approx(np.log10(sums.max()), abs=1e-9)
    assert (marginals is None) == (likelihood.sum() == 0)
    for variable, row in enumerate(marginals or ()):
        sums = np.bincount(states[:, variable], likelihood, len(row))
        assert row == pytest.approx(sums / likelihood.sum(), abs=1e-9)


def test_products_below_the_smallest_float_are_exact():
    table = np.array([[1e-300, 1e-299], [0, 1e-300]])
    chain = UaiModel((2,) * 400, tuple(((k, k + 1), table) for k in range(399)))
    expected = -300 * 399 + np.log10(1 + 399 * 10)
    assert log10_partition(chain, {0: 0}) == pytest.approx(expected, abs=1e-6)
