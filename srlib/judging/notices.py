"""Notices about a ranking: ledger lines of cells, sentences about missing runs, and the sentence about the winner."""

import unicodedata
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from srlib.judging.properties import KEY
from srlib.judging.scoring import Array, ScoreSteps, ScoringPlan, worst_values
from srlib.judging.screening import Screened
from srlib.ledger import Action, Code, lines_of
from srlib.problems import Problems
from srlib.prose import counted, listed
from srlib.readers.row_checks import NAMELESS
from srlib.rules import JudgeRules, sentence_of

MOST_NAMED = 6  # most names in one sentence; the tables have all names
REFERENCE_WORSE = (
    "accuracy without noise is not better than here by half of what noise takes from the truth"
)
CAN_PAY = "by these rules failing can pay"
EMPTY_CELL_DETAILS = {  # effect of a cell without usable runs, by the switch `missing`
    "worst_rank": "it gets the worst rank",
    "drop": f"it is left out, and {CAN_PAY}",
    "as_published": f"as published in 2022, and {CAN_PAY}",
}
STAND_INS = {"floor": "its floor", "worst_value": "the worst value seen on the dataset"}


def cell_lines(
    screened: Screened,
    run_values: Array,
    values: Array,
    steps: ScoreSteps,
    plan: ScoringPlan,
    judge_rules: JudgeRules,
) -> list[dict[str, Any]]:
    """Return ledger lines of cells that lack runs or values or were adjusted, and of usable runs without a value.

    Parameters
    ----------
    run_values : array, aspects x usable runs
        Values of the runs, from `measure_aspects`.
    values : array, aspects x datasets x methods x repetitions
        The same values as `arrange` orders them.
    steps, plan
        Scores and plan of the same competition.
    """
    counts, guard = screened.count(screened.usable), judge_rules.noise_guard
    is_scored = plan.scored[:, None]
    empty_detail = EMPTY_CELL_DETAILS[judge_rules.missing]
    absent_detail = f"the others' mean stands, and {CAN_PAY}"
    if judge_rules.incomplete != "rest":
        absent_detail = (
            f"each absent one counts as {STAND_INS[judge_rules.incomplete]} ({{stand_ins}})"
        )
    stand_ins = []
    for column in worst_values(values, plan.sign, plan.floor, judge_rules.incomplete).T:
        aspect_values = zip(judge_rules.aspects, column, strict=True)
        stand_ins.append(
            ", ".join(f"{name} {value:.4g}" for name, value in aspect_values if not np.isnan(value))
        )
    properties = [screened.problems[name].property or "" for name in screened.datasets]
    columns = {
        "method": np.array(screened.methods),
        "dataset": np.array(screened.datasets)[:, None],
        "property": np.array(properties)[:, None],
        "stand_ins": np.array(stand_ins)[:, None],
        "usable": counts,
        "expected": plan.expected,
        "stated": np.array([[screened.expected[name]] for name in screened.datasets]),
        "attempted": screened.count(screened.attempts),
    }
    cells = pd.DataFrame(
        {name: np.broadcast_to(values, counts.shape).ravel() for name, values in columns.items()}
    )
    is_read = plan.scored.copy()
    is_read[plan.reference[plan.reference >= 0]] = True  # the score reads no other reference
    is_lacking = (counts < columns["expected"]) & is_read[:, None]
    usable_detail = "{usable} of {expected} runs are usable; "
    guard_action: Action = "noted" if guard.action == "flag" else "replaced"
    reasons: list[tuple[NDArray[np.bool_], Code, Action, str]] = [
        (is_scored & (columns["attempted"] > columns["stated"]), "extra_runs", "noted",
         "{attempted} runs were made, {stated} are expected; all of them count"),
        (is_lacking & (counts > 0), "missing_runs", "replaced", usable_detail + absent_detail),
        (is_lacking & (counts == 0), "missing_runs", "replaced", usable_detail + empty_detail),
        (steps.guarded, "minimal_accuracy", guard_action,
         f"accuracy is below {guard.min_accuracy} at both noise levels: a low sensitivity means nothing"),
        (steps.reference_worse, "reference_worse", "replaced", f"{REFERENCE_WORSE}: it counts as {plan.best:g}"),
        (steps.n_below_minimum > 0, "minimal_accuracy", "replaced",
         f"accuracy is not above {judge_rules.minimal_accuracy} of the best: worst rank in all aspects"),
    ]  # fmt: skip
    for position, name in enumerate(judge_rules.aspects):
        is_undefined = np.isnan(steps.aggregated[position])
        undefined_for_all = is_undefined.all(axis=-1, keepdims=True)
        is_undefined &= is_scored & (counts > 0)
        if position == plan.prop:
            name = "the property {property}"
            is_undefined &= columns["property"] != ""
        detail = f"{name} is defined for none of the runs; {empty_detail}"
        reasons.append(
            (is_undefined & undefined_for_all, "not_scored", "noted", f"{name} is not defined here")
        )
        reasons.append(
            (is_undefined & ~undefined_for_all, "property_undefined", "replaced", detail)
        )
    lines = list[dict[str, Any]]()
    for mask, code, action, detail in reasons:
        lines += lines_of(cells[mask.ravel()], code, action, "judge", detail, level="cell")

    runs = screened.usable[KEY]
    action = "noted" if judge_rules.incomplete == "rest" else "replaced"
    detail = "{aspect} is not defined for this run, which counts as absent there"
    for aspect, column_values in zip(judge_rules.aspects, run_values, strict=True):
        table = runs.assign(aspect=aspect, value=column_values)
        table = table[table["dataset"].isin(screened.scored)]
        has_values = table.groupby(["method", "dataset"])["value"].transform("count") > 0
        undefined_runs = table[table["value"].isna() & has_values]
        lines += lines_of(undefined_runs, "property_undefined", action, "judge", detail)
    return lines


