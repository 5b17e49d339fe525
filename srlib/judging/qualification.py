"""The qualification stage: compares the test R2 of methods with a baseline, and reads which methods may be ranked.

Source: judging criteria, qualification stage. The text leaves open how repetitions and datasets are aggregated; the
block `judge.qualification` of the rules decides. All three readings across datasets are always computed.
"""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd

from srlib.comparing.profiles import RANGE_ENDS, draw_units
from srlib.errors import InputError
from srlib.judging.notices import CAN_PAY, MOST_NAMED
from srlib.judging.properties import ACCURACY_ASPECT
from srlib.judging.scoring import score
from srlib.judging.scoring_input import arrange
from srlib.judging.screening import Lines, Screened, list_sources, screen
from srlib.ledger import check_run_counts, lines_of, to_frame
from srlib.problems import Problems
from srlib.prose import counted, listed, state
from srlib.result import Result
from srlib.rules import JudgeRules, Rules
from srlib.table_files import read_frame
from srlib.tables import Contract, as_whole_numbers, conform

MARGINS = ("mean_rank", "median_r2", "wins")
CELL_KEY = ["method", "dataset"]
EQUAL_WITHIN = 1e-9  # an R2 that differs less from the baseline's is equal
R2_ASPECTS = {"accuracy": ACCURACY_ASPECT}
# Values of columns that raw runs lack, but screening reads; the qualification does not need them.
UNASSESSED_VALUES: dict[str, Any] = {
    "parse_status": "ok",
    "simplify_status": "ok",
    "r2_source": "reported",
    "solution_kind": "none",
    "bad_predictions": 0,
    "text_matches_predictions": pd.NA,
    "status": "ok",
    "r2_test": np.nan,
}
COUNT_COLUMNS = ("better", "equal", "worse")  # numbers of datasets, in comparison with the baseline
VERDICTS = Contract(
    "verdict",
    {
        "method": "str",
        "qualified": "bool",
        "margin": "float",
        **dict.fromkeys(COUNT_COLUMNS, "Int"),
    },
    required=("method", "qualified"),
    key=("method",),
)
CELLS = Contract(
    "cell",
    {"method": "str", "dataset": "str", "median_r2": "float"},
    (*CELL_KEY, "median_r2"),
    key=("method", "dataset"),
    nullable=("median_r2",),
)


@dataclass(frozen=True, repr=False)
class Qualification(Result):
    """Results of the qualification stage: a verdict on each method, and the tables it follows from.

    Attributes
    ----------
    verdicts : DataFrame
        A row for each method except the baseline, best first: `method`, `qualified`, `margin` (over the baseline, by
        the reading that the rules choose; above 0 qualifies) with the range that holds 95% of re-draws of the datasets'
        sources (`margin_low`, `margin_high`), the margins by all three readings (`mean_rank`:
        mean difference of the ranks on the datasets; `median_r2`: difference of the medians over the datasets;
        `wins`: datasets won minus lost), numbers of datasets `better`, `equal` and `worse`,
        `median_r2_over_datasets`, and numbers of `runs` (usable) and `failed` (expected, but not usable).
    cells : DataFrame
        A row for each method and dataset: `method`, `dataset`, `median_r2` (of the repetitions; the mean if the
        rules say so), `baseline_r2`, `better`, then `rank` (higher is better), `rank_difference` (to the
        baseline), `n_runs` (usable) and `expected` (runs that were made, by the method or by the baseline,
        whichever made more).
    ranking : DataFrame
        All methods, also the baseline: `method`, `score` (the margin), `rank` (1 is best).
    ledger : DataFrame
        Runs that could not be used, and cells that lack runs, with the value that counts instead.
    runs, assessments : DataFrame
        The usable runs, and all runs that were read.
    counts : dict
        Numbers of runs: `read` = `scored` + `excluded`.
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
        """Methods that qualify by some of the three readings, but not by all."""
        qualifies = self.verdicts[list(MARGINS)] > 0
        return self.verdicts["method"][qualifies.any(axis=1) & ~qualifies.all(axis=1)].tolist()

    @property
    def unsure(self) -> list[str]:
        """Methods whose margins have both signs within 95% of the re-draws of the datasets' sources."""
        table = self.verdicts
        return table["method"][(table["margin_low"] <= 0) & (table["margin_high"] > 0)].tolist()

    title = "Who qualifies?"
    command = "qualify"

    @property
    def sentences(self) -> list[str]:
        """A sentence with the number of methods that qualify."""
        baseline = self.rules.judge.qualification.baseline
        methods = f"{self.verdicts['qualified'].sum()} of {counted(len(self.verdicts), 'method')}"
        return [f"{methods} qualify against {baseline}."]

    @property
    def _tables(self) -> dict[str, pd.DataFrame]:
        """Verdicts, cells and ledger."""
        return {"Verdicts": self.verdicts, "Datasets": self.cells, "Ledger": self.ledger}

    @property
    def _files(self) -> dict[str, pd.DataFrame]:
        """Tables that `srlib qualify` writes, by file name."""
        return {"qualification": self.cells, "verdicts": self.verdicts, "ledger": self.ledger}


