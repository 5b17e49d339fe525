"""Is a model the truth, up to an additive or a multiplicative constant? A verdict with evidence.

The definition is that of the SRBench protocol (Definition 4.1): the model is no constant, and either the difference
or the ratio of model and truth is one. Constants of models are fitted, so the question is: are there constants, each
within its tolerance of the truth's own, with which the truth equals the model on the domain? It is a question about
two functions. How the model is written does not matter: constants are gathered first (``0.0005*(80*1000*x)`` is
``40*x``), as they are written and with products multiplied out.

The stages, by cost:

1. The same tree is the same function.
2. A sample of the domain: the model may be undefined on at most 1% of what the truth is defined on, and no constant.
3. Truth and model as they stand: equal with 60 digits, and proved where their normal forms are equal.
4. Constants move within their tolerance (`fitting`): those of the truth, or those of the model where the truth's own
   that come nearest to the model are within theirs. For a multiple of the truth the model is divided by it first.
   Constants of the model that round to zero are left out if all that they contribute is negligible.
5. What is equal so far has to be equal elsewhere: at fresh points, at corners, and beside poles and steps.
6. A witness, confirmed with 60 digits, refutes. Without a proof and without a witness the verdict is unknown.
"""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from srlib.expressions.digits import LARGEST
from srlib.expressions.fitting import (
    EQUAL,
    NOISE,
    VANISHED,
    Fit,
    Side,
    allows,
    as_floats,
    as_written,
    best_constant,
    finite,
    fit,
    refine,
)
from srlib.expressions.free_constants import nearest_form
from srlib.expressions.gathered import MOST_CONSTANTS, Gathered, gathered, same_terms
from srlib.expressions.operators import OPERATORS
from srlib.expressions.points import (
    DEFAULT_RANGE,
    Columns,
    Ranges,
    Sample,
    draw,
    draw_beside_steps,
    draw_special,
    draw_uniform,
    point,
    split_columns,
    values,
)
from srlib.expressions.precise import DIGITS, context, precise
from srlib.expressions.sensitivity import differentiate
from srlib.expressions.tolerance import (
    HALF,
    allowance,
    describe_allowance,
    expanded_allowance,
    half_unit,
    round_as_srbench,
    rounds_to_zero,
)
from srlib.expressions.tree import Expression
from srlib.rules.constants import Constants

KINDS = ("identical", "offset", "scale")
SOLUTIONS = (*KINDS, "form")
DECIMALS = "3 decimals"  # how constants are compared where nothing else is said
FORM_CONSTANTS = "3 significant digits"  # the same for a form's own constants
POINTS, FRESH_POINTS, SPECIAL_POINTS, MOST_POINTS, FEWEST_POINTS = 96, 512, 64, 1500, 12
UNDEFINED = 0.01  # share of the truth's domain on which a solution may be undefined
AGREED = 30  # digits to which solutions agree
UNMOVED = 1e-9  # relative difference of constants that is none
NARROW = 1e-3  # difference beside a pole or a step, relative to the size of the values, that counts
SUSPECTS = 6  # points that are looked at with 60 digits, the most different first
MOST_LISTED = 3  # constants that a sentence lists
CONSTANT_NAMES = {"E": "E", "e": "E", "pi": "pi"}


