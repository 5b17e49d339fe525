"""Blocks of switches inside the judge block: aspects, properties, guard, qualification, real world."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from srlib.rules.measure import CODE, CRITERIA, LATER, PROPOSAL
from srlib.rules.switch import Digits, Switch, Switches

PROPERTIES = "dataset properties"


class Aspect(Switches):
    """How one aspect is taken from the assessment, which way is better, and where it is rounded."""

    from_: Annotated[
        str,
        Switch(
            {
                "r2_test": "{aspect} is R2 on the test set.",
                "complexity": "{aspect} is taken from the number of components.",
                "complexity_raw": "{aspect} is taken from the number of components as written, not simplified.",
                "property": "{aspect} is the score of the property that the dataset was made for.",
                "value": "{aspect} is a measure as it stands.",
                "": "{aspect} is taken from the column {}.",
            },
            {
                CRITERIA: {
                    "accuracy": "r2_test",
                    "simplicity": "complexity",
                    "property": "property",
                },
                PROPOSAL: {
                    "accuracy": "r2_test",
                    "simplicity": "complexity",
                    "property": "property",
                },
                CODE: {"accuracy": "r2_test", "simplicity": "complexity", "property": "property"},
                LATER: {"accuracy": "r2_test", "simplicity": "complexity"},
            },
        ),
    ] = Field(alias="from", pattern=r"^[A-Za-z_]\w*$")
    """numeric column of the runs or assessments (r2_test, complexity, training_time_s, one of your own), or what is
    made of them (edit_distance), or property; value: a measure as it stands, such as an inference score"""
    transform: Annotated[
        Literal["neg_log"] | None,
        Switch(
            {
                "neg_log": "It is minus the logarithm of that number.",
                "null": "The number stands as it is.",
            },
            {CRITERIA: {"simplicity": "neg_log"}, CODE: {"simplicity": "neg_log"}},
        ),
    ] = None
    """neg_log: minus the logarithm"""
    base: Annotated[
        Annotated[float, Field(gt=1)] | None,
        Switch(
            {"null": "", "": "The base of the logarithm is {}."},
            {CRITERIA: {"simplicity": 5.0}, CODE: {"simplicity": 5.0}},
        ),
    ] = None
    """base of that logarithm"""
    direction: Annotated[
        Literal["higher", "lower", "by_property"],
        Switch(
            {
                "higher": "Higher {aspect} is better.",
                "lower": "Lower {aspect} is better.",
                "by_property": "The property says which way is better.",
            },
            {
                CRITERIA: {"accuracy": "higher", "simplicity": "higher"},
                PROPOSAL: {"accuracy": "higher", "simplicity": "lower"},
                CODE: {"accuracy": "higher", "simplicity": "higher"},
                LATER: {"accuracy": "higher", "simplicity": "lower"},
                PROPERTIES: {"property": "by_property"},
            },
        ),
    ]
    """which way is better"""
    digits: Annotated[
        Digits | None,
        Switch(
            {
                "null": "{aspect} is not rounded.",
                "1": "{aspect} is rounded to one decimal.",
                "": "{aspect} is rounded to {} decimals.",
            },
            {
                CRITERIA: {"accuracy": 3, "simplicity": 1},
                PROPOSAL: {"accuracy": 3},
                CODE: {"accuracy": 3, "simplicity": 1},
                LATER: {"accuracy": 3},
            },
        ),
    ] = None
    """decimals to which values are rounded before they are ranked"""
    round: Annotated[
        Literal["before", "after"] | None,
        Switch(
            {
                "null": "",
                "before": "{aspect} is rounded run by run, before the repetitions are aggregated.",
                "after": "{aspect} is rounded after the repetitions were aggregated.",
            },
            {CODE: {"accuracy": "after", "simplicity": "before"}},
            readings=("after", "before"),
        ),
    ] = None
    """whether each run is rounded before aggregating, or the aggregate after"""
    weight: Annotated[
        Annotated[float, Field(ge=0)],
        Switch({"1": "", "": "{aspect} counts {} times."}),
    ] = 1.0
    """how often the aspect's rank counts in the score of a dataset"""

    @model_validator(mode="after")
    def _combinations(self) -> "Aspect":
        if (self.transform == "neg_log") != (self.base is not None):
            raise ValueError("transform neg_log and base go together")
        if self.transform and self.from_ not in ("complexity", "complexity_raw"):
            raise ValueError(
                f"transform neg_log goes with from: complexity or complexity_raw, got {self.from_}"
            )
        if (self.digits is None) != (self.round is None):
            raise ValueError("digits and round go together")
        if (self.direction == "by_property") != (self.from_ == "property"):
            raise ValueError("direction by_property goes with from: property, and only with it")
        return self


