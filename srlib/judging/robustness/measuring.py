"""The open reading of the measure block: what a component is, counted again in the simplified texts."""

from dataclasses import replace
from functools import lru_cache

from srlib.errors import ModelTextError
from srlib.expressions import count_text, parse
from srlib.judging.judgement import Judgement
from srlib.judging.screening import Screened

LITERAL = "operators, features and constants"


def countable(judgement: Judgement) -> bool:
    """Whether what a component is can be turned: the simplified texts stand in the assessments."""
    measure = judgement.rules.measure
    counted = any(a.from_ == "complexity" for a in judgement.rules.judge.aspects.values())
    texts = "simplified_model" in judgement.screened.usable and measure.complexity == "simplified"
    return counted and texts and not measure.literal


def literal(screened: Screened) -> Screened:
    """Count the operators, features and constants of the simplified models, as `count` asks of an assessment.

    Where there is no simplified model, or it is no finite number, the count that is there stands.
    """
    runs = screened.usable
    features = {name: problem.features for name, problem in screened.problems.items()}
    counts = [
        count if (again := _count(text, features[name])) is None else again
        for text, name, count in zip(
            runs["simplified_model"], runs["dataset"], runs["complexity"], strict=True
        )
    ]
    return replace(screened, usable=runs.assign(complexity=counts))


@lru_cache(maxsize=65536)
def _count(text: str, features: tuple[str, ...]) -> int | None:
    try:
        if isinstance(text, str):
            return count_text(parse(text, features))
        return None
    except ModelTextError:  # 1e300^2 simplifies to inf
        return None
