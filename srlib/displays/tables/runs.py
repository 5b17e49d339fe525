"""Tables of all runs and their counts, of the best models, of symbolic solutions and of the evidence for them."""

from typing import Any

import numpy as np
import pandas as pd

from srlib.assessing.completing import add_shown
from srlib.displays.tables.table import Table
from srlib.expressions.evidence import SOLUTIONS, list_in_words
from srlib.judging import Judgement
from srlib.ledger import MEANINGS, excluded_runs
from srlib.prose import Statement, join_statements, listed, state
from srlib.readers.row_checks import THE_TRUTH
from srlib.tables import KEY

RUN_KEY = list(KEY)
RUN_PLACE = [*RUN_KEY, "file", "row"]
RUN_COLUMNS = [
    *RUN_KEY,
    "data_seed",
    "model",
    "simplified_model",
    "r2_test",
    "complexity",
    "solution",
    "file",
    "row",
]
EVIDENCE_KEYS = ("proof", "points", "digits")
MOST_NAMED = 3  # methods that are named for a reason of exclusion
USES = {
    "not_qualified": "of methods that are not ranked",
    "not_scored": "for reference only",
    "failed_run": "failed",
}  # words for excluded runs; other codes are described by their meanings


def run_table(
    assessments: pd.DataFrame, ledger: pd.DataFrame, measures: pd.DataFrame
) -> pd.DataFrame:
    """Return a table of all runs, so that each number of a report can be traced to a model text.

    Parameters
    ----------
    assessments : pandas.DataFrame
        A row for each run.
    ledger : pandas.DataFrame
        The ledger; its lines on runs give the column `codes`.
    measures : pandas.DataFrame
        Values of usable runs in each aspect: `Judgement.run_values`.

    Returns
    -------
    pandas.DataFrame
        `method`, `dataset`, `repetition`, `data_seed`, `model` (as it was handed in), `simplified_model`, `r2_test`,
        `complexity` (components, lower is simpler), `solution`, `file` and `row` (place in the run table), `codes` of
        the ledger (in capitals if they exclude the run), and a column `aspect: NAME` for each aspect. Columns that the
        assessments lack are left out.

    Examples
    --------
    >>> from srlib import Competition
    >>> judgement = Competition.read("demo", "synthetic-2022", qualified="demo").judge()
    >>> len(run_table(judgement.assessments, judgement.ledger, judgement.run_values))
    1020
    """
    lines = ledger[ledger["level"] == "run"]
    marked_codes = lines["code"].where(lines["action"] != "excluded", lines["code"].str.upper())
    keys = [lines[name] for name in RUN_PLACE]
    codes = marked_codes.groupby(keys).agg(lambda texts: ", ".join(sorted(set(texts))))
    table = assessments[[name for name in RUN_COLUMNS if name in assessments]]
    table = table.merge(codes.rename("codes").reset_index(), on=RUN_PLACE, how="left")
    table = table.merge(measures.dropna(axis="columns", how="all"), on=RUN_KEY, how="left")
    return table.sort_values([*RUN_KEY, "row"], ignore_index=True)


def describe_runs(judgement: Judgement) -> Statement:
    """Return a sentence that states how many runs were read, ranked, and excluded for each reason.

    Examples
    --------
    >>> from srlib import Competition
    >>> describe_runs(Competition.read("demo", "synthetic-2022").judge())
    'Runs: 1,020 read; 959 ranked, 59 for reference only, 2 failed (deap).'
    """
    lines, counts = excluded_runs(judgement.ledger), judgement.counts
    parts = [state("part", "{count:,} ranked", count=counts["scored"])]
    for code, count in lines["code"].value_counts().items():
        methods = sorted(lines.loc[lines["code"] == code, "method"].dropna().unique())
        use = USES.get(str(code), f"excluded: {MEANINGS[str(code)]}")
        template = "{count:,} " + use
        if len(methods) <= MOST_NAMED and code not in ("not_qualified", "not_scored"):
            template += " ({methods})"
        parts.append(state("part", template, count=count, methods=listed(methods)))
    uses = join_statements(parts, ", ")
    return state("runs", "Runs: {read:,} read; {uses}.", read=counts["read"], uses=uses)


def ledger_table(ledger: pd.DataFrame) -> pd.DataFrame:
    """Return the number of a ledger's lines by action, level and code.

    Returns
    -------
    pandas.DataFrame
        `action`, `level`, `code`, `meaning`, and numbers of `lines`, `methods` and `datasets`; sorted by action, then
        by decreasing number of lines.

    Examples
    --------
    >>> from srlib import Competition
    >>> judgement = Competition.read("demo", "synthetic-2022", qualified="demo").judge()
    >>> ledger_table(judgement.ledger)["code"].tolist()[:2]
    ['not_qualified', 'not_scored']
    """
    keys = ["action", "level", "code"]
    table = ledger.groupby(keys, as_index=False).agg(
        lines=("detail", "size"), methods=("method", "nunique"), datasets=("dataset", "nunique")
    )
    table.insert(3, "meaning", table["code"].map(MEANINGS).astype("str"))
    return table.sort_values(
        ["action", "lines"], ascending=[True, False], kind="stable", ignore_index=True
    )


