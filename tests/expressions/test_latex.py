"""Models as LaTeX."""

import pytest

from srlib.expressions import parse, to_latex
from srlib.expressions.latex import latex_name


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("x1", "x_{1}"),
        ("0.4*x1*x2 - 1.5*x1 + 1", r"0.4 \, x_{1} \, x_{2} - 1.5 \, x_{1} + 1"),
        ("a + -0.5*b", r"a - 0.5 \, b"),
        ("a - (b - c)", r"a - \left(b - c\right)"),
        ("a - -0.5*b", r"a - \left(-0.5 \, b\right)"),
        ("(x < y) + z", r"\left(x < y\right) + z"),
        ("(x < y) - 2*z", r"\left(x < y\right) - 2 \, z"),
        ("(a + b)*2", r"\left(a + b\right) \cdot 2"),
        ("(a + b)/c**2", r"\frac{a + b}{c^{2}}"),
        ("(a/b)**c", r"\left(\frac{a}{b}\right)^{c}"),
        ("sqrt(abs(x))", r"\sqrt{\left|x\right|}"),
        ("sin(theta)**2", r"\sin\left(\theta\right)^{2}"),
        ("0.00001234*x", r"1.234 \cdot 10^{-5} \, x"),
        ("div(a, b)", r"\operatorname{gplearn\_div}\left(a, b\right)"),
        ("pi*log(x)", r"\pi \, \log\left(x\right)"),
        ("-(a + b)", r"-\left(a + b\right)"),
        (
            "Piecewise((1, x < 0), (x, True))",
            r"\begin{cases} 1 & \text{if } x < 0 \\ x & \text{otherwise} \end{cases}",
        ),
    ],
)
def test_by_hand(text, latex):
    assert to_latex(parse(text)) == latex


def test_all_digits_where_none_are_to_be_rounded():
    tree = parse("123456.7894*x - 1.2345e-7*y + 1e+20")
    expected = r"123456.7894 \, x - 1.2345 \cdot 10^{-7} \, y + 1 \cdot 10^{20}"
    assert to_latex(tree) == expected


@pytest.mark.parametrize(
    ("name", "latex"),
    [
        ("x10", "x_{10}"), ("E_n", "E_{n}"), ("rho_c_0", r"\text{rho\_c\_0}"), ("cell size",
         r"\text{cell size}"),
        ("a$b", r"\text{a\$b}"), ("<b>", r"\text{\textless{}b\textgreater{}}"), ("\\input{x}",
         r"\text{\textbackslash{}input\{x\}}"),
        ("lambda", r"\lambda"), ("omega_0", r"\omega_{0}"), ("x_", r"\text{x\_}"), ("x1a", r"\text{x1a}"),
    ],
)  # fmt: skip
def test_names_are_escaped(name, latex):
    assert latex_name(name) == latex