def coverage_notices(
    assessments: pd.DataFrame, screened: Screened, problems: Problems, judge_rules: JudgeRules
) -> tuple[str, ...]:
    """Return sentences about names that look alike, datasets and methods without scored runs, few runs, and weights.

    Parameters
    ----------
    assessments : pandas.DataFrame
        The assessments before screening.
    screened : Screened
        The assessments after screening.
    problems : Problems
        Descriptions of the datasets. If read from a folder, datasets without runs are not named, as a folder does not
        say which datasets belong to the competition.
    judge_rules : JudgeRules
        The rules' judge block; `tracks` and `incomplete` are used.
    """
    runs = assessments[KEY].drop_duplicates().astype({"method": "str", "dataset": "str"})
    methods, datasets = sorted(set(runs["method"])), sorted(set(runs["dataset"]))
    notices = [
        f"{' and '.join(map(ascii, group))} differ only by case, blanks or characters that are not seen: "
        f"they are taken for {len(group)} methods."
        for _, group in pd.Series(methods).groupby(list(map(fold_name, methods)))
        if len(group) > 1
    ]
    by_folded_name = {fold_name(problem.dataset): problem.dataset for problem in problems.problems}
    notices += [
        f"Unknown dataset {name!r}, not scored. Did you mean {by_folded_name[fold_name(name)]!r}?"
        for name in datasets
        if fold_name(name) in by_folded_name and problems.find(name) is None
    ][:MOST_NAMED]
    scored_datasets = [
        problem.dataset
        for problem in problems.problems
        if problem.track in judge_rules.tracks and problem.scored
    ]
    without_runs = [
        name for name in scored_datasets if name not in datasets and not problems.path.is_dir()
    ]
    if without_runs:
        notices.append(
            f"Nobody sent a run for {len(without_runs)} of the {len(scored_datasets)} datasets that are scored: "
            f"{listed(without_runs, MOST_NAMED)}. They take no part."
        )
    screened_methods = {*screened.methods, *screened.idle, *screened.barred, NAMELESS}
    if unscored_methods := [name for name in methods if name not in screened_methods]:
        notices.append(
            f"No run on a dataset that is scored: {listed(unscored_methods, MOST_NAMED)}. Not ranked."
        )
    cells = runs[runs["dataset"].isin(screened.scored) & runs["method"].isin(screened.methods)]
    n_runs = cells.groupby(["method", "dataset"]).size()
    n_datasets, total = n_runs.groupby("method").size(), len(screened.scored)
    if partial_methods := [
        f"{name} ({count} of {total})" for name, count in n_datasets.items() if count < total
    ]:
        notices.append(
            f"Runs for some of the datasets only: {listed(partial_methods, MOST_NAMED)}."
        )
    expected = pd.Series({name: screened.expected[name] for name in sorted(screened.scored)})
    most_runs = screened.count(screened.attempts).max()
    if most_runs < expected.max() and judge_rules.incomplete != "rest":
        absent_rule = sentence_of("incomplete", judge_rules.incomplete)
        notices.append(
            f"Nobody made more than {counted(int(most_runs), 'run')} on a dataset, and these rules expect "
            f"{expected.max()}. {absent_rule} Rules of your own can say repetitions: {most_runs}."
        )
    weights = {name: screened.problems[name].weight for name in sorted(screened.scored)}
    if len(set(weights.values())) > 1:
        weight_texts = [f"{name} {weight:g}" for name, weight in weights.items() if weight != 1]
        notices.append(f"Datasets count by their weights: {', '.join(weight_texts)}; any other 1.")
    return tuple(notices)


def fold_name(name: str) -> str:
    r"""Return a name for comparison: without case, blanks, Unicode variants and invisible characters.

    Examples
    --------
    >>> fold_name("A\u200b ") == fold_name("a"), fold_name("A 1") == fold_name("A-1")
    (True, False)
    """
    folded_name = unicodedata.normalize("NFKC", name).casefold()
    return "".join(letter for letter in folded_name if letter.isprintable() and letter != " ")


def describe_ranking(ranking: pd.DataFrame, scope: str, qualifier: str) -> str:
    """Return one sentence that names the winner and the methods on the next place, with their scores.

    Parameters
    ----------
    ranking : pandas.DataFrame
        `method`, `score` (higher is better) and `rank` (1 is best; ties share a place, NA: no usable run).
    scope : str
        Clause that says what was judged, such as "over 3 datasets (synthetic-2022)".
    qualifier : str
        Clause for the case that only one method is ranked, such as " that qualified"; empty if nobody else sent runs.
    """
    ranked = ranking.dropna(subset=["rank", "score"]).sort_values(["rank", "method"])
    if ranked.empty:
        return "No method could be scored."
    (winners, best), *next_places = [
        (listed(list(rows["method"])), rows["score"].iloc[0]) for _, rows in ranked.groupby("rank")
    ]
    if len(ranked) == 1:
        return f"{winners} is the only method{qualifier}, with a final score of {best:.3f} {scope}."
    if (ranked["rank"] == 1).sum() > 1:
        return f"{winners} share the first place with a final score of {best:.3f} {scope}."
    followers, score = next_places[0]
    score_text = f"{score:.3f}"
    if score_text == f"{best:.3f}":  # equal after rounding only
        score_text += f" ({best - score:.2g} less)"
    verb = "follow" if (ranked["rank"] == 2).sum() > 1 else "follows"
    return f"{winners} wins with a final score of {best:.3f} {scope}; {followers} {verb} with {score_text}."