class Properties(Switches):
    """Which score stands for each dataset property; source: dataset properties."""

    solution: Annotated[
        Literal["frequency", "nearness"],
        Switch(
            {
                "frequency": "Re-discovery is the share of the runs that found the truth.",
                "nearness": "Re-discovery is how near the model's tree is to the truth's, from 0 to 1.",
            },
            {CRITERIA: "frequency", CODE: "frequency"},
        ),
    ] = "frequency"
    """share of the runs that found the truth, or 1 minus the distance of the model's tree from the truth's"""
    relevant_features: Annotated[
        Literal["S1", "S2"],
        Switch(
            {
                "S1": "On datasets with irrelevant features it is the share of them that the model leaves out (S1).",
                "S2": "On datasets with irrelevant features it is the share of the model's features that are "
                "relevant (S2).",
            },
            {PROPOSAL: "S1", CODE: "S1"},
            readings=("S1", "S2"),
            together="relevant_features/local_optima",
        ),
    ] = "S1"
    """S1: share of the irrelevant features left out; S2: share of the used features that are relevant"""
    local_optima: Annotated[
        Literal["S1", "S2"],
        Switch(
            {
                "S1": "On datasets with surrogates it is the share of them that the model leaves out (S1).",
                "S2": "On datasets with surrogates it is the share of the model's features that are relevant (S2).",
            },
            {CODE: "S1"},
            readings=("S1", "S2"),
            together="relevant_features/local_optima",
        ),
    ] = "S1"
    """the same, with the surrogates as the irrelevant features for S1"""
    extrapolation: Annotated[
        Literal["r2_extrapolation", "r2_test"],
        Switch(
            {
                "r2_extrapolation": "Extrapolation is R2 on the extrapolation partition.",
                "r2_test": "Extrapolation is the test R2 a second time.",
            },
            {PROPERTIES: "r2_extrapolation", CODE: "r2_test"},
            readings=("r2_extrapolation", "r2_test"),
            together="extrapolation/noise_sensitivity",
        ),
    ] = "r2_extrapolation"
    """R2 on the extrapolation partition, or accuracy a second time"""
    noise_sensitivity: Annotated[
        Literal["ratio", "r2_test"],
        Switch(
            {
                "ratio": "Noise sensitivity is the loss of accuracy per unit of noise; lower is better.",
                "r2_test": "On noisy datasets the property is the test R2 a second time.",
            },
            {PROPERTIES: "ratio", CODE: "r2_test"},
            readings=("ratio", "r2_test"),
            together="extrapolation/noise_sensitivity",
        ),
    ] = "ratio"
    """loss of accuracy per unit of noise (lower is better), or accuracy a second time"""


class NoiseGuard(Switches):
    """Keeps a method that is bad at every noise level from looking robust."""

    min_accuracy: Annotated[
        float,
        Switch(
            "Noise sensitivity is meaningful only with an accuracy of {} or more at one of the levels."
        ),
    ] = 0.5
    """accuracy that a method must reach at one of the two noise levels at least"""
    action: Annotated[
        Literal["flag", "worst_rank"],
        Switch(
            {
                "flag": "A method below that gets a line in the ledger.",
                "worst_rank": "A method below that gets the worst rank in the property.",
            },
            readings=("flag", "worst_rank"),
        ),
    ] = "flag"
    """what happens below that: a line in the ledger, or the worst rank in the property too"""


class Qualification(Switches):
    """The stage before the competition; source: judging criteria, qualification stage."""

    baseline: Annotated[
        str,
        Switch(
            "To qualify, a method has to be better than {}.",
            {CRITERIA: "LinearRegression", PROPOSAL: "ElasticNet"},
        ),
    ] = "LinearRegression"
    """method that has to be beaten"""
    per_dataset: Annotated[
        Literal["median", "mean"],
        Switch(
            {
                "median": "On a dataset the median of the repetitions is compared.",
                "mean": "On a dataset the mean of the repetitions is compared.",
            }
        ),
    ] = "median"
    """how repetitions are aggregated on a dataset"""
    across: Annotated[
        Literal["mean_rank", "median_r2", "wins"],
        Switch(
            {
                "mean_rank": "Over the datasets the mean ranks are compared.",
                "median_r2": "Over the datasets the medians of R2 are compared.",
                "wins": "Over the datasets the wins are counted.",
            }
        ),
    ] = "mean_rank"
    """what is compared across datasets"""


class RealWorld(Switches):
    """The track judged by an expert; source: judging criteria, real-world track."""

    representative: Annotated[
        Literal["best", "median"],
        Switch(
            {
                "best": "The expert sees a method's most accurate model.",
                "median": "The expert sees a method's median model.",
            },
            {CRITERIA: "best", PROPOSAL: "best", CODE: "median"},
        ),
    ] = "best"
    """which of a method's models the expert sees: the most accurate, or the median one"""
    ranking: Annotated[
        Literal["expert_ranks", "harmonic_mean"],
        Switch(
            {
                "expert_ranks": "The expert's ranks alone decide.",
                "harmonic_mean": "The expert's ranks decide together with accuracy and simplicity, by a harmonic mean.",
            },
            {CRITERIA: "expert_ranks", PROPOSAL: "expert_ranks", CODE: "harmonic_mean"},
        ),
    ] = "expert_ranks"
    """what decides: the expert's ranks alone, or their harmonic mean with accuracy and simplicity"""
