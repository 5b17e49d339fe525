"""Runs + problems + rules.measure -> assessments: the central step, bounded and cached by content."""

from srlib.assessing.assessing import assess
from srlib.assessing.names import as_written, names_settled, readings
from srlib.assessing.table import runs_of

__all__ = ["as_written", "assess", "names_settled", "readings", "runs_of"]
