"""Certainty of the winner: under other readings of the rules, with resampled runs and datasets, after one change."""

from srlib.judging.robustness.examination import Certainty, Examination, certainty, examine

__all__ = ["Certainty", "Examination", "certainty", "examine"]
