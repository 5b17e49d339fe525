"""Expressions of Python as formulas: arithmetic, conditions, known calls and constants, and nothing else."""

import ast
import math
from collections.abc import Callable, Sequence
from typing import NoReturn

from srlib.errors import ModelTextError
from srlib.expressions.reading.calls import FUNCTIONS
from srlib.expressions.reading.lexer import LONGEST_TEXT
from srlib.expressions.reading.names import positional

MODULES = frozenset({"np", "numpy", "math", "sympy", "sp", "jnp", "torch", "cmath", "onp"})
DEEPEST = 100  # calls of helpers inside of each other
_SIGNS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.Mod: "%", ast.FloorDiv: "//",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.And: " & ",
    ast.Or: " | ", ast.BitAnd: " & ", ast.BitOr: " | ",
}  # fmt: skip
_INFIX = {
    "add": "+", "subtract": "-", "multiply": "*", "mul": "*", "divide": "/", "true_divide": "/", "power": "**",
    "pow": "**", "sub": "-", "div": "/",
}  # fmt: skip
_SAME = frozenset({"float", "float64", "float32", "asarray", "array", "real", "squeeze", "ravel"})
_OVER_ROWS = ("sum", "prod", "mean")  # of all rows, or of a list: no function of one row
Value = str | list[str] | ast.Lambda | ast.FunctionDef
Env = dict[str, Value]
Run = Callable[[list[ast.stmt], Env], str | None]  # reads the statements of a function


