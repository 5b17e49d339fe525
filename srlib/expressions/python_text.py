"""Straight-line functions in Python, as language models write them: read through `ast`, never compiled or executed."""

import ast
import re
import textwrap
from collections.abc import Sequence
from typing import Any, NoReturn

from srlib.errors import ModelTextError
from srlib.expressions.calls import FUNCTIONS
from srlib.expressions.lexer import LONGEST_TEXT
from srlib.expressions.names import positional
from srlib.expressions.parser import SEVERAL

LONGEST = 100_000  # of a function: a person or a language model wrote it
_PYTHON = re.compile(r"^[ \t]*(?:def|return)\b|\A\s*```", re.M)
_FENCE = re.compile(r"\A\s*```\w*\n(.*?)```\s*\Z", re.S)
_MODULES = frozenset({"np", "numpy", "math", "sympy", "sp", "jnp", "torch", "special"})
_NODES = (
    ast.Constant, ast.Name, ast.Attribute, ast.Subscript, ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.IfExp,
    ast.Call, ast.expr_context, ast.unaryop, ast.boolop, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.Mod,
    ast.FloorDiv, ast.BitAnd, ast.BitOr, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq,
)  # fmt: skip
# over all rows, or what means another function here
_OTHERS = frozenset({"sum", "prod", "mean", "div", "logit"})


def from_python(text: str, features: Sequence[str] | None) -> str | None:
    r"""Write a function of assignments and a return as one formula; None where a text is no Python.

    Arguments are features by name or, where none is, by place. Nothing is computed.

    Raises
    ------
    ModelTextError
        'no_closed_form' for loops, branches, calls of strangers and constants without a value; 'several_models'.

    Examples
    --------
    >>> from_python("def law(m, r):\n    G = 6.67\n    return G*m/r**2", ["m", "r"])
    '((6.67) * `m` / `r` ** 2)'
    """
    if len(text) > LONGEST or not _PYTHON.search(text):
        return None
    fenced = _FENCE.match(text)
    source = textwrap.dedent(fenced[1] if fenced else text).strip()
    try:
        return _Reader(source, features).model(ast.parse(source).body)
    except (SyntaxError, ValueError) as error:
        why = f"this is no Python that can be read ({error.args[0]})"
    except (RecursionError, MemoryError):
        why = "this Python is nested too deeply"
    raise ModelTextError(why, text)


