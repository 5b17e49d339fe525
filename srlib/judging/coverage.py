"""What has to be said before a ranking is read: who sent what, and what of it can be used."""

import unicodedata
from collections.abc import Iterable

import pandas as pd

from srlib.judging.screening import Screened
from srlib.ledger import MEANINGS, excluded
from srlib.problems import Problems
from srlib.rules import Judge, sentence_of
from srlib.tables import KEY

MOST = 6  # names in one sentence; the tables have the others


def unscored(read: int, ledger: pd.DataFrame) -> str:
    """Say that no run could be scored, and why, by count.

    Examples
    --------
    >>> lines = pd.DataFrame({"level": "run", "action": "excluded", "code": ["unparsed", "unparsed", "memory"],
    ...                       "method": "A", "dataset": "d", "repetition": [1, 2, 3]})
    >>> unscored(3, lines)  # doctest: +ELLIPSIS
    'No run ... so there is no ranking. 3 runs read: 2 x the model text cannot be read (unparsed); 1 x the memory ...'
    """
    counts = excluded(ledger)["code"].value_counts()
    reasons = [f"{n} x {MEANINGS[str(code)]} ({code})" for code, n in counts.items()]
    return (
        f"No run could be scored, so there is no ranking. {read} runs read: {'; '.join(reasons)}."
    )


def coverage(
    assessments: pd.DataFrame, screened: Screened, problems: Problems, judge: Judge
) -> tuple[str, ...]:
    """Say which datasets nobody sent runs for, which methods sent runs for some only, and which have none of use.

    Parameters
    ----------
    assessments : pandas.DataFrame
        As they were given.
    screened : Screened
        What became of them.
    problems : Problems
        Of a folder of datasets, those without runs are not named: it states no competition.
    judge : Judge
        Its tracks.
    """
    cells = _made(assessments).astype({"method": "str", "dataset": "str"})
    said = _alike(cells["method"].unique(), "methods")
    sent = {name for dataset in cells["dataset"] for name in (dataset, dataset.rpartition("@")[0])}
    stated = [p.dataset for p in problems.problems if p.track in judge.tracks and p.scored]
    known = {folded(problem.dataset): problem.dataset for problem in problems.problems}
    strangers = sorted(name for name in sent if problems.find(name) is None)
    nearly = [f"{n!r} for {known[folded(n)]!r}" for n in strangers if folded(n) in known]
    if nearly:
        said.append(f"Not a dataset of the problems, but nearly: {some(nearly)}. Not scored.")
    if not problems.path.is_dir() and (unsent := [name for name in stated if name not in sent]):
        said.append(
            f"Nobody sent a run for {len(unsent)} of the {len(stated)} datasets that are scored: {some(unsent)}. "
            "They take no part."
        )
    ranked = {*screened.methods, *screened.idle}
    strangers = sorted(set(cells["method"]) - ranked - screened.barred)
    if strangers:
        said.append(f"No run on a dataset that is scored: {some(strangers)}. Not ranked.")
    scored = sorted(screened.scored)
    cells = cells[cells["dataset"].isin(scored) & cells["method"].isin(screened.methods)]
    number = cells.groupby("method").size()
    part = [
        f"{method} ({n} of {len(scored)}{_which(cells, str(method), scored)})"
        for method, n in number[number < len(scored)].items()
    ]
    if part:
        said.append(f"Runs for some of the datasets only: {some(part)}.")
    most = int(cells["made"].max()) if len(cells) else judge.repetitions
    if most < judge.repetitions and judge.incomplete != "rest":
        absent = sentence_of("incomplete", judge.incomplete)
        said.append(
            f"Nobody made more than {most} run{'s' * (most > 1)} on a dataset, and these rules expect "
            f"{judge.repetitions}. {absent} Rules of your own can say repetitions: {most}."
        )
    weights = {name: screened.problems[name].weight for name in scored}
    if len(set(weights.values())) > 1:
        counted = [f"{name} {weight:g}" for name, weight in weights.items() if weight != 1]
        said.append(f"Datasets count by their weights: {', '.join(counted)}; any other 1.")
    usable = screened.usable[screened.usable["dataset"].isin(scored)]
    if stopped := int(usable["simplify_status"].isin(["timeout", "memory"]).sum()):
        said.append(
            f"Time or memory of a machine ended simplifying {stopped} models, whose raw counts stand in "
            "(ledger: machine_limit): another machine may place the methods otherwise."
        )
    if screened.used:
        if screened.idle:
            said.append(f"No usable run anywhere, so below the line: {some(screened.idle)}.")
        if dead := sorted((set(stated) & sent) - set(usable["dataset"])):
            said.append(f"No method has a usable run on {some(dead)}.")
    return tuple(said)


def _made(assessments: pd.DataFrame) -> pd.DataFrame:
    """Count the runs of each method on each dataset, whatever became of them: `method`, `dataset`, `made`."""
    runs = assessments[list(KEY)].drop_duplicates()
    cells = runs.groupby(["method", "dataset"], observed=True, sort=False)
    return cells.size().rename("made").reset_index()


def folded(name: str) -> str:
    """Name without what the eye does not see: case, blanks, forms of Unicode, invisible characters.

    Examples
    --------
    >>> folded("A\u200b ") == folded("a"), folded("A 1") == folded("A-1")
    (True, False)
    """
    plain = unicodedata.normalize("NFKC", name).casefold()
    return "".join(
        c for c in plain if unicodedata.category(c) not in {"Cf", "Cc"} and not c.isspace()
    )


def _alike(names: Iterable[str], what: str) -> list[str]:
    """Say which names could be taken for one."""
    groups: dict[str, list[str]] = {}
    for name in sorted(names):
        groups.setdefault(folded(name), []).append(name)
    return [
        f"{' and '.join(map(ascii, group))} differ only by case, blanks or characters that are not seen: "
        f"they are taken for {len(group)} {what}."
        for group in groups.values()
        if len(group) > 1
    ]


def some(names: Iterable[str]) -> str:
    """Name a few of many.

    Examples
    --------
    >>> some("abcdefgh")
    'a, b, c, d, e, f and 2 more'
    """
    names = list(names)
    more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    return ", ".join(names[:MOST]) + more


def _which(cells: pd.DataFrame, method: str, scored: list[str]) -> str:
    """Name the datasets that are there, or those that are not, whichever are fewer; nothing where both are many."""
    here = set(cells.loc[cells["method"] == method, "dataset"])
    gone = [name for name in scored if name not in here]
    few, word = (sorted(here), "") if len(here) <= len(gone) else (gone, "not ")
    if len(few) <= 2:
        return f": {word}{', '.join(few)}"
    return ""
