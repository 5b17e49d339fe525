r"""LaTeX as tools print it (sympy.latex, PySR, pandas of equations), written as a formula in one pass."""

import re
from collections.abc import Sequence
from typing import NoReturn

from srlib.errors import ModelTextError
from srlib.expressions.reading.parser import SEVERAL

_TOKEN = re.compile(r"\\[A-Za-z]+\*?|\\.|(?:\d+\.?\d*|\.\d+)|[A-Za-z]+|[^\s]")
_SPACES = frozenset({
    r"\,", r"\;", r"\!", r"\:", r"\>", "\\ ", r"\displaystyle", r"\textstyle", r"\left", r"\right",
    r"\big", r"\Big", r"\bigg", r"\Bigg", r"\bigl", r"\bigr", r"\Bigl", r"\Bigr", r"\biggl", r"\biggr", "~", "&",
})  # fmt: skip
_SIGNS = {
    r"\cdot": "*", r"\times": "*", r"\ast": "*", "*": "*", r"\div": "/", "/": "/", "+": "+", "-": "-", r"\le": "<=",
    r"\leq": "<=", r"\ge": ">=", r"\geq": ">=", r"\lt": "<", r"\gt": ">", "<": "<", ">": ">", "=": "==",
    r"\ne": "!=", r"\neq": "!=", r"\wedge": "&", r"\land": "&", r"\vee": "|", r"\lor": "|", ",": ",",
}  # fmt: skip
_OPENING = {"(": ("(", ")"), "[": ("(", ")"), r"\{": ("(", ")"), r"\lfloor": ("floor(", ")"),
            r"\lceil": ("ceil(", ")"), r"\lvert": ("abs(", ")")}  # fmt: skip
_CLOSING = frozenset({")", "]", r"\}", r"\rfloor", r"\rceil", r"\rvert"})
_FUNCTIONS = frozenset({
    "sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh", "coth", "arcsin", "arccos", "arctan", "exp",
    "log", "ln", "min", "max", "lg",
})  # fmt: skip
_FONTS = frozenset({r"\text", r"\mathrm", r"\mathit", r"\mathbf", r"\textit", r"\textrm", r"\operatorname",
                    r"\mbox", r"\operatorname*", r"\mathsf", r"\mathtt", r"\boldsymbol"})  # fmt: skip
_ESCAPED = re.compile(r"[A-Za-z0-9]*(?:\\_[A-Za-z0-9]+)+")  # the rest of a name such as dose\_mg
_GROUP = re.compile(r"\s*\{((?:[^{}]|\\[{}])*)\}")
_SUBSCRIPT = re.compile(
    r"\s*_\s*(?:\{\s*(?:\\(?:text|mathrm|mathit)\s*\{([^{}]*)\}\s*|([^{}]*))\}|(\w))"
)
_LEFT_SIDE = re.compile(r"^[^=]*[^=<>!]=(?!=)")
# what is no target by itself: a feature's own name is refused, too
_TRANSFORMED = re.compile(r"\\(?:log|ln|lg|exp|sqrt|sin|cos|tan|frac\s*\{\s*\d)|[-+*/^]")
_DELIMITER = re.compile(r"\s*(\||\.)")
_LAST_LINE = re.compile(r"\s*\\end\b")
_ENVIRONMENT = re.compile(
    r"\\(?:begin|end)\s*\{(?:equation|align|aligned|gather|split|math|displaymath)\*?\}|\\[()\[\]]"
)
_CONTINUED = re.compile(r"\\\\\s*&\s*(?:\\q?quad\s*)*(?=[-+]|\\cdot|\\times)")