def conservation(judgement: Judgement) -> pd.DataFrame:
    """Return the numbers of runs of each `method`: `read`, `scored` and `excluded`; `read` is the sum of the others.

    Examples
    --------
    >>> from srlib import Competition
    >>> judgement = Competition.read("demo", "synthetic-2022", qualified="demo").judge()
    >>> conservation(judgement)[["read", "scored", "excluded"]].sum().tolist()
    [1020, 639, 381]
    """
    read = judgement.assessments.groupby("method").size()
    n_excluded = (
        excluded_runs(judgement.ledger).groupby("method").size().reindex(read.index, fill_value=0)
    )
    return pd.DataFrame(
        {"read": read, "scored": read - n_excluded, "excluded": n_excluded}
    ).reset_index()


def method_table(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a table of methods with package, budget (JSON without its signs), number of runs and median training time.

    Columns that the runs lack are left out.

    Examples
    --------
    >>> from srlib import Competition
    >>> judgement = Competition.read("demo", "synthetic-2022", qualified="demo").judge()
    >>> method_table(judgement.assessments).columns.tolist()
    ['method', 'package', 'budget', 'runs', 'median seconds']
    """
    columns = {
        "package": ("method_version", "first"),
        "budget": ("budget", "first"),
        "runs": ("dataset", "size"),
        "median seconds": ("training_time_s", "median"),
    }
    available = {name: column for name, column in columns.items() if column[0] in runs}
    table = runs.groupby("method").agg(**available).reset_index()
    if "budget" in table:
        table["budget"] = table["budget"].str.replace('[{}"]', "", regex=True)
    return table


def best_models(
    judgement: Judgement, dataset: str | None = None, *, written: bool = False
) -> Table:
    """Return each method's run with the best test R2; among equal ones the simplest model, then the first repetition.

    Parameters
    ----------
    judgement : srlib.judging.Judgement
        Source of the runs.
    dataset : str, optional
        One of its datasets; by default all, with a first column `dataset`.
    written : bool
        Whether `model` is the text that the method wrote, with a column `names_read` if the runs have it; else it is
        the simplified text.

    Returns
    -------
    Table
        `method`, `repetition`, `r2_test`, `complexity` (components, after the rules' rounding and simplifying),
        `solution` (kind of symbolic solution: identical, offset, scale or form; missing if the model is none) and
        `model` (a text that has this R2). The truth comes first, if known, then the methods in the order of the final
        ranking. Solutions are marked.

    Examples
    --------
    >>> from srlib import Competition
    >>> judgement = Competition.read("demo", "synthetic-2022", qualified="demo").judge()
    >>> best_models(judgement, "noise_easy").frame["method"].tolist()
    ['(the truth)', 'sparse-polynomial', 'deap', 'pyoperon', 'ffx']
    """
    datasets = {dataset} if dataset is not None else set(judgement.datasets["dataset"])
    runs = judgement.assessments
    runs = runs[runs["dataset"].isin(datasets) & runs["model"].fillna("").ne("")]
    kinds = runs["solution_kind"].astype("str")
    runs = runs.assign(solution=kinds.where(kinds.isin(SOLUTIONS)))
    places = judgement.ranking.sort_values(["rank", "method"])["method"].tolist()
    runs["place"] = runs["method"].map({name: place for place, name in enumerate(places)})
    order = ["dataset", "place", "r2_test", "complexity", "repetition"]
    best = runs.dropna(subset="place").sort_values(order, ascending=[True, True, False, True, True])
    columns = ["dataset", "method", "repetition", "r2_test", "complexity", "solution", "model"]
    if written and "names_read" in runs:
        columns.append("names_read")
    best = best.drop_duplicates(["dataset", "method"])
    if "shown_model" in best and not written:
        best = add_shown(best, judgement.problems, judgement.rules.measure)
        best["model"] = best["shown_model"].fillna(best["model"])
    best = best[columns].astype(
        {"repetition": "Int64", "r2_test": "float64", "complexity": "Int64"}
    )
    truths = [
        {"dataset": problem.dataset, "method": THE_TRUTH, "model": problem.known_truth}
        for problem in judgement.problems.problems
        if problem.dataset in datasets and problem.known_truth
    ]
    truth = pd.DataFrame(truths, columns=columns).astype(best.dtypes.to_dict())
    table = pd.concat([truth, best]).sort_values("dataset", kind="stable", ignore_index=True)
    solved = np.flatnonzero(table["solution"].notna()).tolist()
    if dataset is not None:
        table = table.drop(columns="dataset")
    return Table(table, marked=solved, equations=["model"])


def winner_models(judgement: Judgement) -> Table:
    """Return the best model of each winner beside the truth of each dataset.

    Returns
    -------
    Table
        `dataset`, `method`, `r2_test`, `truth`, `model` and `verdict`: how the model is equal to the truth, or that it
        is different or unknown. Solutions are marked.

    Examples
    --------
    >>> from srlib import Competition
    >>> judgement = Competition.read("demo", "synthetic-2022", qualified="demo").judge()
    >>> winner_models(judgement).frame["verdict"].value_counts().to_dict()
    {'different': 12, 'identical': 4}
    """
    models, ranking = best_models(judgement).frame, judgement.ranking
    truths = models[models["method"] == THE_TRUTH].set_index("dataset")["model"]
    models = models[models["method"].isin(ranking["method"][ranking["rank"] == 1])]
    verdicts = judgement.assessments[[*RUN_KEY, "solution_kind"]]
    table = models.merge(verdicts.rename(columns={"solution_kind": "verdict"}), on=RUN_KEY)
    table["truth"] = table["dataset"].map(truths)
    columns = ["dataset", "method", "r2_test", "truth", "model", "verdict"]
    solved = np.flatnonzero(table["solution"].notna()).tolist()
    return Table(table[columns], marked=solved, equations=["truth", "model"], row_headers=2)


def solution_shares(judgement: Judgement) -> pd.DataFrame:
    """Return the share of usable runs with a symbolic solution; datasets that nobody solved are left out.

    Returns
    -------
    pandas.DataFrame
        A row for each dataset, a column for each method; an undecided run counts as no solution.

    Examples
    --------
    >>> from srlib import Competition
    >>> judgement = Competition.read("demo", "synthetic-2022", qualified="demo").judge()
    >>> solution_shares(judgement).round(1).iloc[0].to_dict()
    {'deap': 0.0, 'ffx': 0.0, 'pyoperon': 0.9, 'sparse-polynomial': 1.0}
    """
    runs = judgement.screened.usable
    runs = runs.assign(solved=runs["solution"].astype("float64").fillna(0))
    shares = runs.pivot_table("solved", "dataset", "method")
    return shares[shares.max(axis=1) > 0]


def evidence_table(judgement: Judgement) -> pd.DataFrame:
    """Return the runs on judged datasets that are symbolic solutions, with the evidence.

    Parameters
    ----------
    judgement : srlib.judging.Judgement
        Source of the runs.

    Returns
    -------
    pandas.DataFrame
        `dataset`, `method`, `repetition`, `verdict` (identical, offset, scale or form), `constant`, `proof`, `points`,
        `digits`, `detail` (see `describe_evidence`) and `model`.

    Examples
    --------
    >>> from srlib import Competition
    >>> judgement = Competition.read("demo", "synthetic-2022", qualified="demo").judge()
    >>> evidence_table(judgement)["verdict"].unique().tolist()
    ['identical']
    """
    runs = judgement.assessments
    is_judged = runs["dataset"].isin(set(judgement.datasets["dataset"]))
    runs = runs[is_judged & runs["solution_kind"].isin(SOLUTIONS)]
    columns = {"solution_kind": "verdict", "solution_constant": "constant"}
    table = runs[["dataset", "method", "repetition", *columns]].rename(columns=columns)
    evidence = runs["solution_evidence"].astype(object)
    table = table.assign(
        **{name: evidence.str.get(name) for name in EVIDENCE_KEYS},
        detail=evidence.map(describe_evidence),
        model=runs["model"],
    )
    table = table.astype({"constant": "float64", "points": "Int64", "digits": "Int64"})
    return table.sort_values(["dataset", "method", "repetition"], ignore_index=True)


def describe_evidence(evidence: dict[str, Any]) -> str | None:
    """Return in words at which point a model differs from the truth, or which constants differ; None without either.

    Examples
    --------
    >>> describe_evidence({"witness": {"point": {"x": 2.0}, "truth": 4.0, "model": None}})
    'at x = 2 the truth is 4 and the model is undefined'
    >>> moved = [{"constant": "the exponent of x", "truth": 2.0, "model": 2.0003, "percent": 0.015}]
    >>> describe_evidence({"moved": moved})
    'within the tolerance, the exponent of x is 2.0003 for 2 (+0.015%)'
    """
    if witness := evidence.get("witness"):
        point = ", ".join(f"{name} = {value:.6g}" for name, value in witness["point"].items())
        model = "is undefined"
        if witness["model"] is not None:
            model = f"differs by {witness['difference']:.3g}"
        return f"at {point} the truth is {witness['truth']:.9g} and the model {model}"
    parts = []
    if free := evidence.get("free"):
        parts.append(f"with {', '.join(f'{name} = {value:.6g}' for name, value in free.items())}")
    if moved := evidence.get("moved"):
        parts.append(f"within the tolerance, {list_in_words(moved)}")
    if "constants" in evidence:
        parts.append(f"compared under {evidence['constants']}")
    return "; ".join(parts) or None
