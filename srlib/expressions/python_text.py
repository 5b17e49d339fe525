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
_PYTHON = re.compile(r"^[ \t]*(?:def|return)\b|\A\s*```|\sif\s", re.M)
_FENCE = re.compile(r"\A\s*```\w*\n|```\s*\Z")
_NAME = re.compile(r"(?:(?:np|numpy|math|sympy|sp|jnp|torch|special)\.)?(\w+)")  # also of a module
# over all rows, or with another meaning here
_ROW_FUNCTIONS = frozenset({"sum", "prod", "mean", "div", "logit"})
_NODES = (
    ast.Constant, ast.Name, ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.IfExp, ast.Call, ast.Attribute,
    ast.Subscript, ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context,
)  # fmt: skip


def formula_of(text: str, features: Sequence[str] | None) -> str | None:
    r"""Write a function of assignments and a return as one formula; None where a text is no Python.

    Arguments are features by name or, where none is, by place; a single one may be the table of all features. An
    expression with Python's ``a if c else b`` is read, too.

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
    source = textwrap.dedent(_FENCE.sub("", text)).strip()
    try:
        with warnings.catch_warnings(action="ignore"):
            statements = ast.parse(source).body
            reader = _Reader(source, features)
            if len(statements) == 1 and isinstance(statements[0], ast.Expr):
                return reader.formula(statements[0].value)
            return reader.body(statements)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        got = str(error.args[0]) if error.args else "deep brackets"
    raise ModelTextError(f"a Python function was expected, got {got}", text)


class _Reader(ast.NodeTransformer):
    """What names stand for so far (`values`, formulas); visiting an expression puts that in."""

    def __init__(self, text: str, features: Sequence[str] | None) -> None:
        self.text, self.features, self.length = text, features, 0
        self.values = {name: quoted(name) for name in features or ()}

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
                    return self.formula(value)
                case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
                    self.assign(names, values)
                case (
                    ast.Assign(targets=[ast.Name() as name], value=value)
                    | ast.AnnAssign(target=ast.Name() as name, value=ast.expr() as value)
                ):
                    self.assign([name], [value])
                case ast.AugAssign(target=ast.Name() as name, op=operator, value=value):
                    total = ast.BinOp(name, operator, value)
                    self.assign([name], [ast.copy_location(total, statement)])
                case _:
                    self.refuse("an assignment or a return", statement)
        raise ModelTextError("a return was expected, got the end", self.text, len(self.text))

    def assign(self, names: list[ast.expr], values: list[ast.expr]) -> None:
        """Let names stand for formulas, all of which are read before."""
        formulas = [*map(self.formula, values)]
        self.values |= zip(map(ast.unparse, names), formulas, strict=True)

    def bind_arguments(self, function: ast.FunctionDef) -> None:
        """Let arguments stand for features by name, else by place, else for their defaults."""
        names = [argument.arg for argument in function.args.args]
        defaults = [*map(self.formula, function.args.defaults)]
        required = names[: len(names) - len(defaults)]
        self.values |= zip(names[len(required) :], defaults, strict=True)
        features = required if self.features is None else list(self.features)
        by_place = len(required) == len(features) and not set(required) & set(features)
        if set(required) <= set(features) or all(map(positional, required)):
            features = required
        elif not by_place and len(required) == 1:  # the table of all features
            required = [
                f"{required[0]}[{rows}{k}]" for rows in ("", ":, ") for k in range(len(features))
            ]
            features *= 2
        elif not by_place:
            self.refuse(f"features as arguments ({', '.join(features[:6])})", function)
        self.values |= zip(required, map(quoted, features), strict=True)

    def formula(self, node: ast.expr) -> str:
        """Write an expression as a formula in brackets."""
        return f"({ast.unparse(self.visit(node))})"

    def visit(self, node: ast.AST) -> Any:
        """Visit what may be a part of a formula."""
        text = isinstance(node, ast.Constant) and not isinstance(node.value, int | float)
        xor = isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitXor)  # no power in Python
        if text or xor or not isinstance(node, _NODES):
            self.refuse("a closed form", node)
        if isinstance(node, ast.Name | ast.Attribute | ast.Subscript):
            return self.visit_name(node)
        return super().visit(node)

    def visit_name(self, node: ast.expr) -> ast.Name:
        """Put in what a name or a column stands for: what was assigned, a feature, a constant, or itself."""
        name = ast.unparse(node)
        value = self.values.get(name)
        if value is None and _name_of(node) in ("pi", "e"):
            value = f"np.{_name_of(node)}"
        elif value is None:
            if not isinstance(node, ast.Name) and (
                self.features or isinstance(node, ast.Attribute)
            ):
                self.refuse("a feature or a constant", node)
            value = name
        self.length += len(value)
        if self.length > LONGEST_FORMULA:
            self.refuse(f"a formula of at most {LONGEST_FORMULA} characters", node)
        return ast.Name(value)

    def visit_IfExp(self, node: ast.IfExp) -> ast.Call:
        """Read a conditional as a call."""
        parts = [node.test, node.body, node.orelse]
        return self.visit_Call(ast.Call(ast.Name("where"), parts, []))

    def visit_Call(self, node: ast.Call) -> ast.Call:
        """Read a call of a function that works row by row."""
        name = _name_of(node.func)
        call = FUNCTIONS.get(name.lower())
        along_rows = name in ("max", "min") and isinstance(node.func, ast.Attribute)
        if call is None or node.keywords or name.lower() in _ROW_FUNCTIONS:
            self.refuse("a function that srlib knows", node)
        if call.folds and (along_rows or len(node.args) < 2):
            self.refuse("a function of one row", node)
        return ast.Call(ast.Name(f"np.{name}"), [*map(self.visit, node.args)], [])


def _name_of(node: ast.expr) -> str:
    """Name of a function or constant, without its module; empty where it belongs to an unknown object."""
    name = _NAME.fullmatch(ast.unparse(node))
    return name[1] if name else ""
