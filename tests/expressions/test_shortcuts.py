"""Shorter ways give what plain sympy gives, and sympy is itself again afterwards."""

import importlib

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import ZZ
from sympy.polys import factortools
from sympy.polys.densearith import dmp_mul
from sympy.polys.densebasic import dmp_from_dict, dmp_one

from srlib.expressions import parse, to_sympy
from srlib.expressions.algebra.shortcuts import shortcuts
from srlib.expressions.algebra.unrelated import no_products, no_sums

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


fu = importlib.import_module("sympy.simplify.fu")  # its name in the package is a function
ANGLES = st.sampled_from(["x", "y", "x + y", "2*x", "y*z", "1", "pi/4"])
WAVES = st.builds("{}({})".format, st.sampled_from(["sin", "cos", "tan"]), ANGLES)
OTHERS = st.sampled_from(
    ["2", "-1", "sqrt(3)", "sqrt(2)", "0.5", "x", "1/y", "x**2", "sqrt(z)", "y**z", "log(x)"]
    + ["(x + 1)", "1/(y + 2)", "sqrt(x + 1)", "exp(x)", "1/sin(x)", "cos(y)**2", "abs(x)"]
)
PRODUCTS = st.lists(WAVES | OTHERS, min_size=1, max_size=4).map("*".join)
SUMS = st.lists(PRODUCTS, min_size=1, max_size=4).map(" + ".join)


@given(SUMS, SUMS)
@settings(max_examples=60, deadline=None)
def test_rules_that_are_skipped_would_change_nothing(one, other):
    """Skipped or not, the result is the very tree."""
    x, y, z = sympy.symbols("x y z", real=True)
    for text in (one, f"({one})*({other})", f"({one})/({other})"):
        tree = sympy.sympify(text, locals={"x": x, "y": y, "z": z}, rational=True)
        plain = [sympy.srepr(getattr(fu, rule)(tree)) for rule in ("TR8", "TR10i")]
        with shortcuts():
            assert [sympy.srepr(getattr(fu, rule)(tree)) for rule in ("TR8", "TR10i")] == plain


def test_what_is_skipped_is_much_and_not_all():
    x, y = sympy.symbols("x y", real=True)
    assert no_products(x * sympy.sin(x) + y * sympy.cos(y) / x)
    assert not no_products((sympy.sin(x) + 1) * (sympy.cos(y) + x))
    apart = x * sympy.sin(x) * sympy.cos(y) + y * sympy.sin(y) * sympy.cos(x)
    assert no_sums(apart, {})
    assert not no_sums(apart.subs({x * sympy.sin(x): y * sympy.sin(x)}), {})


@given(st.lists(st.dictionaries(st.tuples(*[st.integers(0, 2)] * 3), st.integers(-9, 9), min_size=1, max_size=4),
                min_size=1, max_size=3))  # fmt: skip
@settings(max_examples=40, deadline=None)
def test_flint_factors_as_sympy_does(parts):
    """Factors, their order, signs and types; sympy's own domain is not changed."""
    product = dmp_one(2, ZZ)
    for part in parts:
        product = dmp_mul(
            product, dmp_from_dict({k: ZZ(v) for k, v in part.items() if v}, 2, ZZ), 2, ZZ
        )
    plain = factortools.dmp_zz_factor(product, 2, ZZ)
    with shortcuts():
        short = factortools.dmp_zz_factor(product, 2, ZZ)
    assert short == plain
    assert type(short[0]) is type(plain[0])


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