@dataclass(frozen=True)
class Equivalence:
    """A verdict and its evidence.

    Parameters
    ----------
    kind : {'identical', 'offset', 'scale', 'form', 'different', 'constant', 'unknown'}
        The first four are solutions; form: with the values in `free`.
    constant : float or None
        The additive (offset) or multiplicative (scale) constant: model = truth + constant, model = constant *
        truth.
    proof : {'symbolic', 'numerical', 'witness'} or None
        The same tree, or the same normal form, of the two as they stand; agreement at points; a point that refutes.
        None where a form does not fit: no point refutes all values.
    points : int
        Number of points at which both were compared; 0 where the trees are the same.
    digits : int
        Significant digits: to which both agree (solutions), or certain digits of the witness's values.
    witness : dict or None
        ``{"point": {feature: value}, "truth": value, "model": value, "difference": value}`` where they differ
        most, confirmed with 60 digits; the model's value is None where it is undefined.
    everywhere : bool or None
        Whether the equality also holds at points far outside the domain, wherever both are defined there; for
        a refuted model only True is possible, where being undefined is its only fault.
    detail : str
        For the reader: which constants moved, where the model is undefined, how far the two are apart.
    moved : list of dict
        Of solutions: ``{"constant": name, "truth": value, "model": value, "percent": of the truth's}`` of each
        constant in which the two differ.
    deviation : float or None
        Of solutions: the largest deviation on the domain of the two as they stand, but for the constant between
        them, in shares of the truth's range there.
    constants : str
        Under which reading of equal constants the verdict holds.
    free : dict of str to float
        Under `free`, the values of the constants that may have any, with which the truth comes nearest.
    """

    kind: str
    constant: float | None = None
    proof: str | None = None
    points: int = 0
    digits: int = 0
    witness: dict[str, Any] | None = None
    everywhere: bool | None = None
    detail: str = ""
    moved: list[dict[str, Any]] = field(default_factory=list)
    deviation: float | None = None
    constants: str = DECIMALS
    free: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Question:
    """Truth and model at the points of a sample, as text and in all forms in which constants may move.

    The last of `truth_forms` has its products multiplied out; `rounded` lists constants of the model that were
    rounded before, as `Equivalence.moved` does.
    """

    truth: Expression
    model: Expression
    ranges: Ranges
    reading: Constants
    sample: Sample
    truth_text: Side
    model_text: Side
    truth_forms: tuple[Side, ...]
    model_form: Side
    rounded: list[dict[str, Any]]


class StageError(Exception):
    """A stage of a comparison failed in its arithmetic; the text is the stage's name."""


@contextmanager
def stage(name: str) -> Iterator[None]:
    """Name the stage in which arithmetic fails."""
    try:
        yield
    except (ArithmeticError, ValueError, RecursionError) as error:
        raise StageError(name) from error


def compare(
    truth: Expression,
    model: Expression,
    domain: Mapping[str, tuple[float, float]],
    *,
    constants: Constants | str = DECIMALS,
    free: Collection[str] = (),
    seed: int = 0,
) -> Equivalence:
    """Decide whether a model equals the truth up to a constant, on the problem's domain.

    Parameters
    ----------
    truth, model : Expression
        Both in the problem's feature names. E, e and pi are constants in a model unless truth or domain have them.
    domain : mapping of str to (low, high)
        Range of each feature; features without one range over [1, 5].
    constants : Constants or str
        How constants are compared: decimals:N (they may differ by half a unit of the last), significant:N, srbench or
        free.
    free : collection of str
        Names in the truth that are no features but constants of any value, under free.
    seed : int
        Of the generator that draws the points; the same call gives the same evidence.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> compare(parse("2*x*y"), parse("1.99996*y*x + 0.3"), {"x": (1, 2), "y": (0, 3)}).kind
    'offset'
    >>> compare(parse("sin(x)"), parse("x - x**3/6"), {"x": (-1, 1)}).proof
    'witness'
    """
    reading = Constants.read(constants)
    names = CONSTANT_NAMES.keys() - truth.features - set(domain)
    items = [OPERATORS[CONSTANT_NAMES[item]] if item in names else item for item in model.tape]  # type: ignore[index]
    model = Expression(tuple(items))
    features = sorted((truth.features | model.features) - set(free))
    ranges = {name: domain.get(name, DEFAULT_RANGE) for name in features}
    try:
        if reading.rule == "free":
            verdict = compare_form(truth, model, ranges, free, seed)
        else:
            verdict = compare_functions(truth, model, ranges, reading, seed)
    except StageError as error:
        verdict = Equivalence("unknown", detail=f"{error} failed")
    strange = sorted(model.features - truth.features - set(domain))
    if strange and verdict.kind not in SOLUTIONS:
        verdict = replace(
            verdict, detail=f"{verdict.detail}; only the model has {', '.join(strange)}"
        )
    return replace(verdict, constants=str(reading))


