"""Shorter ways give what plain sympy gives, and sympy is itself again afterwards."""

import pytest
import sympy
from sympy.polys import factortools

from srlib.expressions import parse, to_sympy
from srlib.expressions.algebra.shortcuts import shortcuts

TEXTS = (
    "sin(x)**2*y + cos(x)**2*y + 0.5*tan(x)*cos(x)",
    "(x*y + 1.25*x)*sin(x + z) + (x*y + 1.25*x)*cos(z) - 0.3*x",
    "(x + 1.5)**3/(x*y + y*z) - log(x*y) + log(x) + exp(x)*exp(-y)",
    "sin(x + y)*cos(x - y) + sin(2*x)/2 - sin(y + z)",
    "tanh(x)/cosh(y) + sinh(x)*cosh(x) - exp(-x)/(exp(x) + exp(-x))",
    "1.71*a/(b*x + y) + 3.2*b/(z*y**9) - 0.043*y/(x - 1.5/b)",
    "abs(x*y)*sqrt(x**2) - max(0, 2 - x) + max(0.3, y - x)",
)


@pytest.mark.parametrize("text", TEXTS)
def test_the_same_tree(text):
    model = to_sympy(parse(text))
    plain = sympy.simplify(model)
    with shortcuts():
        short = sympy.simplify(model)
    assert sympy.srepr(short) == sympy.srepr(plain)


def test_factors_are_those_of_sympy():
    x, y, z = sympy.symbols("x y z")
    large = 10**90 + 7
    for polynomial in (
        (x * y + large * z + 1) * (x - y * z + 3),
        x * y * large + z**2 + 5,
        (x**2 + y + 1) ** 2 * (x - z) * (y + large),
    ):
        expanded = sympy.expand(polynomial)
        plain = sympy.factor_list(expanded)
        with shortcuts():
            assert sympy.factor_list(expanded) == plain


def test_no_prime_is_sought_for_what_is_irreducible(monkeypatch):
    """Where the bound has hundreds of digits, sympy seeks one for minutes."""
    x, y = sympy.symbols("x y")
    monkeypatch.setattr(sympy.ntheory, "nextprime", lambda *_: pytest.fail("a prime was sought"))
    with shortcuts():
        assert len(sympy.factor_list(x * y * 3**20 + 2 * x + 5)[1]) == 1


def test_sympy_is_as_before():
    before = factortools.dmp_zz_wang, sympy.ntheory.nextprime, sympy.cancel
    with pytest.raises(ZeroDivisionError), shortcuts():
        assert factortools.dmp_zz_wang is not before[0]
        raise ZeroDivisionError
    assert (factortools.dmp_zz_wang, sympy.ntheory.nextprime, sympy.cancel) == before
