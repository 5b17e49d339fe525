"""The judge block: all switches that decide how assessments become a ranking.

The module `srlib.rules.measure` explains the format of the switches' docstrings.
"""

from typing import Annotated, Any, Literal

from pydantic import Field, FiniteFloat, model_validator

from srlib.prose import listed
from srlib.rules.measure import Digits
from srlib.yaml_files import Strict


class Aspect(Strict):
    """One aspect: its source in the assessment, its direction and its rounding."""

    from_: str = Field(alias="from", pattern=r"^[A-Za-z_]\w*$")
    """numeric column of the runs or assessments (r2_test, complexity, training_time_s, one of your own), or what is
    made of them (edit_distance), or property; value: a measure as it stands, such as an inference score

    r2_test: {aspect} is R2 on the test set.
    complexity: {aspect} is taken from the number of components.
    complexity_raw: {aspect} is taken from the number of components as written, not simplified.
    property: {aspect} is the score of the property that the dataset was made for.
    value: {aspect} is a measure as it stands.
    else: {aspect} is taken from the column {}.
    """
    transform: Literal["neg_log"] | None = None
    """neg_log: minus the logarithm

    neg_log: It is minus the logarithm of that number.
    null:
    """
    base: Annotated[float, Field(gt=1)] | None = None
    """base of that logarithm

    null:
    else: The base of the logarithm is {}.
    """
    direction: Literal["higher", "lower", "by_property"]
    """which way is better

    higher: Higher {aspect} is better.
    lower: Lower {aspect} is better.
    by_property: The property says which way is better.
    """
    digits: Digits | None = None
    """decimals to which values are rounded before they are ranked

    null: {aspect} is not rounded.
    1: {aspect} is rounded to one decimal.
    else: {aspect} is rounded to {} decimals.
    """
    round: Literal["before", "after"] | None = None
    """whether each run is rounded before aggregating, or the aggregate after

    null:
    before: {aspect} is rounded run by run, before the repetitions are aggregated.
    after: {aspect} is rounded after the repetitions were aggregated.
    """
    weight: Annotated[FiniteFloat, Field(ge=0)] = 1.0
    """how often the aspect's rank counts in the score of a dataset

    1:
    else: {aspect} counts {} times.
    """

    @model_validator(mode="after")
    def _check_combinations(self) -> "Aspect":
        """Return the aspect; raise ValueError if its keys cannot be combined."""
        if (self.transform == "neg_log") != (self.base is not None):
            raise ValueError(
                f"transform neg_log and base go together, got transform {self.transform} and base {self.base}"
            )
        if self.transform and self.from_ not in ("complexity", "complexity_raw"):
            raise ValueError(
                f"transform neg_log goes with from: complexity or complexity_raw, got {self.from_}"
            )
        if (self.digits is None) != (self.round is None):
            raise ValueError(
                f"digits and round go together, got digits {self.digits} and round {self.round}"
            )
        if (self.direction == "by_property") != (self.from_ == "property"):
            raise ValueError(
                f"direction by_property goes with from: property, and only with it, got direction {self.direction} and "
                f"from {self.from_}"
            )
        return self


class Properties(Strict):
    """The score that stands for each dataset property; source: dataset properties."""

    solution: Literal["frequency", "nearness"] = "frequency"
    """share of the runs that found the truth, or 1 minus the distance of the model's tree from the truth's

    frequency: Re-discovery is the share of the runs that found the truth.
    nearness: Re-discovery is how near the model's tree is to the truth's, from 0 to 1.
    """
    relevant_features: Literal["S1", "S2"] = "S1"
    """S1: share of the irrelevant features left out; S2: share of the used features that are relevant

    S1: Feature selection is the share of the irrelevant features that the model leaves out.
    S2: Feature selection is the share of the model's features that are relevant.
    """
    local_optima: Literal["S1", "S2"] = "S1"
    """the same, with the surrogates as the irrelevant features for S1

    S1: On datasets with surrogates it is the share of them that the model leaves out.
    S2: On datasets with surrogates it is the share of the model's features that are relevant.
    """
    extrapolation: Literal["r2_extrapolation", "r2_test"] = "r2_extrapolation"
    """R2 on the extrapolation partition, or accuracy a second time

    r2_extrapolation: Extrapolation is R2 on the extrapolation partition.
    r2_test: Extrapolation is the test R2 a second time.
    """
    noise_sensitivity: Literal["ratio", "r2_test"] = "ratio"
    """loss of accuracy per unit of noise (lower is better), or accuracy a second time

    ratio: Noise sensitivity is the loss of accuracy per unit of noise; lower is better.
    r2_test: On noisy datasets the property is the test R2 a second time.
    """


