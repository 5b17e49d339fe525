"""Texts that are no models: an error with place and excerpt, no code run, no hang, whatever comes."""

import pickle
import sys

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from srlib.errors import ModelTextError
from srlib.expressions import Expression, parse, to_text

# fmt: off
EMPTY = ["", " ", "\n\t", "\r\n  \n", "\x0b\x0c"]
NONFINITE = [
    "nan", "NaN", "inf", "-inf", "Infinity", "zoo", "oo", "-oo", "x + nan", "2*inf*x", "x**zoo", "1e400",
    "-1e999", "x*1e309",
    "9" * 400, "1e99999999999", "None", "null", "NA", "Float('nan', precision=53)",
    "Float('inf', precision=53)",
    "Float('1e400')", "zoo*x", "ComplexInfinity",
]
CODE = [
    "__import__('os').system('true')", "exec('x=1')", "open('f','w').write('x')", "().__class__",
    "x.__class__.__mro__[1].__subclasses__()", "''.join([])", "lambda x: x", "(lambda x: x)(1)", "[x for x in y]",
    "{x: 1}", "{x}", "(y := 2)", "x = 1", "x == = y", "import os", "from os import *", "getattr(x, 'y')", "globals()",
    "str(x)", "float('1')", "os.system", "sys.exit()", "input()", "compile('1','','eval')", "x; y", "x # y", "yield x",
    "raise x", "while 1: 1", "class A: 1", "@x", "x @ y", "f'{x}'", "'x'", "b'x'", "x['a']", "x[0:1]", "x[0][1]",
    "x[-1]", "x[:, y]", "x[...]", "**x", "x.y", "x.y()", "np.load(x)", "np.x", "numpy.linalg.inv(x)",
    "math.factorial(9)", "sympy.sympify('x')", "Symbol(x)", "Symbol('x'", "Symbol()", "Float()", "Float('a')",
    "Float('1;2')", "Integer('1')", "Rational(1)", "Function('f')(x)", "Lambda(x, x)", "Matrix([1])", "nonsense(x)",
    "factorial(10**9)", "zeta(x)", "x!", "x'", "x ? y : z", "$x", "x%%", "x // y // ", "x \\ y", "x~", "\\frac{1}{x}",
]
SYNTAX = [
    "(", ")", "()", "(x", "x)", "[x", "(x]", "[x)", "[]", "|", "||", "|x", "(|x)", "+", "*", "**", "x+", "*x",
    "x**", "x***y", "x*/y", "^x", "x^^y", ",", "x,", ",x", "x,y", "(x,)", "[x,]", "[,]", "nan()", "sin(", "sin()",
    "sin(x", "sin(x,y)", "sin(,x)", "sin(x,)", "add()", "sub(x)", "sub(x,y,z)", "max(,)", "log(x,2,3)", "E(1)",
    "cond(x)", "Piecewise()", "Piecewise(x, y)", "Piecewise((x))", "Piecewise((x,))", "Piecewise((x, y, z))",
    "Piecewise((x, y) + 1)", "Piecewise(-(x, y))", "Piecewise((x, y), z)", "Piecewise((x, y)", "Piecewise(((x, y)))",
    "ExprCondPair(x, y)", "Tuple(x, y)", "x y", "x 2", "2x", "2(x)", "x(y)", "(x)2", "1.2.3", "1..2", ".", "1e", "1e+",
    "0x10", "1_000*x", "1j", "2.5f", "x < y < z", "x <", "< x", "x <> y", "x => y", "not", "x not y", "and", "x and",
    "x & ", "& x", "`", "``", "`x", "x`", '"', "\\", "p/", "x p/", "p/ x y",
]
CHARACTERS = [
    "x − y", "x · y", "x²", "√x", "∞", "х + 1", "ｘ + 1", "１ + x", "x\u200b+ y", "x\u00a0y", "x\x00", "\x1b[31mx",
    "\ufeffx", "x\u202e+y", "\ud800", "x + \udcff", "😀", "x — y", "“x”", "¬x", "x≤y", "ſin(x)", "x١", "x^²", "½*x",
]
HUGE = {
    "a megabyte of digits": "1" * 1_000_000, "a megabyte of brackets": "(" * 1_000_000,
    "a megabyte of minus": "-" * 1_000_000,
    "beyond a megabyte": "x+" * 500_001 + "x",
    "a long name called": "a" * 900_000 + "(x)",
    "bars": "|" * 999_999, "backquotes": "`" * 999_999, "commas": "max(" + "x," * 300_000,
    "pairs": "Piecewise(" * 90_000,
    "quotes": "Float('" * 100_000, "indices": "x[" * 300_000, "spaces": "x" + " " * 999_990 + "x",
    "dots": "." * 999_999,
    "lines": "x" + "\n" * 999_990 + "x",
    "stars": "x" + "*" * 999_990, "symbols": "Symbol(" * 100_000, "rationals": "Rational(1," * 90_000,
    "names": "x " * 400_000, "numbers": "1 " * 400_000, "options": "Float('1'" + ", a=b" * 150_000,
}
# fmt: on
TABLE = [(t, "empty") for t in EMPTY] + [(t, "nonfinite") for t in NONFINITE]
TABLE += [(t, "unparsed") for t in CODE + SYNTAX + CHARACTERS]
TABLE += [(t, "no_closed_form") for t in ("def f(): 1", "return open(x)")]

