"""The precedence parser: one pass over the tokens with an explicit stack, to the postfix tape."""

from collections.abc import Mapping, Sequence

import numpy as np

from srlib.expressions.brackets import Group, RefusalError, close, comma
from srlib.expressions.calls import (
    EXACT,
    FLOORDIV,
    FUNCTIONS,
    INFIX,
    ITE,
    NONFINITE,
    PAIR_NAMES,
    PAIRS,
    Call,
)
from srlib.expressions.lexer import LONGEST_LITERAL
from srlib.expressions.names import resolve
from srlib.expressions.operators import OPERATORS, Operator
from srlib.expressions.text import CONDITIONS, children, subtree_sizes
from srlib.expressions.tree import Item, number

_WORD_PRECEDENCE = {"and": 20.0, "or": 15.0, "p/": 60.0, "%": 60.0}
_BINARY: dict[str, tuple[float, Operator]] = {
    sign: (_WORD_PRECEDENCE.get(sign, float(operator.precedence)), operator)
    for sign, operator in INFIX.items()
}
_BINARY["//"] = (60.0, FLOORDIV)
# between operands they join conditions; between numbers they would be several models, or bits, or one of the numbers
_JOINTS = {name: Operator(name, 2, np.where) for name in ("or", "and")}
_BINARY |= {
    sign: (_BINARY[sign][0], _JOINTS[_BINARY[sign][1].name]) for sign in ("|", "or", "&", "and")
}
_POW, _DIV, _FLOOR, _WHERE = (OPERATORS[name] for name in ("pow", "div", "floor", "where"))
_IF = Operator("if", 2, np.where)  # waits for its else
_TERNARY = 5.0
_MARKERS = frozenset({ITE, FLOORDIV, _IF, *_JOINTS.values()})
SEVERAL = "the text holds several models, and a run has one: state the one that is meant"
_BARS = f"{SEVERAL} ('|' between numbers is no OR)"
_PREFIX = {
    "-": (70.0, OPERATORS["neg"]),
    "~": (70.0, OPERATORS["not"]),
    "not": (25.0, OPERATORS["not"]),
}
_COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})
_CLOSERS = {")": "(", "]": "[", "|": "|"}
_DIGITS = frozenset("0123456789.")
DEEPEST = 100_000


def _literal(token: str, index: int) -> int | float:
    if len(token) > LONGEST_LITERAL:
        raise RefusalError(
            f"number of {len(token)} characters, at most {LONGEST_LITERAL} are read", index
        )
    try:
        value = int(token) if len(token) < 16 and token.isdigit() else float(token)
    except ValueError:
        raise RefusalError(f"{token!r} is no number", index) from None
    if value - value != 0:
        raise RefusalError(f"number {token} is not finite", index, "nonfinite")
    return value if type(value) is int else number(value)