def compare_form(
    truth: Expression, model: Expression, ranges: Ranges, free: Collection[str], seed: int
) -> Equivalence:
    """Compare a model with the truth with those values of its free constants that come nearest."""
    with stage("the fit of the free constants"):
        form = nearest_form(truth, model, ranges, free, seed)
    verdict = compare_functions(form.truth, model, ranges, Constants.read(FORM_CONSTANTS), seed)
    if not form.values:
        return verdict
    listed = ", ".join(f"{name} = {value:.6g}" for name, value in form.values.items())
    if verdict.kind in KINDS:
        detail = f"with {listed}: {verdict.kind}, {verdict.detail}"
        return replace(verdict, kind="form", detail=detail, free=form.values)
    detail = f"of the values that were tried {listed} come nearest: "
    if form.vanished:
        names = " and ".join(form.vanished)
        detail += f"without {names} it would be another form; with 1 instead, "
    kind = verdict.kind if form.certain or verdict.kind != "different" else "unknown"
    return replace(verdict, kind=kind, proof=None, detail=detail + verdict.detail, free=form.values)


def compare_functions(
    truth: Expression, model: Expression, ranges: Ranges, reading: Constants, seed: int
) -> Equivalence:
    """Go through the stages until one decides."""
    if not model.features:
        return Equivalence("constant", detail="the model is a constant")
    if truth.tape == model.tape:
        detail = "equal with the constants as they stand: the formulas are the same"
        same = {"everywhere": True, "detail": detail, "deviation": 0.0, "digits": AGREED}
        return Equivalence("identical", proof="symbolic", **same)
    rng = np.random.default_rng(seed)
    context(DIGITS).beyond = False
    with stage("the sample of the domain"):
        model, sample, rounded = draw_sample(truth, model, ranges, reading, rng)
    if sample.count < FEWEST_POINTS:
        with stage("the comparison with 60 digits"):
            return compare_beyond(truth, model, ranges, sample, rng)
    with stage("the gathering of constants"):
        question = ask(truth, model, ranges, reading, sample, rounded)
        if is_constant(question.model_text):
            detail = "the model is constant on the domain"
            return Equivalence("constant", points=sample.count, detail=detail)
    doubt = reason = ""
    suspects: list[tuple[Columns, int]] = []
    ranked: list[tuple[Columns, int]] = []
    for attempt in list_fits(question):
        if attempt.kind == "offset" and not ranked:
            order = np.argsort(-attempt.residual)[:SUSPECTS]
            suspects = [(sample.columns, int(i)) for i in order]
        if not attempt.is_close:
            continue
        with stage("the comparison with 60 digits"):
            refined = refine(attempt)
            equal = refined.error <= VANISHED or has_same_terms(question, attempt)
            if not equal and np.isnan(refined.error):
                equal = attempt.is_equal and attempt.sharp
        if not equal:
            if np.isnan(refined.error) or refined.undecided:
                doubt = "model and truth differ by less than the arithmetic can tell apart from equality"
            else:
                reason = f"; the closest constants leave a relative residual of {refined.error:.1g}"
        elif not is_allowed(question, attempt):
            reason = "; they are equal only with constants beyond their tolerance"
        else:
            with stage("the search for poles and steps"):
                verdict, departure = confirm(question, refined, rng)
            if verdict:
                return verdict
            if departure:
                suspects.insert(0, departure)
                reason = "; they differ at places that few random points reach"
                break
    with stage("the witness"):
        apart = np.abs(question.model_text.start.value - question.truth_text.start.value)
        suspects += [*ranked, (sample.columns, int(np.argmax(apart)))]
        witness = confirm_witness(truth, model, suspects)
    if doubt or witness is None:
        doubt = doubt or "at no point do 60 digits confirm that model and truth differ"
        return refute("unknown", sample.count, doubt, witness)
    return refute("different", sample.count, describe_distance(question) + reason, witness)


def refute(kind: str, points: int, detail: str, witness: dict[str, Any] | None) -> Equivalence:
    """Return a verdict with a witness."""
    digits = witness.pop("digits") if witness else 0
    proof = "witness" if kind == "different" else None
    return Equivalence(kind, None, proof, points, digits, witness, None, detail)


