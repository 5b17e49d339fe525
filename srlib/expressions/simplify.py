"""Simplification of a model with sympy within a limit of work, rounding of constants, and tree edit distance.

sympy's results are those of its published version: this module only counts the objects that sympy constructs.
"""

import contextlib
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import product
from typing import Any

from srlib.errors import SrlibError
from srlib.expressions.operators import Tape
from srlib.expressions.sympy_trees import (
    count_sympy,
    from_sympy,
    sympy_errors,
    sympy_number,
    to_sympy,
)
from srlib.expressions.tree import Expression, number, subtree_sizes, to_text

MOST_STEPS = 4_000_000  # limit of pairs of nodes to compare: some seconds
TRUTH_WORK = 50_000  # objects that sympy may construct for a truth
DENSE_LIMIT = (
    4_000_000  # coefficients of a polynomial in its dense form, which sympy's gcd goes through
)


class OutOfWorkError(SrlibError):
    """Error for a simplification that needs more work than the rules allow."""


@dataclass(frozen=True)
class Simplified:
    """A simplified model.

    Parameters
    ----------
    text : str
        The model in the project's notation; `parse` reads it back.
    expression : Expression
        The model as a light tree.
    complexity : int
        Number of nodes: of the sympy tree (`count_sympy`), or of the text after `normal_form.shortest` (`count_text`).
    features_used : tuple of str
        Features that the simplified model depends on, sorted: ``x3/x3`` uses no feature.
    """

    text: str
    expression: Expression
    complexity: int
    features_used: tuple[str, ...]


def simplify(
    expression: Expression,
    *,
    decimals: int = 3,
    round_constants: str = "before",
    zero_below: float | None = None,
    ratio: float | None = None,
    apply_calls: tuple[str, ...] = (),
    work: int | None = None,
) -> Simplified:
    """Return a model simplified with `sympy.simplify`; to limit time and memory, call it in a worker.

    Parameters
    ----------
    expression : Expression
        The model.
    decimals : int
        Decimals to which constants are rounded.
    round_constants : {'before', 'after', 'never'}
        When constants are rounded, relative to the simplification.
    zero_below : float, optional
        Constants of smaller magnitude become zero; None means that rounding never makes a constant zero.
    ratio : float, optional
        sympy's `ratio` (1: the result is never longer than the input); None means sympy's default.
    apply_calls : tuple of str
        Names of sympy functions that are applied where the text calls them.
    work : int, optional
        Largest number of objects that sympy may construct; None means no limit.

    Raises
    ------
    SrlibError
        When the model is nested too deeply for sympy, or the result has a constant beyond the range of a float.
    OutOfWorkError
        When sympy would construct more than `work` objects.
    ModelTextError
        When the result is not real and finite.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> simplify(parse("x3/x3 + 0.99999*x1*x1/x1"))
    Simplified(text='x1 + 1', expression=Expression(x1 + 1), complexity=3, features_used=('x1',))
    """
    import sympy

    if round_constants == "before":
        expression = round_model(expression, decimals, zero_below)
    rounding = partial(round_constant, decimals=decimals, zero_below=zero_below)
    change_float = rounding if round_constants == "after" else number
    options = {} if ratio is None else {"ratio": ratio}
    with sympy_errors(), limited_work(work):
        result = sympy.simplify(to_sympy(expression, apply_calls=apply_calls), **options)
        result = _change_floats(result.replace(sympy.Abs, _root_of_magnitudes), change_float)
        tree = from_sympy(result)
    return Simplified(to_text(tree), tree, count_sympy(result), tuple(sorted(tree.features)))


def round_constant(
    value: int | float, decimals: int = 3, zero_below: float | None = None
) -> int | float:
    """Return a constant rounded to `decimals`; integers are unchanged.

    A constant of magnitude below `zero_below` becomes zero. Any other constant that would round to zero is rounded to
    `decimals` significant digits instead.

    Examples
    --------
    >>> [round_constant(value) for value in (1.23456, 0.00012345, 2.9996, 7)]
    [1.235, 0.000123, 3, 7]
    >>> round_constant(0.00012345, zero_below=1e-3), round_constant(0.156, decimals=1)
    (0, 0.2)
    """
    if isinstance(value, int):
        return value
    if zero_below is not None and abs(value) < zero_below:
        return 0
    result = round(value, decimals)
    if result == 0 and value != 0:
        result = round(value, decimals - 1 - math.floor(math.log10(abs(value))))
    return number(float(result))


