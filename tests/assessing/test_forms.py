"""Forms of a model: what changes no prediction is dust, and what is shown has the R2 that stands beside it."""

import numpy as np
import pytest

from srlib.assessing.forms import choose_text, split_dust
from srlib.expressions import parse, to_text
from srlib.problems.data import Partition, Partitions
from tests.expressions.cases import cells, each_row

DOMAIN = {"x": (-2.0, 2.0), "y": (1.0, 2.0)}

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
def test_dust_by_hand(row):
    columns = {"x": np.array([1.0, 2.0, 4.0]), "y": np.array([0.5, 1.0, -3.0])}
    rest, terms = split_dust(parse(row[0]), [(columns, columns["x"])])
    assert [to_text(item) for item in (rest, *terms)] == row[1:]


def test_a_form_that_is_undefined_where_the_model_is_not_is_never_shown(generator):
    """Also between the rows: the training rows of this model are all positive."""
    X = generator.uniform(1, 2, (60, 2))
    part = Partition(X, X[:, 0] ** 1.5)
    rows = Partitions(train=part, test=part, extrapolation=None, features=("x", "y"), sha256="")
    model, simplified = parse("abs(x)**1.5"), parse("abs(x**1.5)")
    assert choose_text(model, simplified, rows, DOMAIN) == ("abs(x)**1.5", "exact")
    assert choose_text(model, simplified, rows, {"x": (1.0, 2.0)})[1] == "rounded"


SHOWN = """
    1.235*x  1.235*x          rounded
    1.3*x    1.235*x          exact
    none     1.235*x + y - y  written
"""


@each_row("simplified text form", SHOWN)
def test_without_rows_the_domain_stands_in(simplified, text, form):
    model = parse("1.23456*x + y - y")
    candidate = None if simplified == "none" else parse(simplified)
    assert choose_text(model, candidate, None, DOMAIN) == (text, form)


def test_what_no_simplification_keeps_is_shown_as_it_was_written(monkeypatch):
    class Wrong:
        expression = parse("x")

    monkeypatch.setattr("srlib.assessing.forms.simplify", lambda *_, **__: Wrong)
    shown = choose_text(parse("2.0004*x + y + 0"), parse("x"), None, DOMAIN)
    assert shown == ("2*x + y + 0", "written")