class NoiseGuard(Strict):
    """Guard against a low noise sensitivity of methods that are bad at every noise level."""

    min_accuracy: float = 0.5
    """accuracy that a method must reach at one of the two noise levels at least

    else: Noise sensitivity is meaningful only with an accuracy of {} or more at one of the levels.
    """
    action: Literal["flag", "worst_rank"] = "flag"
    """what happens below that: a line in the ledger, or the worst rank in the property too

    flag: Methods below that are named in the ledger, and keep their points.
    worst_rank: A method below that gets the points of the last place in the property.
    """


class QualificationRules(Strict):
    """The stage before the competition; source: judging criteria, qualification stage."""

    baseline: str = "LinearRegression"
    """method that has to be beaten

    else: To qualify, a method has to be better than {}.
    """
    per_dataset: Literal["median", "mean"] = "median"
    """how repetitions are aggregated on a dataset

    median: On a dataset the median of the repetitions is compared.
    mean: On a dataset the mean of the repetitions is compared.
    """
    across: Literal["mean_rank", "median_r2", "wins"] = "mean_rank"
    """what is compared across datasets

    mean_rank: Over the datasets the mean ranks are compared.
    median_r2: Over the datasets the medians of R2 are compared.
    wins: Over the datasets the wins are counted.
    """


class RealWorld(Strict):
    """The track judged by an expert; source: judging criteria, real-world track."""

    representative: Literal["best", "median"] = "best"
    """which of a method's models the expert sees: the most accurate, or the median one

    best: The expert sees a method's most accurate model.
    median: The expert sees a method's median model.
    """
    ranking: Literal["expert_ranks", "harmonic_mean"] = "expert_ranks"
    """what decides: the expert's ranks alone, or their harmonic mean with accuracy and simplicity

    expert_ranks: The expert's ranks alone decide.
    harmonic_mean: The expert's ranks decide together with accuracy and simplicity, by a harmonic mean.
    """


