"""Judge solvers of probabilistic-inference problems (UAI): formats, exact reference, errors, scores, ranking.

Source: evaluation criteria of the UAI competitions; formats as the competitions' files have them.
"""

from srlib.inference.elimination import TooWideError, log10_partition, most_probable, posterior
from srlib.inference.model import Model, log10_likelihood
from srlib.inference.problems import Problem, load_problem, load_problems
from srlib.inference.ranking import rank_solvers
from srlib.inference.scoring import Scored, score_answers

__all__ = ["Model", "Problem", "Scored", "TooWideError", "load_problem", "load_problems", "log10_likelihood",
           "log10_partition", "most_probable", "posterior", "rank_solvers", "score_answers"]  # fmt: skip