def draw_sample(
    truth: Expression,
    model: Expression,
    ranges: Ranges,
    reading: Constants,
    rng: np.random.Generator,
) -> tuple[Expression, Sample, list[dict[str, Any]]]:
    """Draw a sample; return the model with those constants rounded that have to be, the sample, and these."""
    positive = list_positive(ranges)
    rounded: list[dict[str, Any]] = []
    if reading.rule == "srbench":
        form, changes = round_as_srbench(gather(model, positive, expand=False))
        model = Expression(form.tape)
        rounded = [describe_move(f"{name}, rounded,", a, b) for name, a, b in changes if a]
    constants = [len(gather(side, positive).places) for side in (truth, model)]
    count = min(max(POINTS, 3 * max(constants)), MOST_POINTS)
    sample = draw(truth.tape, model.tape, ranges, count, rng)
    if sample.skipped:  # what may be negative has whole powers only
        nearly = 0.5 * half_unit(reading) / HALF
        whole = gathered(model, positive, expand=False, whole=nearly)
        if whole and whole.rounded:
            model = Expression(whole.tape)
            rounded += [describe_move("an exponent", round(v), v) for v in whole.rounded]
            sample = draw(truth.tape, model.tape, ranges, count, rng)
    return model, sample, rounded


def ask(
    truth: Expression,
    model: Expression,
    ranges: Ranges,
    reading: Constants,
    sample: Sample,
    rounded: list[dict[str, Any]],
) -> Question:
    """Gather the constants of both sides."""
    positive = list_positive(ranges)
    texts = [Side(Gathered(side.tape), sample, np.zeros(0)) for side in (truth, model)]
    forms = [gather(truth, positive, expand=expand) for expand in (False, True)]
    sides = [Side(form, sample, np.zeros(0)) for form in dict.fromkeys(forms)]
    sides = [side for side in sides if agrees(side, texts[0])]
    truths = [
        replace(side, allowance=allowance(side.constants, reading, stated=True))
        for side in sides or [Side(leave(truth), sample, np.zeros(0))]
    ]
    own = Side(gather(model, positive), sample, np.zeros(0))
    if not agrees(own, texts[1]):
        own = Side(leave(model), sample, np.zeros(0))
    return Question(truth, model, ranges, reading, sample, *texts, tuple(truths), own, rounded)


def list_positive(ranges: Ranges) -> frozenset[str]:
    """Return the features that are positive on the domain, but for its corner."""
    return frozenset(name for name, (low, _) in ranges.items() if low >= 0)


def gather(expression: Expression, positive: frozenset[str], *, expand: bool = True) -> Gathered:
    """Return a function with its constants gathered, or as it is written where that takes too much."""
    return gathered(expression, positive, expand=expand) or leave(expression)


def leave(expression: Expression) -> Gathered:
    """Return a function as it is written; all constants that are not whole may move."""
    places = [i for i, item in enumerate(expression.tape) if isinstance(item, float)]
    places = places if len(places) <= MOST_CONSTANTS else []
    names = tuple(f"the constant {expression.tape[i]!r}" for i in places)
    return Gathered(expression.tape, tuple((i,) for i in places), names)


def agrees(side: Side, text: Side) -> bool:
    """Whether a gathered form has the values of the text."""
    with np.errstate(all="ignore"):
        size = np.abs(text.start.value)
        limit = EQUAL * (size + np.median(size)) + NOISE * (side.start.noise + text.start.noise)
        return bool(np.all(np.abs(side.start.value - text.start.value) <= limit))


def is_constant(side: Side) -> bool:
    """Whether a function is constant at the points, with 60 digits where float64 is not sure."""
    value, noise = side.start.value, side.start.noise
    size, spread = float(np.max(np.abs(value))), float(np.ptp(value))
    if spread > 1e-13 * size and not spread <= 2 * NOISE * float(np.max(noise)):
        return False
    few = {name: column[:24] for name, column in side.sample.columns.items()}
    exact = precise(as_written(side.form.tape), few, min(side.sample.count, 24))
    return not max(exact) - min(exact) > 1e-25 * size


