"""Verdicts, with evidence, on whether a model equals the truth up to an additive or a multiplicative constant.

The definition is that of the SRBench protocol (Definition 4.1): the model is not constant, and either the difference or
the ratio of model and truth is constant. Since constants of models are fitted, the question is: can the constants of
the truth be changed within their tolerance so that it equals the model on the domain? How the model is written does
not matter: constants are gathered first (``0.0005*(80*1000*x)`` becomes ``40*x``), both with products as written and
with products multiplied out.

The stages, by cost:

1. Equal trees are equal functions.
2. A sample of the domain: the model must not be constant, and may be undefined on at most 1% of the points at which the
   truth is defined.
3. Truth and model as written are compared with 60 digits; equal normal forms prove equality. If no constants within
   their tolerance could close the gap, nothing more is tried.
4. Constants are fitted within their tolerance (`fitting`): those of the truth, or those of the model if the best
   fitting constants of the truth are within their tolerance, too. For a multiple of the truth, the model is first
   divided by the factor. Constants of the model that round to zero are left out if their contribution is negligible.
5. A fit must also hold at other places: fresh points, corners, and points beside poles and steps.
6. A point at which the two differ, confirmed with 60 digits, refutes (a witness). If nothing is confirmed either way,
   the verdict is unknown.
"""

from collections.abc import Collection, Iterable
from dataclasses import replace

import numpy as np

from srlib.expressions.comparison import (
    N_POINTS,
    EqualityTest,
    enlarge_sample,
    fit_texts,
    is_allowed,
    is_constant,
    is_proved,
    list_fits,
    round_as_srbench,
)
from srlib.expressions.evaluate import EPSILON, differentiate, evaluate_precisely
from srlib.expressions.evidence import (
    DEFAULT_READING,
    FLOAT_DIGITS,
    Equivalence,
    Moves,
    Witness,
    confirm_witness,
    describe_distance,
    list_in_words,
    list_moves,
)
from srlib.expressions.fitting import (
    EQUAL_RESIDUAL,
    FEWEST_POINTS,
    KINDS,
    NOISE_FACTOR,
    STEPS,
    VANISHED_RESIDUAL,
    Fit,
    Relation,
    as_decimals,
    finite_or_zero,
    refine,
    upper_median,
)
from srlib.expressions.free_constants import nearest_form
from srlib.expressions.names import CONSTANTS
from srlib.expressions.points import (
    DEFAULT_RANGE,
    Point,
    Ranges,
    Sample,
    draw_beside_steps,
    draw_points,
    draw_special,
    draw_uniform,
    point_at,
    split_columns,
)
from srlib.expressions.tree import Columns, Expression
from srlib.rules import Constants

NAMED_NUMBERS = frozenset(["E", "e", "pi"])  # in a model, unless they are features
FORM_READING = "3 significant digits"  # tolerance of the constants of a form that are not free
N_FRESH_POINTS = 512
N_SPECIAL_POINTS = 64
MOST_UNDEFINED = 0.01  # share of the truth's domain on which a solution may be undefined
AGREED_DIGITS = 30  # digits to which truth and a solution agree
SHARE_ANYWHERE = 10 * EQUAL_RESIDUAL  # difference that counts, relative to the size of the values
SHARE_BESIDE_STEPS = 1e-3  # the same beside a pole or a step
# size that omitted terms may have beside a pole or a step, in units of SHARE_BESIDE_STEPS times their median size
MOST_GROWTH = 1e6
NO_VALUE_DETAIL = "at some of the points 60 digits have no value of model or truth"
TOO_CLOSE_DETAIL = "model and truth differ by less than the arithmetic can tell apart from equality"
N_SUSPECTS = 6  # points of a sample that are tried as a witness, the most different first
MOST_SUSPECTS = 640  # points that 60 digits decide because float64 cannot, the most different first
N_TOGETHER = 40  # of these that are evaluated together


