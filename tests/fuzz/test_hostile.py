"""One table of each kind that `python -m tests.fuzz.hostile` draws by the hundred, and that it can find a fault."""

import pytest

from srlib.judging import scoring
from tests.fuzz.hostile import CHANGES, find_fault, judge_honest


@pytest.mark.parametrize("kind", CHANGES)
def test_a_hostile_team_moves_nothing_of_others(kind):
    assert find_fault(kind, 0) == ""


def test_a_floor_of_anybody_would_be_found(monkeypatch):
    def worst_of_all(values, sign, floor, incomplete):
        return value_absent_runs(values, sign, floor, "worst_value")

    value_absent_runs = scoring.value_absent_runs
    monkeypatch.setattr(scoring, "value_absent_runs", worst_of_all)
    judge_honest.cache_clear()
    assert "value moves" in find_fault("absurd_values", 0)
    judge_honest.cache_clear()
