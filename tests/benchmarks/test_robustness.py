"""Ten thousand re-draws of sources and runs of the demo; and every reading of its rules."""

import pytest

from srlib.judging import judge_runs
from srlib.judging.robustness.readings import score_readings
from srlib.judging.robustness.resampling import resample


@pytest.fixture(scope="module", name="judgement")
def judgement_fixture():
    return judge_runs()


def test_ten_thousand_resamples_take_less_than_ten_seconds(benchmark, judgement):
    draws = benchmark.pedantic(resample, args=(judgement, 10_000), rounds=1)
    assert len(draws.final) == 10_000
    if benchmark.stats is not None:
        assert benchmark.stats.stats.max < 10


def test_every_reading_of_the_rules(benchmark, judgement):
    board = benchmark.pedantic(score_readings, args=(judgement,), rounds=1)
    assert len(board.table) > 100
