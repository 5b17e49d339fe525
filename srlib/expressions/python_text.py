"""Straight-line functions in Python, as language models write them: read through `ast`, never compiled or executed."""

import ast
import re
import textwrap
import warnings
from collections.abc import Sequence
from typing import Any, NoReturn

from srlib.errors import ModelTextError
from srlib.expressions.names import positional
from srlib.expressions.spellings import FUNCTIONS
from srlib.expressions.tree import quoted

LONGEST = 100_000  # characters of a function: a person or a language model wrote it
LONGEST_FORMULA = 1_000_000
_PYTHON = re.compile(r"^[ \t]*(?:def|return)\b|\A\s*```", re.M)
_FENCE = re.compile(r"\A\s*```\w*\n(.*?)```\s*\Z", re.S)
_MODULES = frozenset({"np", "numpy", "math", "sympy", "sp", "jnp", "torch", "special"})
_ROW_FUNCTIONS = frozenset(
    {"sum", "prod", "mean", "div", "logit"}
)  # over all rows, or with another meaning here
_NODES = (
    ast.Constant, ast.Name, ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.IfExp, ast.Call, ast.Attribute,
    ast.Subscript, ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context,
)  # fmt: skip


def formula_of(text: str, features: Sequence[str] | None) -> str | None:
    r"""Write a function of assignments and a return as one formula; None where a text is no Python.

    Arguments are features by name or, where none is, by place.

    Raises
    ------
    ModelTextError
        'no_closed_form' for loops, branches, other functions and constants without a value; 'several_models'.

    Examples
    --------
    >>> formula_of("def law(m, r):\n    G = 6.67\n    return G*m/r**2", ["m", "r"])
    '((6.67) * m / r ** 2)'
    """
    if len(text) > LONGEST or not _PYTHON.search(text):
        return None
    fenced = _FENCE.match(text)
    source = textwrap.dedent(fenced[1] if fenced else text).strip()
    try:
        with warnings.catch_warnings(action="ignore"):
            return _Reader(source, features).body(ast.parse(source).body)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        got = str(error.args[0]) if error.args else "deep brackets"
    raise ModelTextError(f"a Python function was expected, got {got}", text)


class _Reader(ast.NodeTransformer):
    """What names stand for so far (`values`: formulas, or lists of them); visiting an expression puts that in."""

    def __init__(self, text: str, features: Sequence[str] | None) -> None:
        self.text, self.features, self.length = text, features, 0
        self.values: dict[str, Any] = {name: quoted(name) for name in features or ()}

    def refuse(self, expected: str, node: Any, kind: str = "no_closed_form") -> NoReturn:
        """Say what was expected in the place of a statement or an expression."""
        lines = self.text.splitlines(keepends=True)[: node.lineno - 1]
        got = ast.unparse(node).partition("\n")[0][:60]
        position = sum(map(len, lines)) + node.col_offset
        raise ModelTextError(f"{expected} was expected, got {got!r}", self.text, position, kind)

    def body(self, statements: list[ast.stmt]) -> str:
        """Read the body of a function, or assignments and then a function."""
        for statement in statements:
            match statement:
                case ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant(value=str())):
                    pass
                case ast.FunctionDef() if statement is statements[-1]:
                    self.bind_arguments(statement)
                    return self.body(statement.body)
                case ast.Return(value=ast.Tuple() | ast.List()):
                    self.refuse("one model", statement, "several_models")
                case ast.Return(value=ast.expr() as value):
                    return self.value(value)
                case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
                    self.values |= zip(
                        map(ast.unparse, names), map(self.value, values), strict=True
                    )
                case (
                    ast.Assign(targets=[ast.Name(id=name)], value=value)
                    | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
                ):
                    self.values[name] = self.value(value)
                case ast.AugAssign(target=ast.Name(id=name), op=operator, value=value):
                    total = ast.BinOp(ast.Name(name), operator, value)
                    self.values[name] = self.value(ast.copy_location(total, statement))
                case _:
                    self.refuse("an assignment or a return", statement)
        raise ModelTextError("a return was expected, got the end", self.text, len(self.text))

    def bind_arguments(self, function: ast.FunctionDef) -> None:
        """Let arguments stand for features by name, else by place, else for their defaults."""
        names = [argument.arg for argument in function.args.args]
        defaults = function.args.defaults
        required = names[: len(names) - len(defaults)]
        self.values |= zip(names[len(required) :], map(self.value, defaults), strict=True)
        features = required if self.features is None else list(self.features)
        if set(required) <= set(features) or all(map(positional, required)):
            self.values |= zip(required, map(quoted, required), strict=True)
        elif len(required) == len(features) and not set(required) & set(features):
            self.values |= zip(required, map(quoted, features), strict=True)
        elif len(required) == 1:
            self.values[required[0]] = [*map(quoted, features)]  # the table of all features
        else:
            self.refuse(f"features as arguments ({', '.join(features[:6])})", function)

    def value(self, node: ast.expr) -> Any:
        """Read what a name may stand for: a formula in brackets, or a list of them."""
        if isinstance(node, ast.List | ast.Tuple):
            return [*map(self.value, node.elts)]
        return f"({ast.unparse(self.visit(node))})"

    def visit(self, node: ast.AST) -> Any:
        """Visit what may be a part of a formula."""
        text = isinstance(node, ast.Constant) and not isinstance(node.value, int | float)
        xor = isinstance(getattr(node, "op", None), ast.BitXor)  # which is no power in Python
        if text or xor or not isinstance(node, _NODES):
            self.refuse("a closed form", node)
        return super().visit(node)

    def visit_Name(self, node: ast.Name) -> ast.Name:
        """Put in what a name stands for: what was assigned, a feature, or itself."""
        value = self.values.get(node.id, node.id)
        self.length += len(value)
        if not isinstance(value, str) or self.length > LONGEST_FORMULA:
            self.refuse(f"a formula of at most {LONGEST_FORMULA} characters", node)
        return ast.Name(value)

    def visit_Attribute(self, node: ast.Attribute) -> ast.Name:
        """Read a constant of a module."""
        if _name_in_module(node) not in ("pi", "e"):
            self.refuse("a closed form", node)
        return ast.Name(f"np.{node.attr}")

    def visit_Subscript(self, node: ast.Subscript) -> ast.Name:
        """Read a column of the data, or an entry of a list."""
        match node.value, node.slice:
            case ast.Name(id=name), (
                ast.Constant(value=int(place))
                | ast.Tuple(elts=[ast.Slice(None, None), ast.Constant(value=int(place))])
            ):
                values = self.values.get(name)
                if isinstance(values, list) and place < len(values):
                    return ast.Name(values[place])
                if self.features is None and not isinstance(values, list):
                    return ast.Name(f"x[{place}]")
        self.refuse("an entry with a value", node)

    def visit_Call(self, node: ast.Call) -> ast.Call:
        """Read a call of a function that works row by row."""
        name = _name_in_module(node.func) or ""
        call = FUNCTIONS.get(name.lower())
        along_rows = name in ("max", "min") and isinstance(node.func, ast.Attribute)
        if call is None or node.keywords or name.lower() in _ROW_FUNCTIONS:
            self.refuse("a function that srlib knows", node)
        if call.folds and (along_rows or len(node.args) < 2):
            self.refuse("a function of one row", node)
        return ast.Call(ast.Name(f"np.{name}"), [*map(self.visit, node.args)], [])


def _name_in_module(function: ast.expr) -> str | None:
    """Name of a function or constant, without its module; None where it belongs to an unknown object."""
    match function:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id=module), attr=name) if module in _MODULES:
            return name
    return None
