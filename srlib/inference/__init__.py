"""Judge solvers of probabilistic-inference problems (UAI): formats, exact reference, errors, scores, ranking.

Source: evaluation criteria of the UAI competitions; formats as the competitions' files have them.
"""

from srlib.inference.exact import TooWideError, log10_partition, most_probable, posterior
from srlib.inference.scoring import Scored, family, rank_solvers, score_answers
from srlib.inference.uai_files import Model, Problem, load_problem, load_problems

__all__ = ["Model", "Problem", "Scored", "TooWideError", "family", "load_problem", "load_problems", "log10_partition",
           "most_probable", "posterior", "rank_solvers", "score_answers"]  # fmt: skip
