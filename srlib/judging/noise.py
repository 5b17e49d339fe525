"""Sensitivity to noise: how accuracy changes with the noise level, dataset by dataset and overall.

The sensitivity is |Q1 - Q2| / |n1 - n2|; lower is better, without an upper bound. Q is the accuracy, aggregated over
repetitions, and n the noise level. Source: dataset properties, sensitivity to noise. Here the official scorer computes
it for every dataset that was also judged with less noise, even if the dataset tests another property.
"""

from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from srlib.errors import InputError, require
from srlib.expressions import evaluate, parse, r2_score
from srlib.judging.judgement import Judgement
from srlib.judging.notices import MOST_NAMED
from srlib.judging.properties import ACCURACY_ASPECT
from srlib.judging.scoring_input import arrange
from srlib.judging.screening import Screened
from srlib.metrics import problem_of, round_significant
from srlib.problems import Problem, partitions
from srlib.prose import Fact, Statement, listed, state
from srlib.readers.row_checks import THE_TRUTH
from srlib.rules import Aspect, JudgeRules


@dataclass(frozen=True)
class NoiseSensitivity:
    """Accuracy of each method at each noise level, and its sensitivity to noise.

    Parameters
    ----------
    levels : pandas.DataFrame
        `method`, `noise_level`, numbers of `datasets` and usable `runs`, `value` (mean test R2 over the datasets;
        absent runs count as in the score), `low` and `high` (quartiles of the usable runs). The truth is one of the
        methods, at levels where its R2 is known for all datasets; no model can be expected to exceed it.
    cells : pandas.DataFrame
        `method`, `dataset`, `noise_level`, `reference` (the same problem with the least noise), `reference_level`,
        `accuracy`, `reference_accuracy`, `reference_used` (an accuracy on the reference that is too low to compare
        with counts as that or as the best possible one, whichever is farther from `accuracy`), `sensitivity` (lower is
        better), `reference_worse` (whether that is so) and `guarded` (whether the accuracy is low at both levels).
    overall : pandas.DataFrame
        `method`, `distance` (mean over the levels of the absolute difference between accuracy and the truth's accuracy;
        NaN for all methods unless the truth's is known at all levels), `sensitivity` (mean over the cells), `guarded`
        (in all cells), `missing` (number of cells without a usable run at one of the levels) and `rank` (1 is best).
        Methods with fewer missing cells rank first, then those with the smaller distance or, if it is not known,
        sensitivity; by sensitivity the noise guard may put a method last.
    """

    levels: pd.DataFrame
    cells: pd.DataFrame
    overall: pd.DataFrame

    @property
    def scope(self) -> Statement:
        """Sentence that names the formulas of which the numbers speak, by their datasets with the least noise."""
        names = sorted(self.cells["reference"].unique())
        count = "one formula alone" if len(names) == 1 else "{formulas} formulas"
        template = f"All of this speaks of {count} ({{references}}), and not of noise in general."
        references = Fact(tuple(names), listed(names, MOST_NAMED))
        return state("scope", template, formulas=len(names), references=references)

    def describe_stand_ins(self) -> list[Statement]:
        """Return a sentence about clean results that are too bad to be a reference; none if there are none."""
        worse = self.cells[self.cells["reference_worse"]]
        template = (
            "Too bad to be a reference: {results} results without noise. Each counts as what costs most, at best "
            "{counts_as:g}, so that no failure makes a method look robust."
        )
        facts = {"results": len(worse), "counts_as": worse["reference_used"].max()}
        return [state("reference", template, **facts)] if len(worse) else []


def compare_noise_levels(judgement: Judgement) -> NoiseSensitivity:
    """Compare the accuracies of each method at different noise levels.

    Raises
    ------
    InputError
        When no dataset was judged at two noise levels.
    """
    judge_rules = _noise_rules(judgement.rules.judge)
    screened, paired_names = _pair_datasets(judgement.screened)
    scoring = arrange(screened, judge_rules)
    steps, plan = scoring.score(judge_rules), scoring.plan

    accuracy, noisy = steps.aggregated[0], (plan.reference >= 0)[:, None]
    clean = accuracy[plan.reference]
    is_farther = np.abs(plan.best - accuracy) > np.abs(clean - accuracy)
    noise_levels = np.array([screened.problems[name].noise_level for name in screened.datasets])
    columns = {
        "noise_level": noise_levels[:, None],
        "reference": np.array(screened.datasets)[plan.reference][:, None],
        "reference_level": noise_levels[plan.reference][:, None],
        "accuracy": accuracy,
        "reference_accuracy": clean,
        "reference_used": np.where(steps.reference_worse & is_farther, plan.best, clean),
        "sensitivity": round_significant(steps.aggregated[1]),
        "reference_worse": steps.reference_worse,
        "guarded": steps.guarded,
    }
    cells = screened.table_of(columns, noisy)
    columns = {"noise_level": noise_levels[:, None], "value": accuracy}
    table = screened.table_of(columns)
    levels = _describe_levels(table[table["dataset"].isin(paired_names)], screened, judge_rules)
    return NoiseSensitivity(levels, cells, _rank_methods(levels, cells, judge_rules))