class Expressions:
    """What names stand for while a text is read; statements are read by `python`."""

    def __init__(self, text: str, features: Sequence[str] | None, run: Run) -> None:
        self.run = run
        self.text, self.features = text, tuple(features or ())
        self.free = features is None
        self.depth = 0
        self.globals: Env = {}

    def refuse(
        self, message: str, node: ast.AST | None = None, kind: str = "no_closed_form"
    ) -> NoReturn:
        """Say why this is no model, and where."""
        where = 0
        line = getattr(node, "lineno", None)
        if line is not None:
            lines = self.text.splitlines(keepends=True)
            where = sum(map(len, lines[: line - 1])) + getattr(node, "col_offset", 0)
        raise ModelTextError(message, self.text, min(where, len(self.text)), kind)

    def called(self, function: ast.Lambda | ast.FunctionDef, values: Env, outer: Env) -> str:
        """Put the arguments into a function."""
        self.depth += 1
        if self.depth > DEEPEST:
            self.refuse("a function that calls itself is no closed form", function)
        env = outer | values
        if isinstance(function, ast.Lambda):
            result: str | None = self.text_of(function.body, env)
        else:
            result = self.run(function.body, env)
        self.depth -= 1
        if result is None:
            self.refuse("the function does not return a model in every case", function)
        return result

    def arguments(self, function: ast.Lambda | ast.FunctionDef) -> list[str]:
        """Names of the arguments, in order."""
        args = function.args
        if args.vararg or args.kwarg or args.kwonlyargs:
            self.refuse("arguments with a star are no features", function)
        return [argument.arg for argument in [*args.posonlyargs, *args.args]]

    def quoted(self, name: str) -> str:
        """Feature name as the parser reads it."""
        return "`" + name.replace("`", "``") + "`"

    def value(self, node: ast.expr, env: Env) -> Value:
        """Read what a name may stand for: a formula, a list of them, or a function."""
        if isinstance(node, ast.Lambda):
            return node
        if isinstance(node, ast.List | ast.Tuple):
            return [self.text_of(part, env) for part in node.elts]
        if isinstance(node, ast.Call) and node.args and bare(node.func) in ("array", "asarray"):
            return self.value(node.args[0], env)
        if isinstance(node, ast.Name) and isinstance(env.get(node.id), list):
            return env[node.id]
        return self.text_of(node, env)

    def short(self, formula: str) -> str:
        """Give a formula back that is not too long to be read."""
        if len(formula) > LONGEST_TEXT:
            self.refuse(f"put together, this model has more than {LONGEST_TEXT} characters")
        return formula

    def condition(self, node: ast.expr, env: Env) -> str:
        """Read a condition: a number counts as true where it is not 0."""
        formula = self.text_of(node, env)
        if _is_condition(node):
            return formula
        return f"({formula}!=0)"

    def text_of(self, node: ast.expr, env: Env) -> str:
        """Write an expression as a formula."""
        handler: Callable[[ast.expr, Env], str] | None = getattr(
            self, f"_{type(node).__name__.lower()}", None
        )
        if handler is None:
            self.refuse(f"{ast.unparse(node)[:60]!r} is no closed form", node)
        return self.short(handler(node, env))

    def _constant(self, node: ast.Constant, env: Env) -> str:
        value = node.value
        if isinstance(value, bool):
            return str(int(value))
        if not isinstance(value, int | float):
            self.refuse(f"{str(value)[:60]!r} is no number", node)
        if isinstance(value, float) and not math.isfinite(value):
            self.refuse(f"{value} is no finite number", node, "nonfinite")
        if value >= 0:
            return repr(value)
        return f"({value!r})"

    def _name(self, node: ast.Name, env: Env) -> str:
        value = env.get(node.id)
        if isinstance(value, str):
            return value
        if isinstance(value, list) and len(value) == 1:
            return value[0]
        if value is None and node.id == "pi":
            return "pi"
        if value is None and (self.free or node.id in self.features):
            return self.quoted(node.id)
        if value is None and positional(node.id):
            return node.id
        self.refuse(f"{node.id!r} has no value in the text and is no feature", node)

    def _attribute(self, node: ast.Attribute, env: Env) -> str:
        if isinstance(node.value, ast.Name) and node.value.id in MODULES - env.keys():
            if node.attr in ("pi", "e", "inf", "nan"):
                return {"pi": "pi", "e": "E()"}.get(node.attr, node.attr)
            self.refuse(f"{ast.unparse(node)[:60]!r} is no constant", node)
        self.refuse(
            f"{ast.unparse(node)[:60]!r} is an attribute of a stranger, so no closed form", node
        )

    def _subscript(self, node: ast.Subscript, env: Env) -> str:
        index: ast.expr = node.slice
        if (
            isinstance(index, ast.Tuple)
            and len(index.elts) == 2
            and isinstance(index.elts[0], ast.Slice)
        ):
            index = index.elts[1]  # X[:, 3]
        value = None
        if isinstance(node.value, ast.Name):
            value = env.get(node.value.id)
        match index, value:
            case ast.Constant(value=int(place)), list() if place < len(value):
                return value[place]
            case ast.Constant(value=int(place)), _ if self.free and isinstance(
                node.value, ast.Name
            ):
                return f"x[{place}]"
            case ast.Constant(value=str(name)), _ if self.free or name in self.features:
                return self.quoted(name)
        self.refuse(f"{ast.unparse(node)[:60]!r} has no value in the text", node)

    def _binop(self, node: ast.BinOp, env: Env) -> str:
        sign = _SIGNS.get(type(node.op))
        if sign is None or sign == " | ":
            self.refuse(f"{ast.unparse(node)[:60]!r}: this operator is none of numbers", node)
        return f"(({self.text_of(node.left, env)}){sign}({self.text_of(node.right, env)}))"

    def _unaryop(self, node: ast.UnaryOp, env: Env) -> str:
        inner = self.text_of(node.operand, env)
        if isinstance(node.op, ast.Not):
            return f"(~({inner}))"
        if isinstance(node.op, ast.USub):
            return f"(-({inner}))"
        return inner

    def _compare(self, node: ast.Compare, env: Env) -> str:
        sides = [self.text_of(side, env) for side in (node.left, *node.comparators)]
        signs = [_SIGNS.get(type(op)) for op in node.ops]
        if None in signs:
            self.refuse(f"{ast.unparse(node)[:60]!r} is no condition on numbers", node)
        pairs = [f"(({a}){s}({b}))" for a, s, b in zip(sides, signs, sides[1:], strict=False)]
        if len(pairs) == 1:
            return pairs[0]
        return f"({' & '.join(pairs)})"

    def _boolop(self, node: ast.BoolOp, env: Env) -> str:
        if not all(map(_is_condition, node.values)):
            self.refuse(
                f"{ast.unparse(node)[:60]!r}: in Python this is one of its numbers, no truth value",
                node,
            )
        return f"({_SIGNS[type(node.op)].join(self.condition(part, env) for part in node.values)})"

    def _ifexp(self, node: ast.IfExp, env: Env) -> str:
        return f"ite({self.condition(node.test, env)},{self.text_of(node.body, env)},{self.text_of(node.orelse, env)})"

    def _call(self, node: ast.Call, env: Env) -> str:
        name = bare(node.func)
        called = node.func.id if isinstance(node.func, ast.Name) else ""
        local = env.get(called)
        if any(isinstance(argument, ast.Starred) for argument in node.args):
            self.refuse("a starred argument is no closed form", node)
        if isinstance(local, ast.Lambda | ast.FunctionDef):
            names = self.arguments(local)
            given: Env = {n: self.value(a, env) for n, a in zip(names, node.args, strict=False)}
            given |= {k.arg: self.value(k.value, env) for k in node.keywords if k.arg in names}
            later = names[len(names) - len(local.args.defaults) :]
            for later_name, default in zip(later, local.args.defaults, strict=True):
                given.setdefault(later_name, self.value(default, env))
            if set(names) - given.keys() or len(node.args) > len(names):
                self.refuse(
                    f"{ast.unparse(node.func)} takes {len(names)} arguments", node, "unparsed"
                )
            seen = self.globals if self.globals.get(called) is local else env
            return self.called(local, given, seen)
        if name is None:
            self.refuse(f"{ast.unparse(node.func)[:60]!r} is a stranger's, so no closed form", node)
        arguments = [self.text_of(argument, env) for argument in node.args]
        if name in _SAME and len(arguments) == 1:
            return arguments[0]
        if name in _INFIX and len(arguments) == 2:
            return f"(({arguments[0]}){_INFIX[name]}({arguments[1]}))"
        if name in ("where", "select") and len(arguments) == 3:
            return f"ite({self.condition(node.args[0], env)},{arguments[1]},{arguments[2]})"
        call = FUNCTIONS.get(name.lower())
        reduces = name in _OVER_ROWS or (
            call is not None
            and call.fold
            and (
                len(arguments) < 2
                or (name in ("max", "min") and isinstance(node.func, ast.Attribute))
            )
        )
        if call is None or node.keywords or reduces or name.lower() in ("div", "e", "logit"):
            self.refuse(f"{name[:60]!r} is no known function of numbers", node)
        return f"{name}({','.join(arguments)})"


def bare(function: ast.expr) -> str | None:
    """Name of a function that is called, without its module; None where it belongs to a stranger."""
    match function:
        case ast.Name(id=name) | ast.Attribute(value=ast.Name(id="special"), attr=name):
            return name
        case ast.Attribute(value=ast.Name(id=module), attr=name) if module in MODULES:
            return name
    return None


def _is_condition(node: ast.expr) -> bool:
    return isinstance(node, ast.Compare | ast.BoolOp) or (
        isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    )


def is_docstring(statement: ast.stmt) -> bool:
    """Whether a statement is nothing but a text."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )
