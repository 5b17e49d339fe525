"""Ten thousand resamples of the demo: runs, datasets and both; and every reading of its rules."""

import pytest

from srlib.judging import judge_runs
from srlib.judging.robustness.resampling import resample
from srlib.judging.robustness.switchboard import switchboard


@pytest.fixture(scope="module", name="judgement")
def judgement_fixture():
    return judge_runs()


def test_ten_thousand_resamples_take_less_than_ten_seconds(benchmark, judgement):
    draws = benchmark.pedantic(resample, args=(judgement, 10_000), rounds=1)
    assert {len(scores) for scores in draws.scores.values()} == {10_000}
    if benchmark.stats is not None:
        assert benchmark.stats.stats.max < 10


def test_every_reading_of_the_rules(benchmark, judgement):
    board = benchmark.pedantic(switchboard, args=(judgement,), rounds=1)
    assert len(board.table) > 100
