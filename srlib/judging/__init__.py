"""Judging of assessments: properties, measures, ranks, scores."""

from srlib.judging.judgement import Judgement, judge

__all__ = ["Judgement", "judge"]