def list_fits(question: Question) -> Iterator[Fit]:
    """Yield what may be a solution: both as they stand, with the truth's constants moved, with the model's moved."""
    text, truths = question.model_text, question.truth_forms
    for kind in KINDS:
        yield fit(question.truth_text, text, kind, "model")
        for truth in truths:
            yield fit(truth, text, kind, "truth")
        model = prepare_model(question, kind)
        for truth in truths if model.left_out else ():
            yield fit(truth, model, kind, "truth")
        yield fit(question.truth_text, model, kind, "model")


def prepare_model(question: Question, kind: str) -> Side:
    """Return the gathered model in the truth's unit, without negligible constants; whole ones do not move."""
    side, text = question.model_form, question.model_text
    outer, unit = np.array(side.form.outer, dtype=bool), 1.0
    if kind == "scale" and np.any(outer):
        with np.errstate(all="ignore"):
            scale = best_constant(text.start.value, question.truth_text.start.value, kind)
        unit = scale if scale and np.isfinite(scale) else 1.0
    constants = (
        np.where(outer, side.constants / unit, side.constants) if unit != 1.0 else side.constants
    )
    room = allowance(constants, question.reading, stated=False)
    room = np.where(side.constants == np.round(side.constants), 0.0, room)
    small = rounds_to_zero(constants, question.reading)
    if np.all(small):
        small = np.zeros(len(small), dtype=bool)
    most = HALF * 10.0**-question.reading.digits * float(np.ptp(side.start.value))
    with np.errstate(all="ignore"):
        reach = np.max(np.abs(side.start.jacobian * side.constants), axis=0, initial=0.0)
    gone = small & (np.nan_to_num(reach, nan=np.inf) <= most)
    left_out = [
        (n, v) for n, v, out in zip(side.form.names, constants.tolist(), gone, strict=True) if out
    ]
    for drop in (gone, np.zeros(len(gone), dtype=bool)):
        tape = side.tape_with(np.where(drop, 0.0, constants).tolist())
        prepared = replace(
            side,
            form=side.form._replace(tape=tape),
            allowance=np.where(drop, 0.0, room),
            left_out=tuple(left_out) if np.any(drop) else (),
            unit=unit,
        )
        with np.errstate(all="ignore"):
            change = np.max(np.abs(prepared.start.value * unit - side.start.value))
        if change <= most or not np.any(drop):
            break
    return prepared


def has_same_terms(question: Question, attempt: Fit) -> bool:
    """Whether both are sums of the same terms, where no constants can move as there are too many."""
    movable = question.truth_forms[0].form.places and question.model_form.form.places
    return not movable and attempt.is_equal and is_proved(question, attempt)


def is_proved(question: Question, attempt: Fit) -> bool:
    """Whether the normal forms of both, as they stand, are equal up to the constant between them."""
    constant = None if attempt.constant is None else float(attempt.constant)
    if attempt.model is not question.model_text or len(attempt.truth.constants):
        return False
    positive = list_positive(question.ranges)
    return same_terms(question.truth, question.model, positive, attempt.kind, constant)


def is_allowed(question: Question, attempt: Fit) -> bool:
    """Whether the constants of the truth that come nearest to the model are within their tolerance."""
    last, kind = question.truth_forms[-1], attempt.kind
    if attempt.truth is last or not len(attempt.mover.constants):
        return True
    model = question.model_text if attempt.moved == "truth" else attempt.model
    near = (allows(t, model, kind, t.allowance) for t in question.truth_forms)
    if attempt.moved == "model" and not any(near):
        return False
    return allows(last, model, kind, expanded_allowance(last.constants, question.reading))


