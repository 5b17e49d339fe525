"""Notices about a ranking: ledger lines of cells, sentences about missing runs, and the sentence about the winner."""

import unicodedata
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from srlib.judging.scoring import ScoreSteps, value_absent_runs
from srlib.judging.scoring_input import ScoringInput
from srlib.judging.screening import Lines, Reason, Screened
from srlib.ledger import lines_of
from srlib.problems import Problems
from srlib.prose import Fact, Statement, listed, state, state_count
from srlib.readers.row_checks import NAMELESS
from srlib.rules import JudgeRules

MOST_NAMED = 6  # most names in one sentence; the tables have all names
REFERENCE_WORSE = (
    "accuracy without noise is not better than here by half of what noise takes from the truth"
)
EXTRA_RUNS = "{attempted} runs were made, {stated} are expected; all of them count"
USABLE_RUNS = "{usable} of {expected} runs are usable; "
CONSTANT_MODEL = "S1 of a model without features is 1 by definition"
UNDEFINED_RUN = "{aspect} is not defined for this run, which counts as absent there"
CAN_PAY = "by these rules failing can pay"
SCRIPTS = ("LATIN", "CYRILLIC", "GREEK")  # first words of the names of letters in Unicode
# Names of characters that print nothing, though Unicode calls them letters or marks.
INVISIBLE_NAMES = ("FILLER", "JOINER", "SELECTOR", "BLANK")
LOOKALIKES = str.maketrans("авеікмнорстухјѕαβεζηικμνορτυχ", "abeikmhopctyxjsabezhikmnoptyx")
EMPTY_CELL_DETAILS = {  # effect of a cell without usable runs, by the switch `missing`
    "worst_rank": "it gets the worst rank",
    "drop": f"it is left out, and {CAN_PAY}",
    "as_published": f"as published in 2022, and {CAN_PAY}",
}
LEAVING_OUT = {  # what leaving out runs can gain, by the switch `incomplete`
    "floor": "Leaving out the worst run of sizes or times, or of a negative R2, can pay.",
    "worst_value": "Leaving out the worst run of all can pay.",
    "rest": "By these rules leaving out any bad run can pay.",
}
STAND_INS = {"floor": "its floor", "worst_value": "the worst value seen on the dataset"}


def cell_lines(
    screened: Screened, scoring: ScoringInput, steps: ScoreSteps, judge_rules: JudgeRules
) -> Lines:
    """Return ledger lines of cells that lack runs or values or were adjusted, and of usable runs without a value.

    Parameters
    ----------
    scoring, steps
        What was scored, and every step to the scores.
    """
    counts, attempted = screened.count(screened.usable), screened.count(screened.attempts)
    properties = np.array([screened.problems[name].property or "" for name in screened.datasets])
    columns = {
        "property": properties[:, None],
        "stand_ins": _describe_absent_runs(counts, scoring, judge_rules),
        "usable": counts,
        "expected": scoring.plan.expected,
        "stated": scoring.stated_runs[:, None],
        "attempted": attempted,
    }
    lines = Lines()
    for reason in _cell_reasons(columns, scoring, steps, judge_rules):
        if reason.mask.any():
            lines += reason.lines(screened.table_of(columns, reason.mask), "cell")

    runs = scoring.runs[scoring.runs["is_usable"]]
    action = "noted" if judge_rules.incomplete == "rest" else "replaced"
    for aspect, run_values in zip(judge_rules.aspects, scoring.run_values, strict=True):
        table = runs.assign(aspect=aspect, value=run_values)
        has_values = table.groupby(["method", "dataset"])["value"].transform("count") > 0
        is_undefined = table["value"].isna() & has_values & (table["property"] != "")
        cause = "property_undefined", action, "judge", UNDEFINED_RUN
        lines += lines_of(table[is_undefined], *cause)
    by_absence = [name for name, score_name in judge_rules.properties if score_name == "S1"]
    is_perfect = runs["property"].isin(by_absence) & (scoring.run_values[scoring.plan.prop] == 1)
    models = screened.usable[screened.is_judged(screened.usable)][is_perfect.to_numpy()]
    constant_models = models[[features == () for features in models["features_used"]]]
    return lines + lines_of(constant_models, "constant_model", "noted", "judge", CONSTANT_MODEL)


def _describe_absent_runs(
    counts: NDArray[np.int_], scoring: ScoringInput, judge_rules: JudgeRules
) -> NDArray[Any]:
    """Return for each cell that has some of its runs what an absent one counts as in each aspect, as text."""
    plan, texts = scoring.plan, np.full(counts.shape, "", dtype=object)
    absent = value_absent_runs(scoring.values, plan.sign, plan.floor, judge_rules.incomplete)
    absent = np.broadcast_to(absent, (len(absent), *counts.shape))
    for cell in np.argwhere((counts > 0) & (counts < plan.expected)):
        aspect_values = zip(judge_rules.aspects, absent[:, *cell], strict=True)
        parts = [f"{name} {value:.4g}" for name, value in aspect_values if not np.isnan(value)]
        texts[*cell] = ", ".join(parts)
    return texts


