"""The judge block: all that turns assessments into a ranking, cheap to vary."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from srlib.rules.blocks import Aspect, NoiseGuard, Properties, Qualification, RealWorld
from srlib.rules.measure import CODE, CRITERIA, LATER, PROPOSAL
from srlib.rules.switch import Share, Switch, Switches


class Judge(Switches):
    """All that turns assessments into a ranking; the switchboard varies this block, and what it can of the other."""

    tracks: Annotated[
        tuple[str, ...],
        Switch(
            {"[]": "No track is scored.", "": "The datasets of the track {} are scored."},
            dict.fromkeys((CRITERIA, PROPOSAL, CODE), ("synthetic",)),
        ),
    ] = ("synthetic",)
    """tracks whose datasets are scored"""
    aggregate: Annotated[
        Literal["mean", "median"],
        Switch(
            {
                "mean": "The value on a dataset is the mean over the repetitions.",
                "median": "The value on a dataset is the median over the repetitions.",
            },
            {CRITERIA: "mean", CODE: "mean"},
            readings=("mean", "median"),
        ),
    ] = "mean"
    """how the repetitions of a method on a dataset become one value"""
    rank_per: Annotated[
        Literal["aggregate", "repetition"],
        Switch(
            {
                "aggregate": "These values are ranked.",
                "repetition": "Each repetition is ranked on its own, and the ranks are averaged.",
            },
            {CRITERIA: "aggregate", PROPOSAL: "repetition", CODE: "aggregate"},
            readings=("aggregate", "repetition"),
        ),
    ] = "aggregate"
    """whether aggregates are ranked, or each repetition on its own, and the ranks averaged"""
    ties: Annotated[
        Literal["dense", "min", "average", "max"],
        Switch(
            {
                "dense": "Equal values share a rank, and the next value has the next rank.",
                "min": "Equal values share the best of their ranks, and the ranks below it stay free.",
                "average": "Equal values share the mean of their ranks.",
                "max": "Equal values share the worst of their ranks.",
            },
            {CODE: "dense", LATER: "dense"},
            readings=("dense", "min", "average"),
        ),
    ] = "dense"
    """places of equal values, as scipy's rankdata counts them from the best"""
    rank_start: Annotated[
        Literal[0, 1],
        Switch("The worst possible rank is {}.", {CODE: 0, LATER: 1}, readings=(1, 0)),
    ] = 1
    """the worst possible rank"""
    missing: Annotated[
        Literal["worst_rank", "drop", "as_published"],
        Switch(
            {
                "worst_rank": "A dataset on which a method has no usable run gives it the worst rank.",
                "drop": "A dataset on which a method has no usable run is left out of its score.",
                "as_published": "A dataset on which a method has no usable run is left out of its score, "
                "and any other missing value outranks all.",
            },
            {CODE: "as_published", LATER: "worst_rank"},
            readings=("worst_rank", "worst_rank", "drop"),
            together="missing/incomplete",
        ),
    ] = "worst_rank"
    """a dataset without a usable run: worst rank, left out, or left out while any other missing value outranks all"""
    repetitions: Annotated[
        Annotated[int, Field(ge=1)],
        Switch(
            {
                "1": "One usable run is expected of a method on a dataset.",
                "": "{} usable runs are expected of a method on a dataset.",
            },
            {CRITERIA: 10, PROPOSAL: 10, LATER: 1},
        ),
    ] = 10
    """usable runs that are expected of a method on a dataset"""
    incomplete: Annotated[
        Literal["floor", "worst_value", "rest"],
        Switch(
            {
                "floor": "An absent run counts as its floor: 0 for frequencies and shares, the worst seen but "
                "at most 0 for R2, the worst seen for sizes.",
                "worst_value": "An absent run counts as the worst value seen on the dataset.",
                "rest": "Where runs are absent, only the others count, so that failing can pay.",
            },
            {CODE: "rest"},
            readings=("floor", "worst_value", "rest"),
            together="missing/incomplete",
        ),
    ] = "floor"
    """an absent run counts as its floor, as the worst value seen on the dataset, or not at all"""
    combine: Annotated[
        Literal["harmonic_then_mean", "one_harmonic", "mean"],
        Switch(
            {
                "harmonic_then_mean": "The score on a dataset is the harmonic mean of the aspect ranks; "
                "the final score is the mean of these over the datasets.",
                "one_harmonic": "The final score is one harmonic mean of the aspect ranks on all datasets.",
                "mean": "The score on a dataset is the mean of the aspect ranks; "
                "the final score is the mean of these over the datasets.",
            },
            {
                CRITERIA: "harmonic_then_mean",
                PROPOSAL: "harmonic_then_mean",
                CODE: "harmonic_then_mean",
                LATER: "one_harmonic",
            },
            readings=("harmonic_then_mean", "one_harmonic"),
        ),
    ] = "harmonic_then_mean"
    """how aspect ranks become scores, with the weights of aspects and datasets"""
    minimal_accuracy: Annotated[
        Share | None,
        Switch(
            {
                "null": "No minimal accuracy is asked for.",
                "": "An accuracy that is not above {} times the best gets the worst rank in all aspects.",
            },
            {PROPOSAL: 0.5},
            readings=(None, 0.5),
        ),
    ] = None
    """share of the best R2 (of the repetition, if those are ranked) to exceed, or else the worst rank in all aspects"""
    aspects: dict[str, Aspect] = Field(min_length=1)
    """what is ranked"""
    properties: Properties = Properties()
    """which score stands for each property"""
    noise_guard: NoiseGuard = NoiseGuard()
    """against a low noise sensitivity of methods that are bad at every noise level"""
    qualification: Qualification = Qualification()
    """the stage before the competition"""
    real_world: RealWorld = RealWorld()
    """the track judged by an expert"""
    quirks: Annotated[
        tuple[Literal["even_features_irrelevant", "noise_base_as_easy", "seir_left_out"], ...],
        Switch(
            {
                "[]": "No defect of a published procedure is kept.",
                "even_features_irrelevant": "As published in 2022, every second feature counts as irrelevant.",
                "noise_base_as_easy": "As published in 2022, runs without noise replace those with the least noise.",
                "seir_left_out": "As published in 2022, the SEIR datasets are left out.",
            },
            {CODE: ("even_features_irrelevant", "noise_base_as_easy", "seir_left_out")},
        ),
    ] = ()
    """defects of 2022: every second feature irrelevant; runs without noise for those with least; no SEIR datasets"""

    @model_validator(mode="after")
    def _combinations(self) -> "Judge":
        sources = [aspect.from_ for aspect in self.aspects.values()]
        weights = {aspect.weight for aspect in self.aspects.values()}
        collision = (
            "noise_base_as_easy" in self.quirks and self.properties.noise_sensitivity == "ratio"
        )
        impossible = {
            "minimal_accuracy needs an aspect from r2_test": self.minimal_accuracy is not None
            and "r2_test" not in sources,
            "aspects: only one may come from property": sources.count("property") > 1,
            "quirk noise_base_as_easy leaves no reference: properties.noise_sensitivity must be r2_test": collision,
            "aspects: a weight above 0 is needed": weights == {0},
        }
        for sentence, found in impossible.items():
            if found:
                raise ValueError(sentence)
        return self
