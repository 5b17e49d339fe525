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
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from srlib.expressions.evaluate import evaluate_precisely
from srlib.expressions.evidence import (
    DECIMALS,
    FLOAT_DIGITS,
    KINDS,
    SOLUTIONS,
    Equivalence,
    confirm_witness,
    describe_distance,
    describe_move,
    describe_moves,
    list_moves,
    measure_deviation,
)
from srlib.expressions.fitting import (
    EQUAL,
    NOISE,
    VANISHED,
    Fit,
    Side,
    allows,
    as_floats,
    as_written,
    compare_values,
    finite,
    fit,
    middle,
    refine,
)
from srlib.expressions.free_constants import nearest_form
from srlib.expressions.normal_form import NormalForm, normal_form, same_normal_form
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
from srlib.expressions.sensitivity import differentiate
from srlib.expressions.tolerance import (
    HALF,
    allowance,
    expanded_allowance,
    half_unit,
    round_as_srbench,
    rounds_to_zero,
)
from srlib.expressions.tree import Expression
from srlib.rules.constants import Constants

FORM_CONSTANTS = "3 significant digits"  # how a form's own constants are compared
POINTS, FRESH_POINTS, SPECIAL_POINTS, MOST_POINTS, FEWEST_POINTS = 96, 512, 64, 1500, 12
UNDEFINED = 0.01  # share of the truth's domain on which a solution may be undefined
AGREED = 30  # digits to which solutions agree
NARROW = 1e-3  # difference beside a pole or a step, relative to the size of the values, that counts
SUSPECTS = 6  # points that are looked at with 60 digits, the most different first
CONSTANT_NAMES = {"E": "E", "e": "E", "pi": "pi"}

Between = tuple[Any, Any, Any, Any]  # tapes of truth and model, factor and offset between them


@dataclass(frozen=True)
class Question:
    """Truth and model at the points of a sample, as text and in all forms in which constants may move.

    `positive` are features that are positive on the domain; the last of `truth_forms` has its products multiplied
    out; `rounded` lists constants of the model that were rounded before, as `Equivalence.moved` does.
    """

    truth: Expression
    model: Expression
    ranges: Ranges
    reading: Constants
    positive: frozenset[str]
    truth_text: Side
    model_text: Side
    truth_forms: list[Side]
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
    with stage("the sample of the domain"):
        model, sample, rounded = draw_sample(truth, model, ranges, reading, rng)
        undefined = witness_undefined(truth, model, sample)
        if sample.count < FEWEST_POINTS and undefined:
            detail = f"the model is undefined at {sample.skipped} points at which the truth is not"
            return refute("different", sample.count, detail, undefined)
        if sample.count < FEWEST_POINTS:  # 60 digits may have values
            columns = split_columns(ranges, draw_uniform(ranges, POINTS, rng))
            sample = Sample(columns, POINTS)
    with stage("the gathering of constants"):
        question = ask(truth, model, ranges, reading, sample, rounded)
        if is_constant(question.model_text):
            detail = "the model is constant on the domain"
            return Equivalence("constant", points=sample.count, detail=detail)
    doubt = reason = ""
    suspects: list[dict[str, float]] = []
    for attempt in list_fits(question):
        if not attempt.is_close:
            continue
        with stage("the comparison with 60 digits"):
            refined = refine(attempt)
        if np.isnan(refined.error) or refined.undecided:
            doubt = (
                "model and truth differ by less than the arithmetic can tell apart from equality"
            )
        elif refined.error > VANISHED:
            reason = f"; the closest constants leave a relative residual of {refined.error:.1g}"
        elif not is_allowed(question, attempt):
            reason = "; they are equal only with constants beyond their tolerance"
        else:
            with stage("the search for poles and steps"):
                verdict, suspects = confirm(question, refined, rng)
            if verdict:
                return verdict
            reason, doubt = "; they differ at places that few random points reach", ""
            break
    with stage("the witness"), np.errstate(all="ignore"):
        apart = np.abs(question.model_text.start.value - question.truth_text.start.value)
        suspects += [point(sample.columns, i) for i in np.argsort(-apart)[:SUSPECTS]]
        witness = confirm_witness(truth, model, suspects)
    if doubt or witness is None:
        doubt = doubt or "at no point do 60 digits confirm that model and truth differ"
        return refute("unknown", sample.count, doubt, witness)
    detail = describe_distance(question.truth_text, question.model_text) + reason
    return refute("different", sample.count, detail, witness)