def compare(
    truth: Expression,
    model: Expression,
    domain: Ranges,
    *,
    constants: Constants | str = DEFAULT_READING,
    free: Collection[str] = (),
    seed: int = 0,
) -> Equivalence:
    """Return the verdict on whether a model equals the truth up to a constant, on the problem's domain.

    Parameters
    ----------
    truth, model : Expression
        Both use the problem's feature names. E, e and pi in the model are constants unless truth or domain use them as
        features.
    domain : mapping of str to (low, high)
        Range of each feature; [1, 5] for features that are not listed.
    constants : Constants or str
        Rule by which constants count as equal: decimals:N (they may differ by half a unit of the last decimal),
        significant:N, srbench or free.
    free : collection of str
        Names in the truth that are constants with any value instead of features; used under the rule free.
    seed : int
        Seed of the generator that draws the points; the same call gives the same evidence.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> compare(parse("2*x*y"), parse("1.99996*y*x + 0.3"), {"x": (1, 2), "y": (0, 3)}).kind
    'offset'
    >>> compare(parse("sin(x)"), parse("x - x**3/6"), {"x": (-1, 1)}).proof
    'witness'
    """
    reading = Constants.read(constants)
    names = NAMED_NUMBERS - truth.features - domain.keys()
    items = (CONSTANTS[item] if item in names else item for item in model.tape)  # type: ignore[index]
    model = Expression(tuple(items))
    features = sorted((truth.features | model.features) - set(free))
    ranges = {name: domain.get(name, DEFAULT_RANGE) for name in features}
    try:
        if reading.rule == "free":
            verdict = compare_form(truth, model, ranges, free, seed)
        else:
            verdict = compare_functions(truth, model, ranges, reading, seed)
    except (ArithmeticError, ValueError, RecursionError) as error:
        verdict = Equivalence("unknown", detail=f"the arithmetic failed: {error}")
    return replace(verdict, constants=str(reading))


def compare_form(
    truth: Expression, model: Expression, ranges: Ranges, free: Collection[str], seed: int
) -> Equivalence:
    """Return the verdict on a model, with the free constants of the truth set to the values that fit the model best."""
    form = nearest_form(truth, model, ranges, free, seed)
    verdict = compare_functions(form.truth, model, ranges, Constants.read(FORM_READING), seed)
    if not form.values:
        return verdict
    values_text = ", ".join(f"{name} = {value:.6g}" for name, value in form.values.items())
    if verdict.kind in KINDS:
        detail = f"with {values_text}: {verdict.kind}, {verdict.detail}"
        return replace(verdict, kind="form", proof="numerical", detail=detail, free=form.values)
    detail = f"of the values that were tried {values_text} come nearest: {verdict.detail}"
    kind = verdict.kind if form.certain or verdict.kind != "different" else "unknown"
    return replace(verdict, kind=kind, proof=None, detail=detail, free=form.values)


def compare_functions(
    truth: Expression, model: Expression, ranges: Ranges, reading: Constants, seed: int
) -> Equivalence:
    """Return the verdict of the first stage that decides (see the stages of this module)."""
    if not model.features:
        return Equivalence("constant", detail="the model is a constant")
    if truth.tape == model.tape:
        return Equivalence(
            "identical",
            proof="symbolic",
            digits=AGREED_DIGITS,
            detail="equal with the constants as they stand: the formulas are the same",
        )
    rng = np.random.default_rng(seed)
    rounded: Moves = []
    if reading.rule == "srbench":
        model, rounded = round_as_srbench(model, ranges)
    sample = draw_points(truth.tape, model.tape, ranges, N_POINTS, rng)
    if sample.count < FEWEST_POINTS:
        if undefined := witness_undefined(truth, model, sample):
            detail = f"the model is undefined at {sample.skipped} points at which the truth is not"
            return refute("different", sample.count, detail, undefined)
        # float64 has too few values; 60 digits may have more
        sample = Sample(split_columns(ranges, draw_uniform(ranges, N_POINTS, rng)), N_POINTS)
    if is_constant(model, sample):
        return Equivalence(
            "constant", points=sample.count, detail="the model is constant on the domain"
        )
    comparison = EqualityTest(truth, model, ranges, reading, sample, rounded)
    fits = fit_texts(comparison)
    if fits:
        comparison = enlarge_sample(comparison, rng)
        fits = fit_texts(comparison)
    return decide(comparison, fits, rng)


