"""A small part of the simulations in tests/comparing/simulations.py: claims keep their level and find what is there."""

import pytest

from tests.comparing.simulations import OTHERS, claim_rates, equal, power, srbench_power

pytestmark = pytest.mark.slow

DRAWS = 60
MOST = 0.05 + 3 * (0.05 * 0.95 / DRAWS) ** 0.5  # three standard deviations above the level


@pytest.mark.parametrize(
    ("name", "draw"),
    [
        *((name, OTHERS[name]) for name in ("8 stated families", "runs missing at random")),
        ("t3", equal("t3", 8, 8)),
    ],
)
def test_equal_methods_are_not_called_different(name, draw):
    rates = claim_rates(draw, name, DRAWS)
    assert rates.drop("differ").max() <= MOST and rates["differ"] == 0


def test_a_better_method_is_found_and_never_called_worse():
    rates = power("a gain of 1 sd", DRAWS)
    assert rates["found"] >= rates["Wilcoxon and Holm"] - 0.03 and rates["worse"] == 0


def test_few_sources_of_srbench_tell_methods_apart(reference_data):
    rates = srbench_power(str(reference_data / "srbench"), 10, 8, DRAWS)
    assert rates["found"] >= 0.2 and rates["wrong direction"] == 0
