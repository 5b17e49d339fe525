"""Model text to tree: one tokenizer and one precedence parser without recursion; nothing in a text is ever executed."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, NoReturn

from srlib.errors import ModelTextError
from srlib.expressions import spellings
from srlib.expressions.names import INDEX, NAMES, exact_names, resolve
from srlib.expressions.operators import OPERATORS, Item, Operator
from srlib.expressions.python_text import formula_of
from srlib.expressions.tree import NONFINITE, Expression, is_condition, number

LONGEST_TEXT = 1_000_000
DEEPEST = 100_000  # open brackets and waiting operators

_NUMBER = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_TOKENS = (
    rf"{_NUMBER}|\*\*|//|[-+*/^(),]"  # the most frequent ones first
    r"|(?:Float|Symbol)\s*\(\s*'[^']*'(?:\s*,\s*\w+\s*=\s*\w+)*\s*\)"  # leaves of sympy's srepr
    rf"|{INDEX}"
    r"|[xX]_?[0-9]{1,6}(?=p/)"  # GP-GOMEA prints x0p/x1
    r"|if-then-else(?=\()"
    rf"|(?:(?:np|numpy|math|sympy|sp)\.)?{_NAME}"
    r"|`(?:[^`]|``)+`"  # our own quotation of odd names
    r"|<=|>=|==|!=|[\[\]|<>&~]|\S"
)
_WORD = re.compile(r"[A-Za-z_]|`.")
_DIGITS = frozenset("0123456789.")
# what shows LaTeX, Mathematica, PySINDy, templates, lists in prefix form and handwriting
_FOREIGN = re.compile(
    r"[\\$'#]|(?<![<>=!])=(?!=)|[_^]\{|\b[A-Z]\w*\[|[^\x00-\x7f]|\A\W*[a-z]\w*\W*,"
)
_READ = (
    " (srlib reads 0.4*x1 - sin(x2), add(x1, 2) and Python functions; no LaTeX, no prefix lists)"
)
_OPERAND = "a number, a feature or a bracket"
_TERNARY, _COMPARISON, _JUNCTIONS, _NOT_FROM_LEFT = 5, 30, frozenset({15, 20, 35, 40}), (80, 30)
_OTHERWISE = ([",", "True"], [",", "true"])  # how the last pair of Piecewise ends


def parse(text: str, features: Sequence[str] | None = None, *, names: str = "auto") -> Expression:
    """Read a model text of any dialect in `srlib.expressions.spellings`; nothing in it is ever executed.

    Parameters
    ----------
    text : str
        The model.
    features : sequence of str, optional
        The problem's features in order; without them any name is a feature. With them ``E`` and ``e`` are Euler's
        number, where no feature is called so.
    names : {'auto', 'auto-x1', 'features', 'x0', 'x1'}
        How positional names (``x3``, ``x_3``, ``X3``, ``X_3``, ``x[:, 3]``) are read: as positions from 0 or 1 ('x0',
        'x1'), even where a feature has that very name; not at all ('features'); or as the feature of that name where
        there is one, else from 0 ('auto') or from 1 ('auto-x1'). Beside an ``x0`` that is no feature, ``x1`` is the
        second feature in any case. `positional_bases` finds what a text shows by itself.

    Raises
    ------
    ModelTextError
        With what was expected, what came, the position, an excerpt and a `kind`: 'empty', 'nonfinite' (nan, inf, zoo,
        1e400), 'several_models', 'no_closed_form' (a program that is no formula) or 'unparsed'.

    Examples
    --------
    >>> parse("mul(add(X0, -0.137), X1)", features=["a", "cell size"])
    Expression((a + (-0.137))*`cell size`)
    """
    if names not in NAMES:
        raise ValueError(f"names={names!r}, allowed: {', '.join(NAMES)}")
    try:
        return Expression(tuple(_Parser(text, features, names).read()))
    except ModelTextError as error:
        formula = formula_of(text, features) if error.kind == "unparsed" else None
        if formula is None:
            raise
        return Expression(tuple(_Parser(formula, features, names).read()))


@cache
def meaning_of(operator: Operator) -> tuple[Item, ...]:
    """Tape of what an operator means, of its arguments `a` and `b`."""
    return parse(operator.meaning).tape


@lru_cache(maxsize=256)
def _token_pattern(features: tuple[str, ...]) -> re.Pattern[str]:
    """Pattern of one token; feature names that are no plain words are tried first, the longest first."""
    parts = []
    for name in sorted(set(features), key=len, reverse=True):
        if not re.fullmatch(rf"{_NAME}|{_NUMBER}|\s*", name):
            before = r"(?<![A-Za-z0-9_.])" if re.match(r"[\w.]", name) else ""
            after = r"(?![A-Za-z0-9_])" if re.search(r"\w\Z", name) else ""
            parts.append(before + re.escape(name) + after)
    return re.compile("|".join([*parts, _TOKENS]))


@dataclass(slots=True)
class _Group:
    """An open bracket: what it calls, its complete arguments, and where its next argument starts on the tape."""

    closer: str
    call: spellings.Call
    name: str
    start: int
    count: int = 0
    pairs: int = 0  # of (value, condition) in Piecewise
    otherwise: bool = False  # whether the last pair's condition is True
    condition: Any = None  # of a conditional, until its first value is on the tape


class _Parser:
    """One run over the tokens: operands go to the tape, operators wait on a stack for what binds less tightly.

    An entry of the stack is (precedence, items for the tape, index of the token); open brackets have precedence -1.
    """

    def __init__(self, text: str, features: Sequence[str] | None, names: str) -> None:
        if len(text) > LONGEST_TEXT:
            sentence = f"a text of at most {LONGEST_TEXT} characters was expected, got {len(text)}"
            raise ModelTextError(sentence, text, 0)
        if not text.strip():
            raise ModelTextError("a model text was expected, got an empty one", text, 0, "empty")
        known = tuple(features or ())
        self.text, self.features, self.names = text, features, names
        self.exact = exact_names(text, known, names)
        self.pattern = _token_pattern(known)
        tokens = self.pattern.findall(text)
        self.dialect = spellings.dialect_of(tokens)
        self.tokens = [*tokens, "", ""]  # so that there is always a next one
        self.items: dict[str, Item] = {}  # what tokens mean
        self.tape: list[Any] = []
        self.stack: list[tuple[float, tuple[Item, ...] | None, int]] = []
        self.groups: list[_Group] = []
        self.open("", spellings.BRACKET, "", 0)

    def refuse(self, expected: str, index: int, kind: str = "unparsed") -> NoReturn:
        """Say what was expected at a token."""
        starts = [match.start() for match in self.pattern.finditer(self.text)] + [len(self.text)]
        token = repr(self.tokens[index][:60]) if self.tokens[index] else "the end"
        hint = _READ if _FOREIGN.search(self.text) else ""
        message = f"{expected} was expected, got {token}{hint}"
        raise ModelTextError(message, self.text, starts[index], kind)

    def read(self) -> list[Item]:
        """Read all tokens; the result is the postfix tape."""
        tokens, tape, items, signs = self.tokens, self.tape, self.items, spellings.INFIX
        count, index, awaiting = len(tokens) - 2, 0, True
        while index < count:
            token = tokens[index]
            if not awaiting:
                if token in signs and (token != "|" or self.groups[-1].closer != "|"):
                    self.infix(token, index)
                    awaiting = True
                else:
                    index, awaiting = self.after_operand(index)
            elif token in items and tokens[index + 1] != "(":
                tape.append(items[token])
                awaiting = False
            elif token[0] in _DIGITS:
                tape.append(self.number(token, index))
                awaiting = False
            else:
                index, awaiting = self.operand(index)
            index += 1
        if awaiting:
            self.refuse(_OPERAND, count)
        self.reduce(0)
        if len(self.groups) > 1:
            self.refuse(repr(self.groups[-1].closer), count)
        return _flattened(tape) if list in map(type, tape) else tape

    def wait(self, precedence: float, items: tuple[Item, ...] | None, index: int) -> None:
        """Put an operator or a bracket on the stack."""
        if len(self.stack) > DEEPEST:
            self.refuse(f"a text nested at most {DEEPEST} deep", index)
        self.stack.append((precedence, items, index))

    def open(self, closer: str, call: spellings.Call, name: str, index: int) -> None:
        """Open a bracket."""
        self.wait(-1, (), index)
        self.groups.append(_Group(closer, call, name, len(self.tape)))

    def reduce(self, precedence: float) -> None:
        """Move waiting operators that bind at least as tightly to the tape."""
        while self.stack[-1][0] >= precedence:
            binding, items, index = self.stack.pop()
            if items is None:
                self.refuse("an else behind this if", index)
            if binding in _JUNCTIONS:
                self.expect_condition(index)
            self.tape.extend(items)

    def expect_condition(self, index: int) -> None:
        """Refuse a junction of numbers: several models, or bits, or one of the numbers may be meant."""
        if not is_condition(self.tape[-1]):
            bar = self.tokens[index] == "|"
            models, kind = ("one model, or ", "several_models") if bar else ("", "unparsed")
            self.refuse(f"{models}a condition on both sides", index, kind)

    def infix(self, token: str, index: int) -> None:
        """Let an infix operator wait, after those that bind at least as tightly."""
        precedence, items = spellings.INFIX[token]
        bound = precedence + (precedence in _NOT_FROM_LEFT)
        if self.stack[-1][0] >= bound:
            self.reduce(bound)
        if precedence == _COMPARISON == self.stack[-1][0]:
            self.refuse("a single comparison, or brackets around one,", index)
        if precedence in _JUNCTIONS:
            self.expect_condition(index)
        self.wait(precedence, items, index)

    def operand(self, index: int) -> tuple[int, bool]:
        """Read an operand or what precedes one; return the last token's index and whether an operand is awaited."""
        token, following, third = self.tokens[index : index + 3]
        if token in self.exact:
            item: Item = token
        elif token == "(":
            return self.call("", index - 1)
        elif token == "-" and following[:1] in _DIGITS and third not in ("**", "^"):
            self.tape.append(-self.number(following, index + 1))  # a minus belongs to its number
            return index + 1, False
        elif token in spellings.PREFIX:
            self.wait(*spellings.PREFIX[token], index)
            return index, True
        elif token == "+":
            return index, True
        elif token in spellings.BRACKETS:
            self.open(*spellings.BRACKETS[token], "", index)
            return index, True
        elif "'" in token and len(token) > 1:  # Float('0.5', precision=53) or Symbol('x')
            text = token.split("'")[1].strip()
            item = self.number(text, index) if token[0] == "F" else self.meaning(text, index)
        elif not _WORD.match(token) or token in ("and", "or"):
            self.refuse(_OPERAND, index)
        elif following == "(" and token[0] != "`":
            return self.call(token.rpartition(".")[2], index)
        else:
            item = self.meaning(token, index)
        self.tape.append(item)
        self.items[token] = item
        return index, False

    def meaning(self, name: str, index: int) -> Item:
        """Item that a name stands for where it is not called."""
        item = resolve(name, self.features, self.names, self.exact)
        if name.lower() in NONFINITE and (item is None or self.features is None):
            self.refuse("a finite number", index, "nonfinite")
        if item is None and spellings.function_named(name):
            self.refuse(f"the argument of {name} in round brackets", index + 1)
        if item is None:
            self.refuse(f"a feature ({', '.join((self.features or ())[:6])})", index)
        return item

    def number(self, token: str, index: int) -> int | float:
        """Constant that a token stands for."""
        try:
            value = float(token)
        except ValueError:
            self.refuse(_OPERAND, index)
        if not math.isfinite(value):
            self.refuse("a finite number", index, "nonfinite")
        return number(value)

    def call(self, name: str, index: int) -> tuple[int, bool]:
        """Open the bracket of a function, or one without a name; the result is that of `operand`."""
        in_piecewise = self.groups[-1].call is spellings.PIECEWISE and self.stack[-1][0] < 0
        if in_piecewise and name.lower() in ("", "exprcondpair", "tuple"):
            call, name = spellings.PAIR, "a pair"
        else:
            call = spellings.function_named(name, self.dialect) if name else spellings.BRACKET
        if call is None:
            self.refuse("a function that srlib knows", index)
        if call.fewest:
            self.open(")", call, name, index)
            return index + 1, True
        if self.tokens[index + 2] != ")":
            self.refuse(f"the ')' of {name}", index + 2)
        self.tape.extend(call.after[0])
        return index + 2, False

    def after_operand(self, index: int) -> tuple[int, bool]:
        """Read what may stand after an operand and is no infix operator; the result is that of `operand`."""
        tokens, token, group = self.tokens, self.tokens[index], self.groups[-1]
        if token == "p" and tokens[index + 1] == "/":
            self.infix("p/", index)
            return index + 1, True
        if token == "(" and tokens[index - 1] == ")":  # adjacent brackets are a product
            self.infix("*", index)
            return index - 1, True
        if token in ("if", "else"):  # Python: a if c else b
            self.reduce(_TERNARY + 1)
            if token == "else" and self.stack.pop()[1] is not None:
                self.refuse("an if before its else", index)
            self.wait(_TERNARY, (OPERATORS["where"],) if token == "else" else None, index)
            return index, True
        if token not in (",", group.closer):
            product = ", such as the * of a product," if token[0].isalnum() or token == "(" else ""
            closer = repr(group.closer) if group.closer else "the end"
            self.refuse(f"an operator{product} or {closer}", index)
        if group.call is spellings.PIECEWISE and (
            self.stack[-1][0] >= 0 or group.pairs != group.count + 1
        ):
            self.refuse("a (value, condition) pair", index)
        self.reduce(0)
        self.finish_argument(group, token == ",", index)
        return index, token == ","

    def finish_argument(self, group: _Group, comma: bool, index: int) -> None:
        """Put on the tape what follows an argument of a bracket; close the bracket behind its last one."""
        tape, call, place = self.tape, group.call, group.count
        last = len(call.after) - 1
        if comma and place >= last and not call.folds:
            end = f"')' behind {place + 1} argument(s) of {group.name}" if group.name else "the end"
            self.refuse(f"an operator or {end} (decimals have a point)", index)
        if call is spellings.IF_ELSE and place == 0:
            group.condition = tape[group.start :]
            del tape[group.start :]
        elif call is spellings.IF_ELSE and place == 1:
            tape.append(group.condition)
        elif call is spellings.PAIR and place == 1:
            self.groups[-2].otherwise = self.tokens[index - 2 : index] in _OTHERWISE
            self.groups[-2].pairs += 1
        tape.extend(call.after[min(place, last)])
        group.count, group.start = place + 1, len(tape)
        if comma:
            return
        if group.count < call.fewest:
            self.refuse(f"argument {group.count + 1} of {group.name}", index)
        self.stack.pop()
        self.groups.pop()
        if call is spellings.MEAN:
            tape += (group.count, OPERATORS["div"])
        elif call is spellings.PIECEWISE:
            if group.otherwise:
                tape.pop()
            else:
                tape.append(OPERATORS["only"])
            tape += [OPERATORS["where"]] * (group.count - 1)


def _flattened(tape: list[Any]) -> list[Item]:
    """Lay out the conditions that conditionals put on the tape as lists."""
    result: list[Item] = []
    waiting = tape[::-1]
    while waiting:
        item = waiting.pop()
        if isinstance(item, list):
            waiting.extend(reversed(item))
        else:
            result.append(item)
    return result
