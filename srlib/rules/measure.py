"""The measure block: all switches that assessing reads; each assessment stores the digest of its block.

The text under a switch is its meaning. The lines after it are sentences for its values, as printed on pages: `{}`
stands for the value, `{aspect}` for the name of the aspect, and `else` is for all values without their own line. The
line `under` names the heading under which the page about the ranking prints them.
"""

import re
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BeforeValidator, Field, model_validator

from srlib.files import digest
from srlib.yaml_files import Strict

Digits = Annotated[int, Field(ge=0, le=12)]
Call = Literal[
    "apart", "cancel", "expand", "factor", "factor_terms", "logcombine", "nsimplify", "powsimp", "radsimp", "ratsimp",
    "simplify", "together", "trigsimp",
]  # fmt: skip
MOST_DIGITS = 12  # most decimals or significant digits
UNIT_NAMES = {"decimals": "decimals", "significant": "significant digits"}
TEXT_PATTERN = re.compile(
    r"{?\'?(?P<rule>decimals|significant)\'? *: *(?P<number>\d{1,2})}?"
    r"|(?P<count>\d{1,2}) (?P<unit>decimals|significant)( digits)?"
)


class Constants(NamedTuple):
    """Rule by which a model's constants are equal to those of the truth.

    `decimals`: they differ by at most half a unit of the last decimal; `significant`: of the last significant digit;
    `srbench`: the model's constants are rounded to 3 decimals, then to 3 significant digits, and values below 1e-4 are
    0; `free`: constants that the problem names may have any value, the others are compared to 3 significant digits.

    Examples
    --------
    >>> str(Constants.read("significant:3")), str(Constants.read({"decimals": 3})), str(Constants.read("free"))
    ('3 significant digits', '3 decimals', 'free')
    """

    rule: str = "decimals"
    digits: int = 3

    def __str__(self) -> str:
        """Return the rule as text, as on pages; `read` accepts this text."""
        if self.rule in UNIT_NAMES:
            return f"{self.digits} {UNIT_NAMES[self.rule]}"
        return self.rule

    @classmethod
    def read(cls, value: object) -> "Constants":
        """Return the rule that a file ({decimals: 3}, srbench, free) or a call (decimals:3) states.

        Raises
        ------
        ValueError
            When the value is invalid; the message says what was expected and what was found.
        """
        text = str(value)
        if text in ("srbench", "free"):
            return cls(text)
        if match := TEXT_PATTERN.fullmatch(text):
            rule = match["rule"] or match["unit"]
            digits = int(match["number"] or match["count"])
            if (rule == "significant") <= digits <= MOST_DIGITS:
                return cls(rule, digits)
        raise ValueError(
            f"decimals:N, significant:N (N up to {MOST_DIGITS}), srbench or free was expected, got {text[:60]!r}"
        )


class MeasureRules(Strict):
    """All that `srlib assess` may read; source: judging criteria and SRBench section 4.3."""

    decimals: Digits = 3
    """decimals to which a model's constants are rounded

    else: The constants of a model are rounded to {} decimals.
    """
    round_constants: Literal["before", "after", "never"] = "before"
    """when constants are rounded, relative to the simplification

    before: They are rounded before the model is simplified.
    after: They are rounded after the model was simplified.
    never: They are not rounded for counting.
    """
    zero_below: Annotated[float, Field(ge=0)] | None = None
    """constants smaller than this in magnitude become 0; null: rounding makes no constant 0

    null: No constant becomes 0 by rounding.
    else: Constants below {} in magnitude become 0.
    """
    simplify_ratio: Annotated[float, Field(gt=0)] | None = None
    """sympy's limit on growth while simplifying; null: sympy's own, 1: never longer than the text

    null: Simplifying may lengthen a text as far as sympy's own limit allows.
    1: Simplifying never makes a text longer.
    else: Simplifying may make a text {} times as long at most.
    """
    simplify_work: Annotated[int, Field(ge=1_000, le=10**9)] = 350_000
    """objects that sympy may construct while it simplifies a model: its work, counted the same on every machine

    else: Simplifying may construct {} sympy objects; where that is not enough, the count of the text stands.
    """
    complexity: Literal["simplified", "canonical", "sympy", "text"] = "simplified"
    """what is counted: the model that sympy simplified, its shortest writing by exact rewrites (srlib's own,
    bounded), sympy's tree of the text, or the text as it stands

    under: What is measured
    simplified: The components of the simplified model are counted.
    canonical: The operators, features and constants of the shortest writing that a fixed list of exact rewrites
        finds are counted.
    sympy: The nodes of sympy's tree of the text are counted, without simplification.
    text: The components of the text are counted as they stand.
    """
    count: Literal["nodes", "operators, features and constants"] = "nodes"
    """what a component is: a node of sympy's tree, or an operator, a feature or a constant as written

    under: What is measured
    nodes: Components are the nodes of the expression's tree, in which a - b is a + (-1)*b and has 5.
    operators, features and constants: Components are the operators, features and constants that are written: a -
        b has 3.
    """
    dust: Literal["dropped", "kept"] = "dropped"
    """what happens, before simplifying, to terms too small to change any prediction at double precision

    dropped: Terms too small to change any prediction at double precision are left out first.
    kept: Terms too small to change any prediction are kept.
    """
    apply_calls: tuple[Call, ...] = ()
    """calls of sympy functions inside a model's text that are carried out; others stand for their argument

    []: A call of a sympy function in a text stands for its argument.
    else: A call of {} in a text is carried out.
    """
    solution_constants: Annotated[
        str, BeforeValidator(lambda value: str(Constants.read(value)))
    ] = "3 decimals"
    """how constants are compared with those of the truth: {decimals: 3}, {significant: 3}, srbench or free

    srbench: Constants are compared as SRBench's code does: a model's are rounded to 3 decimals and then to 3
        significant digits, and what is below 0.0001 is 0.
    free: Constants that the problem file names may have any value; those that are part of the form are compared
        with the truth's to 3 significant digits.
    else: Fitted constants are compared with those of the truth to {}.
    """

    @model_validator(mode="before")
    @classmethod
    def _check_content(cls, content: Any) -> Any:
        """Return the block without `judged: text`, a key of older files; refuse a count that sympy cannot make."""
        if not isinstance(content, dict):
            return content
        if content.get("count", "nodes") != "nodes" and content.get("complexity") == "sympy":
            raise ValueError(
                "count: operators, features and constants goes with complexity: simplified, canonical or text"
            )
        return {
            name: value for name, value in content.items() if (name, value) != ("judged", "text")
        }

    @property
    def literal(self) -> bool:
        """Whether components are operators, features and constants as written, instead of nodes of sympy's tree."""
        return self.count != "nodes"

    @property
    def digest(self) -> str:
        """Hash of these settings, which is stored in every assessment made with them."""
        # defaults are left out, so that a new switch changes no digest; tests/test_rules.py pins the defaults
        return digest(self.model_dump(mode="json", exclude_defaults=True))
