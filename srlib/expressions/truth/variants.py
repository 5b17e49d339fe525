"""Models whose verdict is known because of how they were made: rewritten truths, and truths with one thing wrong.

What they are is decided here without the judge: rewritten truths are equal by the rule that made them, near misses are
those whose difference from the truth, and whose ratio to it, both vary over points of the domain.
"""

import itertools
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from srlib.expressions.evaluate import evaluate
from srlib.expressions.expression import Expression, Item
from srlib.expressions.operators import OPERATORS, Operator
from srlib.expressions.reading.parse import parse

ROUNDS = 4  # of rewriting by rules, each with its own seed
MOST = 4  # near misses of a kind
POINTS = 2000
VARIES = 1e-6  # relative spread of difference and ratio of two functions that differ
LONGEST = 400  # items of a tape beyond which a variant is left out
RULES = {
    "add": ("b + a", "-(-a - b)", "a - (-b)"),
    "sub": ("-b + a", "-(b - a)", "a + (-1)*b"),
    "mul": ("b*a", "(a + 1)*b - b", "-((-a)*b)", "0.5*a*(2*b)"),
    "div": ("a*b**(-1)", "(a*3)/(b*3)", "-a/(-b)"),
    "sqrt": ("a**0.5", "(4*a)**0.5/2"),
    "exp": ("1/exp(-a)", "exp(a/2)**2", "exp(a - 1)*exp(1)"),
    "log": ("-log(1/a)", "2*log(sqrt(a))", "log(5*a) - log(5)"),
    "sin": ("-sin(-a)", "2*sin(a/2)*cos(a/2)", "sin(a - 2*pi)"),
    "cos": ("cos(-a)", "1 - 2*sin(a/2)**2", "sin(a + pi/2)"),
    "tan": ("sin(a)/cos(a)",),
    "tanh": ("-tanh(-a)",),
    "neg": ("(-1)*a", "0 - a"),
}
TEMPLATES = {name: [parse(text).tape for text in texts] for name, texts in RULES.items()}
SQUARES = {2: parse("a*a").tape, 3: parse("a*a**2").tape, 4: parse("(a*a)**2").tape}
SYMPY = (
    "expand factor together expand_log logcombine powsimp powdenest trigsimp expand_trig radsimp"
)
SPIKE, SPIKES = "a spike", (0.05, 0.01, 0.001)
OPPOSITE = {"add": "sub", "sub": "add"}


class Variant(NamedTuple):
    """One model: what was done to the truth, whether it is still the same function up to a constant, and its tape."""

    kind: str
    equal: bool
    model: Expression


def variants(
    truth: Expression, domain: Mapping[str, tuple[float, float]], seed: int = 0
) -> list[Variant]:
    """Make the variants of a truth, each tree once.

    Examples
    --------
    >>> from srlib.expressions import parse, to_text
    >>> found = variants(parse("2.5*x*y"), {"x": (1, 2), "y": (1, 3)})
    >>> [to_text(v.model) for v in found if v.kind == "scaled"]
    ['-0.037*(2.5*x*y)']
    >>> "a swapped feature" in {v.kind for v in found}
    False
    """
    rng = np.random.default_rng(seed)
    points = _points(truth, domain, rng)
    seen = {truth.tape}
    found = []
    for variant in itertools.chain(_equal(truth, rng), _wrong(truth, domain)):
        tape = variant.model.tape
        fits = tape not in seen and len(tape) <= LONGEST
        known = variant.equal or variant.kind.startswith(SPIKE)  # too narrow to be seen at points
        if fits and (known or _differs(truth, variant.model, points)):
            seen.add(tape)
            found.append(variant)
    return found


def _equal(truth: Expression, rng: np.random.Generator) -> Iterator[Variant]:
    for _ in range(ROUNDS):
        yield Variant("rewritten by rules", True, Expression(_rewritten(truth.tape, rng)))
    for model in _by_sympy(truth):
        yield Variant("rewritten by sympy", True, model)
    yield Variant("scaled", True, _around("-0.037*a", truth))
    yield Variant("shifted", True, _around("a + 11.3", truth))
    fitted = list(truth.tape)
    for i, item in enumerate(truth.tape):
        if isinstance(item, float):
            fitted[i] = item * (1 + 1e-7 * float(rng.normal()))
    yield Variant("constants as fitted", True, Expression(tuple(fitted)))
    yield Variant("with a remainder", True, _around(f"a + 1e-12*`{min(truth.features)}`", truth))


def _wrong(truth: Expression, domain: Mapping[str, Any]) -> Iterator[Variant]:
    tape = truth.tape
    for changed in itertools.islice(_signs(tape), MOST):
        yield Variant("a sign", False, Expression(changed))
    for changed in itertools.islice(_exponents(tape), MOST):
        yield Variant("an exponent", False, Expression(changed))
    for amount in (0.01, 0.1):
        for changed in itertools.islice(_constants(tape, 1 + amount), MOST):
            yield Variant(f"a constant {amount:.0%} off", False, Expression(changed))
    used = sorted(truth.features)
    for a, b in itertools.islice(itertools.combinations(used, 2), MOST):
        names = {a: b, b: a}
        swapped = tuple(names.get(x, x) for x in tape)  # type: ignore[arg-type]
        yield Variant("a swapped feature", False, Expression(swapped))
    for name in [name for name in sorted(domain) if name not in used][:1] or used[-1:]:
        yield Variant("a wrong feature", False, Expression(_replaced(tape, name)))
    wave = f"a*(1 + 0.002*sin(30*`{used[0]}`))"
    yield Variant("a wave of 0.2%", False, _around(wave, truth))
    low, high = domain.get(used[0], (1.0, 5.0))
    for share in SPIKES:
        at, width = low + 0.3819 * (high - low), share * (high - low) / 2
        spike = f"a*(1 + 0.5*exp(-((`{used[0]}` - {at!r})/{width!r})**2))"
        yield Variant(f"{SPIKE} on {share:.1%} of the range", False, _around(spike, truth))


