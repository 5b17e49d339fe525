"""Dialects of 2023 to 2026: each construct with its meaning in our notation, or with the sentence that refuses it."""

import contextlib
import time

import numpy as np
import pytest

from srlib.errors import ModelTextError
from srlib.expressions import evaluate, parse, to_text

AB = ["a", "b", "c"]
# fmt: off
ROWS = [
    # E2E and TPSR (field/tpsr): words between operands; nothing is protected
    ("(0.5 add (2 mul x_0))", "0.5 + 2*a"),
    ("(x_0 mul inv((x_1 sub sqrt(x_2))))", "a*inv(b - sqrt(c))"),
    ("((x_0 pow 2) div log(x_1))", "a**2/log(b)"),
    ("(abs(x_0) add (log(x_1) mul arctan(x_2)))", "abs(a) + log(b)*atan(c)"),
    # lists in prefix form: TPSR, DSO (tokens n2, expneg), NeSymReS (a list of strings)
    ("mul,add,0.5,x_0,sin,x_1", "(0.5 + a)*sin(b)"),
    ("div,log,x_0,sqrt,x_1", "log(a)/sqrt(b)"),
    ("add,n2,x_0,expneg,x_1", "square(a) + exp(-b)"),
    ("['mul', 'pow', 'x_1', '-2', 'x_2']", "b**(-2)*c"),
    # conditions: sympy's ITE and Piecewise, numpy's where, Julia's ifelse, Brush's If, Python's own
    ("ITE(x0 > 1, x1, 2)", "Piecewise((b, a > 1), (2, True))"),
    ("Piecewise((a, And(a > 1, b < 2)), (b, Or(Not(c > 0), a >= 3)), (1, True))",
     "Piecewise((a, (a > 1) & (b < 2)), (Piecewise((b, ~(c > 0) | (a >= 3)), (1, True)), True))"),
    ("where((a > 1) & (b < 2), a, b)", "Piecewise((a, (a > 1) & (b < 2)), (b, True))"),
    ("np.where(a > 1, where(b > 1, 2, 3), c)",
     "Piecewise((Piecewise((2, b > 1), (3, True)), a > 1), (c, True))"),
    ("ifelse((a > 1) | (b < 2), a, b)", "Piecewise((a, (a > 1) | (b < 2)), (b, True))"),
    ("If(x0>=0.5,If(x1>1,2,3),x2)", "Piecewise((Piecewise((2, b > 1), (3, True)), a >= 0.5), (c, True))"),
    ("a if b > c else b if a > c else 3", "Piecewise((a, b > c), (Piecewise((b, a > c), (3, True)), True))"),
    ("2*(a if a > 0 and not b > 0 else -a)", "2*Piecewise((a, (a > 0) & ~(b > 0)), (-a, True))"),
    # SymbolicRegression.jl, Operators.jl and PySR's export
    ("round(x0) + clamp(x1, -1, 2)", "round(a) + min(max(b, -1), 2)"),
    ("atanh_clip(x0)", "atanh(mod(a + 1, 2) - 1)"),
    ("safe_log(x0) + safe_pow(x1, 0.5) - safe_sqrt(x2)", "log(a) + b**0.5 - sqrt(c)"),
    ("f = #1 * 2.5; g = sin(#1)^2; y = f(x0) - g(x1 + x2)", "a*2.5 - sin(b + c)**2"),
    ("2.57x1 - 3(x0 + 1)", "2.57*b - 3*(a + 1)"),
    # Brush: any number of arguments
    ("Sum(x0,x1,x2)", "a + b + c"),
    ("Prod(x0,x1,x2)", "a*b*c"),
    ("Mean(x0,x1,x2)", "(a + b + c)/3"),
    ("Logistic(Sum(1.5,x0))", "sigmoid(1.5 + a)"),
    ("Div(x_0,Sqrt(x_1))", "a/sqrt(b)"),  # functions.h: nothing of it is protected
    ("0.50*Sin(x_0)", "0.5*sin(a)"),
    # FEAT: n_logit.cc, n_gaussian.cc, n_relu.cc
    ("logit(x_0) + gauss(x_1) + relu(x_2)", "sigmoid(a) + gauss(b) + max(c, 0)"),
    ("if-then-else(x_0 > 0.5,x_1,2)", "Piecewise((b, a > 0.5), (2, True))"),
    # Eureqa, in DataRobot's reference of building blocks
    ("step(x0) + logistic(x1) + sgn(x2)", "(a > 0) + sigmoid(b) + sign(c)"),
    # HeuristicLab, InfixExpressionFormatter.cs: names in quotes, functions in capitals
    ("((1.5*'a') + SIN((-1.2)*'b') + \"c\")", "1.5*a + sin(-1.2*b) + c"),
    # GPTIPS (MATLAB): times, minus, plus, rdivide; MATLAB and Julia, operators and calls over arrays
    ("minus(times(x1,x2),rdivide(x1,2))", "b*c - b/2"), ("2.*a.^2 .+ sin.(b)./c;", "2*a**2 + sin(b)/c"),
    # Mathematica, InputForm
    ("2.5*^-3*a^2 + Sin[Pi*b]*E^(-c) + Sqrt[Power[a, 2]]", "0.0025*a**2 + sin(pi*b)*E()**(-c) + sqrt(a**2)"),
    # R, and Euler's number by hand
    ("exp(a)^2 + I(b^2)", "exp(a)**2 + b**2"), ("3e^(-2a) + e**b", "3*E()**(-2*a) + E()**b"),
    # cuML, genetic.cu, stringify: its div, log, sqrt and inv are protected like gplearn's, also beside its plain pow
    ("( mult( X0, pow( log( X1) , 2) ) ) ", "a*gplearn_log(b)**2"),
    ("( add( fdim( X0, 0.5) , mult( X1, log( X2) ) ) )", "max(a - 0.5, 0) + b*gplearn_log(c)"),
    # PySINDy, SINDy.print()
    ("(x0)' = -10.000 x0 + 10.000 x1", "-10*a + 10*b"),
    ("(x2)' = 0.300 1 + -2.667 x0 x1 + 0.5 x0^2 + 0.2 sin(1 x1)", "0.3 + -2.667*a*b + 0.5*a**2 + 0.2*sin(1*b)"),
    ("(x0)[k+1] = 0.006 1 + 3.581 x0[k] + -3.586 x0[k]^2", "0.006 + 3.581*a + -3.586*a**2"),
    # print
    ("Piecewise((1, a ≥ 2), (0, True))", "Piecewise((1, a >= 2), (0, True))"),
    ("−2×a + π·b² ÷ c", "-2*a + pi*b**2/c"),
    ("y = 2a", "2*a"), ("f(a, b) = 2*a + b", "2*a + b"), ("dv_dt = -9.8*a", "-9.8*a"),
    ("sech(a) + csch(b) - coth(c)", "inv(cosh(a)) + inv(sinh(b)) - inv(tanh(c))"),
    ("7*a//b*c", "floor(7*a/b)*c"), ("-a % b", "mod(-a, b)"), ("(a > 1) | (b > 2)", "(a > 1) | (b > 2)"),
    # LaTeX: sympy.latex and by hand
    (r"\frac{2 a}{\sin^{2}{\left(b \right)}}", "2*a/sin(b)**2"),
    (r"y = - 3.2 \sqrt{a} e^{- \frac{b^{2}}{2}} + \log{\left(c \right)}", "-3.2*sqrt(a)*exp(-(b**2/2)) + log(c)"),
    (r"x_{1} x_{2} + \left|{x_{0}}\right|", "b*c + abs(a)"),
    (r"\begin{cases} a & \text{for}\: b > 1 \\ 2 & \text{otherwise} \end{cases}", "Piecewise((a, b > 1), (2, True))"),
    (r"\operatorname{asin}{\left(a \right)} \cdot 1.5 \cdot 10^{-5}", "asin(a)*1.5*10**(-5)"),
    (r"2 \left(a + b\right) \left(c - 1\right)", "2*(a + b)*(c - 1)"),
    (r"\sqrt[3]{a} + \lfloor b \rfloor", "a**(1/3) + floor(b)"),
    ("2 x_{1} + x_{2}^{3}", "2*b + c**3"),
    (r"\max\left(a, b\right) + \min\{a, c\} + \Gamma\left(a\right)", "max(a, b) + min(a, c) + gamma(a)"),
    (r"\mathrm{exp}\left(a\right) + \text{sin}(b)", "exp(a) + sin(b)"),
    (r"\[ \hat{y} \approx a + b \]", "a + b"), (r"\(\boldsymbol{a}\,b\)", "a*b"),
    (r"\begin{align*} y &= a \\ &\quad + b \end{align*}", "a + b"),
    (r"y = \begin{cases} a, & \quad \text{if } b > 1 \\ 2, & \text{else} \end{cases}",
     "Piecewise((a, b > 1), (2, True))"),
    # Python as language models write it
    ("def law(a, b):\n    'A law.'\n    import numpy as np\n    G = 6.67\n    return G*a/b**2", "6.67*a/b**2"),
    ("def law(x1, x0):\n    return x1/x0", "b/a"),
    ("def law(m1, m2, r):\n    return m1*m2/r**2", "a*b/c**2"),
    ("def f(a, b):\n  if a > 1 and b < 2:\n    return a\n  else:\n    return np.sqrt(b)",
     "Piecewise((a, (a > 1) & (b < 2)), (sqrt(b), True))"),
    ("def f(a, b):\n  k = 2.0\n  k *= a\n  if b > 0:\n    k = k + b\n  return k",
     "Piecewise((2*a + b, b > 0), (2*a, True))"),
    ("def f(X):\n  return X[:, 0]*2 + X[:, 1]", "a*2 + b"),
    ("def f(a, b, p=[1.5, 2]):\n  return p[0]*a + p[1]", "1.5*a + 2"),
    ("lambda a, b: math.exp(-a) + max(b, 0)", "exp(-a) + max(b, 0)"),
    ("def g(z): return z*G\nG = 3\ndef f(a, b):\n    G = 5\n    return g(a) + G", "a*3 + 5"),
    ("t = b + 1\ny = c*t", "c*(b + 1)"), ("y = a\ny += b", "a + b"),
    ("```python\ndef f(a): return 2*a\n```", "2*a"),
]
REFUSED = [
    # systems and several models
    ("2.0*x_0 | 3.1*x_1", "several_models", "several models"),
    ("a | b | (a > 1)", "several_models", "no OR"), ("add,x_0,x_1,|,x_2", "several_models", "several models"),
    ("(x0)' = -9.9 x0\n(x1)' = 27 x0 + x2", "several_models", "system"),
    ("f = #1*2; g = #1", "several_models", "put together"),
    ("y = a + 1\nz = b", "several_models", "not used"),
    ("def f(a):\n  return a, a", "several_models", "2 values"),
    # no closed form
    ("def f(a):\n  for i in range(3):\n    a += 1\n  return a", "no_closed_form", "a loop"),
    ("def f(X):\n  return model.predict(X)", "no_closed_form", "stranger"),
    ("def f(a):\n  return a.mean()", "no_closed_form", "stranger"),
    ("import pickle\nmodel = pickle.load(open('model.pkl'))", "no_closed_form", "stranger"),
    ("def f(a, b, c, params):\n  return params[0]*a", "no_closed_form", "no value"),
    ("def f(a):\n  return f(a) + 1", "no_closed_form", "calls itself"),
    ("def f(a):\n  return __import__('os').system('true')", "no_closed_form", "stranger"),
    ("def f(a):\n  x = a\n" + "  x = x*x\n" * 40 + "  return x", "no_closed_form", "characters"),
    ("def f(a):\n  return " + "(" * 5000 + "a" + ")" * 5000, "unparsed", "Python"),
    # over all rows, so no function of one
    ("def f(a):\n  return a - np.mean(a)", "no_closed_form", "mean"),
    ("def f(a):\n  return a/np.max(a)", "no_closed_form", "max"),
    ("def f(a):\n  return np.max(a, 0)", "no_closed_form", "max"),
    ("def f(a):\n  return np.sum(a)", "no_closed_form", "sum"),
    ("def f(a):\n  return logit(a)", "no_closed_form", "logit"),  # scipy's is no sigmoid
    # numbers between which the signs of conditions stand
    ("a and b", "unparsed", "joins conditions"), ("a & (b > 1)", "unparsed", "joins conditions"),
    ("2*(a or 1.5)", "unparsed", "joins conditions"),
    # products without their sign, functions without their brackets, commas of decimals
    ("a^2b", "unparsed", "such as the \\* of a product"), ("2a(b+1)", "unparsed", "of a product"),
    ("a(2)", "unparsed", "of a product"), ("a b", "unparsed", "of a product"), ("1/2a", "unparsed", "of a product"),
    ("ab", "unparsed", "'ab' is no feature"), ("sin a", "unparsed", "round brackets"),
    ("sin^2(a)", "unparsed", "round brackets"),
    ("2,57*a", "unparsed", "decimals have a point"), ("a!", "unparsed", "'!'"), ("0x1", "unparsed", "x1"),
    ("Log[2, a]", "unparsed", "round brackets"),  # Mathematica puts the base first
    ("rem(a, b)", "unparsed", "no known function"),  # Julia and MATLAB: with the sign of a
    ("math.remainder(a, b)", "unparsed", "no known function"),  # to the nearest multiple of b
    (r"a \quad (b > 0)", "unparsed", "quad"), (r"a \ b", "unparsed", "operator or the end"),
    (r"\log y = a", "unparsed", "not about the target"), (r"a = 2 b \cdot c", "unparsed", "not about the target"),
    (r"\alpha b", "unparsed", "'alpha' is no feature"),
    # what could mean two things
    (r"\sin 2 a", "unparsed", "brackets"), (r"\sin^{-1}{\left(a\right)}", "unparsed", "inverse"),
    ("a = 2\ny = a*b", "unparsed", "is a feature"), ("def f(a, b):\n  return a or b", "no_closed_form", "truth"),
    (r"\foo{a}", "unparsed", "foo"), ("mul,x_0", "unparsed", "missing"), ("mul,x_0,x_1,x_2", "unparsed", "left over"),
    ("a if b > 1", "unparsed", "if"), ("a else b", "unparsed", "else"),
]
# fmt: on


