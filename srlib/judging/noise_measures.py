"""Runs, or published rates, as measures at several noise levels."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from srlib.errors import InputError
from srlib.expressions import evaluate, parse, r2_score
from srlib.judging.judgement import Judgement, judge_runs
from srlib.judging.properties import score_property
from srlib.problems import Problem, partitions
from srlib.readers import read_results
from srlib.rules import Rules, load_rules

TRUTH = "(the truth)"
KEYS = ["method", "dataset", "repetition"]


@dataclass(frozen=True)
class NoisyMeasures:
    """Measures at several noise levels, and the rules by which they are judged.

    Parameters
    ----------
    measures : pandas.DataFrame
        Columns of the measures contract (`group` is a family or group of datasets), `series` (what the noise levels of
        one dataset share) and `noise_level`; the truth stands among the methods where its R2 is known.
    rules : Rules
        Published rates are of one repetition, whatever the rules expect.
    counts : dict
        Rows `read`, `scored` and `excluded`, which add up.
    judgement : Judgement or None
        None for published rates.
    """

    measures: pd.DataFrame
    rules: Rules
    counts: dict[str, int]
    judgement: Judgement | None


def read_noisy(
    runs: str | Path,
    problems: str | Path,
    rules: str | Path,
    qualified: str | Path = "",
    names: Mapping[str, str] | None = None,
) -> NoisyMeasures:
    """Judge a run table and measure its runs, or read published measures, such as SRBench's ground-truth table.

    Parameters
    ----------
    runs, problems, rules : str or Path
        As for `srlib.judging.judge_runs`; measures of datasets named `NAME@LEVEL` need no problems.
    qualified, names
        As there; who did not qualify takes no part.

    Raises
    ------
    InputError
        When nothing is at two noise levels, and whatever `read_results` and `judge_runs` refuse.
    """
    published = read_results(runs)
    if not published.measured:
        judgement = judge_runs(runs, problems, rules, qualified=qualified, names=names or {})
        measures = _keep_comparable(_measure_levels(judgement), runs)
        return NoisyMeasures(measures, judgement.rules, judgement.counts, judgement)
    table = published.frame
    split = table["dataset"].str.rpartition("@")
    table = table.assign(
        series=split[0],
        noise_level=pd.to_numeric(split[2], errors="coerce"),
        group=table.get("group", "published"),
    )
    measures = _keep_comparable(table, runs)
    stated = load_rules(rules)
    once = stated.judge.model_copy(update={"repetitions": 1})
    read, scored = (len(frame[KEYS].drop_duplicates()) for frame in (table, measures))
    counts = {"read": read, "scored": scored, "excluded": read - scored}
    return NoisyMeasures(measures, stated.model_copy(update={"judge": once}), counts, None)


def _keep_comparable(measures: pd.DataFrame, source: str | Path) -> pd.DataFrame:
    """Keep the datasets that exist at two noise levels or more, and the aspects that have a value."""
    levels = measures.groupby("series")["noise_level"].transform("nunique")
    measures = measures[levels > 1]
    if measures.empty:
        raise InputError(
            f"{source}: a dataset at two noise levels was expected (noise_reference, or NAME@LEVEL), got none"
        )
    has_value = measures.groupby("aspect")["value"].transform("count") > 0
    return measures[has_value].reset_index(drop=True)


def _measure_levels(judgement: Judgement) -> pd.DataFrame:
    """Measures of the usable runs on all datasets, and of the truth on their data; see `NoisyMeasures.measures`.

    Aspects are r2_test, complexity and solution; of the truth r2_test, by data seed: no model can be expected to
    exceed it.
    """
    runs, problems = judgement.screened.usable, judgement.problems
    table = runs[KEYS].assign(
        r2_test=runs["r2_test"].astype("float64"),
        complexity=runs["complexity"].astype("float64"),
        solution=score_property(runs, problems, "solution", "frequency")["value"],
    )
    table = table.melt(KEYS, var_name="aspect")
    by_name = {
        name: problem for name in runs["dataset"].unique() if (problem := problems.find(name))
    }
    ceiling = [
        (TRUTH, name, seed, "r2_test", r2)
        for name, problem in by_name.items()
        for seed, r2 in _measure_truth(problem)
    ]
    truth = pd.DataFrame(ceiling, columns=table.columns).astype(table.dtypes)
    table = pd.concat([table, truth], ignore_index=True)
    listed = {problem.dataset for problem in problems.problems}
    series = {
        name: problem.noise_reference or (name if name in listed else name.rpartition("@")[0])
        for name, problem in by_name.items()
    }
    # the levels of a series are of one family, although its reference may state none
    order = sorted(by_name, key=lambda name: (by_name[name].noise_reference is not None, name))
    family = {series[n]: by_name[n].family for n in order[::-1] if by_name[n].family}
    levels = {name: problem.noise_level for name, problem in by_name.items()}
    table["series"] = table["dataset"].map(series).astype("str")
    table["group"] = table["series"].map(lambda name: family.get(name, name)).astype("str")
    return table.assign(noise_level=table["dataset"].map(levels).astype("float64"))


def _measure_truth(problem: Problem) -> list[tuple[int, float]]:
    """R2 of the truth on the test rows of each stated seed."""
    result = []
    for seed in problem.data_seeds if problem.known_truth and problem.data else ():
        data = partitions(problem, seed)
        assert data is not None
        columns = dict(zip(data.features, data.test.X.T, strict=True))
        truth = parse(str(problem.known_truth), problem.features)
        try:
            prediction = evaluate(truth, columns, len(data.test.y))
        except InputError:  # too much work: the truth is not drawn, as its models are not measured
            continue
        result.append((seed, r2_score(data.test.y, prediction)))
    return result
