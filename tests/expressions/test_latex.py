"""Models as LaTeX."""

import re

import pytest

from srlib.expressions import parse, to_latex
from srlib.expressions.tree import latex_name
from tests.expressions.cases import cells

MODELS = r"""
    0.4*x1*x2 - 1.5*x1 + 1  0.4 \, x_{1} \, x_{2} - 1.5 \, x_{1} + 1
    a + -0.5*b              a - 0.5 \, b
    a - (b - c)             a - \left(b - c\right)
    a - -0.5*b              a - \left(-0.5 \, b\right)
    (x < y) + z             \left(x < y\right) + z
    (x < y) - 2*z           \left(x < y\right) - 2 \, z
    (a + b)*2               \left(a + b\right) \cdot 2
    (a + b)/c**2            \frac{a + b}{c^{2}}
    (a/b)**c                \left(\frac{a}{b}\right)^{c}
    sqrt(abs(x))            \sqrt{\left|x\right|}
    sin(theta)**2           \sin\left(\theta\right)^{2}
    123456.7894*x + 1e+20   123456.7894 \, x + 1 \cdot 10^{20}
    0.00001234*x            1.234 \cdot 10^{-5} \, x
    div(a, b)               \operatorname{gplearn\_div}\left(a, b\right)
    pi*log(x)               \pi \, \log\left(x\right)
    -(a + b)                -\left(a + b\right)
    where(x < 0, 1, x)      \begin{cases} 1 & \text{if } x < 0 \\ x & \text{otherwise} \end{cases}
"""
WIDE = r"""
    123456.7894*x + 0.00001234567  123500 \, \allowbreak x + 1.235 \cdot 10^{-5}
    sqrt(a + b*c)                  \operatorname{sqrt}(\penalty900 a + b \, c\penalty900 )
    a/(b + c)*d                    (\penalty900 a/\allowbreak \left(b + c\right)\penalty900 ) \, \allowbreak d
    (a + b + c)**2                 (\penalty900 a + b + c\penalty900 )^{2}
    a**(b + c + d)                 \operatorname{pow}(\penalty900 a, \allowbreak b + c + d\penalty900 )
    a**(1/b)                       a^{1/b}
    where(a, b + c, d)  \{b + c\penalty900 \text{ if }\allowbreak a, \allowbreak d\penalty900 \text{ otherwise}\}
    `long name`                    \text{lon}\penalty900 \text{g n}\penalty900 \text{ame}
"""
NAMES = r"""
    x10        x_{10}
    E_n        E_{n}
    rho_c_0    \text{rho\_c\_0}
    cell size  \text{cell size}
    a$b        \text{a\$b}
    <b>        \text{\textless{}b\textgreater{}}
    \input{x}  \text{\textbackslash{}input\{x\}}
    lambda     \lambda
    omega_0    \omega_{0}
    x_         \text{x\_}
    x1a        \text{x1a}
"""


@pytest.mark.parametrize(("text", "latex"), cells(MODELS))
def test_model_has_the_latex_by_hand(text, latex):
    assert to_latex(parse(text)) == latex


@pytest.mark.parametrize(("name", "latex"), cells(NAMES))
def test_feature_name_is_escaped(name, latex):
    assert latex_name(name) == latex


@pytest.mark.parametrize(("text", "latex"), cells(WIDE))
def test_part_wider_than_a_line_may_break_outside_all_braces(text, latex):
    shown = to_latex(
        parse(text), digits=4, is_wide=lambda part: len(re.sub(r"\\.|[{}]", "", part)) > 8
    )
    assert shown == latex


def test_no_fraction_stands_in_another_in_print():
    latex = to_latex(parse("1/(1 + 1/(1 + 1/x))"), is_wide=lambda part: False)
    assert latex == r"1/\left(1 + 1/\left(1 + \frac{1}{x}\right)\right)"