def refute(
    kind: str,
    points: int,
    detail: str,
    witness: dict[str, Any] | None,
    everywhere: bool | None = None,
) -> Equivalence:
    """Return a verdict with a witness, whose values have all digits of a float."""
    proof = "witness" if kind == "different" else None
    digits = FLOAT_DIGITS if witness else 0
    return Equivalence(kind, None, proof, points, digits, witness, everywhere, detail)


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
        whole = normal_form(model, positive, expand=False, whole=nearly)
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
    """Gather the constants of both sides; a form that has not the values of the text is not used."""
    positive = list_positive(ranges)
    text, own_text = (Side(NormalForm(side.tape), sample) for side in (truth, model))
    forms = [gather(truth, positive, expand=expand) for expand in (False, True)]
    truths = [Side(form, sample) for form in dict.fromkeys(forms)]
    truths = [side for side in truths if agrees(side, text)] or [text]
    own = Side(gather(model, positive), sample)
    own = own if agrees(own, own_text) else own_text
    return Question(truth, model, ranges, reading, positive, text, own_text, truths, own, rounded)


def list_positive(ranges: Ranges) -> frozenset[str]:
    """Return the features that are positive on the domain, but for its corner."""
    return frozenset(name for name, (low, _) in ranges.items() if low >= 0)


def gather(expression: Expression, positive: frozenset[str], *, expand: bool = True) -> NormalForm:
    """Return a function with its constants gathered; where that takes too much, none of them may move."""
    return normal_form(expression, positive, expand=expand) or NormalForm(expression.tape)


def agrees(side: Side, text: Side) -> bool:
    """Whether a gathered form has the values of the text."""
    with np.errstate(all="ignore"):
        size = np.abs(text.start.value)
        limit = EQUAL * (size + np.median(size)) + NOISE * (side.start.noise + text.start.noise)
        return bool(np.all(np.abs(side.start.value - text.start.value) <= limit))


def is_constant(side: Side) -> bool:
    """Whether a function is constant at the points, with 60 digits where float64 is not sure."""
    value, noise = side.start.value, side.start.noise
    with np.errstate(all="ignore"):
        spread = float(np.ptp(value))
    if spread > max(1e-13 * float(np.max(np.abs(value))), 2 * NOISE * float(np.max(noise))):
        return False
    few = {name: column[:24] for name, column in side.sample.columns.items()}
    exact = evaluate_precisely(as_written(side.form.tape), few, min(side.sample.count, 24))
    return bool(max(exact) - min(exact) <= 1e-25 * max(abs(exact)))


def list_fits(question: Question) -> Iterator[Fit]:
    """Yield what may be a solution: both as they stand, with the truth's constants moved, with the model's moved."""
    text, truths = question.model_text, question.truth_forms
    rooms = [allowance(side.constants, question.reading, stated=True) for side in truths]
    for kind in KINDS:
        gap = compare_values(text.start, question.truth_text.start, kind)
        yield fit(question.truth_text, text, kind, "model", text.constants, gap)
        for truth, room in zip(truths, rooms, strict=True):
            yield fit(truth, text, kind, "truth", room, gap)
        model, own_room = prepare_model(question, gap.factor)
        if model.left_out:
            for truth, room in zip(truths, rooms, strict=True):
                yield fit(truth, model, kind, "truth", room)
        yield fit(question.truth_text, model, kind, "model", own_room)


def prepare_model(question: Question, unit: float) -> tuple[Side, np.ndarray]:
    """Return the gathered model without negligible constants, and allowances of the others; whole ones do not move.

    A multiple of the truth is compared in the truth's unit: its outer constants are `unit` times as large.
    """
    side, reading = question.model_form, question.reading
    constants, units = side.constants, np.ones(len(side.constants))
    if unit and np.isfinite(unit):
        units = np.where(side.form.outer, unit, units) if side.form.outer else units
    room = allowance(constants / units, reading, stated=False) * np.abs(units)
    room = np.where(constants == np.round(constants), 0.0, room)
    small = rounds_to_zero(constants / units, reading)
    with np.errstate(all="ignore"):
        most = HALF * 10.0**-reading.digits * float(np.ptp(side.start.value))
        reach = np.abs(side.start.jacobian * constants)
        small &= np.max(np.nan_to_num(reach, nan=np.inf), axis=0, initial=0.0) <= most
        if np.any(small) and not np.all(small):
            tape = side.tape_with(np.where(small, 0.0, constants).tolist())
            left_out = [(side.form.names[i], float(constants[i])) for i in np.flatnonzero(small)]
            shorter = Side(side.form._replace(tape=tape), side.sample, tuple(left_out))
            if np.max(np.abs(shorter.start.value - side.start.value)) <= most:
                return shorter, np.where(small, 0.0, room)
    return side, room


def is_proved(question: Question, solution: Fit) -> bool:
    """Whether the normal forms of both, as they stand, are equal up to the constant between them."""
    if solution.truth is not question.truth_text or solution.model is not question.model_text:
        return False
    constant = None if solution.constant is None else float(solution.constant)
    return same_normal_form(
        question.truth, question.model, question.positive, solution.kind, constant
    )


def is_allowed(question: Question, attempt: Fit) -> bool:
    """Whether the constants of the truth that come nearest to the model are within their tolerance."""
    last, kind = question.truth_forms[-1], attempt.kind
    if attempt.truth is last or attempt.model is question.model_text and attempt.moved == "model":
        return True
    model = question.model_text if attempt.moved == "truth" else attempt.model
    within = (
        allows(t, model, kind, allowance(t.constants, question.reading, stated=True))
        for t in question.truth_forms
    )
    if attempt.moved == "model" and not any(within):
        return False
    return allows(last, model, kind, expanded_allowance(last.constants, question.reading))


