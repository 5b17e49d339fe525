"""The table of operators: one row per operator with arity, functions, precedence, parity and meaning.

Printing, evaluation, counting, sympy, normal forms and the ballot use this table; `srlib.expressions.spellings` lists
the words of dialects, `srlib.expressions.tree` the LaTeX. Protected operators are separate operators with the meaning
that their library defines; a protected operator is never read as the plain one, or the plain one as protected.
"""

import operator
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

GPLEARN_THRESHOLD = 0.001  # magnitude up to which gplearn's operators are protected
Function = Callable[..., Any]  # of values: arrays, numbers with many digits, sympy objects


@dataclass(frozen=True, eq=False, slots=True)
class Operator:
    """One operator of a model: a row of the table.

    Parameters
    ----------
    name : str
        The canonical spelling; functions are printed as ``name(argument, ...)``.
    arity : int
        Number of arguments, 0 for named constants.
    numpy : callable
        (rows,) float64 arrays -> (rows,) array; complex and undefined results are NaN. Functions of
        `srlib.expressions.evaluate` stand in where numbers have many digits.
    sympy : str
        Name of sympy's function, or a formula of `a` where sympy has none; empty where sympy gets the meaning or
        `srlib.expressions.sympy_trees` has a function.
    symbol : str
        The infix or prefix sign, empty for functions.
    precedence : int
        Binding strength of `symbol`; larger binds tighter.
    nodes : int
        Number that it adds to the count of the text; calls of sympy functions add nothing.
    parity : int
        1 for an even function, -1 for an odd one, 0 where it is neither or nobody needs to know.
    positive : bool
        Whether all of its values are positive.
    meaning : str
        The same in operators that every reader knows, of `a`, `b`; empty where every expert knows this one. Only
        operators without a meaning reach a ballot.
    plain : str
        The unprotected form of a protected operator; empty for others.
    """

    name: str
    arity: int
    numpy: Function
    sympy: str = ""
    symbol: str = ""
    precedence: int = 100
    nodes: int = 1
    parity: int = 0
    positive: bool = False
    meaning: str = ""
    plain: str = ""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the name only; unpickling looks it up in the table."""
        return operator_named, (self.name,)

    def __repr__(self) -> str:
        """Return the canonical spelling."""
        return self.name


# item of a tape: a str is a feature's name, a number is a constant
Item = Operator | str | int | float
Tape = tuple[Item, ...]  # a postfix tape: arguments first, then their operator


def operator_named(name: str) -> Operator:
    """Return the operator with this canonical name."""
    return OPERATORS[name]


# Columns: name, arity, sympy's function, symbol, precedence, properties; then, after colons, the meaning and the
# unprotected form. A point is an empty field. Calls of sympy's functions in a model's text stand for their argument
# unless the rules apply them. Protected operators are opaque functions in sympy, which would otherwise expand each to a
# Piecewise.
_TABLE = """
    add           2  Add      +    50
    sub           2  .        -    50
    mul           2  Mul      *    60
    div           2  .        /    60
    neg           1  .        -    70
    pow           2  Pow      **   80
    lt            2  Lt       <    30
    le            2  Le       <=   30
    gt            2  Gt       >    30
    ge            2  Ge       >=   30
    eq            2  Eq       ==   30
    ne            2  Ne       !=   30
    or            2  Or       |    35
    and           2  And      &    40
    not           1  Not      ~    70
    pi            0  pi       .   100
    E             0  E        .   100
    imaginary     0  .        .   100             : sqrt(-1)
    exp           1  exp      .   100  positive
    log           1  log      .   100
    log2          1  log(a)/log(2) .   100
    log10         1  log(a)/log(10) .   100
    log1p         1  .        .   100             : log(1 + a)
    expm1         1  .        .   100             : exp(a) - 1
    sqrt          1  sqrt     .   100
    cbrt          1  sign(a)*abs(a)**(1/3) .   100  odd
    square        1  .        .   100             : a**2
    cube          1  .        .   100             : a**3
    inv           1  .        .   100             : 1/a
    abs           1  Abs      .   100  positive
    sign          1  sign     .   100
    floor         1  floor    .   100
    ceil          1  ceiling  .   100
    round         1  .        .   100  odd
    trunc         1  .        .   100  odd       : sign(a)*floor(abs(a))
    heaviside     2  .        .   100             : Piecewise((0, a < 0), (Piecewise((b, a <= 0), (1, True)), True))
    mod           2  Mod      .   100
    fmod          2  .        .   100             : a - b*sign(a/b)*floor(abs(a/b))
    sin           1  sin      .   100  odd
    cos           1  cos      .   100  even
    tan           1  tan      .   100  odd
    cot           1  cot      .   100  odd
    sec           1  sec      .   100  even
    csc           1  csc      .   100  odd
    asin          1  asin     .   100  odd
    acos          1  acos     .   100
    atan          1  atan     .   100  odd
    atan2         2  atan2    .   100
    sinh          1  sinh     .   100  odd
    cosh          1  cosh     .   100  even positive
    tanh          1  tanh     .   100  odd
    asinh         1  asinh    .   100  odd
    acosh         1  acosh    .   100
    atanh         1  atanh    .   100  odd
    erf           1  erf      .   100  odd
    erfc          1  erfc     .   100
    gamma         1  gamma    .   100
    sigmoid       1  .        .   100             : 1/(1 + exp(-a))
    gauss         1  .        .   100             : exp(-a**2)
    max           2  Max      .   100
    min           2  Min      .   100
    where         3  .        .   100
    only          2  .        .   100
    cond          2  .        .   100             : Piecewise((b, a > 0), (0, True))
    aq            2  .        .   100             : a/sqrt(1 + b**2)
    sqrtabs       1  .        .   100             : sqrt(abs(a))
    gplearn_div   2  .        .   100             : Piecewise((a/b, abs(b) > 0.001), (1, True))       : a/b
    gplearn_log   1  .        .   100             : Piecewise((log(abs(a)), abs(a) > 0.001), (0, True)): log(abs(a))
    gplearn_inv   1  .        .   100             : Piecewise((1/a, abs(a) > 0.001), (0, True))       : 1/a
    gomea_div     2  .        .   100             : Piecewise((-a, b < 0), (a, True))/abs(b + 0.001)  : a/b
    gomea_log     1  .        .   100             : Piecewise((log(abs(a)), a != 0), (0, True))       : log(abs(a))
    deap_div      2  .        .   100             : Piecewise((a/b, b != 0), (1, True))               : a/b
    factor_terms  1  .        .   100  call       : a
    factor        1  .        .   100  call       : a
    expand        1  .        .   100  call       : a
    simplify      1  .        .   100  call       : a
    together      1  .        .   100  call       : a
    cancel        1  .        .   100  call       : a
    collect_const 1  .        .   100  call       : a
    radsimp       1  .        .   100  call       : a
    powsimp       1  .        .   100  call       : a
    trigsimp      1  .        .   100  call       : a
    nsimplify     1  .        .   100  call       : a
    logcombine    1  .        .   100  call       : a
    ratsimp       1  .        .   100  call       : a
    apart         1  .        .   100  call       : a
