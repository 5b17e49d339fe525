"""Model text into the light tree: a precedence parser with an explicit stack, linear in the text, that runs no code."""

from collections.abc import Sequence

from srlib.errors import ModelTextError
from srlib.expressions.calls import (
    EXACT, FUNCTIONS, GOMEA, GPLEARN, INFIX, NONFINITE, PAIR_NAMES, PAIRS, Call,
)
from srlib.expressions.expression import Expression, Item, number
from srlib.expressions.lexer import LONGEST_LITERAL, position, tokenize
from srlib.expressions.names import NAMES, resolve
from srlib.expressions.operators import OPERATORS, Operator

_WORD_PRECEDENCE = {"and": 20.0, "or": 15.0, "p/": 60.0}
_BINARY: dict[str, tuple[float, Operator]] = {
    sign: (_WORD_PRECEDENCE.get(sign, float(OPERATORS[name].precedence)), OPERATORS[name])
    for sign, name in INFIX.items()
}
_ADD, _MUL, _POW, _DIV = (OPERATORS[n] for n in ("add", "mul", "pow", "div"))
_PREFIX = {"-": (70.0, OPERATORS["neg"]), "~": (70.0, OPERATORS["not"]), "not": (25.0, OPERATORS["not"])}
_COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})
_CLOSERS = {")": "(", "]": "[", "|": "|"}
_DIGITS = frozenset("0123456789.")
_PREFIX_ARITHMETIC = frozenset({"add", "sub", "mul", "div"})


class _Group:
    """An open bracket: what it belongs to, how many of its arguments are complete, and for Piecewise its pairs."""

    __slots__ = ("call", "count", "kind", "name", "opener", "pairs", "start", "true_last")

    def __init__(self, opener: str, kind: str, call: Call | None = None, name: str = "") -> None:
        self.opener, self.kind, self.call, self.name = opener, kind, call, name
        self.count = self.pairs = self.start = 0
        self.true_last = False


def parse(text: str, features: Sequence[str] | None = None, *, names: str = "auto") -> Expression:
    """Read a model text of any known dialect; nothing in it is ever executed.

    Protected operators keep their library's meaning. gplearn and DEAP share their prefix spelling: ``div(a, b)`` is always gplearn's
    protected division, and in a text that calls ``add``, ``sub``, ``mul`` or ``div`` (and neither ``pow`` nor
    ``mylog``, which gplearn has not) ``sqrt``, ``log`` and ``inv`` are gplearn's protected ones too. Infix ``/`` and
    ``sqrt(x)`` or ``log(x)`` in all other texts are the plain operators. In a text with GP-GOMEA's ``p/`` or ``plog``,
    ``sqrt`` is the root of the absolute value.

    Parameters
    ----------
    text : str
        The model.
    features : sequence of str, optional
        The problem's features in order; without them any name is a feature.
    names : {'auto', 'features', 'x0', 'x1'}
        How names that are no feature's are read: by position from 0 ('auto', 'x0') or 1 ('x1'), or not at all.

    Raises
    ------
    ModelTextError
        With the excerpt, the position and a `kind`: 'empty', 'nonfinite' (nan, inf, zoo, 1e400) or 'unparsed'.

    Examples
    --------
    >>> parse("mul(add(X0, -0.137), X1)", features=["a", "cell size"])
    Expression((a + (-0.137))*`cell size`)
    """
    if names not in NAMES:
        raise ValueError(f"names={names!r}, allowed: {', '.join(NAMES)}")
    known = tuple(features) if features is not None else ()
    tokens = tokenize(text, known)
    try:
        return Expression(tuple(_Parser(tokens, features, names).run()))
    except _Refusal as refusal:
        where = position(text, refusal.index, known)
        raise ModelTextError(refusal.message, text, where, refusal.kind) from None


class _Refusal(Exception):
    def __init__(self, message: str, index: int, kind: str = "unparsed") -> None:
        self.message, self.index, self.kind = message, index, kind


def _literal(token: str, index: int) -> int | float:
    if len(token) > LONGEST_LITERAL:
        raise _Refusal(f"number of {len(token)} characters, at most {LONGEST_LITERAL} are read", index)
    try:
        value = int(token) if len(token) < 16 and token.isdigit() else float(token)
    except ValueError:
        raise _Refusal(f"{token!r} is no number", index) from None
    if value - value != 0:
        raise _Refusal(f"number {token} is not finite", index, "nonfinite")
    return value if type(value) is int else number(value)


