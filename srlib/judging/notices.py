"""What has to be said beside a ranking: ledger lines of cells, and sentences about who sent what."""

import unicodedata
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from srlib.judging.run_values import measures_table
from srlib.judging.scoring import ScoreSteps
from srlib.judging.screening import Screened, positions
from srlib.judging.values import Array, ScoringPlan, aggregate, worst_values
from srlib.ledger import MEANINGS, entry, excluded
from srlib.problems import Problems
from srlib.rules import Judge, sentence_of
from srlib.tables import KEY

MOST = 6  # names in one sentence; the tables have all of them
CAN_PAY = "by these rules failing can pay"
EMPTY = {
    "worst_rank": "it gets the worst rank",
    "drop": f"it is left out, and {CAN_PAY}",
    "as_published": f"as published in 2022, and {CAN_PAY}",
}
STAND_IN = {"floor": "its floor", "worst_value": "the worst value seen there"}


def cell_lines(
    screened: Screened, values: Array, steps: ScoreSteps, plan: ScoringPlan, judge: Judge
) -> list[dict[str, Any]]:
    """Ledger lines of cells that could not be used as they stand, and of usable runs without a value.

    Parameters
    ----------
    values : array, aspects x datasets x methods x repetitions
        As they were scored; `steps` and `plan` are of the same competition.
    """
    counts, lines = screened.counts, []
    expected = judge.repetitions + np.broadcast_to(plan.extra, counts.shape)
    stand_in = worst_values(values, plan.sign, plan.floor, judge.incomplete)
    alone = aggregate(values, judge.aggregate)
    guard = judge.noise_guard

    def add(d: int, m: int, code: str, action: Any, detail: str) -> None:
        about: Any = {"method": screened.methods[m], "dataset": screened.datasets[d]}
        lines.append(entry("judge", code, action, detail, level="cell", **about))

    for d, m in np.argwhere((screened.attempted > judge.repetitions) & plan.scored[:, None]):
        detail = f"{screened.attempted[d, m]} runs were made, {judge.repetitions} are expected; all of them count"
        add(d, m, "extra_runs", "noted", detail)
    for d, m in np.argwhere(counts < expected):
        rule = EMPTY[judge.missing]
        if counts[d, m]:
            rule = _explain_absent(list(judge.aspects), stand_in[:, d], judge)
        detail = f"{counts[d, m]} of {expected[d, m]} runs are usable; {rule}"
        add(d, m, "missing_runs", "replaced", detail)
    for d, m in np.argwhere(steps.guarded):
        reached = alone[plan.accuracy, [d, plan.reference[d]], m].max()
        detail = _explain_guard(guard.min_accuracy, float(reached))
        action = "replaced" if guard.action == "worst_rank" else "noted"
        add(d, m, "minimal_accuracy", action, detail)
    for d, m in np.argwhere(steps.reference_worse):
        reference = plan.reference[d]
        detail = (
            f"accuracy on {screened.datasets[reference]} is not better than here by half of what noise takes from the "
            f"truth, {plan.gap[d] / 2:.4g} ({alone[plan.accuracy, reference, m]:.4g} and "
            f"{alone[plan.accuracy, d, m]:.4g}, absent runs aside): it counts as {plan.best:g}"
        )
        add(d, m, "reference_worse", "replaced", detail)
    for d, m in np.argwhere(steps.below > 0):
        where = ""
        if judge.rank_per == "repetition":
            where = f"in {steps.below[d, m]} of {steps.filled.shape[-1]} repetitions "
        detail = f"accuracy {where}is not above {judge.minimal_accuracy} of the best: worst rank in all aspects"
        add(d, m, "minimal_accuracy", "replaced", detail)
    for d, m in np.argwhere(_find_undefined(screened, steps, plan)):
        kind = f"the property {screened.problems[screened.datasets[d]].property}"
        if np.isnan(steps.aggregated[plan.prop, d]).all():
            add(d, m, "not_scored", "noted", f"{kind} is not defined here")
        else:
            detail = f"{kind} is defined for none of the runs; {EMPTY[judge.missing]}"
            add(d, m, "property_undefined", "replaced", detail)
    return lines + _undefined_runs(screened, values, stand_in, plan, judge)


