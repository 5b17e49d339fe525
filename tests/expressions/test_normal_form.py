"""The normal form and the shortest writing: both have the value of the text; equal forms prove equality."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from srlib.expressions import Expression, count_text, evaluate, parse
from srlib.expressions.evaluate import arithmetic, evaluate_precisely
from srlib.expressions.normal_form import NormalForm, normal_form, same_normal_form, shortest
from srlib.expressions.operators import OPERATORS
from tests.builders import examples
from tests.expressions.cases import cells, each_row, trees

FUNCTIONS = (
    "neg exp log sqrt square cube inv abs sign log1p expm1 sin cos tan cot sec csc tanh sigmoid gauss sqrtabs cbrt "
    "atan floor gplearn_log gplearn_inv gomea_log max min aq gplearn_div deap_div gomea_div cond "
)
MODELS = trees(
    st.sampled_from(["a", "b", "c", 0, 1, 2, -1, -3, 0.5, 1.25, -0.7]),
    (FUNCTIONS + "add mul sub div pow pow " * 4).split(),
    40,
)
RENAMED = {"a": "zeta", "b": "x10", "c": "a"}
POSITIVE = frozenset("ab")
COMMUTATIVE = (OPERATORS["add"], OPERATORS["mul"])
DIGITS = 60


def shuffle(model, random):
    """Turn operands and brackets round, where neither changes the function."""
    stack = []  # of subtrees: root, operands of a sum or product with those of the sums or products in it, tape
    for item in model.tape:
        first = len(stack) - getattr(item, "arity", 0)
        subtrees, operands, joins = stack[first:], [], (item,)
        for root, inner, tape in subtrees:
            operands += inner if root == item and item in COMMUTATIVE else [tape]
        if item in COMMUTATIVE:
            random.shuffle(operands)
            joins *= len(operands) - 1
        stack[first:] = [(item, operands, sum(operands, ()) + joins)]
    return Expression(stack[0][2])


def check_values(model, tape, columns):
    """With 60 digits, at 1e-9 of the text's value: constants are written as floats."""
    real = np.isfinite(evaluate(model, columns, 4))
    before, after = (evaluate_precisely(t, columns, 4, DIGITS)[real] for t in (model.tape, tape))
    for old, new in zip(before, after, strict=True):
        if arithmetic(DIGITS).isfinite(old):
            assert abs(old - new) <= 1e-9 * (1 + abs(old)), (old, new, Expression(tape))


@given(MODELS, st.integers(0, 2**32 - 1))
@examples(200)
def test_normal_form_has_the_values_of_the_text(model, seed):
    """The normal form may assume that a and b are positive."""
    a, b, c = np.random.default_rng(seed).uniform(-3, 3, (3, 4))
    check_values(model, shortest(model).expression.tape, {"a": a, "b": b, "c": c})
    for expand in (True, False):
        form = normal_form(model, POSITIVE, expand=expand)
        check_values(model, form.tape, {"a": abs(a), "b": abs(b), "c": c})


@each_row(
    "text form",
    """
        0.0005*(80*1000*x)*y       40*(x*y)
        x + 0.5*x - 2*x            -0.5*x
        exp((0.5*0.6)*x + log(2))  2*exp(0.3*x)
        x**2*x**0.5                1*x**2.5
        x/x + 3                    4
    """,
)
def test_text_is_gathered_to_the_form_by_hand(text, form):
    assert normal_form(parse(text), frozenset("xy"), expand=True).tape == parse(form).tape


# truth, model, factor and offset; of two negative features sqrt(x*y) has a value and sqrt(x)*sqrt(y) has none
PAIRS = """
    proved  (x + 1)**2         x**2 + 2*x + 1
    proved  sqrt(a*b)          a**0.5*sqrt(b)
    proved  log(a/b)           log(a) - log(b)
    proved  exp(x + 2*log(a))  a**2*exp(x)
    proved  sqrt(x**2)         abs(x)
    proved  x*y                x*y + 3                         1    3
    proved  x/(y + 2)          -2*x/(2*y + 4)                  -1   0
    proved  x*sin(0.3*y)       0.1*3*x*sin(y*(0.1 + 0.2))      0.3  0
    never   x                  x + 1e-16*y**30
    never   x                  x + 2*(mod(1000*x, 1) > 0.9999)
    never   sqrt(x*y)          sqrt(x)*sqrt(y)
    never   log(x**2)          2*log(x)
    never   x                  sqrt(x**2)
    never   x**2               x**2.0003
    never   sin(1e12*x)        sin((1e12 + 10)*x)
    never   x*y                1.00001*x*y
    never   floor(x) + 1       ceil(x)
    never   x                  1/(x - x)
"""


@pytest.mark.parametrize("row", cells(PAIRS), ids=str)
def test_only_equal_functions_have_equal_normal_forms(row):
    verdict, truth, model, *numbers = row
    same = same_normal_form(parse(truth), parse(model), POSITIVE, *map(float, numbers))
    assert same == (verdict == "proved")


BEYOND = [
    "sin(" * 70 + "x" + ")" * 70,
    "1e300*1e300*x",
    " + ".join(f"{i}.5*x**{i}" for i in range(1, 520)),
]


@pytest.mark.parametrize("text", BEYOND)
def test_model_beyond_the_limits_stands_without_constants(text):
    assert normal_form(parse(text)) == NormalForm(parse(text).tape)


@given(MODELS, st.randoms(use_true_random=False))
@examples(200)
def test_shortest_count_is_independent_of_names_order_and_brackets(model, random):
    once = shortest(model)
    assert once.complexity == count_text(once.expression) <= count_text(model)
    renamed = Expression(tuple(RENAMED.get(str(item), item) for item in model.tape))
    for same in (parse(once.text, ("a", "b", "c")), renamed, shuffle(model, random)):
        assert shortest(same).complexity == once.complexity


NO_VALUE = ["x/0", "log(-1)*x", "9**9**9 + x", "0*(1/0)", "exp(1e9)"]
IMAGINARY = ["I*x", "x + I - I", "abs(I*I)*x", "exp(I*x)/I**2"]


LONG_FRACTION = "sin(" + "(" * 400 + "x" + "*1.0345678901234567 + 0.5)" * 400 + ")"
TEN_THOUSAND = ["(" * 2500 + "x" + "*y + 1.5)" * 2500, "x**y**" * 2500 + "x"]


@pytest.mark.parametrize(
    "text", [*BEYOND[:2], *NO_VALUE, *IMAGINARY, LONG_FRACTION, *TEN_THOUSAND], ids=lambda t: t[:15]
)
def test_model_without_a_normal_form_is_counted_no_higher(text):
    """A text with the imaginary unit stands as it is."""
    model = parse(text, ["x", "y"])
    assert shortest(model).complexity <= count_text(model)
    assert text not in IMAGINARY or shortest(model).expression == model
