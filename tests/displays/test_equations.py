import pytest
from bs4 import BeautifulSoup

from srlib.displays.tables.equations import LONGEST, equation, equation_latex, terms_of


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
    nested = r"\begin{cases} a + b & c \end{cases} - \lfloor a - b\rfloor + x_{a + b}"
    assert len(terms_of(nested)) == 3
    page = BeautifulSoup(equation("a + b*(c - 1.5)"), "html.parser")
    assert len(page.find("div", class_="equation").find_all("wbr")) == 1


def test_a_text_that_is_no_model_is_no_formula():
    assert equation_latex("a_b &") == "" and equation_latex("ab_1") == "$\\text{ab\\_1}$"