def _noise_rules(judge_rules: JudgeRules) -> JudgeRules:
    """Return rules with two aspects: accuracy, and noise sensitivity as a ratio."""
    accuracies = (aspect for aspect in judge_rules.aspects.values() if aspect.from_ == "r2_test")
    accuracy = next(accuracies, ACCURACY_ASPECT)
    property_aspect = Aspect.model_validate({"from": "property", "direction": "by_property"})
    properties = judge_rules.properties.model_copy(update={"noise_sensitivity": "ratio"})
    aspects = {"accuracy": accuracy, "property": property_aspect}
    return judge_rules.model_copy(update={"aspects": aspects, "properties": properties})


def _pair_datasets(screened: Screened) -> tuple[Screened, frozenset[str]]:
    """Return runs with the least noisy dataset of each series as reference of the others, and the datasets in pairs."""
    problems = screened.problems
    names = sorted(set(screened.usable["dataset"]) & set(problems))
    names.sort(key=lambda name: problems[name].noise_level)
    series = {name: problems[name].noise_reference or problem_of(name) for name in names}
    least_noisy = {series[name]: name for name in reversed(names)}
    paired_problems, paired_names = dict(problems), set[str]()
    for name in names:
        reference, update = least_noisy[series[name]], {"property": None, "noise_reference": None}
        if problems[name].noise_level > problems[reference].noise_level:
            update = {"property": "noise_sensitivity", "noise_reference": reference}
            paired_names |= {name, reference}
        paired_problems[name] = problems[name].model_copy(update=update)
    sentence = (
        "a dataset at two noise levels was expected (noise_reference, or NAME@LEVEL), got none"
    )
    require(bool(paired_names), sentence)
    return replace(screened, problems=paired_problems), frozenset(paired_names)


def _describe_levels(
    table: pd.DataFrame, screened: Screened, judge_rules: JudgeRules
) -> pd.DataFrame:
    """Return the accuracy by method and noise level, as in `NoiseSensitivity.levels`."""
    truths = table.drop_duplicates("dataset").assign(method=THE_TRUTH)
    truths["value"] = [
        _truth_accuracy(screened.problems[name], screened.expected[name], judge_rules.aggregate)
        for name in truths["dataset"]
    ]
    # some runs there are of the dataset without noise
    if "noise_base_as_easy" in judge_rules.quirks:
        truths["value"] = np.nan
    is_known = truths["value"].notna().groupby(truths["noise_level"]).transform("all")
    level_key = ["method", "noise_level"]
    levels = pd.concat([table, truths[is_known]]).groupby(level_key)["value"]
    levels = levels.agg(datasets="count", value="mean")
    usable = screened.usable.merge(table[["method", "dataset", "noise_level"]])
    runs = usable.astype({"r2_test": "float64"}).groupby(level_key)["r2_test"]
    levels.insert(1, "runs", runs.count().reindex(levels.index, fill_value=0))
    levels.insert(2, "low", runs.quantile(0.25))
    return levels.assign(high=runs.quantile(0.75)).reset_index()


def _truth_accuracy(problem: Problem, repetitions: int, aggregate: str) -> float:
    """Return the test R2 of the truth, over the repetitions and by the statistic of the methods; NaN if unknown."""
    values = []
    for seed in problem.data_seeds[:repetitions] if problem.known_truth else ():
        if data := partitions(problem, seed):
            columns, y = dict(zip(data.features, data.test.X.T, strict=True)), data.test.y
            truth = parse(str(problem.known_truth), problem.features)
            with suppress(InputError):  # more work than the limit of models allows
                values.append(r2_score(y, evaluate(truth, columns, len(y))))
    return float(getattr(np, aggregate)(values)) if values else np.nan


def _rank_methods(
    levels: pd.DataFrame, cells: pd.DataFrame, judge_rules: JudgeRules
) -> pd.DataFrame:
    """Return the ranking of the methods, as in `NoiseSensitivity.overall`."""
    truth_accuracy = levels[levels["method"] == THE_TRUTH].set_index("noise_level")["value"]
    distance = (levels["value"] - levels["noise_level"].map(truth_accuracy)).abs()
    table = cells.assign(missing=cells["sensitivity"].isna()).groupby("method")
    table = table.agg({"sensitivity": "mean", "guarded": "all", "missing": "sum"})
    table.insert(1, "distance", distance.groupby(levels["method"]).agg("mean"))
    order = table["distance"]
    # the truth's accuracy is not known at all levels
    if set(levels["noise_level"]) - set(truth_accuracy.index):
        table["distance"] = np.nan
        order = table["sensitivity"]
        if judge_rules.noise_guard.action == "worst_rank":
            order = order.mask(table["guarded"], np.inf)
    order = order.round(9).rank(method="dense", na_option="bottom") + table["missing"] * len(table)
    table["rank"] = order.rank(method="min").astype("int64")
    return table.reset_index().sort_values(["rank", "method"], ignore_index=True)