def confirm(
    question: Question, solution: Fit, rng: np.random.Generator
) -> tuple[Equivalence | None, tuple[Columns, int] | None]:
    """Return a verdict on a model that equals the truth at the sample, or a point at which it does not."""
    truth, model = solution.tapes
    ranges, unit = question.ranges, solution.model.unit
    fresh = draw(as_floats(truth), as_floats(model), ranges, FRESH_POINTS, rng)
    corners, nudged = draw_special(ranges, SPECIAL_POINTS, rng)
    proved = not np.isnan(solution.error) and is_proved(question, solution)
    note = ""
    if not proved:
        texts = (question.truth.tape, question.model.tape)
        ends = {name: np.append(column, nudged[name]) for name, column in fresh.columns.items()}
        beside = draw_beside_steps(texts, ranges, ends, rng)
        pair = (truth, model, solution.factor, solution.offset)
        checks = [
            (pair, fresh.columns, 10 * EQUAL),
            (pair, nudged, 10 * EQUAL),
            (pair, beside, NARROW),
        ]
        if solution.model.left_out:
            checks.append(
                ((solution.model.form.tape, question.model.tape, unit, 0), beside, NARROW)
            )
        for sides, columns, share in checks:
            index = find_departure(sides, columns, share, question.sample)
            if index is not None:
                return None, (columns, index)
        if find_departure(pair, corners, NARROW, question.sample) is not None:
            note = "; they differ on a set of measure zero, where a step jumps"
    return describe_solution(question, solution, fresh, proved, note, rng), None


def find_departure(
    sides: tuple[Any, Any, Any, Any], columns: Columns, share: float, sample: Sample
) -> int | None:
    """Return a point at which a model is not factor * truth + offset, by more than a share of the size of the values.

    60 digits confirm it.

    Parameters
    ----------
    sides : (truth, model, factor, offset)
        Two tapes, and the constants between them.
    columns : mapping of str to ndarray of shape (points,)
        The points.
    share : float
        Of the size of the values, to which their typical size on the `sample` is added.
    """
    truth, model, factor, offset = sides
    count = len(next(iter(columns.values()), ()))
    usual = float(factor) * values(as_floats(truth), sample.columns, sample.count)
    typical = float(np.median(np.abs(usual)))
    if share == NARROW:  # what was left out is small beside the spread
        typical = max(typical, float(np.ptp(usual)))
    t, m = (differentiate(as_floats(tape), columns, [], count) for tape in (truth, model))
    with np.errstate(all="ignore"):
        apart = np.abs(m.value - float(factor) * t.value - float(offset))
        limit = share * (np.abs(m.value) + np.abs(float(factor) * t.value) + typical)
        noise = NOISE * (m.noise + abs(float(factor)) * t.noise)
        excess = finite(apart / limit)
        clear = np.where(apart > limit + noise, excess, 0.0)
    order = [int(i) for rank in (clear, excess) for i in np.argsort(-rank)[:SUSPECTS]]
    for i in dict.fromkeys(order):
        if excess[i] > 1:
            at = {name: column[i : i + 1] for name, column in columns.items()}
            exact = [precise(as_written(tape), at, 1)[0] for tape in (truth, model)]
            gap = abs(exact[1] - factor * exact[0] - offset)
            if gap > share * (abs(exact[1]) + abs(factor * exact[0]) + typical):
                return i
    return None


def describe_solution(
    question: Question,
    solution: Fit,
    fresh: Sample,
    proved: bool,
    note: str,
    rng: np.random.Generator,
) -> Equivalence:
    """Return the verdict on a solution, unless it is undefined on too much of the domain."""
    wide = {n: (-2 * max(map(abs, e)), 2 * max(map(abs, e))) for n, e in question.ranges.items()}
    truth, model = solution.tapes
    outside = draw(as_floats(truth), as_floats(model), wide, POINTS, rng)
    everywhere = None
    if outside.count >= FEWEST_POINTS:
        pair = (truth, model, solution.factor, solution.offset)
        everywhere = find_departure(pair, outside.columns, 10 * EQUAL, outside) is None
    constant = None
    if solution.constant is not None:
        constant = float(solution.constant) * solution.model.unit
    moved = list_moves(solution) + question.rounded
    moved.sort(key=lambda move: -abs(move["percent"]))
    moved += [
        {"constant": name, "truth": 0.0, "model": value * solution.model.unit, "percent": None}
        for name, value in solution.model.left_out
    ]
    deviation = measure_deviation(question, solution.kind, constant)
    points = question.sample.count + fresh.count
    detail = describe_moves(moved, deviation, question.reading)
    if not proved:
        detail += f"; compared at {points} points"
    detail += note
    if fresh.outside is not None and is_undefined(question.model, fresh.outside):
        tried = fresh.skipped + fresh.count
        state = describe_outside(question.model, fresh.outside)
        detail += f"; the model is {state} at {fresh.skipped} of {tried} points"
        if fresh.skipped > UNDEFINED * tried:
            witness = witness_outside(question.truth, fresh.outside)
            verdict = refute("different", fresh.count, detail, witness)
            return replace(verdict, everywhere=everywhere or None)
    if everywhere is not None:
        detail += "; it holds wherever both are defined" if everywhere else "; on the domain only"
    if context(DIGITS).beyond:
        power = f"10**{LARGEST * np.log10(2):.0f}"
        detail += f"; values beyond {power} count as infinite, their inverses as zero"
    digits = AGREED if solution.error <= VANISHED else int(-np.log10(max(solution.excess, 1e-15)))
    proof = "symbolic" if proved else "numerical"
    return Equivalence(
        solution.kind, constant, proof, points, digits, None, everywhere, detail, moved, deviation
    )