def confirm(
    question: Question, solution: Fit, rng: np.random.Generator
) -> tuple[Equivalence | None, list[dict[str, float]]]:
    """Return the verdict on a model that equals the truth at the sample, or a point at which it does not."""
    between, sample = solution.between, solution.truth.sample
    truth, model = (as_floats(tape) for tape in between[:2])
    fresh = draw(truth, model, question.ranges, FRESH_POINTS, rng)
    proved, note = is_proved(question, solution), ""
    if not proved:
        exact, nudged = draw_special(question.ranges, SPECIAL_POINTS, rng)
        ends = {name: np.append(column, nudged[name]) for name, column in fresh.columns.items()}
        texts = (question.truth.tape, question.model.tape)
        beside = draw_beside_steps(texts, question.ranges, ends, rng)
        checks = [(between, ends, 10 * EQUAL), (between, beside, NARROW)]
        if solution.model.left_out:
            shorter = (solution.model.form.tape, question.model.tape, 1, 0)
            checks.append((shorter, beside, NARROW))
        for pair, columns, share in checks:
            if departure := find_departure(pair, columns, share, sample):
                return None, [departure]
        if find_departure(between, exact, NARROW, sample):
            note = "; they differ on a set of measure zero, where a step jumps"
    wide = {n: (-2 * max(map(abs, e)), 2 * max(map(abs, e))) for n, e in question.ranges.items()}
    outside = draw(truth, model, wide, POINTS, rng)
    everywhere = None
    if outside.count >= FEWEST_POINTS:
        everywhere = find_departure(between, outside.columns, 10 * EQUAL, outside) is None
    constant = None if solution.constant is None else float(solution.constant)
    moved = question.rounded + list_moves(solution)
    sides = (question.truth_text, question.model_text)
    deviation = measure_deviation(*sides, solution.kind, constant)
    detail = describe_moves(moved, deviation, question.reading)
    points = sample.count + fresh.count
    if not proved:
        detail += f"; compared at {points} points, with up to 60 digits{note}"
    tried = fresh.skipped + fresh.count
    if undefined := witness_undefined(question.truth, question.model, fresh):
        detail += f"; the model is undefined at {fresh.skipped} of {tried} points"
        if fresh.skipped > UNDEFINED * tried:
            return refute("different", points, detail, undefined, everywhere or None), []
    if everywhere is not None:
        detail += "; it holds wherever both are defined" if everywhere else "; on the domain only"
    proof = "symbolic" if proved else "numerical"
    evidence = (proof, points, AGREED, None, everywhere, detail, moved, deviation)
    return Equivalence(solution.kind, constant, *evidence), []


def find_departure(
    between: Between, columns: Columns, share: float, sample: Sample
) -> dict[str, float] | None:
    """Return a point at which a model is not factor * truth + offset; 60 digits confirm it.

    Parameters
    ----------
    between : (truth, model, factor, offset)
        Two tapes, and the constants between them.
    columns : mapping of str to ndarray of shape (points,)
        The points.
    share : float
        Difference that counts, relative to the size of the values, to which their usual size on the `sample` is added.
    """
    truth, model = (as_floats(tape) for tape in between[:2])
    factor, offset = map(float, between[2:])
    count = len(next(iter(columns.values())))
    t, m = (differentiate(tape, columns, [], count) for tape in (truth, model))
    with np.errstate(all="ignore"):
        usual = np.abs(factor * values(truth, sample.columns, sample.count))
        # beside poles, the spread: what was left out is small beside it
        typical = max(middle(usual), float(np.ptp(usual)) if share == NARROW else 0.0)
        limit = share * (np.abs(m.value) + np.abs(factor * t.value) + typical)
        apart = np.abs(m.value - factor * t.value - offset)
        excess = finite(apart / limit)
        noise = NOISE * (m.noise + abs(factor) * t.noise)
        clear = np.where(apart > limit + noise, excess, 0.0)
    order = [int(i) for rank in (clear, excess) for i in np.argsort(-rank)[:SUSPECTS]]
    for i in dict.fromkeys(order):
        if excess[i] > 1:
            at = {name: column[i : i + 1] for name, column in columns.items()}
            exact = [evaluate_precisely(as_written(tape), at, 1)[0] for tape in between[:2]]
            expected = between[2] * exact[0] + between[3]
            if abs(exact[1] - expected) > share * (abs(exact[1]) + abs(expected) + typical):
                return point(columns, i)
    return None


def witness_undefined(
    truth: Expression, model: Expression, sample: Sample
) -> dict[str, Any] | None:
    """Return a witness that the model is undefined where the truth is defined."""
    points = [] if sample.outside is None else [sample.outside]
    witness = confirm_witness(truth, model, points)
    return witness if witness and witness["model"] is None else None
