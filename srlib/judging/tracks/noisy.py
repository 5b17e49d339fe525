"""Runs, or published rates, as measures at several noise levels: what sensitivity to noise is worked out from."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from srlib.errors import InputError
from srlib.expressions import evaluate, parse, r2_score
from srlib.judging.pipeline import judge_runs
from srlib.judging.properties import scored_as
from srlib.judging.screening import screen
from srlib.judging.verdict import Judgement
from srlib.problems import Problem, Problems, partitions
from srlib.readers import read_results
from srlib.rules import Judge, Rules, load_rules

TRUTH = "(the truth)"
KEYS = ["method", "dataset", "repetition"]


@dataclass(frozen=True)
class Noisy:
    """Measures at several noise levels, and by which rules they are judged.

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
) -> Noisy:
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
        measures = noise_measures(judgement.assessments, judgement.problems, judgement.rules.judge)
        measures = measures[~measures["method"].isin(list(judgement.screened.barred))]
        return Noisy(_several(measures, runs), judgement.rules, judgement.counts, judgement)
    named, known = published.frame["dataset"].str.rpartition("@"), load_rules(rules)
    table = published.frame.assign(
        series=named[0], noise_level=pd.to_numeric(named[2], errors="coerce")
    )
    measures = _several(table.assign(group=table.get("group", "published")), runs)
    judge = known.judge.model_copy(update={"repetitions": 1})
    read, scored = (len(frame[KEYS].drop_duplicates()) for frame in (table, measures))
    counts = {"read": read, "scored": scored, "excluded": read - scored}
    return Noisy(measures, known.model_copy(update={"judge": judge}), counts, None)


def _several(measures: pd.DataFrame, source: str | Path) -> pd.DataFrame:
    """Keep the datasets that exist at two noise levels or more."""
    kept = measures[measures.groupby("series")["noise_level"].transform("nunique") > 1].reset_index(
        drop=True
    )
    if kept.empty:
        raise InputError(
            f"{source}: a dataset at two noise levels was expected (noise_reference, or NAME@LEVEL), got none"
        )
    known = kept.groupby("aspect")["value"].transform("count") > 0  # without a truth, no solutions
    return kept[known].reset_index(drop=True)


def noise_measures(assessments: pd.DataFrame, problems: Problems, judge: Judge) -> pd.DataFrame:
    """Measure the usable runs on all datasets, and the truth on their data.

    Returns
    -------
    pandas.DataFrame
        See `Noisy.measures`. Aspects are r2_test, complexity and solution; of the truth r2_test, by data seed: no
        model can be expected to exceed it.
    """
    runs = screen(assessments, problems, judge).usable
    numbers = runs[KEYS].assign(
        **{name: runs[name].astype("float64") for name in ("r2_test", "complexity")}
    )
    numbers["solution"] = scored_as(runs, problems, "solution", "frequency")["value"]
    table = numbers.melt(KEYS, var_name="aspect")
    found = {
        name: problem
        for name in runs["dataset"].unique()
        if (problem := problems.find(name)) is not None
    }
    truth = [
        (TRUTH, name, seed, "r2_test", r2)
        for name, problem in found.items()
        for seed, r2 in _ceiling(problem)
    ]
    table = pd.concat(
        [table, pd.DataFrame(truth, columns=table.columns).astype(table.dtypes)], ignore_index=True
    )
    listed = {problem.dataset for problem in problems.problems}
    series = {
        n: p.noise_reference or (n if n in listed else n.rpartition("@")[0])
        for n, p in found.items()
    }
    # the levels of a series are of one family, although its reference may state none
    noisy_first = sorted(found.items(), key=lambda one: (one[1].noise_reference is None, one[0]))
    family = {series[n]: p.family for n, p in reversed(noisy_first) if p.family}
    table["series"] = table["dataset"].map(series).astype("str")
    table["group"] = table["series"].map(lambda name: family.get(name, name)).astype("str")
    table["noise_level"] = (
        table["dataset"].map({n: p.noise_level for n, p in found.items()}).astype("float64")
    )
    return table


def _ceiling(problem: Problem) -> list[tuple[int, float]]:
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
