"""The judgement: read runs, assess them, judge them by problems and rules, write the tables of `srlib score`."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from srlib.cache import Cache
from srlib.errors import NothingScoredError
from srlib.folders import result_folder
from srlib.judging.assessments import complete_assessments
from srlib.judging.gate import read_gate
from srlib.judging.notices import cell_lines, coverage_notices, unscored_notice
from srlib.judging.published_2022 import apply_defects
from srlib.judging.run_values import arrange, measures_table
from srlib.judging.scoring import ScoreSteps, places, score
from srlib.judging.screening import Screened, screen, tracked
from srlib.judging.values import ScoringPlan
from srlib.ledger import conserve, to_frame
from srlib.problems import Problems, load_problems
from srlib.readers import Names, read_runs, with_names
from srlib.rules import Rules, load_rules
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
        Runs `read`, `scored` and `excluded`, which add up.
    rules, problems
        As they were passed.
    notices : tuple of str
        Sentences that stand before the ranking: who sent no runs, or few, or none of use; who did not qualify.
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
        steps, plan = self.steps, self.plan
        applies = np.isfinite(steps.ranks).any(axis=-1, keepdims=True) & plan.scored[:, None]
        columns = {
            "n_runs": self.screened.counts,
            "value": steps.aggregated,
            "value_rounded": steps.rounded,
            "direction": np.where(plan.sign > 0, "higher", "lower")[..., None],
            "aspect_rank": steps.ranks,
        }
        return _table_of_cells(self.screened, columns, applies, list(self.rules.judge.aspects))

    @cached_property
    def datasets(self) -> pd.DataFrame:
        """One row a method and dataset; `score`: higher is better."""
        problems = [self.screened.problems[name] for name in self.screened.datasets]
        kinds = np.array([problem.property for problem in problems], dtype=object)
        columns: dict[str, Any] = {
            "property": kinds[:, None],
            "n_runs": self.screened.counts,
            "score": self.steps.dataset_scores,
        }
        if np.any(self.plan.weight != 1):  # a column of ones would say nothing
            columns["weight"] = np.broadcast_to(self.plan.weight, len(problems))[:, None]
        table = _table_of_cells(self.screened, columns, self.plan.scored[:, None], [""])
        return table.drop(columns="aspect").astype({"property": "str"})

    @cached_property
    def measures(self) -> pd.DataFrame:
        """One value a usable run and aspect, sorted by its key."""
        table = measures_table(self.screened, self.rules.judge).astype({"aspect": "str"})
        return sorted_by(table, ["method", "dataset", "repetition", "aspect"])

    @property
    def nothing(self) -> str:
        """Say that and why no run could be scored; empty where one was."""
        if self.counts["scored"]:
            return ""
        return unscored_notice(self.counts["read"], self.ledger)

    def write(self, folder: str | Path) -> None:
        """Write ranking.csv, aspects.csv, datasets.csv and ledger.csv: full precision, sorted by key.

        Where some did not qualify, ranking-all.csv has the ranking as if all had.
        """
        tables = {
            "ranking": sorted_by(self.ranking, ["method"]),
            "aspects": sorted_by(self.aspects, ["method", "dataset", "aspect"]),
            "datasets": sorted_by(self.datasets, ["method", "dataset"]),
            "ledger": self.ledger,
        }
        if self.everyone is not None:
            tables["ranking-all"] = sorted_by(self.everyone, ["method"])
        with result_folder(folder, "score") as new:
            for name, table in tables.items():
                write_frame(table, new / f"{name}.csv")


def judge_runs(
    runs: Names = "demo",
    problems: str | Path | Problems = "synthetic-2022",
    rules: str | Path | Rules = "judging-2022",
    *,
    layout: str | None = None,
    cache: Cache | None = None,
    timeout: float = 10.0,
    jobs: int | None = None,
    qualified: str | Path | pd.DataFrame = "",
    names: Iterable[str] | Mapping[str, str] = (),
) -> Judgement:
    """Judge a run table by a problem file and rules: read, assess what is missing, judge.

    Parameters
    ----------
    runs : str, Path, DataFrame or RunTable, or a sequence of them
        Raw runs or assessments, or 'demo'; see `read_runs`.
    problems, rules : str, Path, Problems or Rules
        A path, the bare name of a shipped file, or what was read before.
    layout, cache, timeout, jobs
        As for `read_runs` and `assess`.
    qualified : str, Path or DataFrame
        What `srlib.judging.gate.read_gate` reads; empty: everybody takes part.
    names : iterable of str, or mapping
        What `srlib.readers.with_names` takes.

    Raises
    ------
    NothingScoredError
        When no run could be scored; the message says why, by count.
    InputError
        One sentence that names file, row or key, what was allowed and what came.
    """
    rules = load_rules(rules)
    problems = load_problems(problems)
    table = with_names(read_runs(runs, layout), names)
    # other problems' runs are refused before assessing them, which takes long
    tracked(table.frame["dataset"].unique(), problems, rules.judge)
    assessments = complete_assessments(
        table,
        problems,
        rules.measure,
        judge=rules.judge,
        cache=cache,
        timeout=timeout,
        jobs=jobs,
    )
    notices, barred = table.notices, frozenset[str]()
    if isinstance(qualified, pd.DataFrame) or qualified:
        gate = read_gate(qualified, rules)
        barred = gate.barred
        notices = (*notices, *gate.notices(set(assessments["method"].astype("str"))))
    judgement = judge(assessments, problems, rules, barred, notices)
    if judgement.nothing:
        raise NothingScoredError(judgement.nothing, judgement)
    return judgement


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
        Where the datasets are described.
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
    table, stated, lines = apply_defects(assessments, problems, block, barred)
    screened = screen(table, stated, block, barred)
    values, plan = arrange(screened, block)
    steps = score(values, plan, block)
    ledger = to_frame(lines + screened.ledger + cell_lines(screened, values, steps, plan, block))
    everyone = None
    if screened.barred:
        everyone = judge(assessments, problems, rules).ranking
        everyone = everyone.assign(qualified=~everyone["method"].isin(screened.barred))
    return Judgement(
        ranking=rank_methods(screened, steps),
        ledger=ledger,
        assessments=assessments,
        counts=conserve(len(assessments), screened.used, ledger),
        rules=rules,
        problems=problems,
        screened=screened,
        steps=steps,
        plan=plan,
        notices=(*notices, *coverage_notices(assessments, screened, stated, block)),
        everyone=everyone,
    )


def rank_methods(screened: Screened, steps: ScoreSteps) -> pd.DataFrame:
    """Ranking of the methods that have a score; the others stand below, without a place."""
    final = np.append(steps.final, np.full(len(screened.idle), np.nan))
    table = pd.DataFrame(
        {
            "method": pd.Series([*screened.methods, *screened.idle], dtype="str"),
            "score": final,
            "rank": pd.Series(places(final), dtype="Int64").where(np.isfinite(final)),
        }
    )
    return table.sort_values(["rank", "method"], kind="stable", ignore_index=True)


def _table_of_cells(
    screened: Screened, columns: dict[str, np.ndarray], chosen: np.ndarray, aspects: list[str]
) -> pd.DataFrame:
    """Arrays (aspects x datasets x methods) as a table of the chosen cells, sorted by method, dataset and aspect."""
    shape = (len(aspects), len(screened.datasets), len(screened.methods))
    order = np.argsort(np.array(aspects), kind="stable")
    m, d, a = np.nonzero(np.broadcast_to(chosen, shape)[order].transpose(2, 1, 0))
    a = order[a]
    key = {
        "method": pd.Index(screened.methods, dtype="str").take(m),
        "dataset": pd.Index(screened.datasets, dtype="str").take(d),
        "aspect": pd.Index(aspects, dtype="str").take(a),
    }
    cells = {name: np.broadcast_to(array, shape)[a, d, m] for name, array in columns.items()}
    return pd.DataFrame(key | cells)
