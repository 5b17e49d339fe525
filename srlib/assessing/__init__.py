"""Measure the models of runs: runs, problems and the rules' measure block give the assessments table."""

from srlib.assessing.assess import assess
from srlib.assessing.names import as_written

__all__ = ["as_written", "assess"]
