"""Dust: what changes no prediction, and what does though it is small."""

import numpy as np
import pytest

from srlib.assessing.dust import split_dust
from srlib.expressions import parse, to_text
from tests.expressions.cases import cells

# A text, what is left of it, and its terms that are dust. Kept: 1e-11 of x stands before its twelfth digit; what is
# tiny beside x on the first row only is half of the sum on the second; neighbours cancel, and without the term the
# model is another; a factor is no term, and a function that is no sum has none; 2e-12 of x on the first row is seen,
# its quarters are not.
TERMS = """
    x - 3.54e-16*x**2*y           x                      3.54e-16*x**2*y
    1e-15 - x                     -x                     1e-15
    x + 1e-15 + sin(x - 1e-17*y)  x + sin(x)             1e-15            1e-17*y
    -(x + 1e-16*y)                -x                     1e-16*y
    x + 0*y                       x                      0*y
    x*(0*y + 0*x) + x             x                      0*y              0*x      x*(0*y + 0*x)
    x*(1 + 1e-17*y)               x*1                    1e-17*y
    x**(1 + 1e-17*y)              x**1                   1e-17*y
    x + 1e-12*y + 1e-12*y         x                      1e-12*y          1e-12*y
    x + 1e-11*y                   x + 1e-11*y
    (x - 2)*1e20 + y + 1          (x - 2)*1e+20 + y + 1
    1e16 + x - 1e16               1e+16 + x - 1e+16
    1e-20*x                       1e-20*x
    x*exp(1e-17*y)                x*exp(1e-17*y)
    x + 4e-12*y                   x + 4e-12*y
"""


@pytest.mark.parametrize("row", cells(TERMS), ids=str)
def test_by_hand(row):
    columns = {"x": np.array([1.0, 2.0, 4.0]), "y": np.array([0.5, 1.0, -3.0])}
    rest, terms = split_dust(parse(row[0]), [(columns, columns["x"])])
    assert [to_text(item) for item in (rest, *terms)] == row[1:]