def _find_undefined(screened: Screened, steps: ScoreSteps, plan: ScoringPlan) -> Any:
    """Cells (datasets x methods) with usable runs, none of which has a value of the dataset's property."""
    if plan.prop < 0:
        return np.zeros(screened.counts.shape, dtype=bool)
    stated = [screened.problems[name].property is not None for name in screened.datasets]
    judged = np.array(stated) & plan.scored
    return np.isnan(steps.aggregated[plan.prop]) & judged[:, None] & (screened.counts > 0)


def _explain_guard(least: float, reached: float) -> str:
    """Say why the noise guard points at a cell; `reached` is the better accuracy of the runs that are there."""
    if reached < least:
        return f"accuracy is below {least} at both noise levels: a low sensitivity means nothing"
    return (
        f"with absent runs at their floor accuracy is below {least} at both noise levels; the usable runs alone "
        f"reach {reached:.4g}: too many are absent for the sensitivity to mean something"
    )


def _explain_absent(names: list[str], stand_in: Array, judge: Judge) -> str:
    if judge.incomplete == "rest":
        return f"the others' mean stands, and {CAN_PAY}"
    values = [
        f"{n} {value:.4g}" for n, value in zip(names, stand_in, strict=True) if value == value
    ]
    return f"each absent one counts as {STAND_IN[judge.incomplete]} ({', '.join(values)})"


def _undefined_runs(
    screened: Screened, values: Array, stand_in: Array, plan: ScoringPlan, judge: Judge
) -> list[dict[str, Any]]:
    """Lines of usable runs that lack a value in an aspect which other runs of the cell have."""
    present = np.isfinite(values).sum(axis=-1)
    lacking = (present > 0) & (present < screened.counts) & plan.scored[:, None]
    if not lacking.any():
        return []
    names, lines = list(judge.aspects), []
    table = measures_table(screened, judge)
    table = table[table["value"].isna()]
    places = (
        positions(table["aspect"], names),
        positions(table["dataset"], screened.datasets),
        positions(table["method"], screened.methods),
    )
    inside = np.minimum.reduce(places) >= 0
    for row in table[inside & lacking[places]].to_dict("records"):
        a, d = names.index(row["aspect"]), screened.datasets.index(row["dataset"])
        kind, score = screened.problems[row["dataset"]].property, row["aspect"]
        if a == plan.prop and kind is not None:
            score = f"{kind} by {getattr(judge.properties, kind)}"
        action, rule = "noted", f"it is left out, and {CAN_PAY}"
        if judge.incomplete != "rest":
            action = "replaced"
            rule = f"it counts as {STAND_IN[judge.incomplete]}, {stand_in[a, d]:.4g}"
        about: Any = {name: row[name] for name in KEY}
        detail = f"{score} is not defined for this run; {rule}"
        lines.append(entry("judge", "property_undefined", action, detail, **about))
    return lines


def unscored_notice(read: int, ledger: pd.DataFrame) -> str:
    """Say that no run could be scored, and why, by count.

    Examples
    --------
    >>> lines = pd.DataFrame({"level": "run", "action": "excluded", "code": ["unparsed", "unparsed", "memory"],
    ...                       "method": "A", "dataset": "d", "repetition": [1, 2, 3]})
    >>> unscored_notice(3, lines)  # doctest: +ELLIPSIS
    'No run ... so there is no ranking. 3 runs read: 2 x the model text cannot be read (unparsed); 1 x the memory ...'
    """
    counts = excluded(ledger)["code"].value_counts()
    reasons = [f"{n} x {MEANINGS[str(code)]} ({code})" for code, n in counts.items()]
    return (
        f"No run could be scored, so there is no ranking. {read} runs read: {'; '.join(reasons)}."
    )


