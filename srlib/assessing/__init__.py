"""Runs + problems + rules.measure -> assessments: the central step, bounded and cached by content."""

from srlib.assessing.assess import assess
from srlib.assessing.names import as_written, names_settled

__all__ = ["as_written", "assess", "names_settled"]
