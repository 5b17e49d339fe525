"""The judgement: from assessments, problems and rules to the tables that `srlib score` writes."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from srlib.judging.design import Design
from srlib.judging.measures import measured, tensor
from srlib.judging.ranking import Stages, stages
from srlib.judging.screening import Screened, screen
from srlib.ledger import conserve, entry, to_frame
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
        method, score (higher is better), rank (1 = best, ties share the best place); best first.
    aspects : pandas.DataFrame
        One row a method, dataset and aspect; `aspect_rank`: higher is better.
    datasets : pandas.DataFrame
        One row a method and dataset; `score`: higher is better.
    ledger : pandas.DataFrame
        Every run or cell that could not be used as it stands.
    measures : pandas.DataFrame
        One value a usable run and aspect.
    assessments : pandas.DataFrame
        What was judged.
    counts : dict
        Runs `read`, `scored` and `excluded`, which add up.
    rules, problems
        As given.
    """

    ranking: pd.DataFrame
    aspects: pd.DataFrame
    datasets: pd.DataFrame
    ledger: pd.DataFrame
    measures: pd.DataFrame
    assessments: pd.DataFrame
    counts: dict[str, int]
    rules: Rules
    problems: Problems

    def write(self, folder: str | Path) -> None:
        """Write ranking.csv, aspects.csv, datasets.csv and ledger.csv: full precision, sorted by key."""
        keys = {"ranking": ["method"], "aspects": ["method", "dataset", "aspect"], "datasets": ["method", "dataset"]}
        for name, key in keys.items():
            write_frame(sorted_by(getattr(self, name), key), Path(folder) / f"{name}.csv")
        write_frame(self.ledger, Path(folder) / "ledger.csv")


def judge(assessments: pd.DataFrame, problems: Problems, rules: Rules) -> Judgement:
    """Judge a competition.

    Parameters
    ----------
    assessments : pandas.DataFrame
        Columns of the assessments contract, in any order of rows.
    problems : Problems
        What the datasets are about.
    rules : Rules
        Only the judge block is read.

    Raises
    ------
    InputError
        When no run is on a dataset that the rules score, or the rules ask for what is not supported.
    """
    block = rules.judge
    screened = screen(assessments, problems, block)
    table = measured(screened, block)
    values, design = tensor(table, screened, block)
    result = stages(values, design, block)
    counts = _counts(screened)
    cells = _cell_lines(screened, result, design, block, counts)
    ledger = to_frame(screened.ledger + cells)
    return Judgement(
        ranking=_ranking(screened, result),
        aspects=_aspects(screened, result, design, block, counts),
        datasets=_datasets(screened, result, counts),
        ledger=ledger,
        measures=sorted_by(table, ["method", "dataset", "repetition", "aspect"]),
        assessments=assessments,
        counts=conserve(screened.read, screened.used, ledger),
        rules=rules,
        problems=problems,
    )


def _counts(screened: Screened) -> np.ndarray:
    """Usable runs, datasets x methods."""
    rows = pd.Index(screened.datasets).get_indexer(pd.Index(screened.usable["dataset"]))
    columns = pd.Index(screened.methods).get_indexer(pd.Index(screened.usable["method"]))
    counts = np.zeros((len(screened.datasets), len(screened.methods)), dtype=np.int64)
    known = (rows >= 0) & (columns >= 0)
    np.add.at(counts, (rows[known], columns[known]), 1)
    return counts


def _ranking(screened: Screened, result: Stages) -> pd.DataFrame:
    score = pd.Series(result.final).where(np.isfinite(result.final))
    place = rankdata(-np.round(np.nan_to_num(result.final, nan=-np.inf), 12), method="min")
    frame = pd.DataFrame({"method": list(screened.methods), "score": score, "rank": place.astype(np.int64)})
    return frame.sort_values(["rank", "method"], kind="stable").reset_index(drop=True)


def _aspects(screened: Screened, result: Stages, design: Design, block: Judge, counts: np.ndarray) -> pd.DataFrame:
    shape = result.rank.shape
    index = pd.MultiIndex.from_product(
        [list(block.aspects), screened.datasets, screened.methods], names=["aspect", "dataset", "method"]
    )
    columns = {
        "n_runs": np.broadcast_to(counts, shape),
        "value": result.value,
        "value_rounded": result.rounded,
        "direction": np.broadcast_to(np.where(design.sign > 0, "higher", "lower")[..., None], shape),
        "aspect_rank": result.rank,
    }
    table = pd.DataFrame({name: values.ravel() for name, values in columns.items()}, index=index).reset_index()
    applies = np.isfinite(result.rank).any(axis=-1, keepdims=True) & design.scored[:, None]
    chosen = table.loc[np.broadcast_to(applies, shape).ravel()]
    return sorted_by(chosen[["method", "dataset", "aspect", *columns]], ["method", "dataset", "aspect"])


def _datasets(screened: Screened, result: Stages, counts: np.ndarray) -> pd.DataFrame:
    rows = [
        {
            "method": method,
            "dataset": name,
            "property": screened.problems[name].property,
            "n_runs": counts[d, m],
            "score": result.dataset[d, m],
        }
        for d, name in enumerate(screened.datasets)
        if name in screened.scored
        for m, method in enumerate(screened.methods)
    ]
    return sorted_by(pd.DataFrame(rows), ["method", "dataset"])


def _cell_lines(
    screened: Screened, result: Stages, design: Design, block: Judge, counts: np.ndarray
) -> list[dict[str, Any]]:
    lines = []
    absent = {"worst_value": "each absent one counts as the worst value seen there", "rest": "the others' mean stands"}
    empty = {"worst_rank": "it gets the worst rank", "drop": "it is left out", "as_published": "as published in 2022"}
    for d, dataset in enumerate(screened.datasets):
        for m, method in enumerate(screened.methods):
            about: dict[str, Any] = {"level": "cell", "method": method, "dataset": dataset}
            usable = int(counts[d, m])
            if usable < block.repetitions:
                rule = empty[block.missing] if usable == 0 else absent[block.incomplete]
                detail = f"{usable} of {block.repetitions} runs are usable; {rule}"
                lines.append(entry("judge", "missing_runs", "replaced", detail, **about))
            if result.flagged[d, m]:
                action = "replaced" if block.noise_guard.action == "worst_rank" else "noted"
                least = block.noise_guard.min_accuracy
                detail = f"accuracy is below {least} at both noise levels: a low sensitivity means nothing"
                lines.append(entry("judge", "minimal_accuracy", action, detail, **about))
            undefined = usable and design.prop >= 0 and np.isnan(result.value[design.prop, d, m])
            if undefined and dataset in screened.scored and screened.problems[dataset].property is not None:
                detail = f"the property {screened.problems[dataset].property} is not defined here"
                lines.append(entry("judge", "not_scored", "noted", detail, **about))
    return lines
