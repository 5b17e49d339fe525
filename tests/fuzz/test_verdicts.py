"""Some of the pairs that `python -m tests.fuzz.verdicts` draws by the ten thousand."""

import pytest

from tests.fuzz.verdicts import judge


@pytest.mark.slow
def test_random_pairs_get_no_false_verdict():
    assert [fault for number in range(1000) if (fault := judge(0, number)[2])] == []