def _rewritten(tape: tuple[Item, ...], rng: np.random.Generator) -> tuple[Item, ...]:
    """Apply to about every second node a rule that keeps its value."""
    stack: list[tuple[Item, ...]] = []
    for item in tape:
        if not isinstance(item, Operator):
            stack.append(_split(item, rng))
            continue
        arguments = stack[len(stack) - item.arity :]
        del stack[len(stack) - item.arity :]
        rules = TEMPLATES.get(item.name, [])
        if item.name == "pow" and arguments[1] in [(n,) for n in SQUARES]:
            rules = [SQUARES[arguments[1][0]]]  # type: ignore[index]
        if rules and rng.random() < 0.5:
            chosen = rules[int(rng.integers(len(rules)))]
            stack.append(_put(chosen, dict(zip("ab", arguments, strict=False))))
        else:
            stack.append((*itertools.chain(*arguments), item))
    return stack[0]


def _split(item: Item, rng: np.random.Generator) -> tuple[Item, ...]:
    """Write a constant that is not whole as a product."""
    if not isinstance(item, float) or rng.random() < 0.5:
        return (item,)
    factor = float(rng.uniform(0.05, 9))
    return (item / factor, factor, OPERATORS["mul"])


def _put(template: tuple[Item, ...], known: Mapping[str, tuple[Item, ...]]) -> tuple[Item, ...]:
    parts = (known.get(item, (item,)) for item in template)  # type: ignore[arg-type]
    return tuple(itertools.chain(*parts))


def _around(text: str, truth: Expression) -> Expression:
    """Put a truth in the place of `a`; features stand in backticks."""
    template = parse(text.replace("a", "`the truth`", 1)).tape
    return Expression(_put(template, {"the truth": truth.tape}))


def _by_sympy(truth: Expression) -> Iterator[Expression]:
    import sympy

    from srlib.errors import SrlibError
    from srlib.expressions.algebra.sympy_bridge import from_sympy, to_sympy

    for name in SYMPY.split():
        try:
            yield from_sympy(getattr(sympy, name)(to_sympy(truth)))
        except (SrlibError, ValueError, TypeError, AttributeError, ArithmeticError, RecursionError):
            continue


def _signs(tape: tuple[Item, ...]) -> Iterator[tuple[Item, ...]]:
    for i, item in enumerate(tape):
        if isinstance(item, Operator) and item.name in OPPOSITE:
            yield (*tape[:i], OPERATORS[OPPOSITE[item.name]], *tape[i + 1 :])


def _exponents(tape: tuple[Item, ...]) -> Iterator[tuple[Item, ...]]:
    power = OPERATORS["pow"]
    for i, item in enumerate(tape):
        before = tape[i - 1]
        if item == power and isinstance(before, int | float):
            yield (*tape[: i - 1], before + (0.1, 1)[isinstance(before, int)], *tape[i:])
        elif isinstance(item, str):
            yield (*tape[: i + 1], 2, power, *tape[i + 1 :])


def _constants(tape: tuple[Item, ...], factor: float) -> Iterator[tuple[Item, ...]]:
    for i, (item, after) in enumerate(itertools.pairwise((*tape, None))):
        exponent = isinstance(after, Operator) and after.name == "pow"
        if isinstance(item, int | float) and item and not exponent:
            yield (*tape[:i], item * factor, *tape[i + 1 :])


def _replaced(tape: tuple[Item, ...], name: str) -> tuple[Item, ...]:
    """Put another feature in the place of the first one that differs."""
    at = next((i for i, x in enumerate(tape) if isinstance(x, str) and x != name), None)
    if at is None:
        return tape
    return (*tape[:at], name, *tape[at + 1 :])


def _points(
    truth: Expression, domain: Mapping[str, tuple[float, float]], rng: np.random.Generator
) -> dict[str, np.ndarray]:
    names = sorted({*truth.features, *domain})
    ranges = [domain.get(name, (1.0, 5.0)) for name in names]
    return {n: rng.uniform(*ends, POINTS) for n, ends in zip(names, ranges, strict=True)}


def _differs(truth: Expression, model: Expression, points: dict[str, np.ndarray]) -> bool:
    """Whether difference and ratio vary where both are defined; what is hardly ever defined is no near miss."""
    t, m = (evaluate(side, points, POINTS) for side in (truth, model))
    both = np.isfinite(t) & np.isfinite(m)
    if np.count_nonzero(both) < POINTS // 4:
        return False
    t, m = t[both], m[both]
    with np.errstate(all="ignore"):
        apart = np.ptp(m - t) / (np.ptp(t) + np.ptp(m))
        ratio = (m / t)[np.isfinite(m / t)]
        shares = np.quantile([*ratio, 0.0][: len(ratio) or 1], [0.05, 0.95])
        wide = abs(shares[1] - shares[0]) / (np.median(np.abs(ratio)) or 1.0)
    return bool(apart > VARIES and wide > VARIES)
