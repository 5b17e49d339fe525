"""Readings of the measure block: what assessments allow by themselves, and what they were made again for."""

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from srlib.errors import InputError, ModelTextError
from srlib.expressions import Expression, count_text, parse
from srlib.expressions.algebra.canonical import canonical
from srlib.expressions.algebra.simplify import round_constants
from srlib.expressions.operators import OPERATORS
from srlib.judging.screening import Screened
from srlib.judging.verdict import Judgement
from srlib.rules import Measure

LITERAL = "operators, features and constants"
MOST = 5_000  # models whose shortest writing is sought for one reading
Readings = dict[str, tuple[int | str, ...]]


def measure_readings(judgement: Judgement, others: Mapping[int, Judgement]) -> Readings:
    """Values of the measure block's switches, those of the rules at hand first.

    `count` is turned where the simplified texts stand in the assessments, and `complexity` to `canonical`, which is
    counted here, unless there are over `MOST` models; `decimals` to those of `others`, the same runs assessed and
    judged by other decimals.

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
    if counted and texts and judgement.screened.usable["model"].nunique() <= MOST:
        found["complexity"] = (measure.complexity, "canonical")
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


def shortest(screened: Screened, measure: Measure) -> Screened:
    """Count the shortest writings of the models, as `complexity: canonical` asks of an assessment.

    Terms that were too small to count there are taken from the text again; they cancel.
    """
    runs = screened.usable
    beside = (
        runs.reindex(columns=["dust", "names_read"])
        .astype(object)
        .fillna({"dust": "[]", "names_read": "auto"})
    )
    rounding = measure.round_constants, measure.decimals, measure.zero_below
    counts = []
    for row in zip(
        runs["model"],
        beside["dust"],
        beside["names_read"],
        runs["dataset"],
        runs["complexity"],
        strict=True,
    ):
        texts = [row[0], *json.loads(row[1])]
        features = screened.problems[row[3]].features
        again = _shortest(tuple(texts), row[2], features, *rounding)
        if again is None:
            again = row[4]
        counts.append(again)
    return replace(screened, usable=runs.assign(complexity=counts))


@lru_cache(maxsize=65536)
def _shortest(
    texts: tuple[str, ...],
    names: str,
    features: tuple[str, ...],
    when: str,
    decimals: int,
    zero_below: float | None,
) -> int | None:
    try:
        model, *dust = (parse(text, features, names=names) for text in texts)
    except ModelTextError:
        return None
    rest = Expression(sum(((*term.tape, OPERATORS["sub"]) for term in dust), model.tape))
    if when == "before":
        return canonical(round_constants(rest, decimals, zero_below)).complexity
    found = canonical(rest)
    if when == "after":
        found = canonical(round_constants(found.expression, decimals, zero_below))
    return found.complexity


@lru_cache(maxsize=65536)
def _count(text: str, features: tuple[str, ...]) -> int | None:
    try:
        if isinstance(text, str):
            return count_text(parse(text, features))
        return None
    except ModelTextError:  # 1e300^2 simplifies to inf
        return None