def coverage_notices(
    assessments: pd.DataFrame, screened: Screened, problems: Problems, judge: Judge
) -> tuple[str, ...]:
    """Sentences about who sent no runs, or few, or none that can be used.

    Parameters
    ----------
    assessments : pandas.DataFrame
        As they were read.
    screened : Screened
        The same after screening.
    problems : Problems
        Of a folder of datasets, those without runs are not named: it states no competition.
    judge : Judge
        Its tracks, repetitions and `incomplete`.
    """
    runs = assessments[list(KEY)].drop_duplicates().astype({"method": "str", "dataset": "str"})
    datasets, scored = set(runs["dataset"]), sorted(screened.scored)
    stated = [p.dataset for p in problems.problems if p.track in judge.tracks and p.scored]
    notices = [*_similar_names(runs["method"].unique()), *_misspelt(datasets, problems)]
    silent = [] if problems.path.is_dir() else [name for name in stated if name not in datasets]
    if silent:
        notices.append(
            f"Nobody sent a run for {len(silent)} of the {len(stated)} datasets that are scored: "
            f"{name_some(silent)}. They take no part."
        )
    entered = {*screened.methods, *screened.idle, *screened.barred}
    if strangers := sorted(set(runs["method"]) - entered):
        notices.append(f"No run on a dataset that is scored: {name_some(strangers)}. Not ranked.")
    cells = runs[runs["dataset"].isin(scored) & runs["method"].isin(screened.methods)]
    cells = cells.groupby(["method", "dataset"]).size()
    covered = cells.groupby("method").size()
    datasets_of = cells.reset_index("dataset").groupby("method")["dataset"].agg(list)
    if partial := [
        f"{method} ({count} of {len(scored)}{_name_fewer(set(datasets_of[str(method)]), scored)})"
        for method, count in covered[covered < len(scored)].items()
    ]:
        notices.append(f"Runs for some of the datasets only: {name_some(partial)}.")
    most = int(cells.max()) if len(cells) else judge.repetitions
    if most < judge.repetitions and judge.incomplete != "rest":
        absent = sentence_of("incomplete", judge.incomplete)
        notices.append(
            f"Nobody made more than {most} run{'s' * (most > 1)} on a dataset, and these rules expect "
            f"{judge.repetitions}. {absent} Rules of your own can say repetitions: {most}."
        )
    weights = {name: screened.problems[name].weight for name in scored}
    if len(set(weights.values())) > 1:
        unequal = [f"{name} {weight:g}" for name, weight in weights.items() if weight != 1]
        notices.append(f"Datasets count by their weights: {', '.join(unequal)}; any other 1.")
    usable = screened.usable[screened.usable["dataset"].isin(scored)]
    if stopped := int(usable["simplify_status"].isin(["timeout", "memory"]).sum()):
        notices.append(
            f"Time or memory of a machine ended simplifying {stopped} models, whose raw counts stand in "
            "(ledger: machine_limit): another machine may place the methods otherwise."
        )
    if screened.used and screened.idle:
        notices.append(f"No usable run anywhere, so below the line: {name_some(screened.idle)}.")
    if screened.used and (dead := sorted((set(stated) & datasets) - set(usable["dataset"]))):
        notices.append(f"No method has a usable run on {name_some(dead)}.")
    return tuple(notices)


def fold_name(name: str) -> str:
    r"""Return a name without differences that cannot be seen: case, blanks, forms of Unicode, invisible characters.

    Examples
    --------
    >>> fold_name("A\u200b ") == fold_name("a"), fold_name("A 1") == fold_name("A-1")
    (True, False)
    """
    plain = unicodedata.normalize("NFKC", name).casefold()
    return "".join(
        c for c in plain if unicodedata.category(c) not in {"Cf", "Cc"} and not c.isspace()
    )


def _similar_names(methods: Iterable[str]) -> list[str]:
    """Say which methods' names could be taken for one."""
    groups: dict[str, list[str]] = {}
    for name in sorted(methods):
        groups.setdefault(fold_name(name), []).append(name)
    return [
        f"{' and '.join(map(ascii, group))} differ only by case, blanks or characters that are not seen: "
        f"they are taken for {len(group)} methods."
        for group in groups.values()
        if len(group) > 1
    ]


def _misspelt(datasets: Iterable[str], problems: Problems) -> list[str]:
    folded = {fold_name(problem.dataset): problem.dataset for problem in problems.problems}
    unknown = sorted(name for name in datasets if problems.find(name) is None)
    return [
        f"Unknown dataset {name!r}, not scored. Did you mean {folded[fold_name(name)]!r}?"
        for name in unknown
        if fold_name(name) in folded
    ][:MOST]


def name_some(names: Iterable[str]) -> str:
    """Name a few of many.

    Examples
    --------
    >>> name_some("abcdefgh")
    'a, b, c, d, e, f and 2 more'
    """
    names = list(names)
    more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    return ", ".join(names[:MOST]) + more


def _name_fewer(present: set[str], scored: list[str]) -> str:
    """Name the datasets that are there, or those that are not, whichever are fewer; nothing where both are many."""
    absent = [name for name in scored if name not in present]
    fewer, word = (sorted(present), "") if len(present) <= len(absent) else (absent, "not ")
    return f": {word}{', '.join(fewer)}" if len(fewer) <= 2 else ""
