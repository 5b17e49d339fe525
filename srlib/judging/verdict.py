"""The judgement: from assessments, problems and rules to the tables that `srlib score` writes."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from srlib.folders import result_folder
from srlib.judging.cell_lines import cell_lines
from srlib.judging.coverage import coverage, unscored
from srlib.judging.run_values import arrange, measures_table
from srlib.judging.scoring import ScoreSteps, places, score
from srlib.judging.screening import Screened, screen
from srlib.judging.values import ScoringPlan
from srlib.ledger import conserve, to_frame
from srlib.problems import Problems
from srlib.rules import Rules
from srlib.table_files import write_frame
from srlib.tables import sorted_by


@dataclass(frozen=True)
class Judgement:
    """All tables of a verdict, and what they were made from.

    Parameters
    ----------
    ranking : pandas.DataFrame
        method, score (higher is better), rank (1 = best, ties share the best place); best first. A method without a
        usable run has neither, and stands last.
    ledger : pandas.DataFrame
        Every run or cell that could not be used as it stands.
    assessments : pandas.DataFrame
        What was judged, a row a run.
    counts : dict
        Runs (see `what`) `read`, `scored` and `excluded`, which add up.
    rules, problems
        As given.
    notices : tuple of str
        What has to be said before the ranking: who sent no runs, or few, or none of use; who did not qualify.
    everyone : pandas.DataFrame or None
        Where some did not qualify, the ranking as if all had, with a column `qualified`; `ranking` is of the others.
    screened, steps
        The scorer's own records: what was judged, and every step as arrays (aspects x datasets x methods, in the order
        of `screened`).
    plan
        Directions, rounding and references of the datasets.
    """

    ranking: pd.DataFrame
    ledger: pd.DataFrame
    assessments: pd.DataFrame
    counts: dict[str, int]
    rules: Rules
    problems: Problems
    screened: Screened
    steps: ScoreSteps
    plan: ScoringPlan
    notices: tuple[str, ...] = ()
    everyone: pd.DataFrame | None = None

    @cached_property
    def aspects(self) -> pd.DataFrame:
        """One row a method, dataset and aspect; `aspect_rank`: higher is better."""
        return _aspects(self)

    @cached_property
    def datasets(self) -> pd.DataFrame:
        """One row a method and dataset; `score`: higher is better."""
        return _datasets(self)

    @property
    def nothing(self) -> str:
        """Say that and why no run could be scored; empty where one was."""
        if self.counts["scored"]:
            return ""
        return unscored(self.counts["read"], self.ledger)

    @cached_property
    def measures(self) -> pd.DataFrame:
        """One value a usable run and aspect, sorted by its key."""
        columns = {name: "str" for name in ("method", "dataset", "aspect", "group")}
        table = measures_table(self.screened, self.rules.judge).astype(columns)
        return sorted_by(table, ["method", "dataset", "repetition", "aspect"])

    def write(self, folder: str | Path) -> None:
        """Write ranking.csv, aspects.csv, datasets.csv and ledger.csv: full precision, sorted by key.

        Where some did not qualify, ranking-all.csv has the ranking as if all had.
        """
        with result_folder(folder, "score") as new:
            write_frame(sorted_by(self.ranking, ["method"]), new / "ranking.csv")
            aspects = sorted_by(self.aspects, ["method", "dataset", "aspect"])
            write_frame(aspects, new / "aspects.csv")
            write_frame(sorted_by(self.datasets, ["method", "dataset"]), new / "datasets.csv")
            write_frame(self.ledger, new / "ledger.csv")
            if self.everyone is not None:
                write_frame(sorted_by(self.everyone, ["method"]), new / "ranking-all.csv")


def judge(
    assessments: pd.DataFrame,
    problems: Problems,
    rules: Rules,
    barred: frozenset[str] = frozenset(),
    notices: tuple[str, ...] = (),
) -> Judgement:
    """Judge a competition.

    Parameters
    ----------
    assessments : pandas.DataFrame
        Columns of the assessments contract, in any order of rows.
    problems : Problems
        What the datasets are about.
    rules : Rules
        Only the judge block is read.
    barred : frozenset of str
        Methods that did not qualify: the others are ranked among themselves.
    notices : tuple of str
        Sentences that stand before the judgement's own.

    Raises
    ------
    InputError
        When no run is on a dataset that the rules score, or the rules ask for what is not supported.
    """
    block = rules.judge
    screened = screen(assessments, problems, block, barred)
    values, plan = arrange(screened, block)
    steps = score(values, plan, block)
    lines = cell_lines(screened, values, steps, plan, block)
    ledger = to_frame(screened.ledger + lines)
    everyone = None
    if screened.barred:
        everyone = judge(assessments, problems, rules).ranking
        everyone = everyone.assign(qualified=~everyone["method"].isin(list(screened.barred)))
    return Judgement(
        ranking=placed(screened, steps),
        ledger=ledger,
        assessments=screened.runs,
        counts=conserve(screened.read, screened.used, ledger),
        rules=rules,
        problems=problems,
        screened=screened,
        steps=steps,
        plan=plan,
        notices=(*notices, *coverage(assessments, screened, problems, block)),
        everyone=everyone,
    )


def placed(screened: Screened, steps: ScoreSteps) -> pd.DataFrame:
    """Place the methods that have a score; the others stand below, without a place."""
    final = pd.Series(steps.final, dtype="float64").where(np.isfinite(steps.final))
    place = pd.Series(places(steps.final), dtype="Int64").where(final.notna())
    frame = pd.DataFrame({"method": list(screened.methods), "score": final, "rank": place})
    idle = pd.DataFrame({"method": list(screened.idle), "score": np.nan, "rank": pd.NA})
    if len(idle):
        frame = pd.concat([frame, idle.astype(frame.dtypes)], ignore_index=True)
    return (
        frame.astype({"method": "str"})
        .sort_values(["rank", "method"], kind="stable")
        .reset_index(drop=True)
    )


def _aspects(of: Judgement) -> pd.DataFrame:
    steps, plan = of.steps, of.plan
    applies = np.isfinite(steps.ranks).any(axis=-1, keepdims=True) & plan.scored[:, None]
    columns = {
        "n_runs": of.screened.counts,
        "value": steps.aggregated,
        "value_rounded": steps.rounded,
        "direction": np.where(plan.sign > 0, "higher", "lower")[..., None],
        "aspect_rank": steps.ranks,
    }
    return _lines_of(of.screened, columns, applies, list(of.rules.judge.aspects))


def _datasets(of: Judgement) -> pd.DataFrame:
    problems = of.screened.problems
    kinds = np.array([problems[name].property for name in of.screened.datasets], dtype=object)
    columns: dict[str, np.ndarray] = {
        "property": kinds[:, None],
        "n_runs": of.screened.counts[None],
        "score": of.steps.dataset_scores[None],
    }
    weight = np.ones(len(of.screened.datasets)) * of.plan.weight
    if np.any(weight != 1):  # where all datasets count alike there is nothing to say
        columns["weight"] = weight[:, None]
    table = _lines_of(of.screened, columns, of.plan.scored[:, None], [""])
    return table.drop(columns="aspect").astype({"property": "str"})


def _lines_of(
    screened: Screened,
    columns: dict[str, np.ndarray],
    chosen: np.ndarray,
    aspects: list[str],
) -> pd.DataFrame:
    """Arrays (aspects x datasets x methods) as a table of the chosen cells, sorted by method, dataset and aspect."""
    names = {"method": screened.methods, "dataset": screened.datasets, "aspect": aspects}
    shape = (len(aspects), len(screened.datasets), len(screened.methods))
    columns, chosen = (
        {name: np.broadcast_to(values, shape) for name, values in columns.items()},
        np.broadcast_to(chosen, shape),
    )
    order = np.argsort(np.array(aspects), kind="stable")
    kept = np.nonzero(chosen[order].transpose(2, 1, 0))
    at = (order[kept[2]], kept[1], kept[0])
    key = {
        name: pd.Index(values, dtype="str").take(places)
        for (name, values), places in zip(names.items(), at[::-1], strict=True)
    }
    return pd.DataFrame(key | {name: values[at] for name, values in columns.items()})
