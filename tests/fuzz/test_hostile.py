"""One table of each kind that `python -m tests.fuzz.hostile` draws by the hundred, and that it can find a fault."""

import pytest

from srlib.judging import scoring
from tests.fuzz.hostile import KINDS, find_fault


@pytest.mark.parametrize("kind", KINDS)
def test_a_hostile_team_moves_nothing_of_others(kind):
    assert find_fault(kind, 0) == ""


def test_a_floor_of_anybody_would_be_found(monkeypatch):
    def worst_of_all(values, floor, sign):
        return scoring.worst_values(values, sign)[..., None]

    monkeypatch.setattr(scoring, "own_floor", worst_of_all)
    faults = [find_fault("absurd_values", seed) for seed in range(4)]
    assert any("value moves" in fault for fault in faults)