class Parser:
    """One run over the tokens.

    `tape` is the result, `stack` holds waiting operators and open brackets, `memo` what tokens turned out to
    mean; texts that share features, names and `exact` may share it.
    """

    def __init__(
        self,
        tokens: list[str],
        features: Sequence[str] | None,
        names: str,
        exact: frozenset[str],
        dialect: Mapping[str, Call],
        memo: dict[str, Item],
    ) -> None:
        self.tokens, self.features, self.names = tokens, features, names
        self.lookup, self.dialect, self.memo = exact, dialect, memo
        self.tape: list[Item] = []
        self.stack: list[tuple[float, Operator | Group]] = [(-1.0, Group("", "text"))]
        self.true_at = self.joint = -1

    def run(self) -> list[Item]:
        """Read all tokens; the result is the postfix tape."""
        tokens, tape, stack, memo = self.tokens, self.tape, self.stack, self.memo
        count, i, operand = len(tokens), 0, True
        while i < count:
            token = tokens[i]
            if operand:
                item = memo.get(token)
                if item is not None and (i + 1 == count or tokens[i + 1] != "("):
                    tape.append(item)
                    operand = False
                else:
                    i, operand = self.operand(i)
            elif token in _BINARY and (token != "|" or self.innermost().opener != "|"):
                self.binary(token, _BINARY[token], i)
                operand = True
            else:
                i, operand = self.after_operand(i)
            i += 1
        if operand:
            raise RefusalError(
                "the text ends where a number, a feature or a bracket is expected", count
            )
        self.reduce(-1.0)
        if len(stack) != 1:
            raise RefusalError(f"bracket {self.innermost().opener!r} is never closed", count)
        if self.joint >= 0 and not joins_conditions(tape):
            bar, joint = "|" in tokens, tokens[self.joint]
            why = _BARS if bar else f"{joint!r} joins conditions, no numbers"
            raise RefusalError(why, self.joint, "several_models" if bar else "unparsed")
        return tape if _MARKERS.isdisjoint(tape) else settled(tape)

    def open(self, group: Group, i: int) -> None:
        """Put an open bracket on the stack."""
        if len(self.stack) > DEEPEST:
            raise RefusalError(f"nested deeper than {DEEPEST}", i)
        self.stack.append((-1.0, group))

    def innermost(self) -> Group:
        """Innermost open bracket."""
        for entry in reversed(self.stack):
            if isinstance(entry[1], Group):
                return entry[1]
        raise AssertionError

    def reduce(self, precedence: float) -> None:
        """Move waiting operators that bind at least as tightly to the tape."""
        stack, tape = self.stack, self.tape
        while stack[-1][0] >= precedence and stack[-1][0] >= 0:
            tape.append(stack.pop()[1])  # type: ignore[arg-type]

    def binary(self, token: str, entry: tuple[float, Operator], index: int) -> None:
        """Put an infix operator on the stack, after those that bind at least as tightly."""
        precedence, operator = entry
        bound = precedence + 0.5 if operator is _POW else precedence + (token in _COMPARISONS)
        stack, tape = self.stack, self.tape
        while stack[-1][0] >= bound:
            tape.append(stack.pop()[1])  # type: ignore[arg-type]
        if token in _COMPARISONS and self.stack[-1][0] == precedence:
            raise RefusalError("comparisons in a row are ambiguous, use brackets", index)
        if operator.name in _JOINTS:
            self.joint = index
        stack.append(entry)

    def operand(self, i: int) -> tuple[int, bool]:
        """Read what stands for an operand, or before one; return index, and whether an operand is still awaited."""
        token = self.tokens[i]
        if token[0] in _DIGITS:
            self.tape.append(_literal(token, i))
            return i, False
        if token == "(":
            top = self.stack[-1][1]
            pair = isinstance(top, Group) and top.kind == "piecewise"
            self.open(Group("(", "pair" if pair else "group"), i)
            return i, True
        if token in _PREFIX and token not in self.lookup:
            return self.prefix(token, i)
        if token == "+":
            return i, True
        if token in ("[", "|"):
            self.open(Group(token, "list" if token == "[" else "bars"), i)
            return i, True
        if token[0] == "`" and len(token) > 1:
            name = token[1:-1].replace("``", "`")
            if self.features is not None and name not in self.features:
                raise RefusalError(f"{name[:60]!r} is no feature", i)
            self.push(token, name)
            return i, False
        if token not in self.lookup and "(" in token:
            return self.srepr_leaf(i)
        if token not in self.lookup and (not _is_word(token) or token in ("and", "or")):
            raise RefusalError(_unexpected(token, "a number, a feature or a bracket"), i)
        bare = token if token in self.lookup or token[-1] == "]" else token[token.rfind(".") + 1 :]
        if token not in self.lookup and i + 1 < len(self.tokens) and self.tokens[i + 1] == "(":
            return self.call(bare, i)
        if bare != token and bare.lower() not in ("pi", "e"):
            raise RefusalError(f"{token!r} is no model text", i)
        self.name(bare.upper() if bare != token and bare == "e" else bare, token, i)
        return i, False

    def prefix(self, token: str, i: int) -> tuple[int, bool]:
        """Read a sign or a negation; a minus belongs to the number behind it, unless that is raised to a power."""
        following, then = (*self.tokens[i + 1 : i + 3], "", "")[:2]
        if token == "-" and following[:1] in _DIGITS and then not in ("**", "^"):
            self.tape.append(-_literal(following, i + 1))
            return i + 1, False
        self.stack.append(_PREFIX[token])
        return i, True

    def name(self, name: str, token: str, i: int) -> None:
        """Read a name that is not called."""
        item = resolve(name, self.features, self.names, self.lookup)
        if name.lower() in NONFINITE and (item is None or self.features is None):
            raise RefusalError(f"{name} is no finite number", i, "nonfinite")
        if item is None:
            called = FUNCTIONS.get(name.lower())
            if called is not None and called.arity:
                raise RefusalError(f"the function {name} takes its argument in round brackets", i)
            features = self.features or ()
            known = ", ".join(features[:6]) + (" ..." if len(features) > 6 else "")
            raise RefusalError(f"{name[:60]!r} is no feature (features: {known})", i)
        if name in ("True", "true"):
            self.true_at = len(self.tape)
            self.tape.append(item)
        else:
            self.push(token, item)

    def push(self, token: str, item: Item) -> None:
        """Put an operand on the tape and remember what its token means."""
        self.memo[token] = item
        self.tape.append(item)

    def srepr_leaf(self, i: int) -> tuple[int, bool]:
        """Read ``Float('0.5', precision=53)``, ``Integer(2)``, ``Rational(1, 3)`` or ``Symbol('x')``."""
        kind, _, rest = self.tokens[i].partition("(")
        kind, parts = kind.strip(), rest.rstrip(") ").split(",")
        if kind == "Symbol":
            self.name(parts[0].strip().strip("'"), self.tokens[i], i)
            return i, False
        numbers = []
        for part in parts[: 2 if kind == "Rational" else 1]:
            digits = part.strip().strip("'").strip()
            if digits.lstrip("+-").lower() in NONFINITE:
                raise RefusalError(f"{digits} is no finite number", i, "nonfinite")
            value = _literal(digits.lstrip("+-"), i)
            numbers.append(-value if digits.startswith("-") else value)
        self.tape.extend(numbers)
        if kind == "Rational":
            self.tape.append(_DIV)
        return i, False

    def call(self, name: str, i: int) -> tuple[int, bool]:
        """Open a function call."""
        lower = name.lower()
        if lower in PAIRS or lower in PAIR_NAMES:
            self.open(Group("(", "piecewise" if lower in PAIRS else "pair", name=name), i)
            return i + 1, True
        call = EXACT.get(name) or self.dialect.get(lower) or FUNCTIONS.get(lower)
        if call is None:
            raise RefusalError(f"{name[:60]!r} is no known function", i)
        if call.arity == 0:
            if self.tokens[i + 2 : i + 3] != [")"]:
                raise RefusalError(f"{name} takes no argument", i)
            self.tape.append(call.items[0])
            return i + 2, False
        self.open(Group("(", "call", call, lower), i)
        return i + 1, True

    def after_operand(self, i: int) -> tuple[int, bool]:
        """Read what may stand after an operand and is no infix operator."""
        tokens, token = self.tokens, self.tokens[i]
        if token == "p" and tokens[i + 1 : i + 2] == ["/"]:
            self.binary("p/", _BINARY["p/"], i)
            return i + 1, True
        if token == "if":  # Python: a if c else b
            self.reduce(_TERNARY + 1)
            self.stack.append((_TERNARY, _IF))
            return i, True
        if token == "else":
            self.reduce(_TERNARY + 1)
            while self.stack[-1][1] is _WHERE and self.stack[-1][0] == _TERNARY:
                self.tape.append(self.stack.pop()[1])  # type: ignore[arg-type]
            if self.stack[-1][1] is not _IF:
                raise RefusalError("an else without its if", i)
            self.stack[-1] = (_TERNARY, _WHERE)
            return i, True
        if token == "(" and tokens[i - 1] == ")":  # adjacent brackets are a product
            self.binary("*", _BINARY["*"], i)
            return i - 1, True
        if token != "," and token not in _CLOSERS:
            begins = token == "(" or token[0].isalnum()
            wanted = f"an operator or the end{', such as the * of a product,' if begins else ''}"
            raise RefusalError(_unexpected(token, wanted), i)
        group = self.innermost()
        if group.kind == "piecewise" and (
            self.stack[-1][1] is not group or group.pairs != group.count + 1
        ):
            raise RefusalError("Piecewise takes (value, condition) pairs", i)
        self.reduce(0.0)
        if token == ",":
            comma(group, self.tape, i)
            return i, True
        if group.opener != _CLOSERS[token]:
            raise RefusalError(f"bracket {token!r} closes nothing", i)
        self.stack.pop()
        close(group, self.stack[-1][1], self.tape, i, self.true_at)
        return i, False