@pytest.mark.parametrize(("text", "ours"), ROWS, ids=[row[0][:30] for row in ROWS])
def test_every_construct_has_its_meaning(text, ours):
    model = parse(text, AB)
    assert to_text(model) == ours or model.tape == parse(ours, AB).tape
    assert parse(to_text(model), AB).tape == model.tape


def test_a_name_in_latex_keeps_its_underscore():
    """As everybody has to write it there: `kd\\_nM` is the feature kd_nM."""
    names = ["ligand_nM", "kd_nM", "x2"]
    text = r"$\frac{ligand\_nM^2}{ligand\_nM + \mathrm{kd\_nM}}$"
    assert parse(text, names).tape == parse("ligand_nM**2/(ligand_nM + kd_nM)", names).tape


@pytest.mark.parametrize(("text", "kind", "word"), REFUSED, ids=[row[0][:30] for row in REFUSED])
def test_what_is_no_model_is_said_as_such(text, kind, word):
    with pytest.raises(ModelTextError, match=word) as caught:
        parse(text, AB)
    assert caught.value.kind == kind


def test_infix_words_do_not_protect():
    values = {"a": np.array([4.0, -4.0]), "b": np.array([2.0, 0.0])}
    plain = evaluate(parse("(sqrt(x_0) add (x_0 div x_1))", ["a", "b"]), values, 2)
    np.testing.assert_array_equal(plain[:1], [4.0])
    assert np.isnan(plain[1])


