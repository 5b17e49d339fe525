"""The qualification stage: whether a method's test R2 is better than the baseline's over the datasets.

Source: judging criteria, qualification stage. The text leaves open how repetitions and datasets are put together:
`rules.judge.qualification` says how, and all three readings across datasets are always worked out.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from srlib.errors import InputError
from srlib.folders import result_folder
from srlib.judging.run_values import arrange
from srlib.judging.screening import Screened, screen
from srlib.judging.values import Array, aggregate, fill_absent, worst_values
from srlib.ledger import conserve, entry, to_frame
from srlib.problems import Problems, load_problems
from srlib.readers import read_runs
from srlib.rules import Aspect, Judge, Rules, load_rules
from srlib.table_files import write_frame

READINGS = ("mean_rank", "median_r2", "wins")
CELL = ["method", "dataset"]
EQUAL = 1e-9  # closer than this to the baseline is equal to it
R2 = {"accuracy": Aspect.model_validate({"from": "r2_test", "direction": "higher"})}
# Columns of assessments that runs lack, on which the qualification asks nothing.
UNASSESSED: dict[str, Any] = {
    "parse_status": "ok",
    "simplify_status": "ok",
    "r2_source": "reported",
    "solution_kind": "none",
    "bad_predictions": 0,
    "text_matches_predictions": pd.NA,
    "status": "ok",
    "r2_test": np.nan,
}


@dataclass(frozen=True)
class Qualification:
    """Who qualifies, and what that rests on.

    Attributes
    ----------
    verdicts : DataFrame
        A row for each method but the baseline, best first: `method`, `qualified`, `margin` (over the baseline, by
        the reading that the rules choose; above 0 qualifies), the margins by all three readings (`mean_rank`:
        mean difference of the ranks on the datasets; `median_r2`: difference of the medians over the datasets;
        `wins`: datasets won minus lost), datasets `better`, `equal` and `worse`, `median_r2_over_datasets`, `runs`
        (usable), `failed`.
    cells : DataFrame
        A row for each method and dataset: `method`, `dataset`, `median_r2` (of the repetitions; the mean if the
        rules say so), `baseline_r2`, `better`, then `rank` (higher is better), `rank_difference` (to the
        baseline), `n_runs` (usable) and `expected` (as many as any method has there).
    ranking : DataFrame
        All methods: `method`, `score` (as `margin`), `rank` (1 is best).
    ledger : DataFrame
        Every run that could not be used, and what stood in for it.
    runs, assessments : DataFrame
        The usable runs, and all that were read.
    counts : dict
        Runs `read`, `scored` and `excluded`.
    rules, problems
        As they were passed.
    """

    verdicts: pd.DataFrame
    cells: pd.DataFrame
    ranking: pd.DataFrame
    ledger: pd.DataFrame
    runs: pd.DataFrame
    assessments: pd.DataFrame
    counts: dict[str, int]
    rules: Rules
    problems: Problems

    @property
    def disputed(self) -> list[str]:
        """Methods on which the three readings do not agree."""
        passed = self.verdicts[list(READINGS)] > 0
        return self.verdicts["method"][passed.any(axis=1) & ~passed.all(axis=1)].tolist()

    def write(self, folder: str | Path) -> None:
        """Write qualification.csv, verdicts.csv and ledger.csv as a whole."""
        with result_folder(folder, "qualify") as new:
            self.write_tables(new)

    def write_tables(self, folder: Path) -> None:
        """Write the same, each file by itself, into a folder that holds other files, too."""
        tables = {"qualification": self.cells, "verdicts": self.verdicts, "ledger": self.ledger}
        for name, table in tables.items():
            write_frame(table, folder / f"{name}.csv")


def qualify_runs(runs: str | Path, problems: str | Path, rules: str | Path) -> Qualification:
    """Do the same as `qualify` from paths or shipped names; the runs 'demo' are the shipped ones of this stage."""
    table = read_runs(runs, prefer="qualification")
    return qualify(table.frame, load_problems(problems), load_rules(rules))


def qualify(runs: pd.DataFrame, problems: Problems, rules: Rules) -> Qualification:
    """Compare every method with the baseline on the reported test R2.

    A run that failed, or is absent where another method has one, counts as the worst R2 seen on its dataset, at most
    0 (`incomplete: floor`; `worst_value`: whatever it is), or is left out (`rest`). A dataset without any
    usable run is lost, or left out (`missing: drop`). Datasets on which the baseline has no usable run decide nothing.

    Parameters
    ----------
    runs : DataFrame
        Runs contract; a model's text may be absent where `status` is ok.
    problems : Problems
        Those of the track `qualification` count.
    rules : Rules
        Of it the judge block.

    Raises
    ------
    InputError
        When no run is on such a dataset or has a test R2, or none is the baseline's.
    """
    judge, baseline = rules.judge, rules.judge.qualification.baseline
    absent = {name: value for name, value in UNASSESSED.items() if name not in runs}
    assessments = runs.assign(**absent)
    track = judge.model_copy(update={"tracks": ("qualification",)})
    screened = screen(assessments, problems, track)
    if assessments["r2_test"].isna().all():
        raise InputError(
            "a qualification compares the test R2 that runs report, and none does: column r2_test is absent or empty"
        )
    if baseline not in set(screened.usable["method"]):
        raise InputError(
            f"no usable run of the baseline {baseline}; the runs are of {', '.join(screened.methods)}"
        )
    competition = replace(
        screened,
        methods=tuple(sorted({*screened.methods, *screened.idle})),
        datasets=tuple(sorted(screened.scored)),
    )
    cells, lines = _compare_cells(competition, judge)
    table = margins(by_dataset(cells, baseline), judge)
    table[["runs", "failed"]] = cells.groupby("method")[["n_runs", "expected"]].sum()
    table["failed"] -= table["runs"]
    table = table.reset_index().sort_values(["margin", "method"], ascending=[False, True])
    ranking = table[["method"]].assign(
        score=table["margin"],
        rank=table["margin"].rank(method="min", ascending=False).astype("int64"),
    )
    ledger = to_frame(screened.ledger + lines)
    return Qualification(
        verdicts=table[table["method"] != baseline].reset_index(drop=True),
        cells=cells,
        ranking=ranking.reset_index(drop=True),
        ledger=ledger,
        runs=screened.usable,
        assessments=assessments,
        counts=conserve(len(assessments), screened.used, ledger),
        rules=rules,
        problems=problems,
    )


def _compare_cells(screened: Screened, judge: Judge) -> tuple[pd.DataFrame, list[dict[str, Any]]]:
    """`Qualification.cells`, and a ledger line for each cell that lacks runs."""
    accuracy = judge.model_copy(update={"aspects": R2, "rank_per": "aggregate"})
    values, plan = arrange(screened, accuracy)
    counts, expected = screened.counts, screened.attempted.max(axis=1, keepdims=True)
    worst = worst_values(values, plan.sign, plan.floor, judge.incomplete)
    filled = fill_absent(values, worst, expected - judge.repetitions, judge)
    r2 = aggregate(filled[0], judge.qualification.per_dataset)
    columns = {"median_r2": r2, "n_runs": counts, "expected": expected}
    shape = counts.shape
    cells = pd.DataFrame(
        {
            "method": np.tile(screened.methods, shape[0]),
            "dataset": np.repeat(screened.datasets, shape[1]),
        }
        | {name: np.broadcast_to(array, shape).ravel() for name, array in columns.items()}
    ).astype(dict.fromkeys(CELL, "str"))
    baseline = judge.qualification.baseline
    wide = by_dataset(cells, baseline)
    r2_compared, ranks = _rank_beside_baseline(wide, judge)
    tables = {
        "better": r2_compared.gt(r2_compared[baseline], axis=0),
        "rank": ranks,
        "rank_difference": ranks.sub(ranks[baseline], axis=0),
    }
    for name, table in tables.items():
        cells[name] = table.reindex(list(screened.datasets)).to_numpy().ravel()
    cells["baseline_r2"] = cells["dataset"].map(wide[baseline])
    lines = []
    for d, m in np.argwhere(counts < expected):
        rule = "the dataset is left out" if judge.missing == "drop" else "the dataset is lost"
        if counts[d, m] and judge.incomplete == "rest":
            rule = "the others stand, and by these rules failing can pay"
        elif counts[d, m]:
            rule = f"each absent one counts as R2 {worst[0, d]:.4g}"
        detail = f"{counts[d, m]} of {expected[d, 0]} runs are usable; {rule}"
        about: Any = {"method": screened.methods[m], "dataset": screened.datasets[d]}
        lines.append(entry("judge", "missing_runs", "replaced", detail, level="cell", **about))
    order = [*CELL, "median_r2", "baseline_r2", *tables, "n_runs", "expected"]
    return cells[order], lines


def by_dataset(cells: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """R2 as datasets x methods, on the datasets where the baseline has one."""
    wide = cells.pivot_table("median_r2", index="dataset", columns="method", dropna=False)
    return wide.dropna(subset=[baseline])


def _rank_beside_baseline(r2: pd.DataFrame, judge: Judge) -> tuple[pd.DataFrame, pd.DataFrame]:
    """R2 as it is compared (nearly the baseline's is the baseline's), and ranks by dataset, higher is better."""
    compared = (r2 if judge.missing == "drop" else r2.fillna(-np.inf)).round(12)
    baseline = compared[judge.qualification.baseline]
    close = compared.sub(baseline, axis=0).abs() <= EQUAL
    compared = compared.mask(close, baseline, axis=0)
    places = rankdata(-compared, method=judge.ties, axis=1, nan_policy="omit")
    ranks: Array = compared.shape[1] - places + judge.rank_start
    return compared, pd.DataFrame(ranks, index=compared.index, columns=compared.columns)


def margins(r2: pd.DataFrame, judge: Judge) -> pd.DataFrame:
    """Margins of every method over the baseline.

    Parameters
    ----------
    r2 : pandas.DataFrame
        Datasets x methods, one of them the baseline, which has a value everywhere; NaN = no usable run.
    judge : Judge
        Its `qualification`, `missing`, `ties` and `rank_start`.

    Returns
    -------
    pandas.DataFrame
        By method: `qualified`, `margin`, the margins by all `READINGS`, datasets `better`, `equal` and `worse`,
        `median_r2_over_datasets`.
    """
    baseline = judge.qualification.baseline
    compared, ranks = _rank_beside_baseline(r2, judge)
    sign = np.sign(compared.sub(compared[baseline], axis=0))
    table = pd.DataFrame(
        {
            "mean_rank": ranks.sub(ranks[baseline], axis=0).mean(),
            "median_r2": compared.median() - compared[baseline].median(),
            "wins": sign.sum().astype("int64"),
        }
    )
    table.insert(0, "margin", table[judge.qualification.across].astype("float64"))
    table.insert(0, "qualified", table["margin"] > 0)
    for column, value in (("better", 1), ("equal", 0), ("worse", -1)):
        table[column] = (sign == value).sum()
    table["median_r2_over_datasets"] = compared.median()
    return table.rename_axis("method")
