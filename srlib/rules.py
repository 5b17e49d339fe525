"""Rules = measure (what assessing may read) + judge (all else, cheap), loaded from parameters/rules."""

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from srlib.files import digest, shipped
from srlib.yamlfile import Strict, load_yaml, validate

Share = Annotated[float, Field(ge=0, le=1)]
Digits = Annotated[int, Field(ge=0, le=12)]


class Measure(Strict):
    """All that `srlib assess` may read; source: judging criteria and SRBench section 4.3."""

    decimals: Digits = 3
    round_constants: Literal["before", "after", "never"] = "before"
    zero_below: Annotated[float, Field(ge=0)] | None = None
    simplify_ratio: Annotated[float, Field(gt=0)] | None = None
    complexity: Literal["simplified", "sympy", "text"] = "simplified"
    apply_calls: tuple[str, ...] = ()
    solution_decimals: Digits = 3

    @property
    def digest(self) -> str:
        """Name of these settings; it stands in every assessment made with them."""
        return digest(self.model_dump(mode="json"))


class Aspect(Strict):
    """How one aspect is taken from the assessment, which way is better, and where it is rounded."""

    weight: Annotated[float, Field(gt=0)] = 1.0
    from_: Literal["r2_test", "r2_train", "r2_extrapolation", "complexity", "complexity_raw", "property"] = Field(
        alias="from"
    )
    transform: Literal["neg_log"] | None = None
    base: Annotated[float, Field(gt=1)] | None = None
    direction: Literal["higher", "lower", "by_property"]
    digits: Digits | None = None
    round: Literal["before", "after"] | None = None

    @model_validator(mode="after")
    def _combinations(self) -> "Aspect":
        if (self.transform == "neg_log") != (self.base is not None):
            raise ValueError("transform neg_log and base go together")
        if (self.digits is None) != (self.round is None):
            raise ValueError("digits and round go together")
        if (self.direction == "by_property") != (self.from_ == "property"):
            raise ValueError("direction by_property goes with from: property, and only with it")
        return self


class Properties(Strict):
    """Which score stands for each dataset property; source: dataset properties."""

    solution: Literal["frequency"] = "frequency"
    relevant_features: Literal["S1", "S2"] = "S1"
    local_optima: Literal["S1", "S2"] = "S1"
    extrapolation: Literal["r2_extrapolation", "r2_test"] = "r2_extrapolation"
    noise_sensitivity: Literal["ratio", "r2_test"] = "ratio"


class NoiseGuard(Strict):
    """Keeps a method that is bad at every noise level from looking robust."""

    min_accuracy: float = 0.5
    action: Literal["flag", "worst_rank"] = "flag"


class Qualification(Strict):
    """The stage before the competition; source: judging criteria, qualification stage."""

    baseline: str = "LinearRegression"
    per_dataset: Literal["median", "mean"] = "median"
    across: Literal["mean_rank", "median_r2", "wins"] = "mean_rank"


class RealWorld(Strict):
    """The track judged by an expert; source: judging criteria, real-world track."""

    representative: Literal["best", "median"] = "best"
    ranking: Literal["expert_ranks", "harmonic_mean"] = "expert_ranks"


class Judge(Strict):
    """All that turns assessments into a ranking; the switchboard varies only this block."""

    tracks: tuple[str, ...] = ("synthetic",)
    aggregate: Literal["mean", "median"] = "mean"
    rank_per: Literal["aggregate", "repetition"] = "aggregate"
    ties: Literal["dense", "min", "average", "max"] = "dense"
    rank_start: Literal[0, 1] = 1
    missing: Literal["worst_rank", "drop", "as_published"] = "worst_rank"
    repetitions: Annotated[int, Field(ge=1)] = 10
    incomplete: Literal["worst_value", "rest"] = "worst_value"
    combine: Literal["harmonic_then_mean", "one_harmonic", "mean", "weighted_mean"] = "harmonic_then_mean"
    minimal_accuracy: Share | None = None
    aspects: dict[str, Aspect] = Field(min_length=1)
    properties: Properties = Properties()
    noise_guard: NoiseGuard = NoiseGuard()
    qualification: Qualification = Qualification()
    real_world: RealWorld = RealWorld()
    quirks: tuple[str, ...] = ()


class Rules(Strict):
    """One rules file.

    Examples
    --------
    >>> rules = load_rules("judging-2022")
    >>> rules.judge.ties, rules.judge.aspects["simplicity"].base
    ('dense', 5.0)
    """

    schema_: Literal[1] = Field(alias="schema")
    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
    source: str
    measure: Measure
    judge: Judge
    sources: dict[str, str] = {}

    @property
    def digest(self) -> str:
        """Name of all that can change a result: the measure and the judge block."""
        return digest([self.measure.model_dump(mode="json"), self.judge.model_dump(mode="json", by_alias=True)])

    def switches(self) -> list[dict[str, Any]]:
        """Every switch with its value and the document that settles it, in the file's order."""
        rows = []
        for block in ("measure", "judge"):
            for key, value in getattr(self, block).model_dump(mode="json", by_alias=True).items():
                source = self.sources.get(key, "the project's default where the documents are silent")
                rows.append({"block": block, "switch": key, "value": value, "source": source})
        return rows


def load_rules(name: str | Path) -> Rules:
    """Read rules from a path or by the bare name of a shipped file.

    Raises
    ------
    InputError
        Names file and key, what was allowed and what came.
    """
    path = shipped("rules", name)
    return validate(Rules, load_yaml(path), path)