def _cell_reasons(
    columns: dict[str, Any], scoring: ScoringInput, steps: ScoreSteps, judge_rules: JudgeRules
) -> list[Reason]:
    """Return reasons for lines on cells, from `columns` of arrays (datasets x methods) and the steps to the scores."""
    plan, guard, counts = scoring.plan, judge_rules.noise_guard, columns["usable"]
    is_scored = plan.scored[:, None]
    is_extra = is_scored & (columns["attempted"] > columns["stated"])
    is_read = plan.scored.copy()
    is_read[plan.reference[plan.reference >= 0]] = True  # the score reads no other reference
    is_lacking = (counts < plan.expected) & is_read[:, None]
    partial = f"the others' mean stands, and {CAN_PAY}"
    if judge_rules.incomplete != "rest":
        partial = f"each absent one counts as {STAND_INS[judge_rules.incomplete]} ({{stand_ins}})"
    empty = EMPTY_CELL_DETAILS[judge_rules.missing]
    guarded = f"accuracy is below {guard.min_accuracy} at both noise levels: a low sensitivity means nothing"
    guard_action = "noted" if guard.action == "flag" else "replaced"
    worse = f"{REFERENCE_WORSE}: it counts as {plan.best:g}"
    below = f"accuracy is not above {judge_rules.minimal_accuracy} of the best: worst rank in all aspects"
    reasons = [
        Reason(is_extra, "extra_runs", "noted", EXTRA_RUNS),
        Reason(is_lacking & (counts > 0), "missing_runs", "replaced", USABLE_RUNS + partial),
        Reason(is_lacking & (counts == 0), "missing_runs", "replaced", USABLE_RUNS + empty),
        Reason(steps.guarded, "minimal_accuracy", guard_action, guarded),
        Reason(steps.reference_worse, "reference_worse", "replaced", worse),
        Reason(steps.n_below_minimum > 0, "minimal_accuracy", "replaced", below),
    ]
    for position, name in enumerate(judge_rules.aspects):
        is_undefined = np.isnan(steps.aggregated[position])
        for_all = is_undefined.all(axis=-1, keepdims=True)
        is_undefined &= is_scored & (counts > 0)
        if position == plan.prop:
            name = "the property {property}"
            is_undefined &= columns["property"] != ""
        detail = f"{name} is defined for none of the runs; {empty}"
        nowhere = f"{name} is not defined here"
        reasons += [
            Reason(is_undefined & for_all, "not_scored", "noted", nowhere),
            Reason(is_undefined & ~for_all, "property_undefined", "replaced", detail),
        ]
    return reasons


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
    runs = (
        assessments[["method", "dataset"]]
        .drop_duplicates()
        .astype({"method": "str", "dataset": "str"})
    )
    methods, datasets = sorted(set(runs["method"])), sorted(set(runs["dataset"]))
    notices = _name_notices(methods, datasets, problems)
    scored_datasets = [
        problem.dataset
        for problem in problems.problems
        if problem.track in judge_rules.tracks and problem.scored
    ]
    without_runs = [name for name in scored_datasets if name not in datasets]
    if without_runs and not problems.path.is_dir():
        template = "Nobody sent a run for {count} of the {scored} datasets that are scored: {names}. They take no part."
        counts = {"count": len(without_runs), "scored": len(scored_datasets)}
        names = listed(without_runs, MOST_NAMED)
        notices.append(state("without_runs", template, names=names, **counts))
    screened_methods = {*screened.methods, *screened.idle, *screened.barred, NAMELESS}
    if unscored_methods := [name for name in methods if name not in screened_methods]:
        template = "No run on a dataset that is scored: {methods}. Not ranked."
        notices.append(state("unscored", template, methods=listed(unscored_methods, MOST_NAMED)))
    cells = runs[runs["dataset"].isin(screened.scored) & runs["method"].isin(screened.methods)]
    n_datasets, total = cells["method"].value_counts().sort_index(), len(screened.scored)
    if partial_methods := [
        state("part", "{method} ({count} of {total})", method=name, count=count, total=total)
        for name, count in n_datasets.items()
        if count < total
    ]:
        template = "Runs for some of the datasets only: {methods}."
        notices.append(state("partial", template, methods=listed(partial_methods, MOST_NAMED)))
    notices += _run_notices(screened, judge_rules)
    weights = {name: screened.problems[name].weight for name in sorted(screened.scored)}
    if len(set(weights.values())) > 1:
        weight_texts = [
            state("weight", "{dataset} {weight:g}", dataset=name, weight=weight)
            for name, weight in weights.items()
            if weight != 1
        ]
        template = "Datasets count by their weights: {weights}; any other once."
        notices.append(state("weights", template, weights=listed(weight_texts, separator=", ")))
    return tuple(notices)