def from_latex(text: str, features: Sequence[str]) -> str:
    r"""Write LaTeX as a formula: products without a sign get one, ``x_{1}`` is ``x_1`` or the feature x1.

    Raises
    ------
    ModelTextError
        When a command is unknown, a group does not end, or the text holds several equations.

    Examples
    --------
    >>> from_latex(r"\frac{2 x_{1}}{\sin^{2}{\left(a \right)}}", ["x1", "a"])
    '((2*`x1`)/((sin((`a`))**(2))))'
    """
    body = _CONTINUED.sub(" ", _ENVIRONMENT.sub("", text)).replace(r"\approx", "=")
    body, begin, rest = body.partition(r"\begin")  # of cases, whose conditions may be equations
    sides = re.findall(r"(?<![<>!=\\])=", body)
    if len(sides) > 1:
        raise ModelTextError(f"{SEVERAL} ({len(sides)} equations)", text, 0, "several_models")
    left = body.partition("=")[0].strip(" &$") if sides else ""
    if left in features or _TRANSFORMED.search(left):
        raise ModelTextError(f"the equation is about {left}, not about the target", text)
    body = _LEFT_SIDE.sub("", body) + begin + rest
    return _Writer(body.strip().rstrip(".").strip("$ "), tuple(features), text).formula()


