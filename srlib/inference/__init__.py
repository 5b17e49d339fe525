"""Judge solvers of probabilistic-inference problems (UAI): formats, exact reference, errors, scores, ranking.

Source: evaluation criteria of the UAI competitions; formats as the competitions' files have them.
"""

from srlib.inference.scoring import family, rank_solvers, score_answers
from srlib.inference.uai_files import load_problems

__all__ = ["family", "load_problems", "rank_solvers", "score_answers"]