class JudgeRules(Strict):
    """All that turns assessments into a ranking; the switchboard varies this block, and what it can of the other."""

    tracks: tuple[str, ...] = ("synthetic",)
    """tracks whose datasets are scored

    under: What is measured
    []: No track is scored.
    else: The datasets of the track {} are scored.
    """
    aspects: dict[str, Aspect] = Field(min_length=1)
    """what is ranked

    under: What is measured
    """
    properties: Properties = Properties()
    """which score stands for each property

    under: The property
    """
    noise_guard: NoiseGuard = NoiseGuard()
    """against a low noise sensitivity of methods that are bad at every noise level

    under: The property
    """
    repetitions: Annotated[int, Field(ge=1)] = 10
    """usable runs that are expected of a method on a dataset, fewer where it states fewer data seeds

    under: From runs to a value
    1: One usable run is expected of a method on a dataset.
    else: {} usable runs are expected of a method on a dataset, fewer where it states fewer data seeds.
    """
    incomplete: Literal["floor", "worst_value", "rest"] = "floor"
    """an absent run counts as its floor, as the worst value of anybody on the dataset, or not at all

    under: From runs to a value
    floor: A failed or absent run counts as the method's own worst run on the dataset, and never better than an R2
        or a share of 0.
    worst_value: A failed or absent run counts as the worst result of anybody on the dataset.
    rest: Where runs are absent, only the others count, so that failing can pay.
    """
    aggregate: Literal["mean", "median"] = "mean"
    """how the repetitions of a method on a dataset become one value

    under: From runs to a value
    mean: The value on a dataset is the mean over the repetitions.
    median: The value on a dataset is the median over the repetitions.
    """
    rank_per: Literal["aggregate", "repetition"] = "aggregate"
    """whether aggregates are ranked, or each repetition on its own, and the ranks averaged

    under: From runs to a value
    aggregate: These values are ranked.
    repetition: Each repetition is ranked on its own, and the ranks are averaged.
    """
    rank_start: Literal[0, 1] = 1
    """the worst possible rank

    under: Points
    1: The best of n methods gets n points, and each place one less.
    0: The best of n methods gets n - 1 points, and each place one less.
    """
    ties: Literal["dense", "min", "average", "max"] = "dense"
    """places of equal values, as scipy's rankdata counts them from the best

    under: Points
    dense: Equal values share a place, and the next value has the next place.
    min: Equal values share the best of their places, and the places after it stay free.
    average: Equal values share the mean of their places.
    max: Equal values share the worst of their places.
    """
    missing: Literal["worst_rank", "drop", "as_published"] = "worst_rank"
    """a dataset without a usable run: worst rank, left out, or left out while any other missing value outranks all

    under: Points
    worst_rank: A dataset on which a method has no usable run gives it the points of the last place.
    drop: A dataset on which a method has no usable run is left out of its score.
    as_published: A dataset on which a method has no usable run is left out of its score, and any other missing
        value outranks all.
    """
    minimal_accuracy: Annotated[float, Field(ge=0, le=1)] | None = None
    """share of the best R2 (of the repetition, if those are ranked) to exceed, or else the worst rank in all aspects

    under: Points
    null: No minimal accuracy is asked for.
    else: An accuracy that is not above {} times the best gets the points of the last place in all aspects.
    """
    combine: Literal["harmonic_then_mean", "one_harmonic", "mean"] = "harmonic_then_mean"
    """how aspect ranks become scores, with the weights of aspects and datasets

    under: Scores
    harmonic_then_mean: The score on a dataset is the harmonic mean of the points in its aspects; the final score
        is the mean of these over the datasets.
    one_harmonic: The final score is one harmonic mean of the points in all aspects on all datasets.
    mean: The score on a dataset is the mean of the points in its aspects; the final score is the mean of these over
        the datasets.
    """
    quirks: tuple[
        Literal["even_features_irrelevant", "noise_base_as_easy", "seir_left_out"], ...
    ] = ()
    """defects of 2022: every second feature irrelevant; runs without noise for those with least; no SEIR datasets

    under: Scores
    []:
    even_features_irrelevant: As published in 2022, every second feature counts as irrelevant.
    noise_base_as_easy: As published in 2022, runs without noise replace those with the least noise.
    seir_left_out: As published in 2022, the SEIR datasets are left out.
    """
    qualification: QualificationRules = QualificationRules()
    """the stage before the competition"""
    real_world: RealWorld = RealWorld()
    """the track judged by an expert"""

    @model_validator(mode="after")
    def _check_combinations(self) -> "JudgeRules":
        """Return the block; raise ValueError if its switches cannot be combined."""
        sources = [aspect.from_ for aspect in self.aspects.values()]
        if self.minimal_accuracy is not None and "r2_test" not in sources:
            raise ValueError(
                f"minimal_accuracy needs an aspect from r2_test, got aspects from {listed(sources)}"
            )
        if sources.count("property") > 1:
            raise ValueError(
                f"aspects: only one may come from property, got {sources.count('property')}"
            )
        if not any(aspect.weight for aspect in self.aspects.values()):
            raise ValueError("aspects: at least one weight above 0 is needed, got 0 for all")
        if self.rank_start == 0 and self.combine == "one_harmonic":
            raise ValueError(
                "rank_start: 0 with combine: one_harmonic makes the score of every method 0 that is last once; "
                "use rank_start: 1"
            )
        if "noise_base_as_easy" in self.quirks and self.properties.noise_sensitivity == "ratio":
            raise ValueError(
                "quirk noise_base_as_easy leaves no reference: properties.noise_sensitivity must be r2_test"
            )
        return self


READINGS: dict[tuple[str, ...], tuple[tuple[Any, ...], ...]] = {
    ("aggregate",): (("mean",), ("median",)),
    ("rank_per",): (("aggregate",), ("repetition",)),
    ("ties",): (("dense",), ("min",), ("average",)),
    ("rank_start",): ((1,), (0,)),
    ("missing", "incomplete"): (
        ("worst_rank", "floor"),
        ("worst_rank", "worst_value"),
        ("drop", "rest"),
    ),
    ("combine",): (("harmonic_then_mean",), ("one_harmonic",)),
    ("minimal_accuracy",): ((None,), (0.5,)),
    ("properties.relevant_features", "properties.local_optima"): (("S1", "S1"), ("S2", "S2")),
    ("properties.extrapolation", "properties.noise_sensitivity"): (
        ("r2_extrapolation", "ratio"),
        ("r2_test", "r2_test"),
    ),
    ("noise_guard.action",): (("flag",), ("worst_rank",)),
}
"""Values in which published competitions or readers of a document differ, by switches that change together."""
ASPECT_READINGS = {"round": ("after", "before"), "from": ("complexity", "complexity_raw")}
"""Values of the same kind for keys of an aspect; used if the value of the key in the rules is one of them."""