def list_moves(solution: Fit) -> list[dict[str, Any]]:
    """List the constants in which model and truth differ."""
    side, moves = solution.mover, []
    for name, before, after in zip(
        side.form.names, side.constants.tolist(), map(float, solution.constants), strict=False
    ):
        if before != 0.0 and abs(after - before) > UNMOVED * abs(before):
            both = (after, before) if solution.moved == "model" else (before, after)
            moves.append(describe_move(name, *both))
    return moves


def describe_move(name: str, truth: float, model: float) -> dict[str, Any]:
    """Return an entry of `Equivalence.moved`."""
    percent = float(f"{100.0 * (model - truth) / abs(truth):.3g}")
    return {"constant": name, "truth": float(truth), "model": float(model), "percent": percent}


def measure_deviation(question: Question, kind: str, constant: float | None) -> float:
    """Return the largest deviation of the model, as it stands, from the truth, in shares of the truth's range."""
    truth, model = question.truth_text.start, question.model_text.start
    factor = constant if kind == "scale" and constant else 1.0
    offset = constant if kind == "offset" and constant else 0.0
    with np.errstate(all="ignore"):
        expected = factor * truth.value
        apart = np.abs(model.value - expected - offset)
        noise = NOISE * (model.noise + abs(factor) * truth.noise)
        share = np.max(np.where(apart <= noise, 0.0, apart), initial=0.0) / np.ptp(expected)
    return float(f"{share:.3g}") if np.isfinite(share) else 0.0


def describe_moves(moved: list[dict[str, Any]], deviation: float, reading: Constants) -> str:
    """Say how equal the two are."""
    largest = f"the largest deviation on the domain is {100 * deviation:.2g}% of the truth's range"
    if not moved:
        return f"equal with the constants as they stand; {largest}"
    admitted = f"admitted {describe_allowance(reading)}"
    return f"equal within the tolerance: {list_in_words(moved)}; {largest}, {admitted}"


def list_in_words(moved: list[dict[str, Any]]) -> str:
    """List the constants in which two differ, and by how many percent.

    Examples
    --------
    >>> list_in_words([{"constant": "the exponent of x", "truth": 2.0, "model": 2.0003, "percent": 0.015}])
    'the exponent of x is 2.0003 for 2 (+0.015%)'
    """
    parts = [
        f"{m['constant']} is {m['model']:.7g} for {m['truth']:.7g} ({m['percent']:+.2g}%)"
        if m["percent"] is not None
        else f"{m['constant']}, {m['model']:.3g}, is left out"
        for m in moved[:MOST_LISTED]
    ]
    more = f", and {len(moved) - MOST_LISTED} more" if len(moved) > MOST_LISTED else ""
    return ", ".join(parts) + more


def describe_distance(question: Question) -> str:
    """Say how far model and truth are apart."""
    model, truth = question.model_text.start.value, question.truth_text.start.value
    with np.errstate(all="ignore"):
        difference, ratio = model - truth, model / truth
    ratio = ratio[np.isfinite(ratio)]
    ends = f"{ratio.min():.6g} to {ratio.max():.6g}" if len(ratio) else "undefined"
    return (
        f"on the domain the difference runs from {difference.min():.6g} to {difference.max():.6g} "
        f"and the ratio from {ends}"
    )