def joins_conditions(tape: Sequence[Item]) -> bool:
    """Whether every | and & joins conditions: comparisons, other junctions, and 1 and 0 as truth values."""
    stack: list[bool] = []
    for item in tape:
        if isinstance(item, Operator):
            arguments = stack[len(stack) - item.arity :]
            if item is _JOINTS.get(item.name) and not all(arguments):
                return False
            del stack[len(stack) - item.arity :]
            stack.append(item.name in CONDITIONS)
        else:
            stack.append(type(item) is int and item in (0, 1))
    return True


def settled(tape: list[Item]) -> list[Item]:
    """Write conditions behind the value that they are for, as the table's `where` has them, and // as floor(a/b).

    Raises
    ------
    RefusalError
        When an if has no else.
    """
    sizes = subtree_sizes(tuple(tape))
    backwards: list[Item] = []
    work = [len(tape) - 1]
    while work:
        index = work.pop()
        item = tape[index]
        if item is _IF:
            raise RefusalError("an if without its else", 0)
        if item is FLOORDIV:
            backwards += (_FLOOR, _DIV)
        else:
            if isinstance(item, Operator) and item.name in _JOINTS:
                item = OPERATORS[item.name]
            backwards.append(_WHERE if item is ITE else item)
        if isinstance(item, Operator):
            ends = children(sizes, index, item.arity)
            work += (ends[1], ends[0], ends[2]) if item is ITE else ends
    return backwards[::-1]


def _is_word(token: str) -> bool:
    return token[0] == "_" or (token[0].isascii() and token[0].isalpha())


def _unexpected(token: str, wanted: str) -> str:
    return f"{token[:60]!r} where {wanted} is expected"
