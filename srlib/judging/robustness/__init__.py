"""Certainty of the winner: other readings of the rules, other runs and datasets, one thing changed."""

from srlib.judging.robustness.examination import Certainty, Examination, certainty, examine

__all__ = ["Certainty", "Examination", "certainty", "examine"]