def compare_beyond(
    truth: Expression, model: Expression, ranges: Ranges, sample: Sample, rng: np.random.Generator
) -> Equivalence:
    """Compare two functions that hardly have values in float64, as they stand, with 60 digits."""
    wide = Sample(split_columns(ranges, draw_uniform(ranges, POINTS // 2, rng)), POINTS // 2)
    sides = [Side(Gathered(side.tape), wide, np.zeros(0)) for side in (truth, model)]
    t, m = (precise(as_written(side.tape), wide.columns, wide.count) for side in (truth, model))
    if all(map(context(DIGITS).isfinite, [*t, *m])) and max(m) - min(m) > 1e-12 * max(abs(m)):
        for kind in KINDS:
            solution = refine(Fit(kind, *sides, "model", [], None, 0.0, np.zeros(0), False))
            if solution.error <= VANISHED and solution.constant != 0:
                constant = None if kind == "identical" else float(solution.constant)
                detail = (
                    "equal with the constants as they stand; compared with 60 digits, "
                    "as float64 has no values there"
                )
                return Equivalence(kind, constant, "numerical", wide.count, AGREED, detail=detail)
    if sample.outside is not None and is_undefined(model, sample.outside):
        reason = f"the model is {describe_outside(model, sample.outside)} at {sample.skipped}"
        detail = f"{reason} of the points at which the truth is defined"
        return refute("different", sample.count, detail, witness_outside(truth, sample.outside))
    detail = f"both could be evaluated at only {sample.count} of the points tried"
    return Equivalence("unknown", points=sample.count, detail=detail)


def confirm_witness(
    truth: Expression, model: Expression, points: list[tuple[Columns, int]]
) -> dict[str, Any] | None:
    """Return the first point at which 60 digits confirm that the two differ; None: there is none.

    Beside the values, `difference` is model - truth, which may be less than the values' digits show, and `digits`
    says how many digits of the values are certain.
    """
    isfinite = context(DIGITS).isfinite
    for columns, i in points:
        at = point(columns, i)
        (t, t_error), (m, m_error) = (evaluate_surely(side, at) for side in (truth, model))
        if not isfinite(t):
            continue
        digits = min(count_digits(t, t_error), count_digits(m, m_error))
        if not isfinite(m):
            return {"point": at, "truth": float(t), "model": None, "digits": digits}
        # certain where it is far above what 60 digits, not 30, leave open
        if abs(m - t) > 1e-20 * (t_error + m_error) + 1e-45 * abs(t):
            both = {"truth": float(t), "model": float(m), "difference": float(m - t)}
            return {"point": at, **both, "digits": digits}
    return None


def evaluate_surely(expression: Expression, at: Mapping[str, float]) -> tuple[Any, Any]:
    """Return the value at a point with 60 digits, and how far the value with 30 digits is from it."""
    columns = {name: np.array([value]) for name, value in at.items()}
    fine, rough = (
        precise(expression.tape, columns, 1, digits)[0] for digits in (DIGITS, DIGITS // 2)
    )
    return fine, abs(fine - context(DIGITS).mpf(rough))


def count_digits(value: Any, error: Any) -> int:
    """Count the certain digits of a value, at most 15."""
    share = float(error / (abs(value) or 1))
    return 15 if not share >= 1e-15 else max(0, int(-np.log10(share)))


def is_undefined(expression: Expression, at: Mapping[str, float]) -> bool:
    """Whether a function has no value at a point, with 60 digits."""
    return not context(DIGITS).isfinite(evaluate_surely(expression, at)[0])


def describe_outside(expression: Expression, at: Mapping[str, float]) -> str:
    """Say why a model has no value at a point."""
    columns = {name: np.array([value]) for name, value in at.items()}
    infinite = np.isinf(values(expression.tape, columns, 1)[0])
    return "infinite (beyond the range of its numbers)" if infinite else "undefined"


def witness_outside(truth: Expression, at: dict[str, float]) -> dict[str, Any]:
    """Return a point at which only the truth is defined, as a witness."""
    value, error = evaluate_surely(truth, at)
    digits = count_digits(value, error)
    return {"point": at, "truth": float(value), "model": None, "digits": digits}