def qualify(runs: pd.DataFrame, problems: Problems, rules: Rules) -> Qualification:
    """Compare every method with the baseline on the test R2.

    A run that failed, or is absent while the baseline has one, counts as the method's own worst R2 on the dataset, but
    at most 0 (`incomplete: floor`), as the worst R2 of anybody (`worst_value`), or is left out (`rest`). A method loses
    to the baseline on a dataset where it has no usable run, unless such datasets are left out (`missing: drop`).
    Datasets on which the baseline has no usable run are left out.

    Parameters
    ----------
    runs : DataFrame
        Columns of the runs contract; a run whose `status` is ok may lack the text of its model.
    problems : Problems
        Descriptions of the datasets; only those of the track `qualification` are used.
    rules : Rules
        Only the judge block is read.

    Raises
    ------
    InputError
        When no run is on such a dataset, no run has a test R2, or the baseline has no usable run.
    """
    judge_rules, baseline = rules.judge, rules.judge.qualification.baseline
    assessments = runs.assign(
        **{name: runs.get(name, value) for name, value in UNASSESSED_VALUES.items()}
    )
    stage_judge = judge_rules.model_copy(update={"tracks": ("qualification",)})
    screened = screen(assessments, problems, stage_judge)
    if assessments["r2_test"].isna().all():
        raise InputError(
            "a qualification compares the test R2 of runs, and none has one: column r2_test is absent or empty"
        )
    if baseline not in set(screened.usable["method"]):
        raise InputError(
            f"no usable run of the baseline {baseline}; the runs are of {', '.join(screened.methods)}"
        )
    screened = replace(
        screened,
        methods=tuple(sorted({*screened.methods, *screened.idle})),
        datasets=tuple(sorted(screened.scored)),
    )
    cells, lines = _aggregate_cells(screened, judge_rules)
    sources = list_sources(problems, cells["dataset"].unique())
    by_dataset, table = compare_with_baseline(cells, judge_rules, sources)
    cells = cells.join(by_dataset, on=CELL_KEY)
    table[["runs", "failed"]] = cells.groupby("method")[["n_runs", "expected"]].sum()
    table["failed"] -= table["runs"]
    table = table.reset_index().sort_values(["margin", "method"], ascending=[False, True])
    ranking = table[["method"]].assign(
        score=table["margin"],
        rank=table["margin"].rank(method="min", ascending=False).astype("Int64"),
    )
    ledger = to_frame(screened.ledger + lines)
    columns = [*CELL_KEY, "median_r2", *by_dataset, "n_runs", "expected"]
    return Qualification(
        verdicts=table[table["method"] != baseline].reset_index(drop=True),
        cells=cells[columns],
        ranking=ranking.reset_index(drop=True),
        ledger=ledger,
        runs=screened.usable,
        assessments=assessments,
        counts=check_run_counts(len(assessments), screened.n_scored, ledger),
        rules=rules,
        problems=problems,
    )


