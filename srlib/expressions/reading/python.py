"""Functions in Python as language models write them: read through `ast`, never executed, and written as one formula."""

import ast
import textwrap
from collections.abc import Sequence

from srlib.expressions.reading.names import positional
from srlib.expressions.reading.parser import SEVERAL
from srlib.expressions.reading.python_values import Env, Expressions, Value, is_docstring

LONGEST = 100_000  # of a function: a person or a language model wrote it


def from_python(text: str, features: Sequence[str] | None) -> str:
    r"""Write a function in Python, or assignments that end in a model, as one formula.

    Arguments are features by name or, where none is, by place. Nothing is computed.

    Raises
    ------
    ModelTextError
        'no_closed_form' for loops, classes, calls of strangers and constants without a value; 'several_models';
        'unparsed' for what is no Python.

    Examples
    --------
    >>> from_python("def law(m, r):\n    G = 6.67\n    return G*m/r**2", ["m", "r"])
    '((((6.67)*(`m`)))/(((`r`)**(2))))'
    """
    return _Program(text, features).formula()


class _Program:
    def __init__(self, text: str, features: Sequence[str] | None) -> None:
        self.text, self.features, self.free = text, tuple(features or ()), features is None
        self.of = Expressions(text, features, self.run)

    def formula(self) -> str:
        """Read the whole text."""
        if len(self.text) > LONGEST:
            self.of.refuse(f"Python of {len(self.text)} characters, at most {LONGEST} are read")
        try:
            body = ast.parse(textwrap.dedent(self.text).strip()).body
            return self.module(body)
        except (SyntaxError, ValueError) as error:
            self.of.refuse(f"this is no Python that can be read ({error.args[0]})", kind="unparsed")
        except (RecursionError, MemoryError):
            self.of.refuse("this Python is nested too deeply", kind="unparsed")

    def module(self, body: list[ast.stmt]) -> str:
        """Read functions, constants and assignments; what stands last is the model."""
        env = self.of.globals
        last: Value | None = None
        used = {node.id for node in ast.walk(ast.Module(body, [])) if isinstance(node, ast.Name)
                if isinstance(node.ctx, ast.Load)}  # fmt: skip
        used |= {
            s.target.id
            for s in body
            if isinstance(s, ast.AugAssign) and isinstance(s.target, ast.Name)
        }
        idle: list[str] = []
        for place, statement in enumerate(body):
            end = place == len(body) - 1
            if isinstance(statement, ast.Import | ast.ImportFrom | ast.Pass) or is_docstring(
                statement
            ):
                continue
            if isinstance(statement, ast.FunctionDef):
                last = env[statement.name] = statement
                names = [statement.name]
            elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Lambda):
                last, names = statement.value, []
            elif isinstance(statement, ast.Expr):
                last, names = self.of.text_of(statement.value, env), []
            elif isinstance(statement, ast.Return):
                last = self.returned(statement, env)
                names = []
            else:
                names = self.assign(statement, env)
                if taken := sorted({*names} & {*self.features}):
                    self.of.refuse(
                        f"{taken[0]!r} is a feature, and the text gives it a value",
                        statement,
                        "unparsed",
                    )
                last = env[names[-1]]
            idle += [name for name in names if name not in used and not end]
        if last is None or isinstance(last, list):
            self.of.refuse(
                "this Python holds no model: no function, no last assignment", kind="unparsed"
            )
        if idle:
            self.of.refuse(
                f"{SEVERAL} ({idle[0]!r} is not used by the last one)", kind="several_models"
            )
        if isinstance(last, str):
            return last
        arguments = self.of.arguments(last)
        return self.of.called(
            last, dict(zip(arguments, self.given(last, arguments), strict=True)), env
        )

    def given(self, function: ast.Lambda | ast.FunctionDef, arguments: list[str]) -> list[Value]:
        """Find what the arguments of the model stand for: features by name, else by place, else defaults."""
        defaults = function.args.defaults
        values: list[Value] = [self.of.value(node, {}) for node in defaults]
        without = arguments[: len(arguments) - len(values)]
        named = [self.of.quoted(name) for name in without if self.free or name in self.features]
        if len(named) == len(without):
            return [*named, *values]
        if all(map(positional, without)):
            return [*without, *values]
        if len(without) == 1 and without[0].lower() in ("x", "data", "inputs", "features"):
            return [list(map(self.of.quoted, self.features)), *values]
        if len(without) != len(self.features) or len(named):
            odd = next(name for name in without if name not in self.features)
            self.of.refuse(
                f"the argument {odd!r} is no feature and has no value in the text", function
            )
        return [*map(self.of.quoted, self.features), *values]

    def run(self, body: list[ast.stmt], env: Env) -> str | None:
        """Read statements up to a return; None where there is none."""
        for place, statement in enumerate(body):
            if isinstance(statement, ast.Return):
                return self.returned(statement, env)
            if isinstance(statement, ast.Import | ast.ImportFrom | ast.Pass) or is_docstring(
                statement
            ):
                continue
            if isinstance(statement, ast.FunctionDef):
                env[statement.name] = statement
            elif isinstance(statement, ast.If):
                test = self.of.condition(statement.test, env)
                yes, no = dict(env), dict(env)
                results = [self.run(statement.body, yes), self.run(statement.orelse, no)]
                if results != [None, None]:
                    rest = body[place + 1 :]
                    left = results[0] if results[0] is not None else self.run(rest, yes)
                    right = results[1] if results[1] is not None else self.run(rest, no)
                    if left is None or right is None:
                        return None
                    return self.of.short(f"ite({test},{left},{right})")
                for name in yes.keys() | no.keys():
                    a, b = yes.get(name), no.get(name)
                    if a != b and isinstance(a, str) and isinstance(b, str):
                        env[name] = self.of.short(f"ite({test},{a},{b})")
                    elif a is not None and a == b:
                        env[name] = a
                    else:
                        env.pop(name, None)
            else:
                self.assign(statement, env)
        return None

    def returned(self, statement: ast.Return, env: Env) -> str:
        """Read what a function returns."""
        if statement.value is None:
            self.of.refuse("the function returns nothing", statement)
        if isinstance(statement.value, ast.Tuple | ast.List) and len(statement.value.elts) > 1:
            self.of.refuse(f"{SEVERAL} (the function returns {len(statement.value.elts)} values)", statement,
                        "several_models")  # fmt: skip
        return self.of.text_of(statement.value, env)

    def assign(self, statement: ast.stmt, env: Env) -> list[str]:
        """Read an assignment."""
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                env[name] = self.of.value(value, env)
                return [name]
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                env[name] = self.of.value(value, env)
                return [name]
            case ast.AugAssign(target=ast.Name(id=name) as target, op=op, value=value):
                old = ast.copy_location(ast.Name(name, ast.Load()), target)
                env[name] = self.of.text_of(
                    ast.copy_location(ast.BinOp(old, op, value), target), env
                )
                return [name]
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)) if len(
                names
            ) == len(values) and all(isinstance(name, ast.Name) for name in names):
                found = [self.of.value(value, env) for value in values]
                given = [name.id for name in names if isinstance(name, ast.Name)]
                env |= dict(zip(given, found, strict=True))
                return given
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=value) if all(
                isinstance(name, ast.Name) for name in names
            ):
                several = self.of.value(value, env)
                given = [name.id for name in names if isinstance(name, ast.Name)]
                if not isinstance(several, list) or len(several) != len(given):
                    self.of.refuse(f"{', '.join(given)} cannot be told apart", statement)
                env |= dict(zip(given, several, strict=True))
                return given
        what = type(statement).__name__.lower()
        loops = {
            "for": "a loop",
            "while": "a loop",
            "classdef": "a class",
            "with": "a file or a context",
        }
        self.of.refuse(
            f"{loops.get(what, 'a statement of kind ' + what)} is no closed form", statement
        )
