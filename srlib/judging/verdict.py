"""The judgement: from assessments, problems and rules to the tables that `srlib score` writes."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from srlib.files import write_atomically
from srlib.folders import written_whole
from srlib.judging.cell_lines import cell_lines
from srlib.judging.coverage import coverage, unscored
from srlib.judging.design import Design
from srlib.judging.measures import arranged, measured
from srlib.judging.ranking import Stages, stages
from srlib.judging.screening import Screened, screen
from srlib.ledger import conserve, to_frame
from srlib.problems import Problems
from srlib.rules import Judge, Rules
from srlib.tablefiles import write_frame
from srlib.tables import sorted_by


@dataclass(frozen=True)
class Judgement:
    """All tables of a verdict, and what they were made from.

    Parameters
    ----------
    ranking : pandas.DataFrame
        method, score (higher is better), rank (1 = best, ties share the best place); best first. A method without a
        usable run has neither, and stands last.
    aspects : pandas.DataFrame
        One row a method, dataset and aspect; `aspect_rank`: higher is better.
    datasets : pandas.DataFrame
        One row a method and dataset; `score`: higher is better.
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
    screened, stages
        The scorer's own records: what was judged, and every step as arrays (aspects x datasets x methods, in the order
        of `screened`).
    """

    ranking: pd.DataFrame
    aspects: pd.DataFrame
    datasets: pd.DataFrame
    ledger: pd.DataFrame
    assessments: pd.DataFrame
    counts: dict[str, int]
    rules: Rules
    problems: Problems
    screened: Screened
    stages: Stages
    notices: tuple[str, ...] = ()
    everyone: pd.DataFrame | None = None

    @property
    def nothing(self) -> str:
        """Say that and why no run could be scored; empty where one was."""
        if self.counts["scored"]:
            return ""
        return unscored(self.counts["read"], self.ledger, self.what)

    @property
    def given(self) -> pd.DataFrame:
        """All assessments that were read: where runs have several models, more than those that were judged."""
        if self.screened.fronts is None:
            return self.assessments
        return self.screened.fronts

    @property
    def what(self) -> str:
        """What is counted in `counts`: runs, or models where runs have several."""
        return "runs" if self.screened.fronts is None else "models"

    @cached_property
    def measures(self) -> pd.DataFrame:
        """One value a usable run and aspect, sorted by its key."""
        columns = {name: "str" for name in ("method", "dataset", "aspect", "group")}
        table = measured(self.screened, self.rules.judge).astype(columns)
        return sorted_by(table, ["method", "dataset", "repetition", "aspect"])

    def write(self, folder: str | Path, texts: Mapping[str, str] | None = None) -> None:
        """Write ranking.csv, aspects.csv, datasets.csv and ledger.csv: full precision, sorted by key.

        Where some did not qualify, ranking-all.csv has the ranking as if all had. `texts` are further files, by name.
        """
        keys = {
            "ranking": ["method"],
            "aspects": ["method", "dataset", "aspect"],
            "datasets": ["method", "dataset"],
        }
        with written_whole(folder, "score") as new:
            for name, key in keys.items():
                write_frame(sorted_by(getattr(self, name), key), new / f"{name}.csv")
            write_frame(self.ledger, new / "ledger.csv")
            if self.everyone is not None:
                write_frame(sorted_by(self.everyone, ["method"]), new / "ranking-all.csv")
            for name, text in (texts or {}).items():
                write_atomically(new / name, text)


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
    values, design = arranged(screened, block)
    result = stages(values, design, block)
    counts = screened.counts
    lines = cell_lines(screened, values, result, design, block)
    ledger = to_frame(screened.ledger + lines)
    everyone = None
    if screened.barred:
        everyone = judge(assessments, problems, rules).ranking
        everyone = everyone.assign(qualified=~everyone["method"].isin(list(screened.barred)))
    return Judgement(
        ranking=_ranking(screened, result),
        aspects=_aspects(screened, result, design, block, counts),
        datasets=_datasets(screened, result, design, counts),
        ledger=ledger,
        assessments=screened.runs,
        counts=conserve(screened.read, screened.used, ledger),
        rules=rules,
        problems=problems,
        screened=screened,
        stages=result,
        notices=(*notices, *coverage(assessments, screened, problems, block)),
        everyone=everyone,
    )


def _ranking(screened: Screened, result: Stages) -> pd.DataFrame:
    """Place the methods that have a score; the others stand below, without a place."""
    score = pd.Series(result.final, dtype="float64").where(np.isfinite(result.final))
    place = (-score.round(12)).rank(method="min").astype("Int64")
    frame = pd.DataFrame({"method": list(screened.methods), "score": score, "rank": place})
    idle = pd.DataFrame({"method": list(screened.idle), "score": np.nan, "rank": pd.NA})
    if len(idle):
        frame = pd.concat([frame, idle.astype(frame.dtypes)], ignore_index=True)
    return (
        frame.astype({"method": "str"})
        .sort_values(["rank", "method"], kind="stable")
        .reset_index(drop=True)
    )


def _aspects(
    screened: Screened, result: Stages, design: Design, block: Judge, counts: np.ndarray
) -> pd.DataFrame:
    shape = result.rank.shape
    applies = np.isfinite(result.rank).any(axis=-1, keepdims=True) & design.scored[:, None]
    columns = {
        "n_runs": np.broadcast_to(counts, shape),
        "value": result.value,
        "value_rounded": result.rounded,
        "direction": np.broadcast_to(
            np.where(design.sign > 0, "higher", "lower")[..., None], shape
        ),
        "aspect_rank": result.rank,
    }
    return _lines_of(screened, columns, np.broadcast_to(applies, shape), list(block.aspects))


def _datasets(
    screened: Screened, result: Stages, design: Design, counts: np.ndarray
) -> pd.DataFrame:
    kinds = np.array([screened.problems[name].property for name in screened.datasets], dtype=object)
    shape = (1, *result.dataset.shape)
    kinds = np.broadcast_to(kinds[:, None], shape)
    columns = {"property": kinds, "n_runs": counts[None], "score": result.dataset[None]}
    weight = np.ones(len(screened.datasets)) * design.weight
    if np.any(weight != 1):  # where all datasets count alike there is nothing to say
        columns["weight"] = np.broadcast_to(weight[:, None], shape)
    table = _lines_of(screened, columns, np.broadcast_to(design.scored[:, None], shape), [""])
    return table.drop(columns="aspect").astype({"property": "str"})


def _lines_of(
    screened: Screened, columns: dict[str, np.ndarray], chosen: np.ndarray, aspects: list[str]
) -> pd.DataFrame:
    """Arrays (aspects x datasets x methods) as a table of the chosen cells, sorted by method, dataset and aspect."""
    names = {"method": screened.methods, "dataset": screened.datasets, "aspect": aspects}
    order = np.argsort(np.array(aspects), kind="stable")
    kept = np.nonzero(chosen[order].transpose(2, 1, 0))
    at = (order[kept[2]], kept[1], kept[0])
    key = {
        name: pd.Index(values, dtype="str").take(places)
        for (name, values), places in zip(names.items(), at[::-1], strict=True)
    }
    return pd.DataFrame(key | {name: values[at] for name, values in columns.items()})
