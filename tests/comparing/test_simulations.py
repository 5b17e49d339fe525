"""A small part of the simulations in tests/comparing/simulations.py: claims keep their level and find what is there."""

import pytest

from tests.comparing.simulations import EQUAL, claim_rates, power

pytestmark = pytest.mark.slow

DRAWS = 40
MOST = 0.05 + 3 * (0.05 * 0.95 / DRAWS) ** 0.5  # three standard deviations above the level


@pytest.mark.parametrize("name", ["8 families, stated", "runs missing at random"])
def test_equal_methods_are_not_called_different(name):
    assert max(claim_rates(EQUAL[name], name, DRAWS).values()) <= MOST


def test_five_families_are_never_told_apart():
    assert max(claim_rates(EQUAL["5 families, 4 methods"], "five", DRAWS).values()) == 0


def test_what_wilcoxons_test_finds_is_found():
    found = power("a quarter of the datasets gain", DRAWS)
    assert found["srlib"] >= found["Wilcoxon and Holm"] and found["worse"] == 0
