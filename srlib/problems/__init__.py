"""Problems that methods are judged on: problem files, PMLB folders, their data, and generators of tasks."""

from srlib.problems.data import Partition, Partitions, domain_of, partitions
from srlib.problems.problem import Problem, Problems
from srlib.problems.problem_file import load_problems

__all__ = [
    "Partition",
    "Partitions",
    "Problem",
    "Problems",
    "domain_of",
    "load_problems",
    "partitions",
]
