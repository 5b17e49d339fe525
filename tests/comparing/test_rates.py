"""A small seeded part of the simulations: claims keep their level where they once did not, and find what is there."""

import numpy as np
import pytest

from tests.benchmarks.statistics import SCENARIOS, once, rates_of, simple

pytestmark = pytest.mark.slow

SIMULATIONS = 40
MOST = 0.05 + 3 * (0.05 * 0.95 / SIMULATIONS) ** 0.5  # three standard deviations above the level


@pytest.mark.parametrize(
    "name",
    [
        "missing where bad",
        "three worst runs of ten failed",
        "half from one family",
        "skew, 120 datasets",
    ],
)
def test_equal_methods_are_not_called_different(name):
    """Before, between 40 and 100% of these benchmarks had a winner."""
    assert rates_of(SCENARIOS[name], name, SIMULATIONS)["differ"] <= MOST


def test_a_difference_is_found_almost_as_often_as_by_the_best_test():
    name = "better by half a deviation"
    found = rates_of(SCENARIOS[name], name, SIMULATIONS)
    best = max(found[test] for test in ("t test", "Wilcoxon", "signs"))
    assert found["differ"] >= best - 0.15 and found["covered"] >= 0.85


def test_what_is_apart_is_not_called_equivalent():
    name = "apart by twice the margin"
    assert rates_of(SCENARIOS[name], name, 20)["equivalent"] == 0


def test_the_short_way_of_the_simulations_is_that_of_the_page():
    names = [name for name, scenario in SCENARIOS.items() if simple(scenario)]
    assert {"outliers of -1e6", "rates near 0", "better rates"} <= set(names)
    for name in names:
        if name != "twenty equal methods":
            ways = [
                once(SCENARIOS[name], np.random.default_rng(1), quick) for quick in (True, False)
            ]
            assert ways[0] == ways[1]


def test_rates_that_differ_are_told_by_their_mean():
    found = rates_of(SCENARIOS["better rates that differ"], "better rates that differ", SIMULATIONS)
    assert found["differ"] >= found["t test"] - 0.15 and found["covered"] >= 0.85