def _run_notices(screened: Screened, judge_rules: JudgeRules) -> list[Statement]:
    """Return sentences about cells with fewer runs than are expected, and about too high an expectation."""
    attempts, notices = screened.count(screened.attempts), list[Statement]()
    expected = max(screened.expected[name] for name in screened.scored)
    most_runs = int(attempts.max())
    if most_runs < expected and judge_rules.incomplete != "rest":
        template = (
            "Nobody made more than {runs} on a dataset, and these rules expect {expected}. Rules of your own can say "
            "repetitions: {runs_made}."
        )
        runs = state_count("runs_made", most_runs, "run")
        notices.append(
            state("few_runs", template, runs=runs, expected=expected, runs_made=most_runs)
        )
    reads_references = judge_rules.properties.noise_sensitivity == "ratio"
    cells = [
        state(
            "cell",
            "{method} on {dataset} ({attempts} of {runs})",
            method=method,
            dataset=dataset,
            attempts=attempts[i, j],
            runs=n_runs,
        )
        for i, dataset in enumerate(screened.datasets)
        for j, method in enumerate(screened.methods)
        if 0 < attempts[i, j] < (n_runs := min(screened.expected[dataset], most_runs))
        and (dataset in screened.scored or reads_references)
    ]
    if cells:
        template = f"Fewer runs than expected: {{cells}}. {LEAVING_OUT[judge_rules.incomplete]}"
        notices.append(state("fewer_runs", template, cells=listed(cells, MOST_NAMED)))
    return notices


def _name_notices(methods: list[str], datasets: list[str], problems: Problems) -> list[Statement]:
    """Return sentences about methods whose names look alike or mix scripts, and datasets with nearly known names."""
    by_folded_name = {fold_name(problem.dataset): problem.dataset for problem in problems.problems}
    template = (
        "{names} differ only by case, blanks, characters that are not seen or letters that look alike: they are taken "
        "for {count} methods."
    )
    notices = [
        state("twins", template, names=" and ".join(map(ascii, group)), count=len(group))
        for _, group in pd.Series(methods).groupby(list(map(fold_name, methods)))
        if len(group) > 1
    ]
    notices += [
        state(
            "scripts",
            "The name {method} mixes {scripts} letters.",
            method=ascii(name),
            scripts=listed(scripts),
        )
        for name in methods
        if len(scripts := list_scripts(name)) > 1
    ]
    unknown_names = [name for name in datasets if problems.find(name) is None]
    similar_names = [name for name in unknown_names if fold_name(name) in by_folded_name]
    template = "Unknown dataset {dataset}, not scored. Did you mean {known_name}?"
    known_names = {name: by_folded_name[fold_name(name)] for name in similar_names[:MOST_NAMED]}
    return notices + [
        state("unknown", template, dataset=repr(name), known_name=repr(known_name))
        for name, known_name in known_names.items()
    ]


def fold_name(name: str) -> str:
    r"""Return a name as people see it, for comparison.

    Case, blanks, Unicode variants and invisible characters are removed; Cyrillic and Greek letters that look like Latin
    ones become Latin.

    Examples
    --------
    >>> fold_name("A\u200b ") == fold_name("a"), fold_name("\u0410") == fold_name("a")
    (True, True)
    >>> fold_name("A 1") == fold_name("A-1")
    False
    """
    folded_name = unicodedata.normalize("NFKC", name).casefold()
    letters = [
        letter
        for letter in folded_name
        if letter.isprintable()
        and letter != " "
        and not any(word in unicodedata.name(letter, "") for word in INVISIBLE_NAMES)
    ]
    return unicodedata.normalize("NFKC", "".join(letters)).translate(LOOKALIKES)


def list_scripts(name: str) -> list[str]:
    r"""Return which of the scripts Latin, Cyrillic and Greek, whose letters look alike, the letters of a name are of.

    Examples
    --------
    >>> list_scripts("P\u0443SR 2"), list_scripts("PySR")
    (['Latin', 'Cyrillic'], ['Latin'])
    """
    letters = unicodedata.normalize("NFKC", name)
    first_words = {unicodedata.name(letter, "").partition(" ")[0] for letter in letters}
    return [script.capitalize() for script in SCRIPTS if script in first_words]


def describe_ranking(ranking: pd.DataFrame, scope: str, qualifier: str) -> Statement:
    """Return the statement `verdict`: the winner and the methods on the next place, with their scores.

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
    groups = [
        (tuple(rows["method"]), float(rows["score"].iloc[0])) for _, rows in ranked.groupby("rank")
    ]
    if not groups:
        return state("verdict", "No method could be scored.")
    (winners, score), (followers, next_score) = [*groups, ((), np.nan)][:2]
    text = f"{next_score:.3f}"
    if text == f"{score:.3f}":  # equal after rounding only
        text += f" ({score - next_score:.2g} less)"
    verb = "follow" if len(followers) > 1 else "follows"
    end = "with a final score of {score:.3f} {scope}"
    template = f"wins {end}; {{followers}} {verb} with {{next_score}}"
    if len(ranked) == 1:
        template = f"is the only method{qualifier}, {end}"
    elif len(winners) > 1:
        template = f"share the first place {end}"
    return state(
        "verdict",
        f"{{winners}} {template}.",
        winners=Fact(winners, listed(winners)),
        score=score,
        scope=scope,
        followers=Fact(followers, listed(followers)),
        next_score=Fact(next_score, text),
    )
