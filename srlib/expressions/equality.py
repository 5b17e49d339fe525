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
from dataclasses import replace
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
    describe_moves,
    list_moves,
    measure_deviation,
)
from srlib.expressions.fitting import (
    EQUAL,
    NOISE,
    Fit,
    finite,
    middle,
)
from srlib.expressions.free_constants import nearest_form
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
from srlib.expressions.question import (
    POINTS,
    Question,
    ask,
    draw_sample,
    is_allowed,
    is_constant,
    is_proved,
    list_fits,
)
from srlib.expressions.refining import VANISHED, as_floats, as_written, refine
from srlib.expressions.sensitivity import differentiate
from srlib.expressions.tree import Expression
from srlib.rules.constants import Constants

FORM_CONSTANTS = "3 significant digits"  # how a form's own constants are compared
FRESH_POINTS, SPECIAL_POINTS, FEWEST_POINTS = 512, 64, 12
UNDEFINED = 0.01  # share of the truth's domain on which a solution may be undefined
AGREED = 30  # digits to which solutions agree
NARROW = 1e-3  # difference beside a pole or a step, relative to the size of the values, that counts
SUSPECTS = 6  # points that are looked at with 60 digits, the most different first
CONSTANT_NAMES = {"E": "E", "e": "E", "pi": "pi"}

Between = tuple[Any, Any, Any, Any]  # tapes of truth and model, factor and offset between them


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
        return replace(verdict, kind="form", proof="numerical", detail=detail, free=form.values)
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