def round_model(
    expression: Expression, decimals: int = 3, zero_below: float | None = None
) -> Expression:
    """Return a model with every constant rounded by `round_constant`.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> round_model(parse("0.3999999*x + 1e-9*y"))
    Expression(0.4*x + 1e-09*y)
    """
    return Expression(
        tuple(
            round_constant(item, decimals, zero_below) if isinstance(item, float) else item
            for item in expression.tape
        )
    )


class _WorkEnds(BaseException):
    """Signal that the allowed work is used up; a BaseException, so that sympy does not catch it."""


@contextlib.contextmanager
def limited_work(limit: int | None) -> Iterator[None]:
    """Limit the objects that sympy constructs within a `with` block; None means no limit.

    sympy constructs every expression, number and symbol with `Basic.__new__`, but not results from its caches, so the
    count is reproducible only with equal caches (`srlib.expressions.warm`). As sympy has no hook, the block replaces
    three functions, which return what sympy's own return: `Basic.__new__` counts first;
    `multinomial_coefficients`, which could fill the memory before any object is constructed, and
    `PolyElement.cofactors`, the gcd of polynomials, which could take hours without one, check sizes first.

    Raises
    ------
    OutOfWorkError
        When sympy would construct more than `limit` objects, or take the gcd of a polynomial whose dense form has more
        than `DENSE_LIMIT` coefficients.

    Examples
    --------
    >>> import sympy
    >>> with limited_work(10):
    ...     sympy.expand((sympy.Symbol("q1") + 1) ** 20)
    Traceback (most recent call last):
    ...
    srlib.expressions.simplify.OutOfWorkError: sympy does not end within 10 objects, or meets too large a polynomial
    """
    if limit is None:
        yield
        return
    from sympy.core.basic import Basic
    from sympy.ntheory import multinomial
    from sympy.polys.rings import PolyElement

    count = 0
    construct = Basic.__new__
    expand = multinomial.multinomial_coefficients
    find_cofactors = PolyElement.cofactors

    def count_and_construct(cls: Any, *args: Any) -> Any:
        nonlocal count
        count += 1
        if count > limit:
            raise _WorkEnds
        return construct(cls, *args)

    def check_and_expand(terms: int, power: int) -> Any:
        if terms and math.comb(terms + power - 1, power) > limit:
            raise _WorkEnds
        return expand(terms, power)

    def check_and_find_cofactors(f: Any, g: Any) -> Any:
        if any(math.prod(n + 1 for n in p.degrees()) > DENSE_LIMIT for p in (f, g) if p):
            raise _WorkEnds
        return find_cofactors(f, g)

    basic: Any = Basic
    basic.__new__ = staticmethod(count_and_construct)
    multinomial.multinomial_coefficients = check_and_expand
    PolyElement.cofactors = check_and_find_cofactors
    try:
        yield
    except _WorkEnds:
        raise OutOfWorkError(
            f"sympy does not end within {limit} objects, or meets too large a polynomial"
        ) from None
    finally:
        basic.__new__ = staticmethod(construct)
        multinomial.multinomial_coefficients = expand
        PolyElement.cofactors = find_cofactors


def _root_of_magnitudes(argument: Any) -> Any:
    """Return ``Abs(x)**(3/2)`` for ``Abs(x**(3/2))``, whose evaluation would take the root of a negative x."""
    import sympy

    bases: dict[Any, Any] = {}
    for factor in sympy.Mul.make_args(argument):
        base, exponent = factor.as_base_exp()
        if not factor.is_Pow or exponent.is_integer:
            base, exponent = factor, sympy.S.One
        bases[exponent] = bases.get(exponent, 1) * base
    return sympy.Mul(*(sympy.Abs(base) ** exponent for exponent, base in bases.items()))


