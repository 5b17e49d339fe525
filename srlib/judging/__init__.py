"""Judging of assessments: properties, measures, ranks, scores, and the trace of each score."""

from srlib.judging.explain import trace
from srlib.judging.judgement import Judgement, judge

__all__ = ["Judgement", "judge", "trace"]
