"""Judge solvers of probabilistic inference (UAI competitions): file formats, exact inference, scores and ranking.

Sources: the evaluation criteria and the file formats of the UAI competitions.
"""

from srlib.tools.inference.scoring import family, rank_solvers, score_answers
from srlib.tools.inference.uai_files import load_problems

__all__ = ["family", "load_problems", "rank_solvers", "score_answers"]
