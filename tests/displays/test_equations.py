from bs4 import BeautifulSoup

from srlib.displays.tables.equations import LONGEST, equation, equation_latex


def test_a_very_long_model_is_folded():
    text = " + ".join(f"x{i}*x{i + 1}" for i in range(200))
    page = BeautifulSoup(equation(text), "html.parser")
    assert (
        page.find("details")
        and not page.find("math")
        and page.find_all("code")[-1].get_text() == text
    )
    assert not equation_latex(text) and equation_latex(text, longest=9 * LONGEST)


def test_a_text_that_is_no_model_is_no_formula():
    assert equation_latex("a_b &") == "" and equation_latex("ab_1") == "\\text{ab\\_1}"
