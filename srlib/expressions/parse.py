"""Parse model texts: a tokenizer and a precedence parser without recursion; nothing in a text is ever executed."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NoReturn

from srlib.errors import ModelTextError, require
from srlib.expressions import spellings
from srlib.expressions.names import (
    INDEX,
    MOST_NAMED,
    NAMES,
    POSITIONAL,
    FeatureNames,
    folded,
    folding,
)
from srlib.expressions.operators import OPERATORS, Item, Tape
from srlib.expressions.python_text import is_function, read_function
from srlib.expressions.tree import (
    COMPARISON_PRECEDENCE,
    NONFINITE,
    PLAIN_NAME,
    Expression,
    is_condition,
    number,
)
from srlib.prose import listed

UNSTATED_NUMBERING = (
    "one numbering of features was expected, got a text that fits x0 and x1 with different models; state how features "
    "are named: x0 or x1 in the column names of the table, or --names METHOD=x0,"
)
LONGEST_TEXT = 1_000_000
DEEPEST_NESTING = 100_000  # open brackets

_NUMBER = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_TOKENS = (
    rf"[\r\n][ \t]*[-+(](?=\S)|{_NUMBER}|\*\*|//|[-+*/^(),]"  # the most frequent ones first
    r"|(?:Float|Symbol)\s*\(\s*'[^']*'(?:\s*,\s*\w+\s*=\s*\w+)*\s*\)"  # leaves of sympy's srepr
    rf"|{INDEX}"
    r"|[xX]_?[0-9]{1,6}(?=p/)"  # GP-GOMEA prints x0p/x1
    r"|if-then-else(?=\()"
    r"|(?:pi|E|imaginary)\(\)"
    rf"|(?:(?:np|numpy|math|sympy|sp|jnp|torch|special)\.)?{_NAME}"
    r"|`(?:[^`]|``)+`"  # srlib's quotation of unusual names
    r"|<=|>=|==|!=|[\[\]|<>&~]|\S"
)
_WORD = re.compile(r"[A-Za-z_]|`.")
_DIGITS = frozenset("0123456789.")
# signs of LaTeX, Mathematica, PySINDy, templates, lists in prefix form and handwriting
_FOREIGN = re.compile(
    r"[\\$'#]|(?<![<>=!])=(?!=)|[_^]\{|\b[A-Z]\w*\[|[^\x00-\x7f]|\A\W*[a-z]\w*\W*,"
)
# what refuses a list of models, but not a decimal comma
_NEXT_LINE = re.compile(r"[\w(|`]")
_NEXT_ITEM = re.compile(r"(?<=.)(?:;|(?<!\d),|,(?!\d))\s*[^\s,;)\]}]|['\"{](?=[^,;|]*[,;|])")
_HINT = (
    " (srlib reads 0.4*x1 - sin(x2), add(x1, 2) and Python functions; no LaTeX, no prefix lists)"
)
_OPERAND = "a number, a feature or a bracket"
# precedences of words and signs for and, or; precedences of ** and comparisons, which do not group from the left
_JUNCTION_PRECEDENCES = (15, 20, 35, 40)
_NOT_FROM_LEFT = (80, COMPARISON_PRECEDENCE)


def parse(
    text: str, features: Sequence[str] | None = None, *, names: str | None = None
) -> Expression:
    """Parse a model text in any dialect of `srlib.expressions.spellings`; nothing in it is ever executed.

    Parameters
    ----------
    text : str
        The model.
    features : sequence of str, optional
        The problem's features in order; without them any name is a feature. With them, ``E`` and ``e`` are Euler's
        number unless a feature has this name. A name before a bracket is a function if there is one of that name.
    names : {'features', 'x0', 'x1'}, optional
        Whether features have their own names or positional ones (``x3``, ``X_3``, ``x[:, 3]``) from 0 or 1, even
        if a feature is called so. By default the only one that fits, else 'features' if it fits; else an error.

    Raises
    ------
    ModelTextError
        When the text cannot be read. The message says what was expected and found, and where; `kind` is 'empty',
        'nonfinite' (nan, inf, zoo, 1e400), 'several_models', 'no_closed_form' (a program that is not a formula) or
        'unparsed'.

    Examples
    --------
    >>> parse("mul(add(X0, -0.137), X1)", features=["a", "cell size"])
    Expression((a + (-0.137))*`cell size`)
    """
    require(
        names in (None, *NAMES), f"names: one of {', '.join(NAMES)} was expected, got {names!r}"
    )
    features = features if features is None else tuple(features)
    if names:
        return _read(text, FeatureNames(features, names))
    models = read_each(text, features)
    if "features" in models or len(set(models.values())) == 1:
        return next(iter(models.values()))
    raise ModelTextError(UNSTATED_NUMBERING, text)


def read_each(text: str, features: tuple[str, ...] | None) -> dict[str, Expression]:
    """Return the model that a text means, for each of `NAMES` that fits; raise ModelTextError if none does.

    Examples
    --------
    >>> [[*read_each(text, ("a", "b", "c"))] for text in ("X1 + X3", "x_0*x_2", "x1 + x2")]
    [['x1'], ['x0'], ['x0', 'x1']]
    """
    models, errors = dict[str, Expression](), list[ModelTextError]()
    is_numbered = features is not None and POSITIONAL.search(text)
    for names in NAMES if is_numbered else NAMES[:1]:
        try:
            models[names] = _read(text, FeatureNames(features, names))
        except ModelTextError as error:
            errors.append(error)
    if not models:
        raise max(errors, key=lambda error: error.position)
    return models if is_numbered else dict.fromkeys(NAMES, models["features"])


def _read(text: str, names: FeatureNames) -> Expression:
    """Return the model of a text whose numbering is known."""
    if len(text) > LONGEST_TEXT:
        sentence = f"a text of at most {LONGEST_TEXT} characters was expected, got {len(text)}"
        raise ModelTextError(sentence, text)
    if not text.strip():
        raise ModelTextError("a model text was expected, got an empty one", text, kind="empty")
    text = text if names.features is None else folding(names.features)(text)
    try:
        return Expression(_Parser(text, names, {}).read())
    except ModelTextError as error:
        if error.kind not in ("unparsed", "several_models") or not is_function(text):
            raise
    return Expression(read_function(text, names, _Parser))


@cache
def tape_of(formula: str) -> Tape:
    """Return the tape of a formula in srlib's own code, such as an operator's meaning."""
    return parse(formula).tape


@lru_cache(maxsize=256)
def _token_pattern(features: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern of one token; feature names that are not plain names are tried first, the longest first."""
    parts = []
    for name in sorted(set(features), key=len, reverse=True):
        if not PLAIN_NAME.fullmatch(name) and not re.fullmatch(rf"{_NUMBER}|\s*", name):
            before = r"(?<![A-Za-z0-9_.])" if re.match(r"[\w.]", name) else ""
            after = r"(?![A-Za-z0-9_]|\(\))" if re.search(r"\w\Z", name) else ""
            parts.append(before + re.escape(name) + after)
    return re.compile("|".join([*parts, _TOKENS]))


