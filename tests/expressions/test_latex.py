"""Models as LaTeX."""

from srlib.expressions import parse, to_latex
from srlib.expressions.tree import latex_name
from tests.expressions.cases import each_row

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


@each_row("text latex", MODELS)
def test_model_has_the_latex_by_hand(text, latex):
    assert to_latex(parse(text)) == latex


@each_row("name latex", NAMES)
def test_feature_name_is_escaped(name, latex):
    assert latex_name(name) == latex