def _aggregate_cells(screened: Screened, judge_rules: JudgeRules) -> tuple[pd.DataFrame, Lines]:
    """Return the R2 and numbers of runs of each cell, and ledger lines of cells that lack runs."""
    r2_judge = judge_rules.model_copy(
        update={
            "aspects": R2_ASPECTS,
            "rank_per": "aggregate",
            "aggregate": judge_rules.qualification.per_dataset,
        }
    )
    scoring, expected = arrange(screened, r2_judge), screened.count(screened.attempts)
    baseline = screened.methods.index(judge_rules.qualification.baseline)
    expected = np.maximum(expected, expected[:, [baseline]])
    steps = score(scoring.values, replace(scoring.plan, expected=expected), r2_judge)
    columns = {
        "median_r2": steps.aggregated[0],
        "n_runs": screened.count(screened.usable),
        "expected": expected,
        "absent": steps.absent[0],
    }
    table = screened.table_of(columns).astype(dict.fromkeys(CELL_KEY, "str"))
    table = table.sort_values(["dataset", "method"], ignore_index=True)
    rule = "each absent one counts as R2 " + table["absent"].map("{:.4g}".format)
    if judge_rules.incomplete == "rest":
        rule[:] = f"the others stand, and {CAN_PAY}"
    empty_rule = "left out" if judge_rules.missing == "drop" else "lost"
    table["rule"] = rule.where(table["n_runs"] > 0, f"the dataset is {empty_rule}")
    text = "{n_runs} of {expected} runs are usable; {rule}"
    lacking = table[table["n_runs"] < table["expected"]]
    return table, lines_of(lacking, "missing_runs", "replaced", "judge", text, level="cell")


