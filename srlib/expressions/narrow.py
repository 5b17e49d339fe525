"""Whether two functions that are equal at random points differ beside a pole or a step."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from srlib.expressions.evaluate import DIGITS
from srlib.expressions.evaluate import arithmetic as context
from srlib.expressions.evaluate import evaluate_precisely as precise
from srlib.expressions.matching import Match
from srlib.expressions.probing import probes
from srlib.expressions.sampling import Ranges, Sample
from srlib.expressions.sensitivity import movable, sensitivity
from srlib.expressions.settling import Settled
from srlib.expressions.tree import Expression, Item

NARROW = 1e-3  # difference, relative to the size of the values, that counts at such a point
CONFIRMED = 6  # points that are looked at with many digits, the most different first
# relative error of constants as they are written, found with many digits, and with those of float64
WRITTEN, FOUND, ROUGHLY = 1e-14, 1e-12, 1e-7


class Pair(NamedTuple):
    """Two tapes that should be equal: right = factor * left + offset; `digits` is the error of the left's constants."""

    left: tuple[Item, ...]
    right: tuple[Item, ...]
    factor: float = 1.0
    offset: float = 0.0
    digits: float = WRITTEN


def departure(
    match: Match,
    settled: Settled,
    functions: tuple[Expression, Expression],
    ranges: Ranges,
    sample: Sample,
    seed: int,
) -> Sample | None:
    """Return a point at which two functions that are equal at random points differ all the same; None: none was found.

    A difference by less than `NARROW` of the values is none, nor is what the digits explain to which the constants
    are known: such places are singular. 60 digits confirm it.

    Parameters
    ----------
    match : Match
        Of the two.
    settled : Settled
        Its constants to more digits, where they were found.
    functions : (Expression, Expression)
        Truth and model as they are written.
    ranges : mapping of str to (low, high)
        The domain.
    sample : Sample
        Random points, between which poles and steps are looked for.
    seed : int
        Chooses among them.
    """
    digits = ROUGHLY
    if np.isfinite(settled.error):
        digits = FOUND
        match = replace(match, constant=settled.constant, constants=settled.constants)
    rng = np.random.default_rng([seed, 1])
    tapes = [function.tape for function in functions]
    columns = probes(tapes, ranges, sample.columns, rng)
    count = len(next(iter(columns.values()), ()))
    for pair in _pairs(match, digits, *tapes):
        left = sensitivity(pair.left, sample.columns, [], sample.count).value
        with np.errstate(all="ignore"):
            typical = float(np.nanmedian(np.abs(pair.factor * left)))
        if match.model.left_out:
            # their share of the spread is what allowed to leave them out
            typical = max(typical, abs(pair.factor) * float(np.ptp(left)))
        for i in _suspects(pair, columns, count, typical):
            at = {name: column[i : i + 1] for name, column in columns.items()}
            if _differ(pair, at, typical):
                return Sample(at, 1, 0, None)
    return None


def _pairs(
    match: Match, digits: float, truth: tuple[Item, ...], model: tuple[Item, ...]
) -> Iterator[Pair]:
    """Yield what should be equal: the side that moved as it was gathered and moved, the other as it is written."""
    factor = offset = None
    if match.kind == "scale":
        factor = match.constant
    if match.kind == "offset":
        offset = match.constant
    moved_truth, moved_model = match.tapes
    by, constants = match.model.by, (1.0 if factor is None else factor, offset or 0.0)
    if np.array_equal(match.constants, match.mover.constants):
        yield Pair(truth, model, constants[0] * by, constants[1] * by)
    elif match.moved == "truth":
        yield Pair(moved_truth, model, constants[0] * by, constants[1] * by, digits)
    else:
        # the moved side stands on the left: truth = (model - offset) / factor
        yield Pair(moved_model, truth, 1 / constants[0], -constants[1] / constants[0], digits)
        if match.model.left_out:
            yield Pair(match.model.tape, model, by)


def _suspects(
    pair: Pair, columns: Mapping[str, np.ndarray], count: int, typical: float
) -> Sequence[int]:
    """Points at which a pair differs most, those first at which rounding does not explain it."""
    sides = [sensitivity(tape, columns, movable(tape), count) for tape in (pair.left, pair.right)]
    sizes = (abs(pair.factor), 1.0)
    slack, noise = np.zeros(count), np.zeros(count)
    with np.errstate(all="ignore"):
        for side, tape, size, digits in zip(
            sides, (pair.left, pair.right), sizes, (pair.digits, WRITTEN), strict=True
        ):
            constants = np.array([abs(float(tape[i])) for i in movable(tape)])  # type: ignore[arg-type]
            slope = size * digits * np.abs(side.jacobian) @ constants
            slack = slack + np.nan_to_num(slope, nan=0.0, posinf=np.inf)
            noise = noise + 16 * size * side.noise
        left, right = pair.factor * sides[0].value, sides[1].value
        apart = np.abs(right - left - pair.offset)
        share = np.where(apart > 2 * slack, apart / (np.abs(left) + np.abs(right) + typical), 0.0)
        clear = np.where(apart > 2 * (slack + noise), share, 0.0)
    return list(dict.fromkeys([*_largest(clear), *_largest(share)]))


def _largest(rank: np.ndarray) -> list[int]:
    rank = np.where(np.isfinite(rank), rank, -np.inf)
    return [int(i) for i in np.argsort(-rank)[:CONFIRMED] if rank[i] > NARROW]


def _differ(pair: Pair, at: Mapping[str, np.ndarray], typical: float) -> bool:
    """Whether 60 digits confirm that a pair differs at a point."""
    numbers = context(DIGITS)
    left, right = (precise(tape, at, 1)[0] for tape in (pair.left, pair.right))
    left = numbers.mpf(pair.factor) * left
    return bool(abs(right - left - pair.offset) > NARROW * (abs(left) + abs(right) + typical))
