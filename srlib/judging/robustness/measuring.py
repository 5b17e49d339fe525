"""Readings of the measure block: what assessments allow by themselves, and what they were made again for."""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from srlib.errors import InputError, ModelTextError
from srlib.expressions import count_text, parse
from srlib.judging.screening import Screened
from srlib.judging.verdict import Judgement

LITERAL = "operators, features and constants"
Readings = dict[str, tuple[int | str, ...]]


def measure_readings(judgement: Judgement, others: Mapping[int, Judgement]) -> Readings:
    """Values of the measure block's switches, those of the rules at hand first.

    `count` is turned where the simplified texts stand in the assessments; `decimals` to those of `others`, the same
    runs assessed and judged by other decimals.

    Raises
    ------
    InputError
        When the others are not about the same methods and datasets.
    """
    measure, found = judgement.rules.measure, Readings()
    counted = any(a.from_ == "complexity" for a in judgement.rules.judge.aspects.values())
    texts = "simplified_model" in judgement.screened.usable and measure.complexity == "simplified"
    if counted and texts and not measure.literal:
        found["count"] = (measure.count, LITERAL)
    for decimals, other in others.items():
        mine, its = judgement.screened, other.screened
        if (mine.methods, mine.datasets) != (its.methods, its.datasets):
            raise InputError(f"with {decimals} decimals other methods or datasets can be judged")
    if further := [decimals for decimals in others if decimals != measure.decimals]:
        found["decimals"] = (measure.decimals, *further)
    return found


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