def compare_with_baseline(
    cells: pd.DataFrame, judge_rules: JudgeRules, sources: pd.Series | None = None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Compare every method with the baseline, on the datasets where the baseline has an R2.

    Parameters
    ----------
    cells : pandas.DataFrame
        `method`, `dataset` and `median_r2`; NaN = no usable run.
    judge_rules : JudgeRules
        The rules' judge block; `qualification`, `missing`, `ties` and `rank_start` are used.
    sources : pandas.Series, optional
        Source of each dataset (the index); then the margins have a range.

    Returns
    -------
    by_dataset : pandas.DataFrame
        Indexed by method and dataset: `baseline_r2`, `better`, `rank` (higher is better), `rank_difference` (to the
        baseline).
    margins : pandas.DataFrame
        Indexed by method: `qualified`, `margin` (with sources also its 95% range over re-draws of these, `margin_low`
        and `margin_high`), the margins by all three readings (`MARGINS`), numbers of datasets
        `better`, `equal` and `worse`, and `median_r2_over_datasets`.
    """
    baseline, across = judge_rules.qualification.baseline, judge_rules.qualification.across
    r2 = cells.pivot_table("median_r2", "dataset", "method", dropna=False).dropna(subset=baseline)
    compared_r2 = (r2 if judge_rules.missing == "drop" else r2.fillna(-np.inf)).round(12)
    is_equal = compared_r2.sub(compared_r2[baseline], axis=0).abs() <= EQUAL_WITHIN
    compared_r2 = compared_r2.mask(is_equal, compared_r2[baseline], axis=0)
    sign = compared_r2.sub(compared_r2[baseline], axis=0).apply(np.sign)
    places = compared_r2.rank(axis=1, ascending=False, method=judge_rules.ties)
    ranks = compared_r2.shape[1] - places + judge_rules.rank_start
    rank_difference = ranks.sub(ranks[baseline], axis=0)
    tables = {"better": sign > 0, "rank": ranks, "rank_difference": rank_difference}
    by_dataset = pd.DataFrame({name: table.unstack() for name, table in tables.items()})  # noqa: PD010
    for name in ("rank", "rank_difference"):
        by_dataset[name] = as_whole_numbers(by_dataset[name])
    by_dataset.insert(0, "baseline_r2", r2[baseline].reindex(by_dataset.index, level="dataset"))

    def measure_margins(differences: Any, values: Any, signs: Any) -> dict[str, Any]:
        """Return the margins by all three readings, from the tables or from groups of their rows."""
        medians, wins = values.median(), signs.sum().astype("int64")
        measures = differences.mean(), medians.sub(medians[baseline], axis=0), wins
        return dict(zip(MARGINS, measures, strict=True))

    compared_tables = rank_difference, compared_r2, sign
    margins = measure_margins(*compared_tables)
    margin = margins[across].astype("float64")
    columns: dict[str, Any] = {"qualified": margin > 0, "margin": margin}
    if sources is not None:
        draws = draw_units(sources[r2.index], np.random.default_rng(0))
        numbers = draws["draw"].to_numpy()
        groups = (part.iloc[draws["row"]].groupby(numbers) for part in compared_tables)
        table = measure_margins(*groups)[across].astype("float64")
        if len(set(sources[r2.index])) == 1:  # all re-draws are alike
            table[:] = np.nan
        ends = table.quantile(RANGE_ENDS, interpolation="nearest")  # margins may be infinite
        columns["margin_low"], columns["margin_high"] = ends.to_numpy()
    columns |= margins
    for column, value in zip(COUNT_COLUMNS, (1, 0, -1), strict=True):
        columns[column] = (sign == value).sum()
    columns["median_r2_over_datasets"] = compared_r2.median()
    return by_dataset, pd.DataFrame(columns)


@dataclass(frozen=True)
class Gate:
    """The methods that qualified and may be ranked, and those that did not.

    Attributes
    ----------
    qualified, barred : frozenset of str
        Methods that qualified, and methods that did not. Methods in neither set are ranked with a notice.
    note : str
        Reason why the table does not decide who qualified; empty if it does.
    margins : DataFrame
        Indexed by method: `qualified` and, unless verdicts.csv lacks them, `margin`, `better`, `equal` and `worse`.
    """

    qualified: frozenset[str] = frozenset()
    barred: frozenset[str] = frozenset()
    note: str = ""
    margins: pd.DataFrame = field(
        default_factory=lambda: pd.DataFrame(columns=["qualified"]), compare=False, repr=False
    )

    def notices(self, methods: set[str]) -> tuple[str, ...]:
        """Return sentences about the methods of a competition that the gate bars or does not list.

        A gate that lists nobody says nothing but its note.
        """
        if not self.qualified | self.barred:
            return (self.note,) if self.note else ()
        unlisted = methods - self.barred - self.qualified
        groups = (
            ("barred", "Not qualified, so without a place: {methods}.", self.barred & methods),
            (
                "unlisted",
                "Without a row in the table of the qualification, which therefore does not bar them: {methods}.",
                unlisted,
            ),
        )
        return tuple(
            state(name, template, methods=listed(sorted(names), MOST_NAMED))
            for name, template, names in groups
            if names
        )


@dataclass(frozen=True)
class QualificationTable:
    """Table of a qualification as it was read; rules make a `Gate` from it.

    Attributes
    ----------
    frame : DataFrame
        Columns of verdicts.csv (`method`, `qualified`) or of qualification.csv (`method`, `dataset`, `median_r2`).
    name : str
        Name of the table in messages.
    """

    frame: pd.DataFrame
    name: str = "the table of the qualification"

    @classmethod
    def read(cls, source: str | Path | pd.DataFrame) -> Self:
        """Return the table in a file that `srlib qualify` or the report wrote, or in a DataFrame."""
        if isinstance(source, pd.DataFrame):
            return cls(source)
        return cls(read_frame(source), str(source))

    def gate(self, rules: Rules) -> Gate:
        """Return the gate that rules make from the table.

        Parameters
        ----------
        rules : Rules
            The block `judge.qualification` is applied to the R2 in qualification.csv; it may choose any method in the
            table as baseline, which itself is not qualified. Verdicts in verdicts.csv are used unchanged.

        Raises
        ------
        InputError
            When the table has neither verdicts nor R2, or lacks the value of a method.

        Examples
        --------
        >>> from srlib.rules import load_rules
        >>> table = pd.DataFrame({"method": ["A", "B"], "qualified": [True, False]})
        >>> sorted(QualificationTable(table).gate(load_rules("judging-2022")).barred)
        ['B']
        """
        baseline = rules.judge.qualification.baseline
        if "qualified" in self.frame:
            margins = conform(self.frame, VERDICTS, self.name).set_index("method")
        else:
            table = conform(self.frame, CELLS, self.name)
            if baseline not in set(table["method"]):
                return Gate(
                    note=f"The rules qualify against {baseline}, of which {self.name} has no R2: who qualifies is not "
                    "known, and nobody stands below the line for it."
                )
            margins = compare_with_baseline(table, rules.judge)[1]
        is_qualified, methods = margins["qualified"].astype(bool), margins.index
        barred = frozenset(methods[~is_qualified])
        return Gate(frozenset(methods[is_qualified]), barred, margins=margins)
