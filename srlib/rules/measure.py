"""The measure block: all that assessing may read; its digest names what was measured."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from srlib.files import digest
from srlib.rules.constants import Constants
from srlib.rules.switch import Digits, Switch, Switches

Call = Literal[
    "apart", "cancel", "expand", "factor", "factor_terms", "logcombine", "nsimplify", "powsimp", "radsimp", "ratsimp",
    "simplify", "together", "trigsimp",
]  # fmt: skip
CRITERIA, PROPOSAL, CODE, LATER, BENCH = (
    "judging criteria",
    "proposal",
    "published code",
    "competition 2023",
    "SRBench",
)


class Measure(Switches):
    """All that `srlib assess` may read; source: judging criteria and SRBench section 4.3."""

    decimals: Annotated[
        Digits, Switch("The constants of a model are rounded to {} decimals.", {CODE: 3, BENCH: 3})
    ] = 3
    """decimals to which a model's constants are rounded"""
    round_constants: Annotated[
        Literal["before", "after", "never"],
        Switch(
            {
                "before": "They are rounded before the model is simplified.",
                "after": "They are rounded after the model was simplified.",
                "never": "They are not rounded for counting.",
            },
            {CODE: "after"},
        ),
    ] = "before"
    """when constants are rounded, relative to the simplification"""
    zero_below: Annotated[
        Annotated[float, Field(ge=0)] | None,
        Switch(
            {
                "null": "No constant becomes 0 by rounding.",
                "": "Constants below {} in magnitude become 0.",
            },
            {CODE: 1e-3},
        ),
    ] = None
    """constants smaller than this in magnitude become 0; null: rounding makes no constant 0"""
    simplify_ratio: Annotated[
        Annotated[float, Field(gt=0)] | None,
        Switch(
            {
                "null": "Simplifying may lengthen a text as far as sympy's own limit allows.",
                "1": "Simplifying never makes a text longer.",
                "": "Simplifying may make a text {} times as long at most.",
            },
            {BENCH: 1},
        ),
    ] = None
    """sympy's limit on growth while simplifying; null: sympy's own, 1: never longer than the text"""
    simplify_work: Annotated[
        Annotated[int, Field(ge=1_000, le=10**9)],
        Switch(
            "Simplifying may construct {} sympy objects; where that is not enough, the count of the text stands."
        ),
    ] = 500_000
    """objects that sympy may construct while it simplifies a model: its work, counted the same on every machine"""
    complexity: Annotated[
        Literal["simplified", "canonical", "sympy", "text"],
        Switch(
            {
                "simplified": "The components of the simplified model are counted.",
                "canonical": "The operators, features and constants of the shortest writing that a fixed list of exact "
                "rewrites finds are counted.",
                "sympy": "The nodes of sympy's tree of the text are counted, without simplification.",
                "text": "The components of the text are counted as they stand.",
            },
            {
                CRITERIA: "simplified",
                PROPOSAL: "simplified",
                CODE: "simplified",
                BENCH: "simplified",
                LATER: "sympy",
            },
        ),
    ] = "simplified"
    """what is counted: the model that sympy simplified, its shortest writing by exact rewrites (srlib's own, bounded),
    sympy's tree of the text, or the text as it stands"""
    count: Annotated[
        Literal["nodes", "operators, features and constants"],
        Switch(
            {
                "nodes": "Components are the nodes of the expression's tree, in which a - b is a + (-1)*b and has 5.",
                "operators, features and constants": "Components are the operators, features and constants that are "
                "written: a - b has 3.",
            },
            {BENCH: "operators, features and constants"},
        ),
    ] = "nodes"
    """what a component is: a node of sympy's tree, or an operator, a feature or a constant as written"""
    dust: Annotated[
        Literal["dropped", "kept"],
        Switch(
            {
                "dropped": "Terms too small to change any prediction at double precision are left out first.",
                "kept": "Terms too small to change any prediction are kept.",
            }
        ),
    ] = "dropped"
    """what happens, before simplifying, to terms too small to change any prediction at double precision"""
    judged: Annotated[
        Literal["text", "predictions"],
        Switch(
            {
                "text": "R2 is measured on the model's text.",
                "predictions": "R2 is measured on the predictions that a run stored, where it stored any.",
            }
        ),
    ] = "text"
    """what R2 is measured on: the model's text, or the predictions that a run stored, where it stored any"""
    apply_calls: Annotated[
        tuple[Call, ...],
        Switch(
            {
                "[]": "A call of a sympy function in a text stands for its argument.",
                **{name: f"A call of {name} in a text is carried out." for name in Call.__args__},
            },
            {LATER: ("factor_terms",)},
        ),
    ] = ()
    """calls of sympy functions inside a model's text that are carried out; others stand for their argument"""
    solution_constants: Annotated[
        str,
        BeforeValidator(lambda value: str(Constants.read(value))),
        Switch(
            {
                "srbench": "Constants are compared as SRBench's code does: a model's are rounded to 3 decimals and "
                "then to 3 significant digits, and what is below 0.0001 is 0.",
                "free": "Constants that the problem file names may have any value; those that are part of the form are "
                "compared with the truth's to 3 significant digits.",
                "": "Fitted constants are compared with those of the truth to {}.",
            },
            {BENCH: "srbench"},
        ),
    ] = "3 decimals"
    """how constants are compared with those of the truth: {decimals: 3}, {significant: 3}, srbench or free"""

    @model_validator(mode="before")
    @classmethod
    def _older_name(cls, content: Any) -> Any:
        """Read the switch's older name, which knew decimals only."""
        if not isinstance(content, dict) or "solution_decimals" not in content:
            return content
        if "solution_constants" in content:
            raise ValueError(
                "solution_decimals is the older name of solution_constants: one of them"
            )
        rest = {key: value for key, value in content.items() if key != "solution_decimals"}
        return rest | {"solution_constants": {"decimals": content["solution_decimals"]}}

    @model_validator(mode="after")
    def _combinations(self) -> "Measure":
        if self.literal and self.complexity == "sympy":
            raise ValueError(
                "count: operators, features and constants goes with complexity: simplified, canonical or text"
            )
        return self

    @property
    def literal(self) -> bool:
        """Whether operators, features and constants are counted as they are written."""
        return self.count != "nodes"

    @property
    def digest(self) -> str:
        """Name of these settings; it stands in every assessment made with them."""
        later = {"count": "nodes", "judged": "text"}  # assessments may be older than these switches
        left_out = {name for name, value in later.items() if getattr(self, name) == value}
        found = self.model_dump(mode="json", exclude=left_out)
        by = Constants.read(self.solution_constants)
        if by.rule == "decimals":  # as the switch was written before it knew more
            del found["solution_constants"]
            found["solution_decimals"] = by.digits
        return digest(found)