def _change_floats(expression: Any, change: Callable[[float], int | float]) -> Any:
    """Return a sympy object with its floats replaced by `change`; integral results become integers."""
    import sympy

    replacements = {}
    for constant in expression.atoms(sympy.Float):
        if constant.is_finite:
            value = float(constant)
            if constant and value in (0, math.inf, -math.inf):  # a whole term would vanish
                raise SrlibError("sympy's result has a constant that is beyond a float's range")
            replacements[constant] = sympy_number(change(value))
    return expression.xreplace(replacements)


def tree_distance(truth: Expression, model: Expression) -> float:
    """Return the normalised tree edit distance between truth and model, from 0 (equal) to 1; lower is closer.

    It is the number of nodes to insert, remove or relabel between the two simplified trees, divided by the number of
    nodes of the truth. It depends on the form that simplification gives: equal functions may have a distance
    (``sin(x)**2`` and ``1 - cos(x)**2``), and a wrong constant costs one node however wrong it is. Whether a model is a
    solution is decided by `compare`.

    Parameters
    ----------
    truth : Expression
        The truth; simplified here, or used unsimplified if that takes too much work.
    model : Expression
        The simplified model. If it is so large that counting would take more than seconds, the distance is 1.

    References
    ----------
    Tree edit distance: Zhang and Shasha (1989); normalised by the truth: Matsubara et al. (2022), SRSD.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> round(tree_distance(parse("x*y + 1"), parse("x*y + 2")), 2)
    0.2
    """
    a, b = _simplified(truth).tape, model.tape
    sizes = [(subtree_sizes(tape), key_roots(tape)) for tape in (a, b)]
    steps = math.prod(sum(counts[i] for i in roots) for counts, roots in sizes)
    if len(b) >= 2 * len(a) or steps > MOST_STEPS:
        return 1.0
    return min(1.0, count_edits(a, b) / len(a))


@lru_cache(maxsize=256)  # one truth meets many models
def _simplified(truth: Expression) -> Expression:
    try:
        return simplify(truth, work=TRUTH_WORK).expression
    except SrlibError:
        return truth


def count_edits(a: Tape, b: Tape) -> int:
    """Return the smallest number of nodes to insert, remove or relabel between two ordered trees (postfix tapes).

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> count_edits(parse("x + y*z").tape, parse("x + sin(y)").tape)
    2
    """
    leaves_a, leaves_b = leftmost_leaves(a), leftmost_leaves(b)
    trees = [[0] * len(b) for _ in a]  # edits between the subtrees that end at positions i and j
    for i, j in product(key_roots(a), key_roots(b)):
        first_a, first_b = leaves_a[i], leaves_b[j]
        # edits between the first u nodes from first_a and the first v from first_b; with u or v 0, all are edits
        forest = [[u + v for v in range(j - first_b + 2)] for u in range(i - first_a + 2)]
        for x, y in product(range(first_a, i + 1), range(first_b, j + 1)):
            u, v = x - first_a, y - first_b
            least = min(forest[u][v + 1], forest[u + 1][v]) + 1
            if leaves_a[x] == first_a and leaves_b[y] == first_b:  # both are whole trees
                trees[x][y] = least = min(least, forest[u][v] + (a[x] != b[y]))
            else:
                least = min(
                    least, forest[leaves_a[x] - first_a][leaves_b[y] - first_b] + trees[x][y]
                )
            forest[u + 1][v + 1] = least
    return trees[-1][-1]


def leftmost_leaves(tape: Tape) -> list[int]:
    """Return the position of the leftmost leaf below each node."""
    return [i - size + 1 for i, size in enumerate(subtree_sizes(tape))]


def key_roots(tape: Tape) -> list[int]:
    """Return the key roots of Zhang and Shasha: for each leftmost leaf, the position of the highest node above it."""
    return sorted({leaf: i for i, leaf in enumerate(leftmost_leaves(tape))}.values())
