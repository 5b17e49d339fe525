"""The qualification stage: whether a method's test R2 is better than the baseline's over the datasets.

Source: judging criteria, qualification stage. The text leaves open how repetitions and datasets are put together:
`rules.judge.qualification` says how, and all three readings across datasets are always worked out.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from srlib.comparing.metrics import METRICS, worst_of
from srlib.errors import InputError
from srlib.folders import result_folder
from srlib.judging.screening import Screened, screen
from srlib.ledger import conserve, entry, to_frame
from srlib.problems import Problems, load_problems
from srlib.readers import read_runs
from srlib.rules import Judge, Rules, load_rules
from srlib.table_files import write_frame

READINGS = ("mean_rank", "median_r2", "wins")
CELL = ["method", "dataset"]
EQUAL = 1e-9  # closer than this to the baseline is equal to it


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
        As given.
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
    return qualify(
        read_runs(runs, prefer="qualification").frame, load_problems(problems), load_rules(rules)
    )


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
    block, name = rules.judge, rules.judge.qualification.baseline
    known = {"parse_status": "ok", "simplify_status": "ok", "r2_source": "reported", "solution_kind": "none",
             "bad_predictions": 0, "text_matches_predictions": pd.NA, "status": "ok", "r2_test": np.nan}  # fmt: skip
    read = runs.assign(**{column: value for column, value in known.items() if column not in runs})
    found = screen(read, problems, block.model_copy(update={"tracks": ("qualification",)}))
    if read["r2_test"].isna().all():
        raise InputError(
            "a qualification compares the test R2 that runs report, and none does: column r2_test is absent or empty"
        )
    if name not in set(found.usable["method"]):
        raise InputError(
            f"no usable run of the baseline {name}; the runs are of {', '.join(found.methods)}"
        )
    cells, lines = _cells(found, read, block)
    r2 = cells.pivot_table("median_r2", index="dataset", columns="method", dropna=False).dropna(
        subset=[name]
    )
    _, ranks, difference, sign = _against(r2, block)
    for column, wide in (("better", sign > 0), ("rank", ranks), ("rank_difference", difference)):
        long = (
            wide.rename_axis("dataset")
            .reset_index()
            .melt("dataset", var_name="method", value_name=column)
        )
        cells = cells.merge(long, on=CELL, how="left")
    cells["baseline_r2"] = cells["dataset"].map(r2[name])
    table = margins(r2, block)
    table[["runs", "failed"]] = cells.groupby("method")[["n_runs", "expected"]].sum()
    table["failed"] -= table["runs"]
    table = table.reset_index().sort_values(["margin", "method"], ascending=[False, True])
    score = table.assign(
        score=table["margin"], rank=table["margin"].rank(method="min", ascending=False)
    )
    ledger = to_frame(found.ledger + lines)
    return Qualification(
        verdicts=table[table["method"] != name].reset_index(drop=True),
        cells=cells[
            [
                *CELL,
                "median_r2",
                "baseline_r2",
                "better",
                "rank",
                "rank_difference",
                "n_runs",
                "expected",
            ]
        ],
        ranking=score[["method", "score", "rank"]].astype({"rank": "int64"}).reset_index(drop=True),
        ledger=ledger,
        runs=found.usable,
        assessments=read,
        counts=conserve(found.read, found.used, ledger),
        rules=rules,
        problems=problems,
    )


def margins(r2: pd.DataFrame, block: Judge) -> pd.DataFrame:
    """Set every method against the baseline.

    Parameters
    ----------
    r2 : pandas.DataFrame
        Datasets x methods, one of them the baseline, which has a value everywhere; NaN = no usable run.
    block : Judge
        Its `qualification`, `missing`, `ties` and `rank_start`.

    Returns
    -------
    pandas.DataFrame
        By method: `qualified`, `margin`, the margins by all `READINGS`, datasets `better`, `equal` and `worse`,
        `median_r2_over_datasets`.
    """
    filled, _, difference, sign = _against(r2, block)
    table = pd.DataFrame(
        {
            "mean_rank": difference.mean(),
            "median_r2": filled.median() - filled[block.qualification.baseline].median(),
            "wins": sign.sum().astype("int64"),
        }
    )
    table.insert(0, "margin", table[block.qualification.across].astype("float64"))
    table.insert(0, "qualified", table["margin"] > 0)
    for column, value in (("better", 1), ("equal", 0), ("worse", -1)):
        table[column] = (sign == value).sum()
    table["median_r2_over_datasets"] = filled.median()
    return table.rename_axis("method")


def _against(r2: pd.DataFrame, block: Judge) -> tuple[pd.DataFrame, ...]:
    """R2 as compared, ranks (higher is better), their differences to the baseline's, and who is better."""
    name = block.qualification.baseline
    filled = (r2 if block.missing == "drop" else r2.fillna(-np.inf)).round(12)
    baseline = filled[[name] * filled.shape[1]].set_axis(filled.columns, axis=1)
    filled = filled.mask((filled - baseline).abs() <= EQUAL, baseline)
    ranks = (
        filled.shape[1]
        - rankdata(-filled, method=block.ties, axis=1, nan_policy="omit")
        + block.rank_start
    )
    ranks = pd.DataFrame(ranks, index=filled.index, columns=filled.columns)
    difference, sign = ranks.sub(ranks[name], axis=0), filled.sub(filled[name], axis=0).map(np.sign)
    return filled, ranks, difference, sign


def _cells(found: Screened, read: pd.DataFrame, block: Judge) -> tuple[pd.DataFrame, list[dict]]:
    """One R2 for each method and dataset; NaN without any usable run."""
    expected = read.groupby(CELL).size().groupby("dataset").max()
    rows, lines = [], []
    for dataset in sorted(found.scored):
        here = found.usable[found.usable["dataset"] == dataset]
        worst = here["r2_test"].min()
        if block.incomplete == "floor":
            worst = float(worst_of(here["r2_test"].to_numpy(float), METRICS["r2_test"], None))
        for method in sorted([*found.methods, *found.idle]):
            values = here.loc[here["method"] == method, "r2_test"].tolist()
            absent = int(expected[dataset]) - len(values)
            fill = []
            if values and block.incomplete != "rest":
                fill = [worst] * absent
            value = getattr(
                pd.Series(values + fill, dtype="float64"), block.qualification.per_dataset
            )()
            rows.append((method, dataset, value, len(values), int(expected[dataset])))
            if absent:
                stands_in = "the others stand, and by these rules failing can pay"
                if fill:
                    stands_in = f"each absent one counts as R2 {worst:.4g}"
                lost = "the dataset is lost"
                if block.missing == "drop":
                    lost = "the dataset is left out"
                detail = f"{len(values)} of {expected[dataset]} runs are usable; {stands_in if values else lost}"
                about: dict[str, Any] = {"level": "cell", "method": method, "dataset": dataset}
                lines.append(entry("judge", "missing_runs", "replaced", detail, **about))
    return pd.DataFrame(rows, columns=[*CELL, "median_r2", "n_runs", "expected"]), lines
