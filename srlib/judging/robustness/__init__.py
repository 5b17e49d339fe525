"""How sure the winner is: other readings of the rules, other runs, other datasets, other competitors."""

from srlib.judging.robustness.certainty import Certainty, certainty
from srlib.judging.robustness.examination import Examination, examine

__all__ = ["Certainty", "Examination", "certainty", "examine"]