class _Writer:
    """`out` holds the pieces; `stack` what each open group still needs: what ends it and what comes next."""

    def __init__(self, body: str, features: tuple[str, ...], text: str) -> None:
        self.body, self.features, self.text = body, frozenset(features), text
        self.out: list[str] = []
        self.operand = False  # whether an operand has just ended
        self.bare = -1  # where the last function without brackets ended
        self.stack: list[tuple[str, str, list[tuple[str, str]]]] = []
        self.waiting: list[
            tuple[str, str]
        ] = []  # groups that a command takes: what is written around each

    def refuse(self, message: str, where: int = 0) -> NoReturn:
        """Say what cannot be read."""
        raise ModelTextError(message, self.text, min(where, len(self.text)))

    def formula(self) -> str:
        """Read the whole text."""
        at = 0
        while match := _TOKEN.search(self.body, at):
            at = self.token(match[0], match.start(), match.end())
        if self.stack or self.waiting:
            self.refuse("a group of this LaTeX does not end", len(self.text))
        return "".join(self.out)

    def start(self, piece: str) -> None:
        """Write what begins an operand; after another one that is a product."""
        self.product()
        self.out.append(piece)
        self.operand = False

    def product(self) -> None:
        """Write the sign of a product that LaTeX leaves out."""
        if self.operand and self.bare == len(self.out):
            self.refuse("how far the argument of a function without brackets goes is not clear")
        if self.operand:
            self.out.append("*")

    def open(self, ender: str, before: str, after: str, rest: list[tuple[str, str]]) -> None:
        """Open a group."""
        self.start(before) if before else None
        self.stack.append((ender, after, rest))

    def leaf(self, piece: str) -> None:
        """Write an operand, which may be the whole of what a command waits for."""
        if self.waiting:
            (before, after), *rest = self.waiting
            self.waiting = rest
            self.out += [before, piece, after]
            self.operand = not rest
            if before.strip("(").isalpha() and before.strip("(") != "sqrt":
                self.bare = len(self.out)
        else:
            self.start(piece)
            self.operand = True

    def close(self, at: int, ender: str) -> None:
        """End the innermost group."""
        if not self.stack or self.stack[-1][0] != ender:
            self.refuse("a bracket of this LaTeX closes nothing", at)
        _, after, rest = self.stack.pop()
        self.out.append(after)
        self.operand, self.waiting = not rest, rest

    def token(self, token: str, at: int, end: int) -> int:
        """Read one token; return where the next one begins."""
        if token in _SPACES:
            following = None
            if token in (r"\left", r"\right"):
                following = _DELIMITER.match(self.body, end)
            if following and following[1] == "|":
                return self.bars(token == r"\left", at, following.end())
            if following:
                return following.end()
            if token == "&" and self.cases():
                self.out += [","] if self.out[-1] != "," else []
                self.operand = False
            return end
        if token in (r"\quad", r"\qquad"):
            if self.operand and not self.cases():
                self.refuse(f"what stands behind {token} is no part of a formula", at)
            return end
        if token == "{":
            before, after = self.waiting.pop(0) if self.waiting else ("(", ")")
            rest, self.waiting = self.waiting, []
            if before == "(" and not rest:
                self.start("(")
            else:
                self.out.append(before)
            self.operand = False
            self.stack.append(("}", after, rest))
            return end
        if token == "}":
            self.close(at, "}")
            return end
        if token in _OPENING:
            before, after = _OPENING[token]
            if self.waiting:
                (outer, close_outer), *rest = self.waiting
                # one pair of brackets is enough for \max(a, b)
                if before == "(" and outer[-1:] == "(":
                    before, after = "", ""
                self.out.append(outer)
                after, self.waiting = after + close_outer, []
                self.stack.append(("bracket", after, rest))
                self.out.append(before)
                self.operand = False
            else:
                self.open("bracket", before, after, [])
            return end
        if token in _CLOSING:
            self.close(at, "bracket")
            return end
        if token == "|":
            opened = bool(self.stack) and self.stack[-1][0] == "bars"
            return self.bars(not opened, at, end)
        if token in ("^", "**"):
            self.operand = False
            self.waiting = [("**(", ")")]
            return end
        if token in _SIGNS:
            self.out.append(_SIGNS[token])
            self.operand = False
            return end
        if token[0].isdigit() or token[0] == ".":
            if self.waiting and len(token) > 1:  # \frac12, x^23: one digit is one argument
                self.leaf(token[0])
                return at + 1
            self.leaf(token)
            return end
        if token[0] == "\\" or token[0].isalpha():
            return self.word(token, at, end)
        self.refuse(f"{token!r} is unknown in LaTeX of a model", at)

    def bars(self, opening: bool, at: int, end: int) -> int:
        """Read a bar of an absolute value."""
        if opening:
            rest: list[tuple[str, str]] = []
            before, after = "abs(", ")"
            if self.waiting:
                (outer, close_outer), *rest = self.waiting
                before, after, self.waiting = outer + before, after + close_outer, []
            self.open("bars", before, after, rest)
        else:
            self.close(at, "bars")
        return end

    def cases(self) -> bool:
        """Whether the innermost group is one of cases."""
        return bool(self.stack) and self.stack[-1][0] == "cases"

    def word(self, token: str, at: int, end: int) -> int:
        """Read a command or a name."""
        body = self.body
        if token in (r"\frac", r"\dfrac", r"\tfrac"):
            self.command([("((", ")"), ("/(", "))")])
            return end
        if token == r"\sqrt":
            index = re.compile(r"\s*\[([^\[\]{}]{1,20})\]").match(body, end)
            self.command([("((", f")**(1/({index[1]})))")] if index else [("sqrt(", ")")])
            return index.end() if index else end
        if token in (r"\begin", r"\end"):
            named = _GROUP.match(body, end)
            if named is None or named[1] != "cases":
                self.refuse(f"{token}{named[0] if named else ''} is no part of a model", at)
            if token == r"\begin":
                self.open("cases", "Piecewise((", "))", [])
            else:
                self.close(at, "cases")
            return named.end()
        if token == r"\\":
            if not self.cases():
                self.refuse(f"{SEVERAL} (lines of LaTeX)", at)
            if _LAST_LINE.match(body, end):
                return end
            self.out.append("),(")
            self.operand = False
            return end
        if token in _FONTS:
            group = _GROUP.match(body, end)
            if group is None:
                self.refuse(f"{token} without its text", at)
            said = re.sub(r"\\([&%$#_{} ])", r"\1", group[1]).strip()
            if said.lower().rstrip(":") in ("for", "if", "where", "and"):
                if said.lower() == "and":
                    self.out.append("&")
                    self.operand = False
                return group.end()
            if said.lower() in ("otherwise", "else") and self.cases():
                self.leaf("True")
                return group.end()
            called = token.startswith(r"\operatorname") or said in _FUNCTIONS
            if called and said not in self.features:
                return self.function(said, at, group.end())
            return self.name(said, group.end())
        if token == r"\Gamma":
            return self.function("gamma", at, end)
        if token[0] != "\\" and (rest := _ESCAPED.match(body, end)):
            return self.name(token + rest[0].replace("\\", ""), rest.end())
        bare = token.lstrip("\\")
        calls = token[0] == "\\" or (
            bare not in self.features and re.compile(r"\s*(?:\\left\s*)?[\^({]").match(body, end)
        )
        if bare in _FUNCTIONS and calls:
            return self.function(bare, at, end)
        if token == r"\pi" or (token == "pi" and "pi" not in self.features):
            self.leaf("pi")
            return end
        if token[0] == "\\" and not token[1:].isalpha():
            self.refuse(f"{token!r} is unknown in LaTeX of a model", at)
        if token[0] == "\\" and token[1:] not in self.features and token[1:].lower() not in _GREEK:
            self.refuse(f"{token!r} is unknown in LaTeX of a model", at)
        return self.name(bare, end)

    def command(self, groups: list[tuple[str, str]]) -> None:
        """Begin a command that takes groups; where one is awaited it is the whole of it."""
        if self.waiting:
            (outer, close_outer), *rest = self.waiting
            if rest:
                self.refuse("a command of this LaTeX needs braces")
            (first, last), *more = groups
            groups = [(outer + first, last), *more]
            groups[-1] = (groups[-1][0], groups[-1][1] + close_outer)
        else:
            self.product()
        self.operand, self.waiting = False, groups

    def function(self, name: str, at: int, end: int) -> int:
        """Read a function with its power, such as a squared sine, up to its argument."""
        power = re.compile(r"\s*\^\s*(?:\{([^{}]*)\}|(\w))").match(self.body, end)
        base = None
        if name in ("log", "lg"):
            base = _SUBSCRIPT.match(self.body, end)
        if base:
            number = (base[1] or base[2] or base[3] or "").strip()
            if number not in ("2", "10", "e"):
                self.refuse(f"logarithm of base {number!r}", at)
            name, end = {"2": "log2", "10": "log10", "e": "log"}[number], base.end()
        name = "log10" if name == "lg" else name
        if power:
            exponent, end = (power[1] or power[2]).strip(), power.end()
            if exponent == "-1":
                self.refuse(f"\\{name}^{{-1}} may be the inverse function or the reciprocal", at)
            self.command([(f"({name}(", f")**({exponent}))")])
        else:
            self.command([(f"{name}(", ")")])
        return end

    def name(self, name: str, end: int) -> int:
        """Read a name with its subscript: the feature of that name where there is one."""
        subscript = _SUBSCRIPT.match(self.body, end)
        if subscript:
            below = next(part for part in subscript.groups() if part is not None).strip()
            below = below.replace("\\", "")
            spelled = [f"{name}_{below}", f"{name}{below}", f"{name}_{{{below}}}"]
            found = next((one for one in spelled if one in self.features), spelled[0])
            self.leaf(f"`{found}`" if found in self.features else found)
            return subscript.end()
        if name in self.features:
            self.leaf("`" + name.replace("`", "``") + "`")
        elif name == "e" and (raised := re.compile(r"\s*\^").match(self.body, end)):
            self.command([("exp(", ")")])
            return raised.end()
        elif name == "e":
            self.leaf("E()")
        elif len(name) > 1 and all(letter in self.features for letter in name):
            for letter in name:
                self.leaf(f"`{letter}`")
        else:
            self.leaf(name)
        return end


_GREEK = frozenset({
    "alpha", "beta", "gamma", "delta", "epsilon", "varepsilon", "zeta", "eta", "theta", "vartheta", "iota", "kappa",
    "lambda", "mu", "nu", "xi", "omicron", "rho", "sigma", "tau", "upsilon", "phi", "varphi", "chi", "psi", "omega",
})  # fmt: skip
