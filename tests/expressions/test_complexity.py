"""The two counts."""

import pytest
import sympy
from hypothesis import given

from srlib.expressions import count_sympy, count_text, parse, to_text
from tests.expressions.strategies import trees


@pytest.mark.parametrize(
    ("text", "nodes"),
    [
        ("x", 1), ("2.5", 1), ("-2.5", 1), ("-x", 2), ("a - b", 3), ("-0.5*x", 3), ("a + b*c", 5), ("a/b", 3),
        ("x**2", 3), ("square(x)", 2), ("sin(x)**2", 4), ("-(2)", 2), ("pi*x", 3), ("max(a, b, c)", 5),
        ("0.4*x1*x2 - 1.5*x1 + 2.5*x2 + 1", 15), ("div(a, b)", 3), ("factor_terms(2*x)", 3),
    ],
)  # fmt: skip
def test_the_text_s_count_is_what_is_written(text, nodes):
    assert count_text(parse(text)) == nodes


def test_sympy_s_count_is_that_of_its_tree():
    a, b = sympy.symbols("a b")
    for expression in (a, a - b, a / b, sympy.sin(2.5 * a) ** 2, sympy.Max(a, b) + 1):
        assert count_sympy(expression) == sum(1 for _ in sympy.preorder_traversal(expression))


@given(trees())
def test_the_text_s_count_survives_printing(tree):
    assert count_text(parse(to_text(tree))) == count_text(tree) <= len(tree.tape)
