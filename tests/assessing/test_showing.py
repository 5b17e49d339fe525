"""What is shown of a model has the R2 that stands beside it."""

import numpy as np
import pytest

from srlib.assessing.showing import choose_text
from srlib.expressions import Expression, evaluate, parse, r2_score
from srlib.problems.data import Partition, Partitions

DOMAIN = {"x": (-2.0, 2.0), "y": (1.0, 2.0)}


def data(generator: np.random.Generator, truth: str, beyond: str | None = None) -> Partitions:
    """Rows of a truth, with little noise; those beyond the training range may have one of their own."""

    def part(low: float, high: float, text: str) -> Partition:
        X = np.column_stack([generator.uniform(low, high, 60), generator.uniform(1, 2, 60)])
        y = evaluate(parse(text), {"x": X[:, 0], "y": X[:, 1]}, 60)
        return Partition(X, y + generator.normal(0, 0.01, 60))

    apart = part(40, 60, beyond) if beyond else None
    return Partitions(part(-2, 2, truth), part(-2, 2, truth), apart, ("x", "y"), "")


def r2(model: Expression, part: Partition) -> float:
    columns = {"x": part.X[:, 0], "y": part.X[:, 1]}
    return r2_score(part.y, evaluate(model, columns, len(part.y)))


def test_the_rules_text_is_shown_where_it_has_the_r2(generator: np.random.Generator) -> None:
    rows = data(generator, "2*x + y")
    text, form = choose_text(parse("1.99996*x + y*x/x"), parse("2*x + y"), rows, DOMAIN)
    assert (text, form) == ("2*x + y", "rounded")


def test_digits_stay_where_the_rounded_constant_costs_accuracy(
    generator: np.random.Generator,
) -> None:
    """0.00149 is 0.001 after rounding, and 1500 times y**20 are what it is multiplied with."""
    rows = data(generator, "0.001493*x*y**14")
    model, rounded = parse("0.00149312345*x*y**14 + 0*x"), parse("0.001*x*y**14")
    assert round(r2(model, rows.test), 3) != round(r2(rounded, rows.test), 3)
    text, form = choose_text(model, rounded, rows, DOMAIN)
    assert form == "exact"
    assert len(text) < len("0.00149312345*x*y**14")
    assert round(r2(parse(text), rows.test), 3) == round(r2(model, rows.test), 3)


def test_the_extrapolation_rows_have_a_say(generator: np.random.Generator) -> None:
    truth = "x + 0.0001*x**3"
    model, rounded = parse("x + 0.00010002*x**3"), parse("x + 0.0001*x**3")
    inside = data(generator, truth)
    beyond = data(generator, truth, beyond="x + 0.00010002*x**3")
    assert choose_text(model, parse("x"), inside, DOMAIN)[1] in ("rounded", "exact")
    text, _ = choose_text(model, rounded, beyond, DOMAIN)
    assert beyond.extrapolation is not None
    assert round(r2(parse(text), beyond.extrapolation), 3) == round(
        r2(model, beyond.extrapolation), 3
    )


def test_a_form_that_is_undefined_where_the_model_is_not_is_never_shown(
    generator: np.random.Generator,
) -> None:
    """Also between the rows: the training rows of this model are all positive."""
    X = np.column_stack([generator.uniform(1, 2, 60)] * 2)
    part = Partition(X, X[:, 0] ** 1.5)
    rows = Partitions(part, part, None, ("x", "y"), "")
    text, form = choose_text(parse("abs(x)**1.5"), parse("abs(x**1.5)"), rows, DOMAIN)
    assert (text, form) == ("abs(x)**1.5", "exact")
    narrow = {"x": (1.0, 2.0)}
    assert choose_text(parse("abs(x)**1.5"), parse("abs(x**1.5)"), rows, narrow)[1] == "rounded"


def test_what_no_simplification_keeps_is_shown_as_it_was_written(
    generator: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Wrong:
        expression = parse("x")

    monkeypatch.setattr("srlib.assessing.showing.simplify", lambda *_, **__: Wrong)
    rows = data(generator, "2*x + y")
    assert choose_text(parse("2.0004*x + y + 0"), parse("x"), rows, DOMAIN) == (
        "2*x + y + 0",
        "written",
    )


def test_without_rows_the_domain_stands_in() -> None:
    assert choose_text(parse("1.23456*x + y - y"), parse("1.235*x"), None, DOMAIN)[1] == "rounded"
    assert choose_text(parse("1.23456*x + y - y"), parse("1.3*x"), None, DOMAIN) == (
        "1.235*x",
        "exact",
    )
    assert choose_text(parse("1.23456*x"), None, None, DOMAIN) == ("1.235*x", "written")
