"""What methods are judged on: problem files, PMLB folders, the data behind them, and generators of tasks."""

from srlib.problems.data import Partition, Partitions, data_digest, domain_of, partitions
from srlib.problems.load import Problems, load_problems
from srlib.problems.manifest import Problem

__all__ = [
    "Partition",
    "Partitions",
    "Problem",
    "Problems",
    "data_digest",
    "domain_of",
    "load_problems",
    "partitions",
]
