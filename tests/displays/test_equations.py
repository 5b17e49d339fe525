import re

import numpy as np
import pytest
from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st

from srlib.displays.tables.breaks import ROOM, letters, pieces, terms_of
from srlib.displays.tables.equations import LONGEST, equation, equation_latex, mathml
from srlib.expressions import evaluate, parse, to_latex


def test_an_equation_is_mathml_with_its_text():
    page = BeautifulSoup(equation("0.5*x1 + sin(x2)/x3"), "html.parser")
    assert page.find_all("math") and page.find("code").get_text() == "0.5*x1 + sin(x2)/x3"
    assert not page.find_all(["script", "img"])


@pytest.mark.parametrize(
    "text", ["<script>alert(1)</script>", "</code></details>", "not ( a model", "", "$x$y$"]
)
def test_what_is_no_model_is_shown_as_text(text):
    page = BeautifulSoup(equation(text), "html.parser")
    assert not page.find_all(["script", "math"]) and page.find("code").get_text() == text


def test_a_very_long_model_is_folded():
    text = " + ".join(f"x{i}*x{i + 1}" for i in range(200))
    page = BeautifulSoup(equation(text), "html.parser")
    assert (
        page.find("details")
        and not page.find("math")
        and page.find_all("code")[-1].get_text() == text
    )
    assert not equation_latex(text) and equation_latex(text, longest=9 * LONGEST)


def test_long_sums_can_wrap():
    assert terms_of("a + b - c") == ["a", "+ b", "- c"]
    assert terms_of(r"\left(a + b\right) c") == [r"\left(a + b\right) c"]


def test_a_text_that_is_no_model_is_no_formula():
    assert equation_latex("a_b &") == "" and equation_latex("ab_1") == "$\\text{ab\\_1}$"


@pytest.mark.parametrize(
    "text",
    [
        "*".join(f"x{i}*{i}.12345" for i in range(1, 10)),
        "({})/({})".format(" + ".join(f"{i}.1234*x{i}" for i in range(9)), "x1*x2 + 3.5"),
        "2.5*sin({})*y".format(" + ".join(f"{i}.1234*x{i}" for i in range(9))),
        "-({})/x1 + y".format("*".join(f"(x{i} + {i}.12345)" for i in range(9))),
        "({0})^2*({0})".format(" - ".join(f"{i}.1234*x{i}" for i in range(6))),
    ],
)
def test_long_products_fractions_and_brackets_break_where_a_phone_ends(text):
    """No piece is wider than the room, and nothing is lost but the fraction's bar."""
    page = BeautifulSoup(equation(text), "html.parser")
    shown = page.find("div", class_="equation")
    assert len(shown.find_all("wbr")) >= 2
    latex = equation_latex(text)[1:-1]
    assert all(letters(piece) <= ROOM for piece in pieces(latex))
    whole = "".join(math.get_text() for math in shown.find_all("math"))
    for number in re.findall(r"\d+[.]\d+", text):
        assert whole.count(number) >= text.count(number)
    assert pieces(latex, 10_000) == terms_of(latex)


def grow(children):
    """Let a text grow by what has a notation of its own; no sine of large numbers, which magnifies the last digit."""
    one = st.sampled_from(["sqrt({})", "log({})", "abs({})", "tanh({})", "-({})", "({})^2"])
    two = st.sampled_from(["({})+({})", "({})-({})", "({})*({})", "({})/({})", "({})^({})"])
    return st.builds(str.format, one, children) | st.builds(str.format, two, children, children)


@given(st.recursive(st.sampled_from(["x", "y", "z", "2", "0.375", "11.25"]), grow, max_leaves=30))
def test_a_broken_equation_is_the_same_equation(text):
    """What a slash, a root by power and pow(a, b) hold together is what the whole holds together."""
    whole = to_latex(parse(text))
    broken = pieces(whole, 2)
    assert all(part.count("{") == part.count("}") for part in broken)
    assert all("<math" in mathml(f"{{}}{part}") for part in broken)
    columns = dict(zip("xyz", np.random.default_rng(0).uniform(0.5, 1.5, (3, 4)), strict=True))
    with np.errstate(all="ignore"):
        first, second = (evaluate(parse(one), columns, 4) for one in (whole, " ".join(broken)))
    both = np.isfinite(first) & np.isfinite(second)
    np.testing.assert_allclose(first[both], second[both], rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(
    ("latex", "room", "said"),
    [
        (r"\frac{a}{\frac{c + d}{f}}", 1, ["a", "/", "((c", "+ d)", "/", "f)"]),
        (r"\frac{a + b}{c} \, d", 2, ["((a", "+ b)", "/", "c)", r"\, d"]),
        (r"\frac{a + b + c}{-d}", 4, ["(a", "+ b", "+ c)", "/", "(-d)"]),
        (r"\lfloor a + b\rfloor - c", 2, [r"\lfloor a", r"+ b\rfloor", "- c"]),
        (
            r"\left(a + b\right)^{c \, d + f}",
            4,
            [r"\operatorname{pow}(a", "+ b,", r"c \, d", "+ f)"],
        ),
        (
            r"\begin{cases} \left|a + b\right| & c \end{cases} + d",
            2,
            [r"\begin{cases} \left|a + b\right| & c \end{cases}", "+ d"],
        ),
        (r"\sqrt[3]{a + b}", 2, [r"\operatorname{cbrt}(a", "+ b)"]),
    ],
)
def test_what_stood_above_and_below_a_bar_keeps_its_brackets(latex, room, said):
    assert pieces(latex, room) == said


def test_what_a_model_spells_out_is_evaluated():
    page = BeautifulSoup(equation("x*sqrt(2) - 2*pi + exp(1)/3"), "html.parser")
    said = page.find("p", class_="where").get_text()
    assert "2=1.41421" in said and "π=3.14159" in said and "=2.71828" in said
    assert not BeautifulSoup(equation("0.5*x^(5/4) - 3/4"), "html.parser").find("p")
    assert "−0.693" in BeautifulSoup(equation("x*log(0.5)"), "html.parser").find("p").get_text()
