"""Dust: what changes no prediction, and what does though it is small."""

import numpy as np
import pytest

from srlib.assessing.dust import split_dust
from srlib.expressions import parse, to_text

ROWS = {"x": np.array([1.0, 2.0, 4.0]), "y": np.array([0.5, 1.0, -3.0])}


def left(text, rows=None):
    columns = ROWS if rows is None else rows
    rest, dust = split_dust(parse(text), [(columns, columns["x"])])
    return to_text(rest), [to_text(term) for term in dust]


@pytest.mark.parametrize(
    ("text", "rest", "dust"),
    [
        ("x - 3.54e-16*x**2*y", "x", ["3.54e-16*x**2*y"]),
        ("1e-15 - x", "-x", ["1e-15"]),
        ("x + 1e-15 + sin(x - 1e-17*y)", "x + sin(x)", ["1e-15", "1e-17*y"]),
        ("-(x + 1e-16*y)", "-x", ["1e-16*y"]),
        ("x + 0*y", "x", ["0*y"]),
        ("x*(0*y + 0*x) + x", "x", ["0*y", "0*x", "x*(0*y + 0*x)"]),
        # small, but seen: 1e-11 of x stands before its twelfth digit
        ("x + 1e-11*y", "x + 1e-11*y", []),
        # tiny beside x on the first row only: on the second it is half of the sum
        ("(x - 2)*1e20 + y + 1", "(x - 2)*1e20 + y + 1", []),
        # tiny beside its neighbours, which cancel: without it the model is another
        ("1e16 + x - 1e16", "1e+16 + x - 1e+16", []),
        # a factor is no term, and a function that is no sum has none
        ("1e-20*x", "1e-20*x", []),
        ("x*exp(1e-17*y)", "x*exp(1e-17*y)", []),
        ("x*(1 + 1e-17*y)", "x*1", ["1e-17*y"]),
        ("x**(1 + 1e-17*y)", "x**1", ["1e-17*y"]),
        # 2e-12 of x on the first row is seen, its quarters are not
        ("x + 4e-12*y", "x + 4e-12*y", []),
        ("x + 1e-12*y + 1e-12*y + 1e-12*y + 1e-12*y", "x", ["1e-12*y"] * 4),
    ],
)
def test_by_hand(text, rest, dust):
    found = left(text)
    assert (parse(found[0]), found[1]) == (parse(rest), dust)
