"""Read simple Python functions, as language models write them: parsed by `ast`, never compiled or executed."""

import ast
import re
import textwrap
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NoReturn

from srlib.errors import ModelTextError
from srlib.expressions.names import MOST_NAMED, FeatureNames, is_positional
from srlib.expressions.operators import Tape
from srlib.prose import listed

LONGEST_FUNCTION = 20_000  # characters of a function: a person or a language model wrote it
LONGEST_VARIABLE = 2_000  # operands and operators of a variable's tape
_FUNCTION = re.compile(r"^[ \t]*(?:def|return)\b|\sif\s", re.M)
# these work on all rows, or have another meaning in srlib
_REFUSED_FUNCTIONS = frozenset(
    ["sum", "prod", "mean", "max", "min", "add", "sub", "mul", "div", "logit"]
)


def is_function(text: str) -> bool:
    """Return whether a text may be a function in Python, or an expression with its `if`."""
    return len(text) <= LONGEST_FUNCTION and _FUNCTION.search(text) is not None


def read_function(
    text: str,
    names: FeatureNames,
    parser: Callable[[str, FeatureNames, dict[str, Tape]], Any],
) -> Tape:
    r"""Return the tape of a function that consists of assignments to names and a return.

    Parameters of the function are features by name or, if none is a feature's name, by position. A single parameter
    called x or X may be the table of all features, with columns counted from 0. An expression with Python's
    ``a if c else b`` is read, too.

    Parameters
    ----------
    text : str
        The function, its body, or an expression.
    names : FeatureNames
        How names are read.
    parser : callable
        Returns a parser of one expression, which replaces names of variables by their tapes.

    Raises
    ------
    ModelTextError
        Of kind 'no_closed_form' for other statements, such as loops, branches and default values, and for expressions
        that are not a formula of one row; of kind 'unparsed' if the text is not Python.

    Examples
    --------
    >>> from srlib.expressions import parse
    >>> parse("def law(m, r):\n    G = 6.67\n    return G*m/r**2", ["m", "r"])
    Expression(6.67*m/r**2)
    """
    source = textwrap.dedent(text).strip()
    try:
        with warnings.catch_warnings(action="ignore"):
            statements = ast.parse(source, "text").body
        reader = _Reader(source, names, parser)
        match statements:
            case [ast.Expr(value=value)]:
                return reader.formula(value)
        return reader.read(statements)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ModelTextError(f"a Python function was expected, got {error}", text) from None


class _Conditionals(ast.NodeTransformer):
    """Transformer that replaces ``a if c else b`` by ``where(c, a, b)``."""

    def visit_IfExp(self, node: ast.IfExp) -> ast.Call:
        self.generic_visit(node)
        parts = [node.test, node.body, node.orelse]
        return ast.Call(ast.Name("where"), parts, [])


class _Reader:
    """Reader of a function's statements, with the tapes of the variables assigned so far."""

    def __init__(self, source: str, names: FeatureNames, parser: Callable[..., Any]) -> None:
        self.source = source
        self.names = names
        self.parser = parser
        self.variables: dict[str, Tape] = {}

    def refuse(self, sentence: str, node: Any) -> NoReturn:
        """Raise ModelTextError of kind 'no_closed_form', with the line of the statement or expression."""
        lines = self.source.splitlines(keepends=True)[: node.lineno - 1]
        position = sum(map(len, lines)) + node.col_offset
        message = f"{sentence} in line {node.lineno}"
        raise ModelTextError(message, self.source, position, "no_closed_form")

    def read(self, statements: list[ast.stmt]) -> Tape:
        """Return the tape of the value that a function, or its body, returns."""
        for statement in statements:
            match statement:
                case ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant(value=str())):
                    pass
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self.variables[name] = self.formula(value)
                    if len(self.variables[name]) > LONGEST_VARIABLE:
                        self.refuse("a shorter formula was expected", statement)
                case ast.Return(value=ast.expr() as value):
                    return self.formula(value)
                case ast.FunctionDef() if statement is statements[-1] and not self.variables:
                    self.bind_parameters(statement)
                    return self.read(statement.body)
                case _:
                    self.refuse("an assignment to a name or a return was expected", statement)
        raise ModelTextError("a return was expected, got the end", self.source, len(self.source))

    def bind_parameters(self, function: ast.FunctionDef) -> None:
        """Assign features to the parameters: by name, else by position, else x or X as the table of all features."""
        parameters = [parameter.arg for parameter in function.args.args]
        features, exact = self.names.features, self.names.exact
        if function.args.defaults:
            self.refuse("a function without default values was expected", function)
        if features is None or all(name in exact or is_positional(name) for name in parameters):
            return
        if len(parameters) == len(features) and exact.keys().isdisjoint(parameters):
            self.variables = dict(zip(parameters, ((name,) for name in features), strict=True))
        elif parameters in (["x"], ["X"]):
            self.names = replace(self.names, names="x0")
        else:
            names = listed(features, MOST_NAMED)
            self.refuse(f"features as arguments ({names}) were expected", function)

    def formula(self, node: ast.expr) -> Tape:
        """Return the tape of an expression; raise ModelTextError if it is not a formula of one row."""
        for part in ast.walk(node):
            match part:
                # in Python, a list is not a sum, and ^ is not a power
                case ast.List() | ast.BitXor():
                    self.refuse("a closed form was expected", node)
                case ast.Call(func=function, args=arguments):
                    name = ast.unparse(function)
                    is_aggregate = name.rpartition(".")[2] in _REFUSED_FUNCTIONS
                    if is_aggregate and (name not in ("max", "min") or len(arguments) < 2):
                        self.refuse("a function of one row was expected", part)
        text = ast.unparse(_Conditionals().visit(node))
        try:
            return self.parser(text, self.names, self.variables).read()
        except ModelTextError as error:
            sentence, *_ = str(error).partition(" at position ")
        self.refuse(sentence, node)
