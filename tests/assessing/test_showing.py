"""What is shown of a model has the R2 that stands beside it."""

import numpy as np
import pytest

from srlib.assessing.showing import choose_text
from srlib.expressions import evaluate, parse
from srlib.problems.data import Partition, Partitions

DOMAIN = {"x": (-2.0, 2.0), "y": (1.0, 2.0)}


def make_rows(generator, truth, beyond=None):
    """Rows of a truth with little noise; those beyond the training range may have a truth of their own."""

    def part(low, high, text):
        X = np.column_stack([generator.uniform(low, high, 60), generator.uniform(1, 2, 60)])
        y = evaluate(parse(text), {"x": X[:, 0], "y": X[:, 1]}, 60)
        return Partition(X, y + generator.normal(0, 0.01, 60))

    far = part(40, 60, beyond) if beyond else None
    train, test = part(-2, 2, truth), part(-2, 2, truth)
    return Partitions(train=train, test=test, extrapolation=far, features=("x", "y"), sha256="")


def test_a_form_that_is_undefined_where_the_model_is_not_is_never_shown(generator):
    """Also between the rows: the training rows of this model are all positive."""
    X = np.column_stack([generator.uniform(1, 2, 60)] * 2)
    part = Partition(X, X[:, 0] ** 1.5)
    rows = Partitions(train=part, test=part, features=("x", "y"), sha256="")
    model, simplified = parse("abs(x)**1.5"), parse("abs(x**1.5)")
    assert choose_text(model, simplified, rows, DOMAIN) == ("abs(x)**1.5", "exact")
    assert choose_text(model, simplified, rows, {"x": (1.0, 2.0)})[1] == "rounded"


def test_what_no_simplification_keeps_is_shown_as_it_was_written(generator, monkeypatch):
    class Wrong:
        expression = parse("x")

    monkeypatch.setattr("srlib.assessing.showing.simplify", lambda *_, **__: Wrong)
    shown = choose_text(
        parse("2.0004*x + y + 0"), parse("x"), make_rows(generator, "2*x + y"), DOMAIN
    )
    assert shown == ("2*x + y + 0", "written")


@pytest.mark.parametrize(
    ("simplified", "shown"),
    [("1.235*x", ("1.235*x", "rounded")), ("1.3*x", ("1.235*x", "exact")),
     (None, ("1.235*x + y - y", "written"))],
)  # fmt: skip
def test_without_rows_the_domain_stands_in(simplified, shown):
    model = parse("1.23456*x + y - y")
    assert choose_text(model, simplified and parse(simplified), None, DOMAIN) == shown
