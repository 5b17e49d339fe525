"""From assessments to verdicts: properties, measures, ranks, scores, and the trace of each number."""

from srlib.judging.explain import explain, trace
from srlib.judging.judgement import Judgement, judge, judge_runs

__all__ = ["Judgement", "explain", "judge", "judge_runs", "trace"]