class _Parser:
    """One run over the tokens; `tape` is the result, `stack` holds waiting operators and open brackets."""

    def __init__(self, tokens: list[str], features: Sequence[str] | None, names: str) -> None:
        self.tokens, self.features, self.names = tokens, features, names
        self.lookup = frozenset(features) if features is not None else frozenset()
        self.tape: list[Item] = []
        self.stack: list[tuple[float, Operator | _Group]] = [(-1.0, _Group("", "text"))]
        self.memo: dict[str, Item] = {}
        called = {a for a, b in zip(tokens, tokens[1:], strict=False) if b == "("}
        gplearn = called & _PREFIX_ARITHMETIC and not called & {"pow", "mylog"}
        self.dialect = GPLEARN if gplearn else GOMEA if "plog" in called or _has_gomea_division(tokens) else {}
        self.true_at = -1

    def run(self) -> list[Item]:
        tokens, tape, stack, memo = self.tokens, self.tape, self.stack, self.memo
        count, i, operand = len(tokens), 0, True
        while i < count:
            token = tokens[i]
            if operand:
                item = memo.get(token)
                if item is not None and (i + 1 == count or tokens[i + 1] != "("):
                    tape.append(item)
                    operand = False
                elif token[0] in _DIGITS:
                    tape.append(_literal(token, i))
                    operand = False
                elif token == "(":
                    top = stack[-1][1]
                    pair = isinstance(top, _Group) and top.kind == "piecewise"
                    stack.append((-1.0, _Group("(", "pair" if pair else "group")))
                elif token in _PREFIX and token not in self.lookup:
                    following = tokens[i + 1] if i + 1 < count else ""
                    if token == "-" and following and following[0] in _DIGITS and (
                            i + 2 >= count or tokens[i + 2] not in ("**", "^")):
                        tape.append(-_literal(following, i + 1))
                        i += 1
                        operand = False
                    else:
                        stack.append(_PREFIX[token])
                else:
                    i, operand = self.operand(i)
            else:
                binary = _BINARY.get(token)
                if binary is not None and (token != "|" or self.innermost().opener != "|"):
                    self.binary(token, binary, i)
                    operand = True
                else:
                    i, operand = self.after_operand(i)
            i += 1
        if operand:
            raise _Refusal("the text ends where a number, a feature or a bracket is expected", count)
        self.reduce(-1.0)
        if len(stack) != 1:
            raise _Refusal(f"bracket {self.innermost().opener!r} is never closed", count)
        return tape

    def innermost(self) -> _Group:
        for entry in reversed(self.stack):
            if isinstance(entry[1], _Group):
                return entry[1]
        raise AssertionError

    def reduce(self, precedence: float) -> None:
        """Move waiting operators that bind at least as tightly to the tape."""
        stack, tape = self.stack, self.tape
        while stack[-1][0] >= precedence and stack[-1][0] >= 0:
            tape.append(stack.pop()[1])  # type: ignore[arg-type]

    def binary(self, token: str, entry: tuple[float, Operator], index: int) -> None:
        precedence, operator = entry
        self.reduce(precedence + 0.5 if operator is _POW else precedence + (token in _COMPARISONS))
        if token in _COMPARISONS and self.stack[-1][0] == precedence:
            raise _Refusal("comparisons in a row are ambiguous, use brackets", index)
        self.stack.append(entry)

    def operand(self, i: int) -> tuple[int, bool]:
        """Read what may stand where an operand is expected and is no number or bracket; return index and state."""
        token, stack = self.tokens[i], self.stack
        if token == "+":
            return i, True
        if token in ("[", "|"):
            stack.append((-1.0, _Group(token, "list" if token == "[" else "bars")))
            return i, True
        if token[0] == "`" and len(token) > 1:
            self.push(token, token[1:-1].replace("``", "`"))
            return i, False
        if token not in self.lookup and "(" in token:
            return self.srepr_leaf(i)
        if not (token[0].isalpha() or token[0] == "_" or token in self.lookup):
            raise _Refusal(_unexpected(token, "a number, a feature or a bracket"), i)
        bare = token if token in self.lookup or token[-1] == "]" else token[token.rfind(".") + 1 :]
        if token not in self.lookup and i + 1 < len(self.tokens) and self.tokens[i + 1] == "(":
            return self.call(bare, i)
        if bare != token and bare.lower() not in ("pi", "e"):
            raise _Refusal(f"{token!r} is no model text", i)
        self.name(bare.upper() if bare != token and bare == "e" else bare, token, i)
        return i, False

    def name(self, name: str, token: str, i: int) -> None:
        item = resolve(name, self.features, self.names)
        if item is None and name.lower() in NONFINITE or (item == name and self.features is None
                                                          and name.lower() in NONFINITE):
            raise _Refusal(f"{name} is no finite number", i, "nonfinite")
        if item is None:
            known = ", ".join(map(str, (self.features or ())[:6])) + (" ..." if len(self.features or ()) > 6 else "")
            raise _Refusal(f"{name[:60]!r} is no feature (features: {known})", i)
        if name in ("True", "true"):
            self.true_at = len(self.tape)
            self.tape.append(item)
        else:
            self.push(token, item)

    def push(self, token: str, item: Item) -> None:
        self.memo[token] = item
        self.tape.append(item)

    def srepr_leaf(self, i: int) -> tuple[int, bool]:
        kind, _, rest = self.tokens[i].partition("(")
        kind, parts = kind.strip(), rest.rstrip(") ").split(",")
        if kind == "Symbol":
            self.name(parts[0].strip().strip("'"), self.tokens[i], i)
            return i, False
        numbers = []
        for part in parts[: 2 if kind == "Rational" else 1]:
            digits = part.strip().strip("'").strip()
            if digits.lstrip("+-").lower() in NONFINITE:
                raise _Refusal(f"{digits} is no finite number", i, "nonfinite")
            value = _literal(digits.lstrip("+-"), i)
            numbers.append(-value if digits.startswith("-") else value)
        self.tape.extend(numbers)
        if kind == "Rational":
            self.tape.append(_DIV)
        return i, False

    def call(self, name: str, i: int) -> tuple[int, bool]:
        lower = name.lower()
        if lower in PAIRS or lower in PAIR_NAMES:
            self.stack.append((-1.0, _Group("(", "piecewise" if lower in PAIRS else "pair", name=name)))
            return i + 1, True
        call = EXACT.get(name) or self.dialect.get(lower) or FUNCTIONS.get(lower)
        if call is None:
            raise _Refusal(f"{name[:60]!r} is no known function", i)
        if call.arity == 0:
            if self.tokens[i + 2 : i + 3] != [")"]:
                raise _Refusal(f"{name} takes no argument", i)
            self.tape.append(call.items[0])
            return i + 2, False
        self.stack.append((-1.0, _Group("(", "call", call, lower)))
        return i + 1, True

    def after_operand(self, i: int) -> tuple[int, bool]:
        """Read what may stand after an operand and is no infix operator."""
        tokens, token = self.tokens, self.tokens[i]
        if token == "p" and tokens[i + 1 : i + 2] == ["/"]:
            self.binary("p/", _BINARY["p/"], i)
            return i + 1, True
        if token == "(" and tokens[i - 1] == ")":          # adjacent brackets are a product
            self.binary("*", _BINARY["*"], i)
            return i - 1, True
        if token != "," and token not in _CLOSERS:
            raise _Refusal(_unexpected(token, "an operator or the end"), i)
        group = self.innermost()
        if group.kind == "piecewise" and (self.stack[-1][1] is not group or group.pairs != group.count + 1):
            raise _Refusal("Piecewise takes (value, condition) pairs", i)
        self.reduce(0.0)
        if token == ",":
            self.comma(group, i)
            return i, True
        if group.opener != _CLOSERS[token]:
            raise _Refusal(f"bracket {token!r} closes nothing", i)
        self.stack.pop()
        self.close(group, i)
        return i, False

    def comma(self, group: _Group, i: int) -> None:
        group.count += 1
        if group.kind == "call" and group.call is not None:
            if group.call.fold:
                if group.count > 1:
                    self.tape.extend(group.call.items)
            elif group.count >= group.call.arity:
                if group.name != "log" or group.count > 1:
                    raise _Refusal(f"{group.name} takes {group.call.arity} argument(s)", i)
                self.tape.extend(group.call.items)
        elif group.kind == "list":
            if group.count > 1:
                self.tape.append(_ADD)
        elif group.kind == "pair" and group.count == 1:
            group.start = len(self.tape)
        elif group.kind != "piecewise":
            raise _Refusal("a comma outside of a call or list", i)

    def close(self, group: _Group, i: int) -> None:
        tape = self.tape
        if group.kind == "call" and group.call is not None:
            missing = group.call.arity - group.count - 1
            if missing > 0 and not (group.call.fold and group.count == 0):
                raise _Refusal(f"{group.name} takes {group.call.arity} argument(s), got {group.count + 1}", i)
            if missing <= 0:
                tape.extend(group.call.items)
            if group.name == "log" and group.count == 1:
                tape.append(_DIV)
        elif group.kind == "list" and group.count:
            tape.append(_ADD)
        elif group.kind == "bars":
            tape.append(OPERATORS["abs"])
        elif group.kind == "pair":
            outer = self.stack[-1][1]
            if group.count != 1 or not (isinstance(outer, _Group) and outer.kind == "piecewise"):
                raise _Refusal("a (value, condition) pair belongs into Piecewise", i)
            outer.pairs += 1
            outer.true_last = self.true_at == group.start == len(tape) - 1
        elif group.kind == "piecewise":
            if group.true_last:
                tape.pop()
            else:
                tape.append(OPERATORS["only"])
            tape.extend([OPERATORS["where"]] * group.count)


def _unexpected(token: str, wanted: str) -> str:
    return f"{token[:60]!r} where {wanted} is expected"


def _has_gomea_division(tokens: list[str]) -> bool:
    return "p" in tokens and any(
        b == "p" and c == "/" and (a in ")]|" or a[-1].isalnum())
        for a, b, c in zip(tokens, tokens[1:], tokens[2:], strict=False)
    )