_seen: list[str] = []
_watching = False


def _audit(event: str, _arguments: object) -> None:
    if _watching:
        _seen.append(event)


sys.addaudithook(_audit)


def refused(text, features=None):
    """Parse under the audit hook; the error, or None when the text is a model."""
    global _watching
    _seen.clear()
    _watching = True
    try:
        assert isinstance(parse(text, features), Expression)
        return None
    except ModelTextError as error:
        return error
    finally:
        _watching = False
        # "compile" is how `ast.parse` is announced, which compiles nothing
        allowed = ("object.", "sys._getframe", "compile")
        assert not [e for e in _seen if not e.startswith(allowed)], _seen


@pytest.mark.parametrize(
    ("text", "kind"), TABLE, ids=[f"{i}-{t[:20]!a}" for i, (t, _) in enumerate(TABLE)]
)
@pytest.mark.parametrize("features", [None, ["x", "y", "z"]], ids=["any", "xyz"])
def test_a_text_that_is_no_model_is_refused(text, kind, features):
    error = refused(text, features)
    assert error is not None
    assert error.kind == kind
    assert 0 <= error.position <= len(text)
    assert error.excerpt in text or error.excerpt.strip(".") in text
    assert pickle.loads(pickle.dumps(error)).kind == kind


@pytest.mark.parametrize("name", HUGE)
def test_a_huge_text_is_refused_in_time(name):
    error = refused(HUGE[name])
    assert error is not None
    assert len(str(error)) < 400


def test_a_huge_model_is_read():
    text = "+".join(["x*1.5"] * 150_000)
    assert len(parse(text).tape) == 3 * 150_000 + 149_999


def test_deep_texts_that_are_broken_are_refused():
    for text in ("(" * 20_000 + "x" + ")" * 19_999, "sin(" * 20_000 + ")" * 20_000, "x**" * 50_000):
        assert refused(text) is not None


_PIECES = st.sampled_from(
    [*"()[]|+-*/^,.<>=&~` \n", "**", "x", "x1", "E", "pi", "sin(", "max(", "div(", "log(", "Piecewise((",
    "), (", "True",
     "1", "2.5", "1e-3", "p/", "np.", "not ", "and ", "Float('", "')", "x[:, ", "]", "__", "é", "\x00",
     "lambda ", "`a b`"]
)  # fmt: skip


@settings(max_examples=600)
@given(st.lists(_PIECES, max_size=40).map("".join))
@example("|x|(x)|x|")
@example("Piecewise((x, True), (1, True))")
def test_any_mixture_is_a_model_or_refused(text):
    if refused(text) is None:
        tree = parse(text)
        assert parse(to_text(tree)) == tree


@settings(max_examples=300)
@given(st.text(max_size=60))
def test_any_text_is_a_model_or_refused(text):
    if refused(text) is None:
        tree = parse(text)
        assert parse(to_text(tree)) == tree
