"""What is shown of a model has the R2 that stands beside it."""

import pytest

from srlib.assessing.showing import choose_text
from srlib.expressions import parse
from srlib.problems.data import Partition, Partitions
from tests.expressions.cases import cells

DOMAIN = {"x": (-2.0, 2.0), "y": (1.0, 2.0)}
EXACT = {"round_constants": "never"}


def test_a_form_that_is_undefined_where_the_model_is_not_is_never_shown(generator):
    """Also between the rows: the training rows of this model are all positive."""
    X = generator.uniform(1, 2, (60, 2))
    part = Partition(X, X[:, 0] ** 1.5)
    rows = Partitions(train=part, test=part, extrapolation=None, features=("x", "y"), sha256="")
    model, simplified = parse("abs(x)**1.5"), parse("abs(x**1.5)")
    assert choose_text(model, simplified, rows, DOMAIN, EXACT) == ("abs(x)**1.5", "exact")
    assert choose_text(model, simplified, rows, {"x": (1.0, 2.0)}, EXACT)[1] == "rounded"


SHOWN = """
    1.235*x  1.235*x          rounded
    1.3*x    1.235*x          exact
    none     1.235*x + y - y  written
"""


@pytest.mark.parametrize(("simplified", "text", "form"), cells(SHOWN))
def test_without_rows_the_domain_stands_in(simplified, text, form):
    model = parse("1.23456*x + y - y")
    candidate = None if simplified == "none" else parse(simplified)
    assert choose_text(model, candidate, None, DOMAIN, EXACT) == (text, form)


def test_what_no_simplification_keeps_is_shown_as_it_was_written(monkeypatch):
    class Wrong:
        expression = parse("x")

    monkeypatch.setattr("srlib.assessing.showing.simplify", lambda *_, **__: Wrong)
    shown = choose_text(parse("2.0004*x + y + 0"), parse("x"), None, DOMAIN, EXACT)
    assert shown == ("2*x + y + 0", "written")