def decide(comparison: EqualityTest, fits: list[Fit], rng: np.random.Generator) -> Equivalence:
    """Return the verdict on the first fit that holds with 60 digits and allowed constants, else of `find_witness`."""
    reason = doubt = ""
    for attempt in list_fits(comparison, fits):
        if not attempt.is_close:
            continue
        solution = refine(attempt)
        if np.isnan(solution.error):
            doubt = NO_VALUE_DETAIL
        elif solution.undecided:
            doubt = TOO_CLOSE_DETAIL
        elif solution.error > VANISHED_RESIDUAL:
            reason = f"; the closest constants leave a relative residual of {solution.error:.1g}"
        elif not is_allowed(comparison, attempt):
            reason = "; they are equal only with constants beyond their tolerance"
        else:
            return confirm(comparison, solution, rng)
    return find_witness(comparison, reason, doubt)


def find_witness(
    comparison: EqualityTest,
    reason: str,
    doubt: str = "",
    suspects: Iterable[Point] = (),
) -> Equivalence:
    """Search for a witness that refutes a model, and return the verdict: different, or unknown without a witness.

    Parameters
    ----------
    comparison : EqualityTest
        Truth and model.
    reason : str
        End of the sentence that says how far truth and model are apart.
    doubt : str
        Reason why truth and model may still be equal, which makes the verdict unknown; empty if a witness decides.
    suspects : iterable of dict of str to float
        Points to try first as a witness, before those of the sample.
    """
    sample = comparison.sample
    truth_values = comparison.truth_text.start.value
    model_values = comparison.model_text.start.value
    with np.errstate(all="ignore"):
        order = np.argsort(-np.abs(model_values - truth_values))[:N_SUSPECTS]
    points = [*suspects, *(point_at(sample.columns, i) for i in order)]
    witness = confirm_witness(comparison.truth, comparison.model, points)
    if witness is None:
        doubt = doubt or "at no point do 60 digits confirm that model and truth differ"
    detail = doubt or describe_distance(truth_values, model_values) + reason
    return refute("unknown" if doubt else "different", sample.count, detail, witness)


def refute(kind: str, points: int, detail: str, witness: Witness | None) -> Equivalence:
    """Return a verdict of this kind with a witness, if there is one."""
    proof = "witness" if kind == "different" else None
    digits = FLOAT_DIGITS if witness else 0
    return Equivalence(
        kind, proof=proof, points=points, digits=digits, witness=witness, detail=detail
    )


def witness_undefined(truth: Expression, model: Expression, sample: Sample) -> Witness | None:
    """Return a witness that the model is undefined where the truth is defined; None if there is none."""
    witness = confirm_witness(truth, model, [sample.outside] if sample.outside else [])
    return witness if witness and witness["model"] is None else None