def test_an_or_of_numbers_is_written_so_that_it_can_be_read_again():
    model = parse("Or(a, b > 1)", AB)
    assert to_text(model) == "logical_or(a, b > 1)"
    assert parse(to_text(model), AB).tape == model.tape


@pytest.mark.parametrize("size", [20_000, 200_000])
def test_conditions_nest_in_linear_time(size):
    deep = "ITE(" * (size // 10) + "a > 0" + ", 1, 2) > 1" * (size // 10)
    assert len(parse(deep.removesuffix(" > 1"), AB).tape) > size // 10


HOSTILE = [
    "x\n", "x=\n", " ", "(x ", "\n", "lambda ", "import ", "a_{", r"\left", r"\left|", r"\frac", "\\\\", r"\sin", "{",
    "#1;", "```", "'", "[", "a if ", "a else ", "|a", "a | ", "ITE(", "add,", "x_0,", "(x)' = ", "= ", "a=b;", "%",
    "def f(a):", "return ", "1 ", "1 a", r"\text{a", "e^{", "$",
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
@pytest.mark.parametrize("end", ["", "\\"])
def test_long_nonsense_takes_less_than_four_seconds(piece, end):
    text = piece * (90_000 // len(piece)) + end
    start = time.process_time()
    with contextlib.suppress(ModelTextError):
        parse(text, AB)
    assert time.process_time() - start < 4