"""


def _library_function(name: str) -> Function:
    """Return a function of numpy, else of scipy.special, which is imported at the first call because it is slow."""
    if hasattr(np, name):
        return getattr(np, name)
    return lambda a: getattr(import_module("scipy.special"), name)(a)


def _comparison(function: Function) -> Function:
    """Return a comparison that gives 1 or 0, and NaN where an operand is NaN."""
    return lambda a, b: np.where((a != a) | (b != b), np.nan, function(a, b))


# functions of operators for which numpy has none of the same name
_FUNCTIONS: dict[str, Function] = {
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "neg": np.negative,
    "pow": lambda a, b: a**b,
    **{name: _comparison(getattr(operator, name)) for name in ("lt", "le", "gt", "ge", "eq", "ne")},
    "or": _comparison(lambda a, b: (a != 0) | (b != 0)),
    "and": _comparison(lambda a, b: (a != 0) & (b != 0)),
    "not": lambda a: np.where(a != a, np.nan, np.equal(a, 0)),
    "pi": lambda: np.float64(np.pi),
    "E": lambda: np.float64(np.e),
    "imaginary": lambda: np.float64(np.nan),
    "cube": lambda a: a * a * a,
    "inv": lambda a: 1.0 / a,
    "cot": lambda a: 1.0 / np.tan(a),
    "sec": lambda a: 1.0 / np.cos(a),
    "csc": lambda a: 1.0 / np.sin(a),
    "sigmoid": _library_function("expit"),
    "gauss": lambda a: np.exp(-a * a),
    "max": np.maximum,
    "min": np.minimum,
    # piecewise values: (value, condition, otherwise), and (value, condition) which is undefined elsewhere
    "where": lambda v, c, e: np.where(c != c, np.nan, np.where(c != 0, v, e)),
    "only": lambda v, c: np.where(c != 0, v, np.nan),
    "cond": lambda x, y: np.where(x > 0, y, 0.0),  # PySR
    "aq": lambda a, b: a / np.sqrt(1.0 + b * b),  # Ni, Drieberg, Rockett 2013
    "sqrtabs": lambda a: np.sqrt(np.abs(a)),
    "gplearn_div": lambda a, b: np.where(np.abs(b) > GPLEARN_THRESHOLD, np.divide(a, b), 1.0),
    "gplearn_log": lambda a: np.where(np.abs(a) > GPLEARN_THRESHOLD, np.log(np.abs(a)), 0.0),
    "gplearn_inv": lambda a: np.where(np.abs(a) > GPLEARN_THRESHOLD, 1.0 / a, 0.0),
    "gomea_div": lambda a, b: np.where(b < 0, -1.0, 1.0) * (a / np.abs(b + 1e-3)),
    "gomea_log": lambda a: np.nan_to_num(np.log(np.abs(a)), nan=0.0, posinf=0.0, neginf=0.0),
    "deap_div": lambda a, b: np.where(b != 0, np.divide(a, b), 1.0),
}


def _read_table() -> dict[str, Operator]:
    """Return the operators of the table by name."""
    operators = {}
    for line in _TABLE.strip().splitlines():
        columns, _, formulas = line.partition(":")
        meaning, _, plain = formulas.partition(":")
        name, arity, sympy, symbol, precedence, *properties = columns.split()
        is_call = "call" in properties
        operators[name] = Operator(
            name,
            int(arity),
            _FUNCTIONS.get(name) or _library_function("positive" if is_call else name),
            sympy.strip("."),
            symbol.strip("."),
            int(precedence),
            nodes=0 if is_call else 1,
            parity=("even" in properties) - ("odd" in properties),
            positive="positive" in properties,
            meaning=meaning.strip(),
            plain=plain.strip(),
        )
    return operators


OPERATORS = _read_table()