class _Reader(ast.NodeTransformer):
    """What names stand for so far (`values`); visiting an expression puts that in their place."""

    def __init__(self, text: str, features: Sequence[str] | None) -> None:
        self.text, self.free, self.features = text, features is None, tuple(features or ())
        self.values: dict[str, str | list[str]] = {}
        self.length = 0

    def refuse(self, what: str, node: ast.AST, kind: str = "no_closed_form") -> NoReturn:
        """Say what is not read, and where."""
        lines = self.text.splitlines(keepends=True)[: getattr(node, "lineno", 1) - 1]
        where = sum(map(len, lines)) + getattr(node, "col_offset", 0)
        raise ModelTextError(what, self.text, min(where, len(self.text)), kind)

    def model(self, body: list[ast.stmt]) -> str:
        """Read a function with the constants before it, or the body of one."""
        if body and isinstance(function := body[-1], ast.FunctionDef):
            self.run(body[:-1])
            self.arguments(function.args)
            body = function.body
        found = self.run(body)
        if found is None:
            raise ModelTextError("this Python returns no model", self.text)
        return found

    def run(self, body: list[ast.stmt]) -> str | None:
        """Read assignments up to a return."""
        for statement in body:
            match statement:
                case ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant(value=str())):
                    continue
                case ast.Return(value=ast.Tuple() | ast.List()):
                    self.refuse(f"{SEVERAL} (it returns a list)", statement, "several_models")
                case ast.Return(value=ast.expr() as value):
                    return self.formula(value)
                case ast.Assign(targets=[ast.Tuple(elts=names)], value=value):
                    several = self.value(value)
                    if isinstance(several, str) or len(several) != len(names):
                        self.refuse("these names do not have a value each", statement)
                    self.values |= {ast.unparse(n): v for n, v in zip(names, several, strict=True)}
                case (
                    ast.Assign(targets=[ast.Name(id=name)], value=value)
                    | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
                ):
                    self.values[name] = self.value(value)
                case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
                    self.values[name] = self.formula(ast.BinOp(ast.Name(name), op, value))
                case _:
                    what = type(statement).__name__.lower()
                    why = (
                        f"{what!r} is no closed form: of Python, assignments and a return are read"
                    )
                    self.refuse(why, statement)
        return None

    def arguments(self, given: ast.arguments) -> None:
        """Find what arguments stand for: features by name, else by place, else their defaults."""
        names = [argument.arg for argument in (*given.posonlyargs, *given.args)]
        without = names[: len(names) - len(given.defaults)]
        for name, default in zip(names[len(without) :], given.defaults, strict=True):
            self.values[name] = self.value(default)
        if self.free or set(without) <= set(self.features):
            self.values |= {name: _quoted(name) for name in without}
        elif all(map(positional, without)):
            self.values |= dict(zip(without, without, strict=True))
        elif len(without) == 1 and without[0].lower() in ("x", "data", "inputs", "features"):
            self.values[without[0]] = [*map(_quoted, self.features)]
        elif len(without) == len(self.features) and not set(without) & set(self.features):
            self.values |= dict(zip(without, map(_quoted, self.features), strict=True))
        else:
            odd = next(name for name in without if name not in self.features)
            self.refuse(f"argument {odd!r} is no feature and has no value in the text", given)

    def value(self, node: ast.expr) -> str | list[str]:
        """Read what a name may stand for: a formula, or a list of them."""
        if isinstance(node, ast.List | ast.Tuple):
            return [*map(self.formula, node.elts)]
        several = self.values.get(node.id) if isinstance(node, ast.Name) else None
        return several if isinstance(several, list) else self.formula(node)

    def formula(self, node: ast.expr) -> str:
        """Write an expression as a formula in brackets."""
        return f"({ast.unparse(self.visit(node))})"

    def visit(self, node: ast.AST) -> Any:
        """Visit what may be a part of a formula."""
        number = not isinstance(node, ast.Constant) or isinstance(node.value, int | float)
        if not number or not isinstance(node, _NODES):
            what = ast.unparse(node)[:60] or type(node).__name__
            self.refuse(f"{what!r} is no closed form", node)
        return super().visit(node)

    def visit_Name(self, node: ast.Name) -> ast.Name:
        """Put in what a name stands for: what was assigned, a feature, a position, or pi."""
        value = self.values.get(node.id)
        if value is None and (node.id in self.features or (self.free and node.id != "pi")):
            value = _quoted(node.id)
        elif value is None and (node.id == "pi" or positional(node.id)):
            value = node.id
        if not isinstance(value, str):
            self.refuse(f"{node.id!r} has no value in the text and is no feature", node)
        self.length += len(value)
        if self.length > LONGEST_TEXT:
            self.refuse(f"put together, this has more than {LONGEST_TEXT} characters", node)
        return ast.Name(value)

    def visit_Attribute(self, node: ast.Attribute) -> ast.Name:
        """Read a constant of a module."""
        if _bare(node) not in ("pi", "e"):
            self.refuse(f"{ast.unparse(node)[:60]!r} is a stranger's, so no closed form", node)
        return ast.Name(f"np.{node.attr}")

    def visit_Subscript(self, node: ast.Subscript) -> ast.Name:
        """Read a column of the data, or an entry of a list."""
        match node.value, node.slice:
            case ast.Name(id=name), (
                ast.Constant(value=int(k))
                | ast.Tuple(elts=[ast.Slice(None, None), ast.Constant(value=int(k))])
            ):
                several = self.values.get(name)
                if isinstance(several, list) and k < len(several):
                    return ast.Name(several[k])
                if self.free and not isinstance(several, list):
                    return ast.Name(f"x[{k}]")
        self.refuse(f"{ast.unparse(node)[:60]!r} has no value in the text", node)

    def visit_Call(self, node: ast.Call) -> ast.Call:
        """Read a call of a known function of numbers."""
        name = _bare(node.func) or ""
        call = FUNCTIONS.get(name.lower())
        if call is None or node.keywords or name in self.values or name.lower() in _OTHERS:
            called = ast.unparse(node.func)[:60]
            self.refuse(f"{called!r} is a stranger's, or no known function of numbers", node)
        along = name in ("max", "min") and isinstance(node.func, ast.Attribute)
        if call.fold and (along or len(node.args) < 2):
            self.refuse(f"{name!r} of all rows is no function of one", node)
        return ast.Call(ast.Name(f"np.{name}"), [*map(self.visit, node.args)], [])


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _bare(function: ast.expr) -> str | None:
    """Name of a function or constant, without its module; None where it belongs to a stranger."""
    match function:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id=module), attr=name) if module in _MODULES:
            return name
    return None