@dataclass(slots=True)
class _Group:
    """Open bracket: its closing sign, its function, and the position on the tape where each argument starts."""

    closer: str
    call: spellings.Call
    name: str
    starts: list[int]


class _Parser:
    """Parser of one text: operands go to the tape; operators wait on a stack until one binds less tightly.

    Names of variables are replaced by their tapes. An entry of the stack is (precedence, items for the tape, index of
    the token); open brackets have precedence -1.
    """

    def __init__(self, text: str, names: FeatureNames, variables: dict[str, Tape]) -> None:
        self.text = text
        self.names = names
        self.exact = names.exact
        self.pattern = _token_pattern(tuple(folded(names.features or ())))
        # empty tokens mark the end, so that two more tokens follow each token
        self.tokens = [*self.pattern.findall(text), "", "", ""]
        self.line_starts = {i for i, token in enumerate(self.tokens) if token[:1] in ("\r", "\n")}
        for index in self.line_starts:
            self.tokens[index] = self.tokens[index][-1]
        self.items = {name: (feature,) for name, feature in self.exact.items()} | variables
        self.tape: list[Item] = []
        self.stack: list[tuple[int, Tape, int]] = []
        self.groups: list[_Group] = []
        self.called: set[str] = set()  # names of functions as written, and p/

    def refuse(self, expected: str, index: int, kind: str = "") -> NoReturn:
        """Raise ModelTextError: `expected`, or one model of a list, was expected, got the token at `index`."""
        starts = [match.start() for match in self.pattern.finditer(self.text)] + [len(self.text)]
        is_new_line = self.text[: starts[index]].rstrip(" \t").endswith(("\n", "\r"))
        next_model = _NEXT_LINE if is_new_line else _NEXT_ITEM
        is_inside = any(group.name for group in self.groups)
        if not (kind or is_inside) and next_model.match(self.text, starts[index]):
            expected, kind = "one model", "several_models"
        token = repr(self.tokens[index][:60]) if self.tokens[index] else "the end"
        hint = _HINT if _FOREIGN.search(self.text) and kind != "several_models" else ""
        message = f"{expected} was expected, got {token}{hint}"
        raise ModelTextError(message, self.text, starts[index], kind or "unparsed")

    def read(self) -> Tape:
        """Read all tokens, and return the postfix tape."""
        self.open("", spellings.BRACKET, "", 0)  # the end of the text closes this bracket
        index = 0
        while self.groups:
            index = self.read_continuation(self.read_operand(index))
        if protected := spellings.protected_operators(self.called):
            self.tape = [protected.get(item, item) for item in self.tape]
        return tuple(self.tape)

    def read_operand(self, index: int) -> int:
        """Read signs and opening brackets, then a number or a name; return the next token's index."""
        tokens, items = self.tokens, self.items
        while True:
            token, next_token = tokens[index], tokens[index + 1]
            # features and variables do not hide functions
            is_name = token in self.exact or token[:1] == "`" or index + 1 in self.line_starts
            is_call = next_token == "(" and not (is_name and not spellings.function_named(token))
            if token in items and not is_call:  # a name that was read before
                self.tape.extend(items[token])
                return index + 1
            if token[:1] in _DIGITS:
                self.tape.append(self.read_number(token, index))
                return index + 1
            if token == "-" and next_token[:1] in _DIGITS and tokens[index + 2] not in ("**", "^"):
                # a minus belongs to its number
                self.tape.append(-self.read_number(next_token, index + 1))
                return index + 2
            if token in spellings.PREFIX:
                self.stack.append((*spellings.PREFIX[token], index))
            elif token in spellings.BRACKETS:
                self.open(*spellings.BRACKETS[token], "", index)
            elif token == "(":
                self.open_call("", index)
            elif token != "+":
                if not _WORD.match(token) or token in ("and", "or"):
                    self.refuse(_OPERAND, index)
                if not is_call:
                    items[token] = (self.meaning(token, index),)
                    self.tape.extend(items[token])
                    return index + 1
                self.open_call(token, index)
                index += 1
            index += 1

    def read_continuation(self, index: int) -> int:
        """Read closing brackets, then an operator, a comma or the end; return the next token's index."""
        tokens = self.tokens
        while self.groups:
            token, group = tokens[index], self.groups[-1]
            if index in self.line_starts and len(self.groups) == 1:
                expected = "one model, or brackets around its lines,"
                self.refuse(expected, index, "several_models")
            if token in spellings.INFIX and (token != "|" or group.closer != "|"):
                self.push_infix(token, index)
                return index + 1
            if token == "p" and tokens[index + 1] == "/":  # GP-GOMEA
                self.called.add("p/")
                self.push_infix("p/", index)
                return index + 2
            if token == "(" and tokens[index - 1] == ")":  # adjacent brackets are a product
                self.push_infix("*", index)
                return index
            if token not in (",", group.closer):
                is_operand = token[:1].isalnum() or token == "("
                product = ", such as the * of a product," if is_operand else ""
                closer = repr(group.closer) if group.closer else "the end"
                self.refuse(f"an operator{product} or {closer}", index)
            self.finish_argument(group, index)
            index += 1
            if token == ",":
                return index
        return index

    def push_infix(self, token: str, index: int) -> None:
        """Put an infix operator on the stack; first move operators that bind at least as tightly to the tape."""
        precedence, items = spellings.INFIX[token]
        self.reduce(precedence + 1 if precedence in _NOT_FROM_LEFT else precedence)
        if precedence == COMPARISON_PRECEDENCE == self.stack[-1][0]:
            self.refuse("a single comparison, or brackets around one,", index)
        if precedence in _JUNCTION_PRECEDENCES:
            self.expect_condition(index)
        self.stack.append((precedence, items, index))

    def reduce(self, precedence: int) -> None:
        """Move waiting operators with at least this precedence to the tape."""
        while self.stack[-1][0] >= precedence:
            binding, items, index = self.stack.pop()
            if binding in _JUNCTION_PRECEDENCES:
                self.expect_condition(index)
            self.tape.extend(items)

    def expect_condition(self, index: int) -> None:
        """Raise ModelTextError if an operand of `and` or `or` (also `&`, `|`) is a number instead of a condition."""
        if not is_condition(self.tape[-1]):
            expected = "a condition on both sides"
            if self.tokens[index] == "|":
                self.refuse(f"one model, or {expected}", index, "several_models")
            self.refuse(expected, index)

    def meaning(self, name: str, index: int) -> Item:
        """Return the item of a name that is not called, or of a Float or Symbol of sympy's srepr."""
        if name.endswith(")") and "'" in name:  # Float('0.5', precision=53) or Symbol('x')
            kind, name, _ = name.split("'")
            if kind[0] == "F":
                return self.read_number(name, index)
        item = self.names.item_of(name)
        features = self.names.features
        if name.lower() in NONFINITE and (item is None or features is None):
            self.refuse("a finite number", index, "nonfinite")
        if item is None and spellings.function_named(name):
            self.refuse(f"the argument of {name} in round brackets", index + 1, "unparsed")
        if item is None:
            self.refuse(f"a feature ({listed(features or (), MOST_NAMED)})", index)
        return item

    def read_number(self, token: str, index: int) -> int | float:
        """Return the constant that a token stands for."""
        try:
            value = float(token)
        except ValueError:
            self.refuse(_OPERAND, index)
        if not math.isfinite(value):
            self.refuse("a finite number", index, "nonfinite")
        return number(value)

    def open(self, closer: str, call: spellings.Call, name: str, index: int) -> None:
        """Open a bracket."""
        if len(self.groups) > DEEPEST_NESTING:
            self.refuse(f"a text nested at most {DEEPEST_NESTING} deep", index)
        self.stack.append((-1, (), index))
        self.groups.append(_Group(closer, call, name, [len(self.tape)]))

    def open_call(self, name: str, index: int) -> None:
        """Open the bracket of a function, or a plain bracket if `name` is empty."""
        call = spellings.function_named(name) if name else spellings.BRACKET
        in_piecewise = self.groups[-1].call is spellings.PIECEWISE
        if in_piecewise and name in ("", "ExprCondPair", "Tuple"):
            call, name = spellings.PAIR, "a pair"
        if call is None:
            self.refuse("a function that srlib knows", index)
        self.called.add(name)
        self.open(")", call, name, index)

    def finish_argument(self, group: _Group, index: int) -> None:
        """Put the items that follow an argument on the tape; close the bracket after its last argument."""
        call, count = group.call, len(group.starts)
        last = len(call.after) - 1
        is_comma = self.tokens[index] == ","
        self.reduce(0)
        if call is spellings.PIECEWISE:
            self.finish_pair(is_comma, index)
        if is_comma and count > last and not call.folds:
            end = f"')' behind {last + 1} argument(s) of {group.name}" if group.name else "the end"
            self.refuse(f"an operator or {end} (decimals have a point)", index)
        self.tape.extend(call.after[min(count - 1, last)])
        if not is_comma and count <= last:
            self.tape.extend(call.default)
        # on the tape the condition follows the first value
        if call is spellings.CONDITION_FIRST and count == 2:
            condition, value = group.starts
            self.tape[condition:] = self.tape[value:] + self.tape[condition:value]
        if is_comma:
            group.starts.append(len(self.tape))
            return
        if count < call.fewest:
            self.refuse(f"argument {count + 1} of {group.name}", index)
        self.stack.pop()
        self.groups.pop()
        if call is spellings.PIECEWISE:
            self.tape += [OPERATORS["where"]] * (count - 1)

    def finish_pair(self, is_comma: bool, index: int) -> None:
        """Drop the operator `only` of a pair of `Piecewise`, except of a last pair whose condition is not True."""
        if self.tape[-1] is not OPERATORS["only"]:
            self.refuse("a (value, condition) pair", index)
        if is_comma:
            self.tape.pop()
        elif self.tape[-2] == 1:  # True
            del self.tape[-2:]