def confirm(comparison: EqualityTest, solution: Fit, rng: np.random.Generator) -> Equivalence:
    """Return the verdict on a fit that holds at the sample: a solution unless truth and model differ elsewhere."""
    relation = solution.relation
    fresh = draw_points(relation.truth, relation.model, comparison.ranges, N_FRESH_POINTS, rng)
    points = comparison.sample.count + fresh.count
    moved = comparison.rounded + list_moves(solution)
    detail = "equal with the constants as they stand"
    if moved:
        detail = f"equal within the tolerance of {comparison.reading}: {list_in_words(moved)}"
    proof = "symbolic" if is_proved(comparison, solution) else "numerical"
    if proof == "numerical":
        if departure := search_elsewhere(comparison, solution, fresh, rng):
            reason = "; they differ at places that few random points reach"
            return find_witness(comparison, reason, suspects=[departure])
        detail = f"no difference found at {points} points of the domain; {detail}"
        detail += "; compared with up to 60 digits"
    tried = fresh.skipped + fresh.count
    if undefined := witness_undefined(comparison.truth, comparison.model, fresh):
        detail += f"; the model is undefined at {fresh.skipped} of {tried} points"
        if fresh.skipped > MOST_UNDEFINED * tried:
            return refute("different", points, detail, undefined)
    return Equivalence(
        solution.kind,
        {"offset": float(relation.offset), "scale": float(relation.factor)}.get(solution.kind),
        proof,
        points,
        digits=AGREED_DIGITS,
        detail=detail,
        moved=moved,
    )


def search_elsewhere(
    comparison: EqualityTest, solution: Fit, fresh: Sample, rng: np.random.Generator
) -> Point | None:
    """Return a point at which model and truth differ: a fresh point, or one beside a corner, pole or step; else None.

    Functions that differ only on a set of measure zero, such as the place of a step, count as equal. Terms that were
    left out must stay bounded beside a pole.
    """
    relation, ranges, model = solution.relation, comparison.ranges, comparison.model.tape
    special_columns = draw_special(ranges, N_SPECIAL_POINTS, rng)
    points = {
        name: np.append(column, special_columns[name]) for name, column in fresh.columns.items()
    }
    edges = draw_beside_steps((comparison.truth.tape, model), ranges, points, rng)
    departure = find_departure(relation, points, SHARE_ANYWHERE)
    departure = departure or find_departure(relation, edges, SHARE_BESIDE_STEPS)
    if departure or not solution.model.left_out:
        return departure
    terms = comparison.model_text.start.value - solution.model.start.value
    size = relation.spread + MOST_GROWTH * float(upper_median(np.abs(terms)))
    shorter = Relation(solution.model.form.tape, model, 1, 0, relation.centre, size)
    return find_departure(shorter, edges, SHARE_BESIDE_STEPS)


def find_departure(relation: Relation, columns: Columns, share: float) -> Point | None:
    """Return a point at which a model is not factor * truth + offset, confirmed with 60 digits; None if none is found.

    Float64 decides at points where the bound of its errors is below the limit, 60 digits at all others.

    Parameters
    ----------
    relation : Relation
        Truth and model, and the factor and offset between them.
    columns : mapping of str to ndarray of shape (points,)
        The points.
    share : float
        Smallest difference that counts, relative to the `variation` of factor * truth.
    """
    truth, model, factor, offset, centre, spread = relation
    count = len(next(iter(columns.values())))
    truth_at, model_at = (differentiate(tape, columns, [], count) for tape in (truth, model))
    with np.errstate(all="ignore"):
        expected = float(factor) * truth_at.value
        limit = share * (np.abs(expected - float(centre)) + spread)
        difference = np.abs(model_at.value - expected - float(offset))
        noise = NOISE_FACTOR * (model_at.noise + abs(float(factor)) * truth_at.noise)
        noise += EPSILON * abs(float(offset))
        order = np.argsort(-finite_or_zero(difference / limit))
        # no bound of errors holds where rounding may move a step
        is_suspect = ~(difference + noise <= limit) | (not STEPS.isdisjoint([*truth, *model]))
    suspects = order[is_suspect[order]][:MOST_SUSPECTS]
    for first in range(0, len(suspects), N_TOGETHER):
        rows = suspects[first : first + N_TOGETHER]
        points = {name: column[rows] for name, column in columns.items()}
        exact_truth, exact_model = (
            evaluate_precisely(as_decimals(tape), points, len(rows)) for tape in (truth, model)
        )
        expected = factor * exact_truth
        limit = share * (abs(expected - centre) + spread)
        departs = abs(exact_model - expected - offset) > limit
        if np.any(departs):
            return point_at(points, int(np.argmax(departs)))
    return None
