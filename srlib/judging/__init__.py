"""From assessments to verdicts: properties, measures, ranks, scores, and the trace of each number."""

from srlib.judging.pipeline import judge_runs
from srlib.judging.trace import explain, trace
from srlib.judging.verdict import Judgement, judge

__all__ = ["Judgement", "explain", "judge", "judge_runs", "trace"]
